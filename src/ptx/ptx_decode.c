/* ptx_decode.c - the framework of the decoder: operands, constants, temporaries, modifiers. */
#include "ptx/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "emulator/half.h"
#include "ptx/special.h"

/* ---- failures ---- */

bool ptx_dec_fail(struct ptx_decoder *d, strata_status status, const char *format, ...)
{
    char text[500];
    va_list args;
    if (d->status != STRATA_OK)
        return false;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    d->status = strata_fail(d->err, status, d->f->unit->name, d->op ? d->op->line : d->f->line,
                            d->op ? d->op->column : 0, "kernel \"%s\": %s",
                            d->m->ast.names.text[d->f->name], text);
    return false;
}

bool ptx_dec_unsupported(struct ptx_decoder *d, const char *why)
{
    return ptx_dec_fail(d, STRATA_EUNSUPPORTED, "instruction \"%s\" is not supported: %s",
                        d->op->text, why);
}

bool ptx_dec_no_memory(struct ptx_decoder *d)
{
    return ptx_dec_fail(d, STRATA_ENOMEM, "there is no memory left to decode it.");
}

void *ptx_dec_allocate(struct ptx_decoder *d, size_t bytes)
{
    void *piece = ptx_pool_allocate(&d->m->ast.pool, bytes);
    if (!piece)
        ptx_dec_no_memory(d);
    return piece;
}

/* ---- modifiers ---- */

bool ptx_dec_has(struct ptx_decoder *d, unsigned modifier)
{
    bool found = false;
    for (unsigned i = 0; i < d->op->n_modifiers; i++)
        if (d->op->modifier[i] == modifier) {
            d->taken |= 1u << i;
            found = true;
        }
    return found;
}

unsigned ptx_dec_type(struct ptx_decoder *d, unsigned n)
{
    for (unsigned i = 0; i < d->op->n_modifiers; i++)
        if (ptx_is_type(d->op->modifier[i]) && n-- == 0) {
            d->taken |= 1u << i;
            return d->op->modifier[i];
        }
    return PTX_NONE;
}

unsigned ptx_dec_one_of(struct ptx_decoder *d, const uint8_t *list)
{
    for (unsigned i = 0; i < d->op->n_modifiers; i++)
        for (const uint8_t *m = list; *m; m++)
            if (d->op->modifier[i] == *m) {
                d->taken |= 1u << i;
                return *m;
            }
    return PTX_NONE;
}

/* ---- constants and temporaries ---- */

unsigned ptx_lane_bytes(unsigned type)
{
    return type == PTX_PRED ? 0 : ptx_type_bytes(type) == 8 ? 8 : 4;
}

static bool constants_rehash(struct ptx_decoder *d)
{
    uint32_t n = d->n_constant_slots ? d->n_constant_slots * 2 : 256;
    uint32_t *slots = calloc(n, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < d->n_constants; i++) {
        uint32_t at = (uint32_t)mix64(d->constants[i].value + d->constants[i].lane_bytes) & (n - 1);
        while (slots[at])
            at = (at + 1) & (n - 1);
        slots[at] = i + 1;
    }
    free(d->constant_slots);
    d->constant_slots = slots;
    d->n_constant_slots = n;
    return true;
}

static bool constant_add(struct ptx_decoder *d, uint64_t value, unsigned lane_bytes, uint32_t *ref)
{
    struct ptx_image *image = d->image;
    size_t bytes = lane_bytes ? lane_bytes * EMU_LANES : 8;
    size_t offset = (image->n_constant_bytes + 63) & ~(size_t)63, cap = d->cap_constants;
    if (!ARRAY_RESERVE(d->constants, d->n_constants, cap, 1))
        return ptx_dec_no_memory(d);
    d->cap_constants = (uint32_t)cap;
    if (!ARRAY_RESERVE(image->constants, image->n_constant_bytes, image->cap_constants,
                       bytes + 64 + (offset - image->n_constant_bytes)))
        return ptx_dec_no_memory(d);
    if (offset + bytes > 0x3fffffffu)
        return ptx_dec_fail(d, STRATA_ELIMIT, "it has too many constants");
    for (size_t i = 0; i < bytes; i += lane_bytes ? lane_bytes : 8)
        memcpy(image->constants + offset + i, &value, lane_bytes ? lane_bytes : 8);
    image->n_constant_bytes = offset + bytes;
    *ref = PTX_REF(PTX_BANK_CONST, offset);
    d->constants[d->n_constants++] = (struct ptx_constant){value, *ref, (uint8_t)lane_bytes};
    return true;
}

