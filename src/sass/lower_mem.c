/* lower_mem.c - lowering of memory instructions. */
#include "sass/lower.h"

#define O(n)      sass_operand_get(l, n)
#define MOD(kind) sass_mod_get(l, SASS_M_##kind)

/* ---- addresses ---- */

void sass_lower_address(struct sass_lowering *l, const struct sass_operand *o, bool global,
                        struct sass_access *access)
{
    *access =
        (struct sass_access){.address = SASS_NO_ROW, .uniform = SASS_NO_ROW, .offset = o->value};
    if (o->reg != SASS_RZ)
        access->address = o->reg * SASS_ROW_BYTES;
    if (o->ureg != SASS_URZ && o->ureg != SASS_NO_UREG) {
        struct sass_operand u = {.kind = SASS_UREG, .reg = o->ureg};
        access->uniform = sass_lower_row(l, &u, 2);
    }
    if (global) {
        bool has_uniform = access->uniform != SASS_NO_ROW;
        /* Without a suffix the register of an extended address is a pair. */
        if (o->suffix == SASS_W_64 || (o->suffix != SASS_W_U32 && MOD(EXTENDED) == SASS_W_E))
            access->flags |= SASS_ADDRESS_WIDE;
        if (has_uniform)
            access->flags |= SASS_ADDRESS_UWIDE;
    }
    access->shift = o->suffix == SASS_W_X4    ? 2
                    : o->suffix == SASS_W_X8  ? 3
                    : o->suffix == SASS_W_X16 ? 4
                                              : 0;
}

static struct sass_access *new_access(struct sass_lowering *l, unsigned n)
{
    struct sass_access *access = sass_lower_allocate(l, n * sizeof *access);
    l->op->extra = access;
    return access;
}

/* Where an opcode goes to. */
static enum emu_space space_of(const struct sass_lowering *l)
{
    switch (l->in->op) {
    case SASS_LD:
    case SASS_ST:
    case SASS_ATOM:
        return EMU_GENERIC;
    case SASS_LDS:
    case SASS_STS:
    case SASS_ATOMS:
    case SASS_LDSM:
    case SASS_STSM:
        return EMU_SHARED;
    case SASS_LDL:
    case SASS_STL:
        return EMU_LOCAL;
    default:
        return EMU_GLOBAL;
    }
}

static bool lower_site(struct sass_lowering *l, const struct sass_operand *address, bool writes)
{
    struct sass_access *access = new_access(l, 1);
    enum emu_space space = space_of(l);
    if (!access)
        return false;
    sass_lower_address(l, address, space == EMU_GLOBAL || space == EMU_GENERIC, access);
    l->op->flow = SASS_ACCESS;
    l->op->site.space = (uint8_t)space;
    l->op->site.writes = writes;
    l->op->site.slot = l->image->base.n_slots++;
    return true;
}

static void lower_size(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    uint16_t size = MOD(SIZE);
    op->is_signed = size == SASS_W_S8 || size == SASS_W_S16;
    op->width = size == SASS_W_U8 || size == SASS_W_S8     ? 1
                : size == SASS_W_U16 || size == SASS_W_S16 ? 2
                : size == SASS_W_64                        ? 8
                : size == SASS_W_128                       ? 16
                                                           : 4;
    op->words = op->width <= 4 ? 1 : op->width / 4;
}

/* ---- loads and stores ---- */

/* The memory operand of an instruction; there is always one. */
static const struct sass_operand *memory_operand(const struct sass_lowering *l, unsigned n)
{
    for (unsigned i = 0; i < l->in->n_operands; i++)
        if (O(i)->kind == SASS_MEMORY && !n--)
            return O(i);
    return O(0);
}

/* [PD,] RD, [address] [, P] */
bool sass_lower_load(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    unsigned d = O(0)->kind == SASS_PRED ? 1 : 0;
    lower_size(l);
    op->d = sass_lower_dest(l, O(d));
    op->run = sass_run_load;
    op->mode = MOD(SEM) == SASS_W_STRONG || MOD(SEM) == SASS_W_MMIO;
    return lower_site(l, memory_operand(l, 0), false);
}

/* [address], R */
bool sass_lower_store(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    lower_size(l);
    op->b = sass_lower_row(l, O(1), op->words);
    op->run = sass_run_store;
    return lower_site(l, memory_operand(l, 0), true);
}

/* ---- atomics ---- */

