/* Requests for lines that become one: misses of an SM, and equal requests of the SMs of a GPC. */
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

/* An SM of a launch of so many blocks of so many warps begins. */
static struct leaving_miss begun(const struct strata_gpu *g, uint32_t blocks, uint32_t warps)
{
    struct strata_launch launch = {.grid = {blocks, 1, 1}, .block = {32 * warps, 1, 1}};
    struct leaving_miss l = {0};
    leaving_miss_begin(&l, g, &launch);
    return l;
}
/* A load of one line by a warp; true: it joins what waits. */
static bool joins(struct leaving_miss *l, const struct strata_gpu *g, uint32_t warp, uint64_t line,
                  uint32_t sectors, uint64_t t)
{
    leaving_miss_load(l, warp, t, t, 1);
    bool joined = leaving_miss_takes(l, g, line, sectors, t);
    if (!joined)
        leaving_miss_open(l, g, line, false, t);
    leaving_miss_last(l)->sectors |= sectors;
    leaving_miss_loaded(l, 1, 1);
    return joined;
}

static void a_miss_joins_a_request_of_its_line_until_that_leaves(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct leaving_miss l = begun(&g, 132, 4);
    assert_false(joins(&l, &g, 0, 128, 1, 100));
    assert_false(joins(&l, &g, 0, 256, 2, 101)); /* another line between does not matter */
    assert_true(joins(&l, &g, 0, 128, 2, 106));
    assert_true(joins(&l, &g, 0, 128, 4, 112));  /* it went to the end of the queue */
    assert_false(joins(&l, &g, 0, 128, 4, 113)); /* a sector it has */
    assert_false(joins(&l, &g, 0, 128, 8, 100 + 100));
    g.l1.miss_queue_lines = 0;
    assert_false(joins(&l, &g, 0, 128, 1, 201));
}

static void misses_of_another_warp_join_if_the_request_did_not_wait(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    for (uint64_t blocks = 4; blocks >= 3; blocks--) { /* nothing was answered yet */
        struct leaving_miss l = begun(&g, (uint32_t)blocks, 4);
        joins(&l, &g, 0, 128, 1, 100);
        assert_int_equal(joins(&l, &g, 1, 128, 2, 103), blocks == 3);
    }
    struct leaving_miss l = begun(&g, 132, 8);
    l.timed = true; /* its own warp's do not: the two of a scheduler take turns */
    joins(&l, &g, 0, 128, 1, 50);
    assert_true(joins(&l, &g, 1, 128, 2, 53));
    assert_false(joins(&l, &g, 0, 128, 4, 57));
    joins(&l, &g, 1, 256, 1, 60);
    joins(&l, &g, 1, 384, 1, 60);
    joins(&l, &g, 1, 512, 1, 60); /* what is in front of it takes the card's time */
    assert_true(joins(&l, &g, 2, 512, 2, 63));
    l = begun(&g, 132, 4);
    leaving_miss_answered(&l, 90);
    joins(&l, &g, 0, 128, 1, 100);
    assert_true(joins(&l, &g, 1, 128, 2, 103));
    joins(&l, &g, 1, 256, 1, 200);
    joins(&l, &g, 1, 384, 1, 200);
    joins(&l, &g, 1, 512, 1, 200); /* two loads are in front of it */
    assert_false(joins(&l, &g, 2, 512, 2, 203));
}

/* Behind a barrier warps are in step though nothing was answered (beside_probe.cu), if they have
 * used the load/store unit before (shifted_probe.cu, bytes-barrier). */
static void misses_behind_a_barrier_join(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    static struct hierarchy_sm sm;
    struct hierarchy m = {.gpu = &g, .sm = &sm};
    for (uint64_t used = 0; used < 2; used++) {
        sm.leaving = begun(&g, 528, 8);
        sm.unit.busy = used;
        leaving_miss_answered(&sm.leaving, 900);
        hierarchy_in_step(&m, 0, 90);
        joins(&sm.leaving, &g, 0, 128, 1, 100);
        assert_int_equal(joins(&sm.leaving, &g, 1, 128, 2, 103), used);
        hierarchy_in_step(&m, 0, 2000); /* a later one takes nothing away */
        joins(&sm.leaving, &g, 0, 256, 1, 1000);
        assert_true(joins(&sm.leaving, &g, 1, 256, 2, 1003));
    }
}

