/* t_warp_clock.c - what kernels read from their clocks. tests/data/sass/wait.cu waits for them. */
#include "ptxfix.h"

#include <strata/gpu.h>

static struct strata_gpu gpu;

static int load_gpu(void **state)
{
    char path[600];
    const char *root = getenv("STRATA_SOURCE");
    snprintf(path, sizeof path, "%s/gpus/h200.yaml", root ? root : ".");
    return strata_gpu_load(path, &gpu, NULL) != STRATA_OK || open_arena(state);
}

/* The rounds of a loop that waits. */
static int64_t rounds(struct strata_module *m, const char *name, int64_t time, uint32_t threads,
                      struct run_setup *setup)
{
    int64_t *out = device_memory(8 * 1024);
    struct {
        int64_t time, *out;
    } params = {time, out};
    setup->threads = threads;
    run_ok(m, name, setup, &params);
    return out[threads - 1];
}

static void machine_code_waits_as_long_as_its_control_words_say(void **state)
{
    (void)state;
    struct strata_module *m = load_machine_code("wait90.cubin");
    struct run_setup setup = {.gpu = &gpu};
    /* Stall counts of the loop's instructions, and a branch of 10 cycles. */
    assert_in_range(rounds(m, "wait32", 42000, 32, &setup), 990, 1010);
    assert_in_range(rounds(m, "wait64", 49000, 32, &setup), 990, 1200);
    strata_module_destroy(m);
}

static void a_nanosecond_is_as_many_cycles_as_the_clock_says(void **state)
{
    (void)state;
    struct strata_module *m = load_machine_code("wait90.cubin");
    struct run_setup setup = {.gpu = &gpu};
    int64_t cycles = rounds(m, "wait64", 198000, 32, &setup);
    assert_in_range(rounds(m, "wait_timer", 100000, 32, &setup), cycles - cycles / 20,
                    cycles + cycles / 20);
    strata_module_destroy(m);
}

static void a_warp_that_sleeps_lets_the_time_go_by(void **state)
{
    (void)state;
    struct strata_module *m = load_machine_code("wait90.cubin");
    struct run_setup setup = {.gpu = &gpu};
    /* 100000 cycles are 50.5 us: an H200 goes round 101 times. */
    assert_in_range(rounds(m, "wait_asleep", 100000, 32, &setup), 93, 102);
    strata_module_destroy(m);
}

static void warps_of_a_scheduler_issue_by_turns(void **state)
{
    (void)state;
    struct strata_module *m = load_machine_code("wait90.cubin");
    struct run_setup setup = {.gpu = &gpu};
    int64_t few = rounds(m, "wait64", 100000, 128, &setup);
    assert_int_equal(few, rounds(m, "wait64", 100000, 32, &setup));
    assert_true(rounds(m, "wait64", 100000, 1024, &setup) < few * 3 / 4);
    strata_module_destroy(m);
}

static void nobody_leaves_a_barrier_before_the_last_has_come(void **state)
{
    (void)state;
    struct strata_module *m = load_machine_code("wait90.cubin");
    struct run_setup setup = {.gpu = &gpu};
    assert_in_range(rounds(m, "wait_at_barrier", 50000, 64, &setup), 50000, 50300);
    strata_module_destroy(m);
}

static void how_many_threads_or_what_is_recorded_changes_no_clock(void **state)
{
    (void)state;
    struct strata_module *m = load_machine_code("wait90.cubin");
    int64_t first = 0;
    for (uint32_t host = 1; host <= 3; host++) {
        struct run_setup setup = {.gpu = &gpu, .host_threads = host, .blocks = 40};
        int64_t n = rounds(m, "wait64", 20000, 64, &setup);
        first = first ? first : n;
        assert_int_equal(n, first);
    }
    strata_module_destroy(m);
}

