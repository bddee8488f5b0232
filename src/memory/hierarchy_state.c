/* hierarchy_state.c - a launch begins with what the ones before, and copies between them, have
 * left. */
#include "memory/hierarchy.h"

#include <string.h>

#include "memory/memory_state.h"

/* Sectors of a line that [from, to) touches. */
static uint32_t sectors_of(const struct hierarchy *m, uint64_t line, uint64_t from, uint64_t to)
{
    uint32_t mask = 0;
    for (uint32_t k = 0; k < m->rules.line_sectors; k++) {
        uint64_t at = line + (uint64_t)k * m->rules.sector_bytes;
        if (at < to && at + m->rules.sector_bytes > from)
            mask |= 1u << k;
    }
    return mask;
}

void hierarchy_void_copies(struct hierarchy *m, uint32_t home, uint32_t writer, uint64_t line)
{
    for (uint32_t i = 0; i < m->map.partitions; i++) {
        bool written = i == home || i == writer;
        uint32_t slot = written ? CACHE_NONE : cache_find(&m->partition[i].l2, line);
        if (slot != CACHE_NONE)
            cache_remove(&m->partition[i].l2, slot);
    }
}

/* Fills and copies on the device are done as by kernels (probe survive: 75 of 100 sectors of what
 * was filled or copied hit when it is read, as of what a kernel wrote): whoever does it is attached
 * to some partition. */
static uint32_t worker_of(const struct hierarchy *m, uint64_t line)
{
    return (uint32_t)(mix64(line >> 12) >> 40) % m->map.partitions;
}

static void written_here(struct hierarchy *m, uint64_t line, uint32_t sectors)
{
    uint32_t home = address_map_home(&m->map, line), worker = worker_of(m, line);
    hierarchy_void_copies(m, home, worker, line);
    hierarchy_put_line(m, home, line, sectors, true);
    if (worker != home)
        hierarchy_put_line(m, worker, line, sectors, false);
}

static void read_here(struct hierarchy *m, uint64_t line, uint32_t sectors)
{
    uint32_t home = address_map_home(&m->map, line), worker = worker_of(m, line);
    hierarchy_put_line(m, home, line, sectors, false);
    if (worker != home)
        hierarchy_put_line(m, worker, line, sectors, false);
}

/* True: a line that was copied in, and not used since, is the oldest of the set. */
static bool has_unused_copy(const struct cache *l2, uint32_t set)
{
    for (uint32_t i = l2->set_start[set]; i < l2->set_start[set + 1]; i++)
        if (l2->age[i] < MEMORY_COPIED_AGES)
            return true;
    return false;
}

/* From the host: the home alone holds it, in a free place or in that of an older copy (probe
 * handover, copied: of two arrays the one copied last stays; probe survive, h2d: of 8 MB copied
 * into a full L2 2 in 100 sectors are there; what the L2 had of it before stays, and half of its
 * reads hit). */
static void copied_in(struct hierarchy *m, struct strata_memory_state *s, uint64_t line,
                      uint32_t sectors, bool keep)
{
    uint32_t home = address_map_home(&m->map, line);
    struct cache *l2 = &m->partition[home].l2;
    uint32_t set = cache_set_of(l2, line), slot = cache_find(l2, line);
    bool has_room = l2->fill[set] < l2->set_start[set + 1] - l2->set_start[set];
    hierarchy_void_copies(m, home, home, line);
    if (!keep && slot == CACHE_NONE && !has_room && !has_unused_copy(l2, set))
        return;
    hierarchy_put_line(m, home, line, sectors, false);
    if (keep || slot != CACHE_NONE)
        return;
    s->n_copied += s->n_copied < MEMORY_COPIED_AGES - 1;
    l2->age[cache_find(l2, line)] = s->n_copied;
}

/* A program begins with an L2 that others have used. */
static void put_others(struct hierarchy *m)
{
    uint64_t step = m->gpu->l2.cache.line_bytes;
    uint32_t all = (1u << m->rules.line_sectors) - 1;
    for (uint64_t at = 0; at < m->gpu->between.others_at_start; at += step) {
        uint64_t line = MEMORY_BEFORE + at;
        hierarchy_put_line(m, address_map_home(&m->map, line), line, all, false);
    }
}

