/* Memory of PTX programs: spaces, vectors, generic addresses, atomics, asynchronous copies. */
#include "ptxfix.h"

#define KERNEL(body)                                                                               \
    PTX_HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %r<16>; .reg .b64 "  \
             "%rd<16>; .reg .b16 %h<8>; .reg .pred %p<8>; .reg .f32 %f<8>; .reg .f64 %d<4>;\n"     \
             "ld.param.u64 %rd1,[in]; ld.param.u64 %rd2,[out]; mov.u32 %r1,%tid.x;\n" body         \
             "\nret; }\n"

struct buffers {
    void *in, *out;
};

static struct buffers run_kernel(const char *text, uint32_t threads, const void *in,
                                 size_t in_bytes, size_t out_bytes)
{
    struct strata_module *m = load_text(text);
    struct buffers b = {device_memory(in_bytes + 1), device_memory(out_bytes)};
    struct run_setup setup = {.threads = threads};
    memcpy(b.in, in, in_bytes);
    run_ok(m, "k", &setup, &b);
    strata_module_destroy(m);
    return b;
}

static strata_status run_bad(const char *text, uint32_t threads, struct strata_error *err)
{
    struct strata_module *m = load_text(text);
    struct buffers b = {device_memory(64), device_memory(64)};
    struct run_setup setup = {.threads = threads};
    strata_status status = run_entry(m, "k", &setup, &b);
    *err = setup.err;
    strata_module_destroy(m);
    return status;
}

static void loads_extend_to_the_register(void **state)
{
    (void)state;
    static const uint8_t in[8] = {0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8};
    struct buffers b = run_kernel(
        KERNEL(
            "ld.global.u8 %r2,[%rd1]; ld.global.s8 %r3,[%rd1+1]; ld.global.u16 %h1,[%rd1+2];\n"
            "ld.global.s16 %r4,[%rd1+2]; ld.global.s8 %rd3,[%rd1]; ld.global.s32 %rd4,[%rd1+4];\n"
            "ld.global.u32 %rd5,[%rd1+4]; ld.global.s8 %h2,[%rd1]; ld.global.b64 %rd6,[%rd1];\n"
            "st.global.u32 [%rd2],%r2; st.global.u32 [%rd2+4],%r3; st.global.u16 [%rd2+8],%h1;\n"
            "st.global.u32 [%rd2+12],%r4; st.global.u64 [%rd2+16],%rd3; st.global.u64 "
            "[%rd2+24],%rd4;\n"
            "st.global.u64 [%rd2+32],%rd5; st.global.u16 [%rd2+40],%h2; st.global.u8 "
            "[%rd2+42],%rd6;\n"
            "st.global.u64 [%rd2+48],%rd6;"),
        1, in, 8, 56);
    const uint32_t *o = b.out;
    const uint64_t *q = b.out;
    assert_int_equal(o[0], 0xf1);
    assert_int_equal(o[1], 0xfffffff2);
    assert_int_equal(o[2] & 0xffff, 0xf4f3);
    assert_int_equal(o[3], 0xfffff4f3);
    assert_int_equal(q[2], 0xfffffffffffffff1ull);
    assert_int_equal(q[3], 0xfffffffff8f7f6f5ull);
    assert_int_equal(q[4], 0xf8f7f6f5ull);
    assert_int_equal(o[10] & 0xffff, 0xfff1);
    assert_int_equal(o[10] >> 16 & 0xff, 0xf1);
    assert_int_equal(q[6], 0xf8f7f6f5f4f3f2f1ull);
}

static void vectors_move_two_four_and_eight(void **state)
{
    (void)state;
    static const uint32_t in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct buffers b = run_kernel(
        KERNEL(
            "ld.global.v4.u32 {%r2,%r3,%r4,%r5},[%rd1]; st.global.v2.u32 [%rd2],{%r5,%r4};\n"
            "ld.global.v2.u64 {%rd3,%rd4},[%rd1]; st.global.v2.b64 [%rd2+16],{%rd4,%rd3};\n"
            "ld.global.v4.u8 {%r6,_,%r7,%r8},[%rd1+4]; st.global.v4.u8 [%rd2+8],{%r6,%r6,%r6,7};\n"
            "ld.global.v8.b32 {%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9},[%rd1]; st.global.u32 "
            "[%rd2+32],%r9;\n"
            "st.global.v4.f32 [%rd2+48],{0f3F800000,0f40000000,%f1,0f00000000};"),
        1, in, 32, 64);
    const uint32_t *o = b.out;
    static const uint32_t expected[] = {4, 3, 0x07020202, 0, 3, 4, 1, 2, 8};
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(o[i], expected[i]);
    assert_int_equal(o[12], 0x3f800000);
    assert_int_equal(o[13], 0x40000000);
}

