/* t_async_rules.c - the rules of bulk copies, phases and products that models share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <strata/gpu.h>

#include "memory/bulk_lines.h"
#include "sm/async_groups.h"
#include "sm/phase_barriers.h"
#include "sm/wgmma_rules.h"

static void a_copy_comes_back_from_its_words(void **state)
{
    (void)state;
    struct strata_bulk b = {.kind = STRATA_BULK_LOAD,
                            .tensor = true,
                            .rank = 3,
                            .element_bytes = 2,
                            .swizzle = 3,
                            .fill = 1,
                            .multicast = 0x8005,
                            .shared = 0x1000400,
                            .barrier = 64,
                            .bytes = 4096,
                            .global = 0x7f0012345600,
                            .map = 0x7f0000000080,
                            .size = {100, 200, 300},
                            .stride = {2, 256, 65536},
                            .box = {64, 8, 4},
                            .element_stride = {1, 1, 2},
                            .coordinate = {-3, 7, 1 << 20},
                            .lower = {-1, -2, -3},
                            .upper = {1, 2, 3}};
    struct strata_bulk again;
    uint64_t words[STRATA_BULK_WORDS];
    unsigned n = strata_bulk_pack(&b, words);
    assert_true(strata_bulk_unpack(words, n, &again));
    assert_memory_equal(b.coordinate, again.coordinate, sizeof b.coordinate);
    assert_memory_equal(b.stride, again.stride, sizeof b.stride);
    assert_memory_equal(b.lower, again.lower, sizeof b.lower);
    assert_true(again.multicast == b.multicast && again.shared == b.shared && again.fill == 1 &&
                again.bytes == b.bytes && again.global == b.global && again.map == b.map &&
                again.box[2] == 4 && again.element_stride[2] == 2 && again.barrier == 64);
    assert_false(strata_bulk_unpack(words, n - 1, &again));
    words[0] |= 15; /* no such kind */
    assert_false(strata_bulk_unpack(words, n, &again));
}

/* Bytes of all lines of a copy, and how many lines there were. */
static uint64_t bytes_of(const struct strata_bulk *b, unsigned *lines)
{
    struct bulk_lines l;
    uint64_t line, sum = 0;
    uint32_t from, to;
    *lines = 0;
    bulk_lines_begin(&l, b, 128);
    while (bulk_lines_next(&l, &line, &from, &to)) {
        assert_true(from < to && to <= 128 && line % 128 == 0);
        sum += to - from;
        ++*lines;
    }
    return sum;
}

static void a_box_asks_for_its_rows_and_not_for_what_is_outside(void **state)
{
    (void)state;
    unsigned lines;
    struct strata_bulk b = {.tensor = true,
                            .rank = 2,
                            .element_bytes = 2,
                            .global = 0x10000,
                            .size = {96, 100},
                            .stride = {2, 512},
                            .box = {64, 16},
                            .element_stride = {1, 1},
                            .coordinate = {0, 0}};
    assert_int_equal(bytes_of(&b, &lines), 16 * 128);
    assert_int_equal(lines, 16);
    b.coordinate[0] = 64; /* 32 of 64 columns are left */
    b.coordinate[1] = 90; /* 10 of 16 rows */
    assert_int_equal(bytes_of(&b, &lines), 10 * 64);
    assert_int_equal(lines, 10);
    b.coordinate[0] = -32;
    b.coordinate[1] = -4;
    assert_int_equal(bytes_of(&b, &lines), 12 * 64);
    b.coordinate[1] = 100;
    assert_int_equal(bytes_of(&b, &lines), 0);
    struct strata_bulk line = {.global = 0x1010, .bytes = 256};
    assert_int_equal(bytes_of(&line, &lines), 256);
    assert_int_equal(lines, 3);
}

static void pixels_of_im2col_wrap_in_their_bounding_box(void **state)
{
    (void)state;
    unsigned lines;
    struct strata_bulk b = {.tensor = true,
                            .im2col = true,
                            .rank = 4,
                            .element_bytes = 2,
                            .global = 0,
                            .size = {64, 8, 8, 2},
                            .stride = {2, 128, 1024, 8192},
                            .box = {64, 1, 1, 1},
                            .element_stride = {1, 1, 1, 1},
                            .pixels = 64};
    assert_int_equal(bytes_of(&b, &lines), 64 * 128); /* one whole picture */
    b.coordinate[1] = b.coordinate[2] = -1;
    b.lower[0] = b.lower[1] = -1;
    b.upper[0] = b.upper[1] = -1; /* 8 x 8 positions from (-1, -1): 7 x 7 are inside */
    assert_int_equal(bytes_of(&b, &lines), 49 * 128);
}

static void a_phase_ends_with_the_last_arrival_or_byte(void **state)
{
    (void)state;
    struct phase_barriers t = {0};
    uint32_t list = 0;
    struct phase_barrier *b = phase_barrier_at(&t, 5, 64, NULL);
    assert_non_null(b);
    phase_barrier_apply(b, STRATA_BARRIER_ARRIVE, 1, 10); /* before the block has begun */
    b = phase_barrier_at(&t, 5, 64, &list);
    phase_barrier_apply(b, STRATA_BARRIER_INIT, 2, 20);
    assert_false(phase_barrier_is_past(b, false));
    assert_false(phase_barrier_apply(b, STRATA_BARRIER_ARRIVE_EXPECT, 128, 30));
    assert_true(phase_barrier_apply(b, STRATA_BARRIER_COMPLETE, 128, 500));
    assert_true(phase_barrier_is_past(b, false));
    assert_int_equal(b->ended, 500);
    assert_int_equal(b->pending, 2);
    for (uint32_t i = 0; i < 3000; i++) /* the table grows */
        assert_non_null(phase_barrier_at(&t, 6, 8 * i, NULL));
    assert_int_equal(phase_barrier_at(&t, 5, 64, &list)->ended, 500);
    phase_barriers_forget(&t, &list);
    assert_int_equal(list, 0);
    assert_int_equal(phase_barrier_at(&t, 5, 64, NULL)->ended, 0);
    phase_barriers_release(&t);
}