static void warps_that_begin_in_step_do_not_even_join_their_own(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    for (uint32_t warps = 4; warps <= 8; warps += 4) {
        struct leaving_miss l = begun(&g, 132, warps), twice = begun(&g, 264, 4);
        joins(&l, &g, 0, 128, 1, 100);
        assert_int_equal(joins(&l, &g, 0, 128, 2, 104), warps == 4);
        joins(&twice, &g, 0, 128, 1, 100);
        assert_false(joins(&twice, &g, 0, 128, 2, 104));
        leaving_miss_answered(&l, 900);
        joins(&l, &g, 0, 256, 1, 1000);
        assert_true(joins(&l, &g, 0, 256, 2, 1004));
    }
}

/* Requests of two loads of so many lines, one sector of each, `apart` cycles after another
 * (queue_leave_probe.cu). */
static uint32_t requests_of_two(const struct strata_gpu *g, uint32_t lines, uint64_t apart)
{
    struct leaving_miss l = begun(g, 1, 1);
    uint32_t requests = 0, tags = load_store_tags(g);
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t t = 1000 + k * apart;
        leaving_miss_load(&l, 0, t, t, (lines + tags - 1) / tags);
        for (uint32_t i = 0; i < lines; i++) {
            bool joined = leaving_miss_takes(&l, g, 128 * i, 1u << k, t + i / tags);
            if (!joined)
                leaving_miss_open(&l, g, 128 * i, false, t + i / tags);
            leaving_miss_last(&l)->sectors |= 1u << k;
            requests += !joined;
        }
        leaving_miss_loaded(&l, (lines + tags - 1) / tags, 32);
    }
    return requests;
}
static void the_last_lines_of_a_load_wait_longest(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    assert_int_equal(requests_of_two(&g, 1, 4), 1);
    assert_int_equal(requests_of_two(&g, 16, 4), 16);
    assert_int_equal(requests_of_two(&g, 32, 4), 64);
    assert_int_equal(requests_of_two(&g, 8, 13), 16);
    assert_int_equal(requests_of_two(&g, 16, 13), 16 + 9);
    assert_int_equal(requests_of_two(&g, 16, 17), 16 + 14);
}

/* Four warps of so many SMs of a GPC, which follow each other after 10 cycles, read a sector of one
 * line each, `apart` cycles one after the other (pairs_probe.cu). */
static struct launch_counters sectors_of_sms(const struct strata_gpu *g, uint32_t sms,
                                             uint64_t apart)
{
    static struct hierarchy m;
    struct strata_launch launch = {.grid = {1, 1, 1}, .block = {128, 1, 1}};
    struct strata_inst load = {
        .memop = STRATA_MEM_LOAD, .space = STRATA_SPACE_GLOBAL, .width_bytes = 1};
    assert_int_equal(hierarchy_init(&m, g, &launch, 128 << 10, 1, NULL, NULL), STRATA_OK);
    for (uint32_t sm = 0, n = 0; n < 4 * sms; sm++) {
        if (m.sm[sm].group != m.sm[0].group)
            continue;
        leaving_miss_answered(&m.sm[sm].leaving, 1);
        for (uint64_t i = 0; i < 4; i++, n++) {
            struct strata_winst w = {.inst = &load,
                                     .mask = UINT32_MAX,
                                     .addr_kind = STRATA_ADDR_STRIDE,
                                     .stride = 1,
                                     .base = (1u << 20) + 32 * i};
            m.now = 1000 + n / 4 * 10 + i * apart;
            hierarchy_access(&m, sm, &w, 0, m.now);
        }
    }
    struct launch_counters n = m.count;
    hierarchy_release(&m);
    return n;
}

