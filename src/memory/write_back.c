/* write_back.c - rings of dirty lines. */
#include "memory/write_back.h"

#include <stdlib.h>

static void ring_push(struct dirty_ring *r, uint64_t line)
{
    r->lines++;
    if (!r->line)
        return;
    r->line[r->tail++ & r->mask] = line;
    if (r->tail - r->head > r->mask)
        r->head++;
}

/* However small a share of the limit is, it is one. */
static bool ring_init(struct dirty_ring *r, uint64_t slots, uint64_t limit_bytes,
                      uint64_t line_of_all_bytes)
{
    uint64_t size = 1024, limit = limit_bytes / line_of_all_bytes;
    while (size < slots * 2)
        size *= 2;
    *r = (struct dirty_ring){.mask = size - 1, .limit = limit_bytes && !limit ? 1 : limit};
    if (!r->limit)
        return true;
    r->line = malloc(size * sizeof *r->line); /* read from head to tail alone */
    return r->line;
}

/* ---- sets that lines are dealt into ---- */

/* A run of as many lines as there are sets goes into all of them, from a set on that is drawn; of
 * an address's lines every second home_lines are another partition's. */
static uint64_t *deal_set(const struct dirty_deal *d, uint64_t line)
{
    uint64_t n = line >> d->line_shift, h = d->home_lines, mine = h ? n / (2 * h) * h + n % h : n;
    return &d->line[(mine + (mix64(mine / d->sets) >> 32)) % d->sets * d->limit];
}

static strata_status deal_init(struct dirty_deal *d, const struct strata_gpu *gpu,
                               uint32_t n_shares, struct strata_error *err)
{
    uint64_t lines = gpu->l2.cache.size_bytes / gpu->l2.cache.line_bytes / n_shares;
    uint32_t homes = gpu->l2.home_bytes ? gpu->l2.home_bytes : 4096;
    *d = (struct dirty_deal){.limit = gpu->l2.dirty_dealt,
                             .line_shift = log2_floor(gpu->l2.cache.line_bytes),
                             .home_lines = n_shares == 2 ? homes / gpu->l2.cache.line_bytes : 0};
    if (!d->limit || n_shares > 2 || lines < 2 * d->limit)
        return STRATA_OK;
    d->sets = lines / (2 * d->limit - 1);
    d->line = calloc(d->sets * d->limit, sizeof *d->line);
    return d->line ? STRATA_OK : strata_no_memory(err, NULL, "for the modelled L2");
}

static void deal_drop(struct dirty_deal *d, uint64_t line)
{
    uint64_t *set = deal_set(d, line);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->limit; i++)
        if (set[i] != line)
            set[kept++] = set[i];
    while (kept < d->limit)
        set[kept++] = 0;
}

/* A full set gives up one of its lines that is drawn: of what is written again and again about as
 * many leave each time as the first time (local_probe.cu: 16 words of ten waves of blocks 316,776
 * sectors, of one 21,216). */
static void deal_put(struct dirty_deal *d, uint64_t line)
{
    uint64_t *set = deal_set(d, line);
    if (set[d->limit - 1]) {
        d->over = set[mix64(d->drawn++) % d->limit];
        deal_drop(d, d->over);
    }
    uint32_t at = 0;
    while (set[at])
        at++;
    set[at] = line;
}

/* What the caches hold of others' writes when a launch begins: dirty lines at no address of the
 * program, the first to be displaced (probes stream_read and reread: reads alone write 75,000
 * sectors to DRAM). They leave in proportion while the L2 fills from 65 % to all of it
 * (mix_probe.cu), so they take a share of the ways of the sets they are in. */
static void begin_dirty(struct write_back *d, const struct strata_gpu *gpu, uint64_t n,
                        uint32_t sectors, struct cache *l2)
{
    uint32_t line_bytes = l2->config.line_bytes,
             share = (uint32_t)(l2->ways * gpu->l2.dirty_at_start_ways),
             in_a_set = share ? share : 1;
    uint64_t sets = (n + in_a_set - 1) / in_a_set;
    if (sets > l2->n_sets)
        sets = l2->n_sets, n = sets * in_a_set;
    /* A chosen index function may never lead to some sets. */
    uint64_t most = (uint64_t)l2->n_slots * 64;
    for (uint64_t i = 0; n && i < most; i++) {
        uint64_t line = MEMORY_OTHERS + i * line_bytes;
        uint32_t set = cache_set_of(l2, line);
        if (set >= sets || l2->fill[set] >= in_a_set)
            continue;
        uint32_t slot = cache_insert(l2, line, NULL);
        n--;
        l2->slot[slot].valid = (uint8_t)sectors;
        write_back_mark(d, l2, &l2->slot[slot], sectors, false);
    }
}

