/* Instructions across lanes, matrices and textures, against plain definitions. */
#include <math.h>

#include "ptxfix.h"

#include "emulator/half.h"

#define KERNEL(body)                                                                               \
    PTX_HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %r<40>; .reg .b64 "  \
             "%rd<16>; .reg .pred %p<8>; .reg .f32 %f<40>;\n"                                      \
             "ld.param.u64 %rd1,[in]; ld.param.u64 %rd2,[out]; mov.u32 %r1,%tid.x;\n"              \
             "mul.wide.u32 %rd3,%r1,4; add.u64 %rd4,%rd2,%rd3; add.u64 %rd5,%rd1,%rd3;\n" body     \
             "\nret; }\n"

static void run_kernel(const char *text, uint32_t threads, void *in, void *out)
{
    struct strata_module *m = load_text(text);
    void *params[2] = {in, out};
    struct run_setup setup = {.threads = threads};
    run_ok(m, "k", &setup, params);
    strata_module_destroy(m);
}

/* ---- shuffles ---- */

/* After the definition in the PTX manual. */
static uint32_t shuffled(const char *mode, const uint32_t *a, unsigned lane, uint32_t b, uint32_t c,
                         bool *inside)
{
    unsigned segment = c >> 8 & 31, clamp = c & 31;
    int max_lane = (int)((lane & segment) | (clamp & ~segment)), min_lane = (int)(lane & segment),
        j;
    if (!strcmp(mode, "up")) {
        j = (int)lane - (int)b;
        *inside = j >= max_lane;
    } else if (!strcmp(mode, "down")) {
        j = (int)(lane + b);
        *inside = j <= max_lane;
    } else if (!strcmp(mode, "bfly")) {
        j = (int)(lane ^ b);
        *inside = j <= max_lane;
    } else {
        j = min_lane | (int)(b & ~segment);
        *inside = j <= max_lane;
    }
    return a[*inside ? j : (int)lane];
}

static void shuffles_follow_their_definition(void **state)
{
    (void)state;
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const uint32_t clamps[] = {0, 31, 0x181f, 0x1800, 0x1c1f, 0x1007};
    uint32_t *in = device_memory(128), *out = device_memory(256);
    for (unsigned i = 0; i < 32; i++)
        in[i] = i * i + 7;
    for (unsigned mode = 0; mode < 4; mode++)
        for (size_t c = 0; c < sizeof clamps / sizeof *clamps; c++)
            for (uint32_t b = 0; b < 32; b += 5) {
                char text[2048];
                snprintf(
                    text, sizeof text,
                    PTX_HEAD
                    ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<9>; .reg "
                    ".b64 "
                    "%%rd<9>; .reg .pred %%p<3>; ld.param.u64 %%rd1,[in]; ld.param.u64 "
                    "%%rd2,[out];\n"
                    "mov.u32 %%r1,%%tid.x; mul.wide.u32 %%rd3,%%r1,4; add.u64 %%rd4,%%rd2,%%rd3;\n"
                    "add.u64 %%rd5,%%rd1,%%rd3; ld.global.u32 %%r2,[%%rd5];\n"
                    "shfl.sync.%s.b32 %%r3|%%p1,%%r2,%u,%u,-1; selp.u32 %%r4,1,0,%%p1;\n"
                    "st.global.u32 [%%rd4],%%r3; st.global.u32 [%%rd4+128],%%r4; ret; }\n",
                    modes[mode], b, clamps[c]);
                run_kernel(text, 32, in, out);
                for (unsigned lane = 0; lane < 32; lane++) {
                    bool inside;
                    uint32_t expected = shuffled(modes[mode], in, lane, b, clamps[c], &inside);
                    assert_int_equal(out[lane], expected);
                    assert_int_equal(out[32 + lane], inside);
                }
            }
}

