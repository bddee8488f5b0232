/* ptx_exec_wgmma.c - warpgroup matrix multiplication of PTX: where its operands are. */
#include "ptx/async.h"
#include "ptx/handlers.h"

void ptx_run_wgmma(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_wgmma *g = in->extra;
    unsigned lane = lowest_bit32(mask);
    struct emu_wgmma_operands o;
    bool in_registers = g->model.a_in_registers;
    o.a_desc = in_registers ? 0 : ((const uint64_t *)ptx_ref(w, g->a_desc))[lane];
    o.b_desc = ((const uint64_t *)ptx_ref(w, g->b_desc))[lane];
    o.keep = ptx_predicate(w, g->scale_d) >> lane & 1;
    o.metadata = g->model.sparse ? ptx_ref(w, g->metadata) : NULL;
    for (unsigned i = 0; in_registers && i < 4; i++)
        o.a[i] = ptx_ref(w, g->a[i]);
    for (unsigned i = 0; i < g->n_d; i++)
        o.d[i] = ptx_ref(w, g->d[i]);
    emu_wgmma_run(&w->base, &in->site, mask, &g->model, &o);
}
