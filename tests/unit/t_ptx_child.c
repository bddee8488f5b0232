/* Kernels that launch kernels: who gets them, in which order, with which parameters. */
#include "ptxfix.h"

/* Block b launches `child` with b + 1 blocks of 32 threads for every thread that is even, and hands
 * it the place and the number 100 b + thread. %s: prefix of the functions. */
#define PARENT                                                                                     \
    PTX_HEAD                                                                                       \
    ".extern .func (.param .b64 r) %sGetParameterBufferV2(.param .b64 a, .param .align 4 "         \
    ".b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);\n"                                      \
    ".extern .func (.param .b32 r) %sLaunchDeviceV2(.param .b64 a, .param .b64 b);\n"              \
    ".visible .entry child(.param .u64 at, .param .u32 n)\n{ .reg .b32 %%r<6>; .reg .b64 "         \
    "%%rd<6>; ld.param.u64 %%rd1,[at]; ld.param.u32 %%r1,[n]; mov.u32 %%r2,%%nctaid.x;\n"          \
    "mad.lo.u32 %%r3,%%r2,1000,%%r1; st.global.u32 [%%rd1],%%r3; ret; }\n"                         \
    ".visible .entry parent(.param .u64 out)\n{ .reg .b32 %%r<9>; .reg .b64 %%rd<9>; "             \
    ".reg .pred %%p<3>; ld.param.u64 %%rd1,[out]; mov.u32 %%r1,%%ctaid.x; mov.u32 "                \
    "%%r2,%%tid.x; and.b32 %%r3,%%r2,1; setp.ne.u32 %%p1,%%r3,0; @%%p1 bra DONE;\n"                \
    "mov.u64 %%rd2,child; add.u32 %%r4,%%r1,1;\n"                                                  \
    "{ .param .b64 a; st.param.b64 [a],%%rd2; .param .align 4 .b8 b[12]; st.param.b32 "            \
    "[b],%%r4; st.param.b32 [b+4],1; st.param.b32 [b+8],1; .param .align 4 .b8 c[12]; "            \
    "st.param.b32 [c],32; st.param.b32 [c+4],1; st.param.b32 [c+8],1; .param .b32 d; "             \
    "st.param.b32 [d],16; .param .b64 r; call (r),%sGetParameterBufferV2,(a,b,c,d); "              \
    "ld.param.b64 %%rd3,[r]; }\n"                                                                  \
    "mad.lo.u32 %%r5,%%r1,100,%%r2; mul.wide.u32 %%rd4,%%r5,4; add.u64 "                           \
    "%%rd4,%%rd4,%%rd1;\nst.u64 [%%rd3],%%rd4; st.u32 [%%rd3+8],%%r5;\n"                           \
    "{ .param .b64 a; st.param.b64 [a],%s; .param .b64 b; st.param.b64 [b],0; .param "             \
    ".b32 r; call (r),%sLaunchDeviceV2,(a,b); }\nDONE: ret; }\n"

static struct strata_module *load_parent(const char *prefix, const char *buffer)
{
    char text[4096];
    snprintf(text, sizeof text, PARENT, prefix, prefix, prefix, buffer, prefix);
    return load_text(text);
}

struct family {
    struct strata_module *m;
    struct strata_kernel_launch launch[64];
    uint8_t params[64][16];
    uint32_t n;
};

static void take_child(void *user, const struct strata_kernel_launch *launch)
{
    struct family *f = user;
    assert_true(f->n < 64);
    assert_int_equal(launch->entry->param_bytes, 12);
    memcpy(f->params[f->n], launch->params, 12);
    f->launch[f->n] = *launch;
    f->launch[f->n].params = f->params[f->n];
    f->n++;
}

static strata_status run_parent(struct family *f, uint32_t *out, bool follows, uint32_t threads,
                                struct strata_error *err)
{
    struct strata_run_options opt;
    strata_run_options_init(&opt);
    opt.threads = threads;
    opt.child = follows ? take_child : NULL;
    opt.child_user = f;
    struct strata_kernel_launch launch = {.entry = strata_module_entry_find(f->m, "parent"),
                                          .grid = {3, 1, 1},
                                          .block = {8, 1, 1},
                                          .params = &out};
    return strata_module_run(f->m, &launch, &opt, NULL, err);
}

static void children_come_in_block_order(void **state)
{
    (void)state;
    static const char *const prefixes[] = {"cuda", "__cudaCDP2"};
    for (unsigned k = 0; k < 4; k++) {
        struct family f = {.m = load_parent(prefixes[k % 2], "%rd3")};
        uint32_t *out = device_memory(4 * 300);
        struct strata_error err;
        uint64_t before = strata_arena_used_bytes(arena);
        assert_int_equal(run_parent(&f, out, true, 1 + k / 2, &err), STRATA_OK);
        assert_int_equal(strata_arena_used_bytes(arena), before); /* buffers are freed */
        assert_int_equal(f.n, 12);
        for (uint32_t i = 0; i < f.n; i++) {
            assert_string_equal(f.launch[i].entry->name, "child");
            assert_int_equal(f.launch[i].grid.x, i / 4 + 1);
            assert_int_equal(f.launch[i].block.x, 32);
            assert_int_equal(f.launch[i].shared_dynamic_bytes, 16);
            assert_int_equal(strata_module_run(f.m, &f.launch[i], NULL, NULL, &err), STRATA_OK);
            uint32_t number = i / 4 * 100 + i % 4 * 2;
            assert_int_equal(out[number], (i / 4 + 1) * 1000 + number);
        }
        strata_module_destroy(f.m);
    }
}

static void launches_that_cannot_be_are_reported(void **state)
{
    (void)state;
    uint32_t *out = device_memory(4 * 300);
    struct strata_error err;
    struct family f = {.m = load_parent("cuda", "%rd3")};
    assert_int_equal(run_parent(&f, out, false, 1, &err), STRATA_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "does not follow such launches"));
    strata_module_destroy(f.m);
    f.m = load_parent("cuda", "%rd1"); /* not a buffer of parameters */
    assert_int_equal(run_parent(&f, out, true, 1, &err), STRATA_EFORMAT);
    assert_non_null(strstr(err.message, "no parameter buffer"));
    strata_module_destroy(f.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_come_in_block_order),
        cmocka_unit_test(launches_that_cannot_be_are_reported),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
