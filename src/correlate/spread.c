/* spread.c - the same launches measured again: the least and the most that each counter came to.
 *
 * Paper 004 draws its correlations with bars of the spread from run to run (figures 7 to 12): a
 * model cannot be nearer to a card than the card is to itself. */
#include <stdlib.h>
#include <string.h>

#include <strata/correlate.h>

static strata_status no_memory(const struct strata_measured *m, struct strata_error *err)
{
    return strata_no_memory(err, m->file, "for the spread of repeated measurements");
}

static bool same_shape(const struct strata_result *a, const struct strata_result *b)
{
    return !strcmp(a->kernel, b->kernel) && !memcmp(&a->grid, &b->grid, sizeof a->grid) &&
           !memcmp(&a->block, &b->block, sizeof a->block);
}

/* Tables name their launches; a profiler's page has them in the order of the program. */
static const struct strata_result *find_again(const struct strata_measured *m, size_t launch,
                                              const struct strata_measured *again)
{
    const struct strata_result *x = &m->launch[launch];
    if (!m->names_traces)
        return same_shape(x, &again->launch[launch]) ? &again->launch[launch] : NULL;
    for (size_t i = 0; i < again->n_launches; i++)
        if (!strcmp(x->program, again->launch[i].program) &&
            !strcmp(x->trace, again->launch[i].trace))
            return &again->launch[i];
    return NULL;
}

static strata_status check_kinds(const struct strata_measured *m,
                                 const struct strata_measured *again, struct strata_error *err)
{
    if (m->names_traces != again->names_traces)
        return strata_fail(err, STRATA_EFORMAT, again->file, 0, 0,
                           "this is a %s and %s a %s; a repeated measurement has the layout of the "
                           "first.",
                           again->layout, m->file, m->layout);
    if (!m->names_traces && m->n_launches != again->n_launches)
        return strata_fail(err, STRATA_EFORMAT, again->file, 0, 0,
                           "there are %zu launches here and %zu in %s; profile the same program.",
                           again->n_launches, m->n_launches, m->file);
    return STRATA_OK;
}

static strata_status begin_spread(struct strata_measured *m, struct strata_error *err)
{
    if (m->n_runs)
        return STRATA_OK;
    m->least = calloc(m->n_launches + 1, sizeof *m->least);
    m->most = calloc(m->n_launches + 1, sizeof *m->most);
    if (!m->least || !m->most)
        return no_memory(m, err);
    for (size_t i = 0; i < m->n_launches; i++)
        strata_derive_metrics(&m->launch[i]);
    m->n_runs = 1;
    return STRATA_OK;
}

/* Counters that both runs have. */
static void widen(struct strata_measured *m, size_t launch, const struct strata_result *again)
{
    for (size_t k = 0; k < again->n_counters; k++) {
        const char *name = again->counter[k].name;
        double first, value = again->counter[k].value, least, most;
        if (!strata_result_get(&m->launch[launch], name, &first))
            continue;
        if (!strata_result_get(&m->least[launch], name, &least))
            least = most = first;
        else
            strata_result_get(&m->most[launch], name, &most);
        strata_result_set(&m->least[launch], name, value < least ? value : least);
        strata_result_set(&m->most[launch], name, value > most ? value : most);
    }
}

strata_status strata_measured_repeat(struct strata_measured *m, struct strata_measured *again,
                                     struct strata_error *err)
{
    bool short_of_memory = false;
    size_t found = 0;
    strata_status status = check_kinds(m, again, err);
    if (status == STRATA_OK)
        status = begin_spread(m, err);
    for (size_t i = 0; i < again->n_launches && status == STRATA_OK; i++)
        strata_derive_metrics(&again->launch[i]);
    for (size_t i = 0; i < m->n_launches && status == STRATA_OK; i++) {
        const struct strata_result *x = find_again(m, i, again);
        if (x)
            widen(m, i, x), found++;
        short_of_memory |= m->least[i].out_of_memory | m->most[i].out_of_memory;
    }
    if (status == STRATA_OK && short_of_memory)
        status = no_memory(m, err);
    if (status == STRATA_OK && !found)
        status = strata_fail(err, STRATA_EFORMAT, again->file, 0, 0,
                             "none of its launches is one of %s; give another measurement of the "
                             "same launches.",
                             m->file);
    m->n_runs += status == STRATA_OK;
    return status;
}
