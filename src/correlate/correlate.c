/* correlate.c - groups predictions by model, joins them with the measurement, metric by metric. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <strata/correlate.h>

#include "base/array.h"
#include "base/text.h"
#include "correlate/metric_errors.h"
#include "correlate/join.h"

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the comparison");
}

/* Launches that touch DRAM for less than this measure the launch itself (code, constants,
 * parameters), not the program. */
const struct strata_minimum *strata_default_minimums(size_t *n)
{
    static const struct strata_minimum defaults[] = {
        {"dram__sectors_read.sum", 1000},     {"dram__sectors_write.sum", 1000},
        {"dram__bytes_read.sum", 32000},      {"dram__bytes_write.sum", 32000},
        {"strata__l2_read_misses.sum", 1000},
    };
    *n = sizeof defaults / sizeof defaults[0];
    return defaults;
}

static double minimum_of(const struct strata_correlate_options *opt, const char *metric)
{
    size_t n;
    const struct strata_minimum *defaults = strata_default_minimums(&n);
    for (size_t i = opt->n_minimums; i-- > 0;) /* the last one given counts */
        if (!strcmp(opt->minimum[i].metric, metric))
            return opt->minimum[i].above;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(defaults[i].metric, metric))
            return defaults[i].above;
    return -INFINITY;
}

__attribute__((format(printf, 2, 3))) static void warn(struct strata_correlation *c,
                                                       const char *format, ...)
{
    char *sentence = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&sentence, format, args) < 0)
        sentence = NULL;
    va_end(args);
    if (!sentence || !ARRAY_RESERVE(c->warning, c->n_warnings, c->cap_warnings, 1)) {
        free(sentence);
        return;
    }
    c->warning[c->n_warnings++] = sentence;
}

/* ---- labels and groups ---- */

/* "flow:variant", then what sets it apart from others: the GPU, the settings, the seed. */
static char *make_label(const struct strata_prediction *p, bool with_gpu, bool with_settings,
                        bool with_seed)
{
    struct strata_text t = {0};
    strata_text_put(&t, p->model);
    if (p->variant)
        strata_text_printf(&t, ":%s", p->variant);
    if (p->label)
        strata_text_printf(&t, " (%s)", p->label);
    if (with_gpu)
        strata_text_printf(&t, " on %s", p->gpu);
    for (size_t i = 0; with_settings && i < p->n_overrides; i++)
        strata_text_printf(&t, " %s", p->override[i]);
    if (with_seed)
        strata_text_printf(&t, " seed %llu", (unsigned long long)p->seed);
    if (!t.out_of_memory)
        return t.data;
    strata_text_release(&t);
    return NULL;
}

static bool same_settings(const struct strata_prediction *a, const struct strata_prediction *b)
{
    if (a->n_overrides != b->n_overrides)
        return false;
    for (size_t i = 0; i < a->n_overrides; i++)
        if (strcmp(a->override[i], b->override[i]))
            return false;
    return true;
}

static bool same_model(const struct strata_prediction *a, const struct strata_prediction *b)
{
    return !strcmp(a->model, b->model) &&
           !strcmp(a->variant ? a->variant : "", b->variant ? b->variant : "") &&
           !strcmp(a->label ? a->label : "", b->label ? b->label : "") && !strcmp(a->gpu, b->gpu) &&
           a->seed == b->seed && same_settings(a, b);
}

static char *label_of(const struct strata_predictions *set, size_t i)
{
    bool gpu = false, settings = false, seed = false;
    for (size_t j = 0; j < set->n; j++) {
        gpu |= strcmp(set->item[i].gpu, set->item[j].gpu) != 0;
        settings |= !same_settings(&set->item[i], &set->item[j]);
        seed |= set->item[i].seed != set->item[j].seed;
    }
    return make_label(&set->item[i], gpu, settings, seed);
}

/* All results of the predictions that are one model with item `first`. */
static struct strata_result **gather(struct strata_predictions *set, size_t first, size_t *n)
{
    size_t total = 0;
    for (size_t i = first; i < set->n; i++)
        total += same_model(&set->item[first], &set->item[i]) ? set->item[i].n_results : 0;
    struct strata_result **list = calloc(total + 1, sizeof *list);
    *n = 0;
    for (size_t i = first; list && i < set->n; i++)
        for (size_t k = 0;
             same_model(&set->item[first], &set->item[i]) && k < set->item[i].n_results; k++)
            list[(*n)++] = &set->item[i].result[k];
    return list;
}

/* ---- metrics ---- */

static strata_status add_pair(struct strata_metric_error *e, size_t launch, double predicted,
                              double measured, struct strata_error *err)
{
    if (!ARRAY_RESERVE(e->pair, e->n, e->cap_pairs, 1))
        return no_memory(err);
    e->pair[e->n++] = (struct strata_pair){launch, predicted, measured};
    return STRATA_OK;
}

