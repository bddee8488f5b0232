/* fatbin_private.h - what fatbin.c and program.c share with each other and with their tests. */
#ifndef STRATA_EMULATOR_FATBIN_PRIVATE_H
#define STRATA_EMULATOR_FATBIN_PRIVATE_H

#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

/* Says what is there instead (highest architectures, 0 if none) and which flag mends it. */
strata_status fatbin_without_ptx(uint32_t cubin_arch, uint32_t lto_arch, const char *name,
                                 struct strata_error *err);

struct strata_cuda_program;
/* The part of strata_cuda_program_inspect after the file is in memory; *out is zeroed before. */
void cuda_program_inspect_bytes(const void *bytes, size_t length, struct strata_cuda_program *out);

#endif
