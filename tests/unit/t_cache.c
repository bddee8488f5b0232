/* Functional caches: against brute force, and the rules of sets, policies and index functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bits.h"
#include "cache/cache.h"

static struct strata_cache_config config(uint64_t size, uint32_t ways, uint32_t hash,
                                         uint32_t policy)
{
    struct strata_cache_config c = {.size_bytes = size,
                                    .line_bytes = 128,
                                    .sector_bytes = 32,
                                    .ways = ways,
                                    .index_hash = hash,
                                    .replacement = policy};
    return c;
}

static bool use(struct cache *c, uint64_t line)
{
    uint32_t slot = cache_find(c, line);
    if (slot != CACHE_NONE) {
        cache_touch(c, slot);
        return true;
    }
    struct cache_slot evicted;
    cache_insert(c, line, &evicted);
    return false;
}

/* Lists of lines per set, oldest first. */
struct brute {
    uint64_t line[64][64];
    uint32_t n[64];
};

static bool brute_use(struct brute *b, uint32_t set, uint32_t ways, uint64_t line, bool lru)
{
    uint64_t *l = b->line[set];
    for (uint32_t i = 0; i < b->n[set]; i++)
        if (l[i] == line) {
            if (lru) {
                memmove(l + i, l + i + 1, (b->n[set] - i - 1) * sizeof *l);
                l[b->n[set] - 1] = line;
            }
            return true;
        }
    if (b->n[set] == ways) {
        memmove(l, l + 1, (ways - 1) * sizeof *l);
        b->n[set]--;
    }
    l[b->n[set]++] = line;
    return false;
}

static void compare(uint32_t sets, uint32_t ways, uint32_t hash, uint32_t policy)
{
    struct strata_cache_config g = config((uint64_t)sets * ways * 128, ways, hash, policy);
    struct cache c;
    struct brute *b = calloc(1, sizeof *b);
    assert_int_equal(cache_create(&g, 1, &c, NULL), STRATA_OK);
    uint64_t x = 12345;
    for (int i = 0; i < 50000; i++) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        uint64_t line = (x >> 40) % (sets * ways * 3) * 128;
        uint32_t set = cache_set_of(&c, line);
        assert_true(set < sets);
        assert_int_equal(use(&c, line), brute_use(b, set, ways, line, policy == STRATA_REPL_LRU));
    }
    cache_release(&c);
    free(b);
}

static void lru_and_fifo_equal_brute_force(void **state)
{
    (void)state;
    static const uint32_t hashes[] = {STRATA_INDEX_LINEAR, STRATA_INDEX_XOR, STRATA_INDEX_IPOLY,
                                      STRATA_INDEX_MIX};
    for (uint32_t h = 0; h < 4; h++) {
        compare(32, 4, hashes[h], STRATA_REPL_LRU);
        compare(16, 7, hashes[h], STRATA_REPL_FIFO);
        compare(1, 48, hashes[h], STRATA_REPL_LRU);
    }
}

static void a_removed_line_is_gone_and_its_place_is_used_again(void **state)
{
    (void)state;
    struct strata_cache_config g = config(8 * 128, 8, STRATA_INDEX_LINEAR, STRATA_REPL_LRU);
    struct cache c;
    assert_int_equal(cache_create(&g, 1, &c, NULL), STRATA_OK);
    for (uint64_t l = 0; l < 8; l++)
        use(&c, l * 128);
    cache_remove(&c, cache_find(&c, 3 * 128));
    assert_int_equal(cache_find(&c, 3 * 128), CACHE_NONE);
    assert_false(use(&c, 100 * 128)); /* takes the free place: nobody else leaves */
    for (uint64_t l = 0; l < 8; l++)
        assert_int_equal(cache_find(&c, l * 128) == CACHE_NONE, l == 3);
    cache_release(&c);
}

/* A footprint slightly above the size, walked in order, still hits under "aged" and never under
 * LRU. */
static double second_pass_hits(uint32_t policy, uint32_t lines)
{
    struct strata_cache_config g = config(1744 * 128, 0, STRATA_INDEX_MIX, policy);
    struct cache c;
    uint32_t hits = 0;
    assert_int_equal(cache_create(&g, 1, &c, NULL), STRATA_OK);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint64_t l = 0; l < lines; l++)
            hits += use(&c, l * 128);
    cache_release(&c);
    return (double)hits / lines;
}

static void coarse_ages_keep_part_of_a_footprint_above_the_size(void **state)
{
    (void)state;
    assert_true(second_pass_hits(STRATA_REPL_LRU, 2032) == 0);
    double aged = second_pass_hits(STRATA_REPL_AGED, 2032),
           any = second_pass_hits(STRATA_REPL_RANDOM, 2032);
    assert_true(aged > 0.3 && aged < any);
    assert_true(second_pass_hits(STRATA_REPL_AGED, 1700) == 1);
}

