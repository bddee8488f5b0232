/* sector_masks.h - which sectors of each line a sectored cache has asked for. */
#ifndef STRATA_REUSE_SECTOR_MASKS_H
#define STRATA_REUSE_SECTOR_MASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sector_masks {
    uint64_t *line; /* + 1; 0: free */
    uint8_t *mask;
    size_t n, cap; /* lines; places, a power of two */
};

/* 0: the line was never put in. */
uint8_t sector_masks_get(const struct sector_masks *m, uint64_t line);
/* False: no memory. */
bool sector_masks_put(struct sector_masks *m, uint64_t line, uint8_t mask);
void sector_masks_release(struct sector_masks *m);

#endif
