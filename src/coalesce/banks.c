/* banks.c - shared memory: how often the banks are gone over for one warp instruction.
 *
 * A bank delivers one word a pass to any number of lanes. Lanes that need different words of one
 * bank take turns: a pass more for each, a "conflict".
 *
 * Wide accesses. 8 bytes a lane are moved by half warp and 16 bytes by quarter warp, so they take 2
 * and 4 passes without any conflict. From Volta on, two such groups of a load share a pass if every
 * lane l of them wants the same address as lane l^1 does, or every lane the same as lane l^2: then
 * together they need no more than 128 bytes. A lane that is off agrees with any, so that lanes 0,
 * 1, 16 and 17 share one pass, and collide where theirs would not alone; groups of a store never
 * share (wide_lanes_probe.cu). That rule, with the counting of a 4-byte access as lanes' distinct
 * words, gives an H200's wavefronts exactly (docs/metrics.md). */
#include <string.h>

#include "coalesce/coalesce.h"

/* Lanes wider than a bank, each on a multiple of its width, fill groups of banks side by side, all
 * of a group alike: it is as full as each of its banks. Returns the log2 of what is counted as one.
 */
static unsigned word_shift(const struct strata_coalescer *c, const uint64_t *address, uint32_t mask,
                           unsigned width)
{
    uint64_t all = width;
    if (width <= 1u << c->bank_shift || width > c->banks << c->bank_shift ||
        !is_power_of_two(width))
        return c->bank_shift;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        all |= address[lowest_bit32(rest)];
    return all & (width - 1) ? c->bank_shift : log2_floor(width);
}

/* A whole warp whose lanes are a few runs of words side by side, no word in two of them: a word of
 * each bank and run. 0: it is not. */
static unsigned fullest_of_rows(const struct strata_coalescer *c, const uint64_t *address)
{
    uint32_t ends = run_ends(address, 4), full[FEW_RUNS + 1] = {UINT32_MAX};
    uint64_t word[FEW_RUNS];
    unsigned n = 0, first = 0, most = 0, lanes[FEW_RUNS];
    if (c->banks != 32 || c->bank_shift != 2 || c->bank_rows != 1 || popcount32(ends) > FEW_RUNS)
        return 0;
    for (uint32_t rest = ends; rest; rest &= rest - 1, n++) {
        lanes[n] = lowest_bit32(rest) + 1 - first;
        word[n] = address[first] >> 2;
        for (unsigned k = 0; k < n; k++)
            if (word[n] - word[k] < lanes[k] || word[k] - word[n] < lanes[n])
                return 0;
        uint64_t run = (((uint64_t)1 << lanes[n]) - 1) << (word[n] & 31);
        for (unsigned k = n + 1; k; k--) /* banks that so many of the runs want */
            full[k] |= full[k - 1] & (uint32_t)(run | run >> 32);
        if (address[first] & 3)
            return 0;
        first += lanes[n];
    }
    while (most < n && full[most + 1])
        most++;
    return most;
}

/* Distinct words in the fullest bank. Atomics too: lanes that add to one word share its pass. A
 * histogram of 256 random bins has 281,681 conflicts for its 131,072 atomics on an H200, 2.149
 * each: distinct words give 2.149, lanes would give 2.54. */
static unsigned fullest_bank(const struct strata_coalescer *c, const uint64_t *address,
                             uint32_t mask, unsigned width)
{
    unsigned most = mask == UINT32_MAX && width == 4 ? fullest_of_rows(c, address) : 0;
    if (most)
        return most;
    uint64_t word[STRATA_WARP_SIZE][32], last = ~address[lowest_bit32(mask)];
    uint8_t n[32] = {0};
    unsigned shift = word_shift(c, address, mask, width),
             banks = c->banks >> (shift - c->bank_shift),
             /* Kepler in 4-byte mode: words w and w + 32 of a run of 64 come together. */
        row_shift = log2_floor(banks) + (c->bank_rows == 2 ? 1 : 0);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint64_t at = address[lowest_bit32(rest)];
        if (at == last) /* neighbours often want the same */
            continue;
        last = at;
        for (uint64_t w = at >> shift, end = (at + width - 1) >> shift; w <= end; w++) {
            unsigned bank = (unsigned)w & (banks - 1), i = 0;
            uint64_t row = w >> row_shift;
            while (i < n[bank] && word[i][bank] != row)
                i++;
            if (i == n[bank] && i < STRATA_WARP_SIZE) {
                word[i][bank] = row;
                n[bank]++;
                most = i + 1 > most ? i + 1 : most;
            }
        }
    }
    return most;
}

