/* proc_address.h - the table of exported functions. */
#ifndef STRATA_CUDA_PROC_ADDRESS_H
#define STRATA_CUDA_PROC_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

/* NULL: no such name, or (*any_version) none of that age. */
void *proc_find(const char *name, int version, bool per_thread, bool *any_version);
/* Names of the table in turn; NULL at its end. */
const char *proc_name(size_t i);

#endif
