/* generate_matmul.c - C = A B, from global memory alone and through tiles in shared memory.
 *
 * A is m x k, B is k x n, C is m x n, row by row, 4-byte elements. */
#include "base/bits.h"
#include "trace/generate.h"

#define NONE        NO_REGISTER
#define ROWS(table) table, sizeof table / sizeof table[0]

enum { M_M, M_N, M_K, M_TILE };

static strata_status matmul_grid(struct generate_plan *p, struct strata_error *err)
{
    const uint64_t *v = p->value;
    uint64_t blocks_x = ceil_div(v[M_N], v[M_TILE]), blocks_y = ceil_div(v[M_M], v[M_TILE]);
    (void)err;
    plan_grid(p, blocks_x, blocks_y, (uint32_t)v[M_TILE], (uint32_t)v[M_TILE]);
    plan_input(p, 0, v[M_M] * v[M_K] * 4);
    plan_input(p, 1, v[M_K] * v[M_N] * 4);
    p->launch.registers_per_thread = 24;
    return STRATA_OK;
}

/* Row and column of C that each lane works on; the lanes inside C. */
static uint32_t places(const struct emitter *e, uint64_t row[STRATA_WARP_SIZE],
                       uint64_t column[STRATA_WARP_SIZE])
{
    const uint64_t *v = e->plan->value;
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++) {
        uint32_t t = thread_of(e, lane);
        column[lane] = e->at.x * v[M_TILE] + t % v[M_TILE];
        row[lane] = e->at.y * v[M_TILE] + t / v[M_TILE];
        mask |= row[lane] < v[M_M] && column[lane] < v[M_N] ? (e->mask & 1u << lane) : 0;
    }
    return mask;
}

/* ---- naive ---- */
enum {
    MN_TID_X,
    MN_TID_Y,
    MN_ADDR_A,
    MN_ADDR_B,
    MN_LOAD_A,
    MN_LOAD_B,
    MN_MATH,
    MN_NEXT_A,
    MN_NEXT_B,
    MN_TEST,
    MN_LOOP,
    MN_STORE,
    MN_EXIT
};
static const struct generate_code naive_code[] = {
    [MN_TID_X] = {"S2R", 0, {NONE}},           [MN_TID_Y] = {"S2R", 1, {NONE}},
    [MN_ADDR_A] = {"IMAD.WIDE", 2, {1, NONE}}, [MN_ADDR_B] = {"IMAD.WIDE", 4, {0, NONE}},
    [MN_LOAD_A] = {"LDG.E", 6, {2, NONE}},     [MN_LOAD_B] = {"LDG.E", 7, {4, NONE}},
    [MN_MATH] = {"FFMA", 8, {6, 7, 8}},        [MN_NEXT_A] = {"IADD3", 2, {2, NONE}},
    [MN_NEXT_B] = {"IADD3", 4, {4, NONE}},     [MN_TEST] = {"ISETP.NE.AND", NONE, {2, NONE}},
    [MN_LOOP] = {"BRA", NONE, {NONE}},         [MN_STORE] = {"STG.E", NONE, {10, 8, NONE}},
    [MN_EXIT] = {"EXIT", NONE, {NONE}},
};

static void naive_step(struct emitter *e, uint32_t mask, const uint64_t *row,
                       const uint64_t *column, uint64_t k)
{
    const uint64_t *v = e->plan->value;
    uint64_t addr[STRATA_WARP_SIZE];
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
        addr[lane] = array_base(0) + (row[lane] * v[M_K] + k) * 4;
    emit_access(e, MN_LOAD_A, mask, addr);
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
        addr[lane] = array_base(1) + (k * v[M_N] + column[lane]) * 4;
    emit_access(e, MN_LOAD_B, mask, addr);
    emit(e, MN_MATH, mask);
    emit(e, MN_NEXT_A, mask);
    emit(e, MN_NEXT_B, mask);
    emit(e, MN_TEST, mask);
    emit(e, MN_LOOP, k + 1 < v[M_K] ? mask : 0);
}

static void store_result(struct emitter *e, unsigned store, uint32_t mask, const uint64_t *row,
                         const uint64_t *column)
{
    uint64_t addr[STRATA_WARP_SIZE];
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
        addr[lane] = array_base(2) + (row[lane] * e->plan->value[M_N] + column[lane]) * 4;
    emit_access(e, store, mask, addr);
}

static void naive_warp(struct emitter *e)
{
    uint64_t row[STRATA_WARP_SIZE], column[STRATA_WARP_SIZE];
    uint32_t mask = places(e, row, column);
    for (unsigned i = MN_TID_X; i <= MN_ADDR_B; i++)
        emit(e, i, e->mask);
    for (uint64_t k = 0; k < e->plan->value[M_K] && mask; k++)
        naive_step(e, mask, row, column, k);
    store_result(e, MN_STORE, mask, row, column);
    emit(e, MN_EXIT, e->mask);
}

const struct generator generate_matmul = {
    {"matmul",
     "matrix multiply straight from global memory, one thread per result",
     {{"m", 256, 1, 1u << 16, "rows of A and C"},
      {"n", 256, 1, 1u << 16, "columns of B and C"},
      {"k", 256, 1, 1u << 16, "columns of A, rows of B"},
      {"tile", 16, 1, 32, "threads of a block in x and in y"}}},
    ROWS(naive_code),
    matmul_grid,
    naive_warp};

