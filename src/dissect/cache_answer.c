/* cache_answer.c - strata_dissect_cache: the stages in order, and what each answer rests on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "dissect/inference.h"

const char *strata_addressing_name(uint32_t addressing)
{
    static const char *const name[] = {"linear", "bits", "xor", "hashed"};
    return addressing < sizeof name / sizeof name[0] ? name[addressing] : "unknown";
}

void strata_dissect_options_init(struct strata_dissect_options *opt)
{
    *opt = (struct strata_dissect_options){.seed = 1, .max_visits = 400000000, .max_lines = 4096};
}

static void know(struct strata_finding *f, double confidence, const char *format, double a,
                 double b)
{
    f->known = true;
    f->confidence = confidence;
    snprintf(f->rests_on, sizeof f->rests_on, format, a, b);
}

uint32_t strata_cache_answer_set(const struct strata_cache_answer *a, uint64_t offset)
{
    uint32_t set = 0;
    if (!a->addressing.known || !a->n_sets || a->addressing_kind == STRATA_ADDRESSING_HASHED)
        return UINT32_MAX;
    if (a->addressing_kind == STRATA_ADDRESSING_LINEAR)
        return a->dealt_by_turns ? UINT32_MAX : (uint32_t)(offset / a->line_bytes % a->n_sets);
    for (uint32_t i = 0; i < a->n_index_masks; i++)
        set |= (uint32_t)__builtin_parityll(offset & a->index_mask[i]) << i;
    return set;
}

/* Successive lines that always stay together. */
static uint64_t chunk_of(const struct mapping *m)
{
    uint64_t chunk = 0, run = 1;
    for (size_t i = 1; i <= m->n_labels; i++) {
        if (i < m->n_labels && m->label[i] == m->label[i - 1]) {
            run++;
            continue;
        }
        for (uint64_t a = chunk, b = i < m->n_labels ? run : 0;
             a || b;) { /* greatest common divisor */
            if (!a || !b) {
                chunk = a | b;
                break;
            }
            uint64_t t = a % b;
            a = b;
            b = t;
        }
        run = 1;
    }
    return chunk * m->line_bytes;
}

/* Sets dealt by turns while they have ways left: any range as long as the cache fits (section 4.4).
 */
static bool dealt_by_turns(const struct mapping *m, const uint32_t *ways)
{
    size_t period = 0, at = 0;
    for (uint32_t s = 0; s < m->n_sets; s++)
        period += ways[s];
    for (uint32_t turn = 0; at < period; turn++)
        for (uint32_t s = 0; s < m->n_sets; s++)
            if (ways[s] > turn) {
                for (size_t l = at; l < m->n_labels; l += period)
                    if (m->label[l] != m->label[at])
                        return false;
                at++;
            }
    return m->n_labels > period;
}

static uint32_t largest_set(const uint32_t *ways, uint32_t n)
{
    uint32_t best = 0;
    for (uint32_t s = 1; s < n; s++)
        if (ways[s] > ways[best])
            best = s;
    return best;
}

/* Lines of a set, one more than its ways at least; fewer where the reach ends. */
static size_t lines_of(const struct mapping *m, struct oracle *o, uint32_t set, size_t n,
                       uint64_t *line)
{
    size_t i = 0;
    while (i < n && i < MAX_SET_LINES && mapping_line(m, o, set, i, &line[i]))
        i++;
    return i;
}

/* Exactly as many lines as the sets found can hold stay; with one more they do not: no set was
 * missed. */
static bool whole_cache_holds(struct oracle *o, const struct mapping *m, const uint32_t *ways,
                              uint32_t lines)
{
    uint64_t *line = calloc(lines + 1, sizeof *line);
    size_t n = 0;
    uint32_t large = largest_set(ways, m->n_sets);
    struct full_set full;
    bool holds = line != NULL;
    full.n = lines_of(m, o, large, ways[large] + 1, full.line);
    measure_loudness(o, &full); /* large sets are the quiet ones */
    for (uint32_t s = 0; holds && s < m->n_sets; s++)
        for (uint32_t i = 0; holds && i < ways[s]; i++)
            holds = mapping_line(m, o, s, i, &line[n++]);
    holds = holds && !oracle_overflows(o, line, n);
    holds = holds && mapping_line(m, o, large, ways[large], &line[n]) &&
            oracle_overflows(o, line, n + 1);
    free(line);
    return holds && !o->exhausted;
}

