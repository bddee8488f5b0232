/* child.c - kernels that kernels launch.
 *
 * A thread asks for a buffer that takes the parameters of the new launch, fills it and hands it in.
 * What is launched runs after its parent: no kernel can wait for it (since CUDA 12 there is no
 * synchronisation inside kernels), so the caller of the launch gets the children in block order and
 * runs them as launches of their own. The buffer carries its launch in front of the parameters. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/emulator.h"

#define HEADER_MARK 0x6c64696863757274ull

struct header {
    uint64_t mark;
    const struct strata_entry *entry;
    struct strata_dim3 grid, block;
    uint32_t shared_bytes;
};
/* Keeps the parameters behind it aligned as cudaMalloc would. */
#define HEADER_BYTES 256
_Static_assert(sizeof(struct header) <= HEADER_BYTES, "the header fits");

uint64_t emu_child_prepare(struct emu_warp *w, const struct strata_entry *entry,
                           struct strata_dim3 grid, struct strata_dim3 block, uint32_t shared_bytes)
{
    struct header h = {HEADER_MARK, entry, grid, block, shared_bytes};
    uint64_t address = emu_device_malloc(w, HEADER_BYTES + entry->param_bytes + 64ull);
    if (!address)
        return 0;
    memcpy((void *)(uintptr_t)address, &h, sizeof h);
    return address + HEADER_BYTES;
}

/* The launch a buffer was made for; false if it is none. */
static bool read_header(struct emu_warp *w, uint64_t buffer, struct header *out)
{
    uint64_t left = 0;
    const uint8_t *at = emu_generic_pointer(w, 0, buffer - HEADER_BYTES, &left);
    if (buffer < HEADER_BYTES || !at || left < HEADER_BYTES)
        return false;
    memcpy(out, at, sizeof *out);
    return out->mark == HEADER_MARK;
}

bool emu_child_launch(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                      uint64_t buffer)
{
    struct emu_block *block = w->block;
    struct header h;
    if (!read_header(w, buffer, &h)) {
        emu_fail(w, site, lane, STRATA_EFORMAT,
                 "it launches a kernel with parameters at 0x%llx, which is no parameter buffer",
                 (unsigned long long)buffer);
        return false;
    }
    if (!block->run->opt->child) {
        emu_fail(w, site, lane, STRATA_EUNSUPPORTED,
                 "it launches kernel \"%s\", and whoever runs it does not follow such launches",
                 h.entry->name);
        return false;
    }
    void *params = malloc(h.entry->param_bytes + 1ull);
    if (!params || !ARRAY_RESERVE(block->children, block->n_children, block->cap_children, 1)) {
        free(params);
        emu_no_memory(w, site, lane, "for the launch of a kernel");
        return false;
    }
    memcpy(params, (const void *)(uintptr_t)buffer, h.entry->param_bytes);
    block->children[block->n_children++] =
        (struct strata_kernel_launch){.entry = h.entry,
                                      .grid = h.grid,
                                      .block = h.block,
                                      .shared_dynamic_bytes = h.shared_bytes,
                                      .params = params};
    emu_device_free(w, buffer - HEADER_BYTES);
    return true;
}

void emu_children_drop(struct emu_block *block)
{
    for (size_t i = 0; i < block->n_children; i++) {
        union {
            const void *kept;
            void *own;
        } params = {block->children[i].params};
        free(params.own);
    }
    block->n_children = 0;
}

void emu_children_hand_out(struct emu_block *block)
{
    const struct strata_run_options *opt = block->run->opt;
    for (size_t i = 0; i < block->n_children; i++)
        opt->child(opt->child_user, &block->children[i]);
    emu_children_drop(block);
}
