/* The memory side of the clocked model: L2, crossbar, coalescer, address maps, and that every
 * request is answered exactly once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <strata/gpu.h>

#include "base/bits.h"
#include "base/rng.h"
#include "simfix.h"

static struct strata_gpu h200, titanv_new, titanv_old;

static int load_gpus(void **state)
{
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    return strata_gpu_add_path(folder, NULL) || strata_gpu_load("h200", &h200, NULL) ||
           strata_gpu_load("titanv-new", &titanv_new, NULL) ||
           strata_gpu_load("titanv-old", &titanv_old, NULL);
}

/* ---- every request is answered exactly once ---- */

static struct sim_packet random_packet(const struct strata_gpu *g, uint64_t seed, uint64_t i,
                                       uint64_t time)
{
    static const uint8_t kinds[] = {SIM_READ,  SIM_READ,   SIM_READ,      SIM_READ, SIM_WRITE,
                                    SIM_WRITE, SIM_ATOMIC, SIM_REDUCTION, SIM_FETCH};
    struct sim_packet p = {
        .time = time, .token = (uint32_t)i, .sequence = (uint32_t)i, .atomics = {1, 0}};
    p.sm = (uint16_t)rng_below(seed, i * 8, g->sm.count);
    p.kind = kinds[rng_below(seed, i * 8 + 1, sizeof kinds)];
    uint64_t lines = rng_below(seed, i * 8 + 2, 4) ? 64 : 1 << 20;
    p.line = 0x7f0000000000 + rng_below(seed, i * 8 + 3, lines) * 128;
    p.sectors = (uint8_t)(1 + rng_below(seed, i * 8 + 4, 15));
    for (int k = 0; k < 4; k++)
        p.bytes.sector[k] =
            rng_below(seed, i * 8 + 5, 2) ? UINT32_MAX : 0xffu << rng_below(seed, i * 8 + 6, 24);
    return p;
}

static void answer_once(const struct strata_gpu *gpu, uint64_t seed, uint32_t n)
{
    struct rig r;
    rig_open(&r, gpu);
    r.answers = calloc(n, sizeof *r.answers);
    uint64_t window = sim_memside_window_cycles(r.m), sent = 0;
    while (sent < n || sim_memside_next(r.m) != UINT64_MAX) {
        struct sim_packet p[512];
        size_t k = 0;
        for (uint64_t t = 0; t < window; t++)
            while (sent < n && k < 512 && rng_below(seed, 100000000 + sent, 10) * window / 512 <= t)
                p[k++] = random_packet(gpu, seed, sent++, r.now + t);
        assert_int_equal(sim_memside_send(r.m, p, k, NULL), STRATA_OK);
        rig_window(&r);
        assert_true(r.now < 100000000);
    }
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(r.answers[i], 1);
    assert_int_equal(r.m->under_way, 0);
    free(r.answers);
    rig_close(&r);
}

static void every_request_is_answered_exactly_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed++) {
        answer_once(&h200, seed, 20000);
        answer_once(&titanv_new, seed, 20000);
        answer_once(&titanv_old, seed, 20000);
    }
}

static void few_mshrs_and_a_tiny_l2_lose_no_request(void **state)
{
    (void)state;
    struct strata_gpu g = titanv_new;
    g.l2.mshrs = 2;
    g.l2.mshr_merges = 1;
    g.l2.cache.size_bytes = 48 * 1024;
    g.l2.cache.ways = 2;
    g.dram.read_queue = 2;
    g.dram.write_queue = 4;
    g.dram.write_high = 3;
    g.dram.write_low = 1;
    answer_once(&g, 7, 20000);
    g.dram.scheduler = STRATA_DRAM_FCFS;
    g.l2.write_miss = STRATA_FETCH_ON_WRITE;
    answer_once(&g, 8, 20000);
    g = h200;
    g.l2.cache.size_bytes = 96 * 1024;
    g.l2.cache.ways = 2;
    g.l2.mshrs = 3;
    g.l2.fabric_bytes_per_cycle = 32;
    g.xbar.total_bytes_per_cycle = 256;
    answer_once(&g, 9, 20000);
}

/* ---- latencies ---- */

