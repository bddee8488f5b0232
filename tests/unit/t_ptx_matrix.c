/* Products of matrices by warps, and the tiles they take, against plain definitions. */
#include <math.h>

#include "lanefix.h"

#include "emulator/half.h"

static uint16_t half_of(int value) /* small integers */
{
    static const uint16_t halves[] = {0,      0x3c00, 0x4000, 0x4200, 0x4400,
                                      0x4500, 0x4600, 0x4700, 0x4800};
    return value < 0 ? halves[-value] | 0x8000 : halves[value];
}
static uint16_t bfloat_of(int value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* D = A B + C with A m x k, B k x n in fragments after the tables of the PTX manual: row and column
 * of element e of a lane. */
static void mma_m16n8k16_multiplies(void **state)
{
    (void)state;
    static const char *const types[] = {"f16", "bf16"};
    for (unsigned t = 0; t < 2; t++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            PTX_HEAD
            ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<20>; .reg .b64 "
            "%%rd<9>; .reg "
            ".f32 %%f<20>; ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 "
            "%%r1,%%tid.x;\n"
            "mul.wide.u32 %%rd3,%%r1,40; add.u64 %%rd4,%%rd1,%%rd3; ld.global.v2.u32 "
            "{%%r2,%%r3},[%%rd4];\n"
            "ld.global.v2.u32 {%%r4,%%r5},[%%rd4+8]; ld.global.v2.u32 {%%r6,%%r7},[%%rd4+16];\n"
            "ld.global.v2.f32 {%%f1,%%f2},[%%rd4+24]; ld.global.v2.f32 {%%f3,%%f4},[%%rd4+32];\n"
            "mma.sync.aligned.m16n8k16.row.col.f32.%s.%s.f32 "
            "{%%f5,%%f6,%%f7,%%f8},{%%r2,%%r3,%%r4,%%r5},"
            "{%%r6,%%r7},{%%f1,%%f2,%%f3,%%f4};\n"
            "mul.wide.u32 %%rd5,%%r1,16; add.u64 %%rd6,%%rd2,%%rd5;\n"
            "st.global.v4.f32 [%%rd6],{%%f5,%%f6,%%f7,%%f8}; ret; }\n",
            types[t], types[t]);
        int a[16][16], b[16][8], c[16][8];
        for (int i = 0; i < 16; i++)
            for (int k = 0; k < 16; k++)
                a[i][k] = (i * 3 + k) % 9 - 4;
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 8; j++) {
                b[k][j] = (k + 5 * j) % 7 - 3;
                c[k][j] = k - j;
            }
        uint32_t *in = device_memory(40 * 32);
        float *out = device_memory(16 * 32);
        for (unsigned lane = 0; lane < 32; lane++) {
            unsigned g = lane / 4, q = lane % 4;
            for (unsigned e = 0; e < 8; e++) {
                unsigned row = (e < 2 || (e >= 4 && e < 6)) ? g : g + 8;
                unsigned column = q * 2 + (e & 1) + (e >= 4 ? 8 : 0);
                uint32_t bits = t ? bfloat_of(a[row][column]) : half_of(a[row][column]);
                in[lane * 10 + e / 2] |= bits << (16 * (e & 1));
            }
            for (unsigned e = 0; e < 4; e++) {
                unsigned row = q * 2 + (e & 1) + (e >= 2 ? 8 : 0);
                uint32_t bits = t ? bfloat_of(b[row][g]) : half_of(b[row][g]);
                in[lane * 10 + 4 + e / 2] |= bits << (16 * (e & 1));
                float value = (float)c[e < 2 ? g : g + 8][q * 2 + (e & 1)];
                memcpy(&in[lane * 10 + 6 + e], &value, 4);
            }
        }
        run_kernel(text, 32, in, out);
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned e = 0; e < 4; e++) {
                unsigned i = e < 2 ? lane / 4 : lane / 4 + 8, j = lane % 4 * 2 + (e & 1);
                int sum = c[i][j];
                for (unsigned k = 0; k < 16; k++)
                    sum += a[i][k] * b[k][j];
                assert_true(out[lane * 4 + e] == (float)sum);
            }
    }
}

static void mma_m16n8k8_multiplies_tf32(void **state)
{
    (void)state;
    float *in = device_memory(4 * 32 * 6), *out = device_memory(16 * 32);
    int a[16][8], b[8][8];
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 8; k++)
            a[i][k] = i - k;
    for (int k = 0; k < 8; k++)
        for (int j = 0; j < 8; j++)
            b[k][j] = k * j - 3;
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned g = lane / 4, q = lane % 4;
        for (unsigned e = 0; e < 4; e++)
            in[lane * 6 + e] = (float)a[e & 1 ? g + 8 : g][e & 2 ? q + 4 : q];
        for (unsigned e = 0; e < 2; e++)
            in[lane * 6 + 4 + e] = (float)b[e ? q + 4 : q][g];
    }
    run_kernel(
        KERNEL(
            "mul.wide.u32 %rd6,%r1,24; add.u64 %rd7,%rd1,%rd6; ld.global.v2.u32 {%r2,%r3},[%rd7];\n"
            "ld.global.v2.u32 {%r4,%r5},[%rd7+8]; ld.global.v2.u32 {%r6,%r7},[%rd7+16]; mov.f32 "
            "%f1,0f3F800000;\n"
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
            "{%f5,%f6,%f7,%f8},{%r2,%r3,%r4,%r5},{%r6,%r7},"
            "{%f1,%f1,%f1,%f1};\nmul.wide.u32 %rd8,%r1,16; add.u64 %rd9,%rd2,%rd8;\n"
            "st.global.v4.f32 [%rd9],{%f5,%f6,%f7,%f8};"),
        32, in, out);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned e = 0; e < 4; e++) {
            unsigned i = e < 2 ? lane / 4 : lane / 4 + 8, j = lane % 4 * 2 + (e & 1);
            int sum = 1;
            for (unsigned k = 0; k < 8; k++)
                sum += a[i][k] * b[k][j];
            assert_true(out[lane * 4 + e] == (float)sum);
        }
}

