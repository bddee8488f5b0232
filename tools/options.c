/* options.c - table-driven command-line options. */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/status.h>

#include "cmd.h"
#include "input_hint.h"
#include "large_heap.h"
#include "memory_limit.h"

bool parse_size(const char *text, uint64_t *out)
{
    static const struct {
        const char *suffix;
        uint64_t factor;
    } units[] = {{"", 1},           {"B", 1},           {"k", 1000},        {"K", 1000},
                 {"kB", 1000},      {"KB", 1000},       {"M", 1000000},     {"MB", 1000000},
                 {"G", 1000000000}, {"GB", 1000000000}, {"Ki", 1024},       {"KiB", 1024},
                 {"Mi", 1048576},   {"MiB", 1048576},   {"Gi", 1073741824}, {"GiB", 1073741824}};
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9')
        return false;
    double value = strtod(text, &end);
    if (errno || end == text || value < 0)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (!strcmp(end, units[i].suffix)) {
            double scaled = value * (double)units[i].factor;
            if (scaled >= 18446744073709551615.0)
                return false;
            *out = (uint64_t)scaled;
            return true;
        }
    return false;
}

void (*describe_command)(const struct command_syntax *syntax);

void print_help(const struct command_syntax *s)
{
    if (describe_command) {
        describe_command(s);
        return;
    }
    printf("usage: strata %s %s%s\n\n%s\n", s->name, s->n_options ? "[options] " : "", s->arguments,
           s->summary);
    if (s->text)
        printf("\n%s\n", s->text);
    if (s->n_options)
        printf("\noptions:\n");
    for (size_t i = 0; i < s->n_options; i++) {
        const struct option *o = &s->options[i];
        char left[64];
        int n = o->letter ? snprintf(left, sizeof left, "  -%c, --%s", o->letter, o->name)
                          : snprintf(left, sizeof left, "      --%s", o->name);
        if (o->argument && n < (int)sizeof left)
            snprintf(left + n, sizeof left - (size_t)n, " %s", o->argument);
        printf("%-32s %s\n", left, o->help);
    }
}

static int usage_error(const struct command_syntax *s, const char *what, const char *word)
{
    if (!process_rank)
        fprintf(stderr, "strata %s: %s \"%s\"; see `strata %s --help`.\n", s->name, what, word,
                s->name);
    return EXIT_USAGE;
}

static int unknown_option(const struct command_syntax *s, const char *word, size_t length)
{
    char name[66], near[80] = "";
    size_t least = 3;
    snprintf(name, sizeof name, "%.*s", (int)(length < 65 ? length : 65), word + 2);
    for (size_t i = 0; word[1] == '-' && i < s->n_options; i++) {
        size_t distance = strata_word_distance(name, s->options[i].name, least);
        if (distance < least) {
            least = distance;
            snprintf(near, sizeof near, " (did you mean \"--%s\"?)", s->options[i].name);
        }
    }
    if (!process_rank)
        fprintf(stderr, "strata %s: there is no option \"%s\"%s; see `strata %s --help`.\n",
                s->name, word, near, s->name);
    return EXIT_USAGE;
}

static int bad_value(const struct command_syntax *s, const struct option *o, const char *value)
{
    if (o->kind == OPTION_FORMAT)
        fprintf(stderr, "strata %s: --format is text, csv or json, not \"%s\".\n", s->name, value);
    else if (!process_rank)
        fprintf(stderr, "strata %s: --%s takes %s, not \"%s\"; see `strata %s --help`.\n", s->name,
                o->name,
                o->kind == OPTION_UINT || o->kind == OPTION_MEMORY
                    ? "a whole number such as 3, 1M or 96KiB"
                    : "a number",
                value, s->name);
    return EXIT_USAGE;
}

static const struct option *find_option(const struct command_syntax *s, const char *name,
                                        size_t length, char letter)
{
    for (size_t i = 0; i < s->n_options; i++) {
        const struct option *o = &s->options[i];
        if (letter ? o->letter == letter
                   : strlen(o->name) == length && !strncmp(o->name, name, length))
            return o;
    }
    return NULL;
}

static bool store_value(const struct option *o, const char *value)
{
    char *end;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->target = true;
        return true;
    case OPTION_STRING:
        *(const char **)o->target = value;
        return true;
    case OPTION_UINT:
        return parse_size(value, o->target);
    case OPTION_MEMORY: {
        uint64_t bytes;
        large_heap_shrink();
        return parse_size(value, &bytes) && bytes && limit_memory(bytes);
    }
    case OPTION_DOUBLE:
        *(double *)o->target = strtod(value, &end);
        return end != value && !*end;
    case OPTION_LIST: {
        struct option_list *list = o->target;
        const char **grown = realloc(list->item, (list->n + 1) * sizeof *grown);
        if (!grown)
            return false;
        list->item = grown;
        list->item[list->n++] = value;
        return true;
    }
    case OPTION_FORMAT:
        return parse_format(value, o->target);
    }
    return false;
}