static void an_l2_hit_takes_what_the_description_says(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, &titanv_new);
    rig_ask(&r, SIM_READ, 0x10000, 1, NULL);
    assert_int_equal(rig_ask(&r, SIM_READ, 0x10000, 1, NULL), titanv_new.l2.hit_cycles);
    rig_close(&r);
}

static void a_row_hit_in_dram_takes_dram_access_more(void **state)
{
    (void)state;
    struct rig r;
    struct strata_gpu g = titanv_new;
    g.dram.tREFI = 0;
    rig_open(&r, &g);
    uint64_t first = rig_ask(&r, SIM_READ, 0x10000, 1, NULL),
             second = rig_ask(&r, SIM_READ, 0x10000, 2, NULL);
    assert_in_range(second, g.l2.hit_cycles + g.dram.access_cycles,
                    g.l2.hit_cycles + g.dram.access_cycles + 3);
    assert_in_range(first - second, (uint64_t)g.dram.tRCD, 3ull * g.dram.tRCD);
    rig_close(&r);
}

static void the_far_partition_takes_far_extra_more(void **state)
{
    (void)state;
    struct rig r;
    uint64_t near = 0, far = 0;
    struct strata_gpu g = h200;
    g.dram.tREFI = 0;
    rig_open(&r, &g);
    for (uint64_t line = 0; line < 64; line++) {
        rig_ask(&r, SIM_READ, line << 12, 3, NULL); /* opens the row */
        uint64_t cycles = rig_ask(&r, SIM_READ, line << 12, 12, NULL);
        if (address_map_home(&r.m->map, line << 12) == r.m->partition_of_sm[0])
            near = near ? (cycles < near ? cycles : near) : cycles;
        else
            far = far ? (cycles < far ? cycles : far) : cycles;
    }
    assert_in_range(far - near, g.l2.far_extra_cycles - 4, g.l2.far_extra_cycles + 4);
    rig_close(&r);
}

/* ---- sectors and lines ---- */

static void fills_are_by_sector_and_evictions_by_line(void **state)
{
    (void)state;
    struct strata_gpu g = one_set(&titanv_new);
    struct rig r;
    rig_open(&r, &g);
    rig_ask(&r, SIM_READ, 0, 1, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 1); /* one sector of 32 bytes, not the line */
    rig_ask(&r, SIM_READ, 0, 2, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 2);
    rig_ask(&r, SIM_READ, 0, 3, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 2); /* both are there */
    rig_ask(&r, SIM_READ, 128, 1, NULL);
    rig_ask(&r, SIM_READ, 256, 1, NULL); /* takes the place of line 0 */
    assert_int_equal(RIG_SUM(&r, evictions), 1);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 4);
    rig_ask(&r, SIM_READ, 0, 3, NULL); /* both sectors went with their line */
    assert_int_equal(RIG_SUM(&r, n.dram_read), 6);
    rig_close(&r);
}

static void an_evicted_line_writes_back_only_its_dirty_sectors(void **state)
{
    (void)state;
    struct strata_gpu g = one_set(&titanv_new);
    struct rig r;
    const uint32_t full[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    rig_open(&r, &g);
    rig_ask(&r, SIM_WRITE, 0, 5, full);
    rig_ask(&r, SIM_READ, 0, 2, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_write), 0);
    rig_ask(&r, SIM_READ, 128, 1, NULL);
    rig_ask(&r, SIM_READ, 256, 1, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_write), 2);
    rig_close(&r);
}

static void a_64_byte_fetch_brings_the_partner_and_counts_it_as_a_miss(void **state)
{
    (void)state;
    struct rig r;
    struct strata_gpu g = h200;
    g.l2.partitions = 1;
    rig_open(&r, &g);
    rig_ask(&r, SIM_READ, 0, 1, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 2);
    assert_int_equal(RIG_SUM(&r, n.l2_read), 1);
    assert_int_equal(RIG_SUM(&r, n.l2_read_miss), 2);
    rig_ask(&r, SIM_READ, 0, 2, NULL);
    assert_int_equal(RIG_SUM(&r, n.l2_read_hit), 1);
    rig_close(&r);
}

/* ---- the write microbenchmark, paper 004, figure 5 ---- */

struct figure5 {
    uint64_t first_write_missed, second_write_missed, first_read_fetched, second_read_fetched,
        write_fetched;
};

