/* Integer and bit instructions of PTX, value by value. */
#include "ptxfix.h"

#define M1   0xffffffffull
#define M1L  0xffffffffffffffffull
#define MIN  0x80000000ull
#define MINL 0x8000000000000000ull

static void add_and_subtract_wrap_at_their_width(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"add.u32 %r0,%r1,%r2;", 'r', M1, 2, 0, 1},
        {"add.s32 %r0,%r1,%r2;", 'r', 0x7fffffff, 1, 0, MIN},
        {"add.sat.s32 %r0,%r1,%r2;", 'r', 0x7fffffff, 1, 0, 0x7fffffff},
        {"add.sat.s32 %r0,%r1,%r2;", 'r', MIN, M1, 0, MIN},
        {"sub.sat.s32 %r0,%r1,%r2;", 'r', MIN, 1, 0, MIN},
        {"add.u16 %h0,%h1,%h2;", 'h', 0xffff, 3, 0, 2},
        {"add.s64 %rd0,%rd1,%rd2;", 'd', M1L, 5, 0, 4},
        {"sub.s32 %r0,%r1,%r2;", 'r', 3, 5, 0, 0xfffffffe},
        {"sub.u64 %rd0,%rd1,%rd2;", 'd', 0, 1, 0, M1L},
        {"sub.s16 %h0,%h1,%h2;", 'h', 0, 1, 0, 0xffff},
        {"add.s32 %r0,%r1,-7;", 'r', 5, 0, 0, 0xfffffffe},
        {"neg.s32 %r0,%r1;", 'r', MIN, 0, 0, MIN},
        {"neg.s16 %h0,%h1;", 'h', 1, 0, 0, 0xffff},
        {"neg.s64 %rd0,%rd1;", 'd', 5, 0, 0, M1L - 4},
        {"abs.s32 %r0,%r1;", 'r', 0xfffffff6, 0, 0, 10},
        {"abs.s32 %r0,%r1;", 'r', MIN, 0, 0, MIN},
        {"abs.s16 %h0,%h1;", 'h', 0x8001, 0, 0, 0x7fff},
        {"abs.s64 %rd0,%rd1;", 'd', M1L, 0, 0, 1},
        {"sad.u32 %r0,%r1,%r2,%r3;", 'r', 3, 10, 100, 107},
        {"sad.s32 %r0,%r1,%r2,%r3;", 'r', 0xfffffffd, 2, 1, 6},
        {"sad.s32 %r0,%r1,%r2,%r3;", 'r', MIN, 0x7fffffff, 1, 0},
        {"sad.u16 %h0,%h1,%h2,%h3;", 'h', 0xffff, 0, 2, 1},
    };
    CHECK_VALUES(rows);
}

