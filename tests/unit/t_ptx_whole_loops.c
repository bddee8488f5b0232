/* Loops that are written out, as ptxas 13.0 does it for sm_90 (src/ptx/whole_loops.c): what is left
 * of them in a record, and that they compute what the loop does. */
#include "recordfix.h"

enum { THREADS = 32 };

/* What 32 threads leave in `out`, and the record. */
static void compute(const char *text, uint64_t out[THREADS], struct record *r)
{
    uint64_t *in = device_memory(THREADS * 8), *answer = device_memory(THREADS * 8);
    void *params[2] = {in, answer};
    for (unsigned i = 0; i < THREADS; i++)
        in[i] = 0x123456789abcdefull * (i + 3) ^ i;
    memset(answer, 0, THREADS * 8);
    run_recorded(text, THREADS, params, r);
    memcpy(out, answer, THREADS * 8);
}

#define LOOP_KERNEL(keep, begin, body, end)                                                        \
    KERNEL("shl.b64 %rd3,%rd3,1; add.u64 %rd4,%rd1,%rd3; add.u64 %rd5,%rd2,%rd3;\n"                \
           "ld.global.u64 %rd6,[%rd4]; cvt.u32.u64 %r2,%rd6; mov.u64 %rd8,7;\n" begin              \
           "\nL: " keep body end "@%p1 bra L;\nst.global.u64 [%rd5],%rd6;")
#define UP(n) "add.s32 %r3,%r3,1; setp.lt.s32 %p1,%r3," n ";\n"
#define NONE  ""
#define KEEP  ".pragma \"nounroll\";\n"

static const struct {
    const char *rolled, *plain;
    unsigned branches; /* that are left */
} loops[] = {
#define CASE(begin, body, end, left)                                                               \
    {                                                                                              \
        LOOP_KERNEL(KEEP, begin, body, end), LOOP_KERNEL(NONE, begin, body, end), left             \
    }
    CASE("mov.u32 %r3,0;", "mul.lo.u64 %rd6,%rd6,%rd8; xor.b64 %rd6,%rd6,%rd3;\n", UP("9"), 0),
    /* the counter is read, shifted by and compared */
    CASE("mov.u32 %r3,2;",
         "cvt.s64.s32 %rd9,%r3; mul.lo.s64 %rd9,%rd9,5; add.s64 %rd6,%rd6,%rd9;\n"
         "shl.b64 %rd10,%rd8,%r3; xor.b64 %rd6,%rd6,%rd10; setp.gt.s32 %p2,%r3,4;\n"
         "selp.b64 %rd11,%rd8,%rd6,%p2; add.s64 %rd6,%rd6,%rd11;\n",
         UP("11"), 0),
    /* downwards, a comparison before the step, and one of unsigned numbers */
    CASE("mov.u32 %r3,6;",
         "mad.lo.s32 %r2,%r2,%r3,-5; cvt.u64.u32 %rd9,%r2; add.s64 %rd6,%rd6,"
         "%rd9; shr.s32 %r5,%r3,1; cvt.s64.s32 %rd9,%r5; xor.b64 %rd6,%rd6,%rd9;\n",
         "setp.gt.u32 %p1,%r3,1; add.s32 %r3,%r3,-1;\n", 0),
    /* results of one round that the next reads, before and after they are written */
    CASE("mov.u32 %r3,0; mov.u64 %rd9,1; mov.u64 %rd10,2;",
         "add.s64 %rd11,%rd9,%rd10; mov.u64 %rd9,%rd10; mov.u64 %rd10,%rd11; "
         "mul.lo.u64 %rd6,%rd6,%rd11; add.s64 %rd6,%rd6,%rd9;\n",
         UP("6"), 0),
    /* a write under a predicate stays that of its register */
    CASE("mov.u32 %r3,0; mov.u64 %rd9,1;",
         "setp.gt.s32 %p2,%r2,0; @%p2 add.s64 %rd9,%rd9,3; add.s32 %r2,%r2,1999999999;\n"
         "mul.lo.u64 %rd6,%rd6,%rd9; add.s64 %rd6,%rd6,%rd9;\n",
         UP("7"), 0),
    /* too many rounds, and a number of them that the code does not tell */
    CASE("mov.u32 %r3,0;", "mul.lo.u64 %rd6,%rd6,%rd8; xor.b64 %rd6,%rd6,%rd3;\n", UP("4000"), 199),
    CASE("and.b32 %r7,%r1,0; add.s32 %r7,%r7,5; mov.u32 %r3,0;", "mul.lo.u64 %rd6,%rd6,%rd8;\n",
         UP("%r7"), 4),
};

