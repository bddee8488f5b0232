/* sequence.h - custom reuse profiles and sequences of lines that follow them (paper 003, section
 * IV-B).
 *
 * A profile says which share of the accesses has which reuse distance; the
 * share of first accesses stands beside it. A sequence is made of one or several
 * profiles in turn, so that its behaviour changes over time. Everything is a
 * function of a seed: samples can be made in any order and on any thread. */
#ifndef STRATA_LEARN_SEQUENCE_H
#define STRATA_LEARN_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

#define LEARN_LENGTH 10000 /* accesses of a sequence: section V-A */

/* Numbers drawn one after another from a seed. */
struct learn_random {
    uint64_t seed, at;
};
uint64_t learn_random_below(struct learn_random *r, uint64_t n); /* 0 .. n-1 */
double learn_random_unit(struct learn_random *r);                /* 0 to below 1 */
/* Between the two, evenly on a logarithmic scale, both included. */
uint64_t learn_random_log(struct learn_random *r, uint64_t least, uint64_t most);

struct learn_target {
    double *share; /* by distance, 0 .. n-1 */
    size_t n;
    double cold; /* first accesses; all shares add up to 1 */
};
void learn_target_release(struct learn_target *t);

/* Algorithm 1: `peaks` Gaussians at distances 0 .. max_distance, and first accesses. Each Gaussian
 * has a deviation of its own from (0, 2); what falls outside 0 .. max_distance is shared out by
 * scaling, so that the shares add up to 1 as line 21 wants. */
strata_status learn_target_make(struct learn_target *t, uint32_t peaks, uint32_t max_distance,
                                struct learn_random *r, struct strata_error *err);

/* Algorithm 2, one step at a time.
 *
 * The update rule keeps, for each distance, its share of what is left: share * (L - l) is the
 * number of accesses still owed, and an access takes one of it. We keep that number itself, in a
 * tree of partial sums, so that a draw and an update cost the logarithm of the distances instead of
 * all of them. Table 3 of the paper shows that a distance of d needs d + 1 lines on the stack. */
struct learn_writer {
    uint64_t *stack; /* lines, the last used at the end */
    size_t n_stack, cap_stack;
    struct {
        uint64_t *line;
        uint64_t mask;
    } used;       /* lines that were ever chosen */
    double *owed; /* tree of partial sums over distances, then first accesses */
    size_t n_owed;
    size_t length;  /* L of the running profile */
    uint64_t lines; /* ADDRS: new lines are drawn from 0 .. lines-1 */
};
strata_status learn_writer_init(struct learn_writer *w, uint64_t lines, size_t length,
                                struct strata_error *err);
void learn_writer_release(struct learn_writer *w);
/* The next `length` accesses owe this profile; the stack stays as it is. */
strata_status learn_writer_begin(struct learn_writer *w, const struct learn_target *t,
                                 size_t length, struct strata_error *err);
/* Accesses still owed at a distance; SIZE_MAX: of first accesses. */
double learn_writer_owed(const struct learn_writer *w, size_t distance);
/* Makes the accesses that a draw of `distance` (SIZE_MAX: a first access) asks for, at most `room`;
 * returns how many were written to `out`. */
size_t learn_writer_step(struct learn_writer *w, size_t distance, uint64_t *out, size_t room,
                         struct learn_random *r);
/* A distance, drawn by what is owed. */
size_t learn_writer_draw(const struct learn_writer *w, struct learn_random *r);

/* A whole sequence of `length` accesses: a number of segments of equal length, each with a profile
 * of its own with these parameters. */
strata_status learn_sequence_make(uint64_t *out, size_t length, uint32_t peaks,
                                  uint32_t max_distance, uint32_t segments, struct learn_random *r,
                                  struct strata_error *err);

/* ---- what real traces show and profiles of independent draws lack (docs/learn.md) ---- */

enum learn_pattern {
    LEARN_PROFILE = 0, /* Algorithm 2 */
    LEARN_STREAM,      /* each line used a few times close together, then never again */
    LEARN_LOOP,        /* working sets walked again and again */
    LEARN_NEIGHBOURS,  /* several readers some lines apart in one array: stencils */
    LEARN_WARPS,       /* many warps in turn, each with its own walk, and something they share */
    LEARN_GATHER,      /* uniform choice among many lines beside a walk */
    LEARN_PHASES,      /* two of the above, one after the other */
    LEARN_N_PATTERNS
};
const char *learn_pattern_name(uint32_t pattern);
/* Any pattern but LEARN_PROFILE; the seed decides its parameters. */
void learn_pattern_make(uint32_t pattern, uint64_t *out, size_t length, struct learn_random *r);

#endif
