/* unrolled.h - loops that ptxas unrolls. */
#ifndef STRATA_PTX_UNROLLED_H
#define STRATA_PTX_UNROLLED_H

#include "ptx/cfg.h"

/* Whether a loop of straight code loads and counts by a constant: ptxas makes four rounds of it
 * one, and lets their loads have registers until a thread has 32. */
bool ptx_has_unrolled_loop(const struct ptx_function *f, const struct ptx_cfg *cfg);

#endif
