/* The order an assembler gives to straight code: what may move, what may not, and that nothing is
 * lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "sm/window.h"
#include "h200fix.h"

/* ---- code ---- */

struct fixture {
    struct strata_code *code;
    struct sm_decoder decoder;
    struct sm_scheduler scheduler;
};

static void begin(struct fixture *f)
{
    assert_int_equal(strata_code_create(&f->code, NULL), STRATA_OK);
}

static void add(struct fixture *f, uint8_t opclass, uint8_t space, uint8_t memop, uint16_t hints,
                int dst, int a, int b)
{
    struct strata_inst i = {
        .opcode = "test", .opclass = opclass, .space = space, .memop = memop, .hints = hints};
    uint32_t index, n = strata_code_count(f->code);
    i.pc = 16ull * n;
    i.width_bytes = memop ? 4 : 0;
    if (dst >= 0)
        i.reg[i.n_dst++] = (uint16_t)dst;
    if (a >= 0)
        i.reg[i.n_dst + i.n_src++] = (uint16_t)a;
    if (b >= 0)
        i.reg[i.n_dst + i.n_src++] = (uint16_t)b;
    assert_int_equal(strata_code_add(f->code, &i, &index, NULL), STRATA_OK);
    assert_int_equal(index, n);
}
static void put(struct fixture *f, struct strata_inst i)
{
    uint32_t index;
    i.pc = 16ull * strata_code_count(f->code);
    assert_int_equal(strata_code_add(f->code, &i, &index, NULL), STRATA_OK);
}
static void load(struct fixture *f, int dst, int address)
{
    add(f, STRATA_OP_MEM, STRATA_SPACE_GLOBAL, STRATA_MEM_LOAD, 0, dst, address, -1);
}
static void store(struct fixture *f, int address, int value)
{
    add(f, STRATA_OP_MEM, STRATA_SPACE_GLOBAL, STRATA_MEM_STORE, 0, -1, address, value);
}
static void sum(struct fixture *f, int dst, int a, int b)
{
    add(f, STRATA_OP_FP32, 0, 0, 0, dst, a, b);
}
static void branch(struct fixture *f, int predicate)
{
    add(f, STRATA_OP_BRANCH, 0, 0, 0, -1, predicate, -1);
}

static void ready_with(struct fixture *f, uint32_t registers)
{
    sm_decoder_init(&f->decoder, &h200, f->code, STRATA_ISA_PTX);
    assert_int_equal(sm_decoder_update(&f->decoder, NULL), STRATA_OK);
    assert_int_equal(sm_scheduler_init(&f->scheduler, &f->decoder, registers, 4, NULL), STRATA_OK);
}

static void ready(struct fixture *f)
{
    ready_with(f, 0);
}

static void end(struct fixture *f)
{
    sm_scheduler_release(&f->scheduler);
    sm_decoder_release(&f->decoder);
    strata_code_destroy(f->code);
}

static const struct sm_accesses UNKNOWN = {NULL, NULL};

/* When each instruction of the whole code issues. */
static void positions(struct fixture *f, uint32_t *position)
{
    uint32_t inst[SM_MAX_REGION], n = strata_code_count(f->code);
    const struct sm_region *region;
    for (uint32_t i = 0; i < n; i++)
        inst[i] = i;
    assert_int_equal(sm_scheduler_region(&f->scheduler, inst, n, UNKNOWN, &region, NULL),
                     STRATA_OK);
    for (uint32_t i = 0; i < n; i++)
        position[i] = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++) {
        assert_true(region->order[k] < n && position[region->order[k]] == UINT32_MAX);
        position[region->order[k]] = k;
    }
}

/* ---- what moves ---- */

static void independent_loads_of_an_unrolled_loop_go_before_the_first_use(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t at[SM_MAX_REGION];
    begin(&f);
    for (int k = 0; k < 4; k++) {
        load(&f, 10 + k, 1 + k);
        sum(&f, 20 + k, 10 + k, k ? 19 + k : 5);
    }
    branch(&f, 6);
    ready(&f);
    positions(&f, at);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t j = 0; j < 4; j++)
            assert_true(at[2 * k] < at[2 * j + 1]);
    assert_int_equal(at[8], 8);
    end(&f);
}

