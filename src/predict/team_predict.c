/* team_predict.c - chains of launches handed out to other processes.
 *
 * A process asks, with the answers to what it did, and gets the number of a chain or none, which
 * ends it. When nothing is left to hand out, process 0 does again what others have not answered
 * for: a process that died costs what it had, and one that is merely slow is not waited for. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/team_message.h"
#include "predict/driver.h"
#include "predict/result_message.h"

enum {
    NOTHING = 0, /* no chain; others are their number and one */
    PAUSE_MS = 1,
    LEAST_PATIENCE_MS = 2000 /* at the end, for processes that are still at work */
};

/* ---- answers as messages ---- */

/* Of a slot that was not begun because one before it failed `done` is false. */
static void put_slot(struct message *m, struct run *run, size_t launch)
{
    struct slot *s = &run->slot[launch];
    struct strata_error err = {0};
    struct strata_result result;
    strata_status status = s->status;
    if (s->done && status == STRATA_OK)
        status = take_from_slot(run, launch, &result, &err);
    else if (s->error)
        err = *s->error;
    message_put_number(m, s->done);
    message_put_number(m, status);
    message_put_bytes(m, &err, sizeof err);
    if (!s->done || status != STRATA_OK)
        return;
    result_put(m, &result);
    strata_result_release(&result);
}

static bool get_answer(struct message *m, const struct strata_launch *launch, struct answer *a)
{
    struct strata_error err;
    bool done = message_get_number(m);
    a->status = (strata_status)message_get_number(m);
    message_get_bytes(m, &a->error, sizeof a->error);
    if (!done || a->status != STRATA_OK || m->bad)
        return done && !m->bad;
    m->bad |= strata_result_init(&a->result, launch, &err) != STRATA_OK;
    if (!m->bad)
        result_get(m, &a->result);
    return !m->bad;
}

/* ---- process 0 ---- */

bool team_lost(struct run *run, size_t *job)
{
    for (size_t i = 0; run->opt->team && i < run->next; i++)
        if (!run->chain[i].here && !run->chain[i].done && !run->interrupted) {
            *job = i;
            return true;
        }
    return false;
}

/* The answers of a chain, unless this process does it again by now. */
static void take_answers(struct run *run, struct message *m)
{
    uint64_t number = message_get_number(m);
    if (m->bad || number == NOTHING || number > run->n_chains)
        return;
    struct chain *c = &run->chain[number - 1];
    pthread_mutex_lock(&run->lock);
    bool wanted = !c->here && !c->done;
    c->done |= wanted;
    pthread_mutex_unlock(&run->lock);
    for (size_t i = c->first; wanted && i < c->first + c->n; i++) {
        const struct strata_launch_ref *ref = &run->set->launch[i];
        struct answer a = {.status = STRATA_OK};
        if (get_answer(m, strata_trace_launch(ref->trace, ref->index), &a))
            predict_finish(run, i, &a);
        strata_result_release(&a.result);
    }
}

static strata_status send_number(struct strata_team *team, int to, uint64_t number,
                                 struct strata_error *err)
{
    struct message m = {0};
    message_put_number(&m, number);
    strata_status status = m.bad ? strata_no_memory(err, NULL, "for a message")
                                 : team->send(team->context, to, m.data, m.length, err);
    message_release(&m);
    return status;
}

/* *dismissed: the process that asked and got nothing, or 0. */
static strata_status answer(struct run *run, int *dismissed, struct strata_error *err)
{
    struct strata_team *team = run->opt->team;
    struct message in = {0};
    void *data = NULL;
    int from = 0;
    size_t job;
    strata_status status = team->receive(team->context, &from, &data, &in.length, err);
    in.data = data;
    if (status == STRATA_OK)
        take_answers(run, &in);
    pthread_mutex_lock(&run->lock);
    bool more = predict_next(run, &job);
    pthread_mutex_unlock(&run->lock);
    if (status == STRATA_OK)
        status = send_number(team, from, more ? job + 1 : NOTHING, err);
    *dismissed = more ? 0 : from;
    message_release(&in);
    return status;
}

struct leading {
    struct run *run;
    uint32_t threads;
    bool over; /* under the lock: this process has nothing left to do */
};

