/* launched.h - tells which launch of a probe is which, in the order the profiler sees them. */
#ifndef STRATA_PROBE_LAUNCHED_H
#define STRATA_PROBE_LAUNCHED_H

#include "check.h"

static int n_launches = 0;
#define LAUNCHED(...)                                                                              \
    do {                                                                                           \
        printf("launch %d ", n_launches++);                                                        \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
        CK(cudaGetLastError());                                                                    \
        CK(cudaDeviceSynchronize());                                                               \
    } while (0)

#endif
