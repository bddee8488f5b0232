/* redirect.h - a CUDA runtime linked into a file, replaced by Strata's. */
#ifndef STRATA_PRELOAD_REDIRECT_H
#define STRATA_PRELOAD_REDIRECT_H

#include <stdbool.h>
#include <stdint.h>

/* Looks into the file that is mapped at `base`. If its constructors ran already, what they
 * registered is registered again. */
void redirect_runtime(const char *path, uintptr_t base, bool constructors_ran);

/* preload.c: one of Strata's libraries; NULL: not there. */
void *preload_open_ours(const char *name);

#endif
