/* sass_exec_async.c - Hopper's asynchronous units: products of warpgroups, barriers in shared
 * memory, bulk and tensor copies, clusters. Each works at once, as in PTX. */
#include <string.h>

#include "emulator/mbarrier.h"
#include "sass/handlers.h"

static uint32_t uniform32(const struct sass_warp *w, uint32_t ref, unsigned k)
{
    return sass_row_at(w, ref, k)[0];
}
static uint64_t uniform64(const struct sass_warp *w, uint32_t ref, unsigned k)
{
    return uniform32(w, ref, k) | (uint64_t)uniform32(w, ref, k + 1) << 32;
}

static void record(struct sass_warp *w, const struct sass_exec *op, uint32_t mask)
{
    if (w->base.block->watched)
        emu_record(&w->base, &op->site, mask);
}

/* ---- products ---- */

/* b: descriptors of A, not used where it is in registers, and of B; c: sums so far, SASS_NO_ROW:
 * none; ps: whether they count. */
HANDLER(sass_run_gmma)
{
    const struct sass_gmma *g = op->extra;
    struct emu_wgmma_operands o;
    bool in_registers = g->model.a_in_registers;
    unsigned n = g->model.d_type == EMU_WG_SUM_F16 ? g->model.n / 4u : g->model.n / 2u;
    o.a_desc = in_registers ? 0 : uniform64(w, op->b, 0);
    o.b_desc = uniform64(w, op->b, 2);
    o.keep = op->c != SASS_NO_ROW && sass_pred(w, op->ps) >> lowest_bit32(mask) & 1;
    o.metadata = g->model.sparse ? sass_row(w, g->metadata) : NULL;
    for (unsigned i = 0; i < 4; i++)
        o.a[i] = sass_row_at(w, op->a, in_registers ? i : 0);
    for (unsigned i = 0; i < n; i++) {
        o.d[i] = sass_row_at(w, op->d, i);
        if (o.keep && op->c != op->d)
            memcpy(o.d[i], sass_row_at(w, op->c, i), SASS_ROW_BYTES);
    }
    emu_wgmma_run(&w->base, &op->site, mask, &g->model, &o);
}

HANDLER(sass_run_group_meets)
{
    w->base.must_wait = !emu_group_meets(&w->base);
    w->base.wait_address = EMU_WAITS_FOR_GROUP;
    if (!w->base.must_wait)
        record(w, op, mask);
}

/* ---- barriers ---- */

/* The 64 bits of a fresh barrier: 2^20 less its count, from bit 1 and from bit 43 on. */
static uint32_t initial_count(struct sass_warp *w, uint32_t ref, unsigned lane)
{
    return (1u << 20) - (sass_row(w, ref)[lane] >> 1 & ((1u << 20) - 1));
}

/* The state before an operation as later waits take it: the parity in the top bit. */
static void give_state(struct sass_warp *w, const struct sass_exec *op, unsigned lane,
                       uint64_t before)
{
    struct emu_mbarrier b;
    emu_mbarrier_unpack(before, &b);
    sass_row_at(w, op->d, 0)[lane] = b.pending;
    sass_row_at(w, op->d, 1)[lane] = (uint32_t)b.phase << 31;
}

HANDLER(sass_run_barrier)
{
    const struct sass_syncs *s = op->extra;
    uint64_t words[EMU_LANES] = {0}, address[EMU_LANES];
    sass_addresses(w, &s->place);
    memcpy(address, w->base.access.address, sizeof address);
    if (s->is_init) /* of the warp, not of its threads */
        mask = 1u << lowest_bit32(mask);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint32_t at = sass_shared_address(w, (uint32_t)address[lane]);
        uint32_t value = s->value == SASS_NO_ROW ? 1
                         : s->is_init            ? initial_count(w, s->value, lane)
                                                 : sass_row(w, s->value)[lane];
        uint64_t before = 0;
        if (!emu_mbarrier_apply(&w->base, &op->site, lane, at, s->op, value, s->variant, &before))
            return;
        if (s->wants_state)
            give_state(w, op, lane, before);
        words[lane] = strata_barrier_pack(at, value, 0);
    }
    emu_record_barrier(&w->base, &op->site, mask, words);
}

/* A TRYWAIT that would fail waits until it succeeds; a plain test may be part of a loop that waits.
 */
