/* lz4_block.h - unpacks one raw LZ4 block (no frame), as nvcc -compress-mode=speed writes it. */
#ifndef STRATA_EMULATOR_LZ4_BLOCK_H
#define STRATA_EMULATOR_LZ4_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* True if exactly `out_bytes` bytes came out of all of the input. */
bool lz4_block_unpack(const uint8_t *in, uint64_t in_bytes, uint8_t *out, uint64_t out_bytes);

#endif
