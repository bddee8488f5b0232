/* memory.c - from the addresses of a warp to host memory.
 *
 * Global (and constant) addresses are host addresses. Shared and local addresses are offsets; as
 * generic addresses they carry a window in their upper bits. Every access is checked before memory
 * is touched: a kernel's wild pointer ends the launch with a message, not the process. */
#include <string.h>

#include "base/bits.h"
#include "emulator/emulator.h"
#include "emulator/launch.h"
#include "emulator/overlay.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* ---- addresses ---- */

/* Do the active lanes form base + lane * stride? Most accesses do, and are then checked, moved and
 * recorded as one. */
static void find_stride_full(struct emu_access *access)
{
    const uint64_t *a = access->address;
    uint64_t stride = a[1] - a[0], differs = 0;
    for (unsigned i = 0; i < EMU_LANES - 1; i++)
        differs |= (a[i + 1] - a[i]) ^ stride;
    access->base = a[0];
    access->stride = (int64_t)stride;
    access->affine = !differs;
}

static void find_stride_partial(struct emu_access *access, uint32_t mask)
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

static void find_stride(struct emu_access *access, uint32_t mask)
{
    if (mask == EMU_FULL)
        find_stride_full(access);
    else
        find_stride_partial(access, mask);
    if (access->stride != (int32_t)access->stride)
        access->affine = false;
}

/* Lowest address and the end of the highest access. */
static void find_extent(const struct emu_access *access, uint32_t mask, unsigned bytes,
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
    return space == EMU_SHARED  ? "shared"
           : space == EMU_LOCAL ? "local"
           : space == EMU_CONST ? "constant"
           : space == EMU_PARAM ? "parameter"
                                : "global";
}

static bool check_alignment(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                            unsigned bytes)
{
    const struct emu_access *access = &w->access;
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
            emu_fail(w, site, lane, STRATA_EFORMAT,
                     "misaligned address 0x%llx: an access of %u bytes needs a multiple of %u",
                     (unsigned long long)access->address[lane], bytes, bytes);
            return false;
        }
    }
    return true;
}

/* ---- global ---- */

/* Remembers which allocations a block that runs ahead of its turn depends on. */
static void touch(struct emu_touched *set, uint64_t base)
{
    for (uint32_t i = 0; i < set->n; i++)
        if (set->base[i] == base)
            return;
    if (set->n == EMU_MAX_TOUCHED)
        set->overflow = true;
    else
        set->base[set->n++] = base;
}

void emu_touch_sampled(struct emu_warp *w, const struct emu_site *site, uint64_t address)
{
    struct emu_slot *slot = &w->block->slots[site->slot];
    struct strata_memory_range range;
    if (!w->block->ahead || address - slot->base < slot->bytes)
        return;
    if (emu_find_range(w->block->run->module, address, &range)) {
        *slot = (struct emu_slot){range.base, range.bytes, NULL};
        touch(&w->block->sampled, range.base);
    }
}

/* Is [low, high) inside the allocation the instruction used last, or in another one? */
static bool in_one_range(struct emu_block *block, const struct emu_site *site, uint64_t low,
                         uint64_t high)
{
    struct emu_slot *slot = &block->slots[site->slot];
    struct strata_memory_range range;
    if (low - slot->base < slot->bytes && high - slot->base <= slot->bytes)
        return true;
    if (!emu_find_range(block->run->module, low, &range))
        return false;
    *slot = (struct emu_slot){range.base, range.bytes, NULL};
    if (block->ahead && site->space != EMU_CONST) {
        slot->mixed = emu_mixed_find(block->run->ahead, range.base);
        if (!slot->mixed)
            touch(site->writes ? &block->stored : &block->loaded, range.base);
    }
    return high - range.base <= range.bytes;
}

/* What lies outside of all allocations counts as one of its own where blocks run ahead: no
 * allocation begins there. */
#define OUTSIDE 1

/* A store in the page of an allocation, which memory may allow. One that begins inside of the
 * allocation is of two, which no overlay can hold: the block waits for its turn. */
static bool store_strays(struct emu_block *block, uint64_t address, unsigned bytes)
{
    const struct strata_device_memory *memory = &block->run->module->memory;
    struct strata_memory_range range;
    if (!memory->in_page || !memory->in_page(memory->user, address, bytes))
        return false;
    if (block->ahead) {
        touch(&block->stored, OUTSIDE);
        block->deferred.overflow |= emu_find_range(block->run->module, address, &range) ||
                                    emu_find_range(block->run->module, address + bytes - 1, &range);
    }
    block->stray_stores++;
    return true;
}

/* The same of a load, also a little outside of the page. */
static bool strays(struct emu_block *block, const struct emu_site *site, uint64_t address,
                   unsigned bytes)
{
    const struct strata_device_memory *memory = &block->run->module->memory;
    if (site->writes)
        return store_strays(block, address, bytes);
    if (!memory->near || !memory->near(memory->user, address, bytes))
        return false;
    if (block->ahead)
        touch(&block->loaded, OUTSIDE);
    block->stray_loads++;
    return true;
}

