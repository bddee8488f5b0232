/* ptx_memory.c - from the address operand of an instruction to host memory. */
#include "ptx/exec.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

void ptx_compute_addresses(struct ptx_warp *w, const struct ptx_inst *in)
{
    uint64_t *address = w->base.access.address;
    uint64_t offset = (uint64_t)in->imm;
    if (in->flags & PTX_INST_ADDRESS32) {
        /* The sum has 32 bits too: nvcc lets a base run below 0 and come back by the offset. */
        const uint32_t *a = ptx_ref(w, in->a);
        EMU_EACH_LANE address[i] = (uint32_t)(a[i] + (uint32_t)offset);
    } else {
        const uint64_t *a = ptx_ref(w, in->a);
        EMU_EACH_LANE address[i] = a[i] + offset;
    }
}

/* The parameter block of the kernel: in->imm is an offset in it. */
static const uint64_t *resolve_param(struct ptx_warp *w, const struct ptx_inst *in)
{
    struct emu_access *access = &w->base.access;
    uint64_t base = (uint64_t)(uintptr_t)w->base.block->run->params + (uint64_t)in->imm;
    EMU_EACH_LANE access->host[i] = base;
    access->shared_mask = access->local_mask = access->mixed_mask = 0;
    access->affine = access->row = false;
    return access->host;
}

const uint64_t *ptx_resolve(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                            unsigned bytes)
{
    if (in->space == PTX_M_PARAM)
        return resolve_param(w, in);
    ptx_compute_addresses(w, in);
    return ptx_resolve_addresses(w, in, mask, bytes);
}

const uint64_t *ptx_resolve_addresses(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                                      unsigned bytes)
{
    /* A local variable: relative to its function's frame. */
    if (in->space == PTX_M_LOCAL && in->flags & PTX_INST_UNIFORM_ADDRESS)
        EMU_EACH_LANE w->base.access.address[i] += w->frame->local_base;
    return emu_resolve(&w->base, &in->site, mask, bytes);
}
