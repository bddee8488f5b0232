/* Manifests and series of the microbenchmarks: never a crash. The first byte chooses which. */
#include <stdint.h>
#include <stdlib.h>

#include <strata/probe.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_error err;
    if (!size)
        return 0;
    if (data[0] == '{') {
        struct strata_probe_set set;
        if (strata_probe_parse((const char *)data, size, "input", &set, &err) == STRATA_OK &&
            set.n_series && strata_probe_find(&set, set.series[0].name) != &set.series[0])
            abort();
        strata_probe_release(&set);
        return 0;
    }
    struct strata_series s = {0};
    if (strata_series_parse((const char *)data, size, "input", &s, &err) == STRATA_OK && s.n_rows &&
        (!s.n_columns || !s.value))
        abort();
    free(s.value);
    return 0;
}
