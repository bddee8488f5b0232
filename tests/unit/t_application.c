/* Launches as a program: what lasts between them, when they run, and what a sample says of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <strata/predict.h>
#include <strata/sample.h>
#include <strata/timeline.h>

enum { BLOCKS = 64, WARPS = 4 }; /* a warp moves 512 bytes: 128 KB a launch */
#define BYTES   ((uint64_t)BLOCKS * WARPS * 512)
#define ARRAY_A 0x7f0000000000ull
#define ARRAY_B 0x7f0010000000ull

static struct strata_gpu gpu;
static char path[64];
static struct strata_launch asked; /* what the next launches ask of persisting lines */
static bool uses_data;             /* the next launches end when what they read is there */

static int load_gpu(void **state)
{
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    snprintf(path, sizeof path, "t_application.%ld.strata", (long)getpid());
    return strata_gpu_add_path(folder, NULL) || strata_gpu_load("h200", &gpu, NULL);
}

static int remove_trace(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* What malloc hands out begins with such bytes, where the C library can be told. */
static void fill_memory_with(int byte)
{
#ifdef M_PERTURB
    mallopt(M_PERTURB, byte);
#else
    (void)byte;
#endif
}

/* ---- traces ---- */

static void good(strata_status status, const struct strata_error *err)
{
    if (status)
        fail_msg("%s", err->message);
}

static struct strata_writer *begin_trace(void)
{
    struct strata_writer *w;
    struct strata_error err;
    good(strata_writer_create(path, NULL, &w, &err), &err);
    return w;
}

static void write_copy(struct strata_writer *w, uint32_t kind, uint64_t address, uint64_t bytes)
{
    struct strata_error err;
    good(strata_writer_memcpy(w, kind, address, bytes, &err), &err);
}

static uint32_t warp_step_bytes = 512;       /* from what one warp reads to what the next does */
static uint32_t blocks_at_work = UINT32_MAX; /* those after them only end */

static void write_blocks(struct strata_writer *w, struct strata_code *code, const uint32_t inst[2],
                         uint32_t blocks, uint64_t array)
{
    struct strata_error err;
    struct strata_builder *b;
    struct strata_block *block;
    good(strata_builder_create(code, &b, &err), &err);
    for (uint32_t k = 0; k < blocks; k++) {
        good(strata_builder_begin_block(b, k, WARPS, &err), &err);
        for (uint32_t i = 0; i < WARPS; i++) {
            uint64_t from = array + (uint64_t)(k * WARPS + i) * warp_step_bytes;
            good(strata_builder_begin_warp(b, i, &err), &err);
            if (k < blocks_at_work)
                good(strata_builder_add_strided(b, inst[0], ~0u, from, 16, &err), &err);
            good(strata_builder_add(b, inst[1], ~0u, NULL, &err), &err);
        }
        good(strata_builder_end_block(b, &block, &err), &err);
        good(strata_writer_block(w, block, &err), &err);
        strata_block_destroy(block);
    }
    strata_builder_destroy(b);
}

/* A kernel that reads or writes an array once. */
static void write_launch(struct strata_writer *w, const char *opcode, uint32_t blocks,
                         uint64_t array, uint64_t stream)
{
    struct strata_error err;
    struct strata_code *code;
    struct strata_launch launch = {.program = "chain",
                                   .trace = "kernel",
                                   .kernel = opcode,
                                   .grid = {blocks, 1, 1},
                                   .block = {WARPS * 32, 1, 1},
                                   .registers_per_thread = 32,
                                   .sm_version = 90,
                                   .stream = stream,
                                   .window = asked.window,
                                   .persisting_bytes = asked.persisting_bytes,
                                   .persisting_reset = asked.persisting_reset};
    struct strata_inst inst[2] = {{.opcode = opcode, .n_src = 1, .reg = {2}},
                                  {.pc = 16, .opcode = "EXIT", .n_src = uses_data, .reg = {2}}};
    uint32_t index[2];
    if (!strncmp(opcode, "LDG", 3))
        inst[0].n_dst = 1;
    good(strata_code_create(&code, &err), &err);
    for (int i = 0; i < 2; i++) {
        assert_true(strata_inst_decode_sass(&inst[i], !i, false));
        good(strata_code_add(code, &inst[i], &index[i], &err), &err);
    }
    good(strata_writer_begin_launch(w, &launch, code, &err), &err);
    write_blocks(w, code, index, blocks, array);
    good(strata_writer_end_launch(w, &err), &err);
    strata_code_destroy(code);
}

static void end_trace(struct strata_writer *w, struct strata_launch_set *set)
{
    struct strata_error err;
    good(strata_writer_finish(w, &err), &err);
    good(strata_launch_set_add(set, path, NULL, NULL, NULL, &err), &err);
}

static void predict(const struct strata_launch_set *set, const char *model, bool keep_caches,
                    uint32_t jobs, struct strata_prediction *out)
{
    struct strata_error err;
    struct strata_predict_options opt = {.model = strata_model_find(model),
                                         .jobs = jobs,
                                         .keep_caches = keep_caches,
                                         .model_options = {.seed = 1, .threads = 1}};
    good(strata_prediction_init(out, "h200", model, NULL, 1, &err), &err);
    good(strata_predict(set, &gpu, &opt, out, &err), &err);
}

static double dram_reads(const struct strata_prediction *p, size_t launch)
{
    double value = -1;
    assert_true(strata_result_get(&p->result[launch], "dram__sectors_read.sum", &value));
    return value;
}

/* ---- what lasts ---- */

static void what_a_launch_wrote_the_next_reads_from_the_l2(void **state)
{
    (void)state;
    const char *const models[] = {"flow", "reuse", "sim"};
    for (size_t m = 0; m < 3; m++) {
        struct strata_launch_set set = {0};
        struct strata_prediction cold, warm;
        struct strata_writer *w = begin_trace();
        write_launch(w, "STG.E.128", BLOCKS, ARRAY_A, 0);
        write_launch(w, "LDG.E.128", BLOCKS, ARRAY_A, 0);
        write_launch(w, "LDG.E.128", BLOCKS, ARRAY_B, 0);
        end_trace(w, &set);
        predict(&set, models[m], false, 1, &cold);
        predict(&set, models[m], true, 1, &warm);
        assert_true(dram_reads(&cold, 1) >= (double)BYTES / 32);
        assert_true(dram_reads(&warm, 1) == 0);
        assert_true(dram_reads(&warm, 2) >= (double)BYTES / 32);
        strata_prediction_release(&cold);
        strata_prediction_release(&warm);
        strata_launch_set_release(&set);
    }
}

static double cycles(const struct strata_prediction *p, size_t launch)
{
    double value = -1;
    assert_true(strata_result_get(&p->result[launch], "sm__cycles_elapsed.max", &value));
    return value;
}

static void a_launch_does_not_wait_for_what_came_during_the_one_before(void **state)
{
    (void)state;
    const char *const models[] = {"flow", "sim"};
    for (size_t m = 0; m < 2; m++) {
        struct strata_launch_set set = {0};
        struct strata_prediction warm;
        struct strata_writer *w = begin_trace();
        uses_data = true;
        for (int k = 0; k < 2; k++)
            write_launch(w, "LDG.E.128", BLOCKS, ARRAY_B, 0);
        uses_data = false;
        end_trace(w, &set);
        predict(&set, models[m], true, 1, &warm);
        assert_true(cycles(&warm, 1) + gpu.dram.access_cycles / 2 < cycles(&warm, 0));
        strata_prediction_release(&warm);
        strata_launch_set_release(&set);
    }
}

/* What is set up on its first use is not taken for zero before. */
static void what_memory_held_before_changes_nothing(void **state)
{
    (void)state;
    struct strata_launch_set set = {0};
    struct strata_prediction plain, filled;
    struct strata_writer *w = begin_trace();
    write_launch(w, "STG.E.128", BLOCKS, ARRAY_A, 0);
    write_launch(w, "LDG.E.128", BLOCKS, ARRAY_A, 0);
    end_trace(w, &set);
    predict(&set, "flow", true, 1, &plain);
    fill_memory_with(0x5a);
    predict(&set, "flow", true, 1, &filled);
    fill_memory_with(0);
    for (size_t k = 0; k < 2; k++) {
        assert_true(cycles(&filled, k) == cycles(&plain, k));
        assert_true(dram_reads(&filled, k) == dram_reads(&plain, k));
    }
    strata_prediction_release(&plain);
    strata_prediction_release(&filled);
    strata_launch_set_release(&set);
}

static void fills_and_small_copies_are_in_the_l2_and_dropped_copies_are_not(void **state)
{
    (void)state;
    struct strata_launch_set set = {0};
    struct strata_prediction p;
    struct strata_writer *w = begin_trace();
    write_launch(w, "LDG.E.128", BLOCKS, ARRAY_A, 0);
    write_copy(w, STRATA_EVENT_MEMSET, ARRAY_B, BYTES);
    write_launch(w, "LDG.E.128", BLOCKS, ARRAY_B, 0);
    write_copy(w, STRATA_EVENT_MEMCPY_HTOD, ARRAY_B, BYTES);
    write_launch(w, "LDG.E.128", BLOCKS, ARRAY_B, 0);
    end_trace(w, &set);
    predict(&set, "flow", true, 1, &p);
    assert_true(dram_reads(&p, 1) == 0);
    assert_true(dram_reads(&p, 2) == 0); /* lines that were there stay */
    strata_prediction_release(&p);
    struct strata_gpu before = gpu;
    good(strata_gpu_set(&gpu, "between.copies_in", "drop", NULL), NULL);
    predict(&set, "flow", true, 1, &p);
    assert_true(dram_reads(&p, 2) >= (double)BYTES / 32);
    strata_prediction_release(&p);
    gpu = before;
    strata_launch_set_release(&set);
}

/* Of what was copied and not used a launch that brings other lines in takes the places first. */
static void copies_go_before_lines_that_a_launch_or_others_have_used(void **state)
{
    (void)state;
    const struct strata_gpu whole = gpu;
    double reads[2];
    for (int others = 0; others < 2; others++) {
        struct strata_launch_set set = {0};
        struct strata_prediction p;
        struct strata_writer *w = begin_trace();
        write_copy(w, STRATA_EVENT_MEMCPY_HTOD, ARRAY_A, BYTES);
        write_launch(w, "STG.E.128", BLOCKS, ARRAY_B, 0);
        write_launch(w, "LDG.E.128", BLOCKS, ARRAY_A, 0);
        write_launch(w, "LDG.E.128", BLOCKS, ARRAY_B, 0);
        end_trace(w, &set);
        gpu.l2.cache.size_bytes = 8 * BYTES;
        gpu.between.others_at_start = others ? 7 * BYTES : 0;
        predict(&set, "flow", true, 1, &p);
        reads[others] = dram_reads(&p, 1);
        if (others)
            assert_true(dram_reads(&p, 2) < reads[others] / 2); /* what the launch wrote stays */
        strata_prediction_release(&p);
        strata_launch_set_release(&set);
        gpu = whole;
    }
    assert_true(reads[0] < BYTES / 32 / 50);
    assert_true(reads[1] > BYTES / 32 / 3);
}

/* Reads an array in a window, then 16 times as much as the L2 holds, and the array again; then the
 * same after a reset. */
static void write_window(struct strata_writer *w, float ratio)
{
    const struct strata_launch none = {.persisting_bytes = asked.persisting_bytes};
    asked.window = (struct strata_access_window){ARRAY_A, BYTES, ratio, STRATA_ACCESS_PERSISTING,
                                                 STRATA_ACCESS_NORMAL};
    write_launch(w, "LDG.E.128", BLOCKS, ARRAY_A, 0);
    for (int reset = 0; reset < 2; reset++) {
        asked = none;
        asked.persisting_reset = reset;
        write_launch(w, "LDG.E.128", 16 * BLOCKS, ARRAY_B, 0);
        asked = none;
        write_launch(w, "LDG.E.128", BLOCKS, ARRAY_A, 0);
    }
}

static void check_window(const char *model, float ratio, uint64_t aside, double least, double most)
{
    const struct strata_gpu whole = gpu;
    struct strata_launch_set set = {0};
    struct strata_prediction p;
    struct strata_writer *w = begin_trace();
    asked = (struct strata_launch){.persisting_bytes = aside};
    write_window(w, ratio);
    asked = (struct strata_launch){0};
    end_trace(w, &set);
    gpu.l2.cache.size_bytes = 6 * BYTES;
    gpu.between.others_at_start = 0;
    predict(&set, model, true, 1, &p);
    double all = (double)BYTES / 32;
    assert_in_range((uint64_t)(dram_reads(&p, 2) / all * 1000), (uint64_t)(least * 1000),
                    (uint64_t)(most * 1000));
    assert_true(dram_reads(&p, 4) >= all * 0.9); /* after the reset nothing is left */
    strata_prediction_release(&p);
    strata_launch_set_release(&set);
    gpu = whole;
}

static void lines_of_a_window_outlast_other_reads_until_a_reset(void **state)
{
    (void)state;
    static const char *const models[] = {"flow", "reuse", "sim"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        check_window(models[i], 1, 2 * BYTES, 0, 0.02);
        check_window(models[i], 0.5f, 2 * BYTES, 0.38, 0.50); /* 9 in 16 lines stay */
        check_window(models[i], 1, 0, 0.9, 1.1);
        check_window(models[i], 1, BYTES / 4, 0.6, 1.1);
    }
}

static void a_model_without_state_refuses(void **state)
{
    (void)state;
    struct strata_launch_set set = {0};
    struct strata_prediction p;
    struct strata_error err;
    struct strata_writer *w = begin_trace();
    write_launch(w, "LDG.E.128", 1, ARRAY_A, 0);
    end_trace(w, &set);
    struct strata_predict_options opt = {.model = strata_model_find("interval"),
                                         .keep_caches = true};
    good(strata_prediction_init(&p, "h200", "interval", NULL, 1, &err), &err);
    assert_int_equal(strata_predict(&set, &gpu, &opt, &p, &err), STRATA_EUSAGE);
    assert_non_null(strstr(err.message, "interval"));
    strata_prediction_release(&p);
    strata_launch_set_release(&set);
}

/* ---- order and time ---- */

static void order(struct strata_writer *w, uint64_t stream, uint32_t flags,
                  const struct strata_edge *edge, size_t n)
{
    struct strata_error err;
    struct strata_order o = {stream, flags, edge, n};
    good(strata_writer_order(w, &o, &err), &err);
}

static void build(const struct strata_launch_set *set, struct strata_prediction *p,
                  struct strata_timeline *t)
{
    struct strata_error err;
    const struct strata_result *result[256];
    predict(set, "flow", true, 2, p);
    for (size_t i = 0; i < p->n_results; i++)
        result[i] = &p->result[i];
    good(strata_timeline_build(t, set->trace[0], result, &gpu, &err), &err);
}

static void the_order_of_a_trace_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct strata_launch_set set = {0};
    struct strata_writer *w = begin_trace();
    const struct strata_edge edge[] = {{0, STRATA_EDGE_STREAM}, {1, STRATA_EDGE_HOST}};
    write_launch(w, "LDG.E.128", 1, ARRAY_A, 5);
    order(w, 7, 0, NULL, 0);
    write_copy(w, STRATA_EVENT_MEMSET, ARRAY_B, 4096);
    order(w, 9, STRATA_EVENT_ORDERED | STRATA_EVENT_IN_GRAPH, edge, 2);
    write_launch(w, "LDG.E.128", 1, ARRAY_A, 9);
    end_trace(w, &set);
    const struct strata_trace *t = set.trace[0];
    assert_int_equal(strata_trace_event(t, 0)->stream, 5);
    assert_int_equal(strata_trace_event(t, 0)->n_edges, 0);
    assert_int_equal(strata_trace_event(t, 1)->stream, 7);
    const struct strata_event *e = strata_trace_event(t, 2);
    assert_int_equal(e->flags, STRATA_EVENT_ORDERED | STRATA_EVENT_IN_GRAPH);
    assert_int_equal(e->n_edges, 2);
    assert_int_equal(strata_trace_edge(t, e->first_edge)->event, 0);
    assert_int_equal(strata_trace_edge(t, e->first_edge + 1)->kind, STRATA_EDGE_HOST);
    strata_launch_set_release(&set);
}

