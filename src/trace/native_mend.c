/* native_mend.c - the end that a native file lacks whose writer was killed, replaced by another
 * program, or left without being asked. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "trace/native_format.h"

#define LEVEL 3 /* of the index, as `strata trace` has it */

/* Records up to the last one that is not inside a launch; what a process copied after its last
 * launch stays. */
static size_t whole_records(const struct native_file *file, uint64_t *n_launches)
{
    size_t n = 0;
    bool inside = false;
    *n_launches = 0;
    for (size_t i = 0; i < file->n_record; i++) {
        uint32_t kind = file->record[i].kind;
        inside = kind == NATIVE_EVENT || kind == NATIVE_ORDER ? inside : !native_is_end(kind);
        *n_launches += native_is_end(kind);
        if (!inside)
            n = i + 1;
    }
    return n;
}

static bool write_end(int fd, const struct pack *end, uint64_t offset)
{
    for (size_t done = 0; done < end->n;) {
        ssize_t n = pwrite(fd, end->p + done, end->n - done, (off_t)(offset + done));
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static strata_status replace_end(const char *path, const struct pack *end, uint64_t offset,
                                 struct strata_error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    bool good = fd >= 0 && !ftruncate(fd, (off_t)offset) && write_end(fd, end, offset);
    int why = errno;
    if (fd >= 0 && close(fd) && good) {
        why = errno;
        good = false;
    }
    return good ? STRATA_OK
                : strata_fail(err, STRATA_EIO, path, 0, 0, "the trace could not be written: %s.",
                              strerror(why));
}

strata_status strata_trace_mend(const char *path, uint64_t *n_launches, struct strata_error *err)
{
    struct native_file file;
    struct pack end = {0};
    struct strata_error why;
    *n_launches = 0;
    strata_status status = native_file_scan(&file, path, &why);
    size_t n = whole_records(&file, n_launches);
    if (status == STRATA_EFORMAT && *n_launches)
        status = STRATA_OK; /* that it ends too early is why we are here */
    if (status && err)
        *err = why;
    if (!status && *n_launches) {
        const struct native_record *last = &file.record[n - 1];
        uint64_t offset = last->offset + NATIVE_RECORD_BYTES + last->payload_bytes;
        ZSTD_CCtx *zstd = ZSTD_createCCtx();
        if (zstd)
            native_pack_index(&end, zstd, LEVEL, file.record, n, (uint32_t)*n_launches, offset);
        status = !zstd || end.failed ? strata_no_memory(err, path, "to finish the trace")
                                     : replace_end(path, &end, offset, err);
        ZSTD_freeCCtx(zstd);
    }
    pack_release(&end);
    native_file_close(&file);
    return status;
}
