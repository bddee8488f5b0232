/* stack.c - levels of counters over a window of time, and the table of last accesses. */
#if defined(__GNUC__) && !defined(__clang__)
/* The sums below are twice as fast when their loops are unrolled and vectorised. */
#pragma GCC optimize("O3")
#endif
#include "base/expect.h"
#include "reuse/stack.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum {
    WORD_BITS = 64,
    GROUP_WORDS = 64,
    SUPER_GROUPS = 32,
    HYPER_SUPERS = 16,
    SUPER_SLOTS = WORD_BITS * GROUP_WORDS * SUPER_GROUPS,
    HYPER_SLOTS = SUPER_SLOTS * HYPER_SUPERS,
    BATCH = 64, /* accesses whose table entries are fetched ahead */
    HUGE_PAGE = 2 << 20,
};

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(
        err, NULL,
        "for the reuse distances of so many lines; a sampled engine (--engine sampled) needs less");
}

/* Zeroed. Look-ups are random over the whole table, so large pages save most of their page walks.
 */
static void *alloc_table(size_t bytes)
{
    if (bytes < (size_t)HUGE_PAGE)
        return calloc(1, bytes);
    void *p = aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (!p)
        return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    madvise(p, bytes, MADV_HUGEPAGE); /* a wish: the result is the same without */
#endif
    return memset(p, 0, bytes);
}

static bool alloc_window(struct reuse_stack *s, uint32_t n_slots)
{
    uint32_t words = n_slots / WORD_BITS;
    s->bits = calloc(words, sizeof *s->bits);
    s->word_count = calloc(words, sizeof *s->word_count);
    s->group_count = calloc(words / GROUP_WORDS, sizeof *s->group_count);
    s->n_hypers = (n_slots + HYPER_SLOTS - 1) / HYPER_SLOTS;
    s->super_count = calloc((size_t)s->n_hypers * HYPER_SUPERS, sizeof *s->super_count);
    s->hyper_count = calloc(s->n_hypers, sizeof *s->hyper_count);
    s->prefix = calloc(words, sizeof *s->prefix);
    s->n_slots = n_slots;
    return s->bits && s->word_count && s->group_count && s->super_count && s->hyper_count &&
           s->prefix;
}

static void free_window(struct reuse_stack *s)
{
    free(s->bits);
    free(s->word_count);
    free(s->group_count);
    free(s->super_count);
    free(s->hyper_count);
    free(s->prefix);
}

static bool alloc_entries(struct reuse_stack *s, unsigned log2_entries)
{
    s->table = alloc_table(sizeof *s->table << log2_entries);
    s->table_shift = 64 - log2_entries;
    s->table_mask = (1u << log2_entries) - 1;
    return s->table;
}

/* Sums over what follows a place in its block of counters are made without branches, which no
 * predictor could foresee: all counters of the block are added, those up to the place masked out.
 */
struct masks {
    uint64_t word[GROUP_WORDS][GROUP_WORDS / 8];    /* a byte for each word of a group */
    uint64_t group[SUPER_GROUPS][SUPER_GROUPS / 4]; /* two bytes for each group of a super group */
    uint64_t super[HYPER_SUPERS][HYPER_SUPERS / 2]; /* four for each super group of a hyper group */
};

static void fill_masks(struct masks *m)
{
    for (uint32_t i = 0; i < GROUP_WORDS; i++)
        memset((uint8_t *)m->word[i] + i + 1, 0xff, GROUP_WORDS - 1 - i);
    for (uint32_t i = 0; i < SUPER_GROUPS; i++)
        memset((uint8_t *)m->group[i] + 2 * (i + 1), 0xff, 2 * (SUPER_GROUPS - 1 - i));
    for (uint32_t i = 0; i < HYPER_SUPERS; i++)
        memset((uint8_t *)m->super[i] + 4 * (i + 1), 0xff, 4 * (HYPER_SUPERS - 1 - i));
}