static void ptx_waits_for_what_its_registers_wait_for(void **state)
{
    (void)state;
    struct strata_module *m = load_text(
        PTX_HEAD
        ".visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<8>; .reg .f32 %f<4>;\n"
        "ld.param.u64 %rd1,[out]; mov.u32 %r1,%tid.x; cvt.rn.f32.u32 %f1,%r1;\n"
        "mov.u64 %rd2,%clock64;\n"
        "sin.approx.f32 %f1,%f1; sin.approx.f32 %f1,%f1; sin.approx.f32 %f1,%f1;\n"
        "cvt.rzi.u32.f32 %r2,%f1; add.u32 %r2,%r2,1;\n"
        "mov.u64 %rd3,%clock64; sub.u64 %rd3,%rd3,%rd2; st.global.u64 [%rd1],%rd3; ret; }\n");
    uint64_t *out = device_memory(8);
    struct run_setup setup = {.gpu = &gpu, .threads = 1};
    run_ok(m, "k", &setup, &out);
    uint32_t least = 3 * gpu.sm.latency_sfu_cycles + gpu.sm.latency_conv_cycles;
    assert_in_range(*out, least, 2 * least);
    strata_module_destroy(m);
}

/* ---- warps that race ---- */

struct swaps {
    uint32_t warps, n;
};

static strata_status any_code(void *user, const struct strata_code *code, struct strata_error *err)
{
    (void)user;
    (void)code;
    (void)err;
    return STRATA_OK;
}

static strata_status count_swaps(void *user, struct strata_block *block, struct strata_error *err)
{
    struct swaps *swaps = user;
    for (uint32_t warp = 0; warp < swaps->warps; warp++) {
        struct strata_cursor c;
        struct strata_winst w;
        memset(&c, 0, sizeof c);
        assert_int_equal(strata_cursor_init(&c, block, warp, err), STRATA_OK);
        while (strata_cursor_next(&c, &w))
            swaps->n += w.inst->memop == STRATA_MEM_ATOMIC;
        strata_cursor_release(&c);
    }
    strata_block_destroy(block);
    return STRATA_OK;
}

/* How often warps whose lanes add to one number, or each to its own, try to swap. */
static uint32_t swaps_of(const char *shift, uint32_t warps, const struct strata_gpu *known)
{
    char text[1024];
    struct swaps swaps = {warps, 0};
    struct strata_record_sink sink = {&swaps, any_code, count_swaps};
    struct run_setup setup = {.gpu = known, .threads = warps * 32, .sink = &sink};
    snprintf(text, sizeof text,
             PTX_HEAD ".shared .align 8 .b8 sums[256];\n"
                      ".visible .entry k(.param .u64 a) {.reg .b32 %%r<9>; .reg .f32 %%f<3>;\n"
                      "mov.u32 %%r1,%%laneid; shl.b32 %%r2,%%r1,%s; mov.u32 %%r3,sums;\n"
                      "add.s32 %%r4,%%r3,%%r2; and.b32 %%r4,%%r4,0xff; mov.f32 %%f1,0f3f800000;\n"
                      "red.shared.add.f32 [%%r4],%%f1; ret; }\n",
             shift);
    struct strata_module *m = load_text(text);
    void *param = device_memory(8);
    run_ok(m, "k", &setup, &param);
    strata_module_destroy(m);
    return swaps.n;
}

/* An H200 has 3 swaps of two warps, 10 of four, 36 of eight whose lanes each have a number, 65 of
 * two whose lanes share one (shared_spin_probe.cu), which are up to twice as many here. */
static void warps_that_come_too_late_try_again(void **state)
{
    (void)state;
    assert_int_equal(swaps_of("2", 4, NULL), 4); /* without clocks nobody is late */
    assert_int_equal(swaps_of("2", 1, &gpu), 1);
    assert_int_equal(swaps_of("2", 2, &gpu), 3);
    assert_int_equal(swaps_of("2", 4, &gpu), 10);
    assert_int_equal(swaps_of("2", 8, &gpu), 36);
    assert_in_range(swaps_of("8", 2, &gpu), 65, 127);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_code_waits_as_long_as_its_control_words_say),
        cmocka_unit_test(a_nanosecond_is_as_many_cycles_as_the_clock_says),
        cmocka_unit_test(a_warp_that_sleeps_lets_the_time_go_by),
        cmocka_unit_test(warps_of_a_scheduler_issue_by_turns),
        cmocka_unit_test(nobody_leaves_a_barrier_before_the_last_has_come),
        cmocka_unit_test(how_many_threads_or_what_is_recorded_changes_no_clock),
        cmocka_unit_test(ptx_waits_for_what_its_registers_wait_for),
        cmocka_unit_test(warps_that_come_too_late_try_again),
    };
    return cmocka_run_group_tests(tests, load_gpu, close_arena);
}
