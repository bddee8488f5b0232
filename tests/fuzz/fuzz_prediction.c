/* Predictions in JSON and CSV: never a crash, and what was read prints and reads back the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <strata/prediction.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_back(const struct strata_prediction *p)
{
    struct strata_predictions again = {0};
    struct strata_error err;
    char *once, *twice;
    size_t length, length2;
    if (strata_prediction_print(p, STRATA_FORMAT_JSON, &once, &length, &err) != STRATA_OK)
        return;
    if (strata_predictions_parse(&again, once, length, "again", &err) != STRATA_OK)
        abort();
    if (strata_prediction_print(&again.item[0], STRATA_FORMAT_JSON, &twice, &length2, &err) !=
        STRATA_OK)
        abort();
    if (length != length2 || memcmp(once, twice, length))
        abort();
    free(once);
    free(twice);
    strata_predictions_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_predictions set = {0};
    struct strata_error err;
    char *text;
    size_t length;
    strata_status status = strata_predictions_parse(&set, (const char *)data, size, "input", &err);
    for (size_t i = 0; status == STRATA_OK && i < set.n; i++) {
        read_back(&set.item[i]);
        for (int format = STRATA_FORMAT_TEXT; format <= STRATA_FORMAT_CSV; format++)
            if (strata_prediction_print(&set.item[i], (enum strata_format)format, &text, &length,
                                        &err) == STRATA_OK)
                free(text);
    }
    strata_predictions_release(&set);
    return 0;
}
