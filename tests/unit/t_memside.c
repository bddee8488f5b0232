/* Rules of the memory side: homes, fetches, lines of other sizes, write-back, merged requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memory/memside.h"

static struct strata_gpu h200;

static int load_gpu(void **state)
{
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    return strata_gpu_add_path(folder, NULL) || strata_gpu_load("h200", &h200, NULL);
}

static void a_home_holds_for_its_block_and_homes_share_memory_evenly(void **state)
{
    (void)state;
    struct memside m;
    uint32_t count[MEMSIDE_MAX_PARTITIONS] = {0};
    memside_init(&m, &h200);
    assert_int_equal(m.n_partitions, 2);
    for (uint64_t block = 0; block < 20000; block++) {
        uint32_t home = memside_home(&m, block * h200.l2.home_bytes);
        assert_int_equal(home, memside_home(&m, (block + 1) * h200.l2.home_bytes - 128));
        count[home]++;
    }
    assert_true(count[0] > 9500 && count[1] > 9500 && count[0] + count[1] == 20000);
}

static void a_miss_fetches_whole_pairs_less_what_is_held(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct memside m;
    memside_init(&m, &g);
    assert_int_equal(memside_fetch(&m, 1, 0), 3);
    assert_int_equal(memside_fetch(&m, 6, 0), 15);
    assert_int_equal(memside_fetch(&m, 4, 8), 4);
    g.l2.fetch_bytes = 32;
    assert_int_equal(memside_fetch(&m, 6, 0), 6);
}

static void a_line_of_the_l1_is_taken_apart_into_lines_of_the_l2(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct memside m;
    uint64_t at = 1024, l2_line;
    g.l2.cache.line_bytes = 64;
    memside_init(&m, &g);
    assert_false(m.same_geometry);
    assert_int_equal(memside_part_of(&m, 1024, 0xb, &at, &l2_line), 3);
    assert_true(l2_line == 1024 && at == 1088);
    assert_int_equal(memside_part_of(&m, 1024, 0xb, &at, &l2_line), 2);
    assert_true(l2_line == 1088 && at == 1152);
}

static void a_sector_written_in_part_is_not_held_until_it_is_filled(void **state)
{
    (void)state;
    struct cache_slot s = {0};
    struct memside m;
    memside_init(&m, &h200); /* lazy-fetch-on-read */
    assert_int_equal(memside_write(&m, &s, 7, 1, true, 50), 0);
    assert_int_equal(memside_held(&s), 1);
    memside_fill(&s, 2, 90);
    assert_int_equal(memside_held(&s), 3);
    assert_int_equal(memside_ready(&s, 3, 10), 90);
    assert_int_equal(memside_ready(&s, 1, 10), 50);
    memside_write(&m, &s, 4, 4, true, 95); /* the rest of it */
    assert_int_equal(memside_held(&s), 7);
}

static void what_a_write_misses_is_fetched_at_once_or_when_it_is_read_or_never(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct memside m;
    memside_init(&m, &g);
    g.l2.write_miss = STRATA_FETCH_ON_WRITE;
    struct cache_slot s = {0}, copy = {0};
    assert_int_equal(memside_write(&m, &s, 1, 1, true, 50),
                     3); /* 64 bytes, though the sector is whole */
    assert_int_equal(memside_held(&s), 1);
    assert_int_equal(memside_write(&m, &s, 1, 0, true, 60), 0);
    assert_int_equal(memside_write(&m, &copy, 1, 0, false, 50), 0);
    assert_int_equal(memside_held(&copy), 1);
    g.l2.write_miss = STRATA_WRITE_VALIDATE;
    s = (struct cache_slot){0};
    assert_int_equal(memside_write(&m, &s, 6, 0, true, 50), 0);
    assert_int_equal(memside_held(&s), 6);
    g.l2.write_miss = STRATA_LAZY_FETCH_ON_READ;
    s = (struct cache_slot){0};
    assert_int_equal(memside_write(&m, &s, 6, 2, true, 50), 0);
    assert_int_equal(memside_held(&s), 2);
}

