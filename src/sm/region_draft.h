/* region_draft.h - a region while it is being ordered (schedule.c, region_registers.c). */
#ifndef STRATA_SM_REGION_DRAFT_H
#define STRATA_SM_REGION_DRAFT_H

#include "sm/schedule.h"

enum { SM_REGISTERS = 65536 };

/* One instruction of the region that is being ordered. */
struct sm_node {
    const struct strata_inst *inst;
    struct sm_inst *op;
    uint32_t latency;    /* cycles until its result can be used */
    uint32_t way;        /* cycles from its issue to the end of the region */
    uint32_t waits;      /* instructions before it that are still to issue */
    uint32_t uses;       /* instructions that read its result and are still to issue */
    uint32_t words;      /* registers that its result takes until then */
    bool predicate;      /* or the predicate */
    uint32_t takes_over; /* words from before the region that nobody reads after it */
    uint32_t root;       /* its address is this value and a constant */
    uint64_t earliest;   /* by those that have issued */
    bool done, gone;
    bool leads; /* a load from memory has to follow it */
    bool last;  /* it reads what is loaded from memory, for no further load */
};

struct sm_edge {
    uint32_t latency;
    uint16_t to;
    bool value; /* a result is read */
};

enum sm_seen { SM_UNSEEN, SM_READ_ONCE, SM_READ, SM_WRITTEN };

struct sm_draft {
    struct sm_node node[SM_MAX_REGION];
    struct sm_edge edge[SM_MAX_REGION * SM_MAX_REGION / 2];
    uint32_t first[SM_MAX_REGION + 1];                  /* edges of a node */
    uint16_t source[SM_MAX_REGION * SM_MAX_REGION / 2]; /* positions whose results a node reads */
    uint32_t first_source[SM_MAX_REGION + 1];
    uint32_t n, room;              /* room: registers for results */
    uint32_t far_room;             /* and for what is loaded from memory, */
    uint32_t near_room;            /* or from shared memory */
    uint16_t name[SM_REGISTERS];   /* what a register of PTX is called by now */
    uint16_t last[SM_REGISTERS];   /* position + 1 of its last write */
    uint8_t seen[SM_REGISTERS];    /* enum sm_seen: what has happened to it in the region */
    uint16_t reader[SM_REGISTERS]; /* position + 1 of what reads the value from before the region */
    uint32_t half_in;              /* registers for values from before the region, in halves */
    uint32_t taken_over;           /* words of them that instructions of the region take over */
    uint32_t root[SM_REGISTERS];   /* what a register's value is, but for a constant */
    struct sm_accesses accesses;
};

static inline bool sm_lists(const uint16_t *reg, unsigned n, uint16_t x)
{
    for (unsigned k = 0; k < n; k++)
        if (reg[k] == x)
            return true;
    return false;
}

/* Gives every result the register it has in machine code, and drops what has no instruction there.
 */
void sm_draft_name_registers(struct sm_scheduler *s, struct sm_draft *d);

/* How many registers results may take. */
void sm_draft_find_room(const struct sm_scheduler *s, struct sm_draft *d);

#endif
