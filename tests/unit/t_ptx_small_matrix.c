/* Products of elements of less than a byte and of whole numbers, against plain definitions: the
 * tables of the PTX manual, which a card was seen to follow (device/hopper/small_forms.cu). */
#include "lanefix.h"

static uint32_t word_of(uint32_t i)
{
    return (i + 1) * 2654435761u ^ (i * 40503u) << 7;
}
static int nibble(uint32_t word, unsigned i, bool is_signed)
{
    int v = (int)(word >> (4 * i) & 15);
    return is_signed && v > 7 ? v - 16 : v;
}

/* Eight words a lane: A's and B's; `text` multiplies {%r10..} by {%r14..} and adds to {%r20..}. */
static void run_product(const char *multiply, uint32_t *given, uint32_t *out)
{
    char text[3072];
    snprintf(
        text, sizeof text,
        ".version 8.7\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<40>; .reg .b64 "
        "%%rd<9>; ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r1,%%tid.x;\n"
        "mul.wide.u32 %%rd3,%%r1,48; add.u64 %%rd4,%%rd1,%%rd3;\n"
        "ld.global.v4.u32 {%%r10,%%r11,%%r12,%%r13},[%%rd4];\n"
        "ld.global.v4.u32 {%%r14,%%r15,%%r16,%%r17},[%%rd4+16]; ld.global.u32 %%r18,[%%rd4+32];"
        "mov.u32 %%r20,5; mov.u32 %%r21,5; mov.u32 %%r22,5; mov.u32 %%r23,5;\n%s\n"
        "mul.wide.u32 %%rd5,%%r1,16; add.u64 %%rd6,%%rd2,%%rd5;\n"
        "st.global.v4.u32 [%%rd6],{%%r20,%%r21,%%r22,%%r23}; ret; }\n",
        multiply);
    run_kernel(text, 32, given, out);
}

static void expect_sums(const uint32_t *out, unsigned rows, int sum[16][8])
{
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned e = 0; e < rows / 4; e++)
            assert_int_equal((int)out[lane * 4 + e],
                             5 + sum[lane / 4 + 8 * (e / 2)][lane % 4 * 2 + (e & 1)]);
}

/* ---- single bits ---- */

static bool bit_of(const uint32_t *words, unsigned i)
{
    return words[i / 32] >> (i % 32) & 1;
}

/* A lane's registers of A have rows by turns, 128 columns each four lanes. */
static void multiply_bits(unsigned rows, unsigned depth, bool exclusive)
{
    char text[256];
    bool deep = depth == 256;
    snprintf(text, sizeof text,
             "mma.sync.aligned.m%un8k%u.row.col.s32.b1.b1.s32.%s.popc %s,%s,%s,%s;", rows, depth,
             exclusive ? "xor" : "and", rows == 8 ? "{%r20,%r21}" : "{%r20,%r21,%r22,%r23}",
             rows == 8 ? "{%r10}"
             : deep    ? "{%r10,%r11,%r12,%r13}"
                       : "{%r10,%r11}",
             deep ? "{%r14,%r15}" : "{%r14}", rows == 8 ? "{%r20,%r21}" : "{%r20,%r21,%r22,%r23}");
    uint32_t *given = device_memory(48 * 32), *out = device_memory(16 * 32);
    uint32_t a[16][8], b[8][8]; /* words along K; of B a column each */
    int sum[16][8] = {0};
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned r = 0; r < 8; r++)
            given[lane * 12 + r] = word_of(lane * 8 + r);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned r = 0; r < 4; r++) {
            unsigned below = rows == 16 ? r & 1 : 0, step = rows == 16 ? r / 2 : r;
            if (step < depth / 128)
                a[lane / 4 + 8 * below][lane % 4 + 4 * step] = given[lane * 12 + r];
            if (r < depth / 128)
                b[lane / 4][lane % 4 + 4 * r] = given[lane * 12 + 4 + r];
        }
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < 8; j++)
            for (unsigned k = 0; k < depth; k++)
                sum[i][j] += exclusive ? bit_of(a[i], k) != bit_of(b[j], k)
                                       : bit_of(a[i], k) && bit_of(b[j], k);
    run_product(text, given, out);
    expect_sums(out, rows, sum);
}

