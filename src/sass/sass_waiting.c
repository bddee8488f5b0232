/* sass_waiting.c - which instructions ask in a loop until another block, or another warp, has
 * answered; see emulator/waiting.h. */
#include "emulator/waiting.h"
#include "sass/lower.h"
#include "sass/module.h"
#include "sass/registers.h"

/* Numbers of registers in a step. */
enum { PREDICATES = 256, UNIFORM = 512, UNIFORM_PREDICATES = 768 };
/* Numbers of special registers that do not stay. */
enum { CLOCK = 1, CLOCK_LOW = 80, CLOCK_HIGH, TIMER_LOW, TIMER_HIGH };

struct code {
    const struct sass_module *m;
    const struct sass_image *image;
    const struct sass_range *range;
    bool shared; /* it asks in shared memory: a store there is work */
};

/* ---- registers ---- */

static void see(struct emu_step *out, bool write, uint32_t reg, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        (write ? emu_step_writes : emu_step_reads)(out, reg + k);
}

static void see_predicate(struct emu_step *out, bool write, uint32_t first, uint8_t reg)
{
    if (reg != SASS_PT)
        see(out, write, first + reg, 1);
}

static bool is_uniform(uint8_t ureg)
{
    return ureg != SASS_URZ && ureg != SASS_NO_UREG;
}

static void see_operand(const struct sass_inst *in, uint32_t n, struct emu_step *out)
{
    const struct sass_operand *o = &in->operand[n];
    bool write = o->flags & SASS_DEST;
    switch (o->kind) {
    case SASS_PRED:
        see_predicate(out, write, PREDICATES, o->reg);
        break;
    case SASS_UPRED:
        see_predicate(out, write, UNIFORM_PREDICATES, o->reg);
        break;
    case SASS_PREDS:
        out->kind = EMU_STEP_WORKS;
        break;
    case SASS_UREG:
        see(out, write, UNIFORM + o->reg, sass_operand_registers(in, n));
        break;
    case SASS_REG:
        see(out, write, o->reg, sass_operand_registers(in, n));
        break;
    case SASS_MEMORY:
    case SASS_CONST:
        see(out, false, o->reg, sass_operand_registers(in, n));
        see(out, false, UNIFORM + o->ureg, is_uniform(o->ureg) ? 2 : 0);
        break;
    default:
        break;
    }
}

static void see_registers(const struct sass_inst *in, struct emu_step *out)
{
    out->guarded = in->guard != SASS_PT || in->guard_not;
    see_predicate(out, false, in->guard_uniform ? UNIFORM_PREDICATES : PREDICATES, in->guard);
    for (uint32_t n = 0; n < in->n_operands; n++)
        see_operand(in, n, out);
}

/* ---- what instructions do ---- */

static bool reads_clock(const struct sass_inst *in)
{
    for (uint32_t n = 0; n < in->n_operands; n++) {
        const struct sass_operand *o = &in->operand[n];
        if (o->kind == SASS_SPECIAL &&
            (o->value == CLOCK || (o->value >= CLOCK_LOW && o->value <= TIMER_HIGH)))
            return true;
    }
    return false;
}

static enum emu_step_kind kind_of_access(const struct code *c, const struct sass_exec *op)
{
    switch (op->opcode) {
    case SASS_STS:
        return c->shared ? EMU_STEP_WORKS : EMU_STEP_PLAIN;
    case SASS_LD:
    case SASS_LDG:
    case SASS_LDL:
    case SASS_LDS:
        return EMU_STEP_READS;
    case SASS_LDC:
    case SASS_STL:
    case SASS_CCTL:
        return EMU_STEP_PLAIN;
    default:
        return EMU_STEP_WORKS;
    }
}

/* Calls and jumps leave the loop, and so do barriers of the block: the others wait there. */
static enum emu_step_kind kind_of_control(const struct sass_exec *op)
{
    switch (op->mode) {
    case SASS_DO_BRANCH:
        return op->opcode == SASS_CALL ? EMU_STEP_WORKS : EMU_STEP_PLAIN;
    case SASS_DO_BRANCH_DIV:
    case SASS_DO_BRANCH_CONV:
    case SASS_DO_EXIT:
    case SASS_DO_BSSY:
    case SASS_DO_BSYNC:
    case SASS_DO_BREAK:
    case SASS_DO_WARPSYNC:
    case SASS_DO_YIELD:
        return EMU_STEP_PLAIN;
    default:
        return EMU_STEP_WORKS;
    }
}

