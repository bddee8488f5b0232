/* bench_trace.c - decodes whole traces on one core: reading, validation and cursors.
 *
 * usage: bench_trace decode TRACE...   rate of reading and stepping through every warp instruction
 *        bench_trace cursor TRACE...   the same, but only stepping is timed */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <strata/trace.h>

/* Time on the processor, not on the wall: other programs on the machine shall not count. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct totals {
    uint64_t instructions, blocks, block_bytes, check; /* check keeps the compiler honest */
    double cursor_seconds;
};

static void step_through(const struct strata_block *block, struct strata_cursor *cursor,
                         struct totals *t)
{
    struct strata_winst w;
    for (uint32_t warp = 0; warp < block->n_warps; warp++) {
        strata_cursor_init(cursor, block, warp, NULL);
        while (strata_cursor_next(cursor, &w)) {
            t->check += w.base + w.mask + w.inst->pc;
            t->instructions++;
        }
    }
    t->blocks++;
    t->block_bytes += block->warp_offset[block->n_warps];
}

static strata_status read_trace(const char *path, struct totals *t, struct strata_error *err)
{
    struct strata_trace *trace;
    struct strata_cursor cursor = {0};
    strata_status status = strata_trace_open(path, NULL, &trace, err);
    for (size_t i = 0; !status && i < strata_trace_launch_count(trace); i++) {
        struct strata_reader *reader;
        struct strata_block *block;
        status = strata_reader_open(trace, i, &reader, err);
        if (status)
            break;
        while (!(status = strata_reader_next(reader, &block, err))) {
            double start = seconds();
            step_through(block, &cursor, t);
            t->cursor_seconds += seconds() - start;
            strata_block_destroy(block);
        }
        strata_reader_close(reader);
        if (status == STRATA_END)
            status = STRATA_OK;
    }
    strata_cursor_release(&cursor);
    strata_trace_close(trace);
    return status;
}

int main(int argc, char **argv)
{
    struct totals t = {0};
    struct strata_error err;
    if (argc < 3)
        return 2;
    double start = seconds();
    for (int i = 2; i < argc; i++)
        if (read_trace(argv[i], &t, &err)) {
            fprintf(stderr, "%s: %s\n", argv[i], err.message);
            return 3;
        }
    double took = strcmp(argv[1], "cursor") ? seconds() - start : t.cursor_seconds;
    printf("instructions %llu seconds %.3f rate %.1f M/s in-memory bytes/instruction %.3f check "
           "%llx\n",
           (unsigned long long)t.instructions, took, (double)t.instructions / took / 1e6,
           (double)t.block_bytes / (double)t.instructions, (unsigned long long)t.check);
    return 0;
}
