/* Floating-point instructions and conversions of PTX, value by value. */
#include <math.h>

#include "emulator/half.h"
#include "ptxfix.h"

#define ONE   0x3f800000ull
#define ONE_N 0x3f800001ull /* the next float */
#define MONE  0xbf800000ull
#define NANF  0x7fffffffull
#define INFF  0x7f800000ull
#define MINFF 0xff800000ull
#define ONED  0x3ff0000000000000ull
#define NAND  0xfff8000000000000ull

static void arithmetic_rounds_to_nearest_even(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"add.f32 %f0,%f1,%f2;", 'f', ONE, ONE, 0, 0x40000000},
        {"add.f32 %f0,%f1,%f2;", 'f', ONE, 0x33800000, 0, ONE}, /* 2^-24: a tie */
        {"add.rn.f32 %f0,%f1,%f2;", 'f', ONE_N, 0x33800000, 0, 0x3f800002},
        {"sub.f32 %f0,%f1,%f2;", 'f', ONE, ONE, 0, 0},
        {"mul.f32 %f0,%f1,%f2;", 'f', ONE_N, ONE_N, 0, 0x3f800002},
        {"fma.rn.f32 %f0,%f1,%f2,%f3;", 'f', ONE_N, ONE_N, 0xbf800002, 0x28800000}, /* 2^-46 */
        {"mad.rn.f32 %f0,%f1,%f2,%f3;", 'f', ONE_N, ONE_N, 0xbf800002, 0x28800000},
        {"div.rn.f32 %f0,%f1,%f2;", 'f', ONE, 0x40400000, 0, 0x3eaaaaab},
        {"rcp.rn.f32 %f0,%f1;", 'f', 0x40400000, 0, 0, 0x3eaaaaab},
        {"sqrt.rn.f32 %f0,%f1;", 'f', 0x40000000, 0, 0, 0x3fb504f3},
        {"div.rn.f32 %f0,%f1,%f2;", 'f', ONE, 0, 0, INFF},
        {"div.rn.f32 %f0,%f1,%f2;", 'f', MONE, 0, 0, MINFF},
        {"div.rn.f32 %f0,%f1,%f2;", 'f', 0, 0, 0, NANF},
        {"sqrt.rn.f32 %f0,%f1;", 'f', MONE, 0, 0, NANF},
        {"add.f32 %f0,%f1,%f2;", 'f', INFF, MINFF, 0, NANF},
        {"add.f32 %f0,%f1,%f2;", 'f', 0x7fc00001, ONE, 0, NANF},
        {"add.f64 %d0,%d1,%d2;", 'D', ONED, ONED, 0, 0x4000000000000000ull},
        {"mul.f64 %d0,%d1,%d2;", 'D', 0x3ff0000000000001ull, 0x3ff0000000000001ull, 0,
         0x3ff0000000000002ull},
        {"fma.rn.f64 %d0,%d1,%d2,%d3;", 'D', 0x3ff0000000000001ull, 0x3ff0000000000001ull,
         0xbff0000000000002ull, 0x3970000000000000ull},
        {"div.rn.f64 %d0,%d1,%d2;", 'D', ONED, 0x4008000000000000ull, 0, 0x3fd5555555555555ull},
        {"sqrt.rn.f64 %d0,%d1;", 'D', 0x4000000000000000ull, 0, 0, 0x3ff6a09e667f3bcdull},
        {"rcp.rn.f64 %d0,%d1;", 'D', 0x4008000000000000ull, 0, 0, 0x3fd5555555555555ull},
        {"sub.f64 %d0,%d1,%d1;", 'D', 0x7ff0000000000000ull, 0, 0, NAND},
    };
    CHECK_VALUES(rows);
}

