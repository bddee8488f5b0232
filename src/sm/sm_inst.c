/* sm_inst.c - latency, pipe and registers of static instructions. */
#include "sm/sm_inst.h"

#include "sm/wgmma_rules.h"
#include "trace/code.h"
#include "trace/inst_latency.h"

#include <stdlib.h>
#include <string.h>

const char *sm_stall_name(enum sm_stall s)
{
    static const char *const names[SM_N_STALLS] = {"none",
                                                   "wait",
                                                   "long_scoreboard",
                                                   "short_scoreboard",
                                                   "barrier",
                                                   "membar",
                                                   "lg_throttle",
                                                   "mio_throttle",
                                                   "math_pipe_throttle",
                                                   "no_instruction",
                                                   "branch_resolving",
                                                   "not_selected",
                                                   "sleeping"};
    return names[s];
}

/* One row per class: pipe, where the interval is in the GPU's description, and how the profiler
 * calls a wait for the result. */
struct class_row {
    uint8_t pipe, stall;
    uint32_t interval;
};

/* A fence between the two ways to shared memory, or after a barrier was made: it has nothing to do
 * with what was stored to memory, by whatever block. */
static bool fences_shared_alone(const struct strata_inst *i)
{
    static const char *const names[] = {"FENCE.VIEW.ASYNC.S", "fence.mbarrier_init",
                                        "fence.proxy.async.shared"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strncmp(i->opcode, names[k], strlen(names[k])))
            return true;
    return false;
}

/* How long a matrix instruction keeps the tensor core of its scheduler, by the types in its name,
 * in machine code or PTX. */
static uint32_t tensor_interval(const struct strata_gpu *g, const char *opcode)
{
    bool doubles = !strncmp(opcode, "DMMA", 4) || strstr(opcode, ".f64"),
         whole = !strncmp(opcode, "IMMA", 4) || !strncmp(opcode, "BMMA", 4) ||
                 strstr(opcode, ".s32") || strstr(opcode, ".b1");
    uint32_t own = doubles ? g->sm.interval_tensor_fp64_cycles
                   : whole ? g->sm.interval_tensor_int_cycles
                           : 0;
    return own ? own : g->sm.interval_tensor_cycles;
}

static bool is_named(const struct strata_inst *i, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(i->opcode, name, n) && (!i->opcode[n] || i->opcode[n] == '.');
}

/* Branches and what parts and joins a warp (branch_probe.cu). */
static struct class_row branch_row(const struct strata_gpu *g, const struct strata_inst *i)
{
    bool leaves = g->sm.interval_break_cycles && is_named(i, "BREAK");
    return (struct class_row){SM_PIPE_CBU, SM_STALL_BRANCH,
                              leaves ? g->sm.interval_break_cycles : g->sm.interval_branch_cycles};
}

static struct class_row class_of(const struct strata_gpu *g, const struct strata_inst *i)
{
    if (is_named(i, "BSSY"))
        return branch_row(g, i);
    if (inst_only_orders(i))
        return (struct class_row){SM_PIPE_NONE, SM_STALL_WAIT, 1};
    if (is_named(i, "VIADD")) /* a sum in the pipe for products: its counter says so */
        return (struct class_row){SM_PIPE_FMA, SM_STALL_WAIT, g->sm.interval_imad_cycles};
    switch (i->opclass) {
    case STRATA_OP_FP32:
        return (struct class_row){SM_PIPE_FMA, SM_STALL_WAIT, g->sm.interval_fp32_cycles};
    case STRATA_OP_IMAD:
        return (struct class_row){SM_PIPE_FMA, SM_STALL_WAIT, g->sm.interval_imad_cycles};
    case STRATA_OP_FP64:
        return (struct class_row){SM_PIPE_FP64, SM_STALL_SHORT, g->sm.interval_fp64_cycles};
    case STRATA_OP_FP16:
        return (struct class_row){SM_PIPE_FP16, SM_STALL_WAIT, g->sm.interval_fp16_cycles};
    case STRATA_OP_SFU:
        return (struct class_row){SM_PIPE_XU, SM_STALL_SHORT, g->sm.interval_sfu_cycles};
    case STRATA_OP_CONV:
        return (struct class_row){SM_PIPE_XU, SM_STALL_SHORT, g->sm.interval_conv_cycles};
    case STRATA_OP_TENSOR:
        return (struct class_row){SM_PIPE_TENSOR, SM_STALL_MATH, tensor_interval(g, i->opcode)};
    case STRATA_OP_UNIFORM:
        return (struct class_row){SM_PIPE_UNIFORM, SM_STALL_WAIT, g->sm.interval_uniform_cycles};
    case STRATA_OP_SREG:
        return (struct class_row){SM_PIPE_NONE, SM_STALL_SHORT, 1};
    case STRATA_OP_CONST:
        return (struct class_row){SM_PIPE_NONE, SM_STALL_SHORT, 1};
    case STRATA_OP_SHUFFLE:
        return (struct class_row){SM_PIPE_LSU, SM_STALL_SHORT, 1};
    case STRATA_OP_VOTE:
        return (struct class_row){SM_PIPE_ALU, SM_STALL_WAIT, 2};
    case STRATA_OP_BRANCH:
        return branch_row(g, i);
    case STRATA_OP_MEM:
        return (struct class_row){
            SM_PIPE_LSU, i->space == STRATA_SPACE_SHARED ? SM_STALL_SHORT : SM_STALL_LONG, 1};
    case STRATA_OP_MBARRIER:
        return (struct class_row){SM_PIPE_LSU, SM_STALL_SHORT, 1};
    case STRATA_OP_MEMBAR:
        return (struct class_row){SM_PIPE_NONE, SM_STALL_WAIT, 1};
    case STRATA_OP_WGMMA: /* waits at issue while the tensor core has one: warpgroups take turns */
        return (struct class_row){SM_PIPE_TENSOR, SM_STALL_MATH,
                                  wgmma_cycles(g, strata_wgmma_unpack(i->imm))};
    default:
        return (struct class_row){SM_PIPE_ALU, SM_STALL_WAIT, g->sm.interval_int_cycles};
    }
}

