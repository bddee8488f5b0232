/* hierarchy_l2.c - the request coalescer of a GPC, the L2's partitions and the link between them.
 *
 * Rules, each seen on the card (device/probe and the counters of the truth set):
 * - SMs of one GPC that ask for a line already on its way share the answer; the L2 does not see the
 *   later request (group merge).
 * - An SM looks up the partition its GPC is attached to. A line whose home is the other partition
 *   is asked for over the link and kept here as a copy (reread, l2_gather).
 * - A miss fetches 64 bytes; the profiler counts every sector fetched as a miss and every requested
 *   sector that was there, or on its way, as a hit, unless its own request fetched it.
 * - Writes go to the near partition and on to the home; both hold the data, the home's copy is
 *   dirty. Other partitions' copies are void then; an atomic, done at the home, leaves none
 *   (copies_probe.cu). */
#include "memory/hierarchy.h"

void hierarchy_l2_expect(const struct hierarchy *m, uint32_t partition, uint64_t line)
{
    uint32_t home = address_map_home(&m->map, line);
    if (home != partition)
        cache_expect_slot(&m->partition[home].l2, line);
}

/* Takes a slice for `cost`; returns when its turn begins. */
static uint64_t take_slice(struct hierarchy *m, uint32_t part, uint64_t line, uint32_t cost,
                           uint64_t t)
{
    if (!cost)
        return t; /* nor need the slice be known */
    return hierarchy_take(m, &m->partition[part].slice_free64[address_map_slice(&m->map, line)], t,
                          cost);
}

/* A request comes in from an SM. What was measured is what all slices take in together: the ways in
 * are taken by turns, and no slice waits for another. */
static uint64_t come_in(struct hierarchy *m, uint32_t part, uint32_t cost, uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[part];
    if (!cost)
        return t;
    return hierarchy_take(m, &p->way_in_free64[p->came_in++ % m->map.slices], t, cost);
}

static uint64_t cross_link(struct hierarchy *m, uint32_t part, uint32_t n, uint64_t t)
{
    m->count.fabric += n;
    return hierarchy_take(m, &m->partition[part].fabric_free64, t, l2_link_cost(&m->cost, n));
}

/* ---- write-back ---- */

static void clean_line(struct hierarchy *m, uint32_t part, struct cache_slot *s, uint64_t t)
{
    uint32_t read,
        dirty = write_back_clean(&m->partition[part].dirty, &m->partition[part].l2, s, &read);
    uint64_t held = m->held; /* of the request under way, which does not wait for this */
    uint64_t due = 0;
    if (read) {
        due = hierarchy_dram_read(m, part, s->line, read, t);
        /* What comes in is a write to the counter (partial_probe.cu: as many more as are read). */
        m->count.l2_write += m->gpu->l2.partial_ways ? popcount32(read) : 0;
    }
    m->cleaned = later_of(m->cleaned, hierarchy_dram_write(m, part, s->line, dirty, due, t));
    m->held = held;
}

static void mark_dirty(struct hierarchy *m, uint32_t part, struct cache_slot *s, uint32_t sectors,
                       bool was_partial, uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[part];
    write_back_mark(&p->dirty, &p->l2, s, sectors, was_partial);
    for (struct cache_slot *old; (old = write_back_overdue(&p->dirty, &p->l2));)
        clean_line(m, part, old, t);
}

/* A read has hit a line. */
static void clean_ahead(struct hierarchy *m, uint32_t part, uint64_t line, uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[part];
    struct cache_slot *old = write_back_ahead(&p->dirty, &p->l2, line);
    if (old)
        clean_line(m, part, old, t);
}

/* A write has left parts of a line's sectors unknown, or found it so. */
static void limit_in_part(struct hierarchy *m, uint32_t part, uint64_t line, bool was_partial,
                          uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[part];
    struct cache_slot *s = write_back_in_part(&p->dirty, &p->l2, line, was_partial);
    /* Where the line was new, what leaves costs the write nothing (piecewise_probe.cu, half). */
    if (s && was_partial)
        come_in(m, part, m->cost.clean_hold, t);
    if (s && s->dirty)
        clean_line(m, part, s, t);
    else if (s)
        write_back_drop(s);
}

