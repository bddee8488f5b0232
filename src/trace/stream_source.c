/* stream_source.c - reading plain, xz, gzip and zstd files as one kind of thing. */
#include "trace/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

enum { INPUT_BYTES = 64 * 1024 };

/* What a hostile or exotic file may make a decoder allocate: `xz -9` and `zstd --long` stay below.
 */
#define XZ_MEMORY_LIMIT (256ull << 20)

struct stream_source {
    char *name;
    int fd; /* -1: input lies in memory */
    enum stream_kind kind;
    bool input_over;   /* the file has no more bytes */
    bool stream_over;  /* the decoder saw the end of its last member */
    const uint8_t *in; /* unread input */
    size_t in_n;
    uint8_t *buffer; /* INPUT_BYTES, for files */
    union {
        lzma_stream xz;
        z_stream gz;
        ZSTD_DStream *zst;
    } decoder;
};

static const char *const suffixes[STREAM_N_KIND] = {
    [STREAM_PLAIN] = "", [STREAM_XZ] = ".xz", [STREAM_GZ] = ".gz", [STREAM_ZST] = ".zst"};
static const char *const kind_names[STREAM_N_KIND] = {
    [STREAM_PLAIN] = "plain", [STREAM_XZ] = "xz", [STREAM_GZ] = "gzip", [STREAM_ZST] = "zstd"};

const char *stream_suffix(enum stream_kind kind)
{
    return suffixes[kind];
}

enum stream_kind stream_kind_of_name(const char *path)
{
    size_t n = strlen(path);
    for (int k = STREAM_XZ; k < STREAM_N_KIND; k++) {
        size_t s = strlen(suffixes[k]);
        if (n > s && !strcmp(path + n - s, suffixes[k]))
            return (enum stream_kind)k;
    }
    return STREAM_PLAIN;
}

enum stream_kind stream_kind_of_bytes(const void *bytes, size_t n)
{
    if (n >= 6 && !memcmp(bytes,
                          "\xfd"
                          "7zXZ\0",
                          6))
        return STREAM_XZ;
    if (n >= 3 && !memcmp(bytes, "\x1f\x8b\x08", 3))
        return STREAM_GZ;
    if (n >= 4 && !memcmp(bytes, "\x28\xb5\x2f\xfd", 4))
        return STREAM_ZST;
    return STREAM_PLAIN;
}

/* ---- input ---- */

/* Reads until the buffer is full or the file over; one short read says nothing about its end. */
static strata_status fill_input(struct stream_source *s, struct strata_error *err)
{
    size_t n = 0;
    while (n < INPUT_BYTES && !s->input_over) {
        ssize_t r = read(s->fd, s->buffer + n, INPUT_BYTES - n);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return strata_fail(err, STRATA_EIO, s->name, 0, 0, "cannot be read: %s.",
                               strerror(errno));
        s->input_over = r == 0;
        n += (size_t)r;
    }
    s->in = s->buffer;
    s->in_n = n;
    return STRATA_OK;
}

static strata_status more_input(struct stream_source *s, struct strata_error *err)
{
    if (s->in_n || s->input_over)
        return STRATA_OK;
    return fill_input(s, err);
}

static strata_status out_of_memory(const struct stream_source *s, struct strata_error *err)
{
    return strata_no_memory(err, s->name, "to read %s data", kind_names[s->kind]);
}

static strata_status damaged(const struct stream_source *s, struct strata_error *err)
{
    return strata_fail(err, STRATA_EFORMAT, s->name, 0, 0,
                       "the %s data is damaged; fetch the file again or check it with `%s -t`.",
                       kind_names[s->kind], kind_names[s->kind]);
}

static strata_status cut_short(const struct stream_source *s, struct strata_error *err)
{
    return strata_fail(
        err, STRATA_EFORMAT, s->name, 0, 0,
        "the %s data stops in the middle; the file was cut short, fetch or write it again.",
        kind_names[s->kind]);
}

/* ---- decoders: fill out[*got..size) until it is full or the stream over ---- */

