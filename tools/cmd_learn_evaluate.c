/* cmd_learn_evaluate.c - strata learn evaluate|rank: models against the timed L1, and caches by
 * what a model says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "learn_option.h"
#include "output.h"
#include "print.h"

enum { MOST_MODELS = 8 };

struct evaluated {
    char name[64];
    struct strata_learn_model *model;
    struct strata_learn_evaluation result;
};

struct evaluate_arguments {
    struct profile_arguments profile;
    struct option_list model;
    enum format format;
    const char *output;
    double most_miss, most_merge, least_r2, least_spearman;
    bool caches;
};

/* ---- tables ---- */

static void number(FILE *f, double x)
{
    if (isnan(x))
        fputs("        -", f);
    else
        fprintf(f, " %8.4f", x);
}

static void text_summary(FILE *f, const struct evaluated *e, size_t n)
{
    fprintf(f, "%-10s %8s %8s %8s %8s %8s %8s %8s\n", "model", "miss", "merge", "R2 miss",
            "R2 merge", "R2 both", "Spearman", "all");
    for (size_t i = 0; i < n; i++) {
        const struct strata_learn_evaluation *r = &e[i].result;
        const double row[] = {r->miss_mae, r->merge_mae, r->miss_r2,     r->merge_r2,
                              r->r2,       r->spearman,  r->spearman_all};
        fprintf(f, "%-10s", e[i].name);
        for (size_t k = 0; k < sizeof row / sizeof row[0]; k++)
            number(f, row[k]);
        fputc('\n', f);
    }
    const struct strata_learn_evaluation *r = &e->result;
    fprintf(f,
            "miss, merge: mean absolute error over %zu launches and %zu caches. Spearman: mean "
            "rank correlation of the miss rate over\n"
            "%zu caches on the launches that tell any of them apart, which are %zu; all: over all "
            "caches, on %zu.\n",
            r->n_launches, r->n_caches, r->n_ranked, r->n_ordered, r->n_ordered_all);
}

static void text_launches(FILE *f, const struct evaluated *e, size_t n)
{
    fprintf(f, "\n%-36s", "launch (-: all caches alike)");
    for (size_t i = 0; i < n; i++)
        fprintf(f, " | %-35s", e[i].name);
    fprintf(f, "\n%-36s", "");
    for (size_t i = 0; i < n; i++)
        fprintf(f, " |     miss    merge Spearman      all");
    fputc('\n', f);
    for (size_t l = 0; l < e->result.n_launches; l++) {
        fprintf(f, "%-36s", e->result.name[l]);
        for (size_t i = 0; i < n; i++) {
            const struct strata_learn_score *s = &e[i].result.score[l];
            fputs(" |", f);
            number(f, s->miss_mae);
            number(f, s->merge_mae);
            number(f, s->spearman);
            number(f, s->spearman_all);
        }
        fputc('\n', f);
    }
}

/* Figure 10: by cache, over all launches. */
static void text_caches(FILE *f, const struct evaluated *e, size_t n)
{
    fprintf(f, "\n%6s %5s %5s", "lines", "sets", "ways");
    for (size_t i = 0; i < n; i++)
        fprintf(f, " | %-17s", e[i].name);
    fputc('\n', f);
    for (size_t c = 0; c < e->result.n_caches; c++) {
        struct strata_learn_cache cache = e->result.cache[c];
        fprintf(f, "%6u %5u %5u", cache.lines, cache.lines / cache.ways, cache.ways);
        for (size_t i = 0; i < n; i++) {
            const struct strata_learn_evaluation *r = &e[i].result;
            double miss = 0, merge = 0;
            for (size_t l = 0; l < r->n_launches; l++) {
                size_t at = l * r->n_caches + c;
                miss += fabs(r->truth[at].miss - r->predicted[at].miss) / (double)r->n_launches;
                merge += fabs(r->truth[at].merge - r->predicted[at].merge) / (double)r->n_launches;
            }
            fputs(" |", f);
            number(f, miss);
            number(f, merge);
        }
        fputc('\n', f);
    }
}

static void csv_number(FILE *f, double x)
{
    fputc(',', f);
    if (!isnan(x))
        fprintf(f, "%.6g", x);
}

static void print_csv(FILE *f, const struct evaluated *e, size_t n)
{
    fprintf(f, "model,launch,lines,ways,miss_true,miss_predicted,merge_true,merge_predicted\n");
    for (size_t i = 0; i < n; i++)
        for (size_t at = 0; at < e[i].result.n_launches * e[i].result.n_caches; at++) {
            const struct strata_learn_evaluation *r = &e[i].result;
            print_csv_field(f, e[i].name);
            fputc(',', f);
            print_csv_field(f, r->name[at / r->n_caches]);
            fprintf(f, ",%u,%u", r->cache[at % r->n_caches].lines, r->cache[at % r->n_caches].ways);
            csv_number(f, r->truth[at].miss);
            csv_number(f, r->predicted[at].miss);
            csv_number(f, r->truth[at].merge);
            csv_number(f, r->predicted[at].merge);
            fputc('\n', f);
        }
}

