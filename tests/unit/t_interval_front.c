/* t_interval_front.c - the memory front end against published cache statistics. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "interval/front.h"

static struct strata_cache_config lru(uint64_t lines, uint32_t ways)
{
    return (struct strata_cache_config){.size_bytes = lines * 128,
                                        .line_bytes = 128,
                                        .sector_bytes = 128,
                                        .ways = ways,
                                        .index_hash = STRATA_INDEX_LINEAR,
                                        .replacement = STRATA_REPL_LRU};
}

static void access_lines(struct front *f, uint32_t sm, uint32_t pc, bool write,
                         const uint64_t *line, unsigned n, uint8_t *flag)
{
    struct strata_request r[64];
    for (unsigned i = 0; i < n; i++)
        r[i] = (struct strata_request){line[i] * 128, 1, 1};
    assert_int_equal(
        front_access(f, sm, pc, write ? FRONT_WRITE : FRONT_READ, r, n, flag, NULL, 0, NULL),
        STRATA_OK);
}

static void four_lines_two_ways(void **state)
{
    static const struct {
        bool write;
        uint64_t line;
        int hit;
    } a[] = {{1, 4, 0},  {0, 4, 1}, {0, 6, 0}, {0, 8, 0}, {0, 4, 0}, {1, 8, 1}, {1, 12, 0},
             {0, 12, 1}, {0, 5, 0}, {1, 5, 1}, {0, 7, 0}, {0, 9, 0}, {0, 5, 0}};
    struct strata_cache_config l1 = lru(4, 2), l2 = lru(64, 4);
    struct front f;
    assert_int_equal(front_init(&f, &l1, &l2, 1, 1, NULL), STRATA_OK);
    f.script_writes = true;
    assert_int_equal(front_grow_pcs(&f, 1, NULL), STRATA_OK);
    for (size_t i = 0; i < sizeof a / sizeof a[0]; i++) {
        uint8_t flag = 0;
        access_lines(&f, 0, 0, a[i].write, &a[i].line, 1, &flag);
        assert_int_equal(!(flag & FRONT_L1_MISS), a[i].hit);
        front_merge(&f);
    }
    assert_int_equal(f.pc[0].read_lines, 7);
    assert_int_equal(f.pc[0].write_lines, 2);
    front_release(&f);
}

/* CFD's time step: every warp touches lines of its own, 11 read and 5 written. */
static void cfd_never_hits(void **state)
{
    struct strata_cache_config l1 = lru(4, 2), l2 = lru(24576, 16);
    struct front f;
    assert_int_equal(front_init(&f, &l1, &l2, 1, 1, NULL), STRATA_OK);
    f.script_writes = true;
    assert_int_equal(front_grow_pcs(&f, 16, NULL), STRATA_OK);
    for (uint64_t w = 0; w < 6048; w++) {
        uint8_t flag[16] = {0};
        for (uint32_t pc = 0; pc < 16; pc++) {
            uint64_t line = pc * 6048 + w;
            access_lines(&f, 0, pc, pc >= 11, &line, 1, &flag[pc]);
        }
        front_merge(&f);
        front_count_warp(&f, flag, 16);
    }
    uint64_t reads = 0, writes = 0;
    for (uint32_t pc = 0; pc < 16; pc++) {
        reads += f.pc[pc].l2_read_lines;
        writes += f.pc[pc].l2_write_lines;
        double p2 = (double)f.pc[pc].warps_l2_miss / (double)f.pc[pc].warps_l1_miss;
        assert_true(p2 * 420 + (1 - p2) * 120 == 420.0);
    }
    assert_int_equal(reads, 66528);
    assert_int_equal(writes, 30240);
    assert_int_equal(f.total.l2_requests, 96768);
    front_release(&f);
}

/* ---- backprop ---- */

enum { WARPS = 32768, BATCH = 64, SMS = 20, BASE_LINE = 49152 /* 6 MB: 2 MB aligned, 0 mod 48 */ };
enum { IN = 1, DELTA, OLDW, W, PART, DELTA16 };

