/* DRAM of the clocked model: every timing parameter, refresh, queues, schedulers, and the pins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <strata/gpu.h>

#include "base/bits.h"
#include "base/rng.h"
#include "sim/dram.h"

static struct strata_gpu h200, titanv_new, titanv_old;

static int load_gpus(void **state)
{
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    return strata_gpu_add_path(folder, NULL) || strata_gpu_load("h200", &h200, NULL) ||
           strata_gpu_load("titanv-new", &titanv_new, NULL) ||
           strata_gpu_load("titanv-old", &titanv_old, NULL);
}

/* ---- one parameter at a time ---- */

struct bench {
    struct dram_timing t;
    struct dram_channel c;
};

/* A channel of four banks in two groups in which nothing takes time but one clock of data. */
static struct bench *quiet(void)
{
    static struct bench b;
    struct strata_gpu g;
    strata_gpu_init(&g);
    g.dram.banks = 4;
    g.dram.bank_groups = 2;
    g.dram.burst_length = g.dram.data_rate = 2;
    g.dram.bus_bytes = 16;
    g.dram.tCCD = g.dram.tCCDL = g.dram.tRRD = g.dram.tRCD = g.dram.tRAS = g.dram.tRP = g.dram.tRC =
        0;
    g.dram.tCL = g.dram.tWL = g.dram.tCDLR = g.dram.tWR = g.dram.tRTPL = g.dram.tFAW = g.dram.tRFC =
        g.dram.tREFI = 0;
    assert_int_equal(dram_timing_init(&b.t, &g, NULL), STRATA_OK);
    dram_channel_init(&b.c, &b.t, 0);
    return &b;
}

/* Parameters are set between quiet() and the commands; what follows from several is worked out
 * anew. */
static void derive(struct bench *b)
{
    b->t.read_to_write =
        b->t.tCL + b->t.burst + 2 > b->t.tWL ? b->t.tCL + b->t.burst + 2 - b->t.tWL : 1;
    b->t.write_to_read = b->t.tWL + b->t.burst + b->t.tCDLR;
    b->t.write_to_precharge = b->t.tWL + b->t.burst + b->t.tWR;
}

#define LEGAL_FROM(b, command, bank, clock)                                                        \
    do {                                                                                           \
        assert_true(dram_earliest(&(b)->c, command, bank) <= (clock));                             \
        assert_true(dram_earliest(&(b)->c, command, bank) > (clock)-1);                            \
    } while (0)

static void column_commands_of_other_groups_are_tCCD_apart(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tCCD = 5;
    dram_issue(&b->c, DRAM_READ, 0, 0, 100);
    LEGAL_FROM(b, DRAM_READ, 1, 105);
}

static void column_commands_of_one_group_are_tCCDL_apart(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tCCD = 5;
    b->t.tCCDL = 9;
    dram_issue(&b->c, DRAM_WRITE, 0, 0, 100);
    LEGAL_FROM(b, DRAM_WRITE, 1, 105);
    LEGAL_FROM(b, DRAM_WRITE, 2, 109); /* banks 0 and 2 share a group */
}

static void bursts_longer_than_tCCD_keep_column_commands_apart(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tCCD = 1;
    b->t.burst = 4;
    dram_issue(&b->c, DRAM_READ, 0, 0, 100);
    LEGAL_FROM(b, DRAM_READ, 1, 104);
}

static void activates_of_two_banks_are_tRRD_apart(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tRRD = 6;
    dram_issue(&b->c, DRAM_ACTIVATE, 0, 1, 100);
    LEGAL_FROM(b, DRAM_ACTIVATE, 1, 106);
}

static void a_column_command_follows_its_activate_by_tRCD(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tRCD = 12;
    dram_issue(&b->c, DRAM_ACTIVATE, 0, 1, 100);
    LEGAL_FROM(b, DRAM_READ, 0, 112);
    LEGAL_FROM(b, DRAM_WRITE, 0, 112);
}

static void a_precharge_follows_the_activate_by_tRAS(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tRAS = 28;
    dram_issue(&b->c, DRAM_ACTIVATE, 0, 1, 100);
    LEGAL_FROM(b, DRAM_PRECHARGE, 0, 128);
}

static void an_activate_follows_the_precharge_by_tRP(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tRP = 12;
    dram_issue(&b->c, DRAM_ACTIVATE, 0, 1, 50);
    dram_issue(&b->c, DRAM_PRECHARGE, 0, 1, 100);
    LEGAL_FROM(b, DRAM_ACTIVATE, 0, 112);
    LEGAL_FROM(b, DRAM_REFRESH, 0, 112);
}

