/* memteam.c - slices and channels of a window on several threads.
 *
 * Each thread takes a run of neighbouring parts and keeps what they send to itself; afterwards one
 * thread delivers it in the order of the parts. That is the order in which a single thread sends,
 * so the number of threads cannot be seen in the outcome. */
#include <pthread.h>
#include <stdlib.h>

#include "sim/memparts.h"

struct sim_team {
    struct sim_memside *m;
    pthread_t *thread;
    uint32_t n; /* with the caller */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    uint64_t round, begin, end;
    sim_team_part *part;
    uint32_t n_parts, running;
    bool quit;
};

struct member {
    struct sim_team *team;
    uint32_t index;
};

static void do_share(struct sim_team *t, uint32_t index)
{
    uint32_t from = (uint32_t)((uint64_t)t->n_parts * index / t->n),
             to = (uint32_t)((uint64_t)t->n_parts * (index + 1) / t->n);
    for (uint32_t i = from; i < to; i++)
        t->part(&t->m->out[index], i, t->begin, t->end);
}

static void *work(void *arg)
{
    struct member me = *(struct member *)arg;
    struct sim_team *t = me.team;
    uint64_t seen = 0;
    free(arg);
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (t->round == seen && !t->quit)
            pthread_cond_wait(&t->work, &t->lock);
        if (t->quit)
            break;
        seen = t->round;
        pthread_mutex_unlock(&t->lock);
        do_share(t, me.index);
        pthread_mutex_lock(&t->lock);
        if (!--t->running)
            pthread_cond_signal(&t->done);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

void sim_team_destroy(struct sim_team *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->quit = true;
    pthread_cond_broadcast(&t->work);
    pthread_mutex_unlock(&t->lock);
    for (uint32_t i = 1; i < t->n; i++)
        pthread_join(t->thread[i], NULL);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->work);
    pthread_cond_destroy(&t->done);
    free(t->thread);
    free(t);
}

/* A system without another thread to give gets a smaller team. */
static void hire(struct sim_team *t, uint32_t threads)
{
    for (t->n = 1; t->n < threads; t->n++) {
        struct member *one = malloc(sizeof *one);
        if (!one)
            return;
        *one = (struct member){.team = t, .index = t->n};
        if (pthread_create(&t->thread[t->n], NULL, work, one)) {
            free(one);
            return;
        }
    }
}

static struct sim_team *team_create(struct sim_memside *m, uint32_t threads)
{
    struct sim_team *t = calloc(1, sizeof *t);
    if (!t || !(t->thread = calloc(threads, sizeof *t->thread))) {
        free(t);
        return NULL;
    }
    t->m = m;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->work, NULL);
    pthread_cond_init(&t->done, NULL);
    hire(t, threads);
    return t;
}

bool sim_team_resize(struct sim_memside *m, uint32_t threads)
{
    if (threads == m->threads)
        return true;
    sim_team_destroy(m->team);
    m->team = NULL;
    if (threads > m->n_out) {
        struct sim_out *more = realloc(m->out, threads * sizeof *more);
        if (!more)
            return false;
        m->out = more;
        for (; m->n_out < threads; m->n_out++)
            m->out[m->n_out] = (struct sim_out){.m = m};
    }
    if (threads > 1 && !(m->team = team_create(m, threads)))
        return false;
    for (uint32_t i = 0; i < m->n_out; i++)
        m->out[i].direct = threads == 1;
    m->threads = threads;
    return true;
}

static void deliver(struct sim_memside *m)
{
    for (uint32_t i = 0; i < m->n_out; i++) {
        for (size_t k = 0; k < m->out[i].n_posted; k++)
            sim_mailbox_push(m->out[i].posted[k].to, &m->out[i].posted[k].message);
        m->out[i].n_posted = 0;
    }
}

void sim_team_run(struct sim_memside *m, sim_team_part *part, uint32_t n_parts, uint64_t begin,
                  uint64_t end)
{
    struct sim_team *t = m->team;
    if (!t) {
        for (uint32_t i = 0; i < n_parts; i++)
            part(&m->out[0], i, begin, end);
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->part = part;
    t->n_parts = n_parts;
    t->begin = begin;
    t->end = end;
    t->running = t->n - 1;
    t->round++;
    pthread_cond_broadcast(&t->work);
    pthread_mutex_unlock(&t->lock);
    do_share(t, 0);
    pthread_mutex_lock(&t->lock);
    while (t->running)
        pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
    deliver(m);
}
