/* driver.c - a model over many launches, several at a time. */
#include <stdlib.h>
#include <string.h>

#include <strata/predict.h>
#include <strata/speed_of_light.h>

#include "predict/driver.h"
#include "predict/profiles.h"
#include "predict/reader_warnings.h"

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
                               struct strata_memory_state *state, struct answer *answer)
{
    struct strata_model_options options = run->model_options;
    options.state = state;
    const struct strata_launch *launch = strata_trace_launch(ref->trace, ref->index);
    struct strata_reader *reader = NULL;
    strata_status status = strata_result_init(&answer->result, launch, &answer->error);
    if (status == STRATA_OK && launch->failed && !run->opt->failed_too)
        return strata_fail(&answer->error, STRATA_EFORMAT, launch->trace, 0, 0,
                           "kernel %s failed when it was traced, after %llu of %llu blocks; leave "
                           "it out with --launch-count or --kernel-name, or ask for what it ran "
                           "until then with --failed.",
                           launch->kernel, (unsigned long long)launch->sampled_blocks,
                           (unsigned long long)strata_launch_blocks(launch));
    struct opening opening = {run, ref};
    if (status == STRATA_OK && run->opt->profiles)
        return profiles_run(run->opt->profiles, launch, run->gpu, &run->model_options, open_reader,
                            &opening, &answer->result, &answer->error);
    if (status == STRATA_OK)
        status = open_reader(&opening, &reader, &answer->error);
    if (status != STRATA_OK)
        return status;
    status = run->opt->model->run(run->gpu, reader, &options, &answer->result, &answer->error);
    reader_warnings(reader, run->opt->model, &answer->result);
    strata_reader_close(reader);
    return status;
}

/* Leaves in the state what a launch leaves behind; its answer is not kept. */
static strata_status rehearse(struct run *run, const struct strata_launch_ref *ref,
                              struct strata_memory_state *state, struct answer *answer)
{
    strata_status status = run_model(run, ref, state, answer);
    strata_result_release(&answer->result);
    return status;
}

/* Every model's answer has what follows from it: hit rates, bytes, bandwidths. */
static strata_status run_launch(struct run *run, const struct strata_launch_ref *ref,
                                struct strata_memory_state *state, struct answer *answer)
{
    strata_status status = STRATA_OK;
    if (run->opt->repeat_launches)
        status = rehearse(run, ref, state, answer);
    if (status == STRATA_OK)
        status = run_model(run, ref, state, answer);
    if (status != STRATA_OK)
        return status;
    strata_derive_metrics(&answer->result);
    strata_derive_other_names(&answer->result);
    strata_speed_of_light_detail(run->gpu, &answer->result);
    if (answer->result.out_of_memory)
        status =
            strata_no_memory(&answer->error, answer->result.trace, "for the result of this launch");
    return status;
}

static bool take_job(struct run *run, size_t *job)
{
    pthread_mutex_lock(&run->lock);
    bool more = predict_next(run, job) || team_lost(run, job);
    if (more)
        run->chain[*job].here = true;
    pthread_mutex_unlock(&run->lock);
    return more;
}

bool predict_next(struct run *run, size_t *job)
{
    run->interrupted |= run->opt->stop && *run->opt->stop;
    bool more = !run->stop && !run->interrupted && run->next < run->n_chains;
    if (more)
        *job = run->next++;
    return more;
}

static bool is_interrupted(struct run *run)
{
    pthread_mutex_lock(&run->lock);
    run->interrupted |= run->opt->stop && *run->opt->stop;
    bool yes = run->interrupted;
    pthread_mutex_unlock(&run->lock);
    return yes;
}

/* Copies and fills up to a launch; *event counts those of the trace that are done. */
static strata_status copies_before(struct strata_memory_state *state,
                                   const struct strata_launch_ref *ref, size_t *event,
                                   struct strata_error *err)
{
    strata_status status = STRATA_OK;
    const struct strata_event *e;
    while (status == STRATA_OK && (e = strata_trace_event(ref->trace, (*event)++)) &&
           !(e->kind == STRATA_EVENT_LAUNCH && e->launch == ref->index))
        status = strata_memory_state_event(state, e, err);
    return status;
}