bool ptx_dec_constant(struct ptx_decoder *d, unsigned type, uint64_t value, uint32_t *ref)
{
    unsigned lane_bytes = ptx_lane_bytes(type);
    if (!lane_bytes)
        value = value ? 0xffffffffu : 0;
    if (d->n_constants * 2 >= d->n_constant_slots && !constants_rehash(d))
        return ptx_dec_no_memory(d);
    uint32_t mask = d->n_constant_slots - 1, at = (uint32_t)mix64(value + lane_bytes) & mask;
    for (; d->constant_slots[at]; at = (at + 1) & mask) {
        const struct ptx_constant *c = &d->constants[d->constant_slots[at] - 1];
        if (c->value == value && c->lane_bytes == lane_bytes) {
            *ref = c->ref;
            return true;
        }
    }
    if (!constant_add(d, value, lane_bytes, ref))
        return false;
    d->constant_slots[at] = d->n_constants;
    return true;
}

static uint32_t frame_slot(struct ptx_decoder *d, unsigned lane_bytes)
{
    uint32_t bytes = lane_bytes ? lane_bytes * EMU_LANES : 4;
    uint32_t offset = lane_bytes ? (d->frame_bytes + 63) & ~63u : d->frame_bytes;
    d->frame_bytes = offset + bytes;
    return PTX_REF(PTX_BANK_REG, offset);
}

bool ptx_dec_temp(struct ptx_decoder *d, unsigned type, uint32_t *ref)
{
    unsigned lane_bytes = ptx_lane_bytes(type), class = lane_bytes / 4;
    if (d->n_temps[class] == PTX_MAX_TEMPS)
        return ptx_dec_fail(d, STRATA_ELIMIT, "an instruction needs too many temporaries");
    uint32_t *slot = &d->temps[class][d->n_temps[class]++];
    if (*slot == PTX_NO_REF)
        *slot = frame_slot(d, lane_bytes);
    *ref = *slot;
    return true;
}

/* ---- instructions ---- */

struct ptx_inst ptx_dec_inst(struct ptx_decoder *d, ptx_handler *run, unsigned flow)
{
    struct ptx_inst in;
    memset(&in, 0, sizeof in);
    in.run = run;
    in.flow = (uint8_t)flow;
    in.d = in.d2 = in.a = in.b = in.c = in.e = PTX_NO_REF;
    in.guard = PTX_NO_REF;
    in.site.record = EMU_NO_INDEX;
    in.target = in.join = EMU_NO_INDEX;
    in.site.line = d->op ? d->op->line : d->f->line;
    in.n = 1;
    return in;
}

static unsigned site_space(unsigned space)
{
    switch (space) {
    case PTX_M_GLOBAL:
        return EMU_GLOBAL;
    case PTX_M_SHARED:
        return EMU_SHARED;
    case PTX_M_LOCAL:
        return EMU_LOCAL;
    case PTX_M_CONST:
        return EMU_CONST;
    case PTX_M_PARAM:
        return EMU_PARAM;
    default:
        return EMU_GENERIC;
    }
}

static void complete_site(struct ptx_image *image, struct ptx_inst *in)
{
    in->site.space = (uint8_t)site_space(in->space);
    in->site.writes = in->flags & PTX_INST_WRITES;
    in->site.no_address = in->flags & PTX_INST_NO_RECORD_ADDRESS;
    in->site.slot = image->base.n_slots++;
}

