/* matrix.h - how the elements of matrices lie in the registers of a warp, and their product.
 *
 * mma.sync and the machine code define their fragments; wmma leaves them open, and the same tiles
 * are used for it, as compilers for sm_80 and later do. */
#ifndef STRATA_EMULATOR_MATRIX_H
#define STRATA_EMULATOR_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

enum emu_fragment { EMU_FRAGMENT_A, EMU_FRAGMENT_B, EMU_FRAGMENT_C };

struct emu_shape {
    uint16_t m, n, k;
};
#define EMU_MAX_SIDE 64

/* Registers of 32 (doubles: 64) bits a fragment of elements of so many bits fills. */
unsigned emu_fragment_registers(struct emu_shape shape, unsigned fragment, unsigned bits);
/* Row and column of an element, the `part`-th of its register: A is m x k, B is k x n, C m x n. */
void emu_fragment_place(struct emu_shape shape, unsigned fragment, unsigned bits, unsigned lane,
                        unsigned reg, unsigned part, unsigned *row, unsigned *column);
/* Of a sparse A of four bits both elements of a pair are there or none: its pairs lie, and are told
 * of, as the elements of a product of bytes of this shape. */
static inline struct emu_shape emu_shape_of_pairs(struct emu_shape shape)
{
    return (struct emu_shape){shape.m, shape.n, shape.k / 2};
}
/* Lanes of four whose metadata tell of two rows of a sparse A, 8 apart. */
unsigned emu_sparse_lanes(struct emu_shape shape, unsigned bits);
/* The column of the whole A that element `packed_column` of a row has; lanes are chosen by the
 * selector. */
unsigned emu_sparse_column(struct emu_shape shape, unsigned bits, const uint32_t *metadata,
                           unsigned selector, unsigned row, unsigned packed_column);
/* The whole A, m x k, of a sparse product: packed has its half of the columns that are not zero,
 * and the lanes' metadata tell which. Lanes are chosen by the selector. */
void emu_sparse_unpack(struct emu_shape shape, unsigned bits, const uint32_t *metadata,
                       unsigned selector, double packed[EMU_MAX_SIDE][EMU_MAX_SIDE],
                       double a[EMU_MAX_SIDE][EMU_MAX_SIDE]);
/* c += a * b; sums are formed in double. */
void emu_matrix_multiply(struct emu_shape shape, double a[EMU_MAX_SIDE][EMU_MAX_SIDE],
                         double b[EMU_MAX_SIDE][EMU_MAX_SIDE],
                         double c[EMU_MAX_SIDE][EMU_MAX_SIDE]);
/* The same of single bits, 32 to an element (shape.k counts these): c += how many a and b have
 * both, or one has and the other has not. */
void emu_matrix_multiply_bits(struct emu_shape shape, bool exclusive,
                              double a[EMU_MAX_SIDE][EMU_MAX_SIDE],
                              double b[EMU_MAX_SIDE][EMU_MAX_SIDE],
                              double c[EMU_MAX_SIDE][EMU_MAX_SIDE]);

/* A product whose elements an executor has in its registers. */
struct emu_product {
    struct emu_shape shape;
    uint8_t bits[3]; /* of an element, by enum emu_fragment; single bits come 32 to an element */
    bool of_bits, exclusive; /* see emu_matrix_multiply_bits() */
    bool sparse;             /* see emu_sparse_unpack() */
    const uint32_t *metadata;
    unsigned selector;
    const void *operands; /* for element() */
    double (*element)(const void *operands, unsigned fragment, unsigned reg, unsigned lane,
                      unsigned part);
};
/* Elements of a register of 32 bits. */
static inline unsigned emu_element_parts(unsigned bits)
{
    return bits < 32 ? 32 / bits : 1;
}
/* A sum of whole numbers as 32 bits, which wraps unless it saturates. One of at most 64 products of
 * bytes and a word is exact in double. */
static inline uint32_t emu_whole_sum(double sum, bool saturates)
{
    if (saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)(int64_t)sum;
}
/* c = C + A * B. */
void emu_product_form(const struct emu_product *p, double c[EMU_MAX_SIDE][EMU_MAX_SIDE]);

#endif
