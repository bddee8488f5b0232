/* Loading PTX: grammar, declarations, linking, and what is refused. */
#include "ptxfix.h"

static void entries_say_how_to_be_launched(void **state)
{
    (void)state;
    struct strata_module *m =
        load_text(PTX_HEAD ".visible .entry first(.param .u8 c, .param .align 8 .b8 s[24], .param "
                           ".u64 .ptr .global .align 4 p,\n"
                           "  .param .u32 n, .param .align 16 .b8 v[16])\n"
                           ".maxntid 256, 2, 1 .minnctapersm 3\n{ ret; }\n"
                           ".entry second() .reqntid 64 { .shared .align 4 .b8 tile[100]; .local "
                           ".align 8 .b8 depot[20];\n"
                           "  .reg .b32 %r<3>; mov.u32 %r1, tile; st.shared.u32 [%r1], 5; "
                           "st.local.u32 [depot], 1; ret; }\n");
    const struct strata_entry *e = strata_module_entry_find(m, "first");
    assert_int_equal(strata_module_entry_count(m), 2);
    assert_non_null(e);
    assert_int_equal(e->n_params, 5);
    static const uint32_t offsets[] = {0, 8, 32, 40, 48}, sizes[] = {1, 24, 8, 4, 16};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(e->params[i].offset_bytes, offsets[i]);
        assert_int_equal(e->params[i].size_bytes, sizes[i]);
    }
    assert_int_equal(e->param_bytes, 64);
    assert_int_equal(e->max_threads, 512);
    assert_int_equal(e->min_blocks_per_sm, 3);
    e = strata_module_entry_get(m, 1);
    assert_string_equal(e->name, "second");
    assert_int_equal(e->required_threads[0], 64);
    assert_int_equal(e->shared_static_bytes, 100);
    assert_int_equal(e->local_bytes, 32);
    assert_false(e->uses_dynamic_shared);
    assert_int_equal(strata_module_sm(m), 80);
    assert_null(strata_module_entry_get(m, 2));
    assert_null(strata_module_entry_find(m, "third"));
    strata_module_destroy(m);
}

static void initialisers_hold_numbers_and_addresses(void **state)
{
    (void)state;
    struct strata_module *m = load_text(
        PTX_HEAD ".global .align 4 .u32 numbers[4] = {1, -2, 0x10, WARP_SZ};\n"
                 ".visible .const .align 4 .f32 floats[2] = {0f3F800000, 2.5};\n"
                 ".global .align 8 .u64 pointers[3] = {numbers, generic(numbers)+8, run};\n"
                 ".global .align 1 .b8 text[] = {104, 105, 0};\n"
                 ".global .align 8 .b8 packed[8] = {0xFF(numbers), 0xFF00(numbers), 7};\n"
                 ".global .align 4 .b32 grid[2][3] = {{1,2,3},{4,5}};\n"
                 ".global .align 8 .attribute(.managed) .u64 shared_with_host;\n"
                 ".func run() { ret; }\n");
    const struct strata_symbol *numbers = strata_module_symbol_find(m, "numbers");
    const uint32_t *n = numbers->address;
    assert_int_equal(numbers->bytes, 16);
    assert_int_equal(n[0], 1);
    assert_int_equal(n[1], 0xfffffffe);
    assert_int_equal(n[2], 16);
    assert_int_equal(n[3], 32);
    const struct strata_symbol *floats = strata_module_symbol_find(m, "floats");
    assert_true(floats->is_const);
    assert_true(((const float *)floats->address)[1] == 2.5f);
    const uint64_t *pointers = strata_module_symbol_find(m, "pointers")->address;
    assert_int_equal(pointers[0], (uintptr_t)n);
    assert_int_equal(pointers[1], (uintptr_t)n + 8);
    assert_true(pointers[2] >= STRATA_CODE_WINDOW);
    assert_string_equal(strata_module_symbol_find(m, "text")->address, "hi");
    const uint8_t *packed = strata_module_symbol_find(m, "packed")->address;
    assert_int_equal(packed[0], (uintptr_t)n & 0xff);
    assert_int_equal(packed[1], (uintptr_t)n >> 8 & 0xff);
    assert_int_equal(packed[2], 7);
    const uint32_t *grid = strata_module_symbol_find(m, "grid")->address;
    assert_int_equal(grid[4], 5);
    assert_true(strata_module_symbol_find(m, "shared_with_host")->is_managed);
    assert_null(strata_module_symbol_find(m, "nothing"));
    assert_int_equal(strata_module_symbol_count(m), 7);
    strata_module_destroy(m);
}

