/* flow_swaps.h - compare-and-swaps that find their word changed and are done again.
 *
 * A thread that adds by comparing and swapping reads a word and swaps it if it is still the same;
 * else it tries again with what it found. A trace has the tries of blocks that ran one after
 * another, so that none of them met a change of another block. Here a swap that follows another one
 * of its warp to the same word, or a load of it, fails if a block other than its own has swapped
 * the word in between: one swap takes in the time that one needs to the L2 and back, as on the card
 * (cas_probe.cu, device/probe/results/h200-cas.csv: 540 to 610 cycles a swap that takes, with 32 to
 * 128 warps of 4 to 16 blocks, which try 26 and 73 times for each). */
#ifndef STRATA_FLOW_SWAPS_H
#define STRATA_FLOW_SWAPS_H

#include <stdbool.h>
#include <stdint.h>

enum { FLOW_SWAP_WORDS = 256 }; /* that are told apart, a power of two */

struct flow_swap {
    uint64_t word;  /* its address; 0: none */
    uint64_t time;  /* of the last one that took, or that the warp made */
    uint64_t group; /* of warps that it is of */
};
struct flow_swaps {
    struct flow_swap word[FLOW_SWAP_WORDS]; /* by a hash; a new one takes the place of another */
    struct flow_swap *warp;                 /* the last of each warp; NULL: there was none yet */
};
void flow_swaps_release(struct flow_swaps *s);
/* Makes room for so many warps; false: there is no memory. */
bool flow_swaps_begin(struct flow_swaps *s, uint32_t n_warps);
/* A warp swaps a word at t: does it take? group: those whose swaps the trace has already seen meet.
 */
bool flow_swap_takes(struct flow_swaps *s, uint32_t warp, uint64_t group, uint64_t word,
                     uint64_t t);
/* A warp loads a word at t, which it may swap next. */
void flow_swap_reads(struct flow_swaps *s, uint32_t warp, uint64_t group, uint64_t word,
                     uint64_t t);

#endif
