/* Any text as a GPU file: a refusal has a place and a sentence; what is accepted passes the checks,
 * can be written out, and reads back as the same description. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <strata/gpu.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct strata_gpu gpu, again;

static void check_refusal(const struct strata_error *err)
{
    char text[1400];
    strata_error_text(err, text, sizeof text);
    size_t length = strlen(err->message);
    char last = length ? err->message[length - 1] : 0;
    if (err->status == STRATA_OK ||
        (last != '.' && last != '?' && length < sizeof err->message - 1))
        abort();
}

static void check_round_trip(void)
{
    char *text = NULL;
    struct strata_error err;
    if (strata_gpu_to_yaml(&gpu, &text, &err) != STRATA_OK ||
        strata_gpu_parse(text, strlen(text), "again.yaml", &again, &err) != STRATA_OK)
        abort();
    if (!gpu.name[0]) /* a description without a name is named after its file */
        memcpy(gpu.name, again.name, sizeof gpu.name);
    if (memcmp(&gpu, &again, offsetof(struct strata_gpu, origin)))
        abort();
    free(text);
}

static bool count_total(void *context, const char *name, double value, const char *unit,
                        const char *how)
{
    (void)name;
    (void)unit;
    (void)how;
    *(double *)context += value;
    return true;
}

/* The input again as "key=value" lines, the way --set takes them. */
static void set_lines(const uint8_t *data, size_t size)
{
    struct strata_error err = {0};
    char *copy = malloc(size + 1), *save = NULL;
    bool overrides = false;
    memcpy(copy, data, size);
    copy[size] = 0;
    strata_gpu_init(&gpu);
    strata_gpu_set(&gpu, "name", "card", &err);
    strata_gpu_set(&gpu, "sm_version", "90", &err);
    strata_gpu_set(&gpu, "sm.count", "4", &err);
    strata_gpu_set(&gpu, "sm.clock", "1000", &err);
    for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *equals = strchr(line, '=');
        if (!equals)
            continue;
        *equals = 0;
        /* in turn as --set does it, which takes along what depends on it, and as a file */
        overrides = !overrides;
        if ((overrides ? strata_gpu_override : strata_gpu_set)(&gpu, line, equals + 1, &err) !=
            STRATA_OK)
            check_refusal(&err);
    }
    free(copy);
    if (strata_gpu_validate(&gpu, "set", &err) == STRATA_OK)
        check_round_trip();
    else
        check_refusal(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_error err = {0};
    double sum = 0;
    if (strata_gpu_parse((const char *)data, size, "fuzz.yaml", &gpu, &err) == STRATA_OK) {
        if (strata_gpu_validate(&gpu, "fuzz.yaml", &err) != STRATA_OK)
            abort();
        strata_gpu_totals(&gpu, count_total, &sum);
        check_round_trip();
    } else {
        check_refusal(&err);
    }
    set_lines(data, size);
    return 0;
}
