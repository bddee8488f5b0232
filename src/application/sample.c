/* sample.c - groups of launches that are alike, and which of them are modelled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <strata/sample.h>

enum {
    LONGEST_PREFIX = 64, /* launches at the start that stand for themselves */
    MOST_RUNS = 8,
    LEAST_PICKS = 2, /* of a group, cold */
    MOST_PICKS = 8
};

/* Launches of one kernel whose work differs by less than this are alike. */
#define ALIKE 0.03

static uint64_t work_of(const struct strata_launch *l)
{
    return l->warp_instructions ? l->warp_instructions : strata_launch_blocks(l);
}

static bool is_alike(const struct strata_launch *a, const struct strata_launch *b)
{
    double x = (double)work_of(a), y = (double)work_of(b);
    return !strcmp(a->kernel, b->kernel) && !memcmp(&a->grid, &b->grid, sizeof a->grid) &&
           !memcmp(&a->block, &b->block, sizeof a->block) &&
           a->shared_dynamic_bytes == b->shared_dynamic_bytes &&
           fabs(x - y) <= ALIKE * (x > y ? x : y);
}

/* A group is known by its first launch. */
static strata_status find_groups(struct strata_sample *s, const struct strata_trace *trace,
                                 struct strata_error *err)
{
    size_t *first = calloc(s->n_launches + 1, sizeof *first);
    if (!first)
        return strata_no_memory(err, NULL, "for the sample");
    for (size_t i = 0; i < s->n_launches; i++) {
        const struct strata_launch *l = strata_trace_launch(trace, i);
        uint32_t g = 0;
        while (g < s->n_groups && !is_alike(strata_trace_launch(trace, first[g]), l))
            g++;
        if (g == s->n_groups)
            first[s->n_groups++] = i;
        s->group[i] = g;
        s->instructions += work_of(l);
    }
    free(first);
    return STRATA_OK;
}

static void use(struct strata_sample *s, size_t i, enum strata_sample_use how)
{
    if (how > s->use[i])
        s->use[i] = (uint8_t)how;
}

/* Launches up to the one that completes the groups. */
static size_t prefix_length(const struct strata_sample *s)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < s->n_launches && i < LONGEST_PREFIX; i++) {
        seen = s->group[i] + 1 > seen ? s->group[i] + 1 : seen;
        if (seen == s->n_groups)
            return i + 1;
    }
    return s->n_launches < LONGEST_PREFIX ? s->n_launches : LONGEST_PREFIX;
}

/* Launches [from - warm_up, from + n). */
static void add_run(struct strata_sample *s, size_t from, size_t n, size_t warm_up)
{
    for (size_t i = from > warm_up ? from - warm_up : 0; i < from; i++)
        use(s, i, STRATA_SAMPLE_WARMS_UP);
    for (size_t i = from; i < from + n && i < s->n_launches; i++)
        use(s, i, STRATA_SAMPLE_STANDS);
}

/* A group that no run has met: one in the middle of its launches. */
static void add_missing(struct strata_sample *s, size_t prefix, size_t warm_up)
{
    for (uint32_t g = 0; g < s->n_groups; g++) {
        size_t n = 0, met = 0, seen = 0;
        for (size_t i = prefix; i < s->n_launches; i++) {
            n += s->group[i] == g;
            met += s->group[i] == g && s->use[i] >= STRATA_SAMPLE_STANDS;
        }
        for (size_t i = prefix; n && !met && i < s->n_launches; i++)
            if (s->group[i] == g && seen++ == n / 2)
                add_run(s, i, 1, warm_up);
    }
}