static void a_product_costs_what_the_card_takes(void **state)
{
    (void)state;
    struct strata_gpu g;
    strata_gpu_init(&g);
    static const struct {
        unsigned n, registers, cycles, wavefronts;
    } rows[] = {{256, 0, 128, 80}, {128, 0, 64, 48}, {64, 0, 32, 32}, {32, 0, 24, 24},
                {16, 0, 20, 20},   {64, 1, 32, 16},  {8, 1, 4, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strata_wgmma_shape s = {
            .n = (uint16_t)rows[i].n, .k = 16, .a_in_registers = rows[i].registers};
        assert_int_equal(wgmma_cycles(&g, s), rows[i].cycles);
        assert_int_equal(wgmma_wavefronts(&g, s), rows[i].wavefronts);
        struct strata_wgmma_shape again = strata_wgmma_unpack(strata_wgmma_pack(s));
        assert_true(again.n == s.n && again.k == 16 && again.a_in_registers == s.a_in_registers);
    }
}

/* DEPBAR.LE SB0, 0x0 of code that was read waits for all; an old trace does not say how many. */
/* Ten instructions beside a product, and what blocks differ by on either side of that. */
static void arithmetic_beside_products_keeps_its_scheduler(void **state)
{
    (void)state;
    struct strata_gpu g = {.sm.wgmma_hold_cycles = 2.5};
    struct wgmma_beside b = {.hold64 = wgmma_hold64(&g, 7)};
    uint32_t cycles = 0, least = UINT32_MAX, most = 0;
    for (int i = 0; i < 10; i++)
        cycles += wgmma_hold(&b);
    assert_int_equal(cycles, 25);
    g.sm.wgmma_spread = 0.2;
    for (uint64_t block = 0; block < 1000; block++) {
        uint32_t hold = wgmma_hold64(&g, block);
        least = hold < least ? hold : least;
        most = hold > most ? hold : most;
    }
    assert_in_range(least, 128, 130);
    assert_in_range(most, 190, 192);
    struct sm_inst i = {.pipe = SM_PIPE_ALU};
    assert_true(wgmma_minds(&i));
    i.pipe = SM_PIPE_UNIFORM;
    assert_false(wgmma_minds(&i));
}

static void a_wait_allows_what_the_code_says(void **state)
{
    (void)state;
    struct sm_async groups = {0};
    struct strata_inst wait = {.opcode = "DEPBAR.LE", .opclass = STRATA_OP_ASYNC_WAIT};
    for (unsigned i = 0; i < 3; i++) {
        sm_async_arrive(&groups.open, 100 * (i + 1));
        sm_async_commit(&groups);
    }
    assert_int_equal(sm_async_allowed(&groups, &wait, STRATA_ISA_SASS), 2);
    wait.control.known = 1;
    assert_int_equal(sm_async_allowed(&groups, &wait, STRATA_ISA_SASS), 0);
    assert_int_equal(sm_async_wait(&groups, 0), 300);
    wait.imm = 1;
    assert_int_equal(sm_async_allowed(&groups, &wait, STRATA_ISA_SASS), 1);
    assert_int_equal(sm_async_wait(&groups, 1), 200);
}

static void a_wait_for_products_needs_those_of_the_other_warps(void **state)
{
    (void)state;
    struct sm_async first = {0}, last = {0};
    sm_async_commit(&first);
    sm_async_commit(&first);
    uint32_t number = sm_async_awaited(&first, 1); /* all but the youngest group */
    assert_true(sm_async_has(&first, number));
    assert_false(sm_async_has(&last, number)); /* it has multiplied nothing */
    sm_async_commit(&last);
    assert_true(sm_async_has(&last, number));
    assert_false(sm_async_has(&last, sm_async_awaited(&first, 0)));
    sm_async_drop(&last, 0); /* waited for already */
    assert_true(sm_async_has(&last, number));
    assert_int_equal(sm_async_awaited(&first, 5), first.first); /* nothing to wait for */
}

static void a_warpgroup_is_four_warps_that_begin_at_a_multiple_of_four(void **state)
{
    (void)state;
    struct wgmma_warps of = wgmma_warps_of(6, 12);
    assert_true(of.from == 4 && of.to == 8);
    of = wgmma_warps_of(8, 9);
    assert_true(of.from == 8 && of.to == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_comes_back_from_its_words),
        cmocka_unit_test(a_box_asks_for_its_rows_and_not_for_what_is_outside),
        cmocka_unit_test(pixels_of_im2col_wrap_in_their_bounding_box),
        cmocka_unit_test(a_phase_ends_with_the_last_arrival_or_byte),
        cmocka_unit_test(a_product_costs_what_the_card_takes),
        cmocka_unit_test(arithmetic_beside_products_keeps_its_scheduler),
        cmocka_unit_test(a_wait_allows_what_the_code_says),
        cmocka_unit_test(a_wait_for_products_needs_those_of_the_other_warps),
        cmocka_unit_test(a_warpgroup_is_four_warps_that_begin_at_a_multiple_of_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
