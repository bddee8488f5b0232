/* descriptor.h - a file descriptor of ours inside a program that is not.
 *
 * A traced program may close every descriptor it did not open and then get our number for a file of
 * its own. So ours have high numbers, are closed on exec, and are checked before each use: if the
 * number no longer means our file, the file is opened again by its name. */
#ifndef STRATA_CUDA_DESCRIPTOR_H
#define STRATA_CUDA_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct descriptor {
    int fd;     /* -1: closed */
    int flags;  /* of open, without those that create or truncate */
    char *path; /* absolute */
    dev_t device;
    ino_t inode;
};

/* False: errno says why. */
bool descriptor_open(struct descriptor *d, const char *path, int flags, mode_t mode);
/* False: the descriptor was closed behind our back and the file cannot be found again. */
bool descriptor_check(struct descriptor *d);
/* All of it at this offset; false: errno. */
bool descriptor_write_at(struct descriptor *d, const void *bytes, size_t n, uint64_t offset);
/* False: closing reported an error (errno). */
bool descriptor_close(struct descriptor *d);
/* In a forked child: the number stays open there, harmless; the path is forgotten. */
void descriptor_forget(struct descriptor *d);

#endif