static void products_have_low_high_and_wide_halves(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"mul.lo.s32 %r0,%r1,%r2;", 'r', 0x10001, 0x10001, 0, 0x20001},
        {"mul.hi.u32 %r0,%r1,%r2;", 'r', M1, M1, 0, 0xfffffffe},
        {"mul.hi.s32 %r0,%r1,%r2;", 'r', M1, M1, 0, 0},
        {"mul.hi.s32 %r0,%r1,%r2;", 'r', MIN, 2, 0, M1},
        {"mul.wide.s32 %rd0,%r1,%r2;", 'd', M1, 3, 0, M1L - 2},
        {"mul.wide.u32 %rd0,%r1,%r2;", 'd', M1, 3, 0, 0x2fffffffdull},
        {"mul.wide.u16 %r0,%h1,%h2;", 'r', 0xffff, 0xffff, 0, 0xfffe0001},
        {"mul.wide.s16 %r0,%h1,%h2;", 'r', 0xffff, 7, 0, 0xfffffff9},
        {"mul.lo.u16 %h0,%h1,%h2;", 'h', 0x0fff, 0x0fff, 0, 0xe001},
        {"mul.hi.u16 %h0,%h1,%h2;", 'h', 0xffff, 0xffff, 0, 0xfffe},
        {"mul.hi.s16 %h0,%h1,%h2;", 'h', 0x8000, 0x8000, 0, 0x4000},
        {"mul.lo.s64 %rd0,%rd1,%rd2;", 'd', 0x100000001ull, 0x100000001ull, 0, 0x200000001ull},
        {"mul.hi.u64 %rd0,%rd1,%rd2;", 'd', M1L, M1L, 0, M1L - 1},
        {"mul.hi.s64 %rd0,%rd1,%rd2;", 'd', M1L, M1L, 0, 0},
        {"mad.lo.s32 %r0,%r1,%r2,%r3;", 'r', 3, 4, 5, 17},
        {"mad.hi.u32 %r0,%r1,%r2,%r3;", 'r', M1, M1, 5, 3},
        {"mad.hi.s32 %r0,%r1,%r2,%r3;", 'r', M1, 1, 5, 4},
        {"mad.hi.sat.s32 %r0,%r1,%r2,%r3;", 'r', 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff},
        {"mad.wide.s32 %rd0,%r1,%r2,%rd3;", 'd', M1, 1, 10, 9},
        {"mad.wide.u16 %r0,%h1,%h2,%r3;", 'r', 300, 300, 1, 90001},
        {"mad.lo.u16 %h0,%h1,%h2,%h3;", 'h', 300, 300, 1, 90001 & 0xffff},
        {"mad.lo.s64 %rd0,%rd1,%rd2,%rd3;", 'd', 5, M1L, 3, M1L - 1},
        {"mul24.lo.s32 %r0,%r1,%r2;", 'r', 0x01ffffff, 2, 0, 0xfffffffe},
        {"mul24.lo.u32 %r0,%r1,%r2;", 'r', 0x01ffffff, 2, 0, 0x1fffffe},
        {"mul24.hi.u32 %r0,%r1,%r2;", 'r', 0xffffff, 0xffffff, 0, 0xfffffe00},
        {"mad24.lo.u32 %r0,%r1,%r2,%r3;", 'r', 0xff000003, 5, 7, 22},
    };
    CHECK_VALUES(rows);
}

static void division_covers_zero_and_overflow(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"div.s32 %r0,%r1,%r2;", 'r', 0xfffffff9, 2, 0, 0xfffffffd},
        {"div.u32 %r0,%r1,%r2;", 'r', 0xfffffff9, 2, 0, 0x7ffffffc},
        {"div.s32 %r0,%r1,%r2;", 'r', MIN, M1, 0, MIN},
        {"div.u32 %r0,%r1,%r2;", 'r', 5, 0, 0, M1},
        {"div.s32 %r0,%r1,%r2;", 'r', 5, 0, 0, M1},
        {"rem.s32 %r0,%r1,%r2;", 'r', 0xfffffff9, 3, 0, M1},
        {"rem.u32 %r0,%r1,%r2;", 'r', 17, 5, 0, 2},
        {"rem.s32 %r0,%r1,%r2;", 'r', MIN, M1, 0, 0},
        {"rem.u32 %r0,%r1,%r2;", 'r', 17, 0, 0, M1},
        {"div.s64 %rd0,%rd1,%rd2;", 'd', MINL, M1L, 0, MINL},
        {"div.u64 %rd0,%rd1,%rd2;", 'd', M1L, 10, 0, 1844674407370955161ull},
        {"rem.s64 %rd0,%rd1,%rd2;", 'd', M1L - 9, 7, 0, M1L - 2},
        {"rem.u64 %rd0,%rd1,%rd2;", 'd', 100, 7, 0, 2},
        {"div.s16 %h0,%h1,%h2;", 'h', 0x8000, 0xffff, 0, 0x8000},
        {"div.u16 %h0,%h1,%h2;", 'h', 1000, 7, 0, 142},
        {"rem.s16 %h0,%h1,%h2;", 'h', 0xfffb, 3, 0, 0xfffe},
    };
    CHECK_VALUES(rows);
}

