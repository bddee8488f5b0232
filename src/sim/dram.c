/* dram.c - a channel's clocks: refresh, one command (or one of rows and one of columns) at a time.
 */
#include "sim/dram.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

void dram_channel_init(struct dram_channel *c, const struct dram_timing *timing,
                       uint32_t first_refresh)
{
    memset(c, 0, sizeof *c);
    c->timing = timing;
    c->free_request = DRAM_NONE;
    c->next_refresh =
        timing->refresh_interval ? timing->refresh_interval + first_refresh : UINT64_MAX;
    c->mail.first = UINT64_MAX;
    for (uint32_t q = 0; q < 2; q++)
        c->backlog[q].head = c->backlog[q].tail = DRAM_NONE;
    for (uint32_t b = 0; b < DRAM_MAX_BANKS; b++) {
        c->bank[b].open_row = DRAM_NONE;
        for (uint32_t q = 0; q < 2; q++)
            c->bank[b].current[q] = c->bank[b].head[q] = c->bank[b].tail[q] = DRAM_NONE;
    }
}

void dram_channel_release(struct dram_channel *c)
{
    sim_mailbox_release(&c->mail);
    free(c->request);
    free(c->log);
    c->request = NULL;
    c->log = NULL;
}

/* ---- time ---- */

static uint64_t clock_of(const struct dram_timing *t, uint64_t cycle)
{
    return ceil_div(cycle * t->dram_mhz, t->sm_mhz);
}

static uint64_t cycle_of(const struct dram_timing *t, uint64_t clock)
{
    return ceil_div(clock * t->sm_mhz, t->dram_mhz);
}

/* ---- refresh ---- */

/* Whole rounds of refreshes that fell into idle time leave one trace: all rows are closed. */
static void skip_idle_refreshes(struct dram_channel *c, uint64_t clock)
{
    const struct dram_timing *t = c->timing;
    uint64_t round = (uint64_t)t->refresh_interval * (t->per_bank_refresh ? t->banks : 1);
    if (c->keep_log || !t->refresh_interval || clock < c->next_refresh + 3 * round)
        return;
    uint64_t rounds = (clock - c->next_refresh) / round - 1;
    c->next_refresh += rounds * round;
    c->clock = c->next_refresh;
    c->refreshing = 0;
    for (uint32_t b = 0; b < t->banks; b++)
        c->bank[b].open_row = DRAM_NONE;
}

static void start_refreshes(struct dram_channel *c, uint64_t clock)
{
    const struct dram_timing *t = c->timing;
    while (c->next_refresh <= clock) {
        c->refreshing |= t->per_bank_refresh ? 1ull << c->refresh_bank
                         : t->banks == 64    ? ~0ull
                                             : (1ull << t->banks) - 1;
        c->refresh_bank = (c->refresh_bank + 1) % t->banks;
        c->next_refresh += t->refresh_interval;
    }
}

/* One row command for banks that wait for their refresh. Returns true if it issued; *next is when
 * one could. */
static bool refresh_step(struct dram_channel *c, uint64_t clock, uint64_t *next)
{
    const struct dram_timing *t = c->timing;
    bool all_closed = true;
    for (uint64_t m = c->refreshing; m; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(m);
        bool open = c->bank[b].open_row != DRAM_NONE;
        all_closed &= !open;
        if (!open && !t->per_bank_refresh)
            continue;
        enum dram_command command = open ? DRAM_PRECHARGE : DRAM_REFRESH;
        uint64_t at = dram_earliest(c, command, b);
        if (at <= clock) {
            dram_issue(c, command, b, 0, clock);
            if (command == DRAM_REFRESH)
                c->refreshing &= ~(1ull << b);
            return true;
        }
        *next = at < *next ? at : *next;
    }
    if (t->per_bank_refresh || !all_closed || !c->refreshing)
        return false;
    uint64_t at = dram_earliest(c, DRAM_REFRESH_ALL, 0);
    if (at <= clock) {
        dram_issue(c, DRAM_REFRESH_ALL, 0, 0, clock);
        c->refreshing = 0;
        return true;
    }
    *next = at < *next ? at : *next;
    return false;
}

/* ---- commands for requests ---- */

/* The oldest of the commands that can issue now, one of columns and one of rows. */
struct choice {
    uint32_t column_bank, row_bank;
    uint32_t column_order, row_order;
    enum dram_command row_command;
    uint64_t next; /* when another one can */
};

