/* decode_async.c - barriers in shared memory, bulk and tensor copies, st.async, tensor maps,
 * clusters. */
#include "ptx/async.h"
#include "ptx/decode.h"

/* ---- operands ---- */

static const struct ptx_place nowhere = {.ref = PTX_NO_REF};

/* `space`: PTX_M_SHARED, PTX_M_GLOBAL, or PTX_NONE for a generic address. */
static bool take_place(struct ptx_decoder *d, const struct ptx_operand *o, unsigned space,
                       struct ptx_place *out)
{
    struct ptx_inst t = ptx_dec_inst(d, NULL, PTX_STEP);
    t.space = (uint8_t)space;
    if (!ptx_dec_address(d, o, &t))
        return false;
    *out = (struct ptx_place){.ref = t.a,
                              .narrow = t.flags & PTX_INST_ADDRESS32,
                              .generic = t.space == PTX_NONE && !(t.flags & PTX_INST_ADDRESS32),
                              .shared = t.space == PTX_M_SHARED,
                              .offset = t.imm};
    return true;
}

/* The space of an operand: the modifiers name them in order. */
static unsigned named_space(struct ptx_decoder *d, unsigned n)
{
    for (unsigned i = 0; i < d->op->n_modifiers; i++) {
        unsigned m = d->op->modifier[i];
        bool shared = m == PTX_M_SHARED || m == PTX_M_SHARED_CTA || m == PTX_M_SHARED_CLUSTER;
        if ((shared || m == PTX_M_GLOBAL) && n-- == 0) {
            ptx_dec_has(d, m);
            return shared ? PTX_M_SHARED : PTX_M_GLOBAL;
        }
    }
    return PTX_NONE;
}

static bool finish(struct ptx_decoder *d, struct ptx_inst *in, const void *extra, unsigned space,
                   unsigned width)
{
    in->extra = extra;
    in->space = (uint8_t)space;
    in->width = (uint8_t)width;
    return ptx_dec_put_main(d, in);
}

/* ---- mbarrier ---- */

static bool decode_wait(struct ptx_decoder *d, struct ptx_barrier *b, unsigned space)
{
    bool tries = ptx_dec_has(d, PTX_M_TRY_WAIT), parity = ptx_dec_has(d, PTX_M_PARITY);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_barrier_wait, tries ? PTX_WAIT_STEP : PTX_SELF);
    ptx_dec_has(d, PTX_M_TEST_WAIT);
    b->op = tries ? STRATA_BARRIER_WAIT : STRATA_BARRIER_TEST;
    if (!ptx_dec_expect_operands(d, 3, 4) ||
        !take_place(d, ptx_dec_operand(d, 1), space, &b->place))
        return false;
    if (parity ? !ptx_dec_source_n(d, 2, PTX_U32, &b->parity)
               : !ptx_dec_source_n(d, 2, PTX_U64, &b->state))
        return false;
    return ptx_dec_dest_n(d, 0, PTX_PRED, &b->done) && finish(d, &in, b, PTX_M_SHARED, 8);
}

static bool decode_pending_count(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_pending_count, PTX_STEP);
    return ptx_dec_expect_operands(d, 2, 2) && ptx_dec_source_n(d, 1, PTX_U64, &in.a) &&
           ptx_dec_dest_n(d, 0, PTX_U32, &in.d) && ptx_dec_put_main(d, &in);
}

