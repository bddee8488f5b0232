/* driver.h - between driver.c (launches, threads), hand_over.c (answers) and team_predict.c
 * (processes). */
#ifndef STRATA_PREDICT_DRIVER_H
#define STRATA_PREDICT_DRIVER_H

#include <pthread.h>
#include <strata/predict.h>
#include <strata/result_file.h>

/* What a model says of one launch. */
struct answer {
    struct strata_result result;
    struct strata_error error;
    strata_status status;
};

/* A launch's answer until it is handed over; slots are filled in any order and handed over in
 * theirs. There are as many as launches, so that what is large is elsewhere. */
struct slot {
    struct strata_result *result; /* NULL: none, or in the file of those that wait */
    struct strata_error *error;   /* of a launch that failed */
    uint64_t place;
    strata_status status;
    bool done, in_file;
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
    struct strata_prediction *out;
    size_t n_waiting;                 /* results in memory */
    struct strata_result_file *later; /* the others that wait; NULL: none had to yet */
    bool handing;                     /* a thread hands results over */
    size_t n_handed;
    struct answer hand_over; /* its status and error: not STRATA_OK once that failed */
};

static inline bool is_follower(const struct run *run)
{
    return run->opt->team && run->opt->team->rank;
}

/* driver.c */
/* The next chain that nobody has; under the lock. */
bool predict_next(struct run *run, size_t *job);
void predict_chain(struct run *run, struct chain *c);
/* What is left, by so many threads of this process. */
void predict_here(struct run *run, uint32_t threads);

/* hand_over.c */
/* A launch is done: its answer, which is empty afterwards, is handed over when it is its turn. */
void predict_finish(struct run *run, size_t launch, struct answer *answer);
/* How it went, when nothing runs any more: the first failure in the order of launches. */
strata_status hand_over_status(const struct run *run, struct strata_error *err);
/* The result of a launch that is done, out of its slot; under the lock. */
strata_status take_from_slot(struct run *run, size_t launch, struct strata_result *out,
                             struct strata_error *err);
void release_slots(struct run *run, size_t first, size_t n);

/* team_predict.c */
strata_status team_predict(struct run *run, uint32_t threads, struct strata_error *err);
/* A chain that another process was given and has not answered for; under the lock. */
bool team_lost(struct run *run, size_t *job);

#endif
