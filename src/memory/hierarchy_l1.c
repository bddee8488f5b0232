/* hierarchy_l1.c - the load/store unit, the L1 and the stores that wait in front of the crossbar.
 */
#include "base/expect.h"
#include "memory/hierarchy.h"

/* ---- the unit and the stores that wait ---- */

struct sender {
    struct hierarchy *m;
    uint32_t sm;
};

static void send_store(void *who, const struct store_line *s, uint64_t t)
{
    const struct sender *from = who;
    struct hierarchy *m = from->m;
    struct hierarchy_sm *p = &m->sm[from->sm];
    uint32_t n = popcount32(s->sectors), flits = store_line_flits(s, m->gpu);
    m->held = 0;
    uint64_t start =
        hierarchy_take(m, hierarchy_port(m, from->sm), t, flits * m->out_64ths_per_packet);
    start = hierarchy_take(m, &m->xbar_out_free64, start, flits * m->xbar_64ths_per_packet);
    m->count.from_l1_bytes += n * PACKET_SECTOR_BYTES;
    leaving_stores_put(&p->leaving_stores, s->line, t, flits * m->out_64ths_per_packet);
    load_store_owe(&p->unit, m->gpu, n);
    uint64_t taken = hierarchy_l2_write(m, from->sm, s, start);
    if (m->cost.write_flit) /* else nothing but the port keeps a store back */
        p->store_taken = later_of(p->store_taken, taken);
    m->held = 0;
    p->store_done = later_of(p->store_done, taken + m->gpu->l2.hit_cycles);
}

/* Stores wait by a clock that stands still with the unit: while it is held up because the way to
 * the crossbar is full, no line can leave, and stores still meet those that wait (own_probe.cu). */
static uint64_t held_cycles(const struct sender *from)
{
    return from->m->sm[from->sm].unit.held;
}
/* A line that became due while the unit was idle left then. */
static void send_due(void *who, const struct store_line *s, uint64_t t)
{
    const struct sender *from = who;
    uint64_t due = s->last + from->m->gpu->l1.store_idle_cycles;
    send_store(who, s, (due < t ? due : t) + held_cycles(from));
}
/* A line that leaves for another one. */
static void send_for_room(void *who, const struct store_line *s, uint64_t t)
{
    send_store(who, s, t + held_cycles(who));
}

/* The unit starts new work, which counts for `queued` cycles in the queue in front of it: stores
 * that waited long enough have left. Returns the start. */
static uint64_t unit_begin_queued(struct hierarchy *m, uint32_t sm, uint64_t t, uint32_t cycles,
                                  uint32_t queued)
{
    struct hierarchy_sm *p = &m->sm[sm];
    uint64_t start = load_store_begin(&p->unit, t), held = p->unit.held;
    if (p->stores.n)
        store_buffer_drain(&p->stores, m->gpu, load_store_asked(&p->unit, t) - held,
                           p->unit.free - held, send_due, &(struct sender){m, sm});
    load_store_take(&p->unit, start, cycles, queued);
    return start;
}

static uint64_t unit_begin(struct hierarchy *m, uint32_t sm, uint64_t t, uint32_t cycles)
{
    return unit_begin_queued(m, sm, t, cycles, cycles);
}

uint64_t hierarchy_unit_take(struct hierarchy *m, uint32_t sm, uint64_t t, uint32_t cycles)
{
    return unit_begin(m, sm, t, cycles);
}

uint64_t hierarchy_flush(struct hierarchy *m, uint32_t sm, uint64_t t)
{
    store_buffer_flush(&m->sm[sm].stores, t, send_store, &(struct sender){m, sm});
    return m->sm[sm].store_done;
}

/* A block keeps its place until its stores have left (waves_probe.cu: of blocks that store 1, 8, 16
 * and 32 lines an SM is active 24, 40, 107 and 201 cycles longer than of those that read a
 * parameter). What comes after the block may keep them longer, which is not known yet. */
uint64_t hierarchy_stores_left(const struct hierarchy *m, uint32_t sm, uint64_t stored)
{
    const struct strata_gpu *g = m->gpu;
    if (!g->l1.store_buffer_lines)
        return stored;
    uint64_t by_idle = later_of(m->sm[sm].unit.free, stored) + g->l1.store_idle_cycles,
             by_age = stored + g->l1.store_wait_cycles;
    return by_idle < by_age ? by_idle : by_age;
}

