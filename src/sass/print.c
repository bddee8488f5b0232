/* print.c - the text of a decoded instruction, as NVIDIA's disassembler writes it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emulator/half.h"
#include "sass/table.h"

static const char *const op_names[] = {"???",
#define X(name) #name,
                                       SASS_OPS(X)
#undef X
};
static const char *const word_texts[] = {"",
#define X(name) #name,
                                         SASS_WORDS(X)
#undef X
};

const char *sass_op_name(enum sass_op op)
{
    return (unsigned)op < SASS_OP_COUNT ? op_names[op] : op_names[0];
}

const char *sass_word_text(enum sass_word word)
{
    return (unsigned)word < SASS_W_COUNT ? word_texts[word] : "";
}

struct text {
    char *at;
    size_t size, length; /* length may pass size: what would have been written */
};

static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t left = t->length < t->size ? t->size - t->length : 0;
    int n = vsnprintf(left ? t->at + t->length : NULL, left, format, args);
    va_end(args);
    if (n > 0)
        t->length += (size_t)n;
}

static void put_hex(struct text *t, int64_t v, bool is_unsigned)
{
    if (v < 0 && !is_unsigned)
        put(t, "-0x%llx", (unsigned long long)-(uint64_t)v);
    else
        put(t, "0x%llx", (unsigned long long)v);
}

/* Large numbers have all digits and an exponent, the others at most 20 significant digits. */
static void put_float(struct text *t, double v)
{
    if (isnan(v))
        put(t, "%cQNAN ", signbit(v) ? '-' : '+');
    else if (isinf(v))
        put(t, "%cINF ", v < 0 ? '-' : '+');
    else if (fabs(v) >= 1e9)
        put(t, "%.20e", v);
    else
        put(t, "%.20g", v);
}

static void put_float_bits(struct text *t, const struct sass_operand *o)
{
    uint64_t v = (uint64_t)o->value;
    if (o->kind == SASS_IMM_F64) {
        double d;
        memcpy(&d, &v, sizeof d);
        put_float(t, d);
    } else if (o->kind == SASS_IMM_F32) {
        uint32_t w = (uint32_t)v;
        float f;
        memcpy(&f, &w, sizeof f);
        put_float(t, f);
    } else {
        bool bf16 = o->kind == SASS_IMM_BF16;
        for (int half = 1; half >= 0; half--) {
            uint16_t h = (uint16_t)(v >> 16 * half);
            put_float(t, bf16 ? emu_bfloat_value(h) : emu_half_value(h));
            put(t, half ? ", " : "");
        }
    }
}

static void put_register(struct text *t, bool uniform, uint8_t reg)
{
    if (reg == SASS_RZ)
        put(t, uniform ? "URZ" : "RZ");
    else
        put(t, uniform ? "UR%u" : "R%u", reg);
}

static void put_predicate(struct text *t, const struct sass_operand *o)
{
    const char *file = o->kind == SASS_UPRED ? "U" : "";
    if (o->flags & SASS_NOT)
        put(t, "!");
    if (o->reg == SASS_PT)
        put(t, "%sPT", file);
    else
        put(t, "%sP%u", file, o->reg);
}

static void put_suffix(struct text *t, uint16_t word)
{
    if (word)
        put(t, ".%s", sass_word_text(word));
}

static void put_constant(struct text *t, const struct sass_operand *o, uint32_t flags)
{
    if (o->kind == SASS_CONST_UREG) {
        put(t, "cx[");
        put_register(t, true, o->ureg);
        put(t, "]");
    } else {
        put(t, "c[0x%x]", o->bank);
    }
    put(t, (flags & (FLAG_HALF | FLAG_TIGHT)) == FLAG_HALF ? " [" : "[");
    bool indexed = true;
    bool zero = flags & FLAG_ZERO && !o->value;
    if (o->reg != SASS_RZ || (zero && o->ureg == SASS_NO_UREG))
        put_register(t, false, o->reg);
    else if (o->kind == SASS_CONST && o->ureg != SASS_NO_UREG && (o->ureg != SASS_URZ || zero))
        put_register(t, true, o->ureg);
    else
        indexed = false;
    if (indexed && o->value) {
        put(t, "+");
        put_hex(t, o->value, false);
    } else if (!indexed) {
        put_hex(t, o->value, false);
    }
    put(t, "]");
}

/* Parts of an address are joined by '+', also before a negative offset. */
static void put_memory(struct text *t, const struct sass_operand *o)
{
    bool some = false;
    if (o->desc != SASS_URZ) {
        put(t, "desc[");
        put_register(t, true, o->desc);
        put(t, "]");
    }
    put(t, "[");
    if (o->reg != SASS_RZ || o->suffix) {
        put_register(t, false, o->reg);
        put_suffix(t, o->suffix);
        some = true;
    }
    if (o->ureg != SASS_NO_UREG && (o->ureg != SASS_URZ || o->suffix != SASS_W_64)) {
        put(t, some ? "+" : "");
        put_register(t, true, o->ureg);
        put_suffix(t, o->ureg_suffix);
        some = true;
    }
    if (!some && !o->value)
        put_register(t, false, SASS_RZ);
    else if (o->value) {
        put(t, some ? "+" : "");
        put_hex(t, o->value, false);
    }
    put(t, "]");
}