static void mark_timed(struct hierarchy_partition *p, uint32_t slot)
{
    if (p->timed)
        p->timed[slot / HIERARCHY_MARK_SLOTS] = 1;
}

/* All that sets the times of a slot has asked for its place. */
static uint32_t place_of(struct hierarchy *m, uint32_t part, uint64_t line, uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[part];
    uint32_t slot = cache_find(&p->l2, line);
    if (slot != CACHE_NONE) {
        mark_timed(p, slot);
        cache_touch(&p->l2, slot);
        return slot;
    }
    struct cache_slot evicted;
    slot = cache_insert(&p->l2, line, &evicted);
    mark_timed(p, slot);
    if (evicted.used && evicted.dirty) {
        clean_line(m, part, &evicted, t);
        write_back_gave_up(&p->dirty, &p->l2, line);
    }
    return slot;
}

/* The same for the launch's own accesses, some of whose lines persist at their home. */
static uint32_t l2_slot(struct hierarchy *m, uint32_t part, uint64_t line, uint64_t t)
{
    uint32_t slot = place_of(m, part, line, t);
    if (m->window.bytes && address_map_home(&m->map, line) == part)
        access_window_use(&m->window, &m->partition[part].l2, slot, line);
    return slot;
}

void hierarchy_put_line(struct hierarchy *m, uint32_t part, uint64_t line, uint32_t sectors,
                        bool dirty)
{
    struct cache_slot *s = &m->partition[part].l2.slot[place_of(m, part, line, 0)];
    bool was_partial = s->partial;
    slot_fill(s, sectors, 0);
    write_back_filled(&m->partition[part].dirty, s, was_partial);
    if (dirty)
        mark_dirty(m, part, s, sectors, s->partial, 0);
}

/* A line is changed at its home; `keeper` has the new data too, if it is another partition. */
static void line_changed(struct hierarchy *m, uint32_t home, uint32_t keeper, struct cache_slot *s)
{
    if (m->warm || (s->used & CACHE_COPIED && m->gpu->l2.copies_void))
        hierarchy_void_copies(m, home, keeper, s->line);
    if (keeper == home)
        s->used &= (uint8_t)~CACHE_COPIED;
    else
        s->used |= CACHE_COPIED;
}

/* ---- reads ---- */

/* Sectors of a line at one partition: when the last is there, and how many were held. */
struct l2_answer {
    uint64_t ready;
    uint32_t held, fetched;
};

/* flags: what its slot becomes. */
static struct l2_answer partition_read(struct hierarchy *m, uint32_t part, uint64_t line,
                                       uint32_t sectors, uint32_t cost, uint8_t flags, uint64_t t);

static uint64_t fetch(struct hierarchy *m, uint32_t part, uint64_t line, uint32_t sectors,
                      uint64_t t)
{
    uint32_t home = address_map_home(&m->map, line), n = popcount32(sectors);
    if (home == part) {
        uint64_t ready = hierarchy_dram_read(m, part, line, sectors, t);
        m->count.lat_dram += ready - t;
        return ready;
    }
    uint64_t start = cross_link(m, part, n, t);
    m->count.fabric_read += n;
    struct l2_answer far =
        partition_read(m, home, line, sectors, l2_access_cost(&m->cost, n), CACHE_COPIED, start);
    m->count.l2_read += n;
    m->count.l2_read_hit += popcount32(far.held);
    m->count.l2_read_miss += popcount32(far.fetched);
    m->count.lat_fabric += m->gpu->l2.far_extra_cycles + (start - t);
    return later_of(far.ready, start) + m->gpu->l2.far_extra_cycles;
}

