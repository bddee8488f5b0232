/* ptx_exec_async.c - bulk copies, barriers in shared memory, clusters. */
#include <string.h>

#include "base/bits.h"
#include "emulator/mbarrier.h"
#include "ptx/async.h"
#include "ptx/handlers.h"

/* ---- operands ---- */

static uint32_t lane32(const struct ptx_warp *w, uint32_t ref, unsigned lane)
{
    return ref == PTX_NO_REF ? 0 : ((const uint32_t *)ptx_ref(w, ref))[lane];
}

uint64_t ptx_place_get(const struct ptx_warp *w, const struct ptx_place *p, unsigned lane)
{
    if (p->narrow)
        return (uint32_t)(lane32(w, p->ref, lane) + (uint32_t)p->offset);
    return ((const uint64_t *)ptx_ref(w, p->ref))[lane] + (uint64_t)p->offset;
}

bool ptx_place_shared(struct ptx_warp *w, const struct ptx_inst *in, const struct ptx_place *p,
                      unsigned lane, uint32_t *out)
{
    uint64_t a = ptx_place_get(w, p, lane), window = a & 0xff00000000000000ull;
    if (p->generic && window != STRATA_SHARED_WINDOW) {
        emu_fail(&w->base, &in->site, lane, STRATA_EFORMAT,
                 "generic address 0x%llx is not in shared memory", (unsigned long long)a);
        return false;
    }
    *out = (uint32_t)a;
    return true;
}

/* ---- copies ---- */

static bool fill_bulk(struct ptx_warp *w, const struct ptx_inst *in, unsigned lane,
                      struct emu_bulk *b)
{
    const struct ptx_bulk *op = in->extra;
    *b = op->model;
    if (op->global.ref != PTX_NO_REF)
        b->global = ptx_place_get(w, &op->global, lane);
    if (op->shared.ref != PTX_NO_REF && !ptx_place_shared(w, in, &op->shared, lane, &b->shared))
        return false;
    if (op->to.ref != PTX_NO_REF && !ptx_place_shared(w, in, &op->to, lane, &b->to))
        return false;
    if (op->barrier.ref != PTX_NO_REF && !ptx_place_shared(w, in, &op->barrier, lane, &b->barrier))
        return false;
    b->has_barrier = op->barrier.ref != PTX_NO_REF;
    b->bytes = lane32(w, op->bytes, lane);
    b->ranks = (uint16_t)lane32(w, op->ranks, lane);
    for (unsigned i = 0; i < b->rank; i++)
        b->coordinate[i] = (int32_t)lane32(w, op->coordinate[i], lane);
    for (unsigned i = 0; i < 3; i++)
        b->offset[i] = (uint16_t)lane32(w, op->offset[i], lane);
    return true;
}

void ptx_run_bulk(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        struct emu_bulk b;
        unsigned lane = lowest_bit32(rest);
        if (!fill_bulk(w, in, lane, &b) || !emu_bulk_run(&w->base, &in->site, lane, &b))
            return;
    }
}

/* ---- barriers ---- */

void ptx_run_barrier(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_barrier *op = in->extra;
    uint64_t words[EMU_LANES] = {0};
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint32_t address, value = op->value == PTX_NO_REF ? 1 : lane32(w, op->value, lane);
        uint64_t before = 0;
        if (!ptx_place_shared(w, in, &op->place, lane, &address) ||
            !emu_mbarrier_apply(&w->base, &in->site, lane, address, op->op, value, op->no_increment,
                                &before))
            return;
        if (op->state != PTX_NO_REF)
            ((uint64_t *)ptx_ref(w, op->state))[lane] = before;
        words[lane] = strata_barrier_pack(address, value, 0);
    }
    emu_record_barrier(&w->base, &in->site, mask, words);
}

/* test_wait and try_wait. A try_wait that would fail waits until it succeeds, as the hardware does
 * for a while; a test_wait that fails may be part of a loop that waits. */
void ptx_run_barrier_wait(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_barrier *op = in->extra;
    uint64_t words[EMU_LANES] = {0}, hash = mask;
    uint32_t done = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        struct emu_mbarrier state;
        uint32_t address;
        bool ok, parity = lane32(w, op->parity, lane) & 1;
        if (op->state != PTX_NO_REF) {
            emu_mbarrier_unpack(((const uint64_t *)ptx_ref(w, op->state))[lane], &state);
            parity = state.phase;
        }
        if (!ptx_place_shared(w, in, &op->place, lane, &address))
            return;
        bool past = emu_mbarrier_is_past(&w->base, &in->site, lane, address, parity, &ok);
        if (!ok)
            return;
        done |= (uint32_t)past << lane;
        words[lane] = strata_barrier_pack(address, 0, parity);
        hash = mix64(hash ^ words[lane]) + past;
        w->base.wait_address = past ? w->base.wait_address : address;
    }
    if (op->op == STRATA_BARRIER_WAIT && done != mask) {
        w->base.must_wait = true;
        return;
    }
    ptx_set_predicate(w, op->done, mask, done);
    emu_record_barrier(&w->base, &in->site, mask, words);
    emu_note_test(&w->base, &in->site, lowest_bit32(mask), w->base.wait_address, done != mask);
    if (op->op == STRATA_BARRIER_TEST && done != mask) {
        w->base.access.shared_mask = mask;
        w->base.access.local_mask = 0;
        emu_notice_poll(&w->base, &in->site, mask, hash);
    }
}

/* mbarrier.pending_count d, state: a state holds the barrier's bits. */
void ptx_run_pending_count(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint64_t *a = ptx_ref(w, in->a);
    uint32_t *d = ptx_ref(w, in->d);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        struct emu_mbarrier b;
        unsigned lane = lowest_bit32(rest);
        emu_mbarrier_unpack(a[lane], &b);
        d[lane] = b.pending;
    }
}

