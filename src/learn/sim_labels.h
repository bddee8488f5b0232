/* sim_labels.h - what the clocked model says about a launch with some L1: the truth of paper 003,
 * whose labels come from a cycle-level simulator. */
#ifndef STRATA_LEARN_SIM_LABELS_H
#define STRATA_LEARN_SIM_LABELS_H

#include <strata/learn.h>

/* Adds rows for every interval of *out. The clocked model tells what the whole launch does, so each
 * interval has the launch's shares. */
strata_status learn_label_by_sim(const struct strata_gpu *gpu, struct strata_reader *reader,
                                 const struct strata_learn_profile_options *opt,
                                 struct strata_learn_sample *out, struct strata_error *err);

#endif
