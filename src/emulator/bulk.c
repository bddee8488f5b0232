/* bulk.c - bulk and tensor copies between global and shared memory. */
#include "emulator/bulk.h"

#include <string.h>

#include "base/bits.h"
#include "emulator/mbarrier.h"

#define PIECE_BYTES 16 /* what alignment rules allow to move at once, and what swizzles move */
#define MISALIGNED_BULK                                                                            \
    "misaligned address: a bulk copy needs addresses and sizes that are multiples of 16"

/* ---- objects in memory ---- */

uint8_t *emu_object_at(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                       uint64_t address, uint64_t bytes, const char *what)
{
    const struct emu_run *run = w->block->run;
    uint64_t left, in_params = address - (uint64_t)(uintptr_t)run->params;
    if (in_params < run->launch->entry->param_bytes)
        return (uint8_t *)(uintptr_t)address;
    uint8_t *found = emu_generic_pointer(w, lane, address, &left);
    if (found && left >= bytes)
        return found;
    emu_fail(w, site, lane, STRATA_EFORMAT, "illegal address 0x%llx: no %s can be there",
             (unsigned long long)address, what);
    return NULL;
}

/* ---- barriers ---- */

static uint8_t *barrier_at(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                           uint64_t address, struct emu_block **owner)
{
    uint64_t offset;
    *owner = emu_cluster_target(w->block, address, &offset);
    if (*owner && offset % 8 == 0 && offset + 8 <= (*owner)->shared_bytes)
        return (*owner)->shared + offset;
    emu_fail(w, site, lane, STRATA_EFORMAT,
             offset % 8 ? "misaligned address 0x%llx: an mbarrier needs a multiple of 8"
                        : "shared address 0x%llx is outside: no mbarrier can be there",
             (unsigned long long)address);
    return NULL;
}

static const char *do_operation(struct emu_mbarrier *b, enum emu_barrier_op op, uint32_t value,
                                bool drop, bool *ended)
{
    switch (op) {
    case EMU_MBARRIER_INIT:
        return emu_mbarrier_init(value, b);
    case EMU_MBARRIER_ARRIVE:
        return emu_mbarrier_arrive(b, value, drop, ended);
    case EMU_MBARRIER_EXPECT:
        return emu_mbarrier_expect(b, value);
    case EMU_MBARRIER_COMPLETE:
        return emu_mbarrier_complete(b, value, ended);
    default:
        return NULL;
    }
}

bool emu_mbarrier_do(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                     uint64_t address, enum emu_barrier_op op, uint32_t value, bool drop,
                     uint64_t *before)
{
    struct emu_block *owner;
    struct emu_mbarrier b;
    uint64_t bits;
    bool ended = false;
    uint8_t *at = barrier_at(w, site, lane, address, &owner);
    if (!at)
        return false;
    memcpy(&bits, at, sizeof bits);
    bool present = emu_mbarrier_unpack(bits, &b);
    if (before)
        *before = bits;
    const char *fault = !present && op != EMU_MBARRIER_INIT
                            ? "was never initialised"
                            : do_operation(&b, op, value, drop, &ended);
    if (fault) {
        emu_fail(w, site, lane, STRATA_EFORMAT, "the mbarrier at shared address 0x%llx %s",
                 (unsigned long long)address, fault);
        return false;
    }
    bits = op == EMU_MBARRIER_INVAL ? 0 : emu_mbarrier_pack(&b);
    memcpy(at, &bits, sizeof bits);
    owner->events += ended;
    return true;
}

