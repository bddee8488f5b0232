/* schedule.h - the order an assembler gives to the instructions of straight code.
 *
 * PTX has loads where the program has them; the assembler moves independent ones
 * together, so that a warp waits once and not once a load. A region is straight
 * code that is executed as a whole: it ends with a branch, a barrier or anything
 * else that orders memory. Its order is that of a list scheduler: of what depends
 * on nothing that is still to come, the instruction with the longest way to the
 * end of the region goes first. Loads do not pass stores they may depend on.
 *
 * Orders depend on static instructions only and are made once. Not thread-safe
 * per object. */
#ifndef STRATA_SM_SCHEDULE_H
#define STRATA_SM_SCHEDULE_H

#include "sm/sm_inst.h"

#define SM_MAX_REGION 256

struct sm_region {
    uint32_t *inst;   /* static instructions as executed, n of them; NULL: an empty entry */
    uint16_t *order;  /* position of the k-th to issue */
    uint32_t n;
};

struct sm_scheduler {
    const struct sm_decoder *decoder;
    uint32_t registers;        /* a thread has so many for results of loads; 0: any number */
    struct sm_region *table;   /* open addressing */
    uint32_t n_regions, mask;
    struct sm_draft *draft;    /* see schedule.c */
};

strata_status sm_scheduler_init(struct sm_scheduler *s, const struct sm_decoder *decoder, uint32_t registers,
                                struct strata_error *err);
void sm_scheduler_release(struct sm_scheduler *s);
/* An instruction that nothing of its region may pass: it ends it. */
bool sm_ends_region(const struct strata_inst *i);
/* The order of a region of n instructions, n <= SM_MAX_REGION; valid as long as the scheduler. */
strata_status sm_scheduler_order(struct sm_scheduler *s, const uint32_t *inst, uint32_t n, const uint16_t **order,
                                 struct strata_error *err);

#endif