static void minimum_and_maximum_respect_signs(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"min.s32 %r0,%r1,%r2;", 'r', M1, 1, 0, M1},
        {"min.u32 %r0,%r1,%r2;", 'r', M1, 1, 0, 1},
        {"max.s32 %r0,%r1,%r2;", 'r', M1, 1, 0, 1},
        {"max.u32 %r0,%r1,%r2;", 'r', M1, 1, 0, M1},
        {"min.s64 %rd0,%rd1,%rd2;", 'd', M1L, 1, 0, M1L},
        {"max.u64 %rd0,%rd1,%rd2;", 'd', M1L, 1, 0, M1L},
        {"min.s16 %h0,%h1,%h2;", 'h', 0x8000, 1, 0, 0x8000},
        {"max.u16 %h0,%h1,%h2;", 'h', 0x8000, 1, 0, 0x8000},
        {"max.s16 %h0,%h1,%h2;", 'h', 0x8000, 1, 0, 1},
    };
    CHECK_VALUES(rows);
}

static void shifts_beyond_the_width_clamp(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"shl.b32 %r0,%r1,%r2;", 'r', 3, 4, 0, 48},
        {"shl.b32 %r0,%r1,%r2;", 'r', 3, 32, 0, 0},
        {"shl.b32 %r0,%r1,%r2;", 'r', 3, M1, 0, 0},
        {"shl.b64 %rd0,%rd1,%r2;", 'd', 3, 33, 0, 3ull << 33},
        {"shl.b64 %rd0,%rd1,%r2;", 'd', 3, 64, 0, 0},
        {"shl.b16 %h0,%h1,%r2;", 'h', 0x8001, 1, 0, 2},
        {"shl.b16 %h0,%h1,%r2;", 'h', 1, 16, 0, 0},
        {"shr.u32 %r0,%r1,%r2;", 'r', MIN, 31, 0, 1},
        {"shr.u32 %r0,%r1,%r2;", 'r', MIN, 40, 0, 0},
        {"shr.b32 %r0,%r1,%r2;", 'r', MIN, 4, 0, 0x8000000},
        {"shr.s32 %r0,%r1,%r2;", 'r', MIN, 4, 0, 0xf8000000},
        {"shr.s32 %r0,%r1,%r2;", 'r', MIN, 99, 0, M1},
        {"shr.s64 %rd0,%rd1,%r2;", 'd', MINL, 63, 0, M1L},
        {"shr.s64 %rd0,%rd1,%r2;", 'd', MINL, 200, 0, M1L},
        {"shr.u64 %rd0,%rd1,%r2;", 'd', MINL, 63, 0, 1},
        {"shr.u16 %h0,%h1,%r2;", 'h', 0x8000, 15, 0, 1},
        {"shr.s16 %h0,%h1,%r2;", 'h', 0x8000, 20, 0, 0xffff},
        {"shf.l.wrap.b32 %r0,%r1,%r2,%r3;", 'r', 0x80000001, 0x12345678, 36, 0x23456788},
        {"shf.l.clamp.b32 %r0,%r1,%r2,%r3;", 'r', 0xdeadbeef, 0x12345678, 40, 0xdeadbeef},
        {"shf.r.wrap.b32 %r0,%r1,%r2,%r3;", 'r', 0x80000001, 0x12345678, 4, 0x88000000},
        {"shf.r.clamp.b32 %r0,%r1,%r2,%r3;", 'r', 0xdeadbeef, 0x12345678, 77, 0x12345678},
    };
    CHECK_VALUES(rows);
}

