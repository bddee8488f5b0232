/* decode_static.c - what the trace says of an instruction: class, space, hints, registers. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "ptx/async.h"
#include "ptx/decode.h"
#include "ptx/handlers.h"
#include "ptx/matrix.h"
#include "ptx/op_class.h"
#include "ptx/unrolled.h"
#include "ptx/reciprocals.h"
#include "emulator/inlined.h"
#include "emulator/record.h"

/* Exchanges and comparisons have no form without an answer (ATOMG.EXCH, ATOMG.CAS with RZ). */
static bool answers_always(const struct ptx_op *op)
{
    return ptx_op_has(op, PTX_M_EXCH) || ptx_op_has(op, PTX_M_CAS);
}

static unsigned memory_operation(const struct ptx_op *op, const struct ptx_inst *in)
{
    switch (op->mnemonic) {
    case PTX_OP_st:
    case PTX_OP_stmatrix:
        return STRATA_MEM_STORE;
    case PTX_OP_atom:
        return in->d == PTX_NO_REF && !answers_always(op) ? STRATA_MEM_REDUCTION
                                                          : STRATA_MEM_ATOMIC;
    case PTX_OP_red:
        return STRATA_MEM_REDUCTION;
    case PTX_OP_cp:
        return STRATA_MEM_ASYNC_COPY;
    case PTX_OP_prefetch:
        return STRATA_MEM_PREFETCH;
    case PTX_OP_wmma:
        return ptx_op_has(op, PTX_M_STORE) ? STRATA_MEM_STORE : STRATA_MEM_LOAD;
    default:
        return STRATA_MEM_LOAD;
    }
}

static unsigned record_space(unsigned space)
{
    switch (space) {
    case PTX_M_SHARED:
        return STRATA_SPACE_SHARED;
    case PTX_M_LOCAL:
        return STRATA_SPACE_LOCAL;
    case PTX_M_CONST:
        return STRATA_SPACE_CONST;
    default:
        return STRATA_SPACE_GLOBAL;
    }
}

static uint16_t cache_hints(const struct ptx_op *op)
{
    static const struct {
        uint8_t modifier;
        uint16_t hint;
    } table[] = {
        {PTX_M_CG, STRATA_HINT_BYPASS_L1},
        {PTX_M_CS, STRATA_HINT_EVICT_FIRST},
        {PTX_M_LU, STRATA_HINT_EVICT_FIRST},
        {PTX_M_CV, STRATA_HINT_VOLATILE},
        {PTX_M_WT, STRATA_HINT_WRITE_THROUGH},
        {PTX_M_NC, STRATA_HINT_READ_ONLY},
        {PTX_M_VOLATILE, STRATA_HINT_VOLATILE},
        {PTX_M_MMIO, STRATA_HINT_VOLATILE},
        {PTX_M_L1_EVICT_FIRST, STRATA_HINT_EVICT_FIRST},
        {PTX_M_L1_EVICT_LAST, STRATA_HINT_EVICT_LAST},
        {PTX_M_L1_NO_ALLOCATE, STRATA_HINT_NO_ALLOCATE},
        {PTX_M_L2_64B, STRATA_HINT_PREFETCH_64B},
        {PTX_M_L2_128B, STRATA_HINT_PREFETCH_128B},
        {PTX_M_L2_256B, STRATA_HINT_PREFETCH_256B},
    };
    uint16_t hints = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (ptx_op_has(op, table[i].modifier))
            hints |= table[i].hint;
    /* Loads that must see other SMs' writes do not stop at the L1. */
    bool strong = ptx_op_has(op, PTX_M_RELAXED) || ptx_op_has(op, PTX_M_ACQUIRE);
    if (strong && op->mnemonic == PTX_OP_ld && !ptx_op_has(op, PTX_M_CTA))
        hints |= ptx_op_has(op, PTX_M_SYS) ? STRATA_HINT_VOLATILE : STRATA_HINT_BYPASS_L1;
    return hints;
}

/* ---- registers ---- */

struct reg_list {
    struct strata_inst *inst;
    uint32_t base;
    const uint32_t *same; /* by register: the one that holds its value */
    const uint32_t *also; /* and another that its value comes from */
};

