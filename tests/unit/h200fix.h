/* The H200 as it ships, for tests of rules that take their numbers from its file. */
#ifndef H200FIX_H
#define H200FIX_H

#include <stdio.h>
#include <stdlib.h>

#include <strata/gpu.h>

static struct strata_gpu h200;

/* A group's setup. */
static int load_h200(void **state)
{
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    return strata_gpu_add_path(folder, NULL) || strata_gpu_load("h200", &h200, NULL);
}

#endif
