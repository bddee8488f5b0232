/* strata/advise.h - why a launch is slow, which lines make it so, and what mending them gains.
 *
 * The flow model runs the launch as it is; then, for every rule that the counters call for, once
 * more with that one thing made ideal: a key of the GPU without its limit, or the launch written
 * again with the fault mended. What the second run saves is an upper bound of the gain, by the
 * model's own account. docs/advise.md lists the rules. */
#ifndef STRATA_ADVISE_H
#define STRATA_ADVISE_H

#include <strata/gpu.h>
#include <strata/prediction.h>
#include <strata/result.h>
#include <strata/speed_of_light.h>
#include <strata/status.h>
#include <strata/trace.h>

/* What a launch can be limited by. */
enum strata_limiter {
    STRATA_LIMIT_NONE = 0,
    STRATA_LIMIT_ISSUE,
    STRATA_LIMIT_LSU,
    STRATA_LIMIT_L1,
    STRATA_LIMIT_L2,
    STRATA_LIMIT_CROSSBAR,
    STRATA_LIMIT_DRAM,
    STRATA_LIMIT_LATENCY,
    STRATA_LIMIT_OCCUPANCY,
    STRATA_LIMIT_LAUNCH,
    STRATA_LIMIT_TAIL,
    STRATA_LIMIT_IMBALANCE,
    STRATA_LIMIT_ATOMICS,
    STRATA_LIMIT_BANKS,
    STRATA_LIMIT_TENSOR,
    STRATA_LIMIT_PARALLELISM, /* too few blocks for the GPU */
    STRATA_N_LIMITERS
};
/* "DRAM", "bank conflicts", ...; "nothing" for STRATA_LIMIT_NONE. */
const char *strata_limiter_name(enum strata_limiter limiter);

/* One line that causes a finding. */
struct strata_finding_line {
    uint32_t line; /* 0: unknown */
    uint64_t pc;
    char *instruction;
    double share;  /* of the finding's cause, 0 to 1 */
    char *words;   /* "32.0 sectors each time where 4.0 would do" */
    char *inlined; /* where code inlined at the line stands, as in strata/trace.h; NULL: there */
};

struct strata_evidence {
    char *name; /* a metric, or words of our own */
    double value;
    char *unit;
};

enum strata_confidence { STRATA_UNSURE = 0, STRATA_LIKELY, STRATA_SURE };
const char *strata_confidence_name(enum strata_confidence c); /* "low", "medium", "high" */

struct strata_finding {
    const char *rule; /* "uncoalesced-store" */
    enum strata_limiter limiter;
    bool is_cause;      /* something in the program, not only a unit that is busy */
    const char *title;  /* a sentence */
    const char *remedy; /* a sentence */
    const char *how;    /* what was made ideal in the second run */
    double time_ns;     /* of that run; NaN: there was none */
    double gain_pct;    /* of the launch's time; NaN likewise */
    enum strata_confidence confidence;
    char *why_so_sure; /* a sentence */
    struct strata_evidence *evidence;
    size_t n_evidence, cap_evidence;
    struct strata_finding_line *line;
    size_t n_lines, cap_lines;
};

struct strata_advice {
    struct strata_result result; /* of the launch as it is, by the flow model */
    char *source_file;           /* whose lines the findings name; NULL: unknown */
    double time_ns;
    enum strata_limiter limiter; /* what to look at first; NONE: nothing stands out */
    struct strata_speed_of_light peak;
    struct strata_finding
        *finding; /* largest gain first, that of causes counted half as much again */
    size_t n_findings, cap_findings;
};
void strata_advice_release(struct strata_advice *a);

struct strata_advise_options {
    const struct strata_gpu *gpu;
    uint64_t seed;
    const char *scratch; /* a folder for launches written again */
    const char *gpu_name;
    double least_gain_pct; /* findings below are left out; 3 if 0 */
};

/* Looks at one launch. Cost: one run of the flow model for itself and one for each rule that may
 * apply. Not to be called by two threads with one scratch folder. */
strata_status strata_advise(struct strata_trace *trace, size_t launch,
                            const struct strata_advise_options *opt, struct strata_advice *out,
                            struct strata_error *err);

/* The rules, for documents and tests; *n of them. */
struct strata_rule_text {
    const char *id, *title, *remedy, *how;
    enum strata_limiter limiter;
    bool is_cause;
};
size_t strata_advise_rule_count(void);
struct strata_rule_text strata_advise_rule(size_t i);

/* Several launches as text, CSV or JSON (schema strata.advise/1, docs/formats.md). *text is freed
 * by the caller. */
strata_status strata_advice_print(const struct strata_advice *list, size_t n, const char *gpu,
                                  enum strata_format format, char **text, size_t *length,
                                  struct strata_error *err);

#endif
