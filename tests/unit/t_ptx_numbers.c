/* What is recorded of double-precision numbers that instructions have no room for. */
#include "recordfix.h"

#define LONG_KERNEL(body)                                                                          \
    KERNEL(".reg .f64 %fd<9>; mul.wide.u32 %rd6,%r1,8; add.u64 %rd7,%rd1,%rd6; "                   \
           "add.u64 %rd8,%rd2,%rd6; ld.global.f64 %fd1,[%rd7]; mov.u32 %r2,2;\n" body              \
           "st.global.f64 [%rd8],%fd2;")
#define LONG  "0d3FF71547652B82FE"
#define MINUS "0dBFF71547652B82FE"

static unsigned moves(const char *body)
{
    struct record r;
    double *in = device_memory(512), *out = device_memory(512);
    void *params[2] = {in, out};
    unsigned n = 0;
    for (unsigned i = 0; i < 32; i++)
        in[i] = 1 + i;
    run_recorded(body, 32, params, &r);
    for (unsigned i = 0; i < r.n; i++)
        n += !strcmp(r.opcode[i], "mov.b32") && r.inst[i].opclass == STRATA_OP_UNIFORM;
    return n;
}

/* Read off what ptxas 13.0 makes for sm_90. */
static void a_number_of_two_words_comes_in_two_moves_and_stays(void **state)
{
    (void)state;
    assert_int_equal(moves(LONG_KERNEL("mul.f64 %fd2,%fd1,0d3FF7000000000000;")), 0);
    assert_int_equal(moves(LONG_KERNEL("mul.f64 %fd2,%fd1," LONG ";")), 2);
    assert_int_equal(moves(LONG_KERNEL("mov.f64 %fd3," LONG "; mul.f64 %fd2,%fd1,%fd3;")), 2);
    assert_int_equal(moves(LONG_KERNEL("mul.f64 %fd3,%fd1," LONG "; add.f64 %fd2,%fd3," MINUS ";")),
                     2);
    assert_int_equal(
        moves(LONG_KERNEL("mul.f64 %fd3,%fd1," LONG "; add.f64 %fd2,%fd3,0d3C7ABC9E3B39803F;")), 4);
}

static void a_division_and_the_beginning_of_a_loop_lose_it(void **state)
{
    (void)state;
    assert_int_equal(moves(LONG_KERNEL("mul.f64 %fd3,%fd1," LONG "; div.rn.f64 %fd4,%fd3,%fd1;"
                                       "add.f64 %fd2,%fd4," LONG ";")),
                     4);
    assert_int_equal(
        moves(LONG_KERNEL("mul.f64 %fd2,%fd1," LONG ";\nAGAIN: add.f64 %fd2,%fd2," LONG
                          "; sub.u32 %r2,%r2,1; setp.ne.u32 %p1,%r2,0; @%p1 bra AGAIN;")),
        6);
    /* what only one way brings is not there behind both */
    assert_int_equal(moves(LONG_KERNEL("mov.f64 %fd2,%fd1; setp.eq.u32 %p1,%r1,77; @%p1 bra OVER;\n"
                                       "bar.sync 0; mul.f64 %fd2,%fd1," LONG
                                       ";\nOVER: add.f64 %fd2,%fd2," LONG ";")),
                     4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_of_two_words_comes_in_two_moves_and_stays),
        cmocka_unit_test(a_division_and_the_beginning_of_a_loop_lose_it),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
