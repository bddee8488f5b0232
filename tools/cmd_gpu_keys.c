/* cmd_gpu_keys.c - strata gpu keys: the table of keys, as it stands in docs/gpu-files.md. */
#include <stdio.h>
#include <string.h>

#include <strata/gpu.h>

#include "cmd.h"
#include "model_option.h"
#include "options.h"
#include "output.h"
#include "print.h"

static const char *type_name(const struct strata_gpu_key *key)
{
    switch (key->type) {
    case STRATA_GPU_BOOL:
        return "true/false";
    case STRATA_GPU_UINT:
        return "whole number";
    case STRATA_GPU_SIZE:
    case STRATA_GPU_SIZE32:
        return "size";
    case STRATA_GPU_DOUBLE:
        return "number";
    case STRATA_GPU_ENUM:
        return "name";
    case STRATA_GPU_STRING:
        return "text";
    case STRATA_GPU_UINTS:
        return "list of whole numbers";
    case STRATA_GPU_SIZES:
        return "list of sizes";
    case STRATA_GPU_DOUBLES:
        return "list of numbers";
    }
    return "";
}

/* "lru, fifo" or "0 to 64"; sizes with their binary unit. */
static void allowed(const struct strata_gpu_key *key, char *out, size_t size)
{
    char low[32], high[32];
    out[0] = 0;
    if (key->names)
        for (size_t i = 0, used = 0; key->names[i] && used < size; i++)
            used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", key->names[i]);
    else if (key->type == STRATA_GPU_SIZE || key->type == STRATA_GPU_SIZE32 ||
             key->type == STRATA_GPU_SIZES)
        snprintf(out, size, "%s to %s", strata_gpu_size_text((uint64_t)key->min, low, sizeof low),
                 strata_gpu_size_text((uint64_t)key->max, high, sizeof high));
    else if (key->type != STRATA_GPU_BOOL && key->type != STRATA_GPU_STRING)
        snprintf(out, size, "%.15g to %.15g", key->min, key->max);
}

static const char *default_of(const struct strata_gpu_key *key)
{
    return key->required ? "required" : key->default_text;
}

/* Sections in the order of the table; a bar in a text would end a cell. */
static void print_markdown(void)
{
    const char *before = "?";
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        const char *dot = strchr(key->path, '.');
        size_t length = dot ? (size_t)(dot - key->path) + 1 : 0;
        char range[320], readers[128];
        if (strncmp(before, key->path, length) || (!dot && *before == '?')) {
            printf("%s### %.*s\n\n| key | type | unit | allowed | default | "
                   "| read by |\n|---|---|---|---|---|---|---|\n",
                   i ? "\n" : "", length ? (int)length - 1 : 9, length ? key->path : "top level");
            before = key->path;
        }
        allowed(key, range, sizeof range);
        printf("| `%s` | %s | %s | %s | %s | %s | %s |\n", key->path, type_name(key), key->unit,
               range, default_of(key), key->help, key_readers(key->path, readers, sizeof readers));
    }
}

static void print_csv(void)
{
    printf("key,type,unit,allowed,default,help,read_by\n");
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        char range[320], readers[128];
        allowed(key, range, sizeof range);
        printf("%s,%s,%s,", key->path, type_name(key), key->unit);
        print_csv_field(stdout, range);
        putchar(',');
        print_csv_field(stdout, default_of(key));
        putchar(',');
        print_csv_field(stdout, key->help);
        putchar(',');
        print_csv_field(stdout, key_readers(key->path, readers, sizeof readers));
        putchar('\n');
    }
}

static void print_json(void)
{
    printf("{\"schema\": \"strata.gpu-keys/1\", \"tool\": \"strata " STRATA_VERSION
           "\", \"keys\": [");
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        char range[320], readers[128];
        allowed(key, range, sizeof range);
        printf("%s\n  {\"key\": \"%s\", \"type\": \"%s\", \"unit\": \"%s\", \"allowed\": ",
               i ? "," : "", key->path, type_name(key), key->unit);
        print_json_string(stdout, range);
        printf(", \"required\": %s, \"default\": ", key->required ? "true" : "false");
        print_json_string(stdout, key->required ? "" : key->default_text);
        printf(", \"help\": ");
        print_json_string(stdout, key->help);
        printf(", \"read_by\": ");
        print_json_string(stdout, key_readers(key->path, readers, sizeof readers));
        putchar('}');
    }
    printf("\n ]}\n");
}

static strata_status print_keys(void *context, char **words, int n_words, struct strata_error *err)
{
    static void (*const print[])(void) = {print_markdown, print_csv, print_json};
    const enum format *format = context;
    struct output o;
    (void)words, (void)n_words;
    strata_status status = output_open(&o, NULL, err);
    if (status != STRATA_OK)
        return status;
    print[*format]();
    return output_commit(&o, err);
}

int cmd_gpu_keys(int argc, char **argv)
{
    enum format format = FORMAT_TEXT;
    const struct option options[] = {{0, "format", OPTION_FORMAT, &format, "F",
                                      "text (default: tables in Markdown), csv or json"}};
    const struct command_syntax syntax = {
        .name = "gpu keys",
        .arguments = "",
        .summary = "Prints all keys of a GPU file with type, unit, bounds and default.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .run = print_keys,
        .context = &format,
    };
    return run_command(&syntax, argc, argv);
}
