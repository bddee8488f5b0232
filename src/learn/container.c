/* container.c - bytes of training data and models on disk. */
#include "learn/container.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <strata/files.h>
#include <zlib.h>

#include "base/array.h"
#include "base/text.h"

static const char magic[8] = {'S', 'T', 'R', 'L', 'E', 'A', 'R', 'N'};

/* ---- writing ---- */

void learn_out_release(struct learn_out *o)
{
    free(o->data);
    memset(o, 0, sizeof *o);
}

void learn_put_bytes(struct learn_out *o, const void *bytes, size_t n)
{
    if (o->failed || !ARRAY_RESERVE(o->data, o->n, o->cap, n + 1)) {
        o->failed = true;
        return;
    }
    if (n)
        memcpy(o->data + o->n, bytes, n);
    o->n += n;
}

static void store_u32(uint8_t *at, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(x >> 8 * i);
}

void learn_put_u32(struct learn_out *o, uint32_t x)
{
    uint8_t b[4];
    store_u32(b, x);
    learn_put_bytes(o, b, 4);
}

void learn_put_float(struct learn_out *o, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    learn_put_u32(o, bits);
}

void learn_put_text(struct learn_out *o, const char *text)
{
    learn_put_u32(o, (uint32_t)strlen(text));
    learn_put_bytes(o, text, strlen(text));
}

static bool write_file(const struct learn_out *o, const uint8_t head[LEARN_HEAD_BYTES],
                       const char *path)
{
    FILE *f = strata_temporary_open(path);
    if (!f)
        return false;
    bool good = fwrite(head, 1, LEARN_HEAD_BYTES, f) == LEARN_HEAD_BYTES &&
                fwrite(o->data, 1, o->n, f) == o->n;
    int error = errno;
    good = fclose(f) == 0 && good;
    errno = error ? error : errno;
    return good;
}

strata_status learn_save(const struct learn_out *o, uint32_t kind, const char *path,
                         struct strata_error *err)
{
    uint8_t head[LEARN_HEAD_BYTES] = {0};
    char *temporary = o->failed ? NULL : strata_temporary_name(path);
    if (!temporary)
        return strata_no_memory(err, path, "to write the file");
    memcpy(head, magic, sizeof magic);
    store_u32(head + 8, kind);
    store_u32(head + 12, LEARN_VERSION);
    store_u32(head + 16, (uint32_t)o->n);
    store_u32(head + 20, (uint32_t)((uint64_t)o->n >> 32));
    store_u32(head + 24, (uint32_t)crc32_z(crc32(0, Z_NULL, 0), o->data, o->n));
    strata_status st = STRATA_OK;
    if (!write_file(o, head, temporary) || rename(temporary, path)) {
        st = strata_fail(err, STRATA_EIO, path, 0, 0, "the file cannot be written: %s.",
                         strerror(errno));
        unlink(temporary);
    }
    free(temporary);
    return st;
}

/* ---- reading ---- */

static uint32_t load_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

const uint8_t *learn_get_bytes(struct learn_in *in, size_t n)
{
    if (in->failed || (size_t)(in->end - in->at) < n) {
        in->failed = true;
        return NULL;
    }
    const uint8_t *b = in->at;
    in->at += n;
    return b;
}

uint32_t learn_get_u32(struct learn_in *in)
{
    const uint8_t *b = learn_get_bytes(in, 4);
    return b ? load_u32(b) : 0;
}

float learn_get_float(struct learn_in *in)
{
    uint32_t bits = learn_get_u32(in);
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

char *learn_get_text(struct learn_in *in)
{
    uint32_t n = learn_get_u32(in);
    const uint8_t *b = learn_get_bytes(in, n);
    if (!b || memchr(b, 0, n) || !strata_text_is_utf8((const char *)b, n)) {
        in->failed = true;
        return NULL;
    }
    char *text = strndup((const char *)b, n);
    in->failed |= !text;
    return text;
}

bool learn_can_hold(const struct learn_in *in, uint64_t n, size_t bytes)
{
    return !in->failed && n <= (uint64_t)(in->end - in->at) / bytes;
}

strata_status learn_damaged(const char *name, const char *what, struct strata_error *err)
{
    return strata_fail(err, STRATA_EFORMAT, name, 0, 0, "%s; the file is damaged, make it again.",
                       what);
}

strata_status learn_open(const uint8_t *data, size_t n, uint32_t kind, const char *name,
                         struct learn_in *in, struct strata_error *err)
{
    static const char *const words[] = {"", "training data or profiles", "a model"};
    if (n < LEARN_HEAD_BYTES || memcmp(data, magic, sizeof magic))
        return strata_fail(err, STRATA_EFORMAT, name, 0, 0,
                           "this is not a file of the learned model; `strata learn` writes them.");
    uint32_t found = load_u32(data + 8), version = load_u32(data + 12);
    uint64_t length = load_u32(data + 16) | (uint64_t)load_u32(data + 20) << 32;
    if (version != LEARN_VERSION)
        return strata_fail(err, STRATA_EFORMAT, name, 0, 0,
                           "the file has version %u, this build reads version %d; make it again "
                           "with `strata learn`.",
                           version, LEARN_VERSION);
    if (found != kind)
        return strata_fail(err, STRATA_EFORMAT, name, 0, 0, "the file holds %s, not %s.",
                           found <= LEARN_KIND_MODEL ? words[found] : "something unknown",
                           words[kind]);
    if (length != n - LEARN_HEAD_BYTES)
        return learn_damaged(name, "its length is not what its head says", err);
    if (load_u32(data + 24) !=
        (uint32_t)crc32_z(crc32(0, Z_NULL, 0), data + LEARN_HEAD_BYTES, length))
        return learn_damaged(name, "its checksum does not fit", err);
    *in = (struct learn_in){.at = data + LEARN_HEAD_BYTES, .end = data + n};
    return STRATA_OK;
}
