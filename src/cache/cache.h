/* cache.h - functional sectored caches, the same for every model.
 *
 * A cache is a set of slots; a slot holds a line: its address, which sectors are
 * valid, which are dirty, and when each sector arrives (models without time
 * leave that at 0). Lines are found through a hash table, so the number of ways
 * costs nothing on a hit; only the choice of a victim looks at a set. Both keep
 * apart from the slots what they look at, since a model's caches are far larger
 * than those of the machine it runs on: a look-up reads one line of the table and
 * the slot it asks for, a choice reads ages alone.
 *
 * Not thread-safe per object. No allocation after _create. */
#ifndef STRATA_CACHE_CACHE_H
#define STRATA_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>

#define CACHE_NONE        UINT32_MAX
#define CACHE_MAX_SECTORS 4
#define LINE_BYTES_MOST   128u /* bytes of a line whose bytes are told apart */

/* Bytes of a line, a bit each (src/memory/line_bytes.h has what is done with them). */
struct line_bytes {
    uint32_t sector[LINE_BYTES_MOST / 32];
};

struct cache_slot {
    uint64_t line;                     /* line address (bytes); meaningless while valid is false */
    uint32_t ready[CACHE_MAX_SECTORS]; /* when each sector's data is there, see cache_time */
    uint8_t used;                      /* the slot holds a line */
    uint8_t valid;                     /* sectors held or on their way */
    uint8_t dirty;
    uint8_t partial; /* sectors of which only some bytes were written */
    uint32_t note;   /* the model's own; 0 in a new slot */
};

/* Half a line of the machine's cache: a modelled L2 is larger than the real one that it runs on. */
_Static_assert(sizeof(struct cache_slot) == 32, "two slots share a line of 64 bytes");

/* A time as a slot keeps it. Models stop before times no longer fit; what is on its way for ever
 * stays so. */
static inline uint32_t cache_time(uint64_t t)
{
    return t < UINT32_MAX ? (uint32_t)t : UINT32_MAX;
}

/* What is read of slots that nobody asked for. */
struct cache_tag {
    uint32_t age;  /* larger is younger; what a touch means is up to the policy */
    uint32_t hash; /* of the line */
};

/* Memory for many caches in one piece. */
struct cache_pool {
    char *memory;
    struct line_bytes *written;
    size_t bytes, used, written_used;
};

struct cache {
    struct strata_cache_config config;
    struct cache_slot *slot;
    struct cache_tag *tag;      /* one a slot */
    struct line_bytes *written; /* one a slot: bytes of its sectors that are there in part */
    uint32_t n_slots, n_sets, ways;
    uint32_t line_shift, sector_shift;
    uint64_t *table; /* by hash of the line: the hash, and slot + 1 below it; 0 = empty */
    uint32_t table_mask;
    uint32_t *fill;      /* slots of each set in use */
    uint32_t *set_start; /* first slot of each set; n_sets + 1 entries */
    uint32_t
        *tag_slot; /* tags apart from the data: slot + 1 of each way of each tag set, 0 = free */
    uint32_t n_tag_slots;
    uint8_t *policy_state; /* whatever the policy keeps per set */
    char *memory;          /* of all these but `written`, unless it is a pool's */
    const struct cache_policy *policy;
    uint32_t clock;  /* counts touches */
    uint64_t random; /* state of the victim choice */
    uint64_t evictions;
    bool has_holes; /* a line was removed: a set may no longer be filled from its first slot on */
};

/* A replacement policy: one file each, listed in policy.c. */
struct cache_policy {
    uint32_t id; /* enum strata_replacement */
    const char *name, *summary;
    uint32_t state_bytes_per_set; /* 0: none; UINT32_MAX: one byte per way */
    bool touch_on_hit;            /* a hit makes a line younger */
    void (*on_access)(struct cache *c, uint32_t set, uint32_t slot); /* NULL: nothing */
    uint32_t (*victim)(struct cache *c, uint32_t set);               /* the set is full */
};
const struct cache_policy *cache_policy_find(uint32_t id);

strata_status cache_create(const struct strata_cache_config *config, uint64_t seed,
                           struct cache *out, struct strata_error *err);
void cache_release(struct cache *c);
/* Room for n caches of one kind; a pool outlives its caches. */
strata_status cache_pool_create(const struct strata_cache_config *config, uint32_t n,
                                struct cache_pool *out, struct strata_error *err);
void cache_pool_release(struct cache_pool *pool);
strata_status cache_create_in(struct cache_pool *pool, const struct strata_cache_config *config,
                              uint64_t seed, struct cache *out, struct strata_error *err);
/* Forgets everything. */
void cache_clear(struct cache *c);

/* The set a line belongs to (also for `strata dissect`). */
uint32_t cache_set_of(const struct cache *c, uint64_t line);

static inline uint32_t cache_hash(const struct cache *c, uint64_t line)
{
    uint64_t x = (line >> c->line_shift) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(x >> 32);
}
/* Slot of a line, or CACHE_NONE. Does not count as a use. */
static inline uint32_t cache_find(const struct cache *c, uint64_t line)
{
    uint32_t hash = cache_hash(c, line);
    for (uint32_t h = hash & c->table_mask;; h = (h + 1) & c->table_mask) {
        uint64_t e = c->table[h];
        if (!e)
            return CACHE_NONE;
        if ((uint32_t)(e >> 32) == hash && c->slot[(uint32_t)e - 1].line == line)
            return (uint32_t)e - 1;
    }
}
/* A look-up will come: its line of the table is wanted, and then (true if the line seems to be
 * held) its slot. Changes nothing but how long the look-up takes. */
static inline void cache_expect(const struct cache *c, uint64_t line)
{
    __builtin_prefetch(&c->table[cache_hash(c, line) & c->table_mask]);
}
static inline bool cache_expect_slot(const struct cache *c, uint64_t line)
{
    uint32_t hash = cache_hash(c, line);
    for (uint32_t h = hash & c->table_mask; c->table[h]; h = (h + 1) & c->table_mask)
        if ((uint32_t)(c->table[h] >> 32) == hash) {
            const struct cache_slot *slot = &c->slot[(uint32_t)c->table[h] - 1];
            __builtin_prefetch(slot, 1);
            __builtin_prefetch((const char *)(slot + 1) - 1, 1);
            return true;
        }
    return false;
}
/* The line will be put in soon. */
void cache_expect_insert(const struct cache *c, uint64_t line);
/* A use of the line in `slot`. */
void cache_touch(struct cache *c, uint32_t slot);
/* Puts a line in; it must not be there. The victim's old contents are copied to *evicted (used = 0
 * if the slot was free), unless that is NULL. The new slot has no valid sector. */
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
