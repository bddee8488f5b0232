/* inference.h - the stages of strata_dissect_cache and what they hand on. */
#ifndef STRATA_DISSECT_INFERENCE_H
#define STRATA_DISSECT_INFERENCE_H

#include "dissect/oracle.h"

enum { MAX_SET_LINES = 1024 };

/* Lines that all fall into one set, exactly one more than it has ways; the first is the reference.
 */
struct full_set {
    uint64_t line[MAX_SET_LINES];
    size_t n;
};

/* Which lines belong together. */
struct mapping {
    uint32_t kind; /* enum strata_addressing */
    uint64_t line_bytes;
    uint64_t modulus;                             /* LINEAR: sets */
    uint64_t mask[STRATA_DISSECT_MAX_INDEX_BITS]; /* BITS, XOR: on byte offsets */
    uint32_t n_masks;
    uint32_t bits; /* address bits looked at: offsets below 1 << bits */
    /* HASHED: the set of each of the first lines, as found */
    uint32_t *label;
    size_t n_labels;
    uint32_t n_sets;
    uint32_t checks; /* predictions of the mapping that were tested and held */
};

/* What one miss brings, in bytes; 0 if not found. */
uint32_t find_granularity(struct oracle *o);
/* The first set that overflows, over lines of `unit` bytes; n = 0 if none was found. */
void find_full_set(struct oracle *o, uint64_t unit, uint32_t max_lines, struct full_set *out);
/* The same among given lines that overflow some set. */
bool find_members(struct oracle *o, const uint64_t *line, size_t n, struct full_set *out);
/* Sets o->loud from a set with one line too many. */
void measure_loudness(struct oracle *o, const struct full_set *set);
/* How many sectors of `unit` bytes share a tag. */
uint32_t find_sectors_per_line(struct oracle *o, uint64_t unit, const struct full_set *set);
/* Whether the line at `offset` belongs to the set. */
bool belongs(struct oracle *o, const struct full_set *set, uint64_t offset);
/* True if the mapping was found; release the mapping in any case. */
bool find_mapping(struct oracle *o, const struct full_set *set, uint64_t line_bytes,
                  uint32_t max_lines, struct mapping *out);
void mapping_release(struct mapping *m);
/* The i-th line of a set of the mapping; false if there is none below the prober's reach. */
bool mapping_line(const struct mapping *m, const struct oracle *o, uint32_t set, uint64_t i,
                  uint64_t *line);
/* Labels lines one by one without any rule (src/dissect/label.c). */
bool label_lines(struct oracle *o, const struct full_set *set, uint64_t line_bytes,
                 uint32_t max_lines, struct mapping *out);
/* Ways of every set of the mapping. */
bool find_ways(struct oracle *o, const struct mapping *m, uint32_t guess, uint32_t *ways);
/* From lines of one set of `ways` ways, at least ways + 4 of them. */
void find_replacement(struct oracle *o, const uint64_t *line, size_t n, uint32_t ways,
                      struct strata_cache_answer *out);

#endif
