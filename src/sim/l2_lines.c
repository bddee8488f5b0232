/* l2_lines.c - lines of a slice: places, write-back, and what is under way to them.
 *
 * A line is evicted as a whole and filled by sectors (paper 004, section III-A). A line may be
 * evicted while sectors are under way to it: they still answer who waits, but are not kept. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "sim/memparts.h"

uint32_t sim_l2_find(const struct sim_memside *m, const struct sim_slice *s, uint64_t line)
{
    return cache_find(&s->tags, address_map_local(&m->map, line));
}

/* ---- write-back ---- */

static void post_write(struct sim_out *o, struct sim_slice *s, uint64_t line, uint32_t dirty,
                       uint64_t t)
{
    s->count.n.dram_write += popcount32(dirty);
    struct sim_message w = {.time = t + o->m->timing.before,
                            .line = line,
                            .kind = SIM_MSG_DRAM_WRITE,
                            .sectors = (uint8_t)dirty,
                            .mshr = SIM_NONE,
                            .node = SIM_NONE};
    sim_out_post(o, &sim_channel_of(o->m, s->partition, line)->mail, &w);
}

/* Nobody waits for what is read: the line has lost its place. */
static void post_read(struct sim_out *o, struct sim_slice *s, uint64_t line, uint32_t sectors,
                      uint64_t t)
{
    s->count.n.dram_read += popcount32(sectors);
    struct sim_message r = {.time = t + o->m->timing.before,
                            .line = line,
                            .kind = SIM_MSG_DRAM_READ,
                            .sectors = (uint8_t)sectors,
                            .from = (uint16_t)s->index,
                            .mshr = SIM_NONE,
                            .node = SIM_NONE};
    sim_out_post(o, &sim_channel_of(o->m, s->partition, line)->mail, &r);
}

/* What comes in for sectors in part is a write to the counter (partial_probe.cu). */
static void count_filled(const struct sim_out *o, struct sim_slice *s, uint32_t in_part)
{
    s->count.n.l2_write += o->m->gpu.l2.partial_ways ? popcount32(in_part) : 0;
}

/* Sectors written in part are read before they are written back (memory/write_back.h). slot: where
 * the line stays, or CACHE_NONE. */
static void write_back(struct sim_out *o, struct sim_slice *s, struct cache_slot *c, uint32_t slot,
                       uint64_t t)
{
    uint64_t line = address_map_global(&o->m->map, s->index % o->m->map.slices, c->line);
    uint32_t in_part, dirty = write_back_clean(&s->dirty, &s->tags, c, &in_part);
    if (in_part && slot != CACHE_NONE)
        sim_l2_fetch(o, s, slot, line, in_part, t);
    else if (in_part)
        post_read(o, s, line, in_part, t);
    count_filled(o, s, in_part);
    post_write(o, s, line, dirty, t);
}

void sim_l2_mark_dirty(struct sim_out *o, struct sim_slice *s, uint32_t slot, uint32_t sectors,
                       bool was_partial, uint64_t t)
{
    write_back_mark(&s->dirty, &s->tags, &s->tags.slot[slot], sectors, was_partial);
    for (struct cache_slot *old; (old = write_back_overdue(&s->dirty, &s->tags));)
        write_back(o, s, old, (uint32_t)(old - s->tags.slot), t);
}

/* Nobody waits for these writes: the channels do them when they have nothing else to do (with a
 * turn in the queue of their own l2_write_read_32 of the truth set takes 33,251 cycles for 29,080,
 * without 29,995). */
void sim_l2_clean_ahead(struct sim_out *o, struct sim_slice *s, uint32_t slot, uint64_t t)
{
    struct cache_slot *old = write_back_ahead(&s->dirty, &s->tags, s->tags.slot[slot].line);
    if (!old)
        return;
    uint64_t line = address_map_global(&o->m->map, s->index % o->m->map.slices, old->line);
    uint32_t in_part, dirty = write_back_clean(&s->dirty, &s->tags, old, &in_part);
    if (in_part)
        sim_l2_fetch(o, s, (uint32_t)(old - s->tags.slot), line, in_part, t);
    count_filled(o, s, in_part);
    s->count.n.dram_write += popcount32(dirty);
}

void sim_l2_limit_in_part(struct sim_out *o, struct sim_slice *s, uint32_t slot, bool was_partial,
                          uint64_t t)
{
    struct cache_slot *old =
        write_back_in_part(&s->dirty, &s->tags, s->tags.slot[slot].line, was_partial);
    if (old && old->dirty)
        write_back(o, s, old, (uint32_t)(old - s->tags.slot), t);
    else if (old)
        write_back_drop(old);
}

/* ---- places ---- */

/* Lines that have left while data for them is under way, by a hash of the line: a small L2 in front
 * of a slow DRAM has tens of thousands. */
enum { ORPHAN_BUCKETS = 16384 };

static uint32_t *orphans_of(struct sim_slice *s, uint64_t line)
{
    return &s->orphan[mix64(line) % ORPHAN_BUCKETS];
}

static void put_orphan(struct sim_slice *s, uint32_t i)
{
    if (!s->orphan && !(s->orphan = malloc(ORPHAN_BUCKETS * sizeof *s->orphan))) {
        s->failed = true;
        return;
    }
    if (s->orphans == SIM_NONE)
        memset(s->orphan, 0xff, ORPHAN_BUCKETS * sizeof *s->orphan); /* SIM_NONE each */
    s->orphans = 0;
    uint32_t *at = orphans_of(s, s->mshr[i].line);
    s->mshr[i].next = *at;
    *at = i;
}