/* C[i] = .., C[i+1] = .., read C[i], read C[i] and C[i+1], of one thread. */
static struct figure5 figure5(uint32_t policy)
{
    struct strata_gpu g = titanv_new;
    struct figure5 f;
    struct rig r;
    const uint32_t c_i[4] = {0x0000000f}, c_i1[4] = {0x000000f0};
    g.l2.write_miss = policy;
    g.l2.fill_on_memcpy = false;
    rig_open(&r, &g);
    rig_ask(&r, SIM_WRITE, 0x4000, 1, c_i);
    f.first_write_missed = RIG_SUM(&r, write_line_misses);
    rig_ask(&r, SIM_WRITE, 0x4000, 1, c_i1);
    f.second_write_missed = RIG_SUM(&r, write_line_misses) - f.first_write_missed;
    f.write_fetched = RIG_SUM(&r, n.dram_read);
    rig_ask(&r, SIM_READ, 0x4000, 1, NULL);
    f.first_read_fetched = RIG_SUM(&r, n.dram_read) - f.write_fetched;
    rig_ask(&r, SIM_WRITE, 0x4000, 1, c_i);
    rig_ask(&r, SIM_READ, 0x4000, 1, NULL);
    f.second_read_fetched = RIG_SUM(&r, n.dram_read) - f.write_fetched - f.first_read_fetched;
    rig_close(&r);
    return f;
}

static void lazy_fetch_on_read_gives_the_four_outcomes_of_figure_5(void **state)
{
    (void)state;
    struct figure5 f = figure5(STRATA_LAZY_FETCH_ON_READ);
    assert_int_equal(f.first_write_missed, 1);  /* line 3: the line is missing */
    assert_int_equal(f.second_write_missed, 0); /* line 4: the line is found */
    assert_int_equal(f.write_fetched, 0);
    assert_int_equal(f.first_read_fetched, 1);  /* line 5: the sector is fetched */
    assert_int_equal(f.second_read_fetched, 0); /* line 6: the whole sector is there */
}

static void under_write_validate_the_first_read_is_a_hit(void **state)
{
    (void)state;
    struct figure5 f = figure5(STRATA_WRITE_VALIDATE);
    assert_int_equal(f.first_write_missed, 1);
    assert_int_equal(f.second_write_missed, 0);
    assert_int_equal(f.write_fetched, 0);
    assert_int_equal(f.first_read_fetched, 0);
    assert_int_equal(f.second_read_fetched, 0);
}

static void under_fetch_on_write_the_write_fetches_and_reads_hit(void **state)
{
    (void)state;
    struct figure5 f = figure5(STRATA_FETCH_ON_WRITE);
    assert_int_equal(f.first_write_missed, 1);
    assert_int_equal(f.second_write_missed, 0);
    assert_int_equal(f.write_fetched, 1);
    assert_int_equal(f.first_read_fetched, 0);
    assert_int_equal(f.second_read_fetched, 0);
}

static void a_sector_written_byte_by_byte_is_read_without_a_fetch_once_it_is_whole(void **state)
{
    (void)state;
    struct strata_gpu g = titanv_new;
    struct rig r;
    g.l2.write_miss = STRATA_LAZY_FETCH_ON_READ;
    rig_open(&r, &g);
    for (uint32_t k = 0; k < 4; k++)
        rig_ask(&r, SIM_WRITE, 0x4000, 2, (const uint32_t[4]){0, 0xffu << (8 * k)});
    rig_ask(&r, SIM_READ, 0x4000, 2, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 0);
    rig_ask(&r, SIM_WRITE, 0x8000, 2, (const uint32_t[4]){0, 0x7fffffff});
    rig_ask(&r, SIM_READ, 0x8000, 2, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 1);
    rig_close(&r);
}

static void the_old_model_fetches_four_sectors_for_one_written_byte(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, &titanv_old);
    rig_ask(&r, SIM_WRITE, 0x4000, 1, (const uint32_t[4]){1});
    assert_int_equal(RIG_SUM(&r, n.dram_read), 4);
    rig_close(&r);
}