/* A memory side of one partition with an L2 of 64 lines. */
static void small_l2(struct strata_gpu *g, struct memside *m, struct cache *l2,
                     struct memside_dirty *d)
{
    g->l2.partitions = 1;
    memside_init(m, g);
    struct strata_cache_config config = {
        .size_bytes = 64 * 128, .line_bytes = 128, .sector_bytes = 32, .ways = 64};
    assert_int_equal(cache_create(&config, 1, l2, NULL), STRATA_OK);
    assert_int_equal(memside_dirty_init(d, m, l2, NULL), STRATA_OK);
}

static struct cache_slot *store(struct memside *m, struct memside_dirty *d, struct cache *l2,
                                uint64_t line, uint32_t sectors, uint32_t full)
{
    uint32_t slot = cache_find(l2, line);
    struct cache_slot *s = &l2->slot[slot == CACHE_NONE ? cache_insert(l2, line, NULL) : slot];
    bool was_partial = s->partial;
    memside_write(m, s, sectors, full, true, 0);
    memside_dirty_mark(d, s, sectors, was_partial);
    return s;
}

static void the_oldest_dirty_lines_are_written_back_beyond_the_limit(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct memside m;
    struct cache l2;
    struct memside_dirty d;
    struct cache_slot *old;
    uint32_t read;
    g.l2.dirty_bytes = 3 * 128, g.l2.dirty_partial_bytes = g.l2.dirty_at_start_bytes = 0;
    small_l2(&g, &m, &l2, &d);
    for (uint64_t line = 0; line < 3; line++)
        store(&m, &d, &l2, line * 128, 3, 3);
    store(&m, &d, &l2, 0, 4, 4); /* is dirty already: lines count, not sectors */
    assert_null(memside_dirty_overdue(&d, &l2));
    store(&m, &d, &l2, 3 * 128, 1, 1);
    old = memside_dirty_overdue(&d, &l2);
    assert_true(old && old->line == 0);
    assert_int_equal(memside_dirty_clean(&d, old, &read), 3);
    assert_int_equal(read, 0);
    assert_null(memside_dirty_overdue(&d, &l2));
    memside_dirty_release(&d);
    cache_release(&l2);
}

static void lines_written_in_part_are_read_and_written_back_beyond_their_own_limit(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct memside m;
    struct cache l2;
    struct memside_dirty d;
    uint32_t read;
    g.l2.dirty_bytes = 60 * 128, g.l2.dirty_partial_bytes = 2 * 128, g.l2.dirty_at_start_bytes = 0;
    small_l2(&g, &m, &l2, &d);
    for (uint64_t line = 0; line < 3; line++)
        store(&m, &d, &l2, line * 128, 3, 1);
    store(&m, &d, &l2, 0, 2, 2); /* now whole */
    assert_null(memside_dirty_overdue(&d, &l2));
    struct cache_slot *s = store(&m, &d, &l2, 3 * 128, 12, 0);
    struct cache_slot *old = memside_dirty_overdue(&d, &l2);
    assert_true(old && old->line == 128);
    assert_int_equal(memside_dirty_clean(&d, old, &read), 2);
    assert_int_equal(read, 1);
    memside_fill(s, 12, 0); /* a read brings the rest */
    memside_dirty_filled(&d, s, true);
    assert_int_equal(d.partial.lines, 1);
    assert_int_equal(d.all.lines, 3);
    memside_dirty_release(&d);
    cache_release(&l2);
}

static void a_launch_finds_dirty_lines_of_others(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct memside m;
    struct cache l2;
    struct memside_dirty d;
    uint32_t read;
    g.l2.dirty_bytes = 12 * 128, g.l2.dirty_partial_bytes = 0, g.l2.dirty_at_start_bytes = 10 * 128;
    small_l2(&g, &m, &l2, &d);
    for (uint64_t line = 0; line < 3; line++)
        store(&m, &d, &l2, line * 128, 15, 15);
    struct cache_slot *old = memside_dirty_overdue(&d, &l2);
    assert_true(old && old->line == MEMSIDE_OTHERS);
    assert_int_equal(memside_dirty_clean(&d, old, &read), 4);
    assert_null(memside_dirty_overdue(&d, &l2));
    memside_dirty_release(&d);
    cache_release(&l2);
}