static void json_number(FILE *f, const char *key, double x, bool more)
{
    fprintf(f, "\"%s\": ", key);
    if (isnan(x))
        fputs("null", f);
    else
        fprintf(f, "%.6g", x);
    fputs(more ? ", " : "", f);
}

static void print_json(FILE *f, const struct evaluated *e, size_t n)
{
    fprintf(f, "{\"schema\": \"strata.learn-evaluation/1\", \"models\": [");
    for (size_t i = 0; i < n; i++) {
        const struct strata_learn_evaluation *r = &e[i].result;
        fprintf(f, "%s\n  {\"model\": ", i ? "," : "");
        print_json_string(f, e[i].name);
        fprintf(f, ", \"launches\": %zu, \"caches\": %zu, ", r->n_launches, r->n_caches);
        json_number(f, "miss_mae", r->miss_mae, true);
        json_number(f, "merge_mae", r->merge_mae, true);
        json_number(f, "r2", r->r2, true);
        json_number(f, "miss_r2", r->miss_r2, true);
        json_number(f, "merge_r2", r->merge_r2, true);
        json_number(f, "spearman", r->spearman, true);
        json_number(f, "spearman_all", r->spearman_all, true);
        fprintf(f, "\"ranked_launches\": %zu, \"ranked_launches_all\": %zu, ", r->n_ordered,
                r->n_ordered_all);
        fprintf(f, "\"by_launch\": [");
        for (size_t l = 0; l < r->n_launches; l++) {
            fprintf(f, "%s\n    {\"launch\": ", l ? "," : "");
            print_json_string(f, r->name[l]);
            fputs(", ", f);
            json_number(f, "miss_mae", r->score[l].miss_mae, true);
            json_number(f, "merge_mae", r->score[l].merge_mae, true);
            json_number(f, "spearman", r->score[l].spearman, true);
            json_number(f, "spearman_all", r->score[l].spearman_all, false);
            fputc('}', f);
        }
        fprintf(f, "]}");
    }
    fprintf(f, "\n]}\n");
}

/* ---- running ---- */

static strata_status check_limits(const struct evaluate_arguments *a,
                                  const struct strata_learn_evaluation *r, struct strata_error *err)
{
    if (a->most_miss > 0 && !(r->miss_mae <= a->most_miss))
        return strata_fail(err, STRATA_EMISMATCH, NULL, 0, 0,
                           "The error of the miss rate is %.4f, above %g.", r->miss_mae,
                           a->most_miss);
    if (a->most_merge > 0 && !(r->merge_mae <= a->most_merge))
        return strata_fail(err, STRATA_EMISMATCH, NULL, 0, 0,
                           "The error of the merge rate is %.4f, above %g.", r->merge_mae,
                           a->most_merge);
    if (a->least_r2 > 0 && !(r->r2 >= a->least_r2))
        return strata_fail(err, STRATA_EMISMATCH, NULL, 0, 0, "R squared is %.4f, below %g.", r->r2,
                           a->least_r2);
    if (a->least_spearman > 0 && !(r->spearman >= a->least_spearman))
        return strata_fail(err, STRATA_EMISMATCH, NULL, 0, 0,
                           "Spearman's coefficient is %.4f, below %g.", r->spearman,
                           a->least_spearman);
    return STRATA_OK;
}

static strata_status evaluate_models(const struct evaluate_arguments *a,
                                     const struct strata_learn_set *set, struct evaluated *e,
                                     size_t *n, struct strata_error *err)
{
    static const char *preset = "default";
    size_t n_models = a->model.n ? a->model.n : 1;
    strata_status st = STRATA_OK;
    if (n_models > MOST_MODELS)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "At most %d models are compared at once.", MOST_MODELS);
    for (*n = 0; *n < n_models && st == STRATA_OK; ++*n) {
        const char *name = a->model.n ? a->model.item[*n] : preset, *base = strrchr(name, '/');
        snprintf(e[*n].name, sizeof e[*n].name, "%s", base ? base + 1 : name);
        char *dot = strrchr(e[*n].name, '.');
        if (dot)
            *dot = 0;
        st = load_model(name, &e[*n].model, err);
        if (st == STRATA_OK)
            st = strata_learn_evaluate(e[*n].model, set, &e[*n].result, err);
    }
    return st;
}

