/* native_read.c - launches and blocks of .strata files. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory_room.h"
#include "trace/bytecode.h"
#include "trace/code.h"
#include "trace/native_format.h"

bool native_probe(const char *path, bool is_folder, const uint8_t *head, size_t n_head)
{
    return !is_folder && n_head >= 8 && !memcmp(head, NATIVE_MAGIC, 8);
}

/* What is known of the next event: `order`, which is used up. */
static strata_status add_launch(struct strata_trace *t, const struct native_record *record,
                                const struct native_record *end, struct strata_event *order,
                                struct pack *payload, struct strata_error *err)
{
    struct strata_launch launch;
    strata_status status = native_file_read(t->impl, t->path, record, payload, err);
    if (status)
        return status;
    struct unpack u = unpack_from(payload, false);
    native_unpack_launch(&u, &launch);
    launch.warp_instructions = end->n_instructions;
    if (end->kind != NATIVE_LAUNCH_END)
        launch.sampled_blocks = end->n_blocks;
    launch.failed = end->kind == NATIVE_LAUNCH_FAILED;
    struct strata_event event = *order;
    *order = (struct strata_event){0};
    event.kind = STRATA_EVENT_LAUNCH;
    event.launch = (uint32_t)t->n_launch;
    event.stream = launch.stream;
    if (u.failed)
        status = native_damaged(err, t->path, record->offset, "a launch makes no sense");
    if (!status)
        status = trace_add_launch(t, &launch, err);
    if (!status)
        status = trace_add_event(t, &event, err);
    native_launch_release(&launch);
    return status;
}

static strata_status add_event(struct strata_trace *t, const struct native_record *record,
                               struct strata_event *order, struct pack *payload,
                               struct strata_error *err)
{
    strata_status status = native_file_read(t->impl, t->path, record, payload, err);
    if (status)
        return status;
    struct unpack u = unpack_from(payload, false);
    struct strata_event event = *order;
    *order = (struct strata_event){0};
    event.kind = unpack_u32(&u);
    event.address = unpack_varint(&u);
    event.bytes = unpack_varint(&u);
    if (u.failed || event.kind == STRATA_EVENT_LAUNCH || event.kind > STRATA_EVENT_MEMSET)
        return native_damaged(err, t->path, record->offset, "an event makes no sense");
    return trace_add_event(t, &event, err);
}

static strata_status take_order(struct strata_trace *t, const struct native_record *record,
                                struct strata_event *order, struct pack *payload,
                                struct strata_error *err)
{
    strata_status status = native_file_read(t->impl, t->path, record, payload, err);
    if (status)
        return status;
    struct unpack u = unpack_from(payload, false);
    *order = (struct strata_event){0};
    return native_unpack_order(&u, t, order)
               ? STRATA_OK
               : native_damaged(err, t->path, record->offset,
                                "what an event waits for makes no sense");
}

static const struct native_record *find_end(const struct native_file *file, size_t from)
{
    for (size_t i = from; i < file->n_record; i++)
        if (native_is_end(file->record[i].kind))
            return file->record[i].launch == file->record[from].launch ? &file->record[i] : NULL;
    return NULL;
}

strata_status native_open(struct strata_trace *t, struct strata_error *err)
{
    struct pack payload = {0};
    struct strata_event order = {0};
    struct native_file *file = t->impl = calloc(1, sizeof *file);
    if (!file)
        return strata_no_memory(err, t->path, "to read the trace");
    file->fd = -1;
    strata_status status = native_file_open(file, t->path, err);
    for (size_t i = 0; !status && i < file->n_record; i++) {
        const struct native_record *r = &file->record[i];
        if (r->kind == NATIVE_EVENT) {
            status = add_event(t, r, &order, &payload, err);
        } else if (r->kind == NATIVE_ORDER) {
            status = take_order(t, r, &order, &payload, err);
        } else if (r->kind == NATIVE_LAUNCH) {
            const struct native_record *end = find_end(file, i);
            if (!end || r->launch != t->n_launch)
                status = native_damaged(err, t->path, r->offset, "a launch is not complete");
            else if (!ARRAY_RESERVE(file->launch, file->n_launch, file->cap_launch, 1))
                status = strata_no_memory(err, t->path, "to read the trace");
            else
                status = add_launch(t, r, end, &order, &payload, err);
            if (!status)
                file->launch[file->n_launch++] = i;
        }
    }
    pack_release(&payload);
    return status;
}

