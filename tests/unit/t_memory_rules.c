/* Rules of the memory hierarchy: homes, bytes of lines, fetches, lines of other sizes, stores that
 * wait. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memory/hierarchy.h"
#include "sm/warp_rules.h"
#include "h200fix.h"

static void a_home_holds_for_its_block_and_homes_share_memory_evenly(void **state)
{
    (void)state;
    struct address_map m;
    uint32_t count[ADDRESS_MAP_PARTITIONS] = {0};
    assert_int_equal(address_map_init(&m, &h200, NULL), STRATA_OK);
    assert_int_equal(m.partitions, 2);
    for (uint64_t block = 0; block < 20000; block++) {
        uint32_t home = address_map_home(&m, block * h200.l2.home_bytes);
        assert_int_equal(home, address_map_home(&m, (block + 1) * h200.l2.home_bytes - 128));
        count[home]++;
    }
    assert_true(count[0] > 9500 && count[1] > 9500 && count[0] + count[1] == 20000);
}

static void every_partition_is_a_home_and_has_slices_and_channels_or_is_refused(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct address_map m;
    struct strata_error err;
    uint32_t count[ADDRESS_MAP_PARTITIONS] = {0};
    g.l2.partitions = 8;
    g.l2.n_home_bits = 0;
    assert_int_equal(address_map_init(&m, &g, NULL), STRATA_OK);
    for (uint64_t block = 0; block < 8000; block++)
        count[address_map_home(&m, block * g.l2.home_bytes)]++;
    for (uint32_t p = 0; p < 8; p++)
        assert_in_range(count[p], 800, 1200);
    g.dram.channels = 7;
    assert_int_equal(address_map_init(&m, &g, &err), STRATA_EUNSUPPORTED);
}

static void sms_that_no_file_lists_are_dealt_to_the_gpcs_in_pairs(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct address_map m;
    uint32_t of_gpc[8] = {0}, of_partition[2] = {0};
    g.launch.n_gpc_of_sm = 0;
    assert_int_equal(address_map_init(&m, &g, NULL), STRATA_OK);
    for (uint32_t sm = 0; sm < g.sm.count; sm++) {
        assert_int_equal(address_map_gpc(&g, sm), address_map_gpc(&g, sm ^ 1));
        of_gpc[address_map_gpc(&g, sm)]++;
        of_partition[address_map_partition(&m, sm)]++;
    }
    for (uint32_t gpc = 0; gpc < 8; gpc++)
        assert_in_range(of_gpc[gpc], 16, 18);
    assert_in_range(of_partition[0], 64, 68);
    g.launch.gpcs = 0; /* clusters are not known either: one */
    assert_int_equal(address_map_gpc(&g, 131), 0);
}

static void each_channel_hash_spreads_lines_its_own_way(void **state)
{
    (void)state;
    static const uint32_t hash[] = {STRATA_CHANNEL_NONE, STRATA_CHANNEL_XOR, STRATA_CHANNEL_IPOLY,
                                    STRATA_CHANNEL_MIX};
    struct strata_gpu g = h200;
    struct address_map m[4];
    g.l2.slice_pair_bytes = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t count[64] = {0};
        g.l2.channel_hash = hash[k];
        assert_int_equal(address_map_init(&m[k], &g, NULL), STRATA_OK);
        for (uint64_t line = 0; line < 48 * 1000; line++) {
            uint64_t local = address_map_local(&m[k], line * 128);
            uint32_t slice = address_map_slice(&m[k], line * 128);
            count[slice]++;
            assert_true(address_map_global(&m[k], slice, local) == line * 128);
        }
        for (uint32_t s = 0; s < m[k].slices; s++)
            assert_in_range(count[s], 850, 1150);
    }
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++) {
            uint32_t apart = 0;
            for (uint64_t line = 0; line < 1000; line++)
                apart += address_map_slice(&m[a], line * 128 * 37) !=
                         address_map_slice(&m[b], line * 128 * 37);
            assert_true(apart > 800);
        }
}

/* Lines of the slice that has most of n lines at a stride. */
static uint32_t busiest_slice(const struct address_map *m, uint64_t stride, uint32_t n)
{
    uint32_t count[2][64] = {{0}}, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t line = ((uint64_t)1 << 40) + i * stride;
        uint32_t *c = &count[address_map_home(m, line)][address_map_slice(m, line)];
        most = ++*c > most ? *c : most;
    }
    return most;
}