static void votes_matches_and_reductions(void **state)
{
    (void)state;
    int32_t *in = device_memory(128);
    uint32_t *out = device_memory(128 * 16);
    uint32_t odd = 0, sum = 0, all_and = ~0u, all_or = 0, all_xor = 0;
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (int i = 0; i < 32; i++) {
        in[i] = i % 5 - 2;
        odd |= (uint32_t)(in[i] & 1) << i;
        sum += (uint32_t)in[i];
        all_and &= (uint32_t)in[i];
        all_or |= (uint32_t)in[i];
        all_xor ^= (uint32_t)in[i];
        least = in[i] < least ? in[i] : least;
        most = in[i] > most ? in[i] : most;
    }
    run_kernel(
        KERNEL(
            "ld.global.u32 %r2,[%rd5]; and.b32 %r3,%r2,1; setp.ne.u32 %p1,%r3,0;\n"
            "vote.sync.ballot.b32 %r4,%p1,-1; vote.ballot.sync.b32 %r5,!%p1,-1; st.global.u32 "
            "[%rd4],%r4;\n"
            "st.global.u32 [%rd4+128],%r5; vote.sync.all.pred %p2,%p1,-1; vote.sync.any.pred "
            "%p3,%p1,-1;\n"
            "vote.sync.uni.pred %p4,%p1,-1; selp.u32 %r6,1,0,%p2; selp.u32 %r7,2,0,%p3; selp.u32 "
            "%r8,4,0,%p4;\n"
            "add.u32 %r6,%r6,%r7; add.u32 %r6,%r6,%r8; st.global.u32 [%rd4+256],%r6;\n"
            "match.any.sync.b32 %r9,%r2,-1; st.global.u32 [%rd4+384],%r9;\n"
            "match.all.sync.b32 %r10|%p5,%r2,-1; selp.u32 %r11,1,0,%p5; add.u32 %r11,%r10,%r11;\n"
            "st.global.u32 [%rd4+512],%r11; redux.sync.add.s32 %r12,%r2,-1; st.global.u32 "
            "[%rd4+640],%r12;\n"
            "redux.sync.min.s32 %r13,%r2,-1; st.global.u32 [%rd4+768],%r13; redux.sync.max.s32 "
            "%r14,%r2,-1;\n"
            "st.global.u32 [%rd4+896],%r14; redux.sync.and.b32 %r15,%r2,-1; st.global.u32 "
            "[%rd4+1024],%r15;\n"
            "redux.sync.or.b32 %r16,%r2,-1; st.global.u32 [%rd4+1152],%r16; redux.sync.xor.b32 "
            "%r17,%r2,-1;\n"
            "st.global.u32 [%rd4+1280],%r17; redux.sync.min.u32 %r18,%r2,-1; st.global.u32 "
            "[%rd4+1408],%r18;\n"
            "elect.sync %r19|%p6,-1; selp.u32 %r20,1,0,%p6; st.global.u32 [%rd4+1536],%r20;\n"
            "activemask.b32 %r21; st.global.u32 [%rd4+1664],%r21;"),
        32, in, out);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t equal = 0;
        for (unsigned k = 0; k < 32; k++)
            equal |= (uint32_t)(in[k] == in[i]) << k;
        uint32_t expected[] = {
            odd,     ~odd,   2,       equal, 0,      sum, (uint32_t)least, (uint32_t)most,
            all_and, all_or, all_xor, 0,     i == 0, ~0u};
        for (unsigned k = 0; k < sizeof expected / sizeof *expected; k++)
            assert_int_equal(out[32 * k + i], expected[k]);
    }
}

/* Lanes that come to the same .sync instruction on different ways meet there. */
static void diverged_lanes_meet_at_a_warp_wide_instruction(void **state)
{
    (void)state;
    uint32_t *in = device_memory(128), *out = device_memory(256);
    run_kernel(KERNEL("setp.lt.u32 %p1,%r1,16; @%p1 bra LOW;\nmov.u32 %r3,1000; bra.uni "
                      "LOOP;\nLOW: mov.u32 %r3,0;\n"
                      "LOOP: add.u32 %r4,%r1,%r3; mov.u32 %r7,0;\n"
                      "AGAIN: shfl.sync.bfly.b32 %r5,%r4,16,31,-1; add.u32 %r7,%r7,1; setp.lt.u32 "
                      "%p2,%r7,3; @%p2 bra AGAIN;\n"
                      "st.global.u32 [%rd4],%r5; bar.warp.sync 0xffffffff;"),
               32, in, out);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], (i ^ 16) + (i < 16 ? 1000 : 0));
    /* half-warp masks on the two sides of a branch */
    run_kernel(
        KERNEL("setp.lt.u32 %p1,%r1,16; @%p1 bra LOW;\nredux.sync.add.u32 %r3,%r1,0xffff0000; "
               "bra.uni END;\n"
               "LOW: redux.sync.add.u32 %r3,%r1,0x0000ffff;\nEND: st.global.u32 [%rd4],%r3;"),
        32, in, out);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 16 ? 120 : 376);
}

