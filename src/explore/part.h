/* part.h - one launch at one point: the unit of work, what came of it, and how it travels between
 * processes. */
#ifndef STRATA_EXPLORE_PART_H
#define STRATA_EXPLORE_PART_H

#include "base/team_message.h"
#include "explore/config.h"

struct part_outcome {
    bool failed;
    char *error;                    /* the sentence, if failed */
    struct strata_counter *counter; /* names and values */
    size_t n;
    char *profile; /* of a job that makes a profile: its text */
    size_t profile_length;
};
void part_outcome_release(struct part_outcome *o);
/* Records a failure; the words are those of the error with its place. */
void part_outcome_fail(struct part_outcome *o, const struct strata_error *why);
/* Takes over the counters of *r. */
void part_outcome_take(struct part_outcome *o, struct strata_result *r);

struct sweep_job {
    uint32_t point, launch;
};

/* ---- messages between processes ---- */

void message_put_outcome(struct message *m, const struct part_outcome *o);
void message_get_outcome(struct message *m, struct part_outcome *o);

#endif
