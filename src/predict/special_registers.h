/* special_registers.h - which S2R instructions read a thread index.
 *
 * A read of what differs between lanes (SR_TID, SR_LANEID, the lane masks) goes through the
 * load/store pipe, a read of a block index does not. Traces of machine code that ran here say which
 * it is (enum strata_special_read); others do not name the register. Then it shows in the first use
 * of the value: an index of a block is multiplied by the block's size and added to something (the
 * first source of an IMAD or LEA that has another register to add), an index of a thread is used in
 * any other way. On the 49 launches measured on an H200 that gives the pipe's instructions exactly
 * in all but two. */
#ifndef STRATA_PREDICT_SPECIAL_REGISTERS_H
#define STRATA_PREDICT_SPECIAL_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/trace.h>

struct special_read {
    uint64_t executed;
    bool decided, is_block_index;
};

/* Zero-initialise; one per launch. */
struct special_registers {
    struct special_read *read; /* by index of the static instruction */
    uint32_t n_read;
    /* of the current warp: reads whose value has not been used yet */
    struct {
        uint32_t inst_index;
        uint16_t reg;
    } waiting[8];
    uint32_t n_waiting;
};

void special_registers_begin_warp(struct special_registers *s);
strata_status special_registers_see(struct special_registers *s, const struct strata_winst *w,
                                    struct strata_error *err);
uint64_t special_registers_thread_index_reads(const struct special_registers *s);
void special_registers_release(struct special_registers *s);

#endif