static bool is_too_short(const struct strata_result *r, const struct strata_correlate_options *opt)
{
    double ns;
    return opt->min_time_ns > 0 &&
           (!strata_result_get(r, "gpu__time_duration.sum", &ns) || ns < opt->min_time_ns);
}

/* Another compiler's code is another program: its time says nothing about the model. */
static bool is_other_code(const struct strata_result *measured,
                          const struct strata_result *predicted,
                          const struct strata_correlate_options *opt)
{
    double m, p;
    return opt->same_code_pct > 0 && strata_result_get(measured, "smsp__inst_executed.sum", &m) &&
           strata_result_get(predicted, "smsp__inst_executed.sum", &p) && m > 0 &&
           fabs(p / m - 1) * 100 > opt->same_code_pct;
}

static strata_status collect_pairs(const struct strata_measured *m,
                                   const struct strata_model_errors *model,
                                   struct strata_metric_error *e, struct strata_error *err)
{
    double predicted, measured;
    strata_status status = STRATA_OK;
    for (size_t i = 0; status == STRATA_OK && i < m->n_launches; i++) {
        if (!model->of_launch[i] || !strata_result_get(&m->launch[i], e->metric, &measured) ||
            !strata_result_get(model->of_launch[i], e->metric, &predicted) || !isfinite(predicted))
            continue;
        if (measured > e->above)
            status = add_pair(e, i, predicted, measured, err);
        else
            e->n_below++;
    }
    return status;
}

static bool is_percentage(const char *metric, const char *unit)
{
    return !strcmp(unit, "%") || strstr(metric, "pct") != NULL;
}

/* Adds the metric to the model's table if any launch has it on both sides. */
static strata_status add_metric(const struct strata_measured *m, struct strata_model_errors *model,
                                const struct strata_correlate_options *opt, const char *metric,
                                struct strata_error *err)
{
    const struct strata_metric *known = strata_metric_find(metric);
    struct strata_metric_error e = {.unit = known ? known->unit : "",
                                    .above = minimum_of(opt, metric)};
    e.in_points = is_percentage(metric, e.unit);
    e.metric = strdup(metric);
    strata_status status = e.metric ? collect_pairs(m, model, &e, err) : no_memory(err);
    if (status == STRATA_OK && e.n + e.n_below > 0 &&
        (!strata_metric_error_compute(&e) ||
         !ARRAY_RESERVE(model->metric, model->n_metrics, model->cap_metrics, 1)))
        status = no_memory(err);
    if (status == STRATA_OK && e.n + e.n_below > 0) {
        model->metric[model->n_metrics++] = e;
        return STRATA_OK;
    }
    free(e.pair);
    free(e.metric);
    return status;
}

/* Metrics of our table in its order, then any others in the order of the predictions. */
static strata_status add_all_metrics(const struct strata_measured *m,
                                     struct strata_model_errors *model,
                                     const struct strata_correlate_options *opt,
                                     struct strata_error *err)
{
    size_t n;
    strata_status status = STRATA_OK;
    const struct strata_metric *table = strata_metric_table(&n);
    for (size_t i = 0; status == STRATA_OK && i < n; i++)
        status = add_metric(m, model, opt, table[i].name, err);
    for (size_t i = 0; i < m->n_launches; i++) {
        const struct strata_result *r = model->of_launch[i];
        for (size_t k = 0; r && status == STRATA_OK && k < r->n_counters; k++)
            if (!strata_metric_find(r->counter[k].name) &&
                !strata_model_errors_find(model, r->counter[k].name))
                status = add_metric(m, model, opt, r->counter[k].name, err);
    }
    return status;
}

static bool anyone_has(const struct strata_result *r, size_t n, const char *metric)
{
    for (size_t i = 0; i < n; i++)
        if (strata_result_get(&r[i], metric, NULL))
            return true;
    return false;
}

static strata_status refuse_missing_metric(const struct strata_correlation *c, const char *metric,
                                           struct strata_error *err)
{
    const struct strata_measured *m = c->measured;
    if (!anyone_has(m->launch, m->n_launches, metric))
        return strata_fail(err, STRATA_EFORMAT, m->file, 0, 0,
                           "%s was not measured; choose a metric among the columns of that file.",
                           metric);
    return strata_fail(
        err, STRATA_EFORMAT, NULL, 0, 0,
        "none of the models predicts %s for a measured launch; choose another metric or model.",
        metric);
}

