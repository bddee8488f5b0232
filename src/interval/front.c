/* front.c - functional L1s and one L2 behind them. */
#include "interval/front.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "memory/l2_rules.h"

strata_status front_init(struct front *f, const struct strata_cache_config *l1,
                         const struct strata_cache_config *l2, uint32_t n_sms, uint64_t seed,
                         struct strata_error *err)
{
    memset(f, 0, sizeof *f);
    f->l1_enabled = true;
    f->l2_fetch_sectors = 1;
    f->n_sms = n_sms;
    f->sm = calloc(n_sms, sizeof *f->sm);
    if (!f->sm)
        return strata_no_memory(err, NULL, "for the caches of %u SMs", n_sms);
    strata_status st = cache_create(l2, seed + 1000, &f->l2, err);
    for (uint32_t s = 0; st == STRATA_OK && s < n_sms; s++)
        st = cache_create(l1, seed + s, &f->sm[s].l1, err);
    if (st != STRATA_OK)
        front_release(f);
    return st;
}

void front_release(struct front *f)
{
    for (uint32_t s = 0; f->sm && s < f->n_sms; s++) {
        cache_release(&f->sm[s].l1);
        free(f->sm[s].queue);
    }
    cache_release(&f->l2);
    free(f->sm);
    free(f->pc);
    memset(f, 0, sizeof *f);
}

strata_status front_grow_pcs(struct front *f, uint32_t n, struct strata_error *err)
{
    if (n > f->cap_pcs) {
        struct front_pc *pc = realloc(f->pc, (size_t)n * 2 * sizeof *pc);
        if (!pc)
            return strata_no_memory(err, NULL, "for %u static instructions", n);
        memset(pc + f->cap_pcs, 0, ((size_t)n * 2 - f->cap_pcs) * sizeof *pc);
        f->pc = pc;
        f->cap_pcs = n * 2;
    }
    if (n > f->n_pcs)
        f->n_pcs = n;
    return STRATA_OK;
}

static strata_status enqueue(struct front *f, struct front_sm *s, struct front_request request,
                             struct strata_error *err)
{
    if (s->n == s->cap) {
        uint32_t cap = s->cap ? s->cap * 2 : 256;
        struct front_request *queue = realloc(s->queue, cap * sizeof *queue);
        if (!queue)
            return strata_no_memory(err, NULL, "for %u misses of an SM", cap);
        s->queue = queue;
        s->cap = cap;
    }
    s->queue[s->n++] = request;
    f->n_queued++;
    return STRATA_OK;
}

/* A line that the scripts' caches take for present: their tags begin as zeroes, and a match does
 * not ask whether the entry is valid. */
static bool zero_found(const struct front *f, const struct cache *c, uint64_t line)
{
    if (!f->script_zero || line)
        return false;
    uint32_t set = cache_set_of(c, line);
    return c->fill[set] < c->set_start[set + 1] - c->set_start[set];
}

static uint32_t find_or_insert(struct cache *c, uint64_t line, struct cache_slot *evicted)
{
    uint32_t slot = cache_find(c, line);
    memset(evicted, 0, sizeof *evicted);
    if (slot == CACHE_NONE)
        return cache_insert(c, line, evicted);
    cache_touch(c, slot);
    return slot;
}

/* Sectors that the L1 does not have; they are there afterwards. */
static uint32_t l1_read(struct front *f, struct cache *l1, uint64_t line, uint32_t sectors,
                        bool *late)
{
    struct cache_slot evicted;
    if (zero_found(f, l1, line) && cache_find(l1, line) == CACHE_NONE)
        return 0;
    struct cache_slot *slot = &l1->slot[find_or_insert(l1, line, &evicted)];
    uint32_t missing = sectors & ~(uint32_t)slot->valid;
    for (uint32_t i = 0; i < CACHE_MAX_SECTORS; i++) {
        if (missing >> i & 1)
            slot->ready[i] = cache_time(f->turn);
        else if ((sectors >> i & 1) && slot->ready[i] == cache_time(f->turn) && f->turn)
            *late = true;
    }
    slot->valid |= (uint8_t)sectors;
    return missing;
}

static void write_sectors(struct cache *l1, uint64_t line, uint32_t sectors)
{
    struct cache_slot evicted;
    l1->slot[find_or_insert(l1, line, &evicted)].valid |= (uint8_t)sectors;
}

/* Sectors of a write that go to the L2. */
static uint32_t l1_write(struct front *f, struct cache *l1, uint64_t line, uint32_t sectors)
{
    bool late = false;
    if (f->script_writes)
        return l1_read(f, l1, line, sectors, &late);
    uint32_t slot = cache_find(l1, line);
    if (f->l1_allocates_writes)
        write_sectors(l1, line, sectors);
    else if (slot != CACHE_NONE)
        cache_touch(l1, slot);
    return sectors;
}

static void add_record(uint8_t *byte)
{
    if (*byte < UINT8_MAX)
        ++*byte;
}