bool emu_mbarrier_apply(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                        uint32_t address, unsigned op, uint32_t value, bool variant,
                        uint64_t *before)
{
    switch (op) {
    case STRATA_BARRIER_INIT:
        return emu_mbarrier_do(w, site, lane, address, EMU_MBARRIER_INIT, value, false, before);
    case STRATA_BARRIER_INVAL:
        return emu_mbarrier_do(w, site, lane, address, EMU_MBARRIER_INVAL, 0, false, before);
    case STRATA_BARRIER_EXPECT:
        return emu_mbarrier_do(w, site, lane, address, EMU_MBARRIER_EXPECT, value, false, before);
    case STRATA_BARRIER_COMPLETE:
        return emu_mbarrier_do(w, site, lane, address, EMU_MBARRIER_COMPLETE, value, false, before);
    case STRATA_BARRIER_ARRIVE_EXPECT:
        return emu_mbarrier_do(w, site, lane, address, EMU_MBARRIER_EXPECT, value, false, before) &&
               emu_mbarrier_do(w, site, lane, address, EMU_MBARRIER_ARRIVE, 1, variant, NULL);
    case STRATA_BARRIER_ARRIVE_COPIES:
        return !variant ||
               emu_mbarrier_do(w, site, lane, address, EMU_MBARRIER_ARRIVE, 1, false, before);
    default:
        return emu_mbarrier_do(w, site, lane, address, EMU_MBARRIER_ARRIVE, value,
                               op == STRATA_BARRIER_ARRIVE_DROP, before);
    }
}

void emu_record_barrier(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                        const uint64_t words[EMU_LANES])
{
    if (!w->block->watched)
        return;
    memcpy(w->access.address, words, EMU_LANES * sizeof *words);
    w->access.affine = false;
    emu_record_access(w, site, mask);
}

bool emu_mbarrier_is_past(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                          uint64_t address, bool parity, bool *ok)
{
    struct emu_block *owner;
    struct emu_mbarrier b;
    uint64_t bits = 0;
    const uint8_t *at = barrier_at(w, site, lane, address, &owner);
    *ok = at != NULL;
    if (!at)
        return false;
    memcpy(&bits, at, sizeof bits);
    if (!emu_mbarrier_unpack(bits, &b)) {
        emu_fail(w, site, lane, STRATA_EFORMAT,
                 "the mbarrier at shared address 0x%llx was never initialised",
                 (unsigned long long)address);
        *ok = false;
    }
    return b.phase != parity;
}

/* ---- pieces ---- */

/* Up to 32 pieces of one size on their way: global addresses and shared offsets. */
struct batch {
    struct emu_warp *w;
    const struct emu_site *site;
    const struct emu_bulk *bulk;
    unsigned lane, n, bytes;
    uint32_t base; /* offset in shared memory */
    uint8_t type;  /* of a reduction: enum emu_type */
    uint64_t global[EMU_LANES];
    uint32_t shared[EMU_LANES];
    struct emu_block *target[EMU_MAX_CLUSTER]; /* of a load */
    unsigned n_targets;
    bool ok;
};

static void load_pieces(struct batch *b, const uint64_t *host)
{
    for (unsigned t = 0; t < b->n_targets; t++)
        for (unsigned i = 0; i < b->n; i++)
            memcpy(b->target[t]->shared + b->shared[i], (const uint8_t *)(uintptr_t)host[i],
                   b->bytes);
}

/* Stores and reductions; blocks that run ahead keep them back. */
static void store_pieces(struct batch *b, const uint64_t *host, uint32_t mask)
{
    struct emu_warp *w = b->w;
    bool reduces = b->bulk->kind == EMU_BULK_REDUCE;
    uint64_t data[EMU_LANES][2] = {{0}};
    uint32_t later = 0;
    for (unsigned i = 0; i < b->n; i++)
        memcpy(data[i], w->block->shared + b->shared[i], b->bytes);
    if (w->block->ahead)
        later = emu_prepare_store(w, b->site, mask, b->bytes, reduces, &b->ok);
    if (!b->ok)
        return;
    if (w->block->ahead && w->access.mixed_mask)
        host = w->access.host;
    if (later && !emu_defer(w->block, reduces ? b->bulk->op : EMU_STORE, b->type, b->bytes, later,
                            w->access.address, data, sizeof data[0])) {
        emu_no_memory(w, b->site, b->lane, "for its stores");
        b->ok = false;
        return;
    }
    for (uint32_t rest = mask & ~later; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        uint8_t *to = (uint8_t *)(uintptr_t)host[i];
        if (reduces)
            emu_atomic_apply(b->bulk->op, b->type, to, data[i][0], 0);
        else
            memcpy(to, data[i], b->bytes);
    }
}

