/* join.c - joining predicted with measured launches. */
#include "correlate/join.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/kernel_name.h>

struct key {
    char *text;
    size_t index; /* of the launch; the order among equals */
};

struct key_rule {
    bool by_trace;
    bool with_program; /* by kernel only */
    bool with_shape;
};

/* Length of a file's name without what only tells how it is stored. */
static size_t stem_length(const char *name)
{
    static const char *const suffixes[] = {".xz", ".gz", ".zst", ".traceg", ".trace", ".strata"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t k = strlen(suffixes[i]);
        if (n > k && !strncmp(name + n - k, suffixes[i], k))
            n -= k;
    }
    return n;
}

static char *make_key(const struct strata_result *r, const struct key_rule *rule)
{
    char *text = NULL, base[256];
    int made;
    if (rule->by_trace) {
        made = asprintf(&text, "%.*s\n%.*s", (int)stem_length(r->program), r->program,
                        (int)stem_length(r->trace), r->trace);
        return made < 0 ? NULL : text;
    }
    strata_kernel_base_name(r->kernel, base, sizeof base);
    const struct strata_dim3 zero = {0, 0, 0};
    const struct strata_dim3 *g = rule->with_shape ? &r->grid : &zero,
                             *b = rule->with_shape ? &r->block : &zero;
    made = asprintf(&text, "%s\n%s\n%u,%u,%u\n%u,%u,%u", rule->with_program ? r->program : "", base,
                    g->x, g->y, g->z, b->x, b->y, b->z);
    return made < 0 ? NULL : text;
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int c = strcmp(x->text, y->text);
    return c ? c : x->index < y->index ? -1 : x->index > y->index;
}

static void free_keys(struct key *key, size_t n)
{
    for (size_t i = 0; key && i < n; i++)
        free(key[i].text);
    free(key);
}

/* Sorted keys of n launches: either an array (direct) or an array of pointers. */
static struct key *make_keys(const struct strata_result *array,
                             struct strata_result *const *pointers, size_t n,
                             const struct key_rule *rule)
{
    struct key *key = calloc(n + 1, sizeof *key);
    for (size_t i = 0; key && i < n; i++) {
        key[i].index = i;
        key[i].text = make_key(array ? &array[i] : pointers[i], rule);
        if (!key[i].text) {
            free_keys(key, n);
            return NULL;
        }
    }
    if (key)
        qsort(key, n, sizeof *key, compare_keys);
    return key;
}

static size_t group_length(const struct key *key, size_t at, size_t n)
{
    size_t length = 1;
    while (at + length < n && !strcmp(key[at + length].text, key[at].text))
        length++;
    return length;
}

/* The grid or block is missing on one side (a prediction from CSV has neither). */
static bool all_have_shape(const struct strata_measured *m, struct strata_result *const *p,
                           size_t n)
{
    for (size_t i = 0; i < m->n_launches; i++)
        if (!m->launch[i].grid.x || !m->launch[i].block.x)
            return false;
    for (size_t i = 0; i < n; i++)
        if (!p[i]->grid.x || !p[i]->block.x)
            return false;
    return true;
}

/* Every process the profiler names is one of the predicted programs. */
static bool programs_agree(const struct strata_measured *m, struct strata_result *const *p,
                           size_t n)
{
    for (size_t i = 0; i < m->n_launches; i++) {
        bool found = false;
        for (size_t j = 0; j < n && !found; j++)
            found = m->launch[i].program[0] && !strcmp(m->launch[i].program, p[j]->program);
        if (!found)
            return false;
    }
    return m->n_launches > 0;
}

static strata_status refuse_predicted_twice(const struct strata_result *a, struct strata_error *err)
{
    return strata_fail(
        err, STRATA_EFORMAT, NULL, 0, 0,
        "%s/%s is predicted twice by the same model with the same settings; give each launch "
        "once.",
        a->program, a->trace);
}

static strata_status refuse_ambiguous(const struct strata_measured *m, size_t first,
                                      size_t n_measured, size_t n_predicted,
                                      struct strata_error *err)
{
    const struct strata_result *r = &m->launch[first];
    return strata_fail(
        err, STRATA_EFORMAT, m->file, m->line[first], 0,
        "%s with grid %ux%ux%u and block %ux%ux%u stands in %zu measured and %zu predicted "
        "launches, "
        "which cannot be told apart; predict and measure the same launches (--kernel-name, "
        "--launch-skip, --launch-count).",
        r->kernel, r->grid.x, r->grid.y, r->grid.z, r->block.x, r->block.y, r->block.z, n_measured,
        n_predicted);
}

/* Walks both sorted lists; equal keys form groups. */
static strata_status pair_groups(const struct strata_measured *m, const struct key *mk,
                                 struct strata_result *const *predicted, const struct key *pk,
                                 size_t n_predicted, bool by_trace,
                                 struct strata_result **of_launch, struct strata_error *err)
{
    size_t i = 0, j = 0;
    while (i < m->n_launches && j < n_predicted) {
        size_t ni = group_length(mk, i, m->n_launches), nj = group_length(pk, j, n_predicted);
        int order = strcmp(mk[i].text, pk[j].text);
        if (by_trace && nj > 1)
            return refuse_predicted_twice(predicted[pk[j].index], err);
        if (order == 0 && ni != nj)
            return refuse_ambiguous(m, mk[i].index, ni, nj, err);
        for (size_t k = 0; order == 0 && k < ni; k++)
            of_launch[mk[i + k].index] = predicted[pk[j + k].index];
        i += order <= 0 ? ni : 0;
        j += order >= 0 ? nj : 0;
    }
    return STRATA_OK;
}

strata_status strata_join(const struct strata_measured *measured,
                          struct strata_result *const *predicted, size_t n_predicted,
                          struct strata_result **of_launch, struct strata_error *err)
{
    struct key_rule rule = {.by_trace = measured->names_traces};
    if (!rule.by_trace) {
        rule.with_shape = all_have_shape(measured, predicted, n_predicted);
        rule.with_program = programs_agree(measured, predicted, n_predicted);
    }
    struct key *mk = make_keys(measured->launch, NULL, measured->n_launches, &rule);
    struct key *pk = make_keys(NULL, predicted, n_predicted, &rule);
    strata_status status;
    if (!mk || !pk)
        status = strata_no_memory(err, measured->file, "to join the launches");
    else
        status =
            pair_groups(measured, mk, predicted, pk, n_predicted, rule.by_trace, of_launch, err);
    free_keys(mk, measured->n_launches);
    free_keys(pk, n_predicted);
    return status;
}
