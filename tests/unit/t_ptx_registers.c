/* How many registers a kernel is taken to need where no machine code tells. */
#include "ptxfix.h"

#define KERNEL(body)                                                                               \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a,"              \
    " .param .u64 b, .param .u64 c, .param .u64 d, .param .u64 e, .param .u64 f) {\n"              \
    ".reg .b32 %r<9>; .reg .b64 %rd<40>; .reg .f32 %f<40>; .reg .pred %p<4>;\n" body "ret; }\n"
#define POINTERS                                                                                   \
    "mov.u32 %r5,%tid.x; ld.param.u64 %rd1,[a]; ld.param.u64 %rd2,[b]; ld.param.u64 %rd3,[c]; "    \
    "ld.param.u64 "                                                                                \
    "%rd4,[d];\n"                                                                                  \
    "ld.param.u64 %rd5,[e]; ld.param.u64 %rd6,[f]; cvta.to.global.u64 %rd7,%rd1;\n"
/* One result of six pointers, all of which live until then. */
#define USES(one)                                                                                  \
    "ld.global.f32 %f1,[" one "]; st.global.f32 [%rd2],%f1; st.global.f32 [%rd3],%f1;\n"           \
    "st.global.f32 [%rd4],%f1; st.global.f32 [%rd5],%f1; st.global.f32 [%rd6],%f1;\n"              \
    "st.global.u32 [%rd6+4],%r5;\n"

#define STEP(reg) "add.u64 " reg "," reg ",4;\n"

static uint32_t registers_of(const char *text)
{
    struct strata_module *m = load_text(text);
    uint32_t n = strata_module_entry_get(m, 0)->registers;
    strata_module_destroy(m);
    return n;
}

static void parameters_of_a_kernel_take_no_registers(void **state)
{
    (void)state;
    assert_int_equal(registers_of(KERNEL(POINTERS USES("%rd7"))), 16);
    /* what is computed of them does, also in their place */
    assert_int_equal(registers_of(KERNEL(POINTERS STEP("%rd2") STEP("%rd3") STEP("%rd4")
                                             STEP("%rd5") STEP("%rd6") STEP("%rd7") USES("%rd7"))),
                     24);
}

/* A loop of straight code that loads, stepped by `step` until `end`. */
#define LOOP(head, step)                                                                           \
    POINTERS "mov.u32 %r1,0; mov.f32 %f2,0f00000000; ld.param.u32 %r2,[b];\n"                      \
             "AGAIN: " head "add.f32 %f2,%f2,%f1; add.u64 %rd7,%rd7,4; " step "\n"                 \
             "setp.lt.u32 %p1,%r1,%r2; @%p1 bra AGAIN; st.global.f32 [%rd2],%f2;\n"

static void loops_that_are_unrolled_have_32_registers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t registers;
    } row[] = {
        {KERNEL(LOOP("ld.global.f32 %f1,[%rd7];\n", "add.u32 %r1,%r1,1;")), 32},
        {KERNEL(LOOP("mov.f32 %f1,0f3f800000;\n", "add.u32 %r1,%r1,1;")), 16},     /* no load */
        {KERNEL(LOOP("ld.global.f32 %f1,[%rd7];\n", "add.u32 %r1,%r1,%r2;")), 16}, /* no constant */
        {KERNEL(LOOP("ld.global.f32 %f1,[%rd7];\n", "ld.global.u32 %r1,[%rd3];")),
         16} /* no count */
    };
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++)
        assert_int_equal(registers_of(row[k].text), row[k].registers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_of_a_kernel_take_no_registers),
        cmocka_unit_test(loops_that_are_unrolled_have_32_registers),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
