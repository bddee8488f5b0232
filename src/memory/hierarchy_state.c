/* hierarchy_state.c - a launch begins with what the ones before, and copies between them, have
 * left. */
#include "memory/hierarchy.h"
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

/* The copy engine writes to the home of a line; other partitions' copies of it are void. */
static void copied_to(struct hierarchy *m, uint64_t line, uint32_t sectors)
{
    uint32_t home = address_map_home(&m->map, line);
    hierarchy_void_copies(m, home, home, line);
    hierarchy_put_clean(m, home, line, sectors, true);
}

/* It is not kept: what the L2 has of it is void. */
static void dropped(struct hierarchy *m, uint64_t line)
{
    uint32_t home = address_map_home(&m->map, line);
    hierarchy_void_copies(m, home, home, line);
    uint32_t slot = cache_find(&m->partition[home].l2, line);
    if (slot == CACHE_NONE)
        return;
    struct cache_slot *s = &m->partition[home].l2.slot[slot];
    if (s->dirty) {
        uint32_t read;
        write_back_clean(&m->partition[home].dirty, s, &read);
    }
    cache_remove(&m->partition[home].l2, slot);
}

static void apply_event(struct hierarchy *m, const struct strata_event *e)
{
    const struct strata_gpu *g = m->gpu;
    uint64_t step = g->l2.cache.line_bytes, from = e->address, to = e->address + e->bytes;
    bool reads = e->kind == STRATA_EVENT_MEMCPY_DTOH, keeps = reads ? g->between.copies_out
                                                              : e->kind == STRATA_EVENT_MEMSET
                                                                  ? g->between.fills
                                                                  : g->between.copies_in;
    /* Of what is longer than the L2 only the end can be left in it. */
    if (to - from > 2 * g->l2.cache.size_bytes)
        from = to - 2 * g->l2.cache.size_bytes;
    for (uint64_t line = from & ~(step - 1); line < to; line += step) {
        if (!reads && keeps)
            copied_to(m, line, sectors_of(m, line, from, to));
        else if (!reads)
            dropped(m, line);
        else if (keeps)
            hierarchy_put_clean(m, address_map_home(&m->map, line), line,
                                sectors_of(m, line, from, to), false);
    }
}

void hierarchy_begin(struct hierarchy *m, struct strata_memory_state *s)
{
    m->warm = true;
    for (size_t i = 0; i < s->n_events; i++)
        apply_event(m, &s->event[i]);
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

strata_status hierarchy_end(struct hierarchy *m, struct strata_memory_state *s,
                            const struct memory_code *code, uint32_t n_lines,
                            struct strata_error *err)
{
    s->kernel[code->kernel].n_lines = n_lines;
    uint32_t all = (1u << m->rules.line_sectors) - 1;
    for (uint32_t k = 0; k < n_lines; k++) {
        uint64_t at = code->base + (uint64_t)k * m->gpu->l2.cache.line_bytes;
        hierarchy_put_clean(m, address_map_home(&m->map, at), at, all, false);
    }
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < m->map.partitions && status == STRATA_OK; i++)
        status = memory_state_keep(s, i, m->map.partitions, &m->partition[i].l2,
                                   &m->partition[i].dirty, err);
    if (m->gpu->tlb.enabled && m->gpu->between.tlb)
        memory_state_keep_tlb(s, &m->tlb2);
    return status;
}
