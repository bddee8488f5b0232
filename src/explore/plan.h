/* plan.h - the points of a sweep. */
#ifndef STRATA_EXPLORE_PLAN_H
#define STRATA_EXPLORE_PLAN_H

#include <strata/sweep.h>

struct sweep_setting {
    char *key, *value;
};
struct sweep_line { /* of a file of points */
    struct sweep_setting *setting;
    size_t n, cap;
};
struct sweep_axis {
    char *key;
    char **value;
    size_t n, cap;
};

struct strata_sweep {
    struct strata_gpu base;
    struct sweep_axis *axis;
    size_t n_axes, cap_axes;
    struct sweep_line *line;
    size_t n_lines, cap_lines;
};

/* Settings of one point; the words belong to the sweep. */
struct sweep_settings {
    const char **key, **value;
    size_t n;
};
/* Fills `out`, whose arrays hold at least plan_most_settings entries. */
void plan_settings(const struct strata_sweep *s, size_t i, struct sweep_settings *out);
size_t plan_most_settings(const struct strata_sweep *s);
/* A key that belongs to the model and not to the GPU: what follows "model.", else NULL. */
const char *plan_model_key(const char *key);

#endif
