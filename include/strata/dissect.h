/* strata/dissect.h - what a memory hierarchy is made of, from latencies alone.
 *
 * The inference is blind: it sees which address was visited and how long that took, nothing else.
 * It either asks for visits of its choice (struct strata_prober: a modelled cache, or a GPU that
 * can run a given sequence) or reads series that were recorded before (<strata/probe.h>).
 *
 * Every answer carries a confidence and what it rests on. An answer that the data does not support
 * is left out ("undetermined"): known is false and the value means nothing. */
#ifndef STRATA_DISSECT_H
#define STRATA_DISSECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/probe.h>
#include <strata/status.h>

#define STRATA_DISSECT_MAX_SETS       1024
#define STRATA_DISSECT_MAX_INDEX_BITS 16

/* Who runs the visits. */
struct strata_prober {
    void *context;
    /* Visits the byte offsets one after another, each when the one before is back, beginning with a
     * cache that holds none of them, and gives the latency of each in cycles. */
    strata_status (*visit)(void *context, const uint64_t *offset, size_t n,
                           uint32_t *latency_cycles, struct strata_error *err);
    uint64_t reach_bytes; /* offsets are below this */
    uint32_t unit_bytes;  /* offsets are multiples of this; the smallest load */
};

struct strata_finding {
    bool known;
    double confidence; /* 0 .. 1: 1 - the chance that the data looks so by accident, as far as it
                          was checked */
    char rests_on[160];
};

enum strata_addressing {
    STRATA_ADDRESSING_LINEAR =
        0, /* line number modulo sets (by turns while sets have ways left, if unequal) */
    STRATA_ADDRESSING_BITS,   /* some address bits are the set */
    STRATA_ADDRESSING_XOR,    /* each bit of the set is the parity of some address bits */
    STRATA_ADDRESSING_HASHED, /* none of these: not defined by bits */
};
const char *strata_addressing_name(uint32_t addressing);

struct strata_cache_answer {
    struct strata_finding size, resident, at_least, line, sector, sets, ways, addressing,
        replacement, lru, latency;
    uint64_t size_bytes;
    uint64_t
        at_least_bytes; /* the most that ever hit in one round over a larger array; 0: not seen */
    uint64_t resident_bytes; /* the largest array that stays: the size, unless lines share sets
                                unevenly */
    uint32_t line_bytes;     /* what one tag covers: evicted together */
    uint32_t sector_bytes;   /* what one miss brings */
    uint32_t n_sets;
    uint32_t set_ways[STRATA_DISSECT_MAX_SETS];         /* by number of the set, see index_mask */
    uint32_t addressing_kind;                           /* enum strata_addressing */
    uint64_t index_mask[STRATA_DISSECT_MAX_INDEX_BITS]; /* BITS, XOR: bit j of the set is the parity
                                                           of offset & mask */
    uint32_t n_index_masks;
    bool dealt_by_turns; /* LINEAR with unequal sets: lines go round while a set has ways left */
    uint64_t
        index_chunk_bytes; /* HASHED: so many successive bytes stay in one set, 0 if not seen */
    bool is_lru;
    uint32_t replacement_kind;          /* enum strata_replacement */
    bool replacement_any;               /* one way: no policy to choose */
    double way_weight[STRATA_MAX_WAYS]; /* how often each way is the victim, in the order in which
                                           ways are filled */
    uint32_t n_way_weight;
    uint32_t hit_cycles, miss_cycles;
    uint64_t visits; /* that were asked for */
};

struct strata_dissect_options {
    uint64_t seed;
    uint64_t max_visits; /* give up and leave the rest undetermined after so many */
    uint32_t max_lines;  /* of a cache whose sets are looked for */
};
void strata_dissect_options_init(struct strata_dissect_options *opt);

/* Paper 002, section 4.2, with visits of our own choice: line, one set, the mapping of addresses to
 * sets, ways of every set, replacement. Fails only if the prober fails or memory runs out. */
strata_status strata_dissect_cache(const struct strata_prober *prober,
                                   const struct strata_dissect_options *opt,
                                   struct strata_cache_answer *out, struct strata_error *err);

/* The set of an offset by the answer's mapping; UINT32_MAX where that is not known or not a rule.
 */
uint32_t strata_cache_answer_set(const struct strata_cache_answer *a, uint64_t offset);

/* A single cache as a prober: hit and miss latencies with jitter, and outliers (share of visits
 * whose latency is replaced, half of them by something that looks like the other class). */
