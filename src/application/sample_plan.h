/* sample_plan.h - how a plan is made, cold and with caches that last. */
#ifndef STRATA_APPLICATION_SAMPLE_PLAN_H
#define STRATA_APPLICATION_SAMPLE_PLAN_H

#include <strata/sample.h>

#include "application/launch_digest.h"
#include "application/sample_order.h"

void sample_use(struct strata_sample *s, size_t i, enum strata_sample_use how);
uint64_t sample_modelled_work(const struct strata_sample *s);
/* Nothing is modelled any more. */
void sample_forget_plan(struct strata_sample *s);

struct warm_plan {
    uint64_t *symbol; /* of each launch: its group, and the copies and fills before it */
    uint32_t *apart;  /* of each launch: its group, by the launches before it if they tell */
    uint32_t n_apart;
    size_t *begins; /* of each modelled launch: where its run begins, warming up included */
    bool early;     /* launches that found caches not yet settled may answer for others */
    size_t period;  /* launches after which the program repeats itself; 0: it does not */
};

strata_status sample_warm_init(struct warm_plan *w, const struct strata_sample *s,
                               const struct strata_trace *trace, struct strata_error *err);
void sample_warm_release(struct warm_plan *w);
/* *fits: no more is modelled than may be, and all answers are of caches that have settled. */
strata_status sample_warm_plan(struct strata_sample *s, struct warm_plan *w,
                               const struct sample_order *o, bool *fits, struct strata_error *err);
#endif
