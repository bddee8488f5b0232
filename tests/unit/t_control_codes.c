/* What a warp's next instruction waits for where the code has control codes: stall counts, the two
 * kinds of barriers, wait masks; and that code without them waits for registers as ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sm/scoreboard.h"
#include "sm/warp_rules.h"

static struct strata_gpu gpu(void)
{
    struct strata_gpu g;
    memset(&g, 0, sizeof g);
    g.sm.min_issue_gap_cycles = 1;
    g.sm.latency_barrier_cycles = 14;
    g.sm.barrier_warp_cycles = 2;
    return g;
}

/* An instruction with control codes that takes no barrier and waits for none. */
static struct sm_inst instruction(void)
{
    struct sm_inst i = {.result_stall = SM_STALL_LONG, .latency = 10};
    i.control = (struct strata_control){.known = 1,
                                        .stall = 1,
                                        .write_barrier = STRATA_NO_BARRIER,
                                        .read_barrier = STRATA_NO_BARRIER};
    return i;
}
static struct sm_inst waiting_for(uint8_t mask)
{
    struct sm_inst i = instruction();
    i.control.wait_mask = mask;
    return i;
}
static struct sm_wait wait_of(const struct sm_scoreboard *s, const struct sm_inst *i, uint64_t t)
{
    struct sm_wait w = {.ready = t};
    sm_scoreboard_wait(s, i, &w);
    return w;
}

static void the_next_instruction_waits_for_the_stall_count(void **state)
{
    (void)state;
    struct strata_gpu g = gpu();
    struct sm_inst i = instruction();
    assert_int_equal(sm_issue_gap(&g, &i, true), 1);
    i.control.stall = 13;
    assert_int_equal(sm_issue_gap(&g, &i, true), 13);
    i.control.stall = 0; /* no less than the scheduler's own gap */
    assert_int_equal(sm_issue_gap(&g, &i, true), 1);
}

/* Probe issue: two cycles after an IMAD.WIDE, then its stall count. */
static void the_stall_count_begins_when_the_scheduler_is_let_go(void **state)
{
    (void)state;
    struct strata_gpu g = gpu();
    struct sm_inst i = instruction();
    i.hold = 2;
    assert_int_equal(sm_issue_gap(&g, &i, true), 3);
    i.control.stall = 5;
    assert_int_equal(sm_issue_gap(&g, &i, true), 7);
}

static void
a_branch_that_is_taken_waits_for_its_target_and_one_that_is_not_for_the_count(void **state)
{
    (void)state;
    struct strata_gpu g = gpu();
    struct sm_inst i = instruction();
    i.is_branch = true;
    i.control.stall = 5;
    assert_int_equal(sm_issue_gap(&g, &i, true), 10);
    assert_int_equal(sm_issue_gap(&g, &i, false), 5);
    i.control.stall = 12;
    assert_int_equal(sm_issue_gap(&g, &i, true), 12);
}

static void a_write_barrier_is_free_when_the_result_is_there(void **state)
{
    (void)state;
    struct sm_scoreboard s = {0};
    struct sm_inst load = instruction(), use = waiting_for(1u << 3), other = waiting_for(1u << 2);
    load.control.write_barrier = 3;
    sm_scoreboard_set(&s, &load, 500);
    assert_int_equal(wait_of(&s, &use, 100).ready, 500);
    assert_int_equal(wait_of(&s, &use, 100).stall, SM_STALL_LONG);
    assert_int_equal(wait_of(&s, &use, 600).ready, 600);
    assert_int_equal(wait_of(&s, &other, 100).ready, 100);
}

static void registers_are_not_looked_at(void **state)
{
    (void)state;
    uint32_t ready[SM_WORDS_A_LINE] = {0, 400};
    struct sm_scoreboard s = {.ready = ready};
    struct sm_inst use = instruction();
    use.n_read = use.n_write = 1;
    use.read[0] = use.write[0] = 1;
    assert_int_equal(wait_of(&s, &use, 100).ready, 100);
    sm_scoreboard_set(&s, &use, 300); /* nor written: it has no barrier */
    assert_int_equal(ready[1], 400);
    use.control.known = 0;
    assert_int_equal(wait_of(&s, &use, 100).ready, 400);
}

