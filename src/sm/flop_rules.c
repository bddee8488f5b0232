/* flop_rules.c - which count an opcode is, from the texts of machine code and PTX. */
#include "sm/flop_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTER(field) LAUNCH_COUNTER_op_##field

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* ---- tensor cores ---- */

/* 2 m n k of "m16n8k16", the shape in PTX; 0: none there. */
static uint32_t ptx_shape_flops(const char *opcode)
{
    unsigned m, n, k;
    for (const char *at = strstr(opcode, ".m"); at; at = strstr(at + 1, ".m"))
        if (sscanf(at, ".m%un%uk%u", &m, &n, &k) == 3)
            return 2 * m * n * k;
    return 0;
}

/* 2 m n k of "HMMA.16816": one or two digits for each of m, n and k, which are powers of two.
 * Volta's and Ampere's 884 are one product for each quarter of a warp, but for DMMA. */
static uint32_t sass_shape_flops(const char *opcode)
{
    static const struct {
        const char *digits;
        uint32_t m, n, k;
    } shapes[] = {{"16816", 16, 8, 16}, {"16832", 16, 8, 32}, {"1688", 16, 8, 8},
                  {"1684", 16, 8, 4},   {"16864", 16, 8, 64}, {"884", 8, 8, 4}};
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.'))
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            if (begins(at + 1, shapes[s].digits)) {
                uint32_t flops = 2 * shapes[s].m * shapes[s].n * shapes[s].k;
                bool quarters = shapes[s].m == 8 && opcode[0] == 'H';
                return quarters ? 4 * flops : flops;
            }
    return 0;
}

static struct flop_rule tensor_rule(const struct strata_inst *i, bool sass)
{
    struct flop_rule none = {0, 0}, rule = {COUNTER(tensor), 0};
    if (i->opclass == STRATA_OP_WGMMA) { /* a product of four warps */
        struct strata_wgmma_shape s = strata_wgmma_unpack(i->imm);
        rule.warp_flops = 2u * 64 * s.n * s.k / 4;
        return strstr(i->opcode, "s32") ? none : rule;
    }
    if (sass) {
        rule.warp_flops = i->opcode[0] == 'I' ? 0 : sass_shape_flops(i->opcode);
    } else if (strstr(i->opcode, "mma") && !strstr(i->opcode, ".s32")) {
        rule.warp_flops = ptx_shape_flops(i->opcode);
    }
    return rule.warp_flops ? rule : none;
}

/* ---- lanes ---- */

static uint8_t sass_counter(const char *opcode)
{
    static const struct {
        const char *name;
        uint8_t counter;
    } names[] = {{"FADD", COUNTER(fadd)},  {"FMUL", COUNTER(fmul)},  {"FFMA", COUNTER(ffma)},
                 {"DADD", COUNTER(dadd)},  {"DMUL", COUNTER(dmul)},  {"DFMA", COUNTER(dfma)},
                 {"HADD2", COUNTER(hadd)}, {"HMUL2", COUNTER(hmul)}, {"HFMA2", COUNTER(hfma)}};
    size_t length = strcspn(opcode, ".");
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (strlen(names[n].name) == length && begins(opcode, names[n].name))
            return names[n].counter;
    return 0;
}

/* The operation is before the first dot, the type after the last: "fma.rn.ftz.f32". */
static uint8_t ptx_counter(const char *opcode)
{
    static const char *const operations[] = {"add.", "sub.", "mul.", "fma.", "mad."};
    static const uint8_t counters[][3] = {{COUNTER(fadd), COUNTER(fmul), COUNTER(ffma)},
                                          {COUNTER(dadd), COUNTER(dmul), COUNTER(dfma)},
                                          {COUNTER(hadd), COUNTER(hmul), COUNTER(hfma)}};
    const char *type = strrchr(opcode, '.');
    unsigned operation = 0, width;
    while (operation < 5 && !begins(opcode, operations[operation]))
        operation++;
    if (operation == 5 || !type)
        return 0;
    if (!strcmp(type, ".f32"))
        width = 0;
    else if (!strcmp(type, ".f64"))
        width = 1;
    else if (begins(type, ".f16") || begins(type, ".bf16"))
        width = 2;
    else
        return 0;
    return counters[width][operation ? (operation - 1 > 2 ? 2 : operation - 1) : 0];
}

struct flop_rule flop_rule_of(const struct strata_inst *i, uint32_t isa)
{
    bool sass = isa == STRATA_ISA_SASS;
    if (i->opclass == STRATA_OP_TENSOR || i->opclass == STRATA_OP_WGMMA)
        return tensor_rule(i, sass);
    return (struct flop_rule){sass ? sass_counter(i->opcode) : ptx_counter(i->opcode), 0};
}