/* Results in registers, of functions that return in two places, fall off their end, call
 * themselves, or have parameters of both kinds. */
static void registers_are_passed_to_functions_and_back(void **state)
{
    (void)state;
    struct strata_module *m = load_text(
        PTX_HEAD
        ".func (.reg .b32 big) clamp(.reg .b32 x, .reg .b32 most) { .reg .pred p;\n"
        "mov.u32 big,x; setp.lt.u32 p,x,most; @p ret; mov.u32 big,most; ret; }\n"
        ".func (.reg .u64 sum, .reg .f32 half) both(.reg .u64 a, .param .b32 b, .reg .f32 c)\n"
        "{ .reg .b32 %r; .reg .b64 %d; ld.param.b32 %r,[b]; cvt.u64.u32 %d,%r; add.u64 sum,a,%d;\n"
        "mul.f32 half,c,0f3F000000; }\n"
        ".func (.reg .b32 product) factorial(.reg .b32 n) { .reg .pred p; .reg .b32 %r<2>;\n"
        "mov.u32 product,1; setp.lt.u32 p,n,2; @p bra END; sub.u32 %r0,n,1;\n"
        "call (%r1),factorial,(%r0); mul.lo.u32 product,%r1,n; END: ret; }\n"
        ".visible .entry k(.param .u64 out) { .reg .b64 %d<6>; .reg .b32 %r<9>; .reg .f32 %f<3>;\n"
        ".reg .pred %p; ld.param.u64 %d1,[out]; mov.u32 %r1,%tid.x; mul.wide.u32 %d2,%r1,32;\n"
        "add.u64 %d1,%d1,%d2; call (%r2),clamp,(%r1,5); st.global.u32 [%d1],%r2;\n"
        "cvt.u64.u32 %d3,%r1; cvt.rn.f32.u32 %f1,%r1; mov.u32 %r4,7;\n"
        "call (%d4,%f2),both,(%d3,%r4,%f1); st.global.u64 [%d1+8],%d4; st.global.f32 "
        "[%d1+16],%f2;\n"
        "mov.u32 %r3,0; setp.gt.u32 %p,%r1,2; @%p call (%r3),factorial,(%r1);\n"
        "call (_),factorial,(3); st.global.u32 [%d1+20],%r3; ret; }\n");
    uint8_t *out = device_memory(32 * 8);
    struct run_setup setup = {.threads = 8};
    run_ok(m, "k", &setup, &out);
    uint32_t product = 1;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t clamped, factorial;
        uint64_t sum;
        float half;
        product *= i ? i : 1;
        memcpy(&clamped, out + 32 * i, 4);
        memcpy(&sum, out + 32 * i + 8, 8);
        memcpy(&half, out + 32 * i + 16, 4);
        memcpy(&factorial, out + 32 * i + 20, 4);
        assert_int_equal(clamped, i < 5 ? i : 5);
        assert_int_equal(sum, i + 7);
        assert_true(half == (float)i / 2);
        assert_int_equal(factorial, i > 2 ? product : 0);
    }
    strata_module_destroy(m);
}

