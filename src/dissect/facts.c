/* facts.c - the list of answers, and those of a cache in the words of a GPU file. */
#include "dissect/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"

void strata_dissection_release(struct strata_dissection *d)
{
    free(d->fact);
    memset(d, 0, sizeof *d);
}

const struct strata_fact *strata_dissection_find(const struct strata_dissection *d,
                                                 const char *name)
{
    for (size_t i = 0; i < d->n_facts; i++)
        if (!strcmp(d->fact[i].name, name))
            return &d->fact[i];
    return NULL;
}

static struct strata_fact *new_fact(struct fact_sink *f, const char *name, const char *unit)
{
    if (f->status != STRATA_OK)
        return NULL;
    /* What was found by better means comes first and stays. */
    if (strata_dissection_find(f->d, name)) {
        struct strata_fact *old = &f->d->fact[strata_dissection_find(f->d, name) - f->d->fact];
        return old->finding.known ? NULL : old;
    }
    if (!ARRAY_RESERVE(f->d->fact, f->d->n_facts, f->d->cap_facts, 1)) {
        f->status = strata_no_memory(f->err, NULL, "for the answers");
        return NULL;
    }
    struct strata_fact *fact = &f->d->fact[f->d->n_facts++];
    memset(fact, 0, sizeof *fact);
    snprintf(fact->name, sizeof fact->name, "%s", name);
    snprintf(fact->unit, sizeof fact->unit, "%s", unit);
    fact->is_key = strata_gpu_find_key(name) != NULL;
    return fact;
}

void fact_add(struct fact_sink *f, const char *name, const char *unit,
              const struct strata_finding *finding, const char *format, ...)
{
    struct strata_fact *fact = new_fact(f, name, unit);
    va_list args;
    if (!fact)
        return;
    fact->finding = *finding;
    fact->finding.known = true;
    va_start(args, format);
    vsnprintf(fact->value, sizeof fact->value, format, args);
    va_end(args);
}

void fact_open(struct fact_sink *f, const char *name, const char *unit, const char *why)
{
    struct strata_fact *fact = new_fact(f, name, unit);
    if (fact)
        snprintf(fact->finding.rests_on, sizeof fact->finding.rests_on, "%s", why);
}

struct strata_finding finding_of(double confidence, const char *format, ...)
{
    struct strata_finding x = {.known = true, .confidence = confidence};
    va_list args;
    va_start(args, format);
    vsnprintf(x.rests_on, sizeof x.rests_on, format, args);
    va_end(args);
    return x;
}

/* ---- a cache ---- */

static const char *dotted(const char *section, const char *key, char *out, size_t size)
{
    snprintf(out, size, "%s.%s", section, key);
    return out;
}

/* "17, 8*6": runs as GPU files write them. */
static void list_ways(const struct strata_cache_answer *a, char *out, size_t size)
{
    size_t at = 0;
    out[0] = 0;
    for (uint32_t s = 0; s < a->n_sets && at + 16 < size;) {
        uint32_t run = 1;
        while (s + run < a->n_sets && a->set_ways[s + run] == a->set_ways[s])
            run++;
        at += (size_t)snprintf(out + at, size - at, run > 1 ? "%s%u*%u" : "%s%u", s ? ", " : "",
                               a->set_ways[s], run);
        s += run;
    }
}

static bool equal_ways(const struct strata_cache_answer *a)
{
    for (uint32_t s = 1; s < a->n_sets; s++)
        if (a->set_ways[s] != a->set_ways[0])
            return false;
    return true;
}

static void add_ways(struct fact_sink *f, const char *section, const struct strata_cache_answer *a)
{
    char name[64], text[160];
    const struct strata_fact *ways =
        strata_dissection_find(f->d, dotted(section, "ways", name, sizeof name));
    const struct strata_fact *unequal =
        strata_dissection_find(f->d, dotted(section, "set_ways", name, sizeof name));
    if ((ways && ways->finding.known) || (unequal && unequal->finding.known))
        return;
    if (!a->ways.known) {
        fact_open(f, dotted(section, "ways", name, sizeof name), "", "the sets were not found");
        return;
    }
    if (!a->line.known) { /* what shares a tag counts as several here */
        list_ways(a, text, sizeof text);
        fact_add(f, dotted(section, "sectors_per_set", name, sizeof name), "", &a->ways, "[%s]",
                 text);
        return;
    }
    if (equal_ways(a)) {
        fact_add(f, dotted(section, "ways", name, sizeof name), "", &a->ways, "%u", a->set_ways[0]);
        return;
    }
    list_ways(a, text, sizeof text);
    fact_add(f, dotted(section, "set_ways", name, sizeof name), "", &a->ways, "[%s]", text);
}

