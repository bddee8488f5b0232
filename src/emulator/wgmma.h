/* wgmma.h - warpgroup matrix multiplication, for every kind of code. */
#ifndef STRATA_EMULATOR_WGMMA_H
#define STRATA_EMULATOR_WGMMA_H

#include "emulator/emulator.h"

enum emu_wgmma_type {
    EMU_WG_F16,
    EMU_WG_BF16,
    EMU_WG_TF32,
    EMU_WG_E4M3,
    EMU_WG_E5M2,
    EMU_WG_S8,
    EMU_WG_U8,
    EMU_WG_B1
};
enum emu_wgmma_sum { EMU_WG_SUM_F16, EMU_WG_SUM_F32, EMU_WG_SUM_S32 };

/* What an instruction says. */
struct emu_wgmma {
    uint16_t n, k;
    uint8_t a_type, b_type; /* enum emu_wgmma_type */
    uint8_t d_type;         /* enum emu_wgmma_sum */
    bool a_in_registers, saturates;
    bool negate_a, negate_b, transpose_a, transpose_b;
    bool sparse; /* of A's columns a half, see emu_sparse_column() */
    uint8_t selector;
};
/* Registers are rows of 32 lanes. */
struct emu_wgmma_operands {
    uint64_t a_desc, b_desc; /* a_desc is 0 if A is in registers */
    const uint32_t *a[4];
    const uint32_t *metadata; /* of a sparse A */
    uint32_t *d[128];
    bool keep; /* the sums so far are added to */
};

/* One warp's part: 16 of the 64 rows. Records itself. */
void emu_wgmma_run(struct emu_warp *w, const struct emu_site *site, uint32_t mask,
                   const struct emu_wgmma *g, const struct emu_wgmma_operands *o);
/* imm of its record, strata_wgmma_shape packed; commits: it closes its group. */
int32_t emu_wgmma_number(const struct emu_wgmma *g, bool commits);

#endif