struct access {
    bool write;
    int array;
    bool zero;
};
static const struct access k1[] = {{0, IN, 1}, {0, W, 0}, {1, W, 0}, {1, PART, 1}};
static const struct access k2[] = {{0, DELTA, 0}, {0, IN, 0},    {0, OLDW, 0},   {0, W, 0},
                                   {1, W, 0},     {0, DELTA, 0}, {0, IN, 0},     {0, OLDW, 0},
                                   {1, OLDW, 0},  {0, DELTA, 1}, {0, DELTA16, 1}};

static unsigned lines_of(const struct access *a, uint32_t warp, bool quirks, uint64_t *out)
{
    uint64_t base = (uint64_t)BASE_LINE * 128, by = warp / 8, ty0 = 2 * (warp % 8), address[64];
    unsigned n = 0, k = 0;
    for (uint64_t ty = ty0; ty < ty0 + 2; ty++)
        for (uint64_t tx = 0; tx < 16; tx++) {
            uint64_t idx = 17 * (16 * by + ty) + tx + 18;
            switch (a->array) {
            case IN:
                address[n++] = base + 4 * (16 * by + ty + 1);
                break;
            case PART:
                address[n++] = base + 2080 * 128 + 4 * (16 * by + ty);
                break;
            case DELTA:
                address[n++] = base + 4116 * 128 + 4 * (tx + 1);
                break;
            case W:
                address[n++] = base + (6u << 20) + 4 * idx;
                break;
            case OLDW:
                address[n++] = base + (14u << 20) + 4 * idx;
                break;
            default:
                address[n++] = base + (14u << 20) + 4 * (tx + 1);
                break;
            }
        }
    if (quirks && a->zero)
        out[k++] = 0;
    for (unsigned i = 0; i < n; i++) { /* ascending already, except for repetitions */
        bool known = false;
        for (unsigned j = 0; j < k; j++)
            known |= out[j] == address[i] / 128;
        if (!known)
            out[k++] = address[i] / 128;
    }
    return k;
}

static void run_backprop(struct front *f, const struct access *a, unsigned n, unsigned n_first,
                         bool quirks)
{
    struct strata_cache_config l1 = lru(192, 4), l2 = lru(16384, 8);
    uint8_t *flag = calloc(WARPS, 16);
    uint64_t line[64];
    assert_int_equal(front_init(f, &l1, &l2, SMS, 1, NULL), STRATA_OK);
    f->script_writes = true;
    f->script_zero = quirks;
    assert_int_equal(front_grow_pcs(f, 16, NULL), STRATA_OK);
    for (uint32_t batch = 0; batch < WARPS / BATCH; batch++)
        for (unsigned k = 0; k < n_first; k++)
            for (uint32_t w = batch * BATCH; w < (batch + 1) * BATCH; w++)
                if (k < n || w == 0)
                    access_lines(f, batch % SMS, k, a[k].write, line,
                                 lines_of(&a[k], w, quirks, line), &flag[w * 16 + k]);
    for (uint32_t s = 0; s < SMS; s++)
        f->sm[s].l1.evictions =
            f->sm[s].n; /* kept for the caller: the queue is emptied by the merge */
    front_merge(f);
    for (uint32_t w = 0; w < WARPS; w++)
        front_count_warp(f, flag + w * 16, 16);
    free(flag);
}

/* The authors' formula has L2 hits and misses the wrong way round. */
static double swapped_latency(const struct front_pc *p)
{
    double p1 = (double)p->warps_l1_miss / (double)p->warps;
    double p2 = p->warps_l1_miss ? (double)p->warps_l2_miss / (double)p->warps_l1_miss : 0;
    return (p2 * 250 + (1 - p2) * 530) * p1 + 85;
}

static void check_latencies(const struct front *f, const double *expected, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        if (swapped_latency(&f->pc[k]) != expected[k])
            fail_msg("instruction %u: %.17g, not %.17g", k, swapped_latency(&f->pc[k]),
                     expected[k]);
}

