/* nvtx.c - ranges that a program marks with NVTX, for `strata trace --nvtx-include`.
 *
 * A program's NVTX header loads the library that NVTX_INJECTION64_PATH names and calls its
 * InitializeInjectionNvtx2, which puts its functions where the program will call them. `strata
 * trace` names this library. The numbers below are those of NVTX's interface between the two,
 * version 3. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

enum { CALLBACK_TABLE = 1, MODULE_CORE = 1, MODULE_CORE2 = 5 };
enum { START_EX = 4, START_A = 5, END = 7, PUSH_EX = 8, PUSH_A = 9, POP = 11 };
enum { D_START_EX = 2, D_END = 3, D_PUSH_EX = 4, D_POP = 5, D_REGISTER_A = 10 };
enum { MESSAGE_ASCII = 1, MESSAGE_REGISTERED = 3, DEEPEST = 64 };

struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_kind;
    uint32_t color;
    int32_t payload_kind, reserved;
    uint64_t payload;
    int32_t message_kind;
    const char *message; /* the text, or what register_string returned */
};

typedef void function(void);
struct callbacks {
    size_t struct_bytes;
    int (*functions_of)(int module, function ****table,
                        unsigned *n); /* pointers to where functions go */
};

static char wanted[256];
static bool push_pop, start_end; /* which kinds of ranges may match */

/* Push and pop nest within a thread; start and end do not, and count for all threads. */
static _Thread_local bool stack[DEEPEST];
static _Thread_local int depth, n_inside;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static uint64_t n_started, open_id[DEEPEST];
static int n_open;

bool nvtx_inside(void)
{
    pthread_mutex_lock(&lock);
    bool inside = n_inside > 0 || n_open > 0;
    pthread_mutex_unlock(&lock);
    return inside;
}

static int push(const char *name)
{
    bool match = push_pop && name && !strcmp(name, wanted);
    if (depth < DEEPEST)
        stack[depth] = match;
    n_inside += match && depth < DEEPEST;
    return depth++;
}

static int pop(void)
{
    if (depth > 0 && --depth < DEEPEST)
        n_inside -= stack[depth];
    return depth;
}

static uint64_t start(const char *name)
{
    pthread_mutex_lock(&lock);
    uint64_t id = ++n_started;
    if (start_end && name && !strcmp(name, wanted) && n_open < DEEPEST)
        open_id[n_open++] = id;
    pthread_mutex_unlock(&lock);
    return id;
}

static void end(uint64_t id)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n_open; i++)
        if (open_id[i] == id) {
            open_id[i] = open_id[--n_open];
            break;
        }
    pthread_mutex_unlock(&lock);
}

static const char *name_of(const struct attributes *a)
{
    return a && (a->message_kind == MESSAGE_ASCII || a->message_kind == MESSAGE_REGISTERED)
               ? a->message
               : NULL;
}

/* ---- in the shapes the program calls ---- */

static int push_ex(const struct attributes *a)
{
    return push(name_of(a));
}

static uint64_t start_ex(const struct attributes *a)
{
    return start(name_of(a));
}

static int domain_push_ex(void *domain, const struct attributes *a)
{
    (void)domain;
    return push(name_of(a));
}

static int domain_pop(void *domain)
{
    (void)domain;
    return pop();
}

static uint64_t domain_start_ex(void *domain, const struct attributes *a)
{
    (void)domain;
    return start(name_of(a));
}

static void domain_end(void *domain, uint64_t id)
{
    (void)domain;
    end(id);
}

/* Registered strings live as long as the program: that is what they are for. */
static const char *register_string(void *domain, const char *text)
{
    (void)domain;
    return text ? strdup(text) : NULL;
}

struct entry {
    unsigned id;
    function *call;
};

static void put(const struct callbacks *c, int module, const struct entry *entries, size_t n)
{
    function ***table;
    unsigned size;
    if (!c->functions_of(module, &table, &size))
        return;
    for (size_t i = 0; i < n; i++)
        if (entries[i].id < size && table[entries[i].id])
            *table[entries[i].id] = entries[i].call;
}

/* "NAME/" is a range of push and pop, as in Nsight Compute; "NAME" one of either kind. */
static void read_wanted(const char *words)
{
    size_t n = strlen(words);
    bool slash = n && words[n - 1] == '/';
    snprintf(wanted, sizeof wanted, "%.*s", (int)(n - slash), words);
    push_pop = true;
    start_end = !slash;
}

int InitializeInjectionNvtx2(const void *(*table_of)(uint32_t id));
__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*table_of)(uint32_t id))
{
    const char *words = getenv("STRATA_TRACE_NVTX");
    const struct callbacks *c = table_of(CALLBACK_TABLE);
    if (!words || !c || c->struct_bytes < sizeof *c)
        return 0;
    read_wanted(words);
    const struct entry core[] = {{START_EX, (function *)start_ex}, {START_A, (function *)start},
                                 {END, (function *)end},           {PUSH_EX, (function *)push_ex},
                                 {PUSH_A, (function *)push},       {POP, (function *)pop}};
    const struct entry core2[] = {{D_START_EX, (function *)domain_start_ex},
                                  {D_END, (function *)domain_end},
                                  {D_PUSH_EX, (function *)domain_push_ex},
                                  {D_POP, (function *)domain_pop},
                                  {D_REGISTER_A, (function *)register_string}};
    put(c, MODULE_CORE, core, sizeof core / sizeof core[0]);
    put(c, MODULE_CORE2, core2, sizeof core2 / sizeof core2[0]);
    return 1;
}
