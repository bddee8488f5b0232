/* memory.c - from the address operand of an instruction to host memory.
 *
 * Global (and constant) addresses are host addresses. Shared and local addresses are offsets; as
 * generic addresses they carry a window in their upper bits. Every access is checked before memory
 * is touched: a kernel's wild pointer ends the launch with a message, not the process. */
#include <string.h>

#include "base/bits.h"
#include "ptx/exec.h"
#include "ptx/launch.h"
#include "ptx/module.h"
#include "ptx/overlay.h"
#include "ptx/texture.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* ---- addresses ---- */

void ptx_compute_addresses(struct ptx_warp *w, const struct ptx_inst *in)
{
    uint64_t *address = w->access.address;
    uint64_t offset = (uint64_t)in->imm;
    if (in->flags & PTX_INST_ADDRESS32) {
        /* The sum has 32 bits too: nvcc lets a base run below 0 and come back by the offset. */
        const uint32_t *a = ptx_ref(w, in->a);
        PTX_EACH_LANE address[i] = (uint32_t)(a[i] + (uint32_t)offset);
    } else {
        const uint64_t *a = ptx_ref(w, in->a);
        PTX_EACH_LANE address[i] = a[i] + offset;
    }
}

/* Do the active lanes form base + lane * stride? Most accesses do, and are then checked, moved and
 * recorded as one. */
static void find_stride_full(struct ptx_access *access)
{
    const uint64_t *a = access->address;
    uint64_t stride = a[1] - a[0], differs = 0;
    for (unsigned i = 0; i < PTX_LANES - 1; i++)
        differs |= (a[i + 1] - a[i]) ^ stride;
    access->base = a[0];
    access->stride = (int64_t)stride;
    access->affine = !differs;
}

static void find_stride_partial(struct ptx_access *access, uint32_t mask)
{
    const uint64_t *a = access->address;
    unsigned first = lowest_bit32(mask);
    uint32_t rest = mask & (mask - 1);
    access->base = a[first];
    access->stride = 0;
    access->affine = true;
    if (!rest)
        return;
    unsigned second = lowest_bit32(rest);
    int64_t distance = (int64_t)(a[second] - a[first]), lanes = (int64_t)(second - first);
    if (distance % lanes) {
        access->affine = false;
        return;
    }
    access->stride = distance / lanes;
    for (rest &= rest - 1; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        if (a[lane] - a[first] != (uint64_t)access->stride * (lane - first)) {
            access->affine = false;
            return;
        }
    }
}

static void find_stride(struct ptx_access *access, uint32_t mask)
{
    if (mask == PTX_FULL)
        find_stride_full(access);
    else
        find_stride_partial(access, mask);
    if (access->stride != (int32_t)access->stride)
        access->affine = false;
}

/* Lowest address and the end of the highest access. */
static void find_extent(const struct ptx_access *access, uint32_t mask, unsigned bytes,
                        uint64_t *low, uint64_t *high)
{
    const uint64_t *a = access->address;
    if (access->affine) {
        unsigned lanes = 31u - (unsigned)__builtin_clz(mask) - lowest_bit32(mask);
        uint64_t last = access->base + (uint64_t)access->stride * lanes;
        *low = access->stride < 0 ? last : access->base;
        *high = (access->stride < 0 ? access->base : last) + bytes;
        return;
    }
    *low = UINT64_MAX;
    *high = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint64_t x = a[lowest_bit32(rest)];
        *low = x < *low ? x : *low;
        *high = x > *high ? x : *high;
    }
    *high += bytes;
}

static const char *space_name(unsigned space)
{
    return space == PTX_M_SHARED  ? "shared"
           : space == PTX_M_LOCAL ? "local"
           : space == PTX_M_CONST ? "constant"
           : space == PTX_M_PARAM ? "parameter"
                                  : "global";
}

