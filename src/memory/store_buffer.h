/* store_buffer.h - stores that wait in front of the crossbar and merge by line.
 *
 * Stores wait in a few lines for others, a while, and then leave when the load/store unit has
 * nothing to do, or when another line needs the place: 64 stores of one warp to one line leave as
 * one if nothing pauses, and stores to more lines than there are places never merge (device/probe,
 * store_rate and store_repeat; busy_probe.cu: beside loads that keep the unit at work). When and
 * how a line leaves is the caller's: each function hands the lines that do to `send`, oldest first.
 * Not thread-safe per object. */
#ifndef STRATA_MEMORY_STORE_BUFFER_H
#define STRATA_MEMORY_STORE_BUFFER_H

#include <strata/gpu.h>

#include "memory/line_bytes.h"

#define STORE_BUFFER_MOST 64 /* the bound of l1.store_buffer */

struct store_line {
    uint64_t line;
    uint64_t last; /* time of the last store to it */
    struct line_bytes bytes;
    uint32_t owners;  /* of its stores; the caller's bits */
    uint32_t sectors; /* of 32 bytes */
    uint32_t places;  /* it takes of the buffer's */
    bool host;        /* memory of the host */
};
struct store_buffer {
    uint32_t n, places;  /* lines that wait, and what they take */
    uint64_t least_last; /* no line's `last` is smaller; while n is not 0 */
    struct store_line line[STORE_BUFFER_MOST];
};
typedef void store_buffer_send(void *who, const struct store_line *line, uint64_t t);

/* All lines leave. */
static inline void store_buffer_flush(struct store_buffer *b, uint64_t t, store_buffer_send *send,
                                      void *who)
{
    for (uint32_t i = 0; i < b->n; i++)
        send(who, &b->line[i], t);
    b->n = b->places = 0;
}

/* What a line takes: stores of less than a word have places of their own, and more of them for each
 * sector they touch (below_probe.cu: two stores of bytes to a sector of 8 lines meet, to 16 none
 * do, of words 16; a byte and a word never do). */
static inline uint32_t store_buffer_places(const struct strata_gpu *gpu, uint32_t width_bytes,
                                           uint32_t sectors)
{
    uint32_t narrow = gpu->l1.store_narrow_places;
    return width_bytes < 4 && narrow ? 1 + (narrow - 1) * popcount32(sectors) : 1;
}
/* Stores of one kind meet: those of less than a word, or others. */
static inline bool store_buffer_same_kind(const struct store_line *a, const struct store_line *b)
{
    return (a->places > 1) == (b->places > 1);
}

static inline void store_buffer_leave(struct store_buffer *b, uint32_t i, uint64_t t,
                                      store_buffer_send *send, void *who)
{
    send(who, &b->line[i], t);
    b->places -= b->line[i].places;
    memmove(&b->line[i], &b->line[i + 1], (--b->n - i) * sizeof b->line[0]);
}

/* When a line leaves if the unit, free since `freed`, stays without work. */
static inline uint64_t store_line_due(const struct store_line *s, const struct strata_gpu *gpu,
                                      uint64_t freed)
{
    uint64_t idle = s->last + gpu->l1.store_idle_cycles, aged = s->last + gpu->l1.store_wait_cycles;
    idle = idle > freed ? idle : freed;
    return idle + 1 < aged ? idle + 1 : aged;
}

/* The unit is asked for new work at t, free since `freed` (t, if it still works): lines have left
 * that no store had touched for l1.store_idle cycles when it had nothing to do, and those that may
 * wait no longer. */
static inline void store_buffer_drain(struct store_buffer *b, const struct strata_gpu *gpu,
                                      uint64_t t, uint64_t freed, store_buffer_send *send,
                                      void *who)
{
    const struct store_line first = {.last = b->least_last};
    if (t < store_line_due(&first, gpu, freed))
        return;
    uint32_t kept = 0;
    b->least_last = UINT64_MAX;
    for (uint32_t i = 0; i < b->n; i++) {
        if (t >= store_line_due(&b->line[i], gpu, freed)) {
            send(who, &b->line[i], t);
            b->places -= b->line[i].places;
            continue;
        }
        b->least_last = b->line[i].last < b->least_last ? b->line[i].last : b->least_last;
        if (kept++ != i)
            b->line[kept - 1] = b->line[i];
    }
    b->n = kept;
}

/* When the first line leaves if the unit, free since `freed`, stays without work; UINT64_MAX: none
 * waits. */
static inline uint64_t store_buffer_next(const struct store_buffer *b, const struct strata_gpu *gpu,
                                         uint64_t freed)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t t = store_line_due(&b->line[i], gpu, freed);
        next = t < next ? t : next;
    }
    return next;
}

/* The entry of a line; where it is new and the buffer full, the oldest leave for it. What waits of
 * the line as stores of another kind leaves before. */
static inline struct store_line *store_buffer_entry(struct store_buffer *b,
                                                    const struct strata_gpu *gpu,
                                                    const struct store_line *store, uint64_t t,
                                                    store_buffer_send *send, void *who)
{
    uint32_t i = 0;
    while (i < b->n && b->line[i].line != store->line)
        i++;
    if (i < b->n && store_buffer_same_kind(&b->line[i], store))
        return &b->line[i];
    if (i < b->n)
        store_buffer_leave(b, i, t, send, who);
    while (b->n && b->places + store->places > gpu->l1.store_buffer_lines)
        store_buffer_leave(b, 0, t, send, who);
    b->line[b->n] =
        (struct store_line){.line = store->line, .places = store->places, .host = store->host};
    b->places += store->places;
    return &b->line[b->n++];
}

/* A store of some bytes of a line at t, with its owners and places. Returns the owners its line had
 * before. */
static inline uint32_t store_buffer_put(struct store_buffer *b, const struct strata_gpu *gpu,
                                        const struct store_line *store, uint64_t t,
                                        store_buffer_send *send, void *who)
{
    struct store_line *s = store_buffer_entry(b, gpu, store, t, send, who);
    uint32_t before = s->owners;
    if (b->n == 1 || t < b->least_last)
        b->least_last = t;
    s->last = t;
    s->owners |= store->owners;
    s->sectors |= line_bytes_touched(&store->bytes);
    line_bytes_add(&s->bytes, &store->bytes);
    if (!gpu->l1.store_buffer_lines)
        store_buffer_flush(b, t, send, who);
    return before;
}

/* Flits of a packet of stores. Its head needs one; whole sectors hide it behind their data (probe
 * store_rate: 1.9 cycles for one sector, 3.9 for four whole ones, 4.8 for four written in part). */
static inline uint32_t store_line_flits(const struct store_line *s, const struct strata_gpu *gpu)
{
    uint32_t n = popcount32(s->sectors);
    bool hidden = n > 1 && line_bytes_full(&s->bytes, s->sectors, 5) == s->sectors;
    return hidden ? n : n + gpu->xbar.head_flits;
}

#endif
