/* sample_order.h - the groups of a family in the order of their work, and what lies between two.
 *
 * A family is the launches of one kernel in blocks of one shape. Where not every group of it can be
 * modelled, some are, the first and the last in the order among them: knots. Those between two
 * knots take what lies between their answers. */
#ifndef STRATA_APPLICATION_SAMPLE_ORDER_H
#define STRATA_APPLICATION_SAMPLE_ORDER_H

#include <strata/sample.h>

struct sample_order {
    uint32_t n_groups;
    uint32_t *launch; /* all of them, one group after another in order */
    uint32_t *first;  /* n_groups + 1: where those of each begin in `launch` */
    uint32_t *usable; /* of each place in the order: how many of them may be modelled, */
    uint32_t *family; /* its family, */
    uint8_t *knot;    /* and whether one of them is to be modelled */
    uint32_t *turn;   /* which of them are to be modelled first if not all can be */
    uint32_t n_turns, n_families;
};

/* Fills s->rank from s->alike; every group is a knot. */
strata_status sample_order_make(struct sample_order *o, struct strata_sample *s,
                                struct strata_error *err);
void sample_order_release(struct sample_order *o);
/* One group of each family becomes a knot, and by turn all others whose work there is room for. */
void sample_order_choose(struct sample_order *o, const struct strata_sample *s, double work);

/* How far two launches are apart: of their work, blocks and sectors an access the logarithms of the
 * ratios, as in space. Launches of two groups are SAMPLE_ALIKE apart at least. */
double sample_distance_alike(const struct strata_sample *s, size_t i, size_t j);
double sample_distance(const struct strata_sample *s, size_t i, size_t j);

/* Between two launches one takes so much of the answer of the second, */
double sample_share_of_second(const struct strata_sample *s, size_t i, size_t first, size_t second);
/* of the logarithms if both have one: then what grows with a power of the work is exact. */
double sample_between(double first, double second, double share_of_second);

/* Of launches of groups of which none is modelled: s->stands_for, s->other, s->part, s->away. */
strata_status sample_interpolate(struct strata_sample *s, const struct sample_order *o,
                                 struct strata_error *err);
#endif
