/* Windows of persisting lines: the rule against what handover_probe measured on an H200, row by
 * row, and the shares that hit ratios stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memory/access_window.h"

/* The L2, all arrays and what goes to one block or one home are this much smaller than on the card:
 * sets have as many ways and lines, there are only fewer of them. */
enum { SMALLER = 32 };
#define MB      ((1ull << 20) / SMALLER)
#define ARRAY   0x7f0000000000ull
#define OTHERS  (ARRAY + 64 * MB)
#define FLUSHED (ARRAY + 128 * MB)

enum { PARTITIONS = 2, BLOCKS = 1056, BLOCK_BYTES = 4096 / SMALLER };
struct l2 {
    struct strata_gpu gpu;
    struct cache part[PARTITIONS];
    struct access_window window;
    uint64_t reads, hits, dram; /* of the launch, in lines */
};

static struct l2 *create(void)
{
    struct l2 *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->gpu.l2.cache = (struct strata_cache_config){.size_bytes = 60 * MB,
                                                   .line_bytes = 128,
                                                   .sector_bytes = 32,
                                                   .ways = 64,
                                                   .index_hash = STRATA_INDEX_MIX,
                                                   .replacement = STRATA_REPL_LRU};
    l->gpu.l2.persisting_max_bytes = 75 * MB / 2;
    l->gpu.l2.window_steps = 16;
    struct strata_cache_config half = l->gpu.l2.cache;
    half.size_bytes /= PARTITIONS;
    for (int i = 0; i < PARTITIONS; i++)
        assert_int_equal(cache_create(&half, 1 + (uint64_t)i, &l->part[i], NULL), STRATA_OK);
    return l;
}

static void destroy(struct l2 *l)
{
    for (int i = 0; i < PARTITIONS; i++)
        cache_release(&l->part[i]);
    free(l);
}

static uint32_t home_of(uint64_t line)
{
    line *= SMALLER;
    return (line >> 12 ^ line >> 13 ^ line >> 15 ^ line >> 17 ^ line >> 19) & 1;
}

static bool look_up(struct l2 *l, uint32_t part, uint64_t line)
{
    struct cache *c = &l->part[part];
    uint32_t slot = cache_find(c, line);
    bool hit = slot != CACHE_NONE;
    if (hit)
        cache_touch(c, slot);
    else
        slot = cache_insert(c, line, NULL);
    if (l->window.bytes && home_of(line) == part)
        access_window_use(&l->window, c, slot, line);
    return hit;
}

/* As the probe's kernel: blocks take 4 KB in turn, and each has an SM of one partition. */
static void run(struct l2 *l, const struct strata_launch *launch, uint64_t base, uint64_t bytes)
{
    for (int i = 0; i < PARTITIONS; i++)
        access_window_begin(&l->gpu, launch, &l->part[i]);
    l->window = access_window_of(&l->gpu, launch);
    l->reads = l->hits = l->dram = 0;
    for (uint64_t at = 0; at < bytes; at += 128) {
        uint32_t part = mix64(at / BLOCK_BYTES % BLOCKS) >> 20 & 1, home = home_of(base + at);
        bool hit = look_up(l, part, base + at);
        l->reads++;
        l->hits += hit;
        l->dram += !hit && (home == part || !look_up(l, home, base + at));
    }
}

static double distance(double a, double b)
{
    return a > b ? a - b : b - a;
}

struct row {
    char what[40];
    unsigned aside, window, others;
    double dram, reads, hits;
};

static bool next_row(FILE *f, struct row *r)
{
    return fscanf(f, "%*[^,],aside_%u_window_%u_others_%u,%39[^,],%*[^,],%lf,%*[^,],%lf,%lf\n",
                  &r->aside, &r->window, &r->others, r->what, &r->dram, &r->reads, &r->hits) == 7;
}