/* Numbers are dense over the kernel; 255 is left out, it means "none" in machine code. */
static uint16_t record_register(uint32_t number)
{
    number %= 65000;
    return (uint16_t)(number < 255 ? number : number + 1);
}

static void add_dst(void *user, uint32_t reg)
{
    struct reg_list *l = user;
    if (l->inst->n_dst < STRATA_MAX_DST)
        l->inst->reg[l->inst->n_dst++] = record_register(l->base + l->same[reg]);
}

static void add_src(void *user, uint32_t reg)
{
    struct reg_list *l = user;
    if (l->inst->n_src < STRATA_MAX_SRC)
        l->inst->reg[l->inst->n_dst + l->inst->n_src++] = record_register(l->base + l->same[reg]);
}

static void add_other_src(void *user, uint32_t reg)
{
    struct reg_list *l = user;
    if (l->also[reg] != PTX_NO_REG)
        add_src(user, l->also[reg]);
}

/* Where it is a number in the code. */
static int32_t sleep_nanoseconds(const struct ptx_op *op)
{
    if (!op->n_operands || op->operands[0].kind != PTX_OPERAND_INT)
        return 0;
    uint64_t ns = op->operands[0].value;
    return (int32_t)(ns < STRATA_SLEEP_MOST_NS ? ns : STRATA_SLEEP_MOST_NS);
}

static int32_t wait_groups(const struct ptx_op *op)
{
    return ptx_op_has(op, PTX_M_WAIT_GROUP) && op->n_operands &&
                   op->operands[0].kind == PTX_OPERAND_INT
               ? (int32_t)op->operands[0].value
               : 0;
}

/* What imm says of an instruction, by its class. */
static int32_t static_number(const struct ptx_op *op, const struct ptx_inst *in, unsigned class)
{
    if (ptx_tells_barrier(op))
        return STRATA_BARRIER_COMPLETE;
    if (class == STRATA_OP_MBARRIER)
        return ((const struct ptx_barrier *)in->extra)->op;
    if (class == STRATA_OP_WGMMA)
        return emu_wgmma_number(&((const struct ptx_wgmma *)in->extra)->model, false);
    if (op->mnemonic == PTX_OP_nanosleep)
        return sleep_nanoseconds(op);
    int32_t groups = wait_groups(op);
    return class == STRATA_OP_BULK_WAIT && ptx_op_has(op, PTX_M_READ)
               ? groups | STRATA_BULK_WAIT_READ
               : groups;
}

/* STRATA_CONSTANT_PLACE of a constant that is named, as far as models tell places apart. */
static int32_t constant_place(const struct ptx_operand *o)
{
    enum { PLACES = 1 << 18 };
    uint64_t at = o->kind == PTX_OPERAND_VAR ? o->u.var->same->offset + o->value : o->value;
    return STRATA_CONSTANT_PLACE + (int32_t)(at % PLACES);
}

static void describe_memory(const struct ptx_op *op, const struct ptx_inst *in,
                            struct strata_inst *s)
{
    unsigned bytes = (unsigned)in->width * in->n;
    if (in->space == PTX_M_PARAM || in->space == PTX_M_CONST) {
        s->opclass = STRATA_OP_CONST;
        s->space = STRATA_SPACE_CONST;
        s->memop = STRATA_MEM_LOAD;
        s->width_bytes = (uint8_t)bytes;
        if (!(in->flags & PTX_INST_NO_RECORD_ADDRESS)) /* by lanes */
            s->trace_width = s->width_bytes;
        else if (in->space == PTX_M_CONST)
            s->imm = constant_place(&op->operands[1].u.children[0]);
        return;
    }
    if (in->flags & PTX_INST_NO_RECORD_ADDRESS) { /* parameters of calls travel in registers */
        s->opclass = STRATA_OP_INT;
        return;
    }
    s->memop = (uint8_t)memory_operation(op, in);
    s->space = (uint8_t)(op->mnemonic == PTX_OP_tex || op->mnemonic == PTX_OP_tld4
                             ? STRATA_SPACE_TEXTURE
                             : record_space(in->space));
    s->width_bytes = (uint8_t)bytes;
    s->hints = cache_hints(op);
    if (in->space == PTX_NONE)
        s->hints |= STRATA_HINT_GENERIC;
    if (in->site.waits && in->op == EMU_ATOM_CAS && s->memop == STRATA_MEM_ATOMIC)
        s->hints |= STRATA_HINT_AWAITS;
}

