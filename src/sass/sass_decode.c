/* sass_decode.c - instructions by the rows of the tables. */
#include <pthread.h>
#include <string.h>

#include "sass/table.h"

static const struct sass_rows *const all_rows[] = {
    &sass_rows_integer, &sass_rows_float,  &sass_rows_half,    &sass_rows_convert,
    &sass_rows_memory,  &sass_rows_atomic, &sass_rows_flow,    &sass_rows_warp,
    &sass_rows_uniform, &sass_rows_tensor, &sass_rows_texture, &sass_rows_async};

/* Rows by the nine low bits of the opcode: chains in the order of the tables. */
#define MAX_ROWS 1024
static uint16_t chain_head[512], chain_next[MAX_ROWS];
static const struct sass_row *row_of[MAX_ROWS];
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static void build_index(void)
{
    uint16_t tail[512] = {0}, n = 0;
    for (size_t t = 0; t < sizeof all_rows / sizeof *all_rows; t++)
        for (size_t i = 0; i < all_rows[t]->n && n + 1 < MAX_ROWS; i++) {
            uint32_t key = all_rows[t]->row[i].opcode & 511;
            row_of[++n] = &all_rows[t]->row[i];
            if (tail[key])
                chain_next[tail[key]] = n;
            else
                chain_head[key] = n;
            tail[key] = n;
        }
}

struct bits {
    uint64_t low, high;
    uint32_t arch;
};

static uint64_t get(const struct bits *b, unsigned at, unsigned width)
{
    return sass_bits(b->low, b->high, at, width);
}

static int64_t sign_extend(uint64_t v, unsigned width)
{
    return width >= 64 ? (int64_t)v : (int64_t)(v << (64 - width)) >> (64 - width);
}

/* Uniform registers have 6 bits up to Hopper and 8 from Blackwell on; the last one is zero. */
static uint8_t get_ureg(const struct bits *b, unsigned at)
{
    uint64_t v = get(b, at, b->arch >= 100 ? 8 : 6);
    return v == 63 && b->arch < 100 ? SASS_URZ : (uint8_t)v;
}

static bool form_fits(const struct sass_row *r, const struct bits *b)
{
    uint32_t form = (uint32_t)get(b, 9, 3), high = (uint32_t)get(b, 91, 1);
    if (r->forms && !(r->forms >> form & 1))
        return false;
    if (r->flags & ROW_UNIFORM)
        return high && form;
    if (form == SASS_FORM_RUR || form == SASS_FORM_RRU)
        return high;
    return form && (!high || form == SASS_FORM_RCR || form == SASS_FORM_RRC);
}

static bool condition_holds(const struct sass_when *w, const struct bits *b)
{
    uint64_t v = get(b, w->at, w->width);
    if (w->value == SASS_WHEN_POWER_OF_2)
        return v > 1 && !(v & (v - 1));
    if (w->value == SASS_WHEN_NOT_ONES)
        return v != (UINT64_C(1) << w->width) - 1;
    return v == w->value;
}

static bool row_fits(const struct sass_row *r, const struct bits *b)
{
    if (r->arch_min > b->arch || (r->arch_max && r->arch_max < b->arch))
        return false;
    if (r->flags & ROW_ALU) {
        if (!form_fits(r, b))
            return false;
    } else if (r->opcode != get(b, 0, 12) || (r->flags & ROW_BIT91 && !get(b, 91, 1)) ||
               (r->flags & ROW_NO91 && get(b, 91, 1))) {
        return false;
    }
    for (size_t i = 0; i < SASS_MAX_WHEN && r->when[i].width; i++)
        if (!condition_holds(&r->when[i], b))
            return false;
    return true;
}

static void decode_fields(const struct sass_row *r, const struct bits *b, struct sass_inst *out)
{
    for (size_t i = 0; i < SASS_MAX_FIELDS && r->field[i].word; i++) {
        const struct sass_field *f = &r->field[i];
        uint64_t v = f->width ? get(b, f->at, f->width) : 0;
        if (f->width2)
            v |= get(b, f->at2, f->width2) << f->width;
        out->mod[f->mod] = SASS_WORD_OF(f->word[v]);
    }
}

/* Where the sign, magnitude and half of a source stand, by its place in the encoding. */
enum place { PLACE_A, PLACE_32, PLACE_64 };
static const struct {
    uint8_t at, neg, abs, half_neg, half_abs, half;
} places[] = {[PLACE_A] = {24, 72, 73, 72, 73, 74},
              [PLACE_32] = {32, 63, 62, 63, 62, 60},
              [PLACE_64] = {64, 75, 74, 84, 83, 81}};