static void *lead_here(void *context)
{
    struct leading *l = context;
    predict_here(l->run, l->threads);
    pthread_mutex_lock(&l->run->lock);
    l->over = true;
    pthread_mutex_unlock(&l->run->lock);
    return NULL;
}

static bool is_over(struct leading *l)
{
    pthread_mutex_lock(&l->run->lock);
    bool over = l->over;
    pthread_mutex_unlock(&l->run->lock);
    return over;
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Messages belong to this thread. All that this process does is over when every chain is done, here
 * or elsewhere; then the others are told as they ask. One that is silent for as long again as all
 * of it took is lost. */
static void serve(struct leading *l)
{
    struct strata_team *team = l->run->opt->team;
    bool *gone = calloc((size_t)team->size, sizeof *gone);
    int left = gone ? team->size - 1 : 0;
    uint64_t begin = now_ms(), heard = begin, patience = LEAST_PATIENCE_MS;
    struct strata_error err;
    while (left > 0 && now_ms() - heard < patience) {
        int dismissed = 0;
        if (!is_over(l)) {
            heard = now_ms();
            patience = LEAST_PATIENCE_MS + heard - begin;
        }
        if (!team->waiting(team->context)) {
            nanosleep(&(struct timespec){0, PAUSE_MS * 1000000}, NULL);
            continue;
        }
        heard = now_ms();
        if (answer(l->run, &dismissed, &err) != STRATA_OK)
            break; /* what it was given is done here */
        left -= dismissed && !gone[dismissed];
        gone[dismissed] = true;
    }
    team->lost = left > 0 || !gone;
    for (int i = 1; gone && i < team->size; i++)
        if (gone[i])
            send_number(team, i, team->lost, &err); /* whoever does not hear it is lost too */
    free(gone);
}

static void lead(struct run *run, uint32_t threads)
{
    struct leading l = {.run = run, .threads = threads};
    pthread_t local;
    if (pthread_create(&local, NULL, lead_here, &l)) {
        lead_here(&l); /* no thread to be had: alone, and the others are told that all is done */
        serve(&l);
        return;
    }
    serve(&l);
    pthread_join(local, NULL);
}

/* ---- the others ---- */

static strata_status ask(struct run *run, const struct chain *did, uint64_t *number,
                         struct strata_error *err)
{
    struct strata_team *team = run->opt->team;
    struct message out = {0}, in = {0};
    void *data = NULL;
    int from;
    message_put_number(&out, did ? (uint64_t)(did - run->chain) + 1 : NOTHING);
    for (size_t i = did ? did->first : 0; did && i < did->first + did->n; i++)
        put_slot(&out, run, i);
    strata_status status = out.bad ? strata_no_memory(err, NULL, "for a message")
                                   : team->send(team->context, 0, out.data, out.length, err);
    message_release(&out);
    if (status == STRATA_OK)
        status = team->receive(team->context, &from, &data, &in.length, err);
    in.data = data;
    *number = status == STRATA_OK ? message_get_number(&in) : NOTHING;
    message_release(&in);
    return *number <= run->n_chains
               ? status
               : strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                             "process 0 has other launches than this one; give "
                             "all processes the same traces.");
}

/* At the end process 0 tells whether all are there, and can leave together. */
static strata_status farewell(struct strata_team *team, struct strata_error *err)
{
    struct message m = {0};
    void *data = NULL;
    int from;
    strata_status status = team->receive(team->context, &from, &data, &m.length, err);
    m.data = data;
    team->lost = status != STRATA_OK || message_get_number(&m);
    message_release(&m);
    return status;
}

static strata_status follow(struct run *run, struct strata_error *err)
{
    uint64_t number = NOTHING;
    strata_status status = ask(run, NULL, &number, err);
    while (status == STRATA_OK && number != NOTHING) {
        struct chain *c = &run->chain[number - 1];
        predict_chain(run, c);
        status = ask(run, c, &number, err);
    }
    return status == STRATA_OK ? farewell(run->opt->team, err) : status;
}

strata_status team_predict(struct run *run, uint32_t threads, struct strata_error *err)
{
    if (run->opt->team->rank)
        return follow(run, err);
    lead(run, threads);
    return STRATA_OK;
}