static void count_l1(struct front *f, struct front_pc *pc, enum front_op op, uint32_t sectors,
                     uint32_t missing, struct front_record *record, uint8_t *flag)
{
    bool write = op == FRONT_WRITE;
    f->total.l1_lookups++;
    if (!write) {
        f->total.l1_read_sectors += popcount32(sectors);
        f->total.l1_read_miss_sectors += popcount32(missing);
    }
    if (!missing)
        return;
    *(write ? &pc->write_lines : &pc->read_lines) += 1;
    *(write ? &pc->write_sectors : &pc->read_sectors) += popcount32(missing);
    if (record)
        add_record(write ? &record->write : &record->read);
    /* A store is no miss its warp waits for; the scripts count it as one. */
    if (!write || f->script_writes)
        *flag |= FRONT_L1_MISS;
}

strata_status front_access(struct front *f, uint32_t sm, uint32_t pc, enum front_op op,
                           const struct strata_request *request, unsigned n, uint8_t *flag,
                           struct front_record **records, uint32_t record, struct strata_error *err)
{
    struct front_sm *s = &f->sm[sm];
    bool late = false, missed = false;
    *flag |= FRONT_TOUCHED;
    for (unsigned i = 0; i < n; i++) {
        uint32_t sectors = request[i].sectors, missing = sectors;
        if (op == FRONT_READ && f->l1_enabled)
            missing = l1_read(f, &s->l1, request[i].line, sectors, &late);
        else if (op == FRONT_WRITE)
            missing = l1_write(f, &s->l1, request[i].line, sectors);
        count_l1(f, &f->pc[pc], op, sectors, missing, records ? &(*records)[record] : NULL, flag);
        if (!missing)
            continue;
        missed = true;
        struct front_request miss = {request[i].line, records,          flag,       pc,
                                     record,          (uint8_t)missing, (uint8_t)op};
        strata_status st = enqueue(f, s, miss, err);
        if (st != STRATA_OK)
            return st;
    }
    f->pc[pc].late += late || missed;
    f->pc[pc].missed += missed;
    return STRATA_OK;
}

static void count_l2_miss(struct front *f, const struct front_request *r, uint32_t missing)
{
    struct front_pc *pc = &f->pc[r->pc];
    bool write = r->op == FRONT_WRITE;
    *(write ? &pc->l2_write_lines : &pc->l2_read_lines) += 1;
    *(write ? &pc->l2_write_sectors : &pc->l2_read_sectors) += popcount32(missing);
    f->total.l2_misses++;
    if (r->records && !(*r->records)[r->record].l2_read && !(*r->records)[r->record].l2_write)
        pc->l2_missed++;
    if (r->records)
        add_record(write ? &(*r->records)[r->record].l2_write : &(*r->records)[r->record].l2_read);
    if (!write || f->script_writes)
        *r->flag |= FRONT_L2_MISS;
}

static void l2_access(struct front *f, const struct front_request *r)
{
    struct cache_slot evicted;
    uint32_t n = popcount32(r->sectors),
             sectors = f->l2.config.line_bytes / f->l2.config.sector_bytes;
    f->total.l2_requests++;
    f->total.l2_sectors += n;
    *(r->op == FRONT_WRITE ? &f->total.l2_write_sectors : &f->total.l2_read_sectors) += n;
    if (r->op == FRONT_ATOMIC)
        f->total.atomic_sectors += n;
    if (zero_found(f, &f->l2, r->line) && cache_find(&f->l2, r->line) == CACHE_NONE)
        return;
    struct cache_slot *slot = &f->l2.slot[find_or_insert(&f->l2, r->line, &evicted)];
    if (evicted.used && evicted.dirty)
        f->total.dram_write_sectors += popcount32(evicted.dirty);
    uint32_t missing = r->sectors & ~(uint32_t)slot->valid;
    uint32_t fetched =
        r->op == FRONT_WRITE && !f->l2_fetches_on_write
            ? 0
            : l2_widen(missing, f->l2_fetch_sectors, sectors) & ~(uint32_t)slot->valid;
    if (missing)
        count_l2_miss(f, r, missing);
    f->total.dram_read_sectors += popcount32(fetched);
    slot->valid |= (uint8_t)(r->sectors | fetched);
    if (r->op == FRONT_WRITE || r->op == FRONT_ATOMIC)
        slot->dirty |= r->sectors;
}

void front_merge(struct front *f)
{
    for (uint64_t left = f->n_queued; left;)
        for (uint32_t s = 0; s < f->n_sms; s++)
            if (f->sm[s].next < f->sm[s].n) {
                l2_access(f, &f->sm[s].queue[f->sm[s].next++]);
                left--;
            }
    for (uint32_t s = 0; s < f->n_sms; s++)
        f->sm[s].n = f->sm[s].next = 0;
    f->n_queued = 0;
}

void front_count_warp(struct front *f, const uint8_t *flag, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        f->pc[i].warps += flag[i] & FRONT_TOUCHED;
        f->pc[i].warps_l1_miss += (flag[i] & FRONT_L1_MISS) != 0;
        f->pc[i].warps_l2_miss += (flag[i] & FRONT_L2_MISS) != 0;
    }
}