void native_close(struct strata_trace *t)
{
    if (!t->impl)
        return;
    native_file_close(t->impl);
    free(t->impl);
}

/* Reads one launch; each reader has its own buffers, so that several can run in threads. */
struct native_reader {
    const struct native_file *file;
    const char *path;
    ZSTD_DCtx *zstd;
    struct native_code_texts texts;
    size_t next_record; /* of the file's list */
    size_t first_record, end_record;
    struct pack payload, raw[N_COLUMNS];
    struct unpack column[N_COLUMNS]; /* what is left of raw */
    uint64_t blocks_left;            /* in the chunk */
    uint64_t chunk_offset;           /* for messages */
    struct native_bases bases;
    uint32_t last_size[N_COLUMNS];
    uint64_t last_block;
    struct block_check check;
};

static strata_status read_code(struct strata_reader *r, const struct native_record *record,
                               struct strata_error *err)
{
    struct native_reader *nr = r->impl;
    strata_status status = native_file_read(nr->file, nr->path, record, &nr->payload, err);
    if (status)
        return status;
    struct unpack u = unpack_from(&nr->payload, false);
    if (!native_unpack_code(&u, nr->zstd, r->code, &nr->texts))
        return native_damaged(err, nr->path, record->offset,
                              "the instruction table makes no sense");
    return STRATA_OK;
}

static void warn_unknown_opcodes(struct strata_reader *r)
{
    uint32_t unknown = 0;
    const char *example = NULL;
    for (uint32_t i = 0; i < strata_code_count(r->code); i++) {
        struct strata_inst inst = *strata_code_get(r->code, i);
        if (r->launch.isa != STRATA_ISA_SASS ||
            strata_inst_decode_sass(&inst, inst.trace_width, false))
            continue;
        unknown++;
        example = inst.opcode;
    }
    if (unknown)
        reader_warn(r,
                    "%u static instructions have an unknown opcode, for example \"%s\"; they are "
                    "taken for integer arithmetic.",
                    unknown, example);
}

strata_status native_reader_open(struct strata_reader *r, struct strata_error *err)
{
    struct native_reader *nr = r->impl = calloc(1, sizeof *nr);
    if (!nr || !(nr->zstd = ZSTD_createDCtx()))
        return strata_no_memory(err, r->trace->path, "to read the trace");
    nr->file = r->trace->impl;
    nr->path = r->trace->path;
    size_t i = nr->file->launch[r->launch_index];
    nr->first_record = nr->next_record = i;
    strata_status status = STRATA_OK;
    for (; !status && !native_is_end(nr->file->record[i].kind); i++)
        if (nr->file->record[i].kind == NATIVE_CODE)
            status = read_code(r, &nr->file->record[i], err);
    nr->end_record = i;
    if (nr->file->scanned)
        reader_warn(r, "the file's index is missing or damaged: launches at its end may have been "
                       "lost; copy or convert it again.");
    if (!status)
        warn_unknown_opcodes(r);
    return status;
}

void native_reader_close(struct strata_reader *r)
{
    struct native_reader *nr = r->impl;
    if (!nr)
        return;
    native_code_texts_release(&nr->texts);
    for (size_t i = 0; i < N_COLUMNS; i++)
        pack_release(&nr->raw[i]);
    pack_release(&nr->payload);
    free(nr->bases.before);
    block_check_release(&nr->check);
    ZSTD_freeDCtx(nr->zstd);
    free(nr);
}

/* Sizes of one warp; false if they cannot be. */
static bool read_sizes(struct native_reader *nr, uint32_t size[N_COLUMNS])
{
    for (size_t i = 0; i < N_COLUMNS; i++) {
        int64_t value, step = unpack_signed(&nr->column[COLUMN_SIZES]);
        if (__builtin_add_overflow((int64_t)nr->last_size[i], step, &value) || value < 0 ||
            value > UINT32_MAX)
            return false;
        size[i] = nr->last_size[i] = (uint32_t)value;
    }
    return !nr->column[COLUMN_SIZES].failed;
}

