/* What an opcode text means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>
#include <strata/trace.h>

#include "sass/lower.h"

struct expectation {
    const char *opcode;
    unsigned opclass, space, memop, width, compatible_width, hints;
};

#define MEM(text, space, memop, width, compatible, hints)                                          \
    {                                                                                              \
        text, STRATA_OP_MEM, STRATA_SPACE_##space, STRATA_MEM_##memop, width, compatible, hints    \
    }
#define PLAIN(text, opclass)                                                                       \
    {                                                                                              \
        text, STRATA_OP_##opclass, 0, 0, 0, 0, 0                                                   \
    }

static const struct expectation expectations[] = {
    MEM("LDG.E", GLOBAL, LOAD, 4, 4, 0),
    MEM("LDG.E.U8", GLOBAL, LOAD, 1, 1, 0),
    MEM("LDG.E.S8", GLOBAL, LOAD, 1, 4, 0),
    MEM("LDG.E.S16", GLOBAL, LOAD, 2, 4, 0),
    MEM("LDG.E.64", GLOBAL, LOAD, 8, 8, 0),
    MEM("LDG.E.128", GLOBAL, LOAD, 16, 16, 0),
    MEM("LDG.E.128.CONSTANT", GLOBAL, LOAD, 16, 16, STRATA_HINT_READ_ONLY),
    MEM("LDG.E.128.STRONG.GPU", GLOBAL, LOAD, 16, 16, STRATA_HINT_BYPASS_L1),
    MEM("LDG.E.64.STRONG.SYS", GLOBAL, LOAD, 8, 8, STRATA_HINT_VOLATILE),
    MEM("LDG.E.EF.LTC128B.64", GLOBAL, LOAD, 8, 8,
        STRATA_HINT_EVICT_FIRST | STRATA_HINT_PREFETCH_128B),
    MEM("LDG.E.NA.LTC64B", GLOBAL, LOAD, 4, 4, STRATA_HINT_NO_ALLOCATE | STRATA_HINT_PREFETCH_64B),
    MEM("LDG.E.EL.LTC256B", GLOBAL, LOAD, 4, 4, STRATA_HINT_EVICT_LAST | STRATA_HINT_PREFETCH_256B),
    MEM("STG.E.64", GLOBAL, STORE, 8, 8, 0),
    MEM("STG.E.STRONG.GPU", GLOBAL, STORE, 4, 4, 0),
    MEM("LDGSTS.E.BYPASS.128", GLOBAL, ASYNC_COPY, 16, 16, STRATA_HINT_BYPASS_L1),
    MEM("LDGSTS.E.LTC128B", GLOBAL, ASYNC_COPY, 4, 4, STRATA_HINT_PREFETCH_128B),
    MEM("LDGSTS.E.BYPASS.LTC128B.128", GLOBAL, ASYNC_COPY, 16, 16,
        STRATA_HINT_BYPASS_L1 | STRATA_HINT_PREFETCH_128B),
    MEM("LDS", SHARED, LOAD, 4, 4, 0),
    MEM("LDS.U.128", SHARED, LOAD, 16, 16, 0),
    MEM("STS.U16", SHARED, STORE, 2, 2, 0),
    MEM("LDSM.16.M88.4", SHARED, LOAD, 16, 2, 0),
    MEM("LDSM.16.MT88.2", SHARED, LOAD, 16, 2, 0),
    MEM("STSM.16.M88.4", SHARED, STORE, 16, 2, 0),
    MEM("LDL.LU", LOCAL, LOAD, 4, 4, STRATA_HINT_EVICT_FIRST),
    MEM("STL.64", LOCAL, STORE, 8, 8, 0),
    MEM("LD.E.64", GLOBAL, LOAD, 8, 8, STRATA_HINT_GENERIC),
    MEM("ST.E", GLOBAL, STORE, 4, 4, STRATA_HINT_GENERIC),
    MEM("ATOMG.E.ADD.STRONG.GPU", GLOBAL, ATOMIC, 4, 4, 0),
    MEM("ATOMG.E.ADD.F64.RN.STRONG.GPU", GLOBAL, ATOMIC, 8, 4, 0),
    MEM("ATOMG.E.CAS.64", GLOBAL, ATOMIC, 8, 8, 0),
    MEM("ATOMS.POPC.INC.32", SHARED, ATOMIC, 4, 4, 0),
    MEM("RED.E.ADD.F16x2.RN.STRONG.GPU", GLOBAL, REDUCTION, 4, 4, 0),
    MEM("RED.E.ADD.F32x4.FTZ.RN", GLOBAL, REDUCTION, 16, 4, 0),
    MEM("REDG.E.ADD.STRONG.GPU", GLOBAL, REDUCTION, 4, 4, 0),
    MEM("CCTL.E.PF2", GLOBAL, PREFETCH, 4, 4, 0),
    MEM("TEX.SCR.LL", TEXTURE, LOAD, 4, 4, 0),
    {"LDC.64", STRATA_OP_CONST, STRATA_SPACE_CONST, STRATA_MEM_LOAD, 8, 8, 0},
    {"ULDC.64", STRATA_OP_UNIFORM, STRATA_SPACE_CONST, STRATA_MEM_LOAD, 8, 8, 0},
    PLAIN("CCTL.IVALL", MEMBAR),
    PLAIN("IADD3.X", INT),
    PLAIN("IMAD.WIDE.U32", IMAD),
    PLAIN("FFMA.SAT", FP32),
    PLAIN("DFMA", FP64),
    PLAIN("HFMA2.MMA", FP16),
    PLAIN("HMMA.16816.F32", TENSOR),
    PLAIN("HGMMA.64x256x16.F32", TENSOR),
    PLAIN("MUFU.RCP64H", SFU),
    PLAIN("F2F.F64.F32", CONV),
    PLAIN("UIADD3", UNIFORM),
    PLAIN("BRA", BRANCH),
    PLAIN("EXIT", EXIT),
    PLAIN("BAR.SYNC.DEFER_BLOCKING", BARRIER),
    PLAIN("MEMBAR.SC.GPU", MEMBAR),
    PLAIN("S2R", SREG),
    PLAIN("SHFL.BFLY", SHUFFLE),
    PLAIN("VOTE.ANY", VOTE),
    PLAIN("LDGDEPBAR", ASYNC_COMMIT),
    PLAIN("DEPBAR.LE", ASYNC_WAIT),
    PLAIN("NOP", NOP),
    PLAIN("XMAD.PSL", INT),
    PLAIN("YIELD", BRANCH),
};

static void opcodes_mean_what_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        const struct expectation *e = &expectations[i];
        struct strata_inst inst = {.opcode = e->opcode, .hints = 0xffff, .width_bytes = 99};
        assert_true(strata_inst_decode_sass(&inst, e->opclass == STRATA_OP_MEM, false));
        assert_int_equal(inst.opclass, e->opclass);
        assert_int_equal(inst.space, e->space);
        assert_int_equal(inst.memop, e->memop);
        assert_int_equal(inst.width_bytes, e->width);
        assert_int_equal(inst.hints, e->hints);
        assert_true(strata_inst_decode_sass(&inst, e->opclass == STRATA_OP_MEM, true));
        assert_int_equal(inst.width_bytes, e->compatible_width);
    }
}

static void an_unknown_mnemonic_is_told_apart_by_its_addresses(void **state)
{
    (void)state;
    struct strata_inst inst = {.opcode = "ZZTOP.E.64"};
    assert_false(strata_inst_decode_sass(&inst, false, false));
    assert_int_equal(inst.opclass, STRATA_OP_OTHER);
    assert_int_equal(inst.width_bytes, 0);
    assert_false(strata_inst_decode_sass(&inst, true, false));
    assert_int_equal(inst.opclass, STRATA_OP_MEM);
    assert_int_equal(inst.width_bytes, 8);
    inst.opcode = "";
    assert_false(strata_inst_decode_sass(&inst, false, false));
    inst.opcode = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    assert_false(strata_inst_decode_sass(&inst, false, false));
}

/* Binary search finds every row only if the table is sorted; these lie at its ends and seams. */
static void every_part_of_the_table_is_reachable(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ACQBULK",      "ALD",       "BAR",         "BARET",     "CCTL",    "CCTLL",     "DSETP",
        "F2F",          "FSWZADD",   "GETLMEMBASE", "HADD2_32I", "IADD32I", "LDGDEPBAR", "LEA",
        "MOV32I",       "NANOSLEEP", "PSETP",       "QMMA",      "RTT",     "SETMAXREG", "TXQ",
        "UCGABAR_WAIT", "UTMASTG",   "VSHR",        "WARPSYNC",  "XMAD",    "YIELD"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct strata_inst inst = {.opcode = names[i]};
        assert_int_equal(strata_inst_decode_sass(&inst, false, false),
                         strcmp(names[i], "BARET") != 0);
    }
}

/* What is traced here can be predicted: the models know every instruction that runs. */
static void all_that_is_executed_is_known(void **state)
{
    (void)state;
    unsigned n = 0;
    for (unsigned op = 1; op < SASS_OP_COUNT; op++) {
        struct strata_inst inst = {.opcode = sass_op_name(op)};
        if (!sass_is_executed(op))
            continue;
        n++;
        if (!strata_inst_decode_sass(&inst, false, false))
            fail_msg("%s is executed, and no model knows it", inst.opcode);
    }
    assert_true(n > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opcodes_mean_what_the_table_says),
        cmocka_unit_test(an_unknown_mnemonic_is_told_apart_by_its_addresses),
        cmocka_unit_test(every_part_of_the_table_is_reachable),
        cmocka_unit_test(all_that_is_executed_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
