/* set.h - samples, between the files of this folder. */
#ifndef STRATA_LEARN_SET_H
#define STRATA_LEARN_SET_H

#include <strata/learn.h>

#include "learn/container.h"

/* A new sample; NULL if there is no memory left. */
struct strata_learn_sample *learn_set_add(struct strata_learn_set *set, const char *name);
strata_status learn_set_parse(const uint8_t *data, size_t n, const char *name,
                              struct strata_learn_set *set, struct strata_error *err);
/* What follows the head; for the fuzzer, which cannot guess checksums. */
strata_status learn_set_read(struct learn_in *in, const char *name, struct strata_learn_set *set,
                             struct strata_error *err);

#endif