/* "7^13": the bits whose parity is one bit of the set. */
static void list_masks(const struct strata_cache_answer *a, char *out, size_t size)
{
    size_t at = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < a->n_index_masks; i++) {
        bool first = true;
        for (uint32_t bit = 0; bit < 64 && at + 8 < size; bit++)
            if (a->index_mask[i] >> bit & 1) {
                at += (size_t)snprintf(out + at, size - at, "%s%u", first ? (i ? ", " : "") : "^",
                                       bit);
                first = false;
            }
    }
}

static void add_addressing(struct fact_sink *f, const char *section,
                           const struct strata_cache_answer *a)
{
    char name[64], text[160];
    if (!a->addressing.known) {
        fact_open(f, dotted(section, "addressing", name, sizeof name), "",
                  "the series do not tell which lines share a set");
        return;
    }
    const char *word = a->dealt_by_turns ? "deal" : strata_addressing_name(a->addressing_kind);
    fact_add(f, dotted(section, "addressing", name, sizeof name), "", &a->addressing, "%s", word);
    if (a->n_index_masks) {
        list_masks(a, text, sizeof text);
        fact_add(f, dotted(section, "set_bits", name, sizeof name), "", &a->addressing, "%s", text);
    }
    if (a->addressing_kind == STRATA_ADDRESSING_HASHED && a->index_chunk_bytes)
        fact_add(f, dotted(section, "set_chunk", name, sizeof name), "bytes", &a->addressing,
                 "%llu", (unsigned long long)a->index_chunk_bytes);
}

/* The address bits as the key of a GPU file wants them, where a file can say it. */
static void add_index(struct fact_sink *f, const char *section, const struct strata_cache_answer *a)
{
    char name[64], bits[96] = "";
    if (!a->addressing.known || a->addressing_kind == STRATA_ADDRESSING_XOR ||
        a->addressing_kind == STRATA_ADDRESSING_HASHED)
        return;
    const char *word = a->dealt_by_turns                              ? "deal"
                       : a->addressing_kind == STRATA_ADDRESSING_BITS ? "bits"
                                                                      : "linear";
    fact_add(f, dotted(section, "index", name, sizeof name), "", &a->addressing, "%s", word);
    for (uint32_t i = 0; i < a->n_index_masks && a->addressing_kind == STRATA_ADDRESSING_BITS; i++)
        snprintf(bits + strlen(bits), sizeof bits - strlen(bits), "%s%u", i ? ", " : "",
                 log2_floor(a->index_mask[i]));
    if (*bits)
        fact_add(f, dotted(section, "index_bits", name, sizeof name), "", &a->addressing, "[%s]",
                 bits);
}

static void add_replacement(struct fact_sink *f, const char *section,
                            const struct strata_cache_answer *a)
{
    static const char *const policy[] = {"lru", "fifo",    "random", "plru", "weighted",
                                         "nru", "not-mru", "srrip",  "aged"};
    char name[64], text[160] = "";
    if (a->lru.known)
        fact_add(f, dotted(section, "lru", name, sizeof name), "", &a->lru, "%s",
                 a->is_lru ? "yes" : "no");
    else
        fact_open(f, dotted(section, "lru", name, sizeof name), "",
                  "no series overflows a set by one line");
    if (!a->replacement.known) {
        fact_open(f, dotted(section, "replacement", name, sizeof name), "",
                  "none of the policies known gives this history");
        return;
    }
    fact_add(f, dotted(section, "replacement", name, sizeof name), "", &a->replacement, "%s",
             policy[a->replacement_kind]);
    if (a->replacement_kind != STRATA_REPL_WEIGHTED)
        return;
    for (uint32_t w = 0; w < a->n_way_weight && strlen(text) + 12 < sizeof text; w++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.3f", w ? ", " : "",
                 a->way_weight[w]);
    fact_add(f, dotted(section, "way_weight", name, sizeof name), "", &a->replacement, "[%s]",
             text);
}

static void add_number(struct fact_sink *f, const char *section, const char *key, const char *unit,
                       const struct strata_finding *finding, uint64_t value, const char *why)
{
    char name[64];
    dotted(section, key, name, sizeof name);
    if (finding->known)
        fact_add(f, name, unit, finding, "%llu", (unsigned long long)value);
    else
        fact_open(f, name, unit, why);
}

