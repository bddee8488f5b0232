/* sample.c - groups of launches that are alike, and which of them are modelled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <strata/sample.h>

#include "base/bits.h"

enum {
    LONGEST_PREFIX = 64,  /* launches at the start that stand for themselves */
    PROFILE_LINES = 4096, /* of the first block; a power of two */
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

/* What a launch does, as far as its first block shows it. */
struct profile {
    uint64_t executed, lines; /* warp instructions; distinct lines of 128 bytes that they touch */
};

static void note_lines(const struct strata_winst *w, uint64_t seen[PROFILE_LINES], uint64_t *lines)
{
    uint64_t address[STRATA_WARP_SIZE];
    if (w->addr_kind == STRATA_ADDR_NONE || w->inst->space != STRATA_SPACE_GLOBAL)
        return;
    strata_winst_addresses(w, address);
    for (uint32_t lane = 0; lane < STRATA_WARP_SIZE; lane++) {
        uint64_t line = (address[lane] >> 7) + 1, at = mix64(line) % PROFILE_LINES;
        if (!(w->mask >> lane & 1) || seen[at] == line)
            continue;
        *lines += 1;
        seen[at] = line;
    }
}

static strata_status profile_launch(struct strata_trace *trace, size_t launch, struct profile *out,
                                    struct strata_error *err)
{
    struct strata_reader *reader;
    struct strata_block *block = NULL;
    struct strata_cursor cursor = {0};
    struct strata_winst w;
    uint64_t seen[PROFILE_LINES] = {0};
    *out = (struct profile){0};
    strata_status status = strata_reader_open(trace, launch, &reader, err);
    if (status != STRATA_OK)
        return status;
    status = strata_reader_next(reader, &block, err);
    for (uint32_t k = 0; status == STRATA_OK && k < block->n_warps; k++) {
        status = strata_cursor_init(&cursor, block, k, err);
        while (status == STRATA_OK && strata_cursor_next(&cursor, &w)) {
            out->executed++;
            note_lines(&w, seen, &out->lines);
        }
    }
    strata_cursor_release(&cursor);
    strata_block_destroy(block);
    strata_reader_close(reader);
    return status == STRATA_END ? STRATA_OK : status;
}

static bool is_near(double x, double y)
{
    return fabs(x - y) <= ALIKE * (x > y ? x : y);
}

static bool is_alike(const struct strata_launch *a, const struct strata_launch *b,
                     const struct profile *p, const struct profile *q)
{
    return !strcmp(a->kernel, b->kernel) && !memcmp(&a->grid, &b->grid, sizeof a->grid) &&
           !memcmp(&a->block, &b->block, sizeof a->block) &&
           a->shared_dynamic_bytes == b->shared_dynamic_bytes &&
           is_near((double)work_of(a), (double)work_of(b)) &&
           is_near((double)p->lines, (double)q->lines);
}

/* A group is known by its first launch. */
static strata_status find_groups(struct strata_sample *s, struct strata_trace *trace,
                                 struct strata_error *err)
{
    struct known {
        size_t launch;
        struct profile profile;
    } *known = calloc(s->n_launches + 1, sizeof *known);
    strata_status status = known ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
    for (size_t i = 0; i < s->n_launches && status == STRATA_OK; i++) {
        const struct strata_launch *l = strata_trace_launch(trace, i);
        struct profile p;
        uint32_t g = 0;
        status = profile_launch(trace, i, &p, err);
        while (g < s->n_groups &&
               !is_alike(strata_trace_launch(trace, known[g].launch), l, &known[g].profile, &p))
            g++;
        if (g == s->n_groups)
            known[s->n_groups++] = (struct known){i, p};
        s->group[i] = g;
        s->instructions += work_of(l);
    }
    free(known);
    return status;
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

/* Of the launches that the share allows, those at the start and one run of as many take what they
 * need; the rest warm caches up, at least as many again. From four times that on there are more
 * runs. */
static void plan_warm(struct strata_sample *s, double share)
{
    size_t prefix = prefix_length(s), rest = s->n_launches - prefix,
           budget = (size_t)(share * (double)s->n_launches),
           spare = budget > prefix ? budget - prefix : 0, runs = spare / (8 * prefix), warm_up;
    runs = runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : runs;
    warm_up = spare / runs > 2 * prefix ? spare / runs - prefix : prefix;
    for (size_t i = 0; i < prefix; i++)
        use(s, i, STRATA_SAMPLE_ITSELF);
    for (size_t k = 0; rest && k < runs; k++) {
        size_t from = prefix + (size_t)((double)rest * ((double)k + 0.5) / (double)runs),
               last = s->n_launches - (rest < prefix ? rest : prefix);
        add_run(s, from < last ? from : last, prefix, warm_up);
    }
    add_missing(s, prefix, warm_up);
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

strata_status strata_sample_plan(struct strata_sample *s, struct strata_trace *trace, double share,
                                 bool keep_caches, struct strata_error *err)
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