static void the_other_rounding_modes_are_exact(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"add.rz.f32 %f0,%f1,%f2;", 'f', ONE, 0x33800001, 0, ONE},
        {"add.rp.f32 %f0,%f1,%f2;", 'f', ONE, 0x00000001, 0, ONE_N},
        {"add.rm.f32 %f0,%f1,%f2;", 'f', ONE, 0x00000001, 0, ONE},
        {"add.rm.f32 %f0,%f1,%f2;", 'f', MONE, 0x80000001, 0, 0xbf800001},
        {"add.rp.f32 %f0,%f1,%f2;", 'f', MONE, 0x80000001, 0, MONE},
        {"add.rm.f32 %f0,%f1,%f2;", 'f', ONE, MONE, 0, 0x80000000},
        {"sub.rp.f32 %f0,%f1,%f2;", 'f', ONE, 0x80000001, 0, ONE_N},
        {"mul.rp.f32 %f0,%f1,%f2;", 'f', ONE_N, ONE_N, 0, 0x3f800003},
        {"mul.rm.f32 %f0,%f1,%f2;", 'f', ONE_N, ONE_N, 0, 0x3f800002},
        {"fma.rz.f32 %f0,%f1,%f2,%f3;", 'f', ONE_N, ONE_N, ONE, 0x40000001},
        {"fma.rp.f32 %f0,%f1,%f2,%f3;", 'f', ONE_N, ONE_N, 0, 0x3f800003},
        {"fma.rm.f32 %f0,%f1,%f2,%f3;", 'f', 0x3f000000, ONE, 0x4b400000, 0x4b400000},
        {"div.rz.f32 %f0,%f1,%f2;", 'f', ONE, 0x40400000, 0, 0x3eaaaaaa},
        {"div.rp.f32 %f0,%f1,%f2;", 'f', 0x40000000, 0x40400000, 0, 0x3f2aaaab},
        {"div.rm.f32 %f0,%f1,%f2;", 'f', 0x40000000, 0x40400000, 0, 0x3f2aaaaa},
        {"rcp.rz.f32 %f0,%f1;", 'f', 0x40400000, 0, 0, 0x3eaaaaaa},
        {"sqrt.rp.f32 %f0,%f1;", 'f', 0x40000000, 0, 0, 0x3fb504f4},
        {"sqrt.rz.f32 %f0,%f1;", 'f', 0x40000000, 0, 0, 0x3fb504f3},
        {"add.rp.f64 %d0,%d1,%d2;", 'D', ONED, 1, 0, ONED + 1},
        {"div.rp.f64 %d0,%d1,%d2;", 'D', ONED, 0x4008000000000000ull, 0, 0x3fd5555555555556ull},
        {"sqrt.rm.f64 %d0,%d1;", 'D', 0x4000000000000000ull, 0, 0, 0x3ff6a09e667f3bccull},
        {"fma.rz.f64 %d0,%d1,%d2,%d3;", 'D', 0x3ff0000000000001ull, ONED, 1, 0x3ff0000000000001ull},
        {"mul.rm.f64 %d0,%d1,%d2;", 'D', 0xbff0000000000001ull, 0x3ff0000000000001ull, 0,
         0xbff0000000000003ull},
        {"add.rz.sat.f32 %f0,%f1,%f2;", 'f', ONE, ONE, 0, ONE},
    };
    CHECK_VALUES(rows);
}

static void flushing_and_saturation(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"add.f32 %f0,%f1,%f2;", 'f', 1, 1, 0, 2}, /* subnormals are kept by default */
        {"add.ftz.f32 %f0,%f1,%f2;", 'f', 1, 1, 0, 0},
        {"mul.ftz.f32 %f0,%f1,%f2;", 'f', 0x80000001, ONE, 0, 0x80000000},
        {"mul.ftz.f32 %f0,%f1,%f2;", 'f', 0x00800000, 0x3f000000, 0, 0},
        {"mul.f32 %f0,%f1,%f2;", 'f', 0x00800000, 0x3f000000, 0, 0x00400000},
        {"fma.rn.ftz.f32 %f0,%f1,%f2,%f3;", 'f', ONE, 1, ONE, ONE},
        {"add.sat.f32 %f0,%f1,%f2;", 'f', ONE, ONE, 0, ONE},
        {"sub.sat.f32 %f0,%f1,%f2;", 'f', 0, ONE, 0, 0},
        {"add.sat.f32 %f0,%f1,%f2;", 'f', NANF, ONE, 0, 0},
        {"fma.rn.sat.f32 %f0,%f1,%f2,%f3;", 'f', 0x3f000000, 0x3f000000, 0, 0x3e800000},
        {"mul.ftz.sat.f32 %f0,%f1,%f2;", 'f', 0x40000000, ONE, 0, ONE},
        {"abs.ftz.f32 %f0,%f1;", 'f', 0x80000001, 0, 0, 0},
        {"setp.eq.ftz.f32 %p0,%f1,%f2;", 'p', 1, 0, 0, 1},
        {"setp.eq.f32 %p0,%f1,%f2;", 'p', 1, 0, 0, 0},
        {"add.rp.ftz.f32 %f0,%f1,%f2;", 'f', ONE, 1, 0, ONE},
    };
    CHECK_VALUES(rows);
}