bool ptx_dec_put(struct ptx_decoder *d, const struct ptx_inst *in)
{
    struct ptx_image *image = d->image;
    if (!in->run &&
        (in->flow == PTX_STEP || in->flow == PTX_MEMORY || in->flow == PTX_SPECIAL ||
         in->flow == PTX_SYNC_STEP || in->flow == PTX_SELF || in->flow == PTX_WAIT_STEP))
        return ptx_dec_unsupported(d, "this combination of type and modifiers is unknown");
    if (!ARRAY_RESERVE(image->code, image->n_code, image->cap_code, 1))
        return ptx_dec_no_memory(d);
    image->code[image->n_code] = *in;
    if (in->flow == PTX_MEMORY || in->flow == PTX_SELF || in->flow == PTX_WAIT_STEP)
        complete_site(image, &image->code[image->n_code]);
    image->n_code++;
    return true;
}

static void set_guard(struct ptx_decoder *d, struct ptx_inst *in)
{
    if (d->op->guard == PTX_NO_REG)
        return;
    in->guard = d->reg_ref[d->op->guard];
    in->guard_negated = d->op->guard_negated;
}

static bool put_widening(struct ptx_decoder *d, const struct ptx_widening *wide)
{
    struct ptx_conversion c = {.to = PTX_U64, .from = wide->is_signed ? PTX_S32 : PTX_U32};
    struct ptx_inst in = ptx_dec_inst(d, ptx_convert_handler(&c), PTX_STEP);
    in.d = wide->to;
    in.a = wide->from;
    set_guard(d, &in);
    return ptx_dec_put(d, &in);
}

bool ptx_dec_put_main(struct ptx_decoder *d, struct ptx_inst *in)
{
    set_guard(d, in);
    if (!ptx_static_add(d, in))
        return ptx_dec_no_memory(d);
    if (!ptx_dec_put(d, in))
        return false;
    for (uint32_t i = 0; i < d->n_widening; i++)
        if (!put_widening(d, &d->widening[i]))
            return false;
    d->n_widening = 0;
    return true;
}

/* ---- operands ---- */

const struct ptx_operand *ptx_dec_operand(struct ptx_decoder *d, unsigned n)
{
    static const struct ptx_operand none;
    return n < d->op->n_operands ? &d->op->operands[n] : &none;
}

bool ptx_dec_expect_operands(struct ptx_decoder *d, unsigned low, unsigned high)
{
    if (d->op->n_operands >= low && d->op->n_operands <= high)
        return true;
    return ptx_dec_fail(d, STRATA_EFORMAT, "instruction \"%s\" has %u operands", d->op->text,
                        d->op->n_operands);
}

unsigned ptx_dec_operand_lanes(const struct ptx_decoder *d, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG ? ptx_lane_bytes(d->f->reg_type[o->u.reg]) : 0;
}

bool ptx_dec_immediate(const struct ptx_operand *o, uint64_t *value)
{
    if (o->kind != PTX_OPERAND_INT)
        return false;
    *value = o->value;
    return true;
}

/* A number in the bits of `type`. */
static uint64_t number_bits(const struct ptx_operand *o, unsigned type)
{
    double x = 0;
    float f;
    uint32_t low = (uint32_t)o->value;
    uint64_t bits = o->value;
    bool is_float = ptx_type_kind(type) == 'f';
    if (o->kind == PTX_OPERAND_INT && !is_float)
        return ptx_type_bytes(type) == 8 ? o->value : (uint32_t)o->value;
    if (o->kind == PTX_OPERAND_F32 && ptx_type_bytes(type) == 4 && type != PTX_F16X2)
        return low;
    if (o->kind == PTX_OPERAND_F64 && ptx_type_bytes(type) == 8)
        return bits;
    if (o->kind == PTX_OPERAND_INT) {
        if (type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_F16 || type == PTX_BF16)
            return low;
        x = (double)(int64_t)o->value;
    } else if (o->kind == PTX_OPERAND_F32) {
        memcpy(&f, &low, sizeof f);
        x = f;
    } else {
        memcpy(&x, &bits, sizeof x);
    }
    if (type == PTX_F16)
        return emu_half_from(x, EMU_ROUND_NEAREST);
    if (type == PTX_BF16)
        return emu_bfloat_from(x, EMU_ROUND_NEAREST);
    if (ptx_type_bytes(type) == 8) {
        memcpy(&bits, &x, sizeof x);
        return bits;
    }
    f = (float)x;
    memcpy(&low, &f, sizeof f);
    return low;
}

