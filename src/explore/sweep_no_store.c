/* sweep_no_store.c - what a build without SQLite says. */
#include <strata/sweep.h>

strata_status strata_sweep_run(struct strata_sweep *s, const struct strata_launch_set *set,
                               const struct strata_sweep_options *opt,
                               struct strata_sweep_results *out, struct strata_error *err)
{
    (void)s;
    (void)set;
    (void)opt;
    (void)out;
    return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                       "this build has no SQLite, which keeps the results of sweeps; install "
                       "libsqlite3-dev and build again.");
}
