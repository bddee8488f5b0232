/* Control flow: divergence, barriers, calls, and functions of the runtime. */
#include "ptxfix.h"

static struct strata_module *m;

static int open_module(void **state)
{
    if (open_arena(state))
        return -1;
    m = load_fixture("features.ptx");
    return 0;
}
static int close_module(void **state)
{
    strata_module_destroy(m);
    return close_arena(state);
}

static void threads_that_loop_differently_meet_again(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 100);
    struct run_setup setup = {.threads = 100};
    run_ok(m, "collatz", &setup, &out);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t n = 0;
        for (uint32_t x = i + 1; x != 1; n++)
            x = x & 1 ? 3 * x + 1 : x / 2;
        assert_int_equal(out[i], n);
    }
    /* 100 threads are four warps; a warp loops as long as its slowest thread, not the sum: 118
     * steps of at most 11 instructions at most, and the tail once */
    assert_true(setup.stats.warp_instructions < 4 * (118 * 11 + 20));
}

static void barriers_separate_the_steps_of_a_tree(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 3);
    struct run_setup setup = {.threads = 256, .blocks = 3, .shared_bytes = 1024};
    run_ok(m, "tree", &setup, &out);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(out[i], 256 * 255 / 2);
}

static void too_little_shared_memory_is_an_error_not_a_crash(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4);
    struct run_setup setup = {.threads = 64, .shared_bytes = 100};
    assert_int_equal(run_entry(m, "tree", &setup, &out), STRATA_EFORMAT);
    assert_non_null(strstr(setup.err.message, "shared address"));
    assert_non_null(strstr(setup.err.message, "\"tree\", block (0,0,0), thread (25,0,0)"));
}

static void reductions_at_a_barrier_reach_every_thread(void **state)
{
    (void)state;
    uint32_t *out = device_memory(12 * 70);
    struct run_setup setup = {.threads = 70};
    run_ok(m, "votes_of_the_block", &setup, &out);
    for (unsigned i = 0; i < 70; i++) {
        assert_int_equal(out[3 * i], 40);
        assert_int_equal(out[3 * i + 1], 0);
        assert_int_equal(out[3 * i + 2], 1);
    }
}

static void named_barriers_count_threads(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 64);
    struct run_setup setup = {.threads = 128};
    run_ok(m, "producers", &setup, &out);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], 3 * i);
}

static void exited_threads_are_not_waited_for(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 64);
    struct run_setup setup = {.threads = 64};
    run_ok(m, "early_exit", &setup, &out);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i & 1 ? 0 : 7);
}

static void a_barrier_nobody_can_leave_is_reported(void **state)
{
    (void)state;
    struct run_setup setup = {.threads = 64};
    assert_int_equal(run_entry(m, "deadlock", &setup, NULL), STRATA_EFORMAT);
    assert_non_null(strstr(setup.err.message, "deadlock"));
    assert_true(setup.err.line > 0);
}

static void functions_call_themselves(void **state)
{
    (void)state;
    static const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13};
    uint32_t *out = device_memory(4 * 32);
    struct run_setup setup = {.threads = 32};
    run_ok(m, "recursion", &setup, &out);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], fib[i & 7]);
}

static void calls_through_pointers_may_diverge(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 40);
    struct run_setup setup = {.threads = 40};
    run_ok(m, "indirect", &setup, &out);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(out[i], i & 1 ? 2 * i : i + 1);
}

static void branches_through_a_table(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 40);
    struct run_setup setup = {.threads = 40};
    run_ok(m, "switch_by_table", &setup, &out);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(out[i], 100 * (i % 3 + 1) + i);
}

static void collect(void *user, const char *text, size_t length)
{
    char *all = user;
    size_t have = strlen(all);
    assert_true(have + length < 1000);
    memcpy(all + have, text, length);
    all[have + length] = 0;
}

static void printf_takes_all_kinds_of_arguments(void **state)
{
    (void)state;
    char all[1000] = "";
    struct run_setup setup = {.threads = 2, .blocks = 2, .print = collect, .print_user = all};
    run_ok(m, "hello", &setup, NULL);
    assert_string_equal(all, "thread 0, 0, 2.50, ok!\nthread 1, 10000000000, 2.50, ok!\n"
                             "thread 0, 0, 2.50, ok!\nthread 1, 10000000000, 2.50, ok!\n");
}

static void the_heap_lives_from_launch_to_launch(void **state)
{
    (void)state;
    uint64_t before = strata_arena_used_bytes(arena);
    uint64_t *cells = device_memory(8 * 32);
    uint32_t *out = device_memory(4 * 32);
    struct run_setup setup = {.threads = 32};
    run_ok(m, "build", &setup, &cells);
    struct {
        void *cells, *out;
    } params = {cells, out};
    run_ok(m, "tear_down", &setup, &params);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i * i);
    assert_int_equal(strata_arena_used_bytes(arena), before + 8 * 32 + 4 * 32);
    /* a second time, the cells are gone */
    assert_int_equal(run_entry(m, "tear_down", &setup, &params), STRATA_EFORMAT);
    assert_non_null(strstr(setup.err.message, "illegal address"));
}

