/* Which reads are asked again and again until another block has answered; and how often they are
 * where blocks run by time. */
#include <strata/gpu.h>

#include "emulator/waiting.h"
#include "ptxfix.h"

/* ---- rounds, step by step ---- */

/* A letter a register; the first step asks for what it writes. */
struct row {
    const char *writes, *reads;
    enum emu_step_kind kind;
    uint32_t to; /* 1 + where a branch leads; 0: none */
    bool guarded;
};

static void step(const void *user, uint32_t at, struct emu_step *out)
{
    const struct row *row = (const struct row *)user + at;
    if (!row->writes) {
        out->kind = EMU_STEP_WORKS;
        return;
    }
    for (const char *c = row->writes; *c; c++)
        emu_step_writes(out, (uint32_t)*c);
    for (const char *c = row->reads; *c; c++)
        emu_step_reads(out, (uint32_t)*c);
    out->kind = (uint8_t)row->kind;
    out->guarded = row->guarded;
    if (!row->to)
        return;
    out->parts = row->guarded;
    out->to[1] = row->guarded ? out->to[0] : EMU_NOWHERE;
    out->to[0] = row->to - 1;
}

static bool waits(const struct row *rows, uint32_t at)
{
    struct emu_code code = {rows, step, false};
    return emu_code_waits_at(&code, at);
}

static bool waits_in_loops(const struct row *rows, uint32_t at)
{
    struct emu_code code = {rows, step, true};
    return emu_code_waits_at(&code, at);
}

static bool retries(const struct row *rows, uint32_t at)
{
    struct emu_code code = {rows, step, false};
    return emu_code_retries_at(&code, at);
}

#define BACK(reg, to_step)                                                                         \
    {                                                                                              \
        "", reg, EMU_STEP_PLAIN, 1 + (to_step), true                                               \
    }
#define ALWAYS(to_step)                                                                            \
    {                                                                                              \
        "", "", EMU_STEP_PLAIN, 1 + (to_step), false                                               \
    }
#define PLAIN(d, s)                                                                                \
    {                                                                                              \
        d, s, EMU_STEP_PLAIN, 0, false                                                             \
    }
#define ASKS(d, s)                                                                                 \
    {                                                                                              \
        d, s, EMU_STEP_READS, 0, false                                                             \
    }
#define SWAPS(d, s)                                                                                \
    {                                                                                              \
        d, s, EMU_STEP_WORKS, 0, false                                                             \
    }
#define ENDS                                                                                       \
    {                                                                                              \
        NULL, NULL, EMU_STEP_WORKS, 0, false                                                       \
    }

static void a_round_waits_if_its_end_hangs_on_the_answer(void **state)
{
    (void)state;
    const struct row flag[] = {ASKS("v", "a"), PLAIN("p", "vn"), BACK("p", 0), ENDS};
    assert_true(waits(flag, 0));
    const struct row leaves[] = {ASKS("v", "a"), PLAIN("p", "v"), BACK("p", 4), ALWAYS(0), ENDS};
    assert_true(waits(leaves, 0));
    const struct row counted[] = {ASKS("v", "a"),  PLAIN("s", "sv"), PLAIN("i", "i"),
                                  PLAIN("p", "i"), BACK("p", 0),     ENDS};
    assert_false(waits(counted, 0));
    const struct row patient[] = {ASKS("v", "a"), PLAIN("i", "i"), PLAIN("p", "iv"), BACK("p", 0),
                                  ENDS};
    assert_true(waits(patient, 0));
    /* the larger of two, whatever it is the loop goes on */
    const struct row largest[] = {ASKS("v", "a"),  PLAIN("p", "vm"), BACK("p", 4), PLAIN("m", "v"),
                                  PLAIN("i", "i"), PLAIN("q", "i"),  BACK("q", 0), ENDS};
    assert_false(waits(largest, 0));
}

static void a_round_that_asks_elsewhere_each_time_works(void **state)
{
    (void)state;
    const struct row chase[] = {ASKS("a", "a"), PLAIN("p", "a"), BACK("p", 0), ENDS};
    assert_false(waits(chase, 0));
    const struct row walk[] = {ASKS("v", "a"), PLAIN("a", "a"), PLAIN("p", "v"), BACK("p", 0),
                               ENDS};
    assert_false(waits(walk, 0));
    /* made anew in each round, from what stays */
    const struct row again[] = {PLAIN("a", "u"), ASKS("a", "a"), PLAIN("p", "a"), BACK("p", 0),
                                ENDS};
    assert_true(waits(again, 1));
}

