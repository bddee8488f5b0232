/* block_queue.c - a binary heap of blocks. */
#include "emulator/block_queue.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64

void emu_block_queue_release(struct emu_block_queue *q)
{
    free(q->block);
    *q = (struct emu_block_queue){0};
}

static bool comes_before(const struct emu_block *a, const struct emu_block *b)
{
    return a->time != b->time ? a->time < b->time : a->index < b->index;
}

static void exchange(struct emu_block_queue *q, size_t i, size_t k)
{
    struct emu_block *block = q->block[i];
    q->block[i] = q->block[k];
    q->block[k] = block;
}

static bool make_room(struct emu_block_queue *q)
{
    size_t capacity = q->capacity ? 2 * q->capacity : FIRST_CAPACITY;
    struct emu_block **block = realloc(q->block, capacity * sizeof(*block));
    if (!block)
        return false;
    q->block = block;
    q->capacity = capacity;
    return true;
}

bool emu_block_queue_add(struct emu_block_queue *q, struct emu_block *block)
{
    if (q->n == q->capacity && !make_room(q))
        return false;
    q->block[q->n] = block;
    for (size_t i = q->n++; i && comes_before(q->block[i], q->block[(i - 1) / 2]); i = (i - 1) / 2)
        exchange(q, i, (i - 1) / 2);
    return true;
}

struct emu_block *emu_block_queue_first(const struct emu_block_queue *q)
{
    return q->n ? q->block[0] : NULL;
}

/* The child of i that comes first; i itself: it has none. */
static size_t first_child(const struct emu_block_queue *q, size_t i)
{
    size_t child = 2 * i + 1;
    if (child >= q->n)
        return i;
    return child + 1 < q->n && comes_before(q->block[child + 1], q->block[child]) ? child + 1
                                                                                  : child;
}

uint64_t emu_block_queue_next_time(const struct emu_block_queue *q)
{
    return q->n > 1 ? q->block[first_child(q, 0)]->time : UINT64_MAX;
}

void emu_block_queue_moved(struct emu_block_queue *q)
{
    if (q->block[0]->done)
        q->block[0] = q->block[--q->n];
    for (size_t i = 0, child; child = first_child(q, i), child != i; i = child) {
        if (!comes_before(q->block[child], q->block[i]))
            return;
        exchange(q, i, child);
    }
}