/* Each has an address of its own, as in machine code; the three of a generic access share one. */
static bool add(struct ptx_image *image, struct strata_inst *s, bool another)
{
    if (!ARRAY_RESERVE(image->base.statics, image->base.n_statics, image->base.cap_statics, 1))
        return false;
    s->pc = (uint64_t)(another ? image->n_machine++ : image->n_machine - 1) * 16;
    image->base.statics[image->base.n_statics++] = *s;
    return true;
}

/* The instruction reads what the one before it has left in the registers of the op's result. */
static void follow(struct strata_inst *s)
{
    if (!s->n_dst)
        return;
    s->n_src = 1;
    s->reg[s->n_dst] = s->reg[0];
}

/* What machine code does before an op's own instruction: one after the other, through the
 * registers of its result; the one that is the `first` before it reads what the op reads. Branches
 * and waits around rare cases take a turn to issue like others; as such they would part what the
 * assembler moves together. */
static bool add_before(struct ptx_decoder *d, const struct strata_inst *own, unsigned class,
                       unsigned n, uint8_t first, uint8_t *before)
{
    struct strata_inst s = {
        .opcode = own->opcode,
        .source_line = own->source_line,
        .inlined = own->inlined,
        .opclass =
            (uint8_t)(class == STRATA_OP_BRANCH || class == STRATA_OP_NOP ? STRATA_OP_INT : class),
        .n_dst = own->n_dst,
        .n_src = own->n_src};
    memcpy(s.reg, own->reg, sizeof s.reg);
    for (; n && *before < UINT8_MAX; n--, ++*before) {
        if (*before > first)
            follow(&s);
        if (!add(d->image, &s, true))
            return false;
    }
    return true;
}

static bool is_part(const struct ptx_form_part *parts, unsigned class)
{
    for (; parts->n; parts++)
        if (parts->opclass == class)
            return true;
    return false;
}

static void read_also(struct strata_inst *s, uint16_t reg)
{
    for (unsigned k = 0; k < s->n_src; k++)
        if (s->reg[s->n_dst + k] == reg)
            return;
    if (s->n_src < STRATA_MAX_SRC)
        s->reg[s->n_dst + s->n_src++] = reg;
}

/* The call that is jumped over. */
enum { CALL_INSTRUCTIONS = 3 };

static bool calls_rarely(const struct ptx_form_part *parts, unsigned class)
{
    return parts && class != STRATA_OP_BRANCH && class != STRATA_OP_MEM &&
           is_part(parts, STRATA_OP_BRANCH);
}

static bool add_one_before(struct ptx_decoder *d, struct strata_inst *s, uint8_t *before)
{
    if (*before == UINT8_MAX || !add(d->image, s, true))
        return false;
    ++*before;
    return true;
}

/* The branch over the call of the code for rare operands. */
static struct strata_inst rare_branch(const struct strata_inst *own)
{
    struct strata_inst s = {.opcode = "bra",
                            .source_line = own->source_line,
                            .inlined = own->inlined,
                            .opclass = STRATA_OP_BRANCH,
                            .imm = 1,
                            .n_src = own->n_dst ? 1 : 0};
    s.reg[0] = own->reg[0];
    return s;
}

/* Where lanes that have called meet the others. */
static struct strata_inst meeting(const struct strata_inst *own)
{
    return (struct strata_inst){.opcode = "BSYNC",
                                .source_line = own->source_line,
                                .inlined = own->inlined,
                                .opclass = STRATA_OP_NOP};
}

/* Divisions and roots have that branch behind what they compute, and ptxas moves nothing over it:
 * every division of a loop whose rounds are one waits for the one before it, loads for the next too
 * (ptxas 13.0 for sm_90). */
