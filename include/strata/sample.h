/* strata/sample.h - a program of many launches predicted from few.
 *
 * Launches of one kernel with one shape, about as many warp instructions, about as many sectors an
 * access and the same arrays are a group. Some of each group are modelled and stand for the others.
 * With caches that last, the launches modelled follow one another in the state that those before
 * left: the first ones of the program, and further ones in the middle of it, each after some that
 * only bring the caches into the state they have there; one stands for another if the launches
 * before both are the same (docs/timeline.md). Where groups are so many that more would be modelled
 * than is asked for, only some are; a launch of another is between two of the same kernel that do
 * less and more, and how sure that is follows from how well those tell of one another. Of a trace
 * of `strata trace --sample` only launches that are recorded whole are modelled. */
#ifndef STRATA_SAMPLE_H
#define STRATA_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/predict.h>
#include <strata/prediction.h>
#include <strata/status.h>
#include <strata/timeline.h>
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
    size_t n_launches;
    uint32_t *group; /* of each launch, numbered in order of first appearance */
    uint32_t n_groups;
    uint32_t *alike;  /* of each: its group whatever ran before it */
    uint32_t *rank;   /* of each: the place of that group among all, by family and then by work */
    uint32_t *kind;   /* likewise, of launches of one kernel in one shape */
    uint32_t *family; /* likewise, of launches of one kernel in blocks of one shape */
    uint8_t *settled; /* of each: 1 if modelled, and not at once after caches were empty */
    uint8_t *usable;  /* of each: 0 if it is recorded in part and others of its kind are whole */
    uint8_t *use;     /* enum strata_sample_use, of each */
    uint32_t *stands_for; /* each launch's own number, or that of the one that stands for it */
    uint8_t *unsure;      /* of each: 1 if the one that stands for it found other caches */
    /* Of launches of groups of which none is modelled: the second that stands for them, so much of
     * its answer they take, and how far away they are from the two (0: one of their own stands for
     * them). */
    uint32_t *other;
    float *part, *away;
    struct launch_profile *profile; /* of each: what its accesses are like */
    uint64_t instructions;          /* warp instructions of all launches */
    uint64_t modelled;              /* of those that are modelled */
};

/* `share` of the warp instructions is to be modelled, or one launch of each kernel if that is more;
 * a launch whose number of warp instructions the trace does not tell counts as its blocks. */
strata_status strata_sample_plan(struct strata_sample *s, struct strata_trace *trace, double share,
                                 bool keep_caches, struct strata_error *err);
void strata_sample_release(struct strata_sample *s);

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
/* Of these (`from`) the time of each launch, n_launches of them. */
strata_status strata_sample_times(const struct strata_sample *s, const struct strata_trace *trace,
                                  const struct strata_result *const *from,
                                  const struct strata_gpu *gpu, struct strata_launch_time *out,
                                  struct strata_error *err);
/* Of these (`from`) the result of launch i alone, as strata_sample_expand makes it; *out is new. */
strata_status strata_sample_result(const struct strata_sample *s, const struct strata_trace *trace,
                                   const struct strata_result *const *from, size_t i,
                                   struct strata_result *out, struct strata_error *err);

#endif
