/* warp_clock.c - the cycles a warp has taken so far. */
#include "emulator/warp_clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/inst_latency.h"

/* ---- latencies ---- */

/* Where blocks wait for one another: what their own code reads was written by other SMs, and what
 * they print goes to the host. */
static uint32_t waiting_latency(const struct strata_gpu *gpu, const struct strata_inst *i, bool own)
{
    if (i->hints & STRATA_HINT_HOST && i->memop != STRATA_MEM_STORE)
        return gpu->l2.hit_cycles + gpu->xbar.host_atomic_cycles;
    return own && i->space == STRATA_SPACE_GLOBAL ? gpu->l2.hit_cycles : gpu->l1.hit_cycles;
}

static uint32_t memory_latency(const struct emu_image *image, const struct strata_gpu *gpu,
                               const struct strata_inst *i)
{
    bool around = i->hints & (STRATA_HINT_BYPASS_L1 | STRATA_HINT_VOLATILE),
         own = !image->calls || i < image->statics + image->calls;
    if (i->space == STRATA_SPACE_SHARED)
        return gpu->shared.latency_cycles;
    uint32_t cycles = image->blocks_wait ? waiting_latency(gpu, i, own) : gpu->l1.hit_cycles;
    bool to_l2 = around || i->memop == STRATA_MEM_ATOMIC;
    return to_l2 && cycles < gpu->l2.hit_cycles ? gpu->l2.hit_cycles : cycles;
}

static uint32_t latency_of(const struct emu_image *image, const struct strata_gpu *gpu,
                           const struct strata_inst *i)
{
    uint32_t cycles =
        i->opclass == STRATA_OP_MEM ? memory_latency(image, gpu, i) : inst_latency_cycles(gpu, i);
    return cycles ? cycles : 1;
}

static uint32_t register_count(const struct emu_image *image)
{
    uint32_t n = 0;
    for (size_t i = 0; i < image->n_statics; i++) {
        const struct strata_inst *inst = &image->statics[i];
        for (unsigned k = 0; !inst->control.known && k < inst->n_dst + inst->n_src; k++)
            n = inst->reg[k] >= n ? inst->reg[k] + 1u : n;
    }
    return n;
}

bool emu_timing_create(const struct emu_run *run, struct emu_timing **out)
{
    const struct strata_gpu *gpu = run->opt->gpu;
    const struct emu_image *image = run->image;
    *out = NULL;
    if (!gpu ||
        !(image->reads_clock || image->swaps_shared || image->warps_wait || image->blocks_wait))
        return true;
    struct emu_timing *timing = calloc(1, sizeof *timing);
    uint32_t *latency = calloc(image->n_statics + 1, sizeof *latency);
    if (!timing || !latency) {
        free(timing);
        free(latency);
        return false;
    }
    for (size_t i = 0; i < image->n_statics; i++)
        latency[i] = latency_of(image, gpu, &image->statics[i]);
    uint32_t schedulers = gpu->sm.schedulers ? gpu->sm.schedulers : 1;
    *timing = (struct emu_timing){.gpu = gpu,
                                  .inst = image->statics,
                                  .latency = latency,
                                  .n_registers = register_count(image),
                                  .warps = (run->n_warps + schedulers - 1) / schedulers};
    *out = timing;
    return true;
}

void emu_timing_destroy(struct emu_timing *timing)
{
    if (timing)
        free(timing->latency);
    free(timing);
}

/* ---- one warp ---- */

struct emu_clock *emu_clock_create(const struct emu_timing *timing)
{
    return malloc(sizeof(struct emu_clock) + timing->n_registers * sizeof(uint64_t));
}

void emu_clock_start(const struct emu_timing *timing, struct emu_clock *clock)
{
    memset(clock, 0, sizeof *clock + timing->n_registers * sizeof clock->ready[0]);
}

/* From an issue to the warp's next: the same gaps as the models have, sm_issue_gap(). */
static uint64_t issue_gap(const struct emu_timing *t, uint32_t index, uint32_t mask)
{
    uint32_t gap = t->gpu->sm.min_issue_gap_cycles, stall = t->inst[index].control.stall;
    if (t->inst[index].opclass == STRATA_OP_BRANCH && mask)
        gap += t->latency[index] - 1;
    return stall > gap ? stall : gap;
}