static struct l2_answer partition_read(struct hierarchy *m, uint32_t part, uint64_t line,
                                       uint32_t sectors, uint32_t cost, uint8_t flags, uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[part];
    struct l2_answer a = {.ready = t};
    uint64_t start = take_slice(m, part, line, cost, t);
    m->count.lat_l2 += start - t;
    struct cache_slot *s = &p->l2.slot[l2_slot(m, part, line, start)];
    uint32_t held = l2_held(s), have = held & sectors;
    s->used |= flags;
    a.ready = slot_ready(s, have, start);
    a.held = have;
    if (have && write_back_met(&p->dirty, s))
        clean_ahead(m, part, line, start);
    if (have == sectors)
        return a;
    uint32_t wide = l2_fetch(&m->rules, sectors & ~have, held);
    a.fetched = wide;
    if (address_map_home(&m->map, line) == part)
        start = take_slice(m, part, line, popcount32(wide & s->partial) * m->cost.fill, start);
    uint64_t ready = fetch(m, part, line, wide, start);
    bool was_partial = s->partial;
    slot_fill(s, wide, ready);
    write_back_filled(&p->dirty, s, was_partial);
    a.ready = later_of(a.ready, ready);
    return a;
}

/* Sectors that an SM asks for with a request of their own, or with one that is leaving: what that
 * one fetched is no hit. */
static uint64_t near_read(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                          bool joins, uint64_t t)
{
    struct leaving_miss *leaving = &m->sm[sm].leaving;
    struct leaving_request *last = leaving_miss_last(leaving);
    uint32_t n = popcount32(sectors), part = m->sm[sm].partition,
             cost = joins ? n * m->cost.sector : l2_access_cost(&m->cost, n);
    m->count.l2_requests += !joins;
    uint64_t in = joins ? t : come_in(m, part, l2_flits_cost(&m->cost, 0, 0), t);
    struct l2_answer a = partition_read(m, part, line, sectors, cost, 0, in);
    uint32_t hits = popcount32(a.held & ~(joins ? last->fetched : 0)),
             fetched = popcount32(a.fetched);
    if (leaving->line[leaving->last] == line)
        last->fetched |= a.fetched;
    m->count.l2_tex_read += n;
    m->count.l2_tex_read_hit += hits;
    m->count.l2_tex_read_miss += fetched;
    m->count.l2_read += n;
    m->count.l2_read_hit += hits;
    m->count.l2_read_miss += fetched;
    m->count.lat_xbar += m->gpu->l2.hit_cycles;
    return a.ready + m->gpu->l2.hit_cycles;
}

/* What became of a request that others of its SM may still join. */
static void note_leaving(struct hierarchy *m, uint32_t sm, uint64_t line, enum request_fate fate,
                         bool spoils, uint64_t hits)
{
    struct leaving_miss *l = &m->sm[sm].leaving;
    if (l->line[l->last] != line)
        return;
    leaving_miss_last(l)->opens = fate == REQUEST_OPENS;
    leaving_miss_last(l)->spoils = spoils;
    leaving_miss_last(l)->hits = (uint8_t)hits;
}

/* Requests may share the answer that arrives then until it is about to. */
static uint64_t shared_until(const struct hierarchy *m, uint64_t arrival)
{
    uint64_t back = m->gpu->xbar.coalescer_return_cycles;
    return back && arrival > back ? arrival - back : 0;
}

static void open_answer(struct hierarchy *m, struct open_request *e, uint32_t sm, uint64_t line,
                        uint32_t sectors, uint64_t t, uint64_t arrival)
{
    request_coalescer_open(e, m->gpu, line, sectors, t, sm);
    request_coalescer_answered(e, arrival, shared_until(m, arrival));
}

/* The side of the L2 that is asked: what it knows of the line, and whether sectors were asked for
 * first that differ from those on their way. Copies take whole lines. */
static struct asked_line *ask_side(struct hierarchy *m, uint32_t sm, uint64_t line,
                                   uint32_t sectors, bool bulk, uint64_t t, bool *spoils)
{
    struct asked_line *a =
        bulk ? NULL : request_coalescer_asked(&m->requests, m->sm[sm].partition, line);
    *spoils = a && asked_line_parts(a, line, sectors, sm, t);
    return a;
}

