/* cmd_gpu.c - strata gpu list|show|check|diff: what is known about a GPU. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/gpu.h>

#include "cmd.h"
#include "gpu_option.h"
#include "options.h"
#include "output.h"
#include "print.h"

/* Descriptions are too large for the stack of a small thread; the tool has one thread. */
static struct strata_gpu gpu_a, gpu_b;

/* ---- values ---- */

/* The shorter of two spellings that reads back as the same number. */
static void print_number(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    printf("%.*g", strtod(text, NULL) == value ? 15 : 17, value);
}

/* A JSON value: numbers in the unit of the key, names and texts as strings, lists as arrays. */
static void print_json_value(const struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    char text[STRATA_GPU_TEXT];
    strata_gpu_value_text(gpu, key, text, sizeof text);
    switch (key->type) {
    case STRATA_GPU_BOOL:
        fputs(text, stdout);
        return;
    case STRATA_GPU_ENUM:
    case STRATA_GPU_STRING:
        print_json_string(stdout, text);
        return;
    case STRATA_GPU_UINTS:
    case STRATA_GPU_SIZES:
    case STRATA_GPU_DOUBLES:
        putchar('[');
        for (uint32_t i = 0; i < strata_gpu_count(gpu, key); i++) {
            fputs(i ? ", " : "", stdout);
            print_number(strata_gpu_number(gpu, key, i));
        }
        putchar(']');
        return;
    default:
        print_number(strata_gpu_number(gpu, key, 0));
    }
}

/* Sizes in bytes; the elements of a list with spaces between them. */
static void print_csv_value(const struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    char text[STRATA_GPU_TEXT];
    switch (key->type) {
    case STRATA_GPU_SIZE:
    case STRATA_GPU_SIZE32:
        print_number(strata_gpu_number(gpu, key, 0));
        return;
    case STRATA_GPU_UINTS:
    case STRATA_GPU_SIZES:
    case STRATA_GPU_DOUBLES:
        for (uint32_t i = 0; i < strata_gpu_count(gpu, key); i++) {
            fputs(i ? " " : "", stdout);
            print_number(strata_gpu_number(gpu, key, i));
        }
        return;
    default:
        print_csv_field(stdout, strata_gpu_value_text(gpu, key, text, sizeof text));
    }
}

/* Sizes from 1 KiB on carry their unit in the text already ("96KiB"). */
static const char *shown_unit(const char *unit, const char *value)
{
    size_t length = strlen(value);
    bool has_unit = !strcmp(unit, "bytes") && (!length || value[length - 1] == 'B');
    return !length || has_unit ? "" : unit;
}

static void total_text(double value, const char *unit, char *out, size_t size)
{
    if (!strcmp(unit, "bytes"))
        strata_gpu_size_text((uint64_t)value, out, size);
    else if (!strcmp(unit, "GB/s") || value != (double)(uint64_t)value)
        snprintf(out, size, "%.1f", value);
    else
        snprintf(out, size, "%.0f", value);
}

/* ---- show ---- */

struct showing {
    bool all;
    bool first;
    char section[32];
};

static bool new_section(struct showing *s, const char *path)
{
    const char *dot = strchr(path, '.');
    int length = dot ? (int)(dot - path) : 0;
    if ((int)strlen(s->section) == length && !strncmp(s->section, path, (size_t)length))
        return false;
    snprintf(s->section, sizeof s->section, "%.*s", length, path);
    return true;
}

/* Long lists are broken at a comma; the continuation stands under the value. */
static void print_wrapped(const char *value, const char *unit, const char *source)
{
    size_t room = 34;
    while (strlen(value) > room) {
        size_t cut = room;
        while (cut > 0 && value[cut - 1] != ',')
            cut--;
        if (!cut)
            break;
        printf("%.*s\n%-31s", (int)cut, value, "");
        value += cut + (value[cut] == ' ');
    }
    char with_unit[STRATA_GPU_TEXT + 32];
    snprintf(with_unit, sizeof with_unit, "%s%s%s", value, *unit ? " " : "", unit);
    if (*source)
        printf("%-34s  %s\n", with_unit, source);
    else
        printf("%s\n", with_unit);
}

static bool show_text(void *context, const struct strata_gpu_key *key, const char *value,
                      const char *source)
{
    struct showing *s = context;
    bool set = strata_gpu_is_set(&gpu_a, key);
    if (key->type == STRATA_GPU_STRING || (!s->all && !set))
        return true;
    if (new_section(s, key->path) && *s->section)
        printf("\n%s\n", s->section);
    printf("  %-28s ", key->path);
    print_wrapped(*value ? value : "-", shown_unit(key->unit, value),
                  set ? *source ? source : "no source" : "default");
    return true;
}

