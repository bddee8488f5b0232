/* cache.h - functional sectored caches, the same for every model.
 *
 * A cache is a set of slots; a slot holds a line: its address, which sectors are
 * valid, which are dirty, and when each sector arrives (models without time
 * leave that at 0). Lines are found through a hash table, so the number of ways
 * costs nothing on a hit; only the choice of a victim looks at a set.
 *
 * Not thread-safe per object. No allocation after _create. */
#ifndef STRATA_CACHE_CACHE_H
#define STRATA_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>

#define CACHE_NONE UINT32_MAX
#define CACHE_MAX_SECTORS 4

struct cache_slot {
    uint64_t line;               /* line address (bytes); meaningless while valid is false */
    uint64_t ready[CACHE_MAX_SECTORS]; /* when each sector's data is there */
    uint32_t age;                /* larger is younger; what a touch means is up to the policy */
    uint8_t used;                /* the slot holds a line */
    uint8_t valid;               /* sectors held or on their way */
    uint8_t dirty;
    uint8_t partial;             /* sectors of which only some bytes were written */
};

struct cache {
    struct strata_cache_config config;
    struct cache_slot *slot;
    uint32_t n_slots, n_sets, ways;
    uint32_t line_shift, sector_shift;
    uint32_t *table;             /* slot + 1 by hash of the line; 0 = empty */
    uint32_t table_mask;
    uint32_t *fill;              /* slots of each set in use */
    uint32_t *set_start;         /* first slot of each set; n_sets + 1 entries */
    uint8_t *policy_state;       /* whatever the policy keeps per set */
    const struct cache_policy *policy;
    uint32_t clock;              /* counts touches */
    uint64_t random;             /* state of the victim choice */
    uint64_t evictions;
};

/* A replacement policy: one file each, listed in policy.c. */
struct cache_policy {
    uint32_t id;                 /* enum strata_replacement */
    const char *name, *summary;
    uint32_t state_bytes_per_set;/* 0: none; UINT32_MAX: one byte per way */
    bool touch_on_hit;           /* a hit makes a line younger */
    void (*on_access)(struct cache *c, uint32_t set, uint32_t slot); /* NULL: nothing */
    uint32_t (*victim)(struct cache *c, uint32_t set);               /* the set is full */
};
const struct cache_policy *cache_policy_find(uint32_t id);

strata_status cache_create(const struct strata_cache_config *config, uint64_t seed, struct cache *out,
                           struct strata_error *err);
void cache_release(struct cache *c);
/* Forgets everything. */
void cache_clear(struct cache *c);

/* The set a line belongs to (also for `strata dissect`). */
uint32_t cache_set_of(const struct cache *c, uint64_t line);

/* Slot of a line, or CACHE_NONE. Does not count as a use. */
static inline uint32_t cache_hash(const struct cache *c, uint64_t line)
{
    uint64_t x = (line >> c->line_shift) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(x >> 32) & c->table_mask;
}
static inline uint32_t cache_find(const struct cache *c, uint64_t line)
{
    for (uint32_t h = cache_hash(c, line);; h = (h + 1) & c->table_mask) {
        uint32_t s = c->table[h];
        if (!s)
            return CACHE_NONE;
        if (c->slot[s - 1].line == line)
            return s - 1;
    }
}
/* A use of the line in `slot`. */
void cache_touch(struct cache *c, uint32_t slot);
/* Puts a line in; it must not be there. The victim's old contents are copied to *evicted (used = 0
 * if the slot was free). The new slot has no valid sector. */
uint32_t cache_insert(struct cache *c, uint64_t line, struct cache_slot *evicted);
/* Takes a line out. */
void cache_remove(struct cache *c, uint32_t slot);

/* xorshift step of the victim choice: the same sequence for the same seed. */
static inline uint32_t cache_random(struct cache *c)
{
    uint64_t x = c->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    c->random = x;
    return (uint32_t)(x >> 32);
}

#endif