static bool check_alignment(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                            unsigned bytes)
{
    const struct ptx_access *access = &w->access;
    uint64_t bits = 0;
    if (access->affine) {
        bits = access->base | (mask & (mask - 1) ? (uint64_t)access->stride : 0);
        /* Lanes that are multiples apart may be aligned although one stride is not. */
        if (!(bits & (bytes - 1)))
            return true;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        if (access->address[lane] & (bytes - 1)) {
            ptx_fail(w, in, lane, STRATA_EFORMAT,
                     "misaligned address 0x%llx: an access of %u bytes needs a multiple of %u",
                     (unsigned long long)access->address[lane], bytes, bytes);
            return false;
        }
    }
    return true;
}

/* ---- global ---- */

/* Remembers which allocations a block that runs ahead of its turn depends on. */
static void touch(struct ptx_touched *set, uint64_t base)
{
    for (uint32_t i = 0; i < set->n; i++)
        if (set->base[i] == base)
            return;
    if (set->n == PTX_MAX_TOUCHED)
        set->overflow = true;
    else
        set->base[set->n++] = base;
}

void ptx_touch_loaded(struct ptx_warp *w, const struct ptx_inst *in, uint64_t address)
{
    struct ptx_slot *slot = &w->block->slots[in->slot];
    struct strata_ptx_range range;
    if (!w->block->ahead || address - slot->base < slot->bytes)
        return;
    if (ptx_find_range(w->block->run->module, address, &range)) {
        *slot = (struct ptx_slot){range.base, range.bytes, NULL};
        touch(&w->block->sampled, range.base);
    }
}

/* Is [low, high) inside the allocation the instruction used last, or in another one? */
static bool in_one_range(struct ptx_block *block, const struct ptx_inst *in, uint64_t low,
                         uint64_t high)
{
    struct ptx_slot *slot = &block->slots[in->slot];
    struct strata_ptx_range range;
    if (low - slot->base < slot->bytes && high - slot->base <= slot->bytes)
        return true;
    if (!ptx_find_range(block->run->module, low, &range))
        return false;
    *slot = (struct ptx_slot){range.base, range.bytes, NULL};
    if (block->ahead && in->space != PTX_M_CONST) {
        slot->mixed = ptx_mixed_find(block->run->ahead, range.base);
        if (!slot->mixed)
            touch(in->flags & PTX_INST_WRITES ? &block->stored : &block->loaded, range.base);
    }
    return high - range.base <= range.bytes;
}

static bool check_global(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                         unsigned bytes)
{
    const struct ptx_slot *slot = &w->block->slots[in->slot];
    uint64_t low, high;
    w->access.mixed_mask = 0;
    if (!w->block->run->checks_memory)
        return true;
    find_extent(&w->access, mask, bytes, &low, &high);
    if (in_one_range(w->block, in, low, high)) {
        w->access.mixed_mask = slot->mixed ? mask : 0;
        return true;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t a = w->access.address[lane];
        if (!in_one_range(w->block, in, a, a + bytes)) {
            ptx_fail(w, in, lane, STRATA_EFORMAT,
                     "illegal address 0x%llx: %u bytes there are in no allocation",
                     (unsigned long long)a, bytes);
            return false;
        }
        w->access.mixed_mask |= slot->mixed ? 1u << lane : 0;
    }
    return true;
}

/* Lanes that load from an allocation with an overlay are led to the block's own stores. */
static const uint64_t *redirect_loads(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                                      unsigned bytes)
{
    struct ptx_access *access = &w->access;
    if (!access->mixed_mask || in->flags & PTX_INST_WRITES)
        return access->address;
    PTX_EACH_LANE access->host[i] = access->address[i];
    access->row = false;
    if (!ptx_overlay_load(w, mask & access->mixed_mask, bytes)) {
        ptx_fail(w, in, lowest_bit32(mask), STRATA_ENOMEM, "out of memory for its loads");
        return NULL;
    }
    return access->host;
}

