/* static.c - what a trace says of an instruction: the fields an instrumented run would give. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sass/lower.h"
#include "sass/module.h"

/* The opcode with its modifiers: the first word of the text behind the guard. */
static char *opcode_text(const struct sass_inst *in)
{
    char text[256];
    sass_print(in, text, sizeof text);
    const char *at = text;
    if (*at == '@')
        at += strcspn(at, " ");
    at += strspn(at, " ");
    return strndup(at, strcspn(at, " "));
}

static void add_registers(const struct sass_inst *in, struct strata_inst *s)
{
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < in->n_operands; i++) {
            const struct sass_operand *o = &in->operand[i];
            bool dest = o->flags & SASS_DEST;
            bool has_register =
                o->kind == SASS_REG || (o->kind == SASS_MEMORY && o->reg != SASS_RZ);
            if (!has_register || o->flags & SASS_HIDDEN || dest != (pass == 0))
                continue;
            if (dest && s->n_dst < STRATA_MAX_DST)
                s->reg[s->n_dst++] = o->reg;
            else if (!dest && s->n_src < STRATA_MAX_SRC)
                s->reg[s->n_dst + s->n_src++] = o->reg;
        }
}

static struct strata_control control_of(const struct sass_control *c)
{
    return (struct strata_control){.known = 1,
                                   .stall = c->stall,
                                   .yield = c->yield,
                                   .write_barrier = c->write_barrier,
                                   .read_barrier = c->read_barrier,
                                   .wait_mask = c->wait_mask,
                                   .reuse = c->reuse};
}

static bool add(struct sass_image *image, const struct strata_inst *s)
{
    struct emu_image *base = &image->base;
    if (!s->opcode || !ARRAY_RESERVE(base->statics, base->n_statics, base->cap_statics, 1))
        return false;
    base->statics[base->n_statics++] = *s;
    return true;
}

/* An access through a generic address has one instruction for each space, in this order. */
static bool add_spaces(struct sass_image *image, struct strata_inst *s)
{
    static const uint8_t spaces[] = {STRATA_SPACE_GLOBAL, STRATA_SPACE_SHARED, STRATA_SPACE_LOCAL};
    const char *opcode = s->opcode;
    s->hints |= STRATA_HINT_GENERIC;
    for (unsigned k = 0; k < 3; k++) {
        s->space = spaces[k];
        s->opcode = k ? strdup(opcode) : opcode;
        if (!add(image, s))
            return false;
    }
    return true;
}

/* A read of a texture has one for each combination of axes along which it mixes texels. */
static bool add_mixes(struct sass_image *image, struct strata_inst *s, unsigned axes)
{
    for (unsigned mixed = 1; mixed <= axes; mixed++) {
        s->hints = (uint16_t)(mixed << STRATA_MIXED_SHIFT);
        s->opcode = strdup(s->opcode);
        if (!add(image, s))
            return false;
    }
    return true;
}

uint32_t sass_main_file(const struct sass_module *m, const struct sass_kernel *k)
{
    uint64_t most = 0;
    uint32_t best = SASS_UNDEFINED;
    for (uint32_t file = 0; file < m->cubin.n_files; file++) {
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < k->n_lines; i++) {
            uint64_t end =
                i + 1 < k->n_lines ? k->line[i + 1].address : m->cubin.section[k->section].size;
            if (k->line[i].file == file && end > k->line[i].address)
                bytes += end - k->line[i].address;
        }
        if (bytes > most) {
            most = bytes;
            best = file;
        }
    }
    return best;
}

/* Of a lane: SR_LANEID, SR_TID with all three indices in a word, SR_TID.X to .Z, SR_EQMASK to
 * SR_GEMASK; SR_VIRTID comes the same way (probe stage_probe.cu). */
static int32_t special_read(int64_t number)
{
    bool of_lane = number == 0 || number == 3 || (number >= 32 && number <= 35) ||
                   (number >= 56 && number <= 60);
    return of_lane ? STRATA_SPECIAL_OF_LANE : STRATA_SPECIAL_OF_WARP;
}

/* Where it is a number in the code. */
static int32_t sleep_nanoseconds(const struct sass_inst *in)
{
    const struct sass_operand *last = in->n_operands ? &in->operand[in->n_operands - 1] : NULL;
    if (!last || last->kind != SASS_IMM)
        return 0;
    uint64_t ns = (uint32_t)last->value;
    return (int32_t)(ns < STRATA_SLEEP_MOST_NS ? ns : STRATA_SLEEP_MOST_NS);
}

/* Without memory the place is not told, which changes nothing that is computed. */
static const char *inlined_text(struct sass_module *m, const struct sass_line *line)
{
    if (!line->inlined)
        return NULL;
    if (!m->inlined && !(m->inlined = calloc(m->cubin.n_inlined, sizeof *m->inlined)))
        return NULL;
    char **text = &m->inlined[line->inlined - 1];
    if (!*text)
        *text = sass_line_inlined(&m->cubin, line);
    return *text;
}

/* STRATA_CONSTANT_PLACE of a constant of the program, which are in one bank, or 0. */
static int32_t constant_place(const struct sass_operand *o)
{
    enum { PROGRAMS_BANK = 3 };
    bool named = o->kind == SASS_CONST && o->bank == PROGRAMS_BANK && o->reg == SASS_RZ &&
                 (o->ureg == SASS_URZ || o->ureg == SASS_NO_UREG);
    return named ? STRATA_CONSTANT_PLACE + (int32_t)o->value : 0;
}

bool sass_static_add(struct sass_module *m, struct sass_image *image, const struct sass_inst *in,
                     const struct sass_kernel *function, struct sass_exec *op)
{
    struct strata_inst s = {0};
    const struct sass_range *r = &image->ranges[0];
    while (in->address - r->base >= r->bytes)
        r++;
    uint64_t offset = in->address - r->base;
    const struct sass_line *line = sass_kernel_line(function, offset);
    s.pc = (uint64_t)r->first * SASS_INST_BYTES + offset;
    s.opcode = opcode_text(in);
    /* A launch has one source file: lines of others would be taken for lines of it. */
    s.source_line = line && line->file == image->source_file ? line->line : 0;
    s.inlined = s.source_line ? inlined_text(m, line) : NULL;
    s.control = control_of(&in->control);
    if (in->op == SASS_DEPBAR && in->n_operands > 1)
        s.imm = (int32_t)in->operand[1].value;
    else if (in->op == SASS_S2R)
        s.imm = special_read(in->operand[1].value);
    else if (in->op == SASS_LDC || in->op == SASS_ULDC)
        s.imm = constant_place(&in->operand[1]);
    else if (in->op == SASS_NANOSLEEP)
        s.imm = sleep_nanoseconds(in);
    add_registers(in, &s);
    op->site.record = (uint32_t)image->base.n_statics;
    if (!s.opcode)
        return false;
    bool accesses = op->flow == SASS_ACCESS;
    strata_inst_decode_sass(&s, accesses, false);
    if (accesses) {
        s.width_bytes = op->width ? op->width : s.width_bytes;
        s.trace_width = s.width_bytes;
        op->site.no_address = s.memop == STRATA_MEM_NONE && s.opclass != STRATA_OP_MEM;
    }
    sass_async_describe(image, in, op, &s);
    if (accesses && op->site.space == EMU_GENERIC)
        return add_spaces(image, &s);
    return add(image, &s) && add_mixes(image, &s, op->site.mixes);
}
