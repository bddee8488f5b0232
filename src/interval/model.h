/* model.h - the interval model's arithmetic: intervals of a warp, the warp that stands for all,
 * many warps, contention (paper 001, equations 1 to 8), and the CPI stack.
 *
 * Everything here is a pure function of small structs; nothing reads a trace. */
#ifndef STRATA_INTERVAL_MODEL_H
#define STRATA_INTERVAL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/interval.h>
#include <strata/status.h>

/* ---- intervals of one warp ---- */

enum interval_cause { INTERVAL_CAUSE_NONE = 0, INTERVAL_CAUSE_COMPUTE, INTERVAL_CAUSE_MEMORY };

/* `count` equal intervals: n instructions issued back to back, then a stall. Requests are those of
 * the instructions in the interval, of one warp. */
struct interval {
    double n, stall_cycles, count;
    double read_misses, write_requests;     /* at the L1, lines */
    double l2_read_misses, l2_write_misses; /* lines */
    double mean_read, mean_write, mean_l2_read,
        mean_l2_write; /* the same in sectors, an average warp's */
    uint32_t cause;    /* enum interval_cause: what the stall waits for */
    double p1, p2;     /* of the load waited for: shares of L1 and L2 misses */
};

/* How an interval ends. All but the first are those of published scripts, kept for their vectors.
 */
enum interval_rule {
    INTERVAL_NORMATIVE = 0,
    INTERVAL_ANY_GAP,
    INTERVAL_GAP_10,
    INTERVAL_GAP_10_SUM
};

struct interval_builder {
    enum interval_rule rule;
    double *ready_cycle; /* by register */
    uint32_t *producer;  /* by register: the cause id given to _issue, 0 = none */
    uint32_t n_registers;
    double previous_cycle, sum_cycles;
    struct interval current;
    struct interval *list;
    uint32_t *cause_id; /* of each interval in list */
    size_t n, cap;
};
strata_status interval_builder_init(struct interval_builder *b, enum interval_rule rule,
                                    uint32_t n_registers, struct strata_error *err);
void interval_builder_release(struct interval_builder *b);
void interval_builder_reset(struct interval_builder *b);
/* The next instruction of the warp; ends the current interval if it has to wait. `earliest_cycle`:
 * it cannot issue before (0: no such limit), `earliest_id` says why. */
strata_status interval_issue(struct interval_builder *b, const uint16_t *read, unsigned n_read,
                             double earliest_cycle, uint32_t earliest_id, struct strata_error *err);
/* Result of the instruction just issued. */
void interval_write(struct interval_builder *b, const uint16_t *write, unsigned n_write,
                    double latency_cycles, uint32_t cause_id);
/* The same for an entry that several instructions share: it is ready when the last of them is. */
void interval_take(struct interval_builder *b, uint16_t entry, double latency_cycles,
                   uint32_t cause_id);
/* The interval of the instruction just issued, to add requests to. */
struct interval *interval_current(struct interval_builder *b);
strata_status interval_finish(struct interval_builder *b, struct strata_error *err);
/* Sorts intervals and joins equal ones; returns how many are left. */
size_t interval_join(struct interval *list, size_t n);

/* ---- the warp that stands for all ---- */

struct cluster_point {
    double ipc, instructions;
    uint64_t count;    /* warps at this very point */
    uint64_t first_id; /* lowest warp there */
};
struct cluster_choice {
    size_t point;
    double share; /* of all warps, in the larger cluster */
    uint64_t id;
};
/* k-means with k = 2 over (IPC, instructions) by their means, started from the two points farthest
 * apart; the member of the larger cluster nearest to its centre. n >= 1. */
strata_status cluster_representative(const struct cluster_point *p, size_t n,
                                     struct cluster_choice *out, struct strata_error *err);

/* ---- paths ---- */

/* Warps that execute the same instructions in the same order are one path. */
struct path {
    uint64_t hash, count, first_warp;
    uint32_t instructions;
    size_t user;
};
struct path_table {
    struct path *path;
    size_t n, cap;
    uint32_t *slot; /* path + 1 */
    size_t n_slots;
};
static inline uint64_t path_step(uint64_t hash, uint32_t index)
{
    return (hash ^ (index + 1u)) * 0x9e3779b97f4a7c15ull + (hash >> 29);
}
/* NULL if there is no memory. *is_new tells whether this warp is the path's first. */
struct path *path_add(struct path_table *t, uint64_t hash, uint32_t instructions, uint64_t warp,
                      bool *is_new);
void path_table_release(struct path_table *t);

/* ---- many warps and contention ---- */

struct interval_machine {
    double warps;               /* per SM: W */
    double warps_per_scheduler; /* that share an issue slot with the representative: Wx */
    double sms, issue_per_cycle;
    double clock_ghz, noc_gbytes, dram_gbytes, line_bytes;
    double mshrs; /* 0: unlimited */
    double l2_cycles, dram_extra_cycles;
    double l2_miss_ratio;
    /* Other latencies than those the intervals were cut with: a stall for memory changes with the
     * load it waits for. */
    double l1_change_cycles, l2_change_cycles, dram_change_cycles;
    bool mean_requests;      /* the average warp's sectors instead of the representative's lines */
    bool greedy;             /* greedy-then-oldest instead of round robin */
    bool fractional_batches; /* T/MSHRs - 1 batches in equation 8, as one of the authors' scripts
                                has it */
    bool gpumech_rate;       /* round robin: weight p instead of min(p Wx, I) */
    bool md1_in_ns;          /* a published script's unit slip in the M/D/1 term */
};

struct interval_single {
    double instructions, base_cycles, stall_cycles, n_intervals, probability;
};
/* The interval as this machine sees it: stall at its latencies, requests of the kind it asks for.
 */
struct interval interval_on(const struct interval *i, const struct interval_machine *m);
struct interval_single interval_sum(const struct interval *list, size_t n, double issue_per_cycle);
/* Instructions of the other warps that the stalls do not hide. */
double interval_not_hidden(const struct interval *list, size_t n, const struct interval_machine *m);

bool interval_divergent(const struct interval *i, const struct interval_machine *m);
double interval_latency(const struct interval_machine *m); /* equation 6 */
struct interval_queue {
    double noc_cycles, dram_cycles;
};
struct interval_queue interval_queue_half(const struct interval *i,
                                          const struct interval_machine *m);
struct interval_queue interval_queue_mdm(const struct interval *i,
                                         const struct interval_machine *m);
double interval_queue_gpumech(const struct interval *i, const struct interval_machine *m);
double interval_mshr_average(const struct interval *i, const struct interval_machine *m,
                             double latency);
double interval_mshr_batches(const struct interval *i, const struct interval_machine *m,
                             double latency);

/* Queueing and MSHR cycles of one interval (not multiplied by its count). */
struct interval_wait {
    double mshr_cycles, noc_cycles, dram_cycles;
};
struct interval_wait interval_contention(const struct interval *i, const struct interval_machine *m,
                                         enum strata_interval_variant variant);
/* All parts of the representative warp's cycles; total_cycles is their sum in the order of the
 * struct. */
void interval_stack(const struct interval *list, size_t n, const struct interval_machine *m,
                    enum strata_interval_variant variant, double l1_cycles,
                    struct strata_interval_stack *out);

#endif