static void loads_behind_loads_go_as_soon_as_their_addresses_are_there(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t at[SM_MAX_REGION];
    begin(&f);
    for (int k = 0; k < 3; k++) { /* x[column[k]] * value[k] */
        load(&f, 10 + k, 1);
        load(&f, 20 + k, 10 + k);
        sum(&f, 30, 20 + k, 30);
    }
    ready(&f);
    positions(&f, at);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t j = 0; j < 3; j++)
            assert_true(at[3 * k] < at[3 * j + 1] && at[3 * k + 1] < at[3 * j + 2]);
    end(&f);
}

static void a_load_passes_a_store_only_where_nobody_can_tell(void **state)
{
    (void)state;
    static const struct {
        uint8_t space, memop;
        uint16_t hints;
        bool stays;
    } row[] = {
        {STRATA_SPACE_GLOBAL, STRATA_MEM_LOAD, 0, true},
        {STRATA_SPACE_GLOBAL, STRATA_MEM_LOAD, STRATA_HINT_READ_ONLY, false},
        {STRATA_SPACE_SHARED, STRATA_MEM_LOAD, 0, false},
        {STRATA_SPACE_SHARED, STRATA_MEM_LOAD, STRATA_HINT_VOLATILE, true},
        {STRATA_SPACE_GLOBAL, STRATA_MEM_ATOMIC, 0, true},
        {STRATA_SPACE_SHARED, STRATA_MEM_ATOMIC, 0, false},
        {STRATA_SPACE_GLOBAL, STRATA_MEM_ASYNC_COPY, 0, true},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        struct fixture f;
        uint32_t at[SM_MAX_REGION];
        begin(&f);
        load(&f, 10, 1);
        store(&f, 2, 10); /* waits for the first load */
        add(&f, STRATA_OP_MEM, row[r].space, row[r].memop, row[r].hints, 11, 3, -1);
        sum(&f, 12, 11, 11);
        ready(&f);
        positions(&f, at);
        assert_int_equal(at[1] < at[2], row[r].stays);
        end(&f);
    }
}

/* A store of 4 bytes, then a load from the same base at another place: it passes where they have no
 * byte in common and both addresses come from one register, by constants alone. */
static void a_load_passes_a_store_to_another_place_of_its_base(void **state)
{
    (void)state;
    static const struct {
        uint16_t base; /* of the load; the store's is 2 */
        int32_t distance;
        uint32_t mask;
        bool stays;
    } row[] = {{2, 16, ~0u, false}, {2, 4, ~0u, false}, {2, 3, ~0u, true}, {2, -4, 4, false},
               {2, 0, ~0u, true},   {3, 16, ~0u, true}, {2, 16, 0, true}};
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        struct fixture f;
        struct sm_entry entry[4] = {{0}};
        uint64_t list[1][STRATA_WARP_SIZE];
        uint32_t inst[4] = {0, 1, 2, 3}, at[4];
        const struct sm_region *region;
        begin(&f);
        load(&f, 10, 1);
        store(&f, 2, 10); /* waits for the first load */
        load(&f, 11, row[r].base);
        sum(&f, 12, 11, 11);
        ready(&f);
        for (uint32_t lane = 0; lane < STRATA_WARP_SIZE; lane++)
            list[0][lane] = 4096 + 32 * lane + (uint64_t)(int64_t)row[r].distance;
        entry[1] =
            (struct sm_entry){.base = 4096, .stride = 32, .mask = ~0u, .addresses = SM_AFFINE};
        entry[2] = (struct sm_entry){.mask = row[r].mask, .addresses = SM_LIST};
        struct sm_accesses known = {entry, (const uint64_t(*)[STRATA_WARP_SIZE])list};
        assert_int_equal(sm_scheduler_region(&f.scheduler, inst, 4, known, &region, NULL),
                         STRATA_OK);
        for (uint32_t k = 0; k < 4; k++)
            at[region->order[k]] = k;
        assert_int_equal(at[1] < at[2], row[r].stays);
        end(&f);
    }
}

static bool reads(const struct sm_inst *op, uint16_t reg)
{
    for (unsigned k = 0; k < op->n_read; k++)
        if (op->read[k] == reg)
            return true;
    return false;
}

/* Six loads, each added up by a sum of its own: of global memory the fourth and those behind it
 * share a barrier, so that the fourth sum waits for all of them; of shared memory each has one. */
