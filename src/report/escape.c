/* escape.c - foreign words inside HTML. */
#include <string.h>

#include "report/page.h"

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void strata_report_put_html(struct strata_text *t, const char *words)
{
    bool is_text = strata_text_is_utf8(words, strlen(words));
    for (const char *s = words; *s; s++) {
        const char *entity = entity_of(*s);
        if (entity)
            strata_text_put(t, entity);
        else if (!is_text && (unsigned char)*s >= 0x80)
            strata_text_put(t, "\xef\xbf\xbd");
        else
            strata_text_put_bytes(t, s, 1);
    }
}

/* A script element ends at "</script" wherever it stands, and "<!--" changes how it is read. In
 * JSON
 * "<" can only be inside a string, where an escape means the same. */
void strata_report_put_script_json(struct strata_text *t, const char *json, size_t length)
{
    const char *end = json + length;
    while (json < end) {
        const char *less = memchr(json, '<', (size_t)(end - json));
        strata_text_put_bytes(t, json, (size_t)((less ? less : end) - json));
        if (!less)
            return;
        strata_text_put(t, "\\u003c");
        json = less + 1;
    }
}