strata_status reuse_stack_init(struct reuse_stack *s, struct strata_error *err)
{
    memset(s, 0, sizeof *s);
    s->masks = calloc(1, sizeof *s->masks);
    if (s->masks && alloc_window(s, SUPER_SLOTS) && alloc_entries(s, 10)) {
        fill_masks(s->masks);
        return STRATA_OK;
    }
    reuse_stack_release(s);
    return no_memory(err);
}

void reuse_stack_release(struct reuse_stack *s)
{
    free_window(s);
    free(s->table);
    free(s->masks);
    memset(s, 0, sizeof *s);
}

static void clear_window(struct reuse_stack *s)
{
    uint32_t used = (uint32_t)(((uint64_t)s->cursor + SUPER_SLOTS - 1) / SUPER_SLOTS * SUPER_SLOTS);
    memset(s->bits, 0, used / 8);
    memset(s->word_count, 0, used / WORD_BITS);
    memset(s->group_count, 0, used / WORD_BITS / GROUP_WORDS * sizeof *s->group_count);
    memset(s->super_count, 0, used / SUPER_SLOTS * sizeof *s->super_count);
    memset(s->hyper_count, 0, s->n_hypers * sizeof *s->hyper_count);
    s->cursor = 0;
}

void reuse_stack_clear(struct reuse_stack *s)
{
    clear_window(s);
    if (s->n_lines)
        memset(s->table, 0, ((size_t)s->table_mask + 1) * sizeof *s->table);
    s->n_lines = 0;
}

uint64_t reuse_stack_bytes(const struct reuse_stack *s)
{
    return ((uint64_t)s->table_mask + 1) * sizeof *s->table + s->n_slots / 8 +
           s->n_slots / WORD_BITS * 5u;
}

/* ---- counting bits ---- */

static inline uint64_t load64(const void *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static inline uint32_t sum_lanes16(uint64_t x)
{
    return (uint32_t)((x & 0xffff) + (x >> 16 & 0xffff) + (x >> 32 & 0xffff) + (x >> 48));
}

static inline uint32_t words_after(const struct reuse_stack *s, uint32_t word)
{
    const uint8_t *count = s->word_count + (word & ~(uint32_t)(GROUP_WORDS - 1));
    const uint64_t *mask = s->masks->word[word % GROUP_WORDS];
    const uint64_t odd = 0x00ff00ff00ff00ffull;
    uint64_t lanes = 0; /* four sums of at most 16 counts of 64 */
    for (int i = 0; i < GROUP_WORDS / 8; i++) {
        uint64_t x = load64(count + 8 * i) & mask[i];
        lanes += (x & odd) + (x >> 8 & odd);
    }
    return sum_lanes16(lanes);
}

static inline uint32_t groups_after(const struct reuse_stack *s, uint32_t group)
{
    const uint16_t *count = s->group_count + (group & ~(uint32_t)(SUPER_GROUPS - 1));
    const uint64_t *mask = s->masks->group[group % SUPER_GROUPS];
    uint64_t lanes = 0; /* four sums of at most 8 counts of 4096 */
    for (int i = 0; i < SUPER_GROUPS / 4; i++)
        lanes += load64(count + 4 * i) & mask[i];
    return sum_lanes16(lanes);
}

static inline uint32_t supers_after(const struct reuse_stack *s, uint32_t super)
{
    const uint32_t *count = s->super_count + (super & ~(uint32_t)(HYPER_SUPERS - 1));
    const uint64_t *mask = s->masks->super[super % HYPER_SUPERS];
    uint64_t lanes = 0;
    for (int i = 0; i < HYPER_SUPERS / 2; i++)
        lanes += load64(count + 2 * i) & mask[i];
    return (uint32_t)(lanes + (lanes >> 32));
}

/* Bits set after `slot`. */
static inline uint32_t bits_after(const struct reuse_stack *s, uint32_t slot)
{
    uint32_t word = slot / WORD_BITS, group = word / GROUP_WORDS, super = group / SUPER_GROUPS;
    uint32_t n = (uint32_t)__builtin_popcountll(s->bits[word] >> (slot % WORD_BITS) >> 1);
    n += words_after(s, word) + groups_after(s, group) + supers_after(s, super);
    for (uint32_t i = super / HYPER_SUPERS + 1; i < s->n_hypers; i++)
        n += s->hyper_count[i];
    return n;
}

static inline void set_bit(struct reuse_stack *s, uint32_t slot)
{
    uint32_t word = slot / WORD_BITS, group = word / GROUP_WORDS;
    s->bits[word] |= (uint64_t)1 << (slot % WORD_BITS);
    s->word_count[word]++;
    s->group_count[group]++;
    s->super_count[group / SUPER_GROUPS]++;
    s->hyper_count[slot / HYPER_SLOTS]++;
}

static inline void clear_bit(struct reuse_stack *s, uint32_t slot)
{
    uint32_t word = slot / WORD_BITS, group = word / GROUP_WORDS;
    s->bits[word] &= ~((uint64_t)1 << (slot % WORD_BITS));
    s->word_count[word]--;
    s->group_count[group]--;
    s->super_count[group / SUPER_GROUPS]--;
    s->hyper_count[slot / HYPER_SLOTS]--;
}

/* ---- the table ---- */

static inline uint32_t home_of(const struct reuse_stack *s, uint64_t key)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> s->table_shift);
}