static void who_waits_for_a_load_waits_for_all_of_its_barrier(void **state)
{
    (void)state;
    static const uint8_t space[] = {STRATA_SPACE_GLOBAL, STRATA_SPACE_LOCAL, STRATA_SPACE_SHARED};
    for (size_t s = 0; s < sizeof space; s++) {
        struct fixture f;
        uint32_t inst[12];
        const struct sm_region *r;
        begin(&f);
        for (int k = 0; k < 6; k++)
            add(&f, STRATA_OP_MEM, space[s], STRATA_MEM_LOAD, 0, 10 + k, 1, -1);
        for (int k = 0; k < 6; k++)
            sum(&f, 20 + k, 10 + k, k ? 19 + k : 5);
        for (uint32_t k = 0; k < 12; k++)
            inst[k] = k;
        ready(&f);
        assert_int_equal(sm_scheduler_region(&f.scheduler, inst, 12, UNKNOWN, &r, NULL), STRATA_OK);
        for (uint16_t k = 0; k < 6; k++)
            for (uint16_t j = 0; j < 6; j++)
                assert_int_equal(reads(&r->op[6 + k], (uint16_t)(10 + j)),
                                 k == j || (space[s] != STRATA_SPACE_SHARED && k == 3 && j > 3));
        end(&f);
    }
}

static void loads_wait_for_registers(void **state)
{
    (void)state;
    for (uint32_t registers = 16; registers <= 64; registers += 16) {
        struct fixture f;
        uint32_t at[SM_MAX_REGION], before_first_use = 0;
        begin(&f);
        for (int k = 0; k < 40; k++) {
            load(&f, 10 + k, 1);
            sum(&f, 60 + k, 10 + k, k ? 59 + k : 5);
        }
        ready_with(&f, registers);
        positions(&f, at);
        for (uint32_t k = 0; k < 40; k++)
            before_first_use += at[2 * k] < at[1];
        uint32_t room = registers - 5; /* two values come in */
        assert_int_equal(before_first_use, room < 40 ? room : 40);
        end(&f);
    }
}

/* Squares of one value, each added up later: with few registers no more of them are made ahead than
 * there is room for; their sums free what they read. */
static void results_of_arithmetic_wait_for_registers(void **state)
{
    (void)state;
    uint32_t ahead[2] = {0, 0};
    for (uint32_t few = 0; few < 2; few++) {
        struct fixture f;
        uint32_t at[SM_MAX_REGION];
        begin(&f);
        for (int k = 0; k < 40; k++) {
            add(&f, STRATA_OP_SFU, 0, 0, 0, 10 + k, 1, -1);
            sum(&f, 60 + k, 10 + k, k ? 59 + k : 5);
        }
        ready_with(&f, few ? 16 : 0);
        positions(&f, at);
        for (uint32_t k = 0; k < 40; k++)
            ahead[few] += at[2 * k] < at[1];
        end(&f);
    }
    assert_int_equal(ahead[1], 11); /* 16, less two that come in, half of them again, and two */
    assert_true(ahead[0] > ahead[1]);
}

/* An address that is the sum of registers takes one more than what is loaded from it, constants
 * beside a base none. */
static void addresses_that_are_computed_wait_for_registers(void **state)
{
    (void)state;
    uint32_t ahead[2] = {0, 0};
    for (int sums = 0; sums < 2; sums++) {
        struct fixture f;
        uint32_t at[SM_MAX_REGION];
        begin(&f);
        for (int k = 0; k < 30; k++) {
            struct strata_inst address = {.opcode = "add.s64",
                                          .opclass = STRATA_OP_INT,
                                          .n_dst = 1,
                                          .n_src = (uint8_t)(1 + sums),
                                          .reg = {(uint16_t)(110 + k), 1, 2}};
            put(&f, address);
            load(&f, 10 + k, 110 + k);
            sum(&f, 60 + k, 10 + k, k ? 59 + k : 5);
        }
        ready_with(&f, 20);
        positions(&f, at);
        for (uint32_t k = 0; k < 30; k++)
            ahead[sums] += at[3 * k + (sums ? 0 : 1)] < at[2];
        end(&f);
    }
    assert_int_equal(ahead[0], 15); /* 20, less two that come in, half of them again, and two */
    assert_int_equal(ahead[1], 14); /* likewise, of three that come in */
}

/* Machine code has seven predicates: with more comparisons than that the first that one of them
 * guards comes before the eighth. */