/* arrive and kin: [state,] [address] [, count or bytes]. */
static bool decode_arrive(struct ptx_decoder *d, struct ptx_barrier *b, unsigned space)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_barrier, PTX_SELF);
    const struct ptx_operand *first = ptx_dec_operand(d, 0);
    unsigned at = first->kind == PTX_OPERAND_ADDRESS ? 0 : 1;
    bool expects = ptx_dec_has(d, PTX_M_EXPECT_TX), drop = ptx_dec_has(d, PTX_M_ARRIVE_DROP);
    ptx_dec_has(d, PTX_M_ARRIVE);
    ptx_dec_has(d, PTX_M_NO_COMPLETE);
    b->op = expects ? STRATA_BARRIER_ARRIVE_EXPECT
            : drop  ? STRATA_BARRIER_ARRIVE_DROP
                    : STRATA_BARRIER_ARRIVE;
    b->no_increment = expects && drop;
    if (!take_place(d, ptx_dec_operand(d, at), space, &b->place))
        return false;
    if (d->op->n_operands > at + 1 && !ptx_dec_source_n(d, at + 1, PTX_U32, &b->value))
        return false;
    if (at && first->kind != PTX_OPERAND_SINK && !ptx_dec_dest(d, first, PTX_U64, &b->state))
        return false;
    return finish(d, &in, b, PTX_M_SHARED, 8);
}

static bool decode_mbarrier(struct ptx_decoder *d)
{
    struct ptx_barrier *b = ptx_dec_allocate(d, sizeof *b);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_barrier, PTX_SELF);
    unsigned space = named_space(d, 0);
    if (!b)
        return false;
    *b = (struct ptx_barrier){.place = nowhere,
                              .value = PTX_NO_REF,
                              .state = PTX_NO_REF,
                              .parity = PTX_NO_REF,
                              .done = PTX_NO_REF};
    ptx_dec_type(d, 0);
    ptx_dec_take_hints(d);
    if (ptx_dec_has(d, PTX_M_PENDING_COUNT))
        return decode_pending_count(d);
    if (ptx_dec_has(d, PTX_M_TEST_WAIT) || ptx_dec_has(d, PTX_M_TRY_WAIT))
        return decode_wait(d, b, space);
    if (ptx_dec_has(d, PTX_M_ARRIVE) || ptx_dec_has(d, PTX_M_ARRIVE_DROP))
        return decode_arrive(d, b, space);
    bool inval = ptx_dec_has(d, PTX_M_INVAL);
    b->op = inval                               ? STRATA_BARRIER_INVAL
            : ptx_dec_has(d, PTX_M_INIT)        ? STRATA_BARRIER_INIT
            : ptx_dec_has(d, PTX_M_EXPECT_TX)   ? STRATA_BARRIER_EXPECT
            : ptx_dec_has(d, PTX_M_COMPLETE_TX) ? STRATA_BARRIER_COMPLETE
                                                : STRATA_N_BARRIER_OPS;
    if (b->op == STRATA_N_BARRIER_OPS)
        return ptx_dec_unsupported(d, "unknown operation");
    if (!ptx_dec_expect_operands(d, inval ? 1 : 2, inval ? 1 : 2) ||
        !take_place(d, ptx_dec_operand(d, 0), space, &b->place) ||
        (!inval && !ptx_dec_source_n(d, 1, PTX_U32, &b->value)))
        return false;
    return finish(d, &in, b, PTX_M_SHARED, 8);
}

/* cp.async.mbarrier.arrive[.noinc] [address] */
static bool decode_copies_arrive(struct ptx_decoder *d)
{
    struct ptx_barrier *b = ptx_dec_allocate(d, sizeof *b);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_barrier, PTX_SELF);
    if (!b)
        return false;
    *b = (struct ptx_barrier){.op = STRATA_BARRIER_ARRIVE_COPIES,
                              .value = PTX_NO_REF,
                              .state = PTX_NO_REF,
                              .parity = PTX_NO_REF,
                              .done = PTX_NO_REF};
    ptx_dec_has(d, PTX_M_ARRIVE);
    ptx_dec_has(d, PTX_M_ASYNC);
    ptx_dec_type(d, 0);
    b->no_increment = ptx_dec_has(d, PTX_M_NOINC);
    return ptx_dec_expect_operands(d, 1, 1) &&
           take_place(d, ptx_dec_operand(d, 0), named_space(d, 0), &b->place) &&
           finish(d, &in, b, PTX_M_SHARED, 8);
}

/* ---- bulk copies ---- */

