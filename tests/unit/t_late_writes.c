/* Write-backs of lines that were written in part, as scatter_probe.cu shows them on an H200. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "h200fix.h"
#include "memory/hierarchy.h"

static void writes_leave_in_order_when_their_lines_are_whole(void **state)
{
    (void)state;
    struct late_writes l = {0};
    struct late_write w;
    assert_true(late_writes_init(&l));
    assert_false(late_writes_take(&l, 1000, &w));
    late_writes_put(&l, (struct late_write){128, 500, 1});
    late_writes_put(&l, (struct late_write){256, 400, 2});
    assert_false(late_writes_take(&l, 499, &w)); /* the second one waits behind the first */
    assert_true(late_writes_take(&l, 500, &w) && w.line == 128);
    assert_true(late_writes_take(&l, 500, &w) && w.line == 256 && w.n_sectors == 2);
    assert_false(late_writes_take(&l, 500, &w));
    late_writes_release(&l);
}

static void the_first_leaves_early_where_there_is_no_more_room(void **state)
{
    (void)state;
    struct late_writes l = {0};
    struct late_write w;
    assert_true(late_writes_init(&l));
    for (uint32_t i = 0; i < LATE_WRITES_MOST; i++)
        late_writes_put(&l, (struct late_write){128 * (uint64_t)i, 1000, 1});
    assert_true(late_writes_take(&l, 0, &w) && w.line == 0);
    assert_false(late_writes_take(&l, 0, &w));
    late_writes_release(&l);
}

struct strewn {
    uint64_t taken;  /* when the L2 has taken the last word */
    uint64_t rows;   /* that were opened */
    uint64_t in_all; /* sectors read and written */
};
/* A word each of so many lines drawn from 256 MB is stored, 32 in a cycle
 * where none has to wait. */
static struct strewn strew(const struct strata_gpu *g, uint32_t words)
{
    static struct hierarchy m;
    struct strata_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct store_line store = {.sectors = 1, .bytes = {{15}}};
    struct strewn r = {0};
    assert_int_equal(hierarchy_init(&m, g, &launch, 128 << 10, 1, NULL, NULL), STRATA_OK);
    for (uint32_t i = 0; i < words; i++) {
        store.line = (i * 2654435761u >> 11) * 128ull;
        m.now = later_of(100 + i / 32, r.taken);
        r.taken = later_of(r.taken, hierarchy_l2_write(&m, 0, &store, m.now));
    }
    r.rows = m.count.row_misses;
    r.in_all = m.count.dram_read + m.count.dram_write;
    hierarchy_release(&m);
    return r;
}

static void stores_of_words_wait_for_the_lines_that_they_make_leave(void **state)
{
    (void)state;
    enum { WORDS = 1 << 20 };
    struct strata_gpu g = h200;
    g.l2.dirty_at_start_bytes = 0;
    struct strewn wait = strew(&g, WORDS);
    g.l2.clean_wait_cycles = 0;
    struct strewn free = strew(&g, WORDS);
    double a_cycle = (double)wait.in_all / (double)wait.taken;
    assert_int_equal(wait.in_all, free.in_all);
    assert_true(a_cycle > 14 && a_cycle < 18); /* 16.3 on the card */
    assert_true(free.taken < wait.taken / 2);
    /* The write of a line opens its row once more than what is read of it. */
    assert_true(wait.rows > wait.in_all * 8 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_leave_in_order_when_their_lines_are_whole),
        cmocka_unit_test(the_first_leaves_early_where_there_is_no_more_room),
        cmocka_unit_test(stores_of_words_wait_for_the_lines_that_they_make_leave),
    };
    return cmocka_run_group_tests(tests, load_h200, NULL);
}
