/* native_file.c - the container of a .strata file: header, records, index, and the scan without it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "trace/bytecode.h"
#include "trace/native_format.h"

strata_status native_damaged(struct strata_error *err, const char *path, uint64_t offset,
                             const char *what)
{
    return strata_fail(err, STRATA_EFORMAT, path, 0, 0,
                       "the file is damaged at byte %llu: %s; copy or convert it again.",
                       (unsigned long long)offset, what);
}

static strata_status no_memory(struct strata_error *err, const char *path)
{
    return strata_no_memory(err, path, "to read the trace");
}

static strata_status read_at(const struct native_file *file, const char *path, uint64_t offset,
                             uint8_t *out, size_t n, struct strata_error *err)
{
    while (n) {
        ssize_t got = pread(file->fd, out, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return strata_fail(err, STRATA_EIO, path, 0, 0, "the trace cannot be read: %s.",
                               strerror(errno));
        if (got == 0)
            return native_damaged(err, path, offset, "it ends there, within a record");
        out += got;
        n -= (size_t)got;
        offset += (uint64_t)got;
    }
    return STRATA_OK;
}

static strata_status check_header(const struct native_file *file, const char *path,
                                  struct strata_error *err)
{
    uint8_t h[NATIVE_HEADER_BYTES];
    if (file->bytes < sizeof h)
        return native_damaged(err, path, file->bytes, "it ends there, within its header");
    strata_status status = read_at(file, path, 0, h, sizeof h, err);
    if (status)
        return status;
    unsigned major = (unsigned)load_le(h + 8, 2);
    if (memcmp(h, NATIVE_MAGIC, 8))
        return strata_fail(err, STRATA_EFORMAT, path, 0, 0, "this is not a .strata file.");
    if (native_crc(h, 12) != load_le32(h + 12))
        return native_damaged(err, path, 0, "its header fails the checksum");
    if (major != NATIVE_MAJOR)
        return strata_fail(err, STRATA_EUNSUPPORTED, path, 0, 0,
                           "the file has format version %u.%u, and this program reads version %d; "
                           "use a newer strata.",
                           major, (unsigned)load_le(h + 10, 2), NATIVE_MAJOR);
    return STRATA_OK;
}

strata_status native_file_read(const struct native_file *file, const char *path,
                               const struct native_record *record, struct pack *payload,
                               struct strata_error *err)
{
    uint8_t header[NATIVE_RECORD_BYTES];
    struct native_record found;
    uint32_t crc;
    if (record->offset > file->bytes || file->bytes - record->offset < sizeof header)
        return native_damaged(err, path, file->bytes, "it ends there, within a record");
    strata_status status = read_at(file, path, record->offset, header, sizeof header, err);
    if (status)
        return status;
    if (!native_record_decode(header, &found, &crc) || found.kind != record->kind ||
        found.launch != record->launch || found.payload_bytes != record->payload_bytes)
        return native_damaged(err, path, record->offset, "a record's header fails the checksum");
    if (found.payload_bytes > file->bytes - record->offset - sizeof header)
        return native_damaged(err, path, file->bytes, "it ends there, within a record");
    payload->n = 0;
    payload->failed = false;
    if (!ARRAY_RESERVE(payload->p, 0, payload->cap, (size_t)found.payload_bytes))
        return no_memory(err, path);
    status = read_at(file, path, record->offset + sizeof header, payload->p,
                     (size_t)found.payload_bytes, err);
    if (status)
        return status;
    payload->n = (size_t)found.payload_bytes;
    if (native_crc(payload->p, payload->n) != crc)
        return native_damaged(err, path, record->offset, "a record's contents fail the checksum");
    return STRATA_OK;
}

/* The index record, if the tail points to a good one. */
static bool read_index(struct native_file *file, const char *path)
{
    uint8_t tail[NATIVE_TAIL_BYTES], header[NATIVE_RECORD_BYTES];
    struct native_record index;
    struct pack payload = {0}, rows = {0};
    uint32_t crc;
    uint64_t at = file->bytes - sizeof tail;
    if (file->bytes < sizeof tail || read_at(file, path, at, tail, sizeof tail, NULL) ||
        memcmp(tail + 16, NATIVE_TAIL_MAGIC, 8) || native_crc(tail, 8) != load_le32(tail + 8))
        return false;
    uint64_t offset = load_le64(tail);
    if (offset > at || at - offset < sizeof header ||
        read_at(file, path, offset, header, sizeof header, NULL) ||
        !native_record_decode(header, &index, &crc) || index.kind != NATIVE_INDEX)
        return false;
    index.offset = offset;
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    bool good = zstd && !native_file_read(file, path, &index, &payload, NULL);
    struct unpack u = unpack_from(&payload, !good);
    if (good)
        unpack_column(&u, zstd, &rows);
    struct unpack r = unpack_from(&rows, u.failed);
    uint64_t n = unpack_varint(&r);
    for (uint64_t i = 0; i < n && !r.failed; i++) {
        struct native_record record;
        native_unpack_record(&r, &record);
        if (!ARRAY_RESERVE(file->record, file->n_record, file->cap_record, 1))
            r.failed = true;
        else
            file->record[file->n_record++] = record;
    }
    good = !r.failed && r.at == r.end;
    ZSTD_freeDCtx(zstd);
    pack_release(&payload);
    pack_release(&rows);
    if (!good)
        file->n_record = 0;
    return good;
}