/* Parameters that PTX loads are no turns of the SM's constants: which of them the assembler loads
 * so is a guess, and with turns the suites from PTX are 0.15 to 0.2 % further off. */
static uint8_t kind_of_constant(const struct strata_inst *i, bool sass)
{
    bool told = i->trace_width || i->imm >= STRATA_CONSTANT_PLACE;
    return told || (sass && i->opclass == STRATA_OP_CONST) ? SM_KIND_CONSTANT : SM_KIND_PLAIN;
}

static uint8_t kind_of(const struct strata_inst *i, bool sass)
{
    switch (i->opclass) {
    case STRATA_OP_MEM:
        return i->space == STRATA_SPACE_SHARED && i->memop != STRATA_MEM_ASYNC_COPY
                   ? SM_KIND_SHARED
                   : SM_KIND_GLOBAL;
    case STRATA_OP_CONST:
    case STRATA_OP_UNIFORM:
        return i->space == STRATA_SPACE_CONST ? kind_of_constant(i, sass) : SM_KIND_PLAIN;
    case STRATA_OP_BARRIER:
        return SM_KIND_BARRIER;
    case STRATA_OP_MEMBAR:
        return fences_shared_alone(i) ? SM_KIND_PLAIN : SM_KIND_MEMBAR;
    case STRATA_OP_ASYNC_COMMIT:
        return SM_KIND_COMMIT;
    case STRATA_OP_ASYNC_WAIT:
        return SM_KIND_WAIT;
    case STRATA_OP_EXIT:
        return SM_KIND_EXIT;
    case STRATA_OP_MBARRIER:
    case STRATA_OP_BULK:
    case STRATA_OP_BULK_COMMIT:
    case STRATA_OP_BULK_WAIT:
    case STRATA_OP_WGMMA:
    case STRATA_OP_WGMMA_COMMIT:
    case STRATA_OP_WGMMA_WAIT:
    case STRATA_OP_CLUSTER_ARRIVE:
    case STRATA_OP_CLUSTER_WAIT:
        return SM_KIND_ASYNC;
    default:
        return SM_KIND_PLAIN;
    }
}

/* SASS names only the first register of a group (R4 of a 128-bit load is R4..R7). */
static unsigned sass_dst_words(const struct strata_inst *i)
{
    if (i->opclass == STRATA_OP_MEM)
        return i->width_bytes > 4 ? i->width_bytes / 4u : 1;
    if (i->opclass == STRATA_OP_FP64 || strstr(i->opcode, ".WIDE") || strstr(i->opcode, ".64"))
        return 2;
    return i->opclass == STRATA_OP_TENSOR ? 4 : 1;
}

static unsigned sass_src_words(const struct strata_inst *i, unsigned k)
{
    if (i->opclass == STRATA_OP_MEM) {
        bool address = k == 0 && i->space != STRATA_SPACE_SHARED;
        return address ? 2 : k > 0 && i->width_bytes > 4 ? i->width_bytes / 4u : 1;
    }
    if (i->opclass == STRATA_OP_FP64 || (k == 2 && strstr(i->opcode, ".WIDE")))
        return 2;
    return i->opclass == STRATA_OP_TENSOR ? (k == 1 ? 2 : 4) : 1;
}