uint64_t hierarchy_drain(struct hierarchy *m, uint32_t sm)
{
    return hierarchy_flush(m, sm, m->sm[sm].unit.free);
}

uint64_t hierarchy_shared(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                          uint64_t *port, uint64_t t)
{
    struct strata_shared_cost cost = strata_shared_access(&m->coalescer, w);
    m->count.shared_conflicts += cost.conflicts;
    /* What waits for its scheduler's port leaves the unit to the other schedulers. */
    uint32_t cycles = load_store_shared_cycles(m->gpu, &cost);
    bool holds_up = w->inst->memop != STRATA_MEM_ATOMIC;
    uint64_t start = unit_begin_queued(m, sm, t, cycles, holds_up ? cycles : 0);
    if (port) {
        start = later_of(start, *port);
        *port = load_store_shared_port(m->gpu, start, cost.wavefronts);
    }
    return start + load_store_shared_latency(m->gpu, cost.wavefronts);
}

/* ---- misses ---- */

/* When a line of the set is not reserved, t at the earliest. */
static uint64_t set_has_room(const struct cache *l1, uint64_t line, uint64_t t)
{
    uint32_t set = cache_set_of(l1, line), first = l1->set_start[set], end = l1->set_start[set + 1];
    uint64_t earliest = UINT64_MAX;
    if (l1->fill[set] < end - first)
        return t;
    for (uint32_t i = first; i < end && earliest > t; i++) {
        uint64_t filled = l1_filled_at(&l1->slot[i]);
        earliest = filled < earliest ? filled : earliest;
    }
    return later_of(earliest, t);
}

/* A miss waits for a free MSHR, and for a line of its set, where the GPU's description limits them;
 * the lines and loads behind it wait with it: the unit works in order. Returns when it has both. */
static uint64_t wait_for_place(struct hierarchy *m, struct hierarchy_sm *p, uint64_t line,
                               bool needs_line, uint64_t t)
{
    uint64_t start = p->mshr_free ? later_of(p->mshr_free[0], t) : t;
    if (needs_line && l1_reserves_lines(m->gpu))
        start = set_has_room(&p->l1, line, start);
    if (start == t)
        return t;
    m->held = start - m->now;
    p->mshr_wait_until = later_of(p->mshr_wait_until, start);
    if (start > p->unit.free) {
        p->unit.queue += start - p->unit.free;
        p->unit.free = start;
    }
    return start;
}

/* The MSHR that was free first is taken until `done`. */
static void keep_mshr(const struct hierarchy *m, struct hierarchy_sm *p, uint64_t done)
{
    uint32_t n = m->gpu->l1.mshrs, at = 0;
    if (!p->mshr_free)
        return;
    for (uint32_t child = 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && p->mshr_free[child + 1] < p->mshr_free[child];
        if (p->mshr_free[child] >= done)
            break;
        p->mshr_free[at] = p->mshr_free[child];
        at = child;
    }
    p->mshr_free[at] = done;
}

/* Cycles an access that leaves the L1 waits for its translation (paper 002, sections 4.4 and 5.2:
 * two levels, then a page walk). The L1 itself is looked up by virtual address. */
static uint32_t translation_cycles(struct hierarchy *m, uint32_t sm, uint64_t line)
{
    if (!m->gpu->tlb.enabled)
        return 0;
    uint64_t page = tlb_page(m->gpu, line);
    if (tlb_holds(&m->sm[sm].tlb, page, true))
        return 0;
    m->count.tlb_misses++;
    return m->gpu->tlb.l1_miss_cycles +
           (tlb_holds(&m->tlb2, page, true) ? 0 : page_walk_cycles(&m->walks, m->gpu, page));
}

/* What the lines of a load have in common, and what was found of them so far. */
struct loading {
    const struct strata_winst *w;
    struct cache *c; /* where they are looked for first; NULL: nowhere */
    bool in_l1;
    uint32_t hit_cycles;
    bool is_alone;            /* one line: nobody has asked ahead for what it needs */
    uint64_t *miss_free;      /* when its next request may leave */
    uint32_t request_sectors; /* the most that a request asks for; 0: all of a line */
    uint32_t missed;          /* sectors that are no hits */
    uint64_t new_line; /* the last whose tag was not there: its other sectors are no tag hits */
};

