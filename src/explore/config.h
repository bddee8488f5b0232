/* config.h - the effective GPU of a point, and what identifies points and launches. */
#ifndef STRATA_EXPLORE_CONFIG_H
#define STRATA_EXPLORE_CONFIG_H

#include "explore/plan.h"

/* A point as a model takes it. */
struct sweep_config {
    struct strata_gpu gpu;
    struct strata_model_options options; /* settings: `word` */
    const char **word;                   /* NULL-terminated */
    char **owned;                        /* the words of the point itself */
    size_t n_owned;
    bool bad; /* the GPU cannot be like this: `why` */
    struct strata_error why;
};
strata_status config_create(struct sweep_config **out, struct strata_error *err);
void config_destroy(struct sweep_config *c); /* NULL is allowed */
/* Settings whose key `leave_out` names (NULL: none) are passed over. A GPU that cannot be is no
 * failure: see `bad`. */
strata_status config_of_point(const struct strata_sweep *s, size_t i,
                              const struct strata_model_options *options,
                              bool (*leave_out)(const struct strata_model *, const char *key),
                              const struct strata_model *model, struct sweep_config *c,
                              struct strata_error *err);

/* CRC-64 (that of .xz files): 16 hexadecimal digits. */
typedef char hash_text[17];
void hash_spell(uint64_t hash, hash_text out);
/* The effective GPU without its name, the model, its variant and settings, the seed and the tool.
 */
uint64_t hash_config(const struct sweep_config *c, const struct strata_model *model,
                     const char *settings);
/* Shape, code and all blocks. */
strata_status hash_launch(struct strata_reader *reader, uint64_t *out, struct strata_error *err);

#endif
