/* run.h - a sweep being run: what is to be done, by whom, and where it goes. */
#ifndef STRATA_EXPLORE_RUN_H
#define STRATA_EXPLORE_RUN_H

#include <pthread.h>

#include "explore/part.h"
#include "explore/sweep_store.h"

struct sweep_run {
    const struct strata_sweep *plan;
    const struct strata_launch_set *set;
    const struct strata_sweep_options *opt;
    const struct strata_profiled_model *profiled; /* NULL: a run for every point */
    pthread_mutex_t lock; /* guards all that follows, the store, and opening readers */
    struct store *store;  /* process 0 only */
    int64_t *point_id, *launch_id;
    hash_text *launch_hash, *config_hash;
    hash_text trace_hash;
    uint32_t *left; /* parts of each point that are still to come */
    struct sweep_job *job;
    size_t n_jobs, cap_jobs, next_job;
    size_t n_parts, n_done, n_found;
    bool stop; /* results cannot be stored: nothing more is begun */
    strata_status status;
    struct strata_error error;
};

static inline size_t run_points(const struct sweep_run *r)
{
    return strata_sweep_count(r->plan);
}

/* ---- one part (any process) ---- */

/* What a thread keeps between parts. */
struct sweep_worker {
    struct sweep_run *run;
    struct sweep_config *config;
    size_t config_point; /* whose config it is; SIZE_MAX: none */
    bool for_profile;    /* and whether free keys are left out */
};
strata_status worker_init(struct sweep_worker *w, struct sweep_run *r, struct strata_error *err);
void worker_release(struct sweep_worker *w);
/* Never fails: a failure is an outcome. */
void worker_run_part(struct sweep_worker *w, struct sweep_job job, struct part_outcome *out);
void worker_make_profile(struct sweep_worker *w, struct sweep_job job, struct part_outcome *out);
/* The GPU for the point, or for the profile that serves it. */
strata_status worker_configure(struct sweep_worker *w, size_t point, bool for_profile,
                               struct strata_error *err);

/* ---- many parts ---- */

typedef void sweep_work(struct sweep_worker *w, struct sweep_job job, struct part_outcome *out);
/* Called with the lock held. */
typedef strata_status sweep_keep(struct sweep_run *r, struct sweep_job job,
                                 const struct part_outcome *o, struct strata_error *err);
/* All jobs of the run, by threads of this process and of the others. */
strata_status run_jobs(struct sweep_run *r, sweep_work *work, sweep_keep *keep,
                       struct strata_error *err);
/* What all processes but 0 do. */
strata_status serve_jobs(struct sweep_run *r, sweep_work *work, struct strata_error *err);
/* Process 0 needs the others no more, because it failed before there was work. */
void dismiss_others(struct sweep_run *r);
/* Calls body on several threads, this one included, and waits for all. */
void on_threads(uint32_t n, void *(*body)(void *), void *context);

/* ---- models with profiles ---- */

/* Makes what profiles are missing and evaluates all points from them. */
strata_status run_profiled(struct sweep_run *r, struct strata_error *err);
/* The part is stored; if it was the point's last, so is its result. Lock held. */
strata_status keep_part(struct sweep_run *r, struct sweep_job job, const struct part_outcome *o,
                        struct strata_error *err);

#endif