/* Bytes, with and without sign, in every shape; the sum of the first row wraps, or is held at the
 * largest number. */
static void multiply_bytes(unsigned m, unsigned k, bool saturates)
{
    char text[2048], a_registers[64] = "", d_registers[64] = "";
    unsigned n_a = m * k / 128, n_b = k / 16, n_d = m / 4;
    for (unsigned i = 0; i < n_a; i++)
        sprintf(a_registers + strlen(a_registers), "%s%%r%u", i ? "," : "", 2 + i);
    for (unsigned i = 0; i < n_d; i++)
        sprintf(d_registers + strlen(d_registers), "%s%%r%u", i ? "," : "", 8 + i);
    snprintf(text, sizeof text,
             PTX_HEAD
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<20>; .reg .b64 "
             "%%rd<9>;"
             "ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r1,%%tid.x;\n"
             "mul.wide.u32 %%rd3,%%r1,40; add.u64 %%rd4,%%rd1,%%rd3; ld.global.v2.u32 "
             "{%%r2,%%r3},[%%rd4];\n"
             "ld.global.v2.u32 {%%r4,%%r5},[%%rd4+8]; ld.global.v2.u32 {%%r6,%%r7},[%%rd4+16];\n"
             "ld.global.v2.u32 {%%r8,%%r9},[%%rd4+24]; ld.global.v2.u32 {%%r10,%%r11},[%%rd4+32];\n"
             "mma.sync.aligned.m%un8k%u.row.col%s.s32.s8.u8.s32 {%s},{%s},{%s},{%s};\n"
             "mul.wide.u32 %%rd5,%%r1,16; add.u64 %%rd6,%%rd2,%%rd5;\n"
             "st.global.v4.u32 [%%rd6],{%%r8,%%r9,%%r10,%%r11}; ret; }\n",
             m, k, saturates ? ".satfinite" : "", d_registers, a_registers,
             n_b == 2 ? "%r6,%r7" : "%r6", d_registers);
    int a[16][32], b[32][8];
    for (int i = 0; i < 16; i++)
        for (int x = 0; x < 32; x++)
            a[i][x] = i ? (i * 7 + x * 5) % 255 - 127 : 100;
    for (int x = 0; x < 32; x++)
        for (int j = 0; j < 8; j++)
            b[x][j] = (x * 11 + j * 31) % 256;
    uint32_t *given = device_memory(40 * 32), *out = device_memory(16 * 32);
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned g = lane / 4, q = lane % 4;
        for (unsigned e = 0; e < 4 * n_a; e++) {
            unsigned row = m == 16 && e / 4 % 2 ? g + 8 : g;
            unsigned column = q * 4 + e % 4 + (e / 4 >= 2 ? 16 : 0);
            given[lane * 10 + e / 4] |= (uint32_t)(uint8_t)a[row][column] << (8 * (e % 4));
        }
        for (unsigned e = 0; e < 4 * n_b; e++)
            given[lane * 10 + 4 + e / 4] |= (uint32_t)b[q * 4 + e % 4 + e / 4 * 16][g]
                                            << (8 * (e % 4));
        for (unsigned e = 0; e < n_d; e++)
            given[lane * 10 + 6 + e] = INT32_MAX - 7;
    }
    run_kernel(text, 32, given, out);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned e = 0; e < n_d; e++) {
            int64_t sum = INT32_MAX - 7;
            for (unsigned x = 0; x < k; x++)
                sum += a[e < 2 ? lane / 4 : lane / 4 + 8][x] * b[x][lane % 4 * 2 + (e & 1)];
            if (saturates && sum > INT32_MAX)
                sum = INT32_MAX;
            assert_int_equal(out[lane * 4 + e], (uint32_t)sum);
        }
}

static void mma_multiplies_bytes(void **state)
{
    (void)state;
    for (unsigned saturates = 0; saturates < 2; saturates++) {
        multiply_bytes(16, 32, saturates);
        multiply_bytes(16, 16, saturates);
        multiply_bytes(8, 16, saturates);
    }
}

static const char *registers(char *out, const char *kind, unsigned from, unsigned n)
{
    *out = 0;
    for (unsigned i = 0; i < n; i++)
        sprintf(out + strlen(out), "%s%%%s%u", i ? "," : "", kind, from + i);
    return out;
}

