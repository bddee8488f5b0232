/* lower_async.c - lowering of Hopper's asynchronous units: products of warpgroups, barriers in
 * shared memory, bulk and tensor copies, clusters.
 *
 * What operands and codes mean was found by assembling each PTX instruction of these units and
 * reading what came out. */
#include "sass/lower.h"

#define O(n)      sass_operand_get(l, n)
#define MOD(kind) sass_mod_get(l, SASS_M_##kind)

static uint32_t uniform(struct sass_lowering *l, uint8_t reg, unsigned words)
{
    struct sass_operand o = {.kind = SASS_UREG, .reg = reg};
    return sass_lower_row(l, &o, words);
}

static bool bit(const struct sass_inst *in, unsigned at)
{
    return (at < 64 ? in->low >> at : in->high >> (at - 64)) & 1;
}

/* ---- products ---- */

static void set_types(struct sass_lowering *l, struct emu_wgmma *m)
{
    uint16_t a = MOD(SRC_TYPE), b = MOD(SRC_TYPE2);
    m->d_type = MOD(TYPE) == SASS_W_F32 ? EMU_WG_SUM_F32 : EMU_WG_SUM_F16;
    switch (l->in->op) {
    case SASS_HGMMA:
        m->a_type = a == SASS_W_BF16 ? EMU_WG_BF16 : a == SASS_W_TF32 ? EMU_WG_TF32 : EMU_WG_F16;
        m->b_type = m->a_type;
        return;
    case SASS_QGMMA:
        m->a_type = a == SASS_W_E5M2 ? EMU_WG_E5M2 : EMU_WG_E4M3;
        m->b_type = b == SASS_W_E5M2 ? EMU_WG_E5M2 : EMU_WG_E4M3;
        return;
    case SASS_IGMMA:
        m->a_type = a == SASS_W_S8 ? EMU_WG_S8 : EMU_WG_U8;
        m->b_type = b == SASS_W_S8 ? EMU_WG_S8 : EMU_WG_U8;
        break;
    default:
        m->a_type = m->b_type = EMU_WG_B1;
    }
    m->d_type = EMU_WG_SUM_S32;
}

/* RD, [A,] gdesc, RC, UP, [metadata, [selector,]] gsb */
bool sass_lower_gmma(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    struct sass_gmma *g = sass_lower_allocate(l, sizeof *g);
    struct sass_gmma_shape shape;
    if (!g || !sass_gmma_shape(l->in, &shape))
        return false;
    unsigned at = O(1)->kind == SASS_REG;
    g->model = (struct emu_wgmma){.n = shape.n,
                                  .k = shape.k,
                                  .a_in_registers = at,
                                  .negate_a = bit(l->in, 72),
                                  .negate_b = bit(l->in, 63),
                                  .transpose_a = bit(l->in, 61),
                                  .transpose_b = bit(l->in, 62),
                                  .sparse = sass_gmma_is_sparse(l->in),
                                  .selector = bit(l->in, 48)};
    set_types(l, &g->model);
    if (shape.n > 256)
        return sass_lower_refuse(l, "its shape is not known");
    if (g->model.sparse)
        g->metadata = sass_lower_row(l, O(4 + at), 1);
    g->commits = O(l->in->n_operands - 1)->value != 7;
    op->extra = g;
    op->d = sass_lower_dest(l, O(0));
    op->a = at ? sass_lower_row(l, O(1), 4) : l->zero_row;
    op->b = uniform(l, O(1 + at)->reg, 4);
    op->c = O(2 + at)->reg == SASS_RZ ? SASS_NO_ROW : sass_lower_row(l, O(2 + at), 1);
    op->ps = sass_lower_pred(O(3 + at));
    op->flow = SASS_SELF;
    op->run = sass_run_gmma;
    return true;
}

bool sass_lower_warpgroup(struct sass_lowering *l)
{
    if (MOD(MODE) != SASS_W_DEPBAR)
        return sass_lower_nothing(l);
    l->op->flow = SASS_WAITS;
    l->op->run = sass_run_group_meets;
    return true;
}

/* ---- barriers in shared memory ---- */