static const uint16_t half_words[] = {SASS_W_NONE, SASS_W_F32, SASS_W_H0_H0, SASS_W_H1_H1};

static void source_signs(const struct sass_slot *s, enum place p, const struct bits *b,
                         struct sass_operand *o)
{
    bool half = s->flags & FLAG_HALF;
    if (s->flags & FLAG_NO64 && p == PLACE_64)
        return;
    uint64_t neg = get(b, half ? places[p].half_neg : places[p].neg, 1);
    if (neg && s->flags & FLAG_INV)
        o->flags |= SASS_NOT;
    else if (neg && s->flags & FLAG_NEG)
        o->flags |= SASS_NEG;
    if (s->flags & FLAG_ABS && get(b, half ? places[p].half_abs : places[p].abs, 1))
        o->flags |= SASS_ABS;
    if (half)
        o->suffix = half_words[get(b, places[p].half, 2)];
}

static void source_register(const struct sass_slot *s, enum place p, uint32_t operand, bool uniform,
                            const struct bits *b, struct sass_operand *o)
{
    o->kind = uniform ? SASS_UREG : SASS_REG;
    o->reg = uniform ? get_ureg(b, places[p].at) : (uint8_t)get(b, places[p].at, 8);
    source_signs(s, p, b, o);
    if (!uniform && get(b, 122 + operand, 1))
        o->flags |= SASS_REUSE;
}

static void source_immediate(const struct sass_slot *s, const struct bits *b,
                             struct sass_operand *o)
{
    uint64_t v = get(b, 32, 32);
    o->kind = SASS_IMM;
    o->value = s->flags & FLAG_SIGNED ? sign_extend(v, 32) : (int64_t)v;
    if (s->flags & FLAG_HALF)
        o->kind = SASS_IMM_F16;
    else if (s->flags & FLAG_FLOAT)
        o->kind = SASS_IMM_F32;
    else if (s->flags & FLAG_DOUBLE) {
        o->kind = SASS_IMM_F64;
        o->value = (int64_t)(v << 32);
    }
}

static void constant(const struct bits *b, struct sass_operand *o)
{
    o->reg = SASS_RZ;
    o->bank = (uint8_t)get(b, 54, 5);
    o->value = (int64_t)get(b, 38, 16);
    o->kind = SASS_CONST;
    o->ureg = SASS_NO_UREG;
    if (get(b, 91, 1)) {
        o->kind = SASS_CONST_UREG;
        o->ureg = get_ureg(b, 32);
    }
}

/* What stands in the 32 bits from bit 32 on, by the form. */
static void source_at_32(const struct sass_slot *s, uint32_t form, uint32_t operand, bool uniform,
                         const struct bits *b, struct sass_operand *o)
{
    switch (form) {
    case SASS_FORM_RRI:
    case SASS_FORM_RIR:
        source_immediate(s, b, o);
        return;
    case SASS_FORM_RRC:
    case SASS_FORM_RCR:
        constant(b, o);
        source_signs(s, PLACE_32, b, o);
        return;
    default:
        source_register(s, PLACE_32, operand,
                        uniform || form == SASS_FORM_RUR || form == SASS_FORM_RRU, b, o);
    }
}

static void alu_source(const struct sass_slot *s, bool uniform, const struct bits *b,
                       struct sass_operand *o)
{
    uint32_t form = (uint32_t)get(b, 9, 3);
    bool c_at_32 = form == SASS_FORM_RRI || form == SASS_FORM_RRC || form == SASS_FORM_RRU;
    if (s->kind == SLOT_A)
        source_register(s, PLACE_A, 0, uniform, b, o);
    else if (s->kind == SLOT_BC)
        source_at_32(s, form, 2, uniform, b, o);
    else if ((s->kind == SLOT_C) == c_at_32)
        source_at_32(s, form, s->kind == SLOT_C ? 2 : 1, uniform, b, o);
    else
        source_register(s, PLACE_64, s->kind == SLOT_C ? 2 : 1, uniform, b, o);
}