/* Parses options anywhere among the arguments ("--" ends them); leaves the others in argv[1..] and
 * their number in *n_args. Returns true to go on; false with *exit_code set after --help or an
 * error (already printed). */
static bool parse_options(const struct command_syntax *s, int argc, char **argv, int *n_args,
                          int *exit_code)
{
    bool only_args = false;
    *n_args = 0;
    for (int i = 1; i < argc; i++) {
        char *word = argv[i];
        if (only_args || word[0] != '-' || !word[1]) {
            argv[1 + (*n_args)++] = word;
            continue;
        }
        if (!strcmp(word, "--")) {
            only_args = true;
            continue;
        }
        if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
            print_help(s);
            *exit_code = EXIT_DONE;
            return false;
        }
        bool is_long = word[1] == '-';
        const char *equals = is_long ? strchr(word, '=') : NULL;
        size_t length = equals ? (size_t)(equals - word - 2) : strlen(word) - (is_long ? 2 : 0);
        const struct option *o = find_option(s, word + 2, length, is_long ? 0 : word[1]);
        if (!o) {
            *exit_code = unknown_option(s, word, length);
            return false;
        }
        const char *value = equals ? equals + 1 : !is_long && word[2] ? word + 2 : NULL;
        if (o->kind == OPTION_FLAG && value) {
            *exit_code = usage_error(s, "no value belongs to option", word);
            return false;
        }
        if (o->kind != OPTION_FLAG && !value) {
            if (i + 1 >= argc) {
                *exit_code = usage_error(s, "a value is missing after option", word);
                return false;
            }
            value = argv[++i];
        }
        if (!store_value(o, value)) {
            struct strata_error err;
            *exit_code =
                o->kind != OPTION_LIST /* which takes every value there is room for */
                    ? bad_value(s, o, value)
                    : (strata_no_memory(&err, NULL, "for the options"), report_error(&err));
            return false;
        }
    }
    return true;
}

/* ---- the runner ---- */

static strata_status check_words(const struct command_syntax *s, int n_words,
                                 struct strata_error *err)
{
    if (n_words >= s->least_words || !s->needs)
        return STRATA_OK;
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "%s needs %s; see `strata %s --help`.",
                       s->name, s->needs, s->name);
}

static strata_status check_rules(const struct command_syntax *s, struct strata_error *err)
{
    for (size_t i = 0; i < s->n_rules; i++) {
        const struct option_rule *r = &s->rules[i];
        bool kept = true;
        if (r->kind == OPTION_IS_NEEDED) {
            kept = *(const char *const *)r->target != NULL;
        } else {
            uint64_t n = *(const uint64_t *)r->target;
            kept = n >= r->least && n <= r->most;
        }
        if (!kept)
            return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "%s", r->sentence);
    }
    return STRATA_OK;
}

static void free_lists(const struct command_syntax *s)
{
    for (size_t i = 0; i < s->n_options; i++)
        if (s->options[i].kind == OPTION_LIST) {
            struct option_list *list = s->options[i].target;
            free(list->item);
            *list = (struct option_list){0};
        }
}

/* The number of words where the command asks for them in words of its own, or takes no more. */
static bool words_fit(const struct command_syntax *s, char **words, int n_words)
{
    bool few = n_words<s->least_words, many = n_words> s->most_words;
    if (s->asks && (few || many))
        fprintf(stderr, "strata %s: %s\n", s->name, s->asks);
    else if (many)
        fprintf(stderr, "strata %s: \"%s\" is one word too many; see `strata %s --help`.\n",
                s->name, words[s->most_words], s->name);
    else
        return true;
    return false;
}

/* The GPU of every command that takes one, unless it is told. */
static void take_gpu_from_environment(const struct command_syntax *s)
{
    const char *name = getenv("STRATA_GPU");
    for (size_t i = 0; name && *name && i < s->n_options; i++)
        if (s->options[i].kind == OPTION_STRING && !strcmp(s->options[i].name, "gpu") &&
            !*(const char **)s->options[i].target)
            *(const char **)s->options[i].target = name;
}

int run_command(const struct command_syntax *s, int argc, char **argv)
{
    int n_words, code = EXIT_DONE;
    struct strata_error err;
    bool go_on = parse_options(s, argc, argv, &n_words, &code);
    take_gpu_from_environment(s);
    if (go_on && s->list_asked && *s->list_asked) {
        s->list();
    } else if (go_on && !words_fit(s, argv + 1, n_words)) {
        code = EXIT_USAGE;
    } else if (go_on) {
        strata_status status = check_words(s, n_words, &err);
        if (status == STRATA_OK)
            status = check_rules(s, &err);
        if (status == STRATA_OK)
            status = s->run(s->context, argv + 1, n_words, &err);
        if (status != STRATA_OK)
            add_input_hint(s, argv + 1, n_words, &err);
        code = status == STRATA_OK ? EXIT_DONE : report_error(&err);
    }
    free_lists(s);
    return code;
}
