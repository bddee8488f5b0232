/* strata/correlate.h - predictions against measured counters: joining, errors, and where they part.
 *
 * Errors of percentages (hit rates, occupancy) are in points, |predicted - measured|. All others
 * are also given relative to the measured value, in percent; a launch whose measured value is 0
 * counts there as 0 % if the prediction is 0 too, and is left out (n_relative < n) if it is not. */
#ifndef STRATA_CORRELATE_H
#define STRATA_CORRELATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/prediction.h>
#include <strata/result.h>
#include <strata/status.h>

/* ---- measured counters ---- */

struct strata_measured {
    char *file;
    const char *layout; /* "table", "Nsight Compute raw page", "Nsight Compute details page" */
    char *device;       /* the card as the file names it ("NVIDIA H200"); NULL: it does not */
    bool names_traces;  /* launches carry (program, trace); else kernel, grid and block */
    struct strata_result *launch; /* in file order; kernel and program may be "" */
    size_t n_launches, cap_launches;
    uint32_t *line; /* where each launch was first named */
    size_t cap_lines;
    char **warning;
    size_t n_warnings, cap_warnings;
    /* After strata_measured_repeat: by launch, the least and the most of every counter that was
     * measured again, in n_runs runs together. Else NULL and 0. */
    struct strata_result *least, *most;
    size_t n_runs;
};
/* A wide table with the columns program, trace and metric names, or what `ncu --csv` prints, with
 * --page raw or without. Units are converted to those of strata_metric_find. */
strata_status strata_measured_load(struct strata_measured *m, const char *path,
                                   struct strata_error *err);
strata_status strata_measured_parse(struct strata_measured *m, const char *data, size_t length,
                                    const char *file, struct strata_error *err);
void strata_measured_release(struct strata_measured *m);
/* Another measurement of the same launches: widens the spread of m. Launches are those of the same
 * program and trace; on the profiler's pages those at the same place with the same kernel, grid and
 * block. Derived metrics are added to both. */
strata_status strata_measured_repeat(struct strata_measured *m, struct strata_measured *again,
                                     struct strata_error *err);

/* ---- comparison ---- */

struct strata_pair {
    size_t measured_launch; /* index into strata_measured.launch */
    double predicted, measured;
};

enum { STRATA_WORST = 5 };

/* One metric of one model. Statistics that do not exist (a correlation of one point) are NaN. */
struct strata_metric_error {
    char *metric;
    const char *unit; /* "" if the metric is not in our table */
    bool in_points;   /* a percentage: absolute errors are points and there are no relative ones */
    size_t n, n_exact, n_relative;
    size_t n_below; /* launches left out because the measured value is not above the threshold */
    double above;   /* that threshold; -infinity if there is none */
    double mean_absolute, median_absolute, worst_absolute;
    double mean_relative_pct, median_relative_pct, worst_relative_pct;
    double
        bias; /* mean of predicted - measured (points) or of predicted / measured - 1 (percent) */
    double pearson;
    double log_pearson; /* of the logarithms; only if all values are positive */
    struct strata_pair *pair;
    size_t cap_pairs;
    size_t worst[STRATA_WORST]; /* indices into pair, worst first */
    size_t n_worst;
};
/* The mean error people quote: points for percentages, percent for all others. */
double strata_metric_error_mean(const struct strata_metric_error *e);
double strata_metric_error_median(const struct strata_metric_error *e);
/* Of one pair, the same way; NaN where it does not exist. */
double strata_pair_error(const struct strata_metric_error *e, const struct strata_pair *p);

struct strata_model_errors {
    char *label; /* "flow", or "flow on h200 l1.size=96KiB" where that is needed */
    struct strata_result **of_launch; /* prediction of each measured launch, NULL: none; borrowed */
    size_t n_predicted, n_joined;
    struct strata_metric_error *metric;
    size_t n_metrics, cap_metrics;
};

struct strata_correlation {
    const struct strata_measured *measured; /* borrowed */
    struct strata_model_errors *model;
    size_t n_models, cap_models;
    char **warning;
    size_t n_warnings, cap_warnings;
};

