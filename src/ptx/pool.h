/* pool.h - memory that lives as long as a module: many small pieces, one release. */
#ifndef STRATA_PTX_POOL_H
#define STRATA_PTX_POOL_H

#include <stddef.h>
#include <stdint.h>

struct ptx_pool_chunk;
struct ptx_pool {
    struct ptx_pool_chunk *chunks;
    char *at, *end;
};

/* Zeroed, aligned to 16 bytes; NULL if memory is short. */
void *ptx_pool_allocate(struct ptx_pool *pool, size_t bytes);
/* A copy that ends in NUL. */
char *ptx_pool_text(struct ptx_pool *pool, const char *text, size_t length);
void ptx_pool_release(struct ptx_pool *pool);

/* Every distinct word of a module gets one number. */
struct ptx_names {
    struct ptx_pool *pool;
    const char **text; /* by number */
    uint32_t n, cap;
    uint32_t *slot; /* open addressing: number + 1 */
    uint32_t n_slots;
};
#define PTX_NO_NAME UINT32_MAX
/* PTX_NO_NAME if memory is short. */
uint32_t ptx_name(struct ptx_names *names, const char *text, size_t length);
/* PTX_NO_NAME if the word was never seen. */
uint32_t ptx_name_find(const struct ptx_names *names, const char *text, size_t length);
void ptx_names_release(struct ptx_names *names);

#endif