static void add_registers(struct sm_decoder *d, uint16_t *list, uint8_t *n, unsigned max,
                          uint16_t first, unsigned words)
{
    if (d->isa == STRATA_ISA_SASS && first == 255)
        return; /* the zero register */
    for (unsigned w = 0; w < words && *n < max; w++) {
        list[(*n)++] = (uint16_t)(first + w);
        if (first + w > d->max_register)
            d->max_register = first + w;
    }
}

/* The pipe whose counter an instruction raises on an H200 (a kernel of each under the profiler):
 * that of its class but for these. They are timed by their class all the same: their latencies and
 * rates were measured that way. */
static uint8_t pipe_counter_of(const struct strata_inst *i, uint8_t pipe)
{
    static const struct {
        const char *name;
        uint8_t counter;
    } others[] = {
        {"CS2R", LAUNCH_COUNTER_pipe_alu}, {"REDUX", 0}, {"redux", 0}, {"MATCH", 0}, {"match", 0}};
    static const uint8_t of_pipe[SM_N_PIPES] = {
        [SM_PIPE_FMA] = LAUNCH_COUNTER_pipe_fma,
        [SM_PIPE_ALU] = LAUNCH_COUNTER_pipe_alu,
        [SM_PIPE_FP64] = LAUNCH_COUNTER_pipe_fp64,
        [SM_PIPE_FP16] = LAUNCH_COUNTER_pipe_fp16,
        [SM_PIPE_XU] = LAUNCH_COUNTER_pipe_xu,
        [SM_PIPE_TENSOR] = LAUNCH_COUNTER_tensor_instructions};
    if (i->opclass == STRATA_OP_WGMMA)
        return 0; /* counted where it is carried out */
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (is_named(i, others[k].name))
            return others[k].counter;
    /* every other instruction of halves goes to the tensor cores: HFMA2.MMA */
    if (pipe == SM_PIPE_FP16 && strstr(i->opcode, ".MMA"))
        return LAUNCH_COUNTER_tensor_instructions;
    return of_pipe[pipe];
}

/* In machine code, or in PTX, where a sum of 64 bits that has a result is one with a product. */
static bool is_wide_product(const struct strata_inst *i)
{
    return strstr(i->opcode, ".WIDE") || strstr(i->opcode, ".HI") || strstr(i->opcode, ".wide") ||
           strstr(i->opcode, ".hi.") ||
           (!strncmp(i->opcode, "add.", 4) && strstr(i->opcode, "64") && i->n_dst);
}

static uint32_t line_of(uint16_t reg)
{
    uint32_t line = reg / SM_REGISTERS_A_LINE;
    return line < 8 ? 1u << line : 0;
}

static uint8_t lines_of(const struct sm_inst *i)
{
    uint32_t lines = 0;
    for (unsigned k = 0; k < i->n_read; k++)
        lines |= line_of(i->read[k]);
    for (unsigned k = 0; k < i->n_write; k++)
        lines |= line_of(i->write[k]);
    if (i->control.known) /* control codes wait for barriers */
        return 0;
    return lines ? SM_LINES(lowest_bit32(lines), log2_floor(lines)) : SM_LINES(0, 0);
}

static void find_few(struct sm_inst *i)
{
    unsigned n = 0;
    i->waits_for_few = i->n_read + i->n_write && i->n_read + i->n_write <= SM_FEW;
    if (!i->waits_for_few)
        return;
    for (unsigned k = 0; k < i->n_read; k++)
        i->first[n++] = (uint16_t)sm_register_place(i->read[k]);
    for (unsigned k = 0; k < i->n_write; k++)
        i->first[n++] = (uint16_t)sm_register_place(i->write[k]);
    for (; n < SM_FEW; n++)
        i->first[n] = i->first[n - 1];
}

