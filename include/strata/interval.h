/* strata/interval.h - the interval model: a profile of a launch, computed once, and what it says
 * for any number of GPU configurations.
 *
 * GPUMech and the memory-divergence model (paper 001) cut the instructions of one representative
 * warp into intervals that end with a stall, and add what other warps, MSHRs and queues cost. The
 * profile holds the intervals and what the caches did; an evaluation is arithmetic on a few dozen
 * numbers. Cache sizes, the coalescing rule and the placement of blocks are part of the profile;
 * clocks, bandwidths, latencies, MSHRs, the number of SMs and the scheduler may differ. */
#ifndef STRATA_INTERVAL_H
#define STRATA_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>
#include <strata/trace.h>

enum strata_interval_variant {
    STRATA_INTERVAL_GPUMECH = 0,
    STRATA_INTERVAL_GPUMECH_PLUS,
    STRATA_INTERVAL_MDM_QUEUE,
    STRATA_INTERVAL_MDM_MSHR,
    STRATA_INTERVAL_MDM,
    STRATA_INTERVAL_GCOM,    /* MDM with sectors, saturation by time, writes queued once */
    STRATA_INTERVAL_DEFAULT, /* with waves, launch cost, shared bandwidths that overlap with
                                computation */
    STRATA_INTERVAL_N_VARIANTS
};
/* false if there is no such variant; NULL is the default one. */
bool strata_interval_variant_find(const char *name, enum strata_interval_variant *out);
const char *strata_interval_variant_name(enum strata_interval_variant v);

/* What the default variant adds to the published ones; each can be left out to see its effect. */
enum strata_interval_part {
    STRATA_INTERVAL_LATE = 1u << 0,    /* loads wait for data that other warps have asked for */
    STRATA_INTERVAL_WAVES = 1u << 1,   /* whole waves of blocks, and the busiest SM decides */
    STRATA_INTERVAL_LAUNCH = 1u << 2,  /* launch, dispatch, cold code, drain */
    STRATA_INTERVAL_SLOWEST = 1u << 3, /* the last wave ends with the slowest warp */
    STRATA_INTERVAL_OVERLAP = 1u << 4, /* queues overlap with computation; without: they add up */
    STRATA_INTERVAL_SECTORS = 1u << 5, /* sectors travel; without: lines */
    STRATA_INTERVAL_ALL_PARTS = (1u << 6) - 1
};
/* "late", "waves", ...; NULL past the last. */
const char *strata_interval_part_name(unsigned index);

/* Cycles by what they were spent on. total_cycles is the sum of the parts before it, in this order.
 */
struct strata_interval_stack {
    double base, other_warps, compute_dependence, l1, l2, dram, mshr, noc_queue, dram_queue, idle;
    double total_cycles;
};

struct strata_interval_result {
    double cycles, time_ns, instructions, ipc_sm, ipc_gpu, cpi;
    struct strata_interval_stack stack; /* of the representative warp's run on its SM */
    double instructions_per_sm;         /* what the stack's cycles are divided by for CPI */
    bool divergent;
    double divergent_share; /* of the instructions, in intervals that overflow the MSHRs */
    double worst_misses;    /* most read misses of one interval, of all warps of an SM */
    double mshrs;           /* what they were compared with */
};

/* Profiles of a number of launches. */
struct strata_interval_profile;
size_t strata_interval_count(const struct strata_interval_profile *p);
/* The program and trace of launch i. */
const char *strata_interval_program(const struct strata_interval_profile *p, size_t i);
const char *strata_interval_trace(const struct strata_interval_profile *p, size_t i);
strata_status strata_interval_create(struct strata_interval_profile **out,
                                     struct strata_error *err);
void strata_interval_destroy(struct strata_interval_profile *p); /* NULL is allowed */
/* Reads a launch's blocks and adds its profile. */
strata_status strata_interval_profile_launch(struct strata_interval_profile *p,
                                             const struct strata_gpu *gpu,
                                             struct strata_reader *reader, uint64_t seed,
                                             struct strata_error *err);
/* Launches profiled from now on, and their evaluations, follow the authors' published scripts where
 * these differ from the paper: both caches allocate on writes, hits and misses of the L2 are
 * swapped in a load's latency, an interval ends with a gap of ten cycles and holds every step,
 * MDM's batches may be fractions, and the variance of the DRAM queue is in nanoseconds. */
void strata_interval_follow_scripts(struct strata_interval_profile *p, bool follow);
/* A JSON text, see docs/interval-model.md. */
strata_status strata_interval_save(const struct strata_interval_profile *p, const char *path,
                                   struct strata_error *err);
strata_status strata_interval_load(const char *path, struct strata_interval_profile **out,
                                   struct strata_error *err);
/* Launch i on `gpu`; i < strata_interval_count. No allocation, safe from any number of threads. */
void strata_interval_evaluate(const struct strata_interval_profile *p, size_t i,
                              const struct strata_gpu *gpu, enum strata_interval_variant variant,
                              struct strata_interval_result *out);
/* The same with only some of the default's parts (a set of enum strata_interval_part). */
void strata_interval_evaluate_parts(const struct strata_interval_profile *p, size_t i,
                                    const struct strata_gpu *gpu,
                                    enum strata_interval_variant variant, unsigned parts,
                                    struct strata_interval_result *out);

#endif