static void slices_share_a_kilobyte_in_pairs_and_a_column_lies_in_as_many_as_a_row(void **state)
{
    (void)state;
    struct address_map m;
    assert_int_equal(address_map_init(&m, &h200, NULL), STRATA_OK);
    for (uint64_t block = 0; block < 1000; block++) {
        uint64_t at = block << 10;
        uint32_t first = address_map_slice(&m, at);
        assert_int_equal(address_map_slice(&m, at + 128), first);
        assert_int_equal(address_map_slice(&m, at + 256), first ^ 1);
        assert_int_equal(address_map_slice(&m, at + 512), first);
    }
    assert_int_equal(busiest_slice(&m, 128, 32), 4); /* 4 KB lie in eight slices */
    /* atomic_probe.cu: 9, 11, 9, 9 and 9 of 256 lines */
    static const uint64_t stride[] = {4096, 8192, 16384, 24576, 49152};
    for (int i = 0; i < 5; i++)
        assert_in_range(busiest_slice(&m, stride[i], 256), 5, 13);
}

/* traffic.cu: lines, halves of a line and sectors that all SMs write in a cycle; write_probe.cu:
 * single words, 30 to 38.5. */
static void a_write_takes_its_slice_as_long_as_its_flits(void **state)
{
    (void)state;
    static const struct {
        uint32_t sectors, partial;
        double each_cycle;
    } seen[] = {{4, 0, 17.8}, {2, 0, 29.3}, {1, 0, 44.7}, {1, 1, 33.8}};
    struct strata_gpu g = h200;
    struct l2_costs c;
    l2_costs_init(&c, &g, 32);
    for (int i = 0; i < 4; i++) {
        double rate = 96 * 64.0 / l2_flits_cost(&c, seen[i].sectors, seen[i].partial);
        assert_true(fabs(rate / seen[i].each_cycle - 1) < 0.03);
        assert_int_equal(l2_write_cost(&c, seen[i].sectors, seen[i].partial), 0);
    }
    g.l2.write_flit_cycles = 0; /* as a read, at both ends of the link */
    l2_costs_init(&c, &g, 32);
    assert_int_equal(l2_flits_cost(&c, 4, 0), 0);
    assert_int_equal(l2_flits_cost(&c, 1, 1), 0);
    assert_int_equal(l2_write_cost(&c, 4, 0), l2_access_cost(&c, 4));
}

/* mixed_probe.cu: lines and halves of lines that all SMs read from DRAM in a cycle, half of them
 * over the link, for which each partition has its own way. */
static void what_comes_from_dram_is_bound_by_the_link(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct l2_costs c;
    l2_costs_init(&c, &g, 32);
    assert_true(fabs(4 * 64.0 / l2_link_cost(&c, 4) / 17.1 - 1) < 0.03);
    assert_true(fabs(4 * 64.0 / l2_link_cost(&c, 2) / 30.6 - 1) < 0.06);
    g.l2.fabric_bytes_per_cycle = 0;
    l2_costs_init(&c, &g, 32);
    assert_int_equal(l2_link_cost(&c, 4), 0);
}

/* fill_probe.cu: only parts of sectors that are being fetched hold up. */
static void a_write_that_a_load_overtook_takes_longer(void **state)
{
    (void)state;
    struct l2_costs c;
    l2_costs_init(&c, &h200, 32);
    assert_int_equal(l2_overtaken_cost(&c, 0), 0);
    assert_int_equal(l2_overtaken_cost(&c, 4) - l2_overtaken_cost(&c, 1),
                     3 * 64 * h200.l2.overtaken_sector_cycles);
    assert_true(l2_overtaken_cost(&c, 1) > 64 * h200.l2.overtaken_cycles);
}

static void a_miss_fetches_whole_pairs_less_what_is_held(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct l2_rules r;
    l2_rules_init(&r, &g, 32);
    assert_int_equal(l2_fetch(&r, 1, 0), 3);
    assert_int_equal(l2_fetch(&r, 6, 0), 15);
    assert_int_equal(l2_fetch(&r, 4, 8), 4);
    g.l2.fetch_bytes = 32;
    l2_rules_init(&r, &g, 32);
    assert_int_equal(l2_fetch(&r, 6, 0), 6);
    g.l2.cache.sector_bytes = g.l2.fetch_bytes = 64; /* counted in halves of them */
    l2_rules_init(&r, &g, 32);
    assert_int_equal(l2_fetch(&r, 4, 0), 12);
}

static void a_line_of_the_l1_is_taken_apart_into_lines_of_the_l2(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct l2_rules r;
    uint64_t at = 1024, l2_line;
    g.l2.cache.line_bytes = 64;
    l2_rules_init(&r, &g, 32);
    assert_false(r.same_geometry);
    assert_int_equal(l2_part_of(&r, 1024, 0xb, &at, &l2_line), 3);
    assert_true(l2_line == 1024 && at == 1088);
    assert_int_equal(l2_part_of(&r, 1024, 0xb, &at, &l2_line), 2);
    assert_true(l2_line == 1088 && at == 1152);
    struct line_bytes bytes = {{1, 2, 4, UINT32_MAX}}, part;
    l2_bytes_of(&r, 1024, &bytes, 1088, &part);
    assert_true(part.sector[0] == 4 && part.sector[1] == UINT32_MAX && !part.sector[2]);
}