static void no_more_predicates_are_made_ahead_than_there_are(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t at[SM_MAX_REGION], ahead = 0;
    begin(&f);
    for (uint16_t k = 0; k < 20; k++) {
        put(&f, (struct strata_inst){.opcode = "setp.lt.s32",
                                     .opclass = STRATA_OP_INT,
                                     .n_dst = 1,
                                     .n_src = 1,
                                     .reg = {(uint16_t)(10 + k), 1}});
        load(&f, 40 + k, 10 + k);
    }
    ready(&f);
    positions(&f, at);
    for (uint32_t k = 0; k < 20; k++)
        ahead += at[2 * k] < at[1];
    assert_int_equal(ahead, 7);
    end(&f);
}

static void nothing_passes_the_end_of_a_region(void **state)
{
    (void)state;
    static const uint8_t last[] = {STRATA_OP_BRANCH, STRATA_OP_EXIT,         STRATA_OP_BARRIER,
                                   STRATA_OP_MEMBAR, STRATA_OP_ASYNC_COMMIT, STRATA_OP_ASYNC_WAIT};
    for (size_t r = 0; r < sizeof last; r++) {
        struct fixture f;
        uint32_t at[SM_MAX_REGION];
        begin(&f);
        load(&f, 10, 1);
        sum(&f, 11, 10, 10);
        add(&f, last[r], 0, 0, 0, -1, -1, -1);
        ready(&f);
        assert_true(sm_ends_region(strata_code_get(f.code, 2)));
        assert_false(sm_ends_region(strata_code_get(f.code, 0)));
        positions(&f, at);
        assert_int_equal(at[2], 2);
        end(&f);
    }
}

/* ---- random code against the rules, pair by pair ---- */

static void random_code(struct fixture *f, uint64_t seed, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        int dst = (int)rng_below(seed, 4 * k, 12), a = (int)rng_below(seed, 4 * k + 1, 12),
            b = (int)rng_below(seed, 4 * k + 2, 12);
        switch (rng_below(seed, 4 * k + 3, 4)) {
        case 0:
            load(f, dst, a);
            break;
        case 1:
            store(f, a, b);
            break;
        default:
            sum(f, dst, a, b);
        }
    }
}

/* Both orders are executed: each instruction has to read the results of the same ones, memory has
 * to be written in the same order, and the registers have to hold the same in the end. */
static void every_instruction_reads_what_it_did_before(void **state)
{
    (void)state;
    enum { REGISTERS = 12 };
    static uint32_t value[65536], read[SM_MAX_REGION][2], inst[SM_MAX_REGION];
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fixture f;
        const struct sm_region *region;
        uint32_t n = 5 + (uint32_t)rng_below(seed, 9999, SM_MAX_REGION - 5), final[REGISTERS],
                 last_store = 0;
        begin(&f);
        random_code(&f, seed, n);
        ready_with(&f, 16 + (uint32_t)seed);
        for (uint32_t r = 0; r < REGISTERS; r++)
            value[r] = 1000 + r;
        for (uint32_t i = 0; i < n; i++) {
            const struct strata_inst *x = strata_code_get(f.code, i);
            inst[i] = i;
            for (uint32_t k = 0; k < x->n_src; k++)
                read[i][k] = value[x->reg[x->n_dst + k]];
            if (x->n_dst)
                value[x->reg[0]] = i;
        }
        memcpy(final, value, sizeof final);
        assert_int_equal(sm_scheduler_region(&f.scheduler, inst, n, UNKNOWN, &region, NULL),
                         STRATA_OK);
        for (uint32_t r = 0; r < REGISTERS; r++)
            value[r] = 1000 + r;
        for (uint32_t k = region->n_gone; k < n; k++) {
            uint32_t i = region->order[k];
            const struct sm_inst *op = &region->op[i];
            /* behind its own come those of loads that it waits for as well */
            for (uint32_t j = 0; j < strata_code_get(f.code, i)->n_src; j++)
                assert_int_equal(value[op->read[j]], read[i][j]);
            if (op->n_write)
                value[op->write[0]] = i;
            if (strata_code_get(f.code, i)->memop == STRATA_MEM_STORE) {
                assert_true(i >= last_store);
                last_store = i;
            }
        }
        assert_memory_equal(value, final, sizeof final);
        end(&f);
    }
}

/* ---- windows ---- */

enum { ROUNDS = 50, MOST_CODE = 16 };

/* A warp that goes ROUNDS times around the whole code. */
struct warp {
    struct strata_builder *builder;
    struct strata_block *block;
    struct strata_cursor plain, cursor;
    struct sm_window window;
};