static enum emu_step_kind kind_of(const struct code *c, const struct sass_exec *op,
                                  const struct sass_inst *in)
{
    switch (op->flow) {
    case SASS_STEP:
    case SASS_CHECKED:
        return reads_clock(in) ? EMU_STEP_READS : EMU_STEP_PLAIN;
    case SASS_ACCESS:
        return kind_of_access(c, op);
    case SASS_CONTROL:
        return kind_of_control(op);
    default:
        return EMU_STEP_WORKS;
    }
}

/* Lanes part by the guard, or by predicates among the operands. */
static void follow(const struct code *c, const struct sass_exec *op, struct emu_step *out)
{
    bool ends = op->mode == SASS_DO_EXIT, always = !out->guarded && op->ps == SASS_PRED_TRUE &&
                                                   op->ps2 == SASS_PRED_TRUE &&
                                                   (ends || op->mode == SASS_DO_BRANCH);
    if (!ends && op->mode != SASS_DO_BRANCH && op->mode != SASS_DO_BRANCH_DIV &&
        op->mode != SASS_DO_BRANCH_CONV)
        return;
    out->parts = !always;
    out->to[1] = always ? EMU_NOWHERE : out->to[0];
    out->to[0] = ends ? EMU_NOWHERE : op->target - c->range->first;
}

static void step(const void *user, uint32_t at, struct emu_step *out)
{
    const struct code *c = user;
    struct sass_inst in;
    if (at >= c->range->bytes / SASS_INST_BYTES) {
        out->kind = EMU_STEP_WORKS;
        return;
    }
    const struct sass_exec *op = &c->image->code[c->range->first + at];
    sass_image_decode(c->m, c->range, at, &in);
    out->kind = (uint8_t)kind_of(c, op, &in);
    see_registers(&in, out);
    if (op->flow == SASS_CONTROL)
        follow(c, op, out);
}

/* ---- who asks ---- */

static bool asks(const struct sass_image *image, const struct sass_exec *op)
{
    if (op->flow != SASS_ACCESS || op->site.record == EMU_NO_INDEX)
        return false;
    uint16_t hints = image->base.statics[op->site.record].hints;
    switch (op->opcode) {
    case SASS_LD:
    case SASS_LDG:
        return hints & (STRATA_HINT_BYPASS_L1 | STRATA_HINT_VOLATILE);
    case SASS_ATOM:
    case SASS_ATOMG:
        return op->d != SASS_NO_ROW && op->words == 1 &&
               (op->mode == EMU_ATOM_CAS || op->mode == EMU_ATOM_EXCH);
    default:
        return false;
    }
}

static bool retries(const struct emu_code *code, const struct sass_exec *op, uint32_t at)
{
    return op->flow == SASS_ACCESS && (op->opcode == SASS_ATOM || op->opcode == SASS_ATOMG) &&
           op->mode == EMU_ATOM_CAS && op->d != SASS_NO_ROW && emu_code_retries_at(code, at);
}

void sass_find_regions(struct sass_image *image, const struct sass_range *range)
{
    struct sass_exec *code = &image->code[range->first];
    uint32_t n = range->bytes / SASS_INST_BYTES;
    for (uint32_t i = 0; i < n; i++) {
        if (code[i].opcode != SASS_YIELD || code[i].mode != SASS_DO_YIELD)
            continue;
        uint32_t inside = 0, end = i + 1;
        for (; end < n &&
               (code[end].flow != SASS_CONTROL || code[end].mode != SASS_DO_BSYNC || inside);
             end++)
            if (code[end].flow == SASS_CONTROL)
                inside += (code[end].mode == SASS_DO_BSSY) - (code[end].mode == SASS_DO_BSYNC);
        code[i].mode2 = end < n ? code[end].mode2 + 1 : 0;
    }
}

void sass_find_waiting(const struct sass_module *m, struct sass_image *image,
                       const struct sass_range *range)
{
    struct code c = {m, image, range, false}, inside = {m, image, range, true};
    struct emu_code code = {&c, step, false}, code_inside = {&inside, step, true};
    for (uint32_t i = 0; i < range->bytes / SASS_INST_BYTES; i++) {
        struct sass_exec *op = &image->code[range->first + i];
        if (op->flow == SASS_ACCESS && op->opcode == SASS_LDS && emu_code_waits_at(&code_inside, i))
            op->mode = op->site.spins = image->base.warps_wait = true;
        if (!(asks(image, op) && emu_code_waits_at(&code, i)) && !retries(&code, op, i))
            continue;
        op->site.waits = image->base.blocks_wait = image->base.loops_wait = true;
        if (op->swaps)
            image->base.statics[op->site.record].hints |= STRATA_HINT_AWAITS;
    }
}