static void logic_works_on_bits_and_predicates(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"and.b32 %r0,%r1,%r2;", 'r', 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
        {"or.b64 %rd0,%rd1,%rd2;", 'd', MINL, 1, 0, MINL | 1},
        {"xor.b16 %h0,%h1,%h2;", 'h', 0xff00, 0x0ff0, 0, 0xf0f0},
        {"not.b32 %r0,%r1;", 'r', 0x0f, 0, 0, 0xfffffff0},
        {"not.b16 %h0,%h1;", 'h', 0x0f, 0, 0, 0xfff0},
        {"not.b64 %rd0,%rd1;", 'd', 0, 0, 0, M1L},
        {"cnot.b32 %r0,%r1;", 'r', 0, 0, 0, 1},
        {"cnot.b32 %r0,%r1;", 'r', 7, 0, 0, 0},
        {"and.pred %p0,%p1,%p2;", 'p', 1, 1, 0, 1},
        {"and.pred %p0,%p1,!%p2;", 'p', 1, 1, 0, 0},
        {"or.pred %p0,%p1,%p2;", 'p', 0, 1, 0, 1},
        {"xor.pred %p0,%p1,%p2;", 'p', 1, 1, 0, 0},
        {"not.pred %p0,%p1;", 'p', 0, 0, 0, 1},
        {"mov.pred %p0,%p1;", 'p', 1, 0, 0, 1},
        {"lop3.b32 %r0,%r1,%r2,%r3,0x96;", 'r', 0xff, 0x0f, 0x33, 0xc3},
        {"lop3.b32 %r0,%r1,%r2,%r3,0xe8;", 'r', 0xff, 0x0f, 0x30, 0x3f},
        {"lop3.b32 %r0,%r1,%r2,%r3,0xca;", 'r', 0xf0, 0x1234, 0x5678, 0x5638},
    };
    CHECK_VALUES(rows);
}

static void bits_are_counted_found_and_moved(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"popc.b32 %r0,%r1;", 'r', 0xf0f0f0f0, 0, 0, 16},
        {"popc.b64 %r0,%rd1;", 'r', M1L, 0, 0, 64},
        {"clz.b32 %r0,%r1;", 'r', 0, 0, 0, 32},
        {"clz.b32 %r0,%r1;", 'r', 1, 0, 0, 31},
        {"clz.b64 %r0,%rd1;", 'r', 0, 0, 0, 64},
        {"clz.b64 %r0,%rd1;", 'r', 0x100000000ull, 0, 0, 31},
        {"brev.b32 %r0,%r1;", 'r', 0x80000001, 0, 0, 0x80000001},
        {"brev.b32 %r0,%r1;", 'r', 0x12345678, 0, 0, 0x1e6a2c48},
        {"brev.b64 %rd0,%rd1;", 'd', 1, 0, 0, MINL},
        {"bfind.u32 %r0,%r1;", 'r', 0, 0, 0, M1},
        {"bfind.u32 %r0,%r1;", 'r', 0x8000, 0, 0, 15},
        {"bfind.s32 %r0,%r1;", 'r', M1, 0, 0, M1},
        {"bfind.s32 %r0,%r1;", 'r', 0xfffffff0, 0, 0, 3},
        {"bfind.shiftamt.u32 %r0,%r1;", 'r', 0x8000, 0, 0, 16},
        {"bfind.shiftamt.u32 %r0,%r1;", 'r', 0, 0, 0, M1},
        {"bfind.u64 %r0,%rd1;", 'r', 1ull << 40, 0, 0, 40},
        {"bfind.s64 %r0,%rd1;", 'r', M1L - 1, 0, 0, 0},
        {"bfe.u32 %r0,%r1,%r2,%r3;", 'r', 0x12345678, 8, 8, 0x56},
        {"bfe.u32 %r0,%r1,%r2,%r3;", 'r', 0x12345678, 28, 8, 1},
        {"bfe.s32 %r0,%r1,%r2,%r3;", 'r', 0x00000f00, 8, 4, M1},
        {"bfe.s32 %r0,%r1,%r2,%r3;", 'r', MIN, 40, 8, M1},
        {"bfe.s32 %r0,%r1,%r2,%r3;", 'r', 0x87654321, 28, 8, 0xfffffff8},
        {"bfe.u32 %r0,%r1,%r2,%r3;", 'r', M1, 3, 0, 0},
        {"bfe.u64 %rd0,%rd1,%r2,%r3;", 'd', 0x123456789abcdef0ull, 32, 16, 0x5678},
        {"bfe.s64 %rd0,%rd1,%r2,%r3;", 'd', 0x0000800000000000ull, 32, 16, 0xffffffffffff8000ull},
        {"bfi.b32 %r0,%r1,%r2,8,4;", 'r', 0xff, 0, 0, 0xf00},
        {"bfi.b32 %r0,%r1,%r2,40,4;", 'r', 0xff, 0x1234, 0, 0x1234},
        {"bfi.b32 %r0,%r1,%r2,28,8;", 'r', 0xff, 0, 0, 0xf0000000},
        {"bfi.b64 %rd0,%rd1,%rd2,32,32;", 'd', 7, 9, 0, 0x700000009ull},
        {"bmsk.clamp.b32 %r0,%r1,%r2;", 'r', 4, 8, 0, 0xff0},
        {"bmsk.clamp.b32 %r0,%r1,%r2;", 'r', 4, 99, 0, 0xfffffff0},
        {"bmsk.clamp.b32 %r0,%r1,%r2;", 'r', 32, 4, 0, 0},
        {"bmsk.wrap.b32 %r0,%r1,%r2;", 'r', 33, 34, 0, 6},
        {"szext.clamp.s32 %r0,%r1,%r2;", 'r', 0xff, 8, 0, M1},
        {"szext.clamp.u32 %r0,%r1,%r2;", 'r', M1, 8, 0, 0xff},
        {"szext.wrap.s32 %r0,%r1,%r2;", 'r', 0x80, 40, 0, 0xffffff80},
        {"fns.b32 %r0,%r1,%r2,%r3;", 'r', 0xaaaaaaaa, 3, 1, 3},
        {"fns.b32 %r0,%r1,%r2,%r3;", 'r', 0xaaaaaaaa, 4, 2, 7},
        {"fns.b32 %r0,%r1,%r2,-1;", 'r', 0xaaaaaaaa, 4, 0, 3},
        {"fns.b32 %r0,%r1,%r2,0;", 'r', 0xaaaaaaaa, 4, 0, M1},
    };
    CHECK_VALUES(rows);
}

