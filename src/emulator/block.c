/* block.c - the warps of a block take turns; barriers. */
#include "emulator/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/launch.h"
#include "emulator/overlay.h"
#include "emulator/warp_clock.h"

/* Instructions a warp may execute before the next one runs. Long enough to stay in the host's
 * caches, short enough that warps that wait for each other get on. */
#define WARP_TURN 8192

const uint32_t emu_lane_bit[EMU_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* ---- memory ---- */

uint64_t emu_block_state_bytes(const struct emu_run *run)
{
    uint64_t warp = run->executor->warp_bytes + run->executor->warp_state_bytes(run) +
                    (uint64_t)run->local_stride * EMU_LANES;
    return run->executor->block_bytes + warp * run->n_warps + run->shared_bytes;
}

static bool warp_create(struct emu_block *block, uint32_t index)
{
    struct emu_run *run = block->run;
    struct emu_warp *w = emu_block_warp(block, index);
    w->block = block;
    w->index = index;
    w->local_stride = run->local_stride;
    if (run->local_stride)
        w->local = calloc(EMU_LANES, run->local_stride);
    if (run->timing)
        w->clock = emu_clock_create(run->timing);
    return (w->local || !run->local_stride) && (w->clock || !run->timing) &&
           run->executor->warp_create(w);
}

struct emu_block *emu_block_create(struct emu_run *run)
{
    const struct emu_executor *executor = run->executor;
    struct emu_block *block = calloc(1, executor->block_bytes);
    if (!block)
        return NULL;
    block->run = run;
    block->n_warps = run->n_warps;
    block->shared_bytes = run->shared_bytes;
    block->warps = calloc(run->n_warps, executor->warp_bytes);
    block->slots = calloc(run->image->n_slots + 1, sizeof *block->slots);
    block->shared = aligned_alloc(64, ((size_t)run->shared_bytes + 127) & ~(size_t)63);
    bool ok = block->warps && block->slots && block->shared && executor->block_create(block);
    for (uint32_t i = 0; ok && i < run->n_warps; i++)
        ok = warp_create(block, i);
    if (!ok) {
        emu_block_destroy(block);
        return NULL;
    }
    return block;
}

void emu_block_destroy(struct emu_block *block)
{
    if (!block)
        return;
    for (uint32_t i = 0; block->warps && i < block->n_warps; i++) {
        struct emu_warp *w = emu_block_warp(block, i);
        if (w->block)
            block->run->executor->warp_destroy(w);
        free(w->local);
        free(w->log.words);
        free(w->clock);
    }
    if (block->warps) /* else it only holds what another left behind */
        block->run->executor->block_destroy(block);
    free(block->warps);
    free(block->shared);
    free(block->slots);
    emu_overlay_destroy(block->overlay);
    free(block->text.bytes);
    free(block->deferred.bytes);
    strata_block_destroy(block->record);
    emu_children_drop(block);
    emu_cluster_leave(block);
    free(block->children);
    free(block);
}

/* What a block that runs ahead touches. Blocks of a launch mostly touch the same allocations: those
 * of the block before count as touched by this one too, which is at worst too careful, unless the
 * overlays have changed. */
static void forget_touched(struct emu_block *block)
{
    uint32_t overlays = block->ahead ? emu_mixed_count(block->run->ahead) : UINT32_MAX;
    emu_overlay_reset(block->overlay);
    if (block->ahead && overlays == block->slots_overlays && !block->loaded.overflow &&
        !block->stored.overflow && !block->sampled.overflow)
        return;
    block->slots_overlays = overlays;
    memset(block->slots, 0, block->run->image->n_slots * sizeof *block->slots);
    block->loaded.n = block->stored.n = block->sampled.n = 0;
    block->loaded.overflow = block->stored.overflow = block->sampled.overflow = false;
}

void emu_block_start(struct emu_block *block, uint64_t index, bool recording)
{
    struct emu_run *run = block->run;
    struct strata_dim3 grid = run->launch->grid;
    block->index = index;
    block->id[0] = (uint32_t)(index % grid.x);
    block->id[1] = (uint32_t)(index / grid.x % grid.y);
    block->id[2] = (uint32_t)(index / grid.x / grid.y);
    memset(block->shared, 0, block->shared_bytes);
    memset(block->barriers, 0, sizeof block->barriers);
    block->open_barriers = 0;
    block->events = 0;
    emu_cluster_alone(block);
    block->instructions = block->thread_instructions = block->memory_instructions = 0;
    block->stray_loads = block->stray_stores = 0;
    block->recording = recording;
    block->watched = recording || run->timing;
    block->failed = block->done = block->swapped = block->backward = false;
    block->next_warp = 0;
    block->unit_free = 0;
    memset(block->races, 0, sizeof block->races);
    block->live_warps = block->n_warps;
    block->text.n = block->deferred.n = 0;
    emu_children_drop(block);
    block->deferred.overflow = false;
    if (run->ahead)
        forget_touched(block);
    run->executor->block_start(block);
    for (uint32_t i = 0; i < block->n_warps; i++) {
        struct emu_warp *w = emu_block_warp(block, i);
        uint32_t threads = run->threads_per_block - i * EMU_LANES;
        w->log.n = 0;
        w->log.n_instructions = 0;
        w->log.mask = 0;
        w->cluster_token = w->group_arrived = w->group_passed = 0;
        w->vain = (struct emu_vain_tests){0};
        w->met = w->takes = w->left = false;
        w->turns = 0;
        w->taken = w->taken_from = 0;
        w->idle_turns = 0;
        w->asks = w->in_vain = false;
        w->calls = 0;
        if (w->clock)
            emu_clock_start(run->timing, w->clock);
        w->live = threads >= EMU_LANES ? EMU_FULL : (1u << threads) - 1;
        run->executor->warp_start(w, w->live);
    }
}

static void copy_touched(struct emu_touched *into, const struct emu_touched *from)
{
    into->n = from->n;
    into->overflow = from->overflow;
    memcpy(into->base, from->base, from->n * sizeof *from->base);
}

void emu_block_hand_over(struct emu_block *block, struct emu_block *into)
{
    struct emu_deferred deferred = into->deferred;
    struct emu_overlay *overlay = into->overlay;
    struct emu_text text = into->text;
    into->deferred = block->deferred;
    into->overlay = block->overlay;
    into->text = block->text;
    block->deferred = deferred;
    block->overlay = overlay;
    block->text = text;
    copy_touched(&into->loaded, &block->loaded);
    copy_touched(&into->stored, &block->stored);
    copy_touched(&into->sampled, &block->sampled);
    into->run = block->run;
    into->index = block->index;
    into->start = block->start;
    into->ahead = block->ahead;
    into->instructions = block->instructions;
    into->thread_instructions = block->thread_instructions;
    into->memory_instructions = block->memory_instructions;
    into->stray_loads = block->stray_loads;
    into->stray_stores = block->stray_stores;
    into->failed = block->failed;
    if (block->failed)
        into->error = block->error;
}

/* ---- failures ---- */

/* Where the compiler says the instruction comes from, 0 if unknown. */
static uint32_t source_line(const struct emu_image *image, const struct emu_site *site)
{
    return site->record < image->n_statics ? image->statics[site->record].source_line : 0;
}

void emu_fail(struct emu_warp *w, const struct emu_site *site, unsigned lane, strata_status status,
              const char *format, ...)
{
    struct emu_block *block = w->block;
    const struct emu_image *image = block->run->image;
    struct strata_dim3 size = block->run->launch->block;
    char text[400];
    va_list args;
    if (block->failed)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    uint32_t thread = w->index * EMU_LANES + (w->speaker ? w->speaker - 1u : lane);
    char source[40] = "";
    if (source_line(image, site))
        snprintf(source, sizeof source, ", source line %u", source_line(image, site));
    block->failed = true;
    strata_fail(&block->error, status, image->file, site->line, 0,
                "kernel \"%s\"%s, block (%u,%u,%u), thread (%u,%u,%u): %s", image->name, source,
                block->id[0], block->id[1], block->id[2], thread % size.x, thread / size.x % size.y,
                thread / size.x / size.y, text);
}

void emu_no_memory(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                   const char *purpose)
{
    emu_fail(w, site, lane, STRATA_ENOMEM, "there is no memory left %s.", purpose);
}

/* ---- barriers ---- */

static uint32_t live_threads(const struct emu_block *block)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < block->n_warps; i++)
        n += popcount32(emu_block_warp(block, i)->live);
    return n;
}

