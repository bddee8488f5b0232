/* result_message.h - a launch's result as bytes: for another process, or for later. */
#ifndef STRATA_PREDICT_RESULT_MESSAGE_H
#define STRATA_PREDICT_RESULT_MESSAGE_H

#include <strata/result.h>

#include "base/team_message.h"

/* What the launch itself tells (its names, number and shape) is not part of it. */
void result_put(struct message *m, const struct strata_result *r);
/* Adds to a result that strata_result_init has made. */
void result_get(struct message *m, struct strata_result *r);

#endif
