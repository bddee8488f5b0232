/* block_queue.h - blocks that run by time, the one that is behind all others first. */
#ifndef STRATA_EMULATOR_BLOCK_QUEUE_H
#define STRATA_EMULATOR_BLOCK_QUEUE_H

#include "emulator/emulator.h"

/* A heap by emu_block.time, of equal ones by index. Zeroed, it is empty. */
struct emu_block_queue {
    struct emu_block **block;
    size_t n, capacity;
};

void emu_block_queue_release(struct emu_block_queue *q);
/* False: memory is short. */
bool emu_block_queue_add(struct emu_block_queue *q, struct emu_block *block);
/* The block that is behind; NULL: there is none. */
struct emu_block *emu_block_queue_first(const struct emu_block_queue *q);
/* The time of the one that comes after it; UINT64_MAX: there is none. */
uint64_t emu_block_queue_next_time(const struct emu_block_queue *q);
/* The first one's time has gone on, or it is done and leaves. */
void emu_block_queue_moved(struct emu_block_queue *q);

#endif
