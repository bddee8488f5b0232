/* hand_over.c - answers wait for those before them, and go to the caller in the order of launches.
 *
 * Launches end in any order, and one that takes long holds up all that come after it. So that these
 * take no memory, the first few wait as they are and the others in a file. */
#include <stdlib.h>
#include <string.h>

#include "predict/driver.h"

enum { MOST_IN_MEMORY = 64 }; /* results; some MB */

/* ---- slots ---- */

static bool keep_in_file(struct run *run, struct slot *slot, struct strata_result *result)
{
    struct strata_error err;
    if (!run->later && strata_result_file_create(&run->later, &err) != STRATA_OK)
        return false;
    if (strata_result_file_add(run->later, result, &slot->place, &err) != STRATA_OK)
        return false;
    slot->in_file = true;
    strata_result_release(result);
    return true;
}

/* What does not go into the file stays in memory. */
static bool keep(struct run *run, struct slot *slot, struct strata_result *result)
{
    if (run->n_waiting >= MOST_IN_MEMORY && keep_in_file(run, slot, result))
        return true;
    slot->result = malloc(sizeof *slot->result);
    if (!slot->result)
        return false;
    *slot->result = *result;
    memset(result, 0, sizeof *result);
    run->n_waiting++;
    return true;
}

static void fill_slot(struct run *run, struct slot *slot, struct answer *a)
{
    slot->status = a->status;
    if (a->status == STRATA_OK && !keep(run, slot, &a->result))
        slot->status =
            strata_no_memory(&a->error, a->result.trace, "for the result of this launch");
    if (slot->status != STRATA_OK)
        slot->error = malloc(sizeof *slot->error);
    if (slot->error)
        *slot->error = a->error;
    strata_result_release(&a->result);
    slot->done = true;
}

strata_status take_from_slot(struct run *run, size_t launch, struct strata_result *out,
                             struct strata_error *err)
{
    struct slot *slot = &run->slot[launch];
    const struct strata_launch_ref *ref = &run->set->launch[launch];
    if (slot->in_file)
        return strata_result_file_get(run->later, slot->place,
                                      strata_trace_launch(ref->trace, ref->index), out, err);
    *out = *slot->result;
    free(slot->result);
    slot->result = NULL;
    run->n_waiting--;
    return STRATA_OK;
}

void release_slots(struct run *run, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++) {
        struct slot *slot = &run->slot[i];
        if (slot->result) {
            strata_result_release(slot->result);
            free(slot->result);
            run->n_waiting--;
        }
        free(slot->error);
        slot->result = NULL;
        slot->error = NULL;
    }
}

/* ---- in order ---- */

static bool next_is_there(const struct run *run)
{
    const struct slot *slot = &run->slot[run->n_handed];
    return run->hand_over.status == STRATA_OK && run->n_handed < run->set->n_launches &&
           slot->done && slot->status == STRATA_OK;
}

static strata_status give(struct run *run, size_t launch, struct strata_result *result,
                          struct strata_error *err)
{
    const struct strata_predict_options *opt = run->opt;
    strata_status status = opt->take ? opt->take(opt->take_context, launch, result, err)
                                     : strata_prediction_add_result(run->out, result, err);
    strata_result_release(result);
    return status;
}

/* By one thread at a time, others meanwhile go on with launches. Whoever finds that it is done
 * already leaves what it has to that thread, which looks once more before it says that it ends. */
static void hand_over(struct run *run)
{
    struct answer *a = &run->hand_over;
    pthread_mutex_lock(&run->lock);
    bool mine = !run->handing && !is_follower(run);
    run->handing |= mine;
    while (mine && next_is_there(run)) {
        struct strata_result result;
        strata_status status = take_from_slot(run, run->n_handed, &result, &a->error);
        pthread_mutex_unlock(&run->lock);
        if (status == STRATA_OK)
            status = give(run, run->n_handed, &result, &a->error);
        pthread_mutex_lock(&run->lock);
        a->status = status;
        run->n_handed += status == STRATA_OK;
        run->stop |= status != STRATA_OK;
    }
    run->handing &= !mine;
    pthread_mutex_unlock(&run->lock);
}

void predict_finish(struct run *run, size_t launch, struct answer *answer)
{
    double instructions = 0;
    bool counts = strata_result_get(&answer->result, "smsp__inst_executed.sum", &instructions) &&
                  instructions > 0;
    pthread_mutex_lock(&run->lock);
    fill_slot(run, &run->slot[launch], answer);
    run->stop |= run->slot[launch].status != STRATA_OK;
    run->n_done++;
    run->warp_instructions += counts ? (uint64_t)instructions : 0;
    if (run->opt->progress)
        run->opt->progress(run->opt->progress_context, run->n_done, run->set->n_launches,
                           run->warp_instructions);
    pthread_mutex_unlock(&run->lock);
    hand_over(run);
}

/* Launches are begun in order, so the first failure in that order has always been run. */
strata_status hand_over_status(const struct run *run, struct strata_error *err)
{
    const struct slot *slot = &run->slot[run->n_handed];
    if (run->hand_over.status != STRATA_OK) {
        if (err)
            *err = run->hand_over.error;
        return run->hand_over.status;
    }
    if (run->n_handed == run->set->n_launches)
        return STRATA_OK;
    if (!slot->done)
        return strata_fail(err, STRATA_ELIMIT, NULL, 0, 0,
                           "the prediction was stopped after %zu of %zu launches.", run->n_done,
                           run->set->n_launches);
    if (!slot->error)
        return strata_no_memory(err, NULL, "for the results");
    if (err)
        *err = *slot->error;
    return slot->status;
}
