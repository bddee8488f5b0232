/* memory_limit.h - how much memory a command may take. */
#ifndef STRATA_TOOLS_MEMORY_LIMIT_H
#define STRATA_TOOLS_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* From now on the process gets no more than this: what needs more ends in a sentence instead of
 * taking the machine with it. False if the system refuses. Programs it starts inherit the limit. */
bool limit_memory(uint64_t bytes);
/* Takes it back, for what libraries do at the end: OpenBLAS waits until its threads get memory. */
void unlimit_memory(void);
/* Three quarters of the machine's memory, or of the control group's where that is less. */
void limit_memory_by_default(void);

/* The option's row in the table of a command that reads traces. */
#define MEMORY_LIMIT_OPTION                                                                        \
    {                                                                                              \
        0, "memory-limit", OPTION_MEMORY, NULL, "BYTES",                                           \
            "take no more memory (default three quarters of the machine's)"                        \
    }

#endif
