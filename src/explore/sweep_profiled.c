/* sweep_profiled.c - sweeps with a model that reads each launch once: profiles first, then every
 * point by arithmetic on them.
 *
 * Points whose GPUs differ only in free keys share profiles. Those are made for the base GPU with
 * only the other keys of the point changed, so they do not depend on which point came first. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "explore/run.h"

/* Points that share profiles. */
struct group {
    uint64_t hash;
    uint32_t *point;
    size_t n, cap;
    void **profile; /* by launch, NULL: it failed */
    char **error;   /* by launch: why */
};

struct groups {
    struct group *item;
    size_t n, cap;
    uint32_t *group_of_point;
};

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the profiles of the sweep");
}

static void release_groups(struct groups *g)
{
    for (size_t i = 0; i < g->n; i++)
        free(g->item[i].point);
    free(g->item);
    free(g->group_of_point);
}

/* ---- which points share profiles ---- */

static strata_status add_to_group(struct groups *g, uint64_t hash, uint32_t point,
                                  struct strata_error *err)
{
    size_t i = g->n; /* neighbours are mostly of one group */
    while (i > 0 && g->item[i - 1].hash != hash)
        i--;
    if (!i) {
        if (!ARRAY_RESERVE(g->item, g->n, g->cap, 1))
            return no_memory(err);
        memset(&g->item[g->n], 0, sizeof *g->item);
        g->item[g->n++].hash = hash;
        i = g->n;
    }
    struct group *group = &g->item[i - 1];
    if (!ARRAY_RESERVE(group->point, group->n, group->cap, 1))
        return no_memory(err);
    group->point[group->n++] = point;
    g->group_of_point[point] = (uint32_t)(i - 1);
    return STRATA_OK;
}

static strata_status make_groups(struct sweep_run *r, struct groups *g, struct strata_error *err)
{
    struct sweep_worker w;
    strata_status status = worker_init(&w, r, err);
    g->group_of_point = calloc(run_points(r) + 1, sizeof *g->group_of_point);
    if (status == STRATA_OK && !g->group_of_point)
        status = no_memory(err);
    for (size_t i = 0; status == STRATA_OK && i < run_points(r); i++) {
        if (!r->left[i])
            continue;
        status = worker_configure(&w, i, true, err);
        if (status == STRATA_OK)
            status = add_to_group(
                g, strata_profile_hash(r->opt->model, &w.config->gpu, &w.config->options),
                (uint32_t)i, err);
    }
    worker_release(&w);
    return status;
}

/* ---- making what is missing ---- */

/* Jobs that make profiles: the first point of a group stands for it. */
static strata_status list_missing(struct sweep_run *r, const struct groups *g,
                                  struct strata_error *err)
{
    r->n_jobs = r->next_job = 0;
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < r->set->n_launches; k++) {
            hash_text hash;
            char *text;
            size_t length;
            hash_spell(g->item[i].hash, hash);
            strata_status status =
                store_get_profile(r->store, hash, r->launch_id[k], &text, &length, err);
            if (status == STRATA_OK)
                free(text);
            else if (status != STRATA_END)
                return status;
            else if (!ARRAY_RESERVE(r->job, r->n_jobs, r->cap_jobs, 1))
                return no_memory(err);
            else
                r->job[r->n_jobs++] = (struct sweep_job){g->item[i].point[0], (uint32_t)k};
        }
    return STRATA_OK;
}

/* A profile that cannot be made is kept as its sentence, which is no JSON object. */
static strata_status keep_profile(struct sweep_run *r, struct sweep_job job,
                                  const struct part_outcome *o, struct strata_error *err)
{
    struct sweep_worker w;
    hash_text hash;
    strata_status status = worker_init(&w, r, err);
    if (status == STRATA_OK)
        status = worker_configure(&w, job.point, true, err);
    if (status == STRATA_OK) {
        hash_spell(strata_profile_hash(r->opt->model, &w.config->gpu, &w.config->options), hash);
        const char *text = o->failed ? o->error : o->profile;
        status = store_begin(r->store, err);
        if (status == STRATA_OK && !text)
            status = no_memory(err);
        if (status == STRATA_OK)
            status = store_put_profile(r->store, hash, r->launch_id[job.launch], text,
                                       o->failed ? strlen(text) : o->profile_length, err);
        if (status == STRATA_OK)
            status = store_commit(r->store, err);
    }
    worker_release(&w);
    return status;
}

/* ---- evaluating ---- */

static void drop_profiles(struct sweep_run *r, struct group *g)
{
    for (size_t k = 0; k < r->set->n_launches; k++) {
        if (g->profile && g->profile[k])
            r->profiled->destroy(g->profile[k]);
        if (g->error)
            free(g->error[k]);
    }
    free(g->profile);
    free(g->error);
    g->profile = NULL;
    g->error = NULL;
}