/* Of a lane's registers of A, in turn, one has the row of its number and one that 8 below. */
static void multiply_nibbles(unsigned m, unsigned k, bool a_signed, bool b_signed)
{
    char text[2048], a_text[64], b_text[64], d_text[64];
    unsigned n_a = m * k / 256, n_b = k / 32, n_d = m / 4;
    snprintf(text, sizeof text,
             PTX_HEAD
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<20>; .reg .b64 "
             "%%rd<9>;"
             "ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r1,%%tid.x;\n"
             "mul.wide.u32 %%rd3,%%r1,32; add.u64 %%rd4,%%rd1,%%rd3;\n"
             "ld.global.v4.u32 {%%r2,%%r3,%%r4,%%r5},[%%rd4];\n"
             "ld.global.v2.u32 {%%r6,%%r7},[%%rd4+16]; mov.u32 %%r8,5; mov.u32 %%r9,5;\n"
             "mov.u32 %%r10,5; mov.u32 %%r11,5;\n"
             "mma.sync.aligned.m%un8k%u.row.col.s32.%s4.%s4.s32 {%s},{%s},{%s},{%s};\n"
             "mul.wide.u32 %%rd5,%%r1,16; add.u64 %%rd6,%%rd2,%%rd5;\n"
             "st.global.v4.u32 [%%rd6],{%%r8,%%r9,%%r10,%%r11}; ret; }\n",
             m, k, a_signed ? "s" : "u", b_signed ? "s" : "u", registers(d_text, "r", 8, n_d),
             registers(a_text, "r", 2, n_a), registers(b_text, "r", 6, n_b), d_text);
    int a[16][64], b[64][8];
    for (int x = 0; x < 64; x++) {
        for (int i = 0; i < 16; i++)
            a[i][x] = (i * 7 + x * 5) % 16 - (a_signed ? 8 : 0);
        for (int j = 0; j < 8; j++)
            b[x][j] = (x * 11 + j * 3) % 16 - (b_signed ? 8 : 0);
    }
    uint32_t *given = device_memory(32 * 32), *out = device_memory(16 * 32);
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned g = lane / 4, q = lane % 4;
        for (unsigned e = 0; e < 8 * n_a; e++) {
            unsigned row = m == 16 && e / 8 % 2 ? g + 8 : g, column = q * 8 + e % 8 + e / 16 * 32;
            given[lane * 8 + e / 8] |= (uint32_t)(a[row][column] & 15) << (4 * (e % 8));
        }
        for (unsigned e = 0; e < 8 * n_b; e++)
            given[lane * 8 + 4 + e / 8] |= (uint32_t)(b[q * 8 + e % 8 + e / 8 * 32][g] & 15)
                                           << (4 * (e % 8));
    }
    run_kernel(text, 32, given, out);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned e = 0; e < n_d; e++) {
            int sum = 5;
            for (unsigned x = 0; x < k; x++)
                sum += a[e < 2 ? lane / 4 : lane / 4 + 8][x] * b[x][lane % 4 * 2 + (e & 1)];
            assert_int_equal((int)out[lane * 4 + e], sum);
        }
}

static void mma_multiplies_elements_of_four_bits(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        multiply_nibbles(16, 64, i & 1, i & 2);
        multiply_nibbles(16, 32, i & 1, i & 2);
        multiply_nibbles(8, 32, i & 1, i & 2);
    }
}

static void multiply_doubles(unsigned k)
{
    char text[4096], a_text[128], b_text[128], *at;
    unsigned n_a = k / 2, n_b = k / 4;
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<4>; .reg .b64 "
             "%%rd<9>; .reg .f64 %%fd<24>;"
             "ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r1,%%tid.x;\n"
             "mul.wide.u32 %%rd3,%%r1,96; add.u64 %%rd4,%%rd1,%%rd3;\n");
    at = text + strlen(text);
    for (unsigned i = 0; i < 12; i++)
        at += sprintf(at, "ld.global.f64 %%fd%u,[%%rd4+%u];\n", i, 8 * i);
    sprintf(at,
            "mov.f64 %%fd12,0d3ff0000000000000; mov.f64 %%fd13,%%fd12; mov.f64 %%fd14,%%fd12;\n"
            "mov.f64 %%fd15,%%fd12;\n"
            "mma.sync.aligned.m16n8k%u.row.col.f64.f64.f64.f64 {%%fd16,%%fd17,%%fd18,%%fd19},"
            "{%s},{%s},{%%fd12,%%fd13,%%fd14,%%fd15};\n"
            "mul.wide.u32 %%rd5,%%r1,32; add.u64 %%rd6,%%rd2,%%rd5;\n"
            "st.global.v2.f64 [%%rd6],{%%fd16,%%fd17}; st.global.v2.f64 "
            "[%%rd6+16],{%%fd18,%%fd19}; ret; }\n",
            k, registers(a_text, "fd", 0, n_a), registers(b_text, "fd", 8, n_b));
    double *given = device_memory(96 * 32), *out = device_memory(32 * 32);
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned g = lane / 4, q = lane % 4;
        for (unsigned e = 0; e < n_a; e++) /* A[row][x] = 3 row + x */
            given[lane * 12 + e] = 3 * (g + e % 2 * 8) + q + e / 2 * 4;
        for (unsigned e = 0; e < n_b; e++) /* B[x][column] = 5 x - column */
            given[lane * 12 + 8 + e] = 5.0 * (q + 4 * e) - g;
    }
    run_kernel(text, 32, given, out);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned e = 0; e < 4; e++) {
            int sum = 1, row = (int)(lane / 4 + e / 2 * 8), column = (int)(lane % 4 * 2 + e % 2);
            for (int x = 0; x < (int)k; x++)
                sum += (3 * row + x) * (5 * x - column);
            assert_true(out[lane * 4 + e] == sum);
        }
}