static void activates_of_one_bank_are_tRC_apart(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tRC = 40;
    dram_issue(&b->c, DRAM_ACTIVATE, 0, 1, 100);
    dram_issue(&b->c, DRAM_PRECHARGE, 0, 1, 101);
    LEGAL_FROM(b, DRAM_ACTIVATE, 0, 140);
    assert_true(dram_earliest(&b->c, DRAM_ACTIVATE, 1) <= 101);
}

static void a_write_waits_for_the_data_of_a_read_on_the_pins(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tCL = 12;
    b->t.tWL = 2;
    derive(b);
    dram_issue(&b->c, DRAM_READ, 0, 0, 100);
    /* data of the read: clocks 112; two clocks to turn the pins; data of the write 2 after its
     * command */
    LEGAL_FROM(b, DRAM_WRITE, 1, 113);
}

static void a_read_follows_the_last_write_data_by_tCDLR(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tWL = 4;
    b->t.tCDLR = 5;
    derive(b);
    dram_issue(&b->c, DRAM_WRITE, 0, 0, 100);
    LEGAL_FROM(b, DRAM_READ, 1, 100 + 4 + 1 + 5);
}

static void a_precharge_follows_the_last_write_data_by_tWR(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tWL = 4;
    b->t.tWR = 12;
    derive(b);
    dram_issue(&b->c, DRAM_WRITE, 0, 0, 100);
    LEGAL_FROM(b, DRAM_PRECHARGE, 0, 100 + 4 + 1 + 12);
}

static void a_precharge_follows_a_read_by_tRTPL(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tRTPL = 7;
    dram_issue(&b->c, DRAM_READ, 0, 0, 100);
    LEGAL_FROM(b, DRAM_PRECHARGE, 0, 107);
    assert_true(dram_earliest(&b->c, DRAM_PRECHARGE, 1) <= 100);
}

static void a_fifth_activate_waits_for_tFAW(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tFAW = 30;
    for (uint32_t i = 0; i < 4; i++)
        dram_issue(&b->c, DRAM_ACTIVATE, i, 1, 100 + i);
    dram_issue(&b->c, DRAM_PRECHARGE, 0, 1, 104);
    LEGAL_FROM(b, DRAM_ACTIVATE, 0, 130);
    dram_issue(&b->c, DRAM_ACTIVATE, 0, 1, 130);
    LEGAL_FROM(b, DRAM_ACTIVATE, 1, 131);
}

static void a_refresh_closes_its_bank_for_tRFC(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tRFC = 99;
    dram_issue(&b->c, DRAM_REFRESH, 2, 0, 100);
    LEGAL_FROM(b, DRAM_ACTIVATE, 2, 199);
    assert_true(dram_earliest(&b->c, DRAM_ACTIVATE, 1) <= 100);
}

static void a_refresh_of_all_banks_closes_all_for_tRFC(void **state)
{
    (void)state;
    struct bench *b = quiet();
    b->t.tRFC = 99;
    dram_issue(&b->c, DRAM_REFRESH_ALL, 0, 0, 100);
    for (uint32_t i = 0; i < 4; i++)
        LEGAL_FROM(b, DRAM_ACTIVATE, i, 199);
}

/* ---- a channel under traffic, and a checker that shares no code with it ---- */

struct traffic {
    struct dram_timing t;
    struct dram_channel c;
    uint64_t now, sent, done, last_done;
    uint32_t marked; /* a tag, and when its data came */
    uint64_t marked_done;
    uint64_t *arrived;
};

static void count_done(void *context, const struct dram_request *r, uint64_t time)
{
    struct traffic *x = context;
    x->done++;
    x->last_done = time;
    if (r->mshr == x->marked)
        x->marked_done = time;
    assert_false(r->write);
    if (x->arrived)
        x->arrived[r->mshr]++;
}

static void open_traffic(struct traffic *x, const struct strata_gpu *gpu)
{
    memset(x, 0, sizeof *x);
    assert_int_equal(dram_timing_init(&x->t, gpu, NULL), STRATA_OK);
    dram_channel_init(&x->c, &x->t, 0);
    x->c.keep_log = true;
}

static void close_traffic(struct traffic *x)
{
    dram_channel_release(&x->c);
}

