/* hierarchy.c - the L1 side: loads, stores that wait, atomics. */
#include "reuse/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "reuse/hierarchy_l2.h"
#include "sm/atomics.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- loads ---- */

static uint64_t load_line(struct hierarchy *h, uint32_t sm, const struct strata_request *r,
                          bool use_l1, uint64_t t, uint32_t *hits)
{
    struct cache *l1 = &h->sm[sm].l1;
    uint64_t done = t + h->gpu->l1.hit_cycles;
    uint32_t slot = use_l1 ? cache_find(l1, r->line) : CACHE_NONE, have = 0;
    if (slot != CACHE_NONE) {
        cache_touch(l1, slot);
        have = l1->slot[slot].valid & r->sectors;
        for (uint32_t b = have; b; b &= b - 1) {
            uint64_t ready = l1->slot[slot].ready[lowest_bit32(b)];
            *hits += ready <= t || h->gpu->l1.inflight_counts_as_hit;
            done = later(done, ready);
        }
    }
    uint32_t miss = r->sectors & ~have;
    if (!miss)
        return done;
    uint64_t arrival = hierarchy_l2_read(h, sm, r->line, miss, t);
    h->n.to_l1_bytes += popcount32(miss) * h->gpu->l1.cache.sector_bytes;
    if (use_l1) {
        if (slot == CACHE_NONE)
            slot = cache_insert(l1, r->line, NULL);
        l1->slot[slot].valid |= (uint8_t)miss;
        for (uint32_t b = miss; b; b &= b - 1)
            l1->slot[slot].ready[lowest_bit32(b)] = arrival;
    }
    return later(done, arrival);
}

/* The caches' memory is not in the machine's caches: what an instruction's lines will need is asked
 * for together, each step when the one before has had the time of the other lines to arrive. */
static void fetch_ahead(const struct hierarchy *h, uint32_t sm, const struct strata_request *r,
                        unsigned n)
{
    const struct hierarchy_sm *p = &h->sm[sm];
    const struct cache *l2 = &h->partition[p->partition].l2;
    for (unsigned i = 0; i < n; i++) {
        cache_expect(&p->l1, r[i].line);
        cache_expect(l2, r[i].line);
    }
    for (unsigned i = 0; i < n; i++) {
        cache_expect_slot(&p->l1, r[i].line);
        if (!cache_expect_slot(l2, r[i].line))
            hierarchy_l2_expect(h, p->partition, r[i].line);
    }
}

static uint64_t load(struct hierarchy *h, uint32_t sm, const struct strata_winst *w,
                     const struct strata_request *r, unsigned n, uint64_t t)
{
    bool bypass = w->inst->hints & STRATA_HINT_BYPASS_L1,
         copy = w->inst->memop == STRATA_MEM_ASYNC_COPY;
    uint32_t hits = 0, sectors = 0;
    uint64_t done = t;
    if (n > 1 && h->side.same_geometry)
        fetch_ahead(h, sm, r, n);
    for (unsigned i = 0; i < n; i++) {
        sectors += popcount32(r[i].sectors);
        done = later(done, load_line(h, sm, &r[i], h->gpu->l1.enabled && !bypass, t + i, &hits));
    }
    if (w->inst->space == STRATA_SPACE_LOCAL) {
        h->n.local_ld_sectors += sectors;
    } else if (!(copy && bypass)) {
        h->n.ld_requests++;
        h->n.ld_sectors += sectors;
        h->n.ld_hits += hits;
    }
    return done;
}

/* ---- stores ---- */

static void send(struct hierarchy *h, uint32_t sm, const struct hierarchy_store *s)
{
    uint32_t full = 0, sector = h->gpu->l1.cache.sector_bytes;
    for (uint32_t b = s->sectors; b; b &= b - 1)
        if (s->bytes[lowest_bit32(b)] >= (sector > 255 ? 255 : sector))
            full |= 1u << lowest_bit32(b);
    h->n.from_l1_bytes += popcount32(s->sectors) * sector;
    hierarchy_l2_write(h, sm, s->line, s->sectors, full, s->last);
}

/* A line leaves after cycles in which the unit had nothing to do, or when it has waited its time.
 */
static void send_idle(struct hierarchy *h, uint32_t sm, uint64_t t)
{
    struct hierarchy_sm *p = &h->sm[sm];
    uint64_t idle = t - p->unit_busy;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->n_stores; i++)
        if (t != UINT64_MAX && idle < p->store[i].idle + h->gpu->l1.store_idle_cycles &&
            t < p->store[i].last + h->gpu->l1.store_wait_cycles)
            p->store[kept++] = p->store[i];
        else
            send(h, sm, &p->store[i]);
    p->n_stores = kept;
}

