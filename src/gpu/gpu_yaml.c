/* gpu_yaml.c - a description written out as a GPU file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_internal.h"

static bool same_value(const struct strata_gpu *a, const struct strata_gpu *b,
                       const struct strata_gpu_key *key)
{
    char text_a[STRATA_GPU_TEXT], text_b[STRATA_GPU_TEXT];
    strata_gpu_value_text(a, key, text_a, sizeof text_a);
    strata_gpu_value_text(b, key, text_b, sizeof text_b);
    return !strcmp(text_a, text_b);
}

/* A key is written if something set it, if a program changed the field itself, or if reading the
 * file would otherwise derive another value from other keys. */
static bool worth_writing(const struct strata_gpu *gpu, const struct strata_gpu *defaults,
                          const struct strata_gpu *followed, size_t i)
{
    const struct strata_gpu_key *key = strata_gpu_key(i);
    return gpu->origin[i].file || !same_value(gpu, defaults, key) ||
           !same_value(gpu, followed, key);
}

static void put_quoted(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

static void put_value(FILE *f, const struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    char text[STRATA_GPU_TEXT];
    strata_gpu_value_text(gpu, key, text, sizeof text);
    bool unit = key->type == STRATA_GPU_UINT && *key->unit;
    if (key->type == STRATA_GPU_STRING)
        put_quoted(f, text);
    else if (gpu_is_list(key))
        fprintf(f, "[%s]", text);
    else
        fprintf(f, "%s%s%s", text, unit ? " " : "", unit ? key->unit : "");
}

/* Opens the sections of `path` that the key before it was not in; returns the depth. */
static int open_sections(FILE *f, const char *path, const char *before)
{
    int depth = 0;
    bool shared = true;
    for (const char *dot = strchr(path, '.'), *start = path; dot;
         start = dot + 1, dot = strchr(start, '.')) {
        size_t length = (size_t)(dot - path) + 1;
        shared = shared && !strncmp(path, before, length);
        if (!shared)
            fprintf(f, "%s%*s%.*s:\n", depth ? "" : "\n", 2 * depth, "", (int)(dot - start), start);
        depth++;
    }
    return depth;
}

static void put_key(FILE *f, const struct strata_gpu *gpu, size_t i, const char *before)
{
    const struct strata_gpu_key *key = strata_gpu_key(i);
    const char *source = gpu->notes + gpu->origin[i].source, *dot = strrchr(key->path, '.');
    int depth = open_sections(f, key->path, before);
    fprintf(f, "%*s%s: ", 2 * depth, "", dot ? dot + 1 : key->path);
    if (*source)
        fprintf(f, "{value: ");
    put_value(f, gpu, key);
    if (*source) {
        fprintf(f, ", source: ");
        put_quoted(f, source);
        fputc('}', f);
    }
    fputc('\n', f);
}

strata_status strata_gpu_to_yaml(const struct strata_gpu *gpu, char **text,
                                 struct strata_error *err)
{
    size_t size;
    struct strata_gpu *defaults = malloc(2 * sizeof *defaults);
    *text = NULL;
    FILE *f = defaults ? open_memstream(text, &size) : NULL;
    if (!f) {
        free(defaults);
        return strata_no_memory(err, NULL, "to write the GPU file");
    }
    struct strata_gpu *followed = defaults + 1;
    strata_gpu_init(defaults);
    *followed = *gpu;
    gpu_follow(followed);
    const char *before = "";
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        if (!worth_writing(gpu, defaults, followed, i))
            continue;
        put_key(f, gpu, i, before);
        before = strata_gpu_key(i)->path;
    }
    free(defaults);
    bool bad = ferror(f);
    bad |= fclose(f) != 0;
    if (!bad)
        return STRATA_OK;
    free(*text);
    *text = NULL;
    return strata_no_memory(err, NULL, "to write the GPU file");
}
