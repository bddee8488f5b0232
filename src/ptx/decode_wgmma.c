/* decode_wgmma.c - warpgroup matrix multiplication. */
#include <stdlib.h>
#include <string.h>

#include "ptx/async.h"
#include "ptx/decode.h"

/* The n-th modifier behind the shape. */
static unsigned type_behind_shape(struct ptx_decoder *d, unsigned n)
{
    unsigned i = 0;
    while (i < d->op->n_modifiers && d->op->modifier[i] != PTX_M_SHAPE)
        i++;
    if (i + 1 + n >= d->op->n_modifiers)
        return PTX_NONE;
    d->taken |= 1u << (i + 1 + n);
    return d->op->modifier[i + 1 + n];
}

/* m64nNkK from the text: there are too many for a table. */
static bool read_shape(struct ptx_decoder *d, struct ptx_wgmma *g)
{
    const char *text = strstr(d->op->text, ".m64n");
    char *end;
    if (!ptx_dec_has(d, PTX_M_SHAPE) || !text)
        return ptx_dec_unsupported(d, "its shape does not begin with m64");
    g->model.n = (uint16_t)strtoul(text + 5, &end, 10);
    g->model.k = (uint16_t)(*end == 'k' ? strtoul(end + 1, NULL, 10) : 0);
    if (!g->model.n || g->model.n > 256 || g->model.n % 8)
        return ptx_dec_unsupported(d, "N is no multiple of 8 up to 256");
    return true;
}

static bool operand_type(struct ptx_decoder *d, unsigned modifier, uint8_t *type, unsigned *k)
{
    static const struct {
        uint8_t modifier, type;
        uint16_t k;
    } table[] = {{PTX_F16, EMU_WG_F16, 16},   {PTX_BF16, EMU_WG_BF16, 16},
                 {PTX_TF32, EMU_WG_TF32, 8},  {PTX_E4M3, EMU_WG_E4M3, 32},
                 {PTX_E5M2, EMU_WG_E5M2, 32}, {PTX_S8, EMU_WG_S8, 32},
                 {PTX_U8, EMU_WG_U8, 32},     {PTX_M_B1, EMU_WG_B1, 256}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].modifier == modifier) {
            *type = table[i].type;
            *k = table[i].k;
            return true;
        }
    return ptx_dec_unsupported(d, "unknown type of operands");
}

static bool read_types(struct ptx_decoder *d, struct ptx_wgmma *g)
{
    unsigned k_a = 0, k_b = 0;
    unsigned sum = type_behind_shape(d, 0);
    g->model.d_type = sum == PTX_S32   ? EMU_WG_SUM_S32
                      : sum == PTX_F32 ? EMU_WG_SUM_F32
                                       : EMU_WG_SUM_F16;
    if (!operand_type(d, type_behind_shape(d, 1), &g->model.a_type, &k_a) ||
        !operand_type(d, type_behind_shape(d, 2), &g->model.b_type, &k_b))
        return false;
    bool whole = g->model.a_type >= EMU_WG_S8;
    unsigned depth = g->model.sparse ? g->model.k / 2u : g->model.k;
    if (k_a != depth || k_b != depth || (g->model.sparse && g->model.a_type == EMU_WG_B1) ||
        (whole ? sum != PTX_S32 : sum != PTX_F32 && sum != PTX_F16))
        return ptx_dec_unsupported(d, "its shape and types do not go together");
    ptx_dec_has(d, PTX_M_AND);
    ptx_dec_has(d, PTX_M_POPC);
    g->model.saturates = ptx_dec_has(d, PTX_M_SATFINITE);
    g->n_d = g->model.d_type == EMU_WG_SUM_F16 ? g->model.n / 4 : g->model.n / 2;
    return true;
}