/* The line's entry, or the empty one where it belongs. */
static inline struct reuse_entry *find(const struct reuse_stack *s, uint64_t key)
{
    uint32_t h = home_of(s, key);
    while (s->table[h].key && s->table[h].key != key)
        h = (h + 1) & s->table_mask;
    return &s->table[h];
}

static strata_status grow_table(struct reuse_stack *s, struct strata_error *err)
{
    struct reuse_entry *old = s->table;
    uint64_t n = (uint64_t)s->table_mask + 1;
    if (!alloc_entries(s, 64 - s->table_shift + 1)) {
        s->table = old;
        s->table_shift++;
        s->table_mask = (uint32_t)(n - 1);
        return no_memory(err);
    }
    for (uint64_t i = 0; i < n; i++)
        if (old[i].key)
            *find(s, old[i].key) = old[i];
    free(old);
    return STRATA_OK;
}

/* ---- renumbering ---- */

static void number_words(struct reuse_stack *s)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < s->n_slots / WORD_BITS; w++) {
        s->prefix[w] = n;
        n += s->word_count[w];
    }
}

/* Bits before `slot`, after number_words. */
static inline uint32_t rank_of(const struct reuse_stack *s, uint32_t slot)
{
    uint64_t below = ((uint64_t)1 << (slot % WORD_BITS)) - 1;
    return s->prefix[slot / WORD_BITS] +
           (uint32_t)__builtin_popcountll(s->bits[slot / WORD_BITS] & below);
}

/* A window four times as large as the lines need, its first n slots taken and room for `more`. */
static strata_status refill_window(struct reuse_stack *s, uint32_t n, uint64_t more,
                                   struct strata_error *err)
{
    uint64_t want = (uint64_t)n * 4 > n + more ? (uint64_t)n * 4 : n + more;
    want = (want + SUPER_SLOTS - 1) / SUPER_SLOTS * SUPER_SLOTS;
    if (want > UINT32_MAX - HYPER_SLOTS)
        return no_memory(err);
    clear_window(s);
    if ((uint64_t)n * 2 > s->n_slots || n + more > s->n_slots) {
        struct reuse_stack larger = *s;
        if (!alloc_window(&larger, (uint32_t)want)) {
            free_window(&larger);
            return no_memory(err);
        }
        free_window(s);
        *s = larger;
    }
    for (uint32_t i = 0; i < n; i++)
        set_bit(s, i);
    s->cursor = n;
    return STRATA_OK;
}

static strata_status renumber(struct reuse_stack *s, uint64_t more, struct strata_error *err)
{
    number_words(s);
    for (uint64_t i = 0; i <= s->table_mask; i++)
        if (s->table[i].key)
            s->table[i].slot = rank_of(s, s->table[i].slot);
    return refill_window(s, s->n_lines, more, err);
}

