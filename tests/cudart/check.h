// check.h - what the test programs share: CHECK counts failures, the last line tells the sum.
#ifndef CHECK_H
#define CHECK_H
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <cuda_runtime.h>

static int checks, failures;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        checks++;                                                                                  \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                       \
        }                                                                                          \
    } while (0)
#define OKAY(call) CHECK((call) == cudaSuccess)

static int finish(const char *name)
{
    printf("%s: %d checks, %d failed\n", name, checks, failures);
    return failures != 0;
}
#endif
