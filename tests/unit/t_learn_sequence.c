/* Custom reuse profiles, sequences that follow them, and the timed L1 that labels them (paper 003).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>

#include "base/bits.h"
#include "base/rng.h"
#include "cache/cache.h"
#include "learn/sequence.h"
#include "learn/timed_l1.h"
#include "reuse/histogram.h"
#include "reuse/stack.h"

static void distances_of(const uint64_t *line, size_t n, uint32_t *distance)
{
    struct reuse_stack s;
    struct strata_error err;
    assert_int_equal(reuse_stack_init(&s, &err), STRATA_OK);
    assert_int_equal(reuse_stack_run(&s, line, n, distance, &err), STRATA_OK);
    reuse_stack_release(&s);
}

static void the_distances_of_table_1_are_the_papers(void **state)
{
    (void)state;
    const uint64_t line[10] = {'a', 'b', 'c', 'a', 'a', 'c', 'b', 'd', 'a', 'a'};
    const uint32_t expected[10] = {REUSE_COLD, REUSE_COLD, REUSE_COLD, 2, 0,
                                   1,          2,          REUSE_COLD, 3, 0};
    uint32_t distance[10];
    distances_of(line, 10, distance);
    assert_memory_equal(distance, expected, sizeof expected);
}

static void the_profile_of_figure_1_has_the_shares_of_table_1(void **state)
{
    (void)state;
    const uint64_t line[10] = {'a', 'b', 'c', 'a', 'a', 'c', 'b', 'd', 'a', 'a'};
    uint32_t distance[10];
    struct reuse_histogram h = {0};
    struct strata_error err;
    distances_of(line, 10, distance);
    assert_int_equal(reuse_histogram_add(&h, distance, 10, &err), STRATA_OK);
    const uint64_t expected[4] = {2, 1, 2, 1}; /* of ten: 0.2 0.1 0.2 0.1, and 0.4 first */
    assert_int_equal(h.n, 4);
    assert_memory_equal(h.count, expected, sizeof expected);
    assert_int_equal(h.cold, 4);
    reuse_histogram_release(&h);
}

static double share_left(const struct learn_writer *w, size_t distance, size_t l)
{
    return learn_writer_owed(w, distance) / (double)(100 - l);
}

/* Table 3, with L = 100: the draws are the table's, the lines are our own. */
static void the_worked_example_of_table_3_is_reproduced(void **state)
{
    (void)state;
    double shares[4] = {0.1, 0.2, 0.3, 0.3};
    const struct learn_target target = {.share = shares, .n = 4, .cold = 0.1};
    struct learn_random r = {.seed = 5};
    struct learn_writer w;
    struct strata_error err;
    uint64_t line[6];
    assert_int_equal(learn_writer_init(&w, 64, 100, &err), STRATA_OK);
    assert_int_equal(learn_writer_begin(&w, &target, 100, &err), STRATA_OK);
    /* the columns after l = 2, 3, 4 and 5, in thousandths */
    static const int expected[4][5] = {{103, 206, 309, 309, 72},
                                       {104, 208, 302, 313, 73},
                                       {105, 200, 305, 316, 74},
                                       {96, 202, 309, 319, 74}};
    const size_t draws[3] = {2, 1, 0};
    size_t l = 0;
    for (int k = 0; k < 3; k++) {
        size_t made = 0;
        if (k ==
            0) { /* the first three columns are the lines that a distance of 2 needs below it */
            made = learn_writer_step(&w, draws[0], line, 3, &r);
            assert_int_equal(made, 3);
            l = 3;
            for (int d = 0; d < 5; d++)
                assert_int_equal(lround(1000 * share_left(&w, d == 4 ? SIZE_MAX : (size_t)d, l)),
                                 expected[0][d]);
        }
        l += learn_writer_step(&w, draws[k], line + l, 6 - l, &r);
        for (int d = 0; d < 5; d++)
            assert_int_equal(lround(1000 * share_left(&w, d == 4 ? SIZE_MAX : (size_t)d, l)),
                             expected[k + 1][d]);
    }
    assert_int_equal(l, 6);
    assert_true(line[0] != line[1] && line[1] != line[2] && line[0] != line[2]);
    assert_int_equal(line[3], line[0]); /* 40 16 25 40 25 25 */
    assert_int_equal(line[4], line[2]);
    assert_int_equal(line[5], line[2]);
    learn_writer_release(&w);
}

