/* call.c - frames, calls of PTX functions, returns.
 *
 * A function's parameters and local variables lie in a frame on the thread's local memory; its
 * registers in a frame of their own, shared by the lanes that made the call together. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "ptx/warp.h"

struct ptx_frame *ptx_frame_open(struct ptx_warp *w, const struct ptx_code_function *function,
                                 struct ptx_frame *caller)
{
    struct ptx_block *block = ptx_block_of(w);
    struct ptx_frame *frame = NULL;
    for (struct ptx_frame **at = &block->free_frames; *at; at = &(*at)->next_free) {
        if ((*at)->capacity >= function->frame_bytes) {
            frame = *at;
            *at = frame->next_free;
            break;
        }
    }
    if (!frame) {
        frame = calloc(1, sizeof *frame);
        if (!frame)
            return NULL;
        frame->capacity = function->frame_bytes;
        frame->regs = aligned_alloc(64, (function->frame_bytes + 63) & ~63u);
        if (!frame->regs) {
            free(frame);
            return NULL;
        }
    }
    memset(frame->regs, 0, function->frame_bytes);
    frame->function = function;
    frame->caller = caller;
    return frame;
}

void ptx_frame_close(struct ptx_warp *w, struct ptx_frame *frame)
{
    frame->next_free = ptx_block_of(w)->free_frames;
    ptx_block_of(w)->free_frames = frame;
}

/* Copies bytes between two places of each lane's local memory. */
static void copy_local(struct ptx_warp *w, uint32_t mask, uint32_t to, uint32_t from,
                       uint32_t bytes)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint8_t *local = w->base.local + (size_t)lowest_bit32(rest) * w->base.local_stride;
        memmove(local + to, local + from, bytes);
    }
}

bool ptx_call_function(struct ptx_warp *w, struct emu_path *path, const struct ptx_inst *in,
                       uint32_t target)
{
    const struct ptx_code_function *function = &w->image->functions[target];
    const struct ptx_call *passed = in->extra;
    struct ptx_frame *caller = path->frame;
    unsigned lane = lowest_bit32(path->mask);
    uint64_t local_base = (uint64_t)caller->local_base + caller->function->local_bytes;
    if (local_base + function->local_bytes > w->base.local_stride) {
        emu_fail(&w->base, &in->site, lane, STRATA_ELIMIT,
                 "its call stack needs more than %u bytes of local memory; raise the stack size",
                 w->base.local_stride);
        return false;
    }
    struct ptx_frame *frame = ptx_frame_open(w, function, caller);
    if (!frame) {
        emu_no_memory(&w->base, &in->site, lane, "for a call");
        return false;
    }
    frame->call = in;
    frame->live = path->mask;
    frame->local_base = (uint32_t)local_base;
    frame->return_pc = path->pc + 1;
    for (uint32_t i = 0; i < passed->n_args && i < function->n_params; i++) {
        uint32_t bytes = function->params[i].bytes;
        if (bytes > passed->args[i].bytes)
            bytes = passed->args[i].bytes;
        copy_local(w, path->mask, frame->local_base + function->params[i].to,
                   caller->local_base + passed->args[i].from, bytes);
    }
    path->frame = frame;
    path->pc = function->first;
    return true;
}

void ptx_return(struct ptx_warp *w, struct emu_path *path)
{
    struct ptx_frame *frame = path->frame, *caller = frame->caller;
    const struct ptx_call *passed = frame->call->extra;
    for (uint32_t i = 0; i < passed->n_results && i < frame->function->n_returns; i++) {
        uint32_t bytes = frame->function->returns[i].bytes;
        if (bytes > passed->results[i].bytes)
            bytes = passed->results[i].bytes;
        copy_local(w, path->mask, caller->local_base + passed->results[i].to,
                   frame->local_base + frame->function->returns[i].from, bytes);
    }
    path->pc = frame->return_pc;
    path->frame = caller;
    frame->live &= ~path->mask;
    if (!frame->live)
        ptx_frame_close(w, frame);
}