static bool end_with_branch(struct ptx_decoder *d, struct strata_inst *own, uint8_t *before)
{
    struct strata_inst branch = rare_branch(own);
    bool ok = add_one_before(d, own, before) && add_one_before(d, &branch, before);
    *own = meeting(own);
    return ok;
}

static unsigned count_of(const struct ptx_form_part *parts, unsigned class)
{
    unsigned n = 0;
    for (; parts->n; parts++)
        n += parts->opclass == class ? parts->n : 0;
    return n;
}

/* Roots and reciprocals of single precision ask for rare operands before they compute anything. */
static bool asks_first(const struct ptx_op *op)
{
    return (op->mnemonic == PTX_OP_rcp || op->mnemonic == PTX_OP_sqrt) &&
           ptx_op_type(op) == PTX_F32;
}

static bool add_asked(struct ptx_decoder *d, struct strata_inst *own,
                      const struct ptx_form_part *parts, uint8_t *before)
{
    uint8_t first = *before;
    struct strata_inst test = *own, branch = rare_branch(own);
    own->opclass = STRATA_OP_FP32;
    test.opcode = "setp.gt.u32";
    bool ok =
        add_before(d, own, STRATA_OP_INT, count_of(parts, STRATA_OP_INT) - 1, first, before) &&
        add_before(d, &test, STRATA_OP_INT, 1, first, before) && add_one_before(d, &branch, before);
    ok = ok && add_before(d, own, STRATA_OP_SFU, count_of(parts, STRATA_OP_SFU), first, before) &&
         add_before(d, own, STRATA_OP_BRANCH, count_of(parts, STRATA_OP_BRANCH) - 1, first,
                    before) &&
         add_before(d, own, STRATA_OP_FP32, count_of(parts, STRATA_OP_FP32) - 1, first, before);
    if (own->n_dst)
        read_also(own, own->reg[0]);
    ok = ok && add_one_before(d, own, before);
    *own = meeting(own);
    return ok;
}

/* The last of an op's instructions is of its own class, where that is among them. */
static bool add_parts(struct ptx_decoder *d, struct strata_inst *own, uint8_t *before)
{
    const struct ptx_form_part *parts = d->forms.parts[d->op_index];
    if (!parts)
        return true;
    if (!is_part(parts, own->opclass))
        own->opclass = parts->opclass;
    struct strata_inst first = *own;
    uint8_t others = *before;
    unsigned total = 0;
    for (const struct ptx_form_part *p = parts; p->n; p++)
        total += p->n;
    /* Halves of 64 bits: only the last has the result. */
    if (total == 2)
        first.n_dst = 0, first.n_src = 0;
    bool rare = calls_rarely(parts, own->opclass);
    if (rare && asks_first(d->op))
        return add_asked(d, own, parts, before);
    for (; parts->n; parts++) {
        bool apart =
            parts->opclass == own->opclass ||
            (rare && (parts->opclass == STRATA_OP_BRANCH || parts->opclass == STRATA_OP_NOP));
        if (!add_before(d, &first, parts->opclass, parts->n - (unsigned)apart, others, before))
            return false;
    }
    if (total > 2 && own->n_dst)
        read_also(own, own->reg[0]);
    return !rare || end_with_branch(d, own, before);
}

static bool is_far_access(const struct ptx_op *op)
{
    switch (op->mnemonic) {
    case PTX_OP_ld:
    case PTX_OP_st:
        return !ptx_op_has(op, PTX_M_PARAM) && !ptx_op_has(op, PTX_M_SHARED) &&
               !ptx_op_has(op, PTX_M_LOCAL) && !ptx_op_has(op, PTX_M_CONST);
    case PTX_OP_atom:
    case PTX_OP_red:
        return !ptx_op_has(op, PTX_M_SHARED);
    case PTX_OP_call:
    case PTX_OP_cp:
    case PTX_OP_prefetch:
        return true;
    default:
        return false;
    }
}

static unsigned has_far_access(const struct ptx_function *f)
{
    for (size_t i = 0; i < f->n_ops; i++)
        if (is_far_access(&f->ops[i]))
            return 1;
    return 0;
}

