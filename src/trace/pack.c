/* pack.c - growing buffers and bounded readers of the native format. */
#include "trace/pack.h"

#include <zstd_errors.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/bytecode.h"

static bool make_room(struct pack *b, size_t n)
{
    if (!b->failed && !ARRAY_RESERVE(b->p, b->n, b->cap, n))
        b->failed = true;
    return !b->failed;
}

void pack_bytes(struct pack *b, const void *bytes, size_t n)
{
    if (!n || !make_room(b, n))
        return;
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
}

void pack_varint(struct pack *b, uint64_t value)
{
    if (make_room(b, MAX_VARINT_BYTES))
        b->n = (size_t)(varint_write(b->p + b->n, value) - b->p);
}

void pack_signed(struct pack *b, int64_t value)
{
    pack_varint(b, zigzag(value));
}

void pack_string(struct pack *b, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    pack_varint(b, n);
    pack_bytes(b, text, n);
}

void pack_column(struct pack *b, ZSTD_CCtx *zstd, int level, const uint8_t *raw, size_t n_raw)
{
    if (!n_raw) { /* what most columns of a short launch are */
        pack_varint(b, 0);
        pack_varint(b, 0);
        return;
    }
    size_t bound = ZSTD_compressBound(n_raw);
    uint8_t *stored = malloc(bound);
    if (!stored) {
        b->failed = true;
        return;
    }
    ZSTD_CCtx_reset(zstd, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 0); /* we keep the size ourselves */
    size_t n = ZSTD_compress2(zstd, stored, bound, raw, n_raw);
    if (ZSTD_isError(n)) {
        b->failed = true;
    } else {
        pack_varint(b, n_raw);
        pack_varint(b, n);
        pack_bytes(b, stored, n);
    }
    free(stored);
}

void pack_keep(struct pack *kept, const uint8_t *bytes, size_t n)
{
    kept->n = 0;
    pack_bytes(kept, bytes, n);
}

void pack_column_again(struct pack *b, ZSTD_CCtx *zstd, int level, const uint8_t *raw, size_t n_raw,
                       struct pack_memo *memo)
{
    if (!n_raw || n_raw > PACK_SHORT_BYTES) {
        pack_column(b, zstd, level, raw, n_raw);
        return;
    }
    bool known = memo->raw.n == n_raw && !memo->raw.failed && !memo->stored.failed;
    if (!known || memcmp(memo->raw.p, raw, n_raw)) {
        pack_keep(&memo->raw, raw, n_raw);
        memo->stored.n = 0;
        pack_column(&memo->stored, zstd, level, raw, n_raw);
    }
    pack_bytes(b, memo->stored.p, memo->stored.n);
    b->failed |= memo->stored.failed;
}

void pack_memo_release(struct pack_memo *memo)
{
    pack_release(&memo->raw);
    pack_release(&memo->stored);
}

void pack_release(struct pack *b)
{
    free(b->p);
    memset(b, 0, sizeof *b);
}

uint64_t unpack_varint(struct unpack *u)
{
    uint64_t value = 0;
    const uint8_t *at = u->failed ? NULL : varint_read_checked(u->at, u->end, &value);
    if (at)
        u->at = at;
    else
        u->failed = true;
    return at ? value : 0;
}

uint32_t unpack_u32(struct unpack *u)
{
    uint64_t value = unpack_varint(u);
    if (value > UINT32_MAX)
        u->failed = true;
    return u->failed ? 0 : (uint32_t)value;
}

int64_t unpack_signed(struct unpack *u)
{
    return unzigzag(unpack_varint(u));
}

const uint8_t *unpack_bytes(struct unpack *u, size_t n)
{
    if (u->failed || n > (size_t)(u->end - u->at)) {
        u->failed = true;
        return NULL;
    }
    u->at += n;
    return u->at - n;
}

char *unpack_string(struct unpack *u)
{
    uint64_t n = unpack_varint(u);
    const uint8_t *text = n > SIZE_MAX ? NULL : unpack_bytes(u, (size_t)n);
    char *copy =
        text && !memchr(text, 0, (size_t)n) ? strndup((const char *)text, (size_t)n) : NULL;
    if (!copy)
        u->failed = true;
    return copy;
}

/* Decompresses piece by piece, so that memory grows with what is really there. */
static bool decompress(ZSTD_DCtx *zstd, const uint8_t *stored, size_t n_stored, struct pack *out,
                       size_t n_raw, bool *out_of_memory)
{
    ZSTD_inBuffer in = {stored, n_stored, 0};
    size_t rest = 1;
    ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
    while (rest && out->n < n_raw) {
        size_t piece = n_raw - out->n < (4u << 20) ? n_raw - out->n : 4u << 20;
        *out_of_memory = !make_room(out, piece);
        if (*out_of_memory)
            return false;
        ZSTD_outBuffer to = {out->p + out->n, piece, 0};
        rest = ZSTD_decompressStream(zstd, &to, &in);
        *out_of_memory = ZSTD_getErrorCode(rest) == ZSTD_error_memory_allocation;
        if (ZSTD_isError(rest) || (!to.pos && in.pos == in.size && rest))
            return false;
        out->n += to.pos;
    }
    if (rest) { /* the frame's end has no more bytes to give, only to be seen */
        ZSTD_outBuffer none = {NULL, 0, 0};
        rest = ZSTD_decompressStream(zstd, &none, &in);
    }
    return rest == 0 && in.pos == in.size && out->n == n_raw;
}

struct packed_column unpack_packed(struct unpack *u)
{
    uint64_t n_raw = unpack_varint(u), n_stored = unpack_varint(u);
    const uint8_t *stored = n_stored > SIZE_MAX ? NULL : unpack_bytes(u, (size_t)n_stored);
    if (!stored || n_raw > PACK_MAX_COLUMN_BYTES || !n_raw != !n_stored)
        u->failed = true;
    return u->failed ? (struct packed_column){0}
                     : (struct packed_column){stored, (size_t)n_stored, (size_t)n_raw};
}

void unpack_expand(struct unpack *u, ZSTD_DCtx *zstd, const struct packed_column *column,
                   struct pack *out)
{
    out->n = 0;
    if (!u->failed && column->n_raw &&
        !decompress(zstd, column->stored, column->n_stored, out, column->n_raw, &u->out_of_memory))
        u->failed = true;
}

void unpack_column(struct unpack *u, ZSTD_DCtx *zstd, struct pack *out)
{
    struct packed_column column = unpack_packed(u);
    unpack_expand(u, zstd, &column, out);
}
