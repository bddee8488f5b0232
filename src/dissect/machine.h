/* machine.h - the memory of a GPU file as one thread sees it: caches, TLBs and latencies, no
 * queues. */
#ifndef STRATA_DISSECT_MACHINE_H
#define STRATA_DISSECT_MACHINE_H

#include <strata/dissect.h>

#include "memory/tlb_rules.h"

enum machine_path { PATH_L1 = 0, PATH_READONLY, PATH_TEXTURE, PATH_TLB, PATH_L2, N_PATHS };

struct strata_model_target {
    struct strata_gpu gpu;
    struct strata_target_options opt;
    struct cache data[3]; /* by path: L1, read-only, texture */
    struct cache *l2;     /* by slice */
    uint32_t n_slices;
    struct cache tlb1, tlb2;
    struct page_walks walks;
    bool has_data[3], has_l2, has_tlb;
    bool l2_used;
    uint64_t l2_last; /* the address the L2 was asked for last, for its prefetch */
    uint64_t draws;   /* of noise */
    struct path_context {
        struct strata_model_target *target;
        enum machine_path path;
    } context[N_PATHS];
};

const char *machine_path_name(enum machine_path path);
/* Everything forgotten: as at the start of a program. */
void machine_clear(struct strata_model_target *t);
/* What a kernel launch forgets: the caches of the SM. */
void machine_launch(struct strata_model_target *t);
/* A load through the whole memory: TLBs, the path's cache, L2 with its prefetch, DRAM. Without
 * noise. */
uint32_t machine_load(struct strata_model_target *t, enum machine_path path, uint64_t address);
/* A load that the path's own cache (or the TLBs) decides alone: the data is in the L2. */
uint32_t machine_load_warm(struct strata_model_target *t, enum machine_path path, uint64_t address);
/* The latency as a measurement shows it. */
uint32_t machine_noise(struct strata_model_target *t, uint32_t latency);

/* One series for each benchmark that is not a chase (experiments.c). */
strata_status experiment_mshr(struct strata_model_target *t, struct strata_probe_set *out,
                              struct strata_error *err);
strata_status experiment_coalesce(struct strata_model_target *t, struct strata_probe_set *out,
                                  struct strata_error *err);
strata_status experiment_l2_write(struct strata_model_target *t, struct strata_probe_set *out,
                                  struct strata_error *err);
strata_status experiment_spectrum(struct strata_model_target *t, struct strata_probe_set *out,
                                  struct strata_error *err);
strata_status experiment_shared(struct strata_model_target *t, struct strata_probe_set *out,
                                struct strata_error *err);
strata_status experiment_throughput(struct strata_model_target *t, struct strata_probe_set *out,
                                    struct strata_error *err);

#endif
