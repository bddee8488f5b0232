/* program_schedule.h - operations of a program as a list with edges, and the loop that gives them
 * times. */
#ifndef STRATA_APPLICATION_PROGRAM_SCHEDULE_H
#define STRATA_APPLICATION_PROGRAM_SCHEDULE_H

#include <strata/timeline.h>

struct operation_edge {
    uint32_t from; /* operation */
    uint32_t kind; /* enum strata_edge_kind */
    bool crosses;  /* to another stream */
};
struct operation {
    struct strata_span *span;
    uint32_t first_edge, n_edges; /* what it waits for */
    uint32_t waits;               /* edges to operations that have not ended */
    uint32_t n_host, host_waits;  /* the same for what the host waits for before it issues it */
    double issue_us;              /* the host's time for it */
    bool host_stays;              /* the host goes on when it has ended */
    bool issued, started, ended;
    double ready_us;
    double left_us; /* of what it takes alone */
    double rate;
};
struct schedule {
    const struct strata_gpu *gpu;
    struct strata_timeline *out;
    struct operation *op;
    uint32_t n;
    struct operation_edge *edge;
    size_t n_edges, cap_edges;
    uint32_t *after, *first_after; /* operations that wait for each */
    uint32_t *running;             /* launches, in order of their start */
    uint32_t n_running;
    uint32_t *ready; /* a heap by time, then number */
    uint32_t n_ready;
    double host_us, now_us, engine_us[3]; /* copy engines: to, from, on the device */
    uint32_t next_issue;
};

/* Spans and edges of a trace. */
strata_status schedule_operations(struct schedule *s, const struct strata_trace *trace,
                                  const struct strata_launch_time *time, struct strata_error *err);
/* Times. */
strata_status schedule_run(struct schedule *s, struct strata_error *err);

#endif
