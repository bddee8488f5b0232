/* parameter_loads.h - where machine code loads the parameters of a kernel. */
#ifndef STRATA_PTX_PARAMETER_LOADS_H
#define STRATA_PTX_PARAMETER_LOADS_H

#include "ptx/machine_form.h"

/* Moves the records of parameters of 64 bits from the kernel's first lines, where PTX has them, to
 * where ptxas loads them. After what is folded is known. False if memory is short. */
bool ptx_parameters_place(const struct ptx_function *f, const struct ptx_cfg *cfg,
                          struct ptx_forms *out);

#endif
