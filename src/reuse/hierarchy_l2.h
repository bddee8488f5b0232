/* hierarchy_l2.h - between hierarchy.c (L1) and hierarchy_l2.c (everything behind the crossbar). */
#ifndef STRATA_REUSE_HIERARCHY_L2_H
#define STRATA_REUSE_HIERARCHY_L2_H

#include "reuse/hierarchy.h"

uint64_t reuse_hierarchy_l2_read(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                                 uint64_t t);
void reuse_hierarchy_l2_write(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                              uint32_t full, uint64_t t);
uint64_t reuse_hierarchy_l2_atomic(struct hierarchy *h, uint32_t sm, uint64_t line,
                                   uint32_t sectors, uint32_t packets, uint64_t t);
/* The far partition will be asked for a line, if that is its home. */
void reuse_hierarchy_l2_expect(const struct hierarchy *h, uint32_t part, uint64_t line);

#endif