/* ---- bytes ---- */

static struct strata_inst inst = {.width_bytes = 4, .space = STRATA_SPACE_GLOBAL};

static struct line_bytes bytes_of(uint32_t mask, uint64_t base, int32_t stride, uint64_t line)
{
    struct strata_winst w = {.inst = &inst,
                             .mask = mask,
                             .addr_kind = STRATA_ADDR_STRIDE,
                             .stride = stride,
                             .base = base};
    struct strata_coalescer c;
    struct strata_request r[STRATA_MAX_REQUESTS];
    struct line_bytes out = {{0}};
    strata_coalescer_init(&c, &h200, NULL);
    unsigned n = strata_coalesce(&c, &w, 0, r);
    for (unsigned i = 0; i < n; i++)
        if (r[i].line == line)
            line_bytes_of(&out, &w, &r[i], 128);
    return out;
}

static void lanes_touch_the_bytes_they_name(void **state)
{
    (void)state;
    inst.width_bytes = 4;
    struct line_bytes all = bytes_of(UINT32_MAX, 4096, 4, 4096);
    assert_int_equal(line_bytes_full(&all, 15, 5), 15);
    struct line_bytes one = bytes_of(UINT32_MAX, 4096, 0, 4096); /* 32 lanes, one word */
    assert_true(one.sector[0] == 15 && !one.sector[1]);
    struct line_bytes gaps = bytes_of(UINT32_MAX, 4096, 8, 4096);
    assert_int_equal(gaps.sector[3], 0x0f0f0f0f);
    struct line_bytes back = bytes_of(3, 4096 + 36, -32, 4096);
    assert_true(back.sector[0] == 0xf0 && back.sector[1] == 0xf0);
    inst.width_bytes = 16; /* straddles two lines */
    struct line_bytes tail = bytes_of(1, 4096 + 120, 16, 4096),
                      head = bytes_of(1, 4096 + 120, 16, 4096 + 128);
    assert_true(tail.sector[3] == 0xff000000 && head.sector[0] == 0xff);
}

static void sectors_of_any_size_are_whole_when_all_their_bytes_are(void **state)
{
    (void)state;
    struct line_bytes b = {{UINT32_MAX, 0x0000ffff, 0, 0}};
    assert_int_equal(line_bytes_full(&b, 15, 5), 1);
    assert_int_equal(line_bytes_full(&b, 0xff, 4), 7);
    assert_int_equal(line_bytes_full(&b, 3, 6), 0);
    b.sector[1] = UINT32_MAX;
    assert_int_equal(line_bytes_full(&b, 3, 6), 1);
    assert_int_equal(line_bytes_full(&b, 1, 7), 0);
    assert_int_equal(line_bytes_sectors(&b, 6), 1);
    struct line_bytes some = {{15}}, more = {{255, 1}};
    assert_true(line_bytes_inside(&some, &more, 0, 5));
    assert_false(line_bytes_inside(&more, &some, 0, 5));
    assert_true(line_bytes_inside(&more, &b, 0, 7));
}

/* ---- stores that wait ---- */

static struct store_line sent[8];
static uint32_t n_sent;
static void keep(void *who, const struct store_line *s, uint64_t t)
{
    (void)who, (void)t;
    sent[n_sent++] = *s;
}

static uint32_t put_store(struct store_buffer *b, const struct strata_gpu *g, uint64_t line,
                          const struct line_bytes *bytes, uint32_t owners, uint64_t t)
{
    struct store_line s = {.line = line, .bytes = *bytes, .owners = owners, .places = 1};
    return store_buffer_put(b, g, &s, t, keep, NULL);
}

static void stores_merge_by_line_and_leave_when_idle_or_displaced(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct store_buffer b = {.n = 0};
    struct line_bytes low = {{15}}, high = {{0, 15}};
    g.l1.store_buffer_lines = 2, g.l1.store_idle_cycles = 10, g.l1.store_wait_cycles = 100;
    n_sent = 0;
    put_store(&b, &g, 0, &low, 1, 5);
    assert_int_equal(put_store(&b, &g, 0, &high, 2, 6), 1);
    put_store(&b, &g, 128, &low, 1, 7);
    assert_int_equal(n_sent, 0);
    put_store(&b, &g, 256, &low, 1, 8); /* needs the place of the first */
    assert_true(n_sent == 1 && sent[0].line == 0 && sent[0].sectors == 3 && sent[0].owners == 3);
    assert_int_equal(store_buffer_next(&b, &g, 9), 18);
    store_buffer_drain(&b, &g, 18, 9, keep, NULL);
    assert_true(n_sent == 2 && sent[1].line == 128 && b.n == 1);
    store_buffer_drain(&b, &g, 50, 50, keep, NULL); /* the unit was never free */
    assert_int_equal(b.n, 1);
    assert_int_equal(store_buffer_next(&b, &g, 60), 61);
    store_buffer_drain(&b, &g, 108, 108, keep, NULL); /* but it has waited long enough */
    assert_int_equal(b.n, 0);
    assert_int_equal(store_line_flits(&sent[0], &g), 3);
    struct store_line whole = {.bytes = {{UINT32_MAX, UINT32_MAX}}, .sectors = 3};
    assert_int_equal(store_line_flits(&whole, &g), 2);
}