/* A kernel begins with its stack's address and, if it names any, that of the constants behind
 * global addresses. */
static bool add_prologue(struct ptx_decoder *d, const struct strata_inst *own, uint8_t *before)
{
    const struct strata_inst plain = {.opcode = own->opcode, .source_line = own->source_line};
    return d->image->n_machine ||
           (add_before(d, &plain, STRATA_OP_CONST, 1, 0, before) &&
            add_before(d, &plain, STRATA_OP_UNIFORM, has_far_access(d->f), 0, before));
}

/* Numbers of the code that the op has no room for, from nowhere. */
static bool add_numbers(struct ptx_decoder *d, const struct strata_inst *own, uint8_t *before)
{
    const struct strata_inst move = {
        .opcode = "mov.b32", .source_line = own->source_line, .inlined = own->inlined};
    return add_before(d, &move, STRATA_OP_UNIFORM, d->forms.moves[d->op_index], 0, before);
}

/* Reciprocals that are found here for a loop's divisions, through the register of the divisor. */
static bool add_reciprocals(struct ptx_decoder *d, const struct strata_inst *own, uint8_t *before)
{
    bool ok = true;
    for (uint32_t k = d->forms.reciprocal_of[d->op_index]; k; k = d->forms.next_reciprocal[k - 1]) {
        const struct ptx_op *division = &d->f->ops[k - 1];
        struct strata_inst s = {.opcode = division->text,
                                .source_line = own->source_line,
                                .inlined = own->inlined,
                                .n_dst = 1,
                                .n_src = 1};
        s.reg[0] = s.reg[1] =
            record_register(d->reg_base + d->forms.same[division->operands[2].u.reg]);
        for (const struct ptx_form_part *p = ptx_reciprocal_form(division); ok && p->n; p++)
            ok = add_before(d, &s, p->opclass, p->n, *before, before);
    }
    return ok;
}

/* Parameters that are loaded here, each to the register that the op reads it from. */
static bool add_parameters(struct ptx_decoder *d, const struct strata_inst *own, uint8_t *before)
{
    const struct ptx_forms *forms = &d->forms;
    for (uint32_t k = forms->loads_before[d->op_index]; k; k = forms->load[k - 1].next) {
        const struct ptx_parameter_load *load = &forms->load[k - 1];
        struct strata_inst s = {.opcode = "ld.param.u64",
                                .source_line = own->source_line,
                                .inlined = own->inlined,
                                .opclass = load->opclass,
                                .n_dst = 1};
        s.reg[0] = record_register(d->reg_base + forms->same[load->reg]);
        if (*before == UINT8_MAX || !add(d->image, &s, true))
            return false;
        ++*before;
    }
    return true;
}

/* The comparisons and branches around an unrolled loop, by the predicate of its own branch. */
static bool add_loop_entry(struct ptx_decoder *d, const struct strata_inst *own, uint8_t *before)
{
    uint32_t loop = d->forms.enters[d->op_index];
    for (unsigned k = 0; loop && k < 2 * PTX_ASKED_FOR_ROUNDS; k++) {
        struct strata_inst s = {.opcode = k % 2 ? "bra" : "setp.gt.s32",
                                .source_line = own->source_line,
                                .inlined = own->inlined,
                                .opclass = k % 2 ? STRATA_OP_BRANCH : STRATA_OP_INT,
                                .imm = k % 2,
                                .n_dst = k % 2 ? 0 : 1,
                                .n_src = k % 2};
        s.reg[0] = record_register(d->reg_base + d->forms.same[d->f->ops[loop - 1].guard]);
        if (*before == UINT8_MAX || !add(d->image, &s, true))
            return false;
        ++*before;
    }
    return true;
}

static const char *file_path(const struct ptx_unit *unit, uint32_t number)
{
    for (const struct ptx_source_file *f = unit->files; f; f = f->next)
        if (f->number == number)
            return f->path;
    return NULL;
}

/* Ops of one place mostly stand together: the last text is kept. Without memory the place is not
 * told, which changes nothing that is computed. */