static bool show_total_text(void *context, const char *name, double value, const char *unit,
                            const char *how)
{
    (void)context;
    char text[64];
    total_text(value, unit, text, sizeof text);
    printf("  %-28s ", name);
    print_wrapped(text, shown_unit(unit, text), how);
    return true;
}

static bool show_csv(void *context, const struct strata_gpu_key *key, const char *value,
                     const char *source)
{
    (void)context;
    (void)value;
    printf("%s,", key->path);
    print_csv_value(&gpu_a, key);
    printf(",%s,", key->unit);
    print_csv_field(stdout, strata_gpu_is_set(&gpu_a, key) ? source : "default");
    putchar('\n');
    return true;
}

static bool show_total_csv(void *context, const char *name, double value, const char *unit,
                           const char *how)
{
    (void)context;
    printf("total: %s,%.15g,%s,", name, value, unit);
    print_csv_field(stdout, how);
    putchar('\n');
    return true;
}

static bool show_json(void *context, const struct strata_gpu_key *key, const char *value,
                      const char *source)
{
    struct showing *s = context;
    (void)value;
    printf("%s\n  {\"key\": \"%s\", \"value\": ", s->first ? "" : ",", key->path);
    s->first = false;
    print_json_value(&gpu_a, key);
    printf(", \"unit\": \"%s\", \"set\": %s, \"source\": ", key->unit,
           strata_gpu_is_set(&gpu_a, key) ? "true" : "false");
    print_json_string(stdout, source);
    putchar('}');
    return true;
}

static bool show_total_json(void *context, const char *name, double value, const char *unit,
                            const char *how)
{
    struct showing *s = context;
    printf("%s\n  {\"name\": \"%s\", \"value\": %.15g, \"unit\": \"%s\", \"how\": \"%s\"}",
           s->first ? "" : ",", name, value, unit, how);
    s->first = false;
    return true;
}

static void show(enum format format, bool all)
{
    struct showing s = {.all = all, .first = true};
    switch (format) {
    case FORMAT_TEXT:
        printf("%s: %s\n", gpu_a.name, gpu_a.description);
        printf("class: %s\n\n", *gpu_a.evidence ? gpu_a.evidence : "not said");
        strata_gpu_each(&gpu_a, show_text, &s);
        printf("\ntotals\n");
        strata_gpu_totals(&gpu_a, show_total_text, &s);
        break;
    case FORMAT_CSV:
        printf("key,value,unit,source\n");
        strata_gpu_each(&gpu_a, show_csv, &s);
        strata_gpu_totals(&gpu_a, show_total_csv, &s);
        break;
    case FORMAT_JSON:
        printf("{\"schema\": \"strata.gpu/1\", \"tool\": \"strata " STRATA_VERSION "\", \"gpu\": ");
        print_json_string(stdout, gpu_a.name);
        printf(", \"keys\": [");
        strata_gpu_each(&gpu_a, show_json, &s);
        s.first = true;
        printf("\n ], \"totals\": [");
        strata_gpu_totals(&gpu_a, show_total_json, &s);
        printf("\n ]}\n");
        break;
    }
}

static strata_status finish_stdout(struct strata_error *err)
{
    struct output o;
    strata_status status = output_open(&o, NULL, err);
    return status == STRATA_OK ? output_commit(&o, err) : status;
}

static strata_status show_yaml(struct strata_error *err)
{
    char *text;
    strata_status status = strata_gpu_to_yaml(&gpu_a, &text, err);
    if (status != STRATA_OK)
        return status;
    fputs(text, stdout);
    free(text);
    return finish_stdout(err);
}

struct show_arguments {
    const char *format;
    struct option_list sets;
    bool set_only;
};

static strata_status show_one(void *context, char **words, int n_words, struct strata_error *err)
{
    const struct show_arguments *a = context;
    bool yaml = a->format && !strcmp(a->format, "yaml");
    enum format format = FORMAT_TEXT;
    (void)n_words;
    if (!yaml && a->format && !parse_format(a->format, &format))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "gpu show: --format is text, csv, json or yaml, not \"%.80s\".",
                           a->format);
    strata_status status = load_gpu(words[0], &a->sets, &gpu_a, err);
    if (status != STRATA_OK)
        return status;
    if (yaml)
        return show_yaml(err);
    show(format, !a->set_only);
    return finish_stdout(err);
}