static strata_status print_results(const struct evaluate_arguments *a, enum format format,
                                   const struct evaluated *e, size_t n, struct strata_error *err)
{
    struct output out;
    strata_status st = output_open(&out, a->output, err);
    if (st != STRATA_OK)
        return st;
    if (format == FORMAT_CSV)
        print_csv(out.stream, e, n);
    else if (format == FORMAT_JSON)
        print_json(out.stream, e, n);
    else {
        text_summary(out.stream, e, n);
        text_launches(out.stream, e, n);
        if (a->caches)
            text_caches(out.stream, e, n);
    }
    return output_commit(&out, err);
}

static strata_status evaluate(void *context, char **paths, int n_paths, struct strata_error *err)
{
    const struct evaluate_arguments *a = context;
    struct evaluated e[MOST_MODELS];
    struct strata_learn_set set = {0};
    size_t n = 0;
    memset(e, 0, sizeof e);
    strata_status st = profile_traces(&a->profile, paths, n_paths, true, &set, err);
    if (st == STRATA_OK)
        st = evaluate_models(a, &set, e, &n, err);
    if (st == STRATA_OK)
        st = print_results(a, a->format, e, n, err);
    if (st == STRATA_OK)
        st = check_limits(a, &e[0].result, err);
    for (size_t i = 0; i < MOST_MODELS; i++) {
        strata_learn_evaluation_release(&e[i].result);
        strata_learn_model_destroy(e[i].model);
    }
    strata_learn_set_release(&set);
    return st;
}

int learn_evaluate(int argc, char **argv)
{
    struct evaluate_arguments a = {.profile = PROFILE_ARGUMENTS};
    const struct option options[] = {
        {'m', "model", OPTION_LIST, &a.model, "MODEL",
         "default, sdcm, ppt or a file; several stand side by side"},
        {0, "caches", OPTION_FLAG, &a.caches, NULL, "also the errors by cache"},
        {0, "most-miss-error", OPTION_DOUBLE, &a.most_miss, "X",
         "exit 1 if the first model's error is larger"},
        {0, "most-merge-error", OPTION_DOUBLE, &a.most_merge, "X", "the same for the merge rate"},
        {0, "least-r2", OPTION_DOUBLE, &a.least_r2, "X", "exit 1 if R squared is smaller"},
        {0, "least-spearman", OPTION_DOUBLE, &a.least_spearman, "X",
         "exit 1 if the mean rank correlation is smaller"},
        PROFILE_OPTIONS(a.profile),
        {'f', "format", OPTION_FORMAT, &a.format, "FORMAT", "text (default), csv or json"},
        OUTPUT_OPTION(a.output),
    };
    const struct command_syntax syntax = {
        .name = "learn evaluate",
        .arguments = "TRACE...|PROFILES.learn...",
        .summary = "Models against the timed L1 on launches they were not trained on.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .needs = "a trace or profiles",
        .run = evaluate,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}

/* ---- rank ---- */

struct rank_arguments {
    struct profile_arguments profile;
    struct option_list cache;
    enum format format;
    const char *model, *output;
};

struct ranked {
    struct strata_learn_cache cache;
    struct strata_learn_rates rates;
    bool in_range;
};

static int by_misses(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->rates.miss != y->rates.miss)
        return x->rates.miss < y->rates.miss ? -1 : 1;
    return x->cache.lines != y->cache.lines
               ? (x->cache.lines < y->cache.lines ? -1 : 1)
               : (x->cache.ways > y->cache.ways) - (x->cache.ways < y->cache.ways);
}

static strata_status choose_caches(const struct option_list *given, struct ranked **out, size_t *n,
                                   struct strata_error *err)
{
    size_t ranked;
    const struct strata_learn_cache *known = strata_learn_caches(n, &ranked);
    *n = given->n ? given->n : ranked;
    *out = calloc(*n, sizeof **out);
    if (!*out)
        return strata_no_memory(err, NULL, NULL);
    for (size_t i = 0; i < *n; i++) {
        struct strata_learn_cache *c = &(*out)[i].cache;
        if (!given->n)
            *c = known[i];
        else if (!parse_pair(given->item[i], &c->lines, &c->ways))
            return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                               "--cache takes lines and ways, such as 1024,4; not \"%s\".",
                               given->item[i]);
    }
    return STRATA_OK;
}

