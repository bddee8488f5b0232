/* driver.h - between driver.c (launches, threads) and team_predict.c (processes). */
#ifndef STRATA_PREDICT_DRIVER_H
#define STRATA_PREDICT_DRIVER_H

#include <pthread.h>
#include <strata/predict.h>

/* One launch's answer; slots are filled in any order and read in theirs. */
struct slot {
    struct strata_result result;
    struct strata_error error;
    strata_status status;
    bool done;
};

/* Launches that follow one another, on one state; cold ones stand alone. */
struct chain {
    size_t first, n;
    bool here; /* this process does it */
    bool done; /* written by whoever does it, before its last slot is told to be done */
};

struct run {
    const struct strata_launch_set *set;
    struct chain *chain;
    size_t n_chains;
    const struct strata_gpu *gpu;
    const struct strata_predict_options *opt;
    struct strata_model_options model_options;
    struct slot *slot;
    pthread_mutex_t lock; /* guards all that follows, and opening readers */
    size_t next, n_done;
    uint64_t warp_instructions;
    bool stop;        /* a launch failed: later ones are not begun */
    bool interrupted; /* by the caller */
};

/* driver.c */
/* The next chain that nobody has; under the lock. */
bool predict_next(struct run *run, size_t *job);
void predict_chain(struct run *run, struct chain *c);
/* A launch's slot is filled. */
void predict_finish(struct run *run, size_t launch);
/* What is left, by so many threads of this process. */
void predict_here(struct run *run, uint32_t threads);

/* team_predict.c */
strata_status team_predict(struct run *run, uint32_t threads, struct strata_error *err);
/* A chain that another process was given and has not answered for; under the lock. */
bool team_lost(struct run *run, size_t *job);

#endif
