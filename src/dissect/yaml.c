/* yaml.c - what was found as a GPU file. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "dissect/facts.h"

/* Facts of one section stand together, whatever order they were found in. */
static size_t section_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

static bool same_section(const char *a, const char *b)
{
    size_t n = section_length(a);
    return n == section_length(b) && !strncmp(a, b, n);
}

static void put_value(struct strata_text *t, const struct strata_fact *x, int indent)
{
    strata_text_printf(t, "%*s%s: {value: %s", indent, "",
                       x->name + section_length(x->name) + (section_length(x->name) > 0), x->value);
    if (!strcmp(x->unit, "cycles"))
        strata_text_put(t, " cycles");
    strata_text_put(t, ", source: ");
    char words[256];
    snprintf(words, sizeof words, "%s; confidence %.3f", x->finding.rests_on,
             x->finding.confidence);
    strata_text_put_json_string(t, words); /* a double-quoted YAML scalar too */
    strata_text_put(t, "}\n");
}

/* "tlb.l1" nests in "tlb": sections of a top-level name are written under it. */
static void put_section(struct strata_text *t, const struct strata_dissection *d, const char *name,
                        int indent)
{
    for (size_t i = 0; i < d->n_facts; i++)
        if (d->fact[i].is_key && d->fact[i].finding.known && same_section(d->fact[i].name, name))
            put_value(t, &d->fact[i], indent);
}

static bool first_of_top(const struct strata_dissection *d, size_t i)
{
    size_t n = strcspn(d->fact[i].name, ".");
    for (size_t k = 0; k < i; k++)
        if (d->fact[k].is_key && d->fact[k].finding.known && strcspn(d->fact[k].name, ".") == n &&
            !strncmp(d->fact[k].name, d->fact[i].name, n))
            return false;
    return true;
}

static bool first_of_section(const struct strata_dissection *d, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (d->fact[k].is_key && d->fact[k].finding.known &&
            same_section(d->fact[k].name, d->fact[i].name))
            return false;
    return true;
}

static void put_nested(struct strata_text *t, const struct strata_dissection *d, size_t top)
{
    size_t n = strcspn(d->fact[top].name, ".");
    for (size_t i = 0; i < d->n_facts; i++) {
        const struct strata_fact *x = &d->fact[i];
        size_t length = section_length(x->name);
        if (!x->is_key || !x->finding.known || length <= n ||
            strncmp(x->name, d->fact[top].name, n + 1) || !first_of_section(d, i))
            continue;
        strata_text_printf(t, "  %.*s:\n", (int)(length - n - 1), x->name + n + 1);
        put_section(t, d, x->name, 4);
    }
}

strata_status strata_dissection_to_yaml(const struct strata_dissection *d,
                                        const struct strata_probe_set *set, char **text,
                                        struct strata_error *err)
{
    struct strata_text t = {0};
    strata_text_put(&t, "# Found by `strata dissect`; what it could not determine is listed at the "
                        "end and left to defaults.\ndescription: ");
    strata_text_put_json_string(&t, *set->card ? set->card : set->target);
    strata_text_put(&t, "\n");
    put_section(&t, d, "description", 0);
    for (size_t i = 0; i < d->n_facts; i++) {
        const struct strata_fact *x = &d->fact[i];
        if (!x->is_key || !x->finding.known || !strchr(x->name, '.') || !first_of_top(d, i))
            continue;
        char top[64];
        snprintf(top, sizeof top, "%.*s.", (int)strcspn(x->name, "."), x->name);
        strata_text_printf(&t, "\n%.*s:\n", (int)strcspn(x->name, "."), x->name);
        put_section(&t, d, top, 2);
        put_nested(&t, d, i);
    }
    strata_text_put(&t, "\n");
    for (size_t i = 0; i < d->n_facts; i++)
        if (!d->fact[i].finding.known)
            strata_text_printf(&t, "# undetermined: %s (%s)\n", d->fact[i].name,
                               d->fact[i].finding.rests_on);
        else if (!d->fact[i].is_key)
            strata_text_printf(&t, "# %s: %s %s (%s; confidence %.3f)\n", d->fact[i].name,
                               d->fact[i].value, d->fact[i].unit, d->fact[i].finding.rests_on,
                               d->fact[i].finding.confidence);
    if (t.out_of_memory) {
        strata_text_release(&t);
        return strata_no_memory(err, NULL, "for the GPU file");
    }
    *text = t.data;
    return STRATA_OK;
}