/* What sectors meet first on their way out of the SM. */
static void expect_request(const struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors)
{
    if (m->requests.open)
        expect_read(request_coalescer_entry(&m->requests, m->sm[sm].group, line, sectors, false));
}
/* All that they meet, while the L1 makes room for them. */
static void expect_below(const struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors)
{
    if (!m->rules.same_geometry)
        return;
    expect_request(m, sm, line, sectors);
    cache_expect_slot(&m->partition[m->sm[sm].partition].l2, line);
}

/* Sectors that the unit looked for at t and asks for from `start` on, with one request. */
static uint64_t fetch_sectors(struct hierarchy *m, uint32_t sm, const struct loading *l,
                              uint64_t line, uint32_t sectors, uint64_t t, uint64_t start)
{
    struct hierarchy_sm *p = &m->sm[sm];
    /* Neither joins another nor is joined: those of the texture unit (texture_filter_probe.cu: the
     * passes of a filter ask by themselves). */
    bool alone = l->request_sectors > 0 || l->miss_free == &p->texture_miss_free;
    bool joins = m->rules.same_geometry && !alone &&
                 leaving_miss_takes(&p->leaving, m->gpu, line, sectors, t);
    if (m->gpu->l1.miss_requests_per_cycle) { /* one that joins gives up its turn for another */
        start = later_of(start, *l->miss_free);
        *l->miss_free = start + 1;
    }
    start += translation_cycles(m, sm, line);
    if (!joins)
        leaving_miss_open(&p->leaving, m->gpu, line, alone, t);
    leaving_miss_last(&p->leaving)->sectors |= sectors;
    uint64_t arrival = joins ? hierarchy_l2_join(m, sm, line, sectors, start)
                             : hierarchy_l2_read(m, sm, line, sectors, false, start);
    uint32_t n = popcount32(sectors) * m->l1_packets;
    m->count.to_l1_bytes += n * PACKET_SECTOR_BYTES;
    arrival = hierarchy_take(m, &m->xbar_in_free64, arrival, n * m->xbar_64ths_per_packet);
    arrival = hierarchy_take(m, &p->in_free64, arrival, n * m->in_64ths_per_packet);
    m->held = 0;
    leaving_miss_answered(&p->leaving, arrival);
    keep_mshr(m, p, arrival);
    m->count.lat_requests++;
    m->count.lat_lsu += start - t;
    return arrival;
}

/* ---- loads ---- */

/* Sectors of a line that need no fetch; of what was written in part its written bytes are looked
 * at. */
static uint32_t find_sectors(const struct cache *l1, const struct strata_gpu *gpu, uint32_t slot,
                             const struct strata_winst *w, const struct strata_request *r)
{
    const struct cache_slot *s = &l1->slot[slot];
    struct line_bytes read;
    if (!(r->sectors & s->partial))
        return s->valid & r->sectors;
    line_bytes_of(&read, w, r, l1->config.line_bytes);
    return l1_readable(l1, gpu, slot, r->sectors, &read);
}

/* The cache beside the L1 that a path has; NULL: it goes around them. */
static struct cache *path_side(struct hierarchy_sm *p, enum load_path path)
{
    return path == LOAD_AROUND ? NULL : &p->side[path - LOAD_READONLY];
}

/* Missing sectors of a line, in as many requests as they take. */
static uint64_t fetch_missing(struct hierarchy *m, uint32_t sm, const struct loading *l,
                              uint64_t line, uint32_t miss, uint64_t t, uint64_t start)
{
    uint64_t arrival = 0;
    for (uint32_t rest = miss, part; rest; rest &= ~part) {
        part = load_request_part(rest, l->request_sectors);
        arrival = later_of(arrival, fetch_sectors(m, sm, l, line, part, t, start));
    }
    return arrival;
}

/* Sectors of a line that are not there, `slot` being its place or CACHE_NONE: they are fetched.
 * *where: the place it has then. Returns when they have arrived. */