static void put_scoreboards(struct text *t, uint64_t mask)
{
    const char *comma = "{";
    for (int i = 5; i >= 0; i--)
        if (mask >> i & 1) {
            put(t, "%s%d", comma, i);
            comma = ",";
        }
    put(t, "}");
}

static void put_bare(struct text *t, const struct sass_operand *o, uint32_t flags)
{
    switch (o->kind) {
    case SASS_REG:
    case SASS_UREG:
        put_register(t, o->kind == SASS_UREG, o->reg);
        break;
    case SASS_PREDS:
        put(t, o->reg ? "UPR" : "PR");
        break;
    case SASS_IMM_F16:
    case SASS_IMM_BF16:
    case SASS_IMM_F32:
    case SASS_IMM_F64:
        put_float_bits(t, o);
        break;
    case SASS_CONST:
    case SASS_CONST_UREG:
        put_constant(t, o, flags);
        break;
    case SASS_MEMORY:
        put_memory(t, o);
        break;
    case SASS_DESCRIPTOR:
        put(t, o->bank ? "gdesc[" : "desc[");
        put_register(t, true, o->reg);
        put(t, "]");
        break;
    case SASS_SPECIAL:
        if (sass_special_name((uint32_t)o->value))
            put(t, "%s", sass_special_name((uint32_t)o->value));
        else
            put(t, "SR%u", (unsigned)o->value);
        break;
    case SASS_BARRIER:
        put(t, "B%u", (unsigned)o->value);
        break;
    case SASS_SCOREBOARD:
        put(t, "SB%u", (unsigned)o->value);
        break;
    case SASS_SCOREBOARDS:
        put_scoreboards(t, (uint64_t)o->value);
        break;
    case SASS_WORD:
        put(t, "%s", sass_word_text(o->suffix));
        break;
    default:
        put_hex(t, o->value, flags & FLAG_WHOLE);
    }
}

static bool suffix_follows(const struct sass_operand *o)
{
    return o->kind == SASS_REG || o->kind == SASS_UREG || o->kind == SASS_CONST ||
           o->kind == SASS_CONST_UREG || o->kind == SASS_IMM || o->kind == SASS_DESCRIPTOR;
}

static void put_operand(struct text *t, const struct sass_operand *o, uint32_t flags)
{
    if (o->kind == SASS_PRED || o->kind == SASS_UPRED) {
        put_predicate(t, o);
        return;
    }
    put(t, "%s%s",
        o->flags & SASS_NEG   ? "-"
        : o->flags & SASS_NOT ? "~"
                              : "",
        o->flags & SASS_ABS ? "|" : "");
    put_bare(t, o, flags);
    /* the bars enclose what belongs to a constant, but not to a register */
    bool inside = o->kind != SASS_REG;
    if (o->flags & SASS_ABS && !inside)
        put(t, "|");
    if (o->flags & SASS_REUSE)
        put(t, ".reuse");
    if (suffix_follows(o))
        put_suffix(t, o->suffix);
    if (o->flags & SASS_ABS && inside)
        put(t, "|");
}

static void put_modifiers(struct text *t, const struct sass_inst *i)
{
    for (size_t n = 0; n < SASS_MAX_FIELDS && i->row->field[n].word; n++) {
        const struct sass_field *f = &i->row->field[n];
        uint64_t v = f->width ? sass_bits(i->low, i->high, f->at, f->width) : 0;
        if (f->width2)
            v |= sass_bits(i->low, i->high, f->at2, f->width2) << f->width;
        uint16_t word = f->word[v];
        if (word == SASS_W_INVALID)
            put(t, ".INVALID%u", (unsigned)v);
        else if (word && !(word & SASS_SILENT))
            put_suffix(t, word);
    }
}

size_t sass_print(const struct sass_inst *i, char *text, size_t size)
{
    struct text t = {text, size, 0};
    if (size)
        *text = '\0';
    if (i->guard != SASS_PT || i->guard_not) {
        const struct sass_operand guard = {.kind = i->guard_uniform ? SASS_UPRED : SASS_PRED,
                                           .reg = i->guard,
                                           .flags = i->guard_not ? SASS_NOT : 0};
        put(&t, "@");
        put_predicate(&t, &guard);
        put(&t, " ");
    }
    put(&t, "%s", sass_op_name(i->op));
    if (!i->row)
        return t.length;
    struct sass_gmma_shape shape;
    if (sass_gmma_shape(i, &shape))
        put(&t, "%s.64x%ux%u", sass_gmma_is_sparse(i) ? ".SP" : "", shape.n, shape.k);
    put_modifiers(&t, i);
    const char *separator = " ";
    for (size_t n = 0; n < i->n_operands; n++) {
        if (i->operand[n].flags & SASS_HIDDEN)
            continue;
        put(&t, "%s", i->row->slot[n].flags & FLAG_SPACE ? " " : separator);
        put_operand(&t, &i->operand[n], i->row->slot[n].flags);
        separator = ", ";
    }
    while (t.length && t.length < size && text[t.length - 1] == ' ')
        text[--t.length] = '\0';
    return t.length < size ? t.length : size ? size - 1 : 0;
}
