/* stack.h - exact LRU stack distances in memory bounded by the number of distinct lines.
 *
 * Every access takes the next slot of a window of time; a bit says whether the
 * slot is still the last access to its line. The distance of an access is the
 * number of bits set after its line's slot: the distinct lines used since. Bits
 * are counted by levels (a word, its group of 64, a super group of 32 groups, a
 * hyper group of 16 of those), so a count reads a few neighbouring words instead of a path
 * through a tree. When the window is full, its slots are renumbered densely; it
 * holds four times the live lines, so that costs little per access.
 *
 * Not thread-safe per object. */
#ifndef STRATA_REUSE_STACK_H
#define STRATA_REUSE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

#define REUSE_COLD UINT32_MAX /* distance of a first access */

struct reuse_entry {
    uint64_t key;  /* line + 1; 0 = empty */
    uint32_t slot; /* of its last access */
};

struct reuse_stack {
    struct reuse_entry *table;
    uint32_t table_shift; /* 64 - log2 of the entries */
    uint32_t table_mask;
    uint32_t n_lines;
    uint64_t *bits;        /* one per slot */
    uint8_t *word_count;   /* bits in each word */
    uint16_t *group_count; /* bits in each group of 64 words */
    uint32_t *super_count; /* bits in each super group of 32 groups */
    uint32_t *hyper_count; /* bits in each hyper group of 16 super groups */
    uint32_t n_hypers;
    struct masks *masks; /* see stack.c */
    uint32_t *prefix;    /* scratch of renumbering: bits before each word */
    uint32_t n_slots;    /* capacity of the window */
    uint32_t cursor;     /* the next slot */
};

strata_status reuse_stack_init(struct reuse_stack *s, struct strata_error *err);
void reuse_stack_release(struct reuse_stack *s);
/* Forgets all lines, keeps the memory. */
void reuse_stack_clear(struct reuse_stack *s);

/* Distances of n accesses in order, each REUSE_COLD or below the number of distinct lines. Lines
 * are any numbers below 2^64 - 1. */
strata_status reuse_stack_run(struct reuse_stack *s, const uint64_t *line, size_t n,
                              uint32_t *distance, struct strata_error *err);
/* The distance an access would have, without making it. */
uint32_t reuse_stack_distance(const struct reuse_stack *s, uint64_t line);
/* One access. */
strata_status reuse_stack_touch(struct reuse_stack *s, uint64_t line, uint32_t *distance,
                                struct strata_error *err);

/* One access whose distance nobody asks for. */
strata_status reuse_stack_use(struct reuse_stack *s, uint64_t line, struct strata_error *err);

/* Makes room for n accesses without renumbering: until then slots keep their numbers. */
strata_status reuse_stack_reserve(struct reuse_stack *s, size_t n, struct strata_error *err);
/* Puts the lines of `later`, in their order, on top of those of `s`: as if everything `later` has
 * seen had followed. `s` must have seen each line of `later` at slot >= mark and none but those. */
strata_status reuse_stack_append(struct reuse_stack *s, uint32_t mark,
                                 const struct reuse_stack *later, struct strata_error *err);

/* Bytes held. */
uint64_t reuse_stack_bytes(const struct reuse_stack *s);

#endif
