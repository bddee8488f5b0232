/* areas.cu - what the example suite consists of. */
#include "suite.h"

extern const struct suite_area suite_vector, suite_matrix, suite_factor, suite_stencil;
extern const struct suite_area suite_reduce, suite_sort, suite_sparse, suite_science, suite_neural;
extern const struct suite_area suite_memory, suite_control;

const struct suite_area *const suite_areas[] = {
    &suite_vector, &suite_matrix,  &suite_factor, &suite_stencil, &suite_reduce, &suite_sort,
    &suite_sparse, &suite_science, &suite_neural, &suite_memory,  &suite_control};
const int suite_n_areas = (int)(sizeof(suite_areas) / sizeof(suite_areas[0]));
