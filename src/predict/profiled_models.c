/* profiled_models.c - which profiles of a launch are equal. */
#include <lzma.h>
#include <stdio.h>
#include <string.h>

#include <strata/result.h>

#ifndef STRATA_VERSION
#define STRATA_VERSION "unknown"
#endif

bool strata_profile_key_is_free(const struct strata_model *model, const char *key)
{
    const struct strata_profiled_model *profiled = strata_model_profiled(model);
    for (const char *const *f = profiled ? profiled->free_keys : NULL; f && *f; f++) {
        size_t n = strlen(*f);
        if ((*f)[n - 1] == '.' ? !strncmp(key, *f, n) : !strcmp(key, *f))
            return true;
    }
    return false;
}

struct key_hash {
    const struct strata_model *model;
    uint64_t hash;
};

static uint64_t add_words(uint64_t hash, const char *words)
{
    return lzma_crc64((const uint8_t *)words, strlen(words) + 1, hash);
}

static bool hash_key(void *context, const struct strata_gpu_key *key, const char *value,
                     const char *source)
{
    struct key_hash *h = context;
    (void)source;
    if (!strata_profile_key_is_free(h->model, key->path))
        h->hash = add_words(add_words(h->hash, key->path), value);
    return true;
}

static uint64_t add_setting(uint64_t hash, const struct strata_model *model, const char *word)
{
    char key[256];
    snprintf(key, sizeof key, "model.%.*s", (int)strcspn(word, "="), word);
    return strata_profile_key_is_free(model, key) ? hash : add_words(hash, word);
}

uint64_t strata_profile_hash(const struct strata_model *model, const struct strata_gpu *gpu,
                             const struct strata_model_options *opt)
{
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)opt->seed);
    struct key_hash h = {
        model, add_words(add_words(add_words(0, "strata " STRATA_VERSION), model->name), seed)};
    for (const char *const *w = opt->settings; w && *w; w++)
        h.hash = add_setting(h.hash, model, *w);
    strata_gpu_each(gpu, hash_key, &h);
    return h.hash;
}
