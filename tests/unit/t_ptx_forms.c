/* What ptxas makes of several ops together, as records of PTX have it. */
#include "recordfix.h"

static void record(const char *text, struct record *r)
{
    void *params[2] = {device_memory(4096), device_memory(4096)};
    run_recorded(text, 32, params, r);
}

static void a_division_without_rare_cases_has_no_branch(void **state)
{
    (void)state;
    struct record r;
    record(KERNEL("ld.global.f32 %f1,[%rd4]; div.approx.f32 %f2,%f1,%f1;\n"
                  "st.global.f32 [%rd5],%f2;"),
           &r);
    assert_int_equal(count(&r, "bra"), 0);
}

/* IADD3: of the sum that was taken along both operands are waited for. */
static void who_takes_an_op_along_reads_all_that_it_read(void **state)
{
    (void)state;
    struct record r;
    record(KERNEL("ld.global.u32 %r2,[%rd4]; ld.global.u32 %r3,[%rd4+4];\n"
                  "ld.global.u32 %r4,[%rd4+8]; add.s32 %r5,%r2,%r3; add.s32 %r6,%r5,%r4;\n"
                  "st.global.u32 [%rd5],%r6;"),
           &r);
    assert_int_equal(count(&r, "add.s32"), 1);
    const struct strata_inst *sum = &r.inst[find(&r, "add.s32")];
    unsigned first = find(&r, "ld.global.u32");
    assert_int_equal(sum->n_src, 3);
    for (unsigned k = 0; k < 3; k++) {
        bool read = false;
        for (unsigned j = 0; j < 3; j++)
            read |= sum->reg[sum->n_dst + j] == r.inst[first + k].reg[0];
        assert_true(read);
    }
}

#define LOADS "ld.global.f32 %f1,[%rd4]; ld.global.f32 %f2,[%rd4+4];\n"
#define STORE " st.global.f32 [%rd5],%f4;"