static void release_barrier(struct emu_block *block, unsigned id)
{
    struct emu_barrier *b = &block->barriers[id];
    if (block->run->timing)
        emu_clocks_meet(block, id);
    for (uint32_t i = 0; i < block->n_warps; i++)
        emu_barrier_opens(emu_block_warp(block, i), id, b);
    memset(b, 0, sizeof *b);
    block->open_barriers &= ~(1u << id);
}

static bool barrier_complete(const struct emu_block *block, const struct emu_barrier *b)
{
    uint32_t expected = b->expected ? b->expected : live_threads(block);
    return b->arrived && b->arrived >= expected;
}

void emu_barriers_recheck(struct emu_block *block)
{
    for (uint32_t rest = block->open_barriers; rest; rest &= rest - 1) {
        unsigned id = lowest_bit32(rest);
        if (!block->barriers[id].expected && barrier_complete(block, &block->barriers[id]))
            release_barrier(block, id);
    }
    block->events++; /* whoever meets others must not wait for those that are gone */
}

bool emu_barrier_arrive(struct emu_warp *w, const struct emu_site *site,
                        const struct emu_arrival *arrival)
{
    struct emu_block *block = w->block;
    uint32_t id = arrival->id;
    if (id >= EMU_BARRIERS) {
        emu_fail(w, site, lowest_bit32(arrival->mask), STRATA_EFORMAT,
                 "there is no barrier %u: they are 0 to 15", id);
        return false;
    }
    struct emu_barrier *b = &block->barriers[id];
    if (!b->arrived) {
        b->all = true;
        b->any = false;
        b->popc = 0;
    }
    b->arrived += popcount32(arrival->mask);
    block->open_barriers |= 1u << id;
    if (arrival->expected)
        b->expected = arrival->expected;
    if (arrival->reduces) {
        b->all &= arrival->yes == arrival->mask;
        b->any |= arrival->yes != 0;
        b->popc += popcount32(arrival->yes);
    }
    if (barrier_complete(block, b))
        release_barrier(block, id);
    return true;
}

