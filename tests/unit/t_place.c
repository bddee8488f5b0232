/* t_place.c - occupancy, carve-out and the order in which blocks are dealt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <strata/place.h>

static struct strata_gpu h200, titanv;

static int load_gpu(void **state)
{
    char path[1024];
    struct strata_error err;
    (void)state;
    snprintf(path, sizeof path, "%s/gpus/h200.yaml", getenv("STRATA_SOURCE"));
    if (strata_gpu_load(path, &h200, &err))
        return -1;
    snprintf(path, sizeof path, "%s/gpus/titanv-new.yaml", getenv("STRATA_SOURCE"));
    return strata_gpu_load(path, &titanv, &err) == STRATA_OK ? 0 : -1;
}

static struct strata_launch launch_of(uint32_t grid, uint32_t threads, uint32_t registers,
                                      uint32_t shared)
{
    return (struct strata_launch){.program = "test",
                                  .trace = "test",
                                  .kernel = "test",
                                  .grid = {grid, 1, 1},
                                  .block = {threads, 1, 1},
                                  .registers_per_thread = registers,
                                  .shared_static_bytes = shared,
                                  .sm_version = 90};
}

/* Launches as a profiler reported them on an H200: what they need and what it said. */
static const struct {
    uint32_t threads, registers, shared, config, by_registers, by_shared, by_warps;
} measured[] = {
    {256, 32, 0, 32768, 8, 32, 8},       {256, 20, 0, 32768, 10, 32, 8},
    {256, 16, 0, 32768, 16, 32, 8},      {32, 32, 0, 32768, 64, 32, 64},
    {128, 121, 12672, 135168, 4, 9, 16}, {128, 72, 8704, 135168, 7, 13, 16},
    {256, 52, 0, 32768, 4, 32, 8},       {128, 80, 0, 32768, 6, 32, 16},
    {128, 18, 0, 32768, 21, 32, 16},     {256, 18, 1088, 65536, 10, 30, 8},
    {512, 22, 0, 16384, 5, 16, 4},       {512, 16, 0, 16384, 8, 16, 4},
    {256, 34, 3072, 65536, 6, 16, 8},    {16, 32, 1024, 65536, 64, 32, 64},
    {32, 32, 3072, 135168, 64, 33, 64},  {256, 32, 2048, 65536, 8, 21, 8},
    {256, 24, 6144, 135168, 10, 18, 8},  {256, 24, 5120, 102400, 10, 16, 8},
};

static void occupancy_limits_and_carve_out_are_those_of_the_profiler(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++) {
        struct strata_occupancy o;
        struct strata_launch l =
            launch_of(1000, measured[i].threads, measured[i].registers, measured[i].shared);
        assert_int_equal(strata_occupancy_compute(&h200, &l, &o, NULL), STRATA_OK);
        assert_int_equal(o.shared_config_bytes, measured[i].config);
        assert_int_equal(o.limit_registers, measured[i].by_registers);
        assert_int_equal(o.limit_shared_mem, measured[i].by_shared);
        assert_int_equal(o.limit_warps, measured[i].by_warps);
        assert_int_equal(o.limit_blocks, 32);
        assert_int_equal(o.l1_bytes, 256 * 1024 - measured[i].config);
    }
}

/* Paper 004, section II: the driver takes the least carve-out at which shared memory does not limit
 * the blocks of an SM, and none where a kernel has no shared memory. */
/* All launches of device/probe/carve_probe.cu. */
static void every_carve_out_of_the_probe_is_the_drivers(void **state)
{
    char path[1024], line[256];
    size_t n = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/device/probe/results/h200-carve.csv", getenv("STRATA_SOURCE"));
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        unsigned threads, registers, fixed, dynamic, config;
        if (sscanf(line, "%u,%u,%u,%u,%u", &threads, &registers, &fixed, &dynamic, &config) != 5)
            continue; /* the names */
        struct strata_launch l = launch_of(1, threads, registers, fixed + dynamic);
        struct strata_occupancy o;
        struct strata_error err;
        assert_int_equal(strata_occupancy_compute(&h200, &l, &o, &err), STRATA_OK);
        if (o.shared_config_bytes != config)
            fail_msg("%s: %llu bytes", line, (unsigned long long)o.shared_config_bytes);
        n++;
    }
    fclose(in);
    assert_true(n > 400);
}