uint8_t sass_atomic_operation(uint16_t word)
{
    static const struct {
        uint16_t word;
        uint8_t operation;
    } words[] = {
        {SASS_W_ADD, EMU_ATOM_ADD}, {SASS_W_MIN, EMU_ATOM_MIN}, {SASS_W_MAX, EMU_ATOM_MAX},
        {SASS_W_INC, EMU_ATOM_INC}, {SASS_W_DEC, EMU_ATOM_DEC}, {SASS_W_AND, EMU_ATOM_AND},
        {SASS_W_OR, EMU_ATOM_OR},   {SASS_W_XOR, EMU_ATOM_XOR}, {SASS_W_EXCH, EMU_ATOM_EXCH},
        {SASS_W_CAS, EMU_ATOM_CAS}, {SASS_W_CAST, EMU_ATOM_CAS}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].word == word)
            return words[i].operation;
    return EMU_STORE;
}

static uint8_t type_of(uint16_t word)
{
    switch (word) {
    case SASS_W_S32:
        return EMU_S32;
    case SASS_W_64:
    case SASS_W_U64:
        return EMU_U64;
    case SASS_W_S64:
        return EMU_S64;
    case SASS_W_F32:
        return EMU_F32;
    case SASS_W_F64:
        return EMU_F64;
    case SASS_W_F16x2:
        return EMU_F16X2;
    case SASS_W_BF16x2:
        return EMU_BF16X2;
    default:
        return EMU_U32;
    }
}

/* Words of a vector of Hopper's, whose parts are added one by one; 1: none. *type: of a part. */
static uint8_t vector_words(uint16_t word, uint8_t *type)
{
    switch (word) {
    case SASS_W_F16x4:
    case SASS_W_F16x8:
        *type = EMU_F16X2;
        return word == SASS_W_F16x4 ? 2 : 4;
    case SASS_W_BF16x4:
    case SASS_W_BF16x8:
        *type = EMU_BF16X2;
        return word == SASS_W_BF16x4 ? 2 : 4;
    case SASS_W_F32x2:
    case SASS_W_F32x4:
        *type = EMU_F32;
        return word == SASS_W_F32x2 ? 2 : 4;
    default:
        return 1;
    }
}

/* How far before a compare and swap what it compares with is loaded. */
#define SWAP_REACH 8

/* Others may swap between the load of the number to be compared with and the swap, so warps keep
 * their order at both. */
static void mark_meetings(struct sass_lowering *l)
{
    struct sass_exec *swap = l->op;
    swap->swaps = true;
    if (l->in->op != SASS_ATOMS)
        return;
    l->image->base.swaps_shared = true;
    for (struct sass_exec *op = swap; op > l->image->code && op > swap - SWAP_REACH;) {
        op--;
        if (op->opcode != SASS_LDS || op->d != swap->b)
            continue;
        op->loads_for_swap = true;
        return;
    }
}

/* [PD,] [RD,] [address], R [, R] */
bool sass_lower_atomic(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    bool red = l->in->op == SASS_RED || l->in->op == SASS_REDG;
    unsigned n = 0;
    if (O(n)->kind == SASS_PRED)
        op->pd = sass_lower_pred_dest(O(n++));
    op->d = SASS_NO_ROW;
    if (!red && O(n++)->reg != SASS_RZ)
        op->d = sass_lower_dest(l, O(n - 1));
    n++; /* the address */
    op->mode2 = type_of(MOD(TYPE));
    bool wide = op->mode2 == EMU_U64 || op->mode2 == EMU_S64 || op->mode2 == EMU_F64;
    op->words = vector_words(MOD(TYPE), &op->mode2);
    op->width = op->words > 1 ? 4 * op->words : wide ? 8 : 4;
    op->b = op->c = SASS_NO_ROW;
    if (MOD(FUNCTION) == SASS_W_POPC) { /* each lane adds one */
        op->mode = EMU_ATOM_ADD;
        op->mode3 = SASS_ATOM_COUNTS;
    } else {
        op->mode = sass_atomic_operation(MOD(FUNCTION));
        op->b = sass_lower_row(l, O(n), wide ? 2 : op->words);
        if (MOD(FUNCTION) == SASS_W_CAST && op->d != SASS_NO_ROW)
            op->mode3 = SASS_ATOM_TELLS;
        if (op->mode == EMU_ATOM_CAS)
            op->c = sass_lower_row(l, O(n + 1), wide ? 2 : 1);
    }
    if (op->mode == EMU_STORE)
        return sass_lower_refuse(l, "this atomic operation is not known");
    op->run = op->words > 1 ? sass_run_atomic_vector : sass_run_atomic;
    if (op->mode == EMU_ATOM_CAS)
        mark_meetings(l);
    /* those of a vector are not kept for later */
    bool ordered = op->words > 1 || op->d != SASS_NO_ROW || op->mode == EMU_ATOM_CAS ||
                   op->mode == EMU_ATOM_EXCH;
    if (ordered && l->in->op != SASS_ATOMS)
        l->image->base.talks_between_blocks = true;
    /* an addition of nothing only asks */
    l->image->base.blocks_wait |= l->in->op != SASS_ATOMS && op->d != SASS_NO_ROW &&
                                  op->mode == EMU_ATOM_ADD && op->b == l->zero_row;
    return lower_site(l, memory_operand(l, 0), true);
}