static strata_status add_chosen_metrics(struct strata_correlation *c,
                                        struct strata_model_errors *model,
                                        const struct strata_correlate_options *opt,
                                        struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t i = 0; status == STRATA_OK && i < opt->n_metrics; i++)
        if (!strata_model_errors_find(model, opt->metric[i]))
            status = add_metric(c->measured, model, opt, opt->metric[i], err);
    return status;
}

static strata_status check_chosen_metrics(const struct strata_correlation *c,
                                          const struct strata_correlate_options *opt,
                                          struct strata_error *err)
{
    for (size_t i = 0; i < opt->n_metrics; i++) {
        bool found = false;
        for (size_t k = 0; k < c->n_models; k++)
            found |= strata_model_errors_find(&c->model[k], opt->metric[i]) != NULL;
        if (!found)
            return refuse_missing_metric(c, opt->metric[i], err);
    }
    return STRATA_OK;
}

const struct strata_metric_error *strata_model_errors_find(const struct strata_model_errors *m,
                                                           const char *metric)
{
    for (size_t i = 0; i < m->n_metrics; i++)
        if (!strcmp(m->metric[i].metric, metric))
            return &m->metric[i];
    return NULL;
}

/* ---- models ---- */

static strata_status refuse_nothing_joined(const struct strata_measured *m,
                                           const struct strata_result *p, const char *label,
                                           struct strata_error *err)
{
    if (m->names_traces)
        return strata_fail(
            err, STRATA_EFORMAT, m->file, 0, 0,
            "no measured launch is predicted by %s: the file has %s/%s and the like, the "
            "prediction %s/%s; program and trace must be the same.",
            label, m->launch[0].program, m->launch[0].trace, p->program, p->trace);
    return strata_fail(
        err, STRATA_EFORMAT, m->file, 0, 0,
        "no measured launch is predicted by %s: the file has the kernel %s (grid %ux%ux%u) and the "
        "like, the prediction %s (grid %ux%ux%u).",
        label, m->launch[0].kernel, m->launch[0].grid.x, m->launch[0].grid.y, m->launch[0].grid.z,
        p->kernel, p->grid.x, p->grid.y, p->grid.z);
}

static strata_status add_model(struct strata_correlation *c, struct strata_predictions *set,
                               size_t first, const struct strata_correlate_options *opt,
                               struct strata_error *err)
{
    const struct strata_measured *m = c->measured;
    if (!ARRAY_RESERVE(c->model, c->n_models, c->cap_models, 1))
        return no_memory(err);
    struct strata_model_errors *model = &c->model[c->n_models++];
    *model = (struct strata_model_errors){.label = label_of(set, first)};
    struct strata_result **list = gather(set, first, &model->n_predicted);
    model->of_launch = calloc(m->n_launches + 1, sizeof *model->of_launch);
    if (!model->label || !list || !model->of_launch) {
        free(list);
        return no_memory(err);
    }
    strata_status status = strata_join(m, list, model->n_predicted, model->of_launch, err);
    for (size_t i = 0; i < m->n_launches; i++)
        model->n_joined += model->of_launch[i] != NULL;
    if (status == STRATA_OK && !model->n_predicted)
        status = strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                             "the prediction of %s holds no launch.", model->label);
    else if (status == STRATA_OK && !model->n_joined)
        status = refuse_nothing_joined(m, list[0], model->label, err);
    free(list);
    if (status != STRATA_OK)
        return status;
    if (model->n_joined < m->n_launches || model->n_joined < model->n_predicted)
        warn(c, "%s: %zu launches are predicted and %zu measured; the %zu in both are compared.",
             model->label, model->n_predicted, m->n_launches, model->n_joined);
    size_t n_other = 0;
    for (size_t i = 0; i < m->n_launches; i++) {
        bool other = model->of_launch[i] && is_other_code(&m->launch[i], model->of_launch[i], opt);
        if (model->of_launch[i] && (other || is_too_short(&m->launch[i], opt))) {
            model->of_launch[i] = NULL;
            model->n_joined--;
        }
        n_other += other;
    }
    if (n_other)
        warn(c,
             "%s: %zu launches ran other code than was measured (their instructions differ by more "
             "than %.3g %%) and are left out.",
             model->label, n_other, opt->same_code_pct);
    return opt->n_metrics ? add_chosen_metrics(c, model, opt, err)
                          : add_all_metrics(m, model, opt, err);
}

