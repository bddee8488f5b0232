/* Lines that are written: sectors held in part, what is fetched for them, write-back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memory/hierarchy.h"
#include "h200fix.h"

/* ---- sectors of a slot ---- */

static struct line_bytes in_part(uint32_t sectors, uint32_t whole)
{
    struct line_bytes b = {{0}};
    for (uint32_t k = 0; k < 4; k++)
        if (sectors >> k & 1)
            b.sector[k] = whole >> k & 1 ? UINT32_MAX : 0xffff;
    return b;
}

static uint32_t write_l2(const struct strata_gpu *g, struct cache *l2, uint32_t slot,
                         uint32_t sectors, uint32_t whole, bool home, uint64_t t)
{
    struct l2_rules r;
    struct line_bytes bytes = in_part(sectors, whole);
    l2_rules_init(&r, g, 32);
    return l2_write(&r, l2, slot, sectors, &bytes, home, t);
}

static void make_cache(struct cache *c)
{
    struct strata_cache_config config = {
        .size_bytes = 64 * 128, .line_bytes = 128, .sector_bytes = 32, .ways = 64};
    assert_int_equal(cache_create(&config, 1, c, NULL), STRATA_OK);
}

static void a_sector_written_in_part_is_held_when_it_is_filled_or_all_written(void **state)
{
    (void)state;
    struct cache l2;
    make_cache(&l2);
    uint32_t slot = cache_insert(&l2, 0, NULL); /* lazy-fetch-on-read */
    struct cache_slot *s = &l2.slot[slot];
    assert_int_equal(write_l2(&h200, &l2, slot, 7, 1, true, 50), 0);
    assert_int_equal(l2_held(s), 1);
    slot_fill(s, 2, 90);
    assert_int_equal(l2_held(s), 3);
    assert_int_equal(slot_ready(s, 3, 10), 90);
    assert_int_equal(slot_ready(s, 1, 10), 50);
    write_l2(&h200, &l2, slot, 4, 0, true, 95); /* the same bytes again */
    assert_int_equal(l2_held(s), 3);
    struct l2_rules r;
    l2_rules_init(&r, &h200, 32);
    struct line_bytes rest = {{0, 0, 0xffff0000, 0}};
    l2_write(&r, &l2, slot, 4, &rest, true, 96);
    assert_int_equal(l2_held(s), 7);
    cache_release(&l2);
}

static void what_a_write_misses_is_fetched_at_once_or_when_it_is_read_or_never(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct cache l2;
    make_cache(&l2);
    uint32_t slot[4];
    for (uint32_t k = 0; k < 4; k++)
        slot[k] = cache_insert(&l2, k * 128, NULL);
    g.l2.write_miss = STRATA_FETCH_ON_WRITE;
    /* 64 bytes, though the sector is whole */
    assert_int_equal(write_l2(&g, &l2, slot[0], 1, 1, true, 50), 3);
    assert_int_equal(l2_held(&l2.slot[slot[0]]), 1);
    assert_int_equal(write_l2(&g, &l2, slot[0], 1, 0, true, 60), 0);
    assert_int_equal(write_l2(&g, &l2, slot[1], 1, 0, false, 50), 0); /* a copy */
    assert_int_equal(l2_held(&l2.slot[slot[1]]), 1);
    g.l2.write_miss = STRATA_WRITE_VALIDATE;
    assert_int_equal(write_l2(&g, &l2, slot[2], 6, 0, true, 50), 0);
    assert_int_equal(l2_held(&l2.slot[slot[2]]), 6);
    g.l2.write_miss = STRATA_LAZY_FETCH_ON_READ;
    assert_int_equal(write_l2(&g, &l2, slot[3], 6, 2, true, 50), 0);
    assert_int_equal(l2_held(&l2.slot[slot[3]]), 2);
    cache_release(&l2);
}

static void the_l1_reads_what_was_written_byte_by_byte(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct cache l1;
    make_cache(&l1);
    struct line_bytes first = {{0x0000000f}}, second = {{0x000000f0}}, both = {{0xff}},
                      third = {{0xf00}}, rest = {{0xffffff00}};
    l1_write(&l1, &g, 0, 1, &first, 10);
    uint32_t slot = cache_find(&l1, 0);
    assert_int_equal(l1_readable(&l1, &h200, slot, 1, &first), 1);
    g.l1.write_miss = STRATA_LAZY_FETCH_ON_READ;
    assert_int_equal(l1_readable(&l1, &g, slot, 1, &first), 0);
    g.l1.write_miss = STRATA_WRITE_VALIDATE;
    assert_int_equal(l1_readable(&l1, &h200, slot, 1, &both), 0);
    l1_write(&l1, &g, 0, 1, &second, 11);
    assert_int_equal(l1_readable(&l1, &h200, slot, 1, &both), 1);
    assert_int_equal(l1_readable(&l1, &h200, slot, 1, &third), 0);
    l1_write(&l1, &g, 0, 1, &rest, 12);
    assert_true(l1.slot[slot].valid == 1 && !l1.slot[slot].partial);
    assert_int_equal(l1_readable(&l1, &h200, slot, 1, &third), 1);
    l1_write(&l1, &g, 128, 1, &first, 13);
    slot = cache_find(&l1, 128);
    slot_fill(&l1.slot[slot], 1, 20); /* fetched */
    assert_int_equal(l1_readable(&l1, &h200, slot, 1, &third), 1);
    cache_release(&l1);
}

