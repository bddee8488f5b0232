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

#include "base/expect.h"

#define CACHE_NONE        UINT32_MAX
#define CACHE_MAX_SECTORS 4
#define LINE_BYTES_MOST   128u /* bytes of a line whose bytes are told apart */

/* Bytes of a line, a bit each (src/memory/line_bytes.h has what is done with them). */
struct line_bytes {
    uint32_t sector[LINE_BYTES_MOST / 32];
};

/* A line that persists is not the victim while its set has another; of one that is copied another
 * part of the cache has got data; one that is met was hit by a read since it came. */
enum { CACHE_USED = 1, CACHE_PERSISTS = 2, CACHE_COPIED = 4, CACHE_MET = 8 };

struct cache_slot {
    uint64_t line;                     /* line address (bytes); meaningless while valid is false */
    uint32_t ready[CACHE_MAX_SECTORS]; /* when each sector's data is there, see cache_time */
    uint8_t used;                      /* the slot holds a line: CACHE_USED and others of these */
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

/* Memory for many caches in one piece. */
struct cache_pool {
    char *memory;
    struct line_bytes *written;
    size_t bytes, used, written_used;
    uint32_t *tag_fold; /* of its first cache: the others read the same */
};

/* What every look-up reads comes first: a model has hundreds of these. */
struct cache {
    struct cache_slot *slot;
    uint32_t *table; /* finds lines: slot + 1 in the bits of slot_mask and above them those of the
                        line's hash; 0 = empty. Either the ways of the sets of tags, or, without
                        such, all lines by their hash */
    uint32_t *age;   /* one a slot: larger is younger; what a touch means is up to the policy */
    uint32_t *tag_fold; /* by eight bits of the line number above the set of tags: what they
                                 flip of it */
    uint32_t slot_mask, table_mask;
    uint32_t tag_ways, tag_mask, tag_bits; /* 0 ways: tags are not apart from the data */
    uint32_t n_tag_folds;
    uint32_t line_shift, sector_shift;
    uint32_t clock;    /* counts touches */
    bool touch_on_hit; /* of the policy */
    bool tells_policy; /* of uses: policy->on_access is there */
    bool is_mixed;     /* its index is index_mixed() of the line number */
    bool is_uneven;    /* sets differ in size: config.n_set_ways, which lies far from here */
    bool has_holes; /* a line was removed: a set may no longer be filled from its first slot on */
    struct line_bytes *written; /* one a slot: bytes of its sectors that are there in part */
    uint32_t n_slots, n_sets, ways;
    uint32_t *tag_of;      /* one a slot, where tags are apart: the entry of the table it has */
    uint32_t *fill;        /* slots of each set in use */
    uint32_t *set_start;   /* first slot of each set; n_sets + 1 entries */
    uint8_t *policy_state; /* whatever the policy keeps per set */
    char *memory;          /* of all these but `written`, unless it is a pool's */
    const struct cache_policy *policy;
    uint32_t n_persisting; /* lines that persist, and how many of the cache and of a set may */
    uint32_t persisting_limit, persisting_ways;
    uint64_t random; /* state of the victim choice */
    uint64_t evictions;
    struct strata_cache_config config;
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

/* The first slot of a set, or of the one behind the last. Most caches have sets of one size, and
 * need not read where each begins. */
static inline uint32_t cache_set_start(const struct cache *c, uint32_t set)
{
    return c->is_uneven ? c->set_start[set] : set * c->ways;
}
/* The set a line belongs to (also for `strata dissect`). */
uint32_t cache_set_of(const struct cache *c, uint64_t line);

static inline uint32_t cache_hash(const struct cache *c, uint64_t line)
{
    uint64_t x = (line >> c->line_shift) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(x >> 32);
}
/* The first way of the set of tags of a line. */
static inline uint32_t cache_tag_set(const struct cache *c, uint64_t line)
{
    uint64_t n = line >> c->line_shift;
    uint32_t set = (uint32_t)n & c->tag_mask;
    n >>= c->tag_bits;
    for (uint32_t k = 0; k < c->n_tag_folds; k++, n >>= 8)
        set ^= c->tag_fold[k * 256 + (n & 255)];
    return set * c->tag_ways;
}
/* Sixteen lines in a row share a line of the machine's cache here, each sixteen at a place of their
 * own: programs walk through memory. */
static inline uint32_t cache_home(const struct cache *c, uint64_t line)
{
    uint64_t n = line >> c->line_shift;
    uint32_t row = (uint32_t)((n >> 4) * 0x9e3779b97f4a7c15ull >> 32);
    return (row << 4 | (((uint32_t)n ^ row >> 28) & 15)) & c->table_mask;
}
/* The entry of the table that a look-up begins with. */
static inline uint32_t cache_place(const struct cache *c, uint64_t line)
{
    return c->tag_ways ? cache_tag_set(c, line) : cache_home(c, line);
}
/* From one entry to the next to be tried, any odd number: with this one rows that meet pass each
 * other entry by entry. */
#define CACHE_PROBE_STEP 17u

/* Whether an entry of the table seems to be of the line with this hash. */
static inline bool cache_entry_fits(const struct cache *c, uint32_t entry, uint32_t hash)
{
    return entry && !((entry ^ hash) & ~c->slot_mask);
}
static inline uint32_t cache_entry_slot(const struct cache *c, uint32_t entry)
{
    return (entry & c->slot_mask) - 1;
}
/* Slot of a line, or CACHE_NONE. Does not count as a use. */
static inline uint32_t cache_find(const struct cache *c, uint64_t line)
{
    uint32_t hash = cache_hash(c, line), e;
    if (c->tag_ways) {
        const uint32_t *way = &c->table[cache_tag_set(c, line)];
        for (uint32_t i = 0; i < c->tag_ways; i++)
            if (cache_entry_fits(c, way[i], hash) &&
                c->slot[cache_entry_slot(c, way[i])].line == line)
                return cache_entry_slot(c, way[i]);
        return CACHE_NONE;
    }
    for (uint32_t h = cache_home(c, line); (e = c->table[h]);
         h = (h + CACHE_PROBE_STEP) & c->table_mask)
        if (cache_entry_fits(c, e, hash) && c->slot[cache_entry_slot(c, e)].line == line)
            return cache_entry_slot(c, e);
    return CACHE_NONE;
}
/* A look-up will come: its line of the table is wanted, and then its slot: the one that the line
 * seems to be in, or CACHE_NONE. Changes nothing but how long the look-up takes. */
static inline void cache_expect(const struct cache *c, uint64_t line)
{
    expect_read(&c->table[cache_place(c, line)]);
}
static inline uint32_t cache_expect_slot_at(const struct cache *c, uint64_t line, uint32_t place)
{
    uint32_t hash = cache_hash(c, line), found = 0, e;
    if (c->tag_ways) {
        for (uint32_t i = 0; i < c->tag_ways && !found; i++)
            found = cache_entry_fits(c, c->table[place + i], hash) ? c->table[place + i] : 0;
    } else {
        for (; (e = c->table[place]) && !found; place = (place + CACHE_PROBE_STEP) & c->table_mask)
            found = cache_entry_fits(c, e, hash) ? e : 0;
    }
    if (!found)
        return CACHE_NONE;
    expect_write(&c->slot[cache_entry_slot(c, found)]);
    return cache_entry_slot(c, found);
}
/* A line that is not there will be put in: the ages of those in its set of tags will be compared.
 * The one behind each is asked for, mostly in the same line of the machine's cache: an entry that
 * is empty needs no look of its own. */
static inline void cache_expect_ages(const struct cache *c, uint32_t place)
{
    for (uint32_t i = 0; i < c->tag_ways; i++)
        expect_read(&c->age[c->table[place + i] & c->slot_mask]);
}
static inline uint32_t cache_expect_slot(const struct cache *c, uint64_t line)
{
    return cache_expect_slot_at(c, line, cache_place(c, line));
}
/* cache_find, where the line was in `slot` not long ago or, CACHE_NONE, nothing is known. */
static inline uint32_t cache_find_again(const struct cache *c, uint64_t line, uint32_t slot)
{
    if (slot != CACHE_NONE && c->slot[slot].line == line && c->slot[slot].used)
        return slot;
    return cache_find(c, line);
}
/* A use of the line in `slot`. */
void cache_used(struct cache *c, uint32_t slot); /* what a policy has to do beside its age */
static inline void cache_touch(struct cache *c, uint32_t slot)
{
    if (c->touch_on_hit)
        c->age[slot] = ++c->clock;
    if (c->tells_policy)
        cache_used(c, slot);
}
/* Puts a line in; it must not be there. The victim's old contents are copied to *evicted (used = 0
 * if the slot was free), unless that is NULL. The new slot has no valid sector. */
uint32_t cache_insert(struct cache *c, uint64_t line, struct cache_slot *evicted);
/* ---- persisting lines ---- */

/* This share of the cache is set aside for lines that persist. */
void cache_set_aside(struct cache *c, double share);
/* The line in `slot` persists from now on. Beyond what is set aside the oldest line of its set that
 * persists is let go for it, if the set has its share of them; so what fits stays whole however
 * unevenly it lies over the sets. */
void cache_persist(struct cache *c, uint32_t slot);
/* The same without a limit: of a line that persisted before. */
void cache_mark_persisting(struct cache *c, uint32_t slot);
/* The line, all lines, are like others again. */
void cache_let_go(struct cache *c, uint32_t slot);
void cache_let_all_go(struct cache *c);

/* Takes a line out. */
void cache_remove(struct cache *c, uint32_t slot);

/* xorshift step of the victim choice: the same sequence for the same seed. */
static inline uint32_t cache_next_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return (uint32_t)(x >> 32);
}
static inline uint32_t cache_random(struct cache *c)
{
    return cache_next_random(&c->random);
}

#endif