static void print_ranks(FILE *f, enum format format, const char *launch, const struct ranked *r,
                        size_t n, bool first)
{
    if (format == FORMAT_TEXT)
        fprintf(f, "%s\n  %4s %6s %5s %5s %8s %8s\n", launch, "rank", "lines", "sets", "ways",
                "miss", "merge");
    else if (format == FORMAT_CSV && first)
        fprintf(f, "launch,rank,lines,ways,miss,merge,extrapolated\n");
    else if (format == FORMAT_JSON)
        fprintf(f, "%s\n  {\"launch\": \"%s\", \"ranks\": [", first ? "" : ",", launch);
    for (size_t i = 0, place = 1; i < n; i++) {
        struct strata_learn_cache c = r[i].cache;
        if (i && r[i].rates.miss !=
                     r[i - 1].rates.miss) /* equals share a rank; the smallest comes first */
            place = i + 1;
        if (format == FORMAT_TEXT) {
            fprintf(f, "  %4zu %6u %5u %5u", place, c.lines, c.lines / c.ways, c.ways);
            number(f, r[i].rates.miss);
            number(f, r[i].rates.merge);
            fputs(r[i].in_range ? "\n" : "  extrapolated\n", f);
        } else if (format == FORMAT_CSV) {
            print_csv_field(f, launch);
            fprintf(f, ",%zu,%u,%u", place, c.lines, c.ways);
            csv_number(f, r[i].rates.miss);
            csv_number(f, r[i].rates.merge);
            fprintf(f, ",%d\n", !r[i].in_range);
        } else {
            fprintf(f, "%s{\"rank\": %zu, \"lines\": %u, \"ways\": %u, ", i ? ", " : "", place,
                    c.lines, c.ways);
            json_number(f, "miss", r[i].rates.miss, true);
            json_number(f, "merge", r[i].rates.merge, true);
            fprintf(f, "\"extrapolated\": %s}", r[i].in_range ? "false" : "true");
        }
    }
    fputs(format == FORMAT_JSON ? "]}" : "", f);
}

static strata_status rank_all(const struct strata_learn_set *set, struct strata_learn_model *m,
                              struct ranked *r, size_t n, enum format format, FILE *f,
                              struct strata_error *err)
{
    strata_status st = STRATA_OK;
    bool first = true;
    fputs(format == FORMAT_JSON ? "{\"schema\": \"strata.learn-rank/1\", \"launches\": [" : "", f);
    for (size_t i = 0; i < set->n_samples && st == STRATA_OK; i++) {
        if (!set->sample[i].n_intervals)
            continue;
        for (size_t k = 0; k < n && st == STRATA_OK; k++) {
            st = strata_learn_predict_sample(m, &set->sample[i], &r[k].cache, &r[k].rates, err);
            r[k].in_range = strata_learn_in_range(m, &r[k].cache);
        }
        qsort(r, n, sizeof *r, by_misses);
        if (st == STRATA_OK)
            print_ranks(f, format, set->sample[i].name, r, n, first);
        first = false;
    }
    fputs(format == FORMAT_JSON ? "\n]}\n" : "", f);
    return st;
}

static strata_status rank(void *context, char **paths, int n_paths, struct strata_error *err)
{
    const struct rank_arguments *a = context;
    struct strata_learn_set set = {0};
    struct strata_learn_model *m = NULL;
    struct ranked *r = NULL;
    struct output out;
    size_t n;
    strata_status st = choose_caches(&a->cache, &r, &n, err);
    if (st == STRATA_OK)
        st = load_model(a->model, &m, err);
    if (st == STRATA_OK)
        st = profile_traces(&a->profile, paths, n_paths, false, &set, err);
    if (st == STRATA_OK && (st = output_open(&out, a->output, err)) == STRATA_OK) {
        st = rank_all(&set, m, r, n, a->format, out.stream, err);
        if (st == STRATA_OK)
            st = output_commit(&out, err);
        else
            output_discard(&out);
    }
    free(r);
    strata_learn_model_destroy(m);
    strata_learn_set_release(&set);
    return st;
}

int learn_rank(int argc, char **argv)
{
    struct rank_arguments a = {.profile = PROFILE_ARGUMENTS, .model = "default"};
    const struct option options[] = {
        {'m', "model", OPTION_STRING, &a.model, "MODEL", "default, sdcm, ppt or a file"},
        {0, "cache", OPTION_LIST, &a.cache, "LINES,WAYS",
         "a cache to rank; several (default: ten of 128 to 1024 lines)"},
        PROFILE_OPTIONS(a.profile),
        {'f', "format", OPTION_FORMAT, &a.format, "FORMAT", "text (default), csv or json"},
        OUTPUT_OPTION(a.output),
    };
    const struct command_syntax syntax = {
        .name = "learn rank",
        .arguments = "TRACE...|PROFILES.learn...",
        .summary = "Cache configurations of every launch in order of their predicted miss rates.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .needs = "a trace or profiles",
        .run = rank,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
