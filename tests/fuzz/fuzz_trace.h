/* fuzz_trace.h - reads a whole trace as a model would, and checks what the headers promise. */
#ifndef STRATA_TESTS_FUZZ_TRACE_H
#define STRATA_TESTS_FUZZ_TRACE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strata/trace.h>

/* A refusal has a status and a full sentence. */
static inline void check_refusal(strata_status status, const struct strata_error *err)
{
    size_t n = strlen(err->message);
    if (status == STRATA_OK || err->status != status || n < 10 ||
        (err->message[n - 1] != '.' && n < sizeof err->message - 1))
        abort();
}

/* Bytes as a file that has no name on any disk; its path is written to `path`. */
static inline int file_of(const uint8_t *data, size_t size, char *path, size_t n_path)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, n_path, "/proc/self/fd/%d", fd);
    return fd;
}

static inline void read_block_records(const struct strata_block *b,
                                      const struct strata_launch *launch)
{
    static struct strata_cursor cursor;
    struct strata_winst record;
    uint64_t addr[STRATA_WARP_SIZE];
    if (b->index >= strata_launch_blocks(launch) ||
        b->n_warps != strata_launch_warps_per_block(launch))
        abort();
    for (uint32_t w = 0; w < b->n_warps; w++) {
        uint32_t n = 0;
        if (!b->warp_instructions[w])
            continue;
        if (strata_cursor_init(&cursor, b, w, NULL))
            abort();
        while (strata_cursor_next(&cursor, &record)) {
            strata_winst_addresses(&record, addr);
            if (!record.mask && record.addr_kind != STRATA_ADDR_NONE)
                abort();
            n++;
        }
        if (n != b->warp_instructions[w])
            abort();
    }
}

static inline void read_launch(struct strata_trace *t, size_t launch)
{
    struct strata_reader *r;
    struct strata_block *b;
    struct strata_error err;
    strata_status st = strata_reader_open(t, launch, &r, &err);
    while (!st && !(st = strata_reader_next(r, &b, &err))) {
        read_block_records(b, strata_reader_launch(r));
        strata_block_destroy(b);
    }
    if (st != STRATA_END)
        check_refusal(st, &err);
    for (size_t i = 0; r && i < strata_reader_warning_count(r); i++)
        if (!strlen(strata_reader_warning(r, i)))
            abort();
    strata_reader_close(r);
}

static inline void read_trace(const char *path, const struct strata_trace_options *opt)
{
    struct strata_trace *t;
    struct strata_error err;
    strata_status st = strata_trace_open(path, opt, &t, &err);
    if (st) {
        check_refusal(st, &err);
        return;
    }
    for (size_t i = 0; i < strata_trace_launch_count(t) && i < 16; i++)
        read_launch(t, i);
    strata_trace_close(t);
}

#endif
