/* model_reuse.c - the extended model over the cores of a launch, and its report. */
#include "reuse/model_reuse.h"

#include <stdlib.h>
#include <string.h>

#include <strata/coalesce.h>

#include "reuse/queue.h"
#include "reuse/turns.h"

struct pass {
    struct residents residents;
    struct strata_coalescer coalescer;
    struct timed_cache *cache; /* one a core */
    bool *ready;
    struct timed_options opt;
    uint32_t line_shift;
    struct progress {
        unsigned n, made; /* transactions of the warp's instruction, and those that are out */
        bool held;        /* the others are to be tried again */
        uint64_t until;   /* their data is there */
        uint64_t line[STRATA_MAX_REQUESTS];
        uint8_t sectors[STRATA_MAX_REQUESTS];
    } * progress; /* by warp */
};

static void coalesce(const struct pass *p, const struct strata_winst *w, uint64_t local_base,
                     struct progress *g)
{
    struct strata_request request[STRATA_MAX_REQUESTS];
    g->n = strata_coalesce(&p->coalescer, w, local_base, request);
    for (unsigned i = 0; i < g->n; i++) {
        g->line[i] = request[i].line >> p->line_shift;
        g->sectors[i] = p->opt.sectored ? (uint8_t)request[i].sectors : 1;
    }
}

static strata_status visit(void *context, uint32_t core, uint32_t warp,
                           const struct strata_winst *w, uint64_t now, struct queue_outcome *out,
                           struct strata_error *err)
{
    struct pass *p = context;
    strata_status st = STRATA_OK;
    struct progress *g = &p->progress[warp];
    unsigned made;
    uint64_t delay;
    if (!g->held)
        coalesce(p, w, p->residents.warp[warp].local_base, g);
    if (!g->n)
        return STRATA_OK;
    if (!p->ready[core]) {
        struct timed_options opt = p->opt;
        opt.seed += core;
        st = timed_init(&p->cache[core], &opt, err);
        p->ready[core] = st == STRATA_OK;
    }
    if (st == STRATA_OK)
        st = timed_issue(&p->cache[core], warp, g->line + g->made, g->sectors + g->made,
                         g->n - g->made, now, &made, &delay, NULL, err);
    if (st != STRATA_OK)
        return st;
    g->made += made;
    if (delay && now + delay > g->until)
        g->until = now + delay;
    out->cancelled = g->held = g->made < g->n;
    out->units = p->opt.unit_per_transaction && made ? made : 1;
    if (!out->cancelled) {
        out->delay = g->until > now ? g->until - now : 0;
        g->made = 0;
    }
    return STRATA_OK;
}

static void add_up(const struct pass *p, struct reuse_totals *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t c = 0; c < p->residents.n_cores; c++) {
        if (!p->ready[c])
            continue;
        out->accesses += p->cache[c].accesses;
        out->misses += p->cache[c].misses;
        out->infinite += p->cache[c].infinite;
        out->cancelled += p->cache[c].cancelled;
        for (int k = 0; k < TIMED_N_KINDS; k++)
            out->kind[k] += p->cache[c].kind[k];
    }
}

strata_status reuse_paper_pass(const struct strata_gpu *gpu, struct strata_reader *reader,
                               const struct reuse_settings *s, uint64_t seed,
                               struct reuse_totals *out, struct strata_error *err)
{
    struct pass p = {0};
    struct residents_options placing;
    reuse_settings_residents(s, &placing);
    strata_status st = residents_init(&p.residents, gpu, reader, &placing, err);
    if (st != STRATA_OK)
        return st;
    reuse_settings_cache(s, gpu, p.residents.occupancy.l1_bytes, seed, &p.opt);
    strata_coalescer_init(&p.coalescer, gpu, p.residents.launch);
    p.line_shift = p.coalescer.line_shift;
    p.cache = calloc(p.residents.n_cores, sizeof *p.cache);
    p.ready = calloc(p.residents.n_cores, sizeof *p.ready);
    p.progress =
        calloc((size_t)p.residents.n_cores * p.residents.places * p.residents.warps_per_block,
               sizeof *p.progress);
    if (!p.cache || !p.ready || !p.progress)
        st = strata_no_memory(err, NULL, "for the modelled cores");
    else
        st = queue_run(&p.residents, visit, &p, err);
    if (st == STRATA_OK)
        add_up(&p, out);
    for (uint32_t c = 0; p.cache && p.ready && c < p.residents.n_cores; c++)
        if (p.ready[c])
            timed_release(&p.cache[c]);
    free(p.cache);
    free(p.ready);
    free(p.progress);
    residents_release(&p.residents);
    return st;
}

/* ---- kinds ---- */

static strata_status again(const struct strata_gpu *gpu, const struct strata_reader *reader,
                           const struct reuse_settings *s, uint64_t seed, struct reuse_totals *out,
                           struct strata_error *err)
{
    struct strata_reader *other;
    strata_status st = strata_reader_reopen(reader, &other, err);
    if (st != STRATA_OK)
        return st;
    st = reuse_paper_pass(gpu, other, s, seed, out, err);
    strata_reader_close(other);
    return st;
}

static uint64_t move(uint64_t *from, uint64_t most)
{
    uint64_t n = *from < most ? *from : most;
    *from -= n;
    return n;
}

/* Misses that a run with unlimited registers does not have are the registers'; they are taken from
 * the kinds that an order of accesses can make, so that the sum stays the total. */
