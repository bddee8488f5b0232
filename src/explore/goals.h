/* goals.h - how launches are put together and which way is better. */
#ifndef STRATA_EXPLORE_GOALS_H
#define STRATA_EXPLORE_GOALS_H

#include <stdbool.h>

/* Percentages, averages and ratios of several launches: their mean. Anything else: the sum. */
bool goal_takes_mean(const char *metric);
bool goal_maximises(const char *metric);

#endif
