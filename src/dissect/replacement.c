/* replacement.c - which line of a full set goes: deterministic policies by their whole history,
 * random ones by how often each way and each age is the victim (paper 002, section 4.2, step 4). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "dissect/inference.h"

enum { RUNS = 11, MAX_SCRIPT = 400 };

/* ---- deterministic policies ---- */

/* What each visit of a script is, by a vote of several runs; `unstable` counts visits without a
 * clear one. */
static bool play(struct oracle *o, const uint64_t *line, const uint32_t *script, size_t n,
                 uint8_t *miss, uint32_t *unstable)
{
    uint32_t votes[MAX_SCRIPT] = {0}, seen[MAX_SCRIPT] = {0};
    for (uint32_t run = 0; run < RUNS; run++) {
        if (!oracle_reserve(o, n))
            return false;
        for (size_t i = 0; i < n; i++)
            o->offset[i] = line[script[i]];
        if (!oracle_visit(o, n))
            return false;
        for (size_t i = 0; i < n; i++) {
            enum outcome what = oracle_outcome(o, o->latency[i]);
            votes[i] += what == OUTCOME_MISS;
            seen[i] += what != OUTCOME_STRANGE;
        }
    }
    *unstable = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t less = votes[i] * 2 > seen[i] ? seen[i] - votes[i] : votes[i];
        miss[i] = votes[i] * 2 > seen[i];
        *unstable += less >= 4;
    }
    return true;
}

/* The same script on our own cache of one set with that policy. */
static bool simulate(uint32_t policy, uint32_t ways, const uint32_t *script, size_t n,
                     uint8_t *miss)
{
    struct strata_cache_config g = {.size_bytes = 64ull * ways,
                                    .line_bytes = 64,
                                    .sector_bytes = 64,
                                    .ways = ways,
                                    .replacement = policy};
    struct cache c;
    struct cache_slot evicted;
    if (cache_create(&g, 1, &c, NULL) != STRATA_OK)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t slot = cache_find(&c, script[i] * 64ull);
        miss[i] = slot == CACHE_NONE;
        if (miss[i])
            cache_insert(&c, script[i] * 64ull, &evicted);
        else
            cache_touch(&c, slot);
    }
    cache_release(&c);
    return true;
}

static size_t make_script(struct oracle *o, uint32_t ways, uint32_t extra, uint32_t *script)
{
    size_t n = 8 * (size_t)ways + 40 < MAX_SCRIPT ? 8 * (size_t)ways + 40 : MAX_SCRIPT;
    for (size_t i = 0; i < n; i++)
        script[i] = i < ways ? (uint32_t)i : (uint32_t)oracle_random(o, ways + extra);
    return n;
}

static const uint32_t deterministic[] = {STRATA_REPL_LRU, STRATA_REPL_FIFO, STRATA_REPL_PLRU,
                                         STRATA_REPL_NRU, STRATA_REPL_SRRIP};
enum { N_DETERMINISTIC = sizeof deterministic / sizeof deterministic[0], SCRIPTS = 4 };

/* Plays scripts and strikes out candidates that disagree. Returns false if the outcomes change from
 * run to run: then it is no deterministic policy. */
static bool strike_out(struct oracle *o, const uint64_t *line, uint32_t ways, bool *possible,
                       uint32_t *checks)
{
    for (uint32_t k = 0; k < SCRIPTS; k++) {
        uint32_t script[MAX_SCRIPT], unstable;
        uint8_t seen[MAX_SCRIPT], expected[MAX_SCRIPT];
        size_t n = make_script(o, ways, 1 + k % 3, script);
        if (!play(o, line, script, n, seen, &unstable))
            return true;
        if (unstable > 1 + n / 100)
            return false;
        for (uint32_t p = 0; p < N_DETERMINISTIC; p++) {
            uint32_t wrong = 0;
            if (!simulate(deterministic[p], ways, script, n, expected))
                return true;
            for (size_t i = 0; i < n; i++)
                wrong += seen[i] != expected[i];
            possible[p] = possible[p] && wrong <= 1;
        }
        *checks += (uint32_t)n;
    }
    return true;
}

/* ---- random policies ---- */

struct victims {
    double by_way[MAX_SET_LINES], by_age[MAX_SET_LINES]; /* age 0: used longest ago */
    uint32_t n;
};