strata_status strata_dissection_add_cache(struct strata_dissection *d, const char *name,
                                          const struct strata_cache_answer *a,
                                          struct strata_error *err)
{
    struct fact_sink f = {.d = d, .err = err, .status = STRATA_OK};
    if (!a->latency.known)
        return STRATA_OK;
    add_number(&f, name, "size", "bytes", &a->size, a->size_bytes,
               "no series shows that the largest array that stays is all of it");
    if (!a->size.known && a->resident.known)
        add_number(&f, name, "resident", "bytes", &a->resident, a->resident_bytes, "");
    if (!a->size.known && a->at_least.known)
        add_number(&f, name, "size_at_least", "bytes", &a->at_least, a->at_least_bytes, "");
    add_number(&f, name, "sector", "bytes", &a->sector, a->sector_bytes, "no first visit in order");
    add_number(&f, name, "line", "bytes", &a->line, a->line_bytes,
               "visits in order cannot tell lines from sectors");
    add_number(&f, name, "sets", "", &a->sets, a->n_sets,
               "the series do not reach from the first set that misses to the last");
    add_ways(&f, name, a);
    add_addressing(&f, name, a);
    add_index(&f, name, a);
    add_replacement(&f, name, a);
    if (strncmp(name, "tlb", 3)) {
        add_number(&f, name, "hit", "cycles", &a->latency, a->hit_cycles, "");
        add_number(&f, name, "miss_latency", "cycles", &a->latency, a->miss_cycles, "");
    }
    return f.status;
}

/* ---- everything ---- */

static strata_status add_chases(const struct strata_probe_set *set, const char *path,
                                uint32_t level, const char *section, struct strata_dissection *out,
                                struct strata_error *err)
{
    struct strata_cache_answer *a = malloc(sizeof *a);
    if (!a)
        return strata_no_memory(err, NULL, "for the answers");
    strata_dissect_chases(set, path, level, a);
    /* Near and far parts of an L2 are no hits and misses. */
    bool level_seen = strcmp(path, "l2") || a->miss_cycles > 1.4 * a->hit_cycles;
    strata_status st = level_seen ? strata_dissection_add_cache(out, section, a, err) : STRATA_OK;
    free(a);
    return st;
}

static void add_older(const struct strata_probe_set *set, const char *path, struct fact_sink *f)
{
    static const char *const method[] = {"saavedra", "wong"};
    for (int i = 0; i < 2; i++) {
        struct strata_older_answer a;
        char name[64];
        (i ? strata_older_wong : strata_older_saavedra)(set, path, &a);
        if (!a.known)
            continue;
        struct strata_finding x = finding_of(
            0.5, "mean latencies alone, if sets are alike, addressing linear and replacement LRU");
        snprintf(name, sizeof name, "%s.%s", path, method[i]);
        fact_add(f, name, "", &x, "C = %llu, b = %u, T = %u, a = %u",
                 (unsigned long long)a.size_bytes, a.line_bytes, a.n_sets, a.ways);
    }
}

strata_status strata_dissect_set(const struct strata_probe_set *set, struct strata_dissection *out,
                                 struct strata_error *err)
{
    static const struct {
        const char *path, *section;
        uint32_t level;
    } caches[] = {{"l1", "l1", 1}, {"readonly", "readonly", 1}, {"texture", "texture", 1},
                  {"l2", "l2", 1}, {"tlb", "tlb.l1", 1},        {"tlb", "tlb.l2", 2}};
    struct fact_sink f = {.d = out, .err = err, .status = STRATA_OK};
    struct strata_finding told = finding_of(1, "property of the card (manifest.json)");
    if (set->sm_version)
        fact_add(&f, "sm_version", "", &told, "%u", set->sm_version);
    if (set->sms)
        fact_add(&f, "sm.count", "", &told, "%u", set->sms);
    if (set->clock_mhz >= 1)
        fact_add(&f, "sm.clock", "MHz", &told, "%.0f", set->clock_mhz);
    infer_l2_partitions(set, &f); /* before anything else takes near and far for hit and miss */
    for (size_t i = 0; i < sizeof caches / sizeof caches[0] && f.status == STRATA_OK; i++) {
        f.status = add_chases(set, caches[i].path, caches[i].level, caches[i].section, out, err);
        if (f.status == STRATA_OK && i < 3)
            add_older(set, caches[i].path, &f);
    }
    infer_l2_fetch(set, &f);
    infer_l2_size(set, &f);
    infer_reach(set, &f);
    infer_set_hash(set, &f);
    infer_mshrs(set, &f);
    infer_coalescer(set, &f);
    infer_l2_write(set, &f);
    infer_spectrum(set, &f);
    infer_shared(set, &f);
    infer_throughput(set, &f);
    return f.status;
}
