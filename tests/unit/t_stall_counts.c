/* The stall counts an assembler gives: how far apart accesses are, and a predicate from what is
 * executed under it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sm/scoreboard.h"
#include "sm/stall_counts.h"

#define MOST 24

struct order {
    struct strata_inst inst[MOST];
    struct sm_inst op[MOST];
    struct sm_placed placed[MOST];
    uint32_t n;
};

static void put(struct order *o, const char *opcode, uint8_t pipe, int writes, int reads)
{
    struct strata_inst *i = &o->inst[o->n];
    struct sm_inst *op = &o->op[o->n];
    memset(i, 0, sizeof *i);
    memset(op, 0, sizeof *op);
    i->opcode = opcode;
    op->pipe = pipe;
    op->is_branch = !strcmp(opcode, "bra");
    if (writes >= 0)
        op->write[op->n_write++] = (uint16_t)writes;
    if (reads >= 0)
        op->read[op->n_read++] = (uint16_t)reads;
    o->placed[o->n] = (struct sm_placed){i, op};
    o->n++;
}
static void sums(struct order *o, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        put(o, "add.f32", SM_PIPE_FMA, 90, 91);
}

/* Cycles from the issue of one instruction to that of another, if nothing else is waited for. */
static uint32_t distance(const struct order *o, uint32_t from, uint32_t to)
{
    struct strata_gpu gpu = {0};
    uint32_t cycles = 0;
    gpu.sm.min_issue_gap_cycles = 1;
    for (uint32_t k = from; k < to; k++)
        cycles += sm_issue_gap(&gpu, &o->op[k], false);
    return cycles;
}

static void accesses_of_a_warp_are_four_cycles_apart(void **state)
{
    (void)state;
    for (uint32_t between = 0; between < 6; between++) {
        struct order o = {.n = 0};
        put(&o, "ld.global.f32", SM_PIPE_LSU, 1, 2);
        sums(&o, between);
        put(&o, "st.shared.f32", SM_PIPE_LSU, -1, 3);
        put(&o, "shfl.sync.idx.b32", SM_PIPE_LSU, 4, 5);
        sm_stall_counts_find(o.placed, o.n);
        assert_int_equal(distance(&o, 0, between + 1), between < 3 ? 4 : between + 1);
        assert_int_equal(distance(&o, between + 1, between + 2), 4);
    }
}

static void what_is_executed_under_a_predicate_waits_for_it(void **state)
{
    (void)state;
    static const struct {
        const char *user;
        uint32_t cycles;
    } row[] = {{"bra", 13},        {"add.f32", 13}, {"selp.b32", 1},
               {"setp.eq.s32", 1}, {"and.pred", 1}, {"exit", 13}};
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        struct order o = {.n = 0};
        put(&o, "setp.lt.s32", SM_PIPE_ALU, 7, 1);
        put(&o, row[r].user, SM_PIPE_ALU, -1, 7);
        sm_stall_counts_find(o.placed, o.n);
        assert_int_equal(distance(&o, 0, 1), row[r].cycles);
    }
}

static void a_predicate_computed_early_costs_nothing(void **state)
{
    (void)state;
    for (uint32_t between = 0; between < 16; between++) {
        struct order o = {.n = 0};
        put(&o, "setp.lt.s32", SM_PIPE_ALU, 7, 1);
        sums(&o, between);
        put(&o, "bra", SM_PIPE_NONE, -1, 7);
        sm_stall_counts_find(o.placed, o.n);
        assert_int_equal(distance(&o, 0, between + 1), between < 12 ? 13 : between + 1);
    }
}

static void code_that_has_stall_counts_keeps_them(void **state)
{
    (void)state;
    struct order o = {.n = 0};
    sums(&o, 3);
    o.op[1].control.known = 1;
    o.op[1].control.stall = 9;
    sm_stall_counts_find(o.placed, o.n);
    assert_int_equal(distance(&o, 0, 1), 1);
    assert_int_equal(distance(&o, 1, 2), 9);
}

static void other_predicates_are_not_waited_for(void **state)
{
    (void)state;
    struct order o = {.n = 0};
    put(&o, "setp.lt.s32", SM_PIPE_ALU, 7, 1);
    put(&o, "bra", SM_PIPE_NONE, -1, 8);
    sums(&o, 1);
    sm_stall_counts_find(o.placed, o.n);
    assert_int_equal(distance(&o, 0, 1), 1);
    assert_int_equal(distance(&o, 1, 2), 5); /* not taken */
    assert_false(o.op[0].control.known);
}

