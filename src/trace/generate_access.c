/* generate_access.c - kernels that do little but read or write memory in one pattern. */
#include "base/bits.h"
#include "base/rng.h"
#include "trace/generate.h"

#define NONE        NO_REGISTER
#define ROWS(table) table, sizeof table / sizeof table[0]

/* ---- column-copy: paper 000, section 4.4 ----
 *
 * Each thread copies a row of a matrix, element by element: lanes are a whole row apart, so nothing
 * is coalesced, and all locality is inside a thread. */
enum { COLUMN_HEIGHT, COLUMN_WIDTH };
enum {
    CC_TID,
    CC_ADDR,
    CC_OUT,
    CC_LOAD,
    CC_STORE,
    CC_NEXT,
    CC_NEXT_OUT,
    CC_TEST,
    CC_LOOP,
    CC_EXIT
};
static const struct generate_code column_code[] = {
    [CC_TID] = {"S2R", 0, {NONE}},
    [CC_ADDR] = {"IMAD.WIDE", 2, {0, NONE}},
    [CC_OUT] = {"IMAD.WIDE", 4, {0, NONE}},
    [CC_LOAD] = {"LDG.E", 6, {2, NONE}},
    [CC_STORE] = {"STG.E", NONE, {4, 6, NONE}},
    [CC_NEXT] = {"IADD3", 2, {2, NONE}},
    [CC_NEXT_OUT] = {"IADD3", 4, {4, NONE}},
    [CC_TEST] = {"ISETP.NE.AND", NONE, {2, NONE}},
    [CC_LOOP] = {"BRA", NONE, {NONE}},
    [CC_EXIT] = {"EXIT", NONE, {NONE}},
};

static strata_status column_plan(struct generate_plan *p, struct strata_error *err)
{
    uint64_t height = p->value[COLUMN_HEIGHT], threads = height < 1024 ? height : 1024;
    (void)err;
    plan_grid(p, ceil_div(height, threads), 1, (uint32_t)threads, 1);
    plan_input(p, 0, height * p->value[COLUMN_WIDTH] * 4);
    return STRATA_OK;
}

static void column_warp(struct emitter *e)
{
    uint64_t width = e->plan->value[COLUMN_WIDTH], height = e->plan->value[COLUMN_HEIGHT];
    uint64_t in[STRATA_WARP_SIZE], out[STRATA_WARP_SIZE];
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++) {
        uint64_t row = e->block * e->plan->launch.block.x + thread_of(e, lane);
        in[lane] = array_base(0) + row * width * 4;
        out[lane] = array_base(1) + row * width * 4;
        mask |= row < height ? (e->mask & 1u << lane) : 0;
    }
    emit(e, CC_TID, e->mask);
    emit(e, CC_ADDR, e->mask);
    emit(e, CC_OUT, e->mask);
    for (uint64_t x = 0; x < width && mask; x++) {
        emit_access(e, CC_LOAD, mask, in);
        emit_access(e, CC_STORE, mask, out);
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++) {
            in[lane] += 4;
            out[lane] += 4;
        }
        emit(e, CC_NEXT, mask);
        emit(e, CC_NEXT_OUT, mask);
        emit(e, CC_TEST, mask);
        emit(e, CC_LOOP, x + 1 < width ? mask : 0);
    }
    emit(e, CC_EXIT, e->mask);
}

const struct generator generate_column_copy = {
    {"column-copy",
     "each thread copies a row: uncoalesced, locality inside a thread (paper 000, section 4.4)",
     {{"height", 256, 1, 1u << 20, "rows, one thread each; up to 1024 in a block"},
      {"width", 1024, 1, 1u << 20, "elements of 4 bytes in a row"}}},
    ROWS(column_code),
    column_plan,
    column_warp};

/* ---- stream: coalesced copy, scale, add ---- */
enum { STREAM_ELEMENTS, STREAM_BYTES, STREAM_THREADS, STREAM_READS };
enum {
    ST_TID,
    ST_ADDR,
    ST_LOAD32,
    ST_LOAD64,
    ST_LOAD128,
    ST_MATH,
    ST_STORE32,
    ST_STORE64,
    ST_STORE128,
    ST_EXIT
};
static const struct generate_code stream_code[] = {
    [ST_TID] = {"S2R", 0, {NONE}},
    [ST_ADDR] = {"IMAD.WIDE", 2, {0, NONE}},
    [ST_LOAD32] = {"LDG.E", 4, {2, NONE}},
    [ST_LOAD64] = {"LDG.E.64", 4, {2, NONE}},
    [ST_LOAD128] = {"LDG.E.128", 4, {2, NONE}},
    [ST_MATH] = {"FFMA", 8, {4, 8, NONE}},
    [ST_STORE32] = {"STG.E", NONE, {2, 8, NONE}},
    [ST_STORE64] = {"STG.E.64", NONE, {2, 8, NONE}},
    [ST_STORE128] = {"STG.E.128", NONE, {2, 8, NONE}},
    [ST_EXIT] = {"EXIT", NONE, {NONE}},
};