static __attribute__((noinline)) uint64_t load_missing(struct hierarchy *m, uint32_t sm,
                                                       struct loading *l, uint64_t line,
                                                       uint32_t miss, uint32_t slot,
                                                       uint32_t *where, uint64_t t)
{
    bool is_new = slot == CACHE_NONE, needs_line = l->c && is_new;
    if (is_new)
        l->new_line = line;
    if (is_new || !m->gpu->l1.tag_hit_counts_as_hit || line == l->new_line)
        l->missed += popcount32(miss);
    if (l->is_alone)
        expect_below(m, sm, line, miss);
    uint64_t start = wait_for_place(m, &m->sm[sm], line, needs_line && l->in_l1, t);
    if (needs_line)
        *where = slot =
            l->in_l1 ? l1_place(l->c, m->gpu, line, start) : cache_insert(l->c, line, NULL);
    uint64_t arrival = fetch_missing(m, sm, l, line, miss, t, start);
    if (slot != CACHE_NONE)
        slot_fill(&l->c->slot[slot], miss, arrival);
    return arrival;
}

/* An access goes around the L1. */
static void void_line(struct hierarchy *m, uint32_t sm, uint64_t line)
{
    if (l1_around_voids(m->gpu))
        l1_forget(&m->sm[sm].l1, line);
}

/* One line of a load. *where: the slot it may be in, and then the one it is in. Sectors on their
 * way count as hits, as the profiler counts them. */
static uint64_t load_line(struct hierarchy *m, uint32_t sm, struct loading *l,
                          const struct strata_request *r, uint32_t *where, uint64_t t)
{
    uint64_t done = t + l->hit_cycles;
    if (!l->c)
        void_line(m, sm, r->line);
    uint32_t slot = l->c ? cache_find_again(l->c, r->line, *where) : CACHE_NONE, have = 0;
    *where = slot;
    if (slot != CACHE_NONE) {
        cache_touch(l->c, slot);
        const struct cache_slot *s = &l->c->slot[slot];
        have = find_sectors(l->c, m->gpu, slot, l->w, r);
        for (uint32_t b = have; b; b &= b - 1) {
            uint64_t ready = s->ready[lowest_bit32(b)];
            if (ready > t && !m->gpu->l1.inflight_counts_as_hit)
                l->missed++;
            done = later_of(done, ready);
        }
    }
    uint32_t miss = r->sectors & ~have;
    if (!miss)
        return done;
    return later_of(done, load_missing(m, sm, l, r->line, miss, slot, where, t));
}

/* The caches' memory is not in the machine's caches: what an instruction's lines will need is asked
 * for together, each step when the one before has had the time of the other lines to arrive. */
struct expected {
    uint64_t line[STRATA_MAX_REQUESTS];
    uint32_t sectors[STRATA_MAX_REQUESTS], slot[STRATA_MAX_REQUESTS];
    unsigned n;
};
static void expect_in_table(const struct hierarchy *m, uint32_t sm, struct expected *x,
                            const struct strata_request *r)
{
    cache_expect(&m->partition[m->sm[sm].partition].l2, r->line);
    expect_request(m, sm, r->line, r->sectors);
    x->line[x->n] = r->line;
    x->sectors[x->n++] = r->sectors;
}
/* The slots of lines that the L2 is asked for, and at their home of those it will not have. */
static void expect_in_l2(const struct hierarchy *m, uint32_t sm, struct expected *x)
{
    uint32_t partition = m->sm[sm].partition;
    const struct cache *l2 = &m->partition[partition].l2;
    for (unsigned i = 0; i < x->n; i++)
        x->slot[i] = cache_expect_slot(l2, x->line[i]);
    for (unsigned i = 0; i < x->n; i++)
        if (x->slot[i] == CACHE_NONE || x->sectors[i] & ~l2->slot[x->slot[i]].valid)
            hierarchy_l2_expect(m, partition, x->line[i]);
}

/* The same with the L1 in front of it. slot: where each line seems to be there. */
static void expect_lines(const struct hierarchy *m, uint32_t sm, const struct strata_request *r,
                         unsigned n, uint32_t *slot)
{
    const struct hierarchy_sm *p = &m->sm[sm];
    struct expected x;
    x.n = 0;
    for (unsigned i = 0; i < n; i++)
        expect_read(&p->l1.table[slot[i] = cache_place(&p->l1, r[i].line)]);
    /* Most lines of a walk by column are in the L1: the L2 is not asked about those. */
    for (unsigned i = 0; i < n; i++) {
        uint32_t place = slot[i];
        if ((slot[i] = cache_expect_slot_at(&p->l1, r[i].line, place)) == CACHE_NONE) {
            cache_expect_ages(&p->l1, place);
            expect_in_table(m, sm, &x, &r[i]);
        }
    }
    expect_in_l2(m, sm, &x);
}