static void dropped(struct hierarchy *m, uint64_t line)
{
    uint32_t home = address_map_home(&m->map, line), read;
    struct cache *l2 = &m->partition[home].l2;
    uint32_t slot = cache_find(l2, line);
    hierarchy_void_copies(m, home, home, line);
    if (slot == CACHE_NONE)
        return;
    if (l2->slot[slot].dirty)
        write_back_clean(&m->partition[home].dirty, l2, &l2->slot[slot], &read);
    cache_remove(l2, slot);
}

static void apply_to_line(struct hierarchy *m, struct strata_memory_state *s,
                          const struct strata_event *e, uint64_t line, uint32_t sectors)
{
    const struct strata_gpu *g = m->gpu;
    bool reads = e->kind == STRATA_EVENT_MEMCPY_DTOH,
         here = e->kind == STRATA_EVENT_MEMSET || e->flags & STRATA_EVENT_ON_DEVICE;
    if (here && g->between.on_device_kept)
        reads ? read_here(m, line, sectors) : written_here(m, line, sectors);
    else if (here && !reads)
        dropped(m, line);
    else if (!here && !reads && g->between.copies_in == STRATA_COPIES_DROP &&
             e->bytes > g->between.copies_small)
        dropped(m, line);
    else if (!here && !reads)
        copied_in(m, s, line, sectors,
                  g->between.copies_in == STRATA_COPIES_KEEP ||
                      e->bytes <= g->between.copies_small);
}

static void apply_event(struct hierarchy *m, struct strata_memory_state *s,
                        const struct strata_event *e)
{
    const struct strata_gpu *g = m->gpu;
    uint64_t step = g->l2.cache.line_bytes, from = e->address, to = e->address + e->bytes;
    /* Of what is longer than the L2 only the end can be left in it. */
    if (to - from > 2 * g->l2.cache.size_bytes)
        from = to - 2 * g->l2.cache.size_bytes;
    for (uint64_t line = from & ~(step - 1); line < to; line += step)
        apply_to_line(m, s, e, line, sectors_of(m, line, from, to));
}

void hierarchy_begin(struct hierarchy *m, struct strata_memory_state *s)
{
    m->warm = true;
    if (!s->n_parts)
        put_others(m);
    for (size_t i = 0; i < s->n_events; i++)
        apply_event(m, s, &s->event[i]);
    s->n_events = 0;
    /* The copies' own traffic is no launch's. */
    m->count = (struct launch_counters){0};
    hierarchy_forget_times(m);
}

bool hierarchy_holds_code(const struct hierarchy *m, uint64_t base, uint32_t line)
{
    uint64_t at = base + (uint64_t)line * m->gpu->l2.cache.line_bytes;
    return cache_find(&m->partition[address_map_home(&m->map, at)].l2, at) != CACHE_NONE;
}

/* Clocks begin anew with every launch, and everything of this one has arrived. A launch uses a few
 * lines of an L2 of 400,000: only where it did are there times to forget. */
static void forget_l2_times(struct hierarchy_partition *p)
{
    for (uint32_t i = 0; p->timed && i < p->l2.n_slots; i += HIERARCHY_MARK_SLOTS) {
        uint32_t end =
            i + HIERARCHY_MARK_SLOTS < p->l2.n_slots ? i + HIERARCHY_MARK_SLOTS : p->l2.n_slots;
        for (uint32_t k = i; p->timed[i / HIERARCHY_MARK_SLOTS] && k < end; k++)
            memset(p->l2.slot[k].ready, 0, sizeof p->l2.slot[k].ready);
    }
}

strata_status hierarchy_end(struct hierarchy *m, struct strata_memory_state *s,
                            const struct memory_code *code, uint32_t n_lines,
                            struct strata_error *err)
{
    s->kernel[code->kernel].n_lines = n_lines;
    uint32_t all = (1u << m->rules.line_sectors) - 1;
    for (uint32_t k = 0; k < n_lines; k++) {
        uint64_t at = code->base + (uint64_t)k * m->gpu->l2.cache.line_bytes;
        hierarchy_put_line(m, address_map_home(&m->map, at), at, all, false);
    }
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < m->map.partitions && status == STRATA_OK; i++) {
        forget_l2_times(&m->partition[i]);
        status = memory_state_keep(s, i, m->map.partitions, &m->partition[i].l2,
                                   &m->partition[i].dirty, err);
    }
    if (m->gpu->tlb.enabled && m->gpu->between.tlb)
        memory_state_keep_tlb(s, &m->tlb2);
    return status;
}