/* Lanes of one instruction name different members, as the groups of a labelled partition do: each
 * group answers by itself, whether or not the warp has diverged before. */
/* Lane 1 of the first block asks for a lock that the second block gives back. While it asks in
 * vain the other lanes do not wait for it at the join; from the shuffle on they are one again, as
 * on hardware, so that what the warp then reads it reads at once. */
static void lanes_go_on_together_from_a_warp_wide_instruction(void **state)
{
    (void)state;
    uint32_t *in = device_memory(128), *out = device_memory(256);
    struct strata_module *m = load_text(KERNEL(
        "mov.u32 %r2,%ctaid.x; setp.ne.u32 %p1,%r2,0; @%p1 bra GIVE;\n"
        "setp.ne.u32 %p2,%r1,1; mov.u32 %r3,0;\n"
        "AGAIN: @%p2 bra JOIN;\n"
        "ASK: atom.global.or.b32 %r3,[%rd1],0; setp.eq.u32 %p3,%r3,0; @%p3 bra ASK;\n"
        "JOIN: shfl.sync.idx.b32 %r4|%p4,%r3,1,31,-1;\n"
        "activemask.b32 %r5; st.global.u32 [%rd4],%r5; st.global.u32 [%rd4+128],%r4; bra END;\n"
        "GIVE: mov.u32 %r6,7; st.global.u32 [%rd1],%r6;\nEND:"));
    void *params[2] = {in, out};
    struct run_setup setup = {.blocks = 2, .threads = 32};
    memset(in, 0, 128);
    run_ok(m, "k", &setup, params);
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(out[lane], UINT32_MAX);
        assert_int_equal(out[32 + lane], 7);
    }
    strata_module_destroy(m);
}

static void groups_of_one_instruction_act_by_themselves(void **state)
{
    (void)state;
#define BY_GROUP                                                                                   \
    "rem.u32 %r2,%r1,3; setp.eq.u32 %p1,%r2,1; mov.u32 %r3,0x49249249; @%p1 mov.u32 %r3,"          \
    "0x92492492;\nsetp.eq.u32 %p1,%r2,2; @%p1 mov.u32 %r3,0x24924924; shr.u32 %r4,%r1,3;\n"
#define ASK                                                                                        \
    "redux.sync.add.u32 %r5,%r1,%r3; st.global.u32 [%rd4],%r5; setp.gt.u32 %p2,%r1,9;\n"           \
    "vote.sync.ballot.b32 %r6,%p2,%r3; st.global.u32 [%rd4+128],%r6;\n"                            \
    "match.any.sync.b32 %r7,%r4,%r3; st.global.u32 [%rd4+256],%r7;\n"                              \
    "shfl.sync.idx.b32 %r8,%r1,%r2,31,%r3; st.global.u32 [%rd4+384],%r8;\n"                        \
    "elect.sync %r9|%p3,%r3; st.global.u32 [%rd4+512],%r9;\n"                                      \
    "setp.ne.u32 %p4,%r1,4; vote.sync.all.pred %p5,%p4,%r3; selp.u32 %r10,1,0,%p5;\n"              \
    "st.global.u32 [%rd4+640],%r10;"
    static const char *const kernels[] = {
        KERNEL(BY_GROUP ASK),
        KERNEL(BY_GROUP "setp.lt.u32 %p1,%r1,7; mov.u32 %r12,0; @%p1 bra LOW;\n"
                        "LOOP: add.u32 %r12,%r12,1; setp.lt.u32 %p6,%r12,%r1; @%p6 bra LOOP;\n"
                        "LOW: bar.warp.sync %r3; " ASK),
        KERNEL(BY_GROUP "mov.u32 %r13,0; setp.gt.u32 %p1,%r1,20; @%p1 bra HIGH; add.u32 "
                        "%r13,%r13,1;\nHIGH: " ASK)};
    uint32_t *in = device_memory(128), *out = device_memory(128 * 6);
    for (unsigned v = 0; v < 3; v++) {
        run_kernel(kernels[v], 32, in, out);
        for (unsigned i = 0; i < 32; i++) {
            uint32_t expected[6] = {0, 0, 0, i % 3, i % 3, i % 3 != 1};
            for (unsigned k = i % 3; k < 32; k += 3) {
                expected[0] += k;
                expected[1] |= (uint32_t)(k > 9) << k;
                expected[2] |= (uint32_t)(k / 8 == i / 8) << k;
            }
            for (unsigned k = 0; k < 6; k++)
                assert_int_equal(out[32 * k + i], expected[k]);
        }
    }
#undef BY_GROUP
#undef ASK
}

