/* scoreboard.h - what a warp's next instruction waits for, and which ready warp a scheduler takes.
 *
 * Inline: both timed models run this for every warp instruction. */
#ifndef STRATA_SM_SCOREBOARD_H
#define STRATA_SM_SCOREBOARD_H

#include <stdint.h>
#include <strata/gpu.h>

#include "sm/sm_inst.h"

#define SM_PENDING UINT32_MAX /* the value's time is not known yet: memory has to answer first */

/* Times of registers, barriers and sectors are kept in 32 bits: a launch that gets near their end
 * is given up. The room is for what is under way then. */
#define SM_TIME_MOST (UINT32_MAX - (1u << 26))
strata_status sm_time_over(const struct strata_launch *launch, struct strata_error *err);

#define SM_N_BARRIERS 6

/* The barriers of a warp that control codes name. Each counts the instructions that have taken it
 * and not freed it yet: it is free when the last of them is done, in whatever order they are. */
struct sm_barriers {
    uint32_t free_at[SM_N_BARRIERS]; /* of those whose time is known */
    uint8_t pending[SM_N_BARRIERS];  /* takers whose time is not known yet */
    uint8_t stall[SM_N_BARRIERS];    /* what waiting for the last of them is called */
};

/* Code without control codes waits for registers; code with them for barriers and stall counts,
 * as the hardware does, which has no scoreboard of registers. */
struct sm_scoreboard {
    uint32_t *ready; /* when each register's value is there, by sm_register_place */
    uint32_t predicate_ready;
    struct sm_barriers barriers;
};

/* What waiting for the register in a place is called. */
static inline uint8_t *sm_register_stall(const struct sm_scoreboard *s, uint32_t place)
{
    uint32_t in_line = place % SM_WORDS_A_LINE;
    return (uint8_t *)&s->ready[place - in_line + SM_REGISTERS_A_LINE] + in_line;
}

/* The earliest issue of an instruction, and what it waits for until then. */
struct sm_wait {
    uint64_t ready;
    uint8_t stall; /* enum sm_stall */
};

static inline void sm_wait_for(struct sm_wait *w, uint64_t t, uint8_t why)
{
    if (t > w->ready) {
        w->ready = t;
        w->stall = why;
    }
}

static inline void sm_barriers_wait(const struct sm_barriers *b, uint8_t wait_mask,
                                    struct sm_wait *w)
{
    for (unsigned k = 0; k < SM_N_BARRIERS; k++)
        if (wait_mask >> k & 1)
            sm_wait_for(w, b->pending[k] ? SM_PENDING : b->free_at[k], b->stall[k]);
}
/* A barrier, or STRATA_NO_BARRIER, is taken and will be free at t. */
static inline void sm_barrier_take(struct sm_barriers *b, uint8_t barrier, uint8_t stall,
                                   uint64_t t)
{
    if (barrier >= SM_N_BARRIERS || t < b->free_at[barrier])
        return;
    b->free_at[barrier] = (uint32_t)t;
    b->stall[barrier] = stall;
}
/* It is taken, and when it will be free is told later, by sm_barrier_free. */
static inline void sm_barrier_hold(struct sm_barriers *b, uint8_t barrier, uint8_t stall)
{
    if (barrier >= SM_N_BARRIERS)
        return;
    b->pending[barrier]++;
    b->stall[barrier] = stall;
}
static inline void sm_barrier_free(struct sm_barriers *b, uint8_t barrier, uint8_t stall,
                                   uint64_t t)
{
    if (barrier >= SM_N_BARRIERS)
        return;
    b->pending[barrier]--;
    sm_barrier_take(b, barrier, stall, t);
}

/* Registers read and written, and the last predicate; or the barriers of the wait mask. What is in
 * flight makes it SM_PENDING. */
static inline void sm_scoreboard_wait(const struct sm_scoreboard *s, const struct sm_inst *i,
                                      struct sm_wait *w)
{
    if (i->control.known) {
        sm_barriers_wait(&s->barriers, i->control.wait_mask, w);
        return;
    }
    uint32_t last = UINT32_MAX, at; /* the last's place: of the others nobody asks what they are */
    uint64_t ready = w->ready;
    if (i->waits_for_few) {
        for (unsigned k = 0; k < SM_FEW; k++)
            if (s->ready[i->first[k]] > ready)
                ready = s->ready[last = i->first[k]];
    } else {
        for (unsigned k = 0; k < i->n_read; k++)
            if (s->ready[at = sm_register_place(i->read[k])] > ready)
                ready = s->ready[last = at];
        for (unsigned k = 0; k < i->n_write; k++)
            if (s->ready[at = sm_register_place(i->write[k])] > ready)
                ready = s->ready[last = at];
    }
    w->ready = ready;
    if (last != UINT32_MAX)
        w->stall = *sm_register_stall(s, last);
    if (i->reads_predicate)
        sm_wait_for(w, s->predicate_ready, SM_STALL_WAIT);
}

