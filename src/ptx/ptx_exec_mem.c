/* ptx_exec_mem.c - loads, stores, asynchronous copies and address arithmetic. */
#include <string.h>

#include "base/bits.h"
#include "ptx/handlers.h"
#include "ptx/special.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* References to the data registers of a vector access. */
static const uint32_t *data_refs(const struct ptx_inst *in, const uint32_t *single)
{
    return in->n > 1 ? in->extra : single;
}

/* ---- loads ---- */

#define LOAD_AS(T, D)                                                                              \
    do {                                                                                           \
        D *out = d;                                                                                \
        for (uint32_t rest = mask; rest; rest &= rest - 1) {                                       \
            unsigned lane = lowest_bit32(rest);                                                    \
            T value;                                                                               \
            memcpy(&value, (const uint8_t *)(uintptr_t)host[lane] + offset, sizeof value);         \
            out[lane] = (D)value;                                                                  \
        }                                                                                          \
    } while (0)
/* The same without a mask, for the many accesses all lanes take part in. */
#define LOAD_ALL(T, D)                                                                             \
    do {                                                                                           \
        D *out = d;                                                                                \
        for (unsigned i = 0; i < EMU_LANES; i++) {                                                 \
            T value;                                                                               \
            memcpy(&value, (const uint8_t *)(uintptr_t)host[i] + offset, sizeof value);            \
            out[i] = (D)value;                                                                     \
        }                                                                                          \
    } while (0)

static void load_wide(const struct ptx_inst *in, uint32_t mask, const uint64_t *host,
                      unsigned offset, void *d)
{
    switch (in->width) {
    case 1:
        if (in->is_signed)
            LOAD_AS(int8_t, int64_t);
        else
            LOAD_AS(uint8_t, uint64_t);
        break;
    case 2:
        if (in->is_signed)
            LOAD_AS(int16_t, int64_t);
        else
            LOAD_AS(uint16_t, uint64_t);
        break;
    case 4:
        if (in->is_signed)
            LOAD_AS(int32_t, int64_t);
        else
            LOAD_AS(uint32_t, uint64_t);
        break;
    default:
        if (mask == EMU_FULL)
            LOAD_ALL(uint64_t, uint64_t);
        else
            LOAD_AS(uint64_t, uint64_t);
    }
}

static void load_narrow(const struct ptx_inst *in, uint32_t mask, const uint64_t *host,
                        unsigned offset, void *d)
{
    switch (in->width) {
    case 1:
        if (in->is_signed)
            LOAD_AS(int8_t, int32_t);
        else
            LOAD_AS(uint8_t, uint32_t);
        break;
    case 2:
        if (in->is_signed)
            LOAD_AS(int16_t, int32_t);
        else
            LOAD_AS(uint16_t, uint32_t);
        break;
    default:
        if (mask == EMU_FULL)
            LOAD_ALL(uint32_t, uint32_t);
        else
            LOAD_AS(uint32_t, uint32_t);
    }
}

/* Neighbouring words for neighbouring lanes: one copy. */
static bool load_row(const struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                     const uint64_t *host, void *d)
{
    unsigned lane_bytes = in->flags & PTX_INST_WIDE_DST ? 8 : 4;
    if (mask != EMU_FULL || !w->base.access.row || in->n > 1 || in->width != lane_bytes ||
        w->base.access.stride != in->width)
        return false;
    memcpy(d, (const uint8_t *)(uintptr_t)host[0], EMU_LANES * lane_bytes);
    return true;
}

static void notice_poll(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                        const uint64_t *host)
{
    uint64_t hash = mask;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t value = 0;
        memcpy(&value, (const uint8_t *)(uintptr_t)host[lane], in->width);
        hash = hash * 0x9e3779b97f4a7c15ull + (host[lane] ^ value << 20);
    }
    emu_notice_poll(&w->base, &in->site, mask, hash);
}

void ptx_run_load(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint64_t *host = ptx_resolve(w, in, mask, (unsigned)in->width * in->n);
    const uint32_t *refs = data_refs(in, &in->d);
    if (!host)
        return;
    if (in->n == 1 && in->d != PTX_NO_REF && load_row(w, in, mask, host, ptx_ref(w, in->d)))
        goto loaded;
    for (unsigned k = 0; k < in->n; k++) {
        if (refs[k] == PTX_NO_REF)
            continue;
        void *d = ptx_ref(w, refs[k]);
        if (in->flags & PTX_INST_WIDE_DST)
            load_wide(in, mask, host, k * in->width, d);
        else
            load_narrow(in, mask, host, k * in->width, d);
    }
loaded:
    if (in->flags & PTX_INST_POLL)
        notice_poll(w, in, mask, host);
}

/* ---- stores ---- */

