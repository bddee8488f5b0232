/* The cache of an SM's constants against what indexed_probe.cu, constant_probe.cu and
 * constant_reads.cu measured on an H200. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "h200fix.h"
#include "base/bits.h"
#include "memory/constant_cache.h"

static struct constant_cache cache;
enum { LATENCY = 35 };

static int empty_cache(void **state)
{
    (void)state;
    memset(&cache, 0, sizeof cache);
    return 0;
}

/* Lane l names the constant at l % addresses * distance. */
static struct strata_winst lanes(uint32_t addresses, uint32_t distance, uint64_t *at)
{
    struct strata_winst w = {.addr_kind = STRATA_ADDR_LIST, .mask = UINT32_MAX, .addr = at};
    for (uint32_t i = 0; i < STRATA_WARP_SIZE; i++)
        at[i] = (uint64_t)i % addresses * distance;
    return w;
}

enum { ADDITION = 7 }; /* between two loads of indexed_probe.cu's chains */

/* Cycles of a load that waits for the one before it, once all blocks have come. */
static uint64_t again(uint32_t addresses, uint32_t distance)
{
    uint64_t at[STRATA_WARP_SIZE], t = 0, last = 0;
    struct strata_winst w = lanes(addresses, distance, at);
    memset(&cache, 0, sizeof cache);
    for (unsigned i = 0; i < 3; i++) {
        last = t;
        t = constant_cache_load(&cache, &h200, &w, LATENCY, t);
    }
    return t - last;
}

static void lines_of_a_set_are_found_again(void **state)
{
    (void)state;
    static const struct {
        uint32_t addresses, distance, cycles; /* as measured, indexed_probe.cu, chain */
    } rows[] = {{1, 8, 35},    {2, 4, 46},      {4, 64, 68},     {8, 256, 112},  {16, 128, 200},
                {32, 64, 376}, {16, 256, 1320}, {32, 128, 2616}, {32, 256, 2616}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t cycles = again(rows[i].addresses, rows[i].distance) + ADDITION;
        assert_in_range(cycles, rows[i].cycles * 99 / 100, rows[i].cycles * 101 / 100 + 1);
    }
}

/* constant_probe.cu: 2.0 cycles of an SM a load from 8 warps on, of all lanes, some or none. */
static void an_sm_answers_an_address_every_two_cycles(void **state)
{
    (void)state;
    struct strata_inst named = {.imm = STRATA_CONSTANT_PLACE + 8};
    struct strata_winst none = {.inst = &named}, all = {.inst = &named, .mask = UINT32_MAX};
    uint64_t there = constant_cache_load(&cache, &h200, &all, LATENCY, 0), last = 0;
    for (unsigned i = 0; i < 16; i++)
        last = constant_cache_load(&cache, &h200, i % 2 ? &all : &none, LATENCY, there);
    assert_int_equal(last, there + 15 * 2 + h200.sm.const_own_cycles);
    /* Eight warps of 32 addresses: 514 cycles. */
    uint64_t at[STRATA_WARP_SIZE], t = last + 1000;
    struct strata_winst apart = lanes(32, 64, at);
    constant_cache_load(&cache, &h200, &apart, LATENCY, last);
    t = constant_cache_load(&cache, &h200, &apart, LATENCY, t) + 20000;
    for (unsigned i = 0; i < 8; i++)
        last = constant_cache_load(&cache, &h200, &apart, LATENCY, t);
    assert_in_range(last - t, 514, 514 + 31 * 11);
}

/* constant_reads.cu: the first constant of 256 bytes comes from memory, the others wait for it. */
static void a_block_comes_once(void **state)
{
    (void)state;
    struct strata_inst first = {.imm = STRATA_CONSTANT_PLACE}, second = first, far = first;
    second.imm += 192, far.imm += 256;
    struct strata_winst w = {.inst = &first, .mask = 1}, x = w, y = w;
    x.inst = &second, y.inst = &far;
    uint64_t cold = h200.sm.const_uniform_miss_cycles + h200.sm.const_cold_cycles;
    assert_int_equal(constant_cache_uniform(&cache, &h200, &w, 100), 100 + cold);
    uint64_t line = 110 + h200.sm.const_uniform_miss_cycles; /* of its own, of the same block */
    assert_int_equal(constant_cache_uniform(&cache, &h200, &x, 110), later_of(line, 100 + cold));
    assert_int_equal(constant_cache_uniform(&cache, &h200, &w, 120), 100 + cold);
    assert_int_equal(constant_cache_uniform(&cache, &h200, &w, 5000), 5000);
    assert_int_equal(constant_cache_uniform(&cache, &h200, &y, 5000), 5000 + cold);
}

/* uniform_probe.cu: a loop over 4 lines finds them again, over 5 none; 64 KB are as near as 1. */
static void uniform_registers_have_few_lines_of_their_own(void **state)
{
    (void)state;
    struct strata_inst one = {.imm = STRATA_CONSTANT_PLACE};
    struct strata_winst w = {.inst = &one, .mask = 1};
    uint64_t miss = h200.sm.const_uniform_miss_cycles, t = 0;
    for (int lines = 4; lines <= 5; lines++)
        for (int i = 0; i < 4 * lines; i++) {
            one.imm = STRATA_CONSTANT_PLACE + i % lines * 64;
            t = later_of(t, 10000 * (uint64_t)lines) + 100;
            uint64_t there = constant_cache_uniform(&cache, &h200, &w, t);
            if (i >= 2 * lines)
                assert_int_equal(there - t, lines == 4 ? 0 : miss);
            t = there;
        }
}

static void constants_that_are_not_told_are_found(void **state)
{
    (void)state;
    struct strata_inst parameter = {.imm = 0};
    struct strata_winst w = {.inst = &parameter, .mask = UINT32_MAX};
    assert_int_equal(constant_cache_load(&cache, &h200, &w, LATENCY, 7), 7 + LATENCY);
    assert_int_equal(constant_cache_uniform(&cache, &h200, &w, 7), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lines_of_a_set_are_found_again, empty_cache),
        cmocka_unit_test_setup(an_sm_answers_an_address_every_two_cycles, empty_cache),
        cmocka_unit_test_setup(a_block_comes_once, empty_cache),
        cmocka_unit_test_setup(uniform_registers_have_few_lines_of_their_own, empty_cache),
        cmocka_unit_test_setup(constants_that_are_not_told_are_found, empty_cache),
    };
    return cmocka_run_group_tests(tests, load_h200, NULL);
}
