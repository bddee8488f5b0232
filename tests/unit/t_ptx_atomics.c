/* What the emulator records of atomics. */
#include "recordfix.h"

/* Lanes share words; machine code has no such atomic for shared memory, but a loop. */
#define SPIN(mask, op)                                                                             \
    ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 8 .b8 sums[256];\n"             \
    ".visible .entry k(.param .u64 a) {\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"    \
    ".reg .f64 %d<9>; mov.u32 %r1,%tid.x; and.b32 %r2,%r1," mask "; shl.b32 %r3,%r2,3;\n"          \
    "mov.u32 %r4,sums; add.s32 %r5,%r4,%r3; mov.f32 %f1,0f3f800000; mov.u64 %rd1,3;\n"             \
    "mov.f64 %d1,0d3ff0000000000000;\n" op " ret; }\n"

static void atomics_that_shared_memory_lacks_are_loops(void **state)
{
    (void)state;
    static const struct {
        const char *text, *swap;
        unsigned rounds, tests;
    } row[] = {
        {SPIN("3", "red.shared.add.f32 [%r5],%f1;"), "atom.shared.cas.b32", 8, 1},
        {SPIN("0", "atom.shared.add.f32 %f2,[%r5],%f1;"), "atom.shared.cas.b32", 32, 1},
        {SPIN("31", "red.shared.add.f64 [%r5],%d1;"), "atom.shared.cas.b64", 1, 2},
        {SPIN("15", "atom.shared.max.u64 %rd2,[%r5],%rd1;"), "atom.shared.cas.b64", 2, 2},
    };
    void *params[1] = {device_memory(256)};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        static struct record r;
        uint32_t left = UINT32_MAX;
        run_recorded(row[k].text, 32, params, &r);
        if (row[k].rounds < 32) { /* this record ends before so many */
            assert_int_equal(count(&r, row[k].swap), row[k].rounds);
            assert_int_equal(count(&r, "setp.eq.u32"), row[k].rounds * row[k].tests);
            assert_int_equal(count(&r, "bra"), row[k].rounds);
        }
        for (unsigned i = 0; i < r.n; i++)
            if (!strcmp(r.opcode[i], row[k].swap)) {
                assert_int_equal(r.mask[i], left); /* one lane of each address has left */
                assert_int_equal(r.inst[i].memop, STRATA_MEM_ATOMIC);
                uint32_t addresses = 32 / row[k].rounds;
                left &= addresses == 32 ? 0 : left << addresses;
            }
    }
}

static void other_atomics_of_shared_memory_are_one_access(void **state)
{
    (void)state;
    struct record r;
    void *params[1] = {device_memory(256)};
    run_recorded(SPIN("3", "red.shared.add.u32 [%r5],%r1; atom.shared.exch.b64 %rd2,[%r5],%rd1;"),
                 32, params, &r);
    assert_int_equal(count(&r, "red.shared.add.u32"), 1);
    assert_int_equal(count(&r, "atom.shared.exch.b64"), 1);
    assert_int_equal(count(&r, "bra"), 0);
}

static void an_atomic_nobody_reads_is_a_reduction(void **state)
{
    (void)state;
    struct record r;
    void *params[2] = {device_memory(256), device_memory(256)};
    run_recorded(KERNEL("atom.global.add.u32 %r2,[%rd1],1; atom.global.min.u32 %r3,[%rd1],2; "
                        "atom.global.max.u32 _,[%rd1],2;\n"
                        "red.global.or.b32 [%rd1],1; st.global.u32 [%rd5],%r2;"),
                 32, params, &r);
    assert_int_equal(r.inst[find_access(&r, "atom.global.add.u32")].memop, STRATA_MEM_ATOMIC);
    assert_int_equal(r.inst[find_access(&r, "atom.global.min.u32")].memop, STRATA_MEM_REDUCTION);
    assert_int_equal(r.inst[find_access(&r, "atom.global.max.u32")].memop, STRATA_MEM_REDUCTION);
    assert_int_equal(r.inst[find_access(&r, "red.global.or.b32")].memop, STRATA_MEM_REDUCTION);
    /* ATOMG.EXCH and ATOMG.CAS have no form without an answer */
    run_recorded(KERNEL("atom.global.exch.b32 %r2,[%rd1],1; atom.global.cas.b32 %r3,[%rd1],2,3;"),
                 32, params, &r);
    assert_int_equal(r.inst[find_access(&r, "atom.global.exch.b32")].memop, STRATA_MEM_ATOMIC);
    assert_int_equal(r.inst[find_access(&r, "atom.global.cas.b32")].memop, STRATA_MEM_ATOMIC);
}

/* Lanes that name one address let one of them do it, where the sum can be known: as ptxas has it.
 */