static unsigned dimensions(struct ptx_decoder *d)
{
    static const uint8_t modifiers[] = {PTX_M_D1, PTX_M_D2, PTX_M_D3, PTX_M_D4, PTX_M_D5};
    for (unsigned i = 0; i < sizeof modifiers; i++)
        if (ptx_dec_has(d, modifiers[i]))
            return i + 1;
    return 0;
}

static struct ptx_bulk *new_bulk(struct ptx_decoder *d)
{
    struct ptx_bulk *b = ptx_dec_allocate(d, sizeof *b);
    if (!b)
        return NULL;
    b->global = b->shared = b->to = b->barrier = nowhere;
    b->bytes = b->ranks = PTX_NO_REF;
    for (unsigned i = 0; i < EMU_TENSOR_MAP_RANK; i++)
        b->coordinate[i] = PTX_NO_REF;
    for (unsigned i = 0; i < 3; i++)
        b->offset[i] = PTX_NO_REF;
    return b;
}

/* [map, {c0, c1, ...}] */
static bool take_tensor(struct ptx_decoder *d, const struct ptx_operand *o, struct ptx_bulk *b)
{
    if (o->kind != PTX_OPERAND_ADDRESS || o->n_children != 2 ||
        o->u.children[1].kind != PTX_OPERAND_VECTOR || o->u.children[1].n_children != b->model.rank)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\" lacks a tensor map with %u coordinates",
                            d->op->text, b->model.rank);
    for (unsigned i = 0; i < b->model.rank; i++)
        if (!ptx_dec_source(d, &o->u.children[1].u.children[i], PTX_S32, &b->coordinate[i]))
            return false;
    return take_place(d, o, PTX_NONE, &b->global);
}

/* What may follow: offsets of im2col, ranks of a multicast, a cache policy. */
static bool take_rest(struct ptx_decoder *d, unsigned n, struct ptx_bulk *b)
{
    const struct ptx_operand *o = ptx_dec_operand(d, n);
    if (b->model.im2col && o->kind == PTX_OPERAND_VECTOR) {
        if (o->n_children > 3)
            return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\" has more than three offsets",
                                d->op->text);
        for (unsigned i = 0; i < o->n_children; i++)
            if (!ptx_dec_source(d, &o->u.children[i], PTX_U16, &b->offset[i]))
                return false;
        n++;
    }
    return !b->model.multicast || ptx_dec_source_n(d, n, PTX_U16, &b->ranks);
}

static bool take_load(struct ptx_decoder *d, struct ptx_bulk *b)
{
    unsigned n = 2;
    if (!take_place(d, ptx_dec_operand(d, 0), PTX_M_SHARED, &b->shared))
        return false;
    if (b->model.tensor ? !take_tensor(d, ptx_dec_operand(d, 1), b)
                        : !take_place(d, ptx_dec_operand(d, 1), PTX_M_GLOBAL, &b->global) ||
                              !ptx_dec_source_n(d, n++, PTX_U32, &b->bytes))
        return false;
    return take_place(d, ptx_dec_operand(d, n), PTX_M_SHARED, &b->barrier) &&
           take_rest(d, n + 1, b);
}

static bool take_store(struct ptx_decoder *d, struct ptx_bulk *b)
{
    if (b->model.tensor ? !take_tensor(d, ptx_dec_operand(d, 0), b)
                        : !take_place(d, ptx_dec_operand(d, 0), PTX_M_GLOBAL, &b->global) ||
                              !ptx_dec_source_n(d, 2, PTX_U32, &b->bytes))
        return false;
    return take_place(d, ptx_dec_operand(d, 1), PTX_M_SHARED, &b->shared);
}

static bool take_prefetch(struct ptx_decoder *d, struct ptx_bulk *b)
{
    if (b->model.tensor)
        return take_tensor(d, ptx_dec_operand(d, 0), b) && take_rest(d, 1, b);
    return take_place(d, ptx_dec_operand(d, 0), PTX_M_GLOBAL, &b->global) &&
           ptx_dec_source_n(d, 1, PTX_U32, &b->bytes);
}

