/* run.c - a sweep from its plan to its results. */
#include "explore/run.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "explore/results.h"

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the sweep");
}

static strata_status init_run(struct sweep_run *r, const struct strata_sweep *plan,
                              const struct strata_launch_set *set,
                              const struct strata_sweep_options *opt, struct strata_error *err)
{
    size_t n = strata_sweep_count(plan);
    memset(r, 0, sizeof *r);
    r->plan = plan;
    r->set = set;
    r->opt = opt;
    r->profiled = strata_model_profiled(opt->model);
    pthread_mutex_init(&r->lock, NULL);
    r->point_id = calloc(n, sizeof *r->point_id);
    r->config_hash = calloc(n, sizeof *r->config_hash);
    r->left = calloc(n, sizeof *r->left);
    r->launch_id = calloc(set->n_launches + 1, sizeof *r->launch_id);
    r->launch_hash = calloc(set->n_launches + 1, sizeof *r->launch_hash);
    return r->point_id && r->config_hash && r->left && r->launch_id && r->launch_hash
               ? STRATA_OK
               : no_memory(err);
}

static void release_run(struct sweep_run *r)
{
    store_close(r->store);
    free(r->point_id);
    free(r->config_hash);
    free(r->left);
    free(r->launch_id);
    free(r->launch_hash);
    free(r->job);
    pthread_mutex_destroy(&r->lock);
}

/* ---- launches ---- */

struct hashing {
    struct sweep_run *run;
    size_t next;
};

static void *hash_launches(void *context)
{
    struct hashing *h = context;
    struct sweep_run *r = h->run;
    for (;;) {
        struct strata_reader *reader = NULL;
        struct strata_error err = {0};
        uint64_t hash = 0;
        strata_status status = STRATA_OK;
        pthread_mutex_lock(&r->lock);
        size_t i = h->next++;
        bool more = i < r->set->n_launches && !r->stop;
        if (more)
            status =
                strata_reader_open(r->set->launch[i].trace, r->set->launch[i].index, &reader, &err);
        pthread_mutex_unlock(&r->lock);
        if (!more)
            return NULL;
        if (status == STRATA_OK) {
            status = hash_launch(reader, &hash, &err);
            strata_reader_close(reader);
        }
        hash_spell(hash, r->launch_hash[i]);
        if (status != STRATA_OK) {
            pthread_mutex_lock(&r->lock);
            if (r->status == STRATA_OK)
                r->error = err;
            r->status = status;
            r->stop = true;
            pthread_mutex_unlock(&r->lock);
        }
    }
}

static strata_status add_launches(struct sweep_run *r, struct strata_error *err)
{
    struct hashing h = {r, 0};
    uint64_t all = 0;
    on_threads(r->opt->jobs, hash_launches, &h);
    if (r->status != STRATA_OK) {
        *err = r->error;
        return r->status;
    }
    strata_status status = STRATA_OK;
    for (size_t i = 0; status == STRATA_OK && i < r->set->n_launches; i++) {
        const struct strata_launch *l =
            strata_trace_launch(r->set->launch[i].trace, r->set->launch[i].index);
        status = store_add_launch(r->store, l, r->launch_hash[i], &r->launch_id[i], err);
        all = lzma_crc64((const uint8_t *)r->launch_hash[i], sizeof(hash_text), all);
        all = lzma_crc64((const uint8_t *)l->program, strlen(l->program) + 1, all);
        all = lzma_crc64((const uint8_t *)l->trace, strlen(l->trace) + 1, all);
    }
    hash_spell(all, r->trace_hash);
    return status;
}

/* ---- points ---- */

static strata_status add_settings(struct sweep_run *r, size_t i, struct strata_error *err)
{
    size_t most = plan_most_settings(r->plan) + 1;
    struct sweep_settings all = {calloc(most, sizeof(char *)), calloc(most, sizeof(char *)), 0};
    strata_status status = all.key && all.value ? STRATA_OK : no_memory(err);
    if (status == STRATA_OK)
        plan_settings(r->plan, i, &all);
    for (size_t k = 0; status == STRATA_OK && k < all.n; k++)
        status = store_add_setting(r->store, r->point_id[i], all.key[k], all.value[k], err);
    free(all.key);
    free(all.value);
    return status;
}

static strata_status add_job(struct sweep_run *r, size_t point, size_t launch,
                             struct strata_error *err)
{
    if (!ARRAY_RESERVE(r->job, r->n_jobs, r->cap_jobs, 1))
        return no_memory(err);
    r->job[r->n_jobs++] = (struct sweep_job){(uint32_t)point, (uint32_t)launch};
    r->left[point]++;
    return STRATA_OK;
}

static strata_status end_point(struct sweep_run *r, size_t point, struct strata_error *err)
{
    char *error;
    strata_status status = store_point_error(r->store, r->point_id[point], &error, err);
    if (status == STRATA_OK)
        status = store_put_result(r->store, r->point_id[point], error, err);
    free(error);
    return status;
}

