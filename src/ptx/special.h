/* special.h - special registers as lanes that instructions read like registers. */
#ifndef STRATA_PTX_SPECIAL_H
#define STRATA_PTX_SPECIAL_H

#include "ptx/exec.h"

/* Lanes that differ by warp, and lanes that differ by block; 128 bytes each. */
enum ptx_special_warp {
    PTX_SR_TID_X,
    PTX_SR_TID_Y,
    PTX_SR_TID_Z,
    PTX_SR_LANEID,
    PTX_SR_WARPID,
    PTX_SR_LANEMASK_EQ,
    PTX_SR_LANEMASK_LT,
    PTX_SR_LANEMASK_LE,
    PTX_SR_LANEMASK_GT,
    PTX_SR_LANEMASK_GE,
    PTX_SR_NTID_X,
    PTX_SR_NTID_Y,
    PTX_SR_NTID_Z,
    PTX_SR_NCTAID_X,
    PTX_SR_NCTAID_Y,
    PTX_SR_NCTAID_Z,
    PTX_SR_NWARPID,
    PTX_SR_NSMID,
    PTX_SR_ZERO,
    PTX_SR_ONE,
    PTX_SR_DYNAMIC_SMEM,
    PTX_SR_TOTAL_SMEM,
    PTX_SR_RESERVED_SMEM,
    PTX_SR_RESERVED_END,
    PTX_SR_AGGREGATE_SMEM,
    PTX_SR_ENVREG1,
    PTX_SR_ENVREG2,
    PTX_SR_NCLUSTERID_X,
    PTX_SR_NCLUSTERID_Y,
    PTX_SR_NCLUSTERID_Z,
    PTX_SR_CLUSTER_NCTAID_X,
    PTX_SR_CLUSTER_NCTAID_Y,
    PTX_SR_CLUSTER_NCTAID_Z,
    PTX_SR_CLUSTER_NCTARANK,
    PTX_SR_EXPLICIT_CLUSTER, /* a predicate: its first word */
    PTX_N_SR_WARP
};
enum ptx_special_block {
    PTX_SR_CTAID_X,
    PTX_SR_CTAID_Y,
    PTX_SR_CTAID_Z,
    PTX_SR_SMID,
    PTX_SR_CLUSTERID_X,
    PTX_SR_CLUSTERID_Y,
    PTX_SR_CLUSTERID_Z,
    PTX_SR_CLUSTER_CTAID_X,
    PTX_SR_CLUSTER_CTAID_Y,
    PTX_SR_CLUSTER_CTAID_Z,
    PTX_SR_CLUSTER_CTARANK,
    PTX_N_SR_BLOCK
};
#define PTX_SPECIAL_WARP_BYTES  (PTX_N_SR_WARP * 128u)
#define PTX_SPECIAL_BLOCK_BYTES (PTX_N_SR_BLOCK * 128u)

enum ptx_special_kind {
    PTX_SPECIAL_UNKNOWN = 0,
    PTX_SPECIAL_LANES, /* *ref reads it */
    PTX_SPECIAL_CLOCK, /* changes: ptx_run_mov_clock */
    PTX_SPECIAL_CLOCK_HI,
    PTX_SPECIAL_TIMER, /* the same in nanoseconds */
    PTX_SPECIAL_TIMER_HI,
    PTX_SPECIAL_MASK, /* a predicate */
};
/* What a %name means; *wide: 64 bits. */
enum ptx_special_kind ptx_special_find(const char *name, uint32_t *ref, bool *wide);

/* Fills run->state with the lanes of every warp, side by side; false if memory is short. */
bool ptx_special_fill_run(struct emu_run *run);
void ptx_special_fill_block(struct ptx_block *block);

#endif