static void bytes_are_permuted_and_multiplied(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"prmt.b32 %r0,%r1,%r2,%r3;", 'r', 0x33221100, 0x77665544, 0x7531, 0x77553311},
        {"prmt.b32 %r0,%r1,%r2,%r3;", 'r', 0x80000000, 0, 0xbbbb, M1},
        {"prmt.b32 %r0,%r1,%r2,%r3;", 'r', 0x33221100, 0x77665544, 0x0123, 0x00112233},
        {"prmt.b32.f4e %r0,%r1,%r2,%r3;", 'r', 0x33221100, 0x77665544, 1, 0x44332211},
        {"prmt.b32.b4e %r0,%r1,%r2,%r3;", 'r', 0x33221100, 0x77665544, 0, 0x55667700},
        {"prmt.b32.rc8 %r0,%r1,%r2,%r3;", 'r', 0x33221100, 0x77665544, 2, 0x22222222},
        {"prmt.b32.ecl %r0,%r1,%r2,%r3;", 'r', 0x33221100, 0x77665544, 2, 0x33222222},
        {"prmt.b32.ecr %r0,%r1,%r2,%r3;", 'r', 0x33221100, 0x77665544, 2, 0x22221100},
        {"prmt.b32.rc16 %r0,%r1,%r2,%r3;", 'r', 0x33221100, 0x77665544, 1, 0x33223322},
        {"dp4a.s32.s32 %r0,%r1,%r2,%r3;", 'r', 0xff020304, 0x01010101, 10, 18},
        {"dp4a.u32.u32 %r0,%r1,%r2,%r3;", 'r', 0xff020304, 0x01010101, 10, 274},
        {"dp4a.s32.u32 %r0,%r1,%r2,%r3;", 'r', 0xff000000, 0xff000000, 0, 0xffffff01},
        {"dp2a.lo.s32.s32 %r0,%r1,%r2,%r3;", 'r', 0xffff0002, 0x09080304, 1, 6},
        {"dp2a.hi.s32.s32 %r0,%r1,%r2,%r3;", 'r', 0xffff0002, 0x09080304, 1, 8},
    };
    CHECK_VALUES(rows);
}

