/* little.h - little-endian fields of unaligned bytes. */
#ifndef STRATA_EMULATOR_LITTLE_H
#define STRATA_EMULATOR_LITTLE_H

#include <stdint.h>

static inline uint16_t little16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t little32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t little64(const uint8_t *p)
{
    return little32(p) | (uint64_t)little32(p + 4) << 32;
}

#endif
