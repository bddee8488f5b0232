/* The memory side of the clocked model: its two partitions, and data that waits to be written back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <strata/gpu.h>

#include "base/rng.h"
#include "simfix.h"

static struct strata_gpu h200, titanv_new;

static int load_gpus(void **state)
{
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    return strata_gpu_add_path(folder, NULL) || strata_gpu_load("h200", &h200, NULL) ||
           strata_gpu_load("titanv-new", &titanv_new, NULL);
}

static void a_far_line_is_read_over_the_link_once_and_kept(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, &h200);
    uint64_t far = 0;
    while (address_map_home(&r.m->map, far) == r.m->partition_of_sm[0])
        far += 4096;
    rig_ask(&r, SIM_READ, far, 15, NULL);
    assert_int_equal(RIG_SUM(&r, n.fabric_read), 4);
    assert_int_equal(RIG_SUM(&r, n.l2_read), 8); /* both partitions looked it up */
    assert_int_equal(RIG_SUM(&r, n.l2_tex_read), 4);
    rig_ask(&r, SIM_READ, far, 15, NULL);
    assert_int_equal(RIG_SUM(&r, n.fabric_read), 4);
    const uint32_t full[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    rig_ask(&r, SIM_WRITE, far, 3, full);
    assert_int_equal(RIG_SUM(&r, n.l2_write), 4); /* here and at the home */
    assert_int_equal(RIG_SUM(&r, n.l2_tex_write), 2);
    rig_close(&r);
}

static void written_data_beyond_the_limit_is_written_back(void **state)
{
    (void)state;
    struct rig r;
    struct strata_gpu g = titanv_new;
    const uint32_t full[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    g.l2.slices = g.dram.channels = 1;
    g.l2.cache.size_bytes = 96 * 1024;
    g.l2.dirty_bytes = 1024;
    rig_open(&r, &g);
    for (uint32_t i = 0; i < 16; i++)
        rig_ask(&r, SIM_WRITE, i * 128u, 15, full);
    assert_int_equal(RIG_SUM(&r, n.dram_write), 32); /* 64 sectors written, 32 may stay */
    rig_close(&r);
    rig_open(&r, &g);
    for (uint32_t i = 0; i < 16; i++)
        rig_ask(&r, SIM_WRITE, i * 128u, 1, full);
    assert_int_equal(RIG_SUM(&r, n.dram_write), 8); /* lines count, not sectors */
    rig_close(&r);
}

static void
lines_written_in_part_have_their_own_limit_and_are_read_before_they_are_written_back(void **state)
{
    (void)state;
    struct rig r;
    struct strata_gpu g = titanv_new;
    const uint32_t some[4] = {255, 255, 255, 255};
    g.l2.slices = g.dram.channels = 1;
    g.l2.cache.size_bytes = 96 * 1024;
    g.l2.dirty_bytes = 64 * 128;
    g.l2.dirty_partial_bytes = 2 * 128;
    rig_open(&r, &g);
    for (uint32_t i = 0; i < 2; i++)
        rig_ask(&r, SIM_WRITE, i * 128u, 3, some);
    assert_int_equal(RIG_SUM(&r, n.dram_write), 0);
    rig_ask(&r, SIM_WRITE, 256, 3, some);
    assert_int_equal(RIG_SUM(&r, n.dram_write), 2);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 2);
    rig_ask(&r, SIM_READ, 0, 3, NULL); /* what was read for the write-back stays */
    assert_int_equal(RIG_SUM(&r, n.dram_read), 2);
    rig_ask(&r, SIM_READ, 128, 3, NULL); /* makes room: nothing of the line is missing any more */
    assert_int_equal(RIG_SUM(&r, n.dram_read), 4);
    rig_ask(&r, SIM_WRITE, 384, 1, some);
    assert_int_equal(RIG_SUM(&r, n.dram_write), 2);
    rig_close(&r);
}