static void mma_multiplies_doubles_of_16_rows(void **state)
{
    (void)state;
    multiply_doubles(4);
    multiply_doubles(8);
    multiply_doubles(16);
}

static uint8_t small_float(const char *type, int value)
{
    return strcmp(type, "e4m3") ? emu_e5m2_from(value, EMU_ROUND_NEAREST)
                                : emu_e4m3_from(value, EMU_ROUND_NEAREST);
}

/* Bytes of either kind, sums of f32 and of f16, whose four elements a lane has in two registers. */
static void multiply_small_floats(const char *a_type, const char *b_type, unsigned k, bool wide)
{
    char text[2048];
    const char *sum = wide ? "{%r8,%r9,%r10,%r11}" : "{%r8,%r9}", *type = wide ? "f32" : "f16";
    snprintf(text, sizeof text,
             ".version 8.7\n.target sm_90a\n.address_size 64\n"
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<20>; .reg .b64 "
             "%%rd<9>;"
             "ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r1,%%tid.x;\n"
             "mul.wide.u32 %%rd3,%%r1,24; add.u64 %%rd4,%%rd1,%%rd3;\n"
             "ld.global.v2.u32 {%%r2,%%r3},[%%rd4]; ld.global.v2.u32 {%%r4,%%r5},[%%rd4+8];\n"
             "ld.global.v2.u32 {%%r6,%%r7},[%%rd4+16]; mov.u32 %%r8,0; mov.u32 %%r9,0;\n"
             "mov.u32 %%r10,0; mov.u32 %%r11,0;\n"
             "mma.sync.aligned.m16n8k%u.row.col.%s.%s.%s.%s %s,{%s},{%s},%s;\n"
             "mul.wide.u32 %%rd5,%%r1,16; add.u64 %%rd6,%%rd2,%%rd5;\n"
             "st.global.v4.u32 [%%rd6],{%%r8,%%r9,%%r10,%%r11}; ret; }\n",
             k, type, a_type, b_type, type, sum, k == 32 ? "%r2,%r3,%r4,%r5" : "%r2,%r3",
             k == 32 ? "%r6,%r7" : "%r6", sum);
    uint32_t *given = device_memory(24 * 32), *out = device_memory(16 * 32);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned e = 0; e < k / 2; e++) {
            int row = (int)(lane / 4 + e / 4 % 2 * 8), x = (int)(lane % 4 * 4 + e % 4 + e / 8 * 16);
            given[lane * 6 + e / 4] |= (uint32_t)small_float(a_type, (row * 3 + x) % 9 - 4)
                                       << e % 4 * 8;
            x = (int)(lane % 4 * 4 + e % 4 + e / 4 * 16);
            if (e < k / 4)
                given[lane * 6 + 4 + e / 4] |=
                    (uint32_t)small_float(b_type, (x + 5 * (int)(lane / 4)) % 7 - 3) << e % 4 * 8;
        }
    run_kernel(text, 32, given, out);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned e = 0; e < 4; e++) {
            int expected = 0, i = (int)(lane / 4 + e / 2 * 8), j = (int)(lane % 4 * 2 + e % 2);
            for (int x = 0; x < (int)k; x++)
                expected += ((i * 3 + x) % 9 - 4) * ((x + 5 * j) % 7 - 3);
            float f;
            memcpy(&f, &out[lane * 4 + e], sizeof f);
            uint16_t half = (uint16_t)(out[lane * 4 + e / 2] >> e % 2 * 16);
            assert_true((wide ? (double)f : emu_half_value(half)) == expected);
        }
}

static void mma_multiplies_floats_of_eight_bits(void **state)
{
    (void)state;
    static const char *const types[] = {"e4m3", "e5m2"};
    for (unsigned form = 0; form < 16; form++)
        multiply_small_floats(types[form & 1], types[form >> 1 & 1], form & 4 ? 32 : 16, form & 8);
}

/* Four products of 8 x 8 x 4 a warp, in every layout, with sums of either width; the fragments are
 * those of the PTX manual. */
