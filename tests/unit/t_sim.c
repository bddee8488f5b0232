/* The clocked model: SM, load/store unit and L1 with sentences of what they must do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <strata/generate.h>
#include <strata/gpu.h>
#include <strata/result.h>

#include "sim/l1.h"

static struct strata_gpu h200, gtx470, volta_new, volta_old, pascal;

static int load_gpus(void **state)
{
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    return strata_gpu_add_path(folder, NULL) || strata_gpu_load("h200", &h200, NULL) ||
           strata_gpu_load("gtx470", &gtx470, NULL) ||
           strata_gpu_load("pascal-mdm", &pascal, NULL) ||
           strata_gpu_load("titanv-new", &volta_new, NULL) ||
           strata_gpu_load("titanv-old", &volta_old, NULL);
}

/* ---- the L1 alone ---- */

static uint32_t told[16], n_told;

static void tell(void *who, uint32_t op)
{
    (void)who;
    told[n_told++] = op;
}

static void make(struct l1 *c, const struct strata_gpu *g, uint64_t bytes)
{
    n_told = 0;
    assert_int_equal(l1_init(c, g, NULL, bytes, 1, NULL), STRATA_OK);
}

/* All bytes of some sectors. */
static struct l1_answer load_all(struct l1 *c, uint64_t line, uint8_t sectors, uint32_t op,
                                 uint64_t t)
{
    static const struct line_bytes all = {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    return l1_load(c, &(struct l1_access){.line = line, .read = &all, .sectors = sectors}, op, t);
}

/* The sectors in `whole` entirely, the others their first word. */
static uint32_t store_some(struct l1 *c, uint64_t line, uint32_t sectors, uint32_t whole,
                           uint64_t t)
{
    struct line_bytes bytes = {{0}};
    for (uint32_t k = 0; k < 4; k++)
        if (sectors >> k & 1)
            bytes.sector[k] = whole >> k & 1 ? UINT32_MAX : 15;
    return l1_write(&c->data, c->gpu, line, sectors, &bytes, t);
}

static void a_fill_is_of_sectors_and_an_eviction_of_lines(void **state)
{
    (void)state;
    struct strata_gpu g = volta_new;
    struct l1 c;
    g.l1.cache.ways = 0;
    g.l1.cache.replacement = STRATA_REPL_LRU;
    g.l1.reserved_lines = 0;
    make(&c, &g, 4 * 128);
    for (uint64_t line = 0; line < 4; line++) {
        assert_int_equal(load_all(&c, line * 128, 3, (uint32_t)line, 10).miss, 3);
        l1_fill(&c, line * 128, 3, 20, tell, NULL);
    }
    assert_int_equal(load_all(&c, 0, 15, 9, 30).miss,
                     12); /* the other sectors of a line that is there */
    l1_fill(&c, 0, 12, 40, tell, NULL);
    assert_int_equal(load_all(&c, 4 * 128, 1, 9, 50).miss,
                     1); /* line 1 goes, with both its sectors */
    l1_fill(&c, 4 * 128, 1, 60, tell, NULL);
    assert_int_equal(load_all(&c, 0, 15, 9, 70).hit, 15);
    assert_int_equal(load_all(&c, 128, 3, 9, 70).miss, 3);
    l1_release(&c);
}

static void a_sector_under_way_merges_and_answers_everybody_once(void **state)
{
    (void)state;
    struct l1 c;
    make(&c, &h200, 64 * 1024);
    assert_int_equal(load_all(&c, 0, 3, 5, 10).miss, 3);
    struct l1_answer a = load_all(&c, 0, 6, 6, 11);
    assert_int_equal(a.inflight, 2);
    assert_int_equal(a.miss, 4);
    l1_fill(&c, 0, 3, 100, tell, NULL);
    assert_int_equal(n_told, 1); /* operation 6 still waits for sector 2 */
    assert_int_equal(told[0], 5);
    l1_fill(&c, 0, 4, 120, tell, NULL);
    assert_int_equal(n_told, 2);
    assert_int_equal(told[1], 6);
    assert_int_equal(load_all(&c, 0, 7, 7, 130).hit, 7);
    assert_int_equal(c.n_used, 0);
    l1_release(&c);
}

static void with_allocation_on_fill_more_misses_are_under_way_than_there_are_lines(void **state)
{
    (void)state;
    struct strata_gpu g = volta_new;
    struct l1 c;
    g.l1.cache.ways = 4;
    g.l1.reserved_lines = 0;
    make(&c, &g, 4 * 128);
    for (uint64_t line = 0; line < 100; line++)
        assert_false(load_all(&c, line * 128, 1, (uint32_t)line, 10).refused);
    assert_int_equal(c.n_used, 100);
    l1_release(&c);
}

static void the_old_l1_refuses_a_miss_when_all_lines_of_a_set_are_reserved(void **state)
{
    (void)state;
    struct strata_gpu g = volta_old;
    struct l1 c;
    g.l1.cache.ways = 2;
    g.l1.cache.index_hash = STRATA_INDEX_LINEAR;
    g.l1.reserved_lines = 0;
    make(&c, &g, 8 * 128); /* 4 sets */
    assert_true(c.reserves);
    assert_false(load_all(&c, 0 * 512, 1, 0, 10).refused);
    assert_false(load_all(&c, 1 * 512, 1, 1, 10).refused);
    assert_true(load_all(&c, 2 * 512, 1, 2, 10).refused);
    assert_false(load_all(&c, 2 * 512 + 128, 1, 2, 10).refused); /* another set */
    l1_fill(&c, 0, 1, 100, tell, NULL);
    assert_false(load_all(&c, 2 * 512, 1, 2, 101).refused);
    l1_release(&c);
}

static void the_old_l1_refuses_beyond_its_mshrs_and_merges(void **state)
{
    (void)state;
    struct strata_gpu g = volta_old;
    struct l1 c;
    g.l1.mshrs = 2;
    g.l1.mshr_merges = 2;
    make(&c, &g, 32 * 1024);
    assert_false(load_all(&c, 0, 1, 0, 10).refused);
    assert_false(load_all(&c, 0, 1, 1, 10).refused);
    assert_true(load_all(&c, 0, 1, 2, 10).refused); /* two already wait for the line */
    assert_false(load_all(&c, 128, 1, 2, 10).refused);
    assert_true(load_all(&c, 256, 1, 3, 10).refused); /* two lines are under way */
    l1_fill(&c, 0, 1, 50, tell, NULL);
    assert_int_equal(n_told, 2);
    assert_false(load_all(&c, 256, 1, 3, 51).refused);
    l1_release(&c);
}

static void a_store_follows_the_write_policy(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct l1 c;
    g.l1.write_policy = STRATA_WRITE_THROUGH_ALLOCATE;
    make(&c, &g, 64 * 1024);
    assert_int_equal(store_some(&c, 0, 3, 1, 10), 0);
    struct l1_answer a = load_all(&c, 0, 3, 1, 20);
    assert_int_equal(a.hit, 1);  /* written whole */
    assert_int_equal(a.miss, 2); /* written in part: the other bytes are not there */
    l1_release(&c);
    make(&c, &g, 64 * 1024);
    store_some(&c, 0, 1, 0, 10);
    static const struct line_bytes first_word = {{15}}, first_two = {{255}};
    struct l1_access read = {.line = 0, .read = &first_word, .sectors = 1};
    assert_int_equal(l1_load(&c, &read, 1, 20).hit, 1); /* what was written is */
    read.read = &first_two;
    assert_int_equal(l1_load(&c, &read, 1, 20).miss, 1);
    l1_release(&c);
    g.l1.write_policy = STRATA_WRITE_THROUGH_NO_ALLOCATE;
    make(&c, &g, 64 * 1024);
    store_some(&c, 0, 3, 3, 10);
    assert_int_equal(load_all(&c, 0, 3, 1, 20).miss, 3);
    l1_release(&c);
    g.l1.write_policy = STRATA_WRITE_EVICT;
    make(&c, &g, 64 * 1024);
    load_all(&c, 0, 3, 1, 10);
    l1_fill(&c, 0, 3, 20, tell, NULL);
    assert_int_equal(store_some(&c, 0, 1, 1, 30), 1);
    assert_int_equal(load_all(&c, 0, 3, 1, 40).miss, 3);
    l1_release(&c);
}

/* ---- whole launches ---- */

static void run_trace(const struct strata_gpu *gpu, struct strata_trace *trace, uint32_t threads,
                      struct strata_result *result)
{
    struct strata_reader *reader;
    struct strata_error err;
    struct strata_model_options opt = {.seed = 1, .threads = threads};
    assert_int_equal(strata_reader_open(trace, 0, &reader, &err), STRATA_OK);
    assert_int_equal(strata_result_init(result, strata_trace_launch(trace, 0), &err), STRATA_OK);
    if (strata_model_find("sim")->run(gpu, reader, &opt, result, &err))
        fail_msg("%s", err.message);
    strata_reader_close(reader);
}

static void run_kind(const struct strata_gpu *gpu, const char *kind, const char *const *settings,
                     uint32_t threads, struct strata_result *result)
{
    struct strata_trace *trace;
    struct strata_error err;
    if (strata_generate(kind, settings, &trace, &err))
        fail_msg("%s", err.message);
    run_trace(gpu, trace, threads, result);
    strata_trace_close(trace);
}

static double detail(const struct strata_result *r, const char *path)
{
    for (size_t i = 0; i < r->n_details; i++)
        if (!strcmp(r->detail[i].path, path))
            return r->detail[i].value;
    fail_msg("no detail %s", path);
    return 0;
}

static double metric_of(const struct strata_gpu *gpu, const char *kind, const char *const *settings,
                        const char *metric)
{
    struct strata_result r;
    double value = -1;
    run_kind(gpu, kind, settings, 1, &r);
    assert_true(strata_result_get(&r, metric, &value));
    strata_result_release(&r);
    return value;
}

#define LD "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"

static void every_request_is_answered_exactly_once(void **state)
{
    (void)state;
    static const char *const kinds[] = {"stream", "gather", "broadcast"};
    static const char *const few[] = {"elements=16384", NULL};
    const struct strata_gpu *gpus[] = {&h200, &gtx470, &volta_new, &volta_old};
    for (size_t g = 0; g < 4; g++)
        for (size_t k = 0; k < 3; k++) {
            struct strata_result r;
            run_kind(gpus[g], kinds[k], k < 2 ? few : NULL, 1, &r);
            assert_true(detail(&r, "packets.requests") > 0);
            assert_true(detail(&r, "packets.requests") == detail(&r, "packets.replies"));
            strata_result_release(&r);
        }
}

static void a_stream_never_hits_and_every_sector_returns(void **state)
{
    (void)state;
    const char *const s[] = {"elements=65536", NULL};
    double sectors = metric_of(&h200, "stream", s, LD ".sum");
    assert_true(sectors > 0);
    assert_true(metric_of(&h200, "stream", s, LD "_lookup_hit.sum") == 0);
    assert_true(metric_of(&h200, "stream", s, "l1tex__m_xbar2l1tex_read_sectors.sum") == sectors);
}

static void reservation_failures_exist_in_the_old_model_and_vanish_in_the_new(void **state)
{
    (void)state;
    const char *const s[] = {"elements=65536", "table=16MiB", NULL};
    struct strata_result r;
    run_kind(&volta_old, "gather", s, 1, &r);
    assert_true(detail(&r, "l1.reservation_failures") > 0);
    strata_result_release(&r);
    run_kind(&volta_new, "gather", s, 1, &r);
    assert_true(detail(&r, "l1.reservation_failures") == 0);
    strata_result_release(&r);
}

static void a_gather_waits_hundreds_of_cycles_for_mshrs_and_a_stream_hardly(void **state)
{
    (void)state;
    const char *const few[] = {"elements=65536", "table=16MiB", NULL}, *const s[] = {
                                                                           "elements=65536", NULL};
    const struct strata_gpu *gpus[] = {&volta_old, &pascal};
    for (int g = 0; g < 2; g++) {
        struct strata_result r;
        run_kind(gpus[g], "gather", few, 1, &r);
        double waited = detail(&r, "latency.mshr_cycles"), all = detail(&r, "latency.total_cycles");
        assert_true(waited > 200 && waited < all);
        strata_result_release(&r);
    }
    struct strata_result r;
    run_kind(&pascal, "stream", s, 1, &r);
    assert_true(detail(&r, "latency.mshr_cycles") < 20);
    strata_result_release(&r);
}

static void two_instructions_a_cycle_shorten_what_waits_for_issue(void **state)
{
    (void)state;
    const char *const s[] = {"iterations=200", "blocks=2", "threads=1024", "span=4", NULL};
    struct strata_gpu one = pascal; /* five instructions a round, one of them a load, which takes
                                       the unit a cycle: at best 4/5 of the time */
    one.sm.count = 1;
    one.l1.tags_per_cycle = 0;
    one.l1.bytes_per_cycle = 0;
    one.sm.interval_int_cycles = one.sm.interval_imad_cycles = one.sm.interval_fp32_cycles = 0;
    struct strata_gpu two = one;
    one.sm.issue_per_scheduler = 1;
    assert_int_equal(two.sm.issue_per_scheduler, 2);
    double slow = metric_of(&one, "broadcast", s, "sm__cycles_elapsed.max"),
           fast = metric_of(&two, "broadcast", s, "sm__cycles_elapsed.max");
    assert_true(fast < 0.88 * slow && fast >= 0.79 * slow);
}

static void a_missing_sector_of_a_line_that_is_there_counts_as_volta_counts_it(void **state)
{
    (void)state;
    /* sector after sector of 32 lines: no data is there, three times in four the tag is */
    struct strata_gpu plain = volta_new;
    const char *const s[] = {"bytes=4096", "stride=32", "iterations=128", NULL};
    assert_true(volta_new.l1.tag_hit_counts_as_hit);
    plain.l1.tag_hit_counts_as_hit = false;
    assert_true(metric_of(&plain, "chase", s, LD "_lookup_hit.sum") == 0);
    assert_true(metric_of(&volta_new, "chase", s, LD "_lookup_hit.sum") == 96);
    assert_true(metric_of(&volta_new, "chase", s, "lts__t_sectors_srcunit_tex_op_read.sum") == 128);
}

static void any_number_of_threads_gives_the_same_counters(void **state)
{
    (void)state;
    struct strata_result one, many;
    const char *const s[] = {"elements=65536", "table=1MiB", NULL};
    run_kind(&h200, "gather", s, 1, &one);
    for (uint32_t threads = 2; threads < 8;
         threads += 3) { /* from four on the memory side has several */
        run_kind(&h200, "gather", s, threads, &many);
        assert_int_equal(one.n_counters, many.n_counters);
        for (size_t i = 0; i < one.n_counters; i++)
            assert_true(one.counter[i].value == many.counter[i].value);
        for (size_t i = 0; i < one.n_details; i++)
            assert_true(one.detail[i].value == many.detail[i].value);
        strata_result_release(&many);
    }
    strata_result_release(&one);
}

static void an_sm_is_held_up_when_its_requests_wait_in_the_crossbar(void **state)
{
    (void)state;
    struct strata_result r;
    struct strata_gpu g = h200;
    const char *const s[] = {"elements=65536", "table=1MiB", NULL};
    double held[2];
    g.l2.request_cycles = 20; /* the slices are the bottleneck */
    for (unsigned k = 0; k < 2; k++) {
        g.xbar.queue = k ? 4 : 0;
        run_kind(&g, "gather", s, 1, &r);
        assert_true(strata_result_get(
            &r, "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", &held[k]));
        assert_true(detail(&r, "packets.requests") == detail(&r, "packets.replies"));
        strata_result_release(&r);
    }
    if (held[1] < held[0] * 1.2)
        fail_msg("%g with unlimited queues, %g with queues of four", held[0], held[1]);
}

static void an_sm_is_held_up_when_its_stores_wait_for_the_slices(void **state)
{
    (void)state;
    struct strata_result r;
    struct strata_gpu g = h200;
    const char *const s[] = {"elements=1048576", NULL};
    double held[2];
    g.l2.write_flit_cycles = 16;
    for (unsigned k = 0; k < 2; k++) {
        g.xbar.port_buffer_cycles = k ? 200 : 1000000;
        run_kind(&g, "stream", s, 1, &r);
        assert_true(strata_result_get(
            &r, "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", &held[k]));
        strata_result_release(&r);
    }
    if (held[1] < held[0] * 1.2)
        fail_msg("%g with any room in front of the slices, %g with 200 cycles", held[0], held[1]);
}

static void a_tlb_of_few_pages_slows_a_chase_over_many(void **state)
{
    (void)state;
    struct strata_gpu flat = h200, g;
    const char *const s[] = {"bytes=256MiB", "stride=2097280", "iterations=1024", NULL};
    flat.l1.enabled = false; /* the few lines of the walk would stay in it */
    g = flat;
    g.tlb.enabled = true;
    g.tlb.page_bytes = 2 << 20;
    g.tlb.l1 = (struct strata_cache_config){
        .size_bytes = 16ull << 21, .line_bytes = 2 << 20, .sector_bytes = 2 << 20};
    g.tlb.l2 = (struct strata_cache_config){
        .size_bytes = 64ull << 21, .line_bytes = 2 << 20, .sector_bytes = 2 << 20};
    g.tlb.l1_miss_cycles = 400;
    g.tlb.l2_miss_cycles = 400;
    double without = metric_of(&flat, "chase", s, "sm__cycles_elapsed.max");
    double with = metric_of(&g, "chase", s, "sm__cycles_elapsed.max");
    assert_true(with > without + 1024 * 700.0);
    g.tlb.l1.size_bytes = g.tlb.l2.size_bytes =
        1024ull << 21; /* every page fits: only first touches miss */
    assert_true(metric_of(&g, "chase", s, "sm__cycles_elapsed.max") < without + 140 * 1000.0);
}

/* ---- figure 3 of paper 004 ---- */

/* One warp that reads A[(i / stride) * 32 + i % stride], i = lane. */
static struct strata_trace *figure_3(uint32_t stride)
{
    struct strata_trace *trace;
    struct strata_error err;
    char path[] = "/tmp/strata-figure3-XXXXXX", name[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snprintf(name, sizeof name, "%s.strata", path);
    struct strata_code *code;
    struct strata_builder *builder;
    struct strata_block *block;
    struct strata_writer *writer;
    struct strata_inst inst = {.pc = 0,
                               .opcode = "LDG.E",
                               .opclass = STRATA_OP_MEM,
                               .space = STRATA_SPACE_GLOBAL,
                               .memop = STRATA_MEM_LOAD,
                               .width_bytes = 4,
                               .trace_width = 4,
                               .n_dst = 1,
                               .n_src = 1,
                               .reg = {2, 4}};
    struct strata_inst leave = {.pc = 16, .opcode = "EXIT", .opclass = STRATA_OP_EXIT};
    uint32_t load, end;
    uint64_t addr[32];
    for (uint32_t l = 0; l < 32; l++)
        addr[l] = 0x10000000 + 4ull * (l / stride * 32 + l % stride);
    assert_int_equal(strata_code_create(&code, &err), STRATA_OK);
    assert_int_equal(strata_code_add(code, &inst, &load, &err), STRATA_OK);
    assert_int_equal(strata_code_add(code, &leave, &end, &err), STRATA_OK);
    assert_int_equal(strata_builder_create(code, &builder, &err), STRATA_OK);
    assert_int_equal(strata_builder_begin_block(builder, 0, 1, &err), STRATA_OK);
    assert_int_equal(strata_builder_begin_warp(builder, 0, &err), STRATA_OK);
    assert_int_equal(strata_builder_add(builder, load, UINT32_MAX, addr, &err), STRATA_OK);
    assert_int_equal(strata_builder_add(builder, end, UINT32_MAX, NULL, &err), STRATA_OK);
    assert_int_equal(strata_builder_end_block(builder, &block, &err), STRATA_OK);
    struct strata_launch launch = {.program = "p",
                                   .trace = "t",
                                   .kernel = "mb1",
                                   .id = 1,
                                   .grid = {1, 1, 1},
                                   .block = {32, 1, 1},
                                   .registers_per_thread = 16,
                                   .sm_version = 70};
    assert_int_equal(strata_writer_create(name, NULL, &writer, &err), STRATA_OK);
    assert_int_equal(strata_writer_begin_launch(writer, &launch, code, &err), STRATA_OK);
    assert_int_equal(strata_writer_block(writer, block, &err), STRATA_OK);
    assert_int_equal(strata_writer_end_launch(writer, &err), STRATA_OK);
    assert_int_equal(strata_writer_finish(writer, &err), STRATA_OK);
    strata_block_destroy(block);
    strata_builder_destroy(builder);
    strata_code_destroy(code);
    assert_int_equal(strata_trace_open(name, NULL, &trace, &err), STRATA_OK);
    unlink(name);
    unlink(path);
    return trace;
}

static double l1_reads(const struct strata_gpu *gpu, uint32_t stride)
{
    struct strata_trace *trace = figure_3(stride);
    struct strata_result r;
    double value = -1;
    run_trace(gpu, trace, 1, &r);
    assert_true(strata_result_get(&r, LD ".sum", &value));
    strata_result_release(&r);
    strata_trace_close(trace);
    return value;
}

static void the_coalescer_microbenchmark_gives_the_reads_of_figure_4(void **state)
{
    (void)state;
    static const double new_model[] = {32, 16, 8, 4, 4, 4}, old_model[] = {32, 16, 8, 4, 2, 1};
    for (int k = 0; k < 6; k++) {
        assert_true(l1_reads(&volta_new, 1u << k) == new_model[k]);
        assert_true(l1_reads(&volta_old, 1u << k) == old_model[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fill_is_of_sectors_and_an_eviction_of_lines),
        cmocka_unit_test(a_sector_under_way_merges_and_answers_everybody_once),
        cmocka_unit_test(with_allocation_on_fill_more_misses_are_under_way_than_there_are_lines),
        cmocka_unit_test(the_old_l1_refuses_a_miss_when_all_lines_of_a_set_are_reserved),
        cmocka_unit_test(the_old_l1_refuses_beyond_its_mshrs_and_merges),
        cmocka_unit_test(a_store_follows_the_write_policy),
        cmocka_unit_test(every_request_is_answered_exactly_once),
        cmocka_unit_test(a_stream_never_hits_and_every_sector_returns),
        cmocka_unit_test(reservation_failures_exist_in_the_old_model_and_vanish_in_the_new),
        cmocka_unit_test(a_gather_waits_hundreds_of_cycles_for_mshrs_and_a_stream_hardly),
        cmocka_unit_test(two_instructions_a_cycle_shorten_what_waits_for_issue),
        cmocka_unit_test(a_missing_sector_of_a_line_that_is_there_counts_as_volta_counts_it),
        cmocka_unit_test(any_number_of_threads_gives_the_same_counters),
        cmocka_unit_test(an_sm_is_held_up_when_its_requests_wait_in_the_crossbar),
        cmocka_unit_test(an_sm_is_held_up_when_its_stores_wait_for_the_slices),
        cmocka_unit_test(a_tlb_of_few_pages_slows_a_chase_over_many),
        cmocka_unit_test(the_coalescer_microbenchmark_gives_the_reads_of_figure_4),
    };
    return cmocka_run_group_tests(tests, load_gpus, NULL);
}