static bool take_shared(struct ptx_decoder *d, struct ptx_bulk *b)
{
    return take_place(d, ptx_dec_operand(d, 0), PTX_M_SHARED, &b->to) &&
           take_place(d, ptx_dec_operand(d, 1), PTX_M_SHARED, &b->shared) &&
           ptx_dec_source_n(d, 2, PTX_U32, &b->bytes) &&
           take_place(d, ptx_dec_operand(d, 3), PTX_M_SHARED, &b->barrier);
}

/* The element type of a reduction by a tensor map is the map's, unknown here: a name for it says
 * how wide its elements are, which is asked when it runs. */
static bool reduction_of(struct ptx_decoder *d, struct ptx_bulk *b)
{
    unsigned type = ptx_dec_type(d, 0);
    if (!b->model.tensor)
        return ptx_dec_reduction(d, type, &b->model.op, &b->model.type);
    b->model.type = EMU_U32;
    uint8_t ignored;
    return ptx_dec_reduction(d, PTX_U32, &b->model.op, &ignored);
}

static bool decode_bulk(struct ptx_decoder *d)
{
    static const uint8_t known[] = {
        PTX_M_ASYNC,      PTX_M_COMPLETES_BYTES, PTX_M_BULK_GROUP, PTX_M_TILE,
        PTX_M_IM2COL,     PTX_M_IM2COL_NO_OFFS,  PTX_M_LEVEL_L2,   PTX_M_GLOBAL,
        PTX_M_SHARED_CTA, PTX_M_SHARED_CLUSTER};
    struct ptx_bulk *b = new_bulk(d);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_bulk, PTX_SELF);
    if (!b)
        return false;
    unsigned to = named_space(d, 0), from = named_space(d, 1);
    bool prefetch = ptx_dec_has(d, PTX_M_PREFETCH), reduces = ptx_dec_has(d, PTX_M_REDUCE);
    b->model.tensor = ptx_dec_has(d, PTX_M_TENSOR);
    b->model.rank = (uint8_t)dimensions(d);
    b->model.im2col = ptx_dec_has(d, PTX_M_IM2COL) || ptx_dec_has(d, PTX_M_IM2COL_NO_OFFS);
    b->model.multicast = ptx_dec_has(d, PTX_M_MULTICAST);
    ptx_dec_take_hints(d);
    for (size_t i = 0; i < sizeof known; i++)
        ptx_dec_has(d, known[i]);
    b->model.kind = prefetch               ? EMU_BULK_PREFETCH
                    : to == PTX_M_GLOBAL   ? (reduces ? EMU_BULK_REDUCE : EMU_BULK_STORE)
                    : from == PTX_M_GLOBAL ? EMU_BULK_LOAD
                                           : EMU_BULK_SHARED;
    b->model.reduces = reduces;
    if (reduces && !reduction_of(d, b))
        return false;
    in.flags = to == PTX_M_GLOBAL && !prefetch ? PTX_INST_WRITES : 0;
    bool ok = b->model.kind == EMU_BULK_PREFETCH ? take_prefetch(d, b)
              : b->model.kind == EMU_BULK_LOAD   ? take_load(d, b)
              : b->model.kind == EMU_BULK_SHARED ? take_shared(d, b)
                                                 : take_store(d, b);
    return ok && finish(d, &in, b, PTX_M_GLOBAL, 0);
}

static bool decode_group(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_nothing, PTX_STEP);
    ptx_dec_has(d, PTX_M_ASYNC);
    ptx_dec_has(d, PTX_M_READ);
    return ptx_dec_put_main(d, &in);
}

/* ---- st.async, red.async ---- */

