/* Files of the learned model: training data and models, with and without a head that fits. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "learn/learner.h"
#include "learn/set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Trees are XGBoost's to read, and its reader trusts what the checksum has vouched for. */
static bool has_trees(struct learn_in in)
{
    char *provenance = learn_get_text(&in), *learner = learn_get_text(&in);
    bool trees = learner && (!strcmp(learner, "rf") || !strcmp(learner, "gb"));
    free(provenance);
    free(learner);
    return trees;
}

/* A model that was read says something of every interval, whatever it was trained for. */
static void use_model(struct strata_learn_model *m)
{
    struct strata_learn_interval interval = {0};
    struct strata_learn_cache cache = {.lines = 64, .ways = 8};
    struct strata_learn_rates rates;
    struct strata_error err;
    strata_learn_predict(m, &interval, &cache, &rates, &err);
    strata_learn_in_range(m, &cache);
}

static void try_model(const uint8_t *data, size_t size)
{
    struct strata_learn_model *m;
    struct strata_error err;
    struct learn_in in = {.at = data, .end = data + size};
    if (learn_model_parse(data, size, "input", &m, &err) == STRATA_OK)
        strata_learn_model_destroy(m);
    if (!has_trees(in) && learn_model_read(&in, "input", &m, &err) == STRATA_OK) {
        use_model(m);
        strata_learn_model_destroy(m);
    }
}

/* What was read can be evaluated, whatever it says. */
static void try_set(const uint8_t *data, size_t size)
{
    struct strata_learn_set set = {0};
    struct strata_learn_evaluation e;
    struct strata_learn_model *m;
    struct strata_error err;
    struct learn_in in = {.at = data, .end = data + size};
    learn_set_parse(data, size, "input", &set, &err);
    if (learn_set_read(&in, "input", &set, &err) == STRATA_OK &&
        strata_learn_model_builtin("timed", &m, &err) == STRATA_OK) {
        if (strata_learn_evaluate(m, &set, &e, &err) == STRATA_OK)
            strata_learn_evaluation_release(&e);
        strata_learn_model_destroy(m);
    }
    strata_learn_set_release(&set);
}

/* The first byte chooses; what follows is the input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    if (*data & 1)
        try_model(data + 1, size - 1);
    else
        try_set(data + 1, size - 1);
    return 0;
}