static void backprop_k1_without_quirks(void **state)
{
    struct front f;
    run_backprop(&f, k1, 4, 4, false);
    for (uint32_t s = 0; s < SMS; s++)
        assert_int_equal(f.sm[s].l1.evictions, s < 12 ? 2028 : 1950);
    assert_int_equal(f.total.l2_requests, 39936);
    assert_int_equal(f.total.l2_misses, 38914);
    static const double p1[] = {0.078125, 1, 0, 0.0625},
                        p2[] = {0.800390625, 0.98516845703125, 0, 1};
    for (int k = 0; k < 4; k++) {
        assert_true((double)f.pc[k].warps_l1_miss / WARPS == p1[k]);
        if (p1[k] > 0)
            assert_true((double)f.pc[k].warps_l2_miss / (double)f.pc[k].warps_l1_miss == p2[k]);
    }
    front_release(&f);
}

static void backprop_k1_as_stored(void **state)
{
    static const double latency[] = {108.897705078125, 339.15283203125, 85, 100.625};
    struct front f;
    run_backprop(&f, k1, 4, 4, true);
    for (uint32_t s = 0; s < SMS; s++)
        assert_int_equal(f.sm[s].l1.evictions, s < 12 ? 2029 : 1951);
    assert_int_equal(f.total.l2_requests, 39956);
    assert_int_equal(f.total.l2_misses, 38914);
    double m = (double)f.total.l2_misses / (double)f.total.l2_requests;
    assert_true(fabs(250 * (1 - m) + 530 * m - 522.6979677645411) < 1e-11);
    check_latencies(&f, latency, 4);
    front_release(&f);
}

static void backprop_k2_as_stored(void **state)
{
    static const uint64_t misses[] = {3864, 3893, 3854, 3854, 3847, 3905, 3854, 3839, 3863, 3905,
                                      3839, 3854, 3704, 3747, 3711, 3696, 3704, 3759, 3696, 3696};
    static const double latency[] = {85.31494140625,
                                     108.897705078125,
                                     339.15283203125,
                                     339.15283203125,
                                     85,
                                     87.05413818359375,
                                     99.427490234375,
                                     111.8170166015625,
                                     85,
                                     615.0,
                                     85};
    struct front f;
    run_backprop(&f, k2, 9, 11, true);
    for (uint32_t s = 0; s < SMS; s++)
        assert_int_equal(f.sm[s].l1.evictions, misses[s]);
    assert_int_equal(f.total.l2_requests, 76084);
    assert_int_equal(f.total.l2_misses, 71684);
    double m = 71684.0 / 76084;
    assert_true(fabs(250 * (1 - m) + 530 * m - 513.807370800694) < 1e-11);
    check_latencies(&f, latency, 11);
    front_release(&f);
}

static void write_through_sends_every_write(void **state)
{
    struct strata_cache_config l1 = lru(64, 4), l2 = lru(1024, 8);
    struct front f;
    uint64_t line = 3;
    uint8_t flag = 0;
    assert_int_equal(front_init(&f, &l1, &l2, 1, 1, NULL), STRATA_OK);
    assert_int_equal(front_grow_pcs(&f, 2, NULL), STRATA_OK);
    for (int i = 0; i < 5; i++)
        access_lines(&f, 0, 0, true, &line, 1, &flag);
    access_lines(&f, 0, 1, false, &line, 1, &flag); /* no allocation by the writes */
    front_merge(&f);
    assert_int_equal(f.pc[0].write_lines, 5);
    assert_int_equal(f.pc[1].read_lines, 1);
    assert_int_equal(f.total.l2_requests, 6);
    assert_int_equal(f.total.l2_misses, 1);
    front_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_lines_two_ways),
        cmocka_unit_test(cfd_never_hits),
        cmocka_unit_test(backprop_k1_without_quirks),
        cmocka_unit_test(backprop_k1_as_stored),
        cmocka_unit_test(backprop_k2_as_stored),
        cmocka_unit_test(write_through_sends_every_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