/* nvcc keeps shared addresses of loops in 32 bits and lets them start below 0. */
static void a_shared_address_of_32_bits_wraps(void **state)
{
    (void)state;
    static const uint32_t in[1] = {9};
    struct buffers b =
        run_kernel(KERNEL(".shared .align 4 .b8 s[128]; mov.u32 %r2,s; add.u32 %r2,%r2,-4;\n"
                          "ld.global.u32 %r3,[%rd1]; st.shared.u32 [%r2+12],%r3;\n"
                          "cp.async.ca.shared.global [%r2+20],[%rd1],4; cp.async.wait_all;\n"
                          "ld.shared.u32 %r4,[s+8]; ld.shared.u32 %r5,[s+16];\n"
                          "st.global.u32 [%rd2],%r4; st.global.u32 [%rd2+4],%r5;"),
                   1, in, 4, 8);
    const uint32_t *o = b.out;
    assert_int_equal(o[0], 9);
    assert_int_equal(o[1], 9);
}

static void generic_addresses_reach_every_space(void **state)
{
    (void)state;
    static const uint32_t in[3] = {5};
    /* lanes 0, 1, 2 use global, shared and local memory in one instruction */
    struct buffers b = run_kernel(
        KERNEL(
            ".shared .align 4 .b8 s[128]; .local .align 4 .b8 l[16];\n"
            "mov.u64 %rd3,s; cvta.shared.u64 %rd4,%rd3; mov.u64 %rd5,l; cvta.local.u64 %rd6,%rd5;\n"
            "st.shared.u32 [s+4],6; st.local.u32 [l+4],7; st.global.u32 [%rd1+4],5; mov.u64 "
            "%rd7,%rd1;\n"
            "setp.eq.u32 %p1,%r1,1; selp.u64 %rd7,%rd4,%rd7,%p1; setp.eq.u32 %p2,%r1,2;\n"
            "selp.u64 %rd7,%rd6,%rd7,%p2; ld.u32 %r2,[%rd7+4]; add.u32 %r2,%r2,10; st.u32 "
            "[%rd7],%r2;\n"
            "ld.shared.u32 %r3,[s]; ld.local.u32 %r4,[l]; bar.warp.sync -1; ld.shared.u32 "
            "%r3,[s];\n"
            "mul.wide.u32 %rd8,%r1,16; add.u64 %rd9,%rd2,%rd8; st.global.u32 [%rd9],%r2;\n"
            "st.global.u32 [%rd9+4],%r3; st.global.u32 [%rd9+8],%r4;\n"
            "isspacep.shared %p3,%rd7; isspacep.local %p4,%rd7; isspacep.global %p5,%rd7;\n"
            "selp.u32 %r5,1,0,%p3; selp.u32 %r6,2,0,%p4; selp.u32 %r7,4,0,%p5; add.u32 "
            "%r5,%r5,%r6;\n"
            "add.u32 %r5,%r5,%r7; st.global.u32 [%rd9+12],%r5;"),
        3, in, 12, 48);
    const uint32_t *o = b.out;
    assert_int_equal(o[0], 15);
    assert_int_equal(o[4], 16);
    assert_int_equal(o[8], 17);
    assert_int_equal(o[5], 16); /* shared memory is the block's ... */
    assert_int_equal(o[1], 16);
    assert_int_equal(o[2], 0); /* ... local memory the thread's */
    assert_int_equal(o[10], 17);
    assert_int_equal(o[3], 4);
    assert_int_equal(o[7], 1);
    assert_int_equal(o[11], 2);
    assert_int_equal(*(uint32_t *)b.in, 15);
}

