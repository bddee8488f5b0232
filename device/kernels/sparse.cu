/* sparse.cu - sparse matrices, graphs and hash tables. */
#include "suite.h"
#include <string.h>

/* A matrix or graph in compressed rows with uneven row lengths. */
struct rows {
    int n;
    uint32_t *start, *column;   /* host */
    uint32_t *dstart, *dcolumn; /* device */
};

/* Row lengths 1 .. 2 mean - 1, and every 64th row eight times as long. */
static struct rows make_rows(int n, int mean)
{
    struct rows m;
    m.n = n;
    m.start = (uint32_t *)suite_host((n + 1) * sizeof *m.start);
    uint32_t *length = suite_uints(n, 2 * mean - 1);
    for (int r = 0; r < n; r++)
        m.start[r + 1] = m.start[r] + (length[r] + 1) * (r % 64 == 63 ? 8 : 1);
    m.column = suite_uints(m.start[n], n);
    m.dstart = (uint32_t *)suite_upload(m.start, (n + 1) * sizeof *m.start);
    m.dcolumn = (uint32_t *)suite_upload(m.column, m.start[n] * sizeof *m.column);
    return m;
}

/* y = A x, a thread a row. */
__global__ void spmv_scalar(const uint32_t *start, const uint32_t *column, const float *value,
                            const float *x, float *y, int n)
{
    int r = SUITE_THREAD_X;
    if (r >= n)
        return;
    float s = 0;
    for (uint32_t k = start[r]; k < start[r + 1]; k++)
        s += value[k] * x[column[k]];
    y[r] = s;
}

/* y = A x, a warp a row. */
__global__ void spmv_vector(const uint32_t *start, const uint32_t *column, const float *value,
                            const float *x, float *y, int n)
{
    int r = SUITE_THREAD_X / 32, lane = threadIdx.x % 32;
    if (r >= n)
        return;
    float s = 0;
    for (uint32_t k = start[r] + lane; k < start[r + 1]; k += 32)
        s += value[k] * x[column[k]];
    s = suite_warp_sum(s);
    if (lane == 0)
        y[r] = s;
}

typedef void (*spmv_kernel)(const uint32_t *, const uint32_t *, const float *, const float *,
                            float *, int);

static double spmv(spmv_kernel kernel, int n, int threads_a_row)
{
    struct rows m = make_rows(n, 12);
    float *value = suite_floats(m.start[n], -1, 1), *x = suite_floats(n, -1, 1);
    float *dy = (float *)suite_device_zeros(n * sizeof *dy);
    kernel<<<suite_blocks((size_t)n * threads_a_row, 128), 128>>>(
        m.dstart, m.dcolumn, (float *)suite_upload(value, m.start[n] * sizeof *value),
        (float *)suite_upload(x, n * sizeof *x), dy, n);
    float *got = (float *)suite_download(dy, n * sizeof *got);
    double *expected = (double *)suite_host(n * sizeof *expected);
    for (int r = 0; r < n; r++)
        for (uint32_t k = m.start[r]; k < m.start[r + 1]; k++)
            expected[r] += (double)value[k] * x[m.column[k]];
    return suite_error_floats(got, expected, n);
}

static double run_spmv_scalar(void)
{
    return spmv(spmv_scalar, suite_pick(2000, 40000), 1);
}

static double run_spmv_vector(void)
{
    return spmv(spmv_vector, suite_pick(500, 12000), 32);
}

enum { ELL_WIDTH = 12 };

/* y = A x with rows padded to one length and stored column after column. */
__global__ void spmv_padded(const uint32_t *column, const float *value, const float *x, float *y,
                            int n)
{
    int r = SUITE_THREAD_X;
    if (r >= n)
        return;
    float s = 0;
    for (int k = 0; k < ELL_WIDTH; k++)
        s += value[k * n + r] * x[column[k * n + r]];
    y[r] = s;
}

static double run_spmv_padded(void)
{
    int n = suite_pick(2000, 60000), filled = n * ELL_WIDTH;
    uint32_t *column = suite_uints(filled, n);
    float *value = suite_floats(filled, -1, 1), *x = suite_floats(n, -1, 1);
    float *dy = (float *)suite_device_zeros(n * sizeof *dy);
    spmv_padded<<<suite_blocks(n, 256), 256>>>((uint32_t *)suite_upload(column, filled * 4),
                                               (float *)suite_upload(value, filled * 4),
                                               (float *)suite_upload(x, n * sizeof *x), dy, n);
    float *got = (float *)suite_download(dy, n * sizeof *got);
    double *expected = (double *)suite_host(n * sizeof *expected);
    for (int i = 0; i < filled; i++)
        expected[i % n] += (double)value[i] * x[column[i]];
    return suite_error_floats(got, expected, n);
}