static void a_swap_of_what_was_computed_from_the_answer_works(void **state)
{
    (void)state;
    const struct row lock[] = {SWAPS("o", "acn"), PLAIN("p", "o"), BACK("p", 0), ENDS};
    assert_true(waits(lock, 0));
    const struct row sum[] = {PLAIN("n", "ox"), PLAIN("c", "o"), SWAPS("o", "acn"),
                              PLAIN("p", "oc"), BACK("p", 0),    ENDS};
    assert_false(waits(sum, 2));
    assert_true(retries(sum, 2));
    assert_false(retries(lock, 0)); /* it swaps the same again */
    /* a table: the next place where this one is taken */
    const struct row probing[] = {SWAPS("o", "acn"), PLAIN("a", "a"), PLAIN("p", "o"), BACK("p", 0),
                                  ENDS};
    assert_false(retries(probing, 0));
    /* so often, whatever it finds */
    const struct row counted[] = {PLAIN("c", "o"), SWAPS("o", "acn"), PLAIN("i", "i"),
                                  PLAIN("p", "i"), BACK("p", 0),      ENDS};
    assert_false(retries(counted, 1));
}

static void work_in_a_round_is_no_waiting_but_work_behind_it_is(void **state)
{
    (void)state;
    const struct row stores[] = {ASKS("v", "a"), SWAPS("", "bv"), PLAIN("p", "v"), BACK("p", 0),
                                 ENDS};
    assert_false(waits(stores, 0));
    /* while (!d) if (swap) { work; d = true; } */
    const struct row done[] = {SWAPS("o", "acn"), PLAIN("p", "o"), BACK("p", 5), SWAPS("", "b"),
                               PLAIN("d", ""),    PLAIN("q", "d"), BACK("q", 0), ENDS};
    assert_true(waits(done, 0));
    struct row far[20] = {ASKS("v", "a"), PLAIN("p", "v")};
    for (unsigned i = 2; i < 17; i++)
        far[i] = (struct row)PLAIN("x", "y");
    far[17] = (struct row)BACK("p", 0);
    assert_false(waits(far, 0));
}

/* for (; i; i++) { while (!ask); if (q) store; } */
static void a_loop_around_the_one_that_waits_changes_nothing(void **state)
{
    (void)state;
    const struct row rows[] = {ASKS("v", "a"),  PLAIN("p", "v"), BACK("p", 0),
                               BACK("q", 5),    SWAPS("", "b"),  PLAIN("i", "i"),
                               PLAIN("r", "i"), BACK("r", 0),    ENDS};
    assert_false(waits(rows, 0));
    assert_true(waits_in_loops(rows, 0));
    const struct row sum[] = {ASKS("v", "a"),  PLAIN("s", "sv"), PLAIN("p", "v"), BACK("p", 0),
                              PLAIN("i", "i"), PLAIN("r", "i"),  BACK("r", 0),    ENDS};
    assert_false(waits_in_loops(sum, 0));
}

/* ---- kernels ---- */

