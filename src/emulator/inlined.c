/* inlined.c - places of inlined code as a text. */
#include "emulator/inlined.h"

#include <strata/trace.h>

#include "base/text.h"

char *emu_inlined_text(const struct emu_place *place, size_t n)
{
    struct strata_text t = {0};
    for (size_t i = n; i-- > 0;)
        strata_text_printf(&t, "%s%s:%u", i + 1 < n ? STRATA_INLINED_ARROW : "",
                           place[i].file ? place[i].file : "?", place[i].line);
    if (t.out_of_memory)
        strata_text_release(&t);
    if (t.data)
        strata_text_clean(t.data);
    return t.data;
}
