/* strata/learn.h - the learned model: cache behaviour from reuse profiles (paper 003).
 *
 * A stream of line accesses is cut into intervals; each interval has a profile of
 * its reuse distances. A trained model says from a profile and a cache's geometry
 * which share of the accesses misses and which merges with a miss on its way.
 * Training data is synthetic; its labels come from a timed L1 that is defined in
 * docs/learn.md. */
#ifndef STRATA_LEARN_H
#define STRATA_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>
#include <strata/trace.h>

/* A cache with LRU replacement. */
struct strata_learn_cache {
    uint32_t lines, ways; /* ways divide lines */
};
/* STRATA_ECONFIG unless 1 <= ways <= lines <= 2^20 and ways divide lines. */
strata_status strata_learn_cache_check(const struct strata_learn_cache *cache,
                                       struct strata_error *err);

/* The timed L1: one access a cycle, misses take so long, at most so many lines on their way. */
struct strata_learn_timing {
    uint32_t latency_cycles; /* 256: an L2 hit of a recent GPU */
    uint32_t mshrs;          /* 256; 0: no limit */
};
#define STRATA_LEARN_TIMING                                                                        \
    {                                                                                              \
        .latency_cycles = 256, .mshrs = 256                                                        \
    }

/* What it did. Misses and merges are apart: an access is a hit, a merge or a miss. */
struct strata_learn_counts {
    uint64_t accesses, misses, merges;
};

/* ---- profiles ---- */

enum {
    STRATA_LEARN_BUCKETS =
        57,                  /* distances 0 to 7, then four an octave up to 32767, then the rest */
    STRATA_LEARN_SIZES = 32, /* caches of 2^(k/2) lines, k = 0 .. 31 */
};

/* What an interval of a stream of accesses is to a model. Shares are of its accesses. */
struct strata_learn_interval {
    uint32_t accesses;
    uint32_t peaks;                    /* N: of the histogram of distances */
    uint32_t max_distance;             /* MaxRD */
    float cold;                        /* first accesses */
    float share[STRATA_LEARN_BUCKETS]; /* by reuse distance */
    /* The profile with time: a fully associative LRU cache of each size misses on so many accesses,
     * and on so many it finds the line on its way. */
    float miss[STRATA_LEARN_SIZES], merge[STRATA_LEARN_SIZES];
};

/* What the timed L1 says about an interval with some cache. */
struct strata_learn_row {
    uint32_t interval; /* of its sample */
    struct strata_learn_cache cache;
    uint32_t misses, merges;
};

/* Intervals of one synthetic sequence, or of the SMs of one launch, and their labels (if any). */
struct strata_learn_sample {
    char *name;
    struct strata_learn_interval *interval;
    size_t n_intervals, cap_intervals;
    struct strata_learn_row *row;
    size_t n_rows, cap_rows;
};
struct strata_learn_set {
    bool real;        /* of traces: never used for training */
    char *provenance; /* how it was made, JSON */
    struct strata_learn_sample *sample;
    size_t n_samples, cap_samples;
};
void strata_learn_set_release(struct strata_learn_set *set);
/* A file of this project: versioned, with a checksum (docs/learn.md). */
strata_status strata_learn_set_save(const struct strata_learn_set *set, const char *path,
                                    struct strata_error *err);
/* Adds the samples of a file to *set. */
strata_status strata_learn_set_load(const char *path, struct strata_learn_set *set,
                                    struct strata_error *err);

/* ---- training data ---- */

struct strata_learn_generate_options {
    uint32_t samples; /* a cell, 1 to 1000; 50 */
    uint64_t seed;    /* 1 */
    uint32_t threads; /* 1; never changes a result */
    bool grid_only;   /* the grid of figure 5 alone, without what real traces show besides */
    /* NULL: labels of the timed L1. Else the clocked model's, on this GPU, for a kernel whose warps
     * visit the sequence; its L1 has whole lines and a size of its own. */
    const struct strata_gpu *sim;
    struct strata_learn_timing timing;
    /* After each cell, never by two threads at once; NULL: not called. */
    void (*progress)(void *context, size_t n_done, size_t n_cells);
    void *progress_context;
};
void strata_learn_generate_options_init(struct strata_learn_generate_options *opt);
/* Writes one file for each cell into `folder`, which is made if need be. Files that are there and
 * were made with the same options are kept: a run that was stopped goes on. */
strata_status strata_learn_generate(const char *folder,
                                    const struct strata_learn_generate_options *opt, size_t *n_made,
                                    size_t *n_kept, struct strata_error *err);
/* A kernel that visits the lines of a cell's sample, one a warp instruction, as a native trace. */
strata_status strata_learn_write_trace(uint32_t peaks, uint32_t max_distance, uint32_t sample,
                                       uint64_t seed, const char *path, struct strata_error *err);

/* The caches of the evaluation; the first *n_ranked are those of the paper's Table 6. */
const struct strata_learn_cache *strata_learn_caches(size_t *n, size_t *n_ranked);

/* ---- profiles of launches ---- */