static void tell_mapping(const struct mapping *m, struct strata_cache_answer *out)
{
    double sure = 1 - 1.0 / (m->checks + 2.0);
    out->n_sets = m->n_sets;
    out->addressing_kind = m->kind;
    memcpy(out->index_mask, m->mask, sizeof out->index_mask);
    out->n_index_masks = m->n_masks;
    if (m->modulus && is_power_of_two(m->modulus)) { /* the lowest bits above the line */
        out->n_index_masks = log2_floor(m->modulus);
        for (uint32_t i = 0; i < out->n_index_masks && i < STRATA_DISSECT_MAX_INDEX_BITS; i++)
            out->index_mask[i] = m->line_bytes << i;
    }
    if (m->label)
        out->index_chunk_bytes = chunk_of(m);
    know(&out->sets, sure, "%.0f predictions of the mapping tested near and far", m->checks, 0);
    know(&out->addressing, sure, "%.0f predictions of the mapping tested near and far", m->checks,
         0);
}

static void tell_ways(struct oracle *o, const struct mapping *m, const uint32_t *ways,
                      struct strata_cache_answer *out)
{
    uint32_t lines = 0;
    for (uint32_t s = 0; s < m->n_sets; s++)
        lines += ways[s];
    if (!whole_cache_holds(o, m, ways, lines)) {
        out->sets.known = out->addressing.known = false;
        return;
    }
    memcpy(out->set_ways, ways, m->n_sets * sizeof *ways);
    out->size_bytes = (uint64_t)lines * out->line_bytes;
    know(&out->ways, 0.999, "growing groups of lines of each of %.0f sets", m->n_sets, 0);
    know(&out->size, 0.999, "%.0f lines, spread as found, all stay; one more does not", lines, 0);
    if (m->label && dealt_by_turns(m, ways)) {
        out->addressing_kind = STRATA_ADDRESSING_LINEAR;
        out->dealt_by_turns = true;
    }
}

static void replacement_of_the_largest_set(struct oracle *o, const struct mapping *m,
                                           struct strata_cache_answer *out)
{
    uint64_t line[MAX_SET_LINES];
    uint32_t large = largest_set(out->set_ways, m->n_sets), ways = out->set_ways[large];
    size_t n = lines_of(m, o, large, ways + 8u, line);
    if (n >= ways + 4u)
        find_replacement(o, line, n, ways, out);
}

static void dissect(struct oracle *o, const struct strata_dissect_options *opt,
                    struct strata_cache_answer *out)
{
    struct full_set *set = calloc(1, sizeof *set);
    struct mapping m = {0};
    uint32_t *ways = calloc(STRATA_DISSECT_MAX_SETS, sizeof *ways);
    if (!set || !ways || !oracle_calibrate(o))
        goto done;
    out->hit_cycles = o->hit_cycles;
    out->miss_cycles = o->miss_cycles;
    know(&out->latency, 0.99, "medians of repeated visits and of first visits", 0, 0);
    out->sector_bytes = find_granularity(o);
    if (!out->sector_bytes)
        goto done;
    know(&out->sector, 0.9999, "pairs of visits to fresh places, 25 for each distance", 0, 0);
    find_full_set(o, out->sector_bytes, opt->max_lines, set);
    if (!set->n)
        goto done;
    out->line_bytes = out->sector_bytes * find_sectors_per_line(o, out->sector_bytes, set);
    know(&out->line, 0.999, "neighbours of a line in a full set of %.0f ways", (double)set->n - 1,
         0);
    if (!find_mapping(o, set, out->line_bytes, opt->max_lines, &m) ||
        m.n_sets > STRATA_DISSECT_MAX_SETS)
        goto done;
    tell_mapping(&m, out);
    if (find_ways(o, &m, (uint32_t)set->n - 1, ways))
        tell_ways(o, &m, ways, out);
    else
        out->sets.known = out->addressing.known = false;
    if (out->ways.known)
        replacement_of_the_largest_set(o, &m, out);
done:
    if (!set || !ways)
        o->status = strata_no_memory(o->err, NULL, "to dissect a cache");
    mapping_release(&m);
    free(ways);
    free(set);
}

strata_status strata_dissect_cache(const struct strata_prober *prober,
                                   const struct strata_dissect_options *opt,
                                   struct strata_cache_answer *out, struct strata_error *err)
{
    struct oracle o;
    memset(out, 0, sizeof *out);
    oracle_init(&o, prober, opt, err);
    dissect(&o, opt, out);
    out->visits = o.visits;
    strata_status st = o.status;
    oracle_release(&o);
    return st;
}