static void put(struct traffic *x, uint64_t time, uint64_t line, uint8_t sectors, bool write,
                uint32_t tag)
{
    struct sim_message m = {.time = time,
                            .line = line,
                            .sectors = sectors,
                            .mshr = tag,
                            .kind = write ? SIM_MSG_DRAM_WRITE : SIM_MSG_DRAM_READ};
    sim_mailbox_push(&x->c.mail, &m);
    x->sent++;
}

static void run_window(struct traffic *x)
{
    dram_channel_run(&x->c, x->now, x->now + 64, count_done, x);
    x->now += 64;
}

static void drain(struct traffic *x)
{
    while (dram_channel_busy(&x->c) || x->c.mail.n) {
        run_window(x);
        assert_true(x->now < 100000000000);
    }
}

/* What a log of commands must keep to; by looking back over it. */
static void check_pair(const struct dram_timing *t, const struct dram_logged *a,
                       const struct dram_logged *b)
{
    uint64_t gap = b->clock - a->clock;
    bool same_bank = a->bank == b->bank, same_group = a->bank % t->groups == b->bank % t->groups;
    bool a_column = a->command == DRAM_READ || a->command == DRAM_WRITE,
         b_column = b->command == DRAM_READ || b->command == DRAM_WRITE;
    if (a->command == DRAM_ACTIVATE && b->command == DRAM_ACTIVATE) {
        assert_true(gap >= t->tRRD);
        assert_true(!same_bank || gap >= t->tRC);
    }
    if (a_column && b_column && a->command == b->command) {
        assert_true(gap >= t->tCCD && gap >= t->burst);
        assert_true(!same_group || gap >= t->tCCDL);
    }
    if (a->command == DRAM_WRITE && b->command == DRAM_READ)
        assert_true(gap >= t->tWL + t->burst + t->tCDLR);
    if (a->command == DRAM_READ && b->command == DRAM_WRITE)
        assert_true(gap + t->tWL >= t->tCL + t->burst);
    if (!same_bank && a->command != DRAM_REFRESH_ALL)
        return;
    if (a->command == DRAM_ACTIVATE && b_column)
        assert_true(gap >= t->tRCD);
    if (a->command == DRAM_ACTIVATE && b->command == DRAM_PRECHARGE)
        assert_true(gap >= t->tRAS);
    if (a->command == DRAM_PRECHARGE && (b->command == DRAM_ACTIVATE || b->command == DRAM_REFRESH))
        assert_true(gap >= t->tRP);
    if (a->command == DRAM_WRITE && b->command == DRAM_PRECHARGE)
        assert_true(gap >= t->tWL + t->burst + t->tWR);
    if (a->command == DRAM_READ && b->command == DRAM_PRECHARGE)
        assert_true(gap >= t->tRTPL);
    if ((a->command == DRAM_REFRESH || a->command == DRAM_REFRESH_ALL) &&
        (b->command == DRAM_ACTIVATE || b->command == DRAM_REFRESH))
        assert_true(gap >= t->tRFC);
}

static void check_state(uint32_t *open, const struct dram_timing *t, const struct dram_logged *l)
{
    if (l->command == DRAM_ACTIVATE) {
        assert_int_equal(open[l->bank], DRAM_NONE);
        open[l->bank] = l->row;
    } else if (l->command == DRAM_PRECHARGE) {
        assert_int_not_equal(open[l->bank], DRAM_NONE);
        open[l->bank] = DRAM_NONE;
    } else if (l->command == DRAM_READ || l->command == DRAM_WRITE) {
        assert_int_equal(open[l->bank], l->row);
    } else if (l->command == DRAM_REFRESH) {
        assert_int_equal(open[l->bank], DRAM_NONE);
    } else {
        for (uint32_t b = 0; b < t->banks; b++)
            assert_int_equal(open[b], DRAM_NONE);
    }
}

static void check_buses(const struct dram_timing *t, const struct dram_logged *log, size_t i)
{
    bool column = log[i].command == DRAM_READ || log[i].command == DRAM_WRITE;
    for (size_t k = i; k-- && log[k].clock == log[i].clock;) {
        bool other = log[k].command == DRAM_READ || log[k].command == DRAM_WRITE;
        assert_true(t->dual_command_bus && other != column);
    }
    assert_true(!i || log[i].clock >= log[i - 1].clock);
}

