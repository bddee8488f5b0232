/* Walks by column: what is kept of an access says the same of the next one as coalescing does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "memory/column_walk.h"

static struct strata_coalescer rule = {.line_shift = 7, .sector_shift = 5};
static struct strata_inst load = {.width_bytes = 4, .space = STRATA_SPACE_GLOBAL};

static struct strata_winst access_of(uint64_t base, int32_t stride, uint32_t mask)
{
    return (struct strata_winst){.inst = &load,
                                 .mask = mask,
                                 .addr_kind = STRATA_ADDR_STRIDE,
                                 .base = base,
                                 .stride = stride};
}

static void its_requests_are_those_of_coalescing(void **state)
{
    (void)state;
    const int32_t stride[] = {128, 4096, -16384, 384};
    const uint32_t mask[] = {~0u, 0x7c, 0xaaaaaaaa, 0x8000f0f0}, width[] = {1, 4, 8, 16};
    for (unsigned i = 0; i < 4 * 4 * 4; i++) {
        struct column_walk walk[COLUMN_WALKS] = {{0}};
        struct strata_request want[STRATA_MAX_REQUESTS], got[STRATA_MAX_REQUESTS];
        load.width_bytes = width[i / 16];
        struct strata_winst w = access_of(0x7f0000100050, stride[i % 4], mask[i / 4 % 4]);
        assert_non_null(column_walk_of(walk, &rule, &w));
        unsigned n = strata_coalesce(&rule, &w, 0, want);
        assert_int_equal(column_walk_requests(&rule, &w, got), n);
        assert_memory_equal(got, want, n * sizeof *got);
    }
    load.width_bytes = 4;
}

static void accesses_of_other_shapes_are_not_kept(void **state)
{
    (void)state;
    struct column_walk walk[COLUMN_WALKS] = {{0}};
    const struct strata_winst other[] = {
        access_of(0x1000, 4, ~0u), access_of(0x1000, 0, ~0u), access_of(0x1000, 64, ~0u),
        access_of(0x107e, 128, ~0u), /* from one line into the next */
        access_of(0x1000, 128, 0xf)};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_null(column_walk_of(walk, &rule, &other[i]));
    struct strata_winst listed = access_of(0x1000, 128, ~0u);
    listed.addr_kind = STRATA_ADDR_LIST;
    assert_null(column_walk_of(walk, &rule, &listed));
}

static void a_step_along_the_lines_fits_and_another_walk_does_not(void **state)
{
    (void)state;
    struct column_walk walk[COLUMN_WALKS] = {{0}};
    struct strata_request r[STRATA_MAX_REQUESTS];
    uint32_t slot[STRATA_WARP_SIZE];
    struct strata_winst w = access_of(0x10000, 512, ~0u), next = access_of(0x10004, 512, ~0u),
                        line = access_of(0x10080, 512, ~0u), wide = access_of(0x10004, 1024, ~0u),
                        fewer = access_of(0x10004, 512, 0xffff);
    for (uint32_t i = 0; i < STRATA_WARP_SIZE; i++)
        slot[i] = i ? 40 + i : CACHE_NONE;
    struct column_walk *k = column_walk_of(walk, &rule, &w);
    assert_false(column_walk_fits(k, &rule, &w));
    column_walk_keep(k, r, strata_coalesce(&rule, &w, 0, r), &w, 8, slot);
    assert_true(column_walk_fits(k, &rule, &w));
    assert_ptr_equal(column_walk_of(walk, &rule, &next), k);
    assert_true(column_walk_fits(k, &rule, &next));
    assert_false(column_walk_fits(k, &rule, &line));
    assert_false(column_walk_fits(k, &rule, &wide));
    assert_false(column_walk_fits(k, &rule, &fewer));
    assert_int_equal(k->tag_cycles, 8);
    assert_int_equal(k->slot[0], CACHE_NONE);
    assert_int_equal(k->slot[31], 71);
}

/* Sixteen lines of a cache, in slots that the walk knows, with two sectors each. */
static void fill(struct cache *c, struct column_walk *k)
{
    const struct strata_cache_config config = {.size_bytes = 64 * 128,
                                               .line_bytes = 128,
                                               .sector_bytes = 32,
                                               .replacement = STRATA_REPL_LRU};
    assert_int_equal(cache_create(&config, 1, c, NULL), STRATA_OK);
    *k = (struct column_walk){.line = 0x8000, .stride = 512, .mask = 0x55555555};
    for (unsigned i = 0; i < 16; i++) {
        uint32_t slot = k->slot[i] = cache_insert(c, 0x8000 + i * 1024, NULL);
        c->slot[slot].valid = 3;
        c->slot[slot].ready[0] = 10 + i;
        c->slot[slot].ready[1] = i == 7 ? 500 : 20;
    }
}

static void a_run_uses_lines_until_one_is_not_there(void **state)
{
    (void)state;
    struct cache c;
    struct column_walk k;
    uint64_t ready = 5;
    fill(&c, &k);
    uint32_t clock = c.clock;
    assert_true(column_walk_may_run(&c));
    assert_int_equal(column_walk_run(&k, &c, 1, &ready), 16);
    assert_int_equal(ready, 25);
    for (unsigned i = 0; i < 16; i++) /* the youngest last, as 16 uses make them */
        assert_int_equal(c.age[k.slot[i]], clock + i + 1);
    assert_int_equal(column_walk_run(&k, &c, 3, &ready), 16);
    assert_int_equal(ready, 500);
    assert_int_equal(column_walk_run(&k, &c, 4, &ready), 0); /* a sector that none has */
    c.slot[k.slot[9]].partial = 1;
    assert_int_equal(column_walk_run(&k, &c, 1, &ready), 9);
    c.slot[k.slot[6]].line += 128; /* another line has taken its place */
    clock = c.clock;
    assert_int_equal(column_walk_run(&k, &c, 1, &ready), 6);
    assert_int_equal(c.clock, clock + 6);
    k.slot[2] = CACHE_NONE;
    assert_int_equal(column_walk_run(&k, &c, 1, &ready), 2);
    cache_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_requests_are_those_of_coalescing),
        cmocka_unit_test(accesses_of_other_shapes_are_not_kept),
        cmocka_unit_test(a_step_along_the_lines_fits_and_another_walk_does_not),
        cmocka_unit_test(a_run_uses_lines_until_one_is_not_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