static void a_load_behind_stores_is_not_behind_loads(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct leaving_miss l = {0};
    leaving_miss_answered(&l, 90);
    leaving_miss_answered(&l, 200); /* the first counts */
    leaving_miss_load(&l, 0, 100, 100, 1);
    leaving_miss_load(&l, 0, 101, 130, 1); /* stores held it up */
    leaving_miss_open(&l, &g, 128, false, 130);
    leaving_miss_load(&l, 1, 104, 131, 1);
    assert_true(leaving_miss_takes(&l, &g, 128, 2, 131));
}

static void warps_that_read_a_line_together_ask_for_it_once_and_miss(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct launch_counters together = sectors_of_sms(&g, 1, 1), apart = sectors_of_sms(&g, 1, 20);
    assert_int_equal(together.l2_tex_read, 4);
    assert_int_equal(together.l2_requests, 1);
    assert_int_equal(together.l2_tex_read_hit, 0);
    assert_int_equal(together.l2_tex_read_miss, 4);
    assert_int_equal(apart.l2_requests, 4);
    assert_int_equal(apart.l2_tex_read_hit, 2);
    assert_int_equal(apart.l2_tex_read_miss, 4);
    assert_int_equal(apart.dram_read, together.dram_read);
}

static void a_gpc_sees_a_request_with_all_that_joined_it(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct launch_counters two = sectors_of_sms(&g, 2, 1), five = sectors_of_sms(&g, 5, 1);
    assert_int_equal(two.l2_tex_read, 4); /* both ask for the whole line */
    assert_int_equal(two.l2_requests, 1);
    assert_int_equal(two.l2_tex_read_hit, 0);
    assert_int_equal(two.merged_sectors, 4);
    assert_int_equal(five.l2_tex_read, 8); /* four share an answer */
}

/* Hits of a second read of a line by SM 0, after it was changed in between (copies_probe.cu). */
enum change { ATOMIC, STORE };
enum place { OF_THIS_SIDE, OF_THE_OTHER };
static uint64_t hits_after(const struct strata_gpu *g, enum change what, enum place home,
                           enum place changer)
{
    static struct hierarchy m;
    struct strata_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct store_line store = {.line = 1u << 20, .sectors = 1, .bytes = {{UINT32_MAX}}};
    uint32_t sm = 0;
    assert_int_equal(hierarchy_init(&m, g, &launch, 128 << 10, 1, NULL, NULL), STRATA_OK);
    while ((address_map_home(&m.map, store.line) != m.sm[0].partition) != (home == OF_THE_OTHER))
        store.line += g->l2.home_bytes;
    while ((m.sm[sm].partition != m.sm[0].partition) != (changer == OF_THE_OTHER))
        sm++;
    hierarchy_l2_read(&m, 0, store.line, 1, false, 1000);
    if (what == ATOMIC)
        hierarchy_l2_atomic(&m, sm, store.line, 1, 0, (struct l2_atomics){.packets = 1}, 10000);
    else
        hierarchy_l2_write(&m, sm, &store, 10000);
    hierarchy_l2_read(&m, 0, store.line, 1, false, 20000);
    uint64_t hits = m.count.l2_tex_read_hit;
    hierarchy_release(&m);
    return hits;
}

static void an_atomic_leaves_no_copy_of_its_line(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    assert_int_equal(hits_after(&g, ATOMIC, OF_THE_OTHER, OF_THIS_SIDE), 0);
    assert_int_equal(hits_after(&g, ATOMIC, OF_THE_OTHER, OF_THE_OTHER), 0);
    assert_int_equal(hits_after(&g, ATOMIC, OF_THIS_SIDE, OF_THIS_SIDE), 1);
    assert_int_equal(hits_after(&g, ATOMIC, OF_THIS_SIDE, OF_THE_OTHER), 1);
    g.l2.copies_void = false;
    assert_int_equal(hits_after(&g, ATOMIC, OF_THE_OTHER, OF_THIS_SIDE), 1);
}

