/* block.c - the warps of a block take turns; barriers. */
#include "ptx/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "ptx/launch.h"
#include "ptx/overlay.h"
#include "ptx/special.h"
#include "ptx/warp.h"

/* Instructions a warp may execute before the next one runs. Long enough to stay in the host's
 * caches, short enough that warps that wait for each other get on. */
#define WARP_TURN 8192

/* ---- memory ---- */

static uint32_t frame_bytes(const struct ptx_run *run)
{
    return (run->image->functions[0].frame_bytes + 63) & ~63u;
}

uint64_t ptx_block_state_bytes(const struct ptx_run *run)
{
    uint64_t warp =
        sizeof(struct ptx_warp) + frame_bytes(run) + (uint64_t)run->local_stride * PTX_LANES;
    return sizeof(struct ptx_block) + warp * run->n_warps + run->shared_bytes;
}

static bool warp_create(struct ptx_warp *w, struct ptx_block *block, uint32_t index)
{
    struct ptx_run *run = block->run;
    w->block = block;
    w->index = index;
    w->image = run->image;
    w->local_stride = run->local_stride;
    w->root.function = &run->image->functions[0];
    w->root.regs = aligned_alloc(64, frame_bytes(run) ? frame_bytes(run) : 64);
    if (run->local_stride)
        w->local = calloc(PTX_LANES, run->local_stride);
    w->bank[PTX_BANK_CONST] = run->image->constants;
    w->bank[PTX_BANK_WARP] = run->warp_lanes + (size_t)index * PTX_SPECIAL_WARP_BYTES;
    w->bank[PTX_BANK_BLOCK] = block->block_lanes;
    return w->root.regs && (w->local || !run->local_stride);
}

struct ptx_block *ptx_block_create(struct ptx_run *run)
{
    struct ptx_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->run = run;
    block->n_warps = run->n_warps;
    block->shared_bytes = run->shared_bytes;
    block->warps = calloc(run->n_warps, sizeof *block->warps);
    block->slots = calloc(run->image->n_slots + 1, sizeof *block->slots);
    block->shared = aligned_alloc(64, ((size_t)run->shared_bytes + 127) & ~(size_t)63);
    block->block_lanes = aligned_alloc(64, PTX_SPECIAL_BLOCK_BYTES);
    bool ok = block->warps && block->slots && block->shared && block->block_lanes;
    for (uint32_t i = 0; ok && i < run->n_warps; i++)
        ok = warp_create(&block->warps[i], block, i);
    if (!ok) {
        ptx_block_destroy(block);
        return NULL;
    }
    return block;
}

static void free_frames(struct ptx_frame *frame)
{
    while (frame) {
        struct ptx_frame *next = frame->next_free;
        free(frame->regs);
        free(frame);
        frame = next;
    }
}

/* Frames of functions that were being executed when the launch failed. */
static void drop_open_frames(struct ptx_warp *w)
{
    for (uint32_t i = 0; i < w->n_paths; i++)
        for (struct ptx_frame *f = w->paths[i].frame; f && f != &w->root;) {
            struct ptx_frame *caller = f->caller;
            if (f->live) { /* several paths may share a frame: collect it once */
                f->live = 0;
                ptx_frame_close(w, f);
            }
            f = caller;
        }
    for (uint64_t rest = w->open_scopes; rest; rest &= rest - 1)
        for (struct ptx_frame *f = w->scopes[__builtin_ctzll(rest)].frame; f && f != &w->root;
             f = f->caller)
            if (f->live) {
                f->live = 0;
                ptx_frame_close(w, f);
            }
    w->open_scopes = 0;
    w->n_paths = 0;
}

