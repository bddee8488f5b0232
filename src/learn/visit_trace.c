/* visit_trace.c - the kernel that visits a sequence (paper 003, section IV-B: the second part of
 * synthetic traces). */
#include "learn/visit_trace.h"

#include <string.h>
#include <strata/trace.h>

enum { FIRST_REGISTER = 4, ADDRESS_REGISTER = 2, MOST_LOADS = 16, INSTRUCTION_BYTES = 16 };

static strata_status declare(struct strata_code *code, const char *opcode, uint32_t number,
                             uint32_t *index, struct strata_error *err)
{
    struct strata_inst inst = {.pc = (uint64_t)number * INSTRUCTION_BYTES, .opcode = opcode};
    bool load = !strncmp(opcode, "LDG", 3);
    strata_inst_decode_sass(&inst, load, false);
    inst.trace_width = load ? inst.width_bytes : 0;
    if (load) {
        inst.n_dst = inst.n_src = 1;
        inst.reg[0] = (uint16_t)(FIRST_REGISTER + number);
        inst.reg[1] = ADDRESS_REGISTER;
    }
    return strata_code_add(code, &inst, index, err);
}

static strata_status add_warp(struct strata_builder *b, const uint64_t *line, size_t n,
                              const struct learn_visit *visit, uint32_t warp, const uint32_t *load,
                              uint32_t end, struct strata_error *err)
{
    strata_status st = strata_builder_begin_warp(b, warp, err);
    uint32_t next = 0;
    for (size_t i = warp; i < n && st == STRATA_OK; i += visit->warps) {
        st = strata_builder_add_strided(b, load[next], 0xffffffffu, 0x200000000ull + line[i] * 128,
                                        4, err);
        next = (next + 1) % visit->loads_under_way;
    }
    return st == STRATA_OK ? strata_builder_add(b, end, 0xffffffffu, NULL, err) : st;
}

static strata_status build_block(struct strata_code *code, const uint64_t *line, size_t n,
                                 const struct learn_visit *visit, struct strata_block **out,
                                 struct strata_error *err)
{
    struct strata_builder *b = NULL;
    uint32_t load[MOST_LOADS] = {0}, end = 0;
    strata_status st = STRATA_OK;
    for (uint32_t k = 0; k < visit->loads_under_way && st == STRATA_OK; k++)
        st = declare(code, "LDG.E", k, &load[k], err);
    if (st == STRATA_OK)
        st = declare(code, "EXIT", visit->loads_under_way, &end, err);
    if (st == STRATA_OK)
        st = strata_builder_create(code, &b, err);
    if (st == STRATA_OK)
        st = strata_builder_begin_block(b, 0, visit->warps, err);
    for (uint32_t w = 0; w < visit->warps && st == STRATA_OK; w++)
        st = add_warp(b, line, n, visit, w, load, end, err);
    if (st == STRATA_OK)
        st = strata_builder_end_block(b, out, err);
    strata_builder_destroy(b);
    return st;
}

strata_status learn_visit_write(const char *name, const uint64_t *line, size_t n,
                                const struct learn_visit *visit, const char *path,
                                struct strata_error *err)
{
    const struct strata_launch launch = {.program = name,
                                         .trace = name,
                                         .kernel = "visit",
                                         .id = 1,
                                         .grid = {1, 1, 1},
                                         .block = {STRATA_WARP_SIZE * visit->warps, 1, 1},
                                         .registers_per_thread = 32,
                                         .sm_version = 90,
                                         .isa = STRATA_ISA_SYNTHETIC};
    struct strata_code *code = NULL;
    struct strata_writer *w = NULL;
    struct strata_block *block = NULL;
    strata_status st = strata_code_create(&code, err);
    if (st == STRATA_OK)
        st = build_block(code, line, n, visit, &block, err);
    if (st == STRATA_OK)
        st = strata_writer_create(path, NULL, &w, err);
    if (st == STRATA_OK)
        st = strata_writer_begin_launch(w, &launch, code, err);
    if (st == STRATA_OK)
        st = strata_writer_block(w, block, err);
    if (st == STRATA_OK)
        st = strata_writer_end_launch(w, err);
    if (st == STRATA_OK) {
        st = strata_writer_finish(w, err);
        w = NULL;
    }
    if (w)
        strata_writer_abort(w);
    strata_block_destroy(block);
    strata_code_destroy(code);
    return st;
}