static bool check_global(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                         unsigned bytes)
{
    const struct emu_slot *slot = &w->block->slots[site->slot];
    uint64_t low, high;
    w->access.mixed_mask = 0;
    if (!w->block->run->checks_memory)
        return true;
    find_extent(&w->access, mask, bytes, &low, &high);
    if (in_one_range(w->block, site, low, high)) {
        w->access.mixed_mask = slot->mixed ? mask : 0;
        return true;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t a = w->access.address[lane];
        if (!in_one_range(w->block, site, a, a + bytes)) {
            if (strays(w->block, site, a, bytes))
                continue;
            emu_fail(w, site, lane, STRATA_EFORMAT,
                     "illegal address 0x%llx: %u bytes there are in no allocation",
                     (unsigned long long)a, bytes);
            return false;
        }
        w->access.mixed_mask |= slot->mixed ? 1u << lane : 0;
    }
    return true;
}

/* Lanes that load from an allocation with an overlay are led to the block's own stores. */
static const uint64_t *redirect_loads(struct emu_warp *w, const struct emu_site *site,
                                      uint32_t mask, unsigned bytes)
{
    struct emu_access *access = &w->access;
    if (!access->mixed_mask || site->writes)
        return access->address;
    EMU_EACH_LANE access->host[i] = access->address[i];
    access->row = false;
    if (!emu_overlay_load(w, mask & access->mixed_mask, bytes)) {
        emu_no_memory(w, site, lowest_bit32(mask), "for its loads");
        return NULL;
    }
    return access->host;
}

uint32_t emu_prepare_store(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                           unsigned bytes, bool update, bool *ok)
{
    struct emu_access *access = &w->access;
    uint32_t global = mask & ~(access->shared_mask | access->local_mask);
    *ok = true;
    if (!w->block->ahead || !global)
        return 0;
    uint32_t own = global & access->mixed_mask;
    if (own) {
        access->row = false;
        if (!(access->shared_mask | access->local_mask))
            EMU_EACH_LANE access->host[i] = access->address[i];
        *ok = emu_overlay_store(w, site, own, bytes, update);
        if (!*ok)
            emu_no_memory(w, site, lowest_bit32(mask), "for its stores");
    }
    return global & ~own;
}

static const uint64_t *resolve_global(struct emu_warp *w, const struct emu_site *site,
                                      uint32_t mask, unsigned bytes)
{
    find_stride(&w->access, mask);
    w->access.shared_mask = w->access.local_mask = 0;
    w->access.row = w->access.affine;
    if (!check_alignment(w, site, mask, bytes) || !check_global(w, site, mask, bytes))
        return NULL;
    return redirect_loads(w, site, mask, bytes);
}

/* ---- shared, local, parameters ---- */

static bool check_offsets(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
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
            emu_fail(w, site, lane, STRATA_EFORMAT,
                     "%s address 0x%llx is outside: the %s has %llu bytes of it", space_name(space),
                     (unsigned long long)a, space == EMU_LOCAL ? "thread" : "block",
                     (unsigned long long)limit);
            return false;
        }
    }
    return true;
}

/* Addresses of other blocks of the cluster among them: each by itself. */
static bool resolve_cluster_lane(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                                 uint64_t address, unsigned bytes)
{
    uint64_t offset;
    const struct emu_block *block = emu_cluster_target(w->block, address, &offset);
    if (!block || offset >= block->shared_bytes || offset + bytes > block->shared_bytes) {
        emu_fail(w, site, lane, STRATA_EFORMAT,
                 block ? "shared address 0x%llx is outside: the block has %u bytes of it"
                       : "shared address 0x%llx is of a block that is not in the cluster or has "
                         "exited (a block has %u bytes)",
                 (unsigned long long)address, w->block->shared_bytes);
        return false;
    }
    w->access.host[lane] = (uint64_t)(uintptr_t)block->shared + offset;
    return true;
}

static const uint64_t *resolve_cluster(struct emu_warp *w, const struct emu_site *site,
                                       uint32_t mask, unsigned bytes)
{
    struct emu_access *access = &w->access;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        if (!resolve_cluster_lane(w, site, lowest_bit32(rest), access->address[lowest_bit32(rest)],
                                  bytes))
            return NULL;
    access->shared_mask = mask;
    access->local_mask = access->mixed_mask = 0;
    access->row = false;
    return access->host;
}

static bool reaches_others(const struct emu_warp *w, uint32_t mask)
{
    uint64_t all = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        all |= w->access.address[lowest_bit32(rest)];
    return all >= EMU_RANK_BYTES && all < (uint64_t)(EMU_MAX_CLUSTER + 1) << (EMU_RANK_SHIFT + 1);
}

static const uint64_t *resolve_shared(struct emu_warp *w, const struct emu_site *site,
                                      uint32_t mask, unsigned bytes)
{
    struct emu_access *access = &w->access;
    find_stride(access, mask);
    if (!check_alignment(w, site, mask, bytes))
        return NULL;
    if (w->block->cluster->n > 1 && reaches_others(w, mask))
        return resolve_cluster(w, site, mask, bytes);
    if (!check_offsets(w, site, mask, bytes, EMU_SHARED, w->block->shared_bytes))
        return NULL;
    uint64_t base = (uint64_t)(uintptr_t)w->block->shared;
    EMU_EACH_LANE access->host[i] = base + access->address[i];
    access->shared_mask = mask;
    access->local_mask = access->mixed_mask = 0;
    access->row = access->affine;
    return access->host;
}