static void copies_from_the_host_hit_where_the_option_is_on(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, &titanv_new);
    sim_memside_memcpy(r.m, 0x7f0000000020, 64);
    rig_ask(&r, SIM_READ, 0x7f0000000000, 6, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 0);
    rig_ask(&r, SIM_READ, 0x7f0000000000, 15, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 2);
    rig_close(&r);
    struct strata_gpu g = titanv_new;
    g.l2.fill_on_memcpy = false;
    rig_open(&r, &g);
    sim_memside_memcpy(r.m, 0x7f0000000020, 64);
    rig_ask(&r, SIM_READ, 0x7f0000000000, 6, NULL);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 2);
    rig_close(&r);
}

/* ---- misses under way ---- */

static void a_second_request_for_a_sector_under_way_is_a_hit_and_fetches_nothing(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, &titanv_new);
    rig_send(&r, (struct sim_packet){
                     .line = 0x4000, .sectors = 1, .kind = SIM_READ, .sm = 0, .token = 1});
    rig_send(&r, (struct sim_packet){
                     .line = 0x4000, .sectors = 1, .kind = SIM_READ, .sm = 1, .token = 2});
    rig_drain(&r);
    assert_int_equal(r.replies, 2);
    assert_int_equal(RIG_SUM(&r, n.dram_read), 1);
    assert_int_equal(RIG_SUM(&r, n.l2_read_hit), 1);
    rig_close(&r);
}

static void what_came_with_the_other_half_of_the_same_request_is_no_hit(void **state)
{
    (void)state;
    for (unsigned joins = 0; joins < 2; joins++) {
        struct rig r;
        rig_open(&r, &h200);
        rig_send(&r, (struct sim_packet){
                         .line = 0x4000, .sectors = 1, .kind = SIM_READ, .sm = 0, .token = 1});
        rig_send(&r, (struct sim_packet){.line = 0x4000,
                                         .sectors = 2,
                                         .kind = SIM_READ,
                                         .sm = 0,
                                         .token = 2,
                                         .joins = joins});
        rig_drain(&r);
        assert_int_equal(r.replies, 2);
        assert_int_equal(RIG_SUM(&r, n.dram_read), 2);
        assert_int_equal(RIG_SUM(&r, n.l2_tex_read_hit), !joins);
        assert_int_equal(RIG_SUM(&r, n.l2_requests), 2 - joins);
        rig_close(&r);
    }
}

static uint64_t time_of_misses(uint32_t mshrs)
{
    struct strata_gpu g = one_set(&titanv_new);
    struct rig r;
    g.l2.cache.size_bytes = 64 * 1024;
    g.l2.mshrs = mshrs;
    rig_open(&r, &g);
    for (uint32_t i = 0; i < 16; i++)
        rig_send(&r,
                 (struct sim_packet){.line = i * 128u, .sectors = 1, .kind = SIM_READ, .token = i});
    rig_drain(&r);
    uint64_t last = r.last.time;
    assert_int_equal(r.replies, 16);
    rig_close(&r);
    return last;
}

static void misses_beyond_the_mshrs_wait(void **state)
{
    (void)state;
    assert_true(time_of_misses(1) > 15 * titanv_new.dram.access_cycles);
    assert_true(time_of_misses(4) < time_of_misses(1));
    assert_int_equal(time_of_misses(16), time_of_misses(0));
}

/* ---- the request coalescer ---- */

static uint64_t l2_reads_of_two_sms(uint16_t other_sm, uint8_t other_sectors, uint64_t gap)
{
    struct rig r;
    struct strata_gpu g = h200;
    g.dram.tREFI = 0;
    rig_open(&r, &g);
    rig_ask(&r, SIM_READ, 0x4000, 15, NULL); /* warm */
    uint64_t t = r.now, before = RIG_SUM(&r, n.l2_tex_read);
    rig_send(&r,
             (struct sim_packet){
                 .time = t, .line = 0x4000, .sectors = 15, .kind = SIM_READ, .sm = 0, .token = 1});
    while (r.now + sim_memside_window_cycles(r.m) <= t + gap)
        rig_window(&r);
    rig_send(&r, (struct sim_packet){.time = t + gap,
                                     .line = 0x4000,
                                     .sectors = other_sectors,
                                     .kind = SIM_READ,
                                     .sm = other_sm,
                                     .token = 2});
    rig_drain(&r);
    assert_int_equal(r.replies, 3);
    uint64_t reads = RIG_SUM(&r, n.l2_tex_read) - before;
    rig_close(&r);
    return reads;
}

