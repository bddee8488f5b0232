/* gpu_set.c - descriptions in memory: defaults, single values by key, sources. */
#include <lzma.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "gpu/gpu_internal.h"

/* Comma-separated, with or without brackets around it. */
static bool store_list(struct strata_gpu *gpu, const struct strata_gpu_key *key, const char *text,
                       char *why, size_t size)
{
    size_t length = strlen(text);
    gpu_list_clear(gpu, key);
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    for (const char *p = text, *end = text + length; p < end;) {
        const char *comma = memchr(p, ',', (size_t)(end - p));
        const char *stop = comma ? comma : end, *next = comma ? comma + 1 : end;
        char item[64];
        while (p < stop && *p == ' ')
            p++;
        while (stop > p && stop[-1] == ' ')
            stop--;
        snprintf(item, sizeof item, "%.*s", (int)(stop - p < 63 ? stop - p : 63), p);
        if (!gpu_list_append(gpu, key, item, why, size))
            return false;
        p = next;
    }
    return true;
}

static bool store(struct strata_gpu *gpu, const struct strata_gpu_key *key, const char *text,
                  char *why, size_t size)
{
    return gpu_is_list(key) ? store_list(gpu, key, text, why, size)
                            : gpu_store_scalar(gpu, key, text, why, size);
}

/* The texts of the table are read once; a copy costs less than two hundred conversions. */
static struct strata_gpu defaults;
static pthread_once_t defaults_once = PTHREAD_ONCE_INIT;

static void read_defaults(void)
{
    char why[256];
    defaults.n_notes = 1; /* offset 0 is the empty note */
    for (size_t i = 0; i < strata_gpu_n_keys(); i++)
        store(&defaults, strata_gpu_key(i), strata_gpu_key(i)->default_text, why, sizeof why);
}

void strata_gpu_init(struct strata_gpu *gpu)
{
    pthread_once(&defaults_once, read_defaults);
    *gpu = defaults;
}

bool gpu_note(struct strata_gpu *gpu, const char *text, size_t length, uint16_t *offset)
{
    for (uint32_t at = 0; at < gpu->n_notes; at += (uint32_t)strlen(gpu->notes + at) + 1)
        if (strlen(gpu->notes + at) == length && !memcmp(gpu->notes + at, text, length)) {
            *offset = (uint16_t)at;
            return true;
        }
    if (length >= sizeof gpu->notes - gpu->n_notes)
        return false;
    *offset = (uint16_t)gpu->n_notes;
    memcpy(gpu->notes + gpu->n_notes, text, length);
    gpu->notes[gpu->n_notes + length] = 0;
    gpu->n_notes += (uint32_t)length + 1;
    return true;
}

strata_status strata_gpu_set(struct strata_gpu *gpu, const char *path, const char *value,
                             struct strata_error *err)
{
    char why[512];
    size_t i = strata_gpu_key_index(path);
    if (i == SIZE_MAX) {
        const char *near = gpu_suggest(path);
        if (near)
            return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                               "there is no GPU key \"%.80s\" (did you mean \"%s\"?).", path, near);
        return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                           "there is no GPU key \"%.80s\"; `strata gpu keys` lists them.", path);
    }
    struct strata_gpu before = *gpu;
    if (!store(gpu, strata_gpu_key(i), value, why, sizeof why)) {
        *gpu = before;
        return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0, "the GPU key \"%s\" cannot be set: %s.",
                           path, why);
    }
    struct strata_gpu_origin *o = &gpu->origin[i];
    memset(o, 0, sizeof *o);
    static const char source[] = "set by hand", file[] = "(set)";
    if (!gpu_note(gpu, source, sizeof source - 1, &o->source) ||
        !gpu_note(gpu, file, sizeof file - 1, &o->file))
        return strata_fail(err, STRATA_ELIMIT, NULL, 0, 0,
                           "the notes of this GPU are full; shorten its sources.");
    return STRATA_OK;
}

/* Lists with an entry for each SM follow a new number of SMs: those that are gone leave them, new
 * ones come at the end, in the GPCs by turns. */