static void multiply_quads(bool a_columns, bool b_columns, bool wide)
{
    char text[2048];
    snprintf(text, sizeof text,
             PTX_HEAD
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<20>; .reg .b64 "
             "%%rd<9>;"
             "ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r1,%%tid.x;\n"
             "mul.wide.u32 %%rd3,%%r1,16; add.u64 %%rd4,%%rd1,%%rd3; ld.global.v4.u32 "
             "{%%r2,%%r3,%%r4,%%r5},[%%rd4]; mov.u32 %%r6,%s;\n"
             "mul.wide.u32 %%rd5,%%r1,32; add.u64 %%rd6,%%rd2,%%rd5;\n"
             "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s %s,{%%r2,%%r3},{%%r4,%%r5},%s;\n"
             "st.global.v4.u32 [%%rd6],{%%r8,%%r9,%%r10,%%r11};\n%s ret; }\n",
             wide ? "0x3f800000" : "0x3c003c00", a_columns ? "col" : "row",
             b_columns ? "col" : "row", wide ? "f32" : "f16", wide ? "f32" : "f16",
             wide ? "{%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15}" : "{%r8,%r9,%r10,%r11}",
             wide ? "{%r6,%r6,%r6,%r6,%r6,%r6,%r6,%r6}" : "{%r6,%r6,%r6,%r6}",
             wide ? "st.global.v4.u32 [%rd6+16],{%r12,%r13,%r14,%r15};" : "");
    uint16_t *in = device_memory(16 * 32);
    uint32_t *out = device_memory(32 * 32);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < 4; i++) {
            unsigned quad = lane / 4 % 4, q = lane % 4, lower = lane < 16 ? 0 : 4;
            int a_row = (int)(a_columns ? lower + i : lower + q), a_x = (int)(a_columns ? q : i);
            int b_x = (int)(b_columns ? i : q), b_column = (int)(b_columns ? lower + q : lower + i);
            in[lane * 8 + i] = emu_half_from(a_row - 2 * a_x + (int)quad, EMU_ROUND_NEAREST);
            in[lane * 8 + 4 + i] = emu_half_from(b_x * b_column - 3, EMU_ROUND_NEAREST);
        }
    run_kernel(text, 32, in, out);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < 8; i++) {
            int quad = (int)(lane / 4 % 4), lower = lane < 16 ? 0 : 4, sum = 1;
            int row = lower + (int)(wide ? (lane & 1) + (i & 2) : lane % 4);
            int column = (int)(wide ? (i & 4) + (lane & 2) + (i & 1) : i);
            for (int x = 0; x < 4; x++)
                sum += (row - 2 * x + quad) * (x * column - 3);
            uint32_t bits = out[lane * 8 + (wide ? i : i / 2)];
            float f;
            memcpy(&f, &bits, sizeof f);
            assert_true((wide ? (double)f : emu_half_value((uint16_t)(bits >> i % 2 * 16))) == sum);
        }
}

static void mma_m8n8k4_multiplies_halves_by_quads(void **state)
{
    (void)state;
    for (unsigned form = 0; form < 8; form++)
        multiply_quads(form & 1, form & 2, form & 4);
}

/* ---- sparse products ---- */

struct sparse {
    const char *types; /* of d, a, b and c */
    unsigned bits, k, selector;
};

/* Which of its neighbours an element of the packed A is; ascending within a group. */
static unsigned kept(unsigned bits, unsigned row, unsigned column)
{
    static const uint8_t pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    return bits == 32 ? (row + column) & 1 : pairs[(row * 5 + column / 2 * 7) % 6][column % 2];
}

static bool has_small_floats(const struct sparse *s)
{
    return strstr(s->types, "e4m3");
}

static uint32_t element(unsigned bits, int value, bool bfloat)
{
    float f = (float)value;
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    if (bits == 8 && bfloat)
        return emu_e4m3_from(value, EMU_ROUND_NEAREST);
    return bits == 8    ? (uint8_t)value
           : bits == 32 ? word
           : bfloat     ? bfloat_of(value)
                        : half_of(value);
}

/* The layouts are those of PTX's manual, as a card was seen to follow them field by field. */
static void give_sparse(const struct sparse *s, uint32_t *given, int packed[16][32], int b[64][8])
{
    unsigned per = 32 / s->bits, n_a = s->k / per / 4, n_b = s->k / per / 4;
    bool bfloat = strstr(s->types, "bf16") || has_small_floats(s);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned r = 0; r < n_a; r++)
            for (unsigned e = 0; e < per; e++) {
                unsigned row = lane / 4 + r % 2 * 8, column = lane % 4 * per + e + r / 2 * 4 * per;
                given[lane * 12 + r] |= element(s->bits, packed[row][column], bfloat)
                                        << (s->bits % 32 * e);
            }
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned r = 0; r < n_b; r++)
            for (unsigned e = 0; e < per; e++)
                given[lane * 12 + 4 + r] |=
                    element(s->bits, b[lane % 4 * per + e + r * 4 * per][lane / 4], bfloat)
                    << (s->bits % 32 * e);
    for (unsigned row = 0; row < 16; row++)
        for (unsigned c = 0; c < s->k / 2; c++) {
            unsigned at = kept(s->bits, row, c), lane = row % 8 * 4, shift;
            if (s->bits == 8) {
                lane += s->selector * s->k / 16 + c / 16 * 2 + row / 8;
                shift = c % 16 * 2;
            } else if (s->bits == 16) {
                lane += s->selector * s->k / 16 + c / 8;
                shift = row / 8 * 16 + c % 8 * 2;
            } else {
                lane += s->selector * s->k / 8 + c / 4;
                shift = row / 8 * 16 + c % 4 * 4;
                at = at ? 14 : 4; /* the two halves of the word that is there */
            }
            given[lane * 12 + 8] |= at << shift;
        }
}

static void fill_sparse(const struct sparse *s, int packed[16][32], int whole[16][64], int b[64][8])
{
    unsigned group = s->bits == 32 ? 1 : 2;
    for (unsigned i = 0; i < 16; i++)
        for (unsigned c = 0; c < s->k / 2; c++) {
            packed[i][c] = (int)(i * 3 + c * 5) % 7 - 3;
            whole[i][c / group * 2 * group + kept(s->bits, i, c)] = packed[i][c];
        }
    for (unsigned x = 0; x < 64; x++)
        for (unsigned j = 0; j < 8; j++)
            b[x][j] = (int)(x * 11 + j * 31) % 9 - 4;
}