static void flush(struct batch *b)
{
    struct emu_warp *w = b->w;
    uint32_t mask = b->n < EMU_LANES ? (1u << b->n) - 1 : EMU_FULL;
    if (!b->n || !b->ok)
        return;
    memcpy(w->access.address, b->global, b->n * sizeof *b->global);
    w->speaker = (uint8_t)(b->lane + 1);
    const uint64_t *host = emu_resolve(w, b->site, mask, b->bytes);
    b->ok = host != NULL;
    if (host && b->bulk->kind == EMU_BULK_LOAD)
        load_pieces(b, host);
    else if (host && b->bulk->kind != EMU_BULK_PREFETCH)
        store_pieces(b, host, mask);
    w->speaker = 0;
    b->n = 0;
}

static void add_piece(struct batch *b, uint64_t global, uint32_t shared, unsigned bytes)
{
    if (b->n == EMU_LANES || (b->n && b->bytes != bytes))
        flush(b);
    b->bytes = bytes;
    b->global[b->n] = global;
    b->shared[b->n++] = shared;
}

/* What lies outside the tensor: zeros, or a NaN no arithmetic makes. */
static void fill_piece(struct batch *b, const struct emu_tensor_map *m, uint32_t shared,
                       unsigned bytes)
{
    uint8_t fill[PIECE_BYTES] = {0};
    if (b->bulk->kind != EMU_BULK_LOAD)
        return;
    for (unsigned i = 0; m->fill && i < bytes; i++)
        fill[i] = m->element_bytes == 2
                      ? (i % 2 ? 0x7f : 0xff)
                      : (i % m->element_bytes == m->element_bytes - 1u ? 0x7f : 0xff);
    for (unsigned t = 0; t < b->n_targets; t++)
        memcpy(b->target[t]->shared + shared, fill, bytes);
}

/* ---- tensors ---- */

/* 16-byte pieces change places within 8 rows: address bits 4 and up are combined with 7 and up. */
static uint32_t swizzled(uint32_t address, unsigned swizzle)
{
    unsigned bytes = emu_tensor_swizzle_bytes(swizzle);
    return bytes ? address ^ (address >> 3 & (bytes - 1) & ~15u) : address;
}

/* A row of elements side by side in both memories; column: of its first element. */
struct tensor_row {
    uint64_t global; /* of column 0 */
    int64_t column;
    uint32_t elements, step; /* step: every so manyth element */
    uint32_t shared;
    bool outside;
};

static unsigned piece_elements(const struct batch *b, const struct emu_tensor_map *m,
                               const struct tensor_row *r, uint32_t at)
{
    unsigned whole = PIECE_BYTES / m->element_bytes;
    int64_t column = r->column + at, size = (int64_t)m->size_minus_1[0] + 1;
    bool fits = r->step == 1 && at + whole <= r->elements && column >= 0 &&
                column + whole <= size && b->bulk->kind != EMU_BULK_REDUCE;
    uint64_t address = r->global + (uint64_t)column * m->element_bytes;
    return fits && address % PIECE_BYTES == 0 ? whole : 1;
}

static void copy_row(struct batch *b, const struct emu_tensor_map *m, const struct tensor_row *r)
{
    int64_t size = (int64_t)m->size_minus_1[0] + 1;
    for (uint32_t at = 0; at < r->elements && b->ok;) {
        unsigned n = piece_elements(b, m, r, at);
        int64_t column = r->column + (int64_t)at * r->step;
        uint32_t shared = swizzled(r->shared + at * m->element_bytes, m->swizzle);
        if (r->outside || column < 0 || column >= size)
            fill_piece(b, m, shared, n * m->element_bytes);
        else
            add_piece(b, r->global + (uint64_t)column * m->element_bytes, shared,
                      n * m->element_bytes);
        at += n;
    }
}

static uint32_t count_along(const struct emu_tensor_map *m, unsigned i)
{
    return ((uint32_t)m->box[i] + m->element_stride[i] - 1) / m->element_stride[i];
}