/* A kept walk that comes to its next sectors finds its lines in the L1, but none of those: when the
 * first is not there, the L2 will be asked for most of them. */
static void expect_next_sectors(const struct hierarchy *m, uint32_t sm,
                                const struct strata_request *r, unsigned n, const uint32_t *slot)
{
    const struct hierarchy_sm *p = &m->sm[sm];
    struct expected x;
    x.n = 0;
    if (slot[0] != CACHE_NONE && !(r[0].sectors & ~p->l1.slot[slot[0]].valid))
        return;
    for (unsigned i = 0; i < n; i++)
        expect_in_table(m, sm, &x, &r[i]);
    expect_in_l2(m, sm, &x);
}

/* Where the lines of a load may be, if no walk has them. */
static void guess_slots(const struct hierarchy *m, uint32_t sm, const struct strata_request *r,
                        unsigned n, bool in_l1, uint32_t *slot)
{
    bool looks = n > 1 && m->rules.same_geometry;
    if (looks)
        expect_lines(m, sm, r, n, slot);
    for (unsigned i = 0; !(looks && in_l1) && i < n; i++)
        slot[i] = CACHE_NONE;
}

/* A load takes the unit, or the texture unit for as long and the other for a cycle (probe
 * texture_rate: eight loads of shared memory go on beside a read of 8 cycles). Returns the start.
 */
static uint64_t begin_load(struct hierarchy *m, uint32_t sm, struct load_store_texture texture,
                           uint32_t cycles, uint64_t t)
{
    if (!texture.cycles)
        return unit_begin(m, sm, t, cycles);
    return load_store_texture_begin(&m->sm[sm].texture_free, texture.cycles,
                                    unit_begin(m, sm, t, 1));
}

/* The first lines of a kept walk that are all there: returns how many, *done being when their data
 * is, in as many tags a cycle. Lines under way are hits here. */
static unsigned walk_on(const struct hierarchy *m, const struct loading *l,
                        const struct column_walk *walk, uint32_t sectors, uint64_t start,
                        uint64_t *done)
{
    if (!column_walk_may_run(l->c) || !m->gpu->l1.inflight_counts_as_hit)
        return 0;
    unsigned n = column_walk_run(walk, l->c, sectors, done);
    if (n)
        *done = later_of(*done, start + (n - 1) / load_store_tags(m->gpu) + l->hit_cycles);
    return n;
}

/* The lines of a load from the first on that a kept walk did not find at once; slot: where they may
 * be. Returns when the last is there, `done` at the earliest. */
static uint64_t load_lines(struct hierarchy *m, uint32_t sm, struct loading *l,
                           const struct strata_request *r, unsigned first, unsigned n,
                           uint32_t *slot, uint64_t start, uint64_t done)
{
    uint32_t tags = load_store_tags(m->gpu);
    for (unsigned i = first; i < n; i++) /* so many tags a cycle */
        done = later_of(done, load_line(m, sm, l, &r[i], &slot[i], start + i / tags));
    return done;
}

/* The same of a kept walk, whose requests have not been made. */
static uint64_t load_walk(struct hierarchy *m, uint32_t sm, struct loading *l,
                          struct column_walk *walk, unsigned n, uint32_t sectors, uint64_t start,
                          uint64_t done)
{
    struct strata_request r[STRATA_MAX_REQUESTS];
    unsigned found = walk_on(m, l, walk, sectors, start, &done);
    if (found == n)
        return done;
    column_walk_requests(&m->coalescer, l->w, r);
    if (m->rules.same_geometry)
        expect_next_sectors(m, sm, r + found, n - found, walk->slot + found);
    return load_lines(m, sm, l, r, found, n, walk->slot, start, done);
}

static uint64_t host_load(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                          const struct strata_request *r, unsigned n, uint64_t t)
{
    uint32_t sectors = strata_count_sectors(r, n);
    uint64_t start = unit_begin(m, sm, t, load_store_cycles(m->gpu, &m->coalescer, w, r, n));
    count_access(&m->count, w->inst, sectors, 0);
    m->count.to_l1_bytes += PACKET_SECTOR_BYTES * sectors;
    return hierarchy_host_read(m, sectors, start);
}

