/* stream.h - bytes from and to a file that may be compressed.
 *
 * A source recognises .xz, .gz and .zst by their first bytes, never by the
 * name, and gives the plain bytes. Concatenated members of all three are read
 * as one stream, as their own tools do. A sink compresses. Both belong to one
 * thread. A source keeps a 64 KiB input buffer and the decoder's window. */
#ifndef STRATA_TRACE_STREAM_H
#define STRATA_TRACE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

enum stream_kind { STREAM_PLAIN = 0, STREAM_XZ, STREAM_GZ, STREAM_ZST, STREAM_N_KIND };

/* "" / ".xz" / ".gz" / ".zst" */
const char *stream_suffix(enum stream_kind kind);
/* The kind a file name asks for by its last suffix; STREAM_PLAIN if none. */
enum stream_kind stream_kind_of_name(const char *path);
/* The kind that a file's first bytes show. */
enum stream_kind stream_kind_of_bytes(const void *bytes, size_t n);

struct stream_source;
strata_status stream_source_open(const char *path, struct stream_source **out,
                                 struct strata_error *err);
/* Reads `n` bytes that the caller keeps alive; `name` stands in error messages. */
strata_status stream_source_open_memory(const char *name, const void *bytes, size_t n,
                                        struct stream_source **out, struct strata_error *err);
/* Fills `out` as far as the stream goes: *got < size only at its end. A compressed stream that is
 * damaged or stops in the middle is an error, even if bytes before the damage were good. */
strata_status stream_source_read(struct stream_source *s, void *out, size_t size, size_t *got,
                                 struct strata_error *err);
const char *stream_source_name(const struct stream_source *s);
enum stream_kind stream_source_kind(const struct stream_source *s);
void stream_source_close(struct stream_source *s); /* NULL is allowed */

struct stream_sink;
/* Creates or empties `path`; `level` 0 is the kind's default. `name` stands in error messages: what
 * the user called the file, if `path` is temporary; NULL: the path. */
strata_status stream_sink_open(const char *path, const char *name, enum stream_kind kind, int level,
                               struct stream_sink **out, struct strata_error *err);
strata_status stream_sink_write(struct stream_sink *s, const void *bytes, size_t n,
                                struct strata_error *err);
uint64_t stream_sink_bytes(const struct stream_sink *s); /* compressed bytes written so far */
/* Ends the stream and closes the file; frees the sink whatever happens. */
strata_status stream_sink_finish(struct stream_sink *s, struct strata_error *err);
/* Closes without ending the stream; what was written is not usable. NULL is allowed. */
void stream_sink_abort(struct stream_sink *s);

#endif
