/* Tables 2 to 5 of paper 000: every row, time step by time step. Threads take turns without waiting
 * for their data, as in the tables; lines have 4 elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "reuse/timed.h"

#define INF REUSE_COLD
enum { ELEMENT_BYTES = 4, LINE_BYTES = 16 };

struct row {
    uint64_t time;
    int instruction, thread;
    uint64_t address, line;
    uint32_t distance;
    int hit; /* 1 hit, 0 miss, -1 cancelled */
    uint64_t latency, effect_at;
    uint32_t mshrs_before, mshrs_after;
};

static struct timed_options options(uint32_t lines, uint32_t hit, uint32_t miss)
{
    struct timed_options o = {.hit_steps = hit, .miss_steps = miss, .mshr_merge = true, .seed = 1};
    o.cache.size_bytes = (uint64_t)lines * LINE_BYTES;
    o.cache.line_bytes = o.cache.sector_bytes = LINE_BYTES;
    return o;
}

/* The kernel of the tables: thread t loads x[2 t], then x[2 t + 1]. */
static void run(const struct timed_options *o, const int *thread, int n_threads,
                const struct row *want, int n_rows, bool mshr_rows)
{
    struct timed_cache c;
    struct strata_error err;
    int next[8] = {0}, queue[64], head = 0, tail = 0;
    assert_int_equal(timed_init(&c, o, &err), STRATA_OK);
    for (int i = 0; i < n_threads; i++)
        queue[tail++] = thread[i];
    for (int r = 0; r < n_rows; r++) {
        const struct row *w = &want[r];
        int t = queue[head++];
        uint64_t address = (uint64_t)(2 * t + next[t]), line = address * ELEMENT_BYTES / LINE_BYTES,
                 delay;
        struct timed_access a;
        unsigned done;
        assert_int_equal(
            timed_issue(&c, (uint32_t)t, &line, NULL, 1, w->time, &done, &delay, &a, &err),
            STRATA_OK);
        assert_int_equal(w->time, r);
        assert_int_equal(w->thread, t);
        assert_int_equal(w->instruction, next[t]);
        assert_int_equal(w->address, address);
        assert_int_equal(w->line, line);
        assert_int_equal(w->distance, a.distance);
        assert_int_equal(w->hit, a.cancelled ? -1 : a.hit);
        assert_int_equal(done, w->hit >= 0);
        if (done) {
            assert_int_equal(w->latency, a.latency);
            assert_int_equal(w->effect_at, a.effect_at);
            next[t]++;
        }
        if (mshr_rows) {
            assert_int_equal(w->mshrs_before, a.mshrs_before);
            if (done)
                assert_int_equal(w->mshrs_after, a.mshrs_after);
        }
        if (next[t] < 2)
            queue[tail++] = t;
    }
    assert_int_equal(head, tail);
    uint64_t kinds = 0;
    for (int k = 0; k < TIMED_N_KINDS; k++)
        kinds += c.kind[k];
    assert_int_equal(kinds, c.misses);
    timed_release(&c);
}

static const int four[] = {0, 1, 2, 3};

static void table_2_round_robin_without_latencies(void **state)
{
    (void)state;
    /* without latency an effect comes at once: the next access sees it */
    const struct row rows[] = {
        {0, 0, 0, 0, 0, INF, 0, 0, 0, 0, 0}, {1, 0, 1, 2, 0, 0, 1, 0, 1, 0, 0},
        {2, 0, 2, 4, 1, INF, 0, 0, 2, 0, 0}, {3, 0, 3, 6, 1, 0, 1, 0, 3, 0, 0},
        {4, 1, 0, 1, 0, 1, 1, 0, 4, 0, 0},   {5, 1, 1, 3, 0, 0, 1, 0, 5, 0, 0},
        {6, 1, 2, 5, 1, 1, 1, 0, 6, 0, 0},   {7, 1, 3, 7, 1, 0, 1, 0, 7, 0, 0},
    };
    struct timed_options o = options(4, 0, 0);
    run(&o, four, 4, rows, 8, false);
}

static void table_3_fixed_latencies(void **state)
{
    (void)state;
    const struct row rows[] = {
        {0, 0, 0, 0, 0, INF, 0, 2, 2, 0, 0}, {1, 0, 1, 2, 0, INF, 0, 2, 3, 0, 0},
        {2, 0, 2, 4, 1, INF, 0, 2, 4, 0, 0}, {3, 0, 3, 6, 1, INF, 0, 2, 5, 0, 0},
        {4, 1, 0, 1, 0, 0, 1, 2, 6, 0, 0},   {5, 1, 1, 3, 0, 1, 1, 2, 7, 0, 0},
        {6, 1, 2, 5, 1, 0, 1, 2, 8, 0, 0},   {7, 1, 3, 7, 1, 1, 1, 2, 9, 0, 0},
    };
    struct timed_options o = options(4, 2, 2);
    run(&o, four, 4, rows, 8, false);
}