/* A barrier in divergent code: hardware counts warps there, so it opens when every warp that is not
 * done has somebody at it. */
static bool release_by_warps(struct emu_block *block)
{
    for (unsigned id = 0; id < 16; id++) {
        if (!block->barriers[id].arrived || block->barriers[id].expected)
            continue;
        bool all = true;
        for (uint32_t i = 0; all && i < block->n_warps; i++) {
            struct emu_warp *w = emu_block_warp(block, i);
            bool here = !w->live || emu_waits_at(w, id);
            all = here;
        }
        if (all) {
            release_barrier(block, id);
            return true;
        }
    }
    return false;
}

/* Nobody can run: let somebody go who waits in vain. */
static bool unblock(struct emu_block *block)
{
    for (uint32_t i = 0; i < block->n_warps; i++)
        if (emu_block_warp(block, i)->live &&
            block->run->executor->warp_release(emu_block_warp(block, i)))
            return true;
    return release_by_warps(block);
}

/* ---- turns ---- */

/* What one round over the warps of a block has come to. */
struct sweep {
    bool ran, all_spun;
    bool polled; /* a warp waits for something in global memory */
    bool got_on; /* a warp ended, or had work for its whole turn */
    bool met;    /* a warp is about to compare and swap */
    bool takes;  /* a warp is about to take work again */
};

static void note_turn(struct emu_block *block, struct sweep *sweep, enum emu_turn turn)
{
    sweep->ran = true;
    sweep->all_spun &= turn == EMU_TURN_SPUN || turn == EMU_TURN_POLLED;
    sweep->polled |= turn == EMU_TURN_POLLED;
    sweep->got_on |=
        turn == EMU_TURN_OVER || turn == EMU_TURN_DONE || turn == EMU_TURN_TAKES || block->swapped;
    sweep->met |= turn == EMU_TURN_MEETS;
    sweep->takes |= turn == EMU_TURN_TAKES;
    block->swapped = false;
    if (turn == EMU_TURN_DONE)
        block->live_warps--;
}

bool emu_runs_by_clocks(const struct emu_run *run)
{
    return run->timing && (run->image->swaps_shared || run->image->warps_wait) &&
           !run->opt->interleave;
}

bool emu_meets_others(struct emu_warp *w, uint32_t index)
{
    w->met = !w->met && w->block->live_warps > 1 && !w->block->run->opt->interleave;
    if (w->met && w->clock)
        emu_clock_stop(w, index);
    return w->met;
}

/* Warps that swap come now from the first to the last, now the other way: else the first would win
 * every time, and be away before the others. Thousand warp instructions of 64 blocks that add up
 * doubles in shared memory, beside an H200's: 62 of two warps (61), 180 of four (190), 589 of eight
 * (465). */
static struct emu_warp *next_in_turn(struct emu_block *block)
{
    uint32_t i = block->next_warp;
    block->next_warp = (i + 1) % block->n_warps;
    return emu_block_warp(block, block->backward ? block->n_warps - 1 - i : i);
}

