/* strata/call.h - a whole prediction in one call, from words to JSON: the smallest way into the
 * library, and the one for other languages.
 *
 *   struct strata_call call = {.trace = (const char *[]){"app.strata"}, .n_traces = 1, .gpu =
 * "h200"}; if (strata_call_predict(&call, &json, &length, &err) == STRATA_OK) ...
 *
 * The JSON is that of `strata predict --format json` (docs/prediction-format.md). Calls may run
 * side by side in several threads; strata_gpu_add_path, which says where GPU files are, comes
 * before the first. */
#ifndef STRATA_CALL_H
#define STRATA_CALL_H

#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

/* Set all to 0 first: members may be added at the end, and 0 is what was done before there was one.
 */
struct strata_call {
    const char *const *trace; /* paths, as `strata predict` takes them */
    uint64_t n_traces;
    const char *gpu;        /* name, or path of a GPU file */
    const char *model;      /* NULL: flow */
    const char *variant;    /* NULL: the model's default */
    const char *const *set; /* "key=value" of the GPU, "model.key=value" of the model */
    uint64_t n_set;
    const char *kernel_name; /* NULL: all; a name or "regex:EXPRESSION" (strata/filter.h) */
    uint64_t launch_skip;
    uint64_t launch_count; /* 0: no limit */
    uint64_t seed;         /* 0: 1 */
    uint32_t jobs;         /* threads; 0: 1 */
    uint32_t accelsim_compat;
    /* Called after each launch, never by two threads at once; NULL: not called. */
    void (*progress)(void *context, uint64_t n_done, uint64_t n_launches);
    void *progress_context;
    /* NULL, or looked at between launches: once it is not 0 no more are begun, and the call fails
     * with STRATA_ELIMIT. Another thread may set it. */
    const volatile int32_t *stop;
};

/* On success *json ends with a 0 and is freed by strata_call_free. */
strata_status strata_call_predict(const struct strata_call *call, char **json, size_t *length,
                                  struct strata_error *err);
void strata_call_free(char *json); /* NULL is allowed */
/* "0.2.0" */
const char *strata_version(void);

#endif
