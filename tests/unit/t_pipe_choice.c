/* Integer instructions that two pipes have: an assembler lets them take turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sm/pipe_choice.h"

#define MOST 16

struct order {
    struct strata_inst inst[MOST];
    struct sm_inst op[MOST];
    struct sm_placed placed[MOST];
    uint32_t n;
};

static void put(struct order *o, const char *opcode, uint8_t opclass, uint8_t pipe)
{
    o->inst[o->n] = (struct strata_inst){.opcode = opcode, .opclass = opclass};
    o->op[o->n] = (struct sm_inst){.pipe = pipe, .interval = 1, .latency = 9};
    o->placed[o->n] = (struct sm_placed){&o->inst[o->n], &o->op[o->n]};
    o->n++;
}

static const struct strata_gpu gpu = {.sm = {.interval_imad_cycles = 2, .latency_imad_cycles = 4}};

static void sums_and_shifts_take_turns_between_the_pipes(void **state)
{
    (void)state;
    static const char *const both[] = {"add.s32", "shl.b32", "sub.u32", "add.u32"};
    struct order o = {.n = 0};
    for (size_t k = 0; k < 4; k++)
        put(&o, both[k], STRATA_OP_INT, SM_PIPE_ALU);
    sm_pipes_choose(&gpu, o.placed, o.n);
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(o.op[k].pipe, k % 2 ? SM_PIPE_FMA : SM_PIPE_ALU);
        assert_int_equal(o.op[k].interval, k % 2 ? 2 : 1);
        assert_int_equal(o.op[k].latency, k % 2 ? 4 : 9);
    }
    assert_int_equal(o.op[1].pipe_counter, LAUNCH_COUNTER_pipe_fma);
}

static void behind_a_product_they_stay_where_they_are(void **state)
{
    (void)state;
    struct order o = {.n = 0};
    put(&o, "fma.rn.f32", STRATA_OP_FP32, SM_PIPE_FMA);
    put(&o, "ld.global.f32", STRATA_OP_MEM, SM_PIPE_LSU); /* neither */
    put(&o, "add.s32", STRATA_OP_INT, SM_PIPE_ALU);
    sm_pipes_choose(&gpu, o.placed, o.n);
    assert_int_equal(o.op[2].pipe, SM_PIPE_ALU);
}

static void what_one_pipe_alone_has_stays_there(void **state)
{
    (void)state;
    static const char *const one[] = {"and.b32", "setp.lt.s32", "shr.u32", "min.s32", "add.s64"};
    struct order o = {.n = 0};
    for (size_t k = 0; k < 5; k++)
        put(&o, one[k], STRATA_OP_INT, SM_PIPE_ALU);
    put(&o, "add.s32", STRATA_OP_IMAD, SM_PIPE_FMA); /* a product is in it */
    sm_pipes_choose(&gpu, o.placed, o.n);
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(o.op[k].pipe, SM_PIPE_ALU);
    assert_int_equal(o.op[5].interval, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_shifts_take_turns_between_the_pipes),
        cmocka_unit_test(behind_a_product_they_stay_where_they_are),
        cmocka_unit_test(what_one_pipe_alone_has_stays_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
