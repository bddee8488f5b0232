/* matrix.h - how the elements of matrices lie in the registers of a warp.
 *
 * mma.sync defines its fragments; wmma leaves them open, and the same tiles are
 * used for it, as compilers for sm_80 and later do: so wmma.load makes the
 * accesses a program compiled for such hardware makes. */
#ifndef STRATA_PTX_MATRIX_H
#define STRATA_PTX_MATRIX_H

#include "ptx/exec.h"

enum ptx_fragment { PTX_FRAGMENT_A, PTX_FRAGMENT_B, PTX_FRAGMENT_C };

struct ptx_shape {
    uint8_t m, n, k;
};

struct ptx_mma {
    struct ptx_shape shape;
    uint8_t ab_type, c_type, d_type;
    uint8_t n_a, n_b, n_c, n_d; /* registers */
    const uint32_t *a, *b, *c, *d;
};

/* One access of wmma.load or wmma.store: one or two neighbouring elements. */
struct ptx_matrix_part {
    struct ptx_shape shape;
    uint8_t fragment, type;
    uint8_t reg, half; /* first element */
    uint8_t n;         /* elements: they follow each other in memory */
    bool column_major, is_store;
    uint32_t refs[2];    /* registers of the elements (equal for a pair of halves) */
    uint32_t stride_ref; /* elements between rows (columns) */
};

/* Registers of 32 (f64: 64) bits a fragment fills, without the copies wmma adds for f16. */
unsigned ptx_fragment_registers(struct ptx_shape shape, unsigned fragment, unsigned type);
/* Row and column of an element: A is m x k, B is k x n, C is m x n. */
void ptx_fragment_place(struct ptx_shape shape, unsigned fragment, unsigned type, unsigned lane,
                        unsigned reg, unsigned half, unsigned *row, unsigned *column);

#endif
