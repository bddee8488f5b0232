/* reciprocals.h - divisions of integers, and where the reciprocals of their divisors are found. */
#ifndef STRATA_PTX_RECIPROCALS_H
#define STRATA_PTX_RECIPROCALS_H

#include "ptx/machine_form.h"

/* Finds out->parts of divisions that have no reciprocal to find. False: memory is short. */
bool ptx_divisions_find(const struct ptx_function *f, const struct ptx_cfg *cfg,
                        struct ptx_forms *out);
/* Finds out->reciprocal_of, once it is known which ops have records. */
void ptx_reciprocals_place(const struct ptx_function *f, struct ptx_forms *out);
/* What finding the reciprocal of a division's divisor takes. */
const struct ptx_form_part *ptx_reciprocal_form(const struct ptx_op *division);

#endif