#define STORE_AS(T, S)                                                                             \
    do {                                                                                           \
        const S *from = s;                                                                         \
        for (uint32_t rest = mask; rest; rest &= rest - 1) {                                       \
            unsigned lane = lowest_bit32(rest);                                                    \
            T value = (T)from[lane];                                                               \
            memcpy((uint8_t *)(uintptr_t)host[lane] + offset, &value, sizeof value);               \
        }                                                                                          \
    } while (0)

static void store_element(const struct ptx_inst *in, uint32_t mask, const uint64_t *host,
                          unsigned offset, const void *s)
{
    bool wide = in->flags & PTX_INST_WIDE_DST;
    switch (in->width) {
    case 1:
        if (wide)
            STORE_AS(uint8_t, uint64_t);
        else
            STORE_AS(uint8_t, uint32_t);
        break;
    case 2:
        if (wide)
            STORE_AS(uint16_t, uint64_t);
        else
            STORE_AS(uint16_t, uint32_t);
        break;
    case 4:
        if (wide)
            STORE_AS(uint32_t, uint64_t);
        else
            STORE_AS(uint32_t, uint32_t);
        break;
    default:
        STORE_AS(uint64_t, uint64_t);
    }
}

/* Blocks that run in parallel keep their stores for later. */
static void store_deferred(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint8_t data[EMU_LANES][32];
    uint64_t place[EMU_LANES];
    const uint32_t *refs = data_refs(in, &in->b);
    unsigned bytes = (unsigned)in->width * in->n;
    if (mask == EMU_FULL && w->base.access.row && in->n == 1 &&
        w->base.access.stride == in->width &&
        in->width == (in->flags & PTX_INST_WIDE_DST ? 8 : 4)) {
        if (!emu_defer_row(w->base.block, bytes, w->base.access.base, ptx_ref(w, refs[0])))
            emu_no_memory(&w->base, &in->site, lowest_bit32(mask), "for its stores");
        return;
    }
    for (unsigned i = 0; i < EMU_LANES; i++)
        place[i] = (uint64_t)(uintptr_t)data[i];
    for (unsigned k = 0; k < in->n; k++)
        store_element(in, mask, place, k * in->width, ptx_ref(w, refs[k]));
    if (!emu_defer(w->base.block, 0, 0, bytes, mask, w->base.access.address, data, sizeof data[0]))
        emu_no_memory(&w->base, &in->site, lowest_bit32(mask), "for its stores");
}

void ptx_run_store(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint64_t *host = ptx_resolve(w, in, mask, (unsigned)in->width * in->n);
    const uint32_t *refs = data_refs(in, &in->b);
    if (!host)
        return;
    if (w->base.block->ahead) {
        bool ok;
        uint32_t later =
            emu_prepare_store(&w->base, &in->site, mask, (unsigned)in->width * in->n, false, &ok);
        if (!ok)
            return;
        if (later)
            store_deferred(w, in, later);
        mask &= ~later;
        if (w->base.access.mixed_mask)
            host = w->base.access.host;
    }
    unsigned lane_bytes = in->flags & PTX_INST_WIDE_DST ? 8 : 4;
    if (mask == EMU_FULL && w->base.access.row && in->n == 1 && in->width == lane_bytes &&
        w->base.access.stride == in->width) {
        memcpy((uint8_t *)(uintptr_t)host[0], ptx_ref(w, refs[0]), EMU_LANES * lane_bytes);
        return;
    }
    for (unsigned k = 0; k < in->n; k++)
        store_element(in, mask, host, k * in->width, ptx_ref(w, refs[k]));
}

/* ---- cp.async ---- */

/* The copy is done at once: a program that waits as it must cannot tell. */
void ptx_run_copy_async(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint32_t *to32 = ptx_ref(w, in->b);
    const uint64_t *to64 = ptx_ref(w, in->b);
    const uint32_t *size = in->c != PTX_NO_REF ? ptx_ref(w, in->c) : NULL;
    uint64_t shift = (uint64_t)(uintptr_t)in->extra;
    uint32_t reading = mask; /* a lane that copies nothing may hold any address */
    for (uint32_t rest = size ? mask : 0; rest; rest &= rest - 1)
        if (!size[lowest_bit32(rest)])
            reading &= ~(rest & (0 - rest));
    w->idle_lanes = mask & ~reading;
    ptx_compute_addresses(w, in);
    if (reading && !ptx_resolve_addresses(w, in, reading, in->width))
        return;
    const uint64_t *host = w->base.access.mixed_mask ? w->base.access.host : w->base.access.address;
    w->base.access.affine &= reading == mask;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t to = in->op & PTX_INST_ADDRESS32 ? (uint32_t)(to32[lane] + (uint32_t)shift)
                                                  : to64[lane] + shift;
        unsigned n = size && size[lane] < in->width ? size[lane] : in->width;
        to &= 0x00ffffffffffffffull; /* a generic address of shared memory is accepted too */
        if (to >= w->base.block->shared_bytes || to + in->width > w->base.block->shared_bytes) {
            emu_fail(&w->base, &in->site, lane, STRATA_EFORMAT,
                     "shared address 0x%llx is outside: the block has %u bytes of it",
                     (unsigned long long)to, w->base.block->shared_bytes);
            return;
        }
        if (n)
            memcpy(w->base.block->shared + to, (const uint8_t *)(uintptr_t)host[lane], n);
        memset(w->base.block->shared + to + n, 0, in->width - n);
    }
}

