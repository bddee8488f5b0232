/* ptx_pool.c - chunked memory and the table of names. */
#include "ptx/pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct ptx_pool_chunk {
    struct ptx_pool_chunk *next;
    size_t bytes; /* keeps the payload 16-byte aligned */
};

#define CHUNK_BYTES ((size_t)1 << 16)

static bool pool_grow(struct ptx_pool *pool, size_t bytes)
{
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct ptx_pool_chunk *chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
        return false;
    chunk->next = pool->chunks;
    chunk->bytes = size;
    pool->chunks = chunk;
    pool->at = (char *)(chunk + 1);
    pool->end = pool->at + size;
    return true;
}

void *ptx_pool_allocate(struct ptx_pool *pool, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > (size_t)(pool->end - pool->at) && !pool_grow(pool, bytes))
        return NULL;
    void *piece = pool->at;
    pool->at += bytes;
    return piece;
}

char *ptx_pool_text(struct ptx_pool *pool, const char *text, size_t length)
{
    char *copy = ptx_pool_allocate(pool, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void ptx_pool_release(struct ptx_pool *pool)
{
    while (pool->chunks) {
        struct ptx_pool_chunk *next = pool->chunks->next;
        free(pool->chunks);
        pool->chunks = next;
    }
    pool->at = pool->end = NULL;
}

/* FNV-1a: names are short, and nobody gains from colliding in their own module. */
static uint32_t text_hash(const char *text, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ^ h >> 15;
}

static uint32_t *name_slot(const struct ptx_names *names, const char *text, size_t length)
{
    uint32_t i = text_hash(text, length) & (names->n_slots - 1);
    while (names->slot[i]) {
        const char *other = names->text[names->slot[i] - 1];
        if (!strncmp(other, text, length) && !other[length])
            break;
        i = (i + 1) & (names->n_slots - 1);
    }
    return &names->slot[i];
}

static bool names_rehash(struct ptx_names *names, uint32_t n_slots)
{
    uint32_t *slot = calloc(n_slots, sizeof *slot);
    if (!slot)
        return false;
    free(names->slot);
    names->slot = slot;
    names->n_slots = n_slots;
    for (uint32_t i = 0; i < names->n; i++)
        *name_slot(names, names->text[i], strlen(names->text[i])) = i + 1;
    return true;
}

uint32_t ptx_name_find(const struct ptx_names *names, const char *text, size_t length)
{
    if (!names->n_slots || memchr(text, 0, length))
        return PTX_NO_NAME;
    uint32_t found = *name_slot(names, text, length);
    return found ? found - 1 : PTX_NO_NAME;
}

uint32_t ptx_name(struct ptx_names *names, const char *text, size_t length)
{
    if (names->n * 2 >= names->n_slots &&
        !names_rehash(names, names->n_slots ? names->n_slots * 2 : 1024))
        return PTX_NO_NAME;
    uint32_t *slot = name_slot(names, text, length);
    if (*slot)
        return *slot - 1;
    if (names->n == names->cap) {
        uint32_t cap = names->cap ? names->cap * 2 : 512;
        const char **moved = realloc(names->text, cap * sizeof *moved);
        if (!moved)
            return PTX_NO_NAME;
        names->text = moved;
        names->cap = cap;
    }
    char *copy = ptx_pool_text(names->pool, text, length);
    if (!copy)
        return PTX_NO_NAME;
    names->text[names->n] = copy;
    *slot = ++names->n;
    return names->n - 1;
}

void ptx_names_release(struct ptx_names *names)
{
    free(names->text);
    free(names->slot);
    memset(names, 0, sizeof *names);
}
