/* schedule.h - the order an assembler gives to the instructions of straight code.
 *
 * PTX has loads where the program has them; the assembler moves independent ones
 * together, so that a warp waits once and not once a load. A region is straight
 * code that is executed as a whole: it ends with a branch, a barrier or anything
 * else that orders memory; a counted loop of straight code is one region for
 * several rounds, as the assembler unrolls it. The order is that of a list
 * scheduler: of what depends on nothing that is still to come, the instruction
 * with the longest way to the end of the region goes first, as long as there are
 * registers for results. Loads do not pass stores they may depend on. Loads share
 * the barriers that machine code has for them.
 *
 * Orders depend on static instructions, and on distances of addresses that these
 * fix; they are made once. Not thread-safe per object. */
#ifndef STRATA_SM_SCHEDULE_H
#define STRATA_SM_SCHEDULE_H

#include "sm/sm_inst.h"

#define SM_MAX_REGION 256
#define SM_FRESH      256 /* names for results that are written again in a region */

struct sm_entry { /* of a warp instruction what is not static */
    uint64_t base;
    uint32_t inst, mask;
    int32_t stride;
    uint32_t addresses; /* SM_NO_ADDRESS, SM_AFFINE, or SM_LIST + a list */
};
enum { SM_NO_ADDRESS = 0, SM_AFFINE, SM_LIST };

/* What a warp accesses in a region: the distances of addresses that come from one register are the
 * same whichever warp tells them. */
struct sm_accesses {
    const struct sm_entry *entry;             /* by position; NULL: not known */
    const uint64_t (*list)[STRATA_WARP_SIZE]; /* by lane */
};

struct sm_region {
    uint32_t *inst;     /* static instructions as executed, n of them */
    uint16_t *order;    /* position of the k-th to issue */
    struct sm_inst *op; /* by position, with the registers the assembler would use */
    uint32_t n;
    uint32_t n_gone; /* the first of the order are not in machine code at all */
};

struct sm_scheduler {
    const struct sm_decoder *decoder;
    uint32_t registers; /* of a thread; 0: not known */
    uint32_t unroll;    /* rounds of a counted loop that become one region; 1: of none */
    uint32_t first_fresh, n_fresh;
    struct sm_region **table; /* open addressing */
    uint32_t n_regions, mask;
    uint8_t *loop; /* by static branch: rounds that become one, 0: not known yet */
    uint32_t cap_loop;
    struct sm_draft *draft;          /* see schedule.c */
    uint32_t reading[SM_MAX_REGION]; /* the region that a window reads */
    const struct sm_region **recent; /* by first instruction: the region found last */
    uint32_t cap_recent;
};

strata_status sm_scheduler_init(struct sm_scheduler *s, const struct sm_decoder *decoder,
                                uint32_t registers, uint32_t unroll, struct strata_error *err);
void sm_scheduler_release(struct sm_scheduler *s);
/* Registers a warp needs for the code decoded so far. */
uint32_t sm_scheduler_registers(struct sm_scheduler *s);
/* An instruction that nothing of its region may pass: it ends it. */
bool sm_ends_region(const struct strata_inst *i);
/* The rounds that become one of a body of n instructions which ends with a branch to its first: as
 * the branch tells, or those of a counted loop, where what it asks for is stepped by a constant. */
uint32_t sm_scheduler_rounds(struct sm_scheduler *s, const uint32_t *inst, uint32_t n);
/* The order of a region of n instructions, n <= SM_MAX_REGION; valid as long as the scheduler. */
strata_status sm_scheduler_region(struct sm_scheduler *s, const uint32_t *inst, uint32_t n,
                                  struct sm_accesses accesses, const struct sm_region **out,
                                  struct strata_error *err);

#endif
