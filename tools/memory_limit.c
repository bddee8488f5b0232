/* memory_limit.c - one limit of the process; the library tells what did not fit. */
#include "memory_limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

bool limit_memory(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit))
        return false;
    limit.rlim_cur =
        limit.rlim_max == RLIM_INFINITY || bytes < limit.rlim_max ? (rlim_t)bytes : limit.rlim_max;
    return !setrlimit(RLIMIT_DATA, &limit);
}

void unlimit_memory(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_DATA, &limit);
}

/* UINT64_MAX where there is no limit. */
static uint64_t control_group_bytes(void)
{
    uint64_t bytes = UINT64_MAX;
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "re");
    if (f && fscanf(f, "%" SCNu64, &bytes) != 1)
        bytes = UINT64_MAX; /* "max" */
    if (f)
        fclose(f);
    return bytes;
}

void limit_memory_by_default(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t group = control_group_bytes();
    if (pages <= 0 || page <= 0)
        return;
    uint64_t all = (uint64_t)pages * (uint64_t)page;
    limit_memory((all < group ? all : group) / 4 * 3);
}