/* ---- the rest ---- */

/* [shared], [global], P */
bool sass_lower_ldgsts(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    struct sass_access *access = new_access(l, 2);
    if (!access)
        return false;
    lower_size(l);
    sass_lower_address(l, memory_operand(l, 0), false, &access[0]);
    sass_lower_address(l, memory_operand(l, 1), true, &access[1]);
    op->ps = sass_lower_pred(O(2));
    op->mode2 = MOD(ZFILL) == SASS_W_ZFILL;
    op->run = sass_run_ldgsts;
    op->flow = SASS_ACCESS;
    op->site.space = EMU_GLOBAL;
    op->site.slot = l->image->base.n_slots++;
    return true;
}

/* RD, c[bank][R + imm] */
bool sass_lower_ldc(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    const struct sass_operand *c = O(1);
    lower_size(l);
    op->d = sass_lower_dest(l, O(0));
    if (c->kind != SASS_CONST)
        return sass_lower_refuse(l, "a constant bank named by a register is not known");
    bool has_uniform = c->ureg != SASS_URZ && c->ureg != SASS_NO_UREG;
    if (c->reg == SASS_RZ && !has_uniform && op->width >= 4 && op->width <= 8) {
        op->b = sass_lower_bank(l, c->bank, (uint32_t)c->value, op->words);
        op->run = sass_run_mov;
        return true;
    }
    struct sass_operand index = {.kind = has_uniform ? SASS_UREG : SASS_REG,
                                 .reg = has_uniform ? c->ureg : c->reg};
    op->a = sass_lower_row(l, &index, 1);
    op->mode = c->bank;
    op->imm = c->value;
    op->run = sass_run_ldc;
    if (!has_uniform && c->reg == SASS_RZ)
        return true;
    /* Lanes may name different constants, which takes the card longer, and all of them others than
     * those at hand: their offsets are recorded. */
    op->flow = SASS_ACCESS;
    op->site.space = EMU_GLOBAL;
    op->site.slot = l->image->base.n_slots++;
    return true;
}

bool sass_lower_ldsm(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    bool stores = l->in->op == SASS_STSM;
    op->width = 16;
    op->words = MOD(COUNT_OF) == SASS_W_4 ? 4 : MOD(COUNT_OF) == SASS_W_2 ? 2 : 1;
    op->mode = MOD(TRANSPOSE) == SASS_W_MT88;
    if (stores)
        op->b = sass_lower_row(l, O(1), op->words);
    else
        op->d = sass_lower_dest(l, O(0));
    op->run = stores ? sass_run_stsm : sass_run_ldsm;
    return lower_site(l, memory_operand(l, 0), stores);
}

/* CCTL: [address] or nothing. QSPC: PD, RD, [address]. */
bool sass_lower_prefetch(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    bool query = l->in->op == SASS_QSPC, has_address = false;
    for (unsigned i = 0; i < l->in->n_operands; i++)
        has_address |= O(i)->kind == SASS_MEMORY;
    if (!has_address)
        return sass_lower_nothing(l);
    struct sass_access *access = new_access(l, 1);
    if (!access)
        return false;
    sass_lower_address(l, memory_operand(l, 0), true, access);
    if (query) {
        op->pd = sass_lower_pred_dest(O(0));
        op->mode = MOD(MODE) == SASS_W_S   ? EMU_SHARED
                   : MOD(MODE) == SASS_W_L ? EMU_LOCAL
                                           : EMU_GLOBAL;
    } else {
        op->flow = SASS_ACCESS;
        op->site.space = EMU_GLOBAL;
        op->site.slot = l->image->base.n_slots++;
    }
    op->run = query ? sass_run_qspc : sass_run_prefetch;
    return true;
}
