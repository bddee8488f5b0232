/* sector_masks.c - a table by line, open addressing. */
#include "reuse/sector_masks.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* The place of a line, or the free one where it would be. */
static size_t place_of(const struct sector_masks *m, uint64_t line)
{
    size_t i = (size_t)mix64(line) & (m->cap - 1);
    while (m->line[i] && m->line[i] != line + 1)
        i = (i + 1) & (m->cap - 1);
    return i;
}

uint8_t sector_masks_get(const struct sector_masks *m, uint64_t line)
{
    if (!m->n)
        return 0;
    size_t i = place_of(m, line);
    return m->line[i] ? m->mask[i] : 0;
}

static bool grow(struct sector_masks *m)
{
    struct sector_masks larger = {.cap = m->cap ? m->cap * 2 : 256, .n = m->n};
    larger.line = calloc(larger.cap, sizeof *larger.line);
    larger.mask = calloc(larger.cap, sizeof *larger.mask);
    if (!larger.line || !larger.mask) {
        sector_masks_release(&larger);
        return false;
    }
    for (size_t i = 0; i < m->cap; i++) {
        if (!m->line[i])
            continue;
        size_t at = place_of(&larger, m->line[i] - 1);
        larger.line[at] = m->line[i];
        larger.mask[at] = m->mask[i];
    }
    sector_masks_release(m);
    *m = larger;
    return true;
}

bool sector_masks_put(struct sector_masks *m, uint64_t line, uint8_t mask)
{
    if ((m->n + 1) * 2 > m->cap && !grow(m))
        return false;
    size_t i = place_of(m, line);
    m->n += !m->line[i];
    m->line[i] = line + 1;
    m->mask[i] = mask;
    return true;
}

void sector_masks_release(struct sector_masks *m)
{
    free(m->line);
    free(m->mask);
    memset(m, 0, sizeof *m);
}