/* False: it failed. */
static bool run_warp(struct emu_warp *w, uint64_t *budget, struct sweep *sweep)
{
    struct emu_block *block = w->block;
    uint32_t fine = block->run->opt->interleave;
    uint64_t before = block->instructions;
    enum emu_turn turn = block->run->executor->warp_run(w, fine ? fine : WARP_TURN);
    uint64_t used = block->instructions - before + 1;
    *budget -= used < *budget ? used : *budget;
    note_turn(block, sweep, turn);
    return turn != EMU_TURN_FAILED;
}

/* As many turns as a round has, each for the warp that is behind the others. */
static bool run_by_clocks(struct emu_block *block, uint64_t *budget, struct sweep *sweep)
{
    uint64_t ran = 0;
    for (uint32_t n = 0; n < block->n_warps && *budget; n++) {
        struct emu_warp *w = emu_clocks_first(block);
        if (!w)
            return true;
        ran |= 1ull << w->index % 64;
        block->until = emu_clocks_after(block, w);
        if (!run_warp(w, budget, sweep))
            return false;
    }
    for (uint32_t i = 0; i < block->n_warps; i++)
        if (emu_block_warp(block, i)->live && !(ran >> i % 64 & 1))
            sweep->all_spun = false;
    return true;
}

static bool run_warps(struct emu_block *block, uint64_t *budget, struct sweep *sweep)
{
    *sweep = (struct sweep){.all_spun = true};
    if (emu_runs_by_clocks(block->run))
        return run_by_clocks(block, budget, sweep);
    for (uint32_t n = 0; n < block->n_warps && *budget; n++) {
        struct emu_warp *w = next_in_turn(block);
        if (w->live && emu_paths_runnable(w) && !run_warp(w, budget, sweep))
            return false;
    }
    block->backward = sweep->met && !block->backward;
    return true;
}

enum emu_progress emu_block_step(struct emu_block *block, uint64_t instructions)
{
    struct sweep sweep = {.all_spun = true};
    struct emu_warp *w = emu_clocks_first(block);
    if (!w && !unblock(block)) {
        emu_block_deadlock(block);
        return EMU_BLOCK_FAILED;
    }
    if (!w)
        return EMU_BLOCK_YIELDS;
    enum emu_turn turn = block->run->executor->warp_run(w, instructions);
    if (turn == EMU_TURN_FAILED || (block->run->image->warps_wait && emu_tests_in_vain(block)))
        return EMU_BLOCK_FAILED;
    note_turn(block, &sweep, turn);
    block->done = !block->live_warps;
    if (block->done)
        return EMU_BLOCK_DONE;
    bool idle = sweep.polled || w->idle_turns;
    w->idle_turns -= w->idle_turns && !sweep.polled;
    return idle ? EMU_BLOCK_SPINS : EMU_BLOCK_YIELDS;
}

/* Rounds in vain until a block is taken to wait for another one. */
#define VAIN_ROUNDS 3

enum emu_progress emu_block_run(struct emu_block *block, uint64_t budget)
{
    unsigned spins = 0, polls = 0;
    while (block->live_warps) {
        struct sweep sweep;
        if (!run_warps(block, &budget, &sweep))
            return EMU_BLOCK_FAILED;
        if (!block->live_warps)
            break;
        bool in_cluster = block->cluster->n > 1;
        if (!sweep.ran && in_cluster && !block->run->desperate)
            return EMU_BLOCK_WAITS;
        if (!sweep.ran && !unblock(block)) {
            if (in_cluster)
                return EMU_BLOCK_WAITS;
            emu_block_deadlock(block);
            return EMU_BLOCK_FAILED;
        }
        spins = sweep.ran && sweep.all_spun ? spins + 1 : 0;
        /* By clocks polls are turns of their own, and nobody spins. */
        bool inside = block->run->image->warps_wait && !in_cluster && !sweep.polled;
        if ((inside || (spins && !sweep.polled)) && emu_tests_in_vain(block))
            return EMU_BLOCK_FAILED;
        /* A loop may poll, then meet the other warps at a barrier: rounds to and from barriers lie
         * between those that poll in vain. */
        polls = sweep.got_on ? 0 : polls + sweep.polled;
        if ((spins >= VAIN_ROUNDS && !inside) || polls >= VAIN_ROUNDS)
            return EMU_BLOCK_SPINS;
        if (sweep.takes)
            return EMU_BLOCK_TAKES;
        if (!budget)
            return EMU_BLOCK_YIELDS;
    }
    block->done = true;
    return EMU_BLOCK_DONE;
}