static void follow(struct l2 *l, const struct row *r)
{
    bool flushes = !strcmp(r->what, "flush"), own = !strncmp(r->what, "read", 4);
    struct strata_launch launch = {.persisting_bytes = r->aside * MB, .persisting_reset = flushes};
    if (!flushes)
        launch.window = (struct strata_access_window){
            ARRAY, r->window * MB, 1, STRATA_ACCESS_PERSISTING, STRATA_ACCESS_NORMAL};
    run(l, &launch,
        flushes ? FLUSHED
        : own   ? ARRAY
                : OTHERS,
        (flushes ? 80
         : own   ? r->window
                 : r->others) *
            MB);
}

static void the_rule_follows_the_card(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/device/probe/results/window-counters.csv",
             getenv("STRATA_SOURCE"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%*[^\n]\n"), 0);
    struct l2 *l = create();
    double hit_points = 0, dram_points = 0;
    int n = 0;
    for (struct row r; next_row(f, &r); n++) {
        follow(l, &r);
        double reads = (double)l->reads;
        hit_points += 100 * distance((double)l->hits / reads, r.hits / r.reads);
        dram_points += 100 * distance((double)l->dram / reads, r.dram / r.reads);
    }
    fclose(f);
    destroy(l);
    print_message("%d launches: hit rate off by %.2f points, reads of DRAM by %.2f %% of all\n", n,
                  hit_points / n, dram_points / n);
    assert_int_equal(n, 180);
    assert_true(hit_points / n < 1.5); /* without windows 4.3 */
    assert_true(dram_points / n < 2);  /* 6.2 */
}

/* Of a window of ratio 1/2 the card keeps 9 in 16 lines (probe survive). */
static void a_ratio_is_the_next_step_above(void **state)
{
    (void)state;
    static const struct {
        float ratio;
        double kept;
    } cases[] = {{0, 0}, {0.5f, 9.0 / 16}, {0.25f, 5.0 / 16}, {1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct l2 *l = create();
        struct strata_launch launch = {.persisting_bytes = 30 * MB,
                                       .window = {ARRAY, 16 * MB, cases[i].ratio,
                                                  STRATA_ACCESS_PERSISTING, STRATA_ACCESS_NORMAL}};
        run(l, &launch, ARRAY, 16 * MB);
        run(l, &(struct strata_launch){.persisting_bytes = 30 * MB}, FLUSHED, 256 * MB);
        run(l, &(struct strata_launch){.persisting_bytes = 30 * MB}, ARRAY, 16 * MB);
        assert_true(distance(1 - (double)l->dram / (double)l->reads, cases[i].kept) < 0.03);
        destroy(l);
    }
}

static void a_window_that_is_normal_lets_lines_go(void **state)
{
    (void)state;
    struct l2 *l = create();
    struct strata_launch launch = {
        .persisting_bytes = 30 * MB,
        .window = {ARRAY, 16 * MB, 1, STRATA_ACCESS_PERSISTING, STRATA_ACCESS_NORMAL}};
    run(l, &launch, ARRAY, 16 * MB);
    assert_int_equal(l->part[0].n_persisting + l->part[1].n_persisting, 16 * MB / 128);
    launch.window.hit = STRATA_ACCESS_STREAMING; /* not followed: nothing changes */
    run(l, &launch, ARRAY, 16 * MB);
    assert_int_equal(l->part[0].n_persisting + l->part[1].n_persisting, 16 * MB / 128);
    launch.window.hit = STRATA_ACCESS_NORMAL;
    run(l, &launch, ARRAY, 16 * MB);
    /* Those that were read at their home; copies elsewhere answered for the others. */
    assert_true(l->part[0].n_persisting + l->part[1].n_persisting < 16 * MB / 128 * 6 / 10);
    destroy(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_follows_the_card),
        cmocka_unit_test(a_ratio_is_the_next_step_above),
        cmocka_unit_test(a_window_that_is_normal_lets_lines_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