enum { UNSEEN = 0xffffffffu };

/* One level of a breadth-first search, a thread a node: marks the unseen
 * neighbours of the nodes of this level. Marks go to an array of their own, so
 * that no thread reads what another writes. */
__global__ void bfs_level(const uint32_t *start, const uint32_t *column, const uint32_t *level,
                          uint32_t *next, int n, uint32_t now)
{
    int v = SUITE_THREAD_X;
    if (v >= n || level[v] != now)
        return;
    for (uint32_t k = start[v]; k < start[v + 1]; k++)
        if (level[column[k]] == UNSEEN)
            next[column[k]] = now + 1;
}

static void bfs_step(const struct rows *g, const uint32_t *level, uint32_t *next, uint32_t now)
{
    for (int v = 0; v < g->n; v++)
        for (uint32_t k = g->start[v]; level[v] == now && k < g->start[v + 1]; k++)
            if (level[g->column[k]] == UNSEEN)
                next[g->column[k]] = now + 1;
}

/* The host walks the first levels, the device the one with most work. */
static double run_bfs_level(void)
{
    int n = suite_pick(3000, 100000), first_levels = suite_pick(2, 4);
    struct rows g = make_rows(n, 5);
    size_t bytes = n * sizeof(uint32_t);
    uint32_t *level = (uint32_t *)suite_host(bytes), *next = (uint32_t *)suite_host(bytes);
    memset(level, 255, bytes);
    level[0] = 0;
    for (int now = 0; now < first_levels; now++) {
        memcpy(next, level, bytes);
        bfs_step(&g, level, next, now);
        memcpy(level, next, bytes);
    }
    uint32_t *dlevel = (uint32_t *)suite_upload(level, bytes);
    uint32_t *dnext = (uint32_t *)suite_upload(level, bytes);
    bfs_level<<<suite_blocks(n, 256), 256>>>(g.dstart, g.dcolumn, dlevel, dnext, n, first_levels);
    uint32_t *got = (uint32_t *)suite_download(dnext, bytes);
    bfs_step(&g, level, next, first_levels);
    return suite_mismatches(got, next, n);
}

/* One relaxation of shortest paths, a thread an edge. */
__global__ void relax_edges(const uint32_t *from, const uint32_t *to, const uint32_t *length,
                            const uint32_t *distance, uint32_t *next, int n)
{
    int e = SUITE_THREAD_X;
    if (e < n && distance[from[e]] < UNSEEN / 2)
        atomicMin(&next[to[e]], distance[from[e]] + length[e]);
}

static double run_relax_edges(void)
{
    int nodes = suite_pick(1000, 50000), edges = suite_pick(5000, 250000);
    uint32_t *from = suite_uints(edges, nodes), *to = suite_uints(edges, nodes);
    uint32_t *length = suite_uints(edges, 100), *distance = suite_uints(nodes, 2000);
    for (int v = 0; v < nodes; v += 3)
        distance[v] = UNSEEN;
    uint32_t *dnext = (uint32_t *)suite_upload(distance, nodes * 4);
    relax_edges<<<suite_blocks(edges, 256), 256>>>(
        (uint32_t *)suite_upload(from, edges * 4), (uint32_t *)suite_upload(to, edges * 4),
        (uint32_t *)suite_upload(length, edges * 4), (uint32_t *)suite_upload(distance, nodes * 4),
        dnext, edges);
    uint32_t *got = (uint32_t *)suite_download(dnext, nodes * 4);
    uint32_t *next = (uint32_t *)suite_host(nodes * 4);
    memcpy(next, distance, nodes * 4);
    for (int e = 0; e < edges; e++)
        if (distance[from[e]] < UNSEEN / 2 && distance[from[e]] + length[e] < next[to[e]])
            next[to[e]] = distance[from[e]] + length[e];
    return suite_mismatches(got, next, nodes);
}

/* One step of page rank that pulls along incoming edges. */
__global__ void rank_pull(const uint32_t *start, const uint32_t *column, const float *share,
                          float *rank, int n)
{
    int v = SUITE_THREAD_X;
    if (v >= n)
        return;
    float s = 0;
    for (uint32_t k = start[v]; k < start[v + 1]; k++)
        s += share[column[k]];
    rank[v] = 0.15f + 0.85f * s;
}