static void mma_counts_single_bits(void **state)
{
    (void)state;
    for (unsigned exclusive = 0; exclusive < 2; exclusive++) {
        multiply_bits(8, 128, exclusive);
        multiply_bits(16, 128, exclusive);
        multiply_bits(16, 256, exclusive);
    }
}

/* ---- sparse, of four bits ---- */

/* Which two of four pairs are there, in their order. */
static uint32_t metadata_of(unsigned lane)
{
    static const uint32_t chosen[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    uint32_t word = 0;
    for (unsigned i = 0; i < 8; i++)
        word |= chosen[word_of(lane * 8 + i + 1000) % 6] << (4 * i);
    return word;
}

static void place_sparse(const uint32_t *given, unsigned depth, unsigned selector, bool a_signed,
                         bool b_signed, int a[16][128], int b[128][8])
{
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned e = 0; e < depth / 4; e++) {
            unsigned r = e / 8, row = lane / 4 + 8 * (r & 1),
                     column = lane % 4 * 8 + e % 8 + 32 * (r / 2), pair = column / 2,
                     teller = row % 8 * 4 + selector * (depth / 32) + 2 * (pair / 16) + row / 8,
                     where = given[teller * 12 + 8] >> (pair % 16 * 2) & 3;
            a[row][(pair / 2 * 4 + where) * 2 + column % 2] =
                nibble(given[lane * 12 + r], e % 8, a_signed);
            b[lane % 4 * 8 + e % 8 + 32 * r][lane / 4] =
                nibble(given[lane * 12 + 4 + r], e % 8, b_signed);
        }
}

static void multiply_sparse(unsigned depth, unsigned selector, bool a_signed, bool b_signed)
{
    char text[256];
    snprintf(text, sizeof text,
             "mma.sp::ordered_metadata.sync.aligned.m16n8k%u.row.col.s32.%s4.%s4.s32 "
             "{%%r20,%%r21,%%r22,%%r23},%s,%s,{%%r20,%%r21,%%r22,%%r23},%%r18,%u;",
             depth, a_signed ? "s" : "u", b_signed ? "s" : "u",
             depth == 128 ? "{%r10,%r11,%r12,%r13}" : "{%r10,%r11}",
             depth == 128 ? "{%r14,%r15,%r16,%r17}" : "{%r14,%r15}", selector);
    uint32_t *given = device_memory(48 * 32), *out = device_memory(16 * 32);
    static int a[16][128], b[128][8];
    int sum[16][8] = {0};
    memset(a, 0, sizeof a);
    for (unsigned lane = 0; lane < 32; lane++) {
        for (unsigned r = 0; r < 8; r++)
            given[lane * 12 + r] = word_of(lane * 8 + r);
        given[lane * 12 + 8] = metadata_of(lane);
    }
    place_sparse(given, depth, selector, a_signed, b_signed, a, b);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 8; j++)
            for (unsigned k = 0; k < depth; k++)
                sum[i][j] += a[i][k] * b[k][j];
    run_product(text, given, out);
    expect_sums(out, 16, sum);
}

static void mma_sp_takes_pairs_of_four_bits(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        multiply_sparse(64, 0, i & 1, i & 2);
        multiply_sparse(64, 1, i & 1, i & 2);
        multiply_sparse(128, 0, i & 1, i & 2);
    }
}

/* ---- wmma ---- */

struct wmma {
    const char *shape, *type;
    unsigned m, n, k, bits, n_a, n_b;
    bool is_signed, exclusive;
};

static const char *names(char *out, unsigned from, unsigned n)
{
    out[0] = '\0';
    for (unsigned i = 0; i < n; i++)
        sprintf(out + strlen(out), "%s%%r%u", i ? "," : "", from + i);
    return out;
}

