/* t_generate.c - synthetic traces: what each kind is known to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <strata/coalesce.h>
#include <strata/generate.h>

static struct strata_trace *make(const char *kind, const char *const *settings)
{
    struct strata_trace *t;
    struct strata_error err = {.message = ""};
    if (strata_generate(kind, settings, &t, &err) != STRATA_OK)
        fail_msg("%s", err.message);
    return t;
}

/* What a test wants to see of every executed instruction. */
typedef void (*visitor)(void *context, uint64_t block, uint32_t warp, const struct strata_winst *w);

static void visit(struct strata_trace *t, visitor see, void *context)
{
    struct strata_reader *r;
    struct strata_block *b;
    struct strata_cursor c;
    struct strata_winst w;
    memset(&c, 0, sizeof c);
    assert_int_equal(strata_reader_open(t, 0, &r, NULL), STRATA_OK);
    while (strata_reader_next(r, &b, NULL) == STRATA_OK) {
        for (uint32_t warp = 0; warp < b->n_warps; warp++) {
            assert_int_equal(strata_cursor_init(&c, b, warp, NULL), STRATA_OK);
            while (strata_cursor_next(&c, &w))
                see(context, b->index, warp, &w);
        }
        strata_block_destroy(b);
    }
    strata_cursor_release(&c);
    strata_reader_close(r);
}

struct totals {
    uint64_t inst, exits, loads, stores, load_sectors, store_sectors, shared, barriers, lanes;
    uint64_t last_block;
    uint32_t last_warp;
    bool ended; /* the last instruction seen was EXIT */
    uint64_t hash;
    struct strata_coalescer coalescer;
};

static void count(void *context, uint64_t block, uint32_t warp, const struct strata_winst *w)
{
    struct totals *n = context;
    struct strata_request request[STRATA_MAX_REQUESTS];
    uint64_t addr[STRATA_WARP_SIZE];
    if (n->inst && (block != n->last_block || warp != n->last_warp))
        assert_true(n->ended);
    n->last_block = block;
    n->last_warp = warp;
    n->ended = w->inst->opclass == STRATA_OP_EXIT;
    n->inst++;
    n->exits += n->ended;
    n->barriers += w->inst->opclass == STRATA_OP_BARRIER;
    n->hash = (n->hash ^ w->mask ^ (uint64_t)w->inst_index << 32) * 0x100000001b3ull;
    if (w->inst->opclass != STRATA_OP_MEM)
        return;
    strata_winst_addresses(w, addr);
    for (unsigned l = 0; l < STRATA_WARP_SIZE; l++)
        n->hash = (n->hash ^ addr[l]) * 0x100000001b3ull;
    if (w->inst->space == STRATA_SPACE_SHARED) {
        n->shared++;
        return;
    }
    unsigned requests = strata_coalesce(&n->coalescer, w, 0, request);
    bool load = w->inst->memop == STRATA_MEM_LOAD;
    *(load ? &n->loads : &n->stores) += 1;
    *(load ? &n->load_sectors : &n->store_sectors) += strata_count_sectors(request, requests);
    for (uint32_t m = w->mask; m; m &= m - 1)
        n->lanes++;
}

static struct totals totals_of(const char *kind, const char *const *settings)
{
    struct totals n = {0};
    struct strata_gpu gpu = {.sm_version = 90};
    struct strata_trace *t = make(kind, settings);
    gpu.coalesce.rule = STRATA_COALESCE_SECTOR;
    strata_coalescer_init(&n.coalescer, &gpu, NULL);
    visit(t, count, &n);
    const struct strata_launch *l = strata_trace_launch(t, 0);
    assert_int_equal(n.exits, strata_launch_blocks(l) * strata_launch_warps_per_block(l));
    assert_true(n.ended);
    strata_trace_close(t);
    return n;
}
#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void every_kind_works_with_its_defaults_and_is_the_same_every_time(void **state)
{
    size_t n;
    const struct strata_generate_kind *const *kind = strata_generate_kinds(&n);
    (void)state;
    assert_int_equal(n, 10);
    for (size_t i = 0; i < n; i++) {
        struct totals first = totals_of(kind[i]->name, NULL),
                      again = totals_of(kind[i]->name, NULL);
        assert_true(first.loads > 0);
        assert_int_equal(first.hash, again.hash);
        assert_int_equal(first.inst, again.inst);
    }
}