static int gpu_show(int argc, char **argv)
{
    struct show_arguments a = {0};
    const struct option options[] = {
        {0, "format", OPTION_STRING, &a.format, "F",
         "text (default), csv, json, or yaml (a GPU file)"},
        {0, "set", OPTION_LIST, &a.sets, "KEY=VALUE", "change one value first; may be repeated"},
        {0, "set-only", OPTION_FLAG, &a.set_only, NULL,
         "leave out the keys that are at their default (text)"},
    };
    const struct command_syntax syntax = {
        .name = "gpu show",
        .arguments = "GPU",
        .summary = "Prints every value of a GPU with its source, and what follows from them.",
        .text = "GPU is a name (`strata gpu list` shows them) or the path of a GPU file.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = 1,
        .asks = "name one GPU; `strata gpu list` shows those there are.",
        .run = show_one,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}

/* ---- list ---- */

struct listing {
    struct gpu_file {
        char *name, *path;
    } * file;
    size_t n;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct gpu_file *)a)->name, ((const struct gpu_file *)b)->name);
}

static bool add_file(struct listing *l, const char *folder, const char *base)
{
    size_t length = strlen(base);
    if (length < 6 || strcmp(base + length - 5, ".yaml"))
        return true;
    char *name = strndup(base, length - 5), *path = NULL;
    for (size_t i = 0; name && i < l->n; i++)
        if (!strcmp(l->file[i].name, name)) { /* an earlier folder wins, as in loading */
            free(name);
            return true;
        }
    struct gpu_file *grown = realloc(l->file, (l->n + 1) * sizeof *grown);
    if (grown)
        l->file = grown;
    if (!name || !grown || asprintf(&path, "%s/%s", folder, base) < 0) {
        free(name);
        return false;
    }
    l->file[l->n++] = (struct gpu_file){name, path};
    return true;
}

static bool find_files(struct listing *l)
{
    for (size_t i = 0; strata_gpu_path(i); i++) {
        DIR *dir = opendir(strata_gpu_path(i));
        struct dirent *entry;
        bool ok = true;
        while (ok && dir && (entry = readdir(dir)))
            ok = add_file(l, strata_gpu_path(i), entry->d_name);
        if (dir)
            closedir(dir);
        if (!ok)
            return false;
    }
    if (l->n)
        qsort(l->file, l->n, sizeof *l->file, by_name);
    return true;
}

/* The verb of the class, for a narrow column. */
static const char *class_word(const char *evidence)
{
    return !*evidence         ? "-"
           : *evidence == 'm' ? "measured"
           : *evidence == 'c' ? "checked"
                              : "documents";
}

static void list_row(enum format format, const struct gpu_file *file, bool first)
{
    const struct strata_gpu *g = &gpu_a;
    char l2[32];
    double dram = 1e-9 * strata_gpu_dram_bytes_per_second(g);
    strata_gpu_size_text(g->l2.cache.size_bytes, l2, sizeof l2);
    switch (format) {
    case FORMAT_TEXT:
        printf("%-12s  sm_%-3u %4u  %5u MHz  %8s  %7.1f GB/s  %-9s  %s\n", file->name,
               g->sm_version, g->sm.count, g->sm.clock_mhz, l2, dram, class_word(g->evidence),
               g->description);
        break;
    case FORMAT_CSV:
        printf("%s,%u,%u,%u,%llu,%.6g,", file->name, g->sm_version, g->sm.count, g->sm.clock_mhz,
               (unsigned long long)g->l2.cache.size_bytes, dram);
        print_csv_field(stdout, g->evidence);
        putchar(',');
        print_csv_field(stdout, g->description);
        putchar(',');
        print_csv_field(stdout, file->path);
        putchar('\n');
        break;
    case FORMAT_JSON:
        printf("%s\n  {\"name\": ", first ? "" : ",");
        print_json_string(stdout, file->name);
        printf(", \"sm_version\": %u, \"sms\": %u, \"clock_mhz\": %u, \"l2_bytes\": %llu, "
               "\"dram_gb_s\": %.6g, \"class\": ",
               g->sm_version, g->sm.count, g->sm.clock_mhz,
               (unsigned long long)g->l2.cache.size_bytes, dram);
        print_json_string(stdout, g->evidence);
        printf(", \"description\": ");
        print_json_string(stdout, g->description);
        printf(", \"path\": ");
        print_json_string(stdout, file->path);
        putchar('}');
        break;
    }
}

