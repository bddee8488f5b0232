/* memory_state.h - what models take out of a state when a launch begins, and put back at its end.
 *
 * The L2 is in as many parts as the model has (partitions, slices). A launch that fails leaves a
 * state that is cold. */
#ifndef STRATA_MEMORY_MEMORY_STATE_H
#define STRATA_MEMORY_MEMORY_STATE_H

#include <strata/memory_state.h>

#include "memory/write_back.h"

/* Code is held by the L2 like data, at addresses of its own: of each kernel, by a number for it. */
#define MEMORY_CODE       (1ull << 61)
#define MEMORY_CODE_BYTES (1ull << 22)

struct memory_part {
    struct cache l2;
    struct write_back dirty;
};
struct memory_kernel {
    uint64_t hash;
    uint32_t n_lines; /* of code */
};

/* Lines that were copied from the host and not used since are the first to go, the oldest of them
 * before the others: their ages lie below those of all lines that a launch has used. */
#define MEMORY_COPIED_AGES (1u << 28)
/* Lines of others, with which a program begins. */
#define MEMORY_BEFORE ((1ull << 62) + (1ull << 40))

struct strata_memory_state {
    struct memory_part *part; /* NULL: nothing is known of the L2 */
    uint32_t n_parts;
    struct cache tlb2; /* second-level TLB; n_slots 0: none */
    struct memory_kernel *kernel;
    size_t n_kernels, cap_kernels;
    uint32_t n_copied;          /* lines, up to MEMORY_COPIED_AGES - 1 */
    struct strata_event *event; /* copies and fills since the last launch */
    size_t n_events, cap_events;
};

/* True: *l2 and *dirty are part `index` of n as the launch before left it, with nothing under way.
 * They are the caller's then. */
bool memory_state_take(struct strata_memory_state *s, uint32_t index, uint32_t n, struct cache *l2,
                       struct write_back *dirty);
/* Takes them over, without any time in their slots; the caller's are empty afterwards. All n parts
 * are to be given. */
strata_status memory_state_keep(struct strata_memory_state *s, uint32_t index, uint32_t n,
                                struct cache *l2, struct write_back *dirty,
                                struct strata_error *err);
bool memory_state_take_tlb(struct strata_memory_state *s, struct cache *tlb2);
void memory_state_keep_tlb(struct strata_memory_state *s, struct cache *tlb2);

/* Where a launch's code lies. is_new: no launch before ran this kernel, so its code has just been
 * brought to the device. n_lines: that the launch before had. */
struct memory_code {
    uint64_t base;
    uint32_t kernel;
    bool is_new;
    uint32_t n_lines;
};
strata_status memory_state_code(struct strata_memory_state *s, const struct strata_launch *launch,
                                struct memory_code *out, struct strata_error *err);

#endif
