/* native.h - the native container (docs/format-strata.md). All numbers little endian.
 *
 *   header   16 bytes: magic, major and minor version, crc32 of those 12 bytes
 *   records  24-byte header: kind, launch, payload size, crc32 of payload, crc32 of the header;
 * payload tail     24 bytes: offset of the index record, crc32 of it, 0, magic
 *
 * Records of a launch: LAUNCH, then CODE and BLOCKS as they come (a CODE holds the static
 * instructions that appeared since the last one), then LAUNCH_END (LAUNCH_CUT if recording stopped
 * within the launch). EVENT records lie between launches. The INDEX record repeats where everything
 * is; without it the file is scanned. */
#ifndef STRATA_TRACE_NATIVE_H
#define STRATA_TRACE_NATIVE_H

#include <strata/trace.h>

#include "trace/pack.h"

#define NATIVE_MAGIC      "\x89STRATA\n"
#define NATIVE_TAIL_MAGIC "\x89STREND\n"
#define NATIVE_MAJOR      1
#define NATIVE_MINOR      6

enum { NATIVE_HEADER_BYTES = 16, NATIVE_RECORD_BYTES = 24, NATIVE_TAIL_BYTES = 24 };

enum native_kind {
    NATIVE_EVENT = 1,
    NATIVE_LAUNCH,
    NATIVE_CODE,
    NATIVE_BLOCKS,
    NATIVE_LAUNCH_END,
    NATIVE_INDEX,
    NATIVE_LAUNCH_CUT,    /* a LAUNCH_END of a launch whose further blocks were not recorded */
    NATIVE_LAUNCH_FAILED, /* the same, because its kernel failed */
    NATIVE_ORDER,         /* what the next EVENT or LAUNCH waits for */
};

static inline bool native_is_end(uint32_t kind)
{
    return kind == NATIVE_LAUNCH_END || kind == NATIVE_LAUNCH_CUT || kind == NATIVE_LAUNCH_FAILED;
}

/* Columns of a BLOCKS record. */
enum { COLUMN_SIZES = 0, COLUMN_TOKENS, COLUMN_CONTROLS, COLUMN_FIRST, COLUMN_DATA, N_COLUMNS };

/* Raw bytes of all columns after which a BLOCKS record is closed: large enough for long repeats,
 * small enough to seek and to hold in memory. */
#define NATIVE_CHUNK_BYTES (4u << 20)
/* A chunk ends with the block that fills it, so its sizes are hardly more than that. */
#define NATIVE_MAX_SIZES_BYTES (2 * NATIVE_CHUNK_BYTES)

/* What the index and a scan know of a record. */
struct native_record {
    uint32_t kind, launch;
    uint64_t offset; /* of the record's header */
    uint64_t payload_bytes;
    uint64_t n_blocks, min_block, max_block, n_instructions; /* BLOCKS; totals in LAUNCH_END */
};

/* A record header in its 24 bytes, for a payload of `n` bytes. native_record_decode is false if the
 * checksum is wrong. */
void native_record_encode(uint8_t out[NATIVE_RECORD_BYTES], uint32_t kind, uint32_t launch,
                          uint64_t n, uint32_t payload_crc);
bool native_record_decode(const uint8_t in[NATIVE_RECORD_BYTES], struct native_record *record,
                          uint32_t *payload_crc);
uint32_t native_crc(const uint8_t *bytes, size_t n);

void native_pack_launch(struct pack *b, const struct strata_launch *launch);
/* Strings and textures of *launch are new ones, also after a failure (or NULL). */
void native_unpack_launch(struct unpack *u, struct strata_launch *launch);
void native_launch_release(struct strata_launch *launch);

/* The textures at the end of a launch's record (native_texture.c). */
void native_pack_textures(struct pack *b, const struct strata_launch *launch);
void native_unpack_textures(struct unpack *u, struct strata_launch *launch);

/* The texts of a launch's code so far, numbered in order of appearance. Those of inlined code have
 * numbers of their own, so that readers that do not know them count opcodes right. */
struct native_texts {
    const char **text; /* borrowed when writing, owned when reading */
    size_t n, cap;
};
struct native_code_texts {
    struct native_texts opcode, place;
};
/* Static instructions [from, to) of a table.
 * `control`: of each of these instructions, or NULL to take what the table has. */
void native_pack_code(struct pack *payload, ZSTD_CCtx *zstd, int level,
                      const struct strata_code *code, uint32_t from, uint32_t to,
                      const struct strata_control *control, struct native_code_texts *texts);
/* The texts of the first `to` instructions, as packing them would number them. False if there is
 * no memory. */
bool native_number_texts(struct native_code_texts *texts, const struct strata_code *code,
                         uint32_t to);
/* Adds the instructions of a CODE payload to `code`; false if the payload makes no sense. */
bool native_unpack_code(struct unpack *payload, ZSTD_DCtx *zstd, struct strata_code *code,
                        struct native_code_texts *texts);
/* Frees what reading has filled. */
void native_code_texts_release(struct native_code_texts *texts);

/* Base addresses of a warp against those of the warp before it in the record. */
struct native_bases {
    uint64_t *before;
    size_t n, cap;
};
void native_pack_bases(struct pack *column, struct native_bases *bases, const uint8_t *first,
                       uint32_t n);
/* Writes 8 * n bytes to `first`. */
void native_unpack_bases(struct unpack *column, struct native_bases *bases, uint8_t *first,
                         uint32_t n);

/* The index. */
void native_pack_record(struct pack *b, const struct native_record *record);
void native_unpack_record(struct unpack *u, struct native_record *record);
/* The end of a file whose `n` records are these: index record and tail, to be written at `offset`.
 */
void native_pack_index(struct pack *out, ZSTD_CCtx *zstd, int level,
                       const struct native_record *record, size_t n, uint32_t launches,
                       uint64_t offset);

#endif