/* Groups in code that only some lanes reach, each with a member on the other side of a branch. */
static void groups_meet_across_a_branch(void **state)
{
    (void)state;
    uint32_t *in = device_memory(128), *out = device_memory(128);
    /* pairs (0,16), (1,17), ...: the two lanes of a pair come to the same sum on two ways */
    run_kernel(KERNEL("and.b32 %r2,%r1,15; mov.u32 %r3,0x00010001; shl.b32 %r3,%r3,%r2;\n"
                      "mov.u32 %r5,%r1; setp.lt.u32 %p1,%r1,16; @%p1 bra LOW;\n"
                      "mov.u32 %r6,0; mov.u32 %r7,0; bra.uni AGAIN;\nLOW: mov.u32 %r6,1; mov.u32 "
                      "%r7,0;\n"
                      "AGAIN: redux.sync.add.u32 %r5,%r5,%r3; add.u32 %r7,%r7,1; setp.lt.u32 "
                      "%p2,%r7,%r2; @%p2 bra AGAIN;\n"
                      "st.global.u32 [%rd4],%r5;"),
               32, in, out);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t sum = i % 16 + i % 16 + 16;
        for (unsigned k = 1; k < i % 16; k++)
            sum *= 2;
        assert_int_equal(out[i], sum);
    }
}

/* The two sides of a branch exchange values, each with an instruction and registers of its own;
 * then through one function that both call. */
static void lanes_exchange_at_two_places_of_the_code(void **state)
{
    (void)state;
#define EXCHANGE(a, d, p)                                                                          \
    "shfl.sync.bfly.b32 " d "," a ",1,31,-1; st.global.u32 [%rd4]," d ";\n"                        \
    "setp.gt.u32 " p "," a ",10; vote.sync.ballot.b32 " d "," p ",-1; st.global.u32 [%rd4+128]," d \
    ";\nshr.u32 " d "," a ",3; match.any.sync.b32 " d "," d ",-1; st.global.u32 [%rd4+256]," d     \
    ";\nredux.sync.add.u32 " d "," a ",-1; st.global.u32 [%rd4+384]," d ";\n"
#define CALL(a)                                                                                    \
    "{ .param .b32 given; .param .b64 to; st.param.b32 [given]," a ";\nst.param.b64 [to],%rd4;\n"  \
    "call.uni swap,(given,to); }\n"
    static const char *const kernels[] = {
        KERNEL("and.b32 %r2,%r1,1; setp.eq.u32 %p1,%r2,0; add.u32 %r10,%r1,0; mov.u32 %r20,%r1;\n"
               "@%p1 bra EVEN; mov.u32 %r10,777;\n" EXCHANGE(
                   "%r20", "%r21", "%p2") "bra END;\n"
                                          "EVEN: mov.u32 %r20,999;\n" EXCHANGE("%r10", "%r11",
                                                                               "%p3") "END:"),
        PTX_HEAD
        ".func swap(.param .b32 given, .param .b64 to)\n{ .reg .b32 %r<9>; .reg .b64 %rd<9>;"
        " .reg .pred %p<4>;\nld.param.u32 %r1,[given]; ld.param.u64 %rd4,[to];\n" EXCHANGE(
            "%r1", "%r2",
            "%p1") "ret; }\n"
                   ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %r<40>; .reg "
                   ".b64 %rd<16>;"
                   " .reg .pred %p<8>;\nld.param.u64 %rd2,[out]; mov.u32 %r1,%tid.x; mul.wide.u32 "
                   "%rd3,%r1,4;"
                   " add.u64 %rd4,%rd2,%rd3;\nand.b32 %r2,%r1,1; setp.eq.u32 %p1,%r2,0; @%p1 bra "
                   "EVEN;\n" CALL("%r1") "bra END;\nEVEN: " CALL("%r1") "END: ret; }\n"};
    uint32_t *in = device_memory(128), *out = device_memory(128 * 4);
    for (unsigned v = 0; v < 2; v++) {
        memset(out, 0, 128 * 4);
        run_kernel(kernels[v], 32, in, out);
        for (unsigned i = 0; i < 32; i++) {
            assert_int_equal(out[i], i ^ 1);
            assert_int_equal(out[32 + i], 0xfffff800);
            assert_int_equal(out[64 + i], 0xffu << i / 8 * 8);
            assert_int_equal(out[96 + i], 496);
        }
    }
#undef EXCHANGE
#undef CALL
}