/* Pipes of arithmetic hand results to themselves after their latency, to others after 5 cycles. */
static void what_another_unit_reads_comes_a_cycle_later(void **state)
{
    (void)state;
    static const struct {
        uint8_t from, to;
        uint32_t cycles;
    } row[] = {{SM_PIPE_ALU, SM_PIPE_FMA, 5}, {SM_PIPE_FMA, SM_PIPE_ALU, 5},
               {SM_PIPE_FMA, SM_PIPE_LSU, 5}, {SM_PIPE_ALU, SM_PIPE_LSU, 5},
               {SM_PIPE_ALU, SM_PIPE_ALU, 1}, {SM_PIPE_FMA, SM_PIPE_FMA, 1},
               {SM_PIPE_FMA, SM_PIPE_XU, 1},  {SM_PIPE_XU, SM_PIPE_FMA, 1}};
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++)
        for (uint32_t between = 0; between < 6; between++) {
            struct order o = {.n = 0};
            put(&o, "test", row[r].from, 1, 2);
            for (uint32_t k = 0; k < between; k++)
                put(&o, "test", SM_PIPE_XU, 90, 91);
            put(&o, "test", row[r].to, 3, 1);
            sm_stall_counts_find(o.placed, o.n);
            uint32_t alone = between + 1;
            assert_int_equal(distance(&o, 0, between + 1),
                             alone > row[r].cycles ? alone : row[r].cycles);
        }
}

static void loads_of_constants_are_eight_cycles_apart(void **state)
{
    (void)state;
    static const uint8_t class[] = {STRATA_OP_SREG, STRATA_OP_CONST, STRATA_OP_CONST,
                                    STRATA_OP_SREG};
    struct order o = {.n = 0};
    for (size_t k = 0; k < sizeof class; k++) {
        put(&o, "test", SM_PIPE_NONE, 10 + (int)k, -1);
        o.inst[k].opclass = class[k];
    }
    sm_stall_counts_find(o.placed, o.n);
    assert_int_equal(distance(&o, 0, 1), 7);
    assert_int_equal(distance(&o, 1, 2), 8);
    assert_int_equal(distance(&o, 2, 3), 1);
}

/* order_probe.cu: blocks of an SM end in the order in which they were given out. */
static void the_oldest_block_goes_first_and_its_warps_take_turns(void **state)
{
    (void)state;
    struct sm_turns turns = {.n_blocks = 0};
    sm_turns_begin(&turns, 0, 9); /* a block that has ended: its slot is taken again */
    sm_turns_begin(&turns, 1, SM_AGES_A_BLOCK);
    sm_turns_begin(&turns, 3, SM_AGES_A_BLOCK + 1);
    sm_turns_begin(&turns, 0, 2 * SM_AGES_A_BLOCK);
    sm_turns_begin(&turns, 2, 2 * SM_AGES_A_BLOCK + 1);
    uint32_t policy = STRATA_SCHED_OLDEST_BLOCK;
    assert_int_equal(sm_first_in_rank(policy, 15, 0, 1, &turns), 3);
    assert_int_equal(sm_first_in_rank(policy, 15, 0, 3, &turns), 1);
    assert_int_equal(sm_first_in_rank(policy, 5, 0, 0, &turns), 2);
    /* All that store take turns, where the oldest block would store. */
    assert_int_equal(sm_first_in_rank(policy, 15, 15, 1, &turns), 2);
    assert_int_equal(sm_first_in_rank(policy, 15, 5, 1, &turns), 3);
    assert_int_equal(sm_first_in_rank(STRATA_SCHED_LRR, 15, 0, 1, &turns), 2);
    struct strata_gpu gpu = {.sm.scheduler_policy = STRATA_SCHED_OLDEST_BLOCK};
    assert_int_equal(sm_policy(&gpu, STRATA_ISA_PTX), STRATA_SCHED_LRR_STORES);
    assert_int_equal(sm_policy(&gpu, STRATA_ISA_SASS), policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_block_goes_first_and_its_warps_take_turns),
        cmocka_unit_test(accesses_of_a_warp_are_four_cycles_apart),
        cmocka_unit_test(what_is_executed_under_a_predicate_waits_for_it),
        cmocka_unit_test(a_predicate_computed_early_costs_nothing),
        cmocka_unit_test(code_that_has_stall_counts_keeps_them),
        cmocka_unit_test(other_predicates_are_not_waited_for),
        cmocka_unit_test(what_another_unit_reads_comes_a_cycle_later),
        cmocka_unit_test(loads_of_constants_are_eight_cycles_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