/* What ARRIVE does, by three bits of the code. */
static bool arrival(struct sass_lowering *l, struct sass_syncs *s)
{
    unsigned kind = (unsigned)(l->in->high >> 20 & 7);
    bool drop = bit(l->in, 75);
    switch (kind) {
    case 0: /* one arrival, and bytes to expect */
        s->op = STRATA_BARRIER_ARRIVE_EXPECT;
        s->variant = drop;
        return true;
    case 1: /* A1T0: one arrival */
        s->op = drop ? STRATA_BARRIER_ARRIVE_DROP : STRATA_BARRIER_ARRIVE;
        s->value = SASS_NO_ROW;
        return true;
    case 2: /* A0T1: one more to come, by asynchronous copies, which are done at once here */
        s->op = STRATA_BARRIER_EXPECT;
        s->value = l->zero_row;
        return true;
    case 3: /* bytes to expect */
        s->op = STRATA_BARRIER_EXPECT;
        return true;
    case 4: /* bytes that have come */
        s->op = STRATA_BARRIER_COMPLETE;
        return true;
    case 5: /* ART0: as many arrivals as the register says */
        s->op = drop ? STRATA_BARRIER_ARRIVE_DROP : STRATA_BARRIER_ARRIVE;
        return true;
    default:
        return sass_lower_refuse(l, "this arrival is not known");
    }
}

static const struct sass_operand *memory_of(struct sass_lowering *l)
{
    for (unsigned i = 0; i < l->in->n_operands; i++)
        if (O(i)->kind == SASS_MEMORY)
            return O(i);
    return O(0);
}

static bool lower_operation(struct sass_lowering *l, struct sass_syncs *s)
{
    struct sass_exec *op = l->op;
    op->run = sass_run_barrier;
    if (l->in->op == SASS_ARRIVES) { /* ARVCNT counts as an arrival, TRANSCNT was counted before */
        s->op = STRATA_BARRIER_ARRIVE_COPIES;
        s->variant = MOD(MODE) == SASS_W_ARVCNT || MOD(OPTION1) == SASS_W_ARVCNT ||
                     MOD(COUNT_OF) == SASS_W_ARVCNT;
        s->value = SASS_NO_ROW;
        return true;
    }
    switch (MOD(MODE)) {
    case SASS_W_EXCH:
        s->op = STRATA_BARRIER_INIT;
        s->is_init = true;
        s->value = sass_lower_row(l, O(2), 2);
        return MOD(SIZE) == SASS_W_64 || sass_lower_refuse(l, "only 64 bits are a barrier");
    case SASS_W_CCTL:
        s->op = STRATA_BARRIER_INVAL;
        s->value = SASS_NO_ROW;
        return true;
    case SASS_W_PHASECHK: /* PD, [address], parity in the top bit */
        op->pd = sass_lower_pred_dest(O(0));
        s->op = MOD(OPTION1) == SASS_W_TRYWAIT ? STRATA_BARRIER_WAIT : STRATA_BARRIER_TEST;
        s->value = sass_lower_row(l, O(2), 1);
        op->flow = SASS_WAITS;
        op->run = sass_run_barrier_wait;
        return true;
    default: /* ARRIVE: RD, [address], R */
        op->d = sass_lower_dest(l, O(0));
        s->wants_state = O(0)->reg != SASS_RZ;
        s->value = sass_lower_row(l, O(2), 1);
        return arrival(l, s);
    }
}

bool sass_lower_syncs(struct sass_lowering *l)
{
    struct sass_syncs *s = sass_lower_allocate(l, sizeof *s);
    if (!s)
        return false;
    sass_lower_address(l, memory_of(l), false, &s->place);
    l->op->flow = SASS_SELF;
    l->op->extra = s;
    l->op->site.space = EMU_SHARED;
    l->op->site.slot = l->image->base.n_slots++;
    return lower_operation(l, s);
}

/* ---- copies ---- */

static bool set_direction(struct sass_lowering *l, struct sass_bulk *b)
{
    struct sass_exec *op = l->op;
    uint16_t to = MOD(MODE), from = MOD(OPTION1);
    uint8_t first = O(0)->ureg, second = O(1)->ureg;
    b->model.kind = to == SASS_W_G     ? EMU_BULK_STORE
                    : from == SASS_W_G ? EMU_BULK_LOAD
                                       : EMU_BULK_SHARED;
    bool store = b->model.kind == EMU_BULK_STORE;
    op->a = uniform(l, store ? second : first, 2);
    op->b = uniform(l, store ? first : second, 2);
    b->barrier_at = !store;
    return true;
}

