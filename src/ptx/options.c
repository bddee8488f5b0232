/* options.c - defaults of a run. */
#include <string.h>

#include <strata/ptx.h>

void strata_ptx_run_options_init(struct strata_ptx_run_options *opt)
{
    memset(opt, 0, sizeof *opt);
}
