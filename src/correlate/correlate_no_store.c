/* correlate_no_store.c - what a build without SQLite says. */
#include <strata/correlate.h>

strata_status strata_result_store_open(const char *path, struct strata_result_store **out,
                                       struct strata_error *err)
{
    *out = NULL;
    return strata_fail(
        err, STRATA_EUNSUPPORTED, path, 0, 0,
        "this build has no SQLite, which keeps results; install libsqlite3-dev and build again.");
}

void strata_result_store_close(struct strata_result_store *s)
{
    (void)s;
}

strata_status strata_result_store_add_measured(struct strata_result_store *s,
                                               const struct strata_measured *m,
                                               struct strata_error *err)
{
    (void)s;
    (void)m;
    (void)err;
    return STRATA_EUNSUPPORTED; /* there is no store to call it with */
}

strata_status strata_result_store_add_predictions(struct strata_result_store *s,
                                                  const struct strata_predictions *set,
                                                  const char *label, struct strata_error *err)
{
    (void)s;
    (void)set;
    (void)label;
    (void)err;
    return STRATA_EUNSUPPORTED;
}

strata_status strata_result_store_load(struct strata_result_store *s, const char *name,
                                       struct strata_measured *m, struct strata_predictions *set,
                                       struct strata_error *err)
{
    (void)s;
    (void)name;
    (void)m;
    (void)set;
    (void)err;
    return STRATA_EUNSUPPORTED;
}