/* One choice of a victim: the set is filled (so the ways are known), used once more in another
 * order (so that age and way are independent), a new line comes in, and the first miss of a look
 * around is the victim. A look around changes what it sees only from that miss on. */
static bool one_victim(struct oracle *o, const uint64_t *line, uint32_t ways, size_t n_lines,
                       struct victims *v)
{
    uint32_t way[MAX_SET_LINES], touch[MAX_SET_LINES], look[MAX_SET_LINES];
    uint32_t from = (uint32_t)oracle_random(o, n_lines);
    for (uint32_t i = 0; i < ways; i++)
        way[i] = touch[i] = look[i] = i;
    for (uint32_t i = ways; i > 1; i--) {
        uint32_t j = (uint32_t)oracle_random(o, i), k = (uint32_t)oracle_random(o, i),
                 t = touch[i - 1];
        touch[i - 1] = touch[j];
        touch[j] = t;
        t = look[i - 1];
        look[i - 1] = look[k];
        look[k] = t;
    }
    size_t n = 3 * (size_t)ways + 1;
    if (!oracle_reserve(o, n))
        return false;
    for (uint32_t i = 0; i < ways; i++) {
        o->offset[i] = line[(from + way[i]) % n_lines];
        o->offset[ways + i] = line[(from + touch[i]) % n_lines];
        o->offset[2 * ways + 1 + i] = line[(from + look[i]) % n_lines];
    }
    o->offset[2 * ways] = line[(from + ways) % n_lines];
    if (!oracle_visit(o, n))
        return false;
    for (uint32_t i = 0; i < ways; i++)
        if (oracle_outcome(o, o->latency[2 * ways + 1 + i]) == OUTCOME_MISS) {
            v->by_way[look[i]]++;
            for (uint32_t a = 0; a < ways; a++)
                if (touch[a] == look[i])
                    v->by_age[a]++;
            v->n++;
            break;
        }
    return true;
}

static double chi_square(const double *count, const double *share, uint32_t ways, double n)
{
    double chi = 0;
    for (uint32_t i = 0; i < ways; i++) {
        double expected = n * (share ? share[i] : 1.0 / ways);
        if (expected > 0)
            chi += (count[i] - expected) * (count[i] - expected) / expected;
    }
    return (chi - (ways - 1)) / sqrt(2.0 * (ways > 1 ? ways - 1 : 1));
}

/* A look around stops early at an outlier; such false victims are spread evenly and taken off. */
static void true_weights(const struct oracle *o, const struct victims *v, uint32_t ways,
                         double *weight)
{
    double wrong = o->false_miss * (ways - 1) / 2 + o->false_hit,
           other = ways > 1 ? wrong / (ways - 1) : 0, sum = 0;
    for (uint32_t i = 0; i < ways; i++) {
        weight[i] = (v->by_way[i] / v->n - other) / (1 - wrong - other);
        if (weight[i] < 0)
            weight[i] = 0;
        sum += weight[i];
    }
    for (uint32_t i = 0; i < ways && sum > 0; i++)
        weight[i] /= sum;
}

static void found(struct strata_finding *f, double confidence, const char *what)
{
    f->known = true;
    f->confidence = confidence;
    snprintf(f->rests_on, sizeof f->rests_on, "%s", what);
}

/* What shares of the ages a policy of our own gives, by the same experiment without noise. */
static bool simulated_ages(uint32_t policy, uint32_t ways, double *share)
{
    enum { TRIALS = 40000 };
    struct strata_cache_config g = {.size_bytes = 64ull * ways,
                                    .line_bytes = 64,
                                    .sector_bytes = 64,
                                    .ways = ways,
                                    .replacement = policy};
    struct cache c;
    if (cache_create(&g, 7, &c, NULL) != STRATA_OK)
        return false;
    memset(share, 0, ways * sizeof *share);
    for (uint32_t t = 0; t < TRIALS; t++) {
        struct cache_slot evicted;
        cache_clear(&c);
        for (uint32_t i = 0; i < ways; i++)
            cache_insert(&c, i * 64ull, &evicted);
        for (uint32_t i = 0; i < ways;
             i++) /* an order that visits all: multiples of an odd number */
            cache_touch(&c, cache_find(&c, (i * 5ull + t) % ways * 64));
        cache_insert(&c, ways * 64ull, &evicted);
        for (uint32_t a = 0; a < ways; a++)
            share[a] += (a * 5ull + t) % ways * 64 == evicted.line;
    }
    for (uint32_t a = 0; a < ways; a++)
        share[a] /= TRIALS;
    cache_release(&c);
    return true;
}