uint32_t ptx_prepare_store(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                           unsigned bytes, bool update, bool *ok)
{
    struct ptx_access *access = &w->access;
    uint32_t global = mask & ~(access->shared_mask | access->local_mask);
    *ok = true;
    if (!w->block->ahead || !global)
        return 0;
    uint32_t own = global & access->mixed_mask;
    if (own) {
        access->row = false;
        if (!(access->shared_mask | access->local_mask))
            PTX_EACH_LANE access->host[i] = access->address[i];
        *ok = ptx_overlay_store(w, in, own, bytes, update);
        if (!*ok)
            ptx_fail(w, in, lowest_bit32(mask), STRATA_ENOMEM, "out of memory for its stores");
    }
    return global & ~own;
}

static const uint64_t *resolve_global(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                                      unsigned bytes)
{
    find_stride(&w->access, mask);
    w->access.shared_mask = w->access.local_mask = 0;
    w->access.row = w->access.affine;
    if (!check_alignment(w, in, mask, bytes) || !check_global(w, in, mask, bytes))
        return NULL;
    return redirect_loads(w, in, mask, bytes);
}

/* ---- shared, local, parameters ---- */

static bool check_offsets(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                          unsigned bytes, unsigned space, uint64_t limit)
{
    uint64_t low, high;
    find_extent(&w->access, mask, bytes, &low, &high);
    if (low < limit && high <= limit)
        return true;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t a = w->access.address[lane];
        if (a >= limit || a + bytes > limit) {
            ptx_fail(w, in, lane, STRATA_EFORMAT,
                     "%s address 0x%llx is outside: the %s has %llu bytes of it", space_name(space),
                     (unsigned long long)a, space == PTX_M_LOCAL ? "thread" : "block",
                     (unsigned long long)limit);
            return false;
        }
    }
    return true;
}

static const uint64_t *resolve_shared(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                                      unsigned bytes)
{
    struct ptx_access *access = &w->access;
    find_stride(access, mask);
    if (!check_alignment(w, in, mask, bytes) ||
        !check_offsets(w, in, mask, bytes, PTX_M_SHARED, w->block->shared_bytes))
        return NULL;
    uint64_t base = (uint64_t)(uintptr_t)w->block->shared;
    PTX_EACH_LANE access->host[i] = base + access->address[i];
    access->shared_mask = mask;
    access->local_mask = access->mixed_mask = 0;
    access->row = access->affine;
    return access->host;
}

static const uint64_t *resolve_local(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                                     unsigned bytes)
{
    struct ptx_access *access = &w->access;
    if (in->flags & PTX_INST_UNIFORM_ADDRESS) /* a variable: relative to its function's frame */
        PTX_EACH_LANE access->address[i] += w->frame->local_base;
    find_stride(access, mask);
    if (!check_alignment(w, in, mask, bytes) ||
        !check_offsets(w, in, mask, bytes, PTX_M_LOCAL, w->local_stride))
        return NULL;
    uint64_t base = (uint64_t)(uintptr_t)w->local;
    PTX_EACH_LANE access->host[i] = base + (uint64_t)i * w->local_stride + access->address[i];
    access->local_mask = mask;
    access->shared_mask = access->mixed_mask = 0;
    access->row = false;
    return access->host;
}

/* The parameter block of the kernel: in->imm is an offset in it. */
static const uint64_t *resolve_param(struct ptx_warp *w, const struct ptx_inst *in)
{
    uint64_t base = (uint64_t)(uintptr_t)w->block->run->params + (uint64_t)in->imm;
    PTX_EACH_LANE w->access.host[i] = base;
    w->access.shared_mask = w->access.local_mask = w->access.mixed_mask = 0;
    w->access.affine = w->access.row = false;
    return w->access.host;
}

/* ---- generic ---- */