static void launches_of_one_stream_and_the_gaps_between_them_add_up_to_the_time(void **state)
{
    (void)state;
    struct strata_launch_set set = {0};
    struct strata_prediction p;
    struct strata_timeline t;
    struct strata_writer *w = begin_trace();
    for (int i = 0; i < 5; i++)
        write_launch(w, i % 2 ? "LDG.E.128" : "STG.E.128", BLOCKS, ARRAY_A, 0);
    end_trace(w, &set);
    build(&set, &p, &t);
    double sum = 0;
    for (size_t i = 0; i < t.n_spans; i++) {
        sum += t.span[i].end_us - t.span[i].start_us + (i ? t.span[i].gap_us : 0);
        assert_true(t.span[i].gap_us >= (i ? gpu.between.stream_gap_us - 1e-9 : 0));
    }
    assert_true(sum > t.time_us - 1e-6 && sum < t.time_us + 1e-6);
    assert_true(t.launches_us + t.idle_us > t.time_us - 1e-6);
    strata_timeline_release(&t);
    strata_prediction_release(&p);
    strata_launch_set_release(&set);
}

static void small_launches_of_two_streams_overlap_and_large_ones_wait(void **state)
{
    (void)state;
    double alone = 0, time[2];
    for (int large = 0; large < 2; large++) {
        struct strata_launch_set set = {0};
        struct strata_prediction p;
        struct strata_timeline t;
        struct strata_gpu before = gpu;
        gpu.between.host_launch_us = 0;
        struct strata_writer *w = begin_trace();
        for (uint64_t s = 1; s <= 2; s++)
            write_launch(w, "STG.E.128", large ? 132 * 16 : 8, ARRAY_A + s * 0x4000000, s);
        end_trace(w, &set);
        build(&set, &p, &t);
        alone = t.span[0].alone_us + t.span[1].alone_us;
        time[large] = t.time_us / alone;
        assert_true(t.span[0].end_us - t.span[0].start_us >= t.span[0].alone_us - 1e-9);
        strata_timeline_release(&t);
        strata_prediction_release(&p);
        strata_launch_set_release(&set);
        gpu = before;
    }
    assert_true(time[0] < 0.6);
    assert_true(time[1] > 0.99 && time[1] < 1.01);
}

