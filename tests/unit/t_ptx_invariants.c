/* What stays the same in a loop is computed once, before it (src/ptx/invariants.c). */
#include "recordfix.h"

enum { ROUNDS = 4 };

#define LOOP(before, body, after)                                                                  \
    KERNEL("ld.global.u32 %r2,[%rd4]; ld.global.u32 %r3,[%rd4+128]; mov.u32 %r4,0;\n" before       \
           "L: .pragma \"nounroll\";\n" body "add.s32 %r4,%r4,1; setp.lt.s32 %p1,%r4,4;\n"         \
           "@%p1 bra L;\n" after "st.global.u32 [%rd5+256],%r3;")
#define USE "xor.b32 %r3,%r3,%r5;\n"

/* The record of 32 threads, whose first numbers in memory are `in`. */
static uint32_t run_loop(const char *text, struct record *r)
{
    uint32_t *in = device_memory(4096), *out = device_memory(4096);
    void *params[2] = {in, out};
    for (unsigned i = 0; i < 1024; i++)
        in[i] = 77 + 3 * i, out[i] = 0;
    run_recorded(text, 32, params, r);
    return out[64 + 5];
}

static const struct {
    const char *text, *opcode;
    unsigned n;
} cases[] = {
    {LOOP("", "mul.lo.s32 %r5,%r2,%r1;\n" USE, ""), "mul.lo.s32", 1},
    /* what hangs on the counter, or on what another round has left */
    {LOOP("", "mul.lo.s32 %r5,%r2,%r4;\n" USE, ""), "mul.lo.s32", ROUNDS},
    {LOOP("", "mul.lo.s32 %r5,%r3,%r2;\n" USE, ""), "mul.lo.s32", ROUNDS},
    /* of what leaves, the next */
    {LOOP("", "mul.lo.s32 %r6,%r2,%r1; popc.b32 %r7,%r2; mul.hi.s32 %r5,%r6,%r1;\n" USE, ""),
     "mul.hi.s32", 1},
    /* what has another value elsewhere stays, and what is not done in every round */
    {LOOP("mov.u32 %r5,7;", USE "mul.lo.s32 %r5,%r2,%r1;\n", ""), "mul.lo.s32", ROUNDS},
    {LOOP("",
          "setp.eq.s32 %p2,%r4,9; @%p2 bra M; bar.warp.sync -1;\nmul.lo.s32 %r5,%r2,%r1;\n" USE
          "bar.warp.sync -1;\nM:\n",
          ""),
     "mul.lo.s32", ROUNDS},
    {LOOP("",
          "setp.eq.s32 %p2,%r4,9; @%p2 bra M; bar.warp.sync -1;\nM:\n"
          "mul.lo.s32 %r5,%r2,%r1;\n" USE,
          ""),
     "mul.lo.s32", 1},
    /* loads of what nobody writes; another block may be waited for with others */
    {LOOP("", "ld.global.nc.u32 %r5,[%rd4+256];\n" USE "st.global.u32 [%rd5],%r3;\n", ""),
     "ld.global.nc.u32", 1},
    {LOOP("", "ld.global.u32 %r5,[%rd4+256];\n" USE, ""), "ld.global.u32", 2 + ROUNDS},
    /* special registers, but no clock */
    {LOOP("", "mov.u32 %r5,%laneid;\n" USE, ""), "mov.u32", 2 + 1},
    {LOOP("", "mov.u32 %r5,%clock;\n" USE, ""), "mov.u32", 2 + ROUNDS},
    /* the loop around another keeps what it has */
    {LOOP("",
          "mul.lo.s32 %r5,%r2,%r1;\n" USE "mov.u32 %r7,0;\nI: .pragma \"nounroll\";\n"
          "add.s32 %r3,%r3,%r7; add.s32 %r7,%r7,1; setp.lt.s32 %p2,%r7,3; @%p2 bra I;\n",
          ""),
     "mul.lo.s32", ROUNDS},
};

static void what_stays_the_same_is_computed_before_the_loop(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r;
        run_loop(cases[i].text, &r);
        if (count(&r, cases[i].opcode) != cases[i].n)
            fail_msg("case %zu: %u of %s", i, count(&r, cases[i].opcode), cases[i].opcode);
    }
}

/* Branches of the loop lead to its new head, those from outside pass what was moved. */
static void the_loop_computes_what_it_did(void **state)
{
    (void)state;
    struct record r;
    uint32_t x = 77 + 3 * 5, sum = 77 + 3 * 37;
    for (unsigned i = 0; i < ROUNDS; i++)
        sum ^= i == 2 ? 1 : x * 5;
    assert_int_equal(run_loop(LOOP("setp.eq.s32 %p3,%r4,0; @%p3 bra L; mov.u32 %r3,0;\n",
                                   "mul.lo.s32 %r6,%r2,%r1; mov.u32 %r5,1; setp.eq.s32 %p2,%r4,2;\n"
                                   "@%p2 bra M; bar.warp.sync -1;\nmov.u32 %r5,%r6;\nM: " USE,
                                   ""),
                              &r),
                     sum);
    assert_int_equal(count(&r, "mul.lo.s32"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stays_the_same_is_computed_before_the_loop),
        cmocka_unit_test(the_loop_computes_what_it_did),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