static bool decode_store_async(struct ptx_decoder *d)
{
    struct ptx_store_async *s = ptx_dec_allocate(d, sizeof *s);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_store_async, PTX_SELF);
    unsigned type = ptx_dec_type(d, 0);
    if (!s)
        return false;
    s->n = ptx_dec_has(d, PTX_M_V4) ? 4 : ptx_dec_has(d, PTX_M_V2) ? 2 : 1;
    s->width = (uint8_t)ptx_type_bytes(type);
    s->wide = s->width == 8;
    s->reduces = d->op->mnemonic == PTX_OP_red;
    ptx_dec_take_hints(d);
    ptx_dec_has(d, PTX_M_COMPLETES_BYTES);
    unsigned space = named_space(d, 0);
    if (space == PTX_M_GLOBAL || s->width < 4)
        return ptx_dec_unsupported(d, "only stores of 4 and 8 bytes to shared memory");
    if (s->reduces && !ptx_dec_reduction(d, type, &s->op, &s->type))
        return false;
    in.flags = PTX_INST_WRITES;
    in.n = s->n;
    if (!ptx_dec_expect_operands(d, 3, 3) ||
        !take_place(d, ptx_dec_operand(d, 0), space, &s->place) ||
        !ptx_dec_elements(d, ptx_dec_operand(d, 1), type, s->n, false, &s->refs) ||
        !take_place(d, ptx_dec_operand(d, 2), space, &s->barrier))
        return false;
    return finish(d, &in, s, PTX_M_SHARED, s->width);
}

/* ---- tensor maps ---- */

static bool field_of(struct ptx_decoder *d, uint8_t *field)
{
    static const struct {
        uint8_t modifier, field;
    } table[] = {{PTX_M_GLOBAL_ADDRESS, EMU_TENSOR_ADDRESS},
                 {PTX_M_RANK, EMU_TENSOR_FIELD_RANK},
                 {PTX_M_BOX_DIM, EMU_TENSOR_BOX},
                 {PTX_M_GLOBAL_DIM, EMU_TENSOR_SIZE},
                 {PTX_M_GLOBAL_STRIDE, EMU_TENSOR_STRIDE},
                 {PTX_M_ELEMENT_STRIDE, EMU_TENSOR_ELEMENT_STRIDE},
                 {PTX_M_ELEMTYPE, EMU_TENSOR_TYPE},
                 {PTX_M_INTERLEAVE_LAYOUT, EMU_TENSOR_INTERLEAVE},
                 {PTX_M_SWIZZLE_MODE, EMU_TENSOR_SWIZZLE},
                 {PTX_M_FILL_MODE, EMU_TENSOR_FILL}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (ptx_dec_has(d, table[i].modifier)) {
            *field = table[i].field;
            return true;
        }
    return ptx_dec_unsupported(d, "unknown field");
}

static bool decode_replace(struct ptx_decoder *d, struct ptx_tensormap *t)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_tensormap_replace, PTX_SPECIAL);
    unsigned space = named_space(d, 0), type = ptx_dec_type(d, 0), last = d->op->n_operands - 1u;
    uint64_t dimension = 0;
    ptx_dec_has(d, PTX_M_TILE);
    ptx_dec_has(d, PTX_M_B1024);
    if (!ptx_dec_expect_operands(d, 2, 3) || !field_of(d, &t->field) ||
        !take_place(d, ptx_dec_operand(d, 0), space, &t->place))
        return false;
    if (last == 2 && (!ptx_dec_immediate(ptx_dec_operand(d, 1), &dimension) || dimension > 4))
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\": a dimension is 0 to 4", d->op->text);
    t->dimension = (uint8_t)dimension;
    t->wide = ptx_type_bytes(type) == 8;
    if (space == PTX_M_GLOBAL)
        d->image->base.talks_between_blocks = true;
    in.extra = t;
    return ptx_dec_source_n(d, last, t->wide ? PTX_U64 : PTX_U32, &t->value) &&
           ptx_dec_put_main(d, &in);
}