/* Block counts stand at the start of a payload, outside the compressed columns. */
static strata_status scan_counts(const struct native_file *file, const char *path,
                                 struct native_record *r, struct strata_error *err)
{
    uint8_t head[4 * MAX_VARINT_BYTES];
    size_t n = r->payload_bytes < sizeof head ? (size_t)r->payload_bytes : sizeof head;
    strata_status status = read_at(file, path, r->offset + NATIVE_RECORD_BYTES, head, n, err);
    struct unpack u = {head, head + n, false, false};
    r->n_blocks = unpack_varint(&u);
    if (r->kind == NATIVE_BLOCKS) {
        r->min_block = unpack_varint(&u);
        r->max_block = unpack_varint(&u);
    }
    r->n_instructions = unpack_varint(&u);
    if (!status && u.failed)
        status = native_damaged(err, path, r->offset, "a record is too short");
    return status;
}

/* Walks the records from the start. An index or tail that is cut off or damaged is no loss, if all
 * launches are complete. */
static strata_status scan(struct native_file *file, const char *path, struct strata_error *err)
{
    uint64_t offset = NATIVE_HEADER_BYTES;
    bool in_launch = false;
    file->scanned = true;
    while (offset < file->bytes) {
        uint8_t header[NATIVE_RECORD_BYTES];
        struct native_record r = {0};
        uint32_t crc = 0;
        bool whole = file->bytes - offset >= sizeof header;
        strata_status status =
            whole ? read_at(file, path, offset, header, sizeof header, err) : STRATA_OK;
        if (status)
            return status;
        bool good = whole && native_record_decode(header, &r, &crc);
        if (good && r.kind == NATIVE_INDEX && !in_launch)
            return STRATA_OK;
        if (whole && !good)
            return native_damaged(err, path, offset, "a record's header fails the checksum");
        if (!whole || r.payload_bytes > file->bytes - offset - sizeof header)
            return native_damaged(err, path, file->bytes, "it ends there, within a record");
        r.offset = offset;
        if ((r.kind == NATIVE_BLOCKS || native_is_end(r.kind)) &&
            (status = scan_counts(file, path, &r, err)))
            return status;
        if (!ARRAY_RESERVE(file->record, file->n_record, file->cap_record, 1))
            return no_memory(err, path);
        file->record[file->n_record++] = r;
        in_launch = !(native_is_end(r.kind) || r.kind == NATIVE_EVENT ||
                      (r.kind == NATIVE_ORDER && !in_launch));
        offset += sizeof header + r.payload_bytes;
    }
    if (in_launch || !file->n_record)
        return native_damaged(err, path, file->bytes, "it ends there, before a launch is complete");
    return STRATA_OK;
}

static strata_status open_file(struct native_file *file, const char *path, struct strata_error *err)
{
    struct stat st;
    memset(file, 0, sizeof *file);
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0 || fstat(file->fd, &st))
        return strata_fail(err, STRATA_EIO, path, 0, 0, "the trace cannot be opened: %s.",
                           strerror(errno));
    if (!S_ISREG(st.st_mode))
        return strata_fail(err, STRATA_EUNSUPPORTED, path, 0, 0,
                           "a .strata trace is read from a file, not from a pipe; save it first.");
    file->bytes = (uint64_t)st.st_size;
    return check_header(file, path, err);
}

strata_status native_file_open(struct native_file *file, const char *path, struct strata_error *err)
{
    strata_status status = open_file(file, path, err);
    return status || read_index(file, path) ? status : scan(file, path, err);
}

strata_status native_file_scan(struct native_file *file, const char *path, struct strata_error *err)
{
    strata_status status = open_file(file, path, err);
    return status ? status : scan(file, path, err);
}

void native_file_close(struct native_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    free(file->record);
    free(file->launch);
}
