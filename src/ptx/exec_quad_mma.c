/* exec_quad_mma.c - mma.m8n8k4 of halves: four products of 8 x 8 x 4, each by eight lanes. */
#include "base/bits.h"
#include "ptx/handlers.h"
#include "ptx/matrix.h"

enum { SIDE = 8, DEPTH = 4, QUADS = 4 };

/* Lane k of a product: the quads of a product are 16 lanes apart. */
static unsigned lane_of(unsigned quad, unsigned k)
{
    return quad * 4 + k % 4 + (k >= 4 ? 16 : 0);
}

/* Where element i of lane k is of a sum: in f16 a row a lane, in f32 spread over the quad (PTX
 * manual, fragments of mma.m8n8k4). */
static void sum_place(unsigned type, unsigned k, unsigned i, unsigned *row, unsigned *column)
{
    unsigned lower = k >= 4 ? 4 : 0;
    *row = lower + (type == PTX_F16 ? k % 4 : (k & 1) + (i & 2));
    *column = type == PTX_F16 ? i : (i & 4) + (k & 2) + (i & 1);
}

static double sum_get(const struct ptx_warp *w, const struct ptx_quad_mma *q, unsigned lane,
                      unsigned i)
{
    bool pairs = q->c_type == PTX_F16;
    return ptx_element_get(w, q->c[pairs ? i / 2 : i], lane, pairs ? i % 2 : 0, q->c_type);
}

struct product {
    double a[SIDE][DEPTH], b[DEPTH][SIDE], c[SIDE][SIDE];
};

static void gather(const struct ptx_warp *w, const struct ptx_quad_mma *q, unsigned quad,
                   struct product *p)
{
    unsigned row, column;
    for (unsigned k = 0; k < SIDE; k++) {
        unsigned lane = lane_of(quad, k), lower = k >= 4 ? 4 : 0;
        for (unsigned i = 0; i < DEPTH; i++) {
            double a = ptx_element_get(w, q->a[i / 2], lane, i % 2, PTX_F16),
                   b = ptx_element_get(w, q->b[i / 2], lane, i % 2, PTX_F16);
            *(q->a_columns ? &p->a[lower + i][k % 4] : &p->a[k][i]) = a;
            *(q->b_columns ? &p->b[i][k] : &p->b[k % 4][lower + i]) = b;
        }
        for (unsigned i = 0; i < SIDE; i++) {
            sum_place(q->c_type, k, i, &row, &column);
            p->c[row][column] = sum_get(w, q, lane, i);
        }
    }
}

static void put_sums(struct ptx_warp *w, const struct ptx_quad_mma *q, unsigned quad, uint32_t mask,
                     const struct product *p)
{
    bool pairs = q->d_type == PTX_F16;
    unsigned row, column;
    for (unsigned k = 0; k < SIDE; k++)
        for (unsigned i = 0; i < SIDE && (mask >> lane_of(quad, k) & 1); i++) {
            sum_place(q->d_type, k, i, &row, &column);
            double sum = p->c[row][column];
            for (unsigned x = 0; x < DEPTH; x++)
                sum += p->a[row][x] * p->b[x][column];
            ptx_element_put(w, q->d[pairs ? i / 2 : i], lane_of(quad, k), pairs ? i % 2 : 0,
                            q->d_type, false, sum);
        }
}

void ptx_run_quad_mma(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_quad_mma *q = in->extra;
    struct product p[QUADS];
    for (unsigned quad = 0; quad < QUADS; quad++) /* all are read before one is written */
        gather(w, q, quad, &p[quad]);
    for (unsigned quad = 0; quad < QUADS; quad++)
        put_sums(w, q, quad, mask, &p[quad]);
}
