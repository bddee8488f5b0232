/* sweep_team.h - the processes of one `mpirun ... strata sweep`. */
#ifndef STRATA_TOOLS_SWEEP_TEAM_H
#define STRATA_TOOLS_SWEEP_TEAM_H

#include <strata/sweep.h>

/* Which process this is, before they have met; 0 if mpirun did not start it. */
int sweep_team_rank(void);

struct sweep_team;
/* *team and *members stay NULL if this process was not started by mpirun. Messages go through a
 * library that is loaded only then, so that no other command needs MPI. */
strata_status sweep_team_join(struct sweep_team **team, const struct strata_sweep_team **members,
                              struct strata_error *err);
void sweep_team_leave(struct sweep_team *team); /* NULL is allowed */

#endif