static void atomics_on_one_address_are_done_by_one_lane(void **state)
{
    static const struct {
        const char *text, *atomic;
        uint32_t mask; /* of the record of the atomic by a warp that is whole */
    } cases[] = {
        {KERNEL("atom.global.add.u32 %r2,[%rd2],1;"), "atom.global.add.u32", 1u << 31},
        {KERNEL("atom.global.add.u32 %r2,[%rd2],%r1; st.global.u32 [%rd5],%r2;"),
         "atom.global.add.u32", 1u << 31},
        {KERNEL("atom.global.add.u32 %r2,[%rd2],7; st.global.u32 [%rd5],%r2;"),
         "atom.global.add.u32", 1u << 31},
        {KERNEL("red.global.max.s32 [%rd2],%r1;"), "red.global.max.s32", 1u << 31},
        {KERNEL("ld.global.u32 %r2,[%rd1]; mul.wide.u32 %rd6,%r2,4; add.u64 %rd7,%rd2,%rd6;\n"
                "red.global.add.u32 [%rd7],1;"),
         "red.global.add.u32", 1u << 31},
        {KERNEL("atom.global.max.u32 %r2,[%rd2],%r1; st.global.u32 [%rd5],%r2;"),
         "atom.global.max.u32", UINT32_MAX},
        {KERNEL("red.global.add.u32 [%rd5],1;"), "red.global.add.u32", UINT32_MAX},
        {KERNEL("red.global.add.u64 [%rd2],%rd3;"), "red.global.add.u64", UINT32_MAX},
        {KERNEL("cvt.rn.f32.u32 %f1,%r1; red.global.add.f32 [%rd2],%f1;"), "red.global.add.f32",
         UINT32_MAX},
        {KERNEL("atom.global.exch.b32 %r2,[%rd2],1;"), "atom.global.exch.b32", UINT32_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r;
        void *params[2] = {device_memory(4096), device_memory(4096)};
        run_recorded(cases[i].text, 32, params, &r);
        assert_int_equal(r.mask[find_access(&r, cases[i].atomic)], cases[i].mask);
    }
}

/* Nothing needs counting where nothing is added: VOTE, FLO, ISETP, ATOMG and SHFL are left of it.
 */
static void an_addition_of_nothing_is_only_asked_and_passed_on(void **state)
{
    (void)state;
    struct record nothing, seven;
    void *params[2] = {device_memory(4096), device_memory(4096)};
    run_recorded(KERNEL("atom.global.add.u32 %r2,[%rd2],0; st.global.u32 [%rd5],%r2;"), 32, params,
                 &nothing);
    run_recorded(KERNEL("atom.global.add.u32 %r2,[%rd2],7; st.global.u32 [%rd5],%r2;"), 32, params,
                 &seven);
    assert_int_equal(nothing.mask[find_access(&nothing, "atom.global.add.u32")], 1u << 31);
    assert_int_equal(seven.n - nothing.n, 6);
}

/* Which way lanes have gone makes a register theirs; a half warp's answered sums stay apart. */
static void atomics_after_ways_that_part_are_those_of_all_lanes(void **state)
{
    (void)state;
    struct record r;
    void *params[2] = {device_memory(4096), device_memory(4096)};
    run_recorded(KERNEL("mov.u64 %rd6,%rd2; setp.lt.u32 %p1,%r1,5; @%p1 bra L;\n"
                        "add.u64 %rd6,%rd2,64;\nL: red.global.add.u32 [%rd6],1;"),
                 32, params, &r);
    assert_int_equal(r.mask[find_access(&r, "red.global.add.u32")], UINT32_MAX);
    run_recorded(KERNEL("atom.global.add.u32 %r2,[%rd2],%r1; st.global.u32 [%rd5],%r2;"), 16,
                 params, &r);
    assert_int_equal(r.mask[find_access(&r, "atom.global.add.u32")], 0xffffu);
}

/* A lane's number would come to q0 by as many rounds of the loop as there are registers. */
static void what_varies_is_found_however_long_a_loop_carries_it(void **state)
{
    (void)state;
    static const int lengths[] = {1, 12, 80};
    static const char kernel[] = KERNEL("!");
    size_t head = strcspn(kernel, "!");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char turn[4096] = "", begin[4096] = "", text[12000];
        for (int k = 0; k < lengths[i]; k++) {
            snprintf(turn + strlen(turn), 64, "mov.u32 %%q%d,%%q%d;\n", k, k + 1);
            snprintf(begin + strlen(begin), 64, "mov.u32 %%q%d,0;\n", k);
        }
        snprintf(
            text, sizeof text,
            "%.*s.reg .u32 %%q<100>; .reg .u32 %%n; mov.u32 %%n,0;\n%sL: .pragma \"nounroll\";\n%s"
            "mov.u32 %%q%d,%%r1; add.u32 %%n,%%n,1; setp.lt.u32 %%p1,%%n,1;\n@%%p1 bra L;\n"
            "mul.wide.u32 %%rd6,%%q0,4; add.u64 %%rd7,%%rd2,%%rd6;\n"
            "red.global.add.u32 [%%rd7],1;%s",
            (int)head, kernel, begin, turn, lengths[i], kernel + head + 1);
        struct record r;
        void *params[2] = {device_memory(4096), device_memory(4096)};
        run_recorded(text, 32, params, &r);
        assert_int_equal(r.mask[find_access(&r, "red.global.add.u32")], UINT32_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_that_shared_memory_lacks_are_loops),
        cmocka_unit_test(other_atomics_of_shared_memory_are_one_access),
        cmocka_unit_test(an_atomic_nobody_reads_is_a_reduction),
        cmocka_unit_test(atomics_on_one_address_are_done_by_one_lane),
        cmocka_unit_test(an_addition_of_nothing_is_only_asked_and_passed_on),
        cmocka_unit_test(atomics_after_ways_that_part_are_those_of_all_lanes),
        cmocka_unit_test(what_varies_is_found_however_long_a_loop_carries_it),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