/* UBLKRED, which names the type of its elements. */
static bool set_reduction(struct sass_lowering *l, struct sass_bulk *b)
{
    static const struct {
        uint16_t word;
        uint8_t type;
    } types[] = {{SASS_W_S32, EMU_S32},  {SASS_W_U64, EMU_U64}, {SASS_W_S64, EMU_S64},
                 {SASS_W_F16, EMU_F16},  {SASS_W_F32, EMU_F32}, {SASS_W_F64, EMU_F64},
                 {SASS_W_BF16, EMU_BF16}};
    b->model.op = sass_atomic_operation(MOD(FUNCTION));
    b->model.type = EMU_U32;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].word == MOD(TYPE))
            b->model.type = types[i].type;
    b->model.reduces = true;
    if (b->model.kind == EMU_BULK_STORE)
        b->model.kind = EMU_BULK_REDUCE;
    return b->model.op != EMU_STORE || sass_lower_refuse(l, "this reduction is not known");
}

/* UBLKPF: [from], size */
static bool set_prefetch(struct sass_lowering *l, struct sass_bulk *b)
{
    b->model.kind = EMU_BULK_PREFETCH;
    b->size = uniform(l, O(1)->reg, 1);
    l->op->a = l->zero_row;
    l->op->b = uniform(l, O(0)->ureg, 2);
    return true;
}

static bool set_tensor(struct sass_lowering *l, struct sass_bulk *b)
{
    static const uint16_t ranks[] = {SASS_W_1D, SASS_W_2D, SASS_W_3D, SASS_W_4D, SASS_W_5D};
    struct sass_exec *op = l->op;
    b->model.tensor = true;
    for (uint8_t i = 0; i < 5; i++)
        if (ranks[i] == MOD(SHAPE))
            b->model.rank = (uint8_t)(i + 1);
    b->model.im2col = MOD(IM2COL) == SASS_W_IM2COL;
    if (!b->model.rank)
        return sass_lower_refuse(l, "copies of this form are not known");
    op->a = uniform(l, O(0)->ureg, 7);
    op->b = uniform(l, O(1)->ureg, 2);
    b->model.kind = l->in->op == SASS_UTMALDG    ? EMU_BULK_LOAD
                    : l->in->op == SASS_UTMASTG  ? EMU_BULK_STORE
                    : l->in->op == SASS_UTMAREDG ? EMU_BULK_REDUCE
                                                 : EMU_BULK_PREFETCH;
    b->model.op = sass_atomic_operation(MOD(FUNCTION));
    b->barrier_at = b->model.kind == EMU_BULK_LOAD;
    b->first = b->model.kind == EMU_BULK_PREFETCH ? 0 : b->barrier_at ? 2 : 1;
    return true;
}

/* [shared, barrier, coordinates], [tensor map] [, blocks]; UBLKCP: [to], [from], size */
bool sass_lower_bulk(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    struct sass_bulk *b = sass_lower_allocate(l, sizeof *b);
    if (!b)
        return false;
    b->size = SASS_NO_ROW;
    b->model.multicast = MOD(MULTICAST) == SASS_W_MULTICAST;
    if (l->in->n_operands > 2 && O(2)->kind == SASS_UREG)
        b->size = uniform(l, O(2)->reg, 1);
    op->extra = b;
    op->flow = SASS_SELF;
    op->run = sass_run_bulk;
    op->site.space = EMU_GLOBAL;
    op->site.slot = l->image->base.n_slots++;
    switch (l->in->op) {
    case SASS_UBLKCP:
        return set_direction(l, b);
    case SASS_UBLKRED:
        return set_direction(l, b) && set_reduction(l, b);
    case SASS_UBLKPF:
        return set_prefetch(l, b);
    default:
        return set_tensor(l, b);
    }
}

/* STAS, REDAS: [R], R. The register behind the address has the barrier's. */
bool sass_lower_store_async(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    bool reduces = l->in->op == SASS_REDAS;
    uint16_t size = reduces ? MOD(TYPE) : MOD(SIZE);
    op->width = size == SASS_W_128                                              ? 16
                : size == SASS_W_64 || size == SASS_W_S64 || size == SASS_W_F64 ? 8
                                                                                : 4;
    op->words = op->width / 4;
    op->mode = reduces ? sass_atomic_operation(MOD(FUNCTION)) : EMU_STORE;
    op->mode2 = size == SASS_W_64 ? EMU_U64 : size == SASS_W_S32 ? EMU_S32 : EMU_U32;
    if (reduces && (op->mode == EMU_STORE || (size != SASS_W_64 && op->width == 8)))
        return sass_lower_refuse(l, "this reduction is not known");
    op->a = sass_lower_row(l, &(struct sass_operand){.kind = SASS_REG, .reg = O(0)->reg}, 2);
    op->b = sass_lower_row(l, O(1), op->words);
    op->imm = O(0)->value;
    op->flow = SASS_SELF;
    op->run = sass_run_store_async;
    op->site.space = EMU_SHARED;
    op->site.writes = true;
    op->site.slot = l->image->base.n_slots++;
    return true;
}