static inline void sm_registers_set(struct sm_scoreboard *s, const struct sm_inst *i,
                                    uint64_t ready)
{
    for (unsigned k = 0; k < i->n_write; k++) {
        uint32_t at = sm_register_place(i->write[k]);
        s->ready[at] = (uint32_t)ready;
        *sm_register_stall(s, at) = i->result_stall;
    }
    if (i->writes_predicate)
        s->predicate_ready = (uint32_t)ready;
}
/* The results will be there at `ready`. */
static inline void sm_scoreboard_set(struct sm_scoreboard *s, const struct sm_inst *i,
                                     uint64_t ready)
{
    if (i->control.known)
        sm_barrier_take(&s->barriers, i->control.write_barrier, i->result_stall, ready);
    else
        sm_registers_set(s, i, ready);
}
/* The results are under way; sm_scoreboard_arrive says when they are there. */
static inline void sm_scoreboard_hold(struct sm_scoreboard *s, const struct sm_inst *i)
{
    if (i->control.known)
        sm_barrier_hold(&s->barriers, i->control.write_barrier, i->result_stall);
    else
        sm_registers_set(s, i, SM_PENDING);
}
static inline void sm_scoreboard_arrive(struct sm_scoreboard *s, const struct sm_inst *i,
                                        uint64_t ready)
{
    if (i->control.known)
        sm_barrier_free(&s->barriers, i->control.write_barrier, i->result_stall, ready);
    else
        sm_registers_set(s, i, ready);
}
/* The operands have been read at t: registers they stand in may be written. Of interest to control
 * codes alone; code without them is not known to wait. */
static inline void sm_operands_set(struct sm_scoreboard *s, const struct sm_inst *i, uint64_t t)
{
    if (i->control.known)
        sm_barrier_take(&s->barriers, i->control.read_barrier, i->result_stall, t);
}
static inline void sm_operands_hold(struct sm_scoreboard *s, const struct sm_inst *i)
{
    if (i->control.known)
        sm_barrier_hold(&s->barriers, i->control.read_barrier, i->result_stall);
}
static inline void sm_operands_arrive(struct sm_scoreboard *s, const struct sm_inst *i, uint64_t t)
{
    if (i->control.known)
        sm_barrier_free(&s->barriers, i->control.read_barrier, i->result_stall, t);
}

/* From the time a unit takes an instruction until it has read its operands; the load/store unit has
 * sm.operands (shared_steps_probe.cu, stores), of others no probe shows it. */
static inline uint32_t sm_operands_cycles(const struct strata_gpu *gpu)
{
    return gpu->sm.latency_int_cycles;
}

/* Cycles from an issue to the warp's next, the scheduler's own gap included: the stall count, which
 * covers results of fixed latency, and the way around a branch that some lane takes. */
static inline uint32_t sm_issue_gap(const struct strata_gpu *gpu, const struct sm_inst *i,
                                    bool taken)
{
    uint32_t gap = gpu->sm.min_issue_gap_cycles, stall = i->control.stall;
    if (i->is_branch && taken)
        gap += i->latency - 1u;
    return (stall > gap ? stall : gap) + i->hold;
}

/* The age of a block's warps: so many for each block, the oldest first. */
enum { SM_AGES_A_BLOCK = 64 };

/* Rank of a ready warp under a policy; the smallest is taken. Loose round robin prefers the next in
 * line, a greedy policy the last one taken, then the oldest or the youngest. Stores in a row are
 * sm_stores_on's, the oldest block is sm_first_by_block's: here its warps take turns with all. */
static inline uint64_t sm_rank(uint32_t policy, uint32_t slot, uint32_t last_slot, uint64_t age)
{
    if (policy == STRATA_SCHED_LRR || policy == STRATA_SCHED_LRR_STORES ||
        policy == STRATA_SCHED_OLDEST_BLOCK)
        return (slot - last_slot - 1u) & 63u;
    if (policy != STRATA_SCHED_OLDEST && slot == last_slot)
        return 0;
    return policy == STRATA_SCHED_GTY ? UINT64_MAX - 1 - age : age;
}

/* The policy of a launch. The order of PTX's instructions is ours, and its launches come out up to
 * 0.4 % further off with the oldest block first: there all take turns. */
static inline uint32_t sm_policy(const struct strata_gpu *gpu, uint32_t isa)
{
    uint32_t policy = gpu->sm.scheduler_policy;
    return policy == STRATA_SCHED_OLDEST_BLOCK && isa == STRATA_ISA_PTX ? STRATA_SCHED_LRR_STORES
                                                                        : policy;
}

/* Instructions but stores since a warp waited for data from memory, as many as a byte tells. */
enum { SM_SOON_AFTER_DATA = 16, SM_LONG_AFTER_DATA = UINT8_MAX };
static inline uint8_t sm_since_data(uint8_t since, const struct sm_inst *i, enum sm_stall waited)
{
    if (waited == SM_STALL_LONG)
        return 0;
    return (uint8_t)(since + (!i->is_store && since < SM_LONG_AFTER_DATA));
}