static void register_parameters_that_cannot_be_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {".visible .entry k(.reg .b32 x) { ret; }\n", "a kernel has no register parameters"},
        {".func f(.reg .pred x) { ret; }\n", "predicates as parameters"},
        {".func f(.reg .b32 x[4]) { ret; }\n", "not lists of them"},
        {".func f(.local .b32 x) { ret; }\n", "something else than .param and .reg"},
        {".visible .entry k(.param .u64 f) { .reg .b64 %d; ld.param.u64 %d,[f];\n"
         "call %d,(5),P; P: .callprototype _ (.param .b32 _); ret; }\n",
         "neither a .param variable nor a number"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        struct strata_error err;
        struct strata_module *m;
        snprintf(text, sizeof text, "%s%s", PTX_HEAD, cases[i].text);
        struct strata_ptx_source source = {text, strlen(text), "text"};
        assert_int_not_equal(strata_ptx_module_create(&source, 1, NULL, &m, &err), STRATA_OK);
        if (!strstr(err.message, cases[i].words))
            fail_msg("\"%s\" lacks \"%s\"", err.message, cases[i].words);
    }
}

static void several_texts_are_linked_by_name(void **state)
{
    (void)state;
    const char *one = PTX_HEAD
        ".extern .func (.param .b32 r) twice(.param .b32 x);\n.extern .global .align 4 .u32 "
        "factor;\n"
        ".global .align 4 .u32 hidden = 1;\n"
        ".visible .entry k(.param .u64 out) { .reg .b64 %rd<3>; .reg .b32 %r<6>;\n"
        "ld.param.u64 %rd1,[out]; ld.global.u32 %r1,[factor]; { .param .b32 a; .param .b32 b;\n"
        "st.param.b32 [a],%r1; call.uni (b), twice, (a); ld.param.b32 %r2,[b]; }\n"
        "ld.global.u32 %r3,[hidden]; add.u32 %r2,%r2,%r3; st.global.u32 [%rd1],%r2; ret; }\n";
    const char *two = PTX_HEAD
        ".visible .global .align 4 .u32 factor = 21;\n.global .align 4 .u32 hidden = 100;\n"
        ".visible .func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %r<3>;\n"
        "ld.param.b32 %r1,[x]; shl.b32 %r2,%r1,1; st.param.b32 [r],%r2; ret; }\n";
    struct strata_ptx_source sources[] = {{one, strlen(one), "one"}, {two, strlen(two), "two"}};
    struct strata_device_memory memory = strata_arena_memory(arena);
    struct strata_module *m;
    struct strata_error err;
    assert_int_equal(strata_ptx_module_create(sources, 2, &memory, &m, &err), STRATA_OK);
    uint32_t *out = device_memory(4);
    struct run_setup setup = {.threads = 1};
    run_ok(m, "k", &setup, &out);
    assert_int_equal(*out, 43);
    strata_module_destroy(m);
    /* alone, the first text lacks what it needs */
    assert_int_equal(strata_ptx_module_create(sources, 1, &memory, &m, &err), STRATA_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "factor"));
}

static void labels_belong_to_their_scope(void **state)
{
    (void)state;
    struct strata_module *m = load_text(
        PTX_HEAD
        ".visible .entry k(.param .u64 out) { .reg .b64 %rd<3>; .reg .b32 %r<6>; .reg .pred "
        "%p<3>;\n"
        "ld.param.u64 %rd1,[out]; mov.u32 %r1,0;\n"
        "{ .reg .pred p; AGAIN: add.u32 %r1,%r1,1; setp.lt.u32 p,%r1,3; @p bra AGAIN; }\n"
        "{ .reg .pred p; AGAIN: add.u32 %r1,%r1,10; setp.lt.u32 p,%r1,30; @p bra AGAIN; }\n"
        "bra.uni DONE; add.u32 %r1,%r1,1000; DONE: st.global.u32 [%rd1],%r1; ret; }\n");
    uint32_t *out = device_memory(4);
    struct run_setup setup = {.threads = 1};
    run_ok(m, "k", &setup, &out);
    assert_int_equal(*out, 33);
    strata_module_destroy(m);
}

#define BODY(code)                                                                                 \
    PTX_HEAD ".visible .entry kern(.param .u64 p)\n{ .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg "     \
             ".pred %q<3>;\n" code "\nret; }\n"