static void the_home_is_the_parity_of_the_address_bits(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct memside m;
    memside_init(&m, &g);
    uint32_t first = memside_home(&m, 0);
    for (uint32_t bit = 7; bit < 24; bit++) {
        bool listed = bit == 12 || bit == 13 || bit == 15 || bit == 17 || bit == 19;
        assert_int_equal(memside_home(&m, UINT64_C(1) << bit) != first, listed);
    }
    g.l2.n_home_bits = 0;
    memside_init(&m, &g);
    uint32_t ones = 0;
    for (uint64_t block = 0; block < 4096; block++)
        ones += memside_home(&m, block << 12);
    assert_in_range(ones, 1900, 2200);
}

static void equal_requests_merge_until_the_data_is_about_to_come(void **state)
{
    (void)state;
    struct memside_coalescer c;
    assert_int_equal(memside_coalescer_init(&c, &h200, NULL), STRATA_OK);
    struct memside_open *e = memside_coalescer_entry(&c, &h200, 0, 0, 4096, 3);
    assert_false(memside_coalescer_merges(e, 4096, 3, 100));
    memside_coalescer_note(e, &h200, 4096, 3, 100, 900);
    assert_ptr_equal(memside_coalescer_entry(&c, &h200, 5, 0, 4096, 3), e);
    assert_true(memside_coalescer_merges(e, 4096, 3, 899 - h200.xbar.coalescer_return_cycles));
    assert_false(memside_coalescer_merges(e, 4096, 3, 900 - h200.xbar.coalescer_return_cycles));
    assert_false(memside_coalescer_merges(e, 4096, 1, 101));
    assert_true(memside_coalescer_merges(e, 4096, 3, 101) &&
                memside_coalescer_merges(e, 4096, 3, 101));
    assert_false(memside_coalescer_merges(e, 4096, 3, 101)); /* four share the answer */
    assert_ptr_not_equal(memside_coalescer_entry(&c, &h200, 0, 1, 4096, 3), e); /* another GPC */
    memside_coalescer_release(&c);
}

static void
groups_of_a_number_of_sms_do_not_share_answers_whether_or_not_gpcs_are_known(void **state)
{
    (void)state;
    static struct strata_gpu g;
    struct memside_coalescer c;
    strata_gpu_init(&g);
    g.sm.count = 5;
    g.xbar.request_coalescer_scope = 2;
    g.xbar.request_coalescer_window_cycles = 100;
    assert_int_equal(memside_coalescer_init(&c, &g, NULL), STRATA_OK);
    assert_int_equal(c.n_groups, 3);
    assert_ptr_equal(memside_coalescer_entry(&c, &g, 0, 0, 128, 1),
                     memside_coalescer_entry(&c, &g, 1, 0, 128, 1));
    assert_ptr_not_equal(memside_coalescer_entry(&c, &g, 0, 0, 128, 1),
                         memside_coalescer_entry(&c, &g, 2, 0, 128, 1));
    memside_coalescer_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_home_holds_for_its_block_and_homes_share_memory_evenly),
        cmocka_unit_test(a_miss_fetches_whole_pairs_less_what_is_held),
        cmocka_unit_test(a_line_of_the_l1_is_taken_apart_into_lines_of_the_l2),
        cmocka_unit_test(a_sector_written_in_part_is_not_held_until_it_is_filled),
        cmocka_unit_test(what_a_write_misses_is_fetched_at_once_or_when_it_is_read_or_never),
        cmocka_unit_test(the_oldest_dirty_lines_are_written_back_beyond_the_limit),
        cmocka_unit_test(lines_written_in_part_are_read_and_written_back_beyond_their_own_limit),
        cmocka_unit_test(a_launch_finds_dirty_lines_of_others),
        cmocka_unit_test(the_home_is_the_parity_of_the_address_bits),
        cmocka_unit_test(equal_requests_merge_until_the_data_is_about_to_come),
        cmocka_unit_test(
            groups_of_a_number_of_sms_do_not_share_answers_whether_or_not_gpcs_are_known),
    };
    return cmocka_run_group_tests(tests, load_gpu, NULL);
}
