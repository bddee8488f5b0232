/* l1.c - the load/store unit, the L1 and the stores that wait in front of the crossbar. */
#include "memory/hierarchy.h"

#include <string.h>

#include "base/bits.h"
#include "memory/atomics.h"

/* Bytes of each sector of a request's line that its lanes write. */
static void sector_bytes(const struct hierarchy *m, const struct strata_winst *w,
                         const struct strata_request *r, uint8_t bytes[CACHE_MAX_SECTORS])
{
    uint32_t size = m->gpu->l1.cache.sector_bytes, width = w->inst->width_bytes,
             sum[CACHE_MAX_SECTORS] = {0};
    uint64_t addr[STRATA_WARP_SIZE];
    if (w->inst->space ==
        STRATA_SPACE_LOCAL) { /* addresses are private offsets; words are interleaved */
        uint32_t n = popcount32(r->sectors), each = n ? popcount32(r->lanes) * 4 / n : 0;
        for (uint32_t k = 0; k < CACHE_MAX_SECTORS; k++)
            bytes[k] = (uint8_t)((r->sectors >> k & 1) ? each : 0);
        return;
    }
    strata_winst_addresses(w, addr);
    for (uint32_t l = r->lanes; l; l &= l - 1) {
        uint64_t a = addr[lowest_bit32(l)];
        uint64_t k = a >= r->line ? (a - r->line) / size : 0;
        if (k < CACHE_MAX_SECTORS)
            sum[k] += width;
    }
    for (uint32_t k = 0; k < CACHE_MAX_SECTORS; k++)
        bytes[k] = (uint8_t)(sum[k] > 255 ? 255 : sum[k]);
}

/* Sectors that are written whole. */
static uint32_t whole_sectors(const struct hierarchy *m, const uint8_t bytes[CACHE_MAX_SECTORS])
{
    uint32_t size = m->gpu->l1.cache.sector_bytes > 255 ? 255 : m->gpu->l1.cache.sector_bytes,
             whole = 0;
    for (uint32_t k = 0; k < m->l1_sectors; k++)
        whole |= (uint32_t)(bytes[k] >= size) << k;
    return whole;
}

/* Stores wait in a few lines and leave when the unit was idle for a while, or when another line
 * needs the place: 64 stores of one warp to one line leave as one if nothing pauses, and stores to
 * more lines than there are places never merge (device/probe, store_rate and store_repeat). */
static void send_store(struct hierarchy *m, uint32_t sm, const struct hierarchy_store_line *s,
                       uint64_t t)
{
    struct hierarchy_sm *p = &m->sm[sm];
    uint32_t full = whole_sectors(m, s->bytes) & s->sectors, n = popcount32(s->sectors);
    /* A packet needs a flit for its head; whole sectors hide it behind their data (store_rate:
     * 1.9 cycles for one sector, 3.9 for four whole ones, 4.8 for four written in part). */
    uint32_t flits = n < 2 ? 2 : full == s->sectors ? n : n + 1;
    uint64_t start = hierarchy_take(m, &p->out_free64, t, flits * m->out_64ths_per_sector);
    start = hierarchy_take(m, &m->xbar_out_free64, start, flits * m->xbar_64ths_per_sector);
    m->count.from_l1_bytes += n * m->gpu->l1.cache.sector_bytes;
    p->drain_debt4 += m->gpu->l1.store_drain_cycles * n * 4 / (m->l1_sectors ? m->l1_sectors : 1);
    hierarchy_l2_write(m, sm, s->line, s->sectors, full, start);
    p->store_done = hierarchy_max(p->store_done, start + m->gpu->l2.hit_cycles);
}

/* Sends every line that no store has touched for `idle` cycles in which the unit had nothing to do,
 * or for as long as it may wait at all. */
static void drain_stores(struct hierarchy *m, uint32_t sm, uint64_t t)
{
    struct hierarchy_sm *p = &m->sm[sm];
    uint64_t idle_now = t - p->lsu_busy, idle = m->gpu->l1.store_idle_cycles,
             most = m->gpu->l1.store_wait_cycles;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->n_stores; i++) {
        struct hierarchy_store_line *s = &p->store[i];
        if (idle_now >= s->idle + idle || t >= s->last + most)
            send_store(m, sm, s, s->last + idle < t ? s->last + idle : t);
        else
            p->store[kept++] = *s;
    }
    p->n_stores = kept;
}