static uint32_t tile_bytes(const struct emu_tensor_map *m)
{
    uint32_t bytes = m->element_bytes;
    if (m->is_im2col)
        return bytes * m->channels * m->pixels;
    for (unsigned i = 0; i < m->rank; i++)
        bytes *= count_along(m, i);
    return bytes;
}

static void copy_tile(struct batch *b, const struct emu_tensor_map *m)
{
    uint32_t inner = count_along(m, 0), rows = 1;
    for (unsigned i = 1; i < m->rank; i++)
        rows *= count_along(m, i);
    for (uint32_t k = 0; k < rows && b->ok; k++) {
        struct tensor_row r = {.global = m->base,
                               .column = b->bulk->coordinate[0],
                               .elements = inner,
                               .step = m->element_stride[0],
                               .shared = b->base + k * inner * m->element_bytes};
        uint32_t rest = k;
        for (unsigned i = 1; i < m->rank; i++) {
            int64_t at =
                b->bulk->coordinate[i] + (int64_t)(rest % count_along(m, i)) * m->element_stride[i];
            rest /= count_along(m, i);
            r.outside |= at < 0 || at > m->size_minus_1[i];
            r.global += (uint64_t)at * m->stride[i];
        }
        copy_row(b, m, &r);
    }
}

/* Pixels one after the other through the bounding box, the innermost space dimension first; each
 * brings its channels. */
static void copy_pixels(struct batch *b, const struct emu_tensor_map *m)
{
    unsigned spaces = m->rank - 2u;
    int64_t at[EMU_TENSOR_MAP_RANK];
    for (unsigned i = 0; i < m->rank; i++)
        at[i] = b->bulk->coordinate[i];
    for (uint32_t p = 0; p < m->pixels && b->ok; p++) {
        struct tensor_row r = {.global = m->base,
                               .column = at[0],
                               .elements = m->channels,
                               .step = m->element_stride[0],
                               .shared = b->base + p * m->channels * m->element_bytes};
        for (unsigned i = 1; i < m->rank; i++) {
            int64_t place = at[i] + (i <= spaces ? b->bulk->offset[i - 1] : 0);
            r.outside |= place < 0 || place > m->size_minus_1[i];
            r.global += (uint64_t)place * m->stride[i];
        }
        copy_row(b, m, &r);
        for (unsigned i = 1; i <= spaces; i++) {
            at[i] += m->element_stride[i];
            if (at[i] <= (int64_t)m->size_minus_1[i] + m->upper[i - 1])
                break;
            at[i] = m->lower[i - 1];
            if (i == spaces)
                at[i + 1]++;
        }
    }
}

/* ---- the whole copy ---- */

static bool fail(struct batch *b, const char *what, uint64_t value)
{
    emu_fail(b->w, b->site, b->lane, STRATA_EFORMAT, "%s (0x%llx)", what,
             (unsigned long long)value);
    return b->ok = false;
}

static bool read_map(struct batch *b, struct emu_tensor_map *m)
{
    const struct emu_bulk *bulk = b->bulk;
    const uint8_t *at =
        emu_object_at(b->w, b->site, b->lane, bulk->global, EMU_TENSOR_MAP_BYTES, "tensor map");
    if (!at)
        return b->ok = false;
    memcpy(m, at, sizeof *m);
    const char *fault = emu_tensor_map_fault(m);
    if (!fault && m->rank != bulk->rank)
        fault = "the tensor map has another number of dimensions than the copy";
    if (!fault && (bool)m->is_im2col != bulk->im2col && bulk->kind != EMU_BULK_STORE &&
        bulk->kind != EMU_BULK_REDUCE)
        fault = "the tensor map and the copy do not agree on im2col or tile";
    if (fault) {
        emu_fail(b->w, b->site, b->lane, STRATA_EFORMAT, "%s (tensor map at 0x%llx)", fault,
                 (unsigned long long)bulk->global);
        return b->ok = false;
    }
    if (bulk->kind != EMU_BULK_PREFETCH && bulk->shared % 128)
        return fail(b, "misaligned address: the shared address of a box is no multiple of 128",
                    bulk->shared);
    return true;
}

