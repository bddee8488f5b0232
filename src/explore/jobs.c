/* jobs.c - hands jobs to threads and to other processes. */
#include <stdlib.h>
#include <string.h>

#include "explore/run.h"

/* ---- threads ---- */

void on_threads(uint32_t n, void *(*body)(void *), void *context)
{
    pthread_t *helper = calloc(n ? n : 1, sizeof *helper);
    uint32_t started = 0;
    while (helper && started + 1 < n && !pthread_create(&helper[started], NULL, body, context))
        started++;
    body(context);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(helper[i], NULL);
    free(helper);
}

struct pool {
    struct sweep_run *run;
    sweep_work *work;
    sweep_keep *keep;
};

static void give_up(struct sweep_run *r, strata_status status, const struct strata_error *err)
{
    if (r->status == STRATA_OK) {
        r->status = status;
        r->error = *err;
    }
    r->stop = true;
}

/* Takes up to `most` jobs; how many there were. */
static size_t take_jobs(struct sweep_run *r, size_t most, struct sweep_job *out)
{
    size_t n = 0;
    pthread_mutex_lock(&r->lock);
    while (!r->stop && n < most && r->next_job < r->n_jobs)
        out[n++] = r->job[r->next_job++];
    pthread_mutex_unlock(&r->lock);
    return n;
}

static void keep_outcome(struct pool *p, struct sweep_job job, const struct part_outcome *o)
{
    struct strata_error err = {0};
    pthread_mutex_lock(&p->run->lock);
    strata_status status = p->run->stop ? STRATA_OK : p->keep(p->run, job, o, &err);
    if (status != STRATA_OK)
        give_up(p->run, status, &err);
    pthread_mutex_unlock(&p->run->lock);
}

static void *work_here(void *context)
{
    struct pool *p = context;
    struct sweep_worker w;
    struct sweep_job job;
    struct strata_error err = {0};
    strata_status status = worker_init(&w, p->run, &err);
    if (status != STRATA_OK) {
        pthread_mutex_lock(&p->run->lock);
        give_up(p->run, status, &err);
        pthread_mutex_unlock(&p->run->lock);
        return NULL;
    }
    while (take_jobs(p->run, 1, &job)) {
        struct part_outcome o = {0};
        p->work(&w, job, &o);
        keep_outcome(p, job, &o);
        part_outcome_release(&o);
    }
    worker_release(&w);
    return NULL;
}

static uint32_t threads_of(const struct sweep_run *r)
{
    return r->opt->jobs ? r->opt->jobs : 1;
}

/* ---- processes: others ask, and get jobs or nothing, which ends them ---- */

static strata_status send_jobs(struct sweep_run *r, int to, const struct sweep_job *job, size_t n,
                               struct strata_error *err)
{
    struct message m = {0};
    message_put_number(&m, n);
    for (size_t i = 0; i < n; i++) {
        message_put_number(&m, job[i].point);
        message_put_number(&m, job[i].launch);
    }
    strata_status status =
        m.bad ? strata_no_memory(err, NULL, "for a message")
              : r->opt->team->send(r->opt->team->context, to, m.data, m.length, err);
    message_release(&m);
    return status;
}

static strata_status receive(struct sweep_run *r, int *from, struct message *m,
                             struct strata_error *err)
{
    void *data = NULL;
    memset(m, 0, sizeof *m);
    strata_status status =
        r->opt->team->receive(r->opt->team->context, from, &data, &m->length, err);
    m->data = data;
    return status;
}

static strata_status broken(struct strata_error *err)
{
    return strata_fail(
        err, STRATA_EIO, NULL, 0, 0,
        "a message of another process of the sweep was cut short; start the sweep again.");
}

/* What a process did, and its request for more: the number it can take, then its outcomes. */
static strata_status answer(struct pool *p, int from, struct message *m, bool *dismissed,
                            struct strata_error *err)
{
    uint64_t most = message_get_number(m), n = message_get_number(m);
    for (uint64_t i = 0; i < n && !m->bad; i++) {
        struct sweep_job job;
        struct part_outcome o;
        job.point = (uint32_t)message_get_number(m);
        job.launch = (uint32_t)message_get_number(m);
        message_get_outcome(m, &o);
        if (!m->bad)
            keep_outcome(p, job, &o);
        part_outcome_release(&o);
    }
    struct sweep_job *job = calloc(most + 1, sizeof *job);
    if (m->bad || !job || most > 4096) {
        free(job);
        return broken(err);
    }
    size_t k = take_jobs(p->run, most, job);
    *dismissed = k == 0;
    strata_status status = send_jobs(p->run, from, job, k, err);
    free(job);
    return status;
}

