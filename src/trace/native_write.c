/* native_write.c - writes .strata files, record by record; memory is bounded by one chunk. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <strata/files.h>

#include "base/array.h"
#include "trace/bytecode.h"
#include "trace/code.h"
#include "trace/native.h"
#include "trace/native_format.h"
#include "trace/trace_internal.h"

#define DEFAULT_LEVEL 15

/* A payload that comes again, with its checksum. */
struct kept_payload {
    struct pack payload;
    uint32_t crc;
};

/* The CODE record of a whole table. Launches of a kernel have the same one, and making it is most
 * of what writing a short launch takes. */
struct kept_code {
    uint64_t serial; /* of the table; 0: none */
    uint32_t n;      /* its instructions then */
    struct kept_payload record;
};
enum { KEPT_CODES = 16, KEPT_CODE_BYTES = 1 << 18 };

struct native_writer {
    FILE *file;
    uint64_t offset; /* bytes written */
    int level;
    ZSTD_CCtx *zstd;
    struct native_record *index;
    size_t n_index, cap_index;
    uint32_t launch; /* number of the current one, or of the next */
    /* of the current launch */
    uint32_t n_code; /* static instructions written */
    struct native_code_texts texts;
    struct native_record total;
    /* of the current chunk */
    struct pack column[N_COLUMNS];
    struct pack_memo column_memo[N_COLUMNS]; /* of the chunk before */
    struct kept_payload last_blocks;
    struct kept_code kept_code[KEPT_CODES];
    struct pack payload; /* of the record being made */
    struct native_record chunk;
    struct native_bases bases;
    uint32_t last_size[N_COLUMNS];
    uint64_t last_block;
};

static strata_status no_memory(const struct strata_writer *w, struct strata_error *err)
{
    return strata_no_memory(err, w->path, "to write the trace");
}

static strata_status write_failed(const struct strata_writer *w, struct strata_error *err)
{
    return strata_fail(err, STRATA_EIO, w->path, 0, 0, "the trace could not be written: %s%s.",
                       strerror(errno),
                       writer_is_direct(w) ? "" : "; nothing was left under that name");
}

static strata_status write_bytes(struct strata_writer *w, const void *bytes, size_t n,
                                 struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    nw->offset += n;
    if (w->options.write ? w->options.write(w->options.write_user, bytes, n)
                         : fwrite(bytes, 1, n, nw->file) == n)
        return STRATA_OK;
    return write_failed(w, err);
}

/* Writes a record and notes it for the index; `what` has kind, launch and the counts filled in. */
static strata_status write_checked(struct strata_writer *w, struct native_record *what,
                                   const struct pack *payload, uint32_t crc,
                                   struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    uint8_t header[NATIVE_RECORD_BYTES];
    if (payload->failed || !ARRAY_RESERVE(nw->index, nw->n_index, nw->cap_index, 1))
        return no_memory(w, err);
    what->offset = nw->offset;
    what->payload_bytes = payload->n;
    nw->index[nw->n_index++] = *what;
    native_record_encode(header, what->kind, what->launch, payload->n, crc);
    strata_status status = write_bytes(w, header, sizeof header, err);
    return status ? status : write_bytes(w, payload->p, payload->n, err);
}

/* The checksum of a payload, not made anew for the one that was kept. */
static uint32_t checksum(struct kept_payload *kept, const struct pack *payload)
{
    if (payload->n > PACK_SHORT_BYTES || payload->failed)
        return native_crc(payload->p, payload->n);
    if (kept->payload.failed || kept->payload.n != payload->n ||
        memcmp(kept->payload.p, payload->p, payload->n)) {
        pack_keep(&kept->payload, payload->p, payload->n);
        kept->crc = native_crc(payload->p, payload->n);
    }
    return kept->crc;
}

/* An empty payload. Its memory is the writer's, so that a short record costs no allocation. */
static struct pack *begin_payload(struct native_writer *nw)
{
    nw->payload.n = 0;
    nw->payload.failed = false;
    return &nw->payload;
}

/* The record of the writer's payload. */
static strata_status write_record(struct strata_writer *w, struct native_record *what,
                                  struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    const struct pack *payload = &nw->payload;
    uint32_t crc = what->kind == NATIVE_BLOCKS ? checksum(&nw->last_blocks, payload)
                                               : native_crc(payload->p, payload->n);
    return write_checked(w, what, payload, crc, err);
}

