/* record_sample.h - which launches of a program are recorded whole if only a sample is wanted.
 *
 * The others are recorded by a few blocks, from which `strata predict --sample` tells which whole
 * one they are like. Not thread-safe: under the driver's lock, as all that records. */
#ifndef STRATA_CUDA_RECORD_SAMPLE_H
#define STRATA_CUDA_RECORD_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/trace.h>

/* Whether the launch, which is about to run, is recorded whole. millionths: the share of the work
 * that is to be recorded. */
bool record_sample_whole(const struct strata_launch *launch, uint64_t millionths);
/* It ran, with so many warp instructions. */
void record_sample_ran(uint64_t warp_instructions);

#endif