/* A file that cannot be read is told of, and the others are listed all the same. */
static int print_list(enum format format, const struct listing *l)
{
    int code = EXIT_DONE;
    bool first = true;
    if (format == FORMAT_TEXT)
        printf("%-12s  %-6s %4s  %9s  %8s  %12s  %-9s  %s\n", "name", "arch", "SMs", "clock", "L2",
               "DRAM peak", "class", "description");
    else if (format == FORMAT_CSV)
        printf("name,sm_version,sms,clock_mhz,l2_bytes,dram_gb_s,class,description,path\n");
    else
        printf("{\"schema\": \"strata.gpus/1\", \"tool\": \"strata " STRATA_VERSION
               "\", \"gpus\": [");
    for (size_t i = 0; i < l->n; i++) {
        struct strata_error err;
        if (strata_gpu_load(l->file[i].path, &gpu_a, &err) != STRATA_OK) {
            code = report_error(&err);
            continue;
        }
        list_row(format, &l->file[i], first);
        first = false;
    }
    if (format == FORMAT_JSON)
        printf("\n ]}\n");
    return code;
}

struct list_arguments {
    enum format format;
    int code;
};

static strata_status list_all(void *context, char **words, int n_words, struct strata_error *err)
{
    struct list_arguments *a = context;
    struct listing l = {0};
    (void)words, (void)n_words;
    strata_status status = add_gpu_paths(err);
    if (status == STRATA_OK && !find_files(&l))
        status = strata_no_memory(err, NULL, "for the list of GPUs");
    if (status == STRATA_OK) {
        a->code = print_list(a->format, &l);
        status = finish_stdout(err);
    }
    for (size_t i = 0; i < l.n; i++) {
        free(l.file[i].name);
        free(l.file[i].path);
    }
    free(l.file);
    return status;
}

static int gpu_list(int argc, char **argv)
{
    struct list_arguments a = {0};
    const struct option options[] = {
        {0, "format", OPTION_FORMAT, &a.format, "F", "text (default), csv or json"}};
    const struct command_syntax syntax = {
        .name = "gpu list",
        .arguments = "",
        .summary = "Lists the GPUs there are files for.",
        .text = "Files are looked for in the folders of STRATA_GPU_PATH, "
                "then among those that came with strata.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .run = list_all,
        .context = &a,
    };
    int code = run_command(&syntax, argc, argv);
    return code ? code : a.code;
}

/* ---- check ---- */

struct sourcing {
    unsigned set, without;
    char first[64]; /* first key without a source */
};

static bool count_sources(void *context, const struct strata_gpu_key *key, const char *value,
                          const char *source)
{
    struct sourcing *s = context;
    (void)value;
    if (!strata_gpu_is_set(&gpu_a, key) || key->type == STRATA_GPU_STRING)
        return true;
    s->set++;
    if (!*source) {
        if (!s->without++)
            snprintf(s->first, sizeof s->first, "%s", key->path);
    }
    return true;
}

static int check_one(const char *name, bool strict)
{
    struct strata_error err;
    struct sourcing s = {0};
    if (strata_gpu_load(name, &gpu_a, &err) != STRATA_OK)
        return report_error(&err);
    strata_gpu_each(&gpu_a, count_sources, &s);
    if (!s.without)
        printf("%s: good, %u keys set, each with a source\n", name, s.set);
    else
        printf("%s: good, %u keys set, %u without a source (the first is %s)\n", name, s.set,
               s.without, s.first);
    return strict && s.without ? EXIT_MISMATCH : EXIT_DONE;
}

struct check_arguments {
    bool strict;
    int worst;
};

static strata_status check_files(void *context, char **words, int n_words, struct strata_error *err)
{
    struct check_arguments *a = context;
    strata_status status = add_gpu_paths(err);
    for (int i = 0; status == STRATA_OK && i < n_words; i++) {
        int code = check_one(words[i], a->strict);
        a->worst = code > a->worst ? code : a->worst;
    }
    return status == STRATA_OK ? finish_stdout(err) : status;
}

static int gpu_check(int argc, char **argv)
{
    struct check_arguments a = {0};
    const struct option options[] = {
        {0, "strict", OPTION_FLAG, &a.strict, NULL, "fail (exit 1) if a number has no source"}};
    const struct command_syntax syntax = {
        .name = "gpu check",
        .arguments = "FILE...",
        .summary = "Checks GPU files: every key, every value, and whether they go together.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .asks = "name at least one GPU file.",
        .run = check_files,
        .context = &a,
    };
    int code = run_command(&syntax, argc, argv);
    return code > a.worst ? code : a.worst;
}

/* ---- diff ---- */

static bool same_value(const struct strata_gpu_key *key)
{
    char a[STRATA_GPU_TEXT], b[STRATA_GPU_TEXT];
    strata_gpu_value_text(&gpu_a, key, a, sizeof a);
    strata_gpu_value_text(&gpu_b, key, b, sizeof b);
    return !strcmp(a, b);
}

