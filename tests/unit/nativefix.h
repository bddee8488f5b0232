/* nativefix.h - a folder for a test's files, and a launch to write into them. */
#ifndef TESTS_NATIVEFIX_H
#define TESTS_NATIVEFIX_H

#include <stdio.h>
#include <stdlib.h>
#include <strata/trace.h>

static char folder[] = "/tmp/strata-native-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const struct strata_launch example_launch = {.program = "poly_GEMM",
                                                    .trace = "kernel-1.traceg.xz",
                                                    .kernel = "_Z4gemmPf",
                                                    .id = 7,
                                                    .grid = {4, 3, 2},
                                                    .block = {32, 2, 1},
                                                    .registers_per_thread = 121,
                                                    .regs_source = STRATA_REGS_CUBIN,
                                                    .shared_static_bytes = 12672,
                                                    .shared_dynamic_bytes = 99,
                                                    .sm_version = 90,
                                                    .isa = STRATA_ISA_SASS,
                                                    .stream = 3,
                                                    .shared_base = 0x7f4e00000000,
                                                    .local_base = 0x7f4d2d000000,
                                                    .sampled_blocks = 24};

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#endif
