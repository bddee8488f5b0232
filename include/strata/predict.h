/* strata/predict.h - runs a model over many launches, several at a time.
 *
 * The result does not depend on the number of threads: each launch has a reader and a model run of
 * its own, and results are kept in the order of the inputs. */
#ifndef STRATA_PREDICT_H
#define STRATA_PREDICT_H

#include <stddef.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/prediction.h>
#include <strata/result.h>
#include <strata/status.h>
#include <strata/team.h>
#include <strata/trace.h>

/* ---- what to run on ---- */

/* The launches of a number of traces; traces stay open until _release. */
struct strata_launch_set {
    struct strata_trace **trace;
    size_t n_traces, cap_traces;
    struct strata_launch_ref {
        struct strata_trace *trace;
        size_t index; /* for strata_trace_launch and strata_reader_open */
    } * launch;
    size_t n_launches, cap_launches;
};
/* Which launches of a trace to take; NULL takes all. Called for each launch in order, from 0 with
 * every new trace. */
typedef bool (*strata_launch_choice)(void *context, const struct strata_launch *launch,
                                     size_t index);

/* Opens `path` and adds its launches. A folder that is no trace itself but holds traces (program
 * folders, .strata files) adds all of them, by name. `opt` may be NULL. */
strata_status strata_launch_set_add(struct strata_launch_set *set, const char *path,
                                    const struct strata_trace_options *opt,
                                    strata_launch_choice choose, void *context,
                                    struct strata_error *err);
void strata_launch_set_release(struct strata_launch_set *set);

/* ---- profiles kept in a file ---- */

/* Of a model that has them (strata_model_profiled): launches whose profile is there are not read
 * again. A launch is known by program, trace, id, kernel and shape; what else a profile depends on
 * (the GPU's caches, say) must be the same too. JSON, see docs/interval-model.md. */
struct strata_profiles;
/* A file that does not exist holds none. */
strata_status strata_profiles_load(const struct strata_model *model, const char *path,
                                   struct strata_profiles **out, struct strata_error *err);
size_t strata_profiles_added(const struct strata_profiles *p); /* since then */
strata_status strata_profiles_save(struct strata_profiles *p, const char *path,
                                   struct strata_error *err);
void strata_profiles_destroy(struct strata_profiles *p); /* NULL is allowed */

/* ---- running ---- */

struct strata_predict_options {
    const struct strata_model *model;
    struct strata_model_options model_options;
    uint32_t jobs;   /* threads over launches; 0 counts as 1 */
    bool failed_too; /* also launches whose kernel failed; else they are an error */
    /* Launches of one trace begin with what those before them left in the caches, copies and fills
     * between them included, launches that are left out not; else each begins cold. Traces still go
     * side by side. Only for a model that keeps_state. */
    bool keep_caches;
    /* Each launch is run twice and the second time counts: as a program that repeats one launch, or
     * a tuner that times it, finds the caches. Launches do not follow one another then. */
    bool repeat_launches;
    /* The processes that share the work, NULL: this one alone. Only process 0 gets results; the
     * others return with none. What a process has been given and does not answer for is done again.
     */
    struct strata_team *team;
    struct strata_profiles *profiles; /* of this model: used and added to; NULL: none are kept */
    /* Called after each launch, never by two threads at once; NULL: not called. */
    void (*progress)(void *context, size_t n_done, size_t n_launches, uint64_t warp_instructions);
    void *progress_context;
    /* NULL, or looked at before each launch: once it is not 0 no more are begun, and strata_predict
     * fails with STRATA_ELIMIT. Any thread may set it. */
    const volatile int32_t *stop;
    /* NULL, or given each result, by the number of its launch in the set and in that order, as soon
     * as those before it have been given; never by two threads at once, but by any of them. What is
     * left of a result afterwards is released. If it fails no more launches are begun, and its
     * error is that of strata_predict. Memory then does not grow with launches: those that wait for
     * one before them are in a temporary file. */
    strata_status (*take)(void *context, size_t launch, struct strata_result *result,
                          struct strata_error *err);
    void *take_context;
};

/* Adds a result for each launch of the set to *out (initialised), in the order of the set; none
 * with opt->take. If launches fail, the error is that of the first one in that order. */
strata_status strata_predict(const struct strata_launch_set *set, const struct strata_gpu *gpu,
                             const struct strata_predict_options *opt,
                             struct strata_prediction *out, struct strata_error *err);

#endif