static bool narrow_source(struct ptx_decoder *d, uint32_t from, uint32_t *ref)
{
    struct ptx_conversion c = {.to = PTX_U32, .from = PTX_U64};
    struct ptx_inst in = ptx_dec_inst(d, ptx_convert_handler(&c), PTX_STEP);
    if (!ptx_dec_temp(d, PTX_U32, ref))
        return false;
    in.d = *ref;
    in.a = from;
    return ptx_dec_put(d, &in);
}

static bool invert_source(struct ptx_decoder *d, uint32_t from, uint32_t *ref)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_bits_handler(PTX_OP_not, PTX_PRED, 0), PTX_STEP);
    if (!ptx_dec_temp(d, PTX_PRED, ref))
        return false;
    in.d = *ref;
    in.a = from;
    return ptx_dec_put(d, &in);
}

static bool register_source(struct ptx_decoder *d, const struct ptx_operand *o, unsigned type,
                            uint32_t *ref)
{
    unsigned have = ptx_dec_operand_lanes(d, o), want = ptx_lane_bytes(type);
    *ref = d->reg_ref[o->u.reg];
    if (have == want)
        return o->negated ? (want ? ptx_dec_unsupported(d, "\"!\" before a register")
                                  : invert_source(d, *ref, ref))
                          : true;
    if (have == 8 && want == 4)
        return narrow_source(d, *ref, ref);
    return ptx_dec_fail(d, STRATA_EFORMAT,
                        "instruction \"%s\": an operand register does not fit its type",
                        d->op->text);
}

/* The address of a variable as a value. */
static bool is_missing(struct ptx_decoder *d, const struct ptx_var *var)
{
    if (!var->is_extern || var->space == PTX_M_SHARED)
        return false;
    return !ptx_dec_fail(d, STRATA_EUNSUPPORTED,
                         "variable \"%s\" is declared .extern and defined nowhere in the module",
                         d->m->ast.names.text[var->name]);
}

static bool variable_source(struct ptx_decoder *d, const struct ptx_operand *o, unsigned type,
                            uint32_t *ref)
{
    const struct ptx_var *var = o->u.var->same;
    if (is_missing(d, var))
        return false;
    if (!ptx_lane_bytes(type))
        return ptx_dec_fail(d, STRATA_EFORMAT, "an address is used as a predicate");
    if (var->space == PTX_M_GLOBAL || var->space == PTX_M_CONST || var->space == PTX_M_SHARED)
        return ptx_dec_constant(d, type, var->offset + o->value, ref);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_local_address, PTX_STEP);
    if (!ptx_dec_temp(d, type, ref))
        return false;
    in.d = *ref;
    in.imm = (int64_t)(var->offset + o->value);
    in.flags = ptx_lane_bytes(type) == 8 ? PTX_INST_WIDE_DST : 0;
    /* Parameters have no space of their own: their addresses are generic ones. */
    if (var->is_kernel_param) {
        in.op = 1;
    } else if (var->space == PTX_M_PARAM) {
        in.imm += (int64_t)STRATA_LOCAL_WINDOW;
    }
    return ptx_dec_put(d, &in);
}

