/* sample_groups.c - launches of the same kernel, shape, work and accesses. */
#include "application/sample_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "application/launch_digest.h"

/* Launches that use other arrays are told apart only where each place comes back so often: where
 * addresses depend on data, every launch has a place of its own. */
enum { FEW_PLACES = 8, LAUNCHES_A_PLACE = 16 };

static bool is_near(double x, double y)
{
    return fabs(x - y) <= SAMPLE_ALIKE * (x > y ? x : y);
}

/* What persists in the L2 is asked for alike: a launch after a reset finds other lines there. */
static bool same_persistence(const struct strata_launch *a, const struct strata_launch *b)
{
    const struct strata_access_window *x = &a->window, *y = &b->window;
    return a->persisting_bytes == b->persisting_bytes &&
           a->persisting_reset == b->persisting_reset && x->bytes == y->bytes &&
           (!x->bytes || (x->base == y->base && x->hit_ratio == y->hit_ratio && x->hit == y->hit &&
                          x->miss == y->miss));
}

/* Their textures are alike, wherever they lie: what a read asks for depends on it. */
static bool same_textures(const struct strata_launch *a, const struct strata_launch *b)
{
    if (a->n_textures != b->n_textures)
        return false;
    for (uint32_t i = 0; i < a->n_textures; i++) {
        const struct strata_launch_texture *x = &a->textures[i], *y = &b->textures[i];
        if (x->texels != y->texels || x->texel_bytes != y->texel_bytes ||
            x->filters != y->filters || x->pitch_bytes != y->pitch_bytes)
            return false;
    }
    return true;
}

/* A kernel and the shape of its blocks: launches of one family differ in how much they do. */
static bool same_family(const struct strata_launch *a, const struct strata_launch *b)
{
    return !strcmp(a->kernel, b->kernel) && !memcmp(&a->block, &b->block, sizeof a->block);
}

static bool same_kind(const struct strata_launch *a, const struct strata_launch *b)
{
    return same_family(a, b) && !memcmp(&a->grid, &b->grid, sizeof a->grid) &&
           a->shared_dynamic_bytes == b->shared_dynamic_bytes && same_persistence(a, b) &&
           same_textures(a, b);
}

/* Of launches recorded in part the work of the blocks that were read is what can be compared. */
static bool is_alike(const struct launch_profile *x, const struct launch_profile *y)
{
    bool both = x->whole && y->whole;
    double work = (double)(both ? x->work : x->seen), other = (double)(both ? y->work : y->seen);
    return is_near(work, other) && is_near(x->sectors, y->sectors);
}

/* A group is known by its first launch. */
struct grouping {
    size_t *first;
    uint32_t *places, *launches; /* of each group */
    uint32_t n;
};

/* A family is known by the first launch of its first kind. */
static void find_families(struct strata_sample *s, const struct strata_trace *trace,
                          const size_t *first, uint32_t n_kinds, uint32_t *family)
{
    for (uint32_t k = 0; k < n_kinds; k++) {
        uint32_t f = 0;
        while (f < k && (family[f] != f || !same_family(strata_trace_launch(trace, first[f]),
                                                        strata_trace_launch(trace, first[k]))))
            f++;
        family[k] = f;
    }
    for (size_t i = 0; i < s->n_launches; i++)
        s->family[i] = family[s->kind[i]];
}

/* A kind is known by its first launch; *whole: how many launches of each are recorded whole. */
static void find_kinds(struct strata_sample *s, const struct strata_trace *trace, size_t *first,
                       uint32_t *whole)
{
    uint32_t n = 0;
    for (size_t i = 0; i < s->n_launches; i++) {
        const struct strata_launch *l = strata_trace_launch(trace, i);
        uint32_t k = 0;
        while (k < n && !same_kind(strata_trace_launch(trace, first[k]), l))
            k++;
        if (k == n) {
            whole[n] = 0;
            first[n++] = i;
        }
        s->kind[i] = k;
        whole[k] += s->profile[i].whole;
    }
    for (size_t i = 0; i < s->n_launches; i++)
        s->usable[i] = s->profile[i].whole || !whole[s->kind[i]];
    find_families(s, trace, first, n, whole);
}

static void group_by_accesses(struct strata_sample *s, struct grouping *g)
{
    const struct launch_profile *profile = s->profile;
    for (size_t i = 0; i < s->n_launches; i++) {
        uint32_t k = 0;
        while (k < g->n && (s->kind[g->first[k]] != s->kind[i] ||
                            !is_alike(&profile[g->first[k]], &profile[i])))
            k++;
        if (k == g->n)
            g->first[g->n++] = i;
        s->group[i] = k;
        g->launches[k]++;
        s->instructions += profile[i].work;
    }
}

/* A launch in the order of groups and places. */
struct placed {
    uint64_t place;
    uint32_t group, launch;
};

static int by_place(const void *x, const void *y)
{
    const struct placed *a = x, *b = y;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->launch < b->launch ? -1 : a->launch > b->launch;
}

/* at[i]: the first launch of the same group and place. */
static bool find_first_at_places(const struct strata_sample *s, size_t *at)
{
    struct placed *p = malloc((s->n_launches + 1) * sizeof *p);
    if (!p)
        return false;
    for (size_t i = 0; i < s->n_launches; i++)
        p[i] = (struct placed){s->profile[i].place, s->group[i], (uint32_t)i};
    qsort(p, s->n_launches, sizeof *p, by_place);
    for (size_t i = 0, first = 0; i < s->n_launches; i++) {
        if (p[i].group != p[first].group || p[i].place != p[first].place)
            first = i;
        at[p[i].launch] = p[first].launch;
    }
    free(p);
    return true;
}

static bool is_split(const struct grouping *g, uint32_t k)
{
    return g->places[k] <= FEW_PLACES || g->places[k] * LAUNCHES_A_PLACE <= g->launches[k];
}

/* Groups by place; numbers are given in order of first appearance. */
static strata_status split_by_place(struct strata_sample *s, struct grouping *g,
                                    struct strata_error *err)
{
    size_t *at = malloc((s->n_launches + 1) * sizeof *at);
    uint32_t *number = malloc((s->n_launches + 1) * sizeof *number);
    if (!at || !number || !find_first_at_places(s, at)) {
        free(at);
        free(number);
        return strata_no_memory(err, NULL, "for the sample");
    }
    for (size_t i = 0; i < s->n_launches; i++)
        g->places[s->group[i]] += at[i] == i;
    for (size_t i = 0; i < s->n_launches; i++) {
        size_t like = is_split(g, s->group[i]) ? at[i] : g->first[s->group[i]];
        number[i] = like == i ? s->n_groups++ : number[like];
    }
    memcpy(s->group, number, s->n_launches * sizeof *number);
    free(at);
    free(number);
    return STRATA_OK;
}

strata_status sample_find_groups(struct strata_sample *s, struct strata_trace *trace,
                                 struct strata_error *err)
{
    struct grouping g = {.first = calloc(s->n_launches + 1, sizeof *g.first),
                         .places = calloc(s->n_launches + 1, sizeof *g.places),
                         .launches = calloc(s->n_launches + 1, sizeof *g.launches)};
    strata_status status = g.first && g.places && g.launches
                               ? STRATA_OK
                               : strata_no_memory(err, NULL, "for the sample");
    if (status == STRATA_OK) {
        find_kinds(s, trace, g.first, g.places);
        memset(g.places, 0, s->n_launches * sizeof *g.places);
        group_by_accesses(s, &g);
        status = split_by_place(s, &g, err);
    }
    free(g.first);
    free(g.places);
    free(g.launches);
    return status;
}
