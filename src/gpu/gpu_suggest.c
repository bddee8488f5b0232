/* gpu_suggest.c - "did you mean": the name nearest to a misspelt one. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu_internal.h"

#define LONGEST 64

static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

/* How unlike a key the word is. A key of the same section whose name begins the word or is begun
 * by it ("size_bytes" for "size") is as near as two typing errors; so is a key of the same name
 * in another section ("ways" at the top level for "l1.ways"). */
static size_t unlikeness(const char *word, const char *key, size_t limit)
{
    size_t d = strata_word_distance(word, key, limit), n = strlen(word), m = strlen(key);
    size_t section = (size_t)(last_part(word) - word);
    bool same_section = section == (size_t)(last_part(key) - key) && !strncmp(word, key, section);
    size_t shorter = n < m ? n : m;
    if (d > 2 && same_section && shorter > section + 2 && !strncmp(word, key, shorter))
        return 2;
    if (d > 2 && !strcmp(last_part(word), last_part(key)))
        return 2;
    return d;
}

const char *gpu_suggest(const char *path)
{
    const char *best = NULL;
    size_t least = strlen(path) / 4 + 2;
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        size_t d = unlikeness(path, strata_gpu_key(i)->path, least);
        if (d < least) {
            least = d;
            best = strata_gpu_key(i)->path;
        }
    }
    static _Thread_local char section[LONGEST + 1];
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const char *key = strata_gpu_key(i)->path;
        for (const char *dot = strchr(key, '.'); dot; dot = strchr(dot + 1, '.')) {
            char name[LONGEST + 1];
            snprintf(name, sizeof name, "%.*s", (int)(dot - key), key);
            size_t d = strata_word_distance(path, name, least);
            if (d < least) {
                least = d;
                memcpy(section, name, sizeof section);
                best = section;
            }
        }
    }
    return best;
}
