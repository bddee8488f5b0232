/* constant_cache.h - an SM's constants: a small cache that loads of constants ask, address by
 * address, and what comes behind it.
 *
 * indexed_probe.cu (device/probe/results/h200-indexed.csv): lanes that name 8 lines 256 bytes apart
 * find them again, 16 do not; nor do 32 lines 128 bytes apart, while 32 lines side by side do: four
 * sets of eight lines of 64 bytes, the one used last stays longest. A further address of a load
 * takes 11 cycles that others may use, one that is missing 82, and an SM answers an address every
 * 2 cycles, whoever asks. constant_reads.cu: what no load of the SM has named before takes longer
 * still.
 *
 * Loads to uniform registers have a few lines of their own and ask nobody's turn: uniform_probe.cu
 * (h200-uniform.csv): a loop over four lines takes 28.1 cycles a load, 64 or 256 bytes apart, over
 * eight lines or more 82.1, with 1 KB as with 64 KB. Not thread-safe per object. */
#ifndef STRATA_MEMORY_CONSTANT_CACHE_H
#define STRATA_MEMORY_CONSTANT_CACHE_H

#include <stdbool.h>
#include <strata/gpu.h>
#include <strata/trace.h>

/* Blocks of sm.const_fetch told apart: four times what a program may have of 256 bytes. */
enum { CONSTANT_BLOCKS = 1024 };
enum { CONSTANT_BLOCKS_COMING = 8 }; /* whose arrival is known; those before them are there */

struct constant_cache {
    uint64_t free;      /* when it answers the next address */
    uint64_t fill_free; /* when the next line can be asked for behind it */
    uint32_t uses;      /* so far: the line whose `used` is smallest goes first */
    uint32_t line[STRATA_MAX_CONSTANT_LINES]; /* + 1; by set */
    uint32_t used[STRATA_MAX_CONSTANT_LINES];
    uint64_t there[STRATA_MAX_CONSTANT_LINES];       /* when the line has come */
    uint32_t uniform_line[STRATA_MAX_UNIFORM_LINES]; /* + 1 */
    uint32_t uniform_used[STRATA_MAX_UNIFORM_LINES];
    uint64_t uniform_there[STRATA_MAX_UNIFORM_LINES];
    uint32_t asked[CONSTANT_BLOCKS / 32]; /* blocks that loads have named */
    uint32_t n_coming;                    /* blocks asked for so far */
    uint32_t coming[CONSTANT_BLOCKS_COMING];
    uint64_t arrival[CONSTANT_BLOCKS_COMING];
};

/* A warp loads constants at t; returns when it has them all, `latency` after the last was found.
 * Constants whose place the trace does not tell are found at once. */
uint64_t constant_cache_load(struct constant_cache *c, const struct strata_gpu *gpu,
                             const struct strata_winst *w, uint32_t latency, uint64_t t);

/* The same by way of the uniform registers: when the constant is there, t if it is. */
uint64_t constant_cache_uniform(struct constant_cache *c, const struct strata_gpu *gpu,
                                const struct strata_winst *w, uint64_t t);

/* The places of the constants that a load names, each once; returns how many, 0: not known. */
uint32_t constants_named(const struct strata_winst *w, uint64_t place[STRATA_WARP_SIZE]);

#endif
