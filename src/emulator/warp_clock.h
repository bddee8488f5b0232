/* warp_clock.h - the cycles a warp has taken so far, for kernels that read a clock, race, or whose
 * blocks wait for one another (launch.c, by time).
 *
 * Kernels wait until a clock has gone on, so how many instructions they execute hangs on how fast
 * it goes. Others compare and swap in shared memory, where who comes first decides who tries again.
 * A warp's clock is when its instructions could issue: behind the stall counts and barriers of
 * machine code's control words, or behind the registers of PTX, with the latencies of the models
 * (trace/inst_latency.h). Memory always answers as fast as a hit, of the L2 where blocks wait for
 * one another, and there a fence takes as long. */
#ifndef STRATA_EMULATOR_WARP_CLOCK_H
#define STRATA_EMULATOR_WARP_CLOCK_H

#include "emulator/emulator.h"

#define EMU_CLOCK_BARRIERS 6

/* Of a launch. */
struct emu_timing {
    const struct strata_gpu *gpu;
    const struct strata_inst *inst; /* of the image */
    uint32_t *latency;              /* of each, in cycles */
    uint32_t n_registers;           /* that a warp without control words may wait for */
    uint32_t warps;                 /* of a block that share a scheduler */
};

struct emu_clock {
    uint64_t next; /* when the next instruction may issue, as far as the last one goes */
    uint64_t last; /* when the last one issued */
    uint64_t due;  /* when the one that it stopped in front of would issue */
    /* Warps of a scheduler issue by turns: `issued` instructions since `since`. */
    uint64_t issued, since;
    uint64_t free_at[EMU_CLOCK_BARRIERS];
    uint64_t ready[]; /* registers */
};

/* NULL in *out: the kernel reads no clock, or opt->gpu is not given. False: memory is short. */
bool emu_timing_create(const struct emu_run *run, struct emu_timing **out);
void emu_timing_destroy(struct emu_timing *timing);

/* NULL: memory is short. To be freed by free(). */
struct emu_clock *emu_clock_create(const struct emu_timing *timing);
void emu_clock_start(const struct emu_timing *timing, struct emu_clock *clock);
/* A block that has just started did so at t; when the first of its warps that can run goes on. */
void emu_clocks_begin(struct emu_block *block, uint64_t t);
uint64_t emu_clocks_time(struct emu_block *block);
/* Lanes of `mask` issue static instruction `index`. */
void emu_clock_step(struct emu_warp *w, uint32_t index, uint32_t mask);
/* The warp goes on when the L2 has answered its last instruction. */
void emu_clock_await(struct emu_warp *w);
/* The same once that is issued: from the half of the L2 where the word lies, which half of the
 * blocks are nearer to. */
void emu_clock_answer(struct emu_warp *w);
/* The warp stops in front of static instruction `index`. */
void emu_clock_stop(struct emu_warp *w, uint32_t index);
/* The warp that can run whose next instruction issues first; NULL: none can. */
struct emu_warp *emu_clocks_first(struct emu_block *block);
/* When the next instruction of the others would; UINT64_MAX: none can run. */
uint64_t emu_clocks_after(struct emu_block *block, const struct emu_warp *first);
/* Which of `lanes`, which loaded at `loaded` and have just swapped, nobody has come before? */
uint32_t emu_race_won(struct emu_warp *w, uint32_t lanes, uint64_t loaded);
/* Warps of the block have met at a barrier. */
void emu_clocks_meet(struct emu_block *block, unsigned barrier);

#endif