static strata_status native_writer_create(struct strata_writer *w, struct strata_error *err)
{
    struct native_writer *nw = w->impl = calloc(1, sizeof *nw);
    if (!nw || !(nw->zstd = ZSTD_createCCtx()))
        return no_memory(w, err);
    nw->level = w->options.compression_level ? w->options.compression_level : DEFAULT_LEVEL;
    if (nw->level < 1 || nw->level > 19)
        return strata_fail(err, STRATA_EUSAGE, w->path, 0, 0,
                           "compression level %d is not possible; choose 1 to 19.", nw->level);
    if (w->options.write)
        nw->file = NULL; /* its bytes go to the caller */
    else if (!writer_is_direct(w))
        nw->file = strata_temporary_open(w->temporary);
    else if (strcmp(w->temporary, "-"))
        nw->file = fopen(w->temporary, "wb");
    else
        nw->file = fdopen(dup(STDOUT_FILENO), "wb");
    if (!nw->file && !w->options.write)
        return strata_fail(err, STRATA_EIO, w->path, 0, 0, "the trace cannot be written: %s.",
                           strerror(errno));
    uint8_t header[NATIVE_HEADER_BYTES];
    memcpy(header, NATIVE_MAGIC, 8);
    store_le(header + 8, NATIVE_MAJOR, 2);
    store_le(header + 10, NATIVE_MINOR, 2);
    store_le(header + 12, native_crc(header, 12), 4);
    return write_bytes(w, header, sizeof header, err);
}

static strata_status native_writer_memcpy(struct strata_writer *w, uint32_t event_kind,
                                          uint64_t address, uint64_t bytes,
                                          struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    struct native_record what = {.kind = NATIVE_EVENT, .launch = nw->launch};
    struct pack *payload = begin_payload(nw);
    pack_varint(payload, event_kind);
    pack_varint(payload, address);
    pack_varint(payload, bytes);
    return write_record(w, &what, err);
}

static strata_status native_writer_order(struct strata_writer *w, const struct strata_order *order,
                                         struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    struct native_record what = {.kind = NATIVE_ORDER, .launch = nw->launch};
    native_pack_order(begin_payload(nw), order);
    return write_record(w, &what, err);
}

static void chunk_begin(struct native_writer *nw)
{
    for (size_t i = 0; i < N_COLUMNS; i++)
        nw->column[i].n = 0;
    nw->chunk = (struct native_record){.kind = NATIVE_BLOCKS, .launch = nw->launch};
    nw->bases.n = 0;
    memset(nw->last_size, 0, sizeof nw->last_size);
    nw->last_block = UINT64_MAX; /* so that block 0 is the expected first one */
}

static strata_status native_writer_begin_launch(struct strata_writer *w, struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    struct native_record what = {.kind = NATIVE_LAUNCH, .launch = nw->launch};
    native_pack_launch(begin_payload(nw), &w->launch);
    strata_status status = write_record(w, &what, err);
    nw->n_code = 0;
    nw->texts.opcode.n = nw->texts.place.n = 0;
    nw->total = (struct native_record){
        .kind = NATIVE_LAUNCH_END, .launch = nw->launch, .min_block = UINT64_MAX};
    chunk_begin(nw);
    return status;
}

/* Control codes from where the writer was told to take them; *out stays NULL if nowhere. */
static strata_status ask_controls(struct strata_writer *w, uint32_t from, uint32_t to,
                                  struct strata_control **out, struct strata_error *err)
{
    if (!w->control_source)
        return STRATA_OK;
    struct strata_control *control = calloc(to - from, sizeof *control);
    strata_status status = control ? STRATA_OK : no_memory(w, err);
    for (uint32_t i = from; !status && i < to; i++) {
        const struct strata_inst *inst = strata_code_get(w->code, i);
        control[i - from] = inst->control;
        if (!inst->control.known)
            status =
                w->control_source(w->control_context, &w->launch, inst, &control[i - from], err);
    }
    if (status)
        free(control);
    else
        *out = control;
    return status;
}

/* Keeps the record of a whole table; one that is too long, or with control codes from elsewhere, is
 * made anew each time. */