static void a_product_that_may_be_fused_is_one_instruction_with_its_sum(void **state)
{
    (void)state;
    static const struct {
        const char *text, *product;
        unsigned n;
    } cases[] = {
        {KERNEL(LOADS "mul.f32 %f3,%f1,%f2; sub.f32 %f4,%f1,%f3;" STORE), "mul.f32", 0},
        {KERNEL(LOADS "mul.f32 %f3,%f1,%f2; add.f32 %f4,%f3,%f2;" STORE), "mul.f32", 0},
        {KERNEL(LOADS "mul.f32 %f3,%f1,%f2; mul.f32 %f5,%f1,%f1; sub.f32 %f4,%f5,%f3;" STORE),
         "mul.f32", 1}, /* a sum takes one */
        {KERNEL(LOADS "mul.rn.f32 %f3,%f1,%f2; sub.f32 %f4,%f1,%f3;" STORE), "mul.rn.f32", 1},
        {KERNEL(LOADS "mul.f32 %f3,%f1,%f2; sub.rn.f32 %f4,%f1,%f3;" STORE), "mul.f32", 1},
        {KERNEL(LOADS "mul.f32 %f3,%f1,%f2; sub.f32 %f5,%f1,%f3; add.f32 %f4,%f5,%f3;" STORE),
         "mul.f32", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r;
        record(cases[i].text, &r);
        assert_int_equal(count(&r, cases[i].product), cases[i].n);
    }
}

/* FFMA.SAT; where what is limited is read by others, too, FADD.SAT behind it. */
static void a_limit_to_one_is_that_of_the_sum_or_product(void **state)
{
    (void)state;
    struct record r;
    record(KERNEL(LOADS "fma.rn.f32 %f3,%f1,%f2,%f1; cvt.sat.f32.f32 %f4,%f3;" STORE), &r);
    assert_int_equal(count(&r, "cvt.sat.f32.f32"), 0);
    record(KERNEL(LOADS "fma.rn.f32 %f3,%f1,%f2,%f1; cvt.sat.f32.f32 %f5,%f3;\n"
                        "mul.rn.f32 %f4,%f5,%f3;" STORE),
           &r);
    assert_int_equal(r.inst[find(&r, "cvt.sat.f32.f32")].opclass, STRATA_OP_FP32);
}

static unsigned records_of(const char *text, const char *opcode)
{
    struct record r;
    record(text, &r);
    return count(&r, opcode);
}

#define DIVISOR "ld.global.u32 %r2,[%rd4]; or.b32 %r3,%r2,1;\n"

/* I2F, MUFU.RCP, F2I and what makes an integer of it are there once for a divisor. */
static void divisions_by_one_number_share_its_reciprocal(void **state)
{
    (void)state;
    unsigned one = records_of(KERNEL(DIVISOR "rem.u32 %r4,%r1,%r3; st.global.u32 [%rd5],%r4;"),
                              "rem.u32"),
             two = records_of(KERNEL(DIVISOR "rem.u32 %r4,%r1,%r3; rem.u32 %r5,%r2,%r3;\n"
                                             "st.global.u32 [%rd5],%r4;"),
                              "rem.u32"),
             others = records_of(KERNEL(DIVISOR "rem.u32 %r4,%r1,%r3; rem.u32 %r5,%r3,%r4;\n"
                                                "st.global.u32 [%rd5],%r5;"),
                                 "rem.u32");
    assert_int_equal(two - one, 8);
    assert_int_equal(others, 2 * one);
}

static void a_loop_finds_the_reciprocal_of_its_divisor_before_it_begins(void **state)
{
    (void)state;
    const char *opcode = "div.s32";
    unsigned known =
        records_of(KERNEL(DIVISOR "mov.u32 %r5,0; mov.u32 %r4,%r2;\nL: .pragma \"nounroll\";\n"
                                  "div.s32 %r4,%r4,%r3; add.s32 %r5,%r5,1;\n"
                                  "setp.lt.s32 %p1,%r5,4; @%p1 bra L;"),
                   opcode);
    unsigned changing =
        records_of(KERNEL(DIVISOR "mov.u32 %r5,0; mov.u32 %r4,%r2;\nL: .pragma \"nounroll\";\n"
                                  "div.s32 %r4,%r4,%r3; add.s32 %r5,%r5,1;\n"
                                  "add.s32 %r3,%r3,2;\n"
                                  "setp.lt.s32 %p1,%r5,4; @%p1 bra L;"),
                   opcode);
    assert_int_equal(known, 4 * 13 + 14); /* that of one division, found once */
    assert_true(changing > known);
}

/* LOP3 writes a predicate, too, and the sign of 64 bits is that of their upper word. */
static void a_test_for_zero_is_one_instruction_with_its_logic(void **state)
{
    (void)state;
#define TWO_WORDS "ld.global.u64 %rd6,[%rd1]; ld.global.u32 %r2,[%rd4];\n"
#define CHOOSE    " selp.b32 %r4,%r2,%r1,%p2; st.global.u32 [%rd5],%r4;"
    static const struct {
        const char *text;
        unsigned n; /* of records of logic and comparisons */
    } cases[] = {
        {KERNEL(TWO_WORDS "and.b32 %r3,%r2,4; setp.eq.s32 %p2,%r3,0;" CHOOSE), 1},
        {KERNEL(TWO_WORDS "xor.b32 %r3,%r2,%r1; setp.ne.u32 %p2,%r3,0;" CHOOSE), 1},
        {KERNEL(TWO_WORDS "and.b32 %r3,%r2,1; setp.eq.b32 %p2,%r3,1;" CHOOSE), 2},
        {KERNEL(TWO_WORDS "and.b32 %r3,%r2,12; setp.gt.u32 %p2,%r3,0;" CHOOSE), 2},
        {KERNEL(TWO_WORDS "and.b64 %rd7,%rd6,64; setp.eq.s64 %p2,%rd7,0;" CHOOSE), 1},
        {KERNEL(TWO_WORDS "and.b64 %rd7,%rd6,64424509441; setp.eq.s64 %p2,%rd7,0;" CHOOSE), 2},
        {KERNEL(TWO_WORDS "setp.lt.s64 %p2,%rd6,0;" CHOOSE), 1},
        {KERNEL(TWO_WORDS "setp.ge.s64 %p2,%rd6,0;" CHOOSE), 1},
        {KERNEL(TWO_WORDS "setp.gt.s64 %p2,%rd6,0;" CHOOSE), 2},
        {KERNEL(TWO_WORDS "setp.lt.u64 %p2,%rd6,1000;" CHOOSE), 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r;
        unsigned n = 0;
        record(cases[i].text, &r);
        for (unsigned k = 0; k < r.n; k++)
            n += !strncmp(r.opcode[k], "and", 3) || !strncmp(r.opcode[k], "xor", 3) ||
                 !strncmp(r.opcode[k], "setp", 4);
        assert_int_equal(n, cases[i].n);
    }
}

#define THREE "ld.global.u32 %r2,[%rd4]; ld.global.u32 %r3,[%rd4+4]; ld.global.u32 %r4,[%rd4+8];\n"

/* VIADDMNMX and VIMNMX3, as ptxas 13.0 has them for sm_90: one op is taken along, not two. */
static void a_comparison_takes_a_sum_or_another_comparison_along(void **state)
{
    (void)state;
    struct record r;
    record(KERNEL(THREE "add.s32 %r5,%r2,%r3; max.s32 %r6,%r5,%r4; st.global.u32 [%rd5],%r6;"), &r);
    assert_int_equal(count(&r, "add.s32"), 0);
    assert_int_equal(count(&r, "max.s32"), 1);
    record(KERNEL(THREE "max.s32 %r5,%r2,%r3; max.s32 %r6,%r5,%r4; st.global.u32 [%rd5],%r6;"), &r);
    assert_int_equal(count(&r, "max.s32"), 1);
    record(KERNEL(THREE "min.s32 %r5,%r2,%r3; max.s32 %r6,%r5,%r4; st.global.u32 [%rd5],%r6;"), &r);
    assert_int_equal(count(&r, "min.s32"), 1);
    record(KERNEL(THREE "add.s32 %r5,%r2,%r3; sub.s32 %r6,%r2,%r4; max.s32 %r7,%r5,%r6;\n"
                        "sub.s32 %r8,%r3,%r4; max.s32 %r9,%r7,%r8; st.global.u32 [%rd5],%r9;"),
           &r);
    assert_int_equal(count(&r, "add.s32") + count(&r, "sub.s32"), 1);
    assert_int_equal(count(&r, "max.s32"), 2);
}

/* What is computed with has numbers as operands. */
static void a_number_that_is_stored_takes_a_move(void **state)
{
    (void)state;
    struct record r;
    record(KERNEL("mov.u32 %r2,7; st.global.u32 [%rd5],%r2;"), &r);
    assert_int_equal(count(&r, "mov.u32"), 2); /* and that of %tid */
    record(KERNEL("mov.u32 %r2,0; st.global.u32 [%rd5],%r2;"), &r);
    assert_int_equal(count(&r, "mov.u32"), 1);
    record(KERNEL("mov.u32 %r2,7; add.s32 %r3,%r1,%r2; st.global.u32 [%rd5],%r3;"), &r);
    assert_int_equal(count(&r, "mov.u32"), 1);
}

static void a_branch_over_a_branch_is_one_or_a_predicate(void **state)
{
    (void)state;
    struct record r;
    record(KERNEL("setp.lt.u32 %p1,%r1,64; @%p1 bra A; bra.uni B;\n"
                  "A: st.global.u32 [%rd5],%r1;\nB: st.global.u32 [%rd5+4],%r1;"),
           &r);
    assert_int_equal(count(&r, "bra") + count(&r, "bra.uni"), 0);
    assert_int_equal(count(&r, "st.global.u32"), 2);
    record(KERNEL("setp.lt.u32 %p1,%r1,64; @!%p1 bra A; bra.uni B;\n"
                  "A: st.global.u32 [%rd5],%r1;\nB: st.global.u32 [%rd5+4],%r1;"),
           &r);
    assert_int_equal(count(&r, "st.global.u32"), 2); /* one of them for no lane */
}

/* Two sums of a loop that begin with one number, or with one value that is needed again, are two
 * registers, with a move for each; a sum that begins with a value of its own shares its register.
 */
static void sums_of_a_loop_have_registers_of_their_own(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned moves;
    } cases[] = {
        {"mov.f32 %f3,0f3F800000; mov.f32 %f4,%f3; mov.f32 %f5,%f3;\n", 2},
        {"add.f32 %f3,%f1,%f1; mov.f32 %f4,%f3; mov.f32 %f5,%f3;\n", 1},
        {"add.f32 %f3,%f1,%f1; add.f32 %f6,%f2,%f2; mov.f32 %f4,%f3; mov.f32 %f5,%f6;\n", 0},
        {"mov.f32 %f4,0f3F800000; mov.f32 %f5,%f4;\n", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2000];
        struct record r;
        snprintf(
            text, sizeof text, "%s%s%s", KERNEL_BEGIN LOADS "mov.u32 %r3,0;\n", cases[i].text,
            "L: .pragma \"nounroll\"; fma.rn.f32 %f4,%f1,%f2,%f4; fma.rn.f32 %f5,%f2,%f2,%f5;\n"
            "add.s32 %r3,%r3,1; setp.lt.s32 %p1,%r3,3; @%p1 bra L;\n"
            "st.global.f32 [%rd5],%f4; st.global.f32 [%rd5+4],%f5;" KERNEL_END);
        record(text, &r);
        assert_int_equal(count(&r, "mov.f32"), cases[i].moves);
        unsigned first = find(&r, "fma.rn.f32");
        assert_int_not_equal(r.inst[first].reg[0], r.inst[first + 1].reg[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_division_without_rare_cases_has_no_branch),
        cmocka_unit_test(a_number_that_is_stored_takes_a_move),
        cmocka_unit_test(a_branch_over_a_branch_is_one_or_a_predicate),
        cmocka_unit_test(who_takes_an_op_along_reads_all_that_it_read),
        cmocka_unit_test(a_limit_to_one_is_that_of_the_sum_or_product),
        cmocka_unit_test(a_test_for_zero_is_one_instruction_with_its_logic),
        cmocka_unit_test(a_comparison_takes_a_sum_or_another_comparison_along),
        cmocka_unit_test(a_product_that_may_be_fused_is_one_instruction_with_its_sum),
        cmocka_unit_test(divisions_by_one_number_share_its_reciprocal),
        cmocka_unit_test(sums_of_a_loop_have_registers_of_their_own),
        cmocka_unit_test(a_loop_finds_the_reciprocal_of_its_divisor_before_it_begins),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