static void a_store_hits_by_sector_or_by_line(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct cache l1;
    make_cache(&l1);
    struct line_bytes two = {{0xffffffff, 0xffffffff}};
    g.l1.store_counts_by_line = true;
    assert_int_equal(l1_write(&l1, &g, 0, 3, &two, 10), 0); /* a line that is not there */
    slot_fill(&l1.slot[cache_insert(&l1, 128, NULL)], 1, 10);
    assert_int_equal(l1_write(&l1, &g, 128, 3, &two, 20), 3);
    g.l1.store_counts_by_line = false;
    slot_fill(&l1.slot[cache_insert(&l1, 256, NULL)], 1, 10);
    assert_int_equal(l1_write(&l1, &g, 256, 3, &two, 20), 1);
    cache_release(&l1);
}

/* ---- write-back ---- */

static struct cache_slot *store(const struct strata_gpu *g, struct write_back *d, struct cache *l2,
                                uint64_t line, uint32_t sectors, uint32_t full)
{
    uint32_t slot = cache_find(l2, line);
    slot = slot == CACHE_NONE ? cache_insert(l2, line, NULL) : slot;
    struct cache_slot *s = &l2->slot[slot];
    bool was_partial = s->partial;
    write_l2(g, l2, slot, sectors, full, true, 0);
    write_back_mark(d, l2, s, sectors, was_partial);
    return s;
}

static void the_oldest_dirty_lines_are_written_back_beyond_the_limit(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct cache l2;
    struct write_back d;
    struct cache_slot *old;
    uint32_t read;
    g.l2.dirty_bytes = 3 * 128, g.l2.dirty_partial_bytes = g.l2.dirty_at_start_bytes = 0;
    make_cache(&l2);
    assert_int_equal(write_back_init(&d, &g, 1, 4, &l2, NULL), STRATA_OK);
    for (uint64_t line = 0; line < 3; line++)
        store(&g, &d, &l2, line * 128, 3, 3);
    store(&g, &d, &l2, 0, 4, 4); /* is dirty already: lines count, not sectors */
    assert_null(write_back_overdue(&d, &l2));
    store(&g, &d, &l2, 3 * 128, 1, 1);
    old = write_back_overdue(&d, &l2);
    assert_true(old && old->line == 0);
    assert_int_equal(write_back_clean(&d, &l2, old, &read), 7);
    assert_int_equal(read, 0);
    assert_null(write_back_overdue(&d, &l2));
    write_back_release(&d);
    cache_release(&l2);
}

static void lines_written_in_part_are_read_and_written_back_beyond_their_own_limit(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct cache l2;
    struct write_back d;
    uint32_t read;
    g.l2.dirty_bytes = 60 * 128, g.l2.dirty_partial_bytes = 2 * 128, g.l2.dirty_at_start_bytes = 0;
    make_cache(&l2);
    assert_int_equal(write_back_init(&d, &g, 1, 4, &l2, NULL), STRATA_OK);
    for (uint64_t line = 0; line < 3; line++)
        store(&g, &d, &l2, line * 128, 3, 1);
    store(&g, &d, &l2, 0, 2, 2); /* now whole */
    assert_null(write_back_overdue(&d, &l2));
    struct cache_slot *s = store(&g, &d, &l2, 3 * 128, 12, 0);
    struct cache_slot *old = write_back_overdue(&d, &l2);
    assert_true(old && old->line == 128);
    assert_int_equal(write_back_clean(&d, &l2, old, &read), 3);
    assert_int_equal(read, 2);
    slot_fill(s, 12, 0); /* a read brings the rest */
    write_back_filled(&d, s, true);
    assert_int_equal(d.partial.lines, 1);
    assert_int_equal(d.all.lines, 3);
    write_back_release(&d);
    cache_release(&l2);
}