static void begin_warp(struct fixture *f, struct warp *w)
{
    memset(w, 0, sizeof *w);
    assert_int_equal(strata_builder_create(f->code, &w->builder, NULL), STRATA_OK);
    assert_int_equal(strata_builder_begin_block(w->builder, 0, 1, NULL), STRATA_OK);
    assert_int_equal(strata_builder_begin_warp(w->builder, 0, NULL), STRATA_OK);
}

static void read_warp(struct warp *w)
{
    assert_int_equal(strata_builder_end_block(w->builder, &w->block, NULL), STRATA_OK);
    assert_int_equal(strata_cursor_init(&w->plain, w->block, 0, NULL), STRATA_OK);
    assert_int_equal(strata_cursor_init(&w->cursor, w->block, 0, NULL), STRATA_OK);
}

static void run_around(struct fixture *f, struct warp *w)
{
    uint64_t addr[STRATA_WARP_SIZE] = {0};
    begin_warp(f, w);
    for (uint64_t r = 0; r < ROUNDS; r++)
        for (uint32_t i = 0; i < strata_code_count(f->code); i++) {
            for (uint64_t l = 0; l < 32; l++) /* lists and strides in turn */
                addr[l] = 4096 * (r + 1) + (r % 2 ? rng_below(r, l, 4096) : 4 * l) + i;
            bool memory = strata_code_get(f->code, i)->memop;
            assert_int_equal(strata_builder_add(w->builder, i, r % 8 ? 0xffffffffu : 0xffffu,
                                                memory ? addr : NULL, NULL),
                             STRATA_OK);
        }
    read_warp(w);
}

static void end_warp(struct warp *w)
{
    sm_window_release(&w->window);
    strata_cursor_release(&w->plain);
    strata_cursor_release(&w->cursor);
    strata_block_destroy(w->block);
    strata_builder_destroy(w->builder);
}

/* All that the warp executes comes out of the window, region by region, each instruction with its
 * own mask and addresses. Returns the instructions of the longest region. */
static uint32_t all_comes_out(struct fixture *f, struct warp *w)
{
    static uint64_t want[SM_MAX_REGION][STRATA_WARP_SIZE];
    uint32_t mask[SM_MAX_REGION], inst[SM_MAX_REGION], longest = 0, total = 0;
    struct sm_step step;
    struct strata_winst p;
    for (;;) {
        strata_status st = sm_window_next(&w->window, &w->cursor, &f->scheduler, &step, NULL);
        if (st == STRATA_END)
            break;
        uint32_t n = w->window.n;
        bool seen[SM_MAX_REGION] = {false};
        for (uint32_t i = 0; i < n; i++) {
            assert_true(strata_cursor_next(&w->plain, &p));
            mask[i] = p.mask;
            inst[i] = p.inst_index;
            memset(want[i], 0, sizeof want[i]);
            if (p.addr_kind != STRATA_ADDR_NONE)
                strata_winst_addresses(&p, want[i]);
        }
        for (uint32_t k = 0; k < n; k++) {
            uint64_t got[STRATA_WARP_SIZE] = {0};
            uint32_t at = w->window.region->order[k];
            if (k)
                assert_int_equal(sm_window_next(&w->window, &w->cursor, &f->scheduler, &step, NULL),
                                 STRATA_OK);
            assert_false(seen[at]);
            seen[at] = true;
            assert_int_equal(step.winst.inst_index, inst[at]);
            assert_int_equal(step.winst.mask, mask[at]);
            assert_int_equal(step.place, inst[k]);
            if (step.winst.addr_kind != STRATA_ADDR_NONE)
                strata_winst_addresses(&step.winst, got);
            assert_memory_equal(got, want[at], sizeof got);
        }
        longest = n > longest ? n : longest;
        total += n;
    }
    assert_int_equal(total, ROUNDS * strata_code_count(f->code));
    return longest;
}

static void a_loop_that_is_not_counted_is_a_region_for_each_round(void **state)
{
    (void)state;
    struct fixture f;
    struct warp w;
    begin(&f);
    load(&f, 10, 1);
    sum(&f, 11, 10, 11);
    load(&f, 12, 2);
    sum(&f, 13, 12, 13);
    branch(&f, 6);
    ready(&f);
    run_around(&f, &w);
    assert_int_equal(all_comes_out(&f, &w), 5);
    end_warp(&w);
    end(&f);
}

