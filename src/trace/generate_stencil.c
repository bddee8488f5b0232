/* generate_stencil.c - nearest-neighbour sums on a grid in two and three dimensions. */
#include "base/bits.h"
#include "trace/generate.h"

#define NONE        NO_REGISTER
#define ROWS(table) table, sizeof table / sizeof table[0]

/* Both kernels: addresses, then for each point one load per neighbour, a chain of FFMA, a store. */
enum {
    SN_TID_X,
    SN_TID_Y,
    SN_ADDR,
    SN_OUT,
    SN_LOAD,
    SN_MATH = SN_LOAD + 7,
    SN_STORE = SN_MATH + 7,
    SN_NEXT,
    SN_NEXT_OUT,
    SN_TEST,
    SN_LOOP,
    SN_EXIT
};
static const struct generate_code stencil_code[] = {
    [SN_TID_X] = {"S2R", 0, {NONE}},
    [SN_TID_Y] = {"S2R", 1, {NONE}},
    [SN_ADDR] = {"IMAD.WIDE", 2, {1, 0, NONE}},
    [SN_OUT] = {"IMAD.WIDE", 4, {1, 0, NONE}},
    [SN_LOAD + 0] = {"LDG.E", 8, {2, NONE}},
    [SN_LOAD + 1] = {"LDG.E", 9, {2, NONE}},
    [SN_LOAD + 2] = {"LDG.E", 10, {2, NONE}},
    [SN_LOAD + 3] = {"LDG.E", 11, {2, NONE}},
    [SN_LOAD + 4] = {"LDG.E", 12, {2, NONE}},
    [SN_LOAD + 5] = {"LDG.E", 13, {2, NONE}},
    [SN_LOAD + 6] = {"LDG.E", 14, {2, NONE}},
    [SN_MATH + 0] = {"FMUL", 15, {8, NONE}},
    [SN_MATH + 1] = {"FFMA", 15, {9, 15, NONE}},
    [SN_MATH + 2] = {"FFMA", 15, {10, 15, NONE}},
    [SN_MATH + 3] = {"FFMA", 15, {11, 15, NONE}},
    [SN_MATH + 4] = {"FFMA", 15, {12, 15, NONE}},
    [SN_MATH + 5] = {"FFMA", 15, {13, 15, NONE}},
    [SN_MATH + 6] = {"FFMA", 15, {14, 15, NONE}},
    [SN_STORE] = {"STG.E", NONE, {4, 15, NONE}},
    [SN_NEXT] = {"IADD3", 2, {2, NONE}},
    [SN_NEXT_OUT] = {"IADD3", 4, {4, NONE}},
    [SN_TEST] = {"ISETP.NE.AND", NONE, {2, NONE}},
    [SN_LOOP] = {"BRA", NONE, {NONE}},
    [SN_EXIT] = {"EXIT", NONE, {NONE}},
};

enum { S_NX, S_NY, S_NZ_OR_ROWS, S_THREADS_X, S_THREADS_Y };

/* One point: loads of the neighbours at these distances (in elements), sum, store. */
static void point(struct emitter *e, uint32_t mask, const uint64_t at[STRATA_WARP_SIZE],
                  const int64_t *neighbour, unsigned n)
{
    uint64_t addr[STRATA_WARP_SIZE];
    for (unsigned k = 0; k < n; k++) {
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
            addr[lane] = array_base(0) + (at[lane] + (uint64_t)neighbour[k]) * 4;
        emit_access(e, SN_LOAD + k, mask, addr);
    }
    for (unsigned k = 0; k < n; k++)
        emit(e, SN_MATH + k, mask);
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
        addr[lane] = array_base(1) + at[lane] * 4;
    emit_access(e, SN_STORE, mask, addr);
}

static void prologue(struct emitter *e)
{
    emit(e, SN_TID_X, e->mask);
    emit(e, SN_TID_Y, e->mask);
    emit(e, SN_ADDR, e->mask);
    emit(e, SN_OUT, e->mask);
}

static void next_step(struct emitter *e, uint32_t mask, bool more)
{
    emit(e, SN_NEXT, mask);
    emit(e, SN_NEXT_OUT, mask);
    emit(e, SN_TEST, mask);
    emit(e, SN_LOOP, more ? mask : 0);
}

static strata_status stencil_grid(struct generate_plan *p, uint64_t points_y,
                                  struct strata_error *err)
{
    const uint64_t *v = p->value;
    if (v[S_THREADS_X] * v[S_THREADS_Y] > 1024)
        return plan_too_large(p, "a block has at most 1024 threads", err);
    plan_grid(p, ceil_div(v[S_NX], v[S_THREADS_X]), ceil_div(points_y, v[S_THREADS_Y]),
              (uint32_t)v[S_THREADS_X], (uint32_t)v[S_THREADS_Y]);
    p->launch.registers_per_thread = 24;
    return STRATA_OK;
}