static void parameters_have_addresses(void **state)
{
    (void)state;
    struct strata_module *m = load_text(
        PTX_HEAD
        ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[24]) { .reg .b64 %rd<8>; .reg "
        ".b32 %r<8>;\n"
        "ld.param.u64 %rd1,[out]; mov.b64 %rd2,s; mov.u32 %r1,%tid.x; mul.wide.u32 %rd3,%r1,4;\n"
        "add.u64 %rd4,%rd2,%rd3; ld.param.u32 %r2,[%rd4+4]; add.u64 %rd5,%rd1,%rd3; st.global.u32 "
        "[%rd5],%r2;\n"
        "ld.param.v2.u32 {%r3,%r4},[s+8]; add.u32 %r3,%r3,%r4; st.global.u32 [%rd1+64],%r3;\n"
        "cvta.param.u64 %rd6,%rd2; ld.u32 %r5,[%rd6+20]; st.global.u32 [%rd1+68],%r5; ret; }\n");
    struct {
        void *out;
        uint32_t s[6];
    } params = {device_memory(80), {10, 11, 12, 13, 14, 15}};
    struct run_setup setup = {.threads = 4};
    run_ok(m, "k", &setup, &params);
    const uint32_t *o = params.out;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(o[i], 11 + i);
    assert_int_equal(o[16], 25);
    assert_int_equal(o[17], 15);
    strata_module_destroy(m);
}

static void structures_pass_through_calls(void **state)
{
    (void)state;
    struct strata_module *m = load_text(
        PTX_HEAD
        ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 s[16], .param .b32 n) {\n"
        ".reg .b64 %rd<6>; .reg .b32 %r<3>; mov.b64 %rd1,s; ld.param.b64 %rd2,[%rd1+8]; "
        "ld.param.b64 %rd3,[s];\n"
        "ld.param.b32 %r1,[n]; cvt.u64.u32 %rd4,%r1; add.u64 %rd3,%rd3,%rd4;\n"
        "st.param.b64 [r],%rd2; st.param.b64 [r+8],%rd3; ret; }\n"
        ".visible .entry k(.param .u64 out) { .reg .b64 %rd<8>; .reg .b32 %r<3>; ld.param.u64 "
        "%rd1,[out];\n"
        "{ .param .align 8 .b8 a[16]; .param .b32 n; .param .align 8 .b8 b[16]; st.param.v2.b64 "
        "[a],{1,2};\n"
        "st.param.b32 [n],5; call.uni (b), swap, (a, n); ld.param.b64 %rd2,[b]; ld.param.b64 "
        "%rd3,[b+8]; }\n"
        "st.global.u64 [%rd1],%rd2; st.global.u64 [%rd1+8],%rd3; ret; }\n");
    uint64_t *out = device_memory(16);
    struct run_setup setup = {.threads = 32};
    run_ok(m, "k", &setup, &out);
    assert_int_equal(out[0], 2);
    assert_int_equal(out[1], 6);
    strata_module_destroy(m);
}

static void wrong_addresses_end_the_launch_with_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words;
    } cases[] = {
        {KERNEL("ld.global.u32 %r2,[%rd1+64];"), "illegal address"},
        {KERNEL("ld.global.u32 %r2,[%rd1+-4];"), "illegal address"},
        {KERNEL("ld.global.u64 %rd3,[%rd1+60];"), "misaligned address"},
        {KERNEL("ld.global.v4.u32 {%r2,%r3,%r4,%r5},[%rd1+56];"), "misaligned address"},
        {KERNEL("mov.u64 %rd3,0; ld.global.u32 %r2,[%rd3];"), "illegal address 0x0"},
        {KERNEL("mov.u64 %rd3,16; st.u32 [%rd3],%r1;"), "illegal address 0x10"},
        {KERNEL("mul.wide.u32 %rd3,%r1,32; add.u64 %rd3,%rd3,%rd2; st.global.u32 [%rd3],%r1;"),
         "thread (2,0,0): illegal address"},
        {KERNEL(".shared .align 4 .b8 s[8]; st.shared.u32 [s+8],%r1;"),
         "shared address 0x8 is outside"},
        {KERNEL(".local .align 4 .b8 l[16]; mov.u64 %rd3,l; st.local.u32 [%rd3+4096],%r1;"),
         "local address 0x1000 is outside"},
        {KERNEL("atom.global.add.u32 %r2,[%rd1+66],1; st.global.u32 [%rd2],%r2;"), "misaligned"},
        {KERNEL(".shared .align 16 .b8 s[16]; mov.u32 %r2,s; cp.async.ca.shared.global "
                "[%r2+16],[%rd1],16;"),
         "shared address 0x10"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strata_error err;
        assert_int_equal(run_bad(cases[i].text, 8, &err), STRATA_EFORMAT);
        if (!strstr(err.message, cases[i].words))
            fail_msg("case %zu: %s", i, err.message);
        assert_int_equal(err.line, 7);
    }
}

