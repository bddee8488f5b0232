/* Any bytes as NVBit mem_trace text; the first byte chooses the options. */
#include "fuzz_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_trace_options opt;
    char path[64];
    if (!size)
        return 0;
    strata_trace_options_init(&opt);
    opt.lenient = !(data[0] & 1);
    int fd = file_of(data + 1, size - 1, path, sizeof path);
    read_trace(path, &opt);
    close(fd);
    return 0;
}