static size_t varint_size(uint64_t value)
{
    return log2_floor(value) / 7 + 1;
}

/* Bytes of a warp in memory. An empty warp has none. */
static size_t warp_bytes(const uint32_t size[N_COLUMNS])
{
    if (!size[0])
        return 0;
    return varint_size(size[COLUMN_TOKENS]) + varint_size(size[COLUMN_CONTROLS]) +
           varint_size(size[COLUMN_FIRST]) + varint_size(size[COLUMN_DATA]) + size[COLUMN_TOKENS] +
           size[COLUMN_CONTROLS] + (size_t)size[COLUMN_FIRST] * 8 + size[COLUMN_DATA];
}

/* Most bytes an executed instruction has in each column (docs/format-strata.md, "Byte code"):
 * tokens of a mask, a jump and a run; one control; one base; a list and the operands of its tokens.
 */
static const uint32_t most_bytes[N_COLUMNS] = {[COLUMN_TOKENS] = 16,
                                               [COLUMN_CONTROLS] = 1,
                                               [COLUMN_FIRST] = 1,
                                               [COLUMN_DATA] =
                                                   LIST_MAX_BYTES + 4 * MAX_VARINT_BYTES};

static bool add_warp_sizes(struct native_reader *nr, uint64_t sum[N_COLUMNS])
{
    uint32_t size[N_COLUMNS];
    if (!read_sizes(nr, size))
        return false;
    for (size_t i = COLUMN_TOKENS; i < N_COLUMNS; i++)
        if (size[i] > (uint64_t)size[0] * most_bytes[i])
            return false;
    for (size_t i = 0; i < N_COLUMNS; i++)
        sum[i] += size[i];
    return true;
}

/* What the sizes say that each column holds. They are walked before any other column is expanded,
 * so that memory follows what was recorded and not what a file claims. */
static bool add_up_sizes(struct native_reader *nr, uint64_t n_blocks, uint64_t sum[N_COLUMNS])
{
    struct unpack *sizes = &nr->column[COLUMN_SIZES];
    struct unpack start = *sizes;
    bool good = true;
    memset(nr->last_size, 0, sizeof nr->last_size);
    for (uint64_t b = 0; good && b < n_blocks; b++) {
        unpack_signed(sizes);
        uint32_t n_warps = unpack_u32(sizes);
        good = !sizes->failed;
        for (uint32_t w = 0; good && w < n_warps; w++)
            good = add_warp_sizes(nr, sum);
    }
    good = good && sizes->at == sizes->end;
    *sizes = start;
    return good;
}

static bool is_what_sizes_say(const struct packed_column packed[N_COLUMNS],
                              const uint64_t sum[N_COLUMNS])
{
    uint64_t bases = sum[COLUMN_FIRST];
    return packed[COLUMN_TOKENS].n_raw == sum[COLUMN_TOKENS] &&
           packed[COLUMN_CONTROLS].n_raw == sum[COLUMN_CONTROLS] &&
           packed[COLUMN_DATA].n_raw == sum[COLUMN_DATA] && packed[COLUMN_FIRST].n_raw >= bases &&
           packed[COLUMN_FIRST].n_raw <= bases * MAX_VARINT_BYTES;
}

static strata_status expand_columns(struct native_reader *nr, struct unpack *u,
                                    uint64_t n_instructions, struct strata_error *err)
{
    struct packed_column packed[N_COLUMNS];
    uint64_t sum[N_COLUMNS] = {0}, bytes = 0;
    for (size_t i = 0; i < N_COLUMNS; i++)
        packed[i] = unpack_packed(u);
    if (u->failed || u->at != u->end || packed[COLUMN_SIZES].n_raw > NATIVE_MAX_SIZES_BYTES)
        return native_damaged(err, nr->path, nr->chunk_offset,
                              "thread blocks cannot be decompressed");
    unpack_expand(u, nr->zstd, &packed[COLUMN_SIZES], &nr->raw[COLUMN_SIZES]);
    nr->column[COLUMN_SIZES] = unpack_from(&nr->raw[COLUMN_SIZES], u->failed);
    if (!u->failed && (!add_up_sizes(nr, nr->blocks_left, sum) || sum[0] != n_instructions ||
                       !is_what_sizes_say(packed, sum)))
        return native_damaged(err, nr->path, nr->chunk_offset,
                              "the sizes of thread blocks make no sense");
    for (size_t i = COLUMN_TOKENS; i < N_COLUMNS; i++)
        bytes += packed[i].n_raw;
    /* Once as columns, once as the blocks made of them. */
    strata_status status = memory_room_check(2 * bytes, "Thread blocks of this trace", err);
    for (size_t i = COLUMN_TOKENS; !status && i < N_COLUMNS; i++) {
        unpack_expand(u, nr->zstd, &packed[i], &nr->raw[i]);
        nr->column[i] = unpack_from(&nr->raw[i], false);
    }
    return status;
}

