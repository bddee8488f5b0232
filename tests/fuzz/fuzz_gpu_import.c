/* Any text as a gpgpusim.config: refused with a place and a sentence, or translated into a
 * description that can be written out as a GPU file and read back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <strata/gpu.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct strata_gpu gpu, again;

static void read_ignored(void *context, const char *option, const char *value, const char *why)
{
    *(size_t *)context += strlen(option) + strlen(value) + strlen(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_error err = {0};
    size_t length = 0;
    char *text = NULL;
    strata_gpu_init(&gpu);
    if (strata_gpu_import((const char *)data, size, "fuzz.config", &gpu, read_ignored, &length,
                          &err) != STRATA_OK) {
        if (err.status == STRATA_OK || !strlen(err.message))
            abort();
        return 0;
    }
    if (strata_gpu_set(&gpu, "sm_version", "70", &err) != STRATA_OK ||
        strata_gpu_validate(&gpu, "fuzz.config", &err) != STRATA_OK)
        return 0;
    if (!gpu.sm.clock_mhz || strata_gpu_to_yaml(&gpu, &text, &err) != STRATA_OK)
        abort();
    /* A configuration may lack what a GPU file must have; all else reads back. */
    if (strata_gpu_parse(text, strlen(text), "again.yaml", &again, &err) != STRATA_OK
            ? !strstr(err.message, "is missing")
            : memcmp((char *)&gpu + sizeof gpu.name, (char *)&again + sizeof gpu.name,
                     offsetof(struct strata_gpu, origin) - sizeof gpu.name) != 0)
        abort();
    free(text);
    return 0;
}
