/* advise_run.c - looks at one launch: as it is, and once more for each rule that may apply. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/advise.h>

#include "advise/advise_rules.h"
#include "base/array.h"
#include "base/text.h"

enum { LINES_SHOWN = 3 };
static const double LEAST_GAIN_PCT = 3;
static const double MODEL_ERROR_PCT = 8; /* of the time of a launch: docs/accuracy.md */

struct advising {
    const struct strata_advise_options *opt;
    struct strata_trace *trace;
    size_t launch;
    struct strata_reader *reader; /* open while sites are used */
    struct strata_sites sites;
    struct advise_facts facts;
    struct strata_advice *out;
};

const char *strata_limiter_name(enum strata_limiter limiter)
{
    static const char *const names[STRATA_N_LIMITERS] = {
        "nothing",   "issue",          "LSU",    "L1",
        "L2",        "crossbar",       "DRAM",   "latency",
        "occupancy", "launch cost",    "tail",   "imbalance",
        "atomics",   "bank conflicts", "tensor", "too few blocks"};
    return names[limiter];
}

const char *strata_confidence_name(enum strata_confidence c)
{
    static const char *const names[] = {"low", "medium", "high"};
    return names[c];
}

static void release_finding(struct strata_finding *f)
{
    for (size_t i = 0; i < f->n_evidence; i++) {
        free(f->evidence[i].name);
        free(f->evidence[i].unit);
    }
    for (size_t i = 0; i < f->n_lines; i++) {
        free(f->line[i].instruction);
        free(f->line[i].words);
        free(f->line[i].inlined);
    }
    free(f->evidence);
    free(f->line);
    free(f->why_so_sure);
    memset(f, 0, sizeof *f);
}

void strata_advice_release(struct strata_advice *a)
{
    for (size_t i = 0; i < a->n_findings; i++)
        release_finding(&a->finding[i]);
    free(a->finding);
    free(a->source_file);
    strata_result_release(&a->result);
    memset(a, 0, sizeof *a);
}

/* ---- runs ---- */

static strata_status run_flow(struct strata_trace *trace, size_t index,
                              const struct strata_gpu *gpu, uint64_t seed,
                              struct strata_result *result, struct strata_error *err)
{
    const struct strata_model_options opt = {.seed = seed, .threads = 1};
    struct strata_reader *reader;
    strata_status status = strata_reader_open(trace, index, &reader, err);
    if (status != STRATA_OK)
        return status;
    status = strata_result_init(result, strata_trace_launch(trace, index), err);
    if (status == STRATA_OK)
        status = strata_model_find("flow")->run(gpu, reader, &opt, result, err);
    strata_reader_close(reader);
    if (status == STRATA_OK) {
        strata_derive_metrics(result);
        strata_derive_other_names(result);
    }
    return status;
}

static strata_status time_of(struct strata_trace *trace, size_t index, const struct strata_gpu *gpu,
                             uint64_t seed, double *ns, struct strata_error *err)
{
    struct strata_result result = {0};
    strata_status status = run_flow(trace, index, gpu, seed, &result, err);
    if (status == STRATA_OK && !strata_result_get(&result, "gpu__time_duration.sum", ns))
        *ns = NAN;
    strata_result_release(&result);
    return status;
}

/* The GPU with some keys at their ideal. */
static strata_status run_ideal(struct advising *a, const char *const *words, double *ns,
                               struct strata_error *err)
{
    struct strata_gpu *gpu = malloc(sizeof *gpu);
    strata_status status = STRATA_OK;
    if (!gpu)
        return strata_no_memory(err, NULL, "for a GPU");
    *gpu = *a->opt->gpu;
    for (; status == STRATA_OK && *words; words++) {
        char key[64];
        size_t length = strcspn(*words, "=");
        memcpy(key, *words, length);
        key[length] = 0;
        status = strata_gpu_override(gpu, key, *words + length + 1, err);
    }
    if (status == STRATA_OK)
        status = strata_gpu_validate(gpu, NULL, err);
    if (status != STRATA_OK) /* a description may forbid what the table asks */
        status = STRATA_EUNSUPPORTED;
    if (status == STRATA_OK)
        status = time_of(a->trace, a->launch, gpu, a->opt->seed, ns, err);
    free(gpu);
    return status;
}

/* Sites that are worth mending: a tenth of their sectors or executions is at fault. Smaller blocks
 * leave all accesses as they are. */
