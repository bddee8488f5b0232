/* ptx_executor.c - PTX as an executor: the state of its blocks and warps, and barriers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/bulk.h"
#include "ptx/module.h"
#include "ptx/special.h"
#include "ptx/warp.h"

static const struct ptx_image *image_of(const struct emu_run *run)
{
    return (const struct ptx_image *)run->image;
}

/* ---- memory ---- */

static uint32_t frame_bytes(const struct emu_run *run)
{
    return (image_of(run)->functions[0].frame_bytes + 63) & ~63u;
}

static uint64_t warp_state_bytes(const struct emu_run *run)
{
    return frame_bytes(run);
}

static bool warp_create(struct emu_warp *base)
{
    struct ptx_warp *w = (struct ptx_warp *)base;
    const struct emu_run *run = base->block->run;
    w->image = image_of(run);
    w->root.function = &w->image->functions[0];
    w->root.regs = aligned_alloc(64, frame_bytes(run) ? frame_bytes(run) : 64);
    w->bank[PTX_BANK_CONST] = w->image->constants;
    w->bank[PTX_BANK_WARP] = (uint8_t *)run->state + (size_t)base->index * PTX_SPECIAL_WARP_BYTES;
    w->bank[PTX_BANK_BLOCK] = ptx_block_of(w)->block_lanes;
    return w->root.regs;
}

static bool block_create(struct emu_block *base)
{
    struct ptx_block *block = (struct ptx_block *)base;
    block->block_lanes = aligned_alloc(64, PTX_SPECIAL_BLOCK_BYTES);
    return block->block_lanes;
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
    for (uint32_t i = 0; i < w->base.n_paths; i++)
        for (struct ptx_frame *f = w->base.paths[i].frame; f && f != &w->root;) {
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
    w->base.n_paths = 0;
}

static void warp_destroy(struct emu_warp *base)
{
    struct ptx_warp *w = (struct ptx_warp *)base;
    drop_open_frames(w);
    free(w->root.regs);
}

static void block_destroy(struct emu_block *base)
{
    struct ptx_block *block = (struct ptx_block *)base;
    free_frames(block->free_frames);
    free(block->block_lanes);
}

static void run_end(struct emu_run *run)
{
    free(run->state);
}

/* ---- starting ---- */

static void block_start(struct emu_block *block)
{
    ptx_special_fill_block((struct ptx_block *)block);
}

static void warp_start(struct emu_warp *base, uint32_t live)
{
    struct ptx_warp *w = (struct ptx_warp *)base;
    memset(w->root.regs, 0, w->image->functions[0].frame_bytes);
    ptx_warp_start(w, live);
}

/* ---- barriers ---- */

/* bar.red: every lane gets the result of all. */
static void barrier_result(struct emu_warp *base, const struct emu_path *path,
                           const struct emu_barrier *b)
{
    struct ptx_warp *w = (struct ptx_warp *)base;
    const struct ptx_inst *in = &w->image->code[path->pc - 1];
    uint8_t *before = w->bank[PTX_BANK_REG];
    if (in->d == PTX_NO_REF)
        return;
    w->bank[PTX_BANK_REG] = ((const struct ptx_frame *)path->frame)->regs;
    if (in->op == PTX_M_POPC) {
        uint32_t *d = ptx_ref(w, in->d);
        EMU_STORE_LANES(d, path->mask, b->popc);
    } else {
        bool result = in->op == PTX_M_AND ? b->all : b->any;
        ptx_set_predicate(w, in->d, path->mask, result ? EMU_FULL : 0);
    }
    w->bank[PTX_BANK_REG] = before;
}

static const struct emu_site *site(const struct emu_warp *base, uint32_t pc)
{
    return &((const struct ptx_warp *)base)->image->code[pc].site;
}

/* in->a: barrier number, in->b: threads (PTX_NO_REF: all); in->c: predicate of bar.red; in->n: the
 * path goes on without waiting (bar.arrive). */
bool ptx_barrier_arrive(struct ptx_warp *w, struct emu_path *path, const struct ptx_inst *in)
{
    unsigned lane = lowest_bit32(path->mask);
    struct emu_arrival arrival = {.id = ((const uint32_t *)ptx_ref(w, in->a))[lane],
                                  .mask = path->mask,
                                  .reduces = in->c != PTX_NO_REF};
    if (in->b != PTX_NO_REF)
        arrival.expected = ((const uint32_t *)ptx_ref(w, in->b))[lane];
    if (arrival.reduces)
        arrival.yes = ptx_predicate(w, in->c) & path->mask;
    path->pc++;
    if (!in->n) {
        path->state = EMU_AT_BARRIER;
        path->barrier = (uint8_t)arrival.id;
    }
    if (!emu_barrier_arrive(&w->base, &in->site, &arrival))
        return false;
    return path->state == EMU_RUNNABLE;
}

/* ---- the table ---- */

static enum emu_turn warp_run(struct emu_warp *w, uint64_t budget)
{
    return ptx_warp_run((struct ptx_warp *)w, budget);
}
static bool warp_release(struct emu_warp *w)
{
    return ptx_warp_release((struct ptx_warp *)w);
}

const struct emu_executor ptx_executor = {
    .isa = STRATA_ISA_PTX,
    .block_bytes = sizeof(struct ptx_block),
    .warp_bytes = sizeof(struct ptx_warp),
    .module_destroy = ptx_module_destroy,
    .image = ptx_module_image,
    .run_begin = ptx_special_fill_run,
    .run_end = run_end,
    .warp_state_bytes = warp_state_bytes,
    .block_create = block_create,
    .block_destroy = block_destroy,
    .warp_create = warp_create,
    .warp_destroy = warp_destroy,
    .block_start = block_start,
    .warp_start = warp_start,
    .warp_run = warp_run,
    .warp_release = warp_release,
    .barrier_result = barrier_result,
    .site = site,
};
