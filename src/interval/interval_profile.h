/* interval_profile.h - what is kept of a launch. */
#ifndef STRATA_INTERVAL_PROFILE_H
#define STRATA_INTERVAL_PROFILE_H

#include <strata/interval.h>

#include "interval/front.h"
#include "interval/model.h"
#include "sm/sm_inst.h"

struct interval_launch {
    char *program, *trace, *kernel;
    uint64_t id;
    double blocks, warps_per_block, blocks_per_sm; /* of the launch; that fit */
    double instructions, warps;                    /* of all warps */
    double code_lines;                             /* instruction lines fetched */
    double l1_cycles, l2_cycles, dram_cycles;      /* latencies the intervals were cut with */
    double l2_miss_ratio;                          /* requests */
    double paths, cluster_share, representative;   /* for the report */
    double pipe_cycles[SM_N_PIPES]; /* of all warps: cycles a scheduler's unit is taken */
    double lsu_cycles;              /* of all warps */
    double l1_miss_sectors, l2_requests, l2_sectors, l2_write_sectors, atomic_sectors;
    double dram_read_sectors, dram_write_sectors;
    double sector_bytes;
    double scripts; /* 1: by the rules of published scripts, see strata_interval_follow_scripts */
    struct interval *interval; /* cut with the published latencies */
    size_t n_intervals;
    struct interval *late_interval; /* with loads that wait for data other warps asked for */
    size_t n_late_intervals;
    double longest_cycles,
        longest_late_cycles; /* of any warp, alone, with the ones and the others */
    /* How often that warp waited for an answer of the L1, the L2, DRAM: so its cycles follow
     * latencies. */
    double longest_l1_waits, longest_l2_waits, longest_dram_waits;
    double longest_late_l1_waits, longest_late_l2_waits, longest_late_dram_waits;
};

struct strata_interval_profile {
    struct interval_launch *launch;
    size_t n, cap;
    bool scripts; /* for launches to come */
};

/* Room for one more, zeroed; NULL if there is no memory. */
struct interval_launch *profile_add(struct strata_interval_profile *p);
void launch_release(struct interval_launch *l);
void free_launches(struct strata_interval_profile *p); /* all of them, not *p itself */
/* The JSON of strata_interval_save in memory; *text is freed by the caller. */
strata_status interval_to_text(const struct strata_interval_profile *p, char **text, size_t *length,
                               struct strata_error *err);
strata_status interval_from_text(const char *text, size_t length, const char *path,
                                 struct strata_interval_profile **out, struct strata_error *err);
/* Latency of an L2 hit as an average SM sees it, and what DRAM adds. */
double gpu_l2_cycles(const struct strata_gpu *gpu);
double gpu_dram_cycles(const struct strata_gpu *gpu);

#endif