static strata_status read_plain(struct stream_source *s, uint8_t *out, size_t size, size_t *got,
                                struct strata_error *err)
{
    while (*got < size) {
        strata_status st = more_input(s, err);
        if (st)
            return st;
        if (!s->in_n)
            break;
        size_t n = size - *got < s->in_n ? size - *got : s->in_n;
        memcpy(out + *got, s->in, n);
        *got += n;
        s->in += n;
        s->in_n -= n;
    }
    return STRATA_OK;
}

static strata_status xz_failure(const struct stream_source *s, lzma_ret r, struct strata_error *err)
{
    switch (r) {
    case LZMA_MEM_ERROR:
        return out_of_memory(s, err);
    case LZMA_BUF_ERROR: /* no progress although no input is left: the end is missing */
        return cut_short(s, err);
    case LZMA_MEMLIMIT_ERROR:
        return strata_fail(
            err, STRATA_ELIMIT, s->name, 0, 0,
            "the xz data needs more than %llu MiB to read; write it again with `xz -9` "
            "or less.",
            XZ_MEMORY_LIMIT >> 20);
    default:
        return damaged(s, err);
    }
}

static strata_status read_xz(struct stream_source *s, uint8_t *out, size_t size, size_t *got,
                             struct strata_error *err)
{
    lzma_stream *z = &s->decoder.xz;
    while (*got < size) {
        strata_status st = more_input(s, err);
        if (st)
            return st;
        z->next_in = s->in;
        z->avail_in = s->in_n;
        z->next_out = out + *got;
        z->avail_out = size - *got;
        lzma_ret r = lzma_code(z, s->in_n ? LZMA_RUN : LZMA_FINISH);
        s->in = z->next_in;
        s->in_n = z->avail_in;
        *got = size - z->avail_out;
        if (r == LZMA_STREAM_END) {
            s->stream_over = true;
            break;
        }
        if (r != LZMA_OK)
            return xz_failure(s, r, err);
    }
    return STRATA_OK;
}

/* After a gzip member: another member, zero padding (tape blocks), or the end. */
static strata_status next_gz_member(struct stream_source *s, struct strata_error *err)
{
    for (;;) {
        strata_status st = more_input(s, err);
        if (st)
            return st;
        if (!s->in_n) {
            s->stream_over = true;
            return STRATA_OK;
        }
        if (s->in[0] == 0x1f)
            return inflateReset(&s->decoder.gz) == Z_OK ? STRATA_OK : damaged(s, err);
        if (s->in[0] != 0)
            return damaged(s, err);
        s->in++;
        s->in_n--;
    }
}

static strata_status read_gz(struct stream_source *s, uint8_t *out, size_t size, size_t *got,
                             struct strata_error *err)
{
    z_stream *z = &s->decoder.gz;
    while (*got < size && !s->stream_over) {
        strata_status st = more_input(s, err);
        if (st)
            return st;
        if (!s->in_n)
            return cut_short(s, err);
        uInt room = size - *got > 1u << 30 ? 1u << 30 : (uInt)(size - *got);
        z->next_in = (z_const Bytef *)(uintptr_t)s->in;
        z->avail_in = s->in_n > 1u << 30 ? 1u << 30 : (uInt)s->in_n;
        z->next_out = out + *got;
        z->avail_out = room;
        uInt before = z->avail_in;
        int r = inflate(z, Z_NO_FLUSH);
        s->in += before - z->avail_in;
        s->in_n -= before - z->avail_in;
        *got += room - z->avail_out;
        if (r == Z_STREAM_END)
            st = next_gz_member(s, err);
        else if (r == Z_MEM_ERROR)
            st = out_of_memory(s, err);
        else if (r != Z_OK)
            st = damaged(s, err);
        if (st)
            return st;
    }
    return STRATA_OK;
}

static strata_status read_zst(struct stream_source *s, uint8_t *out, size_t size, size_t *got,
                              struct strata_error *err)
{
    ZSTD_outBuffer o = {out, size, *got};
    size_t hint = 1; /* 0: a frame has just ended */
    while (o.pos < size) {
        strata_status st = more_input(s, err);
        if (st)
            return st;
        bool between_frames = s->stream_over;
        if (!s->in_n && between_frames)
            break;
        ZSTD_inBuffer i = {s->in, s->in_n, 0};
        size_t before = o.pos;
        hint = ZSTD_decompressStream(s->decoder.zst, &o, &i);
        if (ZSTD_isError(hint))
            return damaged(s, err);
        if (!s->in_n && o.pos == before && hint)
            return cut_short(s, err);
        s->in += i.pos;
        s->in_n -= i.pos;
        s->stream_over = hint == 0;
    }
    *got = o.pos;
    return STRATA_OK;
}

