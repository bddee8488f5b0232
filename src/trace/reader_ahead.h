/* reader_ahead.h - a thread that reads the blocks of a launch ahead of who takes them.
 *
 * Reading, decompressing and checking blocks depends on nothing that a model does, so that the
 * blocks, and the first error among them, are those of strata_reader_next_ordered. Few blocks wait
 * at a time, and few bytes. */
#ifndef STRATA_TRACE_READER_AHEAD_H
#define STRATA_TRACE_READER_AHEAD_H

#include <strata/trace.h>

struct reader_ahead;

/* Until reader_ahead_destroy the reader is the thread's: only its launch and its code may be read.
 * NULL: there is no memory, or no thread, to be had; the reader is as it was. */
struct reader_ahead *reader_ahead_create(struct strata_reader *r);
/* Ends the thread, as soon as it has read the block it is at. NULL is allowed. */
void reader_ahead_destroy(struct reader_ahead *a);
/* strata_reader_next_ordered. *n_code: the static instructions that were known when the block had
 * been read; the code table may have more by now. Belongs to one thread. */
strata_status reader_ahead_next(struct reader_ahead *a, struct strata_block **out, uint32_t *n_code,
                                struct strata_error *err);

#endif