static void stores_below_a_word_take_more_places_and_meet_only_one_another(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct store_buffer b = {.n = 0};
    g.l1.store_buffer_lines = 16;
    struct store_line byte = {.bytes = {{1}}, .places = store_buffer_places(&g, 1, 1)},
                      word = {.bytes = {{240}}, .places = store_buffer_places(&g, 4, 15)};
    assert_true(byte.places == 2 && word.places == 1);
    n_sent = 0;
    for (unsigned i = 0; i < 3 * g.l1.store_buffer_lines / 2; i++) {
        byte.line = i % 8 * 128;
        store_buffer_put(&b, &g, &byte, 1, keep, NULL);
    }
    assert_true(n_sent == 0 && b.n == 8 && b.places == 16);
    store_buffer_put(&b, &g, &word, 2, keep, NULL); /* of line 0, of which bytes wait */
    assert_true(n_sent == 1 && sent[0].line == 0 && b.n == 8 && b.places == 15);
    byte.line = 9 * 128;
    store_buffer_put(&b, &g, &byte, 3, keep, NULL);
    assert_true(n_sent == 2 && sent[1].line == 128 && b.places == 15);
    store_buffer_drain(&b, &g, 1000, 0, keep, NULL);
    assert_true(n_sent == 10 && b.n == 0 && b.places == 0);
}

static void a_line_of_stores_is_on_its_way_out_until_it_and_those_before_it_are_read(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct leaving_stores l = {0};
    for (uint64_t i = 0; i < 8; i++)
        leaving_stores_put(&l, i * 128, 100, 2 * 64);
    assert_true(leaving_stores_has(&l, &g, 0, 101) && !leaving_stores_has(&l, &g, 0, 102));
    assert_true(leaving_stores_has(&l, &g, 7 * 128, 115) &&
                !leaving_stores_has(&l, &g, 7 * 128, 116));
    assert_false(leaving_stores_has(&l, &g, 8 * 128, 101));
    for (uint64_t i = 8; i < 8 + g.l1.store_leaving_lines; i++)
        leaving_stores_put(&l, i * 128, 100, 2 * 64);
    assert_false(leaving_stores_has(&l, &g, 7 * 128, 110)); /* too many have left since */
    assert_true(leaving_stores_has(&l, &g, 8 * 128, 110));
}

static void what_the_l1_forgets_of_a_line_is_fetched_again(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct line_bytes word = {{15}}, read = {{15}};
    struct strata_cache_config config = l1_config(&g, 64 << 10);
    struct cache l1;
    assert_int_equal(cache_create(&config, 1, &l1, NULL), STRATA_OK);
    l1_write(&l1, &g, 256, 1, &word, 10);
    uint32_t slot = cache_find(&l1, 256);
    assert_int_equal(l1_readable(&l1, &g, slot, 1, &read), 1);
    l1_forget(&l1, 256);
    l1_forget(&l1, 512);
    assert_int_equal(l1_readable(&l1, &g, slot, 1, &read), 0);
    assert_int_equal(cache_find(&l1, 512), CACHE_NONE);
    cache_release(&l1);
}

static void the_l1_loses_all_but_local_memory(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct line_bytes word = {{15}}, read = {{15}};
    struct strata_cache_config config = l1_config(&g, 64 << 10);
    uint64_t local = g.sm.local_base_bytes;
    struct cache l1;
    assert_int_equal(cache_create(&config, 1, &l1, NULL), STRATA_OK);
    l1_write(&l1, &g, 256, 1, &word, 10);
    l1_write(&l1, &g, local + 256, 1, &word, 10);
    l1_lose_all_but_local(&l1, &g);
    assert_int_equal(l1_readable(&l1, &g, cache_find(&l1, 256), 1, &read), 0);
    assert_int_equal(l1_readable(&l1, &g, cache_find(&l1, local + 256), 1, &read), 1);
    cache_release(&l1);
}

/* The same rule without any bound of times. */
static uint32_t due_lines(const struct store_buffer *b, uint64_t t, uint64_t freed, uint64_t *line)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++)
        if ((t > freed && t > b->line[i].last + 10) || t >= b->line[i].last + 100)
            line[n++] = b->line[i].line;
    return n;
}