/* ---- clusters and pools of registers ---- */

bool sass_lower_cluster(struct sass_lowering *l)
{
    bool waits = l->in->op == SASS_UCGABAR_WAIT;
    l->op->flow = waits ? SASS_WAITS : SASS_CHECKED;
    l->op->run = waits ? sass_run_cluster_wait : sass_run_cluster_arrive;
    return true;
}

/* ELECT: PD, URD, P. USETMAXREG: UPD, number; registers are never short here. */
bool sass_lower_elect(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->pd = sass_lower_pred_dest(O(0));
    if (l->in->op == SASS_USETMAXREG) {
        op->run = sass_run_set_true;
        return true;
    }
    op->d = sass_lower_dest(l, O(1));
    op->ps = sass_lower_pred(O(2));
    op->flow = SASS_CHECKED;
    op->run = sass_run_elect;
    return true;
}

/* ---- what is recorded ---- */

static void describe(struct strata_inst *s, unsigned class, unsigned space, int32_t number)
{
    s->opclass = (uint8_t) class;
    s->space = (uint8_t)space;
    s->memop = STRATA_MEM_NONE;
    s->width_bytes = s->trace_width = 0;
    s->hints = 0;
    s->imm = number;
}

void sass_async_describe(const struct sass_image *image, const struct sass_inst *in,
                         const struct sass_exec *op, struct strata_inst *s)
{
    switch (in->op) {
    case SASS_HGMMA:
    case SASS_IGMMA:
    case SASS_BGMMA:
    case SASS_QGMMA: {
        const struct sass_gmma *g = op->extra;
        describe(s, STRATA_OP_WGMMA, STRATA_SPACE_NONE, emu_wgmma_number(&g->model, g->commits));
        break;
    }
    case SASS_WARPGROUP:
        if (op->flow == SASS_WAITS)
            describe(s, STRATA_OP_WGMMA_WAIT, STRATA_SPACE_NONE, (int32_t)in->operand[1].value);
        else
            describe(s, STRATA_OP_NOP, STRATA_SPACE_NONE, 0);
        break;
    case SASS_SYNCS:
    case SASS_ARRIVES:
        describe(s, STRATA_OP_MBARRIER, STRATA_SPACE_SHARED,
                 ((const struct sass_syncs *)op->extra)->op);
        break;
    case SASS_STAS:
    case SASS_REDAS: /* what others wait for is that the bytes are there */
        describe(s, STRATA_OP_MBARRIER, STRATA_SPACE_SHARED, STRATA_BARRIER_COMPLETE);
        break;
    case SASS_UTMALDG:
    case SASS_UTMASTG:
    case SASS_UTMAREDG:
    case SASS_UTMAPF:
    case SASS_UBLKCP:
    case SASS_UBLKRED:
    case SASS_UBLKPF:
        describe(s, STRATA_OP_BULK, STRATA_SPACE_GLOBAL, 0);
        break;
    case SASS_UTMACMDFLUSH:
        describe(s, STRATA_OP_BULK_COMMIT, STRATA_SPACE_NONE, 0);
        break;
    case SASS_DEPBAR:
        if (image->has_bulk_groups)
            describe(s, STRATA_OP_BULK_WAIT, STRATA_SPACE_NONE,
                     s->imm | (op->mode2 ? 0 : STRATA_BULK_WAIT_READ));
        break;
    case SASS_UCGABAR_ARV:
        describe(s, STRATA_OP_CLUSTER_ARRIVE, STRATA_SPACE_NONE, 0);
        break;
    case SASS_UCGABAR_WAIT:
        describe(s, STRATA_OP_CLUSTER_WAIT, STRATA_SPACE_NONE, 0);
        break;
    default:
        break;
    }
}