static strata_status load_profiles(struct sweep_run *r, struct group *g, struct strata_error *err)
{
    hash_text hash;
    strata_status status = STRATA_OK;
    hash_spell(g->hash, hash);
    g->profile = calloc(r->set->n_launches, sizeof *g->profile);
    g->error = calloc(r->set->n_launches, sizeof *g->error);
    if (!g->profile || !g->error)
        return no_memory(err);
    for (size_t k = 0; status == STRATA_OK && k < r->set->n_launches; k++) {
        char *text = NULL;
        size_t length;
        status = store_get_profile(r->store, hash, r->launch_id[k], &text, &length, err);
        if (status == STRATA_END)
            status = no_memory(err);
        if (status == STRATA_OK && *text != '{') {
            g->error[k] = text;
            continue;
        }
        if (status == STRATA_OK)
            status = r->profiled->from_text(text, length, r->opt->database, &g->profile[k], err);
        free(text);
    }
    return status;
}

struct evaluation {
    struct sweep_run *run;
    struct group *group;
    const bool *wanted; /* by point and launch */
    size_t next;
};

static void evaluate_part(struct sweep_worker *w, const struct group *g, struct sweep_job job,
                          struct part_outcome *out)
{
    const struct strata_launch_ref *ref = &w->run->set->launch[job.launch];
    struct strata_error err = {0};
    struct strata_result result = {0};
    if (!g->profile[job.launch]) {
        out->failed = true;
        out->error = strdup(g->error[job.launch]);
        return;
    }
    strata_status status =
        strata_result_init(&result, strata_trace_launch(ref->trace, ref->index), &err);
    if (status == STRATA_OK)
        status = w->run->profiled->evaluate(g->profile[job.launch], &w->config->gpu,
                                            &w->config->options, &result, &err);
    if (status == STRATA_OK)
        part_outcome_take(out, &result);
    else
        part_outcome_fail(out, &err);
    strata_result_release(&result);
}

/* All launches of one point; stored together. */
static strata_status evaluate_point(struct evaluation *e, struct sweep_worker *w, uint32_t point,
                                    struct strata_error *err)
{
    struct sweep_run *r = e->run;
    size_t n = r->set->n_launches;
    struct part_outcome *o = calloc(n, sizeof *o);
    strata_status status = o ? worker_configure(w, point, false, err) : no_memory(err);
    for (size_t k = 0; status == STRATA_OK && k < n; k++)
        if (e->wanted[point * n + k])
            evaluate_part(w, e->group, (struct sweep_job){point, (uint32_t)k}, &o[k]);
    pthread_mutex_lock(&r->lock);
    for (size_t k = 0; status == STRATA_OK && k < n && !r->stop; k++)
        if (e->wanted[point * n + k])
            status = keep_part(r, (struct sweep_job){point, (uint32_t)k}, &o[k], err);
    pthread_mutex_unlock(&r->lock);
    for (size_t k = 0; o && k < n; k++)
        part_outcome_release(&o[k]);
    free(o);
    return status;
}

static void *evaluate_points(void *context)
{
    struct evaluation *e = context;
    struct sweep_run *r = e->run;
    struct sweep_worker w;
    struct strata_error err = {0};
    strata_status status = worker_init(&w, r, &err);
    while (status == STRATA_OK) {
        pthread_mutex_lock(&r->lock);
        size_t i = r->stop ? SIZE_MAX : e->next++;
        pthread_mutex_unlock(&r->lock);
        if (i >= e->group->n)
            break;
        status = evaluate_point(e, &w, e->group->point[i], &err);
    }
    worker_release(&w);
    if (status != STRATA_OK) {
        pthread_mutex_lock(&r->lock);
        r->status = status;
        r->error = err;
        r->stop = true;
        pthread_mutex_unlock(&r->lock);
    }
    return NULL;
}

static strata_status evaluate_group(struct sweep_run *r, struct group *g, const bool *wanted,
                                    struct strata_error *err)
{
    struct evaluation e = {r, g, wanted, 0};
    strata_status status = load_profiles(r, g, err);
    if (status == STRATA_OK) {
        on_threads(r->opt->jobs, evaluate_points, &e);
        status = r->status;
        if (status != STRATA_OK)
            *err = r->error;
    }
    drop_profiles(r, g);
    return status;
}

strata_status run_profiled(struct sweep_run *r, struct strata_error *err)
{
    struct groups groups = {0};
    size_t n = r->set->n_launches;
    bool *wanted = calloc(run_points(r) * n + 1, sizeof *wanted);
    for (size_t i = 0; wanted && i < r->n_jobs; i++)
        wanted[r->job[i].point * n + r->job[i].launch] = true;
    strata_status status = wanted ? make_groups(r, &groups, err) : no_memory(err);
    if (status == STRATA_OK)
        status = list_missing(r, &groups, err);
    if (status == STRATA_OK)
        status = run_jobs(r, worker_make_profile, keep_profile, err);
    else
        dismiss_others(r);
    for (size_t i = 0; status == STRATA_OK && i < groups.n; i++)
        status = evaluate_group(r, &groups.item[i], wanted, err);
    release_groups(&groups);
    free(wanted);
    return status;
}