strata_status write_back_init(struct write_back *d, const struct strata_gpu *gpu, uint32_t n_shares,
                              uint32_t line_sectors, struct cache *l2, struct strata_error *err)
{
    uint64_t line_of_all = (uint64_t)gpu->l2.cache.line_bytes * n_shares;
    if (!ring_init(&d->all, l2->n_slots, gpu->l2.dirty_bytes, line_of_all) ||
        !ring_init(&d->partial, l2->n_slots, gpu->l2.dirty_partial_bytes, line_of_all))
        return strata_no_memory(err, NULL, "for the modelled L2");
    if (deal_init(&d->deal, gpu, n_shares, err) != STRATA_OK)
        return err->status;
    d->set_limit = gpu->l2.dirty_ways;
    d->crowded = 0;
    d->set_lines = d->set_limit ? calloc(l2->n_sets, sizeof *d->set_lines) : NULL;
    if (d->set_limit && !d->set_lines)
        return strata_no_memory(err, NULL, "for the modelled L2");
    d->ahead = gpu->l2.dirty_ahead;
    d->sets_due = 0;
    d->set_due = d->ahead ? calloc(l2->n_sets, sizeof *d->set_due) : NULL;
    if (d->ahead && !d->set_due)
        return strata_no_memory(err, NULL, "for the modelled L2");
    d->partial_limit = gpu->l2.partial_ways;
    d->partial_limit_hit = gpu->l2.partial_ways_hit;
    d->set_partial = d->partial_limit ? calloc(l2->n_sets, sizeof *d->set_partial) : NULL;
    if (d->partial_limit && !d->set_partial)
        return strata_no_memory(err, NULL, "for the modelled L2");
    begin_dirty(d, gpu, gpu->l2.dirty_at_start_bytes / line_of_all, (1u << line_sectors) - 1, l2);
    return STRATA_OK;
}

void write_back_release(struct write_back *d)
{
    free(d->all.line);
    free(d->partial.line);
    free(d->deal.line);
    free(d->set_lines);
    free(d->set_due);
    free(d->set_partial);
    memset(d, 0, sizeof *d);
}

/* Lines of others are told by their address; they are not among those that a set's limit is for. */
static bool is_counted(const struct write_back *d, const struct cache_slot *s)
{
    return d->set_lines && s->line < MEMORY_OTHERS;
}

static void count_in_set(struct write_back *d, const struct cache *l2, const struct cache_slot *s)
{
    uint32_t set = is_counted(d, s) ? cache_set_of(l2, s->line) : 0;
    if (is_counted(d, s) && ++d->set_lines[set] > d->set_limit)
        d->crowded = set + 1;
}

void write_back_mark(struct write_back *d, const struct cache *l2, struct cache_slot *s,
                     uint32_t sectors, bool was_partial)
{
    if (!s->dirty) {
        ring_push(&d->all, s->line);
        count_in_set(d, l2, s);
        if (d->deal.line && s->line < MEMORY_OTHERS)
            deal_put(&d->deal, s->line);
    }
    if (s->partial && !(was_partial && s->dirty))
        ring_push(&d->partial, s->line);
    else if (!s->partial && was_partial && s->dirty)
        d->partial.lines--;
    s->dirty |= (uint8_t)sectors;
}

void write_back_filled(struct write_back *d, const struct cache_slot *s, bool was_partial)
{
    if (was_partial && !s->partial && s->dirty)
        d->partial.lines--;
}

/* The oldest line of a ring that is still what it was put there for. */
static struct cache_slot *ring_overdue(struct dirty_ring *r, struct cache *l2, bool partial)
{
    while (r->limit && r->lines > r->limit && r->head < r->tail) {
        uint32_t slot = cache_find(l2, r->line[r->head++ & r->mask]);
        if (slot != CACHE_NONE && l2->slot[slot].dirty && (!partial || l2->slot[slot].partial))
            return &l2->slot[slot];
    }
    return NULL;
}

static bool may_leave(const struct write_back *d, const struct cache_slot *s)
{
    return s->used && s->dirty && is_counted(d, s);
}

/* The next line from a place of the set that is drawn. */
static uint32_t drawn_line(const struct write_back *d, struct cache *l2, uint32_t set)
{
    uint32_t first = l2->set_start[set], n = l2->set_start[set + 1] - first,
             at = cache_random(l2) % n;
    for (uint32_t i = 0; i < n; i++, at = at + 1 < n ? at + 1 : 0)
        if (may_leave(d, &l2->slot[first + at]))
            return first + at;
    return CACHE_NONE;
}

