/* proc_address.c - functions by name and version: cuGetProcAddress. This file must not see the
 * prototypes, since the table only takes addresses. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cuda/proc_address.h"

#define ROW(symbol, name, version, per_thread) int symbol(void);
#include "cuda/names.h"
#undef ROW

static const struct row {
    const char *symbol, *name;
    int version;
    bool per_thread;
    int (*function)(void);
} table[] = {
#define ROW(symbol, name, version, per_thread) {#symbol, #name, version, per_thread, symbol},
#include "cuda/names.h"
};
#define N_ROWS (sizeof table / sizeof table[0])

/* The newest form that is not newer than asked for; a form per thread where there is one and it is
 * wanted. */
void *proc_find(const char *name, int version, bool per_thread, bool *any_version)
{
    const struct row *best = NULL;
    *any_version = false;
    for (size_t i = 0; i < N_ROWS; i++) {
        const struct row *r = &table[i];
        if (strcmp(r->name, name) || (r->per_thread && !per_thread))
            continue;
        *any_version = true;
        if (r->version > version)
            continue;
        if (!best ||
            (r->per_thread == best->per_thread ? r->version > best->version : r->per_thread))
            best = r;
    }
    return best ? (void *)(uintptr_t)best->function : NULL;
}

const char *proc_name(size_t i)
{
    return i < N_ROWS ? table[i].symbol : NULL;
}