/* Does no active lane of `mask` have an active partner (l ^ step) with another address? */
static bool partners_agree(const uint64_t *address, uint32_t mask, unsigned step)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        if (mask >> (lane ^ step) & 1 && address[lane] != address[lane ^ step])
            return false;
    }
    return true;
}

static void add_phase(const struct strata_coalescer *c, const uint64_t *address, uint32_t mask,
                      unsigned width, struct strata_shared_cost *cost)
{
    unsigned passes = mask ? fullest_bank(c, address, mask, width) : 0;
    cost->wavefronts += passes;
    cost->phases += passes > 0;
    cost->conflicts += passes ? passes - 1 : 0;
}

/* Groups of `lanes` lanes; pairs of groups share a pass where they can. */
static void add_phases(const struct strata_coalescer *c, const uint64_t *address, uint32_t mask,
                       unsigned width, unsigned lanes, bool may_merge,
                       struct strata_shared_cost *cost)
{
    uint32_t pair = (uint32_t)(((uint64_t)1 << 2 * lanes) - 1);
    for (unsigned at = 0; at < STRATA_WARP_SIZE; at += 2 * lanes) {
        uint32_t both = mask & pair << at;
        uint32_t low = both & (pair >> lanes) << at;
        if (may_merge && (partners_agree(address, both, 1) || partners_agree(address, both, 2))) {
            add_phase(c, address, both, width, cost);
        } else {
            add_phase(c, address, low, width, cost);
            add_phase(c, address, both & ~low, width, cost);
        }
    }
}

/* LDSM and STSM: the lanes of each matrix give its eight rows of 16 bytes; a matrix is a pass. The
 * number of matrices is the opcode's last word (LDSM.16.M88.4); fewer than four use the first
 * lanes. */
static bool is_matrix(const char *opcode)
{
    return !strncmp(opcode, "LDSM", 4) || !strncmp(opcode, "STSM", 4);
}

static uint32_t matrix_lanes(const char *opcode)
{
    const char *dot = strrchr(opcode, '.');
    unsigned matrices = dot && !strcmp(dot, ".4") ? 4 : dot && !strcmp(dot, ".2") ? 2 : 1;
    return (uint32_t)(((uint64_t)1 << matrices * 8) - 1);
}

/* The common cases: 4-byte words side by side, or one word for all. */
static bool is_single_pass(const struct strata_coalescer *c, const struct strata_winst *w)
{
    return w->addr_kind == STRATA_ADDR_STRIDE && w->inst->width_bytes == 4 && c->banks == 32 &&
           (w->stride == 4 || w->stride == 0);
}

struct strata_shared_cost strata_shared_access(const struct strata_coalescer *c,
                                               const struct strata_winst *w)
{
    struct strata_shared_cost cost = {0, 0, 0};
    if (!w->mask || w->addr_kind == STRATA_ADDR_NONE)
        return cost;
    if (is_single_pass(c, w))
        return (struct strata_shared_cost){1, 1, 0};
    uint64_t listed[STRATA_WARP_SIZE];
    const uint64_t *address = w->addr;
    if (w->addr_kind == STRATA_ADDR_STRIDE) {
        strata_winst_addresses(w, listed);
        address = listed;
    }
    unsigned width = w->inst->width_bytes ? w->inst->width_bytes : 4;
    unsigned pass_lanes = (c->banks * c->bank_rows << c->bank_shift) / width;
    if (is_matrix(w->inst->opcode))
        add_phases(c, address, w->mask & matrix_lanes(w->inst->opcode), 16, 8, false, &cost);
    else if (pass_lanes >= STRATA_WARP_SIZE)
        add_phase(c, address, w->mask, width, &cost);
    else
        add_phases(c, address, w->mask, width, pass_lanes ? pass_lanes : 1,
                   c->merge_phases && w->inst->memop != STRATA_MEM_STORE, &cost);
    return cost;
}
