/* strata/sweep.h - a model at many points of a GPU's design space.
 *
 * A point is the base GPU with some keys changed. Every point is run for every launch of a set;
 * what comes out is kept in an SQLite file (docs/sweep.md), so that a run killed at any moment goes
 * on where it was. The content of the file and every ranking are the same for any number of threads
 * and of processes. */
#ifndef STRATA_SWEEP_H
#define STRATA_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/predict.h>
#include <strata/prediction.h>
#include <strata/result.h>
#include <strata/status.h>
#include <strata/team.h>

#define STRATA_SWEEP_SCHEMA     "strata.sweep/1"
#define STRATA_SWEEP_MAX_POINTS 10000000

/* ---- the points ---- */

struct strata_sweep;
/* `base` is copied. */
strata_status strata_sweep_create(const struct strata_gpu *base, struct strata_sweep **out,
                                  struct strata_error *err);
void strata_sweep_destroy(struct strata_sweep *s); /* NULL is allowed */
/* Adds an axis, "KEY=VALUES". KEY is a key of the GPU file, or model.SETTING. VALUES are separated
 * by commas (by semicolons where a value is a list itself); FROM..TO, FROM..TO+STEP and
 * FROM..TO*FACTOR stand for all numbers of a range, both ends included. The points are all
 * combinations, the last axis changing fastest. A value the GPU cannot take is no error here: its
 * points fail. */
strata_status strata_sweep_vary(struct strata_sweep *s, const char *words,
                                struct strata_error *err);
/* Adds the points of a text file, one a line: KEY=VALUE words between blanks, # begins a comment.
 * With axes, each line is combined with all their points. */
strata_status strata_sweep_read_points(struct strata_sweep *s, const char *path,
                                       struct strata_error *err);
strata_status strata_sweep_parse_points(struct strata_sweep *s, const char *text, size_t length,
                                        const char *file, struct strata_error *err);
/* 1 (the base GPU) without axes and lines; no more than STRATA_SWEEP_MAX_POINTS. */
size_t strata_sweep_count(const struct strata_sweep *s);
/* "l1.size=16KiB l1.ways=4": the caller frees *text. i < strata_sweep_count. */
strata_status strata_sweep_settings(const struct strata_sweep *s, size_t i, char **text,
                                    struct strata_error *err);

/* ---- several processes ---- */

/* ---- running ---- */

struct strata_sweep_options {
    const struct strata_model *model;
    struct strata_model_options model_options;
    uint32_t jobs;                  /* threads; 0 counts as 1 */
    const char *database;           /* NULL: results are kept in memory only */
    bool retry_failed;              /* points that failed before are run again */
    bool keep_launch_values;        /* results also hold the values of single launches */
    const struct strata_team *team; /* NULL: this process alone */
    /* Called when results were stored, never by two threads at once; NULL: not called. A part is
     * one launch at one point. */
    void (*progress)(void *context, size_t n_parts_done, size_t n_parts);
    void *progress_context;
};

struct strata_sweep_entry {
    char *settings;       /* as strata_sweep_settings */
    char **setting;       /* its value of each key of the sweep; NULL: the base GPU's */
    char config_hash[17]; /* of the effective GPU, the model, its settings, the seed and the tool */
    bool failed;
    char *error;          /* the sentence, if failed */
    double *value;        /* by metric: all launches together; NaN: not known */
    double *launch_value; /* by launch and metric: [launch * n_metrics + metric] */
    uint32_t rank;        /* 1 is best; 0: not ranked (failed, or the metric is not known) */
    bool on_front;        /* no other point is as good in all metrics and better in one */
};

struct strata_sweep_launch {
    char *program, *trace, *kernel;
    uint64_t id;
    char trace_hash[17];
};

struct strata_sweep_goal {
    char *metric;
    bool maximise;
};

struct strata_sweep_results {
    char *tool, *gpu, *model, *variant; /* variant may be NULL */
    uint64_t seed;
    char trace_hash[17]; /* of all launches */
    char **key;          /* that any point changes */
    size_t n_keys;
    char **metric; /* in the order of strata_metric_table */
    size_t n_metrics;
    struct strata_sweep_launch *launch;
    size_t n_launches;
    struct strata_sweep_entry *point; /* in the order of the points */
    size_t n_points, n_failed;
    size_t n_parts,
        n_found; /* launches by points; of these in the file already when the run began */
    struct strata_sweep_goal rank_goal; /* metric NULL: not ranked */
    struct strata_sweep_goal *front_goal;
    size_t n_front_goals;
};

/* Runs what is not in the database yet and reads all points' results. Only process 0 of a team gets
 * results; the others return with n_points = 0. */
strata_status strata_sweep_run(struct strata_sweep *s, const struct strata_launch_set *set,
                               const struct strata_sweep_options *opt,
                               struct strata_sweep_results *out, struct strata_error *err);
void strata_sweep_results_release(struct strata_sweep_results *r);

/* ---- choosing ---- */

/* "METRIC", "METRIC:min" or "METRIC:max"; without, rates of hits and throughputs are maximised and
 * all others minimised. A percentage, average or ratio of a point is the mean over its launches,
 * anything else the sum. STRATA_EUSAGE if no point knows the metric. */
strata_status strata_sweep_rank(struct strata_sweep_results *r, const char *goal,
                                struct strata_error *err);
/* "METRIC,METRIC...", each with :min or :max as above; at least two. */
strata_status strata_sweep_front(struct strata_sweep_results *r, const char *goals,
                                 struct strata_error *err);

struct strata_sweep_print_options {
    const char *const
        *metric; /* only these; n_metrics = 0: the goals' and a few more in text, else all */
    size_t n_metrics;
    size_t top;       /* only the first so many of the ranking; 0: all */
    bool front_only;  /* only points on the front */
    bool each_launch; /* CSV and JSON also give the values of single launches */
};
/* Best first if ranked. *text is freed by the caller. */
strata_status strata_sweep_print(const struct strata_sweep_results *r, enum strata_format format,
                                 const struct strata_sweep_print_options *opt, char **text,
                                 size_t *length, struct strata_error *err);

#endif