static void gaps_are_those_of_graphs_dependent_launches_and_the_host(void **state)
{
    (void)state;
    const uint32_t flags[] = {STRATA_EVENT_ORDERED | STRATA_EVENT_IN_GRAPH, STRATA_EVENT_ORDERED,
                              0};
    const uint32_t kinds[] = {STRATA_EDGE_GRAPH, STRATA_EDGE_DEPENDENT, STRATA_EDGE_HOST};
    double gap[3];
    struct strata_gpu before = gpu;
    gpu.between.host_launch_us = 0;
    for (int k = 0; k < 3; k++) {
        struct strata_launch_set set = {0};
        struct strata_prediction p;
        struct strata_timeline t;
        struct strata_writer *w = begin_trace();
        const struct strata_edge edge = {0, kinds[k]};
        write_launch(w, "STG.E.128", 8, ARRAY_A, 1);
        order(w, 1, flags[k], &edge, 1);
        write_launch(w, "STG.E.128", 8, ARRAY_B, 1);
        end_trace(w, &set);
        build(&set, &p, &t);
        gap[k] = t.span[1].start_us - t.span[0].end_us;
        strata_timeline_release(&t);
        strata_prediction_release(&p);
        strata_launch_set_release(&set);
    }
    assert_true(gap[0] > gpu.between.graph_gap_us - 1e-9 &&
                gap[0] < gpu.between.graph_gap_us + 1e-9);
    assert_true(gap[1] < gpu.between.dependent_gap_us + 1e-9);
    assert_true(gap[2] >= gpu.between.host_wait_us - 1e-9);
    gpu = before;
}

