/* strata/sample.h - a program of many launches predicted from few.
 *
 * Launches of one kernel with one shape, about as many warp instructions, about as many sectors an
 * access and the same arrays are a group. Some of each group are modelled and stand for the others.
 * With caches that last, launches are modelled in runs: the first ones of the program and, where it
 * does not repeat itself, further runs in the middle of it, each after a round that only brings the
 * caches into the state they have there; one stands for another if the launches before both are the
 * same (docs/timeline.md). Where groups are so many that more would be modelled than is asked for,
 * launches that differ more are one group; whether they may be is seen when some of them have been
 * modelled (strata_sample_holds). Of a trace of `strata trace --sample` only launches that are
 * recorded whole are modelled. */
#ifndef STRATA_SAMPLE_H
#define STRATA_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/predict.h>
#include <strata/prediction.h>
#include <strata/status.h>
#include <strata/trace.h>

enum strata_sample_use {
    STRATA_SAMPLE_LEFT_OUT = 0, /* another stands for it */
    STRATA_SAMPLE_WARMS_UP,     /* modelled, but its answer is not used */
    STRATA_SAMPLE_STANDS,       /* for others of its group, and for itself */
    STRATA_SAMPLE_ITSELF        /* for itself alone */
};

struct strata_sample {
    double share;
    bool keep_caches;
    int coarseness; /* 0: launches are told apart as finely as can be */
    size_t n_launches;
    uint32_t *group; /* of each launch, numbered in order of first appearance */
    uint32_t n_groups;
    uint32_t *alike;  /* of each: its group whatever ran before it */
    uint32_t *fine;   /* of each: its group of coarseness 0 */
    uint8_t *settled; /* of each: 1 if modelled, and not at once after caches were empty */
    uint32_t *kind;   /* likewise, of launches of one kernel in one shape */
    uint8_t *usable;  /* of each: 0 if it is recorded in part and others of its kind are whole */
    uint8_t *use;     /* enum strata_sample_use, of each */
    uint32_t *stands_for;  /* each launch's own number, or that of the one that stands for it */
    uint8_t *unsure;       /* of each: 1 if the one that stands for it found other caches */
    uint64_t instructions; /* warp instructions of all launches */
    uint64_t modelled;     /* of those that are modelled */
};

/* `share` of the warp instructions is to be modelled, or a little more where groups are many; a
 * launch whose number of warp instructions the trace does not tell counts as its blocks. */
strata_status strata_sample_plan(struct strata_sample *s, struct strata_trace *trace, double share,
                                 bool keep_caches, struct strata_error *err);
void strata_sample_release(struct strata_sample *s);

/* False: launches taken for alike were not, or too few were modelled to tell. */
bool strata_sample_holds(const struct strata_sample *s, const struct strata_prediction *p,
                         const char *metric);
/* Plans anew with the finest groups; what was modelled before stays counted. */
strata_status strata_sample_refine(struct strata_sample *s, struct strata_trace *trace,
                                   struct strata_error *err);

/* The launches to model: `set` has been made of all launches of one trace, and holds the modelled
 * ones afterwards. */
void strata_sample_choose(const struct strata_sample *s, struct strata_launch_set *set);

/* The sum of a metric over all launches, from the results of those modelled (in their order), and
 * half the width of the interval that the sum over all of them lies in 19 times of 20. False: a
 * result lacks it. */
struct strata_sample_total {
    double sum, half_width;
};
bool strata_sample_estimate(const struct strata_sample *s, const struct strata_prediction *p,
                            const char *metric, struct strata_sample_total *out);
/* Makes the prediction of the launches modelled one of all: each has the counters of the one that
 * stands for it, whose id is its detail sample.as_launch. */
strata_status strata_sample_expand(const struct strata_sample *s, const struct strata_trace *trace,
                                   struct strata_prediction *p, struct strata_error *err);
/* The result that stands for each launch, n_launches of them. */
void strata_sample_results(const struct strata_sample *s, const struct strata_prediction *p,
                           const struct strata_result **out);
/* Of these (`from`) the result of launch i alone, as strata_sample_expand makes it; *out is new. */
strata_status strata_sample_result(const struct strata_sample *s, const struct strata_trace *trace,
                                   const struct strata_result *const *from, size_t i,
                                   struct strata_result *out, struct strata_error *err);

#endif
