/* fatbin_private.h - the one message about missing PTX, for containers and for executables. */
#ifndef STRATA_PTX_FATBIN_PRIVATE_H
#define STRATA_PTX_FATBIN_PRIVATE_H

#include <stdint.h>
#include <strata/status.h>

/* Says what is there instead (highest architectures, 0 if none) and which flag mends it. */
strata_status fatbin_without_ptx(uint32_t cubin_arch, uint32_t lto_arch, const char *name,
                                 struct strata_error *err);

#endif
