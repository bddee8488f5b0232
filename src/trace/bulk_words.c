/* bulk_words.c - a bulk copy as the words of its record.
 *
 * What changes from one copy to the next stands first, what a tensor map holds behind it. */
#include <string.h>
#include <strata/trace.h>

#define LINE_WORDS 4 /* of a copy that is no tensor's */

static uint64_t pair(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

unsigned strata_bulk_pack(const struct strata_bulk *b, uint64_t words[STRATA_BULK_WORDS])
{
    memset(words, 0, STRATA_BULK_WORDS * sizeof *words);
    words[0] = (uint64_t)b->kind | (uint64_t)b->tensor << 4 | (uint64_t)b->im2col << 5 |
               (uint64_t)b->rank << 8 | (uint64_t)b->element_bytes << 12 |
               (uint64_t)b->swizzle << 16 | (uint64_t)b->interleave << 20 |
               (uint64_t)b->fill << 24 | (uint64_t)b->multicast << 32;
    words[1] = pair(b->shared, b->barrier);
    words[2] = b->global;
    words[3] = b->bytes;
    if (!b->tensor)
        return LINE_WORDS;
    words[4] = b->map;
    for (unsigned i = 0; i < STRATA_BULK_RANK; i++) {
        words[5 + i] = pair((uint32_t)b->coordinate[i],
                            (uint32_t)b->box[i] | (uint32_t)b->element_stride[i] << 16);
        words[10 + i] = b->size[i];
        words[15 + i] = b->stride[i];
    }
    for (unsigned i = 0; i < 3; i++)
        words[20 + i] =
            pair((uint16_t)b->lower[i] | (uint32_t)(uint16_t)b->upper[i] << 16, b->offset[i]);
    words[23] = b->pixels;
    return STRATA_BULK_WORDS;
}

bool strata_bulk_unpack(const uint64_t *words, unsigned n, struct strata_bulk *out)
{
    memset(out, 0, sizeof *out);
    if (n != LINE_WORDS && n != STRATA_BULK_WORDS)
        return false;
    out->kind = words[0] & 15;
    out->tensor = words[0] >> 4 & 1;
    out->im2col = words[0] >> 5 & 1;
    out->rank = words[0] >> 8 & 15;
    out->element_bytes = words[0] >> 12 & 15;
    out->swizzle = words[0] >> 16 & 15;
    out->interleave = words[0] >> 20 & 15;
    out->fill = words[0] >> 24 & 15;
    out->multicast = (uint16_t)(words[0] >> 32);
    out->shared = (uint32_t)words[1];
    out->barrier = (uint32_t)(words[1] >> 32);
    out->global = words[2];
    out->bytes = (uint32_t)words[3];
    if (!out->tensor)
        return n == LINE_WORDS && out->kind < STRATA_N_BULK_KINDS;
    if (n != STRATA_BULK_WORDS || !out->rank || out->rank > STRATA_BULK_RANK ||
        !out->element_bytes || out->kind >= STRATA_N_BULK_KINDS)
        return false;
    out->map = words[4];
    for (unsigned i = 0; i < STRATA_BULK_RANK; i++) {
        out->coordinate[i] = (int32_t)(uint32_t)words[5 + i];
        out->box[i] = (uint16_t)(words[5 + i] >> 32);
        out->element_stride[i] = (uint8_t)(words[5 + i] >> 48);
        out->size[i] = words[10 + i];
        out->stride[i] = words[15 + i];
        if (i < out->rank && (!out->box[i] || !out->element_stride[i] || !out->size[i]))
            return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        out->lower[i] = (int16_t)(uint16_t)words[20 + i];
        out->upper[i] = (int16_t)(uint16_t)(words[20 + i] >> 16);
        out->offset[i] = (uint16_t)(words[20 + i] >> 32);
    }
    out->pixels = (uint16_t)words[23];
    return out->im2col == (out->pixels != 0);
}