/* A launch takes part in a metric only if its measured value is above this. */
struct strata_minimum {
    const char *metric;
    double above;
};
/* The defaults: counters whose small values say nothing about the model. */
const struct strata_minimum *strata_default_minimums(size_t *n);

struct strata_correlate_options {
    const char *const *metric; /* only these; n_metrics = 0: all that both sides know */
    size_t n_metrics;
    const struct strata_minimum *minimum; /* before the defaults */
    size_t n_minimums;
    double
        min_time_ns; /* only launches measured to take as long (gpu__time_duration.sum); 0: all */
    double same_code_pct; /* only launches whose instructions differ by no more from the measured;
                             0: all */
    bool any_gpu; /* compare also predictions for another card than the one the file names */
};
/* Whether the GPU's name ("h200", "titanv-new") can stand for the card a profiler names. */
bool strata_gpu_fits_device(const char *gpu, const char *device);

/* Joins each prediction with the measured launches and computes the errors. Predictions of the same
 * model, GPU and settings count as one. Derived metrics are added to both sides, which is why they
 * are not const; both must outlive *out. */
strata_status strata_correlate(struct strata_measured *measured,
                               struct strata_predictions *predictions,
                               const struct strata_correlate_options *opt,
                               struct strata_correlation *out, struct strata_error *err);
void strata_correlation_release(struct strata_correlation *c);
const struct strata_metric_error *strata_model_errors_find(const struct strata_model_errors *m,
                                                           const char *metric);

/* All metrics with errors, correlations and worst launches. *text is freed by the caller. */
strata_status strata_correlation_print(const struct strata_correlation *c,
                                       enum strata_format format, char **text, size_t *length,
                                       struct strata_error *err);
/* The handful of metrics that tell how good a model is. */
strata_status strata_correlation_print_summary(const struct strata_correlation *c,
                                               enum strata_format format, char **text,
                                               size_t *length, struct strata_error *err);
/* One table, metric by model: mean error and correlation, beside what papers have published of
 * theirs. */
strata_status strata_correlation_print_table(const struct strata_correlation *c,
                                             enum strata_format format, char **text, size_t *length,
                                             struct strata_error *err);
/* One launch level by level, and where prediction and measurement part. `launch` is
 * "program/trace", or any part of that or of the kernel's name that fits exactly one launch. */
strata_status strata_correlation_explain(const struct strata_correlation *c, const char *launch,
                                         enum strata_format format, char **text, size_t *length,
                                         struct strata_error *err);

/* ---- published figures ---- */

struct strata_published {
    const char *model;  /* short: heads a column */
    const char *source; /* where it stands, and of what */
    const char *metric;
    const char *unit; /* of the error, "%" or "points" */
    double mean_error;
    double correlation; /* NaN: not published */
};
const struct strata_published *strata_published_table(size_t *n);

/* ---- a store of predictions and measurements ---- */

/* An SQLite file (schema strata.results/1, docs/results-store.md). Needs libsqlite3 at build time,
 * else STRATA_EUNSUPPORTED. */
struct strata_result_store;
strata_status strata_result_store_open(const char *path, struct strata_result_store **out,
                                       struct strata_error *err);
void strata_result_store_close(struct strata_result_store *s); /* NULL is allowed */
/* A measurement is known by its file's name: adding it again replaces it. */
strata_status strata_result_store_add_measured(struct strata_result_store *s,
                                               const struct strata_measured *m,
                                               struct strata_error *err);
/* A launch predicted by the same model with the same settings and label is replaced. `label` may be
 * NULL. */
strata_status strata_result_store_add_predictions(struct strata_result_store *s,
                                                  const struct strata_predictions *set,
                                                  const char *label, struct strata_error *err);
/* Everything: both are initialised here and released by the caller. Measurements that name programs
 * and traces are read as one; `name` chooses a measurement (NULL: all, or the only one). */
strata_status strata_result_store_load(struct strata_result_store *s, const char *name,
                                       struct strata_measured *m, struct strata_predictions *set,
                                       struct strata_error *err);

#endif