static void memory(const struct sass_slot *s, const struct bits *b, struct sass_operand *o)
{
    static const uint16_t strides[] = {SASS_W_NONE, SASS_W_X4, SASS_W_X8, SASS_W_X16};
    o->kind = SASS_MEMORY;
    o->reg = s->at ? (uint8_t)get(b, s->at, 8) : SASS_RZ;
    o->ureg = SASS_NO_UREG;
    o->desc = SASS_URZ;
    o->value = s->width ? sign_extend(get(b, s->aux, s->width), s->width) : 0;
    if (s->flags & FLAG_UNIT32)
        o->value *= 32;
    if (s->flags & FLAG_X)
        o->suffix = strides[get(b, 78, 2)];
    if (s->flags & FLAG_WIDE64 && o->reg != SASS_RZ)
        o->suffix = get(b, s->neg, 1) ? SASS_W_64 : SASS_W_U32;
    /* before Hopper the descriptor is part of the text only if bit 101 is set */
    bool described = s->desc && get(b, s->desc, 1);
    bool named = described && (b->arch >= 90 || get(b, 101, 1));
    if (s->kind == SLOT_MEM_U && !described)
        o->ureg = get_ureg(b, s->ureg);
    else if (named) /* beside a shared address with a uniform register: the one after that */
        o->desc = (uint8_t)(get_ureg(b, s->ureg) + (s->kind == SLOT_MEM));
}

static void label(const struct sass_slot *s, const struct bits *b, uint64_t address,
                  struct sass_operand *o)
{
    /* Hopper put eight more bits below the 48 that there were */
    int64_t offset = s->kind == SLOT_LABEL24   ? sign_extend(get(b, 24, 40), 40)
                     : s->kind == SLOT_LABEL30 ? sign_extend(get(b, 34, 30), 30) * 4
                     : b->arch >= 90 ? sign_extend(get(b, 34, 48) << 8 | get(b, 16, 8), 56) * 4
                                     : sign_extend(get(b, 34, 48), 48) * 4;
    o->kind = s->kind == SLOT_OFFSET ? SASS_IMM : SASS_LABEL;
    o->reg = SASS_RZ;
    o->value = offset;
    if (s->kind != SLOT_TARGET && s->kind != SLOT_OFFSET)
        o->value = (int64_t)(address + SASS_INST_BYTES + (uint64_t)offset);
}

static void predicate(const struct sass_slot *s, const struct bits *b, struct sass_operand *o)
{
    bool uniform = s->kind == SLOT_UP || s->kind == SLOT_UPREV ||
                   (s->kind == SLOT_PMIX && get(b, s->width, 1));
    o->kind = uniform ? SASS_UPRED : SASS_PRED;
    o->reg = (uint8_t)get(b, s->at, 3);
    if (s->kind == SLOT_PREV || s->kind == SLOT_UPREV)
        o->reg = 7 - o->reg;
    if (s->neg && get(b, s->neg, 1))
        o->flags |= SASS_NOT;
}

static void plain_register(const struct sass_slot *s, const struct bits *b, struct sass_operand *o)
{
    o->kind = s->kind == SLOT_UR ? SASS_UREG : SASS_REG;
    o->reg = s->kind == SLOT_UR ? get_ureg(b, s->at) : (uint8_t)get(b, s->at, 8);
    if (s->neg && get(b, s->neg, 1))
        o->flags |= s->flags & FLAG_INV ? SASS_NOT : SASS_NEG;
    if (s->desc && get(b, s->desc, 1))
        o->flags |= SASS_REUSE;
    if (s->flags & FLAG_REUSE) {
        if (get(b, 122u + s->abs, 1))
            o->flags |= SASS_REUSE;
    } else if (s->abs && get(b, s->abs, 1)) {
        o->flags |= SASS_ABS;
    }
}

static void immediate(const struct sass_slot *s, const struct bits *b, struct sass_operand *o)
{
    uint64_t v = get(b, s->at, s->width);
    unsigned width = s->width;
    if (s->kind == SLOT_IMM2) { /* aux: low part's place, ureg: its width */
        v = v << s->ureg | get(b, s->aux, s->ureg);
        width += s->ureg;
    }
    o->kind = s->kind == SLOT_F32 ? SASS_IMM_F32 : SASS_IMM;
    o->value = s->flags & FLAG_SIGNED ? sign_extend(v, width) : (int64_t)v;
}