static bool resolve_lane(struct ptx_warp *w, const struct ptx_inst *in, unsigned lane,
                         unsigned bytes)
{
    struct ptx_access *access = &w->access;
    struct ptx_run *run = w->block->run;
    uint64_t a = access->address[lane], window = a & 0xff00000000000000ull;
    uint64_t params = (uint64_t)(uintptr_t)run->params;
    uint64_t offset = a & 0x00ffffffffffffffull;
    if (a & (bytes - 1)) {
        ptx_fail(w, in, lane, STRATA_EFORMAT,
                 "misaligned address 0x%llx: an access of %u bytes needs a multiple of %u",
                 (unsigned long long)a, bytes, bytes);
        return false;
    }
    if (window == STRATA_PTX_SHARED_WINDOW && offset < w->block->shared_bytes &&
        offset + bytes <= w->block->shared_bytes) {
        access->shared_mask |= 1u << lane;
        access->address[lane] = offset;
        access->host[lane] = (uint64_t)(uintptr_t)w->block->shared + offset;
        return true;
    }
    if (window == STRATA_PTX_LOCAL_WINDOW && offset < w->local_stride &&
        offset + bytes <= w->local_stride) {
        access->local_mask |= 1u << lane;
        access->address[lane] = offset;
        access->host[lane] =
            (uint64_t)(uintptr_t)w->local + (uint64_t)lane * w->local_stride + offset;
        return true;
    }
    access->host[lane] = a;
    if (a - params < run->launch->entry->param_bytes)
        return true; /* the address of a kernel parameter was taken */
    if (!window && !run->checks_memory)
        return true;
    if (!window && in_one_range(w->block, in, a, a + bytes)) {
        access->mixed_mask |= w->block->slots[in->slot].mixed ? 1u << lane : 0;
        return true;
    }
    ptx_fail(w, in, lane, STRATA_EFORMAT,
             "illegal address 0x%llx: %u bytes there are in no allocation", (unsigned long long)a,
             bytes);
    return false;
}

static const uint64_t *resolve_generic(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                                       unsigned bytes)
{
    struct ptx_access *access = &w->access;
    access->shared_mask = access->local_mask = access->mixed_mask = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        if (!resolve_lane(w, in, lowest_bit32(rest), bytes))
            return NULL;
    find_stride(access, mask);
    if (access->shared_mask && access->shared_mask != mask)
        access->affine = false;
    if (access->local_mask && access->local_mask != mask)
        access->affine = false;
    access->row = access->affine && !access->local_mask;
    uint32_t mixed = in->flags & PTX_INST_WRITES ? 0 : access->mixed_mask;
    access->row &= !mixed;
    if (mixed && !ptx_overlay_load(w, mixed, bytes)) {
        ptx_fail(w, in, lowest_bit32(mask), STRATA_ENOMEM, "out of memory for its loads");
        return NULL;
    }
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
    switch (in->space) {
    case PTX_M_GLOBAL:
    case PTX_M_CONST:
        return resolve_global(w, in, mask, bytes);
    case PTX_M_SHARED:
        return resolve_shared(w, in, mask, bytes);
    case PTX_M_LOCAL:
        return resolve_local(w, in, mask, bytes);
    default:
        return resolve_generic(w, in, mask, bytes);
    }
}

uint8_t *ptx_generic_pointer(struct ptx_warp *w, unsigned lane, uint64_t address, uint64_t *left)
{
    uint64_t window = address & 0xff00000000000000ull, offset = address & 0x00ffffffffffffffull;
    if (window == STRATA_PTX_SHARED_WINDOW && offset < w->block->shared_bytes) {
        *left = w->block->shared_bytes - offset;
        return w->block->shared + offset;
    }
    if (window == STRATA_PTX_LOCAL_WINDOW && offset < w->local_stride) {
        *left = w->local_stride - offset;
        return w->local + (uint64_t)lane * w->local_stride + offset;
    }
    if (window || !address)
        return NULL;
    *left = UINT32_MAX;
    if (w->block->run->checks_memory) {
        struct strata_ptx_range range;
        if (!ptx_find_range(w->block->run->module, address, &range))
            return NULL;
        if (w->block->ahead)
            touch(&w->block->loaded, range.base);
        *left = range.base + range.bytes - address;
    }
    return (uint8_t *)(uintptr_t)address;
}
