/* reader_ahead.c - a ring of blocks between the thread that reads and the one that models. */
#include "trace/reader_ahead.h"

#include <pthread.h>
#include <stdlib.h>

/* Blocks end in bursts, so that one at a time would not do; the bytes bound large ones. */
enum { RING_BLOCKS = 32, RING_BYTES = 32 << 20 };

struct ring_entry {
    struct strata_block *block; /* NULL: the status is all that came */
    strata_status status;
    uint32_t n_code;
};

struct reader_ahead {
    struct strata_reader *reader;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t came, left;
    struct ring_entry ring[RING_BLOCKS];
    uint32_t first, n;
    size_t bytes;              /* of the blocks that wait */
    bool stop;                 /* nobody wants more */
    struct strata_error error; /* of the last entry, if that is one */
};

static size_t block_bytes(const struct strata_block *b)
{
    return b ? b->warp_offset[b->n_warps] : 0;
}

/* A block of any size may wait alone. False: nobody wants it. */
static bool wait_for_room(struct reader_ahead *a, size_t bytes)
{
    while (!a->stop && a->n && (a->n == RING_BLOCKS || a->bytes + bytes > RING_BYTES))
        pthread_cond_wait(&a->left, &a->lock);
    return !a->stop;
}

static bool put(struct reader_ahead *a, struct ring_entry entry)
{
    pthread_mutex_lock(&a->lock);
    bool wanted = wait_for_room(a, block_bytes(entry.block));
    if (wanted) {
        a->ring[(a->first + a->n++) % RING_BLOCKS] = entry;
        a->bytes += block_bytes(entry.block);
        pthread_cond_signal(&a->came);
    }
    pthread_mutex_unlock(&a->lock);
    if (!wanted)
        strata_block_destroy(entry.block);
    return wanted && entry.status == STRATA_OK;
}

static void *read_blocks(void *context)
{
    struct reader_ahead *a = context;
    struct ring_entry entry;
    do {
        entry.status = strata_reader_next_ordered(a->reader, &entry.block, &a->error);
        if (entry.status != STRATA_OK)
            entry.block = NULL;
        entry.n_code = strata_code_count(strata_reader_code(a->reader));
    } while (put(a, entry));
    return NULL;
}

struct reader_ahead *reader_ahead_create(struct strata_reader *r)
{
    struct reader_ahead *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->reader = r;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->came, NULL);
    pthread_cond_init(&a->left, NULL);
    if (!pthread_create(&a->thread, NULL, read_blocks, a))
        return a;
    pthread_cond_destroy(&a->left);
    pthread_cond_destroy(&a->came);
    pthread_mutex_destroy(&a->lock);
    free(a);
    return NULL;
}

void reader_ahead_destroy(struct reader_ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_signal(&a->left);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    for (uint32_t i = 0; i < a->n; i++)
        strata_block_destroy(a->ring[(a->first + i) % RING_BLOCKS].block);
    pthread_cond_destroy(&a->left);
    pthread_cond_destroy(&a->came);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

strata_status reader_ahead_next(struct reader_ahead *a, struct strata_block **out, uint32_t *n_code,
                                struct strata_error *err)
{
    pthread_mutex_lock(&a->lock);
    while (!a->n)
        pthread_cond_wait(&a->came, &a->lock);
    struct ring_entry entry = a->ring[a->first];
    if (entry.status == STRATA_OK) { /* the last entry stays: it is what every later call gets */
        a->first = (a->first + 1) % RING_BLOCKS;
        a->n--;
        a->bytes -= block_bytes(entry.block);
        pthread_cond_signal(&a->left);
    } else if (err && entry.status != STRATA_END) {
        *err = a->error;
    }
    pthread_mutex_unlock(&a->lock);
    *out = entry.block;
    *n_code = entry.n_code;
    return entry.status;
}