static const char *inlined_text(struct ptx_decoder *d)
{
    struct emu_place place[EMU_INLINED_DEPTH];
    size_t n = 0;
    if (!d->op->inlined || d->op->inlined == d->last_place)
        return d->op->inlined ? d->last_place_text : NULL;
    for (const struct ptx_call_place *x = d->op->inlined; x && n < EMU_INLINED_DEPTH; x = x->outer)
        place[n++] = (struct emu_place){file_path(d->f->unit, x->file), x->line};
    char *text = emu_inlined_text(place, n);
    d->last_place = d->op->inlined;
    d->last_place_text = text ? ptx_pool_text(&d->m->ast.pool, text, strlen(text)) : NULL;
    free(text);
    return d->last_place_text;
}

/* What is told of a loop by the branch that closes it. */
static int32_t loop_number(const struct ptx_decoder *d)
{
    unsigned rounds = ptx_unrolled_rounds(d->f, &d->forms, d->op_index);
    if (!rounds || !d->alive)
        return (int32_t)rounds;
    uint32_t alive = d->alive[d->cfg->block_of[d->op->operands[0].u.label]];
    return (int32_t)(rounds + STRATA_BRANCH_ALIVE * (1 + (alive < 255 ? alive : 255)));
}

/* Of what wmma.load writes, what this access brings: a product waits for all of them. */
static void keep_part(struct strata_inst *s, const struct ptx_matrix_part *part)
{
    unsigned n = 0;
    for (unsigned k = 0; k < s->n_dst; k++) {
        unsigned reg = k % part->need;
        if (reg >= part->reg && reg < part->reg + part->registers)
            s->reg[n++] = s->reg[k];
    }
    s->n_dst = (uint8_t)n;
}

static struct strata_inst describe(struct ptx_decoder *d, const struct ptx_inst *in)
{
    struct strata_inst s = {
        .opcode = d->op->text, .source_line = d->op->source_line, .inlined = inlined_text(d)};
    struct reg_list regs = {&s, d->reg_base, d->forms.same, d->forms.also};
    s.opclass = (uint8_t)ptx_op_class(d->op, d->function_index == 0);
    bool closes_loops = s.opclass == STRATA_OP_BRANCH && d->op->mnemonic != PTX_OP_nanosleep;
    s.imm = closes_loops ? loop_number(d) : static_number(d->op, in, s.opclass);
    ptx_op_visit(d->op, NULL, add_dst, &regs);
    if (in->run == ptx_run_matrix_part || in->run == ptx_run_matrix_tiles)
        keep_part(&s, in->extra);
    ptx_op_visit(d->op, add_src, NULL, &regs);
    ptx_op_visit(d->op, add_other_src, NULL, &regs);
    if (d->forms.guard[d->op_index] != PTX_NO_REG)
        add_src(&regs, d->forms.guard[d->op_index]);
    if (s.opclass == STRATA_OP_BULK || s.opclass == STRATA_OP_MBARRIER)
        s.space = s.opclass == STRATA_OP_BULK ? STRATA_SPACE_GLOBAL : STRATA_SPACE_SHARED;
    if (s.opclass == STRATA_OP_MEM)
        describe_memory(d->op, in, &s);
    if (d->forms.width[d->op_index])
        s.width_bytes = d->forms.width[d->op_index];
    return s;
}

/* One static of a loop that compares and swaps: all of them go through one register. */
static bool add_turn(struct ptx_decoder *d, const struct strata_inst *own, const char *opcode,
                     unsigned class, uint16_t through, uint16_t value)
{
    struct strata_inst s = {.opcode = opcode,
                            .source_line = own->source_line,
                            .inlined = own->inlined,
                            .opclass = (uint8_t) class,
                            .imm = class == STRATA_OP_BRANCH, /* a loop of single rounds */
                            .n_dst = class != STRATA_OP_BRANCH,
                            .n_src = value == through ? 1 : 2};
    s.reg[0] = s.reg[1] = through;
    s.reg[2] = value;
    if (class == STRATA_OP_MEM) {
        s.space = own->space;
        s.memop = STRATA_MEM_LOAD;
        s.width_bytes = own->width_bytes;
        s.reg[1] = own->reg[own->n_dst];
    }
    return add(d->image, &s, true);
}