void ptx_block_destroy(struct ptx_block *block)
{
    if (!block)
        return;
    for (uint32_t i = 0; block->warps && i < block->n_warps; i++) {
        drop_open_frames(&block->warps[i]);
        free(block->warps[i].root.regs);
        free(block->warps[i].local);
        free(block->warps[i].log.words);
    }
    free_frames(block->free_frames);
    free(block->warps);
    free(block->shared);
    free(block->slots);
    ptx_overlay_destroy(block->overlay);
    free(block->block_lanes);
    free(block->text.bytes);
    free(block->deferred.bytes);
    strata_block_destroy(block->record);
    free(block);
}

/* What a block that runs ahead touches. Blocks of a launch mostly touch the same allocations: those
 * of the block before count as touched by this one too, which is at worst too careful, unless the
 * overlays have changed. */
static void forget_touched(struct ptx_block *block)
{
    uint32_t overlays = block->ahead ? ptx_mixed_count(block->run->ahead) : UINT32_MAX;
    ptx_overlay_reset(block->overlay);
    if (block->ahead && overlays == block->slots_overlays && !block->loaded.overflow &&
        !block->stored.overflow && !block->sampled.overflow)
        return;
    block->slots_overlays = overlays;
    memset(block->slots, 0, block->run->image->n_slots * sizeof *block->slots);
    block->loaded.n = block->stored.n = block->sampled.n = 0;
    block->loaded.overflow = block->stored.overflow = block->sampled.overflow = false;
}

void ptx_block_start(struct ptx_block *block, uint64_t index, bool recording)
{
    struct ptx_run *run = block->run;
    struct strata_dim3 grid = run->launch->grid;
    block->index = index;
    block->id[0] = (uint32_t)(index % grid.x);
    block->id[1] = (uint32_t)(index / grid.x % grid.y);
    block->id[2] = (uint32_t)(index / grid.x / grid.y);
    ptx_special_fill_block(block);
    memset(block->shared, 0, block->shared_bytes);
    memset(block->barriers, 0, sizeof block->barriers);
    block->open_barriers = 0;
    block->clock = block->thread_instructions = block->memory_instructions = 0;
    block->recording = recording;
    block->failed = block->done = false;
    block->next_warp = 0;
    block->live_warps = block->n_warps;
    block->text.n = block->deferred.n = 0;
    block->deferred.overflow = false;
    if (run->ahead)
        forget_touched(block);
    for (uint32_t i = 0; i < block->n_warps; i++) {
        struct ptx_warp *w = &block->warps[i];
        uint32_t threads = run->threads_per_block - i * PTX_LANES;
        memset(w->root.regs, 0, run->image->functions[0].frame_bytes);
        w->log.n = 0;
        w->log.n_instructions = 0;
        w->log.mask = 0;
        ptx_warp_start(w, threads >= PTX_LANES ? PTX_FULL : (1u << threads) - 1);
    }
}

static void copy_touched(struct ptx_touched *into, const struct ptx_touched *from)
{
    into->n = from->n;
    into->overflow = from->overflow;
    memcpy(into->base, from->base, from->n * sizeof *from->base);
}

void ptx_block_hand_over(struct ptx_block *block, struct ptx_block *into)
{
    struct ptx_deferred deferred = into->deferred;
    struct ptx_overlay *overlay = into->overlay;
    struct ptx_text text = into->text;
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
    into->clock = block->clock;
    into->thread_instructions = block->thread_instructions;
    into->memory_instructions = block->memory_instructions;
    into->failed = block->failed;
    if (block->failed)
        into->error = block->error;
}

/* ---- failures ---- */

/* Where the compiler says the instruction comes from (.loc), 0 if unknown. */
static uint32_t source_line(const struct ptx_image *image, const struct ptx_inst *in)
{
    return in->record < image->n_statics ? image->statics[in->record].source_line : 0;
}

