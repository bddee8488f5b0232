/* page.c - placeholder */
#include <string.h>
#include <strata/dissect.h>
strata_status strata_dissect_report(const struct strata_dissection *d, const struct strata_probe_set *set, char **text,
                                    size_t *length, struct strata_error *err)
{
    *text = strdup(""); *length = 0; return STRATA_OK;
}