static void follow_sm_count(struct strata_gpu *gpu)
{
    uint32_t count = gpu->sm.count, kept = 0, singles = 0, before = gpu->launch.n_order;
    for (uint32_t i = 0; i < before; i++)
        if (gpu->launch.order[i] < count) {
            singles += i < gpu->launch.singles;
            gpu->launch.order[kept++] = gpu->launch.order[i];
        }
    for (uint32_t sm = before; before && sm < count && kept < STRATA_MAX_SMS; sm++)
        gpu->launch.order[kept++] = sm;
    gpu->launch.n_order = kept;
    gpu->launch.singles = before ? singles : gpu->launch.singles;
    uint32_t n = gpu->launch.n_gpc_of_sm, gpcs = gpu->launch.gpcs ? gpu->launch.gpcs : 1;
    for (uint32_t sm = n; n && sm < count && sm < STRATA_MAX_SMS; sm++)
        gpu->launch.gpc_of_sm[sm] = (sm - n) % gpcs;
    gpu->launch.n_gpc_of_sm = n ? count : 0;
    /* Behind a list's end lies nothing, so that equal descriptions are equal byte for byte. */
    for (uint32_t i = kept; i < before; i++)
        gpu->launch.order[i] = 0;
    for (uint32_t sm = count; sm < n; sm++)
        gpu->launch.gpc_of_sm[sm] = 0;
}

/* "50MB" is seldom a whole number of sets in each of 96 slices: the nearest size that is takes its
 * place. What was measured as a part of the L2 stays the same part of it. */
static void follow_l2_size(struct strata_gpu *gpu, uint64_t bytes_before)
{
    uint64_t ways = gpu->l2.cache.ways ? gpu->l2.cache.ways : 1;
    uint64_t step = ways * gpu->l2.cache.line_bytes * gpu->l2.slices;
    if (!step || !gpu->l2.cache.size_bytes || !bytes_before)
        return; /* strata_gpu_validate tells */
    uint64_t sets = (gpu->l2.cache.size_bytes + step / 2) / step;
    gpu->l2.cache.size_bytes = (sets ? sets : 1) * step;
    double ratio = (double)gpu->l2.cache.size_bytes / (double)bytes_before;
    gpu->l2.effective_bytes = (uint64_t)((double)gpu->l2.effective_bytes * ratio);
    gpu->l2.dirty_bytes = (uint64_t)((double)gpu->l2.dirty_bytes * ratio);
    gpu->l2.dirty_partial_bytes = (uint64_t)((double)gpu->l2.dirty_partial_bytes * ratio);
}

strata_status strata_gpu_override(struct strata_gpu *gpu, const char *path, const char *value,
                                  struct strata_error *err)
{
    uint64_t l2_bytes = gpu->l2.cache.size_bytes;
    strata_status status = strata_gpu_set(gpu, path, value, err);
    if (status != STRATA_OK)
        return status;
    if (!strcmp(path, "l2.size"))
        follow_l2_size(gpu, l2_bytes);
    if (!strcmp(path, "sm.count"))
        follow_sm_count(gpu);
    if (!strcmp(path, "l1.size")) {
        gpu->l1.unified_bytes = 0;
        gpu->l1.n_carveout = 0;
        memset(gpu->l1.carveout_bytes, 0, sizeof gpu->l1.carveout_bytes);
    }
    return STRATA_OK;
}

const char *strata_gpu_source(const struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    size_t i = strata_gpu_key_index(key->path);
    return i == SIZE_MAX ? "" : gpu->notes + gpu->origin[i].source;
}

bool strata_gpu_is_set(const struct strata_gpu *gpu, const struct strata_gpu_key *key)
{
    size_t i = strata_gpu_key_index(key->path);
    return i != SIZE_MAX && gpu->origin[i].file;
}

void strata_gpu_each(const struct strata_gpu *gpu, strata_gpu_visit *visit, void *context)
{
    char text[STRATA_GPU_TEXT];
    for (size_t i = 0; i < strata_gpu_n_keys(); i++) {
        const struct strata_gpu_key *key = strata_gpu_key(i);
        strata_gpu_value_text(gpu, key, text, sizeof text);
        if (!visit(context, key, text, gpu->notes + gpu->origin[i].source))
            return;
    }
}

struct digest {
    uint64_t value;
};

static bool add_to_digest(void *context, const struct strata_gpu_key *key, const char *value,
                          const char *source)
{
    struct digest *d = context;
    (void)source;
    if (key->type == STRATA_GPU_STRING) /* texts tell of the file, not of the GPU */
        return true;
    d->value = lzma_crc64((const uint8_t *)key->path, strlen(key->path) + 1, d->value);
    d->value = lzma_crc64((const uint8_t *)value, strlen(value) + 1, d->value);
    return true;
}

uint64_t strata_gpu_digest(const struct strata_gpu *gpu)
{
    struct digest d = {0};
    strata_gpu_each(gpu, add_to_digest, &d);
    return d.value ? d.value : 1;
}