static unsigned branches(const struct record *r)
{
    unsigned n = 0;
    for (unsigned i = 0; i < r->n; i++)
        n += r->inst[i].opclass == STRATA_OP_BRANCH;
    return n;
}

static void what_is_written_out_computes_what_the_loop_does(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        uint64_t rolled[THREADS], plain[THREADS];
        struct record r;
        compute(loops[k].rolled, rolled, &r);
        assert_true(branches(&r) > 0);
        compute(loops[k].plain, plain, &r);
        assert_memory_equal(rolled, plain, sizeof plain);
        if (!loops[k].branches)
            assert_int_equal(branches(&r), 0);
        else
            assert_true(branches(&r) > 0);
    }
}

/* A round that one lane in two leaves in part. */
static void branches_within_a_round_stay(void **state)
{
    (void)state;
#define BRANCHY(keep)                                                                              \
    LOOP_KERNEL(keep, "mov.u32 %r3,0;",                                                            \
                "add.s32 %r4,%r2,%r3; and.b32 %r5,%r4,1; setp.eq.s32 %p2,%r5,0; @%p2 bra ODD;\n"   \
                "mul.lo.u64 %rd9,%rd6,3; atom.global.add.u32 %r6,[%rd5],0; cvt.u64.u32 %rd10,"     \
                "%r6; add.s64 %rd6,%rd9,%rd10;\nODD: add.s64 %rd6,%rd6,%rd8;\n",                   \
                UP("5"))
    uint64_t rolled[THREADS], plain[THREADS];
    struct record r;
    compute(BRANCHY(KEEP), rolled, &r);
    compute(BRANCHY(NONE), plain, &r);
    assert_memory_equal(rolled, plain, sizeof plain);
    assert_true(branches(&r) >= 5);
}

/* The step, the comparison and what is computed of the counter leave no record. */
static void what_is_known_in_each_round_leaves_no_record(void **state)
{
    (void)state;
    uint64_t out[THREADS];
    struct record r;
    compute(loops[1].plain, out, &r);
    assert_int_equal(count(&r, "setp.lt.s32") + count(&r, "setp.gt.s32"), 0);
    assert_int_equal(count(&r, "shl.b64"), 2); /* that of the address */
    assert_int_equal(count(&r, "mul.lo.s64"), 0);
    assert_int_equal(count(&r, "add.s32"), 0);
    assert_int_equal(count(&r, "selp.b64"), 0);
}

/* ULDC, and UIADD3 of what comes by it; an address that a lane computes is loaded from by LDC. */
static void constants_of_known_places_come_through_uniform_registers(void **state)
{
    (void)state;
#define CONSTANTS ".const .align 4 .b32 table[16] = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16};\n"
    static const char loop[] = PTX_HEAD CONSTANTS
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %r<16>; .reg .b64 "
        "%rd<16>; "
        ".reg .pred %p<8>;\nld.param.u64 %rd2,[out]; mov.u32 %r1,%tid.x; mul.wide.u32 %rd3,%r1,8; "
        "add.u64 %rd5,%rd2,%rd3;\nmov.u64 %rd6,table; mov.u32 %r2,0; mov.u32 %r9,0;\n"
        "O: mul.wide.s32 %rd7,%r9,4; mov.u64 %rd8,%rd6; mov.u32 %r3,0;\n"
        "L: add.s64 %rd9,%rd8,%rd7; ld.const.u32 %r4,[%rd9]; add.s32 %r2,%r2,%r4;\n"
        "add.s64 %rd8,%rd8,8; add.s32 %r3,%r3,1; setp.lt.s32 %p1,%r3,8; @%p1 bra L;\n"
        "add.s32 %r9,%r9,1; setp.lt.u32 %p2,%r9,2; @%p2 bra O;\n"
        "st.global.u32 [%rd5],%r2; ret; }\n";
    uint64_t out[THREADS];
    struct record r;
    compute(loop, out, &r);
    assert_int_equal(out[0], 16 * 17 / 2);
    assert_int_equal(branches(&r), 0);
    assert_int_equal(count(&r, "ld.const.u32"), 16);
    assert_int_equal(r.inst[find(&r, "ld.const.u32")].opclass, STRATA_OP_UNIFORM);
    assert_int_equal(r.inst[find(&r, "add.s32")].opclass, STRATA_OP_UNIFORM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_out_computes_what_the_loop_does),
        cmocka_unit_test(branches_within_a_round_stay),
        cmocka_unit_test(what_is_known_in_each_round_leaves_no_record),
        cmocka_unit_test(constants_of_known_places_come_through_uniform_registers),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
