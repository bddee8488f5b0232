/* l1_table.c - what both L1 models share: the table of lines under way, fills, stores. */
#include "sim/l1.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/expect.h"

enum { FIRST_ROWS = 1024 };

static strata_status init_table(struct l1 *c, struct strata_error *err)
{
    c->free_entry = c->free_waiter = L1_NONE;
    c->hash_mask = FIRST_ROWS - 1;
    c->hash = malloc(FIRST_ROWS * sizeof *c->hash);
    if (!c->hash)
        return strata_no_memory(err, NULL, "for the L1 of an SM");
    memset(c->hash, 0xff, FIRST_ROWS * sizeof *c->hash);
    return STRATA_OK;
}

strata_status l1_init(struct l1 *c, const struct strata_gpu *gpu, struct cache_pool *pool,
                      uint64_t l1_bytes, uint64_t seed, struct strata_error *err)
{
    memset(c, 0, sizeof *c);
    c->gpu = gpu;
    c->reserves = l1_reserves_lines(gpu);
    c->on_fill = gpu->l1.allocate != STRATA_ALLOC_ON_MISS;
    struct strata_cache_config config = l1_config(gpu, l1_bytes);
    strata_status st = cache_create_in(pool, &config, seed, &c->data, err);
    return st == STRATA_OK ? init_table(c, err) : st;
}

strata_status l1_init_side(struct l1 *c, const struct strata_gpu *gpu, enum load_path path,
                           uint64_t seed, struct strata_error *err)
{
    memset(c, 0, sizeof *c);
    c->gpu = gpu;
    c->on_fill = true;
    strata_status st = side_create(gpu, path, seed, &c->data, err);
    return st == STRATA_OK ? init_table(c, err) : st;
}

void l1_release(struct l1 *c)
{
    cache_release(&c->data);
    free(c->entry);
    free(c->hash);
    free(c->waiter);
    memset(c, 0, sizeof *c);
}

/* ---- the table ---- */

static uint32_t *row_of(struct l1 *c, uint64_t line)
{
    return &c->hash[cache_hash(&c->data, line) & c->hash_mask];
}

struct l1_entry *l1_find(struct l1 *c, uint64_t line)
{
    if (!c->n_used)
        return NULL;
    uint32_t i = *row_of(c, line);
    while (i != L1_NONE && c->entry[i].line != line)
        i = c->entry[i].next;
    return i == L1_NONE ? NULL : &c->entry[i];
}

void l1_expect_rows(const struct l1 *c, uint64_t line)
{
    cache_expect(&c->data, line);
    expect_read(&c->hash[cache_hash(&c->data, line) & c->hash_mask]);
}

void l1_expect_entry(const struct l1 *c, uint64_t line)
{
    uint32_t i = c->hash[cache_hash(&c->data, line) & c->hash_mask];
    if (i != L1_NONE)
        expect_write(&c->entry[i]);
    cache_expect_slot(&c->data, line);
}

void l1_expect_waiter(const struct l1 *c, uint64_t line)
{
    uint32_t i = c->hash[cache_hash(&c->data, line) & c->hash_mask];
    if (i != L1_NONE && c->entry[i].line == line && c->entry[i].waiter != L1_NONE)
        expect_write(&c->waiter[c->entry[i].waiter]);
}

uint32_t l1_first_waiter(const struct l1 *c, uint64_t line)
{
    uint32_t i = c->hash[cache_hash(&c->data, line) & c->hash_mask];
    bool known = i != L1_NONE && c->entry[i].line == line && c->entry[i].waiter != L1_NONE;
    return known ? c->waiter[c->entry[i].waiter].op : L1_NONE;
}

static bool grow(void **array, uint32_t *cap, size_t bytes)
{
    uint32_t more = *cap ? *cap * 2 : 256;
    void *p = realloc(*array, more * bytes);
    if (!p)
        return false;
    *array = p;
    *cap = more;
    return true;
}

/* More rows, once there are as many entries: a gather has thousands of lines under way, and each
 * step of a chain is a miss in the host's cache. Without memory the table stays as it is. */
static void widen_table(struct l1 *c)
{
    uint32_t rows = (c->hash_mask + 1) * 4, *wider = malloc(rows * sizeof *wider);
    if (!wider)
        return;
    memset(wider, 0xff, rows * sizeof *wider);
    for (uint32_t r = 0; r <= c->hash_mask; r++)
        for (uint32_t i = c->hash[r], next; i != L1_NONE; i = next) {
            uint32_t *row = &wider[cache_hash(&c->data, c->entry[i].line) & (rows - 1)];
            next = c->entry[i].next;
            c->entry[i].next = *row;
            *row = i;
        }
    free(c->hash);
    c->hash = wider;
    c->hash_mask = rows - 1;
}

struct l1_entry *l1_add(struct l1 *c, uint64_t line)
{
    uint32_t i = c->free_entry;
    if (c->n_used > c->hash_mask)
        widen_table(c);
    if (i != L1_NONE)
        c->free_entry = c->entry[i].next;
    else if (c->n_entries < c->cap_entries ||
             grow((void **)&c->entry, &c->cap_entries, sizeof *c->entry))
        i = c->n_entries++;
    else
        return NULL;
    uint32_t *row = row_of(c, line);
    c->entry[i] = (struct l1_entry){.line = line, .waiter = L1_NONE, .next = *row};
    *row = i;
    c->n_used++;
    return &c->entry[i];
}