static void atomics_apply_in_lane_order_and_return_the_old(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        unsigned bytes;
        uint64_t start, value, other, after;
        unsigned lanes;
        uint64_t last_old;
    } cases[] = {
        {"add.u32", 4, 5, 3, 0, 5 + 96, 32, 5 + 93},
        {"add.s32", 4, 0xffffffff, 1, 0, 31, 32, 30},
        {"add.u64", 8, 1, 0x100000000ull, 0, 1 + (32ull << 32), 32, 1 + (31ull << 32)},
        {"min.s32", 4, 5, 0xffffffff, 0, 0xffffffff, 32, 0xffffffff},
        {"min.u32", 4, 5, 0xffffffff, 0, 5, 32, 5},
        {"max.s32", 4, 5, 0xffffffff, 0, 5, 32, 5},
        {"max.u64", 8, 5, 0xffffffffffffffffull, 0, 0xffffffffffffffffull, 2,
         0xffffffffffffffffull},
        {"and.b32", 4, 0xff, 0x0f, 0, 0x0f, 32, 0x0f},
        {"or.b64", 8, 0xf0, 0x0f, 0, 0xff, 32, 0xff},
        {"xor.b32", 4, 0, 0xff, 0, 0xff, 3, 0},
        {"inc.u32", 4, 0, 9, 0, 2, 32, 1},
        {"dec.u32", 4, 3, 9, 0, 1, 32, 2},
        {"exch.b32", 4, 1, 7, 0, 7, 32, 7},
        {"cas.b32", 4, 1, 1, 9, 9, 32, 9},
        {"cas.b64", 8, 4, 1, 9, 4, 32, 4},
        {"cas.b16", 2, 1, 1, 9, 9, 32, 9},
        {"add.f32", 4, 0x3f800000, 0x3f800000, 0, 0x42040000, 32, 0x42000000},
        {"add.f64", 8, 0, 0x3ff0000000000000ull, 0, 0x4040000000000000ull, 32,
         0x403f000000000000ull},
        {"add.noftz.f16", 2, 0, 0x3c00, 0, 0x5000, 32, 0x4fc0},
        {"add.noftz.f16x2", 4, 0, 0x40003c00, 0, 0x44004000, 2, 0x40003c00},
        {"add.noftz.bf16", 2, 0, 0x3f80, 0, 0x4040, 3, 0x4000},
    };
    static const char *const spaces[] = {"global", "shared"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned s = 0; s < 2; s++) {
            char text[2048], reg[8], reg2[8], reg3[8];
            const char *family = cases[i].bytes == 8 ? "rd" : cases[i].bytes == 2 ? "h" : "r";
            snprintf(reg, sizeof reg, "%%%s5", family);
            snprintf(reg2, sizeof reg2, "%%%s6", family);
            snprintf(reg3, sizeof reg3, "%%%s7", family);
            bool cas = !strncmp(cases[i].op, "cas", 3);
            unsigned bits = cases[i].bytes * 8;
            snprintf(text, sizeof text,
                     PTX_HEAD
                     ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %%r<16>; "
                     ".reg .b64 "
                     "%%rd<16>; .reg .b16 %%h<8>; .shared .align 8 .b8 s[8];\n"
                     "ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r1,%%tid.x;\n"
                     "ld.global.b%u %s,[%%rd1+8]; ld.global.b%u %s,[%%rd1+16]; mov.u64 %%rd3,%s;\n"
                     "ld.global.b%u %s,[%%rd1]; %s bar.sync 0;\n"
                     "atom.%s.%s %s,[%%rd3],%s%s%s; mul.wide.u32 %%rd8,%%r1,8; add.u64 "
                     "%%rd9,%%rd2,%%rd8;\n"
                     "st.global.b%u [%%rd9],%s; ld.%s.b%u %s,[%%rd3]; st.global.b%u "
                     "[%%rd2+256],%s; ret; }\n",
                     bits, reg2, bits, reg3, s ? "s" : "%rd1", bits, reg,
                     s ? (bits == 64   ? "st.shared.b64 [s],%rd5;"
                          : bits == 16 ? "st.shared.b16 [s],%h5;"
                                       : "st.shared.b32 [s],%r5;")
                       : "",
                     spaces[s], cases[i].op, reg, reg2, cas ? "," : "", cas ? reg3 : "", bits, reg,
                     spaces[s], bits, reg, bits, reg);
            uint64_t in[3] = {cases[i].start, cases[i].value, cases[i].other};
            struct buffers b = run_kernel(text, cases[i].lanes, in, 24, 264);
            const uint64_t *o = b.out;
            if (o[32] != cases[i].after || o[cases[i].lanes - 1] != cases[i].last_old)
                fail_msg("%s.%s: left 0x%llx, last old 0x%llx", spaces[s], cases[i].op,
                         (unsigned long long)o[32], (unsigned long long)o[cases[i].lanes - 1]);
            assert_int_equal(o[0], cases[i].start);
        }
}