static void table_4_conditional_latencies(void **state)
{
    (void)state;
    const struct row rows[] = {
        {0, 0, 0, 0, 0, INF, 0, 2, 2, 0, 0}, {1, 0, 1, 2, 0, INF, 0, 2, 3, 0, 0},
        {2, 0, 2, 4, 1, INF, 0, 2, 4, 0, 0}, {3, 0, 3, 6, 1, INF, 0, 2, 5, 0, 0},
        {4, 1, 0, 1, 0, 0, 1, 0, 4, 0, 0},   {5, 1, 1, 3, 0, 0, 1, 0, 5, 0, 0},
        {6, 1, 2, 5, 1, 1, 1, 0, 6, 0, 0},   {7, 1, 3, 7, 1, 0, 1, 0, 7, 0, 0},
    };
    struct timed_options o = options(2, 0, 2);
    run(&o, four, 4, rows, 8, false);
}

/* The sentence after table 4: the request of time 1 takes effect at 2 instead of 3. */
static void table_4_clipped_to_the_request_in_flight(void **state)
{
    (void)state;
    const struct row rows[] = {
        {0, 0, 0, 0, 0, INF, 0, 2, 2, 0, 0},
        {1, 0, 1, 2, 0, INF, 0, 2, 2, 0, 0},
        {2, 0, 2, 4, 1, INF, 0, 2, 4, 0, 0},
        {3, 0, 3, 6, 1, INF, 0, 2, 4, 0, 0},
    };
    struct timed_options o = options(2, 0, 2);
    struct timed_cache c;
    struct strata_error err;
    o.clip = true;
    assert_int_equal(timed_init(&c, &o, &err), STRATA_OK);
    for (int r = 0; r < 4; r++) {
        struct timed_access a;
        uint64_t delay;
        unsigned done;
        assert_int_equal(timed_issue(&c, (uint32_t)r, &rows[r].line, NULL, 1, rows[r].time, &done,
                                     &delay, &a, &err),
                         STRATA_OK);
        assert_int_equal(a.effect_at, rows[r].effect_at);
        assert_int_equal(a.distance, rows[r].distance);
    }
    assert_int_equal(c.kind[TIMED_COMPULSORY], 2);
    assert_int_equal(c.kind[TIMED_LATENCY], 2);
    timed_release(&c);
}

static void table_5_one_miss_status_holding_register(void **state)
{
    (void)state;
    const int two[] = {0, 2};
    const struct row rows[] = {
        {0, 0, 0, 0, 0, INF, 0, 2, 2, 0, 1}, {1, 0, 2, 4, 1, INF, -1, 0, 0, 1, 0},
        {2, 1, 0, 1, 0, 0, 1, 0, 2, 0, 0},   {3, 0, 2, 4, 1, INF, 0, 2, 5, 0, 1},
        {4, 1, 2, 5, 1, INF, 0, 2, 6, 1, 1},
    };
    struct timed_options o = options(2, 0, 2);
    o.mshrs = 1;
    run(&o, two, 2, rows, 5, true);
}

/* Beyond the paper: a cache of two lines with sectors. Each row: the line, the sectors asked for,
 * misses so far and of those the ones of sectors nobody had asked for. */
static void a_miss_brings_the_sectors_asked_for(void **state)
{
    (void)state;
    static const struct {
        uint64_t line;
        uint8_t sectors;
        uint64_t misses, compulsory;
    } rows[] = {
        {0, 1, 1, 1},  {0, 1, 1, 1}, /* the sector is there */
        {0, 3, 2, 2},                /* its neighbour is not */
        {0, 3, 2, 2},                /* now it is */
        {1, 15, 6, 6}, {2, 1, 7, 7}, /* line 0 leaves */
        {0, 2, 8, 7},  {0, 1, 9, 8}, /* what it had is lost; it comes back sector by sector */
        {0, 3, 9, 8},
    };
    struct timed_options o = options(2, 0, 0);
    struct timed_cache c;
    struct strata_error err;
    unsigned made;
    uint64_t delay;
    o.sectored = true;
    assert_int_equal(timed_init(&c, &o, &err), STRATA_OK);
    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        assert_int_equal(timed_issue(&c, 0, &rows[r].line, &rows[r].sectors, 1, r + 1, &made,
                                     &delay, NULL, &err),
                         STRATA_OK);
        assert_int_equal(rows[r].misses, c.misses);
        assert_int_equal(rows[r].compulsory, c.kind[TIMED_COMPULSORY]);
    }
    assert_int_equal(c.accesses, 1 + 1 + 2 + 2 + 4 + 1 + 1 + 1 + 2);
    timed_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_2_round_robin_without_latencies),
        cmocka_unit_test(table_3_fixed_latencies),
        cmocka_unit_test(table_4_conditional_latencies),
        cmocka_unit_test(table_4_clipped_to_the_request_in_flight),
        cmocka_unit_test(table_5_one_miss_status_holding_register),
        cmocka_unit_test(a_miss_brings_the_sectors_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