/* What ui.perfetto.dev reads: every event has a phase, a name, a process and a thread; complete
 * ones a time and a length, counters numbers. */
static void check_event(json_t *e, double *end)
{
    const char *phase = json_string_value(json_object_get(e, "ph"));
    assert_non_null(phase);
    assert_true(json_is_string(json_object_get(e, "name")));
    assert_true(json_is_integer(json_object_get(e, "pid")));
    assert_true(json_is_integer(json_object_get(e, "tid")));
    assert_true(json_is_object(json_object_get(e, "args")));
    if (*phase == 'M')
        return;
    double at = json_number_value(json_object_get(e, "ts"));
    assert_true(json_is_number(json_object_get(e, "ts")) && at >= 0);
    if (*phase == 'C') {
        double use = json_number_value(json_object_get(json_object_get(e, "args"), "per cent"));
        assert_true(use >= 0 && use <= 100.001);
        return;
    }
    assert_int_equal(*phase, 'X');
    double length = json_number_value(json_object_get(e, "dur"));
    assert_true(json_is_number(json_object_get(e, "dur")) && length >= 0);
    *end = at + length > *end ? at + length : *end;
}

static void the_perfetto_file_is_what_its_readers_take_and_ends_when_the_program_does(void **state)
{
    (void)state;
    struct strata_launch_set set = {0};
    struct strata_prediction p;
    struct strata_timeline t;
    struct strata_error err;
    char *text;
    size_t length, i;
    double end = 0;
    struct strata_writer *w = begin_trace();
    write_copy(w, STRATA_EVENT_MEMCPY_HTOD, ARRAY_A, BYTES);
    write_launch(w, "LDG.E.128", BLOCKS, ARRAY_A, 1);
    write_launch(w, "STG.E.128", 8, ARRAY_B, 2);
    end_trace(w, &set);
    build(&set, &p, &t);
    good(strata_timeline_perfetto(&t, set.trace[0], &text, &length, &err), &err);
    json_t *root = json_loadb(text, length, 0, NULL), *e;
    assert_non_null(root);
    json_array_foreach(json_object_get(root, "traceEvents"), i, e) check_event(e, &end);
    assert_true(i > 8);
    assert_true(end > t.time_us - 1e-3 && end < t.time_us + 1e-3);
    json_decref(root);
    free(text);
    strata_timeline_release(&t);
    strata_prediction_release(&p);
    strata_launch_set_release(&set);
}

