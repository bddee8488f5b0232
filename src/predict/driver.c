/* driver.c - a model over many launches, several at a time. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <strata/predict.h>
#include <strata/speed_of_light.h>

#include "predict/profiles.h"
#include "predict/reader_warnings.h"

/* One launch's answer; slots are filled in any order and read in theirs. */
struct slot {
    struct strata_result result;
    struct strata_error error;
    strata_status status;
    bool done;
};

struct run {
    const struct strata_launch_set *set;
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

struct opening {
    struct run *run;
    const struct strata_launch_ref *ref;
};

static strata_status open_reader(void *context, struct strata_reader **out,
                                 struct strata_error *err)
{
    struct opening *o = context;
    pthread_mutex_lock(&o->run->lock);
    strata_status status = strata_reader_open(o->ref->trace, o->ref->index, out, err);
    pthread_mutex_unlock(&o->run->lock);
    return status;
}

static strata_status run_model(struct run *run, const struct strata_launch_ref *ref,
                               struct slot *slot)
{
    const struct strata_launch *launch = strata_trace_launch(ref->trace, ref->index);
    struct strata_reader *reader = NULL;
    strata_status status = strata_result_init(&slot->result, launch, &slot->error);
    if (status == STRATA_OK && launch->failed && !run->opt->failed_too)
        return strata_fail(&slot->error, STRATA_EFORMAT, launch->trace, 0, 0,
                           "kernel %s failed when it was traced, after %llu of %llu blocks; leave "
                           "it out with --launch-count or --kernel-name, or ask for what it ran "
                           "until then with --failed.",
                           launch->kernel, (unsigned long long)launch->sampled_blocks,
                           (unsigned long long)strata_launch_blocks(launch));
    struct opening opening = {run, ref};
    if (status == STRATA_OK && run->opt->profiles)
        return profiles_run(run->opt->profiles, launch, run->gpu, &run->model_options, open_reader,
                            &opening, &slot->result, &slot->error);
    if (status == STRATA_OK)
        status = open_reader(&opening, &reader, &slot->error);
    if (status != STRATA_OK)
        return status;
    status =
        run->opt->model->run(run->gpu, reader, &run->model_options, &slot->result, &slot->error);
    reader_warnings(reader, run->opt->model, &slot->result);
    strata_reader_close(reader);
    return status;
}

/* Every model's answer has what follows from it: hit rates, bytes, bandwidths. */
static strata_status run_launch(struct run *run, const struct strata_launch_ref *ref,
                                struct slot *slot)
{
    strata_status status = run_model(run, ref, slot);
    if (status != STRATA_OK)
        return status;
    strata_derive_metrics(&slot->result);
    strata_derive_other_names(&slot->result);
    strata_speed_of_light_detail(run->gpu, &slot->result);
    if (slot->result.out_of_memory)
        status =
            strata_no_memory(&slot->error, slot->result.trace, "for the result of this launch");
    return status;
}

static bool take_job(struct run *run, size_t *job)
{
    pthread_mutex_lock(&run->lock);
    run->interrupted |= run->opt->stop && *run->opt->stop;
    bool more = !run->stop && !run->interrupted && run->next < run->set->n_launches;
    if (more)
        *job = run->next++;
    pthread_mutex_unlock(&run->lock);
    return more;
}

static void finish_job(struct run *run, size_t job)
{
    double instructions = 0;
    struct slot *slot = &run->slot[job];
    pthread_mutex_lock(&run->lock);
    slot->done = true;
    run->stop |= slot->status != STRATA_OK;
    run->n_done++;
    if (strata_result_get(&slot->result, "smsp__inst_executed.sum", &instructions) &&
        instructions > 0)
        run->warp_instructions += (uint64_t)instructions;
    if (run->opt->progress)
        run->opt->progress(run->opt->progress_context, run->n_done, run->set->n_launches,
                           run->warp_instructions);
    pthread_mutex_unlock(&run->lock);
}

static void *work(void *context)
{
    struct run *run = context;
    size_t job;
    while (take_job(run, &job)) {
        run->slot[job].status = run_launch(run, &run->set->launch[job], &run->slot[job]);
        finish_job(run, job);
    }
    return NULL;
}

/* This thread works too; helpers that cannot be started are done without. */
static void run_all(struct run *run, uint32_t threads)
{
    pthread_t *helper = calloc(threads, sizeof *helper);
    uint32_t n = 0;
    while (helper && n + 1 < threads && !pthread_create(&helper[n], NULL, work, run))
        n++;
    work(run);
    for (uint32_t i = 0; i < n; i++)
        pthread_join(helper[i], NULL);
    free(helper);
}

/* Launches are begun in order, so the first failure in that order has always been run. */
static strata_status collect(struct run *run, struct strata_prediction *out,
                             struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < run->set->n_launches; i++) {
        struct slot *slot = &run->slot[i];
        if (status == STRATA_OK && slot->done && slot->status != STRATA_OK) {
            status = slot->status;
            if (err)
                *err = slot->error;
        }
        if (status == STRATA_OK && !slot->done)
            status = strata_fail(err, STRATA_ELIMIT, NULL, 0, 0,
                                 "the prediction was stopped after %zu of %zu launches.",
                                 run->n_done, run->set->n_launches);
        if (status == STRATA_OK)
            status = strata_prediction_add_result(out, &slot->result, err);
        strata_result_release(&slot->result);
    }
    return status;
}

strata_status strata_predict(const struct strata_launch_set *set, const struct strata_gpu *gpu,
                             const struct strata_predict_options *opt,
                             struct strata_prediction *out, struct strata_error *err)
{
    uint32_t jobs = opt->jobs ? opt->jobs : 1;
    struct run run = {.set = set, .gpu = gpu, .opt = opt, .model_options = opt->model_options};
    /* Threads that launches leave over go to the models. */
    uint32_t workers = jobs < set->n_launches ? jobs
                       : set->n_launches      ? (uint32_t)set->n_launches
                                              : 1;
    run.model_options.threads = jobs / workers;
    run.slot = calloc(set->n_launches + 1, sizeof *run.slot);
    if (!run.slot)
        return strata_no_memory(err, NULL, "for the results");
    pthread_mutex_init(&run.lock, NULL);
    run_all(&run, workers);
    strata_status status = collect(&run, out, err);
    pthread_mutex_destroy(&run.lock);
    free(run.slot);
    return status;
}