static void a_launch_finds_dirty_lines_of_others(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct cache l2;
    struct write_back d;
    uint32_t read;
    g.l2.dirty_bytes = 12 * 128, g.l2.dirty_partial_bytes = 0, g.l2.dirty_at_start_bytes = 10 * 128;
    make_cache(&l2);
    assert_int_equal(write_back_init(&d, &g, 1, 4, &l2, NULL), STRATA_OK);
    for (uint64_t line = 0; line < 3; line++)
        store(&g, &d, &l2, line * 128, 15, 15);
    struct cache_slot *old = write_back_overdue(&d, &l2);
    assert_true(old && old->line == MEMORY_OTHERS);
    assert_int_equal(write_back_clean(&d, &l2, old, &read), 15);
    assert_null(write_back_overdue(&d, &l2));
    write_back_release(&d);
    cache_release(&l2);
}

static void a_set_has_a_limit_of_its_own_and_lines_of_others_do_not_count(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct cache l2;
    struct write_back d;
    uint32_t read;
    g.l2.dirty_bytes = g.l2.dirty_partial_bytes = 0, g.l2.dirty_at_start_bytes = 2 * 128;
    g.l2.dirty_ways = 2;
    make_cache(&l2);
    assert_int_equal(write_back_init(&d, &g, 1, 4, &l2, NULL), STRATA_OK);
    uint64_t line[3] = {0};
    uint32_t set = cache_set_of(&l2, 0), n = 1;
    for (uint64_t at = 128; n < 3; at += 128)
        if (cache_set_of(&l2, at) == set)
            line[n++] = at;
    store(&g, &d, &l2, line[0], 15, 15);
    store(&g, &d, &l2, line[1], 15, 15);
    store(&g, &d, &l2, line[1], 15, 15);
    assert_null(write_back_overdue(&d, &l2));
    store(&g, &d, &l2, line[2], 15, 15);
    struct cache_slot *old = write_back_overdue(&d, &l2);
    assert_true(old && old->line < MEMORY_OTHERS && cache_set_of(&l2, old->line) == set);
    assert_int_equal(write_back_clean(&d, &l2, old, &read), 15);
    assert_int_equal(d.set_lines[set], 2);
    assert_null(write_back_overdue(&d, &l2));
    write_back_release(&d);
    cache_release(&l2);
}

/* The first n lines of set 0. */
static void lines_of_a_set(const struct cache *l2, uint64_t *line, uint32_t n)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < n; at += 128)
        if (cache_set_of(l2, at) == 0)
            line[i++] = at;
}

/* partial_probe.cu */
static void a_set_has_a_limit_of_lines_in_part_and_one_beyond_leaves(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct cache l2;
    struct write_back d;
    uint64_t line[4];
    g.l2.dirty_at_start_bytes = 0, g.l2.partial_ways = 2, g.l2.partial_ways_hit = 1;
    make_cache(&l2);
    assert_int_equal(write_back_init(&d, &g, 1, 4, &l2, NULL), STRATA_OK);
    lines_of_a_set(&l2, line, 4);
    for (uint32_t i = 0; i < 2; i++) {
        store(&g, &d, &l2, line[i], 1, 0);
        assert_null(write_back_in_part(&d, &l2, line[i], false));
    }
    store(&g, &d, &l2, line[0], 1, 1); /* whole now: two may be in part again */
    store(&g, &d, &l2, line[2], 1, 0);
    assert_null(write_back_in_part(&d, &l2, line[2], false));
    store(&g, &d, &l2, line[3], 1, 0);
    struct cache_slot *old = write_back_in_part(&d, &l2, line[3], false);
    assert_true(old && old->partial == 1 && cache_set_of(&l2, old->line) == 0);
    write_back_drop(old);
    assert_true(!old->partial && !old->valid);
    old = write_back_in_part(&d, &l2, line[3], true); /* the lower limit */
    assert_true(old && old->partial == 1);
    write_back_drop(old);
    assert_null(write_back_in_part(&d, &l2, line[3], true));
    write_back_release(&d);
    cache_release(&l2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sector_written_in_part_is_held_when_it_is_filled_or_all_written),
        cmocka_unit_test(what_a_write_misses_is_fetched_at_once_or_when_it_is_read_or_never),
        cmocka_unit_test(the_l1_reads_what_was_written_byte_by_byte),
        cmocka_unit_test(a_store_hits_by_sector_or_by_line),
        cmocka_unit_test(the_oldest_dirty_lines_are_written_back_beyond_the_limit),
        cmocka_unit_test(lines_written_in_part_are_read_and_written_back_beyond_their_own_limit),
        cmocka_unit_test(a_launch_finds_dirty_lines_of_others),
        cmocka_unit_test(a_set_has_a_limit_of_its_own_and_lines_of_others_do_not_count),
        cmocka_unit_test(a_set_has_a_limit_of_lines_in_part_and_one_beyond_leaves),
    };
    return cmocka_run_group_tests(tests, load_h200, NULL);
}
