/* trace_stream.h - what the L1s of a launch see, as streams of lines or sectors, one for each SM.
 *
 * Loads and asynchronous copies only, because stores do not allocate; an L1 takes one a cycle.
 * Order and times are those of warps that share their SM evenly and wait for data as long as caches
 * would take that hold everything (reuse/turns.h, learn/nominal.h): they do not depend on the cache
 * that is asked about. */
#ifndef STRATA_LEARN_TRACE_STREAM_H
#define STRATA_LEARN_TRACE_STREAM_H

#include <strata/gpu.h>
#include <strata/trace.h>

struct learn_sm_stream {
    uint64_t *line;
    uint64_t *time; /* cycle of each access, rising */
    size_t n, cap_lines, cap_times;
};
struct learn_sm_streams {
    struct learn_sm_stream *sm; /* one for each SM of the GPU; unused ones are empty */
    uint32_t n_sms;
    bool sectors;
    uint64_t l1_bytes; /* of the launch: what the carve-out leaves */
    uint64_t accesses; /* of all SMs, kept or not */
};
/* Keeps at most `most` SMs, evenly spread over those that have work; 0: all. */
strata_status learn_streams_read(struct learn_sm_streams *out, const struct strata_gpu *gpu,
                                 struct strata_reader *reader, bool sectors, uint32_t most,
                                 struct strata_error *err);
void learn_streams_release(struct learn_sm_streams *s);

#endif
