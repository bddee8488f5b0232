/* sweep_store.h - the results of sweeps in an SQLite file; docs/sweep.md describes the tables.
 *
 * Numbers of points, launches and metrics are given in the order of the plan before anything is
 * run, and tables are kept by those numbers, so the content does not depend on who finished first.
 */
#ifndef STRATA_EXPLORE_STORE_H
#define STRATA_EXPLORE_STORE_H

#include "explore/config.h"
#include "explore/part.h"

struct store;

/* path NULL: in memory. Only one process may have the file open. */
strata_status store_open(const char *path, struct store **out, struct strata_error *err);
void store_close(struct store *s); /* NULL is allowed; what is stored stays */

strata_status store_add_launch(struct store *s, const struct strata_launch *launch,
                               const char *trace_hash, int64_t *id, struct strata_error *err);
struct store_point {
    const char *config_hash, *trace_hash, *gpu, *model, *variant, *settings;
    uint64_t seed;
};
strata_status store_add_point(struct store *s, const struct store_point *p, int64_t *id,
                              bool *is_new, struct strata_error *err);
strata_status store_add_setting(struct store *s, int64_t point, const char *key, const char *value,
                                struct strata_error *err);

/* Statements between _begin and _commit are stored all together or not at all. */
strata_status store_begin(struct store *s, struct strata_error *err);
strata_status store_commit(struct store *s, struct strata_error *err);
/* A commit if the last one is some time ago: many small results share one. */
strata_status store_commit_sometimes(struct store *s, struct strata_error *err);

strata_status store_put_part(struct store *s, int64_t point, int64_t launch,
                             const struct part_outcome *o, struct strata_error *err);
/* The point is complete. error NULL: it did not fail. */
strata_status store_put_result(struct store *s, int64_t point, const char *error,
                               struct strata_error *err);
strata_status store_forget_failed(struct store *s, int64_t point, struct strata_error *err);
enum part_state { PART_MISSING = 0, PART_DONE, PART_FAILED };
strata_status store_part_state(struct store *s, int64_t point, int64_t launch, enum part_state *out,
                               struct strata_error *err);
/* The sentence of the first failed launch of a point; NULL if none failed. Freed by the caller. */
strata_status store_point_error(struct store *s, int64_t point, char **error,
                                struct strata_error *err);
/* STRATA_END: there is none yet. *error is freed by the caller, NULL if the point did not fail. */
strata_status store_get_result(struct store *s, int64_t point, char **error,
                               struct strata_error *err);
/* Calls visit for every value of a point. */
typedef void store_visit_value(void *context, int64_t launch, const char *metric, double value);
strata_status store_each_value(struct store *s, int64_t point, store_visit_value *visit,
                               void *context, struct strata_error *err);

/* Profiles; _get gives STRATA_END if there is none. */
strata_status store_put_profile(struct store *s, const char *hash, int64_t launch, const char *text,
                                size_t length, struct strata_error *err);
strata_status store_get_profile(struct store *s, const char *hash, int64_t launch, char **text,
                                size_t *length, struct strata_error *err);

#endif