static void nan_signs_and_extremes(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"cvt.rzi.s32.f32 %r0,%f1;", 'r', NANF, 0, 0, 0},
        {"cvt.rzi.s32.f64 %r0,%d1;", 'r', NAND, 0, 0, 0x80000000},
        {"cvt.rzi.u32.f64 %r0,%d1;", 'r', NAND, 0, 0, 0x80000000},
        {"min.f32 %f0,%f1,%f2;", 'f', NANF, ONE, 0, ONE},
        {"max.f32 %f0,%f1,%f2;", 'f', ONE, 0x7fc00000, 0, ONE},
        {"min.f32 %f0,%f1,%f2;", 'f', NANF, 0x7fc00000, 0, NANF},
        {"min.NaN.f32 %f0,%f1,%f2;", 'f', NANF, ONE, 0, NANF},
        {"max.NaN.f32 %f0,%f1,%f2;", 'f', 0x40000000, ONE, 0, 0x40000000},
        {"min.f32 %f0,%f1,%f2;", 'f', 0, 0x80000000, 0, 0x80000000},
        {"max.f32 %f0,%f1,%f2;", 'f', 0x80000000, 0, 0, 0},
        {"min.f64 %d0,%d1,%d2;", 'D', NAND, ONED, 0, ONED},
        {"max.f64 %d0,%d1,%d2;", 'D', 0x8000000000000000ull, 0, 0, 0},
        {"neg.f32 %f0,%f1;", 'f', ONE, 0, 0, MONE},
        {"neg.f32 %f0,%f1;", 'f', 0x7fc01234, 0, 0, 0xffc01234},
        {"abs.f32 %f0,%f1;", 'f', MINFF, 0, 0, INFF},
        {"abs.f64 %d0,%d1;", 'D', 0xbff0000000000000ull, 0, 0, ONED},
        {"neg.f64 %d0,%d1;", 'D', ONED, 0, 0, 0xbff0000000000000ull},
        {"copysign.f32 %f0,%f1,%f2;", 'f', 0x80000000, ONE, 0, MONE},
        {"copysign.f64 %d0,%d1,%d2;", 'D', ONED, 0xc000000000000000ull, 0, 0x4000000000000000ull},
        {"testp.finite.f32 %p0,%f1;", 'p', INFF, 0, 0, 0},
        {"testp.infinite.f32 %p0,%f1;", 'p', MINFF, 0, 0, 1},
        {"testp.number.f32 %p0,%f1;", 'p', NANF, 0, 0, 0},
        {"testp.notanumber.f64 %p0,%d1;", 'p', NAND, 0, 0, 1},
        {"testp.subnormal.f32 %p0,%f1;", 'p', 1, 0, 0, 1},
        {"testp.normal.f32 %p0,%f1;", 'p', 1, 0, 0, 0},
    };
    CHECK_VALUES(rows);
}

static void comparisons_know_unordered(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        bool less, equal, greater, unordered;
    } orders[] = {
        {"eq", 0, 1, 0, 0},  {"ne", 1, 0, 1, 0},  {"lt", 1, 0, 0, 0},  {"le", 1, 1, 0, 0},
        {"gt", 0, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1},
        {"ltu", 1, 0, 0, 1}, {"leu", 1, 1, 0, 1}, {"gtu", 0, 0, 1, 1}, {"geu", 0, 1, 1, 1},
        {"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1},
    };
    static const struct {
        const char *type, *registers;
        uint64_t one, two, nan;
    } types[] = {
        {"f32", "%f1,%f2", ONE, 0x40000000, NANF},
        {"ftz.f32", "%f1,%f2", ONE, 0x40000000, NANF},
        {"f64", "%d1,%d2", ONED, 0x4000000000000000ull, NAND},
        {"f16", "%h1,%h2", 0x3c00, 0x4000, 0x7fff},
        {"bf16", "%h1,%h2", 0x3f80, 0x4000, 0x7fff},
    };
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
            char inst[80];
            snprintf(inst, sizeof inst, "setp.%s.%s %%p0,%s;", orders[i].op, types[t].type,
                     types[t].registers);
            struct value_row rows[] = {
                {inst, 'p', types[t].one, types[t].two, 0, orders[i].less},
                {inst, 'p', types[t].one, types[t].one, 0, orders[i].equal},
                {inst, 'p', types[t].two, types[t].one, 0, orders[i].greater},
                {inst, 'p', types[t].nan, types[t].one, 0, orders[i].unordered},
            };
            CHECK_VALUES(rows);
        }
}

