/* fuzz_fatbin.c - fatbin containers, the cubins inside and executables around, from arbitrary
 * bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <strata/fatbin.h>

#include "emulator/fatbin_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An input that claims a gigabyte is refused or slow, not wrong: keep the fuzzer fast. */
#define MOST_UNPACKED (1u << 22)

static void read_cubin(const void *bytes, size_t length)
{
    struct strata_cubin_kernel *kernels;
    size_t n;
    struct strata_error err;
    if (strata_cubin_kernels(bytes, length, "fuzz", &kernels, &n, &err) == STRATA_OK)
        strata_cubin_kernels_free(kernels, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_fatbin *f;
    struct strata_error err;
    const struct strata_fatbin_entry *chosen;
    struct strata_cuda_program program = {0};
    cuda_program_inspect_bytes(data, size, &program);
    strata_cuda_program_check(&program, "fuzz", &err);
    read_cubin(data, size);
    if (strata_fatbin_parse(data, size, "fuzz", &f, &err) != STRATA_OK)
        return 0;
    strata_fatbin_choose_ptx(f, "fuzz", &chosen, &err);
    strata_fatbin_choose_cubin(f, 90);
    for (size_t i = 0; i < strata_fatbin_count(f); i++) {
        const struct strata_fatbin_entry *e = strata_fatbin_get(f, i);
        char *bytes;
        size_t length;
        if (e->unpacked_bytes > MOST_UNPACKED ||
            strata_fatbin_extract(e, "fuzz", &bytes, &length, &err) != STRATA_OK)
            continue;
        read_cubin(bytes, length);
        free(bytes);
    }
    strata_fatbin_destroy(f);
    return 0;
}