/* The blocks a load goes to, and room for it in each. */
static bool find_targets(struct batch *b, uint32_t bytes)
{
    const struct emu_bulk *bulk = b->bulk;
    struct emu_block *block = b->w->block;
    uint64_t offset;
    struct emu_block *first = emu_cluster_target(block, bulk->shared, &offset);
    if (!first || offset + bytes > first->shared_bytes)
        return fail(b, "the copy goes beyond the shared memory of its block", bulk->shared);
    if (!bulk->multicast)
        b->target[b->n_targets++] = first;
    for (unsigned i = 0; bulk->multicast && i < EMU_MAX_CLUSTER; i++) {
        if (!(bulk->ranks >> i & 1))
            continue;
        if (i >= block->cluster->n || !block->cluster->block[i])
            return fail(b, "the copy goes to a block that is not in the cluster", i);
        b->target[b->n_targets++] = block->cluster->block[i];
    }
    return true;
}

static bool complete(struct batch *b, uint32_t bytes)
{
    const struct emu_bulk *bulk = b->bulk;
    uint64_t offset;
    if (!b->ok || !bulk->has_barrier)
        return b->ok;
    if (!bulk->multicast)
        return emu_mbarrier_do(b->w, b->site, b->lane, bulk->barrier, EMU_MBARRIER_COMPLETE, bytes,
                               false, NULL);
    emu_cluster_target(b->w->block, bulk->barrier, &offset);
    for (unsigned i = 0; i < EMU_MAX_CLUSTER; i++)
        if (bulk->ranks >> i & 1 &&
            !emu_mbarrier_do(b->w, b->site, b->lane, (uint64_t)(i + 1) << EMU_RANK_SHIFT | offset,
                             EMU_MBARRIER_COMPLETE, bytes, false, NULL))
            return false;
    return true;
}

static unsigned element_bytes(unsigned type)
{
    return type == EMU_U64 || type == EMU_S64 || type == EMU_F64 ? 8
           : type == EMU_F16 || type == EMU_BF16                 ? 2
                                                                 : 4;
}

static bool copy_lines(struct batch *b)
{
    const struct emu_bulk *bulk = b->bulk;
    unsigned piece = bulk->kind == EMU_BULK_REDUCE ? element_bytes(bulk->type) : PIECE_BYTES;
    uint64_t odd = bulk->global % PIECE_BYTES  ? bulk->global
                   : bulk->bytes % PIECE_BYTES ? bulk->bytes
                                               : bulk->shared;
    if (odd % PIECE_BYTES && (odd != bulk->shared || bulk->kind != EMU_BULK_PREFETCH))
        return fail(b, MISALIGNED_BULK, odd);
    for (uint32_t at = 0; at < bulk->bytes && b->ok; at += piece)
        add_piece(b, bulk->global + at, b->base + at, piece);
    return b->ok;
}

static void reduce_shared(const struct batch *b, uint8_t *to)
{
    const struct emu_bulk *bulk = b->bulk;
    unsigned bytes = element_bytes(bulk->type);
    for (uint32_t at = 0; at < bulk->bytes; at += bytes) {
        uint64_t value = 0;
        memcpy(&value, b->w->block->shared + bulk->shared + at, bytes);
        emu_atomic_apply(bulk->op, bulk->type, to + at, value, 0);
    }
}

static bool copy_shared(struct batch *b)
{
    const struct emu_bulk *bulk = b->bulk;
    uint64_t offset;
    struct emu_block *to = emu_cluster_target(b->w->block, bulk->to, &offset);
    if (!to || offset + bulk->bytes > to->shared_bytes ||
        (uint64_t)bulk->shared + bulk->bytes > b->w->block->shared_bytes)
        return fail(b, "the copy goes beyond the shared memory of its block", bulk->to);
    if ((offset | bulk->shared | bulk->bytes) % PIECE_BYTES)
        return fail(b, MISALIGNED_BULK,
                    offset % PIECE_BYTES         ? bulk->to
                    : bulk->shared % PIECE_BYTES ? bulk->shared
                                                 : bulk->bytes);
    if (bulk->reduces)
        reduce_shared(b, to->shared + offset);
    else
        memmove(to->shared + offset, b->w->block->shared + bulk->shared, bulk->bytes);
    return true;
}