static void halves_round_once(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"add.f16 %h0,%h1,%h2;", 'h', 0x3c00, 0x3c00, 0, 0x4000},
        {"add.f16 %h0,%h1,%h2;", 'h', 0x3c00, 0x1000, 0, 0x3c00}, /* 2^-11: a tie */
        {"add.f16 %h0,%h1,%h2;", 'h', 0x3c01, 0x1000, 0, 0x3c02},
        {"add.f16 %h0,%h1,%h2;", 'h', 0x7bff, 0x7bff, 0, 0x7c00},
        {"sub.f16 %h0,%h1,%h2;", 'h', 0x0001, 0x0002, 0, 0x8001},
        {"mul.f16 %h0,%h1,%h2;", 'h', 0x3e00, 0x3e00, 0, 0x4080},
        /* 1 + 2^-10 squared minus 1 + 2^-9: the exact 2^-20 survives only in a fused product */
        {"fma.rn.f16 %h0,%h1,%h2,%h3;", 'h', 0x3c01, 0x3c01, 0xbc02, 0x0010},
        /* a product far below the last bit of the sum still decides a tie */
        {"fma.rn.f16 %h0,%h1,%h2,%h3;", 'h', 0x0001, 0x0001, 0x3c00, 0x3c00},
        {"fma.rn.relu.f16 %h0,%h1,%h2,%h3;", 'h', 0xbc00, 0x3c00, 0, 0},
        {"fma.rn.sat.f16 %h0,%h1,%h2,%h3;", 'h', 0x4000, 0x4000, 0, 0x3c00},
        {"add.ftz.f16 %h0,%h1,%h2;", 'h', 1, 0x3c00, 0, 0x3c00},
        {"mul.f16x2 %r0,%r1,%r2;", 'r', 0x40003c00, 0x42004000, 0, 0x46004000},
        {"add.f16x2 %r0,%r1,%r2;", 'r', 0x40003c00, 0x42004000, 0, 0x45004200},
        {"neg.f16 %h0,%h1;", 'h', 0x3c00, 0, 0, 0xbc00},
        {"abs.f16x2 %r0,%r1;", 'r', 0xbc00c000, 0, 0, 0x3c004000},
        {"min.f16 %h0,%h1,%h2;", 'h', 0x7fff, 0x3c00, 0, 0x3c00},
        {"min.NaN.f16 %h0,%h1,%h2;", 'h', 0x7fff, 0x3c00, 0, 0x7fff},
        {"max.f16x2 %r0,%r1,%r2;", 'r', 0x3c004000, 0x40003c00, 0, 0x40004000},
        {"fma.rn.bf16 %h0,%h1,%h2,%h3;", 'h', 0x3f80, 0x4000, 0x3f80, 0x4040},
        {"fma.rn.bf16x2 %r0,%r1,%r2,%r3;", 'r', 0x3f803f80, 0x40004040, 0, 0x40004040},
        {"ex2.approx.f16 %h0,%h1;", 'h', 0x4000, 0, 0, 0x4400},
        {"setp.lt.f16x2 %p6|%p0,%r1,%r2;", 'p', 0x3c004000, 0x40003c00, 0, 1},
    };
    CHECK_VALUES(rows);
}

