/* strata/files.h - output that appears when it is complete.
 *
 * What is written goes to a temporary name in the target's folder first and is renamed when it is
 * whole. The name cannot be guessed and is created exclusively, so that nobody who may write into
 * the folder can put a link in its place. Only devices, pipes and names of open files are written
 * as they stand. Thread-safe. */
#ifndef STRATA_FILES_H
#define STRATA_FILES_H

#include <stdbool.h>
#include <stdio.h>

/* A device, a pipe, or what stands for an open file (/dev/stdout, /proc/self/fd/1): renaming would
 * put a plain file in its place. A plain file is not, wherever it lies (/dev/shm). */
bool strata_path_is_special(const char *path);

/* "PATH.tmp." and sixteen random digits, without the slashes a folder's name ends with; freed by
 * the caller. NULL without memory. */
char *strata_temporary_name(const char *path);

/* Creates that file for writing; NULL with errno where it exists already, even as a link. Closed on
 * exec. */
FILE *strata_temporary_open(const char *name);

#endif