/* What of the point is still to be done. */
static strata_status plan_point(struct sweep_run *r, size_t i, bool is_new,
                                const struct sweep_config *c, struct strata_error *err)
{
    char *error = NULL, text[1400];
    strata_status status =
        is_new ? STRATA_END : store_get_result(r->store, r->point_id[i], &error, err);
    bool again = status == STRATA_OK && error && r->opt->retry_failed;
    free(error);
    if (again)
        status = store_forget_failed(r->store, r->point_id[i], err);
    if (status == STRATA_OK && !again) {
        r->n_found += r->set->n_launches;
        return STRATA_OK;
    }
    if (status != STRATA_END && status != STRATA_OK)
        return status;
    if (c->bad) {
        strata_error_text(&c->why, text, sizeof text);
        r->n_done += r->set->n_launches;
        return store_put_result(r->store, r->point_id[i], text, err);
    }
    status = STRATA_OK;
    for (size_t k = 0; status == STRATA_OK && k < r->set->n_launches; k++) {
        enum part_state state = PART_MISSING;
        if (!is_new)
            status = store_part_state(r->store, r->point_id[i], r->launch_id[k], &state, err);
        if (status == STRATA_OK && state == PART_MISSING)
            status = add_job(r, i, k, err);
        r->n_found += state != PART_MISSING;
    }
    return status == STRATA_OK && !r->left[i] ? end_point(r, i, err) : status;
}

static strata_status add_point(struct sweep_run *r, size_t i, struct sweep_worker *w, bool *is_new,
                               struct strata_error *err)
{
    char *settings = NULL;
    strata_status status = worker_configure(w, i, false, err);
    if (status == STRATA_OK)
        status = strata_sweep_settings(r->plan, i, &settings, err);
    if (status != STRATA_OK)
        return status;
    hash_spell(hash_config(w->config, r->opt->model, settings), r->config_hash[i]);
    struct store_point p = {r->config_hash[i],
                            r->trace_hash,
                            r->plan->base.name,
                            r->opt->model->name,
                            r->opt->model_options.variant,
                            settings,
                            r->opt->model_options.seed};
    status = store_add_point(r->store, &p, &r->point_id[i], is_new, err);
    if (status == STRATA_OK && *is_new)
        status = add_settings(r, i, err);
    free(settings);
    return status;
}

/* Points by their numbers, to tell whether one was met before. */
struct met {
    int64_t *id; /* 0: free */
    size_t mask;
};

static bool met_before(struct met *m, int64_t id)
{
    size_t at = (size_t)((uint64_t)id * 0x9e3779b97f4a7c15ull >> 20) & m->mask;
    while (m->id[at] && m->id[at] != id)
        at = (at + 1) & m->mask;
    bool before = m->id[at] == id;
    m->id[at] = id;
    return before;
}

static strata_status add_points(struct sweep_run *r, struct strata_error *err)
{
    struct sweep_worker w;
    struct met met = {NULL, 1023};
    while (met.mask < 2 * run_points(r))
        met.mask = met.mask * 2 + 1;
    met.id = calloc(met.mask + 1, sizeof *met.id);
    strata_status status = met.id ? worker_init(&w, r, err) : no_memory(err);
    if (status != STRATA_OK) {
        free(met.id);
        return status;
    }
    for (size_t i = 0; status == STRATA_OK && i < run_points(r); i++) {
        bool is_new;
        status = add_point(r, i, &w, &is_new, err);
        if (status != STRATA_OK || met_before(&met, r->point_id[i]))
            continue; /* equal points are done once */
        r->n_parts += r->set->n_launches;
        status = plan_point(r, i, is_new, w.config, err);
    }
    worker_release(&w);
    free(met.id);
    return status;
}

/* ---- running ---- */

strata_status keep_part(struct sweep_run *r, struct sweep_job job, const struct part_outcome *o,
                        struct strata_error *err)
{
    strata_status status = store_begin(r->store, err);
    if (status == STRATA_OK)
        status = store_put_part(r->store, r->point_id[job.point], r->launch_id[job.launch], o, err);
    if (status == STRATA_OK && --r->left[job.point] == 0)
        status = end_point(r, job.point, err);
    if (status == STRATA_OK)
        status = store_commit_sometimes(r->store, err);
    r->n_done++;
    if (status == STRATA_OK && r->opt->progress)
        r->opt->progress(r->opt->progress_context, r->n_found + r->n_done, r->n_parts);
    return status;
}

static strata_status prepare(struct sweep_run *r, struct strata_error *err)
{
    strata_status status = store_open(r->opt->database, &r->store, err);
    if (status == STRATA_OK)
        status = store_begin(r->store, err);
    if (status == STRATA_OK)
        status = add_launches(r, err);
    if (status == STRATA_OK)
        status = add_points(r, err);
    return status == STRATA_OK ? store_commit(r->store, err) : status;
}

static strata_status lead(struct sweep_run *r, struct strata_sweep_results *out,
                          struct strata_error *err)
{
    strata_status status = prepare(r, err);
    if (status != STRATA_OK) {
        dismiss_others(r);
        return status;
    }
    if (r->profiled)
        status = run_profiled(r, err);
    else
        status = run_jobs(r, worker_run_part, keep_part, err);
    if (status == STRATA_OK)
        status = store_commit(r->store, err);
    return status == STRATA_OK ? results_read(r, out, err) : status;
}

strata_status strata_sweep_run(struct strata_sweep *s, const struct strata_launch_set *set,
                               const struct strata_sweep_options *opt,
                               struct strata_sweep_results *out, struct strata_error *err)
{
    struct sweep_run r;
    struct strata_error scratch = {0};
    err = err ? err : &scratch;
    memset(out, 0, sizeof *out);
    bool leads = !opt->team || opt->team->rank == 0;
    strata_status status = init_run(&r, s, set, opt, err);
    if (status != STRATA_OK && leads)
        dismiss_others(&r);
    else if (status == STRATA_OK && leads)
        status = lead(&r, out, err);
    else if (status == STRATA_OK)
        status = serve_jobs(&r, r.profiled ? worker_make_profile : worker_run_part, err);
    release_run(&r);
    if (status != STRATA_OK)
        strata_sweep_results_release(out);
    return status;
}