static void counted_loop(struct fixture *f, bool by_constant)
{
    begin(f);
    load(f, 10, 1);
    sum(f, 11, 10, 11);
    add(f, STRATA_OP_INT, 0, 0, 0, 1, 1, -1);
    add(f, STRATA_OP_INT, 0, 0, 0, 3, 3, by_constant ? -1 : 5);
    add(f, STRATA_OP_INT, 0, 0, 0, 6, 3, 4); /* the comparison */
    branch(f, 6);
    ready(f);
}

static void rounds_of_a_counted_loop_become_one_region(void **state)
{
    (void)state;
    struct fixture f;
    struct warp w;
    counted_loop(&f, true);
    run_around(&f, &w);
    assert_int_equal(all_comes_out(&f, &w), 24);
    end_warp(&w);
    end(&f);
    counted_loop(&f, false);
    run_around(&f, &w);
    assert_int_equal(all_comes_out(&f, &w), 6);
    end_warp(&w);
    end(&f);
}

/* Three rounds that load, step a pointer of 64 bits, whose other half names no registers, and add:
 * the last step is left, and the loads of all rounds read what the pointer was before. */
static void steps_within_a_region_become_constants(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t inst[12];
    const struct sm_region *r;
    const struct strata_inst half = {.opcode = "add.s64", .opclass = STRATA_OP_IMAD},
                             step = {.opcode = "add.s64",
                                     .opclass = STRATA_OP_INT,
                                     .n_dst = 1,
                                     .n_src = 1,
                                     .reg = {1, 1}};
    begin(&f);
    load(&f, 10, 1);
    put(&f, half);
    put(&f, step);
    sum(&f, 11, 10, 11);
    ready(&f);
    for (uint32_t i = 0; i < 12; i++)
        inst[i] = i % 4;
    assert_int_equal(sm_scheduler_region(&f.scheduler, inst, 12, UNKNOWN, &r, NULL), STRATA_OK);
    assert_int_equal(r->n_gone, 4);
    for (uint32_t k = 0; k < r->n_gone; k++)
        assert_true(r->order[k] < 8 && (r->order[k] % 4 == 1 || r->order[k] % 4 == 2));
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(r->op[4 * i].read[0], 1);
    assert_int_equal(r->op[10].write[0], 1);
    end(&f);
}

/* A body of three that is not counted by what can be seen of it. */
static uint32_t longest_with(int32_t told, uint32_t unroll)
{
    struct fixture f;
    struct warp w;
    begin(&f);
    load(&f, 10, 1);
    sum(&f, 11, 10, 11);
    put(&f, (struct strata_inst){
                .opcode = "bra", .opclass = STRATA_OP_BRANCH, .n_src = 1, .reg = {6}, .imm = told});
    ready(&f);
    f.scheduler.unroll = unroll;
    run_around(&f, &w);
    uint32_t longest = all_comes_out(&f, &w);
    end_warp(&w);
    end(&f);
    return longest;
}

static void the_branch_tells_how_many_rounds_become_one(void **state)
{
    (void)state;
    assert_int_equal(longest_with(0, 4), 3);
    assert_int_equal(longest_with(1, 4), 3);
    assert_int_equal(longest_with(2, 4), 6);
    assert_int_equal(longest_with(4, 4), 12);
    /* seven with all lanes, and the one that begins with fewer */
    assert_int_equal(longest_with(STRATA_ALL_ROUNDS, 4), 24);
    assert_int_equal(longest_with(4, 1), 3); /* asked for no unrolling */
}

/* A sum before a loop of three instructions of which `told` rounds are one, and one behind it. */
static void loop_between_sums(struct fixture *f, int32_t told)
{
    begin(f);
    sum(f, 20, 21, 22);
    load(f, 10, 1);
    sum(f, 11, 10, 11);
    put(f, (struct strata_inst){
               .opcode = "bra", .opclass = STRATA_OP_BRANCH, .n_src = 1, .reg = {6}, .imm = told});
    sum(f, 23, 24, 25);
    ready(f);
}

/* The instructions of each region of a warp that goes through it with a number of rounds; each load
 * has the addresses of its own round. Returns how many regions there are. */
