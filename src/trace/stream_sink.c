/* stream_sink.c - writing plain, xz, gzip and zstd files. */
#include "trace/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

enum { OUTPUT_BYTES = 64 * 1024 };

struct stream_sink {
    char *name;
    int fd;
    enum stream_kind kind;
    uint64_t written;
    size_t n; /* bytes waiting in `buffer` */
    uint8_t *buffer;
    union {
        lzma_stream xz;
        z_stream gz;
        ZSTD_CStream *zst;
    } encoder;
};

static strata_status flush_buffer(struct stream_sink *s, struct strata_error *err)
{
    size_t at = 0;
    while (at < s->n) {
        ssize_t w = write(s->fd, s->buffer + at, s->n - at);
        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return strata_fail(err, STRATA_EIO, s->name, 0, 0, "cannot be written: %s.",
                               strerror(errno));
        at += (size_t)w;
    }
    s->written += s->n;
    s->n = 0;
    return STRATA_OK;
}

static strata_status encoder_failed(const struct stream_sink *s, struct strata_error *err)
{
    return strata_no_memory(err, s->name, "to compress its data");
}

/* ---- encoders: each is called until it has taken all input (and, at the end, given all output) */

static strata_status write_plain(struct stream_sink *s, const uint8_t *bytes, size_t n,
                                 struct strata_error *err)
{
    while (n) {
        size_t part = OUTPUT_BYTES - s->n < n ? OUTPUT_BYTES - s->n : n;
        memcpy(s->buffer + s->n, bytes, part);
        s->n += part;
        bytes += part;
        n -= part;
        strata_status st = s->n == OUTPUT_BYTES ? flush_buffer(s, err) : STRATA_OK;
        if (st)
            return st;
    }
    return STRATA_OK;
}

static strata_status write_xz(struct stream_sink *s, const uint8_t *bytes, size_t n, bool end,
                              struct strata_error *err)
{
    lzma_stream *z = &s->encoder.xz;
    z->next_in = bytes;
    z->avail_in = n;
    for (bool over = false; !over && (end || z->avail_in);) {
        z->next_out = s->buffer + s->n;
        z->avail_out = OUTPUT_BYTES - s->n;
        lzma_ret r = lzma_code(z, end ? LZMA_FINISH : LZMA_RUN);
        s->n = OUTPUT_BYTES - z->avail_out;
        over = r == LZMA_STREAM_END;
        if (r != LZMA_OK && !over)
            return encoder_failed(s, err);
        strata_status st = s->n == OUTPUT_BYTES ? flush_buffer(s, err) : STRATA_OK;
        if (st)
            return st;
    }
    return STRATA_OK;
}

static strata_status write_gz(struct stream_sink *s, const uint8_t *bytes, size_t n, bool end,
                              struct strata_error *err)
{
    z_stream *z = &s->encoder.gz;
    for (bool over = false; !over && (end || n);) {
        uInt part = n > 1u << 30 ? 1u << 30 : (uInt)n;
        z->next_in = (z_const Bytef *)(uintptr_t)bytes;
        z->avail_in = part;
        z->next_out = s->buffer + s->n;
        z->avail_out = (uInt)(OUTPUT_BYTES - s->n);
        int r = deflate(z, end ? Z_FINISH : Z_NO_FLUSH);
        s->n = OUTPUT_BYTES - z->avail_out;
        bytes += part - z->avail_in;
        n -= part - z->avail_in;
        over = r == Z_STREAM_END;
        if (r != Z_OK && r != Z_BUF_ERROR && !over)
            return encoder_failed(s, err);
        strata_status st = s->n == OUTPUT_BYTES ? flush_buffer(s, err) : STRATA_OK;
        if (st)
            return st;
    }
    return STRATA_OK;
}