static bool special_source(struct ptx_decoder *d, const struct ptx_operand *o, unsigned type,
                           uint32_t *ref)
{
    const char *name = d->m->ast.names.text[o->u.name];
    bool wide;
    enum ptx_special_kind kind = ptx_special_find(name, ref, &wide);
    unsigned want = ptx_lane_bytes(type);
    if (kind == PTX_SPECIAL_UNKNOWN)
        return ptx_dec_fail(d, name[0] == '%' ? STRATA_EUNSUPPORTED : STRATA_EFORMAT,
                            "instruction \"%s\": \"%s\" is neither a declared register nor a "
                            "special register the emulator knows",
                            d->op->text, name);
    if (!want && kind != PTX_SPECIAL_MASK)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\" is used as a predicate", name);
    if (kind == PTX_SPECIAL_MASK)
        return want ? ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\" is a predicate", name) : true;
    if (kind == PTX_SPECIAL_LANES) {
        if (want == 4)
            return true;
        struct ptx_conversion c = {.to = PTX_U64, .from = PTX_U32};
        struct ptx_inst in = ptx_dec_inst(d, ptx_convert_handler(&c), PTX_STEP);
        in.a = *ref;
        if (!ptx_dec_temp(d, type, ref))
            return false;
        in.d = *ref;
        return ptx_dec_put(d, &in);
    }
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_mov_clock, PTX_STEP);
    if (!ptx_dec_temp(d, type, ref))
        return false;
    in.d = *ref;
    in.op = (uint8_t)kind;
    d->image->base.reads_clock = true;
    in.flags = want == 8 ? PTX_INST_WIDE_DST : 0;
    return ptx_dec_put(d, &in);
}

bool ptx_dec_source(struct ptx_decoder *d, const struct ptx_operand *o, unsigned type,
                    uint32_t *ref)
{
    switch (o->kind) {
    case PTX_OPERAND_REG:
        return register_source(d, o, type, ref);
    case PTX_OPERAND_INT:
    case PTX_OPERAND_F32:
    case PTX_OPERAND_F64: {
        uint64_t bits = number_bits(o, type);
        return ptx_dec_constant(d, type, type == PTX_PRED && o->negated ? !bits : bits, ref);
    }
    case PTX_OPERAND_SREG:
        return special_source(d, o, type, ref);
    case PTX_OPERAND_VAR:
        return variable_source(d, o, type, ref);
    case PTX_OPERAND_FUNC:
        return ptx_dec_constant(d, type, STRATA_CODE_WINDOW + 16ull * o->u.func->same->id, ref);
    case PTX_OPERAND_NONE:
        return ptx_dec_fail(d, STRATA_EFORMAT, "instruction \"%s\" lacks an operand", d->op->text);
    case PTX_OPERAND_NAME:
        return ptx_dec_fail(d, STRATA_EFORMAT, "instruction \"%s\": \"%s\" is not declared",
                            d->op->text, d->m->ast.names.text[o->u.name]);
    default:
        return ptx_dec_fail(d, STRATA_EFORMAT, "instruction \"%s\" has an operand of a wrong kind",
                            d->op->text);
    }
}

bool ptx_dec_dest(struct ptx_decoder *d, const struct ptx_operand *o, unsigned type, uint32_t *ref)
{
    unsigned want = ptx_lane_bytes(type);
    if (o->kind == PTX_OPERAND_SINK)
        return ptx_dec_temp(d, type, ref);
    if (o->kind != PTX_OPERAND_REG)
        return ptx_dec_fail(d, STRATA_EFORMAT, "the destination of \"%s\" is not a register",
                            d->op->text);
    unsigned have = ptx_dec_operand_lanes(d, o);
    *ref = d->reg_ref[o->u.reg];
    if (have == want)
        return true;
    if (have != 8 || want != 4 || d->n_widening == PTX_MAX_TEMPS)
        return ptx_dec_fail(d, STRATA_EFORMAT,
                            "instruction \"%s\": the destination register does not fit its type",
                            d->op->text);
    struct ptx_widening *wide = &d->widening[d->n_widening++];
    wide->to = *ref;
    wide->is_signed = ptx_type_kind(type) == 's';
    if (!ptx_dec_temp(d, type, ref))
        return false;
    wide->from = *ref;
    return true;
}

