/* Instructions across lanes and textures, against plain definitions. */
#include <math.h>

#include "emulator/texture.h"
#include "lanefix.h"

#include "emulator/half.h"

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

/* The programming guide's table of faces: the texel in the middle of each, one beside it, and what
 * a filter makes of two. */
static void a_direction_meets_one_face_of_a_cube(void **state)
{
    (void)state;
    static const struct {
        float x, y, z, point, linear;
    } rows[] = {
        {1, 0.25f, -0.25f, 6, 6},      {-2, 0.5f, -0.5f, 105, 105}, {0.25f, 1, 0.25f, 210, 210},
        {0.25f, -1, -0.25f, 310, 310}, {0.75f, 0.25f, 1, 407, 407}, {0.25f, 0.75f, -1, 501, 501},
        {1, 0, -0.25f, 10, 8},         {0.25f, 1, 0.5f, 214, 212},  {-1, -1, 0.25f, 114, 114}};
    struct strata_module *m = load_text(
        PTX_HEAD
        ".visible .entry k(.param .u64 t, .param .u64 in, .param .u64 out)\n"
        "{ .reg .b64 %rd<8>; .reg .f32 %f<8>;\n"
        "ld.param.u64 %rd1,[t]; ld.param.u64 %rd2,[in]; ld.param.u64 %rd3,[out];\n"
        "ld.global.f32 %f1,[%rd2]; ld.global.f32 %f2,[%rd2+4]; ld.global.f32 %f3,[%rd2+8];\n"
        "tex.cube.v4.f32.f32 {%f4,%f5,%f6,%f7},[%rd1,{%f1,%f2,%f3,%f3}];\n"
        "st.global.f32 [%rd3],%f4; ret; }\n");
    float *data = device_memory(4 * 96), *in = device_memory(12), *out = device_memory(4);
    for (unsigned i = 0; i < 96; i++)
        data[i] = (float)(i % 16 + i / 16 * 100);
    struct strata_texture t = {.data = data,
                               .width = 4,
                               .height = 4,
                               .depth = 6,
                               .layered = true,
                               .channel_bits = {32},
                               .texel_kind = STRATA_TEXEL_FLOAT};
    const struct strata_texture *table[1] = {&t};
    struct {
        uint64_t t;
        void *in, *out;
    } params = {1, in, out};
    for (unsigned i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        struct run_setup setup = {.threads = 1, .textures = table, .n_textures = 1};
        t.linear_filter = i % 2;
        in[0] = rows[i / 2].x, in[1] = rows[i / 2].y, in[2] = rows[i / 2].z;
        run_ok(m, "k", &setup, &params);
        assert_true(*out == (i % 2 ? rows[i / 2].linear : rows[i / 2].point));
    }
    strata_module_destroy(m);
}

static uint64_t recorded_at(const struct strata_texture *t, int64_t x, int64_t y)
{
    struct emu_texel texel;
    uint64_t address = 0;
    emu_texture_fetch(t, x, y, &texel, &address);
    assert_true(texel.value[0] == (float)(y * 32 + x));
    return address - (uint64_t)(uintptr_t)t->data;
}

/* texture_probe.cu: a sector is 16 bytes of two rows, a line 32 bytes of four, a tile 64 of eight,
 * and the two sectors of a fetch lie one below the other. */
static void texels_of_an_array_are_read_in_rows_and_recorded_in_tiles(void **state)
{
    (void)state;
    float *data = device_memory(4 * 32 * 16);
    for (unsigned i = 0; i < 32 * 16; i++)
        data[i] = (float)i;
    struct strata_texture t = {.data = data,
                               .width = 32,
                               .height = 16,
                               .pitch_bytes = 128,
                               .channel_bits = {32},
                               .texel_kind = STRATA_TEXEL_FLOAT};
    assert_int_equal(recorded_at(&t, 5, 3), 3 * 128 + 20);
    t.tiled = true;
    assert_int_equal(recorded_at(&t, 3, 0), 12);
    assert_int_equal(recorded_at(&t, 0, 1), 16);
    assert_int_equal(recorded_at(&t, 4, 0), 64);
    assert_int_equal(recorded_at(&t, 0, 2), 32);
    assert_int_equal(recorded_at(&t, 7, 3), 64 + 32 + 16 + 12);
    assert_int_equal(recorded_at(&t, 0, 4), 128);
    assert_int_equal(recorded_at(&t, 8, 0), 256);
    assert_int_equal(recorded_at(&t, 16, 0), 512);
    assert_int_equal(recorded_at(&t, 0, 8), 1024);
    bool seen[32 * 16] = {false};
    for (unsigned i = 0; i < 32 * 16; i++)
        seen[recorded_at(&t, i % 32, i / 32) / 4] = true;
    for (unsigned i = 0; i < 32 * 16; i++)
        assert_true(seen[i]);
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
        cmocka_unit_test(textures_address_and_filter),
        cmocka_unit_test(texels_are_converted),
        cmocka_unit_test(textures_have_depth_and_layers),
        cmocka_unit_test(a_direction_meets_one_face_of_a_cube),
        cmocka_unit_test(texels_of_an_array_are_read_in_rows_and_recorded_in_tiles),
        cmocka_unit_test(a_wild_texture_handle_is_an_error),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