static void look_at_banks(const struct dram_channel *c, uint64_t clock, struct choice *best)
{
    for (uint64_t m = c->active[c->mode] & ~c->refreshing; m; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(m);
        const struct dram_bank *bank = &c->bank[b];
        const struct dram_request *r = &c->request[bank->current[c->mode]];
        bool hit = bank->open_row == r->row;
        enum dram_command command = hit ? (r->write ? DRAM_WRITE : DRAM_READ)
                                    : bank->open_row == DRAM_NONE ? DRAM_ACTIVATE
                                                                  : DRAM_PRECHARGE;
        uint64_t at = dram_earliest(c, command, b);
        if (at > clock) {
            best->next = at < best->next ? at : best->next;
        } else if (hit && (best->column_bank == DRAM_NONE ||
                           (int32_t)(r->order - best->column_order) < 0)) {
            best->column_bank = b;
            best->column_order = r->order;
        } else if (!hit &&
                   (best->row_bank == DRAM_NONE || (int32_t)(r->order - best->row_order) < 0)) {
            best->row_bank = b;
            best->row_order = r->order;
            best->row_command = command;
        }
    }
}

static void issue_column(struct dram_channel *c, uint32_t bank, uint64_t clock, dram_done *done,
                         void *context)
{
    const struct dram_timing *t = c->timing;
    struct dram_request *r = &c->request[c->bank[bank].current[c->mode]];
    dram_issue(c, r->write ? DRAM_WRITE : DRAM_READ, bank, r->row, clock);
    if (--r->bursts)
        return;
    if (!r->write && done)
        done(context, r, cycle_of(t, clock + t->tCL + t->burst) + t->after);
    dram_queue_finish(c, bank, c->mode, clock);
}

/* Issues what can at `clock`; returns the next clock worth a look. */
static uint64_t step(struct dram_channel *c, uint64_t clock, dram_done *done, void *context)
{
    struct choice best = {.column_bank = DRAM_NONE, .row_bank = DRAM_NONE, .next = UINT64_MAX};
    bool row_bus_taken = c->refreshing && refresh_step(c, clock, &best.next);
    look_at_banks(c, clock, &best);
    bool issued = row_bus_taken;
    if (best.column_bank != DRAM_NONE && (c->timing->dual_command_bus || !row_bus_taken)) {
        issue_column(c, best.column_bank, clock, done, context);
        issued = true;
        row_bus_taken |= !c->timing->dual_command_bus;
    }
    if (best.row_bank != DRAM_NONE && !row_bus_taken) {
        uint32_t row = c->request[c->bank[best.row_bank].current[c->mode]].row;
        dram_issue(c, best.row_command, best.row_bank, row, clock);
        issued = true;
    }
    return issued ? clock + 1 : best.next;
}

/* An entry of the queue is one column command's worth of data (an atom): sectors of one line in
 * several atoms are scheduled one by one and come back one by one. */
static void put_atoms(struct dram_channel *c, const struct sim_message *m)
{
    const struct dram_timing *t = c->timing;
    struct dram_request r = {.arrive = clock_of(t, m->time),
                             .asked = m->time - t->before,
                             .mshr = m->mshr,
                             .from = m->from,
                             .write = m->kind == SIM_MSG_DRAM_WRITE};
    /* A message is of one line of 128 bytes, however long an atom is. */
    uint32_t bank, atom = t->atom_bytes < 128 ? t->atom_bytes : 128;
    uint32_t per_atom = atom > 32 ? atom / 32 : 1, unit = (1u << per_atom) - 1;
    dram_decode(t, m->line, &bank, &r.row);
    r.bank = (uint8_t)bank;
    r.bursts = (uint8_t)(t->atom_bytes < 32 ? 32 / t->atom_bytes : 1);
    for (uint32_t k = 0; k < 4; k += per_atom) {
        r.sectors = (uint8_t)(m->sectors & unit << k);
        if (!r.sectors)
            continue;
        c->count.requests++;
        dram_queue_put(c, &r);
    }
}

static void take_mail(struct dram_channel *c, uint64_t begin, uint64_t end)
{
    size_t n = sim_mailbox_due(&c->mail, begin, end);
    for (size_t i = 0; i < n; i++)
        put_atoms(c, &c->mail.message[c->mail.due[i]]);
    if (n)
        sim_mailbox_drop(&c->mail, end);
}

void dram_channel_run(struct dram_channel *c, uint64_t begin, uint64_t end, dram_done *done,
                      void *context)
{
    uint64_t from = clock_of(c->timing, begin), until = clock_of(c->timing, end);
    bool was_busy = dram_channel_busy(c);
    take_mail(c, begin, end);
    if (!was_busy)
        skip_idle_refreshes(c, from);
    uint64_t clock = c->clock;
    while (clock < until && (dram_channel_busy(c) || c->next_refresh < until || c->refreshing)) {
        start_refreshes(c, clock);
        dram_queue_admit(c, clock);
        dram_queue_turn(c);
        uint64_t next = step(c, clock, done, context), arrival = dram_queue_next(c, clock);
        next = arrival < next ? arrival : next;
        next = c->next_refresh < next ? c->next_refresh : next;
        clock = next;
    }
    c->clock = until;
}
