/* bug.h - stops at contradictions of our own; user input never reaches it (fuzzers see to that). */
#ifndef STRATA_BASE_BUG_H
#define STRATA_BASE_BUG_H

#include <stdlib.h>

#define STRATA_BUG_ON(condition)                                                                   \
    do {                                                                                           \
        if (condition)                                                                             \
            abort();                                                                               \
    } while (0)

#endif
