/* mapping.c - which lines share a set: by a modulus, by parities of address bits, or by no such
 * rule. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "dissect/inference.h"

void mapping_release(struct mapping *m)
{
    free(m->label);
    memset(m, 0, sizeof *m);
}

static uint64_t reference(const struct full_set *set)
{
    return set->line[0];
}

/* ---- line number modulo sets ---- */

/* Multiples of the modulus belong, everything else does not, near and far. */
static bool modulus_holds(struct oracle *o, const struct full_set *set, uint64_t line_bytes,
                          uint64_t modulus, uint32_t *checks)
{
    uint64_t first = reference(set) / line_bytes, lines = o->prober->reach_bytes / line_bytes;
    for (uint32_t i = 0; i < 24; i++) {
        uint64_t near = i < 12 ? modulus * 40 : lines;
        uint64_t at = oracle_random(o, near < lines ? near : lines),
                 same = at - at % modulus + first % modulus;
        if (same < lines && !belongs(o, set, same * line_bytes))
            return false;
        if (at % modulus != first % modulus && belongs(o, set, at * line_bytes))
            return false;
        *checks += 2;
    }
    return !o->exhausted;
}

static bool try_modulus(struct oracle *o, const struct full_set *set, uint64_t line_bytes,
                        uint32_t max_lines, struct mapping *out)
{
    uint64_t first = reference(set) / line_bytes,
             most = STRATA_DISSECT_MAX_SETS < max_lines ? STRATA_DISSECT_MAX_SETS : max_lines;
    for (uint64_t d = 1; d <= most && !o->exhausted; d++) {
        if ((first + d + 1) * line_bytes > o->prober->reach_bytes ||
            !belongs(o, set, (first + d) * line_bytes))
            continue;
        out->checks = (uint32_t)d;
        out->kind = STRATA_ADDRESSING_LINEAR;
        out->modulus = d;
        out->n_sets = (uint32_t)d;
        return modulus_holds(o, set, line_bytes, d, &out->checks);
    }
    return false;
}

/* ---- parities of address bits ---- */

/* A basis of vectors over GF(2), each with a leading bit of its own. */
struct basis {
    uint64_t row[64]; /* by leading bit */
    uint32_t rank;
};

static uint64_t reduce(const struct basis *b, uint64_t v)
{
    for (int bit = 63; bit >= 0 && v; bit--)
        if (v >> bit & 1 && b->row[bit])
            v ^= b->row[bit];
    return v;
}

static bool basis_add(struct basis *b, uint64_t v)
{
    v = reduce(b, v);
    if (!v)
        return false;
    b->row[log2_floor(v)] = v;
    b->rank++;
    return true;
}

static uint64_t random_combination(struct oracle *o, const struct basis *b)
{
    uint64_t v = 0;
    for (int bit = 0; bit < 64; bit++)
        if (b->row[bit] && oracle_random(o, 2))
            v ^= b->row[bit];
    return v;
}

static unsigned parity(uint64_t x)
{
    return (unsigned)__builtin_parityll(x);
}

/* Masks orthogonal to all differences within a set, each led by a low bit that no other has:
 * reading the matrix of the basis in reduced form from its high bits leaves the low bits free. */
static void orthogonal_masks(const struct basis *b, uint32_t bits, struct mapping *out)
{
    struct basis full = *b;
    for (int i = 0; i < 64; i++)
        for (int j = i + 1; j < 64 && full.row[i]; j++)
            if (full.row[j] >> i & 1)
                full.row[j] ^= full.row[i];
    out->n_masks = 0;
    for (uint32_t free_bit = 0; free_bit < bits; free_bit++) {
        if (full.row[free_bit] || out->n_masks == STRATA_DISSECT_MAX_INDEX_BITS)
            continue;
        uint64_t mask = 1ull << free_bit;
        for (uint32_t i = 0; i < bits; i++)
            if (full.row[i] >> free_bit & 1)
                mask |= 1ull << i;
        out->mask[out->n_masks++] = mask;
    }
}

/* Members of the set differ by elements of a subspace: members drawn at random span it after a few
 * more than its rank; then everything it predicts is tested. */
static bool sample_subspace(struct oracle *o, const struct full_set *set, uint64_t line_bytes,
                            uint32_t line_bits, struct basis *b)
{
    uint64_t first = reference(set) / line_bytes, idle = 0, asked = 0, found = 0;
    for (size_t i = 1; i < set->n; i++)
        basis_add(b, first ^ (set->line[i] / line_bytes));
    while (idle < 9 && b->rank < line_bits && !o->exhausted && o->status == STRATA_OK) {
        uint64_t v = oracle_random(o, 1ull << line_bits);
        if (++asked > 64 * (found + 1) + 2000 && asked > 6000)
            return false;
        if (!belongs(o, set, (first ^ v) * line_bytes))
            continue;
        found++;
        idle = basis_add(b, v) ? 0 : idle + 1;
    }
    return !o->exhausted && o->status == STRATA_OK;
}

