/* result_file.c - results in a temporary file without a name. */
#include <strata/result_file.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "predict/result_message.h"

struct strata_result_file {
    FILE *file; /* NULL: there is none to be had */
    struct message kept;
    uint64_t end;
};

strata_status strata_result_file_create(struct strata_result_file **out, struct strata_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return strata_no_memory(err, NULL, "for the results");
    (*out)->file = tmpfile();
    return STRATA_OK;
}

void strata_result_file_destroy(struct strata_result_file *f)
{
    if (!f)
        return;
    if (f->file)
        fclose(f->file);
    message_release(&f->kept);
    free(f);
}

static strata_status io_failed(struct strata_error *err)
{
    return strata_fail(err, STRATA_EIO, NULL, 0, 0,
                       "the temporary file of results cannot be used: %s; make room where "
                       "temporary files lie.",
                       strerror(errno));
}

static bool append(struct strata_result_file *f, const void *bytes, size_t n)
{
    if (f->file)
        return !fseeko(f->file, (off_t)f->end, SEEK_SET) && fwrite(bytes, 1, n, f->file) == n;
    message_put_bytes(&f->kept, bytes, n);
    return !f->kept.bad;
}

strata_status strata_result_file_add(struct strata_result_file *f, const struct strata_result *r,
                                     uint64_t *place, struct strata_error *err)
{
    struct message m = {0};
    message_put_number(&m, 0);
    result_put(&m, r);
    if (m.bad) {
        message_release(&m);
        return strata_no_memory(err, r->trace, "for the result of this launch");
    }
    uint64_t length = m.length - sizeof length;
    memcpy(m.data, &length, sizeof length);
    *place = f->end;
    bool good = append(f, m.data, m.length);
    f->end += good ? m.length : 0;
    message_release(&m);
    return good      ? STRATA_OK
           : f->file ? io_failed(err)
                     : strata_no_memory(err, r->trace, "for the result of this launch");
}

static bool read_at(struct strata_result_file *f, uint64_t at, void *out, size_t n)
{
    if (f->file)
        return !fseeko(f->file, (off_t)at, SEEK_SET) && fread(out, 1, n, f->file) == n;
    memcpy(out, f->kept.data + at, n);
    return true;
}

/* The bytes of a result; data is NULL if there is no memory for them. */
static bool read_message(struct strata_result_file *f, uint64_t place, struct message *m)
{
    uint64_t length;
    if (!read_at(f, place, &length, sizeof length))
        return false;
    m->data = malloc(length + 1);
    m->length = m->data ? length : 0;
    return !m->data || read_at(f, place + sizeof length, m->data, length);
}

strata_status strata_result_file_get(struct strata_result_file *f, uint64_t place,
                                     const struct strata_launch *launch, struct strata_result *out,
                                     struct strata_error *err)
{
    struct message m = {0};
    strata_status status = strata_result_init(out, launch, err);
    if (status != STRATA_OK)
        return status;
    if (!read_message(f, place, &m))
        status = io_failed(err);
    else if (m.data)
        result_get(&m, out);
    if (status == STRATA_OK && (!m.data || m.bad))
        status = strata_no_memory(err, launch->trace, "for the result of this launch");
    message_release(&m);
    if (status != STRATA_OK)
        strata_result_release(out);
    return status;
}