static int element_of(const struct wmma *w, const uint8_t *bytes, unsigned i)
{
    unsigned v = bytes[i * w->bits / 8] >> (i * w->bits % 8) & ((1u << w->bits) - 1);
    return w->is_signed && v >> (w->bits - 1) ? (int)v - (1 << w->bits) : (int)v;
}

static int product(const struct wmma *w, int a, int b)
{
    return w->bits > 1 ? a * b : w->exclusive ? a ^ b : a & b;
}

/* Rows of A and of B, or their columns, are 128 elements apart. */
static void multiply_from_memory(const struct wmma *w, bool a_col, bool b_col)
{
    enum { STRIDE = 128, B_AT = 4096 };
    char text[3072], a[64], b[64], d[64];
    static const char *const layouts[] = {"row", "col"};
    const char *how = w->bits > 1 ? "" : w->exclusive ? ".xor.popc" : ".and.popc";
    names(a, 1, w->n_a);
    names(b, 5, w->n_b);
    names(d, 10, w->m * w->n / 32);
    snprintf(text, sizeof text,
             ".version 8.7\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<40>; .reg .b64 "
             "%%rd<9>; ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r30,%u;\n"
             "wmma.load.a.sync.aligned.%s.%s.%s {%s},[%%rd1],%%r30;\n"
             "wmma.load.b.sync.aligned.%s.%s.global.%s {%s},[%%rd1+%u],%%r30;\n"
             "wmma.load.c.sync.aligned.row.%s.s32 {%s},[%%rd2];\n"
             "wmma.mma%s.sync.aligned.%s.%s.%s.s32.%s.%s.s32 {%s},{%s},{%s},{%s};\n"
             "wmma.store.d.sync.aligned.row.%s.s32 [%%rd2],{%s}; ret; }\n",
             STRIDE, layouts[a_col], w->shape, w->type, a, layouts[b_col], w->shape, w->type, b,
             B_AT, w->shape, d, how, layouts[a_col], layouts[b_col], w->shape, w->type, w->type, d,
             a, b, d, w->shape, d);
    uint32_t *in = device_memory(2 * B_AT);
    int32_t *out = device_memory(1024);
    for (unsigned i = 0; i < B_AT / 2; i++)
        in[i] = word_of(i);
    for (unsigned i = 0; i < 256; i++)
        out[i] = (int32_t)i;
    const uint8_t *from = (const uint8_t *)in;
    run_kernel(text, 32, in, out);
    for (unsigned i = 0; i < w->m; i++)
        for (unsigned j = 0; j < w->n; j++) {
            int sum = (int)(i * w->n + j);
            for (unsigned k = 0; k < w->k; k++)
                sum += product(w, element_of(w, from, a_col ? k * STRIDE + i : i * STRIDE + k),
                               element_of(w, from + B_AT, b_col ? j * STRIDE + k : k * STRIDE + j));
            assert_int_equal(out[i * w->n + j], sum);
        }
}

static void wmma_multiplies_whole_numbers_and_bits(void **state)
{
    (void)state;
    static const struct wmma cases[] = {
        {"m16n16k16", "s8", 16, 16, 16, 8, 2, 2, true, false},
        {"m16n16k16", "u8", 16, 16, 16, 8, 2, 2, false, false},
        {"m32n8k16", "s8", 32, 8, 16, 8, 4, 1, true, false},
        {"m8n32k16", "u8", 8, 32, 16, 8, 1, 4, false, false},
        {"m8n8k32", "s4", 8, 8, 32, 4, 1, 1, true, false},
        {"m8n8k32", "u4", 8, 8, 32, 4, 1, 1, false, false},
        {"m8n8k128", "b1", 8, 8, 128, 1, 1, 1, false, true},
        {"m8n8k128", "b1", 8, 8, 128, 1, 1, 1, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned v = 0; v < 4; v++) /* of less than a byte only rows by columns */
            if (cases[i].bits == 8 || v == 2)
                multiply_from_memory(&cases[i], v & 1, v & 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mma_counts_single_bits),
        cmocka_unit_test(mma_sp_takes_pairs_of_four_bits),
        cmocka_unit_test(wmma_multiplies_whole_numbers_and_bits),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
