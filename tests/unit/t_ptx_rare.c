/* What is recorded of divisions and roots whose operands the quick way cannot do. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quotient_of_zero_is_found_by_code_that_is_called),
        cmocka_unit_test(numbers_that_have_to_be_scaled_take_a_longer_way),
        cmocka_unit_test(doubles_call_too),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