static strata_status chunk_open(struct native_reader *nr, const struct native_record *record,
                                struct strata_error *err)
{
    strata_status status = native_file_read(nr->file, nr->path, record, &nr->payload, err);
    if (status)
        return status;
    struct unpack u = unpack_from(&nr->payload, false);
    nr->blocks_left = unpack_varint(&u);
    unpack_varint(&u); /* smallest and largest index: for the file's index only */
    unpack_varint(&u);
    uint64_t n_instructions = unpack_varint(&u);
    nr->chunk_offset = record->offset;
    status = expand_columns(nr, &u, n_instructions, err);
    nr->bases.n = 0;
    memset(nr->last_size, 0, sizeof nr->last_size);
    nr->last_block = UINT64_MAX;
    if (u.out_of_memory)
        return strata_no_memory(err, nr->path, "to decompress the trace");
    if (!status && u.failed)
        return native_damaged(err, nr->path, record->offset,
                              "thread blocks cannot be decompressed");
    return status;
}

static uint8_t *copy_stream(uint8_t *at, struct unpack *column, uint32_t n)
{
    const uint8_t *from = unpack_bytes(column, n);
    if (from && n)
        memcpy(at, from, n);
    return at + n;
}

static void assemble_warp(struct native_reader *nr, const uint32_t size[N_COLUMNS], uint8_t *at)
{
    if (!size[0])
        return;
    for (size_t i = COLUMN_TOKENS; i < N_COLUMNS; i++)
        at = varint_write(at, size[i]);
    at = copy_stream(at, &nr->column[COLUMN_TOKENS], size[COLUMN_TOKENS]);
    at = copy_stream(at, &nr->column[COLUMN_CONTROLS], size[COLUMN_CONTROLS]);
    native_unpack_bases(&nr->column[COLUMN_FIRST], &nr->bases, at, size[COLUMN_FIRST]);
    at += (size_t)size[COLUMN_FIRST] * 8;
    copy_stream(at, &nr->column[COLUMN_DATA], size[COLUMN_DATA]);
}

/* Reads the sizes of all warps of a block into its arrays, leaving the column where it was, and
 * adds up what each column must still hold. Returns NULL if they are impossible. */
static struct strata_block *size_block(struct native_reader *nr, uint64_t index, uint32_t n_warps)
{
    uint64_t sum[N_COLUMNS] = {0};
    size_t total = 0;
    struct unpack start = nr->column[COLUMN_SIZES];
    uint32_t start_size[N_COLUMNS], size[N_COLUMNS];
    memcpy(start_size, nr->last_size, sizeof start_size);
    for (uint32_t w = 0; w < n_warps; w++) {
        if (!read_sizes(nr, size) || (!size[0] && (size[1] | size[2] | size[3] | size[4])))
            return NULL;
        for (size_t i = 0; i < N_COLUMNS; i++)
            sum[i] += size[i];
        total += warp_bytes(size);
    }
    for (size_t i = COLUMN_TOKENS; i < N_COLUMNS; i++) /* a first base has at least one byte */
        if (sum[i] > (uint64_t)(nr->column[i].end - nr->column[i].at))
            return NULL;
    if (total > UINT32_MAX - BYTECODE_SLACK)
        return NULL;
    nr->column[COLUMN_SIZES] = start;
    memcpy(nr->last_size, start_size, sizeof start_size);
    return block_allocate(index, n_warps, total);
}

