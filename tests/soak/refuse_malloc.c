/* refuse_malloc.c - loaded before a program (LD_PRELOAD), refuses one allocation of the program's
 * own code: the one with the number in STRATA_REFUSE_ALLOCATION, counted from 0. What libraries ask
 * for themselves is not counted. Says so on standard error, so that a run that has fewer is known.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static uintptr_t code_from, code_to;
static atomic_long countdown = -1;

/* The first object is the program. */
static int find_code(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            code_from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            code_to = code_from + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *word = getenv("STRATA_REFUSE_ALLOCATION");
    dl_iterate_phdr(find_code, NULL);
    if (word)
        countdown = atol(word);
}

static bool refuse(const void *caller)
{
    static const char told[] = "strata: allocation refused\n";
    uintptr_t at = (uintptr_t)caller;
    if (countdown < 0 || at < code_from || at >= code_to || atomic_fetch_sub(&countdown, 1) != 0)
        return false;
    ssize_t written = write(STDERR_FILENO, told, sizeof told - 1);
    (void)written;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

char *strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = refuse(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

char *strndup(const char *text, size_t most)
{
    size_t n = strnlen(text, most);
    char *copy = refuse(__builtin_return_address(0)) ? NULL : __libc_malloc(n + 1);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = 0;
    }
    return copy;
}