/* A chain that was begun goes on to its end or its own failure, whatever becomes of others: so the
 * first failure in the order of launches is always the same. */
void predict_chain(struct run *run, struct chain *c)
{
    struct strata_memory_state *state = NULL;
    struct answer answer = {.status = STRATA_OK};
    size_t event = 0;
    if (run->opt->keep_caches || run->opt->repeat_launches)
        answer.status = strata_memory_state_create(&state, &answer.error);
    for (size_t i = c->first; i < c->first + c->n; i++) {
        const struct strata_launch_ref *ref = &run->set->launch[i];
        if (answer.status == STRATA_OK && run->opt->keep_caches)
            answer.status = copies_before(state, ref, &event, &answer.error);
        if (answer.status == STRATA_OK)
            answer.status = run_launch(run, ref, state, &answer);
        bool failed = answer.status != STRATA_OK;
        predict_finish(run, i, &answer);
        if (failed || (i + 1 < c->first + c->n && is_interrupted(run)))
            break;
    }
    strata_memory_state_destroy(state);
    c->done = true;
}

static void *work(void *context)
{
    struct run *run = context;
    size_t job;
    while (take_job(run, &job))
        predict_chain(run, &run->chain[job]);
    return NULL;
}

/* Launches of a trace lie together in the set. */
static strata_status make_chains(struct run *run, struct strata_error *err)
{
    const struct strata_launch_set *set = run->set;
    run->chain = calloc(set->n_launches + 1, sizeof *run->chain);
    if (!run->chain)
        return strata_no_memory(err, NULL, "for the results");
    for (size_t i = 0; i < set->n_launches; i++) {
        const struct strata_launch_ref *ref = &set->launch[i];
        bool follows = run->opt->keep_caches && i && ref->trace == ref[-1].trace;
        if (!follows)
            run->chain[run->n_chains++].first = i;
        run->chain[run->n_chains - 1].n++;
    }
    return STRATA_OK;
}

static strata_status check_state(const struct strata_predict_options *opt, struct strata_error *err)
{
    if (opt->team && opt->profiles)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "profiles of launches are kept by one process; leave out --profile, or "
                           "start the command without mpirun.");
    if (!opt->keep_caches && !opt->repeat_launches)
        return STRATA_OK;
    const char *how = opt->keep_caches ? "none" : "warm";
    if (opt->profiles)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "profiles of launches are of launches that begin cold; leave out "
                           "--profile or --cache-control %s.",
                           how);
    if (opt->model->keeps_state)
        return STRATA_OK;
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "the %s model knows no caches that last between launches; use --model flow, "
                       "sim or reuse with --cache-control %s.",
                       opt->model->name, how);
}

/* This thread works too; helpers that cannot be started are done without. */
void predict_here(struct run *run, uint32_t threads)
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

strata_status strata_predict(const struct strata_launch_set *set, const struct strata_gpu *gpu,
                             const struct strata_predict_options *opt,
                             struct strata_prediction *out, struct strata_error *err)
{
    uint32_t jobs = opt->jobs ? opt->jobs : 1;
    strata_status status = check_state(opt, err);
    if (status != STRATA_OK)
        return status;
    struct run run = {.set = set, .gpu = gpu, .opt = opt, .model_options = opt->model_options};
    /* Threads that launches leave over go to the models. */
    status = make_chains(&run, err);
    if (status != STRATA_OK)
        return status;
    uint32_t workers = jobs < run.n_chains ? jobs : run.n_chains ? (uint32_t)run.n_chains : 1;
    run.model_options.threads = jobs / workers;
    run.slot = calloc(set->n_launches + 1, sizeof *run.slot);
    if (!run.slot) {
        free(run.chain);
        return strata_no_memory(err, NULL, "for the results");
    }
    run.out = out;
    pthread_mutex_init(&run.lock, NULL);
    if (!opt->team)
        predict_here(&run, workers);
    else
        status = team_predict(&run, workers, err);
    if (status == STRATA_OK && !is_follower(&run))
        status = hand_over_status(&run, err);
    release_slots(&run, 0, set->n_launches);
    strata_result_file_destroy(run.later);
    pthread_mutex_destroy(&run.lock);
    free(run.chain);
    free(run.slot);
    return status;
}