/* ---- matrices ---- */

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

/* ---- textures ---- */

static float sample_once(const struct strata_texture *texture, bool two_d, bool integer, float x,
                         float y, uint32_t bits[4])
{
    char text[2048];
    snprintf(text, sizeof text,
             PTX_HEAD ".visible .entry k(.param .u64 t, .param .u64 out, .param .b32 x, .param "
                      ".b32 y)\n{ .reg .b32 %%r<9>; "
                      ".reg .b64 %%rd<4>; ld.param.u64 %%rd1,[t]; ld.param.u64 %%rd2,[out]; "
                      "ld.param.b32 %%r1,[x]; ld.param.b32 "
                      "%%r2,[y];\ntex.%s.v4.u32.%s {%%r3,%%r4,%%r5,%%r6},[%%rd1,{%%r1%s}];\n"
                      "st.global.v4.u32 [%%rd2],{%%r3,%%r4,%%r5,%%r6}; ret; }\n",
             two_d ? "2d" : "1d", integer ? "s32" : "f32", two_d ? ",%r2" : "");
    struct strata_module *m = load_text(text);
    uint32_t *out = device_memory(16);
    struct {
        uint64_t t;
        void *out;
        union {
            float f;
            int32_t i;
        } x, y;
    } params = {2, out, {x}, {y}};
    if (integer) {
        params.x.i = (int32_t)x;
        params.y.i = (int32_t)y;
    }
    const struct strata_texture *table[2] = {NULL, texture};
    struct run_setup setup = {.threads = 1, .textures = table, .n_textures = 2};
    run_ok(m, "k", &setup, &params);
    memcpy(bits, out, 16);
    strata_arena_release(arena, out);
    strata_module_destroy(m);
    float f;
    memcpy(&f, bits, sizeof f);
    return f;
}

static void textures_address_and_filter(void **state)
{
    (void)state;
    float *data = device_memory(4 * 4 * 3);
    uint32_t bits[4];
    for (unsigned i = 0; i < 12; i++)
        data[i] = (float)(i * 10);
    struct strata_texture t = {.data = data,
                               .width = 4,
                               .height = 3,
                               .channel_bits = {32},
                               .texel_kind = STRATA_TEXEL_FLOAT,
                               .address_mode = {STRATA_TEXTURE_CLAMP, STRATA_TEXTURE_CLAMP, 0}};
    assert_true(sample_once(&t, true, false, 2.5f, 1.5f, bits) == 60);
    assert_true(sample_once(&t, true, false, 2.99f, 1.01f, bits) == 60);
    assert_true(sample_once(&t, true, false, -5, 9, bits) == 80);
    assert_true(sample_once(&t, true, true, 3, 2, bits) == 110);
    t.address_mode[0] = STRATA_TEXTURE_BORDER;
    t.border[0] = 7;
    assert_true(sample_once(&t, true, false, 4.5f, 0.5f, bits) == 7);
    t.address_mode[0] = STRATA_TEXTURE_WRAP; /* clamps without normalized coordinates */
    assert_true(sample_once(&t, true, false, 5.5f, 0.5f, bits) == 30);
    t.normalized_coordinates = true;
    assert_true(sample_once(&t, true, false, 1.3f, 0.1f, bits) == 10);
    assert_true(sample_once(&t, true, false, -0.2f, 0.1f, bits) == 30);
    t.address_mode[0] = STRATA_TEXTURE_MIRROR;
    assert_true(sample_once(&t, true, false, 1.3f, 0.1f, bits) == 20);
    t.normalized_coordinates = false;
    t.address_mode[0] = STRATA_TEXTURE_CLAMP;
    t.linear_filter = true;
    assert_true(sample_once(&t, true, false, 1.0f, 0.5f, bits) == 5);
    assert_true(sample_once(&t, true, false, 1.25f, 1.0f, bits) == 27.5f);
    assert_true(sample_once(&t, true, false, 0.1f, 0.5f, bits) == 0);
    t.height = 0;
    assert_true(sample_once(&t, false, false, 1.75f, 0, bits) == 12.5f);
}

