/* strata/speed_of_light.h - per cent of peak of each unit of a GPU, from one result's counters. */
#ifndef STRATA_SPEED_OF_LIGHT_H
#define STRATA_SPEED_OF_LIGHT_H

#include <strata/gpu.h>
#include <strata/result.h>

/* Missing counters leave a unit out (negative). */
struct strata_speed_of_light {
    double issue, lsu, l1, l2, crossbar, dram;
    double fma, alu, fp64, fp16, xu, tensor; /* pipes of arithmetic */
};
void strata_speed_of_light(const struct strata_gpu *gpu, const struct strata_result *r,
                           struct strata_speed_of_light *out);
/* The busiest unit, "latency" if none is busy. */
const char *strata_limiter(const struct strata_speed_of_light *s);
/* Puts that, and the busiest unit as the text "limiter.unit", into the details of a result that
 * tells the time: what is known without a second run. Every prediction has it. */
void strata_speed_of_light_detail(const struct strata_gpu *gpu, struct strata_result *r);

#endif