static bool is_target(const struct strata_site *x, const struct advise_rule *rule)
{
    return rule->weight && rule->rewrite != REWRITE_SMALLER_BLOCKS &&
           10 * rule->weight(x) >= (x->sectors ? x->sectors : x->executions);
}

/* The GPU for a launch written again. Smaller blocks would also hide more latency if more of them
 * ran at a time: where that is not the fault, an SM takes no more than it has now. */
static void gpu_for(const struct advising *a, const struct advise_rule *rule,
                    struct strata_gpu *gpu)
{
    uint64_t sms = a->opt->gpu->sm.count, blocks = strata_launch_blocks(a->facts.launch);
    uint64_t now = (blocks + sms - 1) / sms;
    *gpu = *a->opt->gpu;
    if (rule->text.limiter == STRATA_LIMIT_IMBALANCE && now < gpu->sm.max_blocks)
        gpu->sm.max_blocks = (uint32_t)now;
}

static strata_status run_rewritten(struct advising *a, const struct advise_rule *rule, double *ns,
                                   struct strata_error *err)
{
    struct rewrite_plan plan = {.kind = rule->rewrite};
    struct strata_text path = {0};
    struct strata_trace *made = NULL;
    strata_status status = STRATA_OK;
    const struct advise_facts *f = &a->facts;
    struct strata_gpu *gpu = malloc(sizeof *gpu);
    if (!gpu)
        return strata_no_memory(err, NULL, "for a GPU");
    gpu_for(a, rule, gpu);
    plan.wanted_blocks = (uint64_t)rule->waves * f->occupancy.blocks_per_sm * f->gpu->sm.count;
    plan.target = calloc(a->sites.n + 1, sizeof *plan.target);
    for (size_t i = 0; plan.target && i < a->sites.n; i++)
        if (is_target(&a->sites.site[i], rule))
            plan.target[plan.n_targets++].pc = a->sites.site[i].inst->pc;
    strata_text_printf(&path, "%s/mended.%ld.strata", a->opt->scratch, (long)getpid());
    if (!plan.target || path.out_of_memory)
        status = strata_no_memory(err, NULL, "for advice");
    if (status == STRATA_OK)
        status = rewrite_write(&plan, a->opt->gpu, a->reader, path.data, err);
    if (status == STRATA_OK)
        status = strata_trace_open(path.data, NULL, &made, err);
    if (status == STRATA_OK)
        status = time_of(made, 0, gpu, a->opt->seed, ns, err);
    if (made)
        strata_trace_close(made);
    if (path.data)
        unlink(path.data);
    strata_text_release(&path);
    free(plan.target);
    free(gpu);
    return status;
}

/* A thing that cannot be made ideal for this launch (blocks that cannot be cut, a table too large
 * for shared memory) is no failure: there is just no finding. */
static strata_status run_rule(struct advising *a, const struct advise_rule *rule, double *ns,
                              struct strata_error *err)
{
    *ns = NAN;
    strata_status status =
        rule->ideal ? run_ideal(a, rule->ideal, ns, err) : run_rewritten(a, rule, ns, err);
    if (status == STRATA_EUNSUPPORTED || status == STRATA_ELIMIT || status == STRATA_EUSAGE)
        status = STRATA_OK;
    return status;
}

/* ---- lines ---- */

static char *words_of(const struct strata_site *x)
{
    struct strata_text t = {0};
    char kind[40];
    double n = x->executions ? (double)x->executions : 1;
    strata_text_printf(&t, "%s, %.1f lanes", strata_site_kind(x, kind, sizeof kind),
                       (double)x->lanes / n);
    if (x->sectors)
        strata_text_printf(&t, ", %.1f sectors each time", (double)x->sectors / n);
    if (strata_site_beyond(x))
        strata_text_printf(&t, " where %.1f would do", (double)x->ideal_sectors / n);
    if (x->bank_conflicts)
        strata_text_printf(&t, ", %.1f bank conflicts each time", (double)x->bank_conflicts / n);
    if (t.out_of_memory)
        strata_text_release(&t);
    return t.data;
}

