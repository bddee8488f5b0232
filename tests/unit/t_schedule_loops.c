/* Loops in the order an assembler gives to code: which rounds become one region, and what their
 * loads find room for. */
#include "base/rng.h"
#include "schedfix.h"

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
