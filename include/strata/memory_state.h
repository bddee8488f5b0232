/* strata/memory_state.h - what the memory hierarchy holds between two launches.
 *
 * A model that is given a state (strata_model_options.state) begins with what is in it and leaves
 * there what the launch leaves behind: contents and dirty lines of the L2, translations, code.
 * Without one every launch begins cold, as under a profiler that flushes caches. A state belongs to
 * one model and one GPU; the results of launches depend on their order. Not thread-safe per object.
 */
#ifndef STRATA_MEMORY_STATE_H
#define STRATA_MEMORY_STATE_H

#include <strata/status.h>
#include <strata/trace.h>

struct strata_memory_state; /* opaque; an L2 of 50 MB takes 40 MB */

strata_status strata_memory_state_create(struct strata_memory_state **out,
                                         struct strata_error *err);
void strata_memory_state_destroy(struct strata_memory_state *s); /* NULL is allowed */
/* A copy or fill before the next launch; the event is copied. Launches are ignored. */
strata_status strata_memory_state_event(struct strata_memory_state *s,
                                        const struct strata_event *event, struct strata_error *err);

#endif