static void send_all_stores(struct hierarchy *m, uint32_t sm, uint64_t t)
{
    struct hierarchy_sm *p = &m->sm[sm];
    for (uint32_t i = 0; i < p->n_stores; i++)
        send_store(m, sm, &p->store[i], t);
    p->n_stores = 0;
}

/* The unit starts new work: stores that waited long enough have left. Returns the start. */
static uint64_t lsu_begin(struct hierarchy *m, uint32_t sm, uint64_t t, uint32_t cycles)
{
    struct hierarchy_sm *p = &m->sm[sm];
    /* Reading a line out takes cycles of the unit, which idle ones pay for. */
    uint64_t idle = t > p->lsu_free ? t - p->lsu_free : 0;
    p->drain_debt4 -= p->drain_debt4 < idle * 4 ? p->drain_debt4 : (uint32_t)(idle * 4);
    uint64_t start = hierarchy_max(t, p->lsu_free) + p->drain_debt4 / 4;
    p->drain_debt4 &= 3;
    if (p->n_stores)
        drain_stores(m, sm, start);
    p->lsu_free = start + cycles;
    p->lsu_busy += cycles;
    return start;
}

uint64_t hierarchy_unit_take(struct hierarchy *m, uint32_t sm, uint64_t t, uint32_t cycles)
{
    return lsu_begin(m, sm, t, cycles);
}

uint64_t hierarchy_drain(struct hierarchy *m, uint32_t sm)
{
    struct hierarchy_sm *p = &m->sm[sm];
    send_all_stores(m, sm, p->lsu_free); /* the end of a kernel flushes them */
    return p->store_done;
}

uint64_t hierarchy_shared(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                          uint64_t t)
{
    struct strata_shared_cost cost = strata_shared_access(&m->coalescer, w);
    uint32_t cycles = cost.wavefronts ? cost.wavefronts : 1;
    uint64_t start = lsu_begin(m, sm, t, cycles);
    return start + m->gpu->shared.latency_cycles +
           2 * (cycles - 1); /* lat_lds: two cycles per extra pass */
}

/* Passes over the data banks: lanes whose words share a bank go one after another. Affine accesses
 * to words need no look at each lane. */
static uint32_t bank_passes(struct hierarchy *m, const struct strata_winst *w)
{
    if (w->addr_kind == STRATA_ADDR_STRIDE && w->inst->width_bytes == 4 && w->stride % 4 == 0 &&
        m->gpu->shared.banks == 32 && m->gpu->shared.bank_mode == STRATA_BANKS_4B) {
        uint32_t step = (uint32_t)(w->stride < 0 ? -w->stride : w->stride) / 4;
        uint32_t common =
            step % 32 ? step & (0u - step) : 32; /* greatest power of two in the step, up to 32 */
        return step ? (popcount32(w->mask) * common + 31) / 32 : 1;
    }
    return strata_shared_access(&m->coalescer, w).wavefronts;
}

/* Cycles the unit needs for a global access: tag look-ups of several lines a cycle, and passes over
 * the data banks as in shared memory (device/probe, hit_rate: 32 lines at a stride of 33 words take
 * 8 cycles, at a stride of 32 words 32). */
static uint32_t access_cycles(struct hierarchy *m, const struct strata_winst *w,
                              unsigned n_requests)
{
    uint32_t tags = m->gpu->l1.tags_per_cycle ? m->gpu->l1.tags_per_cycle : 1;
    uint32_t cycles = (n_requests + tags - 1) / tags;
    uint32_t width = w->inst->width_bytes > 4 ? w->inst->width_bytes / 4u : 1;
    if (n_requests <= width)
        return cycles > width ? cycles : width;
    uint32_t passes = bank_passes(m, w);
    if (cycles > 1)
        m->count.set_conflicts += cycles - 1;
    return passes > cycles ? passes : cycles;
}

/* With MSHRs and allocation on a miss, a line of the set is reserved for the data until it is
 * there: the old L1 of paper 004 (figure 6). Without MSHRs the H200's rule holds: a line may lose
 * its place before that. */
static bool reserves_lines(const struct hierarchy *m)
{
    return m->gpu->l1.mshrs && m->gpu->l1.allocate == STRATA_ALLOC_ON_MISS;
}

static uint64_t filled_at(const struct cache_slot *s)
{
    return memside_ready(s, s->valid, 0);
}