/* walk: where a walk by column is kept, or NULL; again: it is this one's already, and r not made.
 */
static uint64_t load(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                     struct strata_request *r, unsigned n, struct column_walk *walk, bool again,
                     uint64_t t)
{
    struct hierarchy_sm *p = &m->sm[sm];
    enum load_path path = load_path_of(m->gpu, w->inst);
    const struct strata_launch_texture *texture = strata_coalescer_texture(&m->coalescer, w);
    struct loading l = {.w = w,
                        .c = path == LOAD_L1 ? &p->l1 : path_side(p, path),
                        .in_l1 = path == LOAD_L1,
                        .request_sectors = load_request_sectors(m->gpu, texture),
                        .is_alone = n == 1,
                        .new_line = UINT64_MAX};
    if (again && !l.in_l1)
        column_walk_requests(&m->coalescer, w, r);
    uint32_t each = again ? column_walk_sectors(&m->coalescer, w) : 0,
             tag_cycles = again ? walk->tag_cycles : load_store_tag_cycles(m->gpu, r, n),
             passes = load_store_passes(m->gpu, &m->coalescer, w, n),
             cycles = load_store_cycles_with(m->gpu, w, tag_cycles, passes),
             sectors = again ? n * popcount32(each) : strata_count_sectors(r, n);
    struct load_store_texture read = load_store_texture_of(m->gpu, w->inst, texture, cycles);
    l.hit_cycles = load_path_hit_cycles(m->gpu, path, passes);
    l.miss_free = read.cycles ? &p->texture_miss_free : &p->miss_free;
    uint64_t start = begin_load(m, sm, read, cycles, t), done = start;
    leaving_miss_load(&p->leaving, m->warp, t, start, cycles);
    if (path == LOAD_L1 || path == LOAD_AROUND)
        done += l.hit_cycles;
    if (again && l.in_l1) {
        done = load_walk(m, sm, &l, walk, n, each, start, done);
    } else {
        uint32_t slot[STRATA_MAX_REQUESTS];
        guess_slots(m, sm, r, n, l.in_l1, slot);
        done = load_lines(m, sm, &l, r, 0, n, slot, start, done);
        if (walk && l.in_l1)
            column_walk_keep(walk, r, n, w, tag_cycles, slot);
    }
    leaving_miss_loaded(&p->leaving, tag_cycles, cycles);
    /* The unit stops when its misses queue up in front of the crossbar. */
    load_store_hold(&p->unit, p->miss_free, m->gpu->sm.lsu_queue_cycles);
    count_access(&m->count, w->inst, sectors, sectors - l.missed);
    return done + read.later;
}

/* ---- stores and atomics ---- */

/* The unit is held up when the way to the crossbar, or what its stores wait for there, is more than
 * a buffer behind. */
static void hold_for_port(struct hierarchy *m, uint32_t sm)
{
    struct hierarchy_sm *p = &m->sm[sm];
    load_store_hold(&p->unit, later_of(*hierarchy_port(m, sm) / 64, p->store_taken),
                    m->gpu->xbar.port_buffer_cycles);
}

/* A line that is stored to leaves for the L2, and for its home, before long. */
static void expect_store(const struct hierarchy *m, uint32_t partition, uint64_t line)
{
    if (!m->rules.same_geometry)
        return;
    cache_expect_slot(&m->partition[partition].l2, line);
    hierarchy_l2_expect(m, partition, line);
}

static uint64_t store(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                      const struct strata_request *r, unsigned n, uint64_t t)
{
    struct hierarchy_sm *p = &m->sm[sm];
    uint64_t start = unit_begin(m, sm, t, load_store_cycles(m->gpu, &m->coalescer, w, r, n));
    struct store_line one;
    uint32_t hits = 0;
    bool host = hierarchy_is_host(m, w);
    m->host.lanes |= host ? w->mask : 0;
    for (unsigned i = 0; i < n; i++) {
        one = (struct store_line){
            .line = r[i].line,
            .places = store_buffer_places(m->gpu, w->inst->width_bytes, r[i].sectors),
            .host = host};
        line_bytes_of(&one.bytes, w, &r[i], m->gpu->l1.cache.line_bytes);
        expect_store(m, p->partition, one.line);
        if (leaving_stores_has(&p->leaving_stores, m->gpu, one.line, start))
            l1_forget(&p->l1, one.line);
        if (m->gpu->l1.enabled)
            hits += popcount32(l1_write(&p->l1, m->gpu, one.line, r[i].sectors, &one.bytes, start));
        store_buffer_put(&p->stores, m->gpu, &one, start - p->unit.held, send_for_room,
                         &(struct sender){m, sm});
    }
    count_access(&m->count, w->inst, strata_count_sectors(r, n), hits);
    hold_for_port(m, sm);
    return start + 1;
}

