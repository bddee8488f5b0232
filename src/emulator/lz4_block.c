/* lz4_block.c - the LZ4 block format: sequences of (literals, match), each with a token whose high
 * half is the literal count and whose low half is the match length minus 4; 15 means that further
 * bytes are added until one is below 255. The last sequence has literals only. */
#include "emulator/lz4_block.h"

#include <stddef.h>
#include <string.h>

#define MIN_MATCH 4

/* Adds the extension bytes of a length of 15; false at the end of the input. */
static bool extend(const uint8_t **in, const uint8_t *end, uint64_t *length)
{
    if (*length != 15)
        return true;
    uint8_t more;
    do {
        if (*in == end)
            return false;
        more = *(*in)++;
        *length += more;
    } while (more == 255);
    return true;
}

bool lz4_block_unpack(const uint8_t *in, uint64_t in_bytes, uint8_t *out, uint64_t out_bytes)
{
    const uint8_t *in_end = in + in_bytes;
    uint64_t at = 0;
    while (in < in_end) {
        uint8_t token = *in++;
        uint64_t literals = token >> 4, match = token & 15;
        if (!extend(&in, in_end, &literals))
            return false;
        if (literals > (uint64_t)(in_end - in) || literals > out_bytes - at)
            return false;
        memcpy(out + at, in, literals);
        at += literals;
        in += literals;
        if (in == in_end)
            return at == out_bytes;
        if (in_end - in < 2)
            return false;
        uint64_t distance = (uint64_t)in[0] | (uint64_t)in[1] << 8;
        in += 2;
        if (!extend(&in, in_end, &match))
            return false;
        match += MIN_MATCH;
        if (!distance || distance > at || match > out_bytes - at)
            return false;
        /* Byte by byte: a match may overlap what it writes. */
        for (uint64_t i = 0; i < match; i++, at++)
            out[at] = out[at - distance];
    }
    return false;
}