static uint32_t regions_of(int32_t told, uint32_t rounds, uint32_t *n)
{
    struct fixture f;
    struct warp w;
    struct sm_step step;
    uint64_t addr[STRATA_WARP_SIZE] = {0}, round = 0;
    uint32_t regions = 0;
    loop_between_sums(&f, told);
    begin_warp(&f, &w);
    for (uint32_t k = 0; k < 3 * rounds + 2; k++) {
        uint32_t i = !k ? 0 : k > 3 * rounds ? 4 : 1 + (k - 1) % 3;
        addr[0] = addr[1] = 4096 * k, addr[2] = 64;
        assert_int_equal(strata_builder_add(w.builder, i, ~0u, i == 1 ? addr : NULL, NULL),
                         STRATA_OK);
    }
    read_warp(&w);
    while (sm_window_next(&w.window, &w.cursor, &f.scheduler, &step, NULL) == STRATA_OK) {
        if (w.window.at == 1)
            n[regions++] = w.window.n;
        if (step.winst.inst_index == 1) {
            strata_winst_addresses(&step.winst, addr);
            assert_int_equal(addr[1], 4096 * (1 + 3 * round++));
        }
    }
    assert_int_equal(round, rounds);
    end_warp(&w);
    end(&f);
    return regions;
}

static void what_is_before_a_loop_stays_out_of_its_rounds(void **state)
{
    (void)state;
    uint32_t n[8];
    assert_int_equal(regions_of(4, 8, n), 4);
    assert_true(n[0] == 1 && n[1] == 12 && n[2] == 12 && n[3] == 1);
    assert_int_equal(regions_of(1, 2, n), 4);
    assert_true(n[0] == 1 && n[1] == 3 && n[2] == 3 && n[3] == 1);
}

static void of_three_rounds_that_are_left_two_are_one(void **state)
{
    (void)state;
    uint32_t n[8];
    assert_int_equal(regions_of(4, 7, n), 5);
    assert_true(n[1] == 12 && n[2] == 6 && n[3] == 3 && n[4] == 1);
    assert_int_equal(regions_of(4, 6, n), 4);
    assert_true(n[1] == 12 && n[2] == 6 && n[3] == 1);
}

static void a_loop_that_is_unrolled_whole_is_straight_code_with_what_surrounds_it(void **state)
{
    (void)state;
    uint32_t n[8];
    assert_int_equal(regions_of(STRATA_ALL_ROUNDS, 9, n), 1);
    assert_int_equal(n[0], 29);
}

/* Four loads, each from an address that is found from the one before, and the sum of what they
 * load: the sums are ready in the gaps between the loads. */
static void what_only_waits_for_memory_fills_no_gap_between_loads(void **state)
{
    (void)state;
    enum { LOADS = 24 };
    struct fixture f;
    uint32_t at[SM_MAX_REGION];
    begin(&f);
    for (int k = 0; k < LOADS; k++) {
        load(&f, 100 + k, 10 + k);
        sum(&f, 200, 100 + k, 200);
        add(&f, STRATA_OP_IMAD, 0, 0, 0, 11 + k, 10 + k, 5);
    }
    ready(&f);
    positions(&f, at);
    for (uint32_t k = 0; k < LOADS; k++)
        assert_true(at[3 * k] < at[1]);
    end(&f);
}

/* A loop of eight loads and sums, with 32 registers, of which `alive` hold values when it begins:
 * how many loads go before the first sum. */
static uint32_t loads_ahead(int32_t alive)
{
    enum { LOADS = 16 };
    struct fixture f;
    uint32_t at[SM_MAX_REGION], n = 0;
    begin(&f);
    for (int k = 0; k < LOADS; k++) {
        load(&f, 100 + k, 1);
        sum(&f, 200, 100 + k, 200);
    }
    put(&f, (struct strata_inst){.opcode = "bra",
                                 .opclass = STRATA_OP_BRANCH,
                                 .imm = alive < 0 ? 1 : 1 + STRATA_BRANCH_ALIVE * (1 + alive)});
    ready_with(&f, 32);
    positions(&f, at);
    for (uint32_t k = 0; k < LOADS; k++)
        n += at[2 * k] < at[1];
    end(&f);
    return n;
}

static void registers_alive_where_a_loop_begins_leave_the_others_to_its_loads(void **state)
{
    (void)state;
    assert_int_equal(loads_ahead(-1), 16); /* not told */
    assert_int_equal(loads_ahead(4), 16);
    assert_int_equal(loads_ahead(16), 12);
    assert_int_equal(loads_ahead(18), 10);
    assert_int_equal(loads_ahead(40), 8);
}

/* Addresses of 64 bits that are found one from the other run ahead of the loads; what they take is
 * not what is left for the loads of a loop in which much is alive. */
