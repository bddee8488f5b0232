/* launch_filter.c - launch filters by name, skip and count. */
#include <strata/filter.h>

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include <strata/kernel_name.h>

#define REGEX_PREFIX "regex:"

struct strata_filter {
    char *name; /* NULL: any, or a regular expression */
    regex_t regex;
    bool has_regex;
    uint64_t skip, count, seen, taken;
    uint64_t all_asked, all_seen, all_taken; /* over all traces */
};

strata_status strata_filter_create(const char *kernel_name, uint64_t launch_skip,
                                   uint64_t launch_count, struct strata_filter **out,
                                   struct strata_error *err)
{
    *out = NULL;
    struct strata_filter *f = calloc(1, sizeof *f);
    if (!f)
        return strata_no_memory(err, NULL, "for a launch filter");
    f->skip = launch_skip;
    f->count = launch_count;
    if (kernel_name && !strncmp(kernel_name, REGEX_PREFIX, strlen(REGEX_PREFIX))) {
        const char *expression = kernel_name + strlen(REGEX_PREFIX);
        int why = regcomp(&f->regex, expression, REG_EXTENDED | REG_NOSUB);
        if (why) {
            char text[128];
            regerror(why, &f->regex, text, sizeof text);
            free(f);
            return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                               "the regular expression \"%s\" of --kernel-name is wrong: %s.",
                               expression, text);
        }
        f->has_regex = true;
    } else if (kernel_name && !(f->name = strdup(kernel_name))) {
        free(f);
        return strata_no_memory(err, NULL, "for a launch filter");
    }
    *out = f;
    return STRATA_OK;
}

void strata_filter_destroy(struct strata_filter *f)
{
    if (!f)
        return;
    if (f->has_regex)
        regfree(&f->regex);
    free(f->name);
    free(f);
}

static bool name_matches(const struct strata_filter *f, const char *kernel)
{
    char base[512];
    strata_kernel_base_name(kernel, base, sizeof base);
    if (f->has_regex)
        return !regexec(&f->regex, base, 0, NULL, 0) || !regexec(&f->regex, kernel, 0, NULL, 0);
    return !f->name || !strcmp(f->name, base) || !strcmp(f->name, kernel);
}

bool strata_filter_take(struct strata_filter *f, const char *kernel)
{
    f->all_asked++;
    if (!name_matches(f, kernel))
        return false;
    f->all_seen++;
    if (f->seen++ < f->skip || strata_filter_exhausted(f))
        return false;
    f->taken++;
    f->all_taken++;
    return true;
}

bool strata_filter_exhausted(const struct strata_filter *f)
{
    return f->count && f->taken >= f->count;
}

bool strata_filter_choose(void *filter, const struct strata_launch *launch, size_t index)
{
    struct strata_filter *f = filter;
    if (index == 0)
        f->seen = f->taken = 0;
    return strata_filter_take(f, launch->kernel);
}

strata_status strata_filter_check(const struct strata_filter *f, const char *path,
                                  struct strata_error *err)
{
    if (f->all_taken || !f->all_asked)
        return STRATA_OK;
    if (!f->all_seen)
        return strata_fail(err, STRATA_EUSAGE, path, 0, 0,
                           "none of the %llu launches has a kernel that --kernel-name names; "
                           "`strata info` lists them.",
                           (unsigned long long)f->all_asked);
    return strata_fail(err, STRATA_EUSAGE, path, 0, 0,
                       "all %llu launches that match are skipped; lower --launch-skip.",
                       (unsigned long long)f->all_seen);
}