static uint64_t coalesced_read(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                               bool bulk, uint64_t t)
{
    if (!m->requests.open)
        return near_read(m, sm, line, sectors, false, t);
    struct open_request *e =
        request_coalescer_entry(&m->requests, m->sm[sm].group, line, sectors, bulk);
    bool was_open = !e->parts, spoils_side;
    uint64_t hits = m->count.l2_tex_read_hit;
    struct asked_line *a = ask_side(m, sm, line, sectors, bulk, t, &spoils_side);
    bool parts = a && a->parts;
    enum request_fate fate =
        parts ? REQUEST_ALONE
              : request_coalescer_meet(&m->requests, e, line, sectors, e->node == sm, t < e->until);
    if (fate == REQUEST_MERGES) {
        m->count.merged_sectors += popcount32(sectors);
        note_leaving(m, sm, line, fate, false, 0);
        return later_of(e->arrival, t + 1);
    }
    uint64_t arrival = near_read(m, sm, line, sectors, false, t);
    note_leaving(m, sm, line, fate, fate == REQUEST_ALONE && was_open && !parts,
                 m->count.l2_tex_read_hit - hits);
    if (m->sm[sm].leaving.line[m->sm[sm].leaving.last] == line)
        leaving_miss_last(&m->sm[sm].leaving)->spoils_side = spoils_side;
    if (a && !parts)
        a->until = later_of(a->until, shared_until(m, arrival));
    if (fate == REQUEST_OPENS)
        open_answer(m, e, sm, line, sectors, t, arrival);
    return arrival;
}

/* Sectors that were asked for come with another request's: nobody asked for them. */
static void take_back(struct hierarchy *m, uint32_t sectors, uint32_t hits)
{
    uint32_t n = popcount32(sectors);
    m->count.l2_requests--;
    m->count.l2_tex_read -= n;
    m->count.l2_read -= n;
    m->count.l2_tex_read_hit -= hits;
    m->count.l2_read_hit -= hits;
}

/* The request that is leaving asks for more sectors now, and its GPC sees it with all of them: it
 * may be equal to one on its way, which its first sectors were not. */
static bool merges_now(struct hierarchy *m, struct open_request *e, struct leaving_request *r,
                       uint32_t first)
{
    if (e->sectors != r->sectors || (e->parts && !r->spoils) || !e->room)
        return false;
    m->count.merged_sectors += popcount32(r->spoils ? r->sectors : r->sectors & ~first);
    if (r->spoils) {
        take_back(m, first, r->hits);
        e->parts = r->spoils = false;
        e->room--;
    }
    return true;
}

/* Its side sees it with all of them, too: what they ask for first is what the first did, or they
 * are no other sectors than those on their way after all. Returns whether the latter. */
static bool joins_side(struct hierarchy *m, uint32_t sm, uint64_t line, struct leaving_request *r,
                       uint32_t first, uint64_t t)
{
    struct asked_line *a = request_coalescer_asked(&m->requests, m->sm[sm].partition, line);
    if (!a || a->line != line || t >= a->until)
        return false;
    if (a->sm == sm && a->sectors == first)
        a->sectors = r->sectors;
    if (!r->spoils_side || a->sectors != r->sectors)
        return false;
    a->parts = r->spoils_side = false;
    return true;
}

uint64_t hierarchy_l2_join(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                           uint64_t t)
{
    struct leaving_request *r = leaving_miss_last(&m->sm[sm].leaving);
    uint32_t first = r->sectors & ~sectors;
    if (!m->requests.open || !m->requests.one_part)
        return near_read(m, sm, line, sectors, true, t);
    struct open_request *e =
        request_coalescer_entry(&m->requests, m->sm[sm].group, line, r->sectors, false);
    bool is_open = e->line == line && t < e->until, own = r->opens && e->sectors == first,
         alike = joins_side(m, sm, line, r, first, t);
    r->spoils |= alike && is_open; /* its first sectors need not have been asked for */
    if (is_open && !own && merges_now(m, e, r, first))
        return later_of(e->arrival, t + 1);
    uint64_t hits = m->count.l2_tex_read_hit, arrival = near_read(m, sm, line, sectors, true, t);
    r->hits += (uint8_t)(m->count.l2_tex_read_hit - hits);
    if (is_open && own) {
        e->sectors = r->sectors;
        e->arrival = later_of(e->arrival, arrival);
    }
    if (alike && !is_open) {
        open_answer(m, e, sm, line, r->sectors, t, arrival);
        r->opens = true;
    }
    return arrival;
}

