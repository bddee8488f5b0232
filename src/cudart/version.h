/* version.h - between version.c, which is compiled once per version, and the rest. */
#ifndef STRATA_CUDART_VERSION_H
#define STRATA_CUDART_VERSION_H

#include "cudart/runtime.h"

extern const int cudart_major; /* 11, 12 or 13 */
/* Value of a cudaDeviceAttr, 0 if unknown. */
int device_attribute(int which);

#endif