/* ---- tiled: as in the CUDA programming guide's example, with any size of matrix ---- */
enum {
    MT_TID_X,
    MT_TID_Y,
    MT_ADDR_A,
    MT_ADDR_B,
    MT_LOAD_A,
    MT_LOAD_B,
    MT_PUT_A,
    MT_PUT_B,
    MT_FILLED,
    MT_GET_A,
    MT_GET_B,
    MT_MATH,
    MT_USED,
    MT_NEXT_A,
    MT_NEXT_B,
    MT_TEST,
    MT_LOOP,
    MT_STORE,
    MT_EXIT
};
static const struct generate_code tiled_code[] = {
    [MT_TID_X] = {"S2R", 0, {NONE}},
    [MT_TID_Y] = {"S2R", 1, {NONE}},
    [MT_ADDR_A] = {"IMAD.WIDE", 2, {1, 0, NONE}},
    [MT_ADDR_B] = {"IMAD.WIDE", 4, {1, 0, NONE}},
    [MT_LOAD_A] = {"LDG.E", 6, {2, NONE}},
    [MT_LOAD_B] = {"LDG.E", 7, {4, NONE}},
    [MT_PUT_A] = {"STS", NONE, {12, 6, NONE}},
    [MT_PUT_B] = {"STS", NONE, {13, 7, NONE}},
    [MT_FILLED] = {"BAR.SYNC", NONE, {NONE}},
    [MT_GET_A] = {"LDS", 14, {15, NONE}},
    [MT_GET_B] = {"LDS", 16, {17, NONE}},
    [MT_MATH] = {"FFMA", 8, {14, 16, 8}},
    [MT_USED] = {"BAR.SYNC", NONE, {NONE}},
    [MT_NEXT_A] = {"IADD3", 2, {2, NONE}},
    [MT_NEXT_B] = {"IADD3", 4, {4, NONE}},
    [MT_TEST] = {"ISETP.NE.AND", NONE, {2, NONE}},
    [MT_LOOP] = {"BRA", NONE, {NONE}},
    [MT_STORE] = {"STG.E", NONE, {10, 8, NONE}},
    [MT_EXIT] = {"EXIT", NONE, {NONE}},
};

static strata_status tiled_plan(struct generate_plan *p, struct strata_error *err)
{
    p->launch.shared_static_bytes = (uint32_t)(2 * p->value[M_TILE] * p->value[M_TILE] * 4);
    return matmul_grid(p, err);
}

/* Loads one element of each tile per thread; lanes outside the matrix load nothing. */
static void fill_tiles(struct emitter *e, const uint64_t *row, const uint64_t *column, uint64_t k)
{
    const uint64_t *v = e->plan->value;
    uint64_t a[STRATA_WARP_SIZE], b[STRATA_WARP_SIZE], put[STRATA_WARP_SIZE];
    uint32_t mask_a = 0, mask_b = 0;
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++) {
        uint64_t x = thread_of(e, lane) % v[M_TILE], y = thread_of(e, lane) / v[M_TILE];
        a[lane] = array_base(0) + (row[lane] * v[M_K] + k + x) * 4;
        b[lane] = array_base(1) + ((k + y) * v[M_N] + column[lane]) * 4;
        put[lane] = (y * v[M_TILE] + x) * 4;
        mask_a |= row[lane] < v[M_M] && k + x < v[M_K] ? (e->mask & 1u << lane) : 0;
        mask_b |= column[lane] < v[M_N] && k + y < v[M_K] ? (e->mask & 1u << lane) : 0;
    }
    emit_access(e, MT_LOAD_A, mask_a, a);
    emit_access(e, MT_LOAD_B, mask_b, b);
    emit_access(e, MT_PUT_A, e->mask, put);
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
        put[lane] += v[M_TILE] * v[M_TILE] * 4;
    emit_access(e, MT_PUT_B, e->mask, put);
    emit(e, MT_FILLED, e->mask);
}

static void use_tiles(struct emitter *e)
{
    uint64_t tile = e->plan->value[M_TILE], addr[STRATA_WARP_SIZE];
    for (uint64_t i = 0; i < tile; i++) {
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
            addr[lane] = (thread_of(e, lane) / tile * tile + i) * 4;
        emit_access(e, MT_GET_A, e->mask, addr);
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
            addr[lane] = (tile * tile + i * tile + thread_of(e, lane) % tile) * 4;
        emit_access(e, MT_GET_B, e->mask, addr);
        emit(e, MT_MATH, e->mask);
    }
    emit(e, MT_USED, e->mask);
}

static void tiled_warp(struct emitter *e)
{
    uint64_t row[STRATA_WARP_SIZE], column[STRATA_WARP_SIZE];
    const uint64_t *v = e->plan->value;
    uint32_t mask = places(e, row, column);
    for (unsigned i = MT_TID_X; i <= MT_ADDR_B; i++)
        emit(e, i, e->mask);
    for (uint64_t k = 0; k < v[M_K]; k += v[M_TILE]) {
        fill_tiles(e, row, column, k);
        use_tiles(e);
        emit(e, MT_NEXT_A, e->mask);
        emit(e, MT_NEXT_B, e->mask);
        emit(e, MT_TEST, e->mask);
        emit(e, MT_LOOP, k + v[M_TILE] < v[M_K] ? e->mask : 0);
    }
    store_result(e, MT_STORE, mask, row, column);
    emit(e, MT_EXIT, e->mask);
}

const struct generator generate_matmul_tiled = {
    {"matmul-tiled",
     "matrix multiply through tiles in shared memory",
     {{"m", 256, 1, 1u << 16, "rows of A and C"},
      {"n", 256, 1, 1u << 16, "columns of B and C"},
      {"k", 256, 1, 1u << 16, "columns of A, rows of B"},
      {"tile", 16, 1, 32, "elements of a tile in x and in y, threads of a block too"}}},
    ROWS(tiled_code),
    tiled_plan,
    tiled_warp};