static void wait_until(uint64_t *now, uint64_t t)
{
    if (t > *now)
        *now = t;
}

static void wait_for_operands(const struct emu_clock *c, const struct strata_inst *i, uint64_t *now)
{
    for (unsigned k = 0; i->control.known && k < EMU_CLOCK_BARRIERS; k++)
        if (i->control.wait_mask >> k & 1)
            wait_until(now, c->free_at[k]);
    for (unsigned k = 0; !i->control.known && k < i->n_dst + i->n_src; k++)
        wait_until(now, c->ready[i->reg[k]]);
}

static uint64_t next_issue(const struct emu_clock *c)
{
    return c->due > c->next ? c->due : c->next;
}

/* When instruction `index` issues; EMU_NO_INDEX: one that machine code does not have. */
static uint64_t issue_time(const struct emu_timing *t, const struct emu_clock *c, uint32_t index)
{
    uint64_t now = next_issue(c);
    wait_until(&now, c->since + c->issued * t->warps);
    if (index != EMU_NO_INDEX)
        wait_for_operands(c, &t->inst[index], &now);
    return now;
}

static void take_barrier(struct emu_clock *c, uint8_t barrier, uint64_t t)
{
    if (barrier < EMU_CLOCK_BARRIERS)
        wait_until(&c->free_at[barrier], t);
}

/* Warps go through the load/store unit one after the other. Its passes by the counters of
 * shared_spin_probe.cu, where the lanes share an address: three for a load and a swap of a word,
 * four of two words. Without them warps that a barrier has let go would stay together. Of PTX a
 * round is recorded whole, and others would wait for its swap before their load: it is left out. */
static void pass_unit(struct emu_block *block, const struct strata_inst *i, uint64_t *now)
{
    uint32_t words = i->width_bytes > 4 ? 2 : 1;
    bool swaps = i->memop == STRATA_MEM_ATOMIC;
    if (swaps && !i->control.known)
        return;
    wait_until(now, block->unit_free);
    block->unit_free = *now + (swaps ? 1 + words : 1);
}

void emu_clock_await(struct emu_warp *w)
{
    wait_until(&w->clock->next, w->clock->last + w->block->run->timing->gpu->l2.hit_cycles);
}

void emu_clock_answer(struct emu_warp *w)
{
    const struct strata_gpu *gpu = w->block->run->timing->gpu;
    bool far = mix64(w->block->index) & 1;
    wait_until(&w->clock->next,
               w->clock->last + gpu->l2.hit_cycles + (far ? gpu->l2.far_extra_cycles : 0));
}

void emu_clock_step(struct emu_warp *w, uint32_t index, uint32_t mask)
{
    const struct emu_timing *t = w->block->run->timing;
    struct emu_clock *c = w->clock;
    const struct strata_inst *i = &t->inst[index];
    uint64_t now = issue_time(t, c, index);
    if (i->opclass == STRATA_OP_MEM && i->space == STRATA_SPACE_SHARED)
        pass_unit(w->block, i, &now);
    uint64_t ready = now + t->latency[index];
    c->last = now;
    c->next = now + issue_gap(t, index, mask);
    c->issued++;
    /* What it stored is where others see it; in a round that waits it stored nothing. */
    if (i->opclass == STRATA_OP_MEMBAR && w->block->run->by_time && !w->idle_turns)
        emu_clock_await(w);
    if (i->control.known) {
        take_barrier(c, i->control.write_barrier, ready);
        take_barrier(c, i->control.read_barrier, now + t->gpu->sm.latency_int_cycles);
    }
    for (unsigned k = 0; !i->control.known && k < i->n_dst; k++)
        c->ready[i->reg[k]] = ready;
}

uint64_t emu_clock_cycles(const struct emu_warp *w, const struct emu_site *site)
{
    if (!w->clock)
        return w->block->instructions;
    return issue_time(w->block->run->timing, w->clock, site->record);
}

/* Which warp of the SM's schedulers comes first where several could is not followed: it delays each
 * of them by some cycles, as if by chance. Without it warps whose rounds take equally long would
 * come too late for ever. Of 4, 8, 16, 24 and 32 cycles 16 follow shared_spin_probe.cu best from
 * PTX, and all nearly alike from machine code. */
