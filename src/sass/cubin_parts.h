/* cubin_parts.h - between the files that take a cubin apart. */
#ifndef STRATA_SASS_CUBIN_PARTS_H
#define STRATA_SASS_CUBIN_PARTS_H

#include "sass/cubin.h"

struct sass_kernel *sass_find_kernel(struct sass_cubin *c, const char *name);
/* Attributes of .nv.info and .nv.info.<kernel>. What is damaged is left out; false: no memory. */
bool sass_read_info(struct sass_cubin *c);
/* Source lines of .debug_line. What is damaged is left out; false: no memory. */
bool sass_read_lines(struct sass_cubin *c);

#endif