static void a_store_leaves_the_copy_that_it_passes_alone(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    assert_int_equal(hits_after(&g, STORE, OF_THE_OTHER, OF_THIS_SIDE), 1);
    assert_int_equal(hits_after(&g, STORE, OF_THE_OTHER, OF_THE_OTHER), 0);
    assert_int_equal(hits_after(&g, STORE, OF_THIS_SIDE, OF_THE_OTHER), 1);
    g.l2.copies_void = false;
    assert_int_equal(hits_after(&g, STORE, OF_THE_OTHER, OF_THE_OTHER), 1);
}

/* printing_probe.cu: all SMs together store a sector in 2.6 cycles, and 320 atomics on one word
 * take 724572. */
static void memory_of_the_host_is_reached_by_one_way(void **state)
{
    (void)state;
    static struct hierarchy m;
    struct strata_gpu g = h200;
    struct strata_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct l2_atomics one = {.packets = 1};
    assert_int_equal(hierarchy_init(&m, &g, &launch, 128 << 10, 1, NULL, NULL), STRATA_OK);
    struct store_line store = {.sectors = 1, .bytes = {{UINT32_MAX}}, .host = true};
    uint64_t taken = 0, back = 0;
    for (uint32_t i = 0; i < 100; i++) {
        m.held = 0;
        store.line = (uint64_t)i << 20;
        taken = hierarchy_l2_write(&m, i, &store, 0);
    }
    assert_in_range(taken, 99 * 5 / 2, 99 * 27 / 10);
    assert_int_equal(m.count.l2_tex_write, 100);
    for (uint32_t i = 0; i < 10; i++)
        back = hierarchy_host_atomic(&m, i, 0, one, 1000);
    assert_in_range(back, 1000 + 9 * 2260 + 2350, 1000 + 9 * 2264 + 2350 + 400);
    assert_in_range(hierarchy_host_atomic(&m, 0, 128, one, 1000), 1000 + 2350, 1000 + 2350 + 400);
    hierarchy_l2_read(&m, 0, store.line, 1, false, 100000); /* and nothing of it stays */
    assert_int_equal(m.count.l2_tex_read_hit, 0);
    assert_int_equal(hierarchy_host_lane_reads(&m), 0);
    m.host.lanes = 1u << 5;
    assert_int_equal(hierarchy_host_lane_reads(&m), 0);
    m.host.lanes = UINT32_MAX; /* print of 1 and 32 lanes: 888 and 1080 sectors */
    assert_in_range(hierarchy_host_lane_reads(&m), 180, 200);
    hierarchy_release(&m);
}

/* Sectors that leave while so many of the lines of one set that were written are read, in turn. */
static uint64_t leave_while_read(struct strata_gpu *g, uint32_t written, uint32_t lines_read)
{
    static struct hierarchy m;
    static uint64_t line[64];
    struct strata_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct store_line store = {.line = 1u << 20, .sectors = 1, .bytes = {{UINT32_MAX}}};
    uint32_t n = 0;
    g->l2.dirty_at_start_bytes = 0;
    assert_int_equal(hierarchy_init(&m, g, &launch, 128 << 10, 1, NULL, NULL), STRATA_OK);
    uint32_t here = m.sm[0].partition;
    for (; n < written; store.line += 128) {
        if (address_map_home(&m.map, store.line) != here ||
            cache_set_of(&m.partition[here].l2, store.line) != 5)
            continue;
        line[n++] = store.line;
        hierarchy_l2_write(&m, 0, &store, n * 100);
    }
    uint64_t before = m.count.dram_write;
    for (uint32_t i = 0; i < n; i++)
        hierarchy_l2_read(&m, 0, line[i % lines_read], 1, false, 100000 + i * 1000);
    uint64_t after = m.count.dram_write;
    hierarchy_release(&m);
    return after - before;
}

static void a_set_that_gave_up_a_dirty_line_goes_on_where_reads_hit(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    uint32_t ways = g.l2.dirty_ways;
    assert_true(g.l2.dirty_ahead > 0);
    assert_int_equal(leave_while_read(&g, ways, ways), 0);
    assert_int_equal(leave_while_read(&g, ways + 1, ways + 1), g.l2.dirty_ahead);
    assert_int_equal(leave_while_read(&g, ways + 1, 2), 2); /* the first read of a line counts */
    g.l2.dirty_ahead = 0;
    assert_int_equal(leave_while_read(&g, ways + 1, ways + 1), 0);
}