static void carries_travel_from_instruction_to_instruction(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"add.cc.u32 %r12,%r1,%r2; addc.u32 %r0,%r3,0;", 'r', M1, 1, 7, 8},
        {"add.cc.u32 %r12,%r1,%r2; addc.u32 %r0,%r3,0;", 'r', 1, 1, 7, 7},
        {"add.cc.u32 %r12,%r1,%r2; addc.cc.u32 %r13,%r3,0; addc.u32 %r0,0,0;", 'r', M1, 1, M1, 1},
        {"sub.cc.u32 %r12,%r1,%r2; subc.u32 %r0,%r3,0;", 'r', 1, 2, 7, 6},
        {"sub.cc.u32 %r12,%r1,%r2; subc.u32 %r0,%r3,0;", 'r', 2, 2, 7, 7},
        {"sub.cc.u32 %r12,%r1,%r2; subc.cc.u32 %r13,0,0; subc.u32 %r0,%r3,0;", 'r', 0, 1, 5, 4},
        {"add.cc.u64 %rd12,%rd1,%rd2; addc.u64 %rd0,%rd3,0;", 'd', M1L, 1, 7, 8},
        {"sub.cc.u64 %rd12,%rd1,%rd2; subc.u64 %rd0,%rd3,0;", 'd', 0, 1, 7, 6},
        {"mad.lo.cc.u32 %r12,%r1,%r2,%r3; madc.hi.u32 %r0,%r1,%r2,5;", 'r', M1, M1, M1, 4},
        {"mad.lo.cc.u32 %r12,%r1,%r2,%r3; madc.hi.u32 %r0,%r1,%r2,5;", 'r', 3, 4, 5, 5},
        {"mad.lo.cc.u32 %r12,%r1,%r2,%r3; madc.lo.cc.u32 %r13,0,0,0xffffffff; addc.u32 %r0,0,0;",
         'r', M1, M1, M1, 1},
    };
    /* Chains guarded as a whole would need a guard on every part: run them unguarded. */
    uint64_t out[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run_value_row(&rows[i], false, out);
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(out[lane], rows[i].expected);
    }
}

