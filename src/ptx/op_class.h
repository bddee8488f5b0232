/* op_class.h - which class of the trace a PTX instruction is. */
#ifndef STRATA_PTX_OP_CLASS_H
#define STRATA_PTX_OP_CLASS_H

#include "ptx/ast.h"

/* enum strata_opclass; entry: it stands in a kernel, not in a function. */
unsigned ptx_op_class(const struct ptx_op *op, bool entry);
/* st.async and red.async: what others wait for is that the bytes are there. */
bool ptx_tells_barrier(const struct ptx_op *op);

#endif