/* Sectors that leave while 16 whole lines of every `apart` are written, 8,448 times. */
static uint64_t leave_strewn(struct strata_gpu *g, uint64_t apart)
{
    static struct hierarchy m;
    struct strata_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct store_line store = {.sectors = 15};
    memset(&store.bytes, 0xff, sizeof store.bytes);
    assert_int_equal(hierarchy_init(&m, g, &launch, 128 << 10, 1, NULL, NULL), STRATA_OK);
    for (uint64_t i = 0; i < 8448 * 16; i++) {
        store.line = (UINT64_C(1) << 40) + (i / 16 * apart + i % 16) * 128;
        hierarchy_l2_write(&m, 0, &store, i);
    }
    uint64_t n = m.count.dram_write;
    hierarchy_release(&m);
    return n;
}

static void lines_far_apart_leave_sooner_than_as_many_side_by_side(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    uint64_t apart = leave_strewn(&g, 512), together = leave_strewn(&g, 16);
    assert_true(apart > 10000 && together < 1000);
    g.l2.dirty_dealt = 0;
    assert_true(leave_strewn(&g, 512) < 1000 && leave_strewn(&g, 16) == together);
}

/* 64ths of a cycle that the ways into a partition's slices were taken for, all at cycle 0. */
static uint64_t ways_in_busy(const struct hierarchy *m, uint32_t part)
{
    uint64_t busy = 0;
    for (uint32_t k = 0; k < m->map.slices; k++)
        busy += m->partition[part].way_in_free64[k];
    return busy;
}

/* A word of lines of one set is written, then another: sectors read for those that leave, before
 * and with the second word. far: the lines' home is the other partition. Returns how long the ways
 * into the home were taken. */
static uint64_t leave_in_part(struct strata_gpu *g, uint32_t lines, bool far, uint64_t read[2])
{
    static struct hierarchy m;
    static uint64_t line[64];
    struct strata_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct store_line store = {.line = 1u << 20, .sectors = 1, .bytes = {{15}}};
    uint32_t n = 0;
    g->l2.dirty_at_start_bytes = 0;
    assert_int_equal(hierarchy_init(&m, g, &launch, 128 << 10, 1, NULL, NULL), STRATA_OK);
    uint32_t home = far ? 1 - m.sm[0].partition : m.sm[0].partition;
    for (; n < lines; store.line += 128)
        if (address_map_home(&m.map, store.line) == home &&
            cache_set_of(&m.partition[home].l2, store.line) == 5)
            line[n++] = store.line;
    for (uint32_t k = 0; k < 2; k++) {
        store.bytes.sector[0] = 15u << 4 * k;
        for (uint32_t i = 0; i < n; i++) {
            store.line = line[i];
            hierarchy_l2_write(&m, 0, &store, 100 + i * 100);
        }
        read[k] = m.count.dram_read;
    }
    assert_int_equal(m.count.dram_write, m.count.dram_read);
    assert_int_equal(m.count.l2_write, 2 * n * (1u + far) + m.count.dram_read);
    uint64_t busy = ways_in_busy(&m, home);
    hierarchy_release(&m);
    return busy;
}

/* Six lines more leave with the second word than with the first, and each holds up a way in; the
 * one that left with the first word holds up none. */
static void a_write_that_finds_its_line_in_part_holds_up_a_way_in(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    uint64_t read[2], hold = (uint64_t)(64 * g.l2.clean_hold_cycles),
                      held = leave_in_part(&g, g.l2.partial_ways + 1, false, read);
    assert_true(hold > 0 && read[0] == 1 && read[1] > read[0]);
    g.l2.clean_hold_cycles = 0;
    assert_int_equal(held - leave_in_part(&g, g.l2.partial_ways + 1, false, read),
                     hold * (read[1] - read[0]));
}

