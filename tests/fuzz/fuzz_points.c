/* Axes and files of points: any bytes, to the settings of the first and the last point. */
#include <stdlib.h>
#include <string.h>

#include <strata/sweep.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct strata_sweep *s, size_t i)
{
    char *text;
    if (strata_sweep_settings(s, i, &text, NULL) == STRATA_OK)
        free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_error err;
    struct strata_sweep *s;
    static struct strata_gpu gpu;
    strata_gpu_init(&gpu);
    /* The first line is an axis, the rest points. */
    const uint8_t *end = memchr(data, '\n', size);
    size_t n = end ? (size_t)(end - data) : size;
    char *axis = strndup((const char *)data, n);
    if (axis && strata_sweep_create(&gpu, &s, &err) == STRATA_OK) {
        bool good = strata_sweep_vary(s, axis, &err) == STRATA_OK;
        if (good && end)
            good = strata_sweep_parse_points(s, (const char *)data + n, size - n, "fuzz", &err) ==
                   STRATA_OK;
        if (good && strata_sweep_count(s)) {
            look(s, 0);
            look(s, strata_sweep_count(s) - 1);
        }
        strata_sweep_destroy(s);
    }
    free(axis);
    return 0;
}