struct strata_learn_profile_options {
    uint32_t sms;      /* at most so many SMs, evenly spread over those with work; 0: all. 8 */
    uint32_t interval; /* accesses; 10000 */
    bool sectors;      /* in place of lines */
    bool l2;           /* what misses in all L1s, in order of time, in place of what the L1s see */
    struct strata_learn_cache l1; /* those L1s: 64 lines, 8 ways */
    struct strata_learn_timing timing;
    const struct strata_learn_cache *label; /* label every interval with these caches */
    size_t n_labels;
    bool labels_by_sim; /* by the clocked model, on the GPU with an L1 like that; not with l2 */
};
void strata_learn_profile_options_init(struct strata_learn_profile_options *opt);
/* Adds one sample for the launch. A launch without loads adds an empty one. */
strata_status strata_learn_profile(const struct strata_gpu *gpu, struct strata_reader *reader,
                                   const struct strata_learn_profile_options *opt,
                                   struct strata_learn_set *set, struct strata_error *err);

/* ---- models ---- */

struct strata_learn_rates {
    double miss, merge; /* shares of the accesses; merge is NaN if the model does not know it */
};

struct strata_learn_learner {
    const char *name, *summary;
    const char *package; /* what to install when this build cannot train or read it; NULL: it can */
};
const struct strata_learn_learner *strata_learn_learners(size_t *n);

struct strata_learn_train_options {
    const char *learner;  /* "mlp" */
    const char *features; /* "timed" (default), "open" or "paper" */
    uint32_t epochs;      /* of the MLP; 30 */
    double dropout;       /* of the MLP; 0.5 */
    uint64_t samples;     /* the first so many samples of a cell; 0: all */
    uint64_t rows;        /* at most so many rows, evenly chosen; 0: as many as suit the learner */
    uint64_t seed;        /* 1 */
    uint32_t threads;     /* 1; never changes a result */
    void (*progress)(void *context, size_t epoch, size_t epochs, double loss);
    void *progress_context;
};
void strata_learn_train_options_init(struct strata_learn_train_options *opt);

/* Errors on the fifth of the samples that was held back. */
struct strata_learn_fit {
    uint64_t train_rows, test_rows;
    double miss_mae, merge_mae;
};

struct strata_learn_model; /* opaque */
/* Trains on all cells of a folder that strata_learn_generate wrote. Profiles of traces are refused.
 */
strata_status strata_learn_train(const char *folder, const struct strata_learn_train_options *opt,
                                 struct strata_learn_model **out, struct strata_learn_fit *fit,
                                 struct strata_error *err);
strata_status strata_learn_model_save(const struct strata_learn_model *m, const char *path,
                                      struct strata_error *err);
strata_status strata_learn_model_load(const char *path, struct strata_learn_model **out,
                                      struct strata_error *err);
/* The one that comes with this build, or an analytic one: "default", "sdcm" (stack distance with
 * associativity, exact binomial), "ppt" (as its published tool computes it) or "timed" (the profile
 * with time and the binomial: what the MLP starts from). */
strata_status strata_learn_model_builtin(const char *name, struct strata_learn_model **out,
                                         struct strata_error *err);
void strata_learn_model_destroy(struct strata_learn_model *m);
const char *strata_learn_model_learner(const struct strata_learn_model *m);
const char *strata_learn_model_provenance(const struct strata_learn_model *m);
/* Is this cache one the model was trained for? */
bool strata_learn_in_range(const struct strata_learn_model *m,
                           const struct strata_learn_cache *cache);

/* One interval, one cache. Not thread-safe per model. */
strata_status strata_learn_predict(struct strata_learn_model *m,
                                   const struct strata_learn_interval *interval,
                                   const struct strata_learn_cache *cache,
                                   struct strata_learn_rates *out, struct strata_error *err);
/* All intervals of a sample, weighted by their accesses. */
strata_status strata_learn_predict_sample(struct strata_learn_model *m,
                                          const struct strata_learn_sample *sample,
                                          const struct strata_learn_cache *cache,
                                          struct strata_learn_rates *out, struct strata_error *err);

/* ---- evaluation ---- */

/* Truth and prediction of one launch for all caches it is labelled with. */
struct strata_learn_score {
    double miss_mae, merge_mae; /* over the caches; NaN if not known */
    /* Rank correlation of the miss rate over the ranked caches, and over all: NaN if all of them
     * miss equally often, 0 if only the model says so. */
    double spearman, spearman_all;
};
struct strata_learn_evaluation {
    size_t n_launches, n_caches, n_ranked;
    const char **name;                                 /* by launch, borrowed from the set */
    struct strata_learn_cache *cache;                  /* by cache */
    struct strata_learn_rates *truth, *predicted;      /* [launch * n_caches + cache] */
    struct strata_learn_score *score;                  /* by launch */
    double miss_mae, merge_mae, miss_r2, merge_r2, r2; /* over all launches and caches */
    double spearman, spearman_all;   /* means over the launches where they are known */
    size_t n_ordered, n_ordered_all; /* which are so many */
};
strata_status strata_learn_evaluate(struct strata_learn_model *m,
                                    const struct strata_learn_set *set,
                                    struct strata_learn_evaluation *out, struct strata_error *err);
void strata_learn_evaluation_release(struct strata_learn_evaluation *e);

#endif