static struct strata_block *assemble_block(struct native_reader *nr)
{
    struct unpack *sizes = &nr->column[COLUMN_SIZES];
    uint64_t index = nr->last_block + 1 + (uint64_t)unpack_signed(sizes);
    uint32_t n_warps = unpack_u32(sizes), size[N_COLUMNS], at = 0;
    if (sizes->failed || n_warps > (size_t)(sizes->end - sizes->at) / N_COLUMNS)
        return NULL;
    struct strata_block *block = size_block(nr, index, n_warps);
    for (uint32_t w = 0; block && w < n_warps; w++) {
        read_sizes(nr, size);
        block->warp_offset[w] = at;
        block->warp_instructions[w] = size[0];
        assemble_warp(nr, size, block->bytes + at);
        at += (uint32_t)warp_bytes(size);
    }
    if (block)
        block->warp_offset[n_warps] = at;
    nr->last_block = index;
    return block;
}

static strata_status chunk_next_block(struct strata_reader *r, struct strata_block **out,
                                      struct strata_error *err)
{
    struct native_reader *nr = r->impl;
    struct strata_block *block = assemble_block(nr);
    if (!block)
        return native_damaged(err, nr->path, nr->chunk_offset,
                              "the sizes of a thread block make no sense");
    block->code = r->code;
    struct strata_error why;
    strata_status status = block_validate(&nr->check, block, &why);
    if (nr->column[COLUMN_FIRST].failed || status) {
        strata_block_destroy(block);
        return status == STRATA_ENOMEM
                   ? status
                   : native_damaged(err, nr->path, nr->chunk_offset,
                                    "the byte code of a thread block makes no sense");
    }
    nr->blocks_left--;
    *out = block;
    return STRATA_OK;
}

static strata_status chunk_end(struct native_reader *nr, struct strata_error *err)
{
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (nr->column[i].at != nr->column[i].end)
            return native_damaged(err, nr->path, nr->chunk_offset,
                                  "bytes are left over after the last thread block");
    return STRATA_OK;
}

strata_status native_reader_next(struct strata_reader *r, struct strata_block **out,
                                 struct strata_error *err)
{
    struct native_reader *nr = r->impl;
    while (!nr->blocks_left) {
        strata_status status = chunk_end(nr, err);
        while (nr->next_record < nr->end_record &&
               nr->file->record[nr->next_record].kind != NATIVE_BLOCKS)
            nr->next_record++;
        if (!status && nr->next_record == nr->end_record)
            return STRATA_END;
        if (!status)
            status = chunk_open(nr, &nr->file->record[nr->next_record++], err);
        if (status)
            return status;
    }
    return chunk_next_block(r, out, err);
}

/* Looks through one chunk; on success the chunk stands right before the block. */
static strata_status seek_in_chunk(struct strata_reader *r, size_t record, uint64_t block_index,
                                   struct strata_error *err)
{
    struct native_reader *nr = r->impl;
    strata_status status = chunk_open(nr, &nr->file->record[record], err);
    uint64_t n = status ? 0 : nr->blocks_left, place = 0;
    struct strata_block *block = NULL;
    for (; !status && place < n; place++) {
        status = chunk_next_block(r, &block, err);
        bool found = !status && block->index == block_index;
        strata_block_destroy(block);
        block = NULL;
        if (found)
            break;
    }
    if (status || place == n)
        return status ? status : STRATA_END;
    status = chunk_open(nr, &nr->file->record[record], err);
    for (; !status && place; place--) {
        status = chunk_next_block(r, &block, err);
        strata_block_destroy(block);
        block = NULL;
    }
    nr->next_record = record + 1;
    return status;
}

strata_status native_reader_seek(struct strata_reader *r, uint64_t block_index,
                                 struct strata_error *err)
{
    struct native_reader *nr = r->impl;
    for (size_t i = nr->first_record; i < nr->end_record; i++) {
        const struct native_record *record = &nr->file->record[i];
        if (record->kind != NATIVE_BLOCKS || block_index < record->min_block ||
            block_index > record->max_block)
            continue;
        strata_status status = seek_in_chunk(r, i, block_index, err);
        if (status != STRATA_END)
            return status;
    }
    memset(nr->column, 0, sizeof nr->column);
    nr->blocks_left = 0;
    nr->next_record = nr->end_record;
    return STRATA_END;
}