static void constants_are_read_by_name_and_by_pointer(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 8);
    struct run_setup setup = {.threads = 8};
    static const uint32_t weights[] = {1, 10, 100, 1000};
    run_ok(m, "weigh", &setup, &out);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(out[i], weights[i & 3] + 1000);
}

#define KERNEL(body)                                                                               \
    PTX_HEAD                                                                                       \
    ".visible .entry k(.param .u64 out)\n{ .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred "        \
    "%p<8>;\nld.param.u64 %rd1,[out]; mov.u32 %r1,%tid.x; mul.wide.u32 %rd2,%r1,4;\n"              \
    "add.u64 %rd3,%rd1,%rd2;\n" body "\nret; }\n"

static void run_text(const char *text, struct run_setup *setup, uint32_t *out)
{
    struct strata_module *module = load_text(text);
    run_ok(module, "k", setup, &out);
    strata_module_destroy(module);
}

static void a_trap_ends_the_launch(void **state)
{
    (void)state;
    struct strata_module *module =
        load_text(KERNEL("setp.eq.u32 %p1,%r1,5;\n@%p1 trap;\nst.global.u32 [%rd3],1;"));
    uint32_t *out = device_memory(4 * 32);
    struct run_setup setup = {.threads = 32};
    assert_int_equal(run_entry(module, "k", &setup, &out), STRATA_EFORMAT);
    assert_non_null(strstr(setup.err.message, "thread (5,0,0): it executed a trap"));
    assert_int_equal(setup.err.line, 9);
    strata_module_destroy(module);
}

/* A branch to a trap or an exit must not keep the others apart until the end: the ballot after it
 * sees all lanes that are left. */
static void lanes_meet_behind_a_branch_that_never_returns(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 32);
    struct run_setup setup = {.threads = 32};
    run_text(KERNEL("setp.eq.u32 %p1,%r1,3; @%p1 bra DEAD; bra.uni ON;\nDEAD: exit;\n"
                    "ON: and.b32 %r2,%r1,1; setp.eq.u32 %p2,%r2,0; @%p2 bra EVEN; mov.u32 %r3,1; "
                    "bra.uni J;\n"
                    "EVEN: mov.u32 %r3,2;\nJ: activemask.b32 %r4; st.global.u32 [%rd3],%r4;"),
             &setup, out);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i == 3 ? 0 : 0xfffffff7);
}

static void nested_branches_meet_from_inside_out(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 32);
    struct run_setup setup = {.threads = 32};
    run_text(KERNEL("and.b32 %r2,%r1,1; setp.eq.u32 %p1,%r2,0; mov.u32 %r5,0; @!%p1 bra OUTER;\n"
                    "and.b32 %r3,%r1,2; setp.eq.u32 %p2,%r3,0; @%p2 bra THEN; add.u32 %r5,%r5,1; "
                    "bra.uni INNER;\n"
                    "THEN: add.u32 %r5,%r5,2;\nINNER: activemask.b32 %r6;\n"
                    "OUTER: activemask.b32 %r7; add.u32 %r8,%r6,%r7; st.global.u32 [%rd3],%r8;"),
             &setup, out);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i & 1 ? 0xffffffff : 0x55555555u + 0xffffffffu);
}

static void a_barrier_in_divergent_code_counts_warps(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 64);
    struct run_setup setup = {.threads = 64};
    run_text(KERNEL("and.b32 %r2,%r1,31; setp.lt.u32 %p1,%r2,16; @%p1 bra WAIT; bra.uni J;\n"
                    "WAIT: bar.sync 0;\nJ: st.global.u32 [%rd3],9;"),
             &setup, out);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], 9);
}

static void guarded_calls_and_returns(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 32);
    struct run_setup setup = {.threads = 32};
    run_text(
        PTX_HEAD
        ".func (.param .b32 r) f(.param .b32 x) { .reg .b32 %r<4>; .reg .pred %p<2>; ld.param.b32 "
        "%r1,[x];\n"
        "st.param.b32 [r],%r1; setp.gt.u32 %p1,%r1,10; @%p1 ret; add.u32 %r2,%r1,100; st.param.b32 "
        "[r],%r2; ret; }\n"
        ".visible .entry k(.param .u64 out) { .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred "
        "%p<3>;\n"
        ".param .b32 a; .param .b32 b; ld.param.u64 %rd1,[out]; mov.u32 %r1,%tid.x; and.b32 "
        "%r2,%r1,1;\n"
        "setp.eq.u32 %p1,%r2,1; mov.u32 %r3,5555; st.param.b32 [a],%r1; st.param.b32 [b],%r3;\n"
        "@%p1 call (b), f, (a); ld.param.b32 %r4,[b]; mul.wide.u32 %rd2,%r1,4; add.u64 "
        "%rd3,%rd1,%rd2;\n"
        "st.global.u32 [%rd3],%r4; ret; }\n",
        &setup, out);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], !(i & 1) ? 5555 : i > 10 ? i : i + 100);
}

