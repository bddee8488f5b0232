/* kernel_target.h - a model that predicts as the target: experiments are kernels, made in memory,
 * that run through it, and their clocks are read as a program on a card reads them. */
#ifndef STRATA_DISSECT_KERNEL_TARGET_H
#define STRATA_DISSECT_KERNEL_TARGET_H

#include <strata/dissect.h>
#include <strata/gpu.h>
#include <strata/result.h>

#include "trace/generate.h"

/* Instructions that the kernels are made of. */
enum {
    K_CHAIN,    /* a load whose address is the result of the one before */
    K_AROUND,   /* the same around the L1 */
    K_READONLY, /* the same of read-only data */
    K_TEXTURE,  /* the same of a texture */
    K_SHARED,   /* the same of shared memory */
    K_WAIT,     /* needs the result of the chain */
    K_BARRIER,
    K_EXIT,
    K_LOAD,                   /* loads that do not wait for each other */
    K_USE = K_LOAD + 24,      /* an instruction for each three of them */
    K_PUT = K_USE + 8,        /* a store of each of the first eight loads */
    K_GET_SHARED = K_PUT + 8, /* the same of shared memory */
    K_PUT_SHARED = K_GET_SHARED + 8,
    K_N_ROWS = K_PUT_SHARED + 8
};

struct kernel_target {
    const struct strata_gpu *gpu;
    const struct strata_model *model;
    uint64_t seed;
    uint64_t runs;  /* so far: what is random differs from run to run, as on a card */
    uint64_t *time; /* of warp 0 of block 0, instruction by instruction */
    size_t n_times, cap_times;
    uint64_t first, last;   /* issue of all warps */
    bool failed;            /* no memory for times */
    uint32_t chased;        /* K_CHAIN, K_READONLY or K_TEXTURE */
    const uint64_t *offset; /* of a chase */
    size_t n_offsets;
};

/* A kernel: what each warp does, with a context of its own, in a launch of so many blocks and
 * warps. */
struct kernel {
    void (*warp)(struct emitter *e);
    void *context;
    uint32_t blocks, warps;
    uint32_t shared_bytes;
};
/* Runs it; afterwards the target's times are those of this run. `result` may be NULL. */
strata_status kernel_run(struct kernel_target *t, const struct kernel *k,
                         struct strata_result *result, struct strata_error *err);
static inline uint64_t kernel_cycles(const struct kernel_target *t)
{
    return t->last - t->first;
}

/* kernel_experiments.c: series of everything that is not the structure of a cache. */
strata_status kernel_experiments(struct kernel_target *t, struct strata_probe_set *out,
                                 struct strata_error *err);

#endif
