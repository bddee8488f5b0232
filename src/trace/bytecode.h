/* bytecode.h - the byte code of a warp (docs/format-strata.md, "Byte code").
 *
 * A warp's bytes are a header of four sizes and four streams:
 *
 *   varint n_token_bytes, n_control_bytes, n_first, n_data_bytes
 *   tokens    which static instructions follow one another, and when the mask changes
 *   controls  one byte per executed instruction that can have addresses
 *   first     8 bytes little endian: base address of the first access of each such instruction
 *   data      operands of tokens and controls
 *
 * The streams are kept apart because warps of a launch mostly execute the same instructions with
 * the same pattern of addresses and differ in base addresses only: tokens and controls of
 * neighbouring warps are equal byte strings, which a dictionary compressor removes. */
#ifndef STRATA_TRACE_BYTECODE_H
#define STRATA_TRACE_BYTECODE_H

#include <strata/trace.h>

/* Tokens. Instruction i is followed by the one that followed it after the last jump away from it
 * (remembered in a table of BRANCH_MEMORY entries), else by i + 1. */
enum {
    TOKEN_RUN_MAX = 0x80,  /* 0x00..0x7f: token + 1 predicted instructions with the same mask */
    TOKEN_LONG_RUN = 0x80, /* 0x80..0xbf: ((token & 63) << 8 | next byte) + 129 of them */
    TOKEN_LONG_RUN_MAX = 0x3fff + 129,
    TOKEN_JUMP = 0xc0,      /* varint: index of the next instruction */
    TOKEN_MASK_SWAP = 0xc1, /* the mask before the current one comes back */
    TOKEN_MASK = 0xc2,      /* 4 bytes of data: a new mask */
};

/* Controls: base * 3 + shape, or CONTROL_NONE. */
enum {
    BASE_REPEAT = 0, /* the last step again */
    BASE_STEP,       /* zigzag varint in data: step from the last base */
    BASE_FIRST
}; /* from the stream of first bases */
enum {
    SHAPE_SAME = 0, /* the stride or list of the last time */
    SHAPE_STRIDE,   /* zigzag varint in data */
    SHAPE_LIST
}; /* list in data */
enum {
    CONTROL_NONE = 9, /* executed without addresses */
    CONTROL_LIMIT
};

/* Lists of one address per active lane, in three forms told apart by the first byte. `first` is the
 * lowest active lane; its address is the base.
 *
 *   steps   0x00..0x7f: bits 0-2 width - 1, bits 3-6 shift; then for every active lane but the
 * first its difference from the active lane before, shifted right, zigzag, `width` bytes each grid
 * 0x80 | log2 of the lanes in a row (1..4); zigzag varints: distance of lanes in a row, distance of
 * rows (thread blocks narrower than a warp) packed  0xc0 | shift; a byte: bits per lane; then for
 * every active lane its offset from the smallest address, shifted right, packed from the low bit up
 * (random gathers) */
enum {
    LIST_GRID = 0x80,
    LIST_PACKED = 0xc0,
    LIST_PACKED_MAX_BITS = 56,
    LIST_MAX_BYTES = 2 + 32 * 8
};

#define MAX_VARINT_BYTES 10
/* Bytes readable after the end of any stream, so that fixed-size reads need no check. */
#define BYTECODE_SLACK 16

/* State of the prediction for one static instruction with addresses. */
struct strata_addr_state {
    uint64_t base;
    uint64_t step;
    int32_t stride;
    uint32_t list; /* offset in data of its last list + 1; 0: the last shape was a stride */
};

static inline uint64_t zigzag(int64_t x)
{
    return ((uint64_t)x << 1) ^ (uint64_t)(x >> 63);
}

static inline int64_t unzigzag(uint64_t x)
{
    return (int64_t)(x >> 1) ^ -(int64_t)(x & 1);
}

/* Returns the position after the number. The caller knows that a number ends before the slack. */
static inline const uint8_t *varint_read(const uint8_t *at, uint64_t *out)
{
    uint64_t value = *at & 127;
    for (unsigned shift = 7; *at++ & 128; shift += 7)
        value |= shift < 64 ? (uint64_t)(*at & 127) << shift : 0;
    *out = value;
    return at;
}

/* The same for bytes nobody has looked at yet: NULL if there is no number before `end`. */
static inline const uint8_t *varint_read_checked(const uint8_t *at, const uint8_t *end,
                                                 uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        value |= (uint64_t)(*at & 127) << shift;
        if (!(*at++ & 128)) {
            *out = value;
            return at;
        }
    }
    return NULL;
}

static inline uint8_t *varint_write(uint8_t *at, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *at++ = (uint8_t)(value | 128);
    *at++ = (uint8_t)value;
    return at;
}

static inline uint64_t load_le(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static inline uint64_t load_le64(const uint8_t *at)
{
    uint64_t value;
    __builtin_memcpy(&value, at, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

static inline uint32_t load_le32(const uint8_t *at)
{
    return (uint32_t)load_le(at, 4);
}

static inline void store_le(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* Lists (list.c). mask has at least two lanes when writing, at least one when reading. list_write
 * returns the number of bytes, list_read the position after the list; addr has 32 entries, those of
 * inactive lanes become 0. */
size_t list_write(uint8_t *at, uint32_t mask, const uint64_t *addr);
const uint8_t *list_read(const uint8_t *at, uint32_t mask, uint64_t base, uint64_t *addr);
/* The size of a list among bytes nobody has looked at yet; 0 if it is not one. */
size_t list_size_checked(const uint8_t *at, const uint8_t *end, unsigned lanes);

/* The streams of one warp. */
struct warp_streams {
    const uint8_t *tokens, *controls, *first, *data;
    uint32_t n_tokens, n_controls, n_first, n_data; /* n_first counts bases, not bytes */
};

/* Finds the streams in a warp's bytes; false if the sizes contradict each other. */
bool bytecode_streams(const uint8_t *bytes, size_t n, struct warp_streams *out);

/* An empty block with room for n_bytes of byte code (and slack), to be filled by the caller. */
struct strata_block *block_allocate(uint64_t index, uint32_t n_warps, size_t n_bytes);

/* Walks all warps of a block whose bytes come from outside and makes sure that a cursor stays
 * within them. `check` keeps memory from one block to the next (zero it first). */
struct slot_check {
    uint64_t serial;    /* of the warp that set it */
    uint8_t list_lanes; /* active lanes of its last list, 0: the last shape was a stride */
};
struct block_check {
    struct slot_check *slot;
    uint32_t n_slots;
    uint64_t serial; /* warps seen */
    /* Of each static instruction: how many from it on, itself included, never have addresses; no
     * more than PLAIN_MOST. */
    uint8_t *plain;
    uint32_t n_plain;
    uint64_t code_serial; /* of the code that `plain` tells of */
};
strata_status block_validate(struct block_check *check, const struct strata_block *block,
                             struct strata_error *err);
void block_check_release(struct block_check *check);

#endif