static void addresses_that_run_ahead_leave_loads_their_registers(void **state)
{
    (void)state;
    enum { LOADS = 12 };
    struct fixture f;
    uint32_t at[SM_MAX_REGION], n = 0;
    begin(&f);
    for (int k = 0; k < LOADS; k++) {
        put(&f, (struct strata_inst){.opcode = "add.s64",
                                     .opclass = STRATA_OP_INT,
                                     .n_dst = 1,
                                     .n_src = 2,
                                     .reg = {(uint16_t)(11 + k), (uint16_t)(10 + k), 5}});
        load(&f, 100 + k, 11 + k);
        sum(&f, 200, 100 + k, 200);
    }
    put(&f, (struct strata_inst){
                .opcode = "bra", .opclass = STRATA_OP_BRANCH, .imm = 1 + STRATA_BRANCH_ALIVE * 21});
    ready_with(&f, 32);
    positions(&f, at);
    for (uint32_t k = 0; k < LOADS; k++)
        n += at[3 * k + 1] < at[2];
    assert_int_equal(n, 8); /* 32, less 20 and four */
    end(&f);
}

/* Of four rounds: the loads first, in registers of their own; three branches and comparisons gone.
 */
static void an_unrolled_loop_loads_before_it_adds(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t inst[24];
    const struct sm_region *r;
    counted_loop(&f, true);
    for (uint32_t i = 0; i < 24; i++)
        inst[i] = i % 6;
    assert_int_equal(sm_scheduler_region(&f.scheduler, inst, 24, UNKNOWN, &r, NULL), STRATA_OK);
    assert_int_equal(r->n_gone, 6);
    for (uint32_t k = 0; k < r->n_gone; k++)
        assert_true(r->order[k] % 6 >= 4);
    uint32_t loads = 0, adds = 0;
    for (uint32_t k = r->n_gone; k < 24; k++) {
        loads += r->order[k] % 6 == 0;
        adds += r->order[k] % 6 == 1;
        assert_true(!adds || loads == 4);
    }
    assert_int_equal(r->order[23], 23);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(r->op[6 * i + 1].read[0], r->op[6 * i].write[0]);
        for (uint32_t k = i + 1; k < 4; k++)
            assert_int_not_equal(r->op[6 * i].write[0], r->op[6 * k].write[0]);
    }
    assert_int_equal(r->op[18].write[0], 10); /* what follows finds it where it was */
    assert_true(sm_scheduler_registers(&f.scheduler) >= f.decoder.max_register + 1 + SM_FRESH);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_loads_of_an_unrolled_loop_go_before_the_first_use),
        cmocka_unit_test(loads_behind_loads_go_as_soon_as_their_addresses_are_there),
        cmocka_unit_test(a_load_passes_a_store_only_where_nobody_can_tell),
        cmocka_unit_test(a_load_passes_a_store_to_another_place_of_its_base),
        cmocka_unit_test(who_waits_for_a_load_waits_for_all_of_its_barrier),
        cmocka_unit_test(loads_wait_for_registers),
        cmocka_unit_test(results_of_arithmetic_wait_for_registers),
        cmocka_unit_test(addresses_that_are_computed_wait_for_registers),
        cmocka_unit_test(no_more_predicates_are_made_ahead_than_there_are),
        cmocka_unit_test(nothing_passes_the_end_of_a_region),
        cmocka_unit_test(every_instruction_reads_what_it_did_before),
        cmocka_unit_test(a_loop_that_is_not_counted_is_a_region_for_each_round),
        cmocka_unit_test(rounds_of_a_counted_loop_become_one_region),
        cmocka_unit_test(steps_within_a_region_become_constants),
        cmocka_unit_test(the_branch_tells_how_many_rounds_become_one),
        cmocka_unit_test(an_unrolled_loop_loads_before_it_adds),
        cmocka_unit_test(what_is_before_a_loop_stays_out_of_its_rounds),
        cmocka_unit_test(of_three_rounds_that_are_left_two_are_one),
        cmocka_unit_test(a_loop_that_is_unrolled_whole_is_straight_code_with_what_surrounds_it),
        cmocka_unit_test(what_only_waits_for_memory_fills_no_gap_between_loads),
        cmocka_unit_test(addresses_that_run_ahead_leave_loads_their_registers),
        cmocka_unit_test(registers_alive_where_a_loop_begins_leave_the_others_to_its_loads),
    };
    return cmocka_run_group_tests(tests, load_h200, NULL);
}