static void no_store_that_is_due_is_missed_whatever_came_before(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct store_buffer b = {.n = 0};
    struct line_bytes low = {{15}};
    uint64_t random = 1, t = 0, freed = 0, line[8];
    uint32_t left = 0;
    g.l1.store_buffer_lines = 6, g.l1.store_idle_cycles = 10, g.l1.store_wait_cycles = 100;
    for (unsigned step = 0; step < 5000; step++) {
        random = mix64(random + step);
        uint32_t work = random >> 8 & 7, pause = (random >> 16 & 15) == 0 ? 13 : random >> 20 & 1;
        freed = t + work, t = freed + pause;
        uint32_t n = due_lines(&b, t, freed, line);
        n_sent = 0;
        store_buffer_drain(&b, &g, t, freed, keep, NULL);
        assert_int_equal(n_sent, n);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(sent[i].line, line[i]);
        left += n;
        n_sent = 0;
        if (random & 1)
            put_store(&b, &g, (random >> 32 & 7) * 128, &low, 1, t);
    }
    assert_in_range(left, 100, 4000);
}

/* Probe pipes, lds32_passes: 32 passes take one or two schedulers of an H200 64 cycles and four of
 * them 129: the unit takes a pass a cycle, a scheduler hands one over every second. */
static void a_scheduler_hands_over_passes_slower_than_the_unit_takes_them(void **state)
{
    (void)state;
    struct strata_shared_cost all = {.wavefronts = 32, .phases = 1, .conflicts = 31}, none = {0};
    uint64_t unit = 0, port[4] = {0};
    for (unsigned schedulers = 1; schedulers <= 4; schedulers *= 2) {
        unit = port[0] = port[1] = port[2] = port[3] = 0;
        for (unsigned i = 0; i < 2 * schedulers; i++) { /* two accesses of each, in turn */
            uint64_t *p = &port[i % schedulers], start = unit > *p ? unit : *p;
            unit = start + load_store_shared_cycles(&h200, &all);
            *p = load_store_shared_port(&h200, start, all.wavefronts);
        }
        uint64_t end = port[0];
        for (unsigned i = 1; i < schedulers; i++)
            end = port[i] > end ? port[i] : end;
        assert_int_equal(end, schedulers < 4 ? (schedulers == 1 ? 128 : 160) : 288);
    }
    assert_int_equal(load_store_shared_cycles(&h200, &none), 1);
    assert_int_equal(load_store_shared_port(&h200, 7, 0), 7 + h200.shared.pass_cycles);
    assert_int_equal(load_store_shared_latency(&h200, 5) - load_store_shared_latency(&h200, 1),
                     4 * h200.shared.pass_cycles);
}

/* Probe warps: of an SM's second block of 4 or 8 warps the last is at the first scheduler, of its
 * second block of two the first at the third. */
static void blocks_of_whole_turns_begin_one_scheduler_further_on(void **state)
{
    (void)state;
    assert_int_equal(sm_slot_of_warp(&h200, 4, 0, 3), 3);
    assert_int_equal(sm_slot_of_warp(&h200, 4, 1, 3) % 4, 0);
    assert_int_equal(sm_slot_of_warp(&h200, 8, 1, 0) % 4, 1);
    assert_int_equal(sm_slot_of_warp(&h200, 8, 5, 7), 4);
    assert_int_equal(sm_slot_of_warp(&h200, 2, 1, 0), 0);
    struct strata_gpu other = h200;
    other.sm.block_step = 0;
    assert_int_equal(sm_slot_of_warp(&other, 8, 5, 7), 7);
}

/* Probe texture_rate: 8 cycles of an SM a warp's read by two coordinates, 16 of 16 bytes a texel, 4
 * by a whole one (TLD), as many as passes over the banks where those are more. */