static void equal_requests_of_a_gpc_merge_until_the_data_is_close(void **state)
{
    (void)state;
    /* SMs 0, 1 and 16 belong to GPC 0, SM 2 to GPC 1; with a warm L2 the line is open for 74
     * cycles. */
    assert_int_equal(l2_reads_of_two_sms(1, 15, 1), 4);
    assert_int_equal(l2_reads_of_two_sms(16, 15, 70), 4);
    assert_int_equal(l2_reads_of_two_sms(16, 15, 80), 8);
    assert_int_equal(l2_reads_of_two_sms(2, 15, 1), 8);
    assert_int_equal(l2_reads_of_two_sms(1, 7, 1), 7);
}

/* ---- address maps ---- */

static double unevenness(uint32_t hash, uint64_t stride, uint32_t channels)
{
    struct address_map m = {.block_shift = 8,
                            .partitions = 1,
                            .slices = channels,
                            .channels = channels,
                            .hash = hash,
                            .coupled = true};
    uint64_t count[64] = {0}, most = 0, n = 64ull * channels;
    for (uint64_t i = 0; i < n; i++)
        count[address_map_channel(&m, i * stride)]++;
    for (uint32_t c = 0; c < channels; c++)
        most = count[c] > most ? count[c] : most;
    return (double)most * channels / (double)n;
}

static void
without_a_hash_a_power_of_two_stride_camps_on_one_channel_and_with_one_it_does_not(void **state)
{
    (void)state;
    for (unsigned shift = 13; shift < 20; shift++) {
        assert_true(unevenness(STRATA_CHANNEL_NONE, 1ull << shift, 32) == 32);
        assert_true(unevenness(STRATA_CHANNEL_XOR, 1ull << shift, 32) < 1.5);
        assert_true(unevenness(STRATA_CHANNEL_IPOLY, 1ull << shift, 32) < 1.5);
        assert_true(unevenness(STRATA_CHANNEL_MIX, 1ull << shift, 32) < 2);
        assert_true(unevenness(STRATA_CHANNEL_IPOLY, 1ull << shift, 24) < 2.5);
    }
    for (uint32_t hash = STRATA_CHANNEL_NONE; hash <= STRATA_CHANNEL_IPOLY; hash++) {
        struct address_map m = {.block_shift = 8,
                                .partitions = 1,
                                .slices = 24,
                                .channels = 24,
                                .hash = hash,
                                .coupled = true};
        assert_true(unevenness(hash, 256, 24) < 1.1);
        uint32_t same = 0; /* neighbouring blocks do not share a channel */
        for (uint64_t block = 0; block < 1000; block++)
            same +=
                address_map_channel(&m, block << 8) == address_map_channel(&m, (block + 1) << 8);
        assert_true(same < 50);
    }
    assert_true(unevenness(STRATA_CHANNEL_IPOLY, 256, 32) == 1);
}

static void lines_dealt_in_turn_use_all_sets_and_keep_their_addresses(void **state)
{
    (void)state;
    static const uint32_t shapes[][2] = {{24, 24}, {48, 24}, {96, 24}, {36, 24}, {7, 3}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        struct address_map m = {
            .block_shift = 8, .partitions = 1, .slices = shapes[k][0], .channels = shapes[k][1]};
        m.coupled = m.slices % m.channels == 0;
        uint64_t highest = 0;
        for (uint64_t line = 0; line < 128 * 9600; line += 128) {
            uint64_t local = address_map_local(&m, line);
            assert_true(address_map_slice(&m, line) < m.slices);
            assert_int_equal(address_map_global(&m, address_map_slice(&m, line), local), line);
            highest = local > highest ? local : highest;
        }
        assert_true(highest < 128 * (9600 / m.slices + 2));
    }
}

/* ---- the crossbar ---- */

static void replies_to_one_sm_take_its_share_of_the_crossbar(void **state)
{
    (void)state;
    struct rig r;
    struct strata_gpu g =
        titanv_new; /* 20 bytes a cycle for one SM; a sector is a flit of 40 bytes */
    rig_open(&r, &g);
    sim_memside_memcpy(r.m, 0, 1 << 20);
    for (uint32_t i = 0; i < 1024; i++)
        rig_send(&r,
                 (struct sim_packet){
                     .time = i / 4, .line = i * 128u, .sectors = 15, .kind = SIM_READ, .token = i});
    rig_drain(&r);
    assert_in_range(r.last.time, 1024 * 8, 1024 * 8 + 200);
    rig_close(&r);
}