/* A launch does not wait for the line that an addition without an answer fetches, once it is that
 * line's turn: launches of public programs that end with such additions were 310 cycles slower than
 * others beside the card's, in the mean of eleven. */
static uint64_t atomic(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                       const struct strata_request *r, unsigned n, uint64_t t)
{
    bool returns = w->inst->memop == STRATA_MEM_ATOMIC;
    uint64_t start = unit_begin(m, sm, t, load_store_cycles(m->gpu, &m->coalescer, w, r, n)),
             done = start + 1;
    uint32_t packets = 0;
    struct hierarchy_sm *p = &m->sm[sm];
    uint64_t *port = hierarchy_port(m, sm);
    for (unsigned i = 0; i < n; i++) {
        struct line_bytes bytes;
        line_bytes_of(&bytes, w, &r[i], m->gpu->l1.cache.line_bytes);
        uint32_t whole = line_bytes_full(&bytes, r[i].sectors, m->rules.sector_shift);
        struct l2_atomics a = l2_atomics_of(w, &r[i], n == 1, m->ptx);
        uint32_t k = a.packets;
        packets += k;
        void_line(m, sm, r[i].line);
        uint64_t leave = hierarchy_take(m, port, start, k * m->out_64ths_per_packet);
        uint64_t back = hierarchy_is_host(m, w)
                            ? hierarchy_host_atomic(m, sm, r[i].line, a, leave)
                            : hierarchy_l2_atomic(m, sm, r[i].line, r[i].sectors, whole, a, leave);
        if (returns)
            done =
                later_of(done, hierarchy_take(m, &p->in_free64, back, k * m->in_64ths_per_packet));
        m->held = 0;
        bool waits = returns || hierarchy_is_host(m, w);
        p->store_done = later_of(p->store_done, waits ? back : m->atomic_taken);
    }
    m->count.from_l1_bytes += PACKET_SECTOR_BYTES * packets;
    m->count.to_l1_bytes += returns ? PACKET_SECTOR_BYTES * packets : 0;
    count_access(&m->count, w->inst, l1_counted_sectors(w, r, n, m->ptx), 0);
    hold_for_port(m, sm);
    return done;
}

uint64_t hierarchy_access(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                          uint64_t local_base, uint64_t t)
{
    struct strata_request r[STRATA_MAX_REQUESTS];
    bool loads = w->inst->memop != STRATA_MEM_STORE && w->inst->memop != STRATA_MEM_ATOMIC &&
                 w->inst->memop != STRATA_MEM_REDUCTION;
    struct column_walk *walk = loads ? column_walk_of(m->sm[sm].walk, &m->coalescer, w) : NULL;
    bool again = walk && column_walk_fits(walk, &m->coalescer, w);
    unsigned n = again ? popcount32(w->mask) : strata_coalesce(&m->coalescer, w, local_base, r);
    if (!n)
        return unit_begin(m, sm, t, 1) + 1;
    m->copied_to_shared |= w->inst->memop == STRATA_MEM_ASYNC_COPY;
    switch (w->inst->memop) {
    case STRATA_MEM_STORE:
        return store(m, sm, w, r, n, t);
    case STRATA_MEM_ATOMIC:
    case STRATA_MEM_REDUCTION:
        return atomic(m, sm, w, r, n, t);
    default:
        if (w->inst->hints & STRATA_HINT_HOST)
            l1_lose_all_but_local(&m->sm[sm].l1, m->gpu);
        return !again && hierarchy_is_host(m, w) ? host_load(m, sm, w, r, n, t)
                                                 : load(m, sm, w, r, n, walk, again, t);
    }
}