static void lines_in_part_beyond_a_sets_limit_leave_and_more_where_their_writes_hit(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    uint64_t read[2];
    assert_true(g.l2.partial_ways > 0);
    for (uint32_t far = 0; far < 2; far++) {
        leave_in_part(&g, g.l2.partial_ways_hit, far, read);
        assert_true(read[0] == 0 && read[1] == 0);
        leave_in_part(&g, g.l2.partial_ways + 1, far, read);
        assert_int_equal(read[0], 1);
        assert_int_equal(read[1], 1 + g.l2.partial_ways - g.l2.partial_ways_hit);
    }
    g.l2.partial_ways_hit = 0;
    leave_in_part(&g, g.l2.partial_ways + 1, false, read);
    assert_true(read[0] == 1 && read[1] == 1);
    g.l2.partial_ways = 0;
    leave_in_part(&g, 24, false, read);
    assert_true(read[0] == 0 && read[1] == 0);
}

static void equal_requests_merge_until_the_data_is_about_to_come(void **state)
{
    (void)state;
    struct request_coalescer c;
    uint64_t until = 900 - h200.xbar.coalescer_return_cycles;
    assert_int_equal(request_coalescer_init(&c, &h200, NULL), STRATA_OK);
    struct open_request *e = request_coalescer_entry(&c, 0, 4096, 3, false);
    assert_int_equal(request_coalescer_meet(&c, e, 4096, 3, false, 100 < e->until), REQUEST_OPENS);
    request_coalescer_open(e, &h200, 4096, 3, 100, 0);
    request_coalescer_answered(e, 900, until);
    assert_true(e->until == until && e->arrival == 900);
    assert_ptr_equal(request_coalescer_entry(&c, 0, 4096, 3, false), e);
    assert_int_equal(request_coalescer_meet(&c, e, 4096, 3, false, false), REQUEST_OPENS);
    for (int k = 0; k < 3; k++)
        assert_int_equal(request_coalescer_meet(&c, e, 4096, 3, false, true), REQUEST_MERGES);
    /* four share the answer */
    assert_int_equal(request_coalescer_meet(&c, e, 4096, 3, false, true), REQUEST_OPENS);
    assert_ptr_not_equal(request_coalescer_entry(&c, 1, 4096, 3, false), e); /* another GPC */
    request_coalescer_release(&c);
}

/* Sectors that the L2 is asked for when four SMs of a GPC copy one line, each to so many blocks. */
static uint64_t asked_for(const uint32_t targets[4])
{
    static struct hierarchy m;
    struct strata_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    assert_int_equal(hierarchy_init(&m, &h200, &launch, 128 << 10, 1, NULL, NULL), STRATA_OK);
    for (uint32_t sm = 0, n = 0; n < 4; sm++)
        if (m.sm[sm].group == m.sm[0].group)
            hierarchy_bulk_load(&m, sm, 1u << 20, 15, targets[n++], 1000);
    uint64_t sectors = m.count.l2_tex_read;
    hierarchy_release(&m);
    return sectors;
}

static void a_copy_to_several_blocks_shares_no_answer(void **state)
{
    (void)state;
    assert_int_equal(asked_for((const uint32_t[4]){1, 1, 1, 1}), 4);
    assert_int_equal(asked_for((const uint32_t[4]){2, 2, 2, 2}), 16);
    assert_int_equal(asked_for((const uint32_t[4]){2, 1, 1, 1}), 8);
    assert_int_equal(asked_for((const uint32_t[4]){1, 1, 2, 1}), 8);
}

/* When an SM is done with its stores after one warp has added to a word that is not in the L2. */
static uint64_t done_with(uint8_t memop)
{
    static struct hierarchy m;
    struct strata_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    const struct strata_inst add = {
        .opclass = STRATA_OP_MEM, .space = STRATA_SPACE_GLOBAL, .memop = memop, .width_bytes = 4};
    struct strata_winst w = {.inst = &add, .mask = 1, .addr_kind = STRATA_ADDR_STRIDE};
    w.base = 1u << 20;
    assert_int_equal(hierarchy_init(&m, &h200, &launch, 128 << 10, 1, NULL, NULL), STRATA_OK);
    hierarchy_access(&m, 0, &w, 0, m.now = 1000);
    uint64_t done = hierarchy_drain(&m, 0);
    hierarchy_release(&m);
    return done;
}

