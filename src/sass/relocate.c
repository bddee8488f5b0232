/* relocate.c - relocations of machine code and of its tables: which bits of the word each kind
 * patches. Numbers and places are those of NVIDIA's tools: ABS32_HI_32 puts the upper half of an
 * address into the 32 bits from bit 32 on. A function's descriptor is its address here. */
#include <string.h>

#include "sass/cubin.h"

/* `width` bits of the value from bit `from` on go to bit `at`; then `width2` bits to `at2`. */
struct patch {
    uint8_t type;
    uint8_t from, at, width, at2, width2;
};

static const struct patch patches[] = {
    {1, 0, 0, 32, 0, 0},    /* 32 */
    {2, 0, 0, 64, 0, 0},    /* 64 */
    {3, 0, 0, 32, 0, 0},    /* G32: generic address */
    {4, 0, 0, 64, 0, 0},    /* G64 */
    {34, 0, 0, 32, 0, 0},   /* FUNC_DESC_32 */
    {35, 0, 0, 64, 0, 0},   /* FUNC_DESC_64 */
    {55, 0, 32, 32, 0, 0},  /* ABS32_32 */
    {56, 0, 32, 32, 0, 0},  /* ABS32_LO_32 */
    {57, 32, 32, 32, 0, 0}, /* ABS32_HI_32 */
    {58, 2, 34, 47, 0, 0},  /* ABS47_34: in units of four bytes */
    {59, 0, 32, 16, 0, 0},  /* ABS16_32 */
    {60, 0, 32, 24, 0, 0},  /* ABS24_32 */
    {61, 0, 32, 32, 0, 0},  /* FUNC_DESC32_32 */
    {62, 0, 32, 32, 0, 0},  /* FUNC_DESC32_LO_32 */
    {63, 32, 32, 32, 0, 0}, /* FUNC_DESC32_HI_32 */
    {64, 0, 40, 16, 0, 0},  /* CONST_FIELD19_40: the offset of a constant */
    {66, 0, 38, 16, 0, 0},  /* CONST_FIELD21_38 */
    {70, 0, 0, 32, 0, 0},   /* 32_LO */
    {71, 32, 0, 32, 0, 0},  /* 32_HI */
    {74, 0, 40, 24, 0, 0},  /* ABS24_40 */
    {75, 2, 16, 8, 34, 47}, /* ABS55_16_34 */
};

#define UNUSED_CLEAR32  72
#define UNUSED_CLEAR64  73
#define BYTES_OF_64     76 /* 76 .. 83: byte 0 .. 7 of an address, 84 .. 91 of a generic one */
#define BYTES_OF_64_END 99

/* Puts the low `width` bits of v at bit `at` of a little-endian word. */
static void put_bits(uint8_t *where, unsigned at, unsigned width, uint64_t v)
{
    for (unsigned i = 0; i < width; i++) {
        uint8_t mask = (uint8_t)(1u << (at + i) % 8);
        uint8_t *byte = &where[(at + i) / 8];
        *byte = (uint8_t)((*byte & ~mask) | (i < 64 && v >> i & 1 ? mask : 0));
    }
}

static unsigned bytes_of(const struct patch *p)
{
    unsigned end = p->at + p->width, end2 = p->at2 + p->width2;
    return ((end > end2 ? end : end2) + 7) / 8;
}

static bool clear(uint8_t *where, uint64_t space, uint64_t bytes)
{
    if (space < bytes)
        return false;
    memset(where, 0, bytes);
    return true;
}

bool sass_relocation_apply(const struct sass_relocation *r, uint8_t *where, uint64_t space,
                           uint64_t place, uint64_t target)
{
    (void)place; /* none of the kinds above is relative */
    uint64_t value = target + (uint64_t)r->addend;
    if (r->type == 0)
        return true;
    if (r->type == UNUSED_CLEAR32 || r->type == UNUSED_CLEAR64)
        return clear(where, space, r->type == UNUSED_CLEAR32 ? 4 : 8);
    if (r->type >= BYTES_OF_64 && r->type <= BYTES_OF_64_END) {
        if (!space)
            return false;
        *where = (uint8_t)(value >> 8 * ((r->type - BYTES_OF_64) % 8));
        return true;
    }
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        const struct patch *p = &patches[i];
        if (p->type != r->type)
            continue;
        if (space < bytes_of(p))
            return false;
        put_bits(where, p->at, p->width, value >> p->from);
        if (p->width2)
            put_bits(where, p->at2, p->width2, value >> p->from >> p->width);
        return true;
    }
    return false;
}