static void a_read_barrier_is_free_when_the_operands_are_read(void **state)
{
    (void)state;
    struct sm_scoreboard s = {0};
    struct sm_inst store = instruction(), overwrite = waiting_for(1u << 0);
    store.control.read_barrier = 0;
    store.control.write_barrier = 1;
    sm_operands_set(&s, &store, 120);
    sm_scoreboard_set(&s, &store, 900);
    assert_int_equal(wait_of(&s, &overwrite, 100).ready, 120);
    sm_operands_hold(&s, &store);
    assert_int_equal(wait_of(&s, &overwrite, 100).ready, SM_PENDING);
    sm_operands_arrive(&s, &store, 150);
    assert_int_equal(wait_of(&s, &overwrite, 100).ready, 150);
}

static void a_wait_mask_waits_for_the_last_of_its_barriers(void **state)
{
    (void)state;
    struct sm_scoreboard s = {0};
    struct sm_inst use = waiting_for(1u << 1 | 1u << 5);
    sm_barrier_take(&s.barriers, 1, SM_STALL_SHORT, 300);
    sm_barrier_take(&s.barriers, 5, SM_STALL_LONG, 200);
    sm_barrier_take(&s.barriers, 2, SM_STALL_LONG, 900);
    assert_int_equal(wait_of(&s, &use, 100).ready, 300);
    assert_int_equal(wait_of(&s, &use, 100).stall, SM_STALL_SHORT);
}

static void a_barrier_taken_twice_is_free_when_both_are_done_in_any_order(void **state)
{
    (void)state;
    struct sm_scoreboard s = {0};
    struct sm_inst load = instruction(), use = waiting_for(1u << 4);
    load.control.write_barrier = 4;
    sm_scoreboard_set(&s, &load, 700); /* times known at once */
    sm_scoreboard_set(&s, &load, 300);
    assert_int_equal(wait_of(&s, &use, 100).ready, 700);
    sm_scoreboard_hold(&s, &load); /* times told later, the second before the first */
    sm_scoreboard_hold(&s, &load);
    sm_scoreboard_arrive(&s, &load, 800);
    assert_int_equal(wait_of(&s, &use, 100).ready, SM_PENDING);
    sm_scoreboard_arrive(&s, &load, 750);
    assert_int_equal(wait_of(&s, &use, 100).ready, 800);
}

static void no_barrier_is_none(void **state)
{
    (void)state;
    struct sm_scoreboard s = {0}, before = s;
    struct sm_inst i = instruction();
    sm_scoreboard_set(&s, &i, 700);
    sm_scoreboard_hold(&s, &i);
    sm_scoreboard_arrive(&s, &i, 700);
    sm_operands_set(&s, &i, 700);
    assert_memory_equal(&s, &before, sizeof s);
}

static void a_block_barrier_has_its_stalls_in_the_code_where_the_code_has_them(void **state)
{
    (void)state;
    struct strata_gpu g = gpu();
    assert_int_equal((int)sm_barrier_cycles(&g, 8, false), 30);
    assert_int_equal((int)sm_barrier_cycles(&g, 8, true), 17);
}

/* An instruction of machine code without control codes that reads and writes registers 1, 2, ... */
static void decode(struct sm_decoder *d, struct strata_code **code, unsigned n_read,
                   unsigned n_write)
{
    static struct strata_gpu g;
    struct strata_inst i = {.opcode = "IMAD.MOV.U32",
                            .opclass = STRATA_OP_INT,
                            .n_dst = (uint8_t)n_write,
                            .n_src = (uint8_t)n_read};
    uint32_t index;
    for (unsigned k = 0; k < n_read + n_write; k++)
        i.reg[k] = (uint16_t)(k + 1);
    g = gpu();
    assert_int_equal(strata_code_create(code, NULL), STRATA_OK);
    assert_int_equal(strata_code_add(*code, &i, &index, NULL), STRATA_OK);
    sm_decoder_init(d, &g, *code, STRATA_ISA_PTX);
    assert_int_equal(sm_decoder_update(d, NULL), STRATA_OK);
}

/* records_probe.cu: only warps that have just waited for data store on. */
static void what_a_warp_does_since_it_waited_for_data_is_counted_but_for_stores(void **state)
{
    (void)state;
    struct sm_inst sum = {.is_store = false}, store = {.is_store = true};
    uint8_t since = SM_LONG_AFTER_DATA;
    since = sm_since_data(since, &sum, SM_STALL_SHORT);
    assert_int_equal(since, SM_LONG_AFTER_DATA);
    since = sm_since_data(since, &sum, SM_STALL_LONG);
    assert_int_equal(since, 0);
    for (int k = 0; k < 300; k++)
        since = sm_since_data(since, &store, SM_STALL_NONE);
    assert_int_equal(since, 0);
    for (int k = 0; k < SM_SOON_AFTER_DATA; k++)
        since = sm_since_data(since, &sum, SM_STALL_WAIT);
    assert_int_equal(since, SM_SOON_AFTER_DATA);
    for (int k = 0; k < 300; k++)
        since = sm_since_data(since, &sum, SM_STALL_WAIT);
    assert_int_equal(since, SM_LONG_AFTER_DATA);
}