static void an_addition_without_an_answer_does_not_wait_for_its_line(void **state)
{
    (void)state;
    assert_int_equal(done_with(STRATA_MEM_ATOMIC) - done_with(STRATA_MEM_REDUCTION),
                     h200.dram.access_cycles);
}

static void copies_are_remembered_in_fewer_lines_than_loads(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    g.xbar.request_coalescer_lines = 1024;
    for (int same = 0; same < 2; same++) {
        struct request_coalescer c;
        uint32_t apart = 0;
        g.xbar.coalescer_bulk_lines = same ? 0 : 64;
        assert_int_equal(request_coalescer_init(&c, &g, NULL), STRATA_OK);
        for (uint64_t line = 0; line < 2048 * 128; line += 128) {
            assert_true(request_coalescer_entry(&c, 1, line, 15, false) < &c.open[2 * 1024]);
            struct open_request *bulk = request_coalescer_entry(&c, 1, line, 15, true);
            assert_true(same || (bulk >= &c.open[1024] && bulk < &c.open[1024 + 64]));
            apart += request_coalescer_entry(&c, 1, line, 15, false) != bulk;
        }
        assert_true(same ? !apart : apart > 1536); /* 15 in 16 loads have another entry */
        request_coalescer_release(&c);
    }
}

/* Requests for sector 0 (A) and sector 1 (B) of one line while the first is on its way. */
static uint32_t requests_that_go_on(const struct strata_gpu *g, const char *order)
{
    struct request_coalescer c;
    uint32_t n = 0;
    assert_int_equal(request_coalescer_init(&c, g, NULL), STRATA_OK);
    for (const char *p = order; *p; p++) {
        uint32_t sectors = *p == 'A' ? 1 : 2;
        struct open_request *e = request_coalescer_entry(&c, 0, 4096, sectors, false);
        enum request_fate fate = request_coalescer_meet(&c, e, 4096, sectors, false, e->until > 0);
        n += fate != REQUEST_MERGES;
        if (fate == REQUEST_OPENS)
            request_coalescer_open(e, g, 4096, sectors, 100, 0);
    }
    request_coalescer_release(&c);
    return n;
}

static void
an_sm_that_asks_for_other_sectors_of_a_line_itself_leaves_the_line_to_others(void **state)
{
    (void)state;
    struct request_coalescer c;
    assert_int_equal(request_coalescer_init(&c, &h200, NULL), STRATA_OK);
    struct open_request *e = request_coalescer_entry(&c, 0, 4096, 1, false);
    request_coalescer_open(e, &h200, 4096, 1, 100, 0);
    assert_int_equal(request_coalescer_meet(&c, e, 4096, 14, true, true), REQUEST_ALONE);
    assert_int_equal(request_coalescer_meet(&c, e, 4096, 15, false, 101 < e->until), REQUEST_OPENS);
    request_coalescer_open(e, &h200, 4096, 15, 101, 1);
    assert_int_equal(request_coalescer_meet(&c, e, 4096, 15, false, 102 < e->until),
                     REQUEST_MERGES);
    request_coalescer_release(&c);
}

static void once_other_sectors_of_a_line_are_asked_for_nobody_merges_any_more(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    assert_int_equal(requests_that_go_on(&g, "AAAA"), 1);
    assert_int_equal(requests_that_go_on(&g, "AABB"), 3);
    assert_int_equal(requests_that_go_on(&g, "ABAB"), 4);
    assert_int_equal(requests_that_go_on(&g, "ABBAAA"), 6);
    g.xbar.coalescer_one_part = false; /* an entry for each part */
    assert_int_equal(requests_that_go_on(&g, "ABAB"), 2);
}