static strata_status stream_plan(struct generate_plan *p, struct strata_error *err)
{
    uint64_t bytes = p->value[STREAM_BYTES];
    uint64_t threads = ceil_div(p->value[STREAM_ELEMENTS] * 4, bytes);
    if (!is_power_of_two(bytes) || bytes < 4)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "stream: bytes=%llu has to be 4, 8 or 16.", (unsigned long long)bytes);
    plan_grid(p, ceil_div(threads, p->value[STREAM_THREADS]), 1, (uint32_t)p->value[STREAM_THREADS],
              1);
    for (unsigned i = 0; i < p->value[STREAM_READS]; i++)
        plan_input(p, i, p->value[STREAM_ELEMENTS] * 4);
    return STRATA_OK;
}

static void stream_warp(struct emitter *e)
{
    uint64_t bytes = e->plan->value[STREAM_BYTES], reads = e->plan->value[STREAM_READS];
    uint64_t threads = ceil_div(e->plan->value[STREAM_ELEMENTS] * 4, bytes);
    uint64_t first = e->block * e->plan->launch.block.x + thread_of(e, 0);
    unsigned wide = bytes == 16 ? 2 : bytes == 8 ? 1 : 0;
    uint64_t addr[STRATA_WARP_SIZE];
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
        mask |= first + lane < threads ? (e->mask & 1u << lane) : 0;
    emit(e, ST_TID, e->mask);
    emit(e, ST_ADDR, e->mask);
    for (unsigned array = 0; array <= reads && mask; array++) {
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
            addr[lane] = array_base(array) + (first + lane) * bytes;
        emit_access(e, (array < reads ? ST_LOAD32 : ST_STORE32) + wide, mask, addr);
        if (array < reads)
            emit(e, ST_MATH, mask);
    }
    emit(e, ST_EXIT, e->mask);
}

const struct generator generate_stream = {
    {"stream",
     "coalesced streams: every thread reads from each input and writes to the output",
     {{"elements", 1u << 20, 1, 1u << 30, "elements of 4 bytes in each array"},
      {"bytes", 4, 4, 16, "a thread moves at a time: 4, 8 or 16"},
      {"threads", 256, 1, 1024, "in a block"},
      {"reads", 1, 0, 3, "input arrays"}}},
    ROWS(stream_code),
    stream_plan,
    stream_warp};

/* ---- strided and broadcast: a loop of loads, lanes `stride` bytes apart ---- */
enum { STRIDED_STRIDE, STRIDED_ITERATIONS, STRIDED_BLOCKS, STRIDED_THREADS, STRIDED_SPAN };
enum { SD_TID, SD_ADDR, SD_LOAD, SD_MATH, SD_NEXT, SD_TEST, SD_LOOP, SD_EXIT };
static const struct generate_code strided_code[] = {
    [SD_TID] = {"S2R", 0, {NONE}},       [SD_ADDR] = {"IMAD.WIDE", 2, {0, NONE}},
    [SD_LOAD] = {"LDG.E", 4, {2, NONE}}, [SD_MATH] = {"FADD", 6, {4, 6, NONE}},
    [SD_NEXT] = {"IADD3", 2, {2, NONE}}, [SD_TEST] = {"ISETP.NE.AND", NONE, {2, NONE}},
    [SD_LOOP] = {"BRA", NONE, {NONE}},   [SD_EXIT] = {"EXIT", NONE, {NONE}},
};

static strata_status strided_plan(struct generate_plan *p, struct strata_error *err)
{
    (void)err;
    plan_grid(p, p->value[STRIDED_BLOCKS], 1, (uint32_t)p->value[STRIDED_THREADS], 1);
    return STRATA_OK;
}

/* Iteration i of thread t reads element (i * threads + t), `stride` bytes apart, modulo the span.
 */
static void strided_loop(struct emitter *e, uint64_t stride, uint64_t iterations, uint64_t span,
                         bool one_address)
{
    uint64_t threads = strata_launch_blocks(&e->plan->launch) * e->plan->launch.block.x;
    uint64_t first = one_address ? 0 : e->block * e->plan->launch.block.x + thread_of(e, 0);
    uint64_t addr[STRATA_WARP_SIZE];
    emit(e, SD_TID, e->mask);
    emit(e, SD_ADDR, e->mask);
    for (uint64_t i = 0; i < iterations; i++) {
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++) {
            uint64_t element = one_address ? i : i * threads + first + lane;
            addr[lane] = array_base(0) + (span ? element * stride % span : element * stride);
        }
        emit_access(e, SD_LOAD, e->mask, addr);
        emit(e, SD_MATH, e->mask);
        emit(e, SD_NEXT, e->mask);
        emit(e, SD_TEST, e->mask);
        emit(e, SD_LOOP, i + 1 < iterations ? e->mask : 0);
    }
    emit(e, SD_EXIT, e->mask);
}