/* Of pairs, each half by itself: 1.0, or sixteen ones where the result is an integer. */
static void comparisons_of_halves_give_halves(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"set.gt.f16x2.f16x2 %r0,%r1,%r2;", 'r', 0x40003c00, 0x3c003c00, 0, 0x3c000000},
        {"set.ge.f16x2.f16x2 %r0,%r1,%r2;", 'r', 0x40003c00, 0x3c003c00, 0, 0x3c003c00},
        {"set.lt.bf16x2.bf16x2 %r0,%r1,%r2;", 'r', 0x3f803f80, 0x3f804000, 0, 0x00003f80},
        {"set.le.u32.f16x2 %r0,%r1,%r2;", 'r', 0x40003c00, 0x3c003c00, 0, 0x0000ffff},
        {"set.ne.s32.bf16x2 %r0,%r1,%r2;", 'r', 0x40003f80, 0x3f803f80, 0, 0xffff0000},
        {"set.eq.f16x2.f16x2 %r0,%r1,%r2;", 'r', 0x7e003c00, 0x7e003c00, 0, 0x00003c00},
        {"set.equ.f16x2.f16x2 %r0,%r1,%r2;", 'r', 0x7e003c00, 0x3c004000, 0, 0x3c000000},
        {"set.neu.f16x2.f16x2 %r0,%r1,%r2;", 'r', 0x7e003c00, 0x3c003c00, 0, 0x3c000000},
        {"set.ltu.u32.f16x2 %r0,%r1,%r2;", 'r', 0x7e004000, 0x3c003c00, 0, 0xffff0000},
        {"set.num.u32.f16x2 %r0,%r1,%r2;", 'r', 0x7e004000, 0x3c003c00, 0, 0x0000ffff},
        {"set.nan.bf16x2.bf16x2 %r0,%r1,%r2;", 'r', 0x7fc04000, 0x3c003c00, 0, 0x3f800000},
        {"set.eq.f16x2.f16x2 %r0,%r1,%r2;", 'r', 0x00010000, 0x80000000, 0, 0x00003c00},
        {"set.eq.ftz.f16x2.f16x2 %r0,%r1,%r2;", 'r', 0x00010000, 0x80000000, 0, 0x3c003c00},
        {"set.gt.f16.f16 %h0,%h1,%h2;", 'h', 0x4000, 0x3c00, 0, 0x3c00},
        {"set.gt.u16.f16 %h0,%h1,%h2;", 'h', 0x4000, 0x3c00, 0, 0xffff},
        {"set.gt.u32.bf16 %r0,%h1,%h2;", 'r', 0x4000, 0x3f80, 0, 0xffffffff},
        {"set.lt.f32.f16 %f0,%h1,%h2;", 'f', 0x3c00, 0x4000, 0, ONE},
        {"set.gt.bf16.f32 %h0,%f1,%f2;", 'h', ONE, 0, 0, 0x3f80},
        {"set.gt.f16.s32 %h0,%r1,%r2;", 'h', 5, 0xffffffff, 0, 0x3c00},
    };
    CHECK_VALUES(rows);
}

static void eight_bits_saturate_and_round_to_even(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"cvt.rn.satfinite.e4m3x2.f32 %h0,%f1,%f2;", 'h', 0x3f800000, 0x40000000, 0, 0x3840},
        {"cvt.rn.satfinite.e4m3x2.f32 %h0,%f1,%f2;", 'h', 0x447a0000, 0xc47a0000, 0, 0x7efe},
        {"cvt.rn.satfinite.e4m3x2.f32 %h0,%f1,%f2;", 'h', 0x7f800000, 0x7fffffff, 0, 0x7e7f},
        {"cvt.rn.satfinite.e4m3x2.f32 %h0,%f1,%f2;", 'h', 0x3f880000, 0x3f980000, 0, 0x383a},
        {"cvt.rn.satfinite.e4m3x2.f32 %h0,%f1,%f2;", 'h', 0x3b000000, 0x3a800000, 0, 0x0100},
        {"cvt.rn.satfinite.relu.e4m3x2.f32 %h0,%f1,%f2;", 'h', 0xbf800000, 0x3f800000, 0, 0x0038},
        {"cvt.rn.satfinite.e4m3x2.f16x2 %h0,%r1;", 'h', 0x3c004000, 0, 0, 0x3840},
        {"cvt.rn.satfinite.e4m3x2.f16x2 %h0,%r1;", 'h', 0x7c00fc00, 0, 0, 0x7efe},
        {"cvt.rn.satfinite.e5m2x2.f32 %h0,%f1,%f2;", 'h', 0x3f800000, 0x40000000, 0, 0x3c40},
        {"cvt.rn.satfinite.e5m2x2.f32 %h0,%f1,%f2;", 'h', 0x476a6000, 0xff800000, 0, 0x7bfb},
        {"cvt.rn.satfinite.e5m2x2.f16x2 %h0,%r1;", 'h', 0xbc007e00, 0, 0, 0xbc7f},
        {"cvt.rn.f16x2.e4m3x2 %r0,%h1;", 'r', 0x3840, 0, 0, 0x3c004000},
        {"cvt.rn.f16x2.e4m3x2 %r0,%h1;", 'r', 0x7e01, 0, 0, 0x5f001800},
        {"cvt.rn.f16x2.e4m3x2 %r0,%h1;", 'r', 0x7f80, 0, 0, 0x7fff8000},
        {"cvt.rn.relu.f16x2.e4m3x2 %r0,%h1;", 'r', 0xb838, 0, 0, 0x00003c00},
        {"cvt.rn.f16x2.e5m2x2 %r0,%h1;", 'r', 0x3cc0, 0, 0, 0x3c00c000},
        {"cvt.rn.f16x2.e5m2x2 %r0,%h1;", 'r', 0x7cfc, 0, 0, 0x7c00fc00},
    };
    CHECK_VALUES(rows);
    /* Every number comes back; what lies between two goes to the nearer one. */
    for (unsigned bits = 0; bits < 0x7e; bits++) {
        double x = emu_e4m3_value((uint8_t)bits), next = emu_e4m3_value((uint8_t)(bits + 1));
        assert_int_equal(emu_e4m3_from(x, EMU_ROUND_NEAREST), bits);
        assert_int_equal(emu_e4m3_from(-x, EMU_ROUND_NEAREST), bits | 0x80);
        assert_int_equal(emu_e4m3_from(x + (next - x) * 0.49, EMU_ROUND_NEAREST), bits);
        assert_int_equal(emu_e4m3_from(x + (next - x) * 0.51, EMU_ROUND_NEAREST), bits + 1);
        assert_int_equal(emu_e4m3_from((x + next) / 2, EMU_ROUND_NEAREST), bits + (bits & 1));
    }
    for (unsigned bits = 0; bits < 0x7b; bits++) {
        double x = emu_e5m2_value((uint8_t)bits), next = emu_e5m2_value((uint8_t)(bits + 1));
        assert_int_equal(emu_e5m2_from(x, EMU_ROUND_NEAREST), bits);
        assert_int_equal(emu_e5m2_from((x + next) / 2, EMU_ROUND_NEAREST), bits + (bits & 1));
    }
}