/* The H200's: line 625 shares a set with line 0, and so do 1051, 1642 and 2422
 * (device/probe/tag_probe.cu). */
static void a_set_of_tags_holds_its_ways_although_the_data_has_room(void **state)
{
    (void)state;
    struct strata_cache_config g = config(1744 * 128, 0, STRATA_INDEX_LINEAR, STRATA_REPL_AGED);
    g.tag_sets = 512;
    g.tag_ways = 4;
    g.n_tag_hash = 3;
    g.tag_hash[0] = 113, g.tag_hash[1] = 27, g.tag_hash[2] = 374;
    struct cache c;
    assert_int_equal(cache_create(&g, 1, &c, NULL), STRATA_OK);
    const uint64_t same[] = {0, 625, 1051, 1642, 2422};
    for (int i = 0; i < 5; i++)
        assert_false(use(&c, same[i] * 128));
    assert_int_equal(cache_find(&c, 0), CACHE_NONE);
    for (int i = 1; i < 5; i++)
        assert_true(use(&c, same[i] * 128));
    cache_remove(&c, cache_find(&c, 1051 * 128));
    assert_false(use(&c, 0)); /* takes the tag that is free */
    for (int i = 0; i < 5; i++)
        assert_int_equal(cache_find(&c, same[i] * 128) == CACHE_NONE, i == 2);
    cache_clear(&c);
    for (uint64_t i = 0; i < 1744; i++) /* any run of lines has tags */
        assert_false(use(&c, (4096 + i) * 128));
    for (uint64_t i = 0; i < 1744; i++)
        assert_true(use(&c, (4096 + i) * 128));
    cache_release(&c);
    g.ways = 4, g.size_bytes = 64 * 128; /* data in sets has no tags apart */
    assert_int_equal(cache_create(&g, 1, &c, NULL), STRATA_OK);
    for (uint64_t i = 0; i < 64; i++)
        assert_false(use(&c, i * 128));
    assert_true(use(&c, 0));
    cache_release(&c);
}

static void unequal_sets_hold_what_they_list(void **state)
{
    (void)state;
    struct strata_cache_config g = config(65 * 128, 8, STRATA_INDEX_LINEAR, STRATA_REPL_LRU);
    static const uint32_t ways[] = {17, 8, 8, 8, 8, 8, 8};
    memcpy(g.set_ways, ways, sizeof ways);
    g.n_set_ways = 7;
    struct cache c;
    assert_int_equal(cache_create(&g, 1, &c, NULL), STRATA_OK);
    assert_int_equal(c.n_slots, 65);
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t k = 0; k < 17; k++) {
            assert_int_equal(use(&c, k * 7 * 128), pass == 1); /* set 0: 17 ways */
            assert_false(use(&c, (k * 7 + 1) * 128) && k >= 9 &&
                         pass); /* set 1: 8 ways, always missed */
        }
    cache_release(&c);
}

/* Paper 000, figure 6, as its text reads it: bit 13 pairs with 7, 14 with 8, 15 with 9, 17 with 10,
 * 19 with 11, and bit 12 is the top bit of 64 sets. */
static void the_fermi_index_is_that_of_the_figure(void **state)
{
    (void)state;
    struct strata_cache_config g = config(16384, 4, STRATA_INDEX_FERMI, STRATA_REPL_LRU);
    struct cache c;
    assert_int_equal(cache_create(&g, 1, &c, NULL), STRATA_OK);
    static const unsigned pair[5] = {13, 14, 15, 17, 19};
    for (unsigned k = 0; k < 5; k++) {
        assert_int_equal(cache_set_of(&c, 1ull << (7 + k)), 1u << k);
        assert_int_equal(cache_set_of(&c, 1ull << pair[k]), 1u << k);
        assert_int_equal(cache_set_of(&c, (1ull << pair[k]) | (1ull << (7 + k))), 0);
    }
    assert_int_equal(cache_set_of(&c, 1ull << 12), 0);
    cache_release(&c);
    g.size_bytes = 49152;
    g.ways = 6;
    assert_int_equal(cache_create(&g, 1, &c, NULL), STRATA_OK);
    assert_int_equal(cache_set_of(&c, 1ull << 12), 32);
    cache_release(&c);
}

static void caches_of_a_pool_behave_as_those_of_their_own(void **state)
{
    (void)state;
    enum { N = 3 };
    struct strata_cache_config g = config(30 * 128, 5, STRATA_INDEX_MIX, STRATA_REPL_AGED);
    struct cache_pool pool;
    struct cache pooled[N + 1], own[N + 1]; /* the last finds the pool used up */
    assert_int_equal(cache_pool_create(&g, N, &pool, NULL), STRATA_OK);
    for (uint64_t i = 0; i <= N; i++) {
        assert_int_equal(cache_create_in(&pool, &g, i, &pooled[i], NULL), STRATA_OK);
        assert_int_equal(cache_create(&g, i, &own[i], NULL), STRATA_OK);
    }
    assert_int_equal(pool.used, pool.bytes);
    uint64_t x = 1;
    for (uint32_t k = 0; k < 20000; k++) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        assert_int_equal(use(&pooled[k % (N + 1)], (x >> 40) % 90 * 128),
                         use(&own[k % (N + 1)], (x >> 40) % 90 * 128));
    }
    for (uint64_t i = 0; i <= N; i++) {
        assert_int_equal(pooled[i].evictions, own[i].evictions);
        cache_release(&pooled[i]);
        cache_release(&own[i]);
    }
    cache_pool_release(&pool);
}