/* ---- samples ---- */

/* The sample of a trace, and all its launches. */
struct both {
    struct strata_launch_set set;
    struct strata_prediction all, some;
    struct strata_sample sample;
    struct strata_sample_total total;
    double sum;
};

static void sample_of(struct both *b, double share, bool warm)
{
    struct strata_error err;
    double value;
    predict(&b->set, "flow", warm, 1, &b->all);
    good(strata_sample_plan(&b->sample, b->set.trace[0], share, warm, &err), &err);
    strata_sample_choose(&b->sample, &b->set);
    predict(&b->set, "flow", warm, 1, &b->some);
    assert_true(strata_sample_estimate(&b->sample, &b->some, "gpu__time_duration.sum", &b->total));
    for (size_t i = 0; i < b->all.n_results; i++) {
        assert_true(strata_result_get(&b->all.result[i], "gpu__time_duration.sum", &value));
        b->sum += value;
    }
}

static void release_both(struct both *b)
{
    strata_sample_release(&b->sample);
    strata_prediction_release(&b->all);
    strata_prediction_release(&b->some);
    strata_launch_set_release(&b->set);
}

static bool is_inside(const struct both *b)
{
    return fabs(b->total.sum - b->sum) <= b->total.half_width;
}

static void a_sample_of_like_launches_says_what_all_of_them_do(void **state)
{
    (void)state;
    for (int warm = 0; warm < 2; warm++) {
        struct both b = {0};
        struct strata_writer *w = begin_trace();
        for (int i = 0; i < 120; i++)
            write_launch(w, i % 2 ? "LDG.E.128" : "STG.E.128", 8, ARRAY_A, 0);
        end_trace(w, &b.set);
        sample_of(&b, 0.01, warm);
        /* Warm, the first two have launches before them that no other has. */
        assert_int_equal(b.sample.n_groups, warm ? 4 : 2);
        assert_true(b.sample.modelled * 15 < b.sample.instructions);
        assert_true(is_inside(&b));
        assert_true(b.total.half_width < 0.05 * b.sum);
        release_both(&b);
    }
}