static void a_read_of_a_texture_takes_the_texture_unit_and_not_the_load_store_unit(void **state)
{
    (void)state;
    struct strata_inst tex = {.opcode = "TEX.LL",
                              .space = STRATA_SPACE_TEXTURE,
                              .memop = STRATA_MEM_LOAD,
                              .width_bytes = 4},
                       line = tex, load = tex;
    struct strata_gpu other = h200;
    line.opcode = "TLD.LZ";
    load.space = STRATA_SPACE_GLOBAL;
    other.l1.texture_read_cycles = 0;
    assert_int_equal(load_store_texture_of(&h200, &tex, NULL, 1).cycles, 8);
    assert_int_equal(load_store_texture_of(&h200, &tex, NULL, 32).cycles, 32);
    assert_int_equal(load_store_texture_of(&h200, &line, NULL, 1).cycles, 4);
    tex.width_bytes = 16;
    assert_int_equal(load_store_texture_of(&h200, &tex, NULL, 1).cycles, 16);
    assert_int_equal(load_store_texture_of(&h200, &load, NULL, 1).cycles, 0);
    assert_int_equal(load_store_texture_of(&other, &tex, NULL, 1).cycles, 0);
    /* texture_latency_probe.cu: 91 and 55 cycles more than a load; with a filter 8, 16, 32 cycles
     */
    tex.width_bytes = 4;
    struct strata_launch_texture t = {.texel_bytes = 8};
    assert_int_equal(load_store_texture_of(&h200, &tex, &t, 1).cycles, 8);
    assert_int_equal(load_store_texture_of(&h200, &tex, &t, 1).later, 91);
    assert_int_equal(load_store_texture_of(&h200, &line, &t, 1).later, 55);
    t.filters = true;
    assert_int_equal(load_store_texture_of(&h200, &tex, &t, 1).cycles, 16);
    assert_int_equal(load_store_texture_of(&h200, &tex, &t, 1).later, 91 + 7 + 8);
    t.texel_bytes = 16;
    assert_int_equal(load_store_texture_of(&h200, &tex, &t, 1).cycles, 32);
    t.texel_bytes = 1;
    assert_int_equal(load_store_texture_of(&h200, &tex, &t, 1).cycles, 8);
    tex.hints = STRATA_HINT_MIXED_Z;
    assert_int_equal(load_store_texture_of(&h200, &tex, &t, 1).cycles, 16);
    uint64_t busy_until = 50;
    assert_int_equal(load_store_texture_begin(&busy_until, 16, 40), 50);
    assert_int_equal(load_store_texture_begin(&busy_until, 16, 90), 90);
    assert_int_equal(busy_until, 106);
}

/* Reading out stores costs the unit cycles, which idle ones pay for, and a full way out holds it.
 */
/* Cycles for 16 lanes that read a word of a line each, `pitch` bytes apart, in 16 places. */
static uint32_t sixteen_lines(uint64_t pitch)
{
    struct strata_inst load = {.width_bytes = 4, .memop = STRATA_MEM_LOAD};
    struct strata_winst w = {.inst = &load, .mask = 0xffff, .addr_kind = STRATA_ADDR_STRIDE};
    struct strata_request r[16] = {{0}};
    uint32_t sum = 0;
    w.stride = (int64_t)pitch;
    for (uint64_t place = 0; place < 16; place++) {
        for (uint64_t i = 0; i < 16; i++)
            r[i].line = (4096 + place / 4 * 512 + place % 4 * 16 + i * pitch) / 128 * 128;
        sum += load_store_cycles(&h200, NULL, &w, r, 16);
    }
    return sum;
}

/* device/probe/lanes_probe.cu: 3.99, 7.48 and 4.99 cycles a load. */
static void lines_of_one_bank_of_tags_are_looked_up_one_after_another(void **state)
{
    (void)state;
    assert_int_equal(sixteen_lines(132), 4 * 16);
    assert_int_equal(sixteen_lines(3076), 15 * 8);
    assert_int_equal(sixteen_lines(4100), 5 * 16);
}

static void stores_that_left_are_paid_in_idle_cycles(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct load_store_unit u = {0};
    g.l1.store_drain_cycles = 2; /* quarter cycles a sector */
    load_store_take(&u, load_store_begin(&u, 10), 5, 5);
    assert_true(u.free == 15 && u.busy == 5);
    load_store_owe(&u, &g, 8); /* 4 cycles */
    assert_int_equal(load_store_begin(&u, 15), 19);
    assert_int_equal(u.busy, 9); /* reading out holds the unit up: it was not idle */
    u.drain_debt4 = 16;
    assert_int_equal(load_store_begin(&u, 18), 19); /* three of the four were idle */
    assert_int_equal(u.busy, 10);
    load_store_hold(&u, 100, 30);
    assert_int_equal(u.free, 70);
    load_store_hold(&u, 90, 30);
    assert_int_equal(u.free, 70);
}

static void what_holds_up_nobody_is_not_in_the_queue(void **state)
{
    (void)state;
    struct load_store_unit u = {0};
    load_store_take(&u, load_store_begin(&u, 10), 5, 5);
    assert_int_equal(u.queue, 15);
    load_store_take(&u, load_store_begin(&u, 12), 30, 0); /* an atomic on shared memory */
    assert_true(u.free == 45 && u.queue == 15 && u.busy == 35);
    load_store_take(&u, load_store_begin(&u, 20), 4, 4);
    assert_true(u.free == 49 && u.queue == 24);
    load_store_hold(&u, 100, 30); /* but all of them wait for what is in front of the unit */
    assert_true(u.free == 70 && u.queue == 45);
}

/* As an H200 has it (device/probe/atomic_probe.cu): lines 0, 1 and 4 in one slice, 2 and 3 in
 * another, 4 KB in eight; no slice of 64 KB has more than twice its share. */
