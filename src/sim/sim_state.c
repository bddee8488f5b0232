/* sim_state.c - lines between the partitions that last and the slices of one launch. */
#include "sim/sim_state.h"

#include <stdlib.h>

#include "sim/memparts.h"
#include "sm/warm_code.h"

struct sim_state {
    struct hierarchy between; /* its L2 alone is used */
    struct memory_code code;
};

/* A line on its way from one to the other. */
struct moved {
    uint64_t line;
    uint32_t age, order; /* order: of slots, where ages are equal */
    uint8_t valid, dirty;
    bool persists;
};

static int by_age(const void *x, const void *y)
{
    const struct moved *a = x, *b = y;
    if (a->age != b->age)
        return a->age < b->age ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Adds the lines of a cache and leaves it empty. slice: whose addresses are its own; NULL: none. */
static size_t take_lines(struct cache *c, struct write_back *dirty, const struct address_map *map,
                         const struct sim_slice *slice, struct moved *out, size_t n)
{
    uint32_t read;
    for (uint32_t i = 0; i < c->n_slots; i++) {
        struct cache_slot *s = &c->slot[i];
        if (!s->used)
            continue;
        uint64_t line =
            slice ? address_map_global(map, slice->index % map->slices, s->line) : s->line;
        out[n] = (struct moved){line,     c->age[i], (uint32_t)n,
                                s->valid, s->dirty,  (s->used & CACHE_PERSISTS) != 0};
        n++;
        if (s->dirty)
            write_back_clean(dirty, c, s, &read);
    }
    cache_clear(c);
    return n;
}

static void put_into_slice(struct sim_memside *m, uint32_t part, const struct moved *l)
{
    struct sim_slice *s = sim_slice_of(m, part, l->line);
    uint32_t read;
    sim_slice_preload(m, s, l->line, l->valid);
    if (l->persists)
        cache_mark_persisting(&s->tags, sim_l2_find(m, s, l->line));
    if (!l->dirty)
        return;
    write_back_mark(&s->dirty, &s->tags, &s->tags.slot[sim_l2_find(m, s, l->line)], l->dirty,
                    false);
    for (struct cache_slot *old; (old = write_back_overdue(&s->dirty, &s->tags));)
        write_back_clean(&s->dirty, &s->tags, old, &read);
}

static struct moved *room_for_lines(const struct hierarchy *h, const struct sim_memside *m)
{
    size_t slots = 0, of_slices = 0;
    for (uint32_t i = 0; i < h->map.partitions; i++)
        slots = slots > h->partition[i].l2.n_slots ? slots : h->partition[i].l2.n_slots;
    for (uint32_t i = 0; i < m->n_slices; i++)
        of_slices += m->slice[i].tags.n_slots;
    return malloc((slots + of_slices + 1) * sizeof(struct moved));
}

static bool watch_writes(struct sim_memside *m)
{
    bool room = true;
    for (uint32_t i = 0; i < m->n_slices && room; i++)
        room = (m->slice[i].near_written = calloc(m->slice[i].tags.n_slots, 1));
    return room;
}

/* What an SM of the home's side wrote last is only there (flow: hierarchy_void_copies). */
static void void_copies(struct sim_memside *m, const struct sim_slice *s)
{
    for (uint32_t i = 0; i < s->tags.n_slots; i++) {
        if (!s->tags.slot[i].used || !s->near_written[i])
            continue;
        uint64_t line = address_map_global(&m->map, s->index % m->map.slices, s->tags.slot[i].line);
        for (uint32_t p = 0; p < m->map.partitions; p++) {
            struct sim_slice *other = sim_slice_of(m, p, line);
            uint32_t slot = p == s->partition ? CACHE_NONE : sim_l2_find(m, other, line);
            if (slot != CACHE_NONE)
                cache_remove(&other->tags, slot);
        }
    }
}

static strata_status fill_slices(struct sim_engine *e, struct strata_error *err)
{
    struct hierarchy *h = &e->state->between;
    struct sim_memside *m = e->memside;
    struct moved *line = room_for_lines(h, m);
    if (!line || !watch_writes(m)) {
        free(line);
        return strata_no_memory(err, NULL, "for the L2 between two launches");
    }
    for (uint32_t i = 0; i < m->n_slices; i++)
        take_lines(&m->slice[i].tags, &m->slice[i].dirty, &m->map, &m->slice[i], line, 0);
    for (uint32_t p = 0; p < h->map.partitions; p++) {
        size_t n = take_lines(&h->partition[p].l2, &h->partition[p].dirty, &h->map, NULL, line, 0);
        qsort(line, n, sizeof *line, by_age);
        for (size_t i = 0; i < n; i++)
            put_into_slice(m, p, &line[i]);
    }
    free(line);
    return STRATA_OK;
}

strata_status sim_state_begin(struct sim_engine *e, struct strata_memory_state *state,
                              uint64_t seed, struct strata_error *err)
{
    if (!state)
        return STRATA_OK;
    struct sim_state *s = e->state = calloc(1, sizeof *s);
    if (!s)
        return strata_no_memory(err, NULL, "for the L2 between two launches");
    strata_status st = hierarchy_init(&s->between, e->gpu, e->shared.launch,
                                      e->shared.occupancy.l1_bytes, seed, state, err);
    if (st == STRATA_OK)
        st = warm_code_find(&s->between, state, e->shared.launch, &e->shared.fetch, &s->code, err);
    if (st == STRATA_OK)
        st = fill_slices(e, err);
    if (st == STRATA_OK && e->tlb.enabled) {
        cache_release(&e->tlb.second);
        e->tlb.second = s->between.tlb2;
        s->between.tlb2 = (struct cache){0};
    }
    return st;
}

strata_status sim_state_end(struct sim_engine *e, struct strata_memory_state *state,
                            uint32_t code_lines, struct strata_error *err)
{
    if (!state)
        return STRATA_OK;
    struct hierarchy *h = &e->state->between;
    struct sim_memside *m = e->memside;
    struct moved *line = room_for_lines(h, m);
    if (!line)
        return strata_no_memory(err, NULL, "for the L2 between two launches");
    for (uint32_t i = 0; i < m->n_slices; i++)
        void_copies(m, &m->slice[i]);
    for (uint32_t p = 0; p < h->map.partitions; p++) {
        size_t n = 0;
        for (uint32_t i = p * m->map.slices; i < (p + 1) * m->map.slices; i++)
            n = take_lines(&m->slice[i].tags, &m->slice[i].dirty, &m->map, &m->slice[i], line, n);
        qsort(line, n, sizeof *line, by_age);
        h->partition[p].l2.clock = MEMORY_COPIED_AGES;
        for (size_t i = 0; i < n; i++) {
            hierarchy_put_line(h, p, line[i].line, line[i].valid, false);
            if (line[i].dirty)
                hierarchy_put_line(h, p, line[i].line, line[i].dirty, true);
            if (line[i].persists)
                cache_mark_persisting(&h->partition[p].l2,
                                      cache_find(&h->partition[p].l2, line[i].line));
        }
    }
    free(line);
    if (e->tlb.enabled) {
        h->tlb2 = e->tlb.second;
        e->tlb.second = (struct cache){0};
    }
    return hierarchy_end(h, state, &e->state->code, code_lines, err);
}

void sim_state_release(struct sim_engine *e)
{
    if (e->state)
        hierarchy_release(&e->state->between);
    free(e->state);
    e->state = NULL;
}