void hierarchy_drain(struct hierarchy *h)
{
    for (uint32_t s = 0; s < h->n_sms; s++)
        send_idle(h, s, UINT64_MAX);
}

static void wait_in_buffer(struct hierarchy *h, uint32_t sm, const struct strata_request *r,
                           uint32_t bytes, uint64_t t)
{
    struct hierarchy_sm *p = &h->sm[sm];
    uint32_t i = 0, limit = h->gpu->l1.store_buffer_lines;
    limit = limit < 1 ? 1 : limit > HIERARCHY_STORE_LINES ? HIERARCHY_STORE_LINES : limit;
    while (i < p->n_stores && p->store[i].line != r->line)
        i++;
    if (i == p->n_stores) {
        if (p->n_stores >= limit) {
            send(h, sm, &p->store[0]);
            memmove(&p->store[0], &p->store[1], (p->n_stores - 1) * sizeof p->store[0]);
            i = --p->n_stores;
        }
        p->store[i] = (struct hierarchy_store){.line = r->line};
        p->n_stores++;
    }
    p->store[i].last = t;
    p->store[i].idle = p->unit_free - p->unit_busy;
    p->store[i].sectors |= r->sectors;
    for (uint32_t b = r->sectors; b; b &= b - 1) {
        uint32_t sum = p->store[i].bytes[lowest_bit32(b)] + bytes;
        p->store[i].bytes[lowest_bit32(b)] = (uint8_t)(sum > 255 ? 255 : sum);
    }
    if (!h->gpu->l1.store_buffer_lines)
        send_idle(h, sm, UINT64_MAX);
}

/* What a store does to the L1's copy; a sector written in part is not readable until fetched. */
static void store_in_l1(struct hierarchy *h, uint32_t sm, const struct strata_request *r,
                        uint32_t bytes, bool local, uint64_t t)
{
    struct cache *l1 = &h->sm[sm].l1;
    uint32_t policy = h->gpu->l1.write_policy, slot = cache_find(l1, r->line);
    if (slot != CACHE_NONE) {
        h->n.st_hits += local ? 0 : popcount32(l1->slot[slot].valid & r->sectors);
        if (policy == STRATA_WRITE_EVICT) {
            cache_remove(l1, slot);
            return;
        }
        cache_touch(l1, slot);
    } else if (policy == STRATA_WRITE_THROUGH_ALLOCATE || policy == STRATA_WRITE_BACK) {
        slot = cache_insert(l1, r->line, NULL);
    } else {
        return;
    }
    if (bytes < h->gpu->l1.cache.sector_bytes)
        return;
    for (uint32_t b = r->sectors & ~(uint32_t)l1->slot[slot].valid; b; b &= b - 1)
        l1->slot[slot].ready[lowest_bit32(b)] = t;
    l1->slot[slot].valid |= (uint8_t)r->sectors;
}

static uint64_t store(struct hierarchy *h, uint32_t sm, const struct strata_winst *w,
                      const struct strata_request *r, unsigned n, uint64_t t)
{
    bool local = w->inst->space == STRATA_SPACE_LOCAL;
    uint32_t sectors = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t k = popcount32(r[i].sectors),
                 bytes = popcount32(r[i].lanes) * w->inst->width_bytes / (k ? k : 1);
        sectors += k;
        if (h->gpu->l1.enabled)
            store_in_l1(h, sm, &r[i], bytes, local, t);
        wait_in_buffer(h, sm, &r[i], bytes > 255 ? 255 : bytes, t);
    }
    if (local) {
        h->n.local_st_sectors += sectors;
    } else {
        h->n.st_requests++;
        h->n.st_sectors += sectors;
    }
    return t + 1;
}

/* ---- atomics ---- */

static uint64_t atomic(struct hierarchy *h, uint32_t sm, const struct strata_winst *w,
                       const struct strata_request *r, unsigned n, uint64_t t)
{
    bool returns = w->inst->memop == STRATA_MEM_ATOMIC;
    uint64_t done = t + 1, addr[STRATA_WARP_SIZE];
    strata_winst_addresses(w, addr);
    for (unsigned i = 0; i < n; i++) {
        uint32_t packets = sm_atomic_packets(addr, &r[i], h->sm[sm].l1.sector_shift),
                 sectors = popcount32(r[i].sectors);
        uint64_t back = hierarchy_l2_atomic(h, sm, r[i].line, r[i].sectors, packets, t);
        h->n.from_l1_bytes += 32 * packets;
        h->n.to_l1_bytes += returns ? 32 * packets : 0;
        *(returns ? &h->n.atom_sectors : &h->n.red_sectors) += sectors;
        done = returns ? later(done, back) : done;
    }
    return done;
}

