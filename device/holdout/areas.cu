/* areas.cu - what the held-out set consists of. */
#include "suite.h"

extern const struct suite_area holdout_poly, holdout_rodinia, holdout_operators, holdout_capacity;

const struct suite_area *const suite_areas[] = {&holdout_poly, &holdout_rodinia, &holdout_operators,
                                                       &holdout_capacity};
const int suite_n_areas = (int)(sizeof(suite_areas) / sizeof(suite_areas[0]));
