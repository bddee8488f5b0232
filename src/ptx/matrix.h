/* matrix.h - operands of matrix instructions. */
#ifndef STRATA_PTX_MATRIX_H
#define STRATA_PTX_MATRIX_H

#include "emulator/matrix.h"
#include "ptx/exec.h"

struct ptx_mma {
    struct emu_shape shape;
    uint8_t a_type, b_type, c_type, d_type;
    bool saturates;             /* sums of whole numbers; else they wrap */
    uint8_t n_a, n_b, n_c, n_d; /* registers */
    const uint32_t *a, *b, *c, *d;
};

/* One access of wmma.load or wmma.store: one or two neighbouring elements. */
struct ptx_matrix_part {
    struct emu_shape shape;
    uint8_t fragment, type;
    uint8_t reg, half; /* first element */
    uint8_t n;         /* elements: they follow each other in memory */
    bool column_major, is_store;
    uint32_t refs[2];    /* registers of the elements (equal for a pair of halves) */
    uint32_t stride_ref; /* elements between rows (columns) */
};

unsigned ptx_element_bits(unsigned type);

#endif
