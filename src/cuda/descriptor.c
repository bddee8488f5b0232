/* descriptor.c - see descriptor.h. */
#include "cuda/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* High enough to be out of the way, low enough that the kernel's table stays small. */
#define HIGHEST_FLOOR 960

static int floor_of_ours(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur < 64)
        return 3;
    return limit.rlim_cur - 32 < HIGHEST_FLOOR ? (int)limit.rlim_cur - 32 : HIGHEST_FLOOR;
}

/* Moves a fresh descriptor up; the low number becomes free again. */
static int move_up(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, floor_of_ours());
    if (high < 0)
        return fd;
    close(fd);
    return high;
}

static char *absolute(const char *path)
{
    char here[PATH_MAX], *out = NULL;
    if (path[0] == '/')
        return strdup(path);
    if (!getcwd(here, sizeof here))
        return NULL;
    size_t n = strlen(here) + strlen(path) + 2;
    out = malloc(n);
    if (out) {
        strcpy(out, here);
        strcat(out, "/");
        strcat(out, path);
    }
    return out;
}

bool descriptor_open(struct descriptor *d, const char *path, int flags, mode_t mode)
{
    struct stat info;
    *d = (struct descriptor){.fd = -1, .flags = flags & ~(O_CREAT | O_EXCL | O_TRUNC)};
    d->path = absolute(path);
    if (!d->path)
        return false;
    int fd = open(d->path, flags | O_CLOEXEC, mode);
    if (fd < 0 || fstat(fd, &info)) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        free(d->path);
        d->path = NULL;
        errno = why;
        return false;
    }
    d->fd = move_up(fd);
    d->device = info.st_dev;
    d->inode = info.st_ino;
    return true;
}

static bool is_ours(const struct descriptor *d, int fd)
{
    struct stat info;
    return !fstat(fd, &info) && info.st_dev == d->device && info.st_ino == d->inode;
}

bool descriptor_check(struct descriptor *d)
{
    if (!d->path)
        return false;
    if (d->fd >= 0 && is_ours(d, d->fd))
        return true;
    d->fd = -1; /* the number is the program's now: not ours to close */
    int fd = open(d->path, d->flags | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    if (!is_ours(d, fd)) {
        close(fd);
        errno = ENOENT;
        return false;
    }
    d->fd = move_up(fd);
    return true;
}

bool descriptor_write_at(struct descriptor *d, const void *bytes, size_t n, uint64_t offset)
{
    const char *at = bytes;
    if (!descriptor_check(d))
        return false;
    while (n) {
        ssize_t done = pwrite(d->fd, at, n, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        offset += (uint64_t)done;
        n -= (size_t)done;
    }
    return true;
}

bool descriptor_close(struct descriptor *d)
{
    bool ok = true;
    if (d->path && d->fd >= 0 && is_ours(d, d->fd))
        ok = !close(d->fd);
    descriptor_forget(d);
    return ok;
}

void descriptor_forget(struct descriptor *d)
{
    free(d->path);
    d->path = NULL;
    d->fd = -1;
}