static void slices_share_a_kilobyte_in_pairs(void **state)
{
    (void)state;
    struct address_map m;
    uint32_t load[48] = {0}, used = 0;
    assert_int_equal(address_map_init(&m, &h200, NULL), STRATA_OK);
    uint32_t first = address_map_slice(&m, 0), second = address_map_slice(&m, 256);
    assert_int_not_equal(first, second);
    for (uint32_t line = 0; line < 8; line++)
        assert_int_equal(address_map_slice(&m, line * 128), line & 2 ? second : first);
    for (uint32_t line = 0; line < 32; line++)
        used += !load[address_map_slice(&m, line * 128)]++;
    assert_int_equal(used, 8);
    for (uint32_t line = 32; line < 512; line++)
        load[address_map_slice(&m, line * 128)]++;
    for (uint32_t s = 0; s < 48; s++)
        assert_true(load[s] && load[s] <= 2 * 512 / 48 + 2);
}

static void atomics_on_whole_sectors_take_less(void **state)
{
    (void)state;
    struct l2_costs c;
    l2_costs_init(&c, &h200, 32);
    struct l2_atomics four = {4, STRATA_ATOMIC_OTHER}, three = {3, STRATA_ATOMIC_OTHER};
    assert_int_equal(l2_atomic_cost(&c, four, 4, 0, 0), 4 * 93);   /* 64 x 1.447 */
    assert_int_equal(l2_atomic_cost(&c, four, 4, 4, 256), 4 * 74); /* 64 x 1.157 */
    /* two lanes more on a word of it */
    assert_int_equal(l2_atomic_cost(&c, three, 1, 1, 256), 74 + 2 * 93);
    assert_int_equal(l2_atomic_pass_cost(&c, 4, 4), l2_access_cost(&c, 4));
    assert_int_equal(l2_atomic_pass_cost(&c, 1, 32), 32 * c.request);
}

/* atomic_type_probe.cu: cycles of an H200 for the 32 lanes of a warp, every warp on the same ones.
 */
static void additions_of_floats_to_one_sector_wait_for_each_other(void **state)
{
    (void)state;
    struct l2_costs c = {.atomic = 93, .atomic_whole = 74, .atomic_float = 223};
    struct l2_atomics one = {32, STRATA_ATOMIC_FLOAT}, line = {4, STRATA_ATOMIC_FLOAT},
                      doubles = {4, STRATA_ATOMIC_DOUBLE}, lone = {1, STRATA_ATOMIC_FLOAT},
                      swaps = {4, STRATA_ATOMIC_COMPARE};
    assert_int_equal(l2_atomic_cost(&c, one, 1, 0, 256), 32 * 223);
    assert_int_equal(l2_atomic_cost(&c, one, 1, 0, 0), 93 + 31 * 223);
    assert_int_equal(l2_atomic_cost(&c, line, 4, 4, 256), 4 * 74); /* other sectors pass */
    assert_int_equal(l2_atomic_cost(&c, doubles, 4, 4, 256), 8 * 74);
    doubles.packets = 8;
    assert_int_equal(l2_atomic_cost(&c, doubles, 1, 1, 256), 8 * (223 + 74));
    assert_int_equal(l2_atomic_cost(&c, lone, 1, 0, 256), 223);
    assert_int_equal(l2_atomic_cost(&c, lone, 1, 0, 0), 93);
    assert_int_equal(l2_atomic_cost(&c, swaps, 4, 4, 256), 8 * 74);
    c.atomic_float = 0; /* as any */
    assert_int_equal(l2_atomic_cost(&c, one, 1, 0, 256), 32 * 93);
}

/* reds_probe.cu: two in a row are to the same sector as often as chance has it. */
static void additions_of_floats_to_other_sectors_pass(void **state)
{
    (void)state;
    struct l2_costs c = {.atomic = 93, .atomic_whole = 74, .atomic_float = 223};
    struct l2_atomics one = {32, STRATA_ATOMIC_FLOAT};
    struct l2_atomic_mix mix = {0};
    assert_int_equal(l2_atomic_meets(&mix, 4096, 1, 32), 256);
    assert_int_equal(l2_atomic_meets(&mix, 4096, 2, 32), 128);
    assert_int_equal(l2_atomic_cost(&c, one, 1, 0, 128), 32 * (93 + 223) / 2);
    for (uint32_t k = 0; k < 2 * L2_ATOMIC_ROWS_MOST / 32; k++)
        l2_atomic_meets(&mix, 4096, 1u << k % 4, 32);
    assert_in_range(l2_atomic_meets(&mix, 4096, 1, 32), 60, 68);
}