/* Launches that differ in nothing but what persists of their lines. */
static void a_sample_tells_launches_apart_by_what_persists(void **state)
{
    (void)state;
    struct strata_launch_set set = {0};
    struct strata_sample sample;
    struct strata_error err;
    struct strata_writer *w = begin_trace();
    const struct strata_access_window whole = {ARRAY_A, BYTES, 1, STRATA_ACCESS_PERSISTING,
                                               STRATA_ACCESS_NORMAL};
    struct strata_access_window half = whole, streams = whole;
    half.hit_ratio = 0.5f;
    streams.miss = STRATA_ACCESS_STREAMING;
    const struct strata_access_window *window[] = {&whole, &half, &streams, &whole, &whole};
    for (uint32_t i = 0; i < 10; i++) {
        asked.window = *window[i % 5];
        asked.persisting_bytes = BYTES;
        asked.persisting_reset = i % 5 == 4;
        write_launch(w, "LDG.E.128", 8, ARRAY_A, 0);
    }
    memset(&asked, 0, sizeof asked);
    end_trace(w, &set);
    good(strata_sample_plan(&sample, set.trace[0], 0.01, false, &err), &err);
    assert_int_equal(sample.n_groups, 4);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(sample.group[i], sample.group[i + 5]);
    assert_int_equal(sample.group[0], sample.group[3]);
    strata_sample_release(&sample);
    strata_launch_set_release(&set);
}

