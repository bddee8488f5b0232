/* trace_rewrite.c - writes a launch again with one fault mended. */
#include "advise/trace_rewrite.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_table.h"

enum { SECTOR_BYTES = 32, WORD_BYTES = 4 };

/* Rewritten accesses go where no trace has addresses: one region an instruction. */
#define REGION_BASE  (1ull << 52)
#define REGION_BYTES (1ull << 44)

struct rewrite {
    struct rewrite_plan *plan;
    const struct strata_reader *launch;
    struct strata_code *code;
    struct strata_builder *builder;
    struct strata_writer *writer;
    uint32_t *pieces; /* of each block, in order of their index */
    size_t n_blocks, cap_blocks;
    uint64_t next_index;
    struct strata_error *err;
};

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "to write a launch again");
}

static int by_pc(const void *a, const void *b)
{
    const struct rewrite_target *x = a, *y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

void rewrite_plan_init(struct rewrite_plan *plan)
{
    if (plan->n_targets)
        qsort(plan->target, plan->n_targets, sizeof *plan->target, by_pc);
    for (size_t i = 0; i < plan->n_targets; i++)
        plan->target[i].first_address = ULLONG_MAX;
}

static struct rewrite_target *target_of(const struct rewrite_plan *plan,
                                        const struct strata_inst *i)
{
    const struct rewrite_target key = {.pc = i->pc};
    if (!plan->n_targets || !i->memop)
        return NULL;
    return bsearch(&key, plan->target, plan->n_targets, sizeof key, by_pc);
}

uint64_t rewrite_span_bytes(const struct rewrite_plan *plan)
{
    uint64_t first = ULLONG_MAX, end = 0;
    for (size_t i = 0; i < plan->n_targets; i++) {
        first = plan->target[i].first_address < first ? plan->target[i].first_address : first;
        end = plan->target[i].end_address > end ? plan->target[i].end_address : end;
    }
    return end > first ? end - first : ULLONG_MAX;
}

static uint64_t first_address(const struct rewrite_plan *plan)
{
    uint64_t first = ULLONG_MAX;
    for (size_t i = 0; i < plan->n_targets; i++)
        first = plan->target[i].first_address < first ? plan->target[i].first_address : first;
    return first;
}

/* ---- looking ahead: what is touched, and how blocks can be cut ---- */

typedef strata_status visit_warp(void *context, struct strata_cursor *warp,
                                 struct strata_error *err);

static strata_status each_block(const struct strata_reader *launch,
                                strata_status (*visit)(void *context, struct strata_block *block,
                                                       struct strata_error *err),
                                void *context, struct strata_error *err)
{
    struct strata_reader *reader;
    struct strata_block *block;
    strata_status status = strata_reader_reopen(launch, &reader, err);
    if (status != STRATA_OK)
        return status;
    while (status == STRATA_OK &&
           (status = strata_reader_next_ordered(reader, &block, err)) == STRATA_OK) {
        status = visit(context, block, err);
        strata_block_destroy(block);
    }
    strata_reader_close(reader);
    return status == STRATA_END ? STRATA_OK : status;
}

struct look {
    struct rewrite_plan *plan;
    struct number_table *touched; /* sectors, one table a target */
    struct strata_cursor cursor;
};

static bool note_touched(struct look *l, struct rewrite_target *t, const struct strata_winst *w)
{
    uint64_t address[STRATA_WARP_SIZE];
    strata_winst_addresses(w, address);
    for (int lane = 0; lane < STRATA_WARP_SIZE; lane++) {
        if (!(w->mask >> lane & 1))
            continue;
        uint64_t end = address[lane] + w->inst->width_bytes;
        t->first_address = address[lane] < t->first_address ? address[lane] : t->first_address;
        t->end_address = end > t->end_address ? end : t->end_address;
        if (!number_table_put(&l->touched[t - l->plan->target], address[lane] / SECTOR_BYTES))
            return false;
    }
    return true;
}

static strata_status look_at_block(void *context, struct strata_block *block,
                                   struct strata_error *err)
{
    struct look *l = context;
    struct strata_winst w;
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; status == STRATA_OK && i < block->n_warps; i++) {
        status = strata_cursor_init(&l->cursor, block, i, err);
        while (status == STRATA_OK && strata_cursor_next(&l->cursor, &w)) {
            struct rewrite_target *t = target_of(l->plan, w.inst);
            if (t && w.addr_kind && !note_touched(l, t, &w))
                status = no_memory(err);
        }
    }
    return status;
}