/* branch_probe.cu: a VIADD takes none of the integer pipe's time, branches and what parts and joins
 * a warp take turns, and lanes that leave a place where paths join take longer. */
static void what_pipe_machine_code_takes_and_for_how_long(void **state)
{
    (void)state;
    static const struct {
        const char *opcode;
        uint8_t opclass, pipe, interval;
    } rows[] = {
        {"VIADD", STRATA_OP_INT, SM_PIPE_FMA, 3},    {"VIADDMNMX", STRATA_OP_INT, SM_PIPE_ALU, 2},
        {"IADD3", STRATA_OP_INT, SM_PIPE_ALU, 2},    {"BSSY", STRATA_OP_NOP, SM_PIPE_CBU, 5},
        {"BRA.U", STRATA_OP_BRANCH, SM_PIPE_CBU, 5}, {"BSYNC", STRATA_OP_BRANCH, SM_PIPE_CBU, 5},
        {"BREAK", STRATA_OP_BRANCH, SM_PIPE_CBU, 7}, {"NOP", STRATA_OP_NOP, SM_PIPE_NONE, 1},
    };
    struct strata_gpu g = gpu();
    struct strata_code *code;
    struct sm_decoder d;
    g.sm.interval_int_cycles = 2;
    g.sm.interval_imad_cycles = 3;
    g.sm.interval_branch_cycles = 5;
    g.sm.interval_break_cycles = 7;
    assert_int_equal(strata_code_create(&code, NULL), STRATA_OK);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct strata_inst i = {.opcode = rows[k].opcode, .opclass = rows[k].opclass, .pc = 16 * k};
        uint32_t index;
        assert_int_equal(strata_code_add(code, &i, &index, NULL), STRATA_OK);
    }
    sm_decoder_init(&d, &g, code, STRATA_ISA_SASS);
    assert_int_equal(sm_decoder_update(&d, NULL), STRATA_OK);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_int_equal(d.inst[k].pipe, rows[k].pipe);
        assert_int_equal(d.inst[k].interval, rows[k].interval);
    }
    sm_decoder_release(&d);
    strata_code_destroy(code);
}

static void without_them_it_waits_for_each_register_however_many_there_are(void **state)
{
    (void)state;
    for (unsigned n_read = 0; n_read < 6; n_read++)
        for (unsigned n_write = 0; n_write < 2; n_write++) {
            struct sm_decoder d;
            struct strata_code *code;
            decode(&d, &code, n_read, n_write);
            for (unsigned late = 0; late < 8; late++) {
                uint32_t ready[SM_WORDS_A_LINE] = {0};
                struct sm_scoreboard s = {.ready = ready};
                bool is_one = late && late <= n_read + n_write;
                ready[late] = 500;
                *sm_register_stall(&s, late) = SM_STALL_LONG;
                struct sm_wait w = wait_of(&s, &d.inst[0], 100);
                assert_int_equal(w.ready, is_one ? 500 : 100);
                assert_int_equal(w.stall, is_one ? SM_STALL_LONG : SM_STALL_NONE);
            }
            sm_decoder_release(&d);
            strata_code_destroy(code);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_instruction_waits_for_the_stall_count),
        cmocka_unit_test(the_stall_count_begins_when_the_scheduler_is_let_go),
        cmocka_unit_test(
            a_branch_that_is_taken_waits_for_its_target_and_one_that_is_not_for_the_count),
        cmocka_unit_test(a_write_barrier_is_free_when_the_result_is_there),
        cmocka_unit_test(registers_are_not_looked_at),
        cmocka_unit_test(a_read_barrier_is_free_when_the_operands_are_read),
        cmocka_unit_test(a_wait_mask_waits_for_the_last_of_its_barriers),
        cmocka_unit_test(a_barrier_taken_twice_is_free_when_both_are_done_in_any_order),
        cmocka_unit_test(no_barrier_is_none),
        cmocka_unit_test(what_a_warp_does_since_it_waited_for_data_is_counted_but_for_stores),
        cmocka_unit_test(what_pipe_machine_code_takes_and_for_how_long),
        cmocka_unit_test(without_them_it_waits_for_each_register_however_many_there_are),
        cmocka_unit_test(a_block_barrier_has_its_stalls_in_the_code_where_the_code_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