static void a_set_reads_and_writes_back_a_line_in_part_beyond_its_limit(void **state)
{
    (void)state;
    struct rig r;
    struct strata_gpu g = one_set(&titanv_new);
    const uint32_t some[4] = {255, 255, 0, 0}, more[4] = {255u << 8, 255u << 8, 0, 0};
    g.l2.cache.size_bytes *= 4, g.l2.cache.ways *= 4;
    g.l2.partial_ways = 2;
    for (g.l2.partial_ways_hit = 0; g.l2.partial_ways_hit < 2; g.l2.partial_ways_hit++) {
        rig_open(&r, &g);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(RIG_SUM(&r, n.dram_read), 0);
            rig_ask(&r, SIM_WRITE, i * 128u, 3, some);
        }
        assert_int_equal(RIG_SUM(&r, n.dram_read), 2);
        assert_int_equal(RIG_SUM(&r, n.dram_write), 2);
        for (uint32_t i = 0; i < 3; i++)
            rig_ask(&r, SIM_WRITE, i * 128u, 3, more);
        assert_int_equal(RIG_SUM(&r, n.dram_read), 2 + 2 * g.l2.partial_ways_hit);
        assert_int_equal(RIG_SUM(&r, n.l2_write), 12 + RIG_SUM(&r, n.dram_read));
        rig_close(&r);
    }
}

static void an_evicted_line_written_in_part_is_read_before_it_is_written_back(void **state)
{
    (void)state;
    struct rig r;
    struct strata_gpu g = one_set(&titanv_new);
    const uint32_t some[4] = {255, UINT32_MAX, 0, 0};
    rig_open(&r, &g);
    rig_ask(&r, SIM_WRITE, 0, 3, some);
    rig_ask(&r, SIM_READ, 128, 1, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 1);
    rig_ask(&r, SIM_READ, 256, 1, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_write), 2);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 3); /* two lines and the sector written in part */
    rig_close(&r);
}

static void dirty_lines_of_others_leave_when_the_l2_fills(void **state)
{
    (void)state;
    struct rig r;
    struct strata_gpu g = one_set(&titanv_new);
    g.l2.cache.ways = 16;
    g.l2.cache.size_bytes = 16 * 128;
    g.l2.dirty_at_start_bytes = 4 * 128;
    rig_open(&r, &g);
    for (uint32_t i = 0; i < 12; i++)
        rig_ask(&r, SIM_READ, i * 128u, 1, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_write), 0);
    for (uint32_t i = 12; i < 40; i++)
        rig_ask(&r, SIM_READ, i * 128u, 1, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_write), 16);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 40);
    rig_close(&r);
}

static void an_atomic_that_misses_fetches_64_bytes_near_and_32_far(void **state)
{
    (void)state;
    struct rig r;
    const uint32_t word[4] = {15, 0, 0, 0};
    for (uint32_t far = 0; far < 2; far++) {
        uint64_t line = 0;
        rig_open(&r, &h200);
        while ((address_map_home(&r.m->map, line) != r.m->partition_of_sm[0]) != far)
            line += 4096;
        rig_ask(&r, SIM_ATOMIC, line, 1, word);
        assert_int_equal(RIG_SUM(&r, n.dram_read), far ? 1 : 2);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_far_line_is_read_over_the_link_once_and_kept),
        cmocka_unit_test(written_data_beyond_the_limit_is_written_back),
        cmocka_unit_test(
            lines_written_in_part_have_their_own_limit_and_are_read_before_they_are_written_back),
        cmocka_unit_test(a_set_reads_and_writes_back_a_line_in_part_beyond_its_limit),
        cmocka_unit_test(an_evicted_line_written_in_part_is_read_before_it_is_written_back),
        cmocka_unit_test(dirty_lines_of_others_leave_when_the_l2_fills),
        cmocka_unit_test(an_atomic_that_misses_fetches_64_bytes_near_and_32_far),
    };
    return cmocka_run_group_tests(tests, load_gpus, NULL);
}