static void atomics_of_a_request_go_by_word_and_reductions_from_ptx_are_added_up(void **state)
{
    (void)state;
    struct strata_inst red = {.width_bytes = 4, .memop = STRATA_MEM_REDUCTION};
    struct strata_winst w = {
        .inst = &red, .mask = UINT32_MAX, .addr_kind = STRATA_ADDR_STRIDE, .base = 4096};
    struct strata_request r = {.line = 4096, .sectors = 1, .lanes = UINT32_MAX};
    assert_int_equal(l2_atomics_of(&w, &r, true, false).packets, 32);
    assert_int_equal(l2_atomics_of(&w, &r, true, true).packets, 1);
    w.stride = 4, r.sectors = 15;
    assert_int_equal(l2_atomics_of(&w, &r, true, true).packets, 4);
    assert_int_equal(l1_counted_sectors(&w, &r, 1, true), 4);
    /* two lanes on each word: each sector is sent, and counted, twice; a load's once */
    uint64_t address[32];
    for (uint64_t l = 0; l < 32; l++)
        address[l] = 4096 + 4 * (l / 2);
    w.addr_kind = STRATA_ADDR_LIST, w.addr = address, r.sectors = 3;
    assert_int_equal(l1_counted_sectors(&w, &r, 1, true), 4);
    red.memop = STRATA_MEM_LOAD;
    assert_int_equal(l1_counted_sectors(&w, &r, 1, true), 2);
}

static void the_home_is_the_parity_of_the_address_bits(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    struct address_map m;
    address_map_init(&m, &g, NULL);
    uint32_t first = address_map_home(&m, 0);
    for (uint32_t bit = 7; bit < 24; bit++) {
        bool listed = bit == 12 || bit == 13 || bit == 15 || bit == 17 || bit == 19;
        assert_int_equal(address_map_home(&m, UINT64_C(1) << bit) != first, listed);
    }
    g.l2.n_home_bits = 0;
    address_map_init(&m, &g, NULL);
    uint32_t ones = 0;
    for (uint64_t block = 0; block < 4096; block++)
        ones += address_map_home(&m, block << 12);
    assert_in_range(ones, 1900, 2200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_home_holds_for_its_block_and_homes_share_memory_evenly),
        cmocka_unit_test(slices_share_a_kilobyte_in_pairs_and_a_column_lies_in_as_many_as_a_row),
        cmocka_unit_test(a_write_takes_its_slice_as_long_as_its_flits),
        cmocka_unit_test(what_comes_from_dram_is_bound_by_the_link),
        cmocka_unit_test(a_write_that_a_load_overtook_takes_longer),
        cmocka_unit_test(a_miss_fetches_whole_pairs_less_what_is_held),
        cmocka_unit_test(a_line_of_the_l1_is_taken_apart_into_lines_of_the_l2),
        cmocka_unit_test(every_partition_is_a_home_and_has_slices_and_channels_or_is_refused),
        cmocka_unit_test(sms_that_no_file_lists_are_dealt_to_the_gpcs_in_pairs),
        cmocka_unit_test(each_channel_hash_spreads_lines_its_own_way),
        cmocka_unit_test(lanes_touch_the_bytes_they_name),
        cmocka_unit_test(sectors_of_any_size_are_whole_when_all_their_bytes_are),
        cmocka_unit_test(stores_merge_by_line_and_leave_when_idle_or_displaced),
        cmocka_unit_test(stores_below_a_word_take_more_places_and_meet_only_one_another),
        cmocka_unit_test(a_line_of_stores_is_on_its_way_out_until_it_and_those_before_it_are_read),
        cmocka_unit_test(what_the_l1_forgets_of_a_line_is_fetched_again),
        cmocka_unit_test(the_l1_loses_all_but_local_memory),
        cmocka_unit_test(no_store_that_is_due_is_missed_whatever_came_before),
        cmocka_unit_test(blocks_of_whole_turns_begin_one_scheduler_further_on),
        cmocka_unit_test(a_read_of_a_texture_takes_the_texture_unit_and_not_the_load_store_unit),
        cmocka_unit_test(a_scheduler_hands_over_passes_slower_than_the_unit_takes_them),
        cmocka_unit_test(lines_of_one_bank_of_tags_are_looked_up_one_after_another),
        cmocka_unit_test(stores_that_left_are_paid_in_idle_cycles),
        cmocka_unit_test(what_holds_up_nobody_is_not_in_the_queue),
        cmocka_unit_test(slices_share_a_kilobyte_in_pairs),
        cmocka_unit_test(atomics_on_whole_sectors_take_less),
        cmocka_unit_test(additions_of_floats_to_one_sector_wait_for_each_other),
        cmocka_unit_test(additions_of_floats_to_other_sectors_pass),
        cmocka_unit_test(atomics_of_a_request_go_by_word_and_reductions_from_ptx_are_added_up),
        cmocka_unit_test(the_home_is_the_parity_of_the_address_bits),
    };
    return cmocka_run_group_tests(tests, load_h200, NULL);
}