strata_status reuse_stack_reserve(struct reuse_stack *s, size_t n, struct strata_error *err)
{
    return s->n_slots - s->cursor >= n ? STRATA_OK : renumber(s, n, err);
}

strata_status reuse_stack_append(struct reuse_stack *s, uint32_t mark,
                                 const struct reuse_stack *later, struct strata_error *err)
{
    uint32_t below = s->n_lines - later->n_lines; /* lines that `later` has not seen come first */
    struct reuse_stack order = *later;            /* its scratch is written, nothing else */
    number_words(s);
    number_words(&order);
    for (uint64_t i = 0; i <= s->table_mask; i++) {
        struct reuse_entry *e = &s->table[i];
        if (!e->key)
            continue;
        e->slot = e->slot < mark ? rank_of(s, e->slot)
                                 : below + rank_of(&order, find(later, e->key)->slot);
    }
    return refill_window(s, s->n_lines, 0, err);
}

/* ---- accesses ---- */

static strata_status first_access(struct reuse_stack *s, uint64_t key, struct reuse_entry *e,
                                  struct strata_error *err)
{
    *e = (struct reuse_entry){.key = key, .slot = s->cursor};
    set_bit(s, s->cursor++);
    if (++s->n_lines <= s->table_mask / 2)
        return STRATA_OK;
    return grow_table(s, err);
}

static inline strata_status touch(struct reuse_stack *s, uint64_t line, bool measured,
                                  uint32_t *distance, struct strata_error *err)
{
    if (s->cursor == s->n_slots) {
        strata_status st = renumber(s, 0, err);
        if (st != STRATA_OK)
            return st;
    }
    struct reuse_entry *e = find(s, line + 1);
    if (!e->key) {
        *distance = REUSE_COLD;
        return first_access(s, line + 1, e, err);
    }
    if (e->slot + 1 == s->cursor) {
        *distance = 0;
        return STRATA_OK;
    }
    if (measured)
        *distance = bits_after(s, e->slot);
    clear_bit(s, e->slot);
    e->slot = s->cursor;
    set_bit(s, s->cursor++);
    return STRATA_OK;
}

strata_status reuse_stack_touch(struct reuse_stack *s, uint64_t line, uint32_t *distance,
                                struct strata_error *err)
{
    return touch(s, line, true, distance, err);
}

strata_status reuse_stack_use(struct reuse_stack *s, uint64_t line, struct strata_error *err)
{
    uint32_t unused;
    return touch(s, line, false, &unused, err);
}

uint32_t reuse_stack_distance(const struct reuse_stack *s, uint64_t line)
{
    const struct reuse_entry *e = find(s, line + 1);
    return e->key ? bits_after(s, e->slot) : REUSE_COLD;
}

/* Entries of a batch come from memory together, then the bits their slots point to. What is fetched
 * ahead may be out of date when its turn comes: only the fetching matters. */
static void fetch_ahead(const struct reuse_stack *s, const uint64_t *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        expect_write(&s->table[home_of(s, line[i] + 1)]);
}

static void fetch_bits(const struct reuse_stack *s, const uint64_t *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t slot = s->table[home_of(s, line[i] + 1)].slot;
        if (slot < s->n_slots) {
            expect_write(&s->bits[slot / WORD_BITS]);
            expect_write(&s->word_count[slot / WORD_BITS]);
        }
    }
}

strata_status reuse_stack_run(struct reuse_stack *s, const uint64_t *line, size_t n,
                              uint32_t *distance, struct strata_error *err)
{
    size_t first = n < BATCH ? n : BATCH;
    fetch_ahead(s, line, first);
    for (size_t at = 0; at < n; at += BATCH) {
        size_t count = n - at < BATCH ? n - at : BATCH, left = n - at - count;
        fetch_bits(s, line + at, count);
        fetch_ahead(s, line + at + count, left < BATCH ? left : BATCH);
        for (size_t i = at; i < at + count; i++) {
            strata_status st = touch(s, line[i], true, &distance[i], err);
            if (st != STRATA_OK)
                return st;
        }
    }
    return STRATA_OK;
}
