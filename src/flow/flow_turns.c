/* flow_turns.c - the wheel of time. */
#include <string.h>

#include "base/bits.h"
#include "base/expect.h"
#include "flow/issue.h"
#include "sm/warp_rules.h"

/* ---- what will be needed ---- */

/* The warps of a launch do not fit into the machine's caches, the wheel does: what is due next, and
 * after that, is asked for ahead. */
static inline void expect_scheduler(const struct flow_scheduler *s)
{
    expect_write(s);
    expect_write(s->pipe);
    expect_write(s->hint);
    expect_read(&s->stores);
}

/* Lines of registers: one or two, mostly, so that those between are left out. */
static inline void expect_registers(const char *ready, uint32_t lines)
{
    enum { BYTES = SM_WORDS_A_LINE * sizeof(uint32_t) };
    if (!lines)
        return;
    expect_read(ready + (size_t)SM_FIRST_LINE(lines) * BYTES);
    expect_read(ready + (size_t)SM_LAST_LINE(lines) * BYTES);
}

/* With thousands of warps nothing is in the cache when its turn comes: what the issue will need. */
static inline void expect_warp(const struct flow_engine *e, const struct flow_scheduler *s,
                               uint32_t slot)
{
    uint32_t index = s->first_warp + slot * e->schedulers_per_sm;
    const struct flow_warp *w = &e->warp[index];
    const char *ready = (const char *)&e->register_ready[(size_t)index * e->register_cap];
    expect_read(w);
    expect_read((const char *)w + FLOW_LINE_BYTES);
    expect_read(&w->cursor);
    expect_registers(ready, s->hint[slot].lines);
    if (e->ordered)
        sm_window_expect(&e->window[index]);
}

static inline struct flow_scheduler *scheduler_of(const struct flow_engine *e, uint32_t entity)
{
    return &e->scheduler[entity >> e->slot_bits];
}

/* ---- what is due ---- */

static inline void warp_due(struct flow_engine *e, struct flow_scheduler *s, uint32_t entity,
                            uint32_t slot)
{
    uint64_t bit = (uint64_t)1 << slot;
    uint8_t pipe = s->hint[slot].pipe;
    if (s->far_mask & bit) { /* was beyond the wheel's reach */
        if (s->slot_due[slot] < e->now + FLOW_WHEEL_SLOTS)
            s->far_mask &= ~bit;
        flow_schedule(e, entity, s->slot_due[slot]);
        return;
    }
    s->slot_due[slot] = FLOW_NEVER;
    s->ready_mask |= bit;
    s->pipe[pipe].ready |= bit;
    s->pipes |= (uint16_t)(1u << pipe);
    if (!s->queued) {
        s->queued = true;
        flow_schedule(e, entity - slot + e->first_unit + FLOW_SCHEDULER, s->free);
    }
}

/* Schedulers whose warps all want the load/store unit of their SM ask for it by turns. */
static bool waits_for_unit(const struct flow_scheduler *s)
{
    return s->pipes == 1u << SM_PIPE_LSU;
}

/* A scheduler is due next: the warp whose turn it is, unless its pipe is busy. Not earlier: in a
 * cycle hundreds of others come before it, and what they need pushes the warp out again. */
static inline __attribute__((always_inline)) void expect_turn(const struct flow_engine *e,
                                                              struct flow_scheduler *s)
{
    if (!s->ready_mask || (waits_for_unit(s) && flow_unit_time(e, s) > e->now))
        return;
    s->turn_mask = s->ready_mask;
    s->turn =
        (uint8_t)sm_first_in_rank(e->policy, s->ready_mask, s->stores, s->last_slot, &s->turns);
    expect_warp(e, s, s->turn);
}

/* A scheduler all of whose warps want the load/store unit finds it busy: it stays in the wheel.
 * Most often so where columns are walked, two or three times an issue. */
static inline bool waits_on(struct flow_engine *e, const struct flow_scheduler *s, uint32_t self)
{
    if (!waits_for_unit(s) || s->free > e->now)
        return false;
    uint64_t t = flow_unit_time(e, s);
    if (t <= e->now)
        return false;
    flow_schedule_later(e, self, t);
    return true;
}

static inline strata_status unit_due(struct flow_engine *e, struct flow_scheduler *s,
                                     uint32_t entity, uint32_t unit)
{
    if (unit != FLOW_SCHEDULER)
        return flow_async_due(e, entity >> e->slot_bits, unit);
    return waits_on(e, s, entity) ? STRATA_OK : flow_scheduler_due(e, s, entity);
}

