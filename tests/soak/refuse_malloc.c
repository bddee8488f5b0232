/* refuse_malloc.c - loaded before a program (LD_PRELOAD), refuses one allocation of the program's
 * own code: the one with the number in STRATA_REFUSE_ALLOCATION, counted from 0. What libraries ask
 * for themselves is not counted. Says so on standard error, so that a run that has fewer is known.
 * With STRATA_TELL_LEAKS=FILE the places in the program whose blocks were not given back at its end
 * are written to FILE, a line "OFFSET BLOCKS" each. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *block);

static uintptr_t code_from, code_to, code_base;
static atomic_long countdown = -1;
static const char *leaks_file;

/* The first object is the program. */
static int find_code(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    code_base = info->dlpi_addr;
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
    leaks_file = getenv("STRATA_TELL_LEAKS");
    if (word)
        countdown = atol(word);
}

static bool is_own(uintptr_t caller)
{
    return caller >= code_from && caller < code_to;
}

static bool refuse(uintptr_t caller)
{
    static const char told[] = "strata: allocation refused\n";
    if (countdown < 0 || !is_own(caller) || atomic_fetch_sub(&countdown, 1) != 0)
        return false;
    ssize_t written = write(STDERR_FILENO, told, sizeof told - 1);
    (void)written;
    errno = ENOMEM;
    return true;
}

/* ---- blocks that were not given back: a table by address, searched from its hash on ---- */

#define N_SLOTS (1u << 21)
static struct {
    uintptr_t block, caller;
} slot[N_SLOTS];
static atomic_flag busy = ATOMIC_FLAG_INIT;

static uint32_t home_of(uintptr_t block)
{
    return (uint32_t)((uint64_t)(block >> 4) * 0x9e3779b97f4a7c15u >> 43);
}

static uint32_t find(uintptr_t block)
{
    uint32_t i = home_of(block);
    while (slot[i].block && slot[i].block != block)
        i = (i + 1) % N_SLOTS;
    return i;
}

static void lock_table(void)
{
    while (atomic_flag_test_and_set(&busy))
        ;
}

static void *note(void *block, uintptr_t caller)
{
    if (!leaks_file || !block || !is_own(caller))
        return block;
    lock_table();
    uint32_t i = find((uintptr_t)block);
    slot[i].block = (uintptr_t)block;
    slot[i].caller = caller;
    atomic_flag_clear(&busy);
    return block;
}

/* What was placed behind it because of it moves up. */
static void forget(const void *block)
{
    if (!leaks_file || !block)
        return;
    lock_table();
    uint32_t hole = find((uintptr_t)block);
    bool known = slot[hole].block != 0;
    slot[hole].block = 0;
    for (uint32_t i = (hole + 1) % N_SLOTS; known && slot[i].block; i = (i + 1) % N_SLOTS) {
        uint32_t home = home_of(slot[i].block);
        if ((i - home) % N_SLOTS < (i - hole) % N_SLOTS)
            continue;
        slot[hole] = slot[i];
        slot[i].block = 0;
        hole = i;
    }
    atomic_flag_clear(&busy);
}

__attribute__((destructor)) static void tell_leaks(void)
{
    int fd = leaks_file ? open(leaks_file, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    leaks_file = NULL;
    for (uint32_t i = 0; fd >= 0 && i < N_SLOTS; i++) {
        char line[64];
        unsigned blocks = 1;
        if (!slot[i].block)
            continue;
        for (uint32_t k = i + 1; k < N_SLOTS; k++)
            if (slot[k].block && slot[k].caller == slot[i].caller) {
                slot[k].block = 0;
                blocks++;
            }
        int n = snprintf(line, sizeof line, "%#lx %u\n",
                         (unsigned long)(slot[i].caller - code_base), blocks);
        ssize_t written = write(fd, line, (size_t)n);
        (void)written;
    }
}

/* ---- the C library's functions ---- */

#define CALLER ((uintptr_t)__builtin_return_address(0))

void *malloc(size_t size)
{
    return refuse(CALLER) ? NULL : note(__libc_malloc(size), CALLER);
}

void *calloc(size_t n, size_t size)
{
    return refuse(CALLER) ? NULL : note(__libc_calloc(n, size), CALLER);
}

void *realloc(void *old, size_t size)
{
    uintptr_t caller = CALLER;
    if (refuse(caller))
        return NULL;
    forget(old); /* before another thread can be given its place */
    void *block = __libc_realloc(old, size);
    note(block || !size ? block : old, caller);
    return block;
}

void free(void *block)
{
    forget(block);
    __libc_free(block);
}

char *strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = refuse(CALLER) ? NULL : note(__libc_malloc(n), CALLER);
    return copy ? memcpy(copy, text, n) : NULL;
}

char *strndup(const char *text, size_t most)
{
    size_t n = strnlen(text, most);
    char *copy = refuse(CALLER) ? NULL : note(__libc_malloc(n + 1), CALLER);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = 0;
    }
    return copy;
}