static void drop(struct l1 *c, struct l1_entry *e)
{
    uint32_t self = (uint32_t)(e - c->entry), *link = row_of(c, e->line);
    while (*link != self)
        link = &c->entry[*link].next;
    *link = e->next;
    e->next = c->free_entry;
    c->free_entry = self;
    c->n_used--;
}

bool l1_wait(struct l1 *c, struct l1_entry *e, uint32_t op, uint8_t sectors)
{
    uint32_t i = c->free_waiter;
    if (i != L1_NONE)
        c->free_waiter = c->waiter[i].next;
    else if (c->n_waiters < c->cap_waiters ||
             grow((void **)&c->waiter, &c->cap_waiters, sizeof *c->waiter))
        i = c->n_waiters++;
    else
        return false;
    c->waiter[i] = (struct l1_waiter){.op = op, .sectors = sectors, .next = e->waiter};
    e->waiter = i;
    e->n_waiters++;
    return true;
}

/* ---- loads and fills ---- */

struct l1_answer l1_load(struct l1 *c, const struct l1_access *a, uint32_t op, uint64_t t)
{
    return c->reserves ? l1_reserving_load(c, a, op, t) : l1_streaming_load(c, a, op, t);
}

static void put_data(struct l1 *c, uint64_t line, uint8_t sectors, uint64_t t)
{
    uint32_t slot = cache_find(&c->data, line);
    if (slot == CACHE_NONE && c->on_fill)
        slot = cache_insert(&c->data, line, NULL);
    if (slot == CACHE_NONE)
        return; /* evicted while under way: those who waited get the data, nobody later */
    struct cache_slot *s = &c->data.slot[slot];
    slot_fill(s, c->on_fill ? sectors : sectors & s->valid, t);
}

/* What is under way to a line will not be kept: a store has begun the line anew. */
static void drop_answers(struct l1 *c, uint64_t line)
{
    struct l1_entry *e = l1_find(c, line);
    for (uint32_t b = e ? e->pending & ~(uint32_t)e->stale : 0; b; b &= b - 1)
        e->dropped[lowest_bit32(b)]++;
    if (e)
        e->stale = e->pending;
}

void l1_begin_anew(struct l1 *c, uint64_t line)
{
    drop_answers(c, line);
    l1_forget(&c->data, line);
}

uint32_t l1_store(struct l1 *c, uint64_t line, uint32_t sectors, const struct line_bytes *bytes,
                  uint64_t t)
{
    uint32_t slot = c->gpu->l1.store_restarts_line ? cache_find(&c->data, line) : CACHE_NONE;
    if (slot != CACHE_NONE && l1_store_restarts(&c->data, c->gpu, slot, t))
        drop_answers(c, line);
    return l1_write(&c->data, c->gpu, line, sectors, bytes, t);
}

/* Sectors that arrive to be kept; the others were asked for before the line began anew. Answers for
 * a sector come in the order of the questions; who asked again is served by the first. */
static uint8_t kept(struct l1_entry *e, uint8_t sectors)
{
    uint8_t last = sectors;
    for (uint32_t b = sectors; b; b &= b - 1)
        if (e->dropped[lowest_bit32(b)]) {
            e->dropped[lowest_bit32(b)]--;
            last &= (uint8_t) ~(b & (0u - b));
        }
    return last;
}

void l1_fill(struct l1 *c, uint64_t line, uint8_t sectors, uint64_t t,
             void (*done)(void *who, uint32_t op), void *who)
{
    struct l1_entry *e = l1_find(c, line);
    uint8_t last = e ? kept(e, sectors) : sectors;
    put_data(c, line, last, t);
    if (!e)
        return;
    uint32_t index = (uint32_t)(e - c->entry), *link = &e->waiter;
    /* A stale sector's last answer is a dropped one. */
    for (uint32_t b = e->stale & sectors; b; b &= b - 1)
        if (!e->dropped[lowest_bit32(b)])
            last |= (uint8_t)(b & (0u - b));
    e->pending &= (uint8_t)~last;
    e->stale &= e->pending;
    uint32_t finished = L1_NONE, *tail = &finished;
    while (*link != L1_NONE) {
        struct l1_waiter *w = &c->waiter[*link];
        w->sectors &= (uint8_t)~sectors;
        if (w->sectors) {
            link = &w->next;
            continue;
        }
        *tail = *link;
        *link = w->next;
        tail = &w->next;
        c->entry[index].n_waiters--;
    }
    *tail = L1_NONE;
    if (!c->entry[index].pending)
        drop(c, &c->entry[index]);
    while (finished != L1_NONE) {
        uint32_t i = finished, op = c->waiter[i].op;
        finished = c->waiter[i].next;
        c->waiter[i].next = c->free_waiter;
        c->free_waiter = i;
        done(who, op);
    }
}