static uint32_t last_reply_of_sm;
static uint64_t last_reply_time;
static void note_last_reply(struct rig *r, const struct sim_packet *p)
{
    (void)r;
    if (p->sm == last_reply_of_sm)
        last_reply_time = p->time;
}

static uint64_t sms_served_first[80];
static void note_order(struct rig *r, const struct sim_packet *p)
{
    if (r->replies < 1000000)
        sms_served_first[p->sm] += p->time;
}

static void no_sm_is_preferred_at_a_slice_that_all_want(void **state)
{
    (void)state;
    struct rig r;
    struct strata_gpu g = titanv_new;
    g.l2.slices = g.dram.channels = 1;
    g.xbar.response_bytes_per_cycle_per_sm = 0;
    rig_open(&r, &g);
    sim_memside_memcpy(r.m, 0, 1 << 14);
    r.on_reply = note_order;
    memset(sms_served_first, 0, sizeof sms_served_first);
    for (uint32_t round = 0; round < 40; round++)
        for (uint16_t sm = 0; sm < 80; sm++)
            rig_send(&r, (struct sim_packet){.time = round * 173,
                                             .line = (round % 8) * 128,
                                             .sectors = 1,
                                             .kind = SIM_READ,
                                             .sm = sm});
    rig_drain(&r);
    uint64_t least = UINT64_MAX, most = 0;
    for (int s = 0; s < 80; s++) {
        least = sms_served_first[s] < least ? sms_served_first[s] : least;
        most = sms_served_first[s] > most ? sms_served_first[s] : most;
    }
    assert_true((most - least) / 40 < 40); /* mean times of two SMs; always the same order: 79 */
    rig_close(&r);
}

/* ---- threads ---- */

struct trail {
    uint64_t hash;
};
/* All but one of the SMs ask for lines of one slice, 40 each; the last asks for others. Returns how
 * long the slice's queue becomes; *last_sm_done is when the last SM has all it asked for. */
static size_t longest_queue(uint32_t limit, uint64_t *last_sm_done)
{
    enum { REQUESTS = 40 };
    struct strata_gpu g = titanv_new;
    struct rig r;
    g.l2.channel_hash = STRATA_CHANNEL_NONE;
    g.l2.mshrs = 2; /* what waits for DRAM waits in front of the slice */
    g.xbar.queue = limit;
    rig_open(&r, &g);
    uint64_t apart = 256ull * g.dram.channels;
    const struct sim_slice *wanted = sim_slice_of(r.m, 0, 0);
    size_t longest = 0;
    last_reply_of_sm = g.sm.count - 1u;
    r.on_reply = note_last_reply;
    for (uint32_t i = 0; i < REQUESTS; i++)
        for (uint32_t sm = 0; sm < g.sm.count; sm++) {
            uint64_t line = (sm + 1ull) * REQUESTS * apart + i * apart +
                            (sm == last_reply_of_sm ? (1 + i % 7) * 256 : 0);
            rig_send(
                &r,
                (struct sim_packet){
                    .time = i, .line = line, .sm = (uint16_t)sm, .kind = SIM_READ, .sectors = 1});
        }
    while (sim_memside_next(r.m) != UINT64_MAX) {
        rig_window(&r);
        longest = wanted->from_sms.n > longest ? wanted->from_sms.n : longest;
    }
    assert_int_equal(r.replies, REQUESTS * g.sm.count);
    *last_sm_done = last_reply_time;
    rig_close(&r);
    return longest;
}

static void a_queue_in_front_of_a_slice_is_as_long_as_its_limit_and_a_window(void **state)
{
    (void)state;
    uint64_t free_done, held_done;
    struct rig r;
    size_t free_length = longest_queue(0, &free_done), held_length = longest_queue(8, &held_done);
    rig_open(&r, &titanv_new);
    assert_true(free_length > 2500);
    assert_true(held_length <= 8 + r.m->rate.slice_requests);
    /* Requests of other SMs for other slices do not wait with them. */
    assert_true(held_done <= free_done + 100);
    rig_close(&r);
}

