/* path.h - the paths of a warp: lanes that run together, apart from its other lanes.
 *
 * Which path runs, who waits at a barrier of the block or for something to happen in it, and who
 * gives way do not depend on the code they run; how lanes part and meet is an executor's. */
#ifndef STRATA_EMULATOR_PATH_H
#define STRATA_EMULATOR_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emu_warp;
struct emu_barrier;
struct emu_site;

/* The last answer of a path that polls; of a new path .pc is EMU_NO_INDEX. */
struct emu_spin {
    uint32_t pc, times;
    uint64_t hash;
};

enum emu_path_state {
    EMU_RUNNABLE = 0,
    EMU_AT_BARRIER, /* of the block */
    EMU_AT_WAIT,    /* until something happens in the block (emu_block.events): it asks again */
    EMU_AT_OTHERS   /* in its warp; this and what follows are an executor's */
};

struct emu_path {
    uint32_t pc, mask;
    uint8_t state;        /* enum emu_path_state */
    uint8_t barrier;      /* it waits at */
    uint32_t wait_mask;   /* lanes one that is EMU_AT_OTHERS waits for */
    uint32_t seen_events; /* when one that is EMU_AT_WAIT asked */
    int32_t scope;        /* PTX: innermost join it is on its way to, -1 if none */
    void *frame;          /* PTX: struct ptx_frame */
    struct emu_spin spin;
};

/* Every split of a set of lanes in two makes one path more, so there are never more than 32; one
 * more is there while lanes move from one to another. */
#define EMU_MAX_PATHS 33

/* Makes the most recent path that may run the current one, the last. False: there is none. */
bool emu_path_choose(struct emu_warp *w);
bool emu_paths_runnable(const struct emu_warp *w);
void emu_path_remove(struct emu_warp *w, uint32_t index);
/* The current path steps back behind all others. */
void emu_paths_rotate(struct emu_warp *w);
/* The current path, which asked when the block's events were `events`, asks again after the next.
 */
void emu_path_wait(struct emu_warp *w, uint32_t events);

/* Is anybody of the warp at this barrier of the block? */
bool emu_waits_at(const struct emu_warp *w, unsigned barrier);
/* Lets everybody of the warp go who waits at it; *b holds the result of a reduction. */
void emu_barrier_opens(struct emu_warp *w, unsigned barrier, const struct emu_barrier *b);
/* Where somebody of this warp waits, for a message; NULL if nobody does. */
const struct emu_site *emu_waiting_site(const struct emu_warp *w, unsigned *lane);
/* What it waits for there, as the rest of a sentence; false: a barrier of the block. */
bool emu_waiting_for(const struct emu_warp *w, char *out, size_t size);

#endif