static void expect_sparse_sums(const struct sparse *s, unsigned lane, const uint32_t *out,
                               int whole[16][64], int b[64][8])
{
    for (unsigned e = 0; e < 4; e++) {
        int sum = 0;
        for (unsigned x = 0; x < s->k; x++)
            sum += whole[e < 2 ? lane / 4 : lane / 4 + 8][x] * b[x][lane % 4 * 2 + (e & 1)];
        float f = (float)sum;
        uint32_t word = (uint32_t)sum;
        if (s->bits != 8 || has_small_floats(s))
            memcpy(&word, &f, sizeof word);
        assert_int_equal(out[e], word);
    }
}

static void multiply_sparse(const struct sparse *s)
{
    char text[2048];
    bool long_rows = s->k / (32 / s->bits) / 4 == 4;
    snprintf(text, sizeof text,
             PTX_HEAD
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<20>; .reg .b64 "
             "%%rd<9>;"
             "ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r1,%%tid.x;\n"
             "mul.wide.u32 %%rd3,%%r1,48; add.u64 %%rd4,%%rd1,%%rd3;\n"
             "ld.global.v4.u32 {%%r2,%%r3,%%r4,%%r5},[%%rd4];\n"
             "ld.global.v4.u32 {%%r6,%%r7,%%r8,%%r9},[%%rd4+16]; ld.global.u32 %%r10,[%%rd4+32];\n"
             "mov.u32 %%r11,0; mov.u32 %%r12,0; mov.u32 %%r13,0; mov.u32 %%r14,0;\n"
             "mma.sp::ordered_metadata.sync.aligned.m16n8k%u.row.col.%s "
             "{%%r11,%%r12,%%r13,%%r14},{%s},{%s},"
             "{%%r11,%%r12,%%r13,%%r14},%%r10,%u;\n"
             "mul.wide.u32 %%rd5,%%r1,16; add.u64 %%rd6,%%rd2,%%rd5;\n"
             "st.global.v4.u32 [%%rd6],{%%r11,%%r12,%%r13,%%r14}; ret; }\n",
             s->k, s->types, long_rows ? "%r2,%r3,%r4,%r5" : "%r2,%r3",
             long_rows ? "%r6,%r7,%r8,%r9" : "%r6,%r7", s->selector);
    int packed[16][32], whole[16][64] = {0}, b[64][8];
    fill_sparse(s, packed, whole, b);
    uint32_t *given = device_memory(48 * 32), *out = device_memory(16 * 32);
    give_sparse(s, given, packed, b);
    run_kernel(text, 32, given, out);
    for (unsigned lane = 0; lane < 32; lane++)
        expect_sparse_sums(s, lane, &out[lane * 4], whole, b);
}