/* Single bits and pairs first: they give most of the subspace of the common functions at once. */
static void seed_subspace(struct oracle *o, const struct full_set *set, uint64_t line_bytes,
                          uint32_t line_bits, struct basis *b)
{
    uint64_t first = reference(set) / line_bytes;
    uint32_t used[64], n_used = 0;
    for (uint32_t i = 0; i < line_bits; i++)
        if (belongs(o, set, (first ^ (1ull << i)) * line_bytes))
            basis_add(b, 1ull << i);
        else
            used[n_used++] = i;
    for (uint32_t i = 0; i < n_used; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint64_t v = 1ull << used[i] | 1ull << used[j];
            if (reduce(b, v) && belongs(o, set, (first ^ v) * line_bytes))
                basis_add(b, v);
        }
}

static bool subspace_holds(struct oracle *o, const struct full_set *set, uint64_t line_bytes,
                           uint32_t line_bits, const struct basis *b, uint32_t *checks)
{
    uint64_t first = reference(set) / line_bytes;
    for (uint32_t i = 0; i < 20; i++) {
        uint64_t v = oracle_random(o, 1ull << line_bits);
        if (!belongs(o, set, (first ^ random_combination(o, b)) * line_bytes))
            return false;
        if (reduce(b, v) && belongs(o, set, (first ^ v) * line_bytes))
            return false;
        *checks += 2;
    }
    return !o->exhausted;
}

static void classify_masks(struct mapping *m, uint64_t line_bytes)
{
    uint32_t line_shift = log2_floor(line_bytes);
    bool single = true, low = true;
    for (uint32_t i = 0; i < m->n_masks; i++) {
        m->mask[i] <<= line_shift;
        single = single && is_power_of_two(m->mask[i]);
        low = low && m->mask[i] == 1ull << (line_shift + i);
    }
    m->kind = !single ? STRATA_ADDRESSING_XOR
              : low   ? STRATA_ADDRESSING_LINEAR
                      : STRATA_ADDRESSING_BITS;
    m->modulus = m->kind == STRATA_ADDRESSING_LINEAR ? 1ull << m->n_masks : 0;
}

static bool try_parities(struct oracle *o, const struct full_set *set, uint64_t line_bytes,
                         struct mapping *out)
{
    uint32_t line_bits = log2_floor(o->prober->reach_bytes / line_bytes);
    struct basis b = {0};
    if (line_bits > 40)
        line_bits = 40;
    out->checks = 0;
    for (size_t i = 0; i < set->n; i++)
        if (set->line[i] / line_bytes >> line_bits)
            return false;
    seed_subspace(o, set, line_bytes, line_bits, &b);
    if (!sample_subspace(o, set, line_bytes, line_bits, &b) ||
        line_bits - b.rank > STRATA_DISSECT_MAX_INDEX_BITS ||
        1u << (line_bits - b.rank) > STRATA_DISSECT_MAX_SETS)
        return false;
    if (!subspace_holds(o, set, line_bytes, line_bits, &b, &out->checks))
        return false;
    out->bits = line_bits + log2_floor(line_bytes);
    orthogonal_masks(&b, line_bits, out);
    classify_masks(out, line_bytes);
    out->n_sets = 1u << out->n_masks;
    return true;
}

bool find_mapping(struct oracle *o, const struct full_set *set, uint64_t line_bytes,
                  uint32_t max_lines, struct mapping *out)
{
    memset(out, 0, sizeof *out);
    if (try_modulus(o, set, line_bytes, max_lines, out) ||
        (!o->exhausted && try_parities(o, set, line_bytes, out))) {
        out->line_bytes = line_bytes;
        return true;
    }
    memset(out, 0, sizeof *out);
    out->line_bytes = line_bytes;
    return !o->exhausted && label_lines(o, set, line_bytes, max_lines, out);
}

/* ---- lines of a set ---- */

static uint32_t set_by_parities(const struct mapping *m, uint64_t offset)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < m->n_masks; i++)
        set |= parity(offset & m->mask[i]) << i;
    return set;
}

/* Each mask is led by a low bit of its own: flipping these puts any line into any set. */
static uint64_t move_to_set(const struct mapping *m, uint64_t offset, uint32_t set)
{
    uint32_t wrong = set_by_parities(m, offset) ^ set;
    for (uint32_t i = 0; i < m->n_masks; i++)
        if (wrong >> i & 1)
            offset ^= m->mask[i] & -m->mask[i];
    return offset;
}

/* The i-th number whose leading bits are all 0, so that moving it gives i different lines. */
static uint64_t spread_bits(const struct mapping *m, uint64_t i)
{
    uint64_t leading = 0, out = 0;
    for (uint32_t k = 0; k < m->n_masks; k++)
        leading |= m->mask[k] & -m->mask[k];
    for (uint32_t bit = log2_floor(m->line_bytes); bit < m->bits && i; bit++)
        if (!(leading >> bit & 1)) {
            out |= (i & 1) << bit;
            i >>= 1;
        }
    return i ? UINT64_MAX : out;
}

bool mapping_line(const struct mapping *m, const struct oracle *o, uint32_t set, uint64_t i,
                  uint64_t *line)
{
    if (m->label) {
        for (size_t l = 0; l < m->n_labels; l++)
            if (m->label[l] == set && !i--) {
                *line = l * m->line_bytes;
                return true;
            }
        return false;
    }
    if (m->modulus) {
        *line = (set + i * m->modulus) * m->line_bytes;
        return *line + m->line_bytes <= o->prober->reach_bytes;
    }
    uint64_t start = spread_bits(m, i);
    if (start == UINT64_MAX)
        return false;
    *line = move_to_set(m, start, set);
    return true;
}