static void shares_of_a_custom_profile_add_up_and_stay_in_range(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 50; seed++) {
        struct learn_random r = {.seed = seed};
        struct learn_target t;
        struct strata_error err;
        double sum = 0;
        assert_int_equal(learn_target_make(&t, 2 + (uint32_t)seed % 11, 128, &r, &err), STRATA_OK);
        assert_int_equal(t.n, 129);
        for (size_t d = 0; d < t.n; d++) {
            assert_true(t.share[d] >= 0);
            sum += t.share[d];
        }
        assert_true(fabs(sum + t.cold - 1) < 1e-9);
        learn_target_release(&t);
    }
}

/* Half the sum of differences between the measured and the wanted shares. */
static double distance_to_target(const struct learn_target *t, const uint64_t *line, size_t n)
{
    uint32_t *distance = malloc(n * sizeof *distance);
    struct reuse_histogram h = {0};
    struct strata_error err;
    distances_of(line, n, distance);
    assert_int_equal(reuse_histogram_add(&h, distance, n, &err), STRATA_OK);
    double sum = fabs((double)h.cold / (double)n - t->cold);
    size_t most = h.n > t->n ? h.n : t->n;
    for (size_t d = 0; d < most; d++)
        sum += fabs((d < h.n ? (double)h.count[d] / (double)n : 0) - (d < t->n ? t->share[d] : 0));
    reuse_histogram_release(&h);
    free(distance);
    return sum / 2;
}

/* The stated distance: the lines a long distance needs below it are first accesses beyond the
 * wanted share, and 0.02 for whole accesses in place of shares. */
static void sequences_of_every_cell_of_the_grid_follow_their_profile(void **state)
{
    (void)state;
    static const uint32_t max_distances[] = {16, 128, 1024, 4096};
    uint64_t *line = malloc(LEARN_LENGTH * sizeof *line);
    for (uint32_t peaks = 2; peaks <= 12; peaks++)
        for (int m = 0; m < 4; m++) {
            struct learn_random r = {.seed = peaks * 100 + (uint64_t)m}, again = r;
            struct learn_target t;
            struct strata_error err;
            assert_int_equal(
                learn_sequence_make(line, LEARN_LENGTH, peaks, max_distances[m], 1, &r, &err),
                STRATA_OK);
            assert_int_equal(learn_target_make(&t, peaks, max_distances[m], &again, &err),
                             STRATA_OK);
            size_t longest = 0;
            for (size_t d = 0; d < t.n; d++)
                longest = t.share[d] * LEARN_LENGTH >= 0.5 ? d : longest;
            double forced = (double)(longest + 1) / LEARN_LENGTH - t.cold,
                   allowed = 0.02 + (forced > 0 ? forced : 0);
            assert_true(distance_to_target(&t, line, LEARN_LENGTH) <= allowed);
            learn_target_release(&t);
        }
    free(line);
}