static void texels_are_converted(void **state)
{
    (void)state;
    uint8_t *bytes = device_memory(16);
    uint32_t bits[4];
    for (unsigned i = 0; i < 16; i++)
        bytes[i] = (uint8_t)(i * 17);
    struct strata_texture t = {.data = bytes,
                               .width = 4,
                               .channel_bits = {8, 8, 8, 8},
                               .texel_kind = STRATA_TEXEL_UNSIGNED,
                               .linear_memory = true};
    sample_once(&t, false, true, 1, 0, bits);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(bits[i], (4 + i) * 17);
    sample_once(&t, false, true, 4, 0, bits); /* outside linear memory: zero */
    assert_int_equal(bits[0], 0);
    sample_once(&t, false, true, -1, 0, bits);
    assert_int_equal(bits[0], 0);
    t.read_normalized = true;
    assert_true(sample_once(&t, false, true, 3, 0, bits) == 204.0f / 255.0f);
    t.texel_kind = STRATA_TEXEL_SIGNED;
    assert_true(sample_once(&t, false, true, 3, 0, bits) == -52.0f / 127.0f);
    t.read_normalized = false;
    sample_once(&t, false, true, 3, 0, bits);
    assert_int_equal(bits[0], (uint32_t)-52);
    uint16_t *halves = (uint16_t *)(void *)bytes;
    halves[2] = 0x3e00;
    t.texel_kind = STRATA_TEXEL_FLOAT;
    t.channel_bits[0] = t.channel_bits[1] = 16;
    t.channel_bits[2] = t.channel_bits[3] = 0;
    assert_true(sample_once(&t, false, true, 1, 0, bits) == 1.5f);
}

/* A volume of 2 x 3 x 4 texels holding 1 + x + 10 y + 100 z, read as slices, as layers and between
 * them. */