/* parted_probe.cu: sides of the L2 keep apart what they know of a line. */
static void other_sectors_asked_for_on_its_side_keep_a_line_from_being_shared(void **state)
{
    (void)state;
    struct request_coalescer c;
    assert_int_equal(request_coalescer_init(&c, &h200, NULL), STRATA_OK);
    struct asked_line *a = request_coalescer_asked(&c, 0, 4096);
    assert_ptr_not_equal(a, request_coalescer_asked(&c, 1, 4096));
    assert_false(asked_line_parts(a, 4096, 1, 2, 100));
    a->until = 500;
    assert_false(asked_line_parts(a, 4096, 1, 18, 110));
    assert_false(asked_line_parts(a, 4096, 2, 2, 120)); /* the first SM itself */
    assert_false(a->parts);
    assert_true(asked_line_parts(a, 4096, 2, 4, 130));
    assert_true(a->parts);
    assert_false(asked_line_parts(a, 4096, 4, 6, 140)); /* not the first to do so */
    assert_false(asked_line_parts(a, 4096, 2, 4, 500)); /* the data is about to come */
    assert_false(a->parts);
    request_coalescer_release(&c);
}

static void
groups_of_a_number_of_sms_do_not_share_answers_whether_or_not_gpcs_are_known(void **state)
{
    (void)state;
    static struct strata_gpu g;
    struct request_coalescer c;
    strata_gpu_init(&g);
    g.sm.count = 5;
    g.xbar.request_coalescer_scope = 2;
    g.xbar.request_coalescer_window_cycles = 100;
    assert_int_equal(request_coalescer_init(&c, &g, NULL), STRATA_OK);
    assert_int_equal(c.n_groups, 3);
    assert_int_equal(request_coalescer_group(&c, &g, 0), request_coalescer_group(&c, &g, 1));
    assert_int_not_equal(request_coalescer_group(&c, &g, 0), request_coalescer_group(&c, &g, 2));
    request_coalescer_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_joins_a_request_of_its_line_until_that_leaves),
        cmocka_unit_test(misses_of_another_warp_join_if_the_request_did_not_wait),
        cmocka_unit_test(misses_behind_a_barrier_join),
        cmocka_unit_test(warps_that_begin_in_step_do_not_even_join_their_own),
        cmocka_unit_test(the_last_lines_of_a_load_wait_longest),
        cmocka_unit_test(a_load_behind_stores_is_not_behind_loads),
        cmocka_unit_test(warps_that_read_a_line_together_ask_for_it_once_and_miss),
        cmocka_unit_test(a_gpc_sees_a_request_with_all_that_joined_it),
        cmocka_unit_test(an_atomic_leaves_no_copy_of_its_line),
        cmocka_unit_test(a_store_leaves_the_copy_that_it_passes_alone),
        cmocka_unit_test(memory_of_the_host_is_reached_by_one_way),
        cmocka_unit_test(a_set_that_gave_up_a_dirty_line_goes_on_where_reads_hit),
        cmocka_unit_test(lines_far_apart_leave_sooner_than_as_many_side_by_side),
        cmocka_unit_test(lines_in_part_beyond_a_sets_limit_leave_and_more_where_their_writes_hit),
        cmocka_unit_test(a_write_that_finds_its_line_in_part_holds_up_a_way_in),
        cmocka_unit_test(equal_requests_merge_until_the_data_is_about_to_come),
        cmocka_unit_test(a_copy_to_several_blocks_shares_no_answer),
        cmocka_unit_test(an_addition_without_an_answer_does_not_wait_for_its_line),
        cmocka_unit_test(copies_are_remembered_in_fewer_lines_than_loads),
        cmocka_unit_test(
            an_sm_that_asks_for_other_sectors_of_a_line_itself_leaves_the_line_to_others),
        cmocka_unit_test(once_other_sectors_of_a_line_are_asked_for_nobody_merges_any_more),
        cmocka_unit_test(other_sectors_asked_for_on_its_side_keep_a_line_from_being_shared),
        cmocka_unit_test(
            groups_of_a_number_of_sms_do_not_share_answers_whether_or_not_gpcs_are_known),
    };
    return cmocka_run_group_tests(tests, load_h200, NULL);
}