uint64_t hierarchy_l2_read_alone(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                                 uint64_t t)
{
    return near_read(m, sm, line, sectors, false, t);
}

/* L1 lines and sectors in the L2's terms: the same on Volta and later, split or joined before. */
uint64_t hierarchy_l2_read(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                           bool bulk, uint64_t t)
{
    if (m->rules.same_geometry)
        return coalesced_read(m, sm, line, sectors, bulk, t);
    uint64_t done = t, l2_line;
    for (uint64_t at = line; at < line + m->gpu->l1.cache.line_bytes;) {
        uint32_t mask = l2_part_of(&m->rules, line, sectors, &at, &l2_line);
        if (mask)
            done = later_of(done, coalesced_read(m, sm, l2_line, mask, bulk, t));
    }
    return done;
}

/* ---- writes and atomics ---- */

/* Returns when the slice takes them in. An SM of the writer's partition sends them. */
static uint64_t put_sectors(struct hierarchy *m, uint32_t part, uint32_t writer, uint64_t line,
                            uint32_t sectors, const struct line_bytes *bytes, bool home, uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[part];
    m->cleaned = 0;
    /* Sectors written in part take longer: their bytes are merged. */
    uint32_t n = popcount32(sectors),
             in_part = sectors & ~line_bytes_full(bytes, sectors, m->rules.sector_shift),
             partial = popcount32(in_part);
    if (part == writer)
        t = come_in(m, part, l2_flits_cost(&m->cost, n, partial), t);
    uint64_t start = take_slice(m, part, line, l2_write_cost(&m->cost, n, partial), t);
    uint32_t slot = l2_slot(m, part, line, start);
    struct cache_slot *s = &p->l2.slot[slot];
    if (home && in_part) {
        uint32_t cost_under_way = l2_overtaken_cost(&m->cost, l2_under_way(s, in_part, start));
        if (cost_under_way)
            t = start = take_slice(m, part, line, cost_under_way, start) + cost_under_way / 64;
    }
    bool was_partial = s->partial;
    uint32_t fetched = l2_write(&m->rules, &p->l2, slot, sectors, bytes, home, start);
    if (fetched)
        slot_fill(s, fetched, hierarchy_dram_read(m, part, line, fetched, start));
    m->count.l2_write += n;
    m->count.l2_write_hit += n; /* an allocating write counts as a hit */
    if (home) {
        line_changed(m, part, writer, s);
        mark_dirty(m, part, s, sectors, was_partial, start);
    }
    if (s->partial && p->dirty.partial_limit)
        limit_in_part(m, part, line, was_partial, start);
    uint64_t wait = m->gpu->l2.clean_wait_cycles;
    return wait && m->cleaned > t + wait ? m->cleaned - wait : t;
}

static uint64_t near_write(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                           const struct line_bytes *bytes, uint64_t t)
{
    uint32_t part = m->sm[sm].partition, home = address_map_home(&m->map, line),
             n = popcount32(sectors);
    m->count.l2_requests++;
    m->count.l2_tex_write += n;
    uint64_t taken = put_sectors(m, part, part, line, sectors, bytes, home == part, t);
    if (home != part)
        taken = later_of(taken, put_sectors(m, home, part, line, sectors, bytes, true,
                                            cross_link(m, part, n, t)));
    return taken;
}

uint64_t hierarchy_l2_write(struct hierarchy *m, uint32_t sm, const struct store_line *s,
                            uint64_t t)
{
    const struct strata_gpu *g = m->gpu;
    if (s->host)
        return hierarchy_host_write(m, sm, s, t);
    if (m->rules.same_geometry && m->rules.sector_bytes == PACKET_SECTOR_BYTES)
        return near_write(m, sm, s->line, s->sectors, &s->bytes, t);
    uint64_t taken = t;
    uint64_t step = g->l2.cache.line_bytes;
    for (uint64_t at = s->line & ~(step - 1); at < s->line + g->l1.cache.line_bytes; at += step) {
        struct line_bytes bytes;
        l2_bytes_of(&m->rules, s->line, &s->bytes, at, &bytes);
        uint32_t sectors = line_bytes_sectors(&bytes, m->rules.sector_shift);
        if (sectors)
            taken = later_of(taken, near_write(m, sm, at, sectors, &bytes, t));
    }
    return taken;
}

