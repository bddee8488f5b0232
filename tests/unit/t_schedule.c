/* The order an assembler gives to straight code: what may move, what may not, and that nothing is
 * lost. */
#include "base/rng.h"
#include "schedfix.h"

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

/* scripts/ptx-order: 75 products of 4 cycles. */
static void a_load_goes_no_sooner_than_its_result_is_needed(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t at[SM_MAX_REGION];
    begin(&f);
    load(&f, 10, 1);
    for (int k = 0; k < 120; k++)
        sum(&f, 20, 20, 20);
    sum(&f, 21, 20, 10);
    ready(&f);
    positions(&f, at);
    assert_in_range(at[0], 120 - 76, 120 - 74);
    end(&f);
}

/* Likewise of shared memory, which is never far: so loads of memory find registers first. */
static void a_load_of_shared_memory_goes_just_before_it_is_needed(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t at[SM_MAX_REGION];
    begin(&f);
    add(&f, STRATA_OP_MEM, STRATA_SPACE_SHARED, STRATA_MEM_LOAD, 0, 10, 1, -1);
    for (int k = 0; k < 120; k++)
        sum(&f, 20, 20, 20);
    sum(&f, 21, 20, 10);
    ready(&f);
    positions(&f, at);
    assert_in_range(at[0], 120 - 12, 120 - 4);
    end(&f);
}

/* best = row[c] > row[best] ? c : best: of two rounds the second's row[c] waits for the first. */
static void a_load_beside_a_chain_of_loads_waits_for_its_turn(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t at[SM_MAX_REGION];
    begin(&f);
    for (int k = 0; k < 4; k++) {
        load(&f, 10 + k, 1);      /* 3k */
        load(&f, 20 + k, 30 + k); /* 3k + 1 */
        sum(&f, 31 + k, 10 + k, 20 + k);
    }
    ready(&f);
    positions(&f, at);
    for (uint32_t k = 1; k < 4; k++)
        assert_true(at[3 * k] > at[3 * k - 1] && at[3 * k] < at[3 * k + 2]);
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

static void put_named(struct fixture *f, const char *opcode, uint8_t opclass, uint16_t dst,
                      uint16_t src)
{
    bool loads = opclass == STRATA_OP_MEM;
    put(f, (struct strata_inst){.opcode = opcode,
                                .opclass = opclass,
                                .space = loads ? STRATA_SPACE_GLOBAL : 0,
                                .memop = loads ? STRATA_MEM_LOAD : 0,
                                .width_bytes = loads ? 4 : 0,
                                .n_dst = 1,
                                .n_src = 1,
                                .reg = {dst, src}});
}

/* Two steps of a sum of products; plain loads of the second go before the first product. */
static void a_load_of_wmma_does_not_pass_a_product_of_wmma(void **state)
{
    (void)state;
    for (unsigned wmma = 0; wmma < 2; wmma++) {
        struct fixture f;
        uint32_t at[SM_MAX_REGION];
        begin(&f);
        for (uint16_t k = 0; k < 2; k++) {
            put_named(&f, wmma ? "wmma.load.a.sync" : "ld.global.u32", STRATA_OP_MEM, 10 + k,
                      1 + k);
            put_named(&f, "wmma.mma.sync", STRATA_OP_TENSOR, 20 + k, 10 + k);
        }
        ready(&f);
        positions(&f, at);
        assert_int_equal(at[1] < at[2], wmma);
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
        uint32_t room = registers - 4; /* a sum and an address come in */
        assert_int_equal(before_first_use, room < 40 ? room : 40);
        end(&f);
    }
}

/* Each value is read twice: who reads it first finds no register, either, but frees one in the end.
 */
static void a_load_is_the_last_to_go_without_a_register(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t at[SM_MAX_REGION], ahead = 0;
    begin(&f);
    for (int k = 0; k < 16; k++) {
        load(&f, 10 + k, 1);
        sum(&f, 30 + k, 10 + k, 5);
        sum(&f, 50 + k, 10 + k, 6);
    }
    ready_with(&f, 16);
    positions(&f, at);
    for (uint32_t k = 0; k < 16; k++)
        ahead += at[3 * k] < at[1];
    assert_int_equal(ahead, 11); /* 16, less three that come in, half an address, and two */
    end(&f);
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
    assert_int_equal(ahead[1], 12); /* 16, less two that come in, half an address, and two */
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
    assert_int_equal(ahead[0], 16); /* 20, less two that come in, half an address, and two */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_loads_of_an_unrolled_loop_go_before_the_first_use),
        cmocka_unit_test(loads_behind_loads_go_as_soon_as_their_addresses_are_there),
        cmocka_unit_test(a_load_goes_no_sooner_than_its_result_is_needed),
        cmocka_unit_test(a_load_of_shared_memory_goes_just_before_it_is_needed),
        cmocka_unit_test(a_load_beside_a_chain_of_loads_waits_for_its_turn),
        cmocka_unit_test(a_load_passes_a_store_only_where_nobody_can_tell),
        cmocka_unit_test(a_load_passes_a_store_to_another_place_of_its_base),
        cmocka_unit_test(a_load_of_wmma_does_not_pass_a_product_of_wmma),
        cmocka_unit_test(who_waits_for_a_load_waits_for_all_of_its_barrier),
        cmocka_unit_test(loads_wait_for_registers),
        cmocka_unit_test(a_load_is_the_last_to_go_without_a_register),
        cmocka_unit_test(results_of_arithmetic_wait_for_registers),
        cmocka_unit_test(addresses_that_are_computed_wait_for_registers),
        cmocka_unit_test(no_more_predicates_are_made_ahead_than_there_are),
        cmocka_unit_test(nothing_passes_the_end_of_a_region),
        cmocka_unit_test(every_instruction_reads_what_it_did_before),
    };
    return cmocka_run_group_tests(tests, load_h200, NULL);
}
