/* native_format.h - the functions of the native format's row in the table of formats. */
#ifndef STRATA_TRACE_NATIVE_FORMAT_H
#define STRATA_TRACE_NATIVE_FORMAT_H

#include "trace/native.h"
#include "trace/trace_internal.h"

bool native_probe(const char *path, bool is_folder, const uint8_t *head, size_t n_head);
strata_status native_open(struct strata_trace *t, struct strata_error *err);
void native_close(struct strata_trace *t);
strata_status native_reader_open(struct strata_reader *r, struct strata_error *err);
strata_status native_reader_next(struct strata_reader *r, struct strata_block **out,
                                 struct strata_error *err);
strata_status native_reader_seek(struct strata_reader *r, uint64_t block_index,
                                 struct strata_error *err);
void native_reader_close(struct strata_reader *r);

/* ORDER records (native_order.c). Unpacking fills what an event waits for and adds its edges to the
 * trace; false: they make no sense, or there is no memory. */
void native_pack_order(struct pack *b, const struct strata_order *order);
bool native_unpack_order(struct unpack *u, struct strata_trace *t, struct strata_event *event);

/* An open file: its records, from the index or from a scan. */
struct native_file {
    int fd;
    uint64_t bytes;
    struct native_record *record; /* LAUNCH, CODE, BLOCKS, LAUNCH_END and EVENT in file order */
    size_t n_record, cap_record;
    size_t *launch; /* the LAUNCH record of each launch; made by who opens a trace */
    size_t n_launch, cap_launch;
    bool scanned; /* the index was missing or damaged */
};

/* Fills *file from the file at `path`: checks the header, then index or scan. */
strata_status native_file_open(struct native_file *file, const char *path,
                               struct strata_error *err);
/* The same without the index: the records that are whole, also if the file ends too early, which is
 * the status then. */
strata_status native_file_scan(struct native_file *file, const char *path,
                               struct strata_error *err);
void native_file_close(struct native_file *file);
/* Reads and checks a record's payload into `payload` (its memory is reused). */
strata_status native_file_read(const struct native_file *file, const char *path,
                               const struct native_record *record, struct pack *payload,
                               struct strata_error *err);
strata_status native_damaged(struct strata_error *err, const char *path, uint64_t offset,
                             const char *what);

#endif