HANDLER(sass_run_barrier_wait)
{
    const struct sass_syncs *s = op->extra;
    uint64_t words[EMU_LANES] = {0}, address[EMU_LANES], hash = mask;
    uint32_t done = 0;
    sass_addresses(w, &s->place);
    memcpy(address, w->base.access.address, sizeof address);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint32_t at = sass_shared_address(w, (uint32_t)address[lane]);
        bool ok, parity = sass_row(w, s->value)[lane] >> 31;
        bool past = emu_mbarrier_is_past(&w->base, &op->site, lane, at, parity, &ok);
        if (!ok)
            return;
        done |= (uint32_t)past << lane;
        words[lane] = strata_barrier_pack(at, 0, parity);
        hash = mix64(hash ^ words[lane]) + past;
        w->base.wait_address = past ? w->base.wait_address : at;
    }
    if (s->op == STRATA_BARRIER_WAIT && done != mask) {
        w->base.must_wait = true;
        return;
    }
    sass_set_pred(w, op->pd, mask, done);
    emu_record_barrier(&w->base, &op->site, mask, words);
    emu_note_test(&w->base, &op->site, lowest_bit32(mask), w->base.wait_address, done != mask);
    if (done != mask)
        emu_notice_poll(&w->base, &op->site, mask, hash);
}

/* ---- copies ---- */

/* Offsets of an im2col box: one of 16 bits, two of eight, three of five. */
static void set_offsets(struct emu_bulk *bulk, uint16_t packed)
{
    unsigned n = bulk->rank - 2, bits = n == 1 ? 16 : n == 2 ? 8 : 5;
    for (unsigned i = 0; i < n && i < 3; i++)
        bulk->offset[i] = (uint16_t)(packed >> (i * bits) & ((1u << bits) - 1));
}

HANDLER(sass_run_bulk)
{
    const struct sass_bulk *b = op->extra;
    struct emu_bulk bulk = b->model;
    uint32_t size = b->size == SASS_NO_ROW ? 0 : uniform32(w, b->size, 0);
    bulk.shared = sass_shared_address(w, uniform32(w, op->a, 0));
    bulk.has_barrier = b->barrier_at;
    if (b->barrier_at)
        bulk.barrier = sass_shared_address(w, uniform32(w, op->a, b->barrier_at));
    bulk.ranks = (uint16_t)(size >> 16);
    bulk.global = uniform64(w, op->b, 0);
    if (!bulk.tensor)
        bulk.bytes = (size & 0xffff) * 16;
    if (bulk.kind == EMU_BULK_SHARED) {
        bulk.to = bulk.shared;
        bulk.shared = sass_shared_address(w, uniform32(w, op->b, 0));
    }
    for (unsigned i = 0; i < bulk.rank; i++)
        bulk.coordinate[i] = (int32_t)uniform32(w, op->a, b->first + i);
    if (bulk.im2col && b->size != SASS_NO_ROW)
        set_offsets(&bulk, (uint16_t)size);
    emu_bulk_run(&w->base, &op->site, lowest_bit32(mask), &bulk);
}

/* ---- stores and reductions that tell a barrier ---- */

static void put_async(struct sass_warp *w, const struct sass_exec *op, unsigned lane, uint8_t *to)
{
    uint32_t word[4] = {0};
    for (unsigned k = 0; k < op->words; k++)
        word[k] = sass_row_at(w, op->b, k)[lane];
    if (op->mode == EMU_STORE)
        memcpy(to, word, op->width);
    else
        emu_atomic_apply(op->mode, op->mode2, to, word[0] | (uint64_t)word[1] << 32, 0);
}

HANDLER(sass_run_store_async)
{
    const uint32_t *address = sass_row_at(w, op->a, 0), *barrier = sass_row_at(w, op->a, 1);
    uint64_t words[EMU_LANES] = {0};
    EMU_EACH_LANE w->base.access.address[i] =
        sass_shared_address(w, address[i] + (uint32_t)op->imm);
    const uint64_t *host = emu_resolve(&w->base, &op->site, mask, op->width);
    for (uint32_t rest = host ? mask : 0; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        put_async(w, op, lane, (uint8_t *)(uintptr_t)host[lane]);
        uint32_t told = sass_shared_address(w, barrier[lane]);
        if (!emu_mbarrier_do(&w->base, &op->site, lane, told, EMU_MBARRIER_COMPLETE, op->width,
                             false, NULL))
            return;
        words[lane] = strata_barrier_pack(told, op->width, 0);
    }
    if (host)
        emu_record_barrier(&w->base, &op->site, mask, words);
}

/* ---- clusters ---- */

HANDLER(sass_run_cluster_arrive)
{
    (void)op;
    emu_cluster_arrive(&w->base, mask);
}

HANDLER(sass_run_cluster_wait)
{
    w->base.must_wait = !emu_cluster_passed(&w->base);
    w->base.wait_address = EMU_WAITS_FOR_CLUSTER;
    if (!w->base.must_wait)
        record(w, op, mask);
}

HANDLER(sass_run_set_true)
{
    sass_set_pred(w, op->pd, mask, EMU_FULL);
}