/* As a loop whose steps are as many as threads does that has less to do than threads. */
static void a_sample_tells_arrays_apart_that_only_the_first_block_uses(void **state)
{
    (void)state;
    struct strata_launch_set set = {0};
    struct strata_sample sample;
    struct strata_error err;
    struct strata_writer *w = begin_trace();
    blocks_at_work = 1;
    for (int i = 0; i < 20; i++)
        write_launch(w, "LDG.E.128", BLOCKS, i % 2 ? ARRAY_A : ARRAY_B, 0);
    blocks_at_work = UINT32_MAX;
    end_trace(w, &set);
    good(strata_sample_plan(&sample, set.trace[0], 0.1, false, &err), &err);
    assert_int_equal(sample.n_groups, 2);
    strata_sample_release(&sample);
    strata_launch_set_release(&set);
}

/* Eight arrays in turn, a group each, where no more than three launches are asked for. */
static void a_sample_models_no_more_than_is_asked_for(void **state)
{
    (void)state;
    for (int warm = 0; warm < 2; warm++) {
        struct both b = {0};
        struct strata_writer *w = begin_trace();
        for (uint32_t i = 0; i < 160; i++)
            write_launch(w, "LDG.E.128", 8, ARRAY_A + i % 8 * BYTES, 0);
        end_trace(w, &b.set);
        sample_of(&b, 0.02, warm);
        assert_int_equal(b.set.n_launches, 3);
        assert_true((double)b.sample.modelled <= 0.02 * (double)b.sample.instructions);
        assert_true(is_inside(&b));
        /* What no launch tells of is part of the interval: groups are alike, but nobody knows. */
        assert_true(b.total.half_width > 0.006 * b.total.sum);
        assert_true(b.total.half_width < 0.2 * b.total.sum);
        release_both(&b);
    }
}

/* One launch is asked for: it finds nothing in the caches, as no other does. */
static void a_sample_knows_that_the_first_launch_is_not_like_the_others(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct both b = {0};
        struct strata_writer *w = begin_trace();
        for (uint32_t i = 0; i < 100; i++)
            write_launch(w, "LDG.E.128", 8, ARRAY_A, 0);
        end_trace(w, &b.set);
        sample_of(&b, more ? 0.05 : 0.01, true);
        assert_int_equal(b.set.n_launches, more ? 5 : 1);
        assert_true(is_inside(&b));
        assert_true(more == (b.total.half_width < 0.02 * b.total.sum));
        release_both(&b);
    }
}