/* Paper 000, section 4.4: every thread reads and writes a row of 1024; nothing is coalesced. */
static void column_copy_moves_every_element_uncoalesced(void **state)
{
    struct totals n = totals_of("column-copy", SETTINGS("height=96", "width=1024"));
    (void)state;
    assert_int_equal(n.loads, 3 * 1024);
    assert_int_equal(n.load_sectors, 96 * 1024);
    assert_int_equal(n.store_sectors, 96 * 1024);
    n = totals_of("column-copy", SETTINGS("height=1030", "width=8"));
    assert_int_equal(n.lanes, 2 * 1030 * 8);
}

static void stream_moves_whole_sectors(void **state)
{
    struct totals n = totals_of("stream", SETTINGS("elements=4096", "bytes=16", "reads=2"));
    (void)state;
    assert_int_equal(n.load_sectors, 2 * 4096 * 4 / 32);
    assert_int_equal(n.store_sectors, 4096 * 4 / 32);
    n = totals_of("stream", SETTINGS("elements=100", "bytes=4", "threads=64"));
    assert_int_equal(n.lanes, 200);
}

static void stencils_load_each_inner_point_with_its_neighbours(void **state)
{
    struct totals n = totals_of("stencil2d", SETTINGS("nx=64", "ny=33", "rows=1"));
    (void)state;
    assert_int_equal(n.lanes, 62 * 31 * 6);
    n = totals_of("stencil2d", SETTINGS("nx=64", "ny=33", "rows=4"));
    assert_int_equal(n.lanes, 62 * 31 * 6);
    n = totals_of("stencil3d", SETTINGS("nx=40", "ny=12", "nz=9"));
    assert_int_equal(n.lanes, 38 * 10 * 7 * 8);
}

static void matrix_products_load_what_they_multiply(void **state)
{
    struct totals n = totals_of("matmul", SETTINGS("m=32", "n=48", "k=20"));
    (void)state;
    assert_int_equal(n.lanes, 32 * 48 * (2 * 20 + 1));
    /* two elements per thread and tile, one store */
    n = totals_of("matmul-tiled", SETTINGS("m=32", "n=48", "k=32", "tile=16"));
    assert_int_equal(n.lanes, 32 * 48 * (2 * 2 + 1));
    assert_int_equal(n.shared, 6 * 8 * 2 * (2 + 2 * 16)); /* blocks, warps, tiles, puts and gets */
    assert_int_equal(n.barriers, 6 * 8 * 2 * 2);
    /* sizes that are no multiple of the tile */
    n = totals_of("matmul-tiled", SETTINGS("m=5", "n=7", "k=9", "tile=4"));
    assert_int_equal(n.lanes, 5 * 9 * 2 + 7 * 9 * 2 + 5 * 7);
}

static void broadcast_touches_one_sector_a_load(void **state)
{
    struct totals n = totals_of("broadcast", SETTINGS("iterations=10", "blocks=2", "threads=64"));
    (void)state;
    assert_int_equal(n.loads, 40);
    assert_int_equal(n.load_sectors, 40);
}

struct chase {
    uint8_t *seen;
    uint64_t n, loads;
};
static void mark(void *context, uint64_t block, uint32_t warp, const struct strata_winst *w)
{
    struct chase *c = context;
    uint64_t addr[STRATA_WARP_SIZE];
    (void)block;
    (void)warp;
    if (w->inst->opclass != STRATA_OP_MEM)
        return;
    strata_winst_addresses(w, addr);
    uint64_t element = (addr[0] - 0x200000000ull) / 64;
    assert_true(element < c->n);
    c->seen[element]++;
    c->loads++;
}

static void a_chase_comes_by_every_element_once_a_round(void **state)
{
    uint8_t seen[1000] = {0};
    struct chase c = {seen, 1000, 0};
    (void)state;
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        struct strata_trace *t =
            make("chase", SETTINGS("bytes=64000", "stride=64", "iterations=1000",
                                   shuffle ? "shuffle=1" : "shuffle=0"));
        visit(t, mark, &c);
        strata_trace_close(t);
    }
    assert_int_equal(c.loads, 2000);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(seen[i], 2);
}