static void *serve_others(void *context)
{
    struct pool *p = context;
    int waiting = p->run->opt->team->size - 1;
    struct strata_error err = {0};
    strata_status status = STRATA_OK;
    while (waiting > 0 && status == STRATA_OK) {
        struct message m;
        int from;
        bool dismissed = false;
        status = receive(p->run, &from, &m, &err);
        if (status == STRATA_OK)
            status = answer(p, from, &m, &dismissed, &err);
        message_release(&m);
        waiting -= dismissed;
    }
    if (status != STRATA_OK) {
        pthread_mutex_lock(&p->run->lock);
        give_up(p->run, status, &err);
        pthread_mutex_unlock(&p->run->lock);
    }
    return NULL;
}

void dismiss_others(struct sweep_run *r)
{
    struct pool p = {r, NULL, NULL};
    r->stop = true;
    if (r->opt->team && r->opt->team->rank == 0)
        serve_others(&p);
}

static void *work_on_threads(void *context)
{
    struct pool *p = context;
    on_threads(threads_of(p->run), work_here, p);
    return NULL;
}

strata_status run_jobs(struct sweep_run *r, sweep_work *work, sweep_keep *keep,
                       struct strata_error *err)
{
    struct pool p = {r, work, keep};
    pthread_t local;
    if (!r->opt->team) {
        work_on_threads(&p);
    } else if (pthread_create(&local, NULL, work_on_threads, &p)) {
        serve_others(&p); /* no thread to be had: the others do it all */
        work_on_threads(&p);
    } else {
        serve_others(&p); /* messages belong to this thread */
        pthread_join(local, NULL);
    }
    if (r->status != STRATA_OK && err)
        *err = r->error;
    return r->status;
}

/* ---- the other processes ---- */

struct batch {
    struct sweep_run *run;
    sweep_work *work;
    struct sweep_job *job;
    struct part_outcome *outcome;
    size_t n, next;
};

static void *work_on_batch(void *context)
{
    struct batch *b = context;
    struct sweep_worker w;
    struct strata_error err = {0};
    bool ready = worker_init(&w, b->run, &err) == STRATA_OK;
    for (;;) {
        pthread_mutex_lock(&b->run->lock);
        size_t i = b->next++;
        pthread_mutex_unlock(&b->run->lock);
        if (i >= b->n)
            break;
        if (ready)
            b->work(&w, b->job[i], &b->outcome[i]);
        else
            part_outcome_fail(&b->outcome[i], &err);
    }
    if (ready)
        worker_release(&w);
    return NULL;
}

static strata_status report_batch(struct batch *b, struct strata_error *err)
{
    struct message m = {0};
    message_put_number(&m, threads_of(b->run));
    message_put_number(&m, b->n);
    for (size_t i = 0; i < b->n; i++) {
        message_put_number(&m, b->job[i].point);
        message_put_number(&m, b->job[i].launch);
        message_put_outcome(&m, &b->outcome[i]);
        part_outcome_release(&b->outcome[i]);
    }
    const struct strata_team *team = b->run->opt->team;
    strata_status status = m.bad ? strata_no_memory(err, NULL, "for a message")
                                 : team->send(team->context, 0, m.data, m.length, err);
    message_release(&m);
    return status;
}

static strata_status receive_batch(struct batch *b, struct strata_error *err)
{
    struct message m;
    int from;
    strata_status status = receive(b->run, &from, &m, err);
    uint64_t n = status == STRATA_OK ? message_get_number(&m) : 0;
    if (status == STRATA_OK && (m.bad || n > threads_of(b->run)))
        status = broken(err);
    b->n = b->next = 0;
    for (; status == STRATA_OK && b->n < n; b->n++) {
        b->job[b->n].point = (uint32_t)message_get_number(&m);
        b->job[b->n].launch = (uint32_t)message_get_number(&m);
    }
    message_release(&m);
    return status;
}

strata_status serve_jobs(struct sweep_run *r, sweep_work *work, struct strata_error *err)
{
    struct batch b = {.run = r, .work = work};
    b.job = calloc(threads_of(r), sizeof *b.job);
    b.outcome = calloc(threads_of(r), sizeof *b.outcome);
    strata_status status = b.job && b.outcome ? STRATA_OK : strata_no_memory(err, NULL, "for work");
    while (status == STRATA_OK) {
        status = report_batch(&b, err);
        if (status == STRATA_OK)
            status = receive_batch(&b, err);
        if (status == STRATA_OK && !b.n)
            break;
        if (status == STRATA_OK)
            on_threads(threads_of(r), work_on_batch, &b);
    }
    free(b.job);
    free(b.outcome);
    return status;
}
