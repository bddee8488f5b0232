/* matrix.c - how the elements of matrices lie in the registers of a warp, and their product. */
#include "emulator/matrix.h"

#include "base/bits.h"
#include "emulator/emulator.h"

/* Elements of one register; a double has a register of its own here. */
static unsigned per_register(unsigned bits)
{
    return bits >= 32 ? 1 : 32 / bits;
}

unsigned emu_fragment_registers(struct emu_shape s, unsigned fragment, unsigned bits)
{
    unsigned elements = fragment == EMU_FRAGMENT_A   ? s.m * s.k
                        : fragment == EMU_FRAGMENT_B ? s.k * s.n
                                                     : s.m * s.n;
    return elements / EMU_LANES / per_register(bits);
}

/* The A tile: 16 rows, of which a lane holds `lane / 4` and the one 8 below by turns; 8 rows in
 * shapes of 8 rows. */
static void place_a(struct emu_shape s, unsigned bits, unsigned lane, unsigned reg, unsigned part,
                    unsigned *row, unsigned *column)
{
    unsigned group = lane / 4, thread = lane % 4, per = per_register(bits);
    bool narrow = s.m < 16;
    unsigned along_k = s.k / (4 * per), per_tile = narrow ? along_k : 2 * along_k;
    unsigned tile = reg / per_tile, r = reg % per_tile;
    unsigned below = narrow ? 0 : r & 1, step = narrow ? r : r / 2;
    *row = group + below * 8 + tile * (narrow ? 8 : 16);
    *column = thread * per + part + step * 4 * per;
}

/* The B tile: 8 columns. */
static void place_b(struct emu_shape s, unsigned bits, unsigned lane, unsigned reg, unsigned part,
                    unsigned *row, unsigned *column)
{
    unsigned group = lane / 4, thread = lane % 4, per = per_register(bits);
    unsigned per_tile = s.k / (4 * per), tile = reg / per_tile, r = reg % per_tile;
    *column = group + tile * 8;
    *row = thread * per + part + r * 4 * per;
}

/* The C tile: 16 rows (8 for f64), 8 columns; further tiles go right while n has room, then down.
 */
static void place_c(unsigned m, unsigned n, unsigned bits, unsigned lane, unsigned reg,
                    unsigned part, unsigned *row, unsigned *column)
{
    unsigned group = lane / 4, thread = lane % 4;
    unsigned tile_rows = m < 16 ? 8 : 16, per_tile = tile_rows / 4 / per_register(bits);
    unsigned tile = reg / per_tile, r = reg % per_tile;
    unsigned e = r * per_register(bits) + part;
    *row = group + (e / 2) * 8;
    *column = thread * 2 + (e & 1);
    if (n > 8)
        *column += tile * 8;
    else
        *row += tile * 16;
}

void emu_fragment_place(struct emu_shape s, unsigned fragment, unsigned bits, unsigned lane,
                        unsigned reg, unsigned part, unsigned *row, unsigned *column)
{
    /* m8n32k16 is m32n8k16 transposed. */
    bool flip = s.m == 8 && s.n == 32;
    if (flip) {
        struct emu_shape t = {s.n, s.m, s.k};
        unsigned other = fragment == EMU_FRAGMENT_A   ? EMU_FRAGMENT_B
                         : fragment == EMU_FRAGMENT_B ? EMU_FRAGMENT_A
                                                      : EMU_FRAGMENT_C;
        emu_fragment_place(t, other, bits, lane, reg, part, column, row);
        return;
    }
    reg %= emu_fragment_registers(s, fragment, bits); /* wmma's f16 fragments hold copies */
    if (fragment == EMU_FRAGMENT_A)
        place_a(s, bits, lane, reg, part, row, column);
    else if (fragment == EMU_FRAGMENT_B)
        place_b(s, bits, lane, reg, part, row, column);
    else
        place_c(s.m, s.n, bits, lane, reg, part, row, column);
}

/* Two of four elements are there, with 2 bits each; of words one of two, whose 4 bits name two
 * halves. */
static unsigned field_bits(unsigned bits)
{
    return bits == 32 ? 4 : 2;
}

unsigned emu_sparse_lanes(struct emu_shape shape, unsigned bits)
{
    return shape.k * field_bits(bits) / 32;
}

/* Of elements of 16 or more bits 16 bits of a lane tell of a row, the others of the row 8 below; of
 * bytes a lane has 32 bits of one row (measured: each field of every lane was changed by itself).
 */
unsigned emu_sparse_column(struct emu_shape shape, unsigned bits, const uint32_t *metadata,
                           unsigned selector, unsigned row, unsigned packed_column)
{
    unsigned field = field_bits(bits), below = row / 8, per_row = bits == 8 ? 16 : 16 / field,
             block = packed_column / per_row,
             lane = row % 8 * 4 + selector * emu_sparse_lanes(shape, bits) +
                    (bits == 8 ? 2 * block + below : block),
             told =
                 metadata[lane] >> (packed_column % per_row * field + (bits == 8 ? 0 : 16 * below));
    return bits == 32 ? packed_column * 2 + (told >> 1 & 1) : packed_column / 2 * 4 + (told & 3);
}