static void comparisons_set_predicates(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"setp.eq.s32 %p0,%r1,%r2;", 'p', 5, 5, 0, 1},
        {"setp.ne.s32 %p0,%r1,%r2;", 'p', 5, 5, 0, 0},
        {"setp.lt.s32 %p0,%r1,%r2;", 'p', M1, 0, 0, 1},
        {"setp.lt.u32 %p0,%r1,%r2;", 'p', M1, 0, 0, 0},
        {"setp.lo.u32 %p0,%r1,%r2;", 'p', 0, M1, 0, 1},
        {"setp.hs.u32 %p0,%r1,%r2;", 'p', 0, M1, 0, 0},
        {"setp.hi.u32 %p0,%r1,%r2;", 'p', M1, 0, 0, 1},
        {"setp.ls.u32 %p0,%r1,%r2;", 'p', 3, 3, 0, 1},
        {"setp.ge.s64 %p0,%rd1,%rd2;", 'p', M1L, 0, 0, 0},
        {"setp.gt.u64 %p0,%rd1,%rd2;", 'p', M1L, 0, 0, 1},
        {"setp.le.s16 %p0,%h1,%h2;", 'p', 0xffff, 0, 0, 1},
        {"setp.gt.u16 %p0,%h1,%h2;", 'p', 0xffff, 0, 0, 1},
        {"setp.eq.b64 %p0,%rd1,%rd2;", 'p', MINL, MINL, 0, 1},
        {"setp.lt.and.s32 %p0,%r1,%r2,%p3;", 'p', 1, 2, 1, 1},
        {"setp.lt.and.s32 %p0,%r1,%r2,%p3;", 'p', 1, 2, 0, 0},
        {"setp.lt.or.s32 %p0,%r1,%r2,!%p3;", 'p', 3, 2, 0, 1},
        {"setp.lt.xor.s32 %p0,%r1,%r2,%p3;", 'p', 1, 2, 1, 0},
        {"setp.lt.s32 %p6|%p0,%r1,%r2;", 'p', 1, 2, 0, 0},
        {"setp.lt.and.s32 %p6|%p0,%r1,%r2,%p3;", 'p', 2, 1, 1, 1},
        {"set.lt.u32.s32 %r0,%r1,%r2;", 'r', 1, 2, 0, M1},
        {"set.lt.f32.s32 %f0,%r1,%r2;", 'f', 1, 2, 0, 0x3f800000},
        {"set.gt.u32.u32 %r0,%r1,%r2;", 'r', 1, 2, 0, 0},
        {"selp.b32 %r0,%r1,%r2,%p3;", 'r', 11, 22, 1, 11},
        {"selp.b32 %r0,%r1,%r2,!%p3;", 'r', 11, 22, 1, 22},
        {"selp.u64 %rd0,%rd1,%rd2,%p3;", 'd', 11, 22, 0, 22},
        {"selp.u16 %h0,%h1,%h2,%p3;", 'h', 11, 22, 1, 11},
        {"slct.u32.s32 %r0,%r1,%r2,%r3;", 'r', 11, 22, M1, 22},
        {"slct.u32.f32 %r0,%r1,%r2,%f3;", 'r', 11, 22, 0x80000000, 11},
        {"slct.u64.s32 %rd0,%rd1,%rd2,%r3;", 'd', 11, 22, 0, 11},
    };
    CHECK_VALUES(rows);
}

static void values_are_moved_packed_and_unpacked(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"mov.u32 %r0,%r1;", 'r', 77, 0, 0, 77},
        {"mov.u64 %rd0,%rd1;", 'd', M1L, 0, 0, M1L},
        {"mov.b64 %rd0,{%r1,%r2};", 'd', 1, 2, 0, 0x200000001ull},
        {"mov.b32 %r0,{%h1,%h2};", 'r', 0x1234, 0x5678, 0, 0x56781234},
        {"mov.b64 {%r12,%r0},%rd1;", 'r', 0x1122334455667788ull, 0, 0, 0x11223344},
        {"mov.b64 {%r0,_},%rd1;", 'r', 0x1122334455667788ull, 0, 0, 0x55667788},
        {"mov.b32 {%h0,%h6},%r1;", 'h', 0x11223344, 0, 0, 0x3344},
        {"mov.b64 %rd0,{%h1,%h2,%h3,%h1};", 'd', 1, 2, 3, 0x0001000300020001ull},
        {"mov.s32 %r0,-5;", 'r', 0, 0, 0, 0xfffffffb},
        {"mov.f32 %f0,0f3F800000;", 'f', 0, 0, 0, 0x3f800000},
        {"mov.f64 %d0,0d3FF0000000000000;", 'D', 0, 0, 0, 0x3ff0000000000000ull},
        {"mov.f64 %d0,1.5;", 'D', 0, 0, 0, 0x3ff8000000000000ull},
        {"mov.u32 %r0,%ntid.x;", 'r', 0, 0, 0, 32},
        {"mov.u32 %r0,%nctaid.y;", 'r', 0, 0, 0, 1},
        {"mov.u32 %r0,%ctaid.x;", 'r', 0, 0, 0, 0},
        {"{ .reg .u32 t; add.u32 t,%r1,1; add.u32 %r0,t,t; }", 'r', 4, 0, 0, 10},
    };
    uint64_t out[32];
    CHECK_VALUES(((const struct value_row[]){rows[0], rows[1], rows[2], rows[3], rows[4], rows[5],
                                             rows[6], rows[7], rows[8], rows[9], rows[10], rows[11],
                                             rows[12], rows[13], rows[14]}));
    run_value_row(&rows[15], false, out); /* a scope cannot be guarded */
    assert_int_equal(out[5], 10);
}