/* st.async, red.async: to shared memory of the cluster, then the barrier there gets the bytes,
 * which is what is recorded of them. */
void ptx_run_store_async(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_store_async *op = in->extra;
    uint32_t barrier[EMU_LANES];
    uint64_t words[EMU_LANES] = {0};
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint32_t address;
        if (!ptx_place_shared(w, in, &op->place, lane, &address) ||
            !ptx_place_shared(w, in, &op->barrier, lane, &barrier[lane]))
            return;
        w->base.access.address[lane] = address;
    }
    const uint64_t *host = emu_resolve(&w->base, &in->site, mask, (unsigned)op->n * op->width);
    for (uint32_t rest = host ? mask : 0; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        for (unsigned k = 0; k < op->n; k++) {
            uint8_t *to = (uint8_t *)(uintptr_t)host[lane] + k * op->width;
            uint64_t value = op->wide ? ((const uint64_t *)ptx_ref(w, op->refs[k]))[lane]
                                      : ((const uint32_t *)ptx_ref(w, op->refs[k]))[lane];
            if (op->reduces)
                emu_atomic_apply(op->op, op->type, to, value, 0);
            else
                memcpy(to, &value, op->width);
        }
        if (!emu_mbarrier_do(&w->base, &in->site, lane, barrier[lane], EMU_MBARRIER_COMPLETE,
                             (uint32_t)op->n * op->width, false, NULL))
            return;
        words[lane] = strata_barrier_pack(barrier[lane], (uint32_t)op->n * op->width, 0);
    }
    if (host)
        emu_record_barrier(&w->base, &in->site, mask, words);
}

/* ---- tensor maps in memory ---- */

void ptx_run_tensormap_replace(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_tensormap *op = in->extra;
    unsigned lane = lowest_bit32(mask);
    struct emu_tensor_map m;
    uint64_t address = ptx_place_get(w, &op->place, lane);
    if (op->place.shared)
        address |= STRATA_SHARED_WINDOW;
    uint8_t *at =
        emu_object_at(&w->base, &in->site, lane, address, EMU_TENSOR_MAP_BYTES, "tensor map");
    if (!at)
        return;
    uint64_t value =
        op->wide ? ((const uint64_t *)ptx_ref(w, op->value))[lane] : lane32(w, op->value, lane);
    memcpy(&m, at, sizeof m);
    if (!emu_tensor_map_replace(&m, op->field, op->dimension, value)) {
        emu_fail(&w->base, &in->site, lane, STRATA_EFORMAT,
                 "a tensor map cannot have this value (%llu) in this field",
                 (unsigned long long)value);
        return;
    }
    memcpy(at, &m, sizeof m);
}

/* tensormap.cp_fenceproxy: 128 bytes from shared to global memory, by the whole warp. */
void ptx_run_tensormap_copy(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_tensormap *op = in->extra;
    unsigned lane = lowest_bit32(mask);
    uint64_t from = ptx_place_get(w, &op->from, lane);
    if (op->from.shared)
        from |= STRATA_SHARED_WINDOW;
    uint8_t *a = emu_object_at(&w->base, &in->site, lane, ptx_place_get(w, &op->place, lane),
                               EMU_TENSOR_MAP_BYTES, "tensor map");
    const uint8_t *b =
        a ? emu_object_at(&w->base, &in->site, lane, from, EMU_TENSOR_MAP_BYTES, "tensor map")
          : NULL;
    if (b)
        memmove(a, b, EMU_TENSOR_MAP_BYTES);
}

/* ---- clusters ---- */

void ptx_run_cluster_arrive(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    (void)in;
    emu_cluster_arrive(&w->base, mask);
}

void ptx_run_cluster_wait(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    (void)in;
    (void)mask;
    w->base.must_wait = !emu_cluster_passed(&w->base);
    w->base.wait_address = EMU_WAITS_FOR_CLUSTER;
}

void ptx_run_group_meets(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    (void)in;
    (void)mask;
    w->base.must_wait = !emu_group_meets(&w->base);
    w->base.wait_address = EMU_WAITS_FOR_GROUP;
}

/* in->op: generic addresses; in->width: lanes of the address. */
void ptx_run_mapa(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const uint32_t *rank = ptx_ref(w, in->b);
    uint32_t blocks = w->base.block->cluster->n;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t a =
            in->width == 8 ? ((const uint64_t *)ptx_ref(w, in->a))[lane] : lane32(w, in->a, lane);
        uint64_t window = a & 0xff00000000000000ull;
        uint64_t mapped =
            window | (a & (EMU_RANK_BYTES - 1)) | (uint64_t)(rank[lane] + 1) << EMU_RANK_SHIFT;
        if (rank[lane] >= blocks || (in->op && window != STRATA_SHARED_WINDOW)) {
            emu_fail(&w->base, &in->site, lane, STRATA_EFORMAT,
                     "mapa asks for block %u of a cluster of %u (address 0x%llx)", rank[lane],
                     blocks, (unsigned long long)a);
            return;
        }
        if (blocks == 1) /* its own memory needs no rank */
            mapped = a;
        if (in->width == 8)
            ((uint64_t *)ptx_ref(w, in->d))[lane] = mapped;
        else
            ((uint32_t *)ptx_ref(w, in->d))[lane] = (uint32_t)mapped;
    }
}

void ptx_run_getctarank(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t *d = ptx_ref(w, in->d);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t a =
            in->width == 8 ? ((const uint64_t *)ptx_ref(w, in->a))[lane] : lane32(w, in->a, lane);
        uint32_t tag = (uint32_t)(a >> EMU_RANK_SHIFT) & 0xff;
        d[lane] = tag ? tag - 1 : w->base.block->rank;
    }
}