static void check_log(const struct dram_channel *c)
{
    const struct dram_timing *t = c->timing;
    uint32_t open[DRAM_MAX_BANKS];
    uint64_t activate[4] = {0}, activates = 0, data_until = 0;
    memset(open, 0xff, sizeof open);
    for (size_t i = 0; i < c->n_log; i++) {
        const struct dram_logged *l = &c->log[i];
        check_state(open, t, l);
        check_buses(t, c->log, i);
        for (size_t k = i; k-- && l->clock - c->log[k].clock < 1200;)
            check_pair(t, &c->log[k], l);
        if (l->command == DRAM_ACTIVATE) {
            assert_true(activates < 4 || !t->tFAW || l->clock >= activate[activates & 3] + t->tFAW);
            activate[activates++ & 3] = l->clock;
        }
        if (l->command == DRAM_READ || l->command == DRAM_WRITE) {
            uint64_t begin = l->clock + (l->command == DRAM_READ ? t->tCL : t->tWL);
            assert_true(begin >= data_until); /* bursts never overlap on the pins */
            data_until = begin + t->burst;
        }
    }
}

static uint64_t atoms(const struct dram_timing *t, uint32_t sectors)
{
    uint32_t n = 0, per = t->atom_bytes / 32;
    for (uint32_t k = 0; k < 4; k += per)
        n += (sectors >> k & ((1u << per) - 1)) != 0;
    return n;
}

static void random_traffic(const struct strata_gpu *gpu, uint64_t seed, uint32_t n,
                           uint32_t per_window)
{
    struct traffic x;
    open_traffic(&x, gpu);
    uint32_t reads = 0;
    x.arrived = calloc(n, sizeof *x.arrived);
    bool *is_read = calloc(n, sizeof *is_read);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t lines = rng_below(seed, i * 4, 2) ? 64 : 1 << 16;
        is_read[i] = rng_below(seed, i * 4 + 1, 3) > 0;
        reads += is_read[i];
        put(&x, x.now + rng_below(seed, i * 4 + 2, 64),
            rng_below(seed, i * 4 + 3, lines) * 128 * gpu->dram.channels, (uint8_t)(1 + i % 15),
            !is_read[i], i);
        if (i % per_window == per_window - 1)
            run_window(&x);
    }
    drain(&x);
    check_log(&x.c);
    for (uint32_t i = 0; i < n; i++) /* once for each atom that its sectors touch */
        assert_int_equal(x.arrived[i], is_read[i] ? atoms(&x.t, 1 + i % 15) : 0);
    assert_true(x.done >= reads);
    free(x.arrived);
    free(is_read);
    close_traffic(&x);
}

static void commands_under_random_traffic_keep_to_every_rule(void **state)
{
    (void)state;
    const struct strata_gpu *gpus[] = {&h200, &titanv_new, &titanv_old};
    for (int g = 0; g < 3; g++)
        for (uint32_t scheduler = 0; scheduler < 2; scheduler++)
            for (uint32_t refresh = 0; refresh < 3; refresh++) {
                struct strata_gpu gpu = *gpus[g];
                gpu.dram.scheduler = scheduler;
                gpu.dram.tREFI = refresh ? 700 : 0;
                gpu.dram.tRFC = 60;
                gpu.dram.per_bank_refresh = refresh == 1;
                random_traffic(&gpu, 10 * (uint64_t)g + scheduler, 3000, 3);
                random_traffic(&gpu, 10 * (uint64_t)g + scheduler, 3000, 60);
            }
}

/* Bytes that a stream of lines moves, as a share of the pins. */
static double share_of_pins(const struct strata_gpu *gpu, bool random, uint32_t write_every,
                            uint8_t sectors)
{
    struct traffic x;
    open_traffic(&x, gpu);
    x.c.keep_log = false;
    uint64_t n = 0, bytes = 0, end = 64 * 2000;
    while (x.now < end) {
        while (x.c.backlog[0].n + x.c.backlog[1].n + x.c.mail.n < 256) {
            uint64_t block = random ? rng_at(3, n) % (1 << 22) : n / 2,
                     line = block * gpu->dram.channels * 256 + (n & 1) * 128;
            put(&x, x.now, line, sectors, write_every && n % write_every == 0, 0);
            n++;
        }
        run_window(&x);
    }
    bytes = (x.c.count.reads + x.c.count.writes) * gpu->dram.bus_bytes * gpu->dram.burst_length;
    double clocks = (double)end * gpu->dram.clock_mhz / gpu->sm.clock_mhz;
    close_traffic(&x);
    return (double)bytes / (clocks * gpu->dram.bus_bytes * gpu->dram.data_rate);
}

