/* process_team.h - the processes of one `mpirun ... strata COMMAND`. */
#ifndef STRATA_TOOLS_PROCESS_TEAM_H
#define STRATA_TOOLS_PROCESS_TEAM_H

#include <strata/team.h>

/* Which process this is, before they have met; 0 if mpirun did not start it. */
int process_team_rank(void);

struct process_team;
/* *team and *members stay NULL if this process was not started by mpirun. Messages go through a
 * library that is loaded only then, so that no other command needs MPI. */
strata_status process_team_join(struct process_team **team, struct strata_team **members,
                                struct strata_error *err);
void process_team_leave(struct process_team *team); /* NULL is allowed */

#endif