static void mma_sp_takes_the_columns_its_metadata_name(void **state)
{
    (void)state;
    static const struct sparse cases[] = {
        {"f32.f16.f16.f32", 16, 16, 0},  {"f32.f16.f16.f32", 16, 16, 3},
        {"f32.f16.f16.f32", 16, 32, 1},  {"f32.bf16.bf16.f32", 16, 32, 0},
        {"f32.tf32.tf32.f32", 32, 8, 2}, {"f32.tf32.tf32.f32", 32, 16, 1},
        {"s32.s8.s8.s32", 8, 32, 1},     {"s32.s8.s8.s32", 8, 64, 0},
        {"f32.e4m3.e4m3.f32", 8, 64, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        multiply_sparse(&cases[i]);
}

/* The same by a warpgroup: A of each of its warps in registers, B in shared memory, in pieces of
 * eight columns by 16 bytes. */
static void multiply_sparse_by_warpgroup(const struct sparse *s)
{
    enum { GIVEN = 12, WORDS = 128 * GIVEN };
    char text[2048];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90a\n.address_size 64\n"
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<20>; .reg .b64 "
             "%%rd<9>; .reg .pred %%p; .shared .align 128 .b8 box[512];\n"
             "ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r1,%%tid.x;\n"
             "mul.wide.u32 %%rd3,%%r1,48; add.u64 %%rd4,%%rd1,%%rd3;\n"
             "ld.global.v4.u32 {%%r2,%%r3,%%r4,%%r5},[%%rd4]; ld.global.u32 %%r10,[%%rd4+32];\n"
             "ld.global.u32 %%r6,[%%rd4+36]; mov.u32 %%r7,box; shl.b32 %%r8,%%r1,2; add.u32 "
             "%%r8,%%r8,%%r7;\n"
             "st.shared.u32 [%%r8],%%r6; fence.proxy.async.shared::cta; bar.sync 0;\n"
             "shr.u32 %%r7,%%r7,4; cvt.u64.u32 %%rd5,%%r7; or.b64 %%rd5,%%rd5,0x80000;\n"
             "setp.ne.u32 %%p,%%r7,%%r7; wgmma.fence.sync.aligned;\n"
             "wgmma.mma_async.sp.sync.aligned.m64n8k%u.%s "
             "{%%r11,%%r12,%%r13,%%r14},{%%r2,%%r3,%%r4,%%r5},"
             "%%rd5,%%r10,%u,%%p%s;\n"
             "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
             "mul.wide.u32 %%rd6,%%r1,16; add.u64 %%rd7,%%rd2,%%rd6;\n"
             "st.global.v4.u32 [%%rd7],{%%r11,%%r12,%%r13,%%r14}; ret; }\n",
             s->k, s->types, s->selector,
             s->bits == 8    ? ""
             : s->bits == 16 ? ",1,1,0"
                             : ",1,1");
    int packed[16][32], whole[16][64] = {0}, b[64][8];
    fill_sparse(s, packed, whole, b);
    uint32_t *given = device_memory(4 * WORDS), *out = device_memory(16 * 128);
    uint8_t *pieces = calloc(512, 1);
    for (unsigned x = 0; x < s->k; x++)
        for (unsigned j = 0; j < 8; j++) {
            uint32_t e = element(s->bits, b[x][j], false);
            unsigned at = x * s->bits / 8;
            memcpy(&pieces[at / 16 * 128 + j * 16 + at % 16], &e, s->bits / 8);
        }
    for (unsigned warp = 0; warp < 4; warp++)
        give_sparse(s, given + warp * 32 * GIVEN, packed, b);
    for (unsigned t = 0; t < 128; t++)
        memcpy(&given[t * GIVEN + 9], &pieces[t * 4], 4);
    free(pieces);
    run_kernel(text, 128, given, out);
    for (unsigned t = 0; t < 128; t++)
        expect_sparse_sums(s, t % 32, &out[t * 4], whole, b);
}

static void wgmma_sp_takes_the_columns_its_metadata_name(void **state)
{
    (void)state;
    static const struct sparse cases[] = {{"f32.f16.f16", 16, 32, 0},
                                          {"f32.f16.f16", 16, 32, 1},
                                          {"f32.tf32.tf32", 32, 16, 1},
                                          {"s32.s8.s8", 8, 64, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        multiply_sparse_by_warpgroup(&cases[i]);
}

/* wmma leaves fragments open: load, multiply and store together are what counts, in every layout.
 */
static void wmma_multiplies_in_every_shape_and_layout(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        unsigned m, n, k;
    } shapes[] = {{"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16}, {"m8n32k16", 8, 32, 16}};
    static const char *const layouts[] = {"row", "col"};
    uint16_t *in = device_memory(4096);
    float *out = device_memory(4096);
    for (unsigned s = 0; s < 3; s++)
        for (unsigned v = 0; v < 8; v++) {
            unsigned m = shapes[s].m, n = shapes[s].n, k = shapes[s].k;
            bool a_col = v & 1, b_col = v & 2, d_col = v & 4;
            char text[4096];
            snprintf(
                text, sizeof text,
                PTX_HEAD
                ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<30>; .reg "
                ".b64 %%rd<9>; "
                ".reg .f32 %%f<20>; ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; add.u64 "
                "%%rd3,%%rd1,1024;\n"
                "wmma.load.a.sync.aligned.%s.%s.global.f16 "
                "{%%r1,%%r2,%%r3,%%r4,%%r5,%%r6,%%r7,%%r8},[%%rd1];\n"
                "mov.u32 %%r20,%u;\n"
                "wmma.load.b.sync.aligned.%s.%s.f16 "
                "{%%r9,%%r10,%%r11,%%r12,%%r13,%%r14,%%r15,%%r16},[%%rd3],%%r20;\n"
                "mov.f32 %%f9,0f40000000;\n"
                "wmma.mma.sync.aligned.%s.%s.%s.f32.f32 {%%f1,%%f2,%%f3,%%f4,%%f5,%%f6,%%f7,%%f8},"
                "{%%r1,%%r2,%%r3,%%r4,%%r5,%%r6,%%r7,%%r8},{%%r9,%%r10,%%r11,%%r12,%%r13,%%r14,%%"
                "r15,%%r16},"
                "{%%f9,%%f9,%%f9,%%f9,%%f9,%%f9,%%f9,%%f9};\n"
                "wmma.store.d.sync.aligned.%s.%s.global.f32 "
                "[%%rd2],{%%f1,%%f2,%%f3,%%f4,%%f5,%%f6,%%f7,%%f8};"
                "ret; }\n",
                layouts[a_col], shapes[s].shape, b_col ? k : n, layouts[b_col], shapes[s].shape,
                layouts[a_col], layouts[b_col], shapes[s].shape, layouts[d_col], shapes[s].shape);
            for (unsigned i = 0; i < m; i++)
                for (unsigned j = 0; j < k; j++)
                    in[a_col ? j * m + i : i * k + j] = half_of((int)(i + 2 * j) % 9 - 4);
            for (unsigned i = 0; i < k; i++)
                for (unsigned j = 0; j < n; j++)
                    in[512 + (b_col ? j * k + i : i * n + j)] = half_of((int)(3 * i + j) % 7 - 3);
            run_kernel(text, 32, in, out);
            for (unsigned i = 0; i < m; i++)
                for (unsigned j = 0; j < n; j++) {
                    int sum = 2;
                    for (unsigned e = 0; e < k; e++)
                        sum += ((int)(i + 2 * e) % 9 - 4) * ((int)(3 * e + j) % 7 - 3);
                    assert_true(out[d_col ? j * m + i : i * n + j] == (float)sum);
                }
        }
}

/* A matrix of halves goes through a fragment from either layout to either, from global and from
 * shared memory: pairs that lie the other way change lanes. */
static void wmma_turns_halves_from_any_layout_to_any(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        unsigned m, n;
    } shapes[] = {{"m16n16k16", 16, 16}, {"m32n8k16", 32, 8}, {"m8n32k16", 8, 32}};
    static const char *const layouts[] = {"row", "col"};
    uint16_t *in = device_memory(512), *out = device_memory(512);
    for (unsigned i = 0; i < 256; i++)
        in[i] = (uint16_t)(7 * i + 1);
    for (unsigned s = 0; s < 3; s++)
        for (unsigned v = 0; v < 8; v++) {
            unsigned m = shapes[s].m, n = shapes[s].n;
            bool from_col = v & 1, to_col = v & 2, shared = v & 4;
            char text[2048];
            snprintf(text, sizeof text,
                     PTX_HEAD
                     ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<12>; "
                     ".reg .b64 %%rd<5>; .shared .align 32 .b8 box[512];\n"
                     "ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r1,%%tid.x;\n"
                     "mul.wide.u32 %%rd3,%%r1,16; add.u64 %%rd4,%%rd1,%%rd3;\n"
                     "ld.global.v4.u32 {%%r2,%%r3,%%r4,%%r5},[%%rd4];\n"
                     "shl.b32 %%r6,%%r1,4; mov.u32 %%r7,box; add.u32 %%r6,%%r6,%%r7;\n"
                     "st.shared.v4.u32 [%%r6],{%%r2,%%r3,%%r4,%%r5}; bar.sync 0;\n"
                     "wmma.load.c.sync.aligned.%s.%s.%s.f16 {%%r8,%%r9,%%r10,%%r11},[%s];\n"
                     "wmma.store.d.sync.aligned.%s.%s.global.f16 [%%rd2],{%%r8,%%r9,%%r10,%%r11};\n"
                     "ret; }\n",
                     layouts[from_col], shapes[s].shape, shared ? "shared" : "global",
                     shared ? "%r7" : "%rd1", layouts[to_col], shapes[s].shape);
            memset(out, 0, 512);
            run_kernel(text, 32, in, out);
            for (unsigned i = 0; i < m; i++)
                for (unsigned j = 0; j < n; j++)
                    assert_int_equal(out[to_col ? j * m + i : i * n + j],
                                     in[from_col ? j * m + i : i * n + j]);
        }
}

static void tiles_are_loaded_stored_and_transposed(void **state)
{
    (void)state;
    uint16_t *in = device_memory(512);
    uint32_t *out = device_memory(128 * 8);
    for (unsigned i = 0; i < 256; i++)
        in[i] = (uint16_t)i;
    run_kernel(
        KERNEL(
            ".shared .align 16 .b8 s[1024]; mov.u32 %r2,s; mul.wide.u32 %rd6,%r1,16; add.u64 "
            "%rd7,%rd1,%rd6;\n"
            "ld.global.v4.u32 {%r3,%r4,%r5,%r6},[%rd7]; shl.b32 %r7,%r1,4; add.u32 %r8,%r2,%r7;\n"
            "st.shared.v4.u32 [%r8],{%r3,%r4,%r5,%r6}; bar.warp.sync -1;\n"
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r9,%r10,%r11,%r12},[%r8];\n"
            "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r13},[%r8];\n"
            "movmatrix.sync.aligned.m8n8.trans.b16 %r14,%r9;\n"
            "st.global.u32 [%rd4],%r9; st.global.u32 [%rd4+128],%r12; st.global.u32 "
            "[%rd4+256],%r13;\n"
            "st.global.u32 [%rd4+384],%r14; add.u32 %r15,%r8,512;\n"
            "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r15],{%r9,%r10};\n"
            "bar.warp.sync -1; ld.shared.u32 %r16,[s+512]; ld.shared.u32 %r17,[s+764];\n"
            "st.global.u32 [%rd4+512],%r16; st.global.u32 [%rd4+640],%r17;"),
        32, in, out);
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned i = lane / 4, j = lane % 4 * 2;
        assert_int_equal(out[lane], (8 * i + j) | (8 * i + j + 1) << 16);
        assert_int_equal(out[32 + lane], (192 + 8 * i + j) | (192 + 8 * i + j + 1) << 16);
        assert_int_equal(out[64 + lane], (8 * j + i) | (8 * (j + 1) + i) << 16);
        assert_int_equal(out[96 + lane], out[64 + lane]);
        assert_int_equal(out[128 + lane], 0 | 1 << 16);
        assert_int_equal(out[160 + lane], 126 | 127 << 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mma_m16n8k16_multiplies),
        cmocka_unit_test(mma_m16n8k8_multiplies_tf32),
        cmocka_unit_test(mma_multiplies_bytes),
        cmocka_unit_test(mma_multiplies_elements_of_four_bits),
        cmocka_unit_test(mma_multiplies_doubles_of_16_rows),
        cmocka_unit_test(mma_multiplies_floats_of_eight_bits),
        cmocka_unit_test(mma_m8n8k4_multiplies_halves_by_quads),
        cmocka_unit_test(mma_sp_takes_the_columns_its_metadata_name),
        cmocka_unit_test(wgmma_sp_takes_the_columns_its_metadata_name),
        cmocka_unit_test(wmma_multiplies_in_every_shape_and_layout),
        cmocka_unit_test(wmma_turns_halves_from_any_layout_to_any),
        cmocka_unit_test(tiles_are_loaded_stored_and_transposed),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