static void textures_have_depth_and_layers(void **state)
{
    (void)state;
    struct strata_module *m = load_text(
        PTX_HEAD
        ".visible .entry k(.param .u64 t, .param .u64 out)\n{ .reg .b32 %r<9>; .reg .f32 "
        "%f<9>; "
        ".reg .b64 %rd<4>; ld.param.u64 %rd1,[t]; ld.param.u64 %rd2,[out];\n"
        "mov.f32 %f1,0f3FC00000; mov.f32 %f2,0f40200000; mov.f32 %f3,0f40600000;\n" /* 1.5 2.5 3.5
                                                                                     */
        "tex.3d.v4.f32.f32 {%f4,%f5,%f6,%f7},[%rd1,{%f1,%f2,%f3,%f3}]; st.global.f32 "
        "[%rd2],%f4;\n"
        "mov.u32 %r1,1; mov.u32 %r2,2; mov.u32 %r3,9;\n"
        "tex.3d.v4.f32.s32 {%f4,%f5,%f6,%f7},[%rd1,{%r1,%r2,%r2,%r2}]; st.global.f32 "
        "[%rd2+4],%f4;\n"
        "tex.a2d.v4.f32.f32 {%f4,%f5,%f6,%f7},[%rd1,{%r1,%f1,%f2,%f2}]; st.global.f32 "
        "[%rd2+8],%f4;\n"
        "tex.a2d.v4.f32.f32 {%f4,%f5,%f6,%f7},[%rd1,{%r3,%f1,%f2,%f2}]; st.global.f32 "
        "[%rd2+12],%f4;\n"
        "tex.a1d.v4.f32.f32 {%f4,%f5,%f6,%f7},[%rd1,{%r2,%f1}]; st.global.f32 [%rd2+16],%f4;\n"
        "mov.f32 %f3,0f40400000; tex.3d.v4.f32.f32 "
        "{%f4,%f5,%f6,%f7},[%rd1,{%f1,%f2,%f3,%f3}];\n" /* 3 */
        "st.global.f32 [%rd2+20],%f4; txq.depth.b32 %r4,[%rd1]; st.global.u32 [%rd2+24],%r4;\n"
        "tex.3d.v4.f32.s32 {%f4,%f5,%f6,%f7},[%rd1,{%r1,%r2,%r3,%r3}]; st.global.f32 "
        "[%rd2+28],%f4; ret; }\n");
    float *data = device_memory(4 * 24), *out = device_memory(32);
    for (unsigned i = 0; i < 24; i++)
        data[i] = (float)(1 + i % 2 + i / 2 % 3 * 10 + i / 6 * 100);
    struct strata_texture t = {
        .data = data,
        .width = 2,
        .height = 3,
        .depth = 4,
        .channel_bits = {32},
        .texel_kind = STRATA_TEXEL_FLOAT,
        .address_mode = {STRATA_TEXTURE_CLAMP, STRATA_TEXTURE_CLAMP, STRATA_TEXTURE_CLAMP}};
    const struct strata_texture *table[1] = {&t};
    struct {
        uint64_t t;
        void *out;
    } params = {1, out};
    for (unsigned linear = 0; linear < 2; linear++) {
        struct run_setup setup = {.threads = 1, .textures = table, .n_textures = 1};
        t.linear_filter = linear;
        t.address_mode[2] = linear ? STRATA_TEXTURE_BORDER : STRATA_TEXTURE_CLAMP;
        run_ok(m, "k", &setup, &params);
        float expected[6] = {322, 222, 122, 322, 202, linear ? 272 : 322};
        for (unsigned i = 0; i < 6; i++)
            assert_true(out[i] == expected[i]);
        assert_int_equal(((uint32_t *)out)[6], 4);
        assert_true(out[7] == (linear ? 0 : 322)); /* slice 9: the border, or the last one */
    }
    strata_module_destroy(m);
}

static void a_wild_texture_handle_is_an_error(void **state)
{
    (void)state;
    struct strata_module *m =
        load_text(KERNEL("mov.u64 %rd6,77; tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4},[%rd6,{%r1}];"));
    void *params[2] = {device_memory(4), device_memory(4)};
    struct run_setup setup = {.threads = 2};
    assert_int_equal(run_entry(m, "k", &setup, params), STRATA_EFORMAT);
    assert_non_null(strstr(setup.err.message, "not a texture object"));
    strata_module_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles_follow_their_definition),
        cmocka_unit_test(votes_matches_and_reductions),
        cmocka_unit_test(diverged_lanes_meet_at_a_warp_wide_instruction),
        cmocka_unit_test(lanes_go_on_together_from_a_warp_wide_instruction),
        cmocka_unit_test(groups_of_one_instruction_act_by_themselves),
        cmocka_unit_test(groups_meet_across_a_branch),
        cmocka_unit_test(lanes_exchange_at_two_places_of_the_code),
        cmocka_unit_test(mma_m16n8k16_multiplies),
        cmocka_unit_test(mma_m16n8k8_multiplies_tf32),
        cmocka_unit_test(mma_multiplies_bytes),
        cmocka_unit_test(mma_m8n8k4_multiplies_halves_by_quads),
        cmocka_unit_test(wmma_multiplies_in_every_shape_and_layout),
        cmocka_unit_test(tiles_are_loaded_stored_and_transposed),
        cmocka_unit_test(textures_address_and_filter),
        cmocka_unit_test(texels_are_converted),
        cmocka_unit_test(textures_have_depth_and_layers),
        cmocka_unit_test(a_wild_texture_handle_is_an_error),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