static void volta_leaves_the_l1_all_that_shared_memory_does_not_need(void **state)
{
    (void)state;
    static const struct {
        uint32_t threads, registers, shared_kb, config_kb, blocks;
    } cases[] = {{256, 32, 0, 0, 8},   {256, 32, 1, 8, 8},    {256, 32, 2, 16, 8},
                 {256, 32, 3, 32, 8},  {256, 32, 5, 64, 8},   {256, 32, 12, 96, 8},
                 {256, 32, 16, 96, 6}, {1024, 32, 16, 32, 2}, {256, 64, 8, 32, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strata_occupancy o;
        struct strata_launch l =
            launch_of(1000, cases[i].threads, cases[i].registers, cases[i].shared_kb << 10);
        assert_int_equal(strata_occupancy_compute(&titanv, &l, &o, NULL), STRATA_OK);
        assert_int_equal(o.shared_config_bytes, cases[i].config_kb << 10);
        assert_int_equal(o.l1_bytes, (128 - cases[i].config_kb) << 10);
        assert_int_equal(o.blocks_per_sm, cases[i].blocks);
    }
}

static void waves_are_blocks_by_what_the_gpu_holds(void **state)
{
    struct strata_occupancy o;
    struct strata_launch l = launch_of(1056, 256, 32, 0);
    (void)state;
    assert_int_equal(strata_occupancy_compute(&h200, &l, &o, NULL), STRATA_OK);
    assert_int_equal(o.blocks_per_sm, 8);
    assert_true(o.waves == 1.0);
}

static void a_block_that_fits_nowhere_is_an_error_that_says_why(void **state)
{
    struct strata_occupancy o;
    struct strata_error err;
    struct strata_launch big = launch_of(1, 1024, 255, 0), shared = launch_of(1, 32, 16, 300000);
    struct strata_launch none = launch_of(0, 32, 16, 0);
    (void)state;
    assert_int_equal(strata_occupancy_compute(&h200, &big, &o, &err), STRATA_ELIMIT);
    assert_non_null(strstr(err.message, "registers than an SM has"));
    big.regs_source = STRATA_REGS_ESTIMATE; /* a guess, and the launch was made */
    assert_int_equal(strata_occupancy_compute(&h200, &big, &o, &err), STRATA_OK);
    assert_int_equal(o.blocks_per_sm, 1);
    assert_int_equal(strata_occupancy_compute(&h200, &shared, &o, &err), STRATA_ELIMIT);
    assert_non_null(strstr(err.message, "shared memory than an SM has"));
    assert_int_equal(strata_occupancy_compute(&h200, &none, &o, &err), STRATA_EFORMAT);
}

/* ---- dispatch ---- */

struct grid {
    uint32_t threads, shared, blocks, last_sm;
    uint32_t sm[8192];
    uint32_t n;
};

static void read_grid(char *line, struct grid *g)
{
    char *at = line;
    g->threads = (uint32_t)strtoul(at, &at, 10);
    g->shared = (uint32_t)strtoul(at, &at, 10);
    g->blocks = (uint32_t)strtoul(at, &at, 10);
    g->last_sm = (uint32_t)strtoul(at, &at, 10);
    for (g->n = 0; *at == ' ';) {
        uint32_t from = (uint32_t)strtoul(at, &at, 10),
                 to = *at == '-' ? (uint32_t)strtoul(at + 1, &at, 10) : from;
        for (; from <= to; from++)
            g->sm[g->n++] = from;
    }
}

/* Index of an SM's cluster or single TPC, by the GPU file. */
static void where(uint32_t sm, int *cluster, int *single)
{
    uint32_t c = 0;
    for (uint32_t i = 0; i < h200.launch.n_order; i++) {
        if (i > h200.launch.singles)
            c += h200.launch.gpc_of_sm[h200.launch.order[i]] !=
                 h200.launch.gpc_of_sm[h200.launch.order[i - 1]];
        if (h200.launch.order[i] == sm) {
            *single = i < h200.launch.singles ? (int)i / 2 : -1;
            *cluster = i < h200.launch.singles ? -1 : (int)c;
        }
    }
}

/* Whose turn it was when the grid began: visible in the first block outside and inside the singles.
 */
static struct strata_dispatch_state start_of(const struct grid *g)
{
    struct strata_dispatch_state s = {0, 0};
    int cluster = -1, single = -1;
    where(g->sm[0], &cluster, &single);
    assert_true(single >= 0);
    s.single = (uint32_t)single;
    for (uint32_t i = 0; i < g->n; i++) {
        where(g->sm[i], &cluster, &single);
        if (cluster >= 0) {
            s.cluster = (uint32_t)cluster;
            break;
        }
    }
    return s;
}

static uint32_t check_grid(const struct grid *g)
{
    struct strata_launch l = launch_of(g->blocks, g->threads, 16, g->shared);
    struct strata_occupancy o;
    struct strata_dispatcher *d;
    struct strata_dispatch_state start = start_of(g);
    uint64_t block;
    uint32_t sm, n = 0;
    assert_int_equal(strata_occupancy_compute(&h200, &l, &o, NULL), STRATA_OK);
    assert_int_equal(strata_dispatcher_create(&h200, g->blocks, o.blocks_per_sm, &start, &d, NULL),
                     STRATA_OK);
    while (strata_dispatcher_first(d, &block, &sm)) {
        assert_int_equal(block, n);
        assert_true(n < g->n);
        if (sm != g->sm[n])
            fail_msg(
                "grid of %u blocks of %u threads: block %u is dealt to SM %u, but was on SM %u",
                g->blocks, g->threads, n, sm, g->sm[n]);
        n++;
    }
    strata_dispatcher_destroy(d);
    assert_int_equal(n, g->n);
    return n;
}

static FILE *open_fixture(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/dispatch-h200.txt", getenv("STRATA_SOURCE"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    return f;
}

static bool next_grid(FILE *f, struct grid *g)
{
    char *line = NULL;
    size_t cap = 0;
    bool found = false;
    while (!found && getline(&line, &cap, f) > 0)
        if (line[0] != '#') {
            read_grid(line, g);
            found = true;
        }
    free(line);
    return found;
}

static void blocks_that_fit_at_once_are_dealt_as_on_the_h200(void **state)
{
    struct grid *g = malloc(sizeof *g);
    FILE *f = open_fixture();
    unsigned grids = 0, blocks = 0;
    (void)state;
    assert_non_null(g);
    while (next_grid(f, g)) {
        blocks += check_grid(g);
        grids++;
    }
    assert_int_equal(grids, 11);
    assert_int_equal(blocks, 8894);
    fclose(f);
    free(g);
}

/* ---- clusters ---- */

struct clustered {
    uint32_t size, clusters, blocks_per_sm, n;
    uint32_t sm[1024];
};

static bool next_clustered(FILE *f, struct clustered *c)
{
    char *line = NULL, *rest, *word;
    size_t cap = 0;
    bool found = false;
    while (!found && getline(&line, &cap, f) > 0)
        found = line[0] != '#';
    if (found) {
        c->n = 0;
        assert_int_equal(sscanf(line, "%u %u %u", &c->size, &c->clusters, &c->blocks_per_sm), 3);
        rest = strchr(line, ':') + 1;
        while ((word = strtok_r(NULL, " +\n", &rest)))
            c->sm[c->n++] = (uint32_t)strtoul(word, NULL, 10);
    }
    free(line);
    return found;
}

/* Whose turn it was: that of the first GPC and the first single that were served. */
static struct strata_dispatch_state turn_of(const struct clustered *c)
{
    struct strata_dispatch_state s = {0, 0};
    uint32_t i = 0;
    if (c->sm[0] >= 124)
        s.single = (c->sm[0] - 124) / 2;
    while (c->sm[i] >= 124)
        i += c->size;
    s.cluster = h200.launch.gpc_of_sm[c->sm[i]];
    return s;
}

static void check_clusters(const struct clustered *c)
{
    struct strata_dispatch_state start = turn_of(c);
    struct strata_dispatcher *d;
    uint64_t block;
    uint32_t sm, n = 0;
    assert_int_equal(strata_dispatcher_create_clusters(&h200, (uint64_t)c->size * c->clusters,
                                                       c->blocks_per_sm, c->size, &start, &d, NULL),
                     STRATA_OK);
    for (; strata_dispatcher_first(d, &block, &sm); n++)
        if (n >= c->n || sm != c->sm[n])
            fail_msg("%u clusters of %u, %u to an SM: block %u is dealt to SM %u, but was on SM %u",
                     c->clusters, c->size, c->blocks_per_sm, n, sm, c->sm[n]);
    assert_int_equal(n, c->n);
    strata_dispatcher_destroy(d);
}

static void clusters_that_fit_at_once_are_dealt_as_on_the_h200(void **state)
{
    char path[1024];
    struct clustered *c = malloc(sizeof *c);
    unsigned launches = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/tests/data/clusters-h200.txt", getenv("STRATA_SOURCE"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(c);
    for (; next_clustered(f, c); launches++)
        check_clusters(c);
    assert_int_equal(launches, 32);
    fclose(f);
    free(c);
}

/* Thirty clusters of four fill the SMs that take such clusters. Blocks of two GPCs end by turns. */
static void a_cluster_begins_when_a_gpc_has_room_for_all_of_it(void **state)
{
    static const uint32_t ends[] = {2, 4, 3, 5, 18, 20, 64, 21};
    static const uint32_t begins[] = {2, 3, 18, 64, 4, 5, 20, 21};
    struct strata_dispatcher *d;
    uint64_t block;
    uint32_t sm, n = 0, at = 0;
    (void)state;
    assert_int_equal(strata_dispatcher_create_clusters(&h200, 128, 1, 4, NULL, &d, NULL),
                     STRATA_OK);
    while (strata_dispatcher_first(d, &block, &sm))
        n++;
    assert_int_equal(n, 120);
    for (unsigned i = 0; i < 8; i++) {
        assert_false(strata_dispatcher_release(d, ends[i], &block));
        for (; strata_dispatcher_waiting(d, &block, &sm); at++) {
            assert_int_equal(block, 120 + at);
            assert_int_equal(sm, begins[at]);
        }
        assert_int_equal(at, i < 6 ? 0 : i < 7 ? 4 : 8);
    }
    assert_false(strata_dispatcher_waiting(d, &block, &sm));
    strata_dispatcher_destroy(d);
}

/* Grids 5 and 7 had blocks in freed slots, and the launches between them and grids 6 and 8 had
 * none, so those begin where 5 and 7 ended. The same for 9 and 10. */
static void the_next_launch_begins_after_the_cluster_that_was_served_last(void **state)
{
    struct grid *g = malloc(sizeof *g);
    FILE *f = open_fixture();
    struct strata_dispatch_state end = {0, 0};
    (void)state;
    assert_non_null(g);
    for (unsigned i = 0; next_grid(f, g); i++) {
        struct strata_dispatch_state start = start_of(g);
        struct strata_dispatcher *d;
        struct strata_launch l = launch_of(g->blocks, g->threads, 16, g->shared);
        struct strata_occupancy o;
        uint64_t block;
        uint32_t sm;
        if (i == 6 || i >= 8)
            assert_int_equal(start.cluster, end.cluster);
        assert_int_equal(strata_occupancy_compute(&h200, &l, &o, NULL), STRATA_OK);
        assert_int_equal(
            strata_dispatcher_create(&h200, g->blocks, o.blocks_per_sm, &start, &d, NULL),
            STRATA_OK);
        while (strata_dispatcher_first(d, &block, &sm))
            ;
        while (strata_dispatcher_release(d, g->last_sm, &block))
            ;
        strata_dispatcher_state(d, &end);
        end.cluster %= 8;
        strata_dispatcher_destroy(d);
    }
    fclose(f);
    free(g);
}

static void later_blocks_go_where_a_slot_is_free(void **state)
{
    struct strata_dispatcher *d;
    uint64_t block = 0;
    uint32_t sm;
    (void)state;
    assert_int_equal(strata_dispatcher_create(&h200, 266, 2, NULL, &d, NULL), STRATA_OK);
    assert_false(strata_dispatcher_release(d, 5, &block)); /* nothing has been placed yet */
    while (strata_dispatcher_first(d, &block, &sm))
        ;
    assert_int_equal(block, 263);
    assert_true(strata_dispatcher_release(d, 77, &block));
    assert_int_equal(block, 264);
    assert_true(strata_dispatcher_release(d, 3, &block));
    assert_int_equal(block, 265);
    assert_false(strata_dispatcher_release(d, 3, &block));
    strata_dispatcher_destroy(d);
}

static void every_sm_gets_its_share_for_any_grid_and_start(void **state)
{
    (void)state;
    for (uint32_t blocks = 1; blocks < 1200; blocks += 7) {
        struct strata_dispatch_state start = {blocks % 8, blocks % 4};
        struct strata_dispatcher *d;
        uint32_t count[132] = {0}, sm, per_sm = 1 + blocks % 8, n = 0, room;
        uint64_t block;
        assert_int_equal(strata_dispatcher_create(&h200, blocks, per_sm, &start, &d, NULL),
                         STRATA_OK);
        while (strata_dispatcher_first(d, &block, &sm)) {
            assert_true(sm < 132);
            count[sm]++;
            n++;
        }
        strata_dispatcher_destroy(d);
        room = 132 * per_sm;
        assert_int_equal(n, blocks < room ? blocks : room);
        for (uint32_t i = 0; i < 132; i++) {
            assert_true(count[i] <= per_sm);
            assert_true(count[i] >= n / 132 && count[i] <= n / 132 + 1);
        }
    }
}

static void without_a_known_order_blocks_are_dealt_in_turn(void **state)
{
    struct strata_gpu plain = h200;
    struct strata_dispatcher *d;
    uint64_t block;
    uint32_t sm;
    (void)state;
    plain.launch.n_order = plain.launch.n_gpc_of_sm = plain.launch.singles = 0;
    plain.sm.count = 14;
    assert_int_equal(strata_dispatcher_create(&plain, 100, 3, NULL, &d, NULL), STRATA_OK);
    for (uint32_t i = 0; strata_dispatcher_first(d, &block, &sm); i++)
        assert_int_equal(sm, i % 14);
    strata_dispatcher_destroy(d);
}

static void active_sets_follow_the_waves(void **state)
{
    uint32_t sm[500], set[500];
    (void)state;
    assert_int_equal(strata_place_blocks(&h200, 500, 1, STRATA_PLACE_DISPATCH, sm, set, NULL),
                     STRATA_OK);
    for (uint32_t b = 0; b < 500; b++) {
        assert_int_equal(set[b], b / 132);
        assert_int_equal(sm[b], h200.launch.order[b % 132]);
    }
    assert_int_equal(strata_place_blocks(&h200, 500, 2, STRATA_PLACE_ROUND_ROBIN, sm, set, NULL),
                     STRATA_OK);
    for (uint32_t b = 0; b < 500; b++) {
        assert_int_equal(sm[b], b % 132);
        assert_int_equal(set[b], b / 264);
    }
}

static void every_thread_has_one_place_in_the_warps(void **state)
{
    uint32_t reverse[96];
    (void)state;
    for (uint32_t t = 0; t < 96; t++)
        reverse[t] = 95 - t;
    for (int how = STRATA_WARPS_LINEAR; how <= STRATA_WARPS_CUSTOM; how++) {
        bool taken[96] = {false};
        for (uint32_t t = 0; t < 96; t++) {
            uint32_t at = strata_warp_position((enum strata_warp_assignment)how, reverse, 96, t);
            assert_true(at < 96 && !taken[at]);
            taken[at] = true;
        }
    }
    assert_int_equal(strata_warp_position(STRATA_WARPS_STRIDED, NULL, 96, 4), 1 * 32 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occupancy_limits_and_carve_out_are_those_of_the_profiler),
        cmocka_unit_test(every_carve_out_of_the_probe_is_the_drivers),
        cmocka_unit_test(volta_leaves_the_l1_all_that_shared_memory_does_not_need),
        cmocka_unit_test(waves_are_blocks_by_what_the_gpu_holds),
        cmocka_unit_test(a_block_that_fits_nowhere_is_an_error_that_says_why),
        cmocka_unit_test(blocks_that_fit_at_once_are_dealt_as_on_the_h200),
        cmocka_unit_test(the_next_launch_begins_after_the_cluster_that_was_served_last),
        cmocka_unit_test(clusters_that_fit_at_once_are_dealt_as_on_the_h200),
        cmocka_unit_test(a_cluster_begins_when_a_gpc_has_room_for_all_of_it),
        cmocka_unit_test(later_blocks_go_where_a_slot_is_free),
        cmocka_unit_test(every_sm_gets_its_share_for_any_grid_and_start),
        cmocka_unit_test(without_a_known_order_blocks_are_dealt_in_turn),
        cmocka_unit_test(active_sets_follow_the_waves),
        cmocka_unit_test(every_thread_has_one_place_in_the_warps),
    };
    return cmocka_run_group_tests(tests, load_gpu, NULL);
}