static void a_call_through_a_wild_pointer_is_reported(void **state)
{
    (void)state;
    struct strata_module *module =
        load_text(PTX_HEAD ".visible .entry k(.param .u64 out) { .reg .b64 %rd<4>; mov.u64 "
                           "%rd1,4096; proto: .callprototype _ ();\n"
                           "call %rd1, (), proto; ret; }\n");
    uint32_t *out = device_memory(4);
    struct run_setup setup = {.threads = 32};
    assert_int_equal(run_entry(module, "k", &setup, &out), STRATA_EFORMAT);
    assert_non_null(strstr(setup.err.message, "no function"));
    strata_module_destroy(module);
}

static void endless_recursion_meets_the_stack_limit(void **state)
{
    (void)state;
    struct strata_module *module = load_text(
        PTX_HEAD
        ".func f() { .local .b8 x[64]; .reg .b32 %r<2>; mov.u32 %r1,x; call.uni f; ret; }\n"
        ".visible .entry k(.param .u64 out) { call.uni f; ret; }\n");
    uint32_t *out = device_memory(4);
    struct run_setup setup = {.threads = 32};
    assert_int_equal(run_entry(module, "k", &setup, &out), STRATA_ELIMIT);
    assert_non_null(strstr(setup.err.message, "stack"));
    strata_module_destroy(module);
}

static void an_endless_loop_meets_the_instruction_limit(void **state)
{
    (void)state;
    struct strata_module *module = load_text(KERNEL("L: add.u32 %r2,%r2,1; bra.uni L;"));
    uint32_t *out = device_memory(4);
    for (uint32_t blocks = 1; blocks < 3; blocks++) {
        struct run_setup setup = {.threads = 32, .limit = 100000, .blocks = blocks};
        assert_int_equal(run_entry(module, "k", &setup, &out), STRATA_ELIMIT);
        assert_non_null(strstr(setup.err.message, "100000"));
    }
    strata_module_destroy(module);
}

static void impossible_launches_are_refused(void **state)
{
    (void)state;
    struct strata_module *module =
        load_text(PTX_HEAD ".visible .entry k() .maxntid 64,1,1 { ret; }\n");
    struct run_setup setup = {.threads = 65};
    assert_int_equal(run_entry(module, "k", &setup, NULL), STRATA_EUSAGE);
    setup.threads = 1025;
    assert_int_equal(run_entry(module, "k", &setup, NULL), STRATA_EUSAGE);
    setup = (struct run_setup){.threads = 32, .shared_bytes = 2u << 20};
    assert_int_equal(run_entry(module, "k", &setup, NULL), STRATA_EUSAGE);
    struct strata_kernel_launch foreign = {
        .entry = strata_module_entry_find(m, "tree"), .grid = {1, 1, 1}, .block = {1, 1, 1}};
    assert_int_equal(strata_module_run(module, &foreign, NULL, NULL, NULL), STRATA_EUSAGE);
    strata_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_loop_differently_meet_again),
        cmocka_unit_test(barriers_separate_the_steps_of_a_tree),
        cmocka_unit_test(too_little_shared_memory_is_an_error_not_a_crash),
        cmocka_unit_test(reductions_at_a_barrier_reach_every_thread),
        cmocka_unit_test(named_barriers_count_threads),
        cmocka_unit_test(exited_threads_are_not_waited_for),
        cmocka_unit_test(a_barrier_nobody_can_leave_is_reported),
        cmocka_unit_test(functions_call_themselves),
        cmocka_unit_test(calls_through_pointers_may_diverge),
        cmocka_unit_test(branches_through_a_table),
        cmocka_unit_test(printf_takes_all_kinds_of_arguments),
        cmocka_unit_test(the_heap_lives_from_launch_to_launch),
        cmocka_unit_test(constants_are_read_by_name_and_by_pointer),
        cmocka_unit_test(a_trap_ends_the_launch),
        cmocka_unit_test(lanes_meet_behind_a_branch_that_never_returns),
        cmocka_unit_test(nested_branches_meet_from_inside_out),
        cmocka_unit_test(a_barrier_in_divergent_code_counts_warps),
        cmocka_unit_test(guarded_calls_and_returns),
        cmocka_unit_test(a_call_through_a_wild_pointer_is_reported),
        cmocka_unit_test(endless_recursion_meets_the_stack_limit),
        cmocka_unit_test(an_endless_loop_meets_the_instruction_limit),
        cmocka_unit_test(impossible_launches_are_refused),
    };
    return cmocka_run_group_tests(tests, open_module, close_module);
}