/* Where an atomic's line is not at home here, it goes over the link; returns when it is there. */
static uint64_t send_atomic_home(struct hierarchy *m, uint32_t part, uint64_t line, uint32_t n,
                                 uint32_t packets, uint64_t t)
{
    uint64_t at = take_slice(m, part, line, l2_atomic_pass_cost(&m->cost, n, packets), t);
    m->count.l2_atomic += packets;
    return cross_link(m, part, packets, at) + m->gpu->l2.far_extra_cycles / 2;
}

/* When the slice of their home begins with atomics. */
static uint64_t take_for_atomics(struct hierarchy *m, uint32_t home, uint64_t line,
                                 uint32_t sectors, uint32_t whole, struct l2_atomics a, uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[home];
    uint32_t slice = address_map_slice(&m->map, line), n = popcount32(sectors),
             rows = l2_atomic_rows(a, n);
    uint32_t meets = l2_atomic_is_float(&m->cost, a)
                         ? l2_atomic_meets(&p->slice_atomics[slice], line, sectors, rows)
                         : 0;
    uint64_t *free64 = &p->slice_free64[slice];
    meets = *free64 > m->now * 64 ? meets : 0;
    m->atomic_cost = l2_atomic_cost(&m->cost, a, n, whole, meets);
    return hierarchy_take(m, free64, t, m->atomic_cost);
}

/* Where a slice takes the atomics of an SM at `start` only, its load/store unit waits for all but
 * those that may stand in front of it, which every SM has as many of. */
static void hold_for_slice(struct hierarchy *m, uint32_t sm, uint64_t start)
{
    uint64_t room = (uint64_t)m->gpu->xbar.port_atomics * m->n_sms * m->atomic_cost / 64;
    if (room && start > room)
        m->sm[sm].store_taken = later_of(m->sm[sm].store_taken, start - room);
}

/* Atomics are done at the home of the line, which fetches it if it is not there. */
uint64_t hierarchy_l2_atomic(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                             uint32_t whole, struct l2_atomics a, uint64_t t)
{
    uint32_t part = m->sm[sm].partition, home = address_map_home(&m->map, line),
             line_bytes = m->gpu->l2.cache.line_bytes;
    uint64_t at =
        home == part ? t : send_atomic_home(m, part, line, popcount32(sectors), a.packets, t);
    m->count.l2_requests++;
    m->count.l2_atomic += a.packets;
    if (!m->rules.same_geometry)
        line &= ~(uint64_t)(line_bytes - 1), sectors = 1;
    struct hierarchy_partition *p = &m->partition[home];
    uint64_t start = take_for_atomics(m, home, line, sectors, popcount32(whole), a, at);
    hold_for_slice(m, sm, start);
    struct cache_slot *s = &p->l2.slot[l2_slot(m, home, line, start)];
    uint32_t held = l2_held(s), missing = sectors & ~held;
    uint64_t ready = slot_ready(s, sectors & held, start);
    bool was_partial = s->partial;
    if (missing) {
        missing = l2_atomic_fetch(&m->rules, missing, held, home == part);
        uint64_t got = hierarchy_dram_read(m, home, line, missing, start);
        slot_fill(s, missing, got);
        ready = later_of(ready, got);
    }
    line_changed(m, home, home, s);
    mark_dirty(m, home, s, sectors, was_partial, start);
    uint64_t back = m->gpu->l2.hit_cycles + (home != part ? m->gpu->l2.far_extra_cycles / 2 : 0),
             access = m->gpu->dram.access_cycles;
    m->atomic_taken = later_of(start, ready > access ? ready - access : 0) + back;
    return ready + back;
}