static void keep_code(struct strata_writer *w, struct kept_code *kept, uint32_t n, uint32_t crc)
{
    struct native_writer *nw = w->impl;
    kept->serial = 0;
    if (w->control_source || nw->payload.failed || nw->payload.n > KEPT_CODE_BYTES)
        return;
    pack_keep(&kept->record.payload, nw->payload.p, nw->payload.n);
    kept->record.crc = crc;
    kept->n = n;
    if (!kept->record.payload.failed)
        kept->serial = w->code->serial;
}

static strata_status make_code(struct strata_writer *w, uint32_t n, struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    struct strata_control *control = NULL;
    /* the first instructions may have been written from what was kept */
    if (nw->n_code && !nw->texts.opcode.n && !native_number_texts(&nw->texts, w->code, nw->n_code))
        return no_memory(w, err);
    strata_status status = ask_controls(w, nw->n_code, n, &control, err);
    if (!status)
        native_pack_code(begin_payload(nw), nw->zstd, nw->level, w->code, nw->n_code, n, control,
                         &nw->texts);
    free(control);
    return status;
}

/* The static instructions that appeared since the last CODE record. */
static strata_status write_code(struct strata_writer *w, struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    uint32_t n = strata_code_count(w->code);
    if (n == nw->n_code)
        return STRATA_OK;
    struct native_record what = {.kind = NATIVE_CODE, .launch = nw->launch};
    struct kept_code *kept = &nw->kept_code[w->code->serial % KEPT_CODES];
    bool whole = !nw->n_code, known = kept->serial == w->code->serial && kept->n == n;
    if (whole && known && !w->control_source) {
        nw->n_code = n;
        return write_checked(w, &what, &kept->record.payload, kept->record.crc, err);
    }
    strata_status status = make_code(w, n, err);
    if (status)
        return status;
    uint32_t crc = native_crc(nw->payload.p, nw->payload.n);
    if (whole)
        keep_code(w, kept, n, crc);
    nw->n_code = n;
    return write_checked(w, &what, &nw->payload, crc, err);
}

static strata_status chunk_write(struct strata_writer *w, struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    if (!nw->chunk.n_blocks)
        return STRATA_OK;
    strata_status status = write_code(w, err);
    struct pack *payload = begin_payload(nw);
    pack_varint(payload, nw->chunk.n_blocks);
    pack_varint(payload, nw->chunk.min_block);
    pack_varint(payload, nw->chunk.max_block);
    pack_varint(payload, nw->chunk.n_instructions);
    for (size_t i = 0; i < N_COLUMNS; i++) {
        pack_column_again(payload, nw->zstd, nw->level, nw->column[i].p, nw->column[i].n,
                          &nw->column_memo[i]);
        payload->failed |= nw->column[i].failed;
    }
    if (!status)
        status = write_record(w, &nw->chunk, err);
    chunk_begin(nw);
    return status;
}

/* Puts one warp into the columns; sizes as differences from the warp before, which is mostly 0. */
static bool chunk_warp(struct native_writer *nw, const struct strata_block *block, uint32_t warp)
{
    struct warp_streams s;
    uint32_t from = block->warp_offset[warp];
    if (!bytecode_streams(block->bytes + from, block->warp_offset[warp + 1] - from, &s))
        return false;
    const uint32_t size[N_COLUMNS] = {block->warp_instructions[warp], s.n_tokens, s.n_controls,
                                      s.n_first, s.n_data};
    for (size_t i = 0; i < N_COLUMNS; i++) {
        pack_signed(&nw->column[COLUMN_SIZES], (int64_t)size[i] - nw->last_size[i]);
        nw->last_size[i] = size[i];
    }
    pack_bytes(&nw->column[COLUMN_TOKENS], s.tokens, s.n_tokens);
    pack_bytes(&nw->column[COLUMN_CONTROLS], s.controls, s.n_controls);
    native_pack_bases(&nw->column[COLUMN_FIRST], &nw->bases, s.first, s.n_first);
    pack_bytes(&nw->column[COLUMN_DATA], s.data, s.n_data);
    nw->chunk.n_instructions += size[0];
    nw->total.n_instructions += size[0];
    return true;
}

static void count_block(struct native_record *r, uint64_t index)
{
    r->min_block = r->n_blocks && r->min_block < index ? r->min_block : index;
    r->max_block = r->max_block > index ? r->max_block : index;
    r->n_blocks++;
}

