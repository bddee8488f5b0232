/* strata/timeline.h - a program's launches, copies and fills in time, from the prediction of each
 * launch.
 *
 * What waits for what is the trace's (struct strata_event); gaps, copies and the host's time are
 * the GPU file's (`between.`). Launches that may overlap share the GPU: a later one gets the SMs
 * that earlier ones leave, and what all of them ask of issue, L2 and DRAM beyond what there is
 * slows them down alike (docs/timeline.md). */
#ifndef STRATA_TIMELINE_H
#define STRATA_TIMELINE_H

#include <stddef.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/prediction.h>
#include <strata/status.h>
#include <strata/trace.h>

#define STRATA_TIMELINE_SCHEMA "strata.timeline/1"

/* One launch, copy or fill. Times are microseconds since the host issued the first. */
struct strata_span {
    uint32_t event;  /* of the trace */
    uint32_t kind;   /* enum strata_event_kind; a copy on the device is one span, of its writing */
    uint32_t launch; /* for STRATA_EVENT_LAUNCH */
    uint64_t stream, bytes;
    bool host_copy; /* to or from the host */
    double issued_us, start_us, end_us;
    double alone_us;                    /* what it takes with nothing beside it */
    double gap_us;                      /* from the end of what it waited for last to its start */
    double overlap_us;                  /* of its time beside other launches */
    double sm_share, issue, l2, dram;   /* of the GPU, while it runs alone; 0 to 1 */
    const char *limiter;                /* the busiest unit of a launch, else "" */
    const struct strata_result *result; /* NULL: no launch, or its result is not kept */
};
/* What is in use from a time on, until that of the next. */
struct strata_use {
    double at_us, sms, l2, dram; /* 0 to 1 */
    uint32_t running;            /* launches */
};
struct strata_timeline {
    struct strata_span *span; /* in order of the trace */
    size_t n_spans;
    struct strata_use *use;
    size_t n_uses, cap_uses;
    double time_us; /* from the start of the first to the end of the last */
    double begin_us;
    double launches_us, copies_us; /* at least one runs */
    double idle_us;                /* nothing runs */
    uint32_t n_launches, n_copies;
    double half_width_us; /* the time is within so much of that from all launches; 0: all were
                             modelled */
    uint64_t instructions, modelled; /* warp instructions of all launches, and of those modelled */
};

/* `result`: of each launch of the trace, in order; one may stand for several. They and the trace
 * outlive the timeline. */
strata_status strata_timeline_build(struct strata_timeline *t, const struct strata_trace *trace,
                                    const struct strata_result *const *result,
                                    const struct strata_gpu *gpu, struct strata_error *err);
/* What a timeline needs of a launch, so that results need not be kept. */
struct strata_launch_time {
    double alone_us, sm_share, issue, l2, dram; /* as in a span */
    const char *limiter;                        /* a word that lasts */
};
strata_status strata_launch_time(const struct strata_gpu *gpu, const struct strata_launch *launch,
                                 const struct strata_result *result, struct strata_launch_time *out,
                                 struct strata_error *err);
/* The same from these, of each launch in order; spans have no results then. */
strata_status strata_timeline_build_from(struct strata_timeline *t,
                                         const struct strata_trace *trace,
                                         const struct strata_launch_time *time,
                                         const struct strata_gpu *gpu, struct strata_error *err);
void strata_timeline_release(struct strata_timeline *t);

/* *text is freed by the caller. JSON: STRATA_TIMELINE_SCHEMA. */
strata_status strata_timeline_print(const struct strata_timeline *t,
                                    const struct strata_trace *trace,
                                    const struct strata_prediction *p, enum strata_format format,
                                    char **text, size_t *length, struct strata_error *err);
/* The JSON that Perfetto and Chrome's tracing page read: a track for each stream and for copies,
 * counters for SMs, L2 and DRAM. */
strata_status strata_timeline_perfetto(const struct strata_timeline *t,
                                       const struct strata_trace *trace, char **text,
                                       size_t *length, struct strata_error *err);

/* Both bit by bit, for timelines of many launches. */
struct strata_timeline_writer {
    void *context;
    strata_status (*write)(void *context, const char *text, size_t length,
                           struct strata_error *err);
    /* The result of a launch whose span has none; *out is new, and released by who asks. */
    strata_status (*result)(void *context, uint32_t launch, struct strata_result *out,
                            struct strata_error *err);
};
strata_status strata_timeline_write(const struct strata_timeline *t,
                                    const struct strata_trace *trace,
                                    const struct strata_prediction *p, enum strata_format format,
                                    const struct strata_timeline_writer *to,
                                    struct strata_error *err);
strata_status strata_timeline_write_perfetto(const struct strata_timeline *t,
                                             const struct strata_trace *trace,
                                             const struct strata_timeline_writer *to,
                                             struct strata_error *err);

#endif
