/* pack.h - numbers, strings and compressed columns in growing buffers, and their bounded readers.
 *
 * Both sides fail softly: after an error (no memory, or reading past the end) every further call
 * does nothing, and `failed` says so, so that callers check once. */
#ifndef STRATA_TRACE_PACK_H
#define STRATA_TRACE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

struct pack {
    uint8_t *p;
    size_t n, cap;
    bool failed;
};

void pack_bytes(struct pack *b, const void *bytes, size_t n);
void pack_varint(struct pack *b, uint64_t value);
void pack_signed(struct pack *b, int64_t value);    /* zigzag */
void pack_string(struct pack *b, const char *text); /* NULL is written as "" */
/* varint raw size, varint stored size, the bytes as one zstd frame. */
void pack_column(struct pack *b, ZSTD_CCtx *zstd, int level, const uint8_t *raw, size_t n_raw);
/* The same; *memo keeps what it came to, for a short column that comes again: launches of one
 * kernel often have the same ones, and compressing is most of what writing a short launch takes. */
struct pack_memo {
    struct pack raw, stored;
};
#define PACK_SHORT_BYTES 4096
void pack_column_again(struct pack *b, ZSTD_CCtx *zstd, int level, const uint8_t *raw, size_t n_raw,
                       struct pack_memo *memo);
void pack_memo_release(struct pack_memo *memo);
/* Its contents become these bytes; its memory is reused. */
void pack_keep(struct pack *kept, const uint8_t *bytes, size_t n);
void pack_release(struct pack *b);

struct unpack {
    const uint8_t *at, *end;
    bool failed;
    bool out_of_memory; /* which then is why it failed */
};

/* A reader of a buffer's bytes; of an empty one too. */
static inline struct unpack unpack_from(const struct pack *b, bool failed)
{
    const uint8_t *start = b->p ? b->p : (const uint8_t *)"";
    return (struct unpack){start, start + b->n, failed, false};
}

uint64_t unpack_varint(struct unpack *u);
/* The number as 32 bits; a larger one is a failure. */
uint32_t unpack_u32(struct unpack *u);
int64_t unpack_signed(struct unpack *u);
/* A new string of the caller, NULL after a failure. */
char *unpack_string(struct unpack *u);
const uint8_t *unpack_bytes(struct unpack *u, size_t n);

/* The most bytes a column may have: a damaged size must not make us ask for all memory. */
#define PACK_MAX_COLUMN_BYTES ((size_t)1 << 31)

/* A column as it lies in the payload; nothing of it has been expanded. */
struct packed_column {
    const uint8_t *stored;
    size_t n_stored, n_raw;
};
struct packed_column unpack_packed(struct unpack *u);
/* Expands it into `out` (its old contents are dropped, its memory is reused). */
void unpack_expand(struct unpack *u, ZSTD_DCtx *zstd, const struct packed_column *column,
                   struct pack *out);

/* Reads a column into `out` (its old contents are dropped, its memory is reused). */
void unpack_column(struct unpack *u, ZSTD_DCtx *zstd, struct pack *out);

#endif