static void add_line(struct strata_finding *out, const struct strata_site *x, double share)
{
    if (!ARRAY_RESERVE(out->line, out->n_lines, out->cap_lines, 1))
        return;
    struct strata_finding_line l = {.line = x->inst->source_line,
                                    .pc = x->inst->pc,
                                    .instruction = strdup(x->inst->opcode),
                                    .share = share,
                                    .words = words_of(x),
                                    .inlined = x->inst->inlined ? strdup(x->inst->inlined) : NULL};
    if (l.instruction && l.words) {
        out->line[out->n_lines++] = l;
        return;
    }
    free(l.instruction);
    free(l.words);
    free(l.inlined);
}

/* The lines with the most of what the rule weighs; at least a twentieth of it each. */
static void add_lines(struct advising *a, const struct advise_rule *rule,
                      struct strata_finding *out)
{
    struct strata_sites merged = {.n = a->sites.n};
    uint64_t all = 0, last = UINT64_MAX;
    if (!rule->weight || !a->sites.n)
        return;
    merged.site = malloc(a->sites.n * sizeof *merged.site);
    if (!merged.site)
        return;
    memcpy(merged.site, a->sites.site, a->sites.n * sizeof *merged.site);
    if (strata_sites_have_lines(&merged))
        strata_sites_merge_lines(&merged);
    for (size_t i = 0; i < merged.n; i++)
        all += rule->weight(&merged.site[i]);
    for (int shown = 0; shown < LINES_SHOWN; shown++) {
        const struct strata_site *best = NULL;
        for (size_t i = 0; i < merged.n; i++) {
            uint64_t w = rule->weight(&merged.site[i]);
            if (w < last && w * 20 >= all && w && (!best || w > rule->weight(best)))
                best = &merged.site[i];
        }
        if (!best)
            break;
        last = rule->weight(best);
        add_line(out, best, (double)last / (double)all);
    }
    strata_sites_release(&merged);
}

/* ---- how sure ---- */

static void judge(const struct advising *a, struct strata_finding *out)
{
    const struct strata_launch *l = a->facts.launch;
    int sure = out->is_cause ? STRATA_SURE : STRATA_LIKELY;
    const char *why = out->is_cause
                          ? "the counters it rests on are exact and the launch was run again "
                            "without the fault"
                          : "a unit made infinitely fast hides what the next one would cost";
    if (l->sampled_blocks || l->regs_source == STRATA_REGS_ESTIMATE) {
        sure = STRATA_LIKELY;
        why = l->sampled_blocks ? "only a sample of the blocks was recorded"
                                : "the number of registers, and so occupancy, is an estimate";
    }
    if (a->facts.time_ns < 5000) {
        sure = STRATA_UNSURE;
        why = "launches of a few microseconds vary from run to run as much as this";
    } else if (out->gain_pct < MODEL_ERROR_PCT) {
        sure = STRATA_UNSURE;
        why = "the gain is not larger than the model's own error";
    }
    out->confidence = (enum strata_confidence)sure;
    out->why_so_sure = strdup(why);
}

static strata_status try_rule(struct advising *a, const struct advise_rule *rule,
                              struct strata_error *err)
{
    struct strata_finding found = {.rule = rule->text.id,
                                   .limiter = rule->text.limiter,
                                   .is_cause = rule->text.is_cause,
                                   .title = rule->text.title,
                                   .remedy = rule->text.remedy,
                                   .how = rule->text.how};
    double least = a->opt->least_gain_pct > 0 ? a->opt->least_gain_pct : LEAST_GAIN_PCT;
    strata_status status = STRATA_OK;
    bool kept = false;
    if (rule->applies(&a->facts, &found))
        status = run_rule(a, rule, &found.time_ns, err);
    else
        found.time_ns = NAN;
    found.gain_pct = 100 * (1 - found.time_ns / a->facts.time_ns);
    if (status == STRATA_OK && found.gain_pct >= least &&
        ARRAY_RESERVE(a->out->finding, a->out->n_findings, a->out->cap_findings, 1)) {
        add_lines(a, rule, &found);
        judge(a, &found);
        a->out->finding[a->out->n_findings++] = found;
        kept = true;
    }
    if (!kept)
        release_finding(&found);
    return status;
}

/* ---- order ---- */

/* A fault can be mended; a unit without limits cannot be had, and its bound is out of reach. So the
 * gain of a fault counts half as much again. What a launch costs to start and to end is no fault of
 * the kernel: anything in it that gains more than the model's own error is told first. */
static double worth(const struct strata_finding *f)
{
    if (f->limiter == STRATA_LIMIT_LAUNCH && f->gain_pct > MODEL_ERROR_PCT)
        return MODEL_ERROR_PCT;
    return f->is_cause ? 1.5 * f->gain_pct : f->gain_pct;
}

