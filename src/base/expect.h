/* expect.h - memory that will be needed soon is asked for ahead.
 *
 * Changes nothing but the time the program takes. GCC holds a function that does nothing but
 * prefetch for one without effect and drops the calls of it: the empty asm, which makes no
 * instruction, keeps them. */
#ifndef STRATA_BASE_EXPECT_H
#define STRATA_BASE_EXPECT_H

static inline void expect_read(const void *p)
{
    __builtin_prefetch(p);
    __asm__ volatile("" : : "r"(p));
}
static inline void expect_write(const void *p)
{
    __builtin_prefetch(p, 1);
    __asm__ volatile("" : : "r"(p));
}

#endif
