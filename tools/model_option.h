/* model_option.h - --model, --compat, and which --set words go to the model. */
#ifndef STRATA_TOOLS_MODEL_OPTION_H
#define STRATA_TOOLS_MODEL_OPTION_H

#include <strata/result.h>

#include "options.h"

/* STRATA_EUSAGE with all names if there is no such model. */
strata_status find_model(const char *name, const struct strata_model **out,
                         struct strata_error *err);

/* STRATA_EUSAGE if a variant (NULL: none) is asked of a model that has none. */
strata_status check_variant(const struct strata_model *model, const char *variant,
                            struct strata_error *err);

/* --set model.key=value goes to the model, without "model.", every other --set to the GPU; --compat
 * WHOSE is the setting compat=WHOSE. */
struct model_settings {
    const char **for_model; /* NULL-terminated */
    struct option_list for_gpu;
    char *compat;
};
strata_status split_settings(const struct option_list *set, const char *compat,
                             struct model_settings *out, struct strata_error *err);
void release_settings(struct model_settings *s);

/* Names of what reads a key of the GPU file, "flow, sim"; "" if nothing does. Returns `out`. */
const char *key_readers(const char *key, char *out, size_t size);
/* Says on standard error which of the words KEY=... are keys that the model does not read. */
void warn_unread_keys(const struct strata_model *model, const char *const *word, size_t n);

#endif
