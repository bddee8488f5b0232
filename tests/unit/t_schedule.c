/* The order an assembler gives to straight code: what may move, what may not, and that nothing is lost. */
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

static struct strata_gpu h200;

static int load_gpu(void **state)
{
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    return strata_gpu_add_path(folder, NULL) || strata_gpu_load("h200", &h200, NULL);
}

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

static void add(struct fixture *f, uint8_t opclass, uint8_t space, uint8_t memop, uint16_t hints, int dst, int a, int b)
{
    struct strata_inst i = {.opcode = "test", .opclass = opclass, .space = space, .memop = memop, .hints = hints};
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

static void ready(struct fixture *f)
{
    sm_decoder_init(&f->decoder, &h200, f->code, STRATA_ISA_PTX);
    assert_int_equal(sm_decoder_update(&f->decoder, NULL), STRATA_OK);
    assert_int_equal(sm_scheduler_init(&f->scheduler, &f->decoder, 32, NULL), STRATA_OK);
}

static void end(struct fixture *f)
{
    sm_scheduler_release(&f->scheduler);
    sm_decoder_release(&f->decoder);
    strata_code_destroy(f->code);
}

/* When each instruction of the whole code issues. */
static void positions(struct fixture *f, uint32_t *position)
{
    uint32_t inst[SM_MAX_REGION], n = strata_code_count(f->code);
    const uint16_t *order;
    for (uint32_t i = 0; i < n; i++)
        inst[i] = i;
    assert_int_equal(sm_scheduler_order(&f->scheduler, inst, n, &order, NULL), STRATA_OK);
    for (uint32_t i = 0; i < n; i++)
        position[i] = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++) {
        assert_true(order[k] < n && position[order[k]] == UINT32_MAX);
        position[order[k]] = k;
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

static void nothing_passes_the_end_of_a_region(void **state)
{
    (void)state;
    static const uint8_t last[] = {STRATA_OP_BRANCH, STRATA_OP_EXIT, STRATA_OP_BARRIER, STRATA_OP_MEMBAR,
                                   STRATA_OP_ASYNC_COMMIT, STRATA_OP_ASYNC_WAIT};
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
        int dst = (int)rng_below(seed, 4 * k, 12), a = (int)rng_below(seed, 4 * k + 1, 12), b = (int)rng_below(seed, 4 * k + 2, 12);
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

static bool has(const uint16_t *reg, unsigned n, uint16_t x)
{
    for (unsigned k = 0; k < n; k++)
        if (reg[k] == x)
            return true;
    return false;
}

static bool share(const struct strata_inst *i, const struct strata_inst *k)
{
    for (unsigned d = 0; d < i->n_dst; d++)
        if (has(k->reg, k->n_dst + k->n_src, i->reg[d]))
            return true;
    return false;
}

static void dependent_instructions_keep_their_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct fixture f;
        uint32_t at[SM_MAX_REGION], n = 5 + (uint32_t)rng_below(seed, 9999, SM_MAX_REGION - 5);
        begin(&f);
        random_code(&f, seed, n);
        ready(&f);
        positions(&f, at);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = i + 1; k < n; k++) {
                const struct strata_inst *x = strata_code_get(f.code, i), *y = strata_code_get(f.code, k);
                bool memory = x->memop && y->memop && (x->memop == STRATA_MEM_STORE || y->memop == STRATA_MEM_STORE);
                if (share(x, y) || share(y, x) || memory)
                    assert_true(at[i] < at[k]);
            }
        end(&f);
    }
}

/* ---- windows ---- */

/* A warp that goes around a loop: every instruction comes out once, with its own mask and addresses. */
static void a_window_hands_out_each_instruction_once(void **state)
{
    (void)state;
    struct fixture f;
    struct strata_builder *builder;
    struct strata_block *block;
    struct strata_cursor plain = {0}, cursor = {0};
    struct sm_window window = {0};
    uint64_t addr[STRATA_WARP_SIZE] = {0};
    begin(&f);
    load(&f, 10, 1);
    sum(&f, 11, 10, 11);
    load(&f, 12, 2);
    sum(&f, 13, 12, 13);
    branch(&f, 6);
    ready(&f);
    assert_int_equal(strata_builder_create(f.code, &builder, NULL), STRATA_OK);
    assert_int_equal(strata_builder_begin_block(builder, 0, 1, NULL), STRATA_OK);
    assert_int_equal(strata_builder_begin_warp(builder, 0, NULL), STRATA_OK);
    enum { ROUNDS = 50, N = 5 };
    for (uint64_t r = 0; r < ROUNDS; r++)
        for (uint32_t i = 0; i < N; i++) {
            for (uint64_t l = 0; l < 32; l++) /* lists and strides in turn */
                addr[l] = 4096 * (r + 1) + (r % 2 ? rng_below(r, l, 4096) : 4 * l) + i;
            assert_int_equal(strata_builder_add(builder, i, r % 3 ? 0xffffffffu : 0xffffu, i % 2 || i == 4 ? NULL : addr, NULL), STRATA_OK);
        }
    assert_int_equal(strata_builder_end_block(builder, &block, NULL), STRATA_OK);
    assert_int_equal(strata_cursor_init(&plain, block, 0, NULL), STRATA_OK);
    assert_int_equal(strata_cursor_init(&cursor, block, 0, NULL), STRATA_OK);
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint64_t want[N][STRATA_WARP_SIZE] = {{0}}, got[STRATA_WARP_SIZE];
        uint32_t mask[N], seen = 0, place;
        struct strata_winst w;
        for (uint32_t i = 0; i < N; i++) {
            assert_true(strata_cursor_next(&plain, &w));
            mask[i] = w.mask;
            if (w.addr_kind != STRATA_ADDR_NONE)
                strata_winst_addresses(&w, want[i]);
        }
        for (uint32_t i = 0; i < N; i++) {
            assert_int_equal(sm_window_next(&window, &cursor, &f.scheduler, &w, &place, NULL), STRATA_OK);
            assert_int_equal(place, i);
            assert_false(seen >> w.inst_index & 1);
            seen |= 1u << w.inst_index;
            assert_int_equal(w.mask, mask[w.inst_index]);
            memset(got, 0, sizeof got);
            if (w.addr_kind != STRATA_ADDR_NONE)
                strata_winst_addresses(&w, got);
            assert_memory_equal(got, want[w.inst_index], sizeof got);
        }
        assert_int_equal(seen, 31);
        assert_int_equal(w.inst_index, 4);
    }
    struct strata_winst w;
    uint32_t place;
    assert_int_equal(sm_window_next(&window, &cursor, &f.scheduler, &w, &place, NULL), STRATA_END);
    sm_window_release(&window);
    strata_cursor_release(&plain);
    strata_cursor_release(&cursor);
    strata_block_destroy(block);
    strata_builder_destroy(builder);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_loads_of_an_unrolled_loop_go_before_the_first_use),
        cmocka_unit_test(loads_behind_loads_go_as_soon_as_their_addresses_are_there),
        cmocka_unit_test(a_load_passes_a_store_only_where_nobody_can_tell),
        cmocka_unit_test(nothing_passes_the_end_of_a_region),
        cmocka_unit_test(dependent_instructions_keep_their_order),
        cmocka_unit_test(a_window_hands_out_each_instruction_once),
    };
    return cmocka_run_group_tests(tests, load_gpu, NULL);
}