static void book_mshr(struct reuse_totals *t, const struct reuse_totals *unlimited)
{
    uint64_t more = t->misses > unlimited->misses ? t->misses - unlimited->misses : 0;
    uint64_t n = move(&t->kind[TIMED_CAPACITY], more);
    n += move(&t->kind[TIMED_CONFLICT], more - n);
    n += move(&t->kind[TIMED_LATENCY], more - n);
    t->kind[TIMED_MSHR] += n;
}

/* The released code's kinds are differences between four runs with different schedules; where they
 * exceed what is left of the total they are cut, so that the sum holds here too. */
static void book_by_difference(struct reuse_totals *t, const struct reuse_totals *fully,
                               const struct reuse_totals *prompt,
                               const struct reuse_totals *unlimited)
{
    uint64_t left = t->misses;
    memset(t->kind, 0, sizeof t->kind);
    t->kind[TIMED_COMPULSORY] = move(&left, prompt->infinite);
    t->kind[TIMED_LATENCY] =
        move(&left, t->infinite > prompt->infinite ? t->infinite - prompt->infinite : 0);
    t->kind[TIMED_CONFLICT] =
        move(&left, t->misses > fully->misses ? t->misses - fully->misses : 0);
    t->kind[TIMED_MSHR] =
        move(&left, t->misses > unlimited->misses ? t->misses - unlimited->misses : 0);
    t->kind[TIMED_CAPACITY] = left;
}

static strata_status find_kinds(const struct strata_gpu *gpu, const struct strata_reader *reader,
                                const struct reuse_settings *s, uint64_t seed,
                                struct reuse_totals *t, struct strata_error *err)
{
    struct reuse_settings fully = *s, prompt = *s, unlimited = *s;
    struct reuse_totals a, b, c;
    fully.associativity = prompt.latency = unlimited.mshrs = false;
    strata_status st = STRATA_OK;
    if (s->mshrs && gpu->l1.mshrs)
        st = again(gpu, reader, &unlimited, seed, &c, err);
    else
        c = *t;
    if (st != STRATA_OK)
        return st;
    if (!s->difference) {
        book_mshr(t, &c);
        return STRATA_OK;
    }
    st = again(gpu, reader, &fully, seed, &a, err);
    if (st == STRATA_OK)
        st = again(gpu, reader, &prompt, seed, &b, err);
    if (st == STRATA_OK)
        book_by_difference(t, &a, &b, &c);
    return st;
}

static void report(const struct reuse_totals *t, struct strata_result *out)
{
    static const char *const names[] = {"compulsory", "capacity", "conflict", "latency", "mshr"};
    /* The profiler does not count a miss on a line that is on its way (section 6.1). */
    double counted = (double)(t->misses - t->kind[TIMED_LATENCY]),
           n = t->accesses ? (double)t->accesses : 1;
    strata_result_set(out, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", (double)t->accesses);
    strata_result_set(out, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                      (double)t->accesses - counted);
    strata_result_set(out, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", counted);
    strata_result_detail(out, "miss_rate_pct", 100 * (double)t->misses / n);
    strata_result_detail(out, "miss_rate_without_latency_pct", 100 * counted / n);
    strata_result_detail(out, "misses", (double)t->misses);
    for (int k = 0; k < TIMED_N_KINDS; k++) {
        char path[64] = "miss_kinds.";
        strata_result_detail(out, strncat(path, names[k], 32), (double)t->kind[k]);
    }
    strata_result_detail(out, "cancelled_issues", (double)t->cancelled);
}

static strata_status run_paper(const struct strata_gpu *gpu, struct strata_reader *reader,
                               const struct reuse_settings *s, uint64_t seed,
                               struct strata_result *out, struct strata_error *err)
{
    struct reuse_totals t;
    strata_status st = reuse_paper_pass(gpu, reader, s, seed, &t, err);
    if (st == STRATA_OK)
        st = find_kinds(gpu, reader, s, seed, &t, err);
    if (st == STRATA_OK)
        report(&t, out);
    return st;
}

static strata_status run_model(const struct strata_gpu *gpu, struct strata_reader *reader,
                               const struct strata_model_options *opt, struct strata_result *out,
                               struct strata_error *err)
{
    struct reuse_settings s;
    strata_status st = reuse_settings_read(&s, opt, err);
    if (st != STRATA_OK)
        return st;
    bool paper =
        opt->variant ? !strcmp(opt->variant, "paper") : gpu->coalesce.rule == STRATA_COALESCE_FERMI;
    if (!paper && opt->variant && strcmp(opt->variant, "hierarchy"))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "The reuse model has no variant \"%s\"; there are paper (one L1, kinds "
                           "of misses) and hierarchy (all counters).",
                           opt->variant);
    if (paper && opt->state)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "The reuse model's variant paper has no L2 that lasts between launches; "
                           "leave out --cache-control none or choose --variant hierarchy.");
    return paper ? run_paper(gpu, reader, &s, opt->seed, out, err)
                 : turns_run(gpu, reader, opt, out, err);
}

const struct strata_model strata_model_reuse = {
    .name = "reuse",
    .has_variants = true,
    .summary = "caches without a clock: every counter of a modern GPU, or one L1 by reuse distance",
    .run = run_model,
    .keeps_state = true,
    .follows_bulk = true,
};