/* Immediate operands behind scale-d: signs of A and B, then transpositions. */
static bool read_signs(struct ptx_decoder *d, struct ptx_wgmma *g, unsigned first)
{
    uint64_t value[4] = {1, 1, 0, 0};
    for (unsigned i = 0; first + i < d->op->n_operands; i++) {
        unsigned to = g->model.a_in_registers && i == 2 ? 3 : i;
        if (to > 3 || !ptx_dec_immediate(ptx_dec_operand(d, first + i), &value[to]))
            return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\": a scale or transposition is no number",
                                d->op->text);
    }
    g->model.negate_a = (int64_t)value[0] < 0 || value[0] == UINT32_MAX;
    g->model.negate_b = (int64_t)value[1] < 0 || value[1] == UINT32_MAX;
    g->model.transpose_a = value[2];
    g->model.transpose_b = value[3];
    return true;
}

/* The register that tells which elements of A are there, and whose lanes' it is. */
static bool read_metadata(struct ptx_decoder *d, struct ptx_wgmma *g)
{
    uint64_t selector = 0;
    unsigned choices = g->model.k == 64 ? 1 : 2; /* all lanes tell of bytes */
    if (!ptx_dec_source_n(d, 3, PTX_B32, &g->metadata))
        return false;
    if (!ptx_dec_immediate(ptx_dec_operand(d, 4), &selector) || selector >= choices)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\": the selector is a constant below %u",
                            d->op->text, choices);
    g->model.selector = (uint8_t)selector;
    return true;
}

static bool decode_product(struct ptx_decoder *d)
{
    struct ptx_wgmma *g = ptx_dec_allocate(d, sizeof *g);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_wgmma, PTX_SELF);
    if (!g)
        return false;
    g->model.sparse = ptx_dec_has(d, PTX_M_SP);
    unsigned more = g->model.sparse ? 2 : 0; /* operands behind B */
    const struct ptx_operand *a = ptx_dec_operand(d, 1);
    if (!read_shape(d, g) || !read_types(d, g) || !ptx_dec_expect_operands(d, 4 + more, 8 + more) ||
        (more && !read_metadata(d, g)))
        return false;
    g->scale_d = g->a_desc = PTX_NO_REF;
    g->model.a_in_registers = a->kind == PTX_OPERAND_VECTOR;
    if (g->model.a_in_registers ? !ptx_dec_elements(d, a, PTX_B32, 4, false, &g->a)
                                : !ptx_dec_source(d, a, PTX_U64, &g->a_desc))
        return false;
    if (!ptx_dec_source_n(d, 2, PTX_U64, &g->b_desc) ||
        !ptx_dec_source_n(d, 3 + more, PTX_PRED, &g->scale_d) || !read_signs(d, g, 4 + more) ||
        !ptx_dec_elements(d, ptx_dec_operand(d, 0), PTX_B32, g->n_d, true, &g->d))
        return false;
    if ((g->model.transpose_a || g->model.transpose_b) && g->model.k != 16)
        return ptx_dec_unsupported(d, "only 16-bit operands can be transposed");
    in.extra = g;
    return ptx_dec_put_main(d, &in);
}

bool ptx_decode_wgmma(struct ptx_decoder *d)
{
    ptx_dec_has(d, PTX_M_SYNC);
    ptx_dec_has(d, PTX_M_ALIGNED);
    if (ptx_dec_has(d, PTX_M_MMA_ASYNC))
        return decode_product(d);
    bool waits = ptx_dec_has(d, PTX_M_WAIT_GROUP);
    struct ptx_inst in = ptx_dec_inst(d, waits ? ptx_run_group_meets : ptx_run_nothing,
                                      waits ? PTX_WAIT_STEP : PTX_STEP);
    in.width = 0;
    if (!waits && !ptx_dec_has(d, PTX_M_FENCE) && !ptx_dec_has(d, PTX_M_COMMIT_GROUP))
        return ptx_dec_unsupported(d, "unknown operation");
    return ptx_dec_put_main(d, &in);
}