void ptx_fail(struct ptx_warp *w, const struct ptx_inst *in, unsigned lane, strata_status status,
              const char *format, ...)
{
    struct ptx_block *block = w->block;
    struct strata_dim3 size = block->run->launch->block;
    char text[400];
    va_list args;
    if (block->failed)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    uint32_t thread = w->index * PTX_LANES + lane;
    char source[40] = "";
    if (source_line(w->image, in))
        snprintf(source, sizeof source, ", source line %u", source_line(w->image, in));
    block->failed = true;
    strata_fail(&block->error, status, w->image->file, in->line, 0,
                "kernel \"%s\"%s, block (%u,%u,%u), thread (%u,%u,%u): %s", w->image->name, source,
                block->id[0], block->id[1], block->id[2], thread % size.x, thread / size.x % size.y,
                thread / size.x / size.y, text);
}

/* ---- barriers ---- */

static uint32_t live_threads(const struct ptx_block *block)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < block->n_warps; i++)
        n += popcount32(block->warps[i].live);
    return n;
}

/* bar.red: every lane gets the result of all. */
static void give_result(struct ptx_warp *w, const struct ptx_path *path,
                        const struct ptx_barrier *b)
{
    const struct ptx_inst *in = &w->image->code[path->pc - 1];
    uint8_t *before = w->bank[PTX_BANK_REG];
    if (in->d == PTX_NO_REF)
        return;
    w->bank[PTX_BANK_REG] = path->frame->regs;
    if (in->op == PTX_M_POPC) {
        uint32_t *d = ptx_ref(w, in->d);
        PTX_STORE_LANES(d, path->mask, b->popc);
    } else {
        bool result = in->op == PTX_M_AND ? b->all : b->any;
        ptx_set_predicate(w, in->d, path->mask, result ? PTX_FULL : 0);
    }
    w->bank[PTX_BANK_REG] = before;
}

static void release_barrier(struct ptx_block *block, unsigned id)
{
    struct ptx_barrier *b = &block->barriers[id];
    for (uint32_t i = 0; i < block->n_warps; i++) {
        struct ptx_warp *w = &block->warps[i];
        for (uint32_t k = 0; k < w->n_paths; k++) {
            struct ptx_path *path = &w->paths[k];
            if (path->state != PTX_AT_BARRIER || path->barrier != id)
                continue;
            give_result(w, path, b);
            path->state = PTX_RUNNABLE;
        }
    }
    memset(b, 0, sizeof *b);
    block->open_barriers &= ~(1u << id);
}

static bool barrier_complete(const struct ptx_block *block, const struct ptx_barrier *b)
{
    uint32_t expected = b->expected ? b->expected : live_threads(block);
    return b->arrived && b->arrived >= expected;
}

void ptx_barriers_recheck(struct ptx_block *block)
{
    for (uint32_t rest = block->open_barriers; rest; rest &= rest - 1) {
        unsigned id = lowest_bit32(rest);
        if (!block->barriers[id].expected && barrier_complete(block, &block->barriers[id]))
            release_barrier(block, id);
    }
}

/* in->a: barrier number, in->b: threads (PTX_NO_REF: all); in->c: predicate of bar.red; in->n: the
 * path goes on without waiting (bar.arrive). */
bool ptx_barrier_arrive(struct ptx_warp *w, struct ptx_path *path, const struct ptx_inst *in)
{
    struct ptx_block *block = w->block;
    unsigned lane = lowest_bit32(path->mask);
    uint32_t id = ((const uint32_t *)ptx_ref(w, in->a))[lane];
    if (id > 15) {
        ptx_fail(w, in, lane, STRATA_EFORMAT, "there is no barrier %u: they are 0 to 15", id);
        return false;
    }
    struct ptx_barrier *b = &block->barriers[id];
    if (!b->arrived) {
        b->all = true;
        b->any = false;
        b->popc = 0;
    }
    b->arrived += popcount32(path->mask);
    block->open_barriers |= 1u << id;
    if (in->b != PTX_NO_REF)
        b->expected = ((const uint32_t *)ptx_ref(w, in->b))[lane];
    if (in->c != PTX_NO_REF) {
        uint32_t yes = ptx_predicate(w, in->c) & path->mask;
        b->all &= yes == path->mask;
        b->any |= yes != 0;
        b->popc += popcount32(yes);
    }
    path->pc++;
    if (in->n) {
        if (barrier_complete(block, b))
            release_barrier(block, id);
        return true;
    }
    path->state = PTX_AT_BARRIER;
    path->barrier = (uint8_t)id;
    if (barrier_complete(block, b))
        release_barrier(block, id);
    return path->state == PTX_RUNNABLE;
}