static void conversions_extend_truncate_and_clamp(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"cvt.s64.s32 %rd0,%r1;", 'd', 0x80000000, 0, 0, 0xffffffff80000000ull},
        {"cvt.u64.u32 %rd0,%r1;", 'd', 0x80000000, 0, 0, 0x80000000},
        {"cvt.u32.u64 %r0,%rd1;", 'r', 0x1234567890ull, 0, 0, 0x34567890},
        {"cvt.s64.s32 %rd0,%rd1;", 'd', 0x180000000ull, 0, 0, 0xffffffff80000000ull},
        {"cvt.u16.u32 %h0,%r1;", 'h', 0x12345, 0, 0, 0x2345},
        {"cvt.s32.s16 %r0,%h1;", 'r', 0x8000, 0, 0, 0xffff8000},
        {"cvt.u32.u16 %r0,%h1;", 'r', 0x8000, 0, 0, 0x8000},
        {"cvt.s32.s8 %r0,%r1;", 'r', 0x1ff, 0, 0, 0xffffffff},
        {"cvt.u32.u8 %r0,%r1;", 'r', 0x1ff, 0, 0, 0xff},
        {"cvt.s8.s32 %r0,%r1;", 'r', 0x180, 0, 0, 0xffffff80},
        {"cvt.u8.u32 %r0,%r1;", 'r', 0x180, 0, 0, 0x80},
        {"cvt.sat.s8.s32 %r0,%r1;", 'r', 1000, 0, 0, 127},
        {"cvt.sat.u8.s32 %r0,%r1;", 'r', 0xffffffff, 0, 0, 0},
        {"cvt.sat.s32.s64 %r0,%rd1;", 'r', 0x8000000000000000ull, 0, 0, 0x80000000},
        {"cvt.sat.s32.u32 %r0,%r1;", 'r', 0xffffffff, 0, 0, 0x7fffffff},
        {"cvt.rn.f32.s32 %f0,%r1;", 'f', 0xffffffff, 0, 0, MONE},
        {"cvt.rn.f32.u32 %f0,%r1;", 'f', 0xffffffff, 0, 0, 0x4f800000},
        {"cvt.rz.f32.u32 %f0,%r1;", 'f', 0xffffffff, 0, 0, 0x4f7fffff},
        {"cvt.rp.f32.s32 %f0,%r1;", 'f', 16777217, 0, 0, 0x4b800001},
        {"cvt.rm.f32.s32 %f0,%r1;", 'f', 16777217, 0, 0, 0x4b800000},
        {"cvt.rn.f32.s64 %f0,%rd1;", 'f', 0x8000008000000001ull, 0, 0, 0xdeffffff},
        {"cvt.rn.f32.u64 %f0,%rd1;", 'f', 0x8000008000000001ull, 0, 0, 0x5f000001},
        {"cvt.rn.f64.s32 %d0,%r1;", 'D', 0xffffffff, 0, 0, 0xbff0000000000000ull},
        {"cvt.rn.f64.u64 %d0,%rd1;", 'D', 0xffffffffffffffffull, 0, 0, 0x43f0000000000000ull},
        {"cvt.rz.f64.u64 %d0,%rd1;", 'D', 0xffffffffffffffffull, 0, 0, 0x43efffffffffffffull},
        {"cvt.rzi.s32.f32 %r0,%f1;", 'r', 0xbfc00000, 0, 0, 0xffffffff},
        {"cvt.rni.s32.f32 %r0,%f1;", 'r', 0x40200000, 0, 0, 2}, /* 2.5 */
        {"cvt.rmi.s32.f32 %r0,%f1;", 'r', 0xbfc00000, 0, 0, 0xfffffffe},
        {"cvt.rpi.s32.f32 %r0,%f1;", 'r', 0xbfc00000, 0, 0, 0xffffffff},
        {"cvt.rzi.s32.f32 %r0,%f1;", 'r', INFF, 0, 0, 0x7fffffff},
        {"cvt.rzi.s32.f32 %r0,%f1;", 'r', MINFF, 0, 0, 0x80000000},
        {"cvt.rzi.s32.f32 %r0,%f1;", 'r', NANF, 0, 0, 0},
        {"cvt.rzi.u32.f32 %r0,%f1;", 'r', MONE, 0, 0, 0},
        {"cvt.rzi.u32.f32 %r0,%f1;", 'r', 0x4f800000, 0, 0, 0xffffffff},
        {"cvt.rzi.s64.f64 %rd0,%d1;", 'd', 0x43f0000000000000ull, 0, 0, 0x7fffffffffffffffull},
        {"cvt.rzi.u64.f64 %rd0,%d1;", 'd', 0x43e0000000000000ull, 0, 0, 0x8000000000000000ull},
        {"cvt.rzi.u8.f32 %r0,%f1;", 'r', 0x43960000, 0, 0, 255},
        {"cvt.rmi.s64.f64 %rd0,%d1;", 'd', 0xbfe0000000000000ull, 0, 0, 0xffffffffffffffffull},
        {"cvt.f64.f32 %d0,%f1;", 'D', ONE, 0, 0, ONED},
        {"cvt.rn.f32.f64 %f0,%d1;", 'f', 0x3ff0000010000001ull, 0, 0, ONE_N},
        {"cvt.rz.f32.f64 %f0,%d1;", 'f', 0x3ff0000010000001ull, 0, 0, ONE},
        {"cvt.rp.f32.f64 %f0,%d1;", 'f', 0x3ff0000000000001ull, 0, 0, ONE_N},
        {"cvt.rn.f32.f64 %f0,%d1;", 'f', 0x36a0000000000000ull, 0, 0, 1},
        {"cvt.rn.ftz.f32.f64 %f0,%d1;", 'f', 0x36a0000000000000ull, 0, 0, 0},
        {"cvt.rni.f32.f32 %f0,%f1;", 'f', 0x40200000, 0, 0, 0x40000000},
        {"cvt.rmi.f32.f32 %f0,%f1;", 'f', 0xbfc00000, 0, 0, 0xc0000000},
        {"cvt.rpi.f64.f64 %d0,%d1;", 'D', 0x3ff8000000000000ull, 0, 0, 0x4000000000000000ull},
        {"cvt.rzi.f64.f64 %d0,%d1;", 'D', 0xbff8000000000000ull, 0, 0, 0xbff0000000000000ull},
        {"cvt.sat.f32.f32 %f0,%f1;", 'f', 0x40000000, 0, 0, ONE},
        {"cvt.f32.f16 %f0,%h1;", 'f', 0x3c00, 0, 0, ONE},
        {"cvt.f32.f16 %f0,%h1;", 'f', 0x0001, 0, 0, 0x33800000},
        {"cvt.rn.f16.f32 %h0,%f1;", 'h', ONE, 0, 0, 0x3c00},
        {"cvt.rn.f16.f32 %h0,%f1;", 'h', 0x477ff000, 0, 0, 0x7c00}, /* 65520 */
        {"cvt.rz.f16.f32 %h0,%f1;", 'h', 0x477ff000, 0, 0, 0x7bff},
        {"cvt.rn.f16.f32 %h0,%f1;", 'h', 0x33000000, 0, 0, 0}, /* half of the least: tie to even */
        {"cvt.rn.f16.f32 %h0,%f1;", 'h', 0x33000001, 0, 0, 1},
        {"cvt.rn.bf16.f32 %h0,%f1;", 'h', 0x3f808000, 0, 0, 0x3f80},
        {"cvt.rn.bf16.f32 %h0,%f1;", 'h', 0x3f808001, 0, 0, 0x3f81},
        {"cvt.f32.bf16 %f0,%h1;", 'f', 0x4049, 0, 0, 0x40490000},
        {"cvt.rn.f16x2.f32 %r0,%f1,%f2;", 'r', ONE, 0x40000000, 0, 0x3c004000},
        {"cvt.rn.bf16x2.f32 %r0,%f1,%f2;", 'r', ONE, 0x40000000, 0, 0x3f804000},
        {"cvt.rn.relu.bf16x2.f32 %r0,%f1,%f2;", 'r', MONE, ONE, 0, 0x3f80},
        {"cvt.rna.tf32.f32 %r0,%f1;", 'r', 0x3f801000, 0, 0, 0x3f802000},
        {"cvt.rn.f16.s32 %h0,%r1;", 'h', 2049, 0, 0, 0x6800},
        {"cvt.rzi.s16.f16 %r0,%h1;", 'r', 0xc100, 0, 0, 0xfffffffe},
    };
    CHECK_VALUES(rows);
}