strata_status stream_source_read(struct stream_source *s, void *out, size_t size, size_t *got,
                                 struct strata_error *err)
{
    *got = 0;
    if (s->kind == STREAM_PLAIN)
        return read_plain(s, out, size, got, err);
    if (s->kind == STREAM_ZST)
        return read_zst(s, out, size, got, err);
    if (s->stream_over)
        return STRATA_OK;
    return s->kind == STREAM_XZ ? read_xz(s, out, size, got, err) : read_gz(s, out, size, got, err);
}

/* ---- opening and closing ---- */

static bool start_decoder(struct stream_source *s)
{
    switch (s->kind) {
    case STREAM_XZ:
        s->decoder.xz = (lzma_stream)LZMA_STREAM_INIT;
        return lzma_stream_decoder(&s->decoder.xz, XZ_MEMORY_LIMIT, LZMA_CONCATENATED) == LZMA_OK;
    case STREAM_GZ:
        return inflateInit2(&s->decoder.gz, 15 + 16) == Z_OK;
    case STREAM_ZST:
        s->decoder.zst = ZSTD_createDStream();
        return s->decoder.zst && !ZSTD_isError(ZSTD_initDStream(s->decoder.zst));
    default:
        return true;
    }
}

static strata_status start(struct stream_source *s, struct strata_error *err)
{
    strata_status st = more_input(s, err);
    if (st)
        return st;
    enum stream_kind kind = stream_kind_of_bytes(s->in, s->in_n);
    s->kind = kind;
    if (!start_decoder(s)) {
        st = out_of_memory(s, err);
        if (kind != STREAM_ZST)
            s->kind = STREAM_PLAIN; /* nothing to end */
    }
    return st;
}

static struct stream_source *new_source(const char *name)
{
    struct stream_source *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->fd = -1;
    s->name = strdup(name);
    if (s->name)
        return s;
    free(s);
    return NULL;
}

strata_status stream_source_open(const char *path, struct stream_source **out,
                                 struct strata_error *err)
{
    *out = NULL;
    struct stream_source *s = new_source(path);
    if (!s || !(s->buffer = malloc(INPUT_BYTES))) {
        stream_source_close(s);
        return strata_no_memory(err, path, "to open the file");
    }
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    strata_status st = STRATA_OK;
    if (s->fd < 0)
        st = strata_fail(err, STRATA_EIO, path, 0, 0, "cannot be opened: %s.", strerror(errno));
    if (!st)
        st = start(s, err);
    if (st) {
        stream_source_close(s);
        return st;
    }
    *out = s;
    return STRATA_OK;
}

strata_status stream_source_open_memory(const char *name, const void *bytes, size_t n,
                                        struct stream_source **out, struct strata_error *err)
{
    *out = NULL;
    struct stream_source *s = new_source(name);
    if (!s)
        return strata_no_memory(err, name, "to open the input");
    s->in = bytes;
    s->in_n = n;
    s->input_over = true;
    strata_status st = start(s, err);
    if (st) {
        stream_source_close(s);
        return st;
    }
    *out = s;
    return STRATA_OK;
}

const char *stream_source_name(const struct stream_source *s)
{
    return s->name;
}

enum stream_kind stream_source_kind(const struct stream_source *s)
{
    return s->kind;
}

void stream_source_close(struct stream_source *s)
{
    if (!s)
        return;
    if (s->kind == STREAM_XZ)
        lzma_end(&s->decoder.xz);
    else if (s->kind == STREAM_GZ)
        inflateEnd(&s->decoder.gz);
    else if (s->kind == STREAM_ZST)
        ZSTD_freeDStream(s->decoder.zst);
    if (s->fd >= 0)
        close(s->fd);
    free(s->buffer);
    free(s->name);
    free(s);
}
