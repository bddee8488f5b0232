/* inst_latency.c - fixed latencies of instructions by their class, as the GPU's description has
 * them. */
#include "trace/inst_latency.h"

#include <string.h>

/* A fence that other blocks can tell: by its scope, in machine code or PTX. */
static bool fences_gpu(const struct strata_inst *i)
{
    static const char *const scopes[] = {".GPU", ".SYS", ".gpu", ".sys", ".gl", ".cluster"};
    if (strncmp(i->opcode, "MEMBAR", 6) && strncmp(i->opcode, "membar", 6) &&
        strncmp(i->opcode, "fence.", 6))
        return false;
    for (size_t k = 0; k < sizeof scopes / sizeof *scopes; k++)
        if (strstr(i->opcode, scopes[k]))
            return !strstr(i->opcode, "proxy") && !strstr(i->opcode, "mbarrier_init");
    return false;
}

/* Votes, branches and reads of special registers of other latencies, by how their names begin, in
 * machine code or PTX. 0: the latency of their class. */
static uint32_t latency_by_name(const struct strata_gpu *g, const char *opcode)
{
    const struct {
        const char *name;
        uint32_t latency;
    } rows[] = {
        {"REDUX", g->sm.latency_redux_cycles},    {"redux", g->sm.latency_redux_cycles},
        {"CREDUX", g->sm.latency_redux_cycles},   {"MATCH", g->sm.latency_match_cycles},
        {"match", g->sm.latency_match_cycles},    {"RET", g->sm.latency_return_cycles},
        {"BSYNC", g->sm.latency_converge_cycles}, {"S2UR", g->sm.latency_sreg_uniform_cycles},
        {"BREAK", g->sm.latency_break_cycles},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strncmp(opcode, rows[k].name, strlen(rows[k].name)))
            return rows[k].latency;
    return 0;
}

/* nanosleep: imm is how long, where the code says it; devicecalls_probe.cu: loops that sleep 500 ns
 * go round every 497. */
static uint32_t sleep_cycles(const struct strata_gpu *g, const struct strata_inst *i)
{
    if (i->imm <= 0 || (strncmp(i->opcode, "NANOSLEEP", 9) && strncmp(i->opcode, "nanosleep", 9)))
        return 0;
    return (uint32_t)((uint64_t)i->imm * g->sm.clock_mhz / 1000);
}

bool inst_only_orders(const struct strata_inst *inst)
{
    switch (inst->opclass) {
    case STRATA_OP_EXIT:
    case STRATA_OP_BARRIER:
    case STRATA_OP_ASYNC_COMMIT:
    case STRATA_OP_ASYNC_WAIT:
    case STRATA_OP_NOP:
    case STRATA_OP_BULK:
    case STRATA_OP_BULK_COMMIT:
    case STRATA_OP_BULK_WAIT:
    case STRATA_OP_WGMMA_COMMIT:
    case STRATA_OP_WGMMA_WAIT:
    case STRATA_OP_CLUSTER_ARRIVE:
    case STRATA_OP_CLUSTER_WAIT:
        return true;
    default:
        return false;
    }
}

static uint32_t latency_by_class(const struct strata_gpu *g, const struct strata_inst *i)
{
    switch (i->opclass) {
    case STRATA_OP_FP32:
        return g->sm.latency_fp32_cycles;
    case STRATA_OP_IMAD:
        return g->sm.latency_imad_cycles;
    case STRATA_OP_FP64:
        return g->sm.latency_fp64_cycles;
    case STRATA_OP_FP16:
        return g->sm.latency_fp16_cycles;
    case STRATA_OP_SFU:
        return g->sm.latency_sfu_cycles;
    case STRATA_OP_CONV:
        return g->sm.latency_conv_cycles;
    case STRATA_OP_TENSOR:
        return g->sm.latency_tensor_cycles;
    case STRATA_OP_UNIFORM:
        return g->sm.latency_uniform_cycles;
    case STRATA_OP_SREG:
        return g->sm.latency_sreg_cycles;
    case STRATA_OP_CONST:
        return g->sm.latency_const_cycles;
    case STRATA_OP_SHUFFLE:
        return g->sm.latency_shuffle_cycles;
    case STRATA_OP_VOTE:
        return g->sm.latency_vote_cycles;
    case STRATA_OP_BRANCH:
        return g->sm.latency_branch_cycles;
    case STRATA_OP_MBARRIER:
        return g->shared.latency_cycles;
    case STRATA_OP_MEMBAR:
        return fences_gpu(i) ? g->sm.fence_cycles : 0;
    case STRATA_OP_MEM:
    case STRATA_OP_WGMMA:
        return 0;
    default:
        return inst_only_orders(i) ? 0 : g->sm.latency_int_cycles;
    }
}

uint32_t inst_latency_cycles(const struct strata_gpu *gpu, const struct strata_inst *inst)
{
    uint32_t own = 0;
    if (inst->opclass == STRATA_OP_BRANCH)
        own = sleep_cycles(gpu, inst);
    if (!own && (inst->opclass == STRATA_OP_VOTE || inst->opclass == STRATA_OP_BRANCH ||
                 inst->opclass == STRATA_OP_SREG))
        own = latency_by_name(gpu, inst->opcode);
    uint32_t cycles = own ? own : latency_by_class(gpu, inst);
    return cycles ? cycles : 1;
}