/* Uses the line and has it persist. */
static void use_persisting(struct cache *c, uint64_t line)
{
    use(c, line);
    cache_persist(c, cache_find(c, line));
}

static uint32_t held_of(const struct cache *c, uint64_t from, uint64_t n)
{
    uint32_t held = 0;
    for (uint64_t i = from; i < from + n; i++)
        held += cache_find(c, i * 128) != CACHE_NONE;
    return held;
}

static void lines_that_persist_stay_and_others_have_the_rest(void **state)
{
    (void)state;
    enum { LINES = 64 * 16 };
    struct strata_cache_config g = config(LINES * 128, 16, STRATA_INDEX_MIX, STRATA_REPL_LRU);
    struct cache c;
    assert_int_equal(cache_create(&g, 1, &c, NULL), STRATA_OK);
    cache_set_aside(&c, 0.5);
    /* As many as fit, however unevenly the hash spreads them. */
    for (uint64_t i = 0; i < 400; i++)
        use_persisting(&c, i * 128);
    for (uint64_t i = 10000; i < 10000 + 8 * LINES; i++)
        use(&c, i * 128);
    assert_int_equal(held_of(&c, 0, 400), 400);
    assert_int_equal(c.n_persisting, 400);
    assert_int_equal(held_of(&c, 10000, 8 * LINES), LINES - 400);
    /* Let go they leave as any. */
    cache_let_all_go(&c);
    assert_int_equal(c.n_persisting, 0);
    for (uint64_t i = 30000; i < 30000 + 8 * LINES; i++)
        use(&c, i * 128);
    assert_int_equal(held_of(&c, 0, 400), 0);
    cache_release(&c);
}

static void beyond_what_is_set_aside_the_oldest_of_a_set_is_let_go(void **state)
{
    (void)state;
    struct strata_cache_config g = config(16 * 128, 16, STRATA_INDEX_LINEAR, STRATA_REPL_LRU);
    struct cache c;
    assert_int_equal(cache_create(&g, 1, &c, NULL), STRATA_OK);
    for (uint64_t i = 0; i < 4; i++)
        use_persisting(&c, i * 128); /* nothing is set aside */
    assert_int_equal(c.n_persisting, 0);
    cache_set_aside(&c, 0.25);
    for (uint64_t i = 0; i < 6; i++)
        use_persisting(&c, i * 128);
    assert_int_equal(c.n_persisting, 4);
    for (uint64_t i = 100; i < 200; i++)
        use(&c, i * 128);
    assert_int_equal(held_of(&c, 0, 2), 0);
    assert_int_equal(held_of(&c, 2, 4), 4);
    /* One that is taken out, and one whose set has no other, count no more. */
    cache_remove(&c, cache_find(&c, 2 * 128));
    assert_int_equal(c.n_persisting, 3);
    cache_set_aside(&c, 1);
    for (uint64_t i = 300; i < 320; i++)
        use_persisting(&c, i * 128);
    assert_int_equal(c.n_persisting, 16);
    assert_int_equal(held_of(&c, 304, 16), 16);
    cache_release(&c);
}

static void impossible_caches_are_refused_with_a_sentence(void **state)
{
    (void)state;
    struct strata_cache_config g = config(64, 1, STRATA_INDEX_LINEAR, STRATA_REPL_LRU);
    struct cache c;
    struct strata_error err;
    assert_int_equal(cache_create(&g, 1, &c, &err), STRATA_ECONFIG);
    assert_non_null(strstr(err.message, "64 bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_and_fifo_equal_brute_force),
        cmocka_unit_test(a_removed_line_is_gone_and_its_place_is_used_again),
        cmocka_unit_test(coarse_ages_keep_part_of_a_footprint_above_the_size),
        cmocka_unit_test(a_set_of_tags_holds_its_ways_although_the_data_has_room),
        cmocka_unit_test(unequal_sets_hold_what_they_list),
        cmocka_unit_test(the_fermi_index_is_that_of_the_figure),
        cmocka_unit_test(caches_of_a_pool_behave_as_those_of_their_own),
        cmocka_unit_test(lines_that_persist_stay_and_others_have_the_rest),
        cmocka_unit_test(beyond_what_is_set_aside_the_oldest_of_a_set_is_let_go),
        cmocka_unit_test(impossible_caches_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
