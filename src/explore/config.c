/* config.c - the effective GPU of a point, and what identifies points and launches. */
#include "explore/config.h"

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef STRATA_VERSION
#define STRATA_VERSION "unknown"
#endif

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for a point of the sweep");
}

strata_status config_create(struct sweep_config **out, struct strata_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? STRATA_OK : no_memory(err);
}

static void drop_words(struct sweep_config *c)
{
    for (size_t i = 0; i < c->n_owned; i++)
        free(c->owned[i]);
    free(c->owned);
    free(c->word);
    c->owned = NULL;
    c->word = NULL;
    c->n_owned = 0;
}

void config_destroy(struct sweep_config *c)
{
    if (!c)
        return;
    drop_words(c);
    free(c);
}

/* Words for the model: those given for all points, then the point's own. */
static strata_status init_words(struct sweep_config *c, const struct strata_model_options *options,
                                size_t most, struct strata_error *err)
{
    size_t n = 0;
    drop_words(c);
    while (options->settings && options->settings[n])
        n++;
    c->word = calloc(n + most + 1, sizeof *c->word);
    c->owned = calloc(most + 1, sizeof *c->owned);
    if (!c->word || !c->owned)
        return no_memory(err);
    for (size_t i = 0; i < n; i++)
        c->word[i] = options->settings[i];
    c->options = *options;
    c->options.settings = c->word;
    return STRATA_OK;
}

static strata_status add_word(struct sweep_config *c, const char *key, const char *value,
                              struct strata_error *err)
{
    size_t n = 0;
    while (c->word[n])
        n++;
    if (asprintf(&c->owned[c->n_owned], "%s=%s", key, value) < 0)
        return no_memory(err);
    c->word[n] = c->owned[c->n_owned++];
    return STRATA_OK;
}

strata_status config_of_point(const struct strata_sweep *s, size_t i,
                              const struct strata_model_options *options,
                              bool (*leave_out)(const struct strata_model *, const char *key),
                              const struct strata_model *model, struct sweep_config *c,
                              struct strata_error *err)
{
    size_t most = plan_most_settings(s) + 1;
    struct sweep_settings all = {calloc(most, sizeof(char *)), calloc(most, sizeof(char *)), 0};
    strata_status status =
        all.key && all.value ? init_words(c, options, most, err) : no_memory(err);
    if (status == STRATA_OK)
        plan_settings(s, i, &all);
    c->gpu = s->base;
    c->bad = false;
    for (size_t k = 0; status == STRATA_OK && k < all.n; k++) {
        const char *for_model = plan_model_key(all.key[k]);
        if (leave_out && leave_out(model, all.key[k]))
            continue;
        if (for_model)
            status = add_word(c, for_model, all.value[k], err);
        else if (!c->bad)
            c->bad = strata_gpu_override(&c->gpu, all.key[k], all.value[k], &c->why) != STRATA_OK;
    }
    if (status == STRATA_OK && !c->bad)
        c->bad = strata_gpu_validate(&c->gpu, s->base.name, &c->why) != STRATA_OK;
    free(all.key);
    free(all.value);
    return status;
}

/* ---- hashes ---- */

void hash_spell(uint64_t hash, hash_text out)
{
    snprintf(out, sizeof(hash_text), "%016llx", (unsigned long long)hash);
}

static uint64_t add_words(uint64_t hash, const char *words)
{
    return lzma_crc64((const uint8_t *)words, strlen(words) + 1, hash);
}

static bool hash_key(void *context, const struct strata_gpu_key *key, const char *value,
                     const char *source)
{
    uint64_t *hash = context;
    (void)source;
    if (key->type != STRATA_GPU_STRING)
        *hash = add_words(add_words(*hash, key->path), value);
    return true;
}

static uint64_t hash_run(const struct sweep_config *c, const struct strata_model *model)
{
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)c->options.seed);
    uint64_t hash = add_words(add_words(0, "strata " STRATA_VERSION), model->name);
    hash = add_words(add_words(hash, c->options.variant ? c->options.variant : ""), seed);
    for (const char **w = c->word; *w; w++)
        hash = add_words(hash, *w);
    return hash;
}

uint64_t hash_config(const struct sweep_config *c, const struct strata_model *model,
                     const char *settings)
{
    uint64_t hash = hash_run(c, model);
    if (c->bad) /* it has no effective GPU */
        hash = add_words(add_words(hash, "not possible"), settings);
    strata_gpu_each(&c->gpu, hash_key, &hash);
    return hash;
}

/* ---- launches ---- */

static uint64_t add_numbers(uint64_t hash, const uint64_t *v, size_t n)
{
    uint8_t bytes[64 * 8];
    for (size_t i = 0; i < n; i++)
        for (int b = 0; b < 8; b++) /* the same on machines of either byte order */
            bytes[i * 8 + (size_t)b] = (uint8_t)(v[i] >> (8 * b));
    return lzma_crc64(bytes, n * 8, hash);
}

static uint64_t hash_shape(const struct strata_launch *l)
{
    const uint64_t v[] = {l->grid.x,
                          l->grid.y,
                          l->grid.z,
                          l->block.x,
                          l->block.y,
                          l->block.z,
                          l->registers_per_thread,
                          l->shared_static_bytes,
                          l->shared_dynamic_bytes,
                          l->sm_version,
                          l->isa,
                          l->sampled_blocks};
    return add_numbers(add_words(0, l->kernel), v, sizeof v / sizeof v[0]);
}

static uint64_t hash_instruction(uint64_t hash, const struct strata_inst *i)
{
    const uint64_t v[] = {i->pc,    i->hints, i->opclass,
                          i->space, i->memop, i->width_bytes,
                          i->n_dst, i->n_src, (uint64_t)(int64_t)i->imm};
    uint64_t reg[STRATA_MAX_DST + STRATA_MAX_SRC] = {0};
    for (unsigned k = 0; k < (unsigned)i->n_dst + i->n_src; k++)
        reg[k] = i->reg[k];
    hash = add_numbers(add_words(hash, i->opcode), v, sizeof v / sizeof v[0]);
    return add_numbers(hash, reg, (size_t)i->n_dst + i->n_src);
}

strata_status hash_launch(struct strata_reader *reader, uint64_t *out, struct strata_error *err)
{
    uint64_t hash = hash_shape(strata_reader_launch(reader));
    struct strata_block *b;
    strata_status status;
    while ((status = strata_reader_next_ordered(reader, &b, err)) == STRATA_OK) {
        hash = add_numbers(hash, &b->index, 1);
        for (uint32_t w = 0; w < b->n_warps; w++) {
            uint64_t v[2] = {b->warp_instructions[w], b->warp_offset[w + 1] - b->warp_offset[w]};
            hash = add_numbers(hash, v, 2);
        }
        hash = lzma_crc64(b->bytes + b->warp_offset[0],
                          b->warp_offset[b->n_warps] - b->warp_offset[0], hash);
        strata_block_destroy(b);
    }
    const struct strata_code *code = strata_reader_code(reader);
    for (uint32_t i = 0; i < strata_code_count(code); i++)
        hash = hash_instruction(hash, strata_code_get(code, i));
    *out = hash;
    return status == STRATA_END ? STRATA_OK : status;
}
