/* gpu_import.h - options of a gpgpusim.config as the importer sees them. */
#ifndef STRATA_GPU_IMPORT_H
#define STRATA_GPU_IMPORT_H

#include <strata/gpu.h>

struct gpgpusim_option {
    char *name;            /* with its dash */
    char *value;           /* white space and line breaks of a quoted value removed */
    uint32_t line, column; /* of the value */
    bool used;
};

struct gpgpusim_options {
    struct gpgpusim_option *item;
    size_t n, capacity;
};

/* `-option value`, # comments to the end of the line, quoted values may span lines; of several
 * occurrences of an option the last one stays. Release also after a failure. */
strata_status gpgpusim_options_read(const char *text, size_t length, const char *file,
                                    struct gpgpusim_options *out, struct strata_error *err);
void gpgpusim_options_release(struct gpgpusim_options *options);

#endif