/* States of the unit that keeps the warp's threads together, by number; B0..B15 come first. */
static const uint16_t state_words[64] = {[16] = SASS_W_THREAD_STATE_ENUM_0,
                                         [17] = SASS_W_THREAD_STATE_ENUM_1,
                                         [18] = SASS_W_THREAD_STATE_ENUM_2,
                                         [19] = SASS_W_THREAD_STATE_ENUM_3,
                                         [20] = SASS_W_THREAD_STATE_ENUM_4,
                                         [21] = SASS_W_TRAP_RETURN_PC_LO,
                                         [22] = SASS_W_TRAP_RETURN_PC_HI,
                                         [23] = SASS_W_TRAP_RETURN_MASK,
                                         [24] = SASS_W_MEXITED,
                                         [25] = SASS_W_MKILL,
                                         [26] = SASS_W_MACTIVE,
                                         [27] = SASS_W_MATEXIT,
                                         [28] = SASS_W_OPT_STACK,
                                         [29] = SASS_W_API_CALL_DEPTH,
                                         [30] = SASS_W_ATEXIT_PC_LO,
                                         [31] = SASS_W_ATEXIT_PC_HI};

static void decode_slot(const struct sass_row *r, const struct sass_slot *s, const struct bits *b,
                        uint64_t address, struct sass_operand *o)
{
    switch (s->kind) {
    case SLOT_A:
    case SLOT_B:
    case SLOT_C:
    case SLOT_BC:
        alu_source(s, r->flags & ROW_UNIFORM, b, o);
        break;
    case SLOT_R:
    case SLOT_UR:
        plain_register(s, b, o);
        break;
    case SLOT_P:
    case SLOT_UP:
    case SLOT_PMIX:
    case SLOT_PREV:
    case SLOT_UPREV:
        predicate(s, b, o);
        break;
    case SLOT_GDESC:
    case SLOT_DESCRIPTOR:
        o->bank = s->kind == SLOT_GDESC;
        o->kind = SASS_DESCRIPTOR;
        o->reg = get_ureg(b, s->at);
        break;
    case SLOT_PR:
    case SLOT_UPR:
        o->kind = SASS_PREDS;
        o->reg = s->kind == SLOT_UPR;
        break;
    case SLOT_IMM:
    case SLOT_IMM2:
    case SLOT_F32:
        immediate(s, b, o);
        break;
    case SLOT_CONST_WIDE:
        constant(b, o);
        o->kind = SASS_CONST;
        o->value = (int64_t)get(b, 37, 17);
        o->ureg = get_ureg(b, 24);
        break;
    case SLOT_CONST:
    case SLOT_CONST_IDX:
    case SLOT_CONST_UIDX:
        constant(b, o);
        if (s->kind == SLOT_CONST_IDX) {
            o->reg = (uint8_t)get(b, 24, 8);
            if (o->reg != SASS_RZ)
                o->value = sign_extend((uint64_t)o->value, 16);
        }
        if (s->kind == SLOT_CONST_UIDX) {
            o->kind = SASS_CONST;
            o->ureg = get_ureg(b, 24);
            if (o->ureg != SASS_URZ)
                o->value = sign_extend((uint64_t)o->value, 16);
        }
        break;
    case SLOT_MEM:
    case SLOT_MEM_U:
        memory(s, b, o);
        break;
    case SLOT_LABEL:
    case SLOT_LABEL30:
    case SLOT_LABEL24:
    case SLOT_TARGET:
    case SLOT_OFFSET:
        label(s, b, address, o);
        break;
    default:
        o->kind = s->kind == SLOT_SPECIAL ? SASS_SPECIAL
                  : s->kind == SLOT_BAR   ? SASS_BARRIER
                  : s->kind == SLOT_SB    ? SASS_SCOREBOARD
                  : s->kind == SLOT_SBS   ? SASS_SCOREBOARDS
                                          : SASS_WORD;
        o->value = (int64_t)get(b, s->at, s->width);
        if (s->kind == SLOT_STATE && o->value < 16)
            o->kind = SASS_BARRIER;
        else if (s->kind == SLOT_STATE)
            o->suffix = state_words[o->value];
    }
    if (s->suffix && o->kind != SASS_IMM)
        o->suffix = SASS_WORD_OF(s->suffix[get(b, s->suffix_at, s->suffix_width)]);
    if (s->flags & FLAG_DEST)
        o->flags |= SASS_DEST;
}

/* True if the operand says nothing: PT, RZ, URZ or zero, without a sign. */
static bool is_default(const struct sass_operand *o)
{
    if (o->flags & (SASS_NOT | SASS_NEG))
        return false;
    switch (o->kind) {
    case SASS_PRED:
    case SASS_UPRED:
        return o->reg == SASS_PT;
    case SASS_REG:
    case SASS_UREG:
        return o->reg == SASS_RZ;
    default:
        return o->value == 0;
    }
}