static void plan_warm(struct strata_sample *s, double share)
{
    size_t prefix = prefix_length(s), rest = s->n_launches - prefix;
    double runs = share * (double)s->n_launches / (2.0 * (double)prefix) - 0.5;
    size_t n = runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : (size_t)runs;
    for (size_t i = 0; i < prefix; i++)
        use(s, i, STRATA_SAMPLE_ITSELF);
    for (size_t k = 0; rest && k < n; k++) {
        size_t from = prefix + (size_t)((double)rest * ((double)k + 0.5) / (double)n);
        add_run(s,
                from + prefix < s->n_launches ? from
                                              : s->n_launches - (rest < prefix ? rest : prefix),
                prefix, prefix);
    }
    add_missing(s, prefix, prefix);
}

/* Evenly spread over a group's launches. */
static void plan_cold(struct strata_sample *s, double share)
{
    for (uint32_t g = 0; g < s->n_groups; g++) {
        size_t n = 0, seen = 0, k = 0;
        for (size_t i = 0; i < s->n_launches; i++)
            n += s->group[i] == g;
        size_t picks = (size_t)(share * (double)n + 0.5);
        picks = picks < LEAST_PICKS ? LEAST_PICKS : picks > MOST_PICKS ? MOST_PICKS : picks;
        picks = picks > n ? n : picks;
        for (size_t i = 0; i < s->n_launches; i++)
            if (s->group[i] == g && seen++ == (2 * k + 1) * n / (2 * picks) && k < picks) {
                use(s, i, STRATA_SAMPLE_STANDS);
                k++;
            }
    }
}

/* Of its group the modelled launch that is nearest, one of the first ones only if there is no
 * other. */
static void find_stand_ins(struct strata_sample *s)
{
    for (size_t i = 0; i < s->n_launches; i++) {
        size_t best = SIZE_MAX, distance = SIZE_MAX;
        if (s->use[i] >= STRATA_SAMPLE_STANDS)
            best = i;
        for (size_t d = 1; best == SIZE_MAX && d < s->n_launches; d++)
            for (int side = 0; side < 2 && best == SIZE_MAX; side++) {
                size_t k = side ? i + d : i - d;
                if (k < s->n_launches && s->group[k] == s->group[i] &&
                    s->use[k] == STRATA_SAMPLE_STANDS && d < distance)
                    best = k;
            }
        for (size_t k = 0; best == SIZE_MAX && k < s->n_launches; k++)
            if (s->group[k] == s->group[i] && s->use[k] == STRATA_SAMPLE_ITSELF)
                best = k;
        s->stands_for[i] = (uint32_t)(best == SIZE_MAX ? i : best);
    }
}

strata_status strata_sample_plan(struct strata_sample *s, const struct strata_trace *trace,
                                 double share, bool keep_caches, struct strata_error *err)
{
    memset(s, 0, sizeof *s);
    s->n_launches = strata_trace_launch_count(trace);
    s->group = calloc(s->n_launches + 1, sizeof *s->group);
    s->use = calloc(s->n_launches + 1, sizeof *s->use);
    s->stands_for = calloc(s->n_launches + 1, sizeof *s->stands_for);
    strata_status status = s->group && s->use && s->stands_for
                               ? find_groups(s, trace, err)
                               : strata_no_memory(err, NULL, "for the sample");
    if (status != STRATA_OK) {
        strata_sample_release(s);
        return status;
    }
    if (keep_caches && s->n_launches)
        plan_warm(s, share);
    else
        plan_cold(s, share);
    find_stand_ins(s);
    for (size_t i = 0; i < s->n_launches; i++)
        if (s->use[i] != STRATA_SAMPLE_LEFT_OUT)
            s->modelled += work_of(strata_trace_launch(trace, i));
    return STRATA_OK;
}

void strata_sample_release(struct strata_sample *s)
{
    free(s->group);
    free(s->use);
    free(s->stands_for);
    memset(s, 0, sizeof *s);
}

void strata_sample_choose(const struct strata_sample *s, struct strata_launch_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n_launches && i < s->n_launches; i++)
        if (s->use[i] != STRATA_SAMPLE_LEFT_OUT)
            set->launch[n++] = set->launch[i];
    set->n_launches = n;
}
