/* Reading ahead: the blocks, the code and the errors of the reader, by another thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/gpu.h>
#include <strata/result.h>

#include "trace/reader_ahead.h"

enum { N_BLOCKS = 200, DAMAGED = 150 }; /* more than wait at a time */

static char whole[64], damaged[64];

/* Each block brings an instruction that no block before it has. */
static void write_trace(char *path, unsigned damaged_block)
{
    strcpy(path, "/tmp/strata-ahead-XXXXXX");
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    fprintf(f,
            "-kernel name = k\n-kernel id = 1\n-grid dim = (%d,1,1)\n-block dim = (32,1,1)\n"
            "-shmem = 0\n-nregs = 16\n-binary version = 90\n-cuda stream id = 0\n"
            "-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n-nvbit version = 1\n"
            "-accelsim tracer version = 3\n\n#traces format = x\n",
            N_BLOCKS);
    for (unsigned b = 0; b < N_BLOCKS; b++)
        fprintf(f,
                "\n#BEGIN_TB\n\nthread block = %u,0,0\n\nwarp = 0\ninsts = 3\n"
                "%s ffffffff 1 R1 MOV 0 0 \n%04x ffffffff 1 R2 %s 1 R1 0 \n"
                "0010 ffffffff 0 EXIT 0 0 \n\n#END_TB\n",
                b, b == damaged_block ? "zzzz" : "0000", 0x20 + 16 * b,
                b % 8 ? "IADD3" : "NEVERHEARD");
    assert_int_equal(fclose(f), 0);
}

static int write_traces(void **state)
{
    (void)state;
    char folder[600];
    write_trace(whole, UINT32_MAX);
    write_trace(damaged, DAMAGED);
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    return strata_gpu_add_path(folder, NULL);
}

static int remove_traces(void **state)
{
    (void)state;
    return unlink(whole) | unlink(damaged);
}

struct opened {
    struct strata_trace *trace;
    struct strata_reader *reader;
};

static struct opened open_trace(const char *path)
{
    struct opened o;
    struct strata_error err;
    if (strata_trace_open(path, NULL, &o.trace, &err) != STRATA_OK ||
        strata_reader_open(o.trace, 0, &o.reader, &err) != STRATA_OK)
        fail_msg("%s", err.message);
    return o;
}

static void close_trace(struct opened o)
{
    strata_reader_close(o.reader);
    strata_trace_close(o.trace);
}

static void assert_same_block(const struct strata_block *a, const struct strata_block *b)
{
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->n_warps, b->n_warps);
    assert_int_equal(a->warp_offset[a->n_warps], b->warp_offset[b->n_warps]);
    assert_memory_equal(a->bytes, b->bytes, a->warp_offset[a->n_warps]);
}

/* Reads a trace both ways, to its end or its error, which is returned. */
static strata_status compare_readers(const char *path, struct strata_error *err)
{
    struct opened here = open_trace(path), there = open_trace(path);
    struct reader_ahead *ahead = reader_ahead_create(there.reader);
    struct strata_error err_there = {0};
    struct strata_block *a, *b;
    strata_status status;
    uint32_t n_code;
    assert_non_null(ahead);
    while ((status = strata_reader_next_ordered(here.reader, &a, err)) == STRATA_OK) {
        assert_int_equal(reader_ahead_next(ahead, &b, &n_code, &err_there), STRATA_OK);
        assert_same_block(a, b);
        assert_int_equal(n_code, strata_code_count(strata_reader_code(here.reader)));
        strata_block_destroy(a);
        strata_block_destroy(b);
    }
    for (int again = 0; again < 2; again++)
        assert_int_equal(reader_ahead_next(ahead, &b, &n_code, &err_there), status);
    if (status != STRATA_END)
        assert_string_equal(err->message, err_there.message);
    reader_ahead_destroy(ahead);
    close_trace(here);
    close_trace(there);
    return status;
}

static void blocks_come_as_the_reader_gives_them_with_the_code_they_knew(void **state)
{
    (void)state;
    struct strata_error err;
    assert_int_equal(compare_readers(whole, &err), STRATA_END);
}

static void an_error_comes_after_the_blocks_before_it(void **state)
{
    (void)state;
    struct strata_error err;
    assert_int_equal(compare_readers(damaged, &err), STRATA_EFORMAT);
}

static void blocks_that_nobody_takes_are_given_up(void **state)
{
    (void)state;
    for (unsigned taken = 0; taken < 3; taken++) {
        struct opened o = open_trace(whole);
        struct reader_ahead *ahead = reader_ahead_create(o.reader);
        struct strata_block *b;
        uint32_t n_code;
        assert_non_null(ahead);
        for (unsigned i = 0; i < taken; i++) {
            assert_int_equal(reader_ahead_next(ahead, &b, &n_code, NULL), STRATA_OK);
            strata_block_destroy(b);
        }
        reader_ahead_destroy(ahead);
        close_trace(o);
    }
}

static strata_status run_flow(const char *path, uint32_t threads, struct strata_result *out,
                              struct strata_error *err)
{
    struct strata_gpu gpu;
    struct strata_model_options opt = {.seed = 1, .threads = threads};
    struct opened o = open_trace(path);
    assert_int_equal(strata_gpu_load("h200", &gpu, NULL), STRATA_OK);
    assert_int_equal(strata_result_init(out, strata_trace_launch(o.trace, 0), err), STRATA_OK);
    strata_status status = strata_model_find("flow")->run(&gpu, o.reader, &opt, out, err);
    close_trace(o);
    return status;
}

static void flow_answers_the_same_whoever_reads_its_blocks(void **state)
{
    (void)state;
    struct strata_result one, more;
    struct strata_error err;
    assert_int_equal(run_flow(whole, 1, &one, &err), STRATA_OK);
    for (uint32_t threads = 2; threads <= 4; threads *= 2) {
        assert_int_equal(run_flow(whole, threads, &more, &err), STRATA_OK);
        assert_int_equal(one.n_counters, more.n_counters);
        for (size_t i = 0; i < one.n_counters; i++) {
            assert_string_equal(one.counter[i].name, more.counter[i].name);
            assert_true(one.counter[i].value == more.counter[i].value);
        }
        strata_result_release(&more);
    }
    strata_result_release(&one);
}

static void flow_tells_the_error_of_a_block_whoever_reads_it(void **state)
{
    (void)state;
    struct strata_result r;
    struct strata_error one, two;
    assert_int_equal(run_flow(damaged, 1, &r, &one), STRATA_EFORMAT);
    strata_result_release(&r);
    assert_int_equal(run_flow(damaged, 2, &r, &two), STRATA_EFORMAT);
    strata_result_release(&r);
    assert_string_equal(one.message, two.message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_as_the_reader_gives_them_with_the_code_they_knew),
        cmocka_unit_test(an_error_comes_after_the_blocks_before_it),
        cmocka_unit_test(blocks_that_nobody_takes_are_given_up),
        cmocka_unit_test(flow_answers_the_same_whoever_reads_its_blocks),
        cmocka_unit_test(flow_tells_the_error_of_a_block_whoever_reads_it),
    };
    return cmocka_run_group_tests(tests, write_traces, remove_traces);
}