/* A hundred sizes, from one block to a hundred, each once: none can stand for another. */
static void launches_of_all_sizes_take_what_lies_between_those_modelled(void **state)
{
    (void)state;
    struct both b = {0};
    struct strata_error err;
    struct strata_writer *w = begin_trace();
    for (uint32_t i = 0; i < 100; i++)
        write_launch(w, "LDG.E.128", 1 + i * 37 % 100, ARRAY_A, 0);
    end_trace(w, &b.set);
    sample_of(&b, 0.1, false);
    assert_true(b.set.n_launches >= 6 && b.set.n_launches <= 20);
    assert_true((double)b.sample.modelled <= 0.1 * (double)b.sample.instructions);
    assert_true(is_inside(&b));
    assert_true(b.total.half_width < 0.1 * b.total.sum);
    good(strata_sample_expand(&b.sample, b.set.trace[0], &b.some, &err), &err);
    for (size_t i = 0; i < 100; i++) {
        double reads = dram_reads(&b.some, i), real = dram_reads(&b.all, i);
        assert_true(reads == round(reads));
        assert_true(fabs(reads / real - 1) < 0.05);
    }
    release_both(&b);
}

/* Launches between those chosen are left out, not the caches emptied. */
static void a_launch_after_some_left_out_finds_what_was_there_before_them(void **state)
{
    (void)state;
    struct strata_launch_set set = {0};
    struct strata_prediction p;
    struct strata_writer *w = begin_trace();
    for (int i = 0; i < 6; i++)
        write_launch(w, "LDG.E.128", 8, i % 5 ? ARRAY_B : ARRAY_A, 0);
    end_trace(w, &set);
    set.launch[1] = set.launch[5];
    set.n_launches = 2;
    predict(&set, "flow", true, 1, &p);
    assert_true(dram_reads(&p, 0) > 0);
    assert_true(dram_reads(&p, 1) == 0);
    strata_prediction_release(&p);
    strata_launch_set_release(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_launch_wrote_the_next_reads_from_the_l2),
        cmocka_unit_test(a_launch_does_not_wait_for_what_came_during_the_one_before),
        cmocka_unit_test(what_memory_held_before_changes_nothing),
        cmocka_unit_test(fills_and_small_copies_are_in_the_l2_and_dropped_copies_are_not),
        cmocka_unit_test(copies_go_before_lines_that_a_launch_or_others_have_used),
        cmocka_unit_test(lines_of_a_window_outlast_other_reads_until_a_reset),
        cmocka_unit_test(a_model_without_state_refuses),
        cmocka_unit_test(the_order_of_a_trace_is_read_as_it_was_written),
        cmocka_unit_test(launches_of_one_stream_and_the_gaps_between_them_add_up_to_the_time),
        cmocka_unit_test(small_launches_of_two_streams_overlap_and_large_ones_wait),
        cmocka_unit_test(gaps_are_those_of_graphs_dependent_launches_and_the_host),
        cmocka_unit_test(the_perfetto_file_is_what_its_readers_take_and_ends_when_the_program_does),
        cmocka_unit_test(a_sample_of_like_launches_says_what_all_of_them_do),
        cmocka_unit_test(a_sample_tells_launches_apart_by_what_persists),
        cmocka_unit_test(a_sample_tells_arrays_apart_that_only_the_first_block_uses),
        cmocka_unit_test(a_sample_models_no_more_than_is_asked_for),
        cmocka_unit_test(a_sample_knows_that_the_first_launch_is_not_like_the_others),
        cmocka_unit_test(launches_of_all_sizes_take_what_lies_between_those_modelled),
        cmocka_unit_test(a_launch_after_some_left_out_finds_what_was_there_before_them),
    };
    return cmocka_run_group_tests(tests, load_gpu, remove_trace);
}
