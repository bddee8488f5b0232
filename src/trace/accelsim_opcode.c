/* accelsim_opcode.c - SASS opcodes for instructions of other origin (PTX, generators, thread
 * lists).
 *
 * The text names the unit, the space, the width and the cache hints; what the
 * instruction computes is lost, which no memory model asks for. */
#include "trace/accelsim.h"

#include <stdio.h>

static const char *width_token(unsigned bytes)
{
    switch (bytes) {
    case 1:
        return ".U8";
    case 2:
        return ".U16";
    case 8:
        return ".64";
    case 16:
        return ".128";
    default:
        return "";
    }
}

static const char *memory_mnemonic(const struct strata_inst *inst)
{
    bool shared = inst->space == STRATA_SPACE_SHARED, local = inst->space == STRATA_SPACE_LOCAL;
    if (inst->space == STRATA_SPACE_CONST)
        return "LDC";
    if (inst->space == STRATA_SPACE_TEXTURE)
        return inst->memop == STRATA_MEM_STORE ? "SUST" : "TEX";
    switch (inst->memop) {
    case STRATA_MEM_STORE:
        return shared ? "STS" : local ? "STL" : "STG.E";
    case STRATA_MEM_ATOMIC:
        return shared ? "ATOMS.ADD" : "ATOMG.E.ADD";
    case STRATA_MEM_REDUCTION:
        return shared ? "ATOMS.ADD" : "RED.E.ADD";
    case STRATA_MEM_ASYNC_COPY:
        return "LDGSTS.E";
    case STRATA_MEM_PREFETCH:
        return "CCTL.E.PF2";
    default:
        return shared ? "LDS" : local ? "LDL" : "LDG.E";
    }
}

static const char *class_opcode(unsigned opclass)
{
    static const char *const text[STRATA_N_OPCLASS] = {
        [STRATA_OP_OTHER] = "NOP",
        [STRATA_OP_INT] = "IADD3",
        [STRATA_OP_FP32] = "FADD",
        [STRATA_OP_IMAD] = "IMAD",
        [STRATA_OP_FP64] = "DADD",
        [STRATA_OP_FP16] = "HADD2",
        [STRATA_OP_SFU] = "MUFU.RCP",
        [STRATA_OP_CONV] = "F2I",
        [STRATA_OP_TENSOR] = "HMMA.16816.F32",
        [STRATA_OP_UNIFORM] = "UIADD3",
        [STRATA_OP_BRANCH] = "BRA",
        [STRATA_OP_EXIT] = "EXIT",
        [STRATA_OP_BARRIER] = "BAR.SYNC",
        [STRATA_OP_MEMBAR] = "MEMBAR.SC.GPU",
        [STRATA_OP_SREG] = "S2R",
        [STRATA_OP_SHUFFLE] = "SHFL.IDX",
        [STRATA_OP_VOTE] = "VOTE.ALL",
        [STRATA_OP_CONST] = "LDC",
        [STRATA_OP_ASYNC_COMMIT] = "LDGDEPBAR",
        [STRATA_OP_ASYNC_WAIT] = "DEPBAR.LE",
        [STRATA_OP_NOP] = "NOP",
    };
    return opclass < STRATA_N_OPCLASS && text[opclass] ? text[opclass] : "NOP";
}

static void hint_tokens(const struct strata_inst *inst, char *out, size_t size)
{
    static const struct {
        unsigned hint;
        const char *token;
    } hints[] = {{STRATA_HINT_EVICT_FIRST, ".EF"},        {STRATA_HINT_EVICT_LAST, ".EL"},
                 {STRATA_HINT_NO_ALLOCATE, ".NA"},        {STRATA_HINT_READ_ONLY, ".CONSTANT"},
                 {STRATA_HINT_PREFETCH_64B, ".LTC64B"},   {STRATA_HINT_PREFETCH_128B, ".LTC128B"},
                 {STRATA_HINT_PREFETCH_256B, ".LTC256B"}, {STRATA_HINT_WRITE_THROUGH, ".WT"}};
    size_t n = 0;
    *out = 0;
    bool copy = inst->memop == STRATA_MEM_ASYNC_COPY;
    if (inst->hints & STRATA_HINT_BYPASS_L1)
        n += (size_t)snprintf(out + n, size - n, "%s", copy ? ".BYPASS" : ".STRONG.GPU");
    else if (inst->hints & STRATA_HINT_VOLATILE)
        n += (size_t)snprintf(out + n, size - n, ".STRONG.SYS");
    for (size_t i = 0; i < sizeof hints / sizeof hints[0] && n < size; i++)
        if (inst->hints & hints[i].hint)
            n += (size_t)snprintf(out + n, size - n, "%s", hints[i].token);
}

/* True if the instruction's text, read as SASS, means what the instruction is. */
static bool reads_as_sass(const struct strata_inst *inst)
{
    struct strata_inst read = {.opcode = inst->opcode};
    return strata_inst_decode_sass(&read, inst->memop != STRATA_MEM_NONE, false) &&
           read.opclass == inst->opclass && read.memop == inst->memop &&
           (read.space == inst->space || read.hints & STRATA_HINT_GENERIC) &&
           (inst->memop == STRATA_MEM_NONE || read.width_bytes == inst->width_bytes);
}

void accelsim_opcode_text(const struct strata_inst *inst, uint32_t isa, char *out, size_t size)
{
    char hints[96] = "";
    if (isa == STRATA_ISA_SASS || reads_as_sass(inst)) {
        snprintf(out, size, "%s", inst->opcode);
    } else if (inst->memop != STRATA_MEM_NONE) {
        hint_tokens(inst, hints, sizeof hints);
        snprintf(out, size, "%s%s%s", memory_mnemonic(inst), width_token(inst->width_bytes), hints);
    } else {
        snprintf(out, size, "%s", class_opcode(inst->opclass));
    }
}
