/* units.h - units as profilers spell them: prefixes, long and short names, quotients. */
#ifndef STRATA_CORRELATE_UNITS_H
#define STRATA_CORRELATE_UNITS_H

#include <stdbool.h>

/* The factor that turns a value in `from` ("Kbyte", "usecond", "Gbyte/second") into one in `to`
 * ("byte", "ns", "byte/s"). False if one of them is not understood or they measure different
 * things. An empty `from` is taken to be `to`. */
bool strata_unit_factor(const char *from, const char *to, double *factor);

#endif