static void bandwidth_never_exceeds_the_pins_and_a_stream_comes_close(void **state)
{
    (void)state;
    const struct strata_gpu *gpus[] = {&h200, &titanv_new, &titanv_old};
    for (int g = 0; g < 3; g++) {
        double stream = share_of_pins(gpus[g], false, 0, 15),
               mixed = share_of_pins(gpus[g], false, 3, 15),
               spread = share_of_pins(gpus[g], true, 0, 3);
        printf("%s: stream %.3f, a third written %.3f, 64 bytes at random %.3f of the pins\n",
               gpus[g]->name, stream, mixed, spread);
        assert_true(stream <= 1 && mixed <= 1 && spread <= 1);
        assert_true(stream > 0.7);
        assert_true(spread < stream);
    }
}

static void open_rows_first_is_faster_than_in_order(void **state)
{
    (void)state;
    struct strata_gpu fcfs = titanv_new;
    fcfs.dram.scheduler = STRATA_DRAM_FCFS;
    uint64_t last[2];
    for (int k = 0; k < 2; k++) {
        struct traffic x;
        open_traffic(&x, k ? &titanv_new : &fcfs);
        uint32_t bank = 1, bank0, row, row0;
        uint64_t other = 0;
        dram_decode(&x.t, 0, &bank0, &row0);
        for (row = row0; bank != bank0 || row == row0;)
            dram_decode(&x.t, other += 256ull * titanv_new.dram.channels, &bank, &row);
        /* Two streams in two rows of one bank, a line of each in turn. */
        for (uint32_t i = 0; i < 64; i++)
            put(&x, i, i % 2 * other + i / 2 % 2 * 128, 15, false, i);
        drain(&x);
        last[k] = x.last_done;
        close_traffic(&x);
    }
    assert_true(last[1] * 2 < last[0]);
}

/* A line of another row of a bank whose open row is asked for without end. */
static uint64_t wait_behind_row_hits(uint32_t age_limit)
{
    enum { LINES = 4000, STRANGER = LINES + 1 };
    struct strata_gpu g = titanv_new;
    struct traffic x;
    g.dram.age_limit = age_limit;
    g.dram.read_queue = 0;
    g.dram.tREFI = g.dram.tRFC = 0; /* a refresh closes the row too */
    open_traffic(&x, &g);
    x.marked = STRANGER;
    uint32_t bank = 1, bank0, row, row0;
    uint64_t other = 0;
    dram_decode(&x.t, 0, &bank0, &row0);
    for (row = row0; bank != bank0 || row == row0;)
        dram_decode(&x.t, other += 256ull * g.dram.channels, &bank, &row);
    for (uint32_t i = 0; i < LINES; i++)
        put(&x, 10ull * i, i % 2 * 128, 15, false, i);
    put(&x, 1000, other, 1, false, STRANGER);
    drain(&x);
    close_traffic(&x);
    return x.marked_done - 1000;
}

static void a_row_miss_waits_behind_row_hits_for_the_age_limit_at_most(void **state)
{
    (void)state;
    double clocks = (double)titanv_new.dram.clock_mhz / titanv_new.sm.clock_mhz;
    assert_true(wait_behind_row_hits(0) > 15000);
    assert_true(wait_behind_row_hits(800) < 800 / clocks + 600);
    assert_true(wait_behind_row_hits(800) > 800 / clocks);
}

static void writes_wait_for_the_high_mark_or_for_idle_time(void **state)
{
    (void)state;
    struct traffic x;
    open_traffic(&x, &titanv_new);
    for (uint32_t i = 0; i < 400; i++)
        put(&x, i, (uint64_t)i / 2 * 256 * titanv_new.dram.channels + i % 2 * 128, 15, i % 4 == 3,
            i);
    drain(&x);
    size_t turns = 0;
    for (size_t i = 1, last = 0; i < x.c.n_log; i++)
        if (x.c.log[i].command == DRAM_READ || x.c.log[i].command == DRAM_WRITE) {
            turns += last && x.c.log[last].command != x.c.log[i].command;
            last = i;
        }
    assert_true(turns <= 6); /* 100 writes, drained in batches of up to 76 */
    close_traffic(&x);
    struct strata_gpu together = titanv_new;
    together.dram.separate_write_queue = false;
    open_traffic(&x, &together);
    for (uint32_t i = 0; i < 400; i++)
        put(&x, i * 8, (uint64_t)i / 2 * 256 * titanv_new.dram.channels + i % 2 * 128, 15,
            i % 4 == 3, i);
    drain(&x);
    turns = 0;
    for (size_t i = 1, last = 0; i < x.c.n_log; i++)
        if (x.c.log[i].command == DRAM_READ || x.c.log[i].command == DRAM_WRITE) {
            turns += last && x.c.log[last].command != x.c.log[i].command;
            last = i;
        }
    assert_true(turns > 20);
    close_traffic(&x);
}