static void reductions_need_no_result(void **state)
{
    (void)state;
    static const uint32_t in[2] = {1, 0};
    struct buffers b = run_kernel(
        KERNEL(
            "red.global.add.u32 [%rd1],%r1; red.relaxed.gpu.global.max.u32 [%rd1+4],%r1;\n"
            "atom.global.add.u32 _,[%rd1],1; ld.global.u32 %r2,[%rd1]; st.global.u32 [%rd2],%r2;"),
        32, in, 8, 4);
    assert_int_equal(*(uint32_t *)b.out, 1 + 31 * 16 + 32);
    assert_int_equal(((uint32_t *)b.in)[1], 31);
}

static void asynchronous_copies_fill_shared_memory(void **state)
{
    (void)state;
    uint32_t in[128];
    for (unsigned i = 0; i < 128; i++)
        in[i] = i + 1;
    struct buffers b = run_kernel(
        KERNEL(
            ".shared .align 16 .b8 s[512]; mov.u32 %r2,s; shl.b32 %r3,%r1,4; add.u32 %r4,%r2,%r3;\n"
            "mul.wide.u32 %rd3,%r1,16; add.u64 %rd4,%rd1,%rd3; add.u64 %rd5,%rd2,%rd3;\n"
            "cp.async.cg.shared.global [%r4],[%rd4],16; cp.async.commit_group; cp.async.wait_group "
            "0;\n"
            "setp.lt.u32 %p1,%r1,30; selp.u32 %r5,4,0,%p1; selp.u64 %rd6,%rd4,0,%p1;\n"
            "cp.async.ca.shared.global [%r4+8],[%rd6],8,%r5; cp.async.wait_all; bar.sync 0;\n"
            "mov.u32 %r10,0; mov.u64 %rd7,0; cp.async.ca.shared.global [%r4+12],[%rd7],4,%r10;\n"
            "ld.shared.v4.u32 {%r6,%r7,%r8,%r9},[%r4]; st.global.v4.u32 [%rd5],{%r6,%r7,%r8,%r9};"),
        32, in, 512, 512);
    const uint32_t *o = b.out;
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(o[4 * i], 4 * i + 1);
        assert_int_equal(o[4 * i + 1], 4 * i + 2);
        assert_int_equal(o[4 * i + 2], i < 30 ? 4 * i + 1 : 0);
        assert_int_equal(o[4 * i + 3], 0);
    }
}

