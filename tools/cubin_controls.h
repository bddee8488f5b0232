/* cubin_controls.h - control codes of machine code, from cubins, for traces that lack them. */
#ifndef STRATA_TOOLS_CUBIN_CONTROLS_H
#define STRATA_TOOLS_CUBIN_CONTROLS_H

#include <strata/sass.h>
#include <strata/trace.h>

#include "options.h"

struct cubin_controls {
    const struct option_list *path;
    struct strata_sass **file;      /* one for each path */
    struct strata_sass_line *lines; /* of the launch's kernel, by address; NULL: it is in no file */
    uint32_t n_lines;
    const char *where;          /* the file they are from */
    size_t n_launches, n_found; /* launches seen, and those whose kernel is there */
};

strata_status cubin_controls_open(struct cubin_controls *c, const struct option_list *paths,
                                  struct strata_error *err);
void cubin_controls_close(struct cubin_controls *c);
/* Finds the kernel of a launch and tells its architecture in *launch. */
strata_status cubin_controls_launch(struct cubin_controls *c, struct strata_launch *launch,
                                    struct strata_error *err);
/* A strata_control_source whose context is the struct. */
strata_status cubin_controls_of(void *context, const struct strata_launch *launch,
                                const struct strata_inst *inst, struct strata_control *out,
                                struct strata_error *err);
/* STRATA_EMISMATCH if no launch's kernel was in the files. */
strata_status cubin_controls_check(const struct cubin_controls *c, struct strata_error *err);

#endif