static void detach_mshr(struct sim_slice *s, struct cache_slot *evicted)
{
    uint32_t i = *sim_mshr_of(evicted);
    if (!i)
        return;
    s->mshr[i - 1].slot = SIM_NONE;
    put_orphan(s, i - 1);
}

/* The line is back while what it lost is still under way. */
static uint32_t adopt_mshr(struct sim_slice *s, uint64_t line, uint32_t slot)
{
    for (uint32_t *at = orphans_of(s, line); *at != SIM_NONE; at = &s->mshr[*at].next) {
        uint32_t i = *at;
        if (s->mshr[i].line != line)
            continue;
        *at = s->mshr[i].next;
        s->mshr[i].slot = slot;
        s->tags.slot[slot].valid |= s->mshr[i].pending;
        return i + 1;
    }
    return 0;
}

static uint32_t place_of(struct sim_out *o, struct sim_slice *s, uint64_t line, uint64_t t)
{
    uint64_t local = address_map_local(&o->m->map, line);
    uint32_t slot = cache_find(&s->tags, local);
    if (slot != CACHE_NONE) {
        cache_touch(&s->tags, slot);
        return slot;
    }
    struct cache_slot evicted;
    slot = cache_insert(&s->tags, local, &evicted);
    if (s->near_written)
        s->near_written[slot] = false;
    if (evicted.used) {
        s->count.evictions++;
        detach_mshr(s, &evicted);
        if (evicted.dirty) {
            write_back(o, s, &evicted, CACHE_NONE, t);
            write_back_gave_up(&s->dirty, &s->tags, local);
        }
    }
    if (s->orphans != SIM_NONE)
        *sim_mshr_of(&s->tags.slot[slot]) = adopt_mshr(s, line, slot);
    return slot;
}

uint32_t sim_l2_slot(struct sim_out *o, struct sim_slice *s, uint64_t line, uint64_t t)
{
    uint32_t slot = place_of(o, s, line, t);
    if (o->m->window.bytes && address_map_home(&o->m->map, line) == s->partition)
        access_window_use(&o->m->window, &s->tags, slot, line);
    return slot;
}

/* ---- under way ---- */

uint32_t sim_l2_mshr(struct sim_slice *s, uint32_t slot, uint64_t line)
{
    if (*sim_mshr_of(&s->tags.slot[slot]))
        return *sim_mshr_of(&s->tags.slot[slot]) - 1;
    uint32_t i = s->free_mshr;
    if (i != SIM_NONE) {
        s->free_mshr = s->mshr[i].next;
    } else {
        if (s->n_mshr == s->cap_mshr && !ARRAY_RESERVE(s->mshr, s->n_mshr, s->cap_mshr, 1)) {
            s->failed = true;
            return SIM_NONE;
        }
        i = (uint32_t)s->n_mshr++;
    }
    s->mshr[i] = (struct sim_mshr){
        .line = line, .slot = slot, .waiters = SIM_NONE, .last = SIM_NONE, .next = SIM_NONE};
    *sim_mshr_of(&s->tags.slot[slot]) = i + 1;
    s->mshrs_used++;
    return i;
}

void sim_l2_mshr_free(struct sim_slice *s, uint32_t i)
{
    struct sim_mshr *m = &s->mshr[i];
    if (m->slot != SIM_NONE) {
        *sim_mshr_of(&s->tags.slot[m->slot]) = 0;
    } else {
        uint32_t none = i, *at = s->orphan ? orphans_of(s, m->line) : &none;
        while (*at != i)
            at = &s->mshr[*at].next;
        *at = m->next;
    }
    m->next = s->free_mshr;
    s->free_mshr = i;
    s->mshrs_used--;
}

void sim_l2_fetch(struct sim_out *o, struct sim_slice *s, uint32_t slot, uint64_t line,
                  uint32_t sectors, uint64_t t)
{
    struct sim_memside *m = o->m;
    uint32_t i = sim_l2_mshr(s, slot, line), home = address_map_home(&m->map, line),
             n = popcount32(sectors);
    if (i == SIM_NONE)
        return;
    s->mshr[i].pending |= (uint8_t)sectors;
    struct sim_message ask = {.line = line,
                              .mshr = i,
                              .node = SIM_NONE,
                              .from = (uint16_t)s->index,
                              .sectors = (uint8_t)sectors};
    if (home == s->partition) {
        ask.kind = SIM_MSG_DRAM_READ;
        ask.time = t + m->timing.before;
        s->count.n.dram_read += n;
        sim_out_post(o, &sim_channel_of(m, home, line)->mail, &ask);
        return;
    }
    ask.kind = SIM_MSG_LINK_READ;
    ask.time = t;
    s->count.n.fabric += n;
    s->count.n.fabric_read += n;
    sim_out_link(o, s->partition, &sim_slice_of(m, home, line)->mail, &ask);
}

void sim_l2_wait(struct sim_slice *s, uint32_t mshr, const struct sim_waiter *w)
{
    uint32_t i = s->free_waiter;
    if (i != SIM_NONE) {
        s->free_waiter = s->waiter[i].next;
    } else {
        if (s->n_waiter == s->cap_waiter &&
            !ARRAY_RESERVE(s->waiter, s->n_waiter, s->cap_waiter, 1)) {
            s->failed = true;
            return;
        }
        i = (uint32_t)s->n_waiter++;
    }
    s->waiter[i] = *w;
    s->waiter[i].next = SIM_NONE;
    struct sim_mshr *m = &s->mshr[mshr];
    if (m->waiters == SIM_NONE)
        m->waiters = i;
    else
        s->waiter[m->last].next = i;
    m->last = i;
    m->n_waiters++;
}
