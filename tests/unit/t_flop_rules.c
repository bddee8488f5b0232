/* t_flop_rules.c - which opcodes are floating-point operations, and how many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "sm/flop_rules.h"

static struct flop_rule of(const char *opcode, uint8_t opclass, uint32_t isa)
{
    struct strata_inst i = {.opcode = opcode, .opclass = opclass};
    return flop_rule_of(&i, isa);
}
static int sass(const char *opcode)
{
    return of(opcode, STRATA_OP_FP32, STRATA_ISA_SASS).counter;
}
static int ptx(const char *opcode)
{
    return of(opcode, STRATA_OP_FP32, STRATA_ISA_PTX).counter;
}
static uint32_t product(const char *opcode, uint32_t isa)
{
    return of(opcode, STRATA_OP_TENSOR, isa).warp_flops;
}

static void machine_code_counts_by_the_name_before_the_dot(void **state)
{
    (void)state;
    assert_int_equal(sass("FADD"), LAUNCH_COUNTER_op_fadd);
    assert_int_equal(sass("FADD.FTZ"), LAUNCH_COUNTER_op_fadd);
    assert_int_equal(sass("FMUL.FTZ"), LAUNCH_COUNTER_op_fmul);
    assert_int_equal(sass("FFMA.SAT"), LAUNCH_COUNTER_op_ffma);
    assert_int_equal(sass("DADD"), LAUNCH_COUNTER_op_dadd);
    assert_int_equal(sass("DMUL"), LAUNCH_COUNTER_op_dmul);
    assert_int_equal(sass("DFMA.RM"), LAUNCH_COUNTER_op_dfma);
    assert_int_equal(sass("HADD2.F32"), LAUNCH_COUNTER_op_hadd);
    assert_int_equal(sass("HMUL2.BF16"), LAUNCH_COUNTER_op_hmul);
    assert_int_equal(sass("HFMA2.MMA"), LAUNCH_COUNTER_op_hfma);
}

static void machine_code_that_only_compares_or_moves_counts_nothing(void **state)
{
    (void)state;
    static const char *const none[] = {"FSETP.GT.AND", "FMNMX",  "FSEL", "MUFU.EX2",
                                       "DSETP",        "HSETP2", "IMAD", "I2F",
                                       "FCHK",         "MOV",    "IADD3"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(sass(none[i]), 0);
}

static void ptx_counts_by_operation_and_type(void **state)
{
    (void)state;
    assert_int_equal(ptx("add.f32"), LAUNCH_COUNTER_op_fadd);
    assert_int_equal(ptx("sub.ftz.f32"), LAUNCH_COUNTER_op_fadd);
    assert_int_equal(ptx("mul.rn.f32"), LAUNCH_COUNTER_op_fmul);
    assert_int_equal(ptx("fma.rn.ftz.f32"), LAUNCH_COUNTER_op_ffma);
    assert_int_equal(ptx("mad.rn.f32"), LAUNCH_COUNTER_op_ffma);
    assert_int_equal(ptx("sub.f64"), LAUNCH_COUNTER_op_dadd);
    assert_int_equal(ptx("mul.f64"), LAUNCH_COUNTER_op_dmul);
    assert_int_equal(ptx("fma.rn.f64"), LAUNCH_COUNTER_op_dfma);
    assert_int_equal(ptx("add.f16x2"), LAUNCH_COUNTER_op_hadd);
    assert_int_equal(ptx("mul.bf16"), LAUNCH_COUNTER_op_hmul);
    assert_int_equal(ptx("fma.rn.bf16x2"), LAUNCH_COUNTER_op_hfma);
    static const char *const none[] = {"add.s32", "mul.wide.u32", "mad.lo.s32",
                                       "sub.u64", "div.rn.f32",   "sqrt.rn.f32",
                                       "max.f32", "setp.lt.f32",  "cvt.rn.f32.u32"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(ptx(none[i]), 0);
}

static void a_product_counts_two_operations_an_element_and_step(void **state)
{
    (void)state;
    assert_int_equal(product("HMMA.16816.F32", STRATA_ISA_SASS), 2 * 16 * 8 * 16);
    assert_int_equal(product("HMMA.1688.F32.TF32", STRATA_ISA_SASS), 2 * 16 * 8 * 8);
    assert_int_equal(product("HMMA.884.F32.F32.STEP0", STRATA_ISA_SASS), 4 * 2 * 8 * 8 * 4);
    assert_int_equal(product("DMMA.884", STRATA_ISA_SASS), 2 * 8 * 8 * 4);
    assert_int_equal(product("IMMA.16832.S8.S8", STRATA_ISA_SASS), 0);
    assert_int_equal(product("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", STRATA_ISA_PTX),
                     2 * 16 * 8 * 16);
    assert_int_equal(product("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", STRATA_ISA_PTX),
                     2 * 16 * 16 * 16);
    assert_int_equal(product("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", STRATA_ISA_PTX), 0);
}

static void a_product_of_a_warpgroup_is_shared_by_its_four_warps(void **state)
{
    (void)state;
    struct strata_inst i = {.opcode = "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16",
                            .opclass = STRATA_OP_WGMMA,
                            .imm =
                                strata_wgmma_pack((struct strata_wgmma_shape){.n = 128, .k = 16})};
    assert_int_equal(flop_rule_of(&i, STRATA_ISA_PTX).warp_flops, 2 * 64 * 128 * 16 / 4);
}

static void lanes_count_once_and_products_as_a_whole(void **state)
{
    (void)state;
    struct launch_counters c = {0};
    count_flops(&c, of("FFMA", STRATA_OP_FP32, STRATA_ISA_SASS), 0xff);
    count_flops(&c, of("HMMA.16816.F32", STRATA_OP_TENSOR, STRATA_ISA_SASS), 0xffffffff);
    count_flops(&c, of("MOV", STRATA_OP_INT, STRATA_ISA_SASS), 0xffffffff);
    assert_int_equal(c.op_ffma, 8);
    assert_int_equal(c.op_tensor, 4096);
    assert_int_equal(c.instructions, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_code_counts_by_the_name_before_the_dot),
        cmocka_unit_test(machine_code_that_only_compares_or_moves_counts_nothing),
        cmocka_unit_test(ptx_counts_by_operation_and_type),
        cmocka_unit_test(a_product_counts_two_operations_an_element_and_step),
        cmocka_unit_test(a_product_of_a_warpgroup_is_shared_by_its_four_warps),
        cmocka_unit_test(lanes_count_once_and_products_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