static void hints_and_fences_change_no_values(void **state)
{
    (void)state;
    static const uint32_t in[4] = {1, 2, 3, 4};
    struct buffers b = run_kernel(
        KERNEL("prefetch.global.L2 [%rd1]; prefetch.L1 [%rd1]; prefetchu.L1 [%rd1];\n"
               "ld.global.nc.u32 %r2,[%rd1]; ld.global.cg.u32 %r3,[%rd1+4]; ld.global.ca.u32 "
               "%r4,[%rd1+8];\n"
               "ld.global.L1::no_allocate.L2::128B.u32 %r5,[%rd1+12]; add.u32 %r2,%r2,%r3;\n"
               "ld.acquire.gpu.global.u32 %r6,[%rd1]; ld.volatile.global.u32 %r7,[%rd1]; "
               "ldu.global.u32 %r8,[%rd1];\n"
               "membar.gl; membar.cta; membar.sys; fence.acq_rel.gpu; fence.sc.sys; "
               "griddepcontrol.wait; griddepcontrol.launch_dependents; nanosleep.u32 "
               "20;\n"
               "add.u32 %r2,%r2,%r4; add.u32 %r2,%r2,%r5; st.global.cs.u32 [%rd2],%r2;\n"
               "st.release.gpu.global.u32 [%rd2+4],%r6; st.global.wt.u32 [%rd2+8],%r7;"),
        32, in, 16, 12);
    const uint32_t *o = b.out;
    assert_int_equal(o[0], 10);
    assert_int_equal(o[1], 1);
    assert_int_equal(o[2], 1);
}

static void what_fits_into_a_page_does_not_cross_into_the_next(void **state)
{
    (void)state;
    struct strata_arena *own;
    struct strata_error err;
    assert_int_equal(strata_arena_create(1 << 24, &own, &err), STRATA_OK);
    const uint64_t page = 1 << 16;
    uint8_t *whole = strata_arena_allocate_paged(own, page, page, page);
    uint8_t *most = strata_arena_allocate_paged(own, page - 512, 512, page);
    uint8_t *next = strata_arena_allocate_paged(own, 1024, 512, page);
    uint8_t *rest = strata_arena_allocate_paged(own, 512, 512, page);
    uint8_t *large = strata_arena_allocate_paged(own, page + 1, 512, page);
    assert_ptr_equal(most, whole + page);
    assert_ptr_equal(next, most + page);
    assert_ptr_equal(rest, most + page - 512);
    assert_ptr_equal(large, next + 1024);
    assert_null(strata_arena_allocate_paged(own, 8, 512, 3));
    strata_arena_destroy(own);
}

static void the_arena_repeats_addresses_and_finds_them(void **state)
{
    (void)state;
    struct strata_memory_range range;
    uint8_t *a = strata_arena_allocate(arena, 1000, 0), *b = strata_arena_allocate(arena, 10, 4096);
    assert_int_equal((uintptr_t)a % 256, 0);
    assert_int_equal((uintptr_t)b % 4096, 0);
    assert_true(strata_arena_find(arena, (uintptr_t)a + 999, &range));
    assert_int_equal(range.base, (uintptr_t)a);
    assert_int_equal(range.bytes, 1000);
    assert_false(strata_arena_find(arena, (uintptr_t)a + 1000, &range));
    assert_false(strata_arena_release(arena, a + 8));
    assert_true(strata_arena_release(arena, a));
    assert_false(strata_arena_release(arena, a));
    assert_ptr_equal(strata_arena_allocate(arena, 1000, 0), a);
    assert_null(strata_arena_allocate(arena, (uint64_t)1 << 60, 0));
    strata_arena_release(arena, a);
    strata_arena_release(arena, b);
}

static void zeroes_reach_both_ends_and_nothing_else(void **state)
{
    (void)state;
    const size_t bytes = (size_t)1 << 20, from = 100, n = bytes - 300;
    uint8_t *a = strata_arena_allocate(arena, bytes, 0);
    memset(a, 7, bytes);
    assert_true(strata_arena_zero(arena, a + from, n));
    for (size_t i = 0; i < bytes; i++)
        if (a[i] != (i < from || i >= from + n ? 7 : 0))
            fail_msg("byte %zu is %u", i, a[i]);
    assert_true(strata_arena_zero(arena, a, 3)); /* less than a page */
    assert_int_equal(a[2] * 10 + a[3], 7);
    assert_false(strata_arena_zero(arena, (uint8_t *)&a, 1));
    strata_arena_release(arena, a);
}

