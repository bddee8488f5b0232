/* object.c - the handles that are alive, so that a stale or invented one is told apart from a good
 * one without reading what it points to. */
#include "cuda/driver.h"

#include <stdlib.h>

/* Open addressing; a removed place keeps TOMB so that searches go on past it. */
static struct object **table;
static size_t n_used, n_live, capacity;
static struct object tomb;
#define TOMB (&tomb)

static size_t place(const void *handle)
{
    uint64_t x = (uint64_t)(uintptr_t)handle;
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull; /* any odd constant that spreads the bits */
    x ^= x >> 33;
    return (size_t)x & (capacity - 1);
}

static struct object **find(const void *handle)
{
    if (!capacity || !handle)
        return NULL;
    for (size_t i = place(handle); table[i]; i = (i + 1) & (capacity - 1))
        if (table[i] == handle)
            return &table[i];
    return NULL;
}

static void put(struct object *o)
{
    size_t i = place(o);
    while (table[i])
        i = (i + 1) & (capacity - 1);
    table[i] = o;
    n_used++;
}

static bool grow(void)
{
    struct object **old = table;
    size_t n = capacity;
    size_t wanted = n_live * 4 < 64 ? 64 : n;
    while (wanted < n_live * 4)
        wanted *= 2;
    struct object **fresh = calloc(wanted, sizeof *fresh);
    if (!fresh)
        return false;
    table = fresh;
    capacity = wanted;
    n_used = 0;
    for (size_t i = 0; i < n; i++)
        if (old[i] && old[i] != TOMB)
            put(old[i]);
    free(old);
    return true;
}

bool object_add(struct object *o, enum object_kind kind, CUcontext owner,
                void (*destroy)(struct object *))
{
    if ((n_used + 1) * 2 > capacity && !grow())
        return false;
    *o = (struct object){kind, owner, destroy};
    put(o);
    n_live++;
    return true;
}

bool object_is(const void *handle, enum object_kind kind)
{
    struct object **at = find(handle);
    return at && (*at)->kind == kind;
}

void object_remove(struct object *o)
{
    struct object **at = find(o);
    if (!at)
        return;
    *at = TOMB;
    n_live--;
}

/* Destroying one object may destroy others (a module its kernels), never add any. */
void object_destroy_owned(CUcontext owner)
{
    for (size_t i = 0; i < capacity; i++) {
        struct object *o = table[i];
        if (o && o != TOMB && o->owner == owner)
            o->destroy(o);
    }
}
