/* temporary.c - names for output that is not complete yet. */
#include <strata/files.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool begins_with(const char *text, const char *word)
{
    return !strncmp(text, word, strlen(word));
}

bool strata_path_is_special(const char *path)
{
    struct stat info;
    if (begins_with(path, "/proc/") || begins_with(path, "/dev/fd/") ||
        !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/stderr"))
        return true;
    return !stat(path, &info) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* Where the kernel has no random bytes yet, exclusive creation alone keeps strangers out. */
static uint64_t random_number(void)
{
    uint64_t number;
    struct timespec now;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
        return number;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 20;
}

char *strata_temporary_name(const char *path)
{
    char *name = NULL;
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    return asprintf(&name, "%.*s.tmp.%016" PRIx64, (int)n, path, random_number()) < 0 ? NULL : name;
}

FILE *strata_temporary_open(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (fd >= 0 && !f)
        close(fd);
    return f;
}