static void strided_warp(struct emitter *e)
{
    const uint64_t *v = e->plan->value;
    strided_loop(e, v[STRIDED_STRIDE], v[STRIDED_ITERATIONS], v[STRIDED_SPAN], false);
}

const struct generator generate_strided = {
    {"strided",
     "loads of lanes a fixed distance apart",
     {{"stride", 128, 4, 1u << 20, "bytes between neighbouring lanes"},
      {"iterations", 16, 1, 1u << 20, "loads of each thread"},
      {"blocks", 132, 1, 1u << 20, "thread blocks"},
      {"threads", 256, 1, 1024, "in a block"},
      {"span", 0, 0, 1ull << 40, "bytes after which addresses start again; 0: never"}}},
    ROWS(strided_code),
    strided_plan,
    strided_warp};

enum { BROADCAST_ITERATIONS = 1 };
static void broadcast_warp(struct emitter *e)
{
    const uint64_t *v = e->plan->value;
    strided_loop(e, v[STRIDED_STRIDE], v[BROADCAST_ITERATIONS], v[STRIDED_SPAN], true);
}

const struct generator generate_broadcast = {
    {"broadcast",
     "all lanes of all warps load the same address, then the next",
     {{"stride", 4, 4, 1u << 20, "bytes between one load and the next"},
      {"iterations", 64, 1, 1u << 20, "loads of each thread"},
      {"blocks", 132, 1, 1u << 20, "thread blocks"},
      {"threads", 256, 1, 1024, "in a block"},
      {"span", 0, 0, 1ull << 40, "bytes after which addresses start again; 0: never"}}},
    ROWS(strided_code),
    strided_plan,
    broadcast_warp};

/* ---- gather: an index is read, then the element it points to ---- */
enum { GATHER_ELEMENTS, GATHER_TABLE, GATHER_ITERATIONS, GATHER_THREADS, GATHER_SEED };
enum {
    GA_TID,
    GA_ADDR,
    GA_INDEX,
    GA_SCALE,
    GA_LOAD,
    GA_MATH,
    GA_NEXT,
    GA_TEST,
    GA_LOOP,
    GA_STORE,
    GA_EXIT
};
static const struct generate_code gather_code[] = {
    [GA_TID] = {"S2R", 0, {NONE}},        [GA_ADDR] = {"IMAD.WIDE", 2, {0, NONE}},
    [GA_INDEX] = {"LDG.E", 4, {2, NONE}}, [GA_SCALE] = {"IMAD.WIDE", 6, {4, NONE}},
    [GA_LOAD] = {"LDG.E", 8, {6, NONE}},  [GA_MATH] = {"FADD", 10, {8, 10, NONE}},
    [GA_NEXT] = {"IADD3", 2, {2, NONE}},  [GA_TEST] = {"ISETP.NE.AND", NONE, {2, NONE}},
    [GA_LOOP] = {"BRA", NONE, {NONE}},    [GA_STORE] = {"STG.E", NONE, {12, 10, NONE}},
    [GA_EXIT] = {"EXIT", NONE, {NONE}},
};

static strata_status gather_plan(struct generate_plan *p, struct strata_error *err)
{
    uint64_t threads = p->value[GATHER_ELEMENTS];
    (void)err;
    plan_grid(p, ceil_div(threads, p->value[GATHER_THREADS]), 1, (uint32_t)p->value[GATHER_THREADS],
              1);
    plan_input(p, 0, threads * p->value[GATHER_ITERATIONS] * 4);
    plan_input(p, 1, p->value[GATHER_TABLE] * 4);
    return STRATA_OK;
}

