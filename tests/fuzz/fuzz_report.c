/* Results of any kind in a report: never a crash, and the data in the page is JSON again whatever
 * went in. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <strata/report.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As a browser finds it: from the opening tag to the first end of a script. */
static void check_page(const char *page)
{
    static const char opening[] = "id=\"strata-data\">";
    const char *start = strstr(page, opening);
    const char *end = start ? strstr(start, "</script") : NULL;
    if (!end)
        abort();
    start += strlen(opening);
    json_t *root = json_loadb(start, (size_t)(end - start), 0, NULL);
    if (!root)
        abort();
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_report r = {0};
    struct strata_error err;
    char *text;
    size_t length;
    if (strata_report_parse(&r, (const char *)data, size, "input", &err) == STRATA_OK &&
        strata_report_html(&r, NULL, &text, &length, &err) == STRATA_OK) {
        check_page(text);
        free(text);
    }
    strata_report_release(&r);
    return 0;
}
