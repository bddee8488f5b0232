/* stats.c - counts of a launch. */
#include <strata/stats.h>

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static const char *name_in(const char *const *names, size_t n, unsigned i)
{
    return i < n ? names[i] : "unknown";
}

const char *strata_opclass_name(unsigned opclass)
{
    static const char *const names[STRATA_N_OPCLASS] = {
        [STRATA_OP_OTHER] = "other",
        [STRATA_OP_INT] = "int",
        [STRATA_OP_FP32] = "fp32",
        [STRATA_OP_IMAD] = "imad",
        [STRATA_OP_FP64] = "fp64",
        [STRATA_OP_FP16] = "fp16",
        [STRATA_OP_SFU] = "sfu",
        [STRATA_OP_CONV] = "conversion",
        [STRATA_OP_TENSOR] = "tensor",
        [STRATA_OP_UNIFORM] = "uniform",
        [STRATA_OP_BRANCH] = "branch",
        [STRATA_OP_EXIT] = "exit",
        [STRATA_OP_BARRIER] = "barrier",
        [STRATA_OP_MEMBAR] = "membar",
        [STRATA_OP_SREG] = "sreg",
        [STRATA_OP_SHUFFLE] = "shuffle",
        [STRATA_OP_VOTE] = "vote",
        [STRATA_OP_MEM] = "memory",
        [STRATA_OP_CONST] = "const",
        [STRATA_OP_ASYNC_COMMIT] = "async-commit",
        [STRATA_OP_ASYNC_WAIT] = "async-wait",
        [STRATA_OP_NOP] = "nop",
        [STRATA_OP_MBARRIER] = "mbarrier",
        [STRATA_OP_BULK] = "bulk-copy",
        [STRATA_OP_BULK_COMMIT] = "bulk-commit",
        [STRATA_OP_BULK_WAIT] = "bulk-wait",
        [STRATA_OP_WGMMA] = "wgmma",
        [STRATA_OP_WGMMA_COMMIT] = "wgmma-commit",
        [STRATA_OP_WGMMA_WAIT] = "wgmma-wait",
        [STRATA_OP_CLUSTER_ARRIVE] = "cluster-arrive",
        [STRATA_OP_CLUSTER_WAIT] = "cluster-wait",
    };
    return name_in(names, STRATA_N_OPCLASS, opclass);
}

const char *strata_space_name(unsigned space)
{
    static const char *const names[STRATA_N_SPACE] = {"none",   "global", "local",
                                                      "shared", "const",  "texture"};
    return name_in(names, STRATA_N_SPACE, space);
}

const char *strata_memop_name(unsigned memop)
{
    static const char *const names[STRATA_N_MEMOP] = {
        "none", "load", "store", "atomic", "reduction", "async-copy", "prefetch"};
    return name_in(names, STRATA_N_MEMOP, memop);
}

/* Counts per static instruction; classes are added up at the end, once per static instruction. */
struct count {
    uint64_t executed, lanes, addressed_lanes;
};

struct counts {
    struct count *at;
    uint32_t n;
};

static bool make_room(struct counts *c, uint32_t n)
{
    if (n <= c->n)
        return true;
    struct count *bigger = realloc(c->at, n * sizeof *bigger);
    if (!bigger)
        return false;
    memset(bigger + c->n, 0, (n - c->n) * sizeof *bigger);
    c->at = bigger;
    c->n = n;
    return true;
}

static strata_status count_block(struct counts *c, const struct strata_block *block,
                                 struct strata_cursor *cursor, struct strata_stats *out,
                                 struct strata_error *err)
{
    struct strata_winst w;
    if (!make_room(c, strata_code_count(block->code)))
        return strata_no_memory(err, NULL, "for counting");
    out->blocks++;
    for (uint32_t warp = 0; warp < block->n_warps; warp++) {
        strata_status status = strata_cursor_init(cursor, block, warp, err);
        if (status)
            return status;
        out->warps += block->warp_instructions[warp] > 0;
        while (strata_cursor_next(cursor, &w)) {
            struct count *count = &c->at[w.inst_index];
            count->executed++;
            count->lanes += popcount32(w.mask);
            count->addressed_lanes += w.addr_kind == STRATA_ADDR_NONE ? 0 : popcount32(w.mask);
        }
    }
    return STRATA_OK;
}

static void add_up(const struct counts *c, const struct strata_code *code, bool is_sass,
                   struct strata_stats *out)
{
    out->static_instructions = strata_code_count(code);
    for (uint32_t i = 0; i < out->static_instructions; i++)
        out->static_with_control += strata_code_get(code, i)->control.known;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct strata_inst *inst = strata_code_get(code, i);
        struct strata_inst probe = *inst;
        struct strata_access_stats *a = &out->access[inst->space][inst->memop];
        out->warp_instructions += c->at[i].executed;
        out->thread_instructions += c->at[i].lanes;
        out->by_class[inst->opclass] += c->at[i].executed;
        if (inst->memop != STRATA_MEM_NONE || inst->opclass == STRATA_OP_MEM) {
            a->warp_instructions += c->at[i].executed;
            a->thread_accesses += c->at[i].addressed_lanes;
            a->bytes += c->at[i].addressed_lanes * inst->width_bytes;
        }
        if (is_sass && !strata_inst_decode_sass(&probe, inst->trace_width > 0, false)) {
            out->unknown_static++;
            out->unknown_warp_instructions += c->at[i].executed;
            out->unknown_example = inst->opcode;
        }
    }
}

strata_status strata_stats_collect(struct strata_reader *reader, struct strata_stats *out,
                                   struct strata_error *err)
{
    struct counts counts = {0};
    struct strata_cursor cursor = {0};
    struct strata_block *block;
    strata_status status;
    memset(out, 0, sizeof *out);
    while (!(status = strata_reader_next(reader, &block, err))) {
        status = count_block(&counts, block, &cursor, out, err);
        strata_block_destroy(block);
        if (status)
            break;
    }
    if (status == STRATA_END) {
        add_up(&counts, strata_reader_code(reader),
               strata_reader_launch(reader)->isa == STRATA_ISA_SASS, out);
        status = STRATA_OK;
    }
    strata_cursor_release(&cursor);
    free(counts.at);
    return status;
}