/* Time is taken per transaction, not per instruction: what made the model agree with the column
 * copy of paper 000 (see docs/reuse.md) also keeps stores of one warp apart that others' accesses
 * part. Several lines are looked up at a time; data banks that collide need passes. */
static uint64_t take_unit(struct hierarchy *h, uint32_t sm, const struct strata_winst *w,
                          unsigned n, uint64_t t)
{
    struct hierarchy_sm *p = &h->sm[sm];
    uint32_t tags = h->gpu->l1.tags_per_cycle ? h->gpu->l1.tags_per_cycle : 1,
             cycles = (n + tags - 1) / tags;
    uint32_t width = w->inst->width_bytes > 4 ? w->inst->width_bytes / 4u : 1;
    uint32_t passes = n > width ? strata_shared_access(&h->coalescer, w).wavefronts : width;
    cycles = passes > cycles ? passes : cycles;
    if (w->inst->memop == STRATA_MEM_STORE && cycles < h->gpu->l1.store_cycles)
        cycles = h->gpu->l1.store_cycles;
    uint64_t start = later(t, p->unit_free);
    p->unit_free = start + cycles;
    p->unit_busy += cycles;
    return start;
}

/* What the counters gained through one access is that access's doing. */
static void tell_site(const struct hierarchy *h, const struct strata_winst *w,
                      const struct launch_counters *before)
{
    const struct launch_counters *n = &h->n;
    struct strata_site_access a = {
        .inst = w->inst, .inst_index = w->inst_index, .lanes = popcount32(w->mask)};
    if (w->inst->memop != STRATA_MEM_STORE) { /* a store pushes out others */
        a.l1_hits = n->ld_hits - before->ld_hits;
        a.l2_reads = n->l2_tex_read - before->l2_tex_read;
        a.l2_hits = n->l2_tex_read_hit - before->l2_tex_read_hit;
        a.dram_reads = n->dram_read - before->dram_read;
    }
    a.sectors = n->ld_sectors + n->st_sectors + n->local_ld_sectors + n->local_st_sectors +
                n->atom_sectors + n->red_sectors;
    a.sectors -= before->ld_sectors + before->st_sectors + before->local_ld_sectors +
                 before->local_st_sectors + before->atom_sectors + before->red_sectors;
    h->sites->access(h->sites->context, &a);
}

void hierarchy_shared(struct hierarchy *h, const struct strata_winst *w)
{
    if (!h->sites)
        return;
    struct strata_site_access a = {.inst = w->inst,
                                   .inst_index = w->inst_index,
                                   .lanes = popcount32(w->mask),
                                   .bank_conflicts =
                                       strata_shared_access(&h->coalescer, w).conflicts};
    h->sites->access(h->sites->context, &a);
}

static uint64_t perform(struct hierarchy *h, uint32_t sm, const struct strata_winst *w,
                        const struct strata_request *r, unsigned n, uint64_t t)
{
    switch (w->inst->memop) {
    case STRATA_MEM_STORE:
        return store(h, sm, w, r, n, t);
    case STRATA_MEM_ATOMIC:
    case STRATA_MEM_REDUCTION:
        return atomic(h, sm, w, r, n, t);
    default:
        return load(h, sm, w, r, n, t);
    }
}

uint64_t hierarchy_access(struct hierarchy *h, uint32_t sm, const struct strata_winst *w,
                          uint64_t local_base, uint64_t t)
{
    struct strata_request r[STRATA_MAX_REQUESTS];
    unsigned n = strata_coalesce(&h->coalescer, w, local_base, r);
    if (!n)
        return t + 1;
    if (h->sm[sm].n_stores) /* before this access makes the unit busy */
        send_idle(h, sm, later(t, h->sm[sm].unit_free));
    t = take_unit(h, sm, w, n, t);
    if (!h->sites)
        return perform(h, sm, w, r, n, t);
    struct launch_counters before = h->n;
    t = perform(h, sm, w, r, n, t);
    tell_site(h, w, &before);
    return t;
}

/* ---- the profiler's words ---- */

void hierarchy_report(const struct hierarchy *h, struct strata_result *r)
{
    uint32_t sector = h->gpu->l2.cache.sector_bytes;
    launch_counters_report(&h->n, COUNTED_L1 | COUNTED_L2 | COUNTED(dram_write), sector, r);
    launch_counters_report(&h->n, COUNTED(dram_read), sector, r);
    strata_result_detail(r, "coalescer.merged_sectors",
                         memside_32_byte_sectors(h->n.merged_sectors, sector));
}