static const char kernels[] = PTX_HEAD
    /* a barrier of all blocks, the last of which comes late: rounds of three */
    ".visible .entry meet(.param .u64 flags)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred "
    "%p<4>;\nld.param.u64 %rd1,[flags]; mov.u32 %r1,%nctaid.x; mov.u32 %r2,%ctaid.x; add.u32 "
    "%r3,%r2,1; mov.u32 %r4,0;\nsetp.ne.u32 %p1,%r3,%r1; @%p1 bra COUNT;\n"
    "LATE: ld.volatile.global.u32 %r5,[%rd1+128]; add.u32 %r4,%r4,1; add.u32 %r4,%r4,%r5; "
    "setp.lt.u32 %p2,%r4,20; @%p2 bra LATE;\n"
    "COUNT: red.global.add.u32 [%rd1],1;\nWAIT: ld.volatile.global.u32 %r6,[%rd1]; setp.lt.u32 "
    "%p3,%r6,%r1; @%p3 bra WAIT;\nret; }\n"
    /* a lock that each block holds for a while: rounds of three */
    ".visible .entry lock(.param .u64 flags)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred "
    "%p<4>;\nld.param.u64 %rd1,[flags];\nWAIT: atom.global.cas.b32 %r1,[%rd1],0,1; setp.ne.u32 "
    "%p1,%r1,0; @%p1 bra WAIT;\nld.volatile.global.u32 %r2,[%rd1+4]; add.u32 %r2,%r2,1; "
    "st.volatile.global.u32 [%rd1+4],%r2; membar.gl; st.volatile.global.u32 [%rd1],0; ret; }\n"
    /* adds by comparing and swapping */
    ".visible .entry sum(.param .u64 flags)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred "
    "%p<4>;\nld.param.u64 %rd1,[flags]; ld.global.u32 %r1,[%rd1];\nAGAIN: mov.u32 %r2,%r1; add.u32 "
    "%r3,%r2,1; atom.global.cas.b32 %r1,[%rd1],%r2,%r3; setp.ne.u32 %p1,%r1,%r2; @%p1 bra "
    "AGAIN;\nret; }\n"
    /* waits for what nobody stores */
    ".visible .entry never(.param .u64 flags)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred "
    "%p<4>;\nld.param.u64 %rd1,[flags];\nWAIT: ld.acquire.gpu.u32 %r1,[%rd1]; setp.eq.u32 "
    "%p1,%r1,0; @%p1 bra WAIT;\nret; }\n"
    /* waits for the next block */
    ".visible .entry next(.param .u64 flags)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred "
    "%p<4>;\nld.param.u64 %rd1,[flags]; mov.u32 %r1,%ctaid.x; mov.u32 %r2,%nctaid.x; add.u32 "
    "%r3,%r1,1; mul.wide.u32 %rd2,%r1,4; add.u64 %rd3,%rd1,%rd2; setp.eq.u32 %p1,%r3,%r2; @%p1 bra "
    "PASS;\nWAIT: ld.relaxed.gpu.global.u32 %r4,[%rd3+4]; setp.eq.u32 %p2,%r4,0; @%p2 bra "
    "WAIT;\nPASS: st.relaxed.gpu.global.u32 [%rd3],%r3; ret; }\n";

enum { HIT = 300 };
static struct strata_module *m;
static struct strata_gpu gpu;

static int open_module(void **state)
{
    if (open_arena(state))
        return -1;
    m = load_text(kernels);
    gpu = (struct strata_gpu){.sm = {.count = 16, .schedulers = 4, .min_issue_gap_cycles = 1}};
    gpu.l2.hit_cycles = HIT;
    return 0;
}

static int close_module(void **state)
{
    strata_module_destroy(m);
    return close_arena(state);
}

static uint64_t instructions(const char *entry, uint32_t blocks, bool by_time, uint32_t *memory)
{
    struct run_setup setup = {.threads = 1, .blocks = blocks, .gpu = by_time ? &gpu : NULL};
    memset(memory, 0, 4 * 64);
    run_ok(m, entry, &setup, &memory);
    return setup.stats.warp_instructions;
}

/* 20 answers of the L2 late: the others ask some 20 times each. */
static void blocks_ask_for_a_flag_as_long_as_their_clocks_say(void **state)
{
    (void)state;
    enum { BLOCKS = 16 };
    uint32_t *flags = device_memory(4 * 64);
    uint64_t own = instructions("meet", 1, true, flags) + (BLOCKS - 1) * 12,
             n = instructions("meet", BLOCKS, true, flags);
    assert_int_equal(flags[0], BLOCKS);
    uint64_t rounds = (n - own) / 3 / (BLOCKS - 1);
    assert_in_range(rounds, 17, 23);
}

/* Those who wait ask all the time that others hold the lock, so in all the square of their number.
 */
static void blocks_ask_for_a_lock_as_long_as_others_hold_it(void **state)
{
    (void)state;
    enum { BLOCKS = 16 };
    uint32_t *flags = device_memory(4 * 64);
    uint64_t one = instructions("lock", 1, true, flags), in_order, n;
    in_order = instructions("lock", BLOCKS, false, flags);
    assert_int_equal(in_order, one * BLOCKS); /* none meets another */
    n = instructions("lock", BLOCKS, true, flags);
    assert_int_equal(flags[0], 0);
    assert_int_equal(flags[1], BLOCKS);
    assert_in_range((n - in_order) / 3, BLOCKS * (BLOCKS - 1) / 2, 4 * BLOCKS * (BLOCKS - 1) / 2);
}