static double run_rank_pull(void)
{
    int n = suite_pick(2000, 50000);
    struct rows g = make_rows(n, 6);
    float *share = suite_floats(n, 0, 1);
    float *drank = (float *)suite_device_zeros(n * sizeof *drank);
    rank_pull<<<suite_blocks(n, 256), 256>>>(
        g.dstart, g.dcolumn, (float *)suite_upload(share, n * sizeof *share), drank, n);
    float *got = (float *)suite_download(drank, n * sizeof *got);
    double *expected = (double *)suite_host(n * sizeof *expected);
    for (int v = 0; v < n; v++) {
        double s = 0;
        for (uint32_t k = g.start[v]; k < g.start[v + 1]; k++)
            s += share[g.column[k]];
        expected[v] = 0.15 + 0.85 * s;
    }
    return suite_error_floats(got, expected, n);
}

enum { EMPTY = 0xffffffffu };

static __device__ inline uint32_t hash_of(uint32_t key)
{
    key = (key ^ (key >> 16)) * 0x45d9f3bu;
    return key ^ (key >> 15);
}

/* Open addressing with linear probing; a slot is taken by compare-and-swap. */
__global__ void hash_build(const uint32_t *keys, uint32_t *slot_key, uint32_t *slot_value, int n,
                           uint32_t mask)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    uint32_t slot = hash_of(keys[i]) & mask;
    while (atomicCAS(&slot_key[slot], (uint32_t)EMPTY, keys[i]) != EMPTY)
        slot = (slot + 1) & mask;
    slot_value[slot] = i;
}

__global__ void hash_probe(const uint32_t *keys, const uint32_t *slot_key,
                           const uint32_t *slot_value, uint32_t *found, int n, uint32_t mask)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    uint32_t key = keys[i], slot = hash_of(key) & mask, at;
    while ((at = slot_key[slot]) != key && at != EMPTY)
        slot = (slot + 1) & mask;
    found[i] = at == key ? slot_value[slot] : EMPTY;
}

/* Build keys are the even numbers, probes any: about half of them find a partner. */
static double run_hash_join(void)
{
    int n = suite_pick(4000, 150000), n_probes = 2 * n;
    uint32_t slots = suite_pick(1 << 13, 1 << 18);
    uint32_t *keys = (uint32_t *)suite_host(n * 4), *probe = suite_uints(n_probes, 2 * n);
    uint32_t *empty = (uint32_t *)suite_host(slots * 4);
    memset(empty, 255, slots * 4);
    for (int i = 0; i < n; i++)
        keys[i] = 2 * ((uint64_t)i * 7919 % n);
    uint32_t *dslot_key = (uint32_t *)suite_upload(empty, slots * 4);
    uint32_t *dslot_value = (uint32_t *)suite_device_zeros(slots * 4);
    uint32_t *dfound = (uint32_t *)suite_device_zeros(n_probes * 4);
    hash_build<<<suite_blocks(n, 256), 256>>>((uint32_t *)suite_upload(keys, n * 4), dslot_key,
                                              dslot_value, n, slots - 1);
    hash_probe<<<suite_blocks(n_probes, 256), 256>>>((uint32_t *)suite_upload(probe, n_probes * 4),
                                                     dslot_key, dslot_value, dfound, n_probes,
                                                     slots - 1);
    uint32_t *got = (uint32_t *)suite_download(dfound, n_probes * 4), *at = empty;
    for (int i = 0; i < n; i++)
        at[keys[i] / 2] = i;
    double wrong = 0;
    for (int i = 0; i < n_probes; i++)
        wrong += got[i] != (probe[i] % 2 ? (uint32_t)EMPTY : at[probe[i] / 2]);
    return wrong;
}

static const struct suite_test tests[] = {
    {"spmv_scalar", "spmv_scalar", "compressed rows, a thread a row", 1e-5, run_spmv_scalar},
    {"spmv_vector", "spmv_vector", "compressed rows, a warp a row", 1e-5, run_spmv_vector},
    {"spmv_padded", "spmv_padded", "rows of one length, column after column", 1e-5,
     run_spmv_padded},
    {"bfs_level", "bfs_level", "one level of a breadth-first search", 0, run_bfs_level},
    {"relax_edges", "relax_edges", "one relaxation of shortest paths, atomicMin", 0,
     run_relax_edges},
    {"rank_pull", "rank_pull", "one step of page rank", 1e-5, run_rank_pull},
    {"hash_join", "hash_build hash_probe", "build with compare-and-swap, probe", 0, run_hash_join},
};
SUITE_AREA(suite_sparse, "sparse", tests);