static strata_status native_writer_block(struct strata_writer *w, const struct strata_block *block,
                                         struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    pack_signed(&nw->column[COLUMN_SIZES], (int64_t)(block->index - nw->last_block - 1));
    pack_varint(&nw->column[COLUMN_SIZES], block->n_warps);
    nw->last_block = block->index;
    for (uint32_t warp = 0; warp < block->n_warps; warp++)
        if (!chunk_warp(nw, block, warp))
            return strata_fail(err, STRATA_EUSAGE, w->path, 0, 0,
                               "thread block %llu has no valid byte code.",
                               (unsigned long long)block->index);
    count_block(&nw->chunk, block->index);
    count_block(&nw->total, block->index);
    size_t raw = 0;
    for (size_t i = 0; i < N_COLUMNS; i++)
        raw += nw->column[i].n;
    return raw >= NATIVE_CHUNK_BYTES ? chunk_write(w, err) : STRATA_OK;
}

static strata_status native_writer_end_launch(struct strata_writer *w, struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    strata_status status = chunk_write(w, err);
    if (!status)
        status = write_code(w, err); /* instructions that no block executed */
    struct pack *payload = begin_payload(nw);
    pack_varint(payload, nw->total.n_blocks);
    pack_varint(payload, nw->total.n_instructions);
    if (w->cut || w->failed)
        nw->total.kind = w->failed ? NATIVE_LAUNCH_FAILED : NATIVE_LAUNCH_CUT;
    if (!status)
        status = write_record(w, &nw->total, err);
    nw->launch++;
    return status;
}

static uint64_t native_writer_bytes(const struct strata_writer *w)
{
    return ((const struct native_writer *)w->impl)->offset;
}

static strata_status write_index(struct strata_writer *w, struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    struct pack end = {0};
    native_pack_index(&end, nw->zstd, nw->level, nw->index, nw->n_index, nw->launch, nw->offset);
    strata_status status = end.failed ? no_memory(w, err) : write_bytes(w, end.p, end.n, err);
    pack_release(&end);
    return status;
}

static strata_status native_writer_finish(struct strata_writer *w, struct strata_error *err)
{
    struct native_writer *nw = w->impl;
    strata_status status = write_index(w, err);
    if (nw->file && fclose(nw->file) && !status)
        status = write_failed(w, err);
    nw->file = NULL;
    return status;
}

static void native_writer_release(struct strata_writer *w, bool remove)
{
    struct native_writer *nw = w->impl;
    if (!nw)
        return;
    bool created = nw->file || nw->offset;
    if (nw->file)
        fclose(nw->file);
    if (remove && created && !writer_is_direct(w))
        unlink(w->temporary);
    for (size_t i = 0; i < N_COLUMNS; i++)
        pack_release(&nw->column[i]), pack_memo_release(&nw->column_memo[i]);
    for (size_t i = 0; i < KEPT_CODES; i++)
        pack_release(&nw->kept_code[i].record.payload);
    pack_release(&nw->last_blocks.payload);
    pack_release(&nw->payload);
    free(nw->bases.before);
    free(nw->texts.opcode.text);
    free(nw->texts.place.text);
    free(nw->index);
    ZSTD_freeCCtx(nw->zstd);
    free(nw);
    w->impl = NULL;
}

static void native_writer_abort(struct strata_writer *w)
{
    native_writer_release(w, true);
}

static void native_writer_close(struct strata_writer *w)
{
    native_writer_release(w, false);
}

const struct strata_trace_format strata_format_native = {
    .name = "strata",
    .summary = "the native format",
    .suffix = ".strata",
    .probe = native_probe,
    .open = native_open,
    .close = native_close,
    .reader_open = native_reader_open,
    .reader_next = native_reader_next,
    .reader_seek = native_reader_seek,
    .reader_close = native_reader_close,
    .writer_create = native_writer_create,
    .writer_memcpy = native_writer_memcpy,
    .writer_order = native_writer_order,
    .writer_begin_launch = native_writer_begin_launch,
    .writer_block = native_writer_block,
    .writer_end_launch = native_writer_end_launch,
    .writer_bytes = native_writer_bytes,
    .writer_finish = native_writer_finish,
    .writer_close = native_writer_close,
    .writer_abort = native_writer_abort,
};