/* A prefetch of an address that does not exist is no error. */
void ptx_run_prefetch(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint64_t *a = ptx_ref(w, in->a);
    for (unsigned i = 0; i < EMU_LANES; i++)
        w->base.access.address[i] = a[i] + (uint64_t)in->imm;
    w->base.access.affine = false;
    w->base.access.shared_mask = w->base.access.local_mask = 0;
    (void)mask;
}

void ptx_run_nothing(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    (void)w;
    (void)in;
    (void)mask;
}

/* ---- addresses as values ---- */

void ptx_run_local_address(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    /* in->op: a kernel parameter, which lies in the launch's parameter block */
    uint64_t base = in->op ? (uint64_t)(uintptr_t)w->base.block->run->params : w->frame->local_base;
    uint64_t address = (uint64_t)in->imm + base;
    if (in->flags & PTX_INST_WIDE_DST) {
        uint64_t *d = ptx_ref(w, in->d);
        EMU_STORE_LANES(d, mask, address);
    } else {
        uint32_t *d = ptx_ref(w, in->d);
        EMU_STORE_LANES(d, mask, (uint32_t)address);
    }
}

void ptx_run_isspacep(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint64_t *a = ptx_ref(w, in->a);
    uint32_t result = 0;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint64_t window = a[i] & 0xff00000000000000ull;
        bool inside = in->op == PTX_M_SHARED  ? window == STRATA_SHARED_WINDOW
                      : in->op == PTX_M_LOCAL ? window == STRATA_LOCAL_WINDOW
                                              : window == 0 && in->op == PTX_M_GLOBAL;
        result |= (uint32_t)inside << i;
    }
    ptx_set_predicate(w, in->d, mask, result);
}

/* ---- special registers that change while a warp runs ---- */

void ptx_run_mov_clock(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    bool timer = in->op == PTX_SPECIAL_TIMER || in->op == PTX_SPECIAL_TIMER_HI;
    uint64_t now =
        timer ? emu_clock_nanoseconds(&w->base, &in->site) : emu_clock_cycles(&w->base, &in->site);
    if (in->op == PTX_SPECIAL_CLOCK_HI || in->op == PTX_SPECIAL_TIMER_HI)
        now >>= 32;
    if (in->flags & PTX_INST_WIDE_DST) {
        uint64_t *d = ptx_ref(w, in->d);
        EMU_STORE_LANES(d, mask, now);
    } else {
        uint32_t *d = ptx_ref(w, in->d);
        EMU_STORE_LANES(d, mask, (uint32_t)now);
    }
}

void ptx_run_mov_activemask(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t *d = ptx_ref(w, in->d);
    EMU_STORE_LANES(d, mask, mask);
}

/* ---- {a, b} as one value ---- */

static uint64_t lane_get(struct ptx_warp *w, uint32_t ref, unsigned lane, bool wide)
{
    return wide ? ((uint64_t *)ptx_ref(w, ref))[lane] : ((uint32_t *)ptx_ref(w, ref))[lane];
}

/* in->op: PTX_INST_WIDE_DST if the whole has 8-byte lanes; in->flags the same for the parts. */
void ptx_run_pack(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint32_t *refs = in->extra;
    unsigned bits = in->width * 8u;
    uint64_t part = bits == 64 ? ~0ull : (1ull << bits) - 1;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t value = 0;
        for (unsigned k = 0; k < in->n; k++)
            value |= (lane_get(w, refs[k], lane, in->flags & PTX_INST_WIDE_DST) & part)
                     << (bits * k);
        if (in->op & PTX_INST_WIDE_DST)
            ((uint64_t *)ptx_ref(w, in->d))[lane] = value;
        else
            ((uint32_t *)ptx_ref(w, in->d))[lane] = (uint32_t)value;
    }
}

void ptx_run_unpack(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint32_t *refs = in->extra;
    unsigned bits = in->width * 8u;
    uint64_t part = bits == 64 ? ~0ull : (1ull << bits) - 1;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t value = lane_get(w, in->a, lane, in->op & PTX_INST_WIDE_DST);
        for (unsigned k = 0; k < in->n; k++) {
            if (refs[k] == PTX_NO_REF)
                continue;
            uint64_t piece = value >> (bits * k) & part;
            if (in->flags & PTX_INST_WIDE_DST)
                ((uint64_t *)ptx_ref(w, refs[k]))[lane] = piece;
            else
                ((uint32_t *)ptx_ref(w, refs[k]))[lane] = (uint32_t)piece;
        }
    }
}
