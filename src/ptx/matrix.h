/* matrix.h - operands of matrix instructions. */
#ifndef STRATA_PTX_MATRIX_H
#define STRATA_PTX_MATRIX_H

#include "emulator/matrix.h"
#include "ptx/exec.h"

/* Types of elements that are no types of registers; the others are those of opcode.h. An element of
 * PTX_MMA_B1 is 32 bits side by side, and shapes count these. */
enum { PTX_MMA_S4 = 0xf0, PTX_MMA_U4, PTX_MMA_B1 };

struct ptx_mma {
    struct emu_shape shape;
    uint8_t a_type, b_type, c_type, d_type;
    bool saturates;             /* sums of whole numbers; else they wrap */
    bool exclusive;             /* bits that differ are counted, not those that both have */
    uint8_t n_a, n_b, n_c, n_d; /* registers */
    const uint32_t *a, *b, *c, *d;
    bool sparse;       /* of A's columns a half, see emu_sparse_unpack() */
    uint8_t selector;  /* of the lanes whose metadata count */
    uint32_t metadata; /* register */
};

/* mma.m8n8k4 of halves: eight lanes, two quads 16 lanes apart, multiply 8 x 4 by 4 x 8; a warp does
 * four of these. */
struct ptx_quad_mma {
    uint8_t c_type, d_type; /* PTX_F16 or PTX_F32 */
    bool a_columns, b_columns;
    const uint32_t *a, *b, *c, *d;
};

/* One access of wmma.load or wmma.store: neighbouring elements, or tiles of shared memory. */
struct ptx_matrix_part {
    struct emu_shape shape;
    uint8_t fragment, type;
    uint8_t reg, half; /* first element */
    uint8_t n;         /* elements: they follow each other in memory; or tiles */
    uint8_t registers; /* it touches, of `need` that the fragment has without copies */
    uint8_t need;
    bool column_major, is_store;
    bool crossed; /* rows of each tile of 8 x 8 are taken for its columns, and put right afterwards
                   */
    const uint32_t *tiles; /* of n tiles of 8 x 8 that are loaded together, a register each */
    uint32_t refs[2];      /* registers of the elements (equal for a pair of halves) */
    uint32_t stride_ref;   /* elements between rows (columns) */
    uint8_t stride_shift;  /* of which so many, as a power of two, are one of ours */
};

unsigned ptx_element_bits(unsigned type);
/* An element of a register: `part` counts within it. */
double ptx_element_get(const struct ptx_warp *w, uint32_t ref, unsigned lane, unsigned part,
                       unsigned type);
void ptx_element_put(struct ptx_warp *w, uint32_t ref, unsigned lane, unsigned part, unsigned type,
                     bool saturates, double value);

#endif
