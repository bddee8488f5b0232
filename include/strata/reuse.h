/* strata/reuse.h - reuse distances of a launch: profiles and miss-ratio curves.
 *
 * A distance is the number of distinct lines (or sectors) used since the last
 * use of the same one, in a stream of accesses: those of a thread, of a warp, of
 * all warps of an SM, or of the whole GPU. Warps of an SM take turns, and SMs do
 * (paper 000, section 4.1, without latencies). */
#ifndef STRATA_REUSE_H
#define STRATA_REUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>
#include <strata/trace.h>

enum strata_reuse_scope {
    STRATA_REUSE_THREAD = 0,
    STRATA_REUSE_WARP,
    STRATA_REUSE_SM,
    STRATA_REUSE_GPU
};
enum strata_reuse_unit { STRATA_REUSE_LINE = 0, STRATA_REUSE_SECTOR };
enum strata_reuse_engine {
    STRATA_REUSE_EXACT = 0, /* memory bounded by the distinct lines */
    STRATA_REUSE_PARALLEL,  /* the same result on several threads (scope gpu) */
    STRATA_REUSE_SAMPLED,   /* a fixed share of the lines, with an error bound */
};

struct strata_reuse_options {
    uint32_t scope, unit, engine; /* enums above */
    uint32_t threads;             /* of the parallel engine */
    double sample_rate;           /* of the sampled engine, above 0 to 1 */
    uint64_t seed;                /* of the choice of lines */
    bool loads_only;
};
void strata_reuse_options_init(struct strata_reuse_options *opt);

struct strata_reuse_bucket {
    uint64_t from, to; /* distances from .. to, both included */
    double count;
};
struct strata_reuse_point {
    uint64_t size;     /* lines or sectors of a fully associative LRU cache */
    double miss_ratio; /* share of accesses that miss it */
    double bound;      /* half-width of the 95 % interval of a sampled ratio; 0 if exact */
};
#define STRATA_REUSE_MAX_POINTS 48
struct strata_reuse_profile {
    uint64_t accesses;   /* in the stream, counted exactly */
    double cold;         /* first accesses */
    uint64_t streams;    /* threads, warps, SMs that made accesses */
    uint64_t peak_bytes; /* held by the engine */
    struct strata_reuse_bucket bucket[STRATA_REUSE_MAX_POINTS];
    size_t n_buckets;
    struct strata_reuse_point point[STRATA_REUSE_MAX_POINTS];
    size_t n_points;
};

strata_status strata_reuse_profile(const struct strata_gpu *gpu, struct strata_reader *reader,
                                   const struct strata_reuse_options *opt,
                                   struct strata_reuse_profile *out, struct strata_error *err);

/* ---- a sweep over the L1's parameters (paper 000, section 7) ---- */

enum strata_sweep_parameter {
    STRATA_SWEEP_NONE = 0,
    STRATA_SWEEP_WAYS,
    STRATA_SWEEP_SIZE,
    STRATA_SWEEP_LINE,
    STRATA_SWEEP_MSHRS
};
#define STRATA_SWEEP_POINTS 17
struct strata_sweep_point {
    uint32_t parameter; /* enum strata_sweep_parameter; the first point is the GPU as it is */
    double factor;      /* 0.25, 0.5, 2, 4 */
    uint64_t value;
    bool possible;           /* false: the parameter cannot take this value */
    double accesses, misses; /* warps take turns, no latencies; MSHRs do not matter then */
    double timed_accesses,
        timed_misses; /* the extended model, without misses on lines on their way */
};
/* All points without latencies in one pass over the launch; `timed` adds a pass of the extended
 * model for each point, because there the order of accesses depends on the cache. */
strata_status strata_reuse_sweep(const struct strata_gpu *gpu, struct strata_reader *reader,
                                 uint64_t seed, bool timed,
                                 struct strata_sweep_point out[STRATA_SWEEP_POINTS],
                                 struct strata_error *err);
const char *strata_sweep_parameter_name(uint32_t parameter);

#endif