/* The candidate whose ages fit, if the other does not by far. Outliers are spread over all ages. */
static void by_age(const struct oracle *o, const struct victims *v, uint32_t ways,
                   struct strata_cache_answer *out)
{
    static const uint32_t candidate[] = {STRATA_REPL_NOT_MRU, STRATA_REPL_AGED};
    double share[MAX_SET_LINES], chi[2], wrong = o->false_miss * (ways - 1) / 2 + o->false_hit;
    if (ways % 5 == 0 || v->n < 100)
        return; /* the simulated order needs a step without a common factor */
    for (uint32_t i = 0; i < 2; i++) {
        if (!simulated_ages(candidate[i], ways, share))
            return;
        for (uint32_t a = 0; a < ways; a++)
            share[a] = (1 - wrong) * share[a] + wrong * (1 - share[a]) / (ways - 1);
        chi[i] = chi_square(v->by_age, share, ways, v->n);
    }
    uint32_t best = chi[1] < chi[0];
    if (chi[best] > 15 || chi[!best] < 10 * fmax(chi[best], 5))
        return;
    out->replacement_kind = candidate[best];
    found(&out->replacement, 0.9, "which age is the victim, after fills and uses in random order");
}

static void random_policy(struct oracle *o, const uint64_t *line, size_t n_lines, uint32_t ways,
                          struct strata_cache_answer *out)
{
    struct victims *v = calloc(1, sizeof *v);
    uint32_t goal = 2500 + 350 * ways;
    if (!v)
        return;
    for (uint32_t round = 0; round < 3; round++, goal *= 2) {
        for (uint32_t tries = 0; v->n < goal && tries < 3 * goal; tries++)
            if (!one_victim(o, line, ways, n_lines, v))
                break;
        if (v->n < goal || o->exhausted || o->status != STRATA_OK)
            break;
        double age = chi_square(v->by_age, NULL, ways, v->n),
               way = chi_square(v->by_way, NULL, ways, v->n);
        if (age > 7) {
            found(&out->lru, 0.999, "victims of the same history differ from run to run");
            by_age(o, v, ways, out);
            break;
        }
        if (age > 4.5 || (way > 4.5 && way < 8))
            continue; /* neither clearly even nor clearly uneven: more of them */
        out->replacement_kind = way >= 8 ? STRATA_REPL_WEIGHTED : STRATA_REPL_RANDOM;
        out->n_way_weight = ways < STRATA_MAX_WAYS ? ways : STRATA_MAX_WAYS;
        double weight[MAX_SET_LINES];
        true_weights(o, v, ways, weight);
        memcpy(out->way_weight, weight, out->n_way_weight * sizeof *weight);
        found(&out->replacement, 0.999, "which way is the victim, over fills in known order");
        break;
    }
    free(v);
}

void find_replacement(struct oracle *o, const uint64_t *line, size_t n, uint32_t ways,
                      struct strata_cache_answer *out)
{
    bool possible[N_DETERMINISTIC];
    uint32_t checks = 0;
    char what[96];
    if (ways == 1) {
        out->replacement_any = out->is_lru = true;
        out->replacement_kind = STRATA_REPL_LRU;
        found(&out->replacement, 1, "one way: the line that was there goes");
        found(&out->lru, 1, "one way: the line that was there goes");
        return;
    }
    memset(possible, true, sizeof possible);
    if (!strike_out(o, line, ways, possible, &checks)) {
        out->is_lru = false;
        found(&out->lru, 0.999, "outcomes of the same visits differ from run to run");
        random_policy(o, line, n, ways, out);
        return;
    }
    if (o->exhausted || o->status != STRATA_OK)
        return;
    snprintf(what, sizeof what, "%u visits of one set in random order, each by a vote of %d runs",
             checks, RUNS);
    out->is_lru = possible[0];
    found(&out->lru, 0.9999, what);
    for (uint32_t p = 0; p < N_DETERMINISTIC; p++)
        if (possible[p]) { /* LRU stands first: with two ways tree pseudo-LRU is the same */
            out->replacement_kind = deterministic[p];
            found(&out->replacement, 0.9999, what);
            return;
        }
}
