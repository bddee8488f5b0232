/* memory_room.c - the machine's memory and the limit of this process. */
#include "base/memory_room.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

uint64_t memory_room_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t room = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    struct rlimit limit;
    if (!getrlimit(RLIMIT_DATA, &limit) && limit.rlim_cur != RLIM_INFINITY &&
        (uint64_t)limit.rlim_cur < room)
        room = (uint64_t)limit.rlim_cur;
    return room;
}

const char *memory_size_text(uint64_t bytes, char *out, size_t size)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t i = 0;
    while (i < 4 && value >= 1024) {
        value /= 1024;
        i++;
    }
    snprintf(out, size, i ? "%.1f %s" : "%.0f %s", value, unit[i]);
    return out;
}

strata_status memory_room_check(uint64_t bytes, const char *what, struct strata_error *err)
{
    char need[32], room[32];
    uint64_t most = memory_room_bytes();
    if (bytes <= most)
        return STRATA_OK;
    return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0,
                       "%s would take %s of memory, but there are %s (--memory-limit).", what,
                       memory_size_text(bytes, need, sizeof need),
                       memory_size_text(most, room, sizeof room));
}