static bool decode_tensormap(struct ptx_decoder *d)
{
    struct ptx_tensormap *t = ptx_dec_allocate(d, sizeof *t);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_tensormap_copy, PTX_SPECIAL);
    if (!t)
        return false;
    if (ptx_dec_has(d, PTX_M_REPLACE))
        return decode_replace(d, t);
    if (!ptx_dec_has(d, PTX_M_CP_FENCEPROXY))
        return ptx_dec_unsupported(d, "unknown operation");
    for (unsigned i = 0; i < d->op->n_modifiers; i++)
        d->taken |= 1u << i;
    /* Copies read a map where it lies, not where a block that runs ahead keeps its stores. */
    d->image->base.talks_between_blocks = true;
    in.extra = t;
    return ptx_dec_expect_operands(d, 3, 3) &&
           take_place(d, ptx_dec_operand(d, 0), PTX_M_GLOBAL, &t->place) &&
           take_place(d, ptx_dec_operand(d, 1), PTX_M_SHARED, &t->from) && ptx_dec_put_main(d, &in);
}

/* ---- clusters ---- */

static bool decode_cluster_barrier(struct ptx_decoder *d)
{
    bool waits = ptx_dec_has(d, PTX_M_WAIT);
    struct ptx_inst in = ptx_dec_inst(d, waits ? ptx_run_cluster_wait : ptx_run_cluster_arrive,
                                      waits ? PTX_WAIT_STEP : PTX_SPECIAL);
    ptx_dec_has(d, PTX_M_ALIGNED);
    ptx_dec_has(d, PTX_M_ARRIVE);
    ptx_dec_take_hints(d);
    in.width = 0;
    return ptx_dec_expect_operands(d, 0, 0) && ptx_dec_put_main(d, &in);
}

/* An address of this block as one of another, and back. */
static bool decode_map(struct ptx_decoder *d)
{
    bool maps = d->op->mnemonic == PTX_OP_mapa;
    struct ptx_inst in = ptx_dec_inst(d, maps ? ptx_run_mapa : ptx_run_getctarank, PTX_SPECIAL);
    unsigned space = named_space(d, 0), type = ptx_dec_type(d, 0);
    in.width = (uint8_t)ptx_type_bytes(type);
    in.op = space == PTX_NONE;
    if (type != PTX_U32 && type != PTX_U64)
        return ptx_dec_unsupported(d, "an address has the type .u32 or .u64");
    if (!maps) {
        const struct ptx_operand *a = ptx_dec_operand(d, 1);
        unsigned lanes = ptx_dec_operand_lanes(d, a);
        in.width = (uint8_t)(lanes ? lanes : 4);
        return ptx_dec_expect_operands(d, 2, 2) &&
               ptx_dec_source(d, a, in.width == 8 ? PTX_U64 : PTX_U32, &in.a) &&
               ptx_dec_dest_n(d, 0, PTX_U32, &in.d) && ptx_dec_put_main(d, &in);
    }
    return ptx_dec_expect_operands(d, 3, 3) && ptx_dec_source_n(d, 1, type, &in.a) &&
           ptx_dec_source_n(d, 2, PTX_U32, &in.b) && ptx_dec_dest_n(d, 0, type, &in.d) &&
           ptx_dec_put_main(d, &in);
}

bool ptx_decode_async(struct ptx_decoder *d)
{
    switch (d->op->mnemonic) {
    case PTX_OP_mbarrier:
        return decode_mbarrier(d);
    case PTX_OP_tensormap:
        return decode_tensormap(d);
    case PTX_OP_st:
    case PTX_OP_red:
        return decode_store_async(d);
    case PTX_OP_bar:
    case PTX_OP_barrier:
        return decode_cluster_barrier(d);
    case PTX_OP_cp:
        break;
    default:
        return decode_map(d);
    }
    if (ptx_dec_has(d, PTX_M_MBARRIER))
        return decode_copies_arrive(d);
    return ptx_dec_has(d, PTX_M_COMMIT_GROUP) || ptx_dec_has(d, PTX_M_WAIT_GROUP) ? decode_group(d)
                                                                                  : decode_bulk(d);
}