static unsigned sum_class(unsigned type)
{
    return type == PTX_F32 ? STRATA_OP_FP32 : type == PTX_F64 ? STRATA_OP_FP64 : STRATA_OP_INT;
}

/* A loop that shared memory has instead of an atomic (ptx/atomic_form.c): what it loads, computes
 * and tests goes through the register of the result, or that of the value. BSYNC has no name in
 * PTX. A form is that of the move which each round has. */
static bool add_turns(struct ptx_decoder *d, struct strata_inst *own, struct emu_site *site)
{
    bool wide = own->width_bytes == 8, moves = d->forms.parts[d->op_index];
    unsigned class = sum_class(ptx_op_type(d->op)), halves = class == STRATA_OP_INT ? 2 : 1;
    uint16_t address = own->reg[own->n_dst], value = own->reg[own->n_dst + (own->n_src > 1)],
             through = own->n_dst || own->n_src < 2 ? own->reg[0] : value;
    d->image->base.swaps_shared = true;
    bool ok =
        add_turn(d, own, wide ? "ld.shared.b64" : "ld.shared.b32", STRATA_OP_MEM, through, through);
    if (moves)
        ok = ok && add_turn(d, own, "mov.b32", STRATA_OP_IMAD, address, address);
    for (unsigned k = 0; k < halves; k++)
        ok = ok && add_turn(d, own, d->op->text, class, through, value);
    site->before = (uint8_t)(1 + moves + halves);
    site->after = wide ? 4 : 3;
    site->record = (uint32_t)d->image->base.n_statics;
    own->opcode = wide ? "atom.shared.cas.b64" : "atom.shared.cas.b32";
    own->memop = STRATA_MEM_ATOMIC;
    own->n_dst = 1, own->n_src = 2;
    own->reg[0] = through, own->reg[1] = address, own->reg[2] = through;
    ok = ok && add(d->image, own, true);
    for (unsigned k = 2; k < site->after; k++)
        ok = ok && add_turn(d, own, "setp.eq.u32", STRATA_OP_INT, through, through);
    return ok && add_turn(d, own, "bra", STRATA_OP_BRANCH, through, through) &&
           add_turn(d, own, "BSYNC", STRATA_OP_BRANCH, through, through);
}

bool ptx_static_add(struct ptx_decoder *d, struct ptx_inst *in)
{
    struct strata_inst s = describe(d, in);
    bool rare = calls_rarely(d->forms.parts[d->op_index], s.opclass);
    in->site.folded = d->forms.folded[d->op_index];
    in->site.acting = d->forms.acting[d->op_index];
    if (in->site.acting == EMU_ACTING_TURNS)
        return add_turns(d, &s, &in->site);
    if (!in->site.folded &&
        (!add_prologue(d, &s, &in->site.before) || !add_parameters(d, &s, &in->site.before) ||
         !add_reciprocals(d, &s, &in->site.before) || !add_loop_entry(d, &s, &in->site.before) ||
         !add_numbers(d, &s, &in->site.before) || !add_parts(d, &s, &in->site.before)))
        return false;
    in->site.record = (uint32_t)d->image->base.n_statics;
    if (in->site.folded)
        return true; /* whatever comes next stands for its line */
    if (!add(d->image, &s, true))
        return false;
    d->image->n_machine += rare ? CALL_INSTRUCTIONS : 0;
    for (unsigned mixed = 1; mixed <= in->site.mixes; mixed++) {
        s.hints = (uint16_t)(mixed << STRATA_MIXED_SHIFT);
        if (!add(d->image, &s, false))
            return false;
    }
    if (s.opclass == STRATA_OP_MEM && in->space == PTX_NONE && s.space == STRATA_SPACE_GLOBAL) {
        s.space = STRATA_SPACE_SHARED;
        if (!add(d->image, &s, false))
            return false;
        s.space = STRATA_SPACE_LOCAL;
        if (!add(d->image, &s, false))
            return false;
    }
    return true;
}