static void decode(struct sm_decoder *d, const struct strata_inst *i, struct sm_inst *out)
{
    memset(out, 0, sizeof *out);
    struct class_row row = class_of(d->gpu, i);
    bool sass = d->isa == STRATA_ISA_SASS;
    out->kind = kind_of(i, sass);
    out->pipe = row.pipe;
    out->pipe_counter = pipe_counter_of(i, row.pipe);
    out->interval = row.interval ? row.interval : 1;
    out->latency = inst_latency_cycles(d->gpu, i);
    /* Products of 64 bits take the multiplier twice. */
    bool wide = i->opclass == STRATA_OP_IMAD && is_wide_product(i);
    if (wide)
        out->interval *= 2;
    /* PTX does not tell which of its sums of 64 bits ptxas makes products of. */
    out->hold = wide && sass ? d->gpu->sm.hold_wide_cycles : 0;
    out->result_stall = row.stall;
    struct flop_rule flops = flop_rule_of(i, d->isa);
    out->flop_counter = flops.counter;
    out->warp_flops = flops.warp_flops;
    out->control = i->control;
    d->controlled |= i->control.known && sass; /* PTX: the driver's functions alone */
    out->is_branch = i->opclass == STRATA_OP_BRANCH;
    for (unsigned k = 0; k < i->n_dst; k++)
        add_registers(d, out->write, &out->n_write, SM_MAX_WRITES, i->reg[k],
                      sass ? sass_dst_words(i) : 1);
    for (unsigned k = 0; k < i->n_src; k++)
        add_registers(d, out->read, &out->n_read, SM_MAX_READS, i->reg[i->n_dst + k],
                      sass ? sass_src_words(i, k) : 1);
    /* Predicates are not in SASS traces: what computes without a destination writes one, and
     * branches and exits read the last. */
    bool plain = out->kind == SM_KIND_PLAIN;
    out->writes_predicate = sass && plain && !i->n_dst && i->opclass != STRATA_OP_BRANCH &&
                            i->opclass != STRATA_OP_UNIFORM;
    out->reads_predicate = sass && (i->opclass == STRATA_OP_BRANCH || i->opclass == STRATA_OP_EXIT);
    uint64_t line_bytes = d->gpu->sm.fetch_line_bytes ? d->gpu->sm.fetch_line_bytes : 128;
    /* Traces other than of machine code number their instructions in steps of 16. */
    uint64_t at = i->pc - d->first_pc;
    out->fetch_line = (uint32_t)((sass ? at : at / 16 * d->gpu->sm.instruction_bytes) / line_bytes);
    out->is_unknown = i->opclass == STRATA_OP_OTHER;
    d->n_unknown += out->is_unknown;
    out->is_own =
        plain && !out->is_unknown && out->pipe != SM_PIPE_LSU && out->pipe != SM_PIPE_TENSOR;
    out->is_ahead = plain && out->pipe != SM_PIPE_LSU;
    out->is_store = out->kind == SM_KIND_GLOBAL && i->memop == STRATA_MEM_STORE;
    out->lines = lines_of(out);
    find_few(out);
}

void sm_decoder_init(struct sm_decoder *d, const struct strata_gpu *gpu,
                     const struct strata_code *code, uint32_t isa)
{
    memset(d, 0, sizeof *d);
    d->gpu = gpu;
    d->code = code;
    d->isa = isa;
}

void sm_decoder_release(struct sm_decoder *d)
{
    for (uint32_t i = 0; i < d->n_outgrown; i++)
        free(d->outgrown[i]);
    free(d->inst);
    free(d->step);
    memset(d, 0, sizeof *d);
}

strata_status sm_decoder_update(struct sm_decoder *d, struct strata_error *err)
{
    return sm_decoder_update_to(d, strata_code_count(d->code), err);
}

strata_status sm_decoder_update_to(struct sm_decoder *d, uint32_t n, struct strata_error *err)
{
    if (n <= d->n)
        return STRATA_OK;
    if (n > d->cap) {
        uint32_t cap = n < 256 ? 256 : n * 2;
        struct sm_inst *grown = aligned_alloc(64, cap * sizeof *grown);
        struct cursor_code *step = realloc(d->step, cap * sizeof *step);
        d->step = step ? step : d->step;
        if (!grown || !step) {
            free(grown);
            return strata_no_memory(err, NULL, "for %u decoded instructions", cap);
        }
        if (d->inst) {
            memcpy(grown, d->inst, d->n * sizeof *grown);
            d->outgrown[d->n_outgrown++] = d->inst;
        }
        d->inst = grown;
        d->cap = cap;
    }
    if (!d->n)
        d->first_pc = strata_code_get(d->code, 0)->pc & ~(uint64_t)127;
    for (; d->n < n; d->n++) {
        d->step[d->n] = cursor_code_of(d->code, d->n);
        decode(d, d->step[d->n].inst, &d->inst[d->n]);
        d->step[d->n].lines = d->inst[d->n].lines;
        d->step[d->n].code_line = (uint16_t)d->inst[d->n].fetch_line;
    }
    return STRATA_OK;
}