static void decode_slots(const struct sass_row *r, const struct bits *b, struct sass_inst *out)
{
    for (size_t i = 0; i < SASS_MAX_OPERANDS && r->slot[i].kind; i++) {
        const struct sass_slot *s = &r->slot[i];
        struct sass_operand *o = &out->operand[out->n_operands++];
        decode_slot(r, s, b, out->address, o);
        bool not_true = o->flags & SASS_NOT && o->reg == SASS_PT;
        if (s->flags & FLAG_HIDDEN || (s->flags & FLAG_HIDE_T && is_default(o)) ||
            (s->flags & FLAG_HIDE_F && not_true) || (s->hide && o->value == s->hide))
            o->flags |= SASS_HIDDEN;
    }
}

static struct sass_control control_codes(const struct bits *b)
{
    return (struct sass_control){
        .stall = (uint8_t)get(b, 105, 4),
        .yield = !get(b, 109, 1), /* the bit is set to stay with this warp */
        .write_barrier = (uint8_t)get(b, 110, 3),
        .read_barrier = (uint8_t)get(b, 113, 3),
        .wait_mask = (uint8_t)get(b, 116, 6),
        .reuse = (uint8_t)get(b, 122, 3),
    };
}

static const struct sass_row *find_row(const struct bits *b)
{
    pthread_once(&index_once, build_index);
    for (uint16_t n = chain_head[b->low & 511]; n; n = chain_next[n])
        if (row_fits(row_of[n], b))
            return row_of[n];
    return NULL;
}

static void mark_bfloat(struct sass_inst *out)
{
    for (size_t i = 0; i < out->n_operands; i++)
        if (out->operand[i].kind == SASS_IMM_F16)
            out->operand[i].kind = SASS_IMM_BF16;
}

bool sass_decode(uint64_t low, uint64_t high, uint64_t address, uint32_t arch,
                 struct sass_inst *out)
{
    const struct bits b = {low, high, arch};
    memset(out, 0, sizeof *out);
    out->low = low;
    out->high = high;
    out->address = address;
    out->guard = (uint8_t)get(&b, 12, 3);
    out->guard_not = (uint8_t)get(&b, 15, 1);
    out->control = control_codes(&b);
    const struct sass_row *r = find_row(&b);
    if (!r)
        return false;
    out->row = r;
    out->op = r->op;
    out->guard_uniform = r->flags & ROW_UNIFORM;
    decode_fields(r, &b, out);
    decode_slots(r, &b, out);
    if (out->mod[SASS_M_SRC_TYPE] == SASS_W_BF16_V2)
        mark_bfloat(out);
    return true;
}

/* N stands in eights less one, and for integers and bits, which have fewer shapes, by their order:
 * 8, 16, 24, 32, then in sixteens. */
bool sass_gmma_is_sparse(const struct sass_inst *i)
{
    bool multiplies = i->op == SASS_HGMMA || i->op == SASS_IGMMA || i->op == SASS_QGMMA;
    return multiplies && sass_bits(i->low, i->high, 73, 1);
}

bool sass_gmma_shape(const struct sass_inst *i, struct sass_gmma_shape *out)
{
    uint32_t eights = (uint32_t)sass_bits(i->low, i->high, 53, 5) + 1;
    uint32_t order = (uint32_t)sass_bits(i->low, i->high, 53, 6);
    bool sparse = sass_gmma_is_sparse(i);
    switch (i->op) {
    case SASS_HGMMA:
        if (sparse) {
            *out = (struct sass_gmma_shape){(uint16_t)(8 * eights),
                                            sass_bits(i->low, i->high, 59, 1) ? 32 : 16};
            return true;
        }
        *out = (struct sass_gmma_shape){(uint16_t)(8 * eights),
                                        sass_bits(i->low, i->high, 58, 1) ? 8 : 16};
        return true;
    case SASS_QGMMA:
        *out = (struct sass_gmma_shape){(uint16_t)(8 * eights), sparse ? 64 : 32};
        return true;
    case SASS_IGMMA:
    case SASS_BGMMA:
        order = i->op == SASS_IGMMA ? order / 3 : order;
        *out = (struct sass_gmma_shape){(uint16_t)(order < 4 ? 8 * order + 8 : 16 * order - 16),
                                        i->op == SASS_BGMMA ? 256
                                        : sparse            ? 64
                                                            : 32};
        return true;
    default:
        return false;
    }
}