static void banks_hashed_with_row_bits_spread_a_stride_that_camps_on_one_bank(void **state)
{
    (void)state;
    for (int hash = 0; hash < 2; hash++) {
        struct dram_timing t;
        struct strata_gpu g = titanv_new;
        g.dram.bank_hash = hash;
        assert_int_equal(dram_timing_init(&t, &g, NULL), STRATA_OK);
        uint64_t seen = 0;
        for (uint64_t i = 0; i < 16; i++) {
            uint32_t bank, row;
            dram_decode(&t, i * g.dram.channels * g.dram.row_bytes * g.dram.banks, &bank, &row);
            seen |= 1ull << bank;
        }
        assert_int_equal(__builtin_popcountll(seen), hash ? 16 : 1);
    }
}

static void a_row_of_a_bank_has_its_size(void **state)
{
    (void)state;
    struct dram_timing t;
    assert_int_equal(dram_timing_init(&t, &titanv_new, NULL), STRATA_OK);
    uint64_t bytes = 0;
    uint32_t bank0, row0, bank, row;
    dram_decode(&t, 0, &bank0, &row0);
    for (uint64_t block = 0; block < 1 << 16; block++) {
        dram_decode(&t, block * 256 * titanv_new.dram.channels, &bank, &row);
        bytes += bank == bank0 && row == row0 ? 256 : 0;
    }
    assert_int_equal(bytes, titanv_new.dram.row_bytes);
}

static void idle_time_is_not_looked_at_but_refreshes_close_the_rows(void **state)
{
    (void)state;
    struct traffic x;
    open_traffic(&x, &h200);
    x.c.keep_log = false;
    put(&x, 0, 0, 3, false, 0);
    drain(&x);
    uint64_t activates = x.c.count.activates;
    x.now = 64000000000ull;
    put(&x, x.now, 0, 3, false, 1);
    uint64_t refreshes = x.c.count.refreshes;
    drain(&x);
    assert_int_equal(x.c.count.activates, activates + 1);
    assert_true(x.c.count.refreshes < refreshes + 300);
    close_traffic(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(column_commands_of_other_groups_are_tCCD_apart),
        cmocka_unit_test(column_commands_of_one_group_are_tCCDL_apart),
        cmocka_unit_test(bursts_longer_than_tCCD_keep_column_commands_apart),
        cmocka_unit_test(activates_of_two_banks_are_tRRD_apart),
        cmocka_unit_test(a_column_command_follows_its_activate_by_tRCD),
        cmocka_unit_test(a_precharge_follows_the_activate_by_tRAS),
        cmocka_unit_test(an_activate_follows_the_precharge_by_tRP),
        cmocka_unit_test(activates_of_one_bank_are_tRC_apart),
        cmocka_unit_test(a_write_waits_for_the_data_of_a_read_on_the_pins),
        cmocka_unit_test(a_read_follows_the_last_write_data_by_tCDLR),
        cmocka_unit_test(a_precharge_follows_the_last_write_data_by_tWR),
        cmocka_unit_test(a_precharge_follows_a_read_by_tRTPL),
        cmocka_unit_test(a_fifth_activate_waits_for_tFAW),
        cmocka_unit_test(a_refresh_closes_its_bank_for_tRFC),
        cmocka_unit_test(a_refresh_of_all_banks_closes_all_for_tRFC),
        cmocka_unit_test(commands_under_random_traffic_keep_to_every_rule),
        cmocka_unit_test(bandwidth_never_exceeds_the_pins_and_a_stream_comes_close),
        cmocka_unit_test(open_rows_first_is_faster_than_in_order),
        cmocka_unit_test(a_row_miss_waits_behind_row_hits_for_the_age_limit_at_most),
        cmocka_unit_test(writes_wait_for_the_high_mark_or_for_idle_time),
        cmocka_unit_test(banks_hashed_with_row_bits_spread_a_stride_that_camps_on_one_bank),
        cmocka_unit_test(a_row_of_a_bank_has_its_size),
        cmocka_unit_test(idle_time_is_not_looked_at_but_refreshes_close_the_rows),
    };
    return cmocka_run_group_tests(tests, load_gpus, NULL);
}