static void what_cannot_be_run_is_named_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        strata_status status;
        uint32_t line;
        const char *words[3];
    } cases[] = {
        {BODY("multimem.red.global.add.u32 [%rd1],%r1;"),
         STRATA_EUNSUPPORTED,
         6,
         {"kern", "multimem.red", "several GPUs"}},
        {BODY("tcgen05.wait::ld.sync.aligned;"), STRATA_EUNSUPPORTED, 6, {"kern", "tcgen05"}},
        {BODY("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4},{%r1,%r2,%r3,"
              "%r4},{%r1,%r2,%r3,%r4},{%r1,%r2,%r3,%r4},%r1,2;"),
         STRATA_EFORMAT,
         6,
         {"the selector is a constant below 2"}},
        {BODY("wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 "
              "{%r1,%r2,%r3,%r4},%rd1,%rd2,%r1,1,1;"),
         STRATA_EFORMAT,
         6,
         {"the selector is a constant below 1"}},
        {BODY("wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%r1},%rd1,%rd2,1,1,1,0,0;"),
         STRATA_EUNSUPPORTED,
         6,
         {"multiple of 8"}},
        {BODY("frobnicate.u32 %r1,%r2;"), STRATA_EUNSUPPORTED, 6, {"kern", "frobnicate.u32"}},
        {BODY("add.wobbly.u32 %r1,%r2,%r3;"), STRATA_EUNSUPPORTED, 6, {"wobbly"}},
        {BODY("add.volatile.u32 %r1,%r2,%r3;"),
         STRATA_EUNSUPPORTED,
         6,
         {"add.volatile.u32", "volatile"}},
        {BODY("add.u32 %r1,%r2;"), STRATA_EFORMAT, 6, {"2 operands"}},
        {BODY("add.u32 %r1,%r2,%rd1;\nadd.u64 %rd1,%rd2,%r3;"),
         STRATA_EFORMAT,
         7,
         {"does not fit"}},
        {BODY("mov.u32 %r1,%r9;"), STRATA_EUNSUPPORTED, 6, {"%r9"}},
        {BODY("mov.u32 %r1,%pm3;"), STRATA_EUNSUPPORTED, 6, {"%pm3"}},
        {BODY("bra NOWHERE;"), STRATA_EFORMAT, 6, {"NOWHERE"}},
        {BODY("ld.global.u32 %r1,[missing];"), STRATA_EFORMAT, 6, {"missing"}},
        {BODY("mma.sync.aligned.m16n8k32.row.col.s32.s4.s8.s32 {%r1},{%r1},{%r1},{%r1};"),
         STRATA_EUNSUPPORTED,
         6,
         {"mma.sync"}},
        {BODY("tex.acube.v4.f32.f32 {%r1,%r1,%r1,%r1},[%rd1,{%r1,%r1,%r1,%r1}];"),
         STRATA_EUNSUPPORTED,
         6,
         {"tex.acube"}},
        {BODY("st.const.u32 [%rd1],%r1;"), STRATA_EFORMAT, 6, {"read-only"}},
        {BODY("mbarrier.frob.b64 [%rd1];"), STRATA_EUNSUPPORTED, 6, {"frob"}},
        {BODY("mov.u32 %r1,#;"), STRATA_EFORMAT, 6, {"neither"}},
        {BODY("add.u32 %r1,%r2,%r3"), STRATA_EFORMAT, 7, {"expected"}},
        {PTX_HEAD ".entry a() { ret;", STRATA_EFORMAT, 4, {"ends"}},
        {PTX_HEAD ".tango x;", STRATA_EUNSUPPORTED, 4, {".tango"}},
        {PTX_HEAD ".global .texref t;", STRATA_EUNSUPPORTED, 4, {".texref"}},
        {PTX_HEAD ".global .u32 x = y;", STRATA_EFORMAT, 4, {"y"}},
        {PTX_HEAD ".global .u32 x[2] = {1,2,3};", STRATA_EFORMAT, 4, {"longer"}},
        {PTX_HEAD ".extern .func f(); .entry k() { call.uni f; ret; }",
         STRATA_EUNSUPPORTED,
         4,
         {"\"f\""}},
        {".version 7.0\n.target sm_80\n.address_size 32\n", STRATA_EUNSUPPORTED, 3, {"-m64"}},
        {"\177ELF", STRATA_EFORMAT, 1, {"not PTX"}},
        {"int main() {}", STRATA_EFORMAT, 1, {".version"}},
        {"", STRATA_EFORMAT, 1, {"not PTX"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strata_error err;
        strata_status status = load_failure(cases[i].text, &err);
        if (status != cases[i].status || err.line != cases[i].line)
            fail_msg("case %zu: %s, line %u: %s", i, strata_status_name(status), err.line,
                     err.message);
        assert_string_equal(err.file, "test.ptx");
        for (unsigned k = 0; k < 3 && cases[i].words[k]; k++)
            if (!strstr(err.message, cases[i].words[k]))
                fail_msg("case %zu: \"%s\" is not in: %s", i, cases[i].words[k], err.message);
    }
}

static void comments_sections_and_line_marks_are_skipped(void **state)
{
    (void)state;
    struct strata_module *m = load_text(
        "// one\n/* two\n lines */ " PTX_HEAD ".file 1 \"a b.cu\"\n.pragma \"nounroll\";\n"
        ".visible .entry k(.param .u64 out) {\n.reg.b64 %rd<3>;.reg.b32 %r<3>; // glued\n"
        ".loc 1 12 3\nld.param.u64 %rd1,[out];\n"
        ".loc 1 13 5, function_name $L__info_string0, inlined_at 1 12 3\n"
        "mov.u32 %r1, 0b101; .pragma \"used_bytes_mask 15\";\nst.global.u32 [%rd1+-4], %r1;\nret; "
        "}\n"
        ".section .debug_str { $L__info_string0: .b8 1,2,3\n { } }\n");
    uint32_t *out = device_memory(8);
    uint32_t *after = out + 1;
    struct run_setup setup = {.threads = 1};
    run_ok(m, "k", &setup, &after);
    assert_int_equal(out[0], 5);
    strata_module_destroy(m);
}

static void the_fixture_of_each_compiler_loads(void **state)
{
    (void)state;
    static const char *const names[] = {"matmul_nvcc.ptx", "matmul_clang.ptx"};
    for (size_t i = 0; i < 2; i++) {
        struct strata_module *m = load_fixture(names[i]);
        const struct strata_entry *e = strata_module_entry_find(m, "matmul");
        assert_non_null(e);
        assert_int_equal(e->param_bytes, 28);
        assert_in_range(e->registers, 16, 64);
        strata_module_destroy(m);
    }
}

/* Every prefix of a good text either loads or says why not; nothing else happens. */
static void no_cut_of_a_text_does_harm(void **state)
{
    (void)state;
    char *text = read_fixture("features.ptx");
    size_t length = strlen(text);
    struct strata_device_memory memory = strata_arena_memory(arena);
    for (size_t n = 0; n < length; n += 7) {
        struct strata_ptx_source source = {text, n, "cut"};
        struct strata_module *m;
        struct strata_error err;
        strata_status status = strata_ptx_module_create(&source, 1, &memory, &m, &err);
        if (status == STRATA_OK)
            strata_module_destroy(m);
        else
            assert_true(err.message[0]);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_say_how_to_be_launched),
        cmocka_unit_test(initialisers_hold_numbers_and_addresses),
        cmocka_unit_test(registers_are_passed_to_functions_and_back),
        cmocka_unit_test(register_parameters_that_cannot_be_are_told),
        cmocka_unit_test(several_texts_are_linked_by_name),
        cmocka_unit_test(labels_belong_to_their_scope),
        cmocka_unit_test(what_cannot_be_run_is_named_at_once),
        cmocka_unit_test(comments_sections_and_line_marks_are_skipped),
        cmocka_unit_test(the_fixture_of_each_compiler_loads),
        cmocka_unit_test(no_cut_of_a_text_does_harm),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