/* Not bit by bit: within the relative error PTX states for the hardware. */
static void approximations_stay_within_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *inst;
        double (*exact)(double);
        double low, high, error;
    } cases[] = {
        {"sin.approx.f32 %f0,%f1;", sin, -3, 3, 5e-7},
        {"cos.approx.f32 %f0,%f1;", cos, -3, 3, 5e-7},
        {"ex2.approx.f32 %f0,%f1;", exp2, -20, 20, 3e-7},
        {"lg2.approx.f32 %f0,%f1;", log2, 2, 1e6, 3e-7},
        {"tanh.approx.f32 %f0,%f1;", tanh, -2, 2, 5e-4},
        {"sqrt.approx.f32 %f0,%f1;", sqrt, 0.1, 1e6, 3e-7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned k = 0; k < 20; k++) {
            float x = (float)(cases[i].low + (cases[i].high - cases[i].low) * (k + 0.37) / 20), y;
            struct value_row row = {cases[i].inst, 'f', 0, 0, 0, 0};
            uint64_t out[32];
            uint32_t bits;
            memcpy(&bits, &x, sizeof bits);
            row.a = bits;
            run_value_row(&row, false, out);
            bits = (uint32_t)out[3];
            memcpy(&y, &bits, sizeof y);
            double exact = cases[i].exact(x);
            assert_true(fabs(y - exact) <=
                        cases[i].error * (fabs(exact) > 0.1 ? fabs(exact) : 0.1));
        }
    static const struct value_row exact[] = {
        {"rcp.approx.ftz.f32 %f0,%f1;", 'f', 0x40000000, 0, 0, 0x3f000000},
        {"rsqrt.approx.f32 %f0,%f1;", 'f', 0x40800000, 0, 0, 0x3f000000},
        {"rsqrt.approx.f64 %d0,%d1;", 'D', 0x4010000000000000ull, 0, 0, 0x3fe0000000000000ull},
        {"div.approx.f32 %f0,%f1,%f2;", 'f', ONE, 0x40000000, 0, 0x3f000000},
        {"div.full.f32 %f0,%f1,%f2;", 'f', ONE, 0x40000000, 0, 0x3f000000},
        {"rcp.approx.ftz.f64 %d0,%d1;", 'D', 0x4000000000000001ull, 0, 0, 0x3fe0000000000000ull},
        {"ex2.approx.ftz.f32 %f0,%f1;", 'f', 0xc3160000, 0, 0, 0}, /* 2^-150 */
        {"lg2.approx.f32 %f0,%f1;", 'f', 0, 0, 0, MINFF},
        {"rsqrt.approx.f32 %f0,%f1;", 'f', 0, 0, 0, INFF},
        {"rsqrt.approx.f32 %f0,%f1;", 'f', MONE, 0, 0, NANF},
    };
    CHECK_VALUES(exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_to_nearest_even),
        cmocka_unit_test(the_other_rounding_modes_are_exact),
        cmocka_unit_test(flushing_and_saturation),
        cmocka_unit_test(nan_signs_and_extremes),
        cmocka_unit_test(comparisons_know_unordered),
        cmocka_unit_test(halves_round_once),
        cmocka_unit_test(comparisons_of_halves_give_halves),
        cmocka_unit_test(eight_bits_saturate_and_round_to_even),
        cmocka_unit_test(conversions_extend_truncate_and_clamp),
        cmocka_unit_test(approximations_stay_within_bounds),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