/* One of those that try swaps in the time of an answer, and the others try again: of 16 blocks the
 * first does so once, the last up to 16 times, less often if its answers take longer. */
static void blocks_that_add_by_swapping_come_before_one_another(void **state)
{
    (void)state;
    enum { BLOCKS = 16, PAIRS = BLOCKS * (BLOCKS - 1) / 2 };
    uint32_t *flags = device_memory(4 * 64);
    uint64_t one = instructions("sum", 1, true, flags),
             in_order = instructions("sum", BLOCKS, false, flags);
    assert_int_equal(in_order, BLOCKS * one);
    uint64_t n = instructions("sum", BLOCKS, true, flags);
    assert_int_equal(flags[0], BLOCKS);
    assert_in_range((n - in_order) / 5, PAIRS / 2, 2 * PAIRS);
}

static void waiting_without_end_is_told(void **state)
{
    (void)state;
    uint32_t *flags = device_memory(4 * 64);
    struct run_setup setup = {.threads = 32, .blocks = 4, .gpu = &gpu, .limit = 100000};
    assert_int_equal(run_entry(m, "never", &setup, &flags), STRATA_ELIMIT);
    assert_non_null(strstr(setup.err.message, "may never end"));
}

/* More than the SMs hold: a card would wait for ever. */
static void later_blocks_are_started_for_those_that_wait(void **state)
{
    (void)state;
    uint32_t *flags = device_memory(4 * 64);
    instructions("next", 60, true, flags);
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(flags[i], i + 1);
}

static void machine_code_waits_too(void **state)
{
    (void)state;
    enum { BLOCKS = 16, PAIRS = BLOCKS * (BLOCKS - 1) / 2 };
    struct strata_module *ptx = m;
    uint32_t *words = device_memory(4 * 64);
    m = load_machine_code("locks90.cubin");
    uint64_t one = instructions("meet", 1, true, words),
             all = instructions("meet", BLOCKS, true, words);
    assert_int_equal(words[0], BLOCKS);
    assert_in_range(all, BLOCKS * one, BLOCKS * (one + 3 * 2)); /* all come at once */
    one = instructions("lock", 1, true, words);
    all = instructions("lock", BLOCKS, true, words);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], BLOCKS);
    assert_in_range(all, BLOCKS * one + 8 * PAIRS, BLOCKS * one + 8 * 16 * PAIRS);
    one = instructions("sum", 1, true, words);
    all = instructions("sum", BLOCKS, true, words);
    assert_int_equal(words[0], 3 * BLOCKS);
    assert_in_range(all, BLOCKS * one + 6 * PAIRS / 2, BLOCKS * one + 6 * 2 * PAIRS);
    strata_module_destroy(m);
    m = ptx;
}

/* cas_probe.cu, sum: four turns of 4 and 32 lanes are 238 and 1,834 instructions on an H200. */
static void lanes_whose_swap_has_taken_leave_the_others_behind(void **state)
{
    (void)state;
    struct strata_module *yields = load_machine_code("yields90.cubin");
    struct {
        uint32_t *word;
        int32_t lanes, turns;
    } params = {device_memory(4), 1, 4};
    uint64_t n[2];
    for (unsigned i = 0; i < 2; i++) {
        struct run_setup setup = {.threads = 32, .gpu = &gpu};
        params.lanes = i ? 32 : 4;
        *params.word = 0;
        run_ok(yields, "turns", &setup, &params);
        assert_int_equal(*params.word, params.lanes * params.turns);
        n[i] = setup.stats.warp_instructions;
    }
    assert_in_range(n[0], 230, 242);
    assert_in_range(n[1], 1820, 1840);
    strata_module_destroy(yields);
}

/* A lane that waits for a lock yields in a region of its own: those behind it stay. */
static void lanes_behind_another_region_wait_for_one_that_yields(void **state)
{
    (void)state;
    struct strata_module *yields = load_machine_code("yields90.cubin");
    uint32_t *words = device_memory(8);
    struct {
        uint32_t *lock, *count;
    } params = {words, words + 1};
    for (uint32_t blocks = 1; blocks <= 3; blocks += 2) {
        struct run_setup setup = {.threads = 64, .blocks = blocks, .gpu = &gpu};
        words[0] = words[1] = 0;
        run_ok(yields, "nested", &setup, &params);
        assert_int_equal(words[0], 0);
        assert_int_equal(words[1], 64 * blocks);
    }
    strata_module_destroy(yields);
}

