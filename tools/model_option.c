/* model_option.c - --model, --compat and --set model.KEY. */
#include "model_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

strata_status find_model(const char *name, const struct strata_model **out,
                         struct strata_error *err)
{
    size_t n;
    const struct strata_model *const *table = strata_model_table(&n);
    char names[256] = "";
    *out = strata_model_find(name);
    if (*out)
        return STRATA_OK;
    for (size_t i = 0; i < n; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 table[i]->name);
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "there is no model \"%s\"; there are: %s.",
                       name, names);
}

strata_status check_variant(const struct strata_model *model, const char *variant,
                            struct strata_error *err)
{
    if (!variant || model->has_variants)
        return STRATA_OK;
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "the model %s has no variants; leave out --variant.", model->name);
}

strata_status split_settings(const struct option_list *set, const char *compat,
                             struct model_settings *out, struct strata_error *err)
{
    size_t n_model = 0;
    memset(out, 0, sizeof *out);
    out->for_model = calloc(set->n + 2, sizeof *out->for_model);
    out->for_gpu.item = calloc(set->n + 1, sizeof *out->for_gpu.item);
    if (compat && asprintf(&out->compat, "model.compat=%s", compat) < 0)
        out->compat = NULL;
    if (!out->for_model || !out->for_gpu.item || (compat && !out->compat))
        return strata_no_memory(err, NULL, "for --set");
    if (compat)
        out->for_model[n_model++] = out->compat + strlen("model.");
    for (size_t i = 0; i < set->n; i++)
        if (!strncmp(set->item[i], "model.", 6))
            out->for_model[n_model++] = set->item[i] + 6;
        else
            out->for_gpu.item[out->for_gpu.n++] = set->item[i];
    return STRATA_OK;
}

void release_settings(struct model_settings *s)
{
    free(s->for_model);
    free(s->for_gpu.item);
    free(s->compat);
    memset(s, 0, sizeof *s);
}

const char *key_readers(const char *key, char *out, size_t size)
{
    size_t n;
    const struct strata_model *const *table = strata_model_table(&n);
    *out = 0;
    for (size_t i = 0; i <= n; i++) {
        const char *name = i < n ? table[i]->name : "dissect";
        if (strata_model_reads_key(name, key))
            snprintf(out + strlen(out), size - strlen(out), "%s%s", *out ? ", " : "", name);
    }
    return out;
}

void warn_unread_keys(const struct strata_model *model, const char *const *word, size_t n)
{
    char key[STRATA_GPU_TEXT], readers[128];
    for (size_t i = 0; i < n; i++) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(word[i], "="), word[i]);
        if (!strata_gpu_find_key(key) || strata_model_reads_key(model->name, key))
            continue;
        key_readers(key, readers, sizeof readers);
        fprintf(stderr, "strata: %s changes nothing in the model %s%s%s.\n", key, model->name,
                *readers ? "; it is read by " : ", nor in any other", readers);
    }
}