/* When a line of the set is not reserved, t at the earliest. */
static uint64_t set_has_room(const struct cache *l1, uint64_t line, uint64_t t)
{
    uint32_t set = cache_set_of(l1, line), first = l1->set_start[set], end = l1->set_start[set + 1];
    uint64_t earliest = UINT64_MAX;
    if (l1->fill[set] < end - first)
        return t;
    for (uint32_t i = first; i < end && earliest > t; i++) {
        uint64_t filled = filled_at(&l1->slot[i]);
        earliest = filled < earliest ? filled : earliest;
    }
    return hierarchy_max(earliest, t);
}

/* A miss waits for a free MSHR, and for a line of its set, where the GPU's description limits them;
 * the lines and loads behind it wait with it: the unit works in order. Returns when it has both. */
static uint64_t wait_for_place(struct hierarchy *m, struct hierarchy_sm *p, uint64_t line,
                               bool needs_line, uint64_t t)
{
    uint64_t start = p->mshr_free ? hierarchy_max(p->mshr_free[0], t) : t;
    if (needs_line && reserves_lines(m))
        start = set_has_room(&p->l1, line, start);
    if (start == t)
        return t;
    m->held = start - m->now;
    p->mshr_wait_until = hierarchy_max(p->mshr_wait_until, start);
    p->lsu_free = hierarchy_max(p->lsu_free, start);
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

static bool tlb_holds(struct cache *tlb, uint64_t page)
{
    uint32_t slot = cache_find(tlb, page);
    if (slot == CACHE_NONE)
        cache_insert(tlb, page, NULL);
    else
        cache_touch(tlb, slot);
    return slot != CACHE_NONE;
}

/* Cycles an access that leaves the L1 waits for its translation (paper 002, sections 4.4 and 5.2:
 * two levels, then a page walk). The L1 itself is looked up by virtual address. */
static uint32_t translation_cycles(struct hierarchy *m, uint32_t sm, uint64_t line)
{
    if (!m->gpu->tlb.enabled)
        return 0;
    uint64_t page = line / m->gpu->tlb.page_bytes * m->gpu->tlb.page_bytes;
    if (tlb_holds(&m->sm[sm].tlb, page))
        return 0;
    m->count.tlb_misses++;
    return m->gpu->tlb.l1_miss_cycles +
           (tlb_holds(&m->tlb2, page) ? 0 : m->gpu->tlb.l2_miss_cycles);
}

/* Sectors that the unit looked for at t and asks for from `start` on. */
static uint64_t fetch_sectors(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                              uint64_t t, uint64_t start)
{
    struct hierarchy_sm *p = &m->sm[sm];
    if (m->gpu->l1.miss_requests_per_cycle) {
        start = hierarchy_max(start, p->miss_free);
        p->miss_free = start + 1;
    }
    start += translation_cycles(m, sm, line);
    uint64_t arrival = hierarchy_l2_read(m, sm, line, sectors, start);
    uint32_t n = popcount32(sectors);
    m->count.to_l1_bytes += n * m->gpu->l1.cache.sector_bytes;
    arrival = hierarchy_take(m, &m->xbar_in_free64, arrival, n * m->xbar_64ths_per_sector);
    arrival = hierarchy_take(m, &p->in_free64, arrival, n * m->in_64ths_per_sector);
    m->held = 0;
    keep_mshr(m, p, arrival);
    m->count.lat_requests++;
    m->count.lat_lsu += start - t;
    return arrival;
}

/* A place for a line that is asked for at t. */
static uint32_t slot_for(const struct hierarchy *m, struct hierarchy_sm *p, uint64_t line,
                         uint64_t t)
{
    struct cache *l1 = &p->l1;
    uint32_t set = cache_set_of(l1, line), victim = CACHE_NONE;
    if (reserves_lines(m) && l1->fill[set] == l1->set_start[set + 1] - l1->set_start[set]) {
        for (uint32_t i = l1->set_start[set]; i < l1->set_start[set + 1]; i++)
            if (filled_at(&l1->slot[i]) <= t &&
                (victim == CACHE_NONE || l1->tag[i].age < l1->tag[victim].age))
                victim = i;
        if (victim != CACHE_NONE)
            cache_remove(l1, victim);
    }
    return cache_insert(l1, line, NULL);
}

/* One line of a load. Sectors on their way count as hits, as the profiler counts them. */
static uint64_t load_line(struct hierarchy *m, uint32_t sm, const struct strata_request *r,
                          bool use_l1, uint64_t t, uint32_t *hits)
{
    struct hierarchy_sm *p = &m->sm[sm];
    uint64_t done = t + m->gpu->l1.hit_cycles;
    uint32_t slot = use_l1 ? cache_find(&p->l1, r->line) : CACHE_NONE, have = 0;
    if (slot != CACHE_NONE) {
        cache_touch(&p->l1, slot);
        struct cache_slot *s = &p->l1.slot[slot];
        have = s->valid & r->sectors;
        for (uint32_t b = have; b; b &= b - 1) {
            uint64_t ready = s->ready[lowest_bit32(b)];
            if (ready > t && !m->gpu->l1.inflight_counts_as_hit)
                (*hits)--;
            done = hierarchy_max(done, ready);
        }
        *hits += popcount32(have);
    }
    uint32_t miss = r->sectors & ~have;
    if (!miss)
        return done;
    uint64_t start = wait_for_place(m, p, r->line, use_l1 && slot == CACHE_NONE, t);
    uint64_t arrival = fetch_sectors(m, sm, r->line, miss, t, start);
    if (use_l1) {
        if (slot == CACHE_NONE)
            slot = slot_for(m, p, r->line, start);
        struct cache_slot *s = &p->l1.slot[slot];
        s->valid |= (uint8_t)miss;
        for (uint32_t b = miss; b; b &= b - 1)
            s->ready[lowest_bit32(b)] = arrival;
    }
    return hierarchy_max(done, arrival);
}

static uint64_t load(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                     const struct strata_request *r, unsigned n, uint64_t t)
{
    bool local = w->inst->space == STRATA_SPACE_LOCAL;
    bool bypass = w->inst->hints & STRATA_HINT_BYPASS_L1;
    uint64_t start = lsu_begin(m, sm, t, access_cycles(m, w, n)), done = start;
    uint32_t hits = 0, sectors = 0,
             tags = m->gpu->l1.tags_per_cycle ? m->gpu->l1.tags_per_cycle : 1;
    for (unsigned i = 0; i < n; i++) {
        sectors += popcount32(r[i].sectors);
        done = hierarchy_max(
            done, load_line(m, sm, &r[i], m->gpu->l1.enabled && !bypass, start + i / tags, &hits));
    }
    /* The unit stops when its misses queue up in front of the crossbar. */
    struct hierarchy_sm *p = &m->sm[sm];
    if (p->miss_free > p->lsu_free + m->gpu->sm.lsu_queue_cycles)
        p->lsu_free = p->miss_free - m->gpu->sm.lsu_queue_cycles;
    /* Asynchronous copies count too, also those around the L1: as misses (example suite,
     * sgemm_blocked). */
    if (local) {
        m->count.local_ld_sectors += sectors;
    } else {
        m->count.ld_requests++;
        m->count.ld_sectors += sectors;
        m->count.ld_hits += hits;
    }
    return done;
}

static void buffer_store(struct hierarchy *m, uint32_t sm, const struct strata_request *r,
                         const uint8_t bytes[CACHE_MAX_SECTORS], uint64_t t)
{
    struct hierarchy_sm *p = &m->sm[sm];
    uint32_t i = 0, limit = m->gpu->l1.store_buffer_lines;
    while (i < p->n_stores && p->store[i].line != r->line)
        i++;
    if (i == p->n_stores) {
        if (limit > HIERARCHY_STORE_LINES)
            limit = HIERARCHY_STORE_LINES;
        if (p->n_stores && p->n_stores >= limit) {
            send_store(m, sm, &p->store[0], t);
            memmove(&p->store[0], &p->store[1], (p->n_stores - 1) * sizeof p->store[0]);
            i = --p->n_stores;
        }
        p->store[i] = (struct hierarchy_store_line){.line = r->line};
        p->n_stores++;
    }
    p->store[i].last = t;
    p->store[i].idle = p->lsu_free - p->lsu_busy;
    p->store[i].sectors |= (uint8_t)r->sectors;
    for (uint32_t b = r->sectors; b; b &= b - 1) {
        uint32_t k = lowest_bit32(b), sum = p->store[i].bytes[k] + bytes[k];
        p->store[i].bytes[k] = (uint8_t)(sum > 255 ? 255 : sum);
    }
    if (!limit)
        send_all_stores(m, sm, t);
}

static void store_in_l1(struct hierarchy *m, struct hierarchy_sm *p, const struct strata_request *r,
                        uint32_t whole, uint64_t t, bool local)
{
    uint32_t policy = m->gpu->l1.write_policy, slot = cache_find(&p->l1, r->line);
    if (slot != CACHE_NONE) {
        if (!local)
            m->count.st_hits += popcount32(p->l1.slot[slot].valid & r->sectors);
        if (policy == STRATA_WRITE_EVICT) {
            cache_remove(&p->l1, slot);
            return;
        }
        cache_touch(&p->l1, slot);
    } else if (policy == STRATA_WRITE_THROUGH_ALLOCATE || policy == STRATA_WRITE_BACK) {
        slot = slot_for(m, p, r->line, t);
    } else {
        return;
    }
    /* A sector written in part is not readable until it was fetched. */
    struct cache_slot *s = &p->l1.slot[slot];
    for (uint32_t b = whole & r->sectors & ~(uint32_t)s->valid; b; b &= b - 1)
        s->ready[lowest_bit32(b)] = t;
    s->valid |= (uint8_t)(whole & r->sectors);
}

static uint64_t store(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                      const struct strata_request *r, unsigned n, uint64_t t)
{
    bool local = w->inst->space == STRATA_SPACE_LOCAL;
    uint32_t cycles = access_cycles(m, w, n), least = m->gpu->l1.store_cycles;
    uint64_t start = lsu_begin(m, sm, t, cycles > least ? cycles : least);
    uint32_t sectors = 0;
    for (unsigned i = 0; i < n; i++) {
        uint8_t bytes[CACHE_MAX_SECTORS];
        sector_bytes(m, w, &r[i], bytes);
        sectors += popcount32(r[i].sectors);
        if (m->gpu->l1.enabled)
            store_in_l1(m, &m->sm[sm], &r[i], whole_sectors(m, bytes), start, local);
        buffer_store(m, sm, &r[i], bytes, start);
    }
    if (local) {
        m->count.local_st_sectors += sectors;
    } else {
        m->count.st_requests++;
        m->count.st_sectors += sectors;
    }
    /* The unit is held up when the way to the crossbar is more than a buffer behind. */
    struct hierarchy_sm *p = &m->sm[sm];
    uint64_t backlog = p->out_free64 / 64;
    if (backlog > p->lsu_free + 64)
        p->lsu_free = backlog - 64;
    return start + 1;
}

static uint64_t atomic(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                       const struct strata_request *r, unsigned n, uint64_t t)
{
    bool returns = w->inst->memop == STRATA_MEM_ATOMIC;
    uint64_t start = lsu_begin(m, sm, t, access_cycles(m, w, n)), done = start + 1;
    uint32_t packets = 0, sectors = 0;
    struct hierarchy_sm *p = &m->sm[sm];
    uint64_t addr[STRATA_WARP_SIZE];
    strata_winst_addresses(w, addr);
    for (unsigned i = 0; i < n; i++) {
        uint64_t word = r[i].lanes ? addr[lowest_bit32(r[i].lanes)] : r[i].line;
        uint32_t k = atomic_packets(addr, &r[i], p->l1.sector_shift);
        if (m->ptx && !returns && n == 1 && w->addr_kind == STRATA_ADDR_STRIDE && !w->stride)
            k = 1; /* ptxas adds up the lanes of a warp first */
        packets += k;
        sectors += popcount32(r[i].sectors);
        uint64_t leave = hierarchy_take(m, &p->out_free64, start, k * m->out_64ths_per_sector);
        uint64_t back = hierarchy_l2_atomic(m, sm, r[i].line, word, r[i].sectors, k, leave);
        if (returns)
            done = hierarchy_max(
                done, hierarchy_take(m, &p->in_free64, back, k * m->in_64ths_per_sector));
        p->store_done = hierarchy_max(p->store_done, back);
    }
    m->count.from_l1_bytes += 32 * packets;
    if (returns) {
        m->count.atom_sectors += sectors;
        m->count.to_l1_bytes += 32 * packets;
    } else {
        m->count.red_sectors += sectors;
    }
    uint64_t backlog = p->out_free64 / 64;
    if (backlog > p->lsu_free + 64)
        p->lsu_free = backlog - 64;
    return done;
}

uint64_t hierarchy_access(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                          uint64_t local_base, uint64_t t)
{
    struct strata_request r[STRATA_MAX_REQUESTS];
    unsigned n = strata_coalesce(&m->coalescer, w, local_base, r);
    if (!n)
        return lsu_begin(m, sm, t, 1) + 1;
    switch (w->inst->memop) {
    case STRATA_MEM_STORE:
        return store(m, sm, w, r, n, t);
    case STRATA_MEM_ATOMIC:
    case STRATA_MEM_REDUCTION:
        return atomic(m, sm, w, r, n, t);
    default:
        return load(m, sm, w, r, n, t);
    }
}