static void diff_row(enum format format, const struct strata_gpu_key *key, bool first)
{
    char a[STRATA_GPU_TEXT], b[STRATA_GPU_TEXT];
    strata_gpu_value_text(&gpu_a, key, a, sizeof a);
    strata_gpu_value_text(&gpu_b, key, b, sizeof b);
    switch (format) {
    case FORMAT_TEXT:
        printf("  %-28s %-22.60s  %.60s%s%s\n", key->path, *a ? a : "-", *b ? b : "-",
               *shown_unit(key->unit, b) ? " " : "", shown_unit(key->unit, b));
        break;
    case FORMAT_CSV:
        printf("%s,", key->path);
        print_csv_value(&gpu_a, key);
        putchar(',');
        print_csv_value(&gpu_b, key);
        printf(",%s\n", key->unit);
        break;
    case FORMAT_JSON:
        printf("%s\n  {\"key\": \"%s\", \"a\": ", first ? "" : ",", key->path);
        print_json_value(&gpu_a, key);
        printf(", \"b\": ");
        print_json_value(&gpu_b, key);
        printf(", \"unit\": \"%s\"}", key->unit);
        break;
    }
}

static size_t diff(enum format format)
{
    size_t n = 0;
    if (format == FORMAT_TEXT)
        printf("  %-28s %-22s  %s\n", "key", gpu_a.name, gpu_b.name);
    else if (format == FORMAT_CSV)
        printf("key,a,b,unit\n");
    else {
        printf("{\"schema\": \"strata.gpu-diff/1\", \"tool\": \"strata " STRATA_VERSION
               "\", \"a\": ");
        print_json_string(stdout, gpu_a.name);
        printf(", \"b\": ");
        print_json_string(stdout, gpu_b.name);
        printf(", \"keys\": [");
    }
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        if (key->type == STRATA_GPU_STRING || same_value(key))
            continue;
        diff_row(format, key, n++ == 0);
    }
    if (format == FORMAT_JSON)
        printf("\n ]}\n");
    return n;
}

struct diff_arguments {
    enum format format;
    bool differ;
};

static strata_status diff_two(void *context, char **words, int n_words, struct strata_error *err)
{
    struct diff_arguments *a = context;
    (void)n_words;
    strata_status status = load_gpu(words[0], NULL, &gpu_a, err);
    if (status == STRATA_OK)
        status = load_gpu(words[1], NULL, &gpu_b, err);
    if (status != STRATA_OK)
        return status;
    a->differ = diff(a->format) > 0;
    return finish_stdout(err);
}

static int gpu_diff(int argc, char **argv)
{
    struct diff_arguments a = {0};
    const struct option options[] = {
        {0, "format", OPTION_FORMAT, &a.format, "F", "text (default), csv or json"}};
    const struct command_syntax syntax = {
        .name = "gpu diff",
        .arguments = "A B",
        .summary = "Prints the values in which two GPUs differ.",
        .text =
            "Exit code 0: no difference; 1: some. Name, description and class are not compared.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 2,
        .most_words = 2,
        .asks = "name two GPUs.",
        .run = diff_two,
        .context = &a,
    };
    int code = run_command(&syntax, argc, argv);
    return code ? code : a.differ ? EXIT_MISMATCH : EXIT_DONE;
}

/* ---- the command ---- */

static const struct command subcommands[] = {
    {"list", "the GPUs there are files for", gpu_list},
    {"show", "every value of one, with source, and the totals", gpu_show},
    {"check", "whether files are right", gpu_check},
    {"diff", "the values in which two differ", gpu_diff},
    {"keys", "all keys of a GPU file with unit, bounds and default", cmd_gpu_keys},
    {"import", "a GPU file from a gpgpusim.config", cmd_gpu_import},
    {NULL, NULL, NULL},
};

static void gpu_help(FILE *f)
{
    fprintf(f, "usage: strata gpu list|show|check|diff|keys|import ...\n\n");
    for (const struct command *c = subcommands; c->name; c++)
        fprintf(f, "  %-7s %s\n", c->name, c->summary);
    fprintf(
        f, "\n`strata gpu SUBCOMMAND --help` tells more; docs/gpu-files.md describes the files.\n");
}

int cmd_gpu(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        gpu_help(argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    for (const struct command *c = subcommands; c->name; c++)
        if (!strcmp(c->name, argv[1]))
            return c->run(argc - 1, argv + 1);
    fprintf(stderr,
            "strata gpu: there is no subcommand \"%s\"; it is list, show, check, diff, keys "
            "or import.\n",
            argv[1]);
    return EXIT_USAGE;
}