static strata_status entity_due(struct flow_engine *e, uint32_t entity)
{
    uint32_t slot = entity & ((1u << e->slot_bits) - 1);
    struct flow_scheduler *s = scheduler_of(e, entity);
    if (slot >= e->first_unit)
        return unit_due(e, s, entity, slot - e->first_unit);
    warp_due(e, s, entity, slot);
    return STRATA_OK;
}

/* ---- the wheel ---- */

enum { TURNS_AHEAD = 2 }; /* schedulers whose warps are asked for */

/* Eight cycles of the wheel, a byte each, the first lowest. */
static uint64_t eight_cycles(const struct flow_engine *e, uint32_t word)
{
    uint64_t bytes;
    memcpy(&bytes, &e->wheel_used[(size_t)word * 8], sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

/* The next time that has something due, which is within the wheel's reach; UINT64_MAX: nothing is.
 */
static uint64_t next_time(const struct flow_engine *e)
{
    uint32_t slot = (uint32_t)(e->now % FLOW_WHEEL_SLOTS), word = slot / 8;
    uint64_t bytes = eight_cycles(e, word) & ~(uint64_t)0 << (slot % 8 * 8);
    for (uint32_t k = 0; !bytes && k < FLOW_WHEEL_SLOTS / 8; k++) {
        word = (word + 1) % (FLOW_WHEEL_SLOTS / 8);
        bytes = eight_cycles(e, word);
    }
    if (!bytes)
        return UINT64_MAX;
    uint32_t found = word * 8 + (uint32_t)__builtin_ctzll(bytes) / 8;
    return e->now + (found + FLOW_WHEEL_SLOTS - slot) % FLOW_WHEEL_SLOTS;
}

/* What the wheel has for this cycle. The scheduler of an entity is found when it is asked for, two
 * turns ahead, and handed on until its turn comes. */
static strata_status run_wheel(struct flow_engine *e)
{
    uint32_t at = (uint32_t)(e->now % FLOW_WHEEL_SLOTS), cycle = e->first_cycle + at,
             *next = e->wheel_next, first_unit = e->first_unit, bits = e->slot_bits,
             of_slot = (1u << bits) - 1, entity = next[cycle], after = next[entity], then;
    struct flow_scheduler *all = e->scheduler, *s = &all[entity >> bits],
                          *s_after = after != cycle ? &all[after >> bits] : s, *s_then;
    e->wheel_last[at] = next[cycle] = cycle; /* which leads to itself now */
    e->wheel_used[at] = 0;
    for (; entity != cycle; entity = after, after = then, s = s_after, s_after = s_then) {
        uint32_t slot = entity & of_slot;
        then = next[after];
        s_then = &all[(then != cycle ? then : entity) >> bits]; /* without a guess */
        expect_scheduler(s_then);
        if ((after & of_slot) == first_unit && after != cycle)
            expect_turn(e, s_after);
        if (slot < first_unit) {
            warp_due(e, s, entity, slot);
            continue;
        }
        strata_status st = unit_due(e, s, entity, slot - first_unit);
        if (st != STRATA_OK)
            return st;
    }
    return STRATA_OK;
}

/* What becomes due in it meanwhile: schedulers whose warps have just become ready, mostly. */
static strata_status run_now(struct flow_engine *e)
{
    strata_status st = STRATA_OK;
    while (st == STRATA_OK && e->now_first != e->now_end) {
        uint32_t at = e->now_first++;
        if (e->now_end - at > TURNS_AHEAD)
            expect_turn(e, scheduler_of(e, e->now_due[(at + TURNS_AHEAD) & e->now_mask]));
        st = entity_due(e, e->now_due[at & e->now_mask]);
    }
    e->now_first = e->now_end = 0;
    return st;
}

/* All that is due now, what becomes due meanwhile included. */
static strata_status run_cycle(struct flow_engine *e)
{
    strata_status st = run_wheel(e);
    return st == STRATA_OK ? run_now(e) : st;
}

strata_status flow_turns_run(struct flow_engine *e)
{
    strata_status st = STRATA_OK;
    uint64_t t;
    if (e->now_first != e->now_end)
        st = run_now(e);
    while (st == STRATA_OK && (t = next_time(e)) != UINT64_MAX) {
        e->now = t;
        if (t > SM_TIME_MOST)
            return sm_time_over(e->launch, e->err);
        st = run_cycle(e);
    }
    return st;
}