void emu_sparse_unpack(struct emu_shape shape, unsigned bits, const uint32_t *metadata,
                       unsigned selector, double packed[EMU_MAX_SIDE][EMU_MAX_SIDE],
                       double a[EMU_MAX_SIDE][EMU_MAX_SIDE])
{
    for (unsigned row = 0; row < shape.m; row++) {
        for (unsigned k = 0; k < shape.k; k++)
            a[row][k] = 0;
        for (unsigned c = 0; c < shape.k / 2u; c++)
            a[row][emu_sparse_column(shape, bits, metadata, selector, row, c)] = packed[row][c];
    }
}

void emu_matrix_multiply(struct emu_shape shape, double a[EMU_MAX_SIDE][EMU_MAX_SIDE],
                         double b[EMU_MAX_SIDE][EMU_MAX_SIDE], double c[EMU_MAX_SIDE][EMU_MAX_SIDE])
{
    for (unsigned i = 0; i < shape.m; i++)
        for (unsigned j = 0; j < shape.n; j++)
            for (unsigned k = 0; k < shape.k; k++)
                c[i][j] += a[i][k] * b[k][j];
}

void emu_matrix_multiply_bits(struct emu_shape shape, bool exclusive,
                              double a[EMU_MAX_SIDE][EMU_MAX_SIDE],
                              double b[EMU_MAX_SIDE][EMU_MAX_SIDE],
                              double c[EMU_MAX_SIDE][EMU_MAX_SIDE])
{
    for (unsigned i = 0; i < shape.m; i++)
        for (unsigned j = 0; j < shape.n; j++)
            for (unsigned k = 0; k < shape.k; k++) {
                uint32_t x = (uint32_t)a[i][k], y = (uint32_t)b[k][j];
                c[i][j] += popcount32(exclusive ? x ^ y : x & y);
            }
}

static void gather(const struct emu_product *p, struct emu_shape shape, unsigned fragment,
                   double out[EMU_MAX_SIDE][EMU_MAX_SIDE])
{
    unsigned bits = p->bits[fragment], n = emu_fragment_registers(shape, fragment, bits);
    unsigned parts = emu_element_parts(bits), row, column;
    for (unsigned reg = 0; reg < n; reg++)
        for (unsigned part = 0; part < parts; part++)
            for (unsigned lane = 0; lane < EMU_LANES; lane++) {
                emu_fragment_place(shape, fragment, bits, lane, reg, part, &row, &column);
                out[row][column] = p->element(p->operands, fragment, reg, lane, part);
            }
}

/* Of pairs of four bits, which lie as bytes do, the first elements or the second. */
static void gather_pairs(const struct emu_product *p, struct emu_shape pairs, unsigned fragment,
                         unsigned which, double out[EMU_MAX_SIDE][EMU_MAX_SIDE])
{
    unsigned n = emu_fragment_registers(pairs, fragment, 8), row, column;
    for (unsigned reg = 0; reg < n; reg++)
        for (unsigned part = 0; part < 4; part++)
            for (unsigned lane = 0; lane < EMU_LANES; lane++) {
                emu_fragment_place(pairs, fragment, 8, lane, reg, part, &row, &column);
                out[row][column] = p->element(p->operands, fragment, reg, lane, 2 * part + which);
            }
}

/* A sparse product of four bits is two of the elements of pairs. */
static void multiply_pairs(const struct emu_product *p, double c[EMU_MAX_SIDE][EMU_MAX_SIDE])
{
    double packed[EMU_MAX_SIDE][EMU_MAX_SIDE], a[EMU_MAX_SIDE][EMU_MAX_SIDE],
        b[EMU_MAX_SIDE][EMU_MAX_SIDE];
    struct emu_shape pairs = emu_shape_of_pairs(p->shape), half = emu_shape_of_pairs(pairs);
    for (unsigned which = 0; which < 2; which++) {
        gather_pairs(p, half, EMU_FRAGMENT_A, which, packed);
        emu_sparse_unpack(pairs, 8, p->metadata, p->selector, packed, a);
        gather_pairs(p, pairs, EMU_FRAGMENT_B, which, b);
        emu_matrix_multiply(pairs, a, b, c);
    }
}

static void gather_sparse(const struct emu_product *p, double a[EMU_MAX_SIDE][EMU_MAX_SIDE])
{
    double packed[EMU_MAX_SIDE][EMU_MAX_SIDE];
    struct emu_shape half = {p->shape.m, p->shape.n, p->shape.k / 2};
    gather(p, half, EMU_FRAGMENT_A, packed);
    emu_sparse_unpack(p->shape, p->bits[EMU_FRAGMENT_A], p->metadata, p->selector, packed, a);
}

static void multiply(const struct emu_product *p, double c[EMU_MAX_SIDE][EMU_MAX_SIDE])
{
    double a[EMU_MAX_SIDE][EMU_MAX_SIDE], b[EMU_MAX_SIDE][EMU_MAX_SIDE];
    if (p->sparse)
        gather_sparse(p, a);
    else
        gather(p, p->shape, EMU_FRAGMENT_A, a);
    gather(p, p->shape, EMU_FRAGMENT_B, b);
    if (p->of_bits)
        emu_matrix_multiply_bits(p->shape, p->exclusive, a, b, c);
    else
        emu_matrix_multiply(p->shape, a, b, c);
}

void emu_product_form(const struct emu_product *p, double c[EMU_MAX_SIDE][EMU_MAX_SIDE])
{
    gather(p, p->shape, EMU_FRAGMENT_C, c);
    if (p->sparse && p->bits[EMU_FRAGMENT_A] == 4)
        multiply_pairs(p, c);
    else
        multiply(p, c);
}
