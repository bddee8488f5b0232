/* strata/generate.h - synthetic traces: kernels whose memory behaviour is known.
 *
 * A generated trace is an ordinary struct strata_trace: it can be read, modelled
 * and written like any other, but its blocks are made when they are asked for,
 * nothing is stored. The same settings always give the same trace. */
#ifndef STRATA_GENERATE_H
#define STRATA_GENERATE_H

#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>
#include <strata/trace.h>

#define STRATA_GENERATE_MAX_PARAMETERS 8

struct strata_generate_parameter {
    const char *name;
    uint64_t preset, least, most;
    const char *help;
};

struct strata_generate_kind {
    const char *name;    /* "column-copy" */
    const char *summary; /* one line */
    struct strata_generate_parameter
        parameter[STRATA_GENERATE_MAX_PARAMETERS]; /* ended by a NULL name */
};
const struct strata_generate_kind *const *strata_generate_kinds(size_t *n);

/* settings: words "key=value" (sizes such as 64KiB are understood), ended by NULL; or NULL. The
 * trace has one launch and is closed with strata_trace_close. */
strata_status strata_generate(const char *kind, const char *const *settings,
                              struct strata_trace **out, struct strata_error *err);

#endif