static bool arena_near(void *user, uint64_t address, uint64_t bytes)
{
    return strata_arena_near(user, address, bytes);
}

/* A memory that says so lets loads go a little past an allocation; stores need their own say. */
static void loads_near_an_allocation_are_counted(void **state)
{
    (void)state;
    static const char text[] =
        PTX_HEAD ".visible .entry k(.param .u64 at, .param .u64 out)\n{ .reg .b32 %r<4>; .reg .b64 "
                 "%rd<4>; ld.param.u64 %rd1,[at]; ld.param.u64 %rd2,[out]; ld.global.u32 "
                 "%r1,[%rd1]; ld.u32 %r2,[%rd1]; st.global.u32 [%rd2],%r2; ret; }\n"
                 ".visible .entry s(.param .u64 at, .param .u64 out)\n{ .reg .b64 %rd<4>; "
                 "ld.param.u64 %rd1,[at]; st.global.u32 [%rd1],5; ret; }\n"
                 ".visible .entry a(.param .u64 at, .param .u64 out)\n{ .reg .b64 %rd<4>; "
                 "ld.param.u64 %rd1,[at]; red.global.add.u32 [%rd1],5; ret; }\n";
    struct strata_arena *own;
    assert_int_equal(strata_arena_create(1 << 24, &own, NULL), STRATA_OK);
    struct strata_device_memory memory = strata_arena_memory(own);
    struct strata_ptx_source source = {text, strlen(text), "test.ptx"};
    struct strata_module *m;
    memory.near = arena_near;
    assert_int_equal(strata_ptx_module_create(&source, 1, &memory, &m, NULL), STRATA_OK);
    /* nothing else within a megabyte */
    uint8_t *hole = strata_arena_allocate(own, 4 << 20, 1 << 20);
    uint8_t *data = strata_arena_allocate(own, 256, 1 << 20);
    strata_arena_release(own, hole);
    struct {
        void *at, *out;
    } params = {NULL, data};
    static const struct {
        int64_t offset;
        bool ok;
    } cases[] = {{0, true},       {-4, true},          {-65536, true},
                 {-65540, false}, {65536 + 252, true}, {65536 + 256, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run_setup setup = {.threads = 32};
        params.at = data + cases[i].offset;
        assert_int_equal(run_entry(m, "k", &setup, &params) == STRATA_OK, cases[i].ok);
        if (cases[i].ok)
            assert_int_equal(setup.stats.stray_loads, cases[i].offset ? 64 : 0);
    }
    params.at = data - 4;
    struct run_setup setup = {.threads = 32};
    assert_int_not_equal(run_entry(m, "s", &setup, &params), STRATA_OK);
    assert_int_not_equal(run_entry(m, "a", &setup, &params), STRATA_OK);
    strata_module_destroy(m);
    strata_arena_destroy(own);
}

enum { PAGE = 1 << 16 };
static bool arena_in_page(void *user, uint64_t address, uint64_t bytes)
{
    return strata_arena_in_page(user, address, bytes, PAGE);
}

static const char stray_text[] = PTX_HEAD
    ".visible .entry s(.param .u64 at)\n{ .reg .b64 %rd<4>; ld.param.u64 %rd1,[at]; "
    "st.global.u32 [%rd1],5; red.add.u32 [%rd1],2; atom.global.add.u32 _,[%rd1],3; ret; }\n"
    /* each block adds its number to what the one before left behind */
    ".visible .entry chain(.param .u64 at, .param .u64 out)\n{ .reg .b32 %r<4>; .reg .b64 "
    "%rd<4>; ld.param.u64 %rd1,[at]; ld.param.u64 %rd2,[out]; mov.u32 %r1,%ctaid.x; "
    "mul.wide.u32 %rd3,%r1,4; add.u64 %rd2,%rd2,%rd3; ld.global.u32 %r2,[%rd1]; "
    "st.global.u32 [%rd2],%r2; add.u32 %r2,%r2,%r1; st.global.u32 [%rd1],%r2; ret; }\n";

static struct strata_module *load_stray(struct strata_arena *own)
{
    struct strata_device_memory memory = strata_arena_memory(own);
    struct strata_ptx_source source = {stray_text, strlen(stray_text), "test.ptx"};
    struct strata_module *m;
    memory.near = arena_near;
    memory.in_page = arena_in_page;
    assert_int_equal(strata_ptx_module_create(&source, 1, &memory, &m, NULL), STRATA_OK);
    return m;
}

/* As on a GPU, which maps pages: what lies there is overwritten. */
static void stores_in_the_page_of_an_allocation_are_counted(void **state)
{
    (void)state;
    struct strata_arena *own;
    assert_int_equal(strata_arena_create(1 << 24, &own, NULL), STRATA_OK);
    struct strata_module *m = load_stray(own);
    uint8_t *hole = strata_arena_allocate(own, 4 << 20, PAGE);
    uint8_t *data = strata_arena_allocate(own, 250, PAGE);
    strata_arena_release(own, hole);
    static const struct {
        int64_t offset;
        bool ok;
    } cases[] = {{244, true},      {248, true},   {252, true},
                 {PAGE - 4, true}, {PAGE, false}, {-4, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run_setup setup = {.threads = 1};
        void *at = data + cases[i].offset;
        assert_int_equal(run_entry(m, "s", &setup, &at) == STRATA_OK, cases[i].ok);
        if (!cases[i].ok)
            continue;
        assert_int_equal(*(uint32_t *)at, 10);
        assert_int_equal(setup.stats.stray_stores, cases[i].offset < 248 ? 0 : 3);
    }
    strata_module_destroy(m);
    strata_arena_destroy(own);
}

/* Behind an allocation, and half in it: there blocks that run ahead must see each other's stores.
 */
static void stores_outside_come_in_the_order_of_blocks(void **state)
{
    (void)state;
    enum { BLOCKS = 200, BYTES = 4 * BLOCKS + 2 };
    struct strata_arena *own;
    assert_int_equal(strata_arena_create(1 << 24, &own, NULL), STRATA_OK);
    struct strata_module *m = load_stray(own);
    uint8_t *data = strata_arena_allocate(own, BYTES, PAGE);
    for (unsigned threads = 1; threads <= 4; threads++)
        for (unsigned beyond = 0; beyond <= 4; beyond += 4) {
            struct run_setup setup = {.threads = 1, .blocks = BLOCKS, .host_threads = threads};
            struct {
                void *at, *out;
            } params = {data + 4 * BLOCKS + beyond, data};
            memset(data, 0, 4 * BLOCKS + 8);
            assert_int_equal(run_entry(m, "chain", &setup, &params), STRATA_OK);
            assert_int_equal(setup.stats.stray_stores, BLOCKS);
            for (unsigned i = 0; i < BLOCKS; i++)
                assert_int_equal(((uint32_t *)data)[i], i ? i * (i - 1) / 2 : 0);
        }
    strata_module_destroy(m);
    strata_arena_destroy(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_near_an_allocation_are_counted),
        cmocka_unit_test(stores_in_the_page_of_an_allocation_are_counted),
        cmocka_unit_test(stores_outside_come_in_the_order_of_blocks),
        cmocka_unit_test(loads_extend_to_the_register),
        cmocka_unit_test(vectors_move_two_four_and_eight),
        cmocka_unit_test(a_shared_address_of_32_bits_wraps),
        cmocka_unit_test(generic_addresses_reach_every_space),
        cmocka_unit_test(parameters_have_addresses),
        cmocka_unit_test(structures_pass_through_calls),
        cmocka_unit_test(wrong_addresses_end_the_launch_with_a_place),
        cmocka_unit_test(atomics_apply_in_lane_order_and_return_the_old),
        cmocka_unit_test(reductions_need_no_result),
        cmocka_unit_test(asynchronous_copies_fill_shared_memory),
        cmocka_unit_test(hints_and_fences_change_no_values),
        cmocka_unit_test(what_fits_into_a_page_does_not_cross_into_the_next),
        cmocka_unit_test(the_arena_repeats_addresses_and_finds_them),
        cmocka_unit_test(zeroes_reach_both_ends_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