static void gather_warp(struct emitter *e)
{
    const uint64_t *v = e->plan->value;
    uint64_t threads = v[GATHER_ELEMENTS],
             first = e->block * e->plan->launch.block.x + thread_of(e, 0);
    uint64_t addr[STRATA_WARP_SIZE];
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
        mask |= first + lane < threads ? (e->mask & 1u << lane) : 0;
    emit(e, GA_TID, e->mask);
    emit(e, GA_ADDR, e->mask);
    for (uint64_t i = 0; i < v[GATHER_ITERATIONS] && mask; i++) {
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
            addr[lane] = array_base(0) + (i * threads + first + lane) * 4;
        emit_access(e, GA_INDEX, mask, addr);
        emit(e, GA_SCALE, mask);
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
            addr[lane] = array_base(1) +
                         rng_below(v[GATHER_SEED], i * threads + first + lane, v[GATHER_TABLE]) * 4;
        emit_access(e, GA_LOAD, mask, addr);
        emit(e, GA_MATH, mask);
        emit(e, GA_NEXT, mask);
        emit(e, GA_TEST, mask);
        emit(e, GA_LOOP, i + 1 < v[GATHER_ITERATIONS] ? mask : 0);
    }
    for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
        addr[lane] = array_base(2) + (first + lane) * 4;
    emit_access(e, GA_STORE, mask, addr);
    emit(e, GA_EXIT, e->mask);
}

const struct generator generate_gather = {
    {"gather",
     "reads an index, then a random element of a table",
     {{"elements", 1u << 16, 1, 1u << 28, "threads, one result each"},
      {"table", 1u << 20, 1, 1ull << 34, "elements of 4 bytes to choose from"},
      {"iterations", 4, 1, 1u << 16, "elements gathered by each thread"},
      {"threads", 256, 1, 1024, "in a block"},
      {"seed", 1, 0, UINT64_MAX, "of the indices"}}},
    ROWS(gather_code),
    gather_plan,
    gather_warp};

/* ---- pointer chase: every load waits for the one before (paper 002, section 4.1) ---- */
enum { CHASE_BYTES, CHASE_STRIDE, CHASE_ITERATIONS, CHASE_BLOCKS, CHASE_SHUFFLE, CHASE_SEED };
enum { CH_START, CH_LOAD, CH_SCALE, CH_TEST, CH_LOOP, CH_EXIT };
static const struct generate_code chase_code[] = {
    [CH_START] = {"LDC.64", 2, {NONE}},       [CH_LOAD] = {"LDG.E", 4, {2, NONE}},
    [CH_SCALE] = {"IMAD.WIDE", 2, {4, NONE}}, [CH_TEST] = {"ISETP.NE.AND", NONE, {6, NONE}},
    [CH_LOOP] = {"BRA", NONE, {NONE}},        [CH_EXIT] = {"EXIT", NONE, {NONE}},
};

static strata_status chase_plan(struct generate_plan *p, struct strata_error *err)
{
    if (p->value[CHASE_STRIDE] > p->value[CHASE_BYTES])
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "chase: stride=%llu is larger than the array of bytes=%llu.",
                           (unsigned long long)p->value[CHASE_STRIDE],
                           (unsigned long long)p->value[CHASE_BYTES]);
    plan_grid(p, p->value[CHASE_BLOCKS], 1, 1, 1);
    plan_input(p, 0, p->value[CHASE_BYTES]);
    return STRATA_OK;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Steps of this size through n elements come by each of them once: it shares no factor with n. */
static uint64_t scattered_step(uint64_t n, uint64_t seed)
{
    uint64_t step = n > 2 ? 1 + rng_below(seed, 0, n - 1) : 1;
    while (common_divisor(step, n) != 1)
        step = step % n + 1;
    return step;
}

static void chase_warp(struct emitter *e)
{
    const uint64_t *v = e->plan->value;
    uint64_t n = v[CHASE_BYTES] / v[CHASE_STRIDE], addr[STRATA_WARP_SIZE] = {0};
    uint64_t step = v[CHASE_SHUFFLE] ? scattered_step(n, v[CHASE_SEED]) : 1, element = 0;
    emit(e, CH_START, e->mask);
    for (uint64_t i = 0; i < v[CHASE_ITERATIONS]; i++, element = (element + step) % n) {
        addr[0] = array_base(0) + element * v[CHASE_STRIDE];
        emit_access(e, CH_LOAD, e->mask, addr);
        emit(e, CH_SCALE, e->mask);
        emit(e, CH_TEST, e->mask);
        emit(e, CH_LOOP, i + 1 < v[CHASE_ITERATIONS] ? e->mask : 0);
    }
    emit(e, CH_EXIT, e->mask);
}

const struct generator generate_chase = {
    {"chase",
     "pointer chase by one thread: every load waits for the one before",
     {{"bytes", 64u << 10, 4, 1ull << 40, "the array"},
      {"stride", 128, 4, 1ull << 30, "bytes between elements"},
      {"iterations", 4096, 1, 1u << 28, "loads"},
      {"blocks", 1, 1, 1u << 16, "blocks of one thread, all on the same cycle"},
      {"shuffle", 0, 0, 1, "1: a scattered order instead of the order of addresses"},
      {"seed", 1, 0, UINT64_MAX, "of that order"}}},
    ROWS(chase_code),
    chase_plan,
    chase_warp};