static strata_status look_ahead(struct rewrite *r)
{
    struct look l = {.plan = r->plan};
    l.touched = calloc(r->plan->n_targets + 1, sizeof *l.touched);
    strata_status status =
        l.touched ? each_block(r->launch, look_at_block, &l, r->err) : no_memory(r->err);
    for (size_t i = 0; l.touched && i < r->plan->n_targets; i++) {
        r->plan->target[i].footprint_sectors = l.touched[i].n;
        number_table_release(&l.touched[i]);
    }
    strata_cursor_release(&l.cursor);
    free(l.touched);
    return status;
}

/* Barriers that every warp of the block passes; 0 where their numbers differ. */
static strata_status count_barriers(struct strata_block *block, uint32_t *barriers,
                                    struct strata_error *err)
{
    struct strata_cursor cursor = {0};
    struct strata_winst w;
    strata_status status = STRATA_OK;
    bool differ = false;
    *barriers = 0;
    for (uint32_t i = 0; status == STRATA_OK && i < block->n_warps; i++) {
        uint32_t n = 0;
        status = strata_cursor_init(&cursor, block, i, err);
        while (status == STRATA_OK && strata_cursor_next(&cursor, &w))
            n += w.inst->opclass == STRATA_OP_BARRIER;
        differ |= i && n != *barriers;
        *barriers = i ? *barriers : n;
    }
    strata_cursor_release(&cursor);
    if (differ)
        *barriers = UINT32_MAX;
    return status;
}

static uint64_t instructions_of(const struct strata_block *block)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < block->n_warps; i++)
        n += block->warp_instructions[i];
    return n;
}

struct cutting {
    struct rewrite *r;
    uint64_t instructions; /* of the launch */
    uint64_t piece;        /* warp instructions of a piece; 0: only count */
};

static strata_status plan_cut(void *context, struct strata_block *block, struct strata_error *err)
{
    struct cutting *c = context;
    struct rewrite *r = c->r;
    uint64_t n = instructions_of(block);
    c->instructions += n;
    if (!c->piece)
        return STRATA_OK;
    uint64_t pieces = (n + c->piece / 2) / c->piece;
    uint32_t barriers;
    strata_status status = count_barriers(block, &barriers, err);
    if (barriers == UINT32_MAX) /* warps of a block do not pass the same barriers: not cut */
        pieces = 1;
    else if (barriers && pieces > barriers)
        pieces = barriers;
    if (r->n_blocks == r->cap_blocks) {
        size_t cap = 2 * r->cap_blocks + 64;
        uint32_t *grown = realloc(r->pieces, cap * sizeof *grown);
        if (!grown)
            return no_memory(err);
        r->pieces = grown;
        r->cap_blocks = cap;
    }
    r->pieces[r->n_blocks++] = pieces ? (uint32_t)pieces : 1;
    return status;
}

static strata_status plan_cuts(struct rewrite *r, uint64_t *n_pieces)
{
    struct cutting c = {.r = r};
    strata_status status = each_block(r->launch, plan_cut, &c, r->err);
    c.piece = c.instructions / (r->plan->wanted_blocks ? r->plan->wanted_blocks : 1);
    c.piece = c.piece ? c.piece : 1;
    if (status == STRATA_OK)
        status = each_block(r->launch, plan_cut, &c, r->err);
    *n_pieces = 0;
    for (size_t i = 0; i < r->n_blocks; i++)
        *n_pieces += r->pieces[i];
    return status;
}