static const uint64_t *resolve_local(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                                     unsigned bytes)
{
    struct emu_access *access = &w->access;
    find_stride(access, mask);
    if (!check_alignment(w, site, mask, bytes) ||
        !check_offsets(w, site, mask, bytes, EMU_LOCAL, w->local_stride))
        return NULL;
    uint64_t base = (uint64_t)(uintptr_t)w->local;
    EMU_EACH_LANE access->host[i] = base + (uint64_t)i * w->local_stride + access->address[i];
    access->local_mask = mask;
    access->shared_mask = access->mixed_mask = 0;
    access->row = false;
    return access->host;
}

/* ---- generic ---- */

static bool resolve_lane(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                         unsigned bytes)
{
    struct emu_access *access = &w->access;
    struct emu_run *run = w->block->run;
    uint64_t a = access->address[lane], window = a & 0xff00000000000000ull;
    uint64_t params = (uint64_t)(uintptr_t)run->params;
    uint64_t offset = a & 0x00ffffffffffffffull;
    if (a & (bytes - 1)) {
        emu_fail(w, site, lane, STRATA_EFORMAT,
                 "misaligned address 0x%llx: an access of %u bytes needs a multiple of %u",
                 (unsigned long long)a, bytes, bytes);
        return false;
    }
    if (window == STRATA_SHARED_WINDOW && offset < w->block->shared_bytes &&
        offset + bytes <= w->block->shared_bytes) {
        access->shared_mask |= 1u << lane;
        access->address[lane] = offset;
        access->host[lane] = (uint64_t)(uintptr_t)w->block->shared + offset;
        return true;
    }
    if (window == STRATA_SHARED_WINDOW && w->block->cluster->n > 1 && offset >= EMU_RANK_BYTES) {
        access->shared_mask |= 1u << lane;
        access->address[lane] = offset;
        return resolve_cluster_lane(w, site, lane, offset, bytes);
    }
    if (window == STRATA_LOCAL_WINDOW && offset < w->local_stride &&
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
    if (!window && in_one_range(w->block, site, a, a + bytes)) {
        access->mixed_mask |= w->block->slots[site->slot].mixed ? 1u << lane : 0;
        return true;
    }
    if (!window && strays(w->block, site, a, bytes))
        return true;
    emu_fail(w, site, lane, STRATA_EFORMAT,
             "illegal address 0x%llx: %u bytes there are in no allocation", (unsigned long long)a,
             bytes);
    return false;
}

static const uint64_t *resolve_generic(struct emu_warp *w, const struct emu_site *site,
                                       uint32_t mask, unsigned bytes)
{
    struct emu_access *access = &w->access;
    access->shared_mask = access->local_mask = access->mixed_mask = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        if (!resolve_lane(w, site, lowest_bit32(rest), bytes))
            return NULL;
    find_stride(access, mask);
    if (access->shared_mask && access->shared_mask != mask)
        access->affine = false;
    if (access->local_mask && access->local_mask != mask)
        access->affine = false;
    access->row = access->affine && !access->local_mask;
    uint32_t mixed = site->writes ? 0 : access->mixed_mask;
    access->row &= !mixed;
    if (mixed && !emu_overlay_load(w, mixed, bytes)) {
        emu_no_memory(w, site, lowest_bit32(mask), "for its loads");
        return NULL;
    }
    return access->host;
}

const uint64_t *emu_resolve(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                            unsigned bytes)
{
    switch (site->space) {
    case EMU_GLOBAL:
    case EMU_CONST:
        return resolve_global(w, site, mask, bytes);
    case EMU_SHARED:
        return resolve_shared(w, site, mask, bytes);
    case EMU_LOCAL:
        return resolve_local(w, site, mask, bytes);
    default:
        return resolve_generic(w, site, mask, bytes);
    }
}

uint8_t *emu_generic_pointer(struct emu_warp *w, unsigned lane, uint64_t address, uint64_t *left)
{
    uint64_t window = address & 0xff00000000000000ull, offset = address & 0x00ffffffffffffffull;
    if (window == STRATA_SHARED_WINDOW && offset < w->block->shared_bytes) {
        *left = w->block->shared_bytes - offset;
        return w->block->shared + offset;
    }
    if (window == STRATA_LOCAL_WINDOW && offset < w->local_stride) {
        *left = w->local_stride - offset;
        return w->local + (uint64_t)lane * w->local_stride + offset;
    }
    if (window || !address)
        return NULL;
    *left = UINT32_MAX;
    if (w->block->run->checks_memory) {
        struct strata_memory_range range;
        if (!emu_find_range(w->block->run->module, address, &range))
            return NULL;
        if (w->block->ahead)
            touch(&w->block->loaded, range.base);
        *left = range.base + range.bytes - address;
    }
    return (uint8_t *)(uintptr_t)address;
}