/* Elements of a tensor as atomic operations name them. */
static uint8_t reduction_type(unsigned type)
{
    static const uint8_t types[] = {EMU_U32, EMU_U16, EMU_U32,  EMU_S32, EMU_U64, EMU_S64, EMU_F16,
                                    EMU_F32, EMU_F64, EMU_BF16, EMU_F32, EMU_F32, EMU_F32};
    return type < sizeof types ? types[type] : EMU_U32;
}

static bool run_pieces(struct batch *b, struct emu_tensor_map *m, uint32_t *bytes)
{
    const struct emu_bulk *bulk = b->bulk;
    *bytes = bulk->bytes;
    if (bulk->kind == EMU_BULK_SHARED)
        return copy_shared(b);
    if (bulk->tensor) {
        if (!read_map(b, m))
            return false;
        *bytes = tile_bytes(m);
        b->type = reduction_type(m->type);
    }
    bool loads = bulk->kind == EMU_BULK_LOAD;
    if (loads && !find_targets(b, *bytes))
        return false;
    if (!loads && bulk->kind != EMU_BULK_PREFETCH &&
        (uint64_t)bulk->shared + *bytes > b->w->block->shared_bytes)
        return fail(b, "the copy goes beyond the shared memory of its block", bulk->shared);
    if (!bulk->tensor)
        copy_lines(b);
    else if (m->is_im2col)
        copy_pixels(b, m);
    else
        copy_tile(b, m);
    flush(b);
    return b->ok;
}

static void record(struct emu_warp *w, const struct emu_site *site, const struct emu_bulk *bulk,
                   const struct emu_tensor_map *m, uint32_t bytes)
{
    uint64_t words[STRATA_BULK_WORDS];
    struct strata_bulk r = {.kind = bulk->kind,
                            .tensor = bulk->tensor,
                            .im2col = bulk->im2col,
                            .multicast = bulk->multicast ? bulk->ranks : 0,
                            .shared = bulk->kind == EMU_BULK_SHARED ? bulk->to : bulk->shared,
                            .barrier = bulk->has_barrier ? bulk->barrier : STRATA_NO_SHARED,
                            .bytes = bytes,
                            .global = bulk->global};
    if (bulk->tensor) {
        r.rank = m->rank;
        r.element_bytes = m->element_bytes;
        r.swizzle = m->swizzle;
        r.interleave = m->interleave;
        r.fill = m->fill;
        r.map = bulk->global;
        r.global = m->base;
        for (unsigned i = 0; i < m->rank; i++) {
            r.size[i] = (uint64_t)m->size_minus_1[i] + 1;
            r.stride[i] = m->stride[i];
            r.box[i] = m->is_im2col ? (i == 0 ? m->channels : 1) : m->box[i];
            r.element_stride[i] = m->element_stride[i];
            r.coordinate[i] = bulk->coordinate[i];
        }
        r.pixels = m->is_im2col ? m->pixels : 0;
        for (unsigned i = 0; i < 3; i++) {
            r.lower[i] = m->lower[i];
            r.upper[i] = m->upper[i];
            r.offset[i] = bulk->offset[i];
        }
    }
    unsigned n = strata_bulk_pack(&r, words);
    emu_record_words(w, site, words, n);
}

bool emu_bulk_run(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                  const struct emu_bulk *bulk)
{
    struct batch b = {.w = w,
                      .site = site,
                      .bulk = bulk,
                      .lane = lane,
                      .base = bulk->shared & (EMU_RANK_BYTES - 1),
                      .type = bulk->type,
                      .ok = true};
    struct emu_tensor_map m;
    uint32_t bytes = 0;
    memset(&m, 0, sizeof m);
    if (!run_pieces(&b, &m, &bytes) || !complete(&b, bytes))
        return false;
    if (w->block->watched)
        record(w, site, bulk, &m, bytes);
    return !w->block->failed;
}
