/* model_learned.h - the learned model as one of the models of `strata predict`. */
#ifndef STRATA_LEARN_MODEL_LEARNED_H
#define STRATA_LEARN_MODEL_LEARNED_H

#include <strata/result.h>

extern const struct strata_model strata_model_learned;

#endif