/* Tells what --min-time leaves. */
static strata_status check_times(struct strata_correlation *c,
                                 const struct strata_correlate_options *opt,
                                 struct strata_error *err)
{
    const struct strata_measured *m = c->measured;
    size_t n_short = 0, n_unknown = 0;
    for (size_t i = 0; i < m->n_launches; i++) {
        double ns;
        bool known = strata_result_get(&m->launch[i], "gpu__time_duration.sum", &ns);
        n_unknown += !known;
        n_short += known && ns < opt->min_time_ns;
    }
    if (n_unknown == m->n_launches)
        return strata_fail(err, STRATA_EFORMAT, m->file, 0, 0,
                           "launches cannot be chosen by time, because gpu__time_duration.sum was "
                           "not measured.");
    if (n_unknown + n_short == m->n_launches)
        return strata_fail(err, STRATA_EFORMAT, m->file, 0, 0,
                           "no launch took as long as %.9g ns; choose a smaller --min-time.",
                           opt->min_time_ns);
    if (n_short)
        warn(c, "%zu of %zu launches took less than %.9g ns and are left out.", n_short,
             m->n_launches, opt->min_time_ns);
    if (n_unknown)
        warn(c, "%zu of %zu launches have no measured time and are left out.", n_unknown,
             m->n_launches);
    return STRATA_OK;
}

/* Letters and digits in lower case, so that "GTX 470" and "gtx470" are one. */
static void put_plain(const char *text, size_t length, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < length && n + 1 < size; i++)
        if (isalnum((unsigned char)text[i]))
            out[n++] = (char)tolower((unsigned char)text[i]);
    out[n] = 0;
}

bool strata_gpu_fits_device(const char *gpu, const char *device)
{
    char card[256], part[256];
    put_plain(device, strlen(device), card, sizeof card);
    for (const char *p = gpu; *p; p += strspn(p, "-_.")) {
        size_t length = strcspn(p, "-_.");
        put_plain(p, length, part, sizeof part);
        if (strlen(part) > 2 && strstr(card, part))
            return true;
        p += length;
    }
    return false;
}

/* Counters of one card say nothing about a prediction for another. */
static strata_status check_cards(struct strata_correlation *c, const struct strata_predictions *set,
                                 bool *fits, struct strata_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++) {
        fits[i] = strata_gpu_fits_device(set->item[i].gpu, c->measured->device);
        n += fits[i];
        if (!fits[i])
            warn(c,
                 "%s on %s is not compared: the counters are those of %s; --any-gpu compares all "
                 "the same.",
                 set->item[i].model, set->item[i].gpu, c->measured->device);
    }
    if (n || !set->n)
        return STRATA_OK;
    return strata_fail(err, STRATA_EMISMATCH, c->measured->file, 0, 0,
                       "the counters are those of %s, and no prediction is for it (%s, say); "
                       "predict for that card, or compare all the same with --any-gpu.",
                       c->measured->device, set->item[0].gpu);
}

static bool is_first_of_its_model(const struct strata_predictions *set, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (same_model(&set->item[j], &set->item[i]))
            return false;
    return true;
}

strata_status strata_correlate(struct strata_measured *measured,
                               struct strata_predictions *predictions,
                               const struct strata_correlate_options *opt,
                               struct strata_correlation *out, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    bool short_of_memory = false;
    memset(out, 0, sizeof *out);
    out->measured = measured;
    for (size_t i = 0; i < measured->n_launches; i++) {
        strata_derive_metrics(&measured->launch[i]);
        short_of_memory |= measured->launch[i].out_of_memory;
    }
    for (size_t i = 0; i < predictions->n; i++)
        for (size_t k = 0; k < predictions->item[i].n_results; k++) {
            strata_derive_metrics(&predictions->item[i].result[k]);
            short_of_memory |= predictions->item[i].result[k].out_of_memory;
        }
    if (short_of_memory)
        status = no_memory(err);
    if (status == STRATA_OK && opt->min_time_ns > 0)
        status = check_times(out, opt, err);
    bool *fits = calloc(predictions->n + 1, sizeof *fits);
    if (!fits)
        status = no_memory(err);
    else
        memset(fits, true, predictions->n);
    if (status == STRATA_OK && measured->device && !opt->any_gpu)
        status = check_cards(out, predictions, fits, err);
    for (size_t i = 0; status == STRATA_OK && i < predictions->n; i++)
        if (fits[i] && is_first_of_its_model(predictions, i))
            status = add_model(out, predictions, i, opt, err);
    free(fits);
    if (status == STRATA_OK)
        status = check_chosen_metrics(out, opt, err);
    if (status != STRATA_OK)
        strata_correlation_release(out);
    return status;
}

void strata_correlation_release(struct strata_correlation *c)
{
    for (size_t i = 0; i < c->n_models; i++) {
        for (size_t k = 0; k < c->model[i].n_metrics; k++) {
            free(c->model[i].metric[k].metric);
            free(c->model[i].metric[k].pair);
        }
        free(c->model[i].metric);
        free(c->model[i].of_launch);
        free(c->model[i].label);
    }
    for (size_t i = 0; i < c->n_warnings; i++)
        free(c->warning[i]);
    free(c->warning);
    free(c->model);
    memset(c, 0, sizeof *c);
}