static void with_short_queues_in_the_crossbar_no_request_is_lost(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    g.xbar.queue = 1;
    answer_once(&g, 11, 20000);
    g = titanv_old;
    g.xbar.queue = 2;
    answer_once(&g, 12, 20000);
}

static void follow(struct rig *r, const struct sim_packet *p)
{
    struct trail *t = r->context;
    t->hash = mix64(t->hash ^ p->time ^ (uint64_t)p->token << 32);
}
static uint64_t trail_of(const struct strata_gpu *gpu, uint32_t threads)
{
    struct rig r;
    struct trail t = {1};
    rig_open(&r, gpu);
    r.threads = threads;
    r.on_reply = follow;
    r.context = &t;
    uint64_t window = sim_memside_window_cycles(r.m);
    for (uint64_t sent = 0; sent < 30000 || sim_memside_next(r.m) != UINT64_MAX;) {
        struct sim_packet p[256];
        size_t k = 0;
        for (; sent < 30000 && k < 256; k++, sent++)
            p[k] = random_packet(gpu, 5, sent, r.now + k * window / 256);
        assert_int_equal(sim_memside_send(r.m, p, k, NULL), STRATA_OK);
        rig_window(&r);
    }
    rig_close(&r);
    return t.hash;
}

static void any_number_of_threads_gives_the_same_replies(void **state)
{
    (void)state;
    struct strata_gpu linked = h200;
    linked.l2.fabric_bytes_per_cycle = 64;
    uint64_t one = trail_of(&h200, 1), one_linked = trail_of(&linked, 1);
    assert_int_equal(trail_of(&h200, 2), one);
    assert_int_equal(trail_of(&h200, 3), one);
    assert_int_equal(trail_of(&linked, 3), one_linked);
    assert_int_not_equal(one, one_linked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_is_answered_exactly_once),
        cmocka_unit_test(few_mshrs_and_a_tiny_l2_lose_no_request),
        cmocka_unit_test(an_l2_hit_takes_what_the_description_says),
        cmocka_unit_test(a_row_hit_in_dram_takes_dram_access_more),
        cmocka_unit_test(the_far_partition_takes_far_extra_more),
        cmocka_unit_test(fills_are_by_sector_and_evictions_by_line),
        cmocka_unit_test(an_evicted_line_writes_back_only_its_dirty_sectors),
        cmocka_unit_test(a_64_byte_fetch_brings_the_partner_and_counts_it_as_a_miss),
        cmocka_unit_test(lazy_fetch_on_read_gives_the_four_outcomes_of_figure_5),
        cmocka_unit_test(under_write_validate_the_first_read_is_a_hit),
        cmocka_unit_test(under_fetch_on_write_the_write_fetches_and_reads_hit),
        cmocka_unit_test(a_sector_written_byte_by_byte_is_read_without_a_fetch_once_it_is_whole),
        cmocka_unit_test(the_old_model_fetches_four_sectors_for_one_written_byte),
        cmocka_unit_test(copies_from_the_host_hit_where_the_option_is_on),
        cmocka_unit_test(a_second_request_for_a_sector_under_way_is_a_hit_and_fetches_nothing),
        cmocka_unit_test(what_came_with_the_other_half_of_the_same_request_is_no_hit),
        cmocka_unit_test(misses_beyond_the_mshrs_wait),
        cmocka_unit_test(equal_requests_of_a_gpc_merge_until_the_data_is_close),
        cmocka_unit_test(
            without_a_hash_a_power_of_two_stride_camps_on_one_channel_and_with_one_it_does_not),
        cmocka_unit_test(lines_dealt_in_turn_use_all_sets_and_keep_their_addresses),
        cmocka_unit_test(replies_to_one_sm_take_its_share_of_the_crossbar),
        cmocka_unit_test(no_sm_is_preferred_at_a_slice_that_all_want),
        cmocka_unit_test(a_queue_in_front_of_a_slice_is_as_long_as_its_limit_and_a_window),
        cmocka_unit_test(with_short_queues_in_the_crossbar_no_request_is_lost),
        cmocka_unit_test(any_number_of_threads_gives_the_same_replies),
    };
    return cmocka_run_group_tests(tests, load_gpus, NULL);
}