/* ---- writing ---- */

static strata_status add_as_it_is(struct rewrite *r, const struct strata_inst *inst,
                                  const struct strata_winst *w)
{
    uint32_t index;
    strata_status status = strata_code_add(r->code, inst, &index, r->err);
    if (status != STRATA_OK)
        return status;
    if (w->addr_kind == STRATA_ADDR_STRIDE)
        return strata_builder_add_strided(r->builder, index, w->mask, w->base, w->stride, r->err);
    return strata_builder_add(r->builder, index, w->mask,
                              w->addr_kind == STRATA_ADDR_LIST ? w->addr : NULL, r->err);
}

/* The next bytes of the instruction's own region, as large as what it touches now: a line that many
 * warps read stays one that many warps read. */
static strata_status add_coalesced(struct rewrite *r, struct rewrite_target *t,
                                   const struct strata_winst *w)
{
    uint64_t bytes = (uint64_t)__builtin_popcount(w->mask) * w->inst->width_bytes;
    uint64_t room = t->footprint_sectors * SECTOR_BYTES;
    if (t->next_byte + bytes > room)
        t->next_byte = 0;
    struct strata_winst mended = *w;
    mended.addr_kind = STRATA_ADDR_LIST;
    uint64_t address[STRATA_WARP_SIZE] = {0};
    uint64_t at = REGION_BASE + (uint64_t)(t - r->plan->target) * REGION_BYTES + t->next_byte;
    for (int lane = 0; lane < STRATA_WARP_SIZE; lane++)
        if (w->mask >> lane & 1) {
            address[lane] = at;
            at += w->inst->width_bytes;
        }
    /* Whole sectors, so that no neighbour begins in the middle of one. */
    t->next_byte += (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES * SECTOR_BYTES;
    mended.addr = address;
    return add_as_it_is(r, w->inst, &mended);
}

static strata_status add_without_conflicts(struct rewrite *r, const struct strata_winst *w)
{
    struct strata_winst mended = *w;
    mended.addr_kind = STRATA_ADDR_STRIDE;
    mended.base = 0;
    mended.stride = w->inst->width_bytes;
    return add_as_it_is(r, w->inst, &mended);
}

static strata_status add_shared_atomic(struct rewrite *r, const struct strata_winst *w)
{
    struct strata_inst inst = *w->inst;
    struct strata_winst mended = *w;
    uint64_t address[STRATA_WARP_SIZE], first = first_address(r->plan);
    inst.space = STRATA_SPACE_SHARED;
    strata_winst_addresses(w, address);
    for (int lane = 0; lane < STRATA_WARP_SIZE; lane++)
        address[lane] = w->mask >> lane & 1 ? address[lane] - first : 0;
    mended.addr_kind = STRATA_ADDR_LIST;
    mended.addr = address;
    return add_as_it_is(r, &inst, &mended);
}

static strata_status add_mended(struct rewrite *r, const struct strata_winst *w)
{
    struct rewrite_target *t = target_of(r->plan, w->inst);
    if (!t || !w->addr_kind || !w->mask)
        return add_as_it_is(r, w->inst, w);
    if (r->plan->kind == REWRITE_COALESCE)
        return add_coalesced(r, t, w);
    if (r->plan->kind == REWRITE_NO_CONFLICTS)
        return add_without_conflicts(r, w);
    return add_shared_atomic(r, w);
}

/* At its end a block adds its copy to the one in global memory: reductions side by side, dealt over
 * its warps. */
static strata_status merge_copy(struct rewrite *r, const struct strata_inst *atomic, uint32_t warp,
                                uint32_t n_warps)
{
    struct strata_inst inst = *atomic;
    uint64_t span = rewrite_span_bytes(r->plan), first = first_address(r->plan);
    uint64_t step = (uint64_t)STRATA_WARP_SIZE * WORD_BYTES;
    strata_status status = STRATA_OK;
    inst.memop = STRATA_MEM_REDUCTION;
    inst.width_bytes = WORD_BYTES;
    inst.pc = UINT64_MAX / 2;
    for (uint64_t at = warp * step; status == STRATA_OK && at < span; at += n_warps * step) {
        uint64_t words = (span - at + WORD_BYTES - 1) / WORD_BYTES;
        uint32_t mask = words >= STRATA_WARP_SIZE ? UINT32_MAX : (1u << words) - 1;
        struct strata_winst w = {.inst = &inst,
                                 .mask = mask,
                                 .addr_kind = STRATA_ADDR_STRIDE,
                                 .base = first + at,
                                 .stride = WORD_BYTES};
        status = add_as_it_is(r, &inst, &w);
    }
    return status;
}

static const struct strata_inst *first_target(const struct rewrite *r,
                                              const struct strata_block *block)
{
    for (uint32_t i = 0; i < strata_code_count(block->code); i++)
        if (target_of(r->plan, strata_code_get(block->code, i)))
            return strata_code_get(block->code, i);
    return NULL;
}

/* Instructions of this warp up to the end of a piece: after its last barrier, or in equal parts. */
static strata_status add_piece(struct rewrite *r, struct strata_cursor *c, uint32_t piece,
                               uint32_t n_pieces, uint32_t barriers, uint32_t n_instructions,
                               uint32_t *n_passed)
{
    struct strata_winst w;
    strata_status status = STRATA_OK;
    uint64_t until = barriers ? (uint64_t)barriers * (piece + 1) / n_pieces
                              : (uint64_t)n_instructions * (piece + 1) / n_pieces;
    bool last = piece + 1 == n_pieces;
    while (status == STRATA_OK && (last || *n_passed < until) && strata_cursor_next(c, &w)) {
        *n_passed += !barriers || w.inst->opclass == STRATA_OP_BARRIER;
        status = add_mended(r, &w);
    }
    return status;
}

static strata_status write_piece(struct rewrite *r, struct strata_block *block,
                                 struct strata_cursor *cursor, uint32_t *passed, uint32_t piece,
                                 uint32_t n_pieces, uint32_t barriers)
{
    struct strata_block *made = NULL;
    const struct strata_inst *atomic =
        r->plan->kind == REWRITE_SHARED_ATOMICS ? first_target(r, block) : NULL;
    strata_status status =
        strata_builder_begin_block(r->builder, r->next_index++, block->n_warps, r->err);
    for (uint32_t w = 0; status == STRATA_OK && w < block->n_warps; w++) {
        status = strata_builder_begin_warp(r->builder, w, r->err);
        if (status == STRATA_OK)
            status = add_piece(r, &cursor[w], piece, n_pieces, barriers,
                               block->warp_instructions[w], &passed[w]);
        if (status == STRATA_OK && atomic && piece + 1 == n_pieces)
            status = merge_copy(r, atomic, w, block->n_warps);
    }
    if (status == STRATA_OK)
        status = strata_builder_end_block(r->builder, &made, r->err);
    if (status == STRATA_OK)
        status = strata_writer_block(r->writer, made, r->err);
    strata_block_destroy(made);
    return status;
}

static strata_status write_block(void *context, struct strata_block *block,
                                 struct strata_error *err)
{
    struct rewrite *r = context;
    uint32_t n_pieces = r->pieces ? r->pieces[r->n_blocks++] : 1, barriers = 0;
    struct strata_cursor *cursor = calloc(block->n_warps + 1, sizeof *cursor);
    uint32_t *passed = calloc(block->n_warps + 1, sizeof *passed);
    strata_status status = cursor && passed ? STRATA_OK : no_memory(err);
    if (!r->pieces)
        r->next_index = block->index;
    if (status == STRATA_OK && n_pieces > 1)
        status = count_barriers(block, &barriers, err);
    for (uint32_t w = 0; status == STRATA_OK && w < block->n_warps; w++)
        status = strata_cursor_init(&cursor[w], block, w, err);
    for (uint32_t p = 0; status == STRATA_OK && p < n_pieces; p++)
        status = write_piece(r, block, cursor, passed, p, n_pieces, barriers);
    for (uint32_t w = 0; cursor && w < block->n_warps; w++)
        strata_cursor_release(&cursor[w]);
    free(cursor);
    free(passed);
    return status;
}

static strata_status prepare(struct rewrite *r, const struct strata_gpu *gpu,
                             struct strata_launch *made)
{
    strata_status status = STRATA_OK;
    uint64_t n_pieces = 0;
    if (r->plan->kind == REWRITE_SMALLER_BLOCKS) {
        status = plan_cuts(r, &n_pieces);
        if (status == STRATA_OK && (n_pieces <= strata_launch_blocks(made) || n_pieces > INT_MAX))
            return strata_fail(r->err, STRATA_EUNSUPPORTED, made->trace, 0, 0,
                               "the launch's blocks cannot be cut.");
        made->grid = (struct strata_dim3){(uint32_t)n_pieces, 1, 1};
    } else if (r->plan->n_targets) {
        status = look_ahead(r);
    }
    if (status == STRATA_OK && r->plan->kind == REWRITE_SHARED_ATOMICS) {
        uint64_t span = rewrite_span_bytes(r->plan);
        if (span > gpu->shared.per_block_bytes - made->shared_static_bytes ||
            made->shared_static_bytes > gpu->shared.per_block_bytes)
            return strata_fail(r->err, STRATA_EUNSUPPORTED, made->trace, 0, 0,
                               "what the atomics touch does not fit into shared memory.");
        made->shared_static_bytes += (uint32_t)span;
    }
    if (r->plan->kind == REWRITE_NO_SHARED_MEMORY)
        made->shared_static_bytes = made->shared_dynamic_bytes = 0;
    made->warp_instructions = 0;
    return status;
}

static strata_status write_all(struct rewrite *r, const struct strata_launch *made,
                               const char *path)
{
    const struct strata_writer_options opt = {.format = "strata", .compression_level = 1};
    strata_status status = strata_code_create(&r->code, r->err);
    if (status == STRATA_OK)
        status = strata_builder_create(r->code, &r->builder, r->err);
    if (status == STRATA_OK)
        status = strata_writer_create(path, &opt, &r->writer, r->err);
    if (status == STRATA_OK)
        status = strata_writer_begin_launch(r->writer, made, r->code, r->err);
    r->n_blocks = 0; /* now counts those written */
    if (status == STRATA_OK)
        status = each_block(r->launch, write_block, r, r->err);
    if (status == STRATA_OK)
        status = strata_writer_end_launch(r->writer, r->err);
    if (status == STRATA_OK)
        status = strata_writer_finish(r->writer, r->err);
    else if (r->writer)
        strata_writer_abort(r->writer);
    return status;
}

strata_status rewrite_write(struct rewrite_plan *plan, const struct strata_gpu *gpu,
                            const struct strata_reader *launch, const char *path,
                            struct strata_error *err)
{
    struct rewrite r = {.plan = plan, .launch = launch, .err = err};
    struct strata_launch made = *strata_reader_launch(launch);
    if (made.sampled_blocks)
        return strata_fail(err, STRATA_EUNSUPPORTED, made.trace, 0, 0,
                           "a sample of a launch's blocks is not written again.");
    rewrite_plan_init(plan);
    strata_status status = prepare(&r, gpu, &made);
    if (status == STRATA_OK)
        status = write_all(&r, &made, path);
    strata_builder_destroy(r.builder);
    strata_code_destroy(r.code);
    free(r.pieces);
    return status;
}