static strata_status write_zst(struct stream_sink *s, const uint8_t *bytes, size_t n, bool end,
                               struct strata_error *err)
{
    ZSTD_inBuffer i = {bytes, n, 0};
    for (bool over = false; !over && (end || i.pos < n);) {
        ZSTD_outBuffer o = {s->buffer, OUTPUT_BYTES, s->n};
        size_t left =
            ZSTD_compressStream2(s->encoder.zst, &o, &i, end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return encoder_failed(s, err);
        s->n = o.pos;
        over = end && left == 0;
        strata_status st = s->n == OUTPUT_BYTES ? flush_buffer(s, err) : STRATA_OK;
        if (st)
            return st;
    }
    return STRATA_OK;
}

static strata_status encode(struct stream_sink *s, const void *bytes, size_t n, bool end,
                            struct strata_error *err)
{
    switch (s->kind) {
    case STREAM_XZ:
        return write_xz(s, bytes, n, end, err);
    case STREAM_GZ:
        return write_gz(s, bytes, n, end, err);
    case STREAM_ZST:
        return write_zst(s, bytes, n, end, err);
    default:
        return write_plain(s, bytes, n, err);
    }
}

/* ---- opening and closing ---- */

static int level_or(int level, int standard, int most)
{
    if (level <= 0)
        return standard;
    return level > most ? most : level;
}

static bool start_encoder(struct stream_sink *s, int level)
{
    switch (s->kind) {
    case STREAM_XZ:
        s->encoder.xz = (lzma_stream)LZMA_STREAM_INIT;
        return lzma_easy_encoder(&s->encoder.xz, (uint32_t)level_or(level, 6, 9),
                                 LZMA_CHECK_CRC64) == LZMA_OK;
    case STREAM_GZ:
        return deflateInit2(&s->encoder.gz, level_or(level, 6, 9), Z_DEFLATED, 15 + 16, 8,
                            Z_DEFAULT_STRATEGY) == Z_OK;
    case STREAM_ZST:
        s->encoder.zst = ZSTD_createCStream();
        return s->encoder.zst &&
               !ZSTD_isError(ZSTD_CCtx_setParameter(s->encoder.zst, ZSTD_c_compressionLevel,
                                                    level_or(level, 3, ZSTD_maxCLevel()))) &&
               !ZSTD_isError(ZSTD_CCtx_setParameter(s->encoder.zst, ZSTD_c_checksumFlag, 1));
    default:
        return true;
    }
}

strata_status stream_sink_open(const char *path, const char *name, enum stream_kind kind, int level,
                               struct stream_sink **out, struct strata_error *err)
{
    *out = NULL;
    name = name ? name : path;
    struct stream_sink *s = calloc(1, sizeof *s);
    if (!s)
        return strata_no_memory(err, name, "to create the file");
    s->fd = -1;
    s->kind = kind;
    s->name = strdup(name);
    s->buffer = malloc(OUTPUT_BYTES);
    strata_status st = STRATA_OK;
    if (!s->name || !s->buffer || !start_encoder(s, level))
        st = strata_no_memory(err, name, "to create the file");
    if (!st && (s->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
        st = strata_fail(err, STRATA_EIO, name, 0, 0, "cannot be created: %s.", strerror(errno));
    if (st) {
        stream_sink_abort(s);
        return st;
    }
    *out = s;
    return STRATA_OK;
}

strata_status stream_sink_write(struct stream_sink *s, const void *bytes, size_t n,
                                struct strata_error *err)
{
    return encode(s, bytes, n, false, err);
}

uint64_t stream_sink_bytes(const struct stream_sink *s)
{
    return s->written + s->n;
}

strata_status stream_sink_finish(struct stream_sink *s, struct strata_error *err)
{
    strata_status st = encode(s, "", 0, true, err);
    if (!st)
        st = flush_buffer(s, err);
    /* Some file systems report a full disk only here. */
    if (close(s->fd) && !st)
        st = strata_fail(err, STRATA_EIO, s->name, 0, 0, "cannot be written: %s.", strerror(errno));
    s->fd = -1;
    stream_sink_abort(s);
    return st;
}

void stream_sink_abort(struct stream_sink *s)
{
    if (!s)
        return;
    /* All three are safe on an encoder that was zeroed or never fully started. */
    if (s->kind == STREAM_XZ)
        lzma_end(&s->encoder.xz);
    else if (s->kind == STREAM_GZ)
        deflateEnd(&s->encoder.gz);
    else if (s->kind == STREAM_ZST)
        ZSTD_freeCStream(s->encoder.zst);
    if (s->fd >= 0)
        close(s->fd);
    free(s->buffer);
    free(s->name);
    free(s);
}