static void the_system_keeps_the_first_kilobyte_of_shared_memory(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"mov.u32 %r0,%reserved_smem_offset_begin;", 'r', 0, 0, 0, 0},
        {"mov.u32 %r0,%reserved_smem_offset_end;", 'r', 0, 0, 0, 288},
        {"mov.u32 %r0,%reserved_smem_offset_cap;", 'r', 0, 0, 0, 1024},
    };
    CHECK_VALUES(rows);
}

static void sizes_of_shared_memory_are_those_of_a_card(void **state)
{
    (void)state;
    /* 64 bytes of its own: an H200 says 128 and 1088. */
    struct strata_module *sizes =
        load_text(".version 8.3\n.target sm_90\n.address_size 64\n"
                  ".visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<4>; .shared "
                  ".b8 few[64];\n"
                  "ld.param.u64 %rd1,[out]; mov.u32 %r1,few; mov.u32 %r2,%total_smem_size;\n"
                  "mov.u32 %r3,%aggr_smem_size; st.global.u32 [%rd1],%r2; st.global.u32 "
                  "[%rd1+4],%r3; ret; }\n");
    uint32_t *out = device_memory(8);
    struct run_setup setup = {.threads = 1};
    run_ok(sizes, "k", &setup, &out);
    assert_int_equal(out[0], 128);
    assert_int_equal(out[1], 1088);
    strata_module_destroy(sizes);
}

static void lane_masks_name_the_lanes_around(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {"mov.u32 %r0,%laneid;", 'r', 0, 0, 0, 0},
        {"mov.u32 %r0,%lanemask_eq;", 'r', 0, 0, 0, 0},
        {"mov.u32 %r0,%lanemask_lt;", 'r', 0, 0, 0, 0},
        {"mov.u32 %r0,%lanemask_le;", 'r', 0, 0, 0, 0},
        {"mov.u32 %r0,%lanemask_gt;", 'r', 0, 0, 0, 0},
        {"mov.u32 %r0,%lanemask_ge;", 'r', 0, 0, 0, 0},
    };
    for (size_t k = 0; k < 6; k++) {
        uint64_t out[32];
        run_value_row(&rows[k], false, out);
        for (unsigned i = 0; i < 32; i++) {
            uint32_t below = (uint32_t)((1ull << i) - 1), self = 1u << i;
            uint32_t expected[] = {i, self, below, below | self, ~(below | self), ~below};
            assert_int_equal(out[i], expected[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_and_subtract_wrap_at_their_width),
        cmocka_unit_test(products_have_low_high_and_wide_halves),
        cmocka_unit_test(division_covers_zero_and_overflow),
        cmocka_unit_test(minimum_and_maximum_respect_signs),
        cmocka_unit_test(shifts_beyond_the_width_clamp),
        cmocka_unit_test(logic_works_on_bits_and_predicates),
        cmocka_unit_test(bits_are_counted_found_and_moved),
        cmocka_unit_test(bytes_are_permuted_and_multiplied),
        cmocka_unit_test(carries_travel_from_instruction_to_instruction),
        cmocka_unit_test(comparisons_set_predicates),
        cmocka_unit_test(values_are_moved_packed_and_unpacked),
        cmocka_unit_test(the_system_keeps_the_first_kilobyte_of_shared_memory),
        cmocka_unit_test(sizes_of_shared_memory_are_those_of_a_card),
        cmocka_unit_test(lane_masks_name_the_lanes_around),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