struct strata_modelled_cache;
struct strata_modelled_cache_options {
    uint32_t hit_cycles, miss_cycles, jitter_cycles;
    double outliers;
    uint64_t seed;
};
strata_status strata_modelled_cache_create(const struct strata_cache_config *config,
                                           const struct strata_modelled_cache_options *opt,
                                           struct strata_modelled_cache **out,
                                           struct strata_error *err);
void strata_modelled_cache_destroy(struct strata_modelled_cache *m);
void strata_modelled_cache_prober(struct strata_modelled_cache *m, struct strata_prober *out);

/* ---- inference from recorded series ---- */

/* Chases of one path (paper 002, section 4.2): size, sector, sets, ways, LRU, shares of the ways.
 * Level 1 is the first thing on the path that can miss; level 2 what answers its misses (the second
 * TLB). Series with different carve-outs of shared memory (parameter carveout_bytes) are different
 * caches: sizes are those of the smallest carve-out. */
void strata_dissect_chases(const struct strata_probe_set *set, const char *path, uint32_t level,
                           struct strata_cache_answer *out);

/* What the two older methods read off mean latencies (paper 002, section 4.1). */
struct strata_older_answer {
    bool known;
    uint64_t size_bytes;
    uint32_t line_bytes, n_sets, ways;
};
/* Mean latency against stride at one array size of several times the cache: b where the curve
 * reaches its top, a = N/s where it falls again. */
void strata_older_saavedra(const struct strata_probe_set *set, const char *path,
                           struct strata_older_answer *out);
/* Mean latency against array size at one stride: plateaus above the cache size. */
void strata_older_wong(const struct strata_probe_set *set, const char *path,
                       struct strata_older_answer *out);

/* One answer of any kind, by the name of the GPU file's key where there is one. */
struct strata_fact {
    char name[48];                 /* "l1.size", "l1.mshrs", "latency.P4", ... */
    char value[160];               /* as a GPU file spells it */
    char unit[16];                 /* "" for a plain count or word */
    bool is_key;                   /* `name` is a key of GPU files */
    struct strata_finding finding; /* known is false: undetermined, and rests_on says why */
};
struct strata_dissection {
    struct strata_fact *fact;
    size_t n_facts, cap_facts;
};
void strata_dissection_release(struct strata_dissection *d);
const struct strata_fact *strata_dissection_find(const struct strata_dissection *d,
                                                 const char *name);
/* Everything the series of a set tell. */
strata_status strata_dissect_set(const struct strata_probe_set *set, struct strata_dissection *out,
                                 struct strata_error *err);
/* Adds the facts of one cache; `name` is the section of the GPU file ("l1", "tlb.l2", ...). */
strata_status strata_dissection_add_cache(struct strata_dissection *d, const char *name,
                                          const struct strata_cache_answer *a,
                                          struct strata_error *err);
/* The facts that are keys as a GPU file, each with its confidence and series as the source. */
strata_status strata_dissection_to_yaml(const struct strata_dissection *d,
                                        const struct strata_probe_set *set, char **text,
                                        struct strata_error *err);
/* A page of its own with the plots: latency against size and stride, misses per set, latency
 * spectrum, conflicts, throughputs. */
strata_status strata_dissect_report(const struct strata_dissection *d,
                                    const struct strata_probe_set *set, char **text, size_t *length,
                                    struct strata_error *err);

/* ---- a modelled GPU as the target ---- */

struct strata_model_target;
struct strata_target_options {
    double outliers; /* share of latencies that are replaced */
    uint32_t jitter_cycles;
    uint64_t seed;
};
strata_status strata_model_target_create(const struct strata_gpu *gpu,
                                         const struct strata_target_options *opt,
                                         struct strata_model_target **out,
                                         struct strata_error *err);
void strata_model_target_destroy(struct strata_model_target *t);
/* The caches of a path ("l1", "readonly", "texture", "tlb"): false if the GPU has none. The prober
 * lives as long as the target. */
bool strata_model_target_prober(struct strata_model_target *t, const char *path,
                                struct strata_prober *out);
/* Runs every benchmark of docs/probe-format.md on the model. Array sizes are chosen from what a
 * blind dissection of each path says, as a person would. */
strata_status strata_model_target_measure(struct strata_model_target *t,
                                          struct strata_probe_set *out,
                                          struct strata_dissection *adaptive,
                                          struct strata_error *err);

/* ---- a model that predicts as the target ---- */

/* Runs the experiments as kernels, made in memory, through the model "flow" or "sim" and reads its
 * clock: the L1 (visits of our own choice), latencies, MSHRs, coalescer, shared memory, copies. */
strata_status strata_kernel_target_measure(const struct strata_gpu *gpu, const char *model,
                                           uint64_t seed, struct strata_probe_set *out,
                                           struct strata_dissection *adaptive,
                                           struct strata_error *err);

#endif
