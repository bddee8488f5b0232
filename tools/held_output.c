/* held_output.c - outputs of which nothing is seen until they are complete. */
#include "held_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strata/files.h>

/* ---- text ---- */

strata_status held_text_open(struct held_text *h, struct strata_error *err)
{
    memset(h, 0, sizeof *h);
    h->stream = tmpfile();
    if (!h->stream)
        h->stream = open_memstream(&h->text, &h->length);
    return h->stream ? STRATA_OK : strata_no_memory(err, NULL, "for the output");
}

/* False: what was written cannot be read back. */
static bool copy_held(struct held_text *h, FILE *to)
{
    char part[1 << 14];
    size_t n;
    if (fflush(h->stream) || ferror(h->stream))
        return false;
    if (h->text) {
        fwrite(h->text, 1, h->length, to);
        return true;
    }
    rewind(h->stream);
    while ((n = fread(part, 1, sizeof part, h->stream)))
        if (fwrite(part, 1, n, to) != n)
            break;
    return !ferror(h->stream);
}

strata_status held_text_give(struct held_text *h, FILE *to, struct strata_error *err)
{
    bool good = copy_held(h, to);
    int why = errno;
    held_text_discard(h);
    return good ? STRATA_OK
                : strata_fail(err, STRATA_EIO, NULL, 0, 0,
                              "the result could not be kept in a temporary file: %s; make room "
                              "where temporary files lie.",
                              strerror(why));
}

void held_text_discard(struct held_text *h)
{
    if (h->stream)
        fclose(h->stream);
    free(h->text);
    memset(h, 0, sizeof *h);
}

/* ---- outputs ---- */

/* What cannot be renamed, or removed if it fails. */
static bool is_held_back(const char *path)
{
    return !path || !strcmp(path, "-") || strata_path_is_special(path);
}

strata_status held_open(struct held_output *o, const char *path, struct strata_error *err)
{
    memset(o, 0, sizeof *o);
    o->path = path;
    return is_held_back(path) ? held_text_open(&o->text, err) : output_open(&o->file, path, err);
}

strata_status held_write(struct held_output *o, const char *text, size_t length,
                         struct strata_error *err)
{
    FILE *stream = o->text.stream ? o->text.stream : o->file.stream;
    if (fwrite(text, 1, length, stream) == length)
        return STRATA_OK;
    return strata_fail(err, STRATA_EIO, o->path, 0, 0,
                       "the result could not be written: %s; nothing was left under that name.",
                       strerror(errno));
}

static strata_status give_held_back(struct held_output *o, struct strata_error *err)
{
    struct output out;
    strata_status status = output_open(&out, o->path, err);
    if (status != STRATA_OK)
        return status;
    status = held_text_give(&o->text, out.stream, err);
    if (status == STRATA_OK)
        return output_commit(&out, err);
    output_discard(&out);
    return status;
}

strata_status held_commit(struct held_output *o, struct strata_error *err)
{
    strata_status status = o->text.stream ? give_held_back(o, err) : output_commit(&o->file, err);
    held_discard(o);
    return status;
}

void held_discard(struct held_output *o)
{
    held_text_discard(&o->text);
    output_discard(&o->file);
    o->path = NULL;
}
