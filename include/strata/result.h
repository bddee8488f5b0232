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
#include <strata/memory_state.h>
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
/* "cycles", "time", "l1hit", "dram" and other short words stand for one metric of the table; any
 * other word is returned as it is. */
const char *strata_metric_full_name(const char *word);
const char *strata_metric_short_name(const char *name); /* NULL: it has none */

/* Adds the metrics that follow from those present (hit rates, misses, DRAM bytes, sectors per
 * request) and are not given. The same rules serve both sides of a comparison, and sweeps. */
void strata_derive_metrics(struct strata_result *r);
/* Then what says the same in other words: bytes of sectors, bytes a second, cycles of the GPCs. For
 * predictions only, whose readers look for one name or the other. */
void strata_derive_other_names(struct strata_result *r);

/* ---- models ---- */

/* What the L2 asks of DRAM: the part of one line that is read or written, as the model comes to it.
 */
struct strata_dram_access {
    uint64_t address; /* of the line */
    uint32_t sectors; /* bit i: the i-th sector of the line; their size is the L2's */
    bool is_write;
    uint64_t cycle; /* of the SM clock, as far as the model knows time; never falls */
};
struct strata_dram_sink {
    void *context;
    void (*access)(void *context, const struct strata_dram_access *access);
};

/* What one execution of one memory instruction did, level by level; sectors. Stores wait before
 * they leave the L1, so that what becomes of them further down is nobody's. */
struct strata_site_access {
    const struct strata_inst *inst; /* of the launch's code table */
    uint32_t inst_index, lanes;
    uint64_t sectors; /* at the L1; shared memory: 0 */
    uint64_t l1_hits; /* loads only, as all that follow */
    uint64_t l2_reads, l2_hits, dram_reads;
    uint64_t bank_conflicts; /* shared memory only */
};
struct strata_site_sink {
    void *context;
    void (*access)(void *context, const struct strata_site_access *access);
};

/* Told when each instruction issues, warp by warp in order; which other warps come between is not
 * promised. What a kernel learns by reading the clock, without the instructions for it. */
struct strata_clock_sink {
    void *context;
    void (*issued)(void *context, uint64_t block, uint32_t warp, uint64_t cycle);
};

/* Told of the cycles of every warp from one issue to the next: how many, and for which
 * instruction's result, barrier or unit it waited; STRATA_WAIT_NOBODY where another warp was chosen
 * or code was fetched. Summed up they are the cycles during which warps were resident. */
#define STRATA_WAIT_NOBODY UINT32_MAX
struct strata_wait_sink {
    void *context;
    void (*waited)(void *context, uint32_t inst_index, uint64_t cycles);
};

struct strata_model_options {
    uint64_t seed;       /* 1 */
    uint32_t threads;    /* 1; never changes a result */
    const char *variant; /* NULL: the model's default */
    /* "key=value" words a model understands besides the GPU file (NULL-terminated or NULL) */
    const char *const *settings;
    /* NULL, or told of every access to DRAM. The reuse model's hierarchy does; others ignore it.
     * Not told are fetches of code and the front end's own. */
    const struct strata_dram_sink *dram;
    /* The same for every execution of an instruction that accesses memory. */
    const struct strata_site_sink *sites;
    /* NULL, or told of every issue, by flow and sim; sim then runs on one thread. */
    const struct strata_clock_sink *clock;
    /* NULL, or told what warps wait for, by flow; others ignore it. */
    const struct strata_wait_sink *waits;
    /* NULL: the launch begins cold. Else it begins with what the state holds, and leaves there what
     * is left at its end (strata/memory_state.h). Only for a model that keeps_state. */
    struct strata_memory_state *state;
};

/* What a model offers that reads a launch once, keeps a profile of it, and answers for many GPUs
 * from that. Profiles may be used by several threads at once. */
struct strata_profiled_model {
    /* Keys of the GPU file, and "model.SETTING", that may differ between the profile and an
     * evaluation; a word with a dot at its end stands for all keys below it. NULL-terminated. */
    const char *const *free_keys;
    strata_status (*create)(const struct strata_gpu *gpu, struct strata_reader *reader,
                            const struct strata_model_options *opt, void **profile,
                            struct strata_error *err);
    strata_status (*evaluate)(const void *profile, const struct strata_gpu *gpu,
                              const struct strata_model_options *opt, struct strata_result *out,
                              struct strata_error *err);
    /* One JSON object; *text is freed by the caller. */
    strata_status (*to_text)(const void *profile, char **text, size_t *length,
                             struct strata_error *err);
    strata_status (*from_text)(const char *text, size_t length, const char *file, void **profile,
                               struct strata_error *err);
    void (*destroy)(void *profile); /* NULL is allowed */
};

struct strata_model {
    const char *name, *summary;
    bool has_variants; /* false: the options' variant must be NULL */
    /* Reads the launch's blocks from `reader` and fills *out, which is initialised. */
    strata_status (*run)(const struct strata_gpu *gpu, struct strata_reader *reader,
                         const struct strata_model_options *opt, struct strata_result *out,
                         struct strata_error *err);
    /* Bulk and tensor copies, barriers in shared memory and warpgroup products are counted (and
     * timed, where the model has a clock); false: a launch that has them gets a warning. */
    bool follows_bulk;
    bool keeps_state; /* takes strata_model_options.state */
};

/* NULL if there is no such model. */
const struct strata_model *strata_model_find(const char *name);
const struct strata_model *const *strata_model_table(size_t *n);
/* Whether a key of the GPU file can change what a model says. "dissect" stands for `strata
 * dissect`. */
bool strata_model_reads_key(const char *model, const char *key);

/* NULL: the model has no profiles, and every GPU needs a run. */
const struct strata_profiled_model *strata_model_profiled(const struct strata_model *model);
/* Of a model with profiles: whether an evaluation may have another value for the key. */
bool strata_profile_key_is_free(const struct strata_model *model, const char *key);
/* Profiles of one launch with equal hashes are equal: of the tool, the model, the seed, and all
 * keys and settings that are not free. */
uint64_t strata_profile_hash(const struct strata_model *model, const struct strata_gpu *gpu,
                             const struct strata_model_options *opt);

#endif
