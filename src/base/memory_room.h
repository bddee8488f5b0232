/* memory_room.h - how much memory this process may take, so that what cannot be held is refused by
 * a sentence before it is begun. */
#ifndef STRATA_BASE_MEMORY_ROOM_H
#define STRATA_BASE_MEMORY_ROOM_H

#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

/* The machine's memory, or the limit of this process (RLIMIT_DATA, which `--memory-limit` sets)
 * where that is less. */
uint64_t memory_room_bytes(void);

/* STRATA_ENOMEM with a sentence that names `what`, what it would take and what there is, if `bytes`
 * cannot be had; STRATA_OK otherwise. Reserves nothing. */
strata_status memory_room_check(uint64_t bytes, const char *what, struct strata_error *err);

/* "3.2 GiB" */
const char *memory_size_text(uint64_t bytes, char *out, size_t size);

#endif