bool ptx_dec_source_n(struct ptx_decoder *d, unsigned n, unsigned type, uint32_t *ref)
{
    return ptx_dec_source(d, ptx_dec_operand(d, n), type, ref);
}

bool ptx_dec_dest_n(struct ptx_decoder *d, unsigned n, unsigned type, uint32_t *ref)
{
    return ptx_dec_dest(d, ptx_dec_operand(d, n), type, ref);
}

/* ---- addresses and vectors ---- */

static bool address_of_variable(struct ptx_decoder *d, const struct ptx_operand *base,
                                struct ptx_inst *in)
{
    const struct ptx_var *var = base->u.var->same;
    uint64_t address = var->offset + base->value;
    if (is_missing(d, var))
        return false;
    if (var->is_kernel_param) {
        if (in->space != PTX_M_PARAM)
            return ptx_dec_fail(d, STRATA_EFORMAT, "a kernel parameter is accessed by \"%s\"",
                                d->op->text);
        if (address + (uint64_t)in->width * in->n > var->offset + var->bytes)
            return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\" reads beyond a kernel parameter",
                                d->op->text);
        in->imm = (int64_t)address;
        return true;
    }
    if (var->space == PTX_M_PARAM)
        in->space = PTX_M_LOCAL;
    if (in->space == PTX_NONE) /* the name says where it lies */
        in->space = var->space;
    in->imm = 0;
    in->flags |= PTX_INST_UNIFORM_ADDRESS;
    return ptx_dec_constant(d, PTX_U64, address, &in->a);
}

bool ptx_dec_address(struct ptx_decoder *d, const struct ptx_operand *o, struct ptx_inst *in)
{
    if (o->kind != PTX_OPERAND_ADDRESS)
        return ptx_dec_fail(d, STRATA_EFORMAT, "instruction \"%s\" lacks an address in brackets",
                            d->op->text);
    const struct ptx_operand *base = &o->u.children[0];
    if (base->kind == PTX_OPERAND_VAR)
        return address_of_variable(d, base, in);
    in->imm = (int64_t)base->value;
    if (in->space == PTX_M_PARAM) /* a register that holds a parameter's (generic) address */
        in->space = PTX_NONE;
    if (base->kind == PTX_OPERAND_INT) {
        in->imm = 0;
        return ptx_dec_constant(d, PTX_U64, base->value, &in->a);
    }
    if (base->kind != PTX_OPERAND_REG)
        return ptx_dec_source(d, base, PTX_U64, &in->a);
    unsigned lanes = ptx_dec_operand_lanes(d, base);
    if (lanes == 4)
        in->flags |= PTX_INST_ADDRESS32;
    return ptx_dec_source(d, base, lanes == 8 ? PTX_U64 : PTX_U32, &in->a);
}

bool ptx_dec_elements(struct ptx_decoder *d, const struct ptx_operand *o, unsigned type, unsigned n,
                      bool is_dest, const uint32_t **refs)
{
    uint32_t *list = ptx_dec_allocate(d, n * sizeof *list);
    if (!list)
        return false;
    if (o->kind == PTX_OPERAND_VECTOR ? o->n_children != n : n != 1)
        return ptx_dec_fail(d, STRATA_EFORMAT, "instruction \"%s\" needs a vector of %u",
                            d->op->text, n);
    for (unsigned i = 0; i < n; i++) {
        const struct ptx_operand *e = o->kind == PTX_OPERAND_VECTOR ? &o->u.children[i] : o;
        if (is_dest ? !ptx_dec_dest(d, e, type, &list[i]) : !ptx_dec_source(d, e, type, &list[i]))
            return false;
    }
    *refs = list;
    return true;
}