static int by_worth(const void *x, const void *y)
{
    const struct strata_finding *a = x, *b = y;
    if (worth(a) != worth(b))
        return worth(a) < worth(b) ? 1 : -1;
    return strcmp(a->rule, b->rule);
}

static bool has_rule(const struct strata_advice *a, const char *rule)
{
    for (size_t i = 0; i < a->n_findings; i++)
        if (!strcmp(a->finding[i].rule, rule))
            return true;
    return false;
}

/* Two rules that mend the same thing by different means: the one with the remedy is kept. */
static void drop_doubles(struct strata_advice *a)
{
    static const char *const doubles[][2] = {{"global-atomics", "contended-atomics"},
                                             {"few-blocks", "imbalance"},
                                             {"tail", "imbalance"}};
    for (size_t d = 0; d < sizeof doubles / sizeof doubles[0]; d++) {
        if (!has_rule(a, doubles[d][0]))
            continue;
        for (size_t i = 0; i < a->n_findings; i++)
            if (!strcmp(a->finding[i].rule, doubles[d][1])) {
                release_finding(&a->finding[i]);
                memmove(&a->finding[i], &a->finding[i + 1],
                        (--a->n_findings - i) * sizeof *a->finding);
                break;
            }
    }
}

/* Scattered accesses are a fault of the program; what they keep busy is the unit whose own rule
 * gains most. */
static enum strata_limiter limiter_of(const struct strata_advice *a)
{
    if (!a->n_findings)
        return STRATA_LIMIT_NONE;
    const struct strata_finding *first = &a->finding[0];
    if (strncmp(first->rule, "uncoalesced", 11))
        return first->limiter;
    for (size_t i = 0; i < a->n_findings; i++)
        if (!a->finding[i].is_cause && a->finding[i].limiter != STRATA_LIMIT_LATENCY)
            return a->finding[i].limiter;
    return first->limiter;
}

/* ---- one launch ---- */

static strata_status gather_facts(struct advising *a, struct strata_error *err)
{
    struct advise_facts *f = &a->facts;
    f->gpu = a->opt->gpu;
    f->launch = strata_trace_launch(a->trace, a->launch);
    f->sites = &a->sites;
    f->result = &a->out->result;
    strata_status status =
        run_flow(a->trace, a->launch, f->gpu, a->opt->seed, &a->out->result, err);
    if (status == STRATA_OK)
        status = strata_reader_open(a->trace, a->launch, &a->reader, err);
    if (status == STRATA_OK)
        status = strata_sites_collect(f->gpu, a->reader, a->opt->seed, &a->sites, err);
    if (status == STRATA_OK)
        status = strata_occupancy_compute(f->gpu, f->launch, &f->occupancy, err);
    if (status != STRATA_OK)
        return status;
    strata_result_get(f->result, "sm__cycles_elapsed.max", &f->cycles);
    strata_result_get(f->result, "gpu__time_duration.sum", &f->time_ns);
    strata_speed_of_light(f->gpu, f->result, &f->peak);
    a->out->time_ns = f->time_ns;
    a->out->peak = f->peak;
    return STRATA_OK;
}

strata_status strata_advise(struct strata_trace *trace, size_t launch,
                            const struct strata_advise_options *opt, struct strata_advice *out,
                            struct strata_error *err)
{
    struct advising a = {.opt = opt, .trace = trace, .launch = launch, .out = out};
    size_t n;
    const struct advise_rule *rules = advise_rules(&n);
    memset(out, 0, sizeof *out);
    const char *file = strata_trace_launch(trace, launch)->source_file;
    strata_status status = gather_facts(&a, err);
    if (status == STRATA_OK && file && !(out->source_file = strdup(file)))
        status = strata_no_memory(err, file, "for the advice");
    for (size_t i = 0; status == STRATA_OK && i < n; i++)
        status = try_rule(&a, &rules[i], err);
    drop_doubles(out);
    if (out->n_findings)
        qsort(out->finding, out->n_findings, sizeof *out->finding, by_worth);
    out->limiter = limiter_of(out);
    strata_sites_release(&a.sites);
    if (a.reader)
        strata_reader_close(a.reader);
    if (status != STRATA_OK)
        strata_advice_release(out);
    return status;
}