/* Flags in shared memory: all have seen one before the one that takes it back has done its work.
 * From this source an H200 gets the same sums and polls 1,290 to 1,300 times in the warp that takes
 * the flag back, 1,145 to 1,160 times in the others; here 1,756 and 1,532 from machine code, 1,372
 * and 1,167 from PTX. */
static void warps_take_turns(struct strata_module *relay, const struct strata_gpu *clocks)
{
    enum { WARPS = 8, BATCHES = 8 };
    int32_t *sums = device_memory(4 * WARPS), *polls = device_memory(4 * WARPS);
    struct {
        int32_t *sums, *polls, batches;
    } params = {sums, polls, BATCHES};
    struct run_setup setup = {.threads = 32 * WARPS, .gpu = clocks};
    run_ok(relay, "relay", &setup, &params);
    for (unsigned i = 1; i < WARPS; i++) {
        assert_int_equal(sums[i], BATCHES * (BATCHES + 1) / 2);
        assert_in_range(polls[i], 800, 2000);
    }
}

static void warps_that_wait_in_shared_memory_go_by_their_clocks(void **state)
{
    (void)state;
    struct strata_gpu clocks;
    char path[600];
    const char *root = getenv("STRATA_SOURCE");
    snprintf(path, sizeof path, "%s/gpus/h200.yaml", root ? root : ".");
    assert_int_equal(strata_gpu_load(path, &clocks, NULL), STRATA_OK);
    struct strata_module *code = load_machine_code("relay90.cubin"),
                         *text = load_fixture("relay.ptx");
    warps_take_turns(code, &clocks);
    warps_take_turns(text, &clocks);
    strata_module_destroy(code);
    strata_module_destroy(text);
}

static void warps_that_wait_for_nobody_are_told(void **state)
{
    (void)state;
    struct strata_module *code[] = {load_machine_code("relay90.cubin"), load_fixture("relay.ptx")};
    int32_t *sums = device_memory(64);
    for (unsigned i = 0; i < 4; i++) {
        struct run_setup setup = {.threads = 64, .blocks = 40, .gpu = i & 1 ? &gpu : NULL};
        setup.host_threads = 2;
        assert_int_equal(run_entry(code[i / 2], "never", &setup, &sums), STRATA_EFORMAT);
        assert_non_null(strstr(setup.err.message, "block (0,0,0), thread (32,0,0): deadlock: "));
        assert_non_null(strstr(setup.err.message, "in a loop for the word at shared address"));
    }
    strata_module_destroy(code[0]);
    strata_module_destroy(code[1]);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"meet", "lock", "next", "sum"};
    uint32_t *flags = device_memory(4 * 64);
    for (unsigned k = 0; k < 4; k++) {
        uint64_t n = instructions(names[k], 40, true, flags);
        struct run_setup setup = {.threads = 1, .blocks = 40, .gpu = &gpu, .host_threads = 3};
        memset(flags, 0, 4 * 64);
        run_ok(m, names[k], &setup, &flags);
        assert_int_equal(setup.stats.warp_instructions, n);
        assert_false(setup.stats.ran_in_parallel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_waits_if_its_end_hangs_on_the_answer),
        cmocka_unit_test(a_round_that_asks_elsewhere_each_time_works),
        cmocka_unit_test(a_swap_of_what_was_computed_from_the_answer_works),
        cmocka_unit_test(work_in_a_round_is_no_waiting_but_work_behind_it_is),
        cmocka_unit_test(a_loop_around_the_one_that_waits_changes_nothing),
        cmocka_unit_test(blocks_ask_for_a_flag_as_long_as_their_clocks_say),
        cmocka_unit_test(blocks_ask_for_a_lock_as_long_as_others_hold_it),
        cmocka_unit_test(blocks_that_add_by_swapping_come_before_one_another),
        cmocka_unit_test(waiting_without_end_is_told),
        cmocka_unit_test(later_blocks_are_started_for_those_that_wait),
        cmocka_unit_test(machine_code_waits_too),
        cmocka_unit_test(lanes_whose_swap_has_taken_leave_the_others_behind),
        cmocka_unit_test(lanes_behind_another_region_wait_for_one_that_yields),
        cmocka_unit_test(warps_that_wait_in_shared_memory_go_by_their_clocks),
        cmocka_unit_test(warps_that_wait_for_nobody_are_told),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, open_module, close_module);
}
