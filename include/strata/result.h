/* strata/result.h - what a model says about a launch, in Nsight Compute's words.
 *
 * Counters are (metric name, value) pairs; names and definitions are Nsight
 * Compute's where one exists and "strata__..." otherwise. A model leaves out
 * what it does not know: a missing metric is unknown, never zero. Details are
 * further numbers or words under dotted paths ("miss_kinds.compulsory"), which
 * the JSON writer nests. */
#ifndef STRATA_RESULT_H
#define STRATA_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <strata/gpu.h>
#include <strata/status.h>
#include <strata/trace.h>

struct strata_counter {
    char *name;
    double value;
};

struct strata_detail {
    char *path;
    bool is_text;
    double value;
    char *text;
};

struct strata_result {
    char *program, *trace, *kernel; /* copies, owned */
    uint64_t id;
    struct strata_dim3 grid, block;
    struct strata_counter *counter;
    size_t n_counters, cap_counters;
    struct strata_detail *detail;
    size_t n_details, cap_details;
    char **warning; /* one sentence each */
    size_t n_warnings, cap_warnings;
    bool out_of_memory; /* set by any of the adders; checked once by the caller */
};

strata_status strata_result_init(struct strata_result *r, const struct strata_launch *launch,
                                 struct strata_error *err);
void strata_result_release(struct strata_result *r);
/* Sets or replaces; order of first setting is kept. */
void strata_result_set(struct strata_result *r, const char *metric, double value);
bool strata_result_get(const struct strata_result *r, const char *metric, double *value);
void strata_result_detail(struct strata_result *r, const char *path, double value);
void strata_result_detail_text(struct strata_result *r, const char *path, const char *text);
void strata_result_warn(struct strata_result *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Unit and definition of a metric; NULL if the name is not known. */
struct strata_metric {
    const char *name, *unit, *definition;
    const char *aggregation; /* how the units of the GPU are put together */
};
const struct strata_metric *strata_metric_find(const char *name);
const struct strata_metric *strata_metric_table(size_t *n);

/* ---- models ---- */

struct strata_model_options {
    uint64_t seed;       /* 1 */
    uint32_t threads;    /* 1; never changes a result */
    const char *variant; /* NULL: the model's default */
    /* "key=value" words a model understands besides the GPU file (NULL-terminated or NULL) */
    const char *const *settings;
};

struct strata_model {
    const char *name, *summary;
    /* Reads the launch's blocks from `reader` and fills *out, which is initialised. */
    strata_status (*run)(const struct strata_gpu *gpu, struct strata_reader *reader,
                         const struct strata_model_options *opt, struct strata_result *out,
                         struct strata_error *err);
};

/* NULL if there is no such model. */
const struct strata_model *strata_model_find(const char *name);
const struct strata_model *const *strata_model_table(size_t *n);

#endif
