/* What is recorded of divisions and roots: their reciprocals, their branches, and what they call
 * for operands that the quick way cannot do. */
#include "recordfix.h"

#define DIVISION                                                                                   \
    KERNEL("ld.global.f32 %f1,[%rd4]; div.rn.f32 %f2,%f1,0f40000000; st.global.f32 [%rd5],%f2;")
#define ROOT KERNEL("ld.global.f32 %f1,[%rd4]; sqrt.rn.f32 %f2,%f1; st.global.f32 [%rd5],%f2;")
#define LONG                                                                                       \
    KERNEL(".reg .f64 %fd<4>; mul.wide.u32 %rd6,%r1,8; add.u64 %rd7,%rd1,%rd6; "                   \
           "ld.global.f64 %fd1,[%rd7]; div.rn.f64 %fd2,%fd1,0d4008000000000000; "                  \
           "st.global.f64 [%rd2],%fd2;")

/* Records of one warp whose lanes below `n` have `first`, the others 1. */
static void run(const char *text, bool wide, unsigned n, double first, struct record *r)
{
    double *in = device_memory(512), *out = device_memory(512);
    void *params[2] = {in, out};
    for (unsigned i = 0; i < 32; i++)
        if (wide)
            in[i] = i < n ? first : 1;
        else
            ((float *)(void *)in)[i] = i < n ? (float)first : 1;
    run_recorded(text, 32, params, r);
}

/* The records behind the quick way: those that lie behind the end of the kernel. */
static unsigned called(const struct record *r, uint32_t mask)
{
    uint64_t end = r->inst[find(r, "ret")].pc;
    unsigned n = 0;
    for (unsigned i = 0; i < r->n; i++)
        if (r->inst[i].pc > end) {
            assert_int_equal(r->mask[i], mask);
            assert_int_equal(r->inst[i].control.known, 1);
            n++;
        }
    return n;
}

/* Counted in what ptxas 13.0 makes for sm_90. */
static void a_quotient_of_zero_is_found_by_code_that_is_called(void **state)
{
    (void)state;
    struct record r;
    run(DIVISION, false, 0, 0, &r);
    unsigned quick = r.n;
    assert_int_equal(called(&r, 0), 0);
    run(DIVISION, false, 3, 0, &r);
    assert_int_equal(called(&r, 7), 34);
    assert_int_equal(r.n, quick + 34);
    /* it comes behind the division and before what reads it */
    assert_true(r.inst[find(&r, "st.global.f32") - 1].pc > r.inst[find(&r, "ret")].pc);
    assert_int_equal(r.inst[find(&r, "st.global.f32") - 1].opclass, STRATA_OP_BRANCH);
}

static void numbers_that_have_to_be_scaled_take_a_longer_way(void **state)
{
    (void)state;
    struct record r;
    run(DIVISION, false, 32, 1e-35, &r);
    assert_int_equal(called(&r, 0xffffffff), 43);
    run(ROOT, false, 32, 0, &r);
    assert_int_equal(called(&r, 0xffffffff), 11);
    run(ROOT, false, 32, 1e-35, &r);
    assert_int_equal(called(&r, 0xffffffff), 23);
    run(ROOT, false, 32, 1e-20, &r);
    assert_int_equal(called(&r, 0), 0);
}

static void doubles_call_too(void **state)
{
    (void)state;
    struct record r;
    run(LONG, true, 1, 0, &r);
    assert_int_equal(called(&r, 1), 64);
    run(LONG, true, 2, 1e-300, &r);
    assert_int_equal(called(&r, 3), 59);
    run(LONG, true, 32, 1e-200, &r);
    assert_int_equal(called(&r, 0), 0);
}

static unsigned next_of(const struct record *r, unsigned from, unsigned class)
{
    while (from < r->n && r->inst[from].opclass != class)
        from++;
    return from;
}

/* SASS: IADD3, MUFU.RSQ, ISETP, BRA, then the products; nothing is moved over BRA or BSYNC. */
static void roots_ask_for_rare_operands_before_they_compute(void **state)
{
    (void)state;
    struct record r;
    run(ROOT, false, 0, 0, &r);
    unsigned test = find(&r, "setp.gt.u32"), sync = find(&r, "BSYNC");
    assert_int_equal(r.inst[test + 1].opclass, STRATA_OP_BRANCH);
    assert_int_equal(r.inst[test + 1].reg[0], r.inst[test].reg[0]);
    assert_true(next_of(&r, test, STRATA_OP_SFU) < sync);
    assert_int_equal(r.inst[sync - 1].opclass, STRATA_OP_FP32);
    assert_int_equal(r.inst[sync - 1].reg[0],
                     r.inst[sync + 1].reg[1]); /* what is stored behind it */
    /* a quotient comes before its branch */
    run(DIVISION, false, 0, 0, &r);
    unsigned branch = next_of(&r, 0, STRATA_OP_BRANCH), store = find(&r, "st.global.f32");
    assert_int_equal(branch + 2, store);
    assert_string_equal(r.opcode[branch + 1], "BSYNC");
    assert_int_equal(r.inst[branch].imm, 1); /* it closes no loop */
    assert_int_equal(r.inst[branch].n_src, 1);
    assert_int_equal(r.inst[branch].reg[0], r.inst[branch - 1].reg[0]);
    assert_int_equal(r.inst[branch].reg[0], r.inst[store].reg[1]);
}

#define LOOP_HEAD                                                                                  \
    "ld.global.u32 %r2,[%rd4]; ld.global.u32 %r5,[%rd4]; mov.u32 %r3,1; mov.u32 %r4,0;\n"          \
    "AGAIN: .pragma \"nounroll\";\n"
#define LOOP_END                                                                                   \
    "add.u32 %r3,%r3,1; setp.lt.u32 %p1,%r3,3; @%p1 bra AGAIN; st.global.u32 [%rd5],%r4;"

static unsigned conversions(const char *text)
{
    struct record r;
    uint32_t *in = device_memory(256), *out = device_memory(256);
    void *params[2] = {in, out};
    unsigned n = 0;
    for (unsigned i = 0; i < 64; i++)
        in[i] = 3;
    run_recorded(text, 32, params, &r);
    for (unsigned i = 0; i < r.n; i++)
        n += !strcmp(r.opcode[i], "rem.u32") && r.inst[i].opclass == STRATA_OP_SFU;
    return n;
}

/* ptxas finds the reciprocal of a divisor before a loop, but not if rounds may do without. */
static void a_division_that_rounds_leave_out_finds_its_reciprocal_each_time(void **state)
{
    (void)state;
    assert_int_equal(conversions(KERNEL(LOOP_HEAD "rem.u32 %r6,%r3,%r2; bar.sync 0;"
                                                  "add.u32 %r4,%r4,%r6;" LOOP_END)),
                     1);
    assert_int_equal(conversions(KERNEL(LOOP_HEAD "setp.eq.u32 %p2,%r5,7; @%p2 bra OVER;\n"
                                                  "rem.u32 %r6,%r3,%r2; bar.sync 0;"
                                                  "add.u32 %r4,%r4,%r6;\nOVER: " LOOP_END)),
                     2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quotient_of_zero_is_found_by_code_that_is_called),
        cmocka_unit_test(numbers_that_have_to_be_scaled_take_a_longer_way),
        cmocka_unit_test(doubles_call_too),
        cmocka_unit_test(roots_ask_for_rare_operands_before_they_compute),
        cmocka_unit_test(a_division_that_rounds_leave_out_finds_its_reciprocal_each_time),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