static void the_seed_decides_what_is_gathered(void **state)
{
    struct totals a = totals_of("gather", SETTINGS("elements=1000", "seed=1"));
    struct totals b = totals_of("gather", SETTINGS("elements=1000", "seed=2"));
    struct totals c = totals_of("gather", SETTINGS("elements=1000", "table=1"));
    (void)state;
    assert_int_not_equal(a.hash, b.hash);
    assert_int_equal(a.lanes, 1000 * (4 * 2 + 1));
    assert_int_equal(c.load_sectors,
                     4 * (32 + 125)); /* one element to choose from: a sector each */
}

/* A block is the same whether it is made first or in its turn. */
static void blocks_can_be_made_in_any_order(void **state)
{
    struct strata_trace *t = make("gather", NULL);
    struct strata_reader *r;
    struct strata_block *turn = NULL, *first;
    (void)state;
    assert_int_equal(strata_reader_open(t, 0, &r, NULL), STRATA_OK);
    for (int i = 0; i <= 9; i++) {
        strata_block_destroy(turn);
        assert_int_equal(strata_reader_next(r, &turn, NULL), STRATA_OK);
    }
    assert_int_equal(strata_reader_seek(r, 9, NULL), STRATA_OK);
    assert_int_equal(strata_reader_next(r, &first, NULL), STRATA_OK);
    assert_int_equal(first->index, 9);
    assert_int_equal(first->warp_offset[first->n_warps], turn->warp_offset[turn->n_warps]);
    assert_memory_equal(first->bytes, turn->bytes, turn->warp_offset[turn->n_warps]);
    strata_block_destroy(turn);
    strata_block_destroy(first);
    assert_int_equal(strata_reader_seek(r, 256, NULL), STRATA_END);
    strata_reader_close(r);
    strata_trace_close(t);
}

static void wrong_settings_are_explained(void **state)
{
    static const struct {
        const char *kind, *setting, *says;
    } cases[] = {
        {"copy", NULL, "there is no kind of trace \"copy\"; there are: column-copy, stream"},
        {"stream", "size=3", "stream has no parameter \"size\"; it has: elements, bytes"},
        {"stream", "elements=0", "elements=0 is not a whole number from 1 to"},
        {"stream", "elements", "elements= is not a whole number"},
        {"stream", "elements=x", "elements=x is not"},
        {"stream", "elements=-1", "elements=-1 is not"},
        {"stream", "elements=99999999999999999999G", "is not a whole number"},
        {"stream", "bytes=12", "has to be 4, 8 or 16"},
        {"stencil2d", "threads_y=64", "at most 1024 threads"},
        {"chase", "stride=1Mi", "larger than the array"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strata_trace *t = (struct strata_trace *)&t;
        struct strata_error err;
        const char *settings[] = {cases[i].setting, NULL};
        assert_int_equal(strata_generate(cases[i].kind, settings, &t, &err), STRATA_EUSAGE);
        assert_null(t);
        if (!strstr(err.message, cases[i].says))
            fail_msg("expected \"%s\" in \"%s\"", cases[i].says, err.message);
    }
}

static void sizes_may_have_suffixes(void **state)
{
    struct totals a = totals_of("stream", SETTINGS("elements=4Ki")),
                  b = totals_of("stream", SETTINGS("elements=4096"));
    struct totals c = totals_of("stream", SETTINGS("elements=2k")),
                  d = totals_of("stream", SETTINGS("elements=2000"));
    (void)state;
    assert_int_equal(a.hash, b.hash);
    assert_int_equal(c.hash, d.hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_works_with_its_defaults_and_is_the_same_every_time),
        cmocka_unit_test(column_copy_moves_every_element_uncoalesced),
        cmocka_unit_test(stream_moves_whole_sectors),
        cmocka_unit_test(stencils_load_each_inner_point_with_its_neighbours),
        cmocka_unit_test(matrix_products_load_what_they_multiply),
        cmocka_unit_test(broadcast_touches_one_sector_a_load),
        cmocka_unit_test(a_chase_comes_by_every_element_once_a_round),
        cmocka_unit_test(the_seed_decides_what_is_gathered),
        cmocka_unit_test(blocks_can_be_made_in_any_order),
        cmocka_unit_test(wrong_settings_are_explained),
        cmocka_unit_test(sizes_may_have_suffixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