/* A warp that has stored goes on while its next instruction is a store too, if it has just waited
 * for data: data come to one warp after another, and on the card what a warp stores then waits in a
 * row in front of the unit. Warps that are ready together, as where nothing is loaded, store by
 * turns. device/probe/records_probe.cu: three words of a record of six leave as 1.00 to 1.34 writes
 * a sector where they are loaded first, as 2.2 to 2.8 where they are not and the block has eight
 * warps or more; own_probe.cu: three words a thread as 1.03 to 1.3. Whether it has just waited is
 * the caller's to ask. */
static inline bool sm_stores_on(uint32_t policy, uint64_t can, uint32_t stored_slot, bool stores)
{
    return (policy == STRATA_SCHED_LRR_STORES || policy == STRATA_SCHED_OLDEST_BLOCK) && stores &&
           can >> stored_slot & 1;
}

/* By turns: the first slot of a mask, not 0, behind the last one taken. */
static inline uint32_t sm_next_in_turn(uint64_t mask, uint32_t last_slot)
{
    uint64_t behind = mask & ~(uint64_t)0 << ((last_slot + 1) & 63);
    return (uint32_t)__builtin_ctzll(behind | (mask & bits_if(!behind)));
}

/* Who of a scheduler's warps began when, by slot. */
struct sm_turns {
    uint32_t n_blocks;
    uint64_t of_block[64]; /* slots of the warps of each block, the oldest block first */
    uint64_t last_block;   /* which the last one is */
    uint64_t age[64];      /* of each slot's warp: smaller is older */
};
/* A warp begins; those of a block do one after another. */
static inline void sm_turns_begin(struct sm_turns *turns, uint32_t slot, uint64_t age)
{
    uint64_t bit = (uint64_t)1 << slot, block = age / SM_AGES_A_BLOCK;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < turns->n_blocks; i++) {
        turns->of_block[kept] = turns->of_block[i] & ~bit;
        kept += turns->of_block[kept] != 0;
    }
    if (!kept || block != turns->last_block)
        turns->of_block[kept++] = 0;
    turns->of_block[kept - 1] |= bit;
    turns->n_blocks = kept;
    turns->last_block = block;
    turns->age[slot] = age;
}
/* The slots of a mask, not 0, whose warps are of the oldest block among them. */
static inline uint64_t sm_oldest_block(uint64_t mask, const struct sm_turns *turns)
{
    const uint64_t *of = turns->of_block;
    uint64_t first = mask & of[0], second = mask & of[1], third = mask & of[2];
    first = first ? first : second;
    first = first ? first : third;
    for (uint32_t i = 3; !first && i < turns->n_blocks; i++)
        first = mask & of[i];
    return first;
}

/* Blocks of an SM end one after another on the card, in the order in which they were given out,
 * whatever they do, and the warps of one together (device/probe/order_probe.cu): the oldest block
 * goes first, its warps by turns. Where it would store, all that store take turns. */
static inline uint32_t sm_first_by_block(uint64_t mask, uint64_t stores, uint32_t last_slot,
                                         const struct sm_turns *turns)
{
    uint32_t slot = sm_next_in_turn(sm_oldest_block(mask, turns), last_slot);
    return stores >> slot & 1 ? sm_next_in_turn(mask & stores, last_slot) : slot;
}

/* The slot of a mask, not 0, whose warp is taken; stores: those that would store. */
static inline uint32_t sm_first_in_rank(uint32_t policy, uint64_t mask, uint64_t stores,
                                        uint32_t last_slot, const struct sm_turns *turns)
{
    const uint64_t *age = turns->age;
    if (!(mask & (mask - 1))) /* mostly there is no choice */
        return (uint32_t)__builtin_ctzll(mask);
    if (policy == STRATA_SCHED_LRR || policy == STRATA_SCHED_LRR_STORES)
        return sm_next_in_turn(mask, last_slot);
    if (policy == STRATA_SCHED_OLDEST_BLOCK)
        return sm_first_by_block(mask, stores, last_slot, turns);
    uint32_t best = (uint32_t)__builtin_ctzll(mask);
    for (uint64_t m = mask & (mask - 1); m; m &= m - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(m);
        if (sm_rank(policy, slot, last_slot, age[slot]) <
            sm_rank(policy, best, last_slot, age[best]))
            best = slot;
    }
    return best;
}

/* Where the time since a warp's last issue went: to the dependence that its wait names, then, until
 * the issue at t, to what held it up. */
static inline void sm_account_stalls(uint64_t stall_cycles[SM_N_STALLS], const struct sm_wait *w,
                                     uint64_t last_issue, uint64_t t, enum sm_stall held_by)
{
    if (w->ready > last_issue)
        stall_cycles[w->stall != SM_STALL_NONE ? w->stall : SM_STALL_WAIT] += w->ready - last_issue;
    stall_cycles[held_by] += (t - w->ready) & bits_if(t > w->ready);
}

/* What a warp is held up by while its pipe is busy. */
static inline enum sm_stall sm_busy_stall(const struct sm_inst *i)
{
    if (i->pipe != SM_PIPE_LSU)
        return SM_STALL_MATH;
    return i->kind == SM_KIND_GLOBAL ? SM_STALL_LG : SM_STALL_MIO;
}

#endif