/* Position of each lane's thread in x and y, counted over the grid. */
static void lane_position(const struct emitter *e, unsigned lane, uint64_t *x, uint64_t *y)
{
    uint32_t t = thread_of(e, lane), width = e->plan->launch.block.x;
    *x = (uint64_t)e->at.x * width + t % width;
    *y = (uint64_t)e->at.y * e->plan->launch.block.y + t / width;
}

/* ---- two dimensions, five points; a thread does `rows` rows below one another ---- */

static strata_status stencil2d_plan(struct generate_plan *p, struct strata_error *err)
{
    plan_input(p, 0, p->value[S_NX] * p->value[S_NY] * 4);
    return stencil_grid(p, ceil_div(p->value[S_NY], p->value[S_NZ_OR_ROWS]), err);
}

static void stencil2d_warp(struct emitter *e)
{
    const uint64_t *v = e->plan->value;
    int64_t neighbour[5] = {0, -1, 1, -(int64_t)v[S_NX], (int64_t)v[S_NX]};
    uint64_t at[STRATA_WARP_SIZE];
    prologue(e);
    for (uint64_t row = 0; row < v[S_NZ_OR_ROWS]; row++) {
        uint32_t mask = 0;
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++) {
            uint64_t x, y;
            lane_position(e, lane, &x, &y);
            y = y * v[S_NZ_OR_ROWS] + row;
            at[lane] = y * v[S_NX] + x;
            bool inside = x > 0 && y > 0 && x + 1 < v[S_NX] && y + 1 < v[S_NY];
            mask |= inside ? (e->mask & 1u << lane) : 0;
        }
        if (mask)
            point(e, mask, at, neighbour, 5);
        if (v[S_NZ_OR_ROWS] > 1)
            next_step(e, e->mask, row + 1 < v[S_NZ_OR_ROWS]);
    }
    emit(e, SN_EXIT, e->mask);
}

const struct generator generate_stencil2d = {
    {"stencil2d",
     "five-point stencil on a plane",
     {{"nx", 1024, 3, 1u << 20, "points in a row"},
      {"ny", 1024, 3, 1u << 20, "rows"},
      {"rows", 1, 1, 1u << 16, "rows that a thread does, one below the other"},
      {"threads_x", 32, 1, 1024, "of a block"},
      {"threads_y", 8, 1, 1024, "of a block"}}},
    ROWS(stencil_code),
    stencil2d_plan,
    stencil2d_warp};

/* ---- three dimensions, seven points; a thread goes along z ---- */

static strata_status stencil3d_plan(struct generate_plan *p, struct strata_error *err)
{
    plan_input(p, 0, p->value[S_NX] * p->value[S_NY] * p->value[S_NZ_OR_ROWS] * 4);
    return stencil_grid(p, p->value[S_NY], err);
}

static void stencil3d_warp(struct emitter *e)
{
    const uint64_t *v = e->plan->value;
    int64_t row = (int64_t)v[S_NX], plane = (int64_t)(v[S_NX] * v[S_NY]);
    int64_t neighbour[7] = {0, -1, 1, -row, row, -plane, plane};
    uint64_t at[STRATA_WARP_SIZE];
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++) {
        uint64_t x, y;
        lane_position(e, lane, &x, &y);
        at[lane] = y * v[S_NX] + x;
        mask |= x > 0 && y > 0 && x + 1 < v[S_NX] && y + 1 < v[S_NY] ? (e->mask & 1u << lane) : 0;
    }
    prologue(e);
    for (uint64_t z = 1; z + 1 < v[S_NZ_OR_ROWS] && mask; z++) {
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
            at[lane] += (uint64_t)plane;
        point(e, mask, at, neighbour, 7);
        next_step(e, mask, z + 2 < v[S_NZ_OR_ROWS]);
    }
    emit(e, SN_EXIT, e->mask);
}

const struct generator generate_stencil3d = {
    {"stencil3d",
     "seven-point stencil in space; each thread goes along z",
     {{"nx", 256, 3, 1u << 14, "points in a row"},
      {"ny", 128, 3, 1u << 14, "rows in a plane"},
      {"nz", 32, 3, 1u << 14, "planes"},
      {"threads_x", 32, 1, 1024, "of a block"},
      {"threads_y", 8, 1, 1024, "of a block"}}},
    ROWS(stencil_code),
    stencil3d_plan,
    stencil3d_warp};