#define DELAY_CYCLES 16

static uint64_t delay(const struct emu_warp *w)
{
    return mix64(w->clock->issued * 64 + w->index) % DELAY_CYCLES;
}

void emu_clock_stop(struct emu_warp *w, uint32_t index)
{
    w->clock->due = issue_time(w->block->run->timing, w->clock, index) + delay(w);
}

/* Is it the clocks that order accesses to this space? */
static bool is_ordered(const struct emu_run *run, unsigned space)
{
    if (space == EMU_LOCAL)
        return false;
    if (run->by_time)
        return run->image->loops_wait && space != EMU_SHARED;
    return run->image->warps_wait && (space == EMU_SHARED || space == EMU_GENERIC) &&
           emu_runs_by_clocks(run);
}

bool emu_clock_comes_later(struct emu_warp *w, const struct emu_site *site)
{
    const struct emu_run *run = w->block->run;
    if (!w->clock || site->record == EMU_NO_INDEX || !is_ordered(run, site->space))
        return false;
    uint64_t t = issue_time(run->timing, w->clock, site->record);
    if (t <= w->block->until)
        return false;
    w->clock->due = t;
    return true;
}

struct emu_warp *emu_clocks_first(struct emu_block *block)
{
    struct emu_warp *first = NULL;
    for (uint32_t i = 0; i < block->n_warps; i++) {
        struct emu_warp *w = emu_block_warp(block, i);
        if (w->live && emu_paths_runnable(w) &&
            (!first || next_issue(w->clock) < next_issue(first->clock)))
            first = w;
    }
    return first;
}

uint64_t emu_clocks_after(struct emu_block *block, const struct emu_warp *first)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < block->n_warps; i++) {
        struct emu_warp *w = emu_block_warp(block, i);
        if (w != first && w->live && emu_paths_runnable(w) && next_issue(w->clock) < next)
            next = next_issue(w->clock);
    }
    return next;
}

void emu_clocks_begin(struct emu_block *block, uint64_t t)
{
    for (uint32_t i = 0; i < block->n_warps; i++) {
        struct emu_clock *c = emu_block_warp(block, i)->clock;
        c->next = c->since = t;
    }
}

uint64_t emu_clocks_time(struct emu_block *block)
{
    struct emu_warp *first = emu_clocks_first(block);
    return first ? next_issue(first->clock) : 0;
}

/* All warps take as long from their load to their swap, so that those who load later swap later,
 * and a lane is in time if nobody has swapped since its load. */
uint32_t emu_race_won(struct emu_warp *w, uint32_t lanes, uint64_t loaded)
{
    uint32_t won = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)lowest_bit32(rest);
        uint64_t address = w->access.address[lane];
        struct emu_race *race = &w->block->races[mix64(address) % EMU_RACES];
        if (race->address == address && race->swapped > loaded)
            continue;
        *race = (struct emu_race){address, w->clock->last};
        won |= 1u << lane;
    }
    return won;
}

uint64_t emu_clock_nanoseconds(const struct emu_warp *w, const struct emu_site *site)
{
    uint64_t cycles = emu_clock_cycles(w, site);
    uint32_t mhz = w->clock ? w->block->run->timing->gpu->sm.clock_mhz : 0;
    return mhz ? cycles / mhz * 1000 + cycles % mhz * 1000 / mhz : cycles;
}

/* ---- barriers ---- */

void emu_clocks_meet(struct emu_block *block, unsigned barrier)
{
    const struct emu_run *run = block->run;
    uint64_t last = 0;
    for (uint32_t i = 0; i < block->n_warps; i++) {
        struct emu_warp *w = emu_block_warp(block, i);
        if (emu_waits_at(w, barrier))
            wait_until(&last, w->clock->next + run->timing->gpu->sm.latency_barrier_cycles);
    }
    for (uint32_t i = 0; i < block->n_warps; i++) {
        struct emu_warp *w = emu_block_warp(block, i);
        if (!emu_waits_at(w, barrier))
            continue;
        w->clock->next = w->clock->since = last;
        w->clock->issued = 0;
    }
}
