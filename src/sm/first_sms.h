/* first_sms.h - how many SMs of each GPC begin with a launch. */
#ifndef STRATA_SM_FIRST_SMS_H
#define STRATA_SM_FIRST_SMS_H

#include <strata/gpu.h>

/* By GPC, to be freed by the caller; NULL if launch.schedulers_apart does not ask for it. The
 * schedulers of their SMs begin so much later one after the other (fetch_sm_begins). */
strata_status sm_first_sms(const struct strata_gpu *gpu, uint64_t blocks, uint32_t **sms,
                           struct strata_error *err);

#endif