static void the_same_seed_gives_the_same_sequence_and_another_seed_another(void **state)
{
    (void)state;
    uint64_t a[500], b[500], c[500];
    struct strata_error err;
    struct learn_random r1 = {.seed = 9}, r2 = {.seed = 9}, r3 = {.seed = 10};
    assert_int_equal(learn_sequence_make(a, 500, 4, 16, 2, &r1, &err), STRATA_OK);
    assert_int_equal(learn_sequence_make(b, 500, 4, 16, 2, &r2, &err), STRATA_OK);
    assert_int_equal(learn_sequence_make(c, 500, 4, 16, 2, &r3, &err), STRATA_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_true(memcmp(a, c, sizeof a));
}

static void every_pattern_fills_its_sequence(void **state)
{
    (void)state;
    for (uint32_t p = LEARN_STREAM; p < LEARN_N_PATTERNS; p++)
        for (uint64_t seed = 0; seed < 40; seed++) {
            uint64_t line[1000];
            struct learn_random r = {.seed = seed};
            memset(line, 0xff, sizeof line);
            learn_pattern_make(p, line, 1000, &r);
            for (int i = 0; i < 1000; i++)
                assert_true(line[i] != UINT64_MAX);
        }
}

/* ---- the timed L1 ---- */

/* The oracle: src/cache and a list of lines on their way that is searched. */
static struct strata_learn_counts by_hand(const uint64_t *line, size_t n,
                                          struct strata_learn_cache geometry,
                                          struct strata_learn_timing timing)
{
    struct strata_cache_config config = {.size_bytes = geometry.lines * 128ull,
                                         .line_bytes = 128,
                                         .sector_bytes = 128,
                                         .ways = geometry.ways,
                                         .index_hash = STRATA_INDEX_MIX,
                                         .replacement = STRATA_REPL_LRU};
    struct cache c;
    struct strata_error err;
    struct strata_learn_counts count = {0};
    struct {
        uint64_t line, arrival;
    } *way = calloc(n + 1, sizeof *way);
    size_t first = 0, end = 0;
    uint64_t now = 0;
    assert_int_equal(cache_create(&config, 1, &c, &err), STRATA_OK);
    for (size_t i = 0; i < n; i++, now++) {
        struct cache_slot evicted;
        uint64_t address = line[i] * 128;
        bool coming = false;
        for (; first < end && way[first].arrival <= now; first++)
            cache_insert(&c, way[first].line, &evicted);
        for (size_t k = first; k < end; k++)
            coming |= way[k].line == address;
        uint32_t slot = cache_find(&c, address);
        count.accesses++;
        if (slot != CACHE_NONE) {
            cache_touch(&c, slot);
        } else if (coming) {
            count.merges++;
        } else {
            count.misses++;
            if (timing.mshrs && end - first == timing.mshrs) {
                now = way[first].arrival;
                for (; first < end && way[first].arrival <= now; first++)
                    cache_insert(&c, way[first].line, &evicted);
            }
            way[end].line = address;
            way[end++].arrival = now + timing.latency_cycles;
        }
    }
    cache_release(&c);
    free(way);
    return count;
}

static struct strata_learn_counts label(const uint64_t *line, size_t n,
                                        struct strata_learn_cache geometry,
                                        struct strata_learn_timing timing)
{
    struct learn_stream s;
    struct strata_learn_counts c;
    struct strata_error err;
    assert_int_equal(learn_stream_make(&s, line, n, &err), STRATA_OK);
    assert_int_equal(learn_label(&s, &geometry, &timing, n, &c, &err), STRATA_OK);
    learn_stream_release(&s);
    return c;
}

static void labels_agree_with_the_functional_cache(void **state)
{
    (void)state;
    static const struct strata_learn_cache geometry[] = {{8, 1},   {8, 8},    {64, 4},
                                                         {64, 64}, {512, 16}, {384, 6}};
    static const struct strata_learn_timing timing[] = {{256, 256}, {100, 8}, {0, 0}, {300, 1}};
    enum { N = 4000 };
    uint64_t line[N];
    for (uint32_t p = LEARN_STREAM; p < LEARN_N_PATTERNS; p++)
        for (size_t g = 0; g < sizeof geometry / sizeof geometry[0]; g++)
            for (size_t t = 0; t < sizeof timing / sizeof timing[0]; t++) {
                struct learn_random r = {.seed = p * 31 + g};
                learn_pattern_make(p, line, N, &r);
                struct strata_learn_counts a = by_hand(line, N, geometry[g], timing[t]),
                                           b = label(line, N, geometry[g], timing[t]);
                assert_int_equal(a.misses, b.misses);
                assert_int_equal(a.merges, b.merges);
                assert_int_equal(b.accesses, N);
            }
}

static void an_access_to_a_line_on_its_way_merges_and_one_after_its_arrival_hits(void **state)
{
    (void)state;
    const uint64_t line[] = {7, 7, 7, 7, 7, 7};
    struct strata_learn_counts c = label(line, 6, (struct strata_learn_cache){8, 8},
                                         (struct strata_learn_timing){.latency_cycles = 4});
    assert_int_equal(c.misses, 1);
    assert_int_equal(c.merges, 3); /* cycles 1 to 3; the line is there at 4 */
}

static void a_loop_larger_than_the_cache_never_hits(void **state)
{
    (void)state;
    uint64_t line[2000];
    for (int i = 0; i < 2000; i++)
        line[i] = (uint64_t)i % 65;
    struct strata_learn_counts c =
        label(line, 2000, (struct strata_learn_cache){64, 64}, (struct strata_learn_timing){0});
    assert_int_equal(c.misses, 2000);
    c = label(line, 2000, (struct strata_learn_cache){65, 65}, (struct strata_learn_timing){0});
    assert_int_equal(c.misses, 65);
}

static void intervals_add_up_to_the_whole(void **state)
{
    (void)state;
    uint64_t line[5000];
    struct learn_random r = {.seed = 3};
    struct learn_stream s;
    struct strata_learn_counts part[8], whole, sum = {0};
    const struct strata_learn_timing timing = STRATA_LEARN_TIMING;
    const struct strata_learn_cache cache = {128, 4};
    struct strata_error err;
    learn_pattern_make(LEARN_PHASES, line, 5000, &r);
    assert_int_equal(learn_stream_make(&s, line, 5000, &err), STRATA_OK);
    assert_int_equal(learn_label(&s, &cache, &timing, 700, part, &err), STRATA_OK);
    assert_int_equal(learn_label(&s, &cache, &timing, 5000, &whole, &err), STRATA_OK);
    for (int i = 0; i < 8; i++) {
        sum.accesses += part[i].accesses;
        sum.misses += part[i].misses;
        sum.merges += part[i].merges;
    }
    assert_int_equal(part[7].accesses, 100);
    assert_memory_equal(&sum, &whole, sizeof sum);
    learn_stream_release(&s);
}

static void impossible_geometries_are_refused(void **state)
{
    (void)state;
    static const struct strata_learn_cache bad[] = {{0, 0}, {8, 0}, {8, 16}, {8, 3}, {1u << 21, 1}};
    struct strata_error err;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(strata_learn_cache_check(&bad[i], &err), STRATA_ECONFIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_distances_of_table_1_are_the_papers),
        cmocka_unit_test(the_profile_of_figure_1_has_the_shares_of_table_1),
        cmocka_unit_test(the_worked_example_of_table_3_is_reproduced),
        cmocka_unit_test(shares_of_a_custom_profile_add_up_and_stay_in_range),
        cmocka_unit_test(sequences_of_every_cell_of_the_grid_follow_their_profile),
        cmocka_unit_test(the_same_seed_gives_the_same_sequence_and_another_seed_another),
        cmocka_unit_test(every_pattern_fills_its_sequence),
        cmocka_unit_test(labels_agree_with_the_functional_cache),
        cmocka_unit_test(an_access_to_a_line_on_its_way_merges_and_one_after_its_arrival_hits),
        cmocka_unit_test(a_loop_larger_than_the_cache_never_hits),
        cmocka_unit_test(intervals_add_up_to_the_whole),
        cmocka_unit_test(impossible_geometries_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
