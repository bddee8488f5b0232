/* Any bytes as a .strata file: a refusal is a sentence; what is accepted can be read to its end,
 * written again, and is then the same.
 *
 * First byte even: the rest is a file; its checksums are made right first, so that the fuzzer
 * reaches what they guard. Odd: the rest is cut into the payloads of a file with one launch, before
 * compression (pieces are preceded by their size in two bytes). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strata/trace.h>

#include "base/bits.h"
#include "trace/bytecode.h"
#include "trace/native.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_RECORDS 4000000 /* warp instructions read of one input: keeps slow inputs out */

static int memory_file(char path[64])
{
    int fd = memfd_create("fuzz", 0);
    if (fd < 0)
        abort();
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static void repair_checksums(uint8_t *p, size_t n)
{
    if (n < NATIVE_HEADER_BYTES)
        return;
    store_le(p + 12, native_crc(p, 12), 4);
    for (size_t at = NATIVE_HEADER_BYTES; at + NATIVE_RECORD_BYTES <= n;) {
        uint64_t payload = load_le64(p + at + 8);
        size_t left = n - at - NATIVE_RECORD_BYTES;
        if (payload <= left)
            store_le(p + at + 16, native_crc(p + at + NATIVE_RECORD_BYTES, payload), 4);
        store_le(p + at + 20, native_crc(p + at, 20), 4);
        if (payload > left)
            break;
        at += NATIVE_RECORD_BYTES + payload;
    }
    if (n >= NATIVE_TAIL_BYTES)
        store_le(p + n - 16, native_crc(p + n - 24, 8), 4);
}

/* The next piece of the input. */
static struct unpack piece(const uint8_t **at, const uint8_t *end)
{
    size_t n = 0;
    if (end - *at >= 2) {
        n = (size_t)load_le(*at, 2);
        *at += 2;
    }
    if (n > (size_t)(end - *at))
        n = (size_t)(end - *at);
    struct unpack u = {*at, *at + n, false, false};
    *at += n;
    return u;
}

static void put_record(struct pack *file, uint32_t kind, const struct pack *payload)
{
    uint8_t header[NATIVE_RECORD_BYTES];
    native_record_encode(header, kind, 0, payload->n, native_crc(payload->p, payload->n));
    pack_bytes(file, header, sizeof header);
    pack_bytes(file, payload->p, payload->n);
}

static void build_file(const uint8_t *data, size_t size, struct pack *file)
{
    static ZSTD_CCtx *zstd;
    if (!zstd)
        zstd = ZSTD_createCCtx();
    const uint8_t *at = data, *end = data + size;
    struct pack payload = {0};
    struct strata_launch launch = {
        .program = "p", .trace = "t", .kernel = "k", .grid = {4, 1, 1}, .block = {64, 1, 1}};
    uint8_t header[NATIVE_HEADER_BYTES];
    memcpy(header, NATIVE_MAGIC, 8);
    store_le(header + 8, NATIVE_MAJOR, 2);
    store_le(header + 10, NATIVE_MINOR, 2);
    store_le(header + 12, native_crc(header, 12), 4);
    pack_bytes(file, header, sizeof header);
    native_pack_launch(&payload, &launch);
    put_record(file, NATIVE_LAUNCH, &payload);
    struct unpack rows = piece(&at, end);
    payload.n = 0;
    pack_column(&payload, zstd, 1, rows.at, (size_t)(rows.end - rows.at));
    put_record(file, NATIVE_CODE, &payload);
    payload.n = 0;
    struct unpack counts = piece(&at, end);
    pack_bytes(&payload, counts.at, (size_t)(counts.end - counts.at));
    for (size_t i = 0; i < N_COLUMNS; i++) {
        struct unpack column = piece(&at, end);
        pack_column(&payload, zstd, 1, column.at, (size_t)(column.end - column.at));
    }
    put_record(file, NATIVE_BLOCKS, &payload);
    payload.n = 0;
    pack_varint(&payload, 1);
    pack_varint(&payload, 0);
    put_record(file, NATIVE_LAUNCH_END, &payload);
    pack_release(&payload);
}

static void expect_sentence(const struct strata_error *err)
{
    size_t n = strlen(err->message);
    if (!n || (err->message[n - 1] != '.' && n < sizeof err->message - 1))
        abort();
}

static uint64_t digest_block(uint64_t h, const struct strata_block *block, uint64_t *budget)
{
    struct strata_cursor c = {0};
    struct strata_winst w;
    uint64_t addr[STRATA_WARP_SIZE];
    h = mix64(h ^ block->index ^ (uint64_t)block->n_warps << 40);
    for (uint32_t warp = 0; warp < block->n_warps; warp++) {
        if (strata_cursor_init(&c, block, warp, NULL))
            abort();
        while (*budget && strata_cursor_next(&c, &w)) {
            strata_winst_addresses(&w, addr);
            h = mix64(h ^ w.inst->pc ^ (uint64_t)w.mask << 8 ^ w.inst_index);
            for (uint32_t rest = w.mask; rest; rest &= rest - 1)
                h = mix64(h ^ addr[lowest_bit32(rest)]);
            --*budget;
        }
    }
    strata_cursor_release(&c);
    return h;
}

/* Reads everything, and copies it to `writer` unless that is NULL. */
static strata_status read_all(const char *path, struct strata_writer *writer, uint64_t *digest,
                              uint64_t *budget)
{
    struct strata_trace *t;
    struct strata_error err;
    strata_status status = strata_trace_open(path, NULL, &t, &err);
    *digest = 0;
    if (status)
        return expect_sentence(&err), status;
    for (size_t i = 0; !status && i < strata_trace_launch_count(t); i++) {
        struct strata_reader *r;
        struct strata_block *block;
        status = strata_reader_open(t, i, &r, &err);
        if (status)
            break;
        if (writer)
            strata_writer_begin_launch(writer, strata_reader_launch(r), strata_reader_code(r),
                                       NULL);
        while (!(status = strata_reader_next(r, &block, &err)) && *budget) {
            *digest = digest_block(*digest, block, budget);
            if (writer && strata_writer_block(writer, block, NULL))
                abort();
            strata_block_destroy(block);
        }
        if (!status) /* out of budget */
            strata_block_destroy(block);
        status = status == STRATA_END ? STRATA_OK : status;
        if (writer)
            strata_writer_end_launch(writer, NULL);
        strata_reader_close(r);
    }
    if (status)
        expect_sentence(&err);
    strata_trace_close(t);
    return status;
}

/* Blocks in any order: what a file tells of their places may be wrong. */
static void read_out_of_order(const char *path)
{
    struct strata_trace *t;
    struct strata_reader *r;
    struct strata_block *block;
    struct strata_error err;
    if (strata_trace_open(path, NULL, &t, &err))
        return; /* read_all has looked at the sentence */
    if (strata_trace_launch_count(t) && !strata_reader_open(t, 0, &r, &err)) {
        for (uint64_t index = 5; index-- > 0;) {
            strata_status status = strata_reader_seek(r, index, &err);
            if (!status)
                status = strata_reader_next(r, &block, &err);
            if (!status && block->index != index)
                abort();
            if (!status)
                strata_block_destroy(block);
            else if (status != STRATA_END)
                expect_sentence(&err);
        }
        strata_reader_close(r);
    }
    strata_trace_close(t);
}

static void read_and_rewrite(const char *path)
{
    char copy_path[64];
    int copy = memory_file(copy_path);
    struct strata_writer *writer;
    struct strata_writer_options opt = {.format = "strata", .compression_level = 1};
    uint64_t first, second, budget = MAX_RECORDS;
    if (strata_writer_create(copy_path, &opt, &writer, NULL))
        abort();
    strata_status status = read_all(path, writer, &first, &budget);
    bool complete = !status && budget;
    if (complete ? strata_writer_finish(writer, NULL) != STRATA_OK
                 : (strata_writer_abort(writer), false))
        abort();
    budget = UINT64_MAX;
    if (complete && (read_all(copy_path, NULL, &second, &budget) || first != second))
        abort();
    close(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct pack file = {0};
    if (!size)
        return 0;
    if (data[0] & 1)
        build_file(data + 1, size - 1, &file);
    else
        pack_bytes(&file, data + 1, size - 1);
    if (!(data[0] & 1) && file.n)
        repair_checksums(file.p, file.n);
    int fd = memory_file(path);
    if (file.n && write(fd, file.p, file.n) != (ssize_t)file.n)
        abort();
    read_and_rewrite(path);
    read_out_of_order(path);
    close(fd);
    pack_release(&file);
    return 0;
}