/* A barrier in divergent code: hardware counts warps there, so it opens when every warp that is not
 * done has somebody at it. */
static bool release_by_warps(struct ptx_block *block)
{
    for (unsigned id = 0; id < 16; id++) {
        if (!block->barriers[id].arrived || block->barriers[id].expected)
            continue;
        bool all = true;
        for (uint32_t i = 0; all && i < block->n_warps; i++) {
            struct ptx_warp *w = &block->warps[i];
            bool here = !w->live;
            for (uint32_t k = 0; k < w->n_paths; k++)
                here |= w->paths[k].state == PTX_AT_BARRIER && w->paths[k].barrier == id;
            all = here;
        }
        if (all) {
            release_barrier(block, id);
            return true;
        }
    }
    return false;
}

static void report_deadlock(struct ptx_block *block)
{
    for (uint32_t i = 0; i < block->n_warps; i++) {
        struct ptx_warp *w = &block->warps[i];
        if (!w->n_paths || !w->live)
            continue;
        struct ptx_path *path = &w->paths[w->n_paths - 1];
        const struct ptx_inst *in = &w->image->code[path->pc ? path->pc - 1 : 0];
        ptx_fail(w, in, lowest_bit32(path->mask), STRATA_EFORMAT,
                 "deadlock: it waits at a barrier that the other threads of its block never reach");
        return;
    }
}

/* Nobody can run: let somebody go who waits in vain. */
static bool unblock(struct ptx_block *block)
{
    for (uint32_t i = 0; i < block->n_warps; i++)
        if (block->warps[i].live && ptx_warp_release(&block->warps[i]))
            return true;
    return release_by_warps(block);
}

/* ---- turns ---- */

struct sweep {
    bool ran, all_spun;
};

static bool run_warps(struct ptx_block *block, uint64_t *budget, struct sweep *sweep)
{
    sweep->ran = false;
    sweep->all_spun = true;
    for (uint32_t n = 0; n < block->n_warps && *budget; n++) {
        struct ptx_warp *w = &block->warps[block->next_warp];
        block->next_warp = (block->next_warp + 1) % block->n_warps;
        if (!w->live || !ptx_warp_runnable(w))
            continue;
        uint64_t before = block->clock;
        enum ptx_turn turn = ptx_warp_run(w, WARP_TURN);
        uint64_t used = block->clock - before + 1;
        *budget -= used < *budget ? used : *budget;
        sweep->ran = true;
        sweep->all_spun &= turn == PTX_TURN_SPUN;
        if (turn == PTX_TURN_DONE)
            block->live_warps--;
        if (turn == PTX_TURN_FAILED)
            return false;
    }
    return true;
}

enum ptx_progress ptx_block_run(struct ptx_block *block, uint64_t budget)
{
    unsigned spins = 0;
    while (block->live_warps) {
        struct sweep sweep;
        if (!run_warps(block, &budget, &sweep))
            return PTX_BLOCK_FAILED;
        if (!block->live_warps)
            break;
        if (!sweep.ran && !unblock(block)) {
            report_deadlock(block);
            return PTX_BLOCK_FAILED;
        }
        spins = sweep.ran && sweep.all_spun ? spins + 1 : 0;
        if (spins > 2)
            return PTX_BLOCK_SPINS;
        if (!budget)
            return PTX_BLOCK_YIELDS;
    }
    block->done = true;
    return PTX_BLOCK_DONE;
}