/* The older of two lines drawn: of what is written again and again in order all would leave every
 * time if the oldest did (probe dirty, rewrite: of 28 MB 12 % do, of 32 MB 37, of 40 MB 77 to 85).
 */
static struct cache_slot *crowded_out(struct write_back *d, struct cache *l2)
{
    uint32_t set = d->crowded - 1, a = drawn_line(d, l2, set), b = drawn_line(d, l2, set);
    d->crowded = 0;
    if (a == CACHE_NONE)
        return NULL;
    a = l2->age[b] < l2->age[a] ? b : a;
    write_back_gave_up(d, l2, l2->slot[a].line);
    return &l2->slot[a];
}

void write_back_gave_up(struct write_back *d, const struct cache *l2, uint64_t line)
{
    if (!d->ahead)
        return;
    uint8_t *due = &d->set_due[cache_set_of(l2, line)];
    d->sets_due += !*due;
    *due = (uint8_t)d->ahead;
}

static struct cache_slot *oldest_dirty(struct cache *l2, uint32_t set)
{
    uint32_t best = CACHE_NONE;
    for (uint32_t i = l2->set_start[set]; i < l2->set_start[set + 1]; i++)
        if (l2->slot[i].used && l2->slot[i].dirty &&
            (best == CACHE_NONE || l2->age[i] < l2->age[best]))
            best = i;
    return best == CACHE_NONE ? NULL : &l2->slot[best];
}

struct cache_slot *write_back_ahead(struct write_back *d, struct cache *l2, uint64_t line)
{
    uint32_t set = cache_set_of(l2, line);
    if (!d->set_due[set])
        return NULL;
    d->sets_due -= !--d->set_due[set];
    return oldest_dirty(l2, set);
}

/* Lines of a set in part, their slots in `at`; no set has more ways than a count can tell. */
static uint32_t lines_in_part(const struct cache *l2, uint32_t set, uint32_t at[UINT8_MAX])
{
    uint32_t n = 0;
    for (uint32_t i = l2->set_start[set]; i < l2->set_start[set + 1] && n < UINT8_MAX; i++)
        if (l2->slot[i].used && l2->slot[i].partial)
            at[n++] = i;
    return n;
}

/* The count of a set only grows until it says too many; then they are counted anew. The older of
 * two drawn leaves, as of dirty ones (partial_probe.cu, age: of the lines of eight parts 2, 4, 6,
 * 12, 15, 27, 53, 65 % are still in part when 256 thousand are written). */
struct cache_slot *write_back_in_part(struct write_back *d, struct cache *l2, uint64_t line,
                                      bool hit)
{
    uint32_t set = cache_set_of(l2, line), at[UINT8_MAX], n,
             limit = hit ? d->partial_limit_hit : d->partial_limit;
    d->set_partial[set] += !hit;
    if (!limit || d->set_partial[set] <= limit)
        return NULL;
    n = lines_in_part(l2, set, at);
    d->set_partial[set] = (uint8_t)(n > limit ? n - 1 : n);
    if (n <= limit)
        return NULL;
    uint32_t a = at[cache_random(l2) % n], b = at[cache_random(l2) % n];
    return &l2->slot[l2->age[b] < l2->age[a] ? b : a];
}

static struct cache_slot *dealt_out(struct write_back *d, struct cache *l2)
{
    uint32_t slot = d->deal.over ? cache_find(l2, d->deal.over) : CACHE_NONE;
    d->deal.over = 0;
    return slot != CACHE_NONE && l2->slot[slot].dirty ? &l2->slot[slot] : NULL;
}

struct cache_slot *write_back_overdue(struct write_back *d, struct cache *l2)
{
    struct cache_slot *s = d->crowded ? crowded_out(d, l2) : NULL;
    if (!s && d->deal.over)
        s = dealt_out(d, l2);
    if (!s)
        s = ring_overdue(&d->partial, l2, true);
    return s ? s : ring_overdue(&d->all, l2, false);
}

uint32_t write_back_clean(struct write_back *d, const struct cache *l2, struct cache_slot *s,
                          uint32_t *read)
{
    uint32_t dirty = s->dirty;
    if (is_counted(d, s))
        d->set_lines[cache_set_of(l2, s->line)]--;
    *read = s->dirty & s->partial;
    if (s->partial)
        d->partial.lines--;
    d->all.lines--;
    if (d->deal.line && s->line < MEMORY_OTHERS)
        deal_drop(&d->deal, s->line);
    s->dirty = s->partial = 0;
    return dirty;
}
