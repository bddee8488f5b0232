/* preload.c - loaded into every process that `strata trace` starts, before its own libraries.
 *
 * It sees to two things that the search path of the dynamic linker cannot:
 *  - a CUDA runtime that is linked into a program or library (nvcc's default). Its functions are
 *    found by name in the file's symbol table, and each gets a jump to the function of the same
 * name in Strata's libcudart as its first instruction. Nothing of that runtime runs then.
 *  - dlopen by a full path, or with a search path inside the caller: libcuda, libcudart and NVML
 * are Strata's whatever path is asked for. */
#include "preload/redirect.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void *open_function(const char *name, int flags);
static open_function *real_dlopen;
static char folder[PATH_MAX]; /* of this library */

#define MAX_SEEN 4096
static ElfW(Addr) seen[MAX_SEEN]; /* where objects lie that were looked at */
static size_t n_seen;

void *preload_open_ours(const char *name)
{
    char path[PATH_MAX + 64];
    void *loaded = real_dlopen(name, RTLD_NOW | RTLD_NOLOAD); /* before the program, as this one */
    if (loaded)
        return loaded;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (access(path, R_OK)) /* in the build folder each library has one of its own */
        snprintf(path, sizeof path, "%s/../cudart/%s", folder, name);
    return real_dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* ---- objects ---- */

static bool is_new(ElfW(Addr) base)
{
    for (size_t i = 0; i < n_seen; i++)
        if (seen[i] == base)
            return false;
    if (n_seen < MAX_SEEN)
        seen[n_seen++] = base;
    return true;
}

struct scan {
    struct {
        char path[PATH_MAX];
        ElfW(Addr) base;
    } found[64];
    size_t n;
};

/* Files are read afterwards: the linker's lock is held here. */
static int note_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct scan *s = data;
    (void)size;
    const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
    if (!is_new(info->dlpi_addr) || s->n == sizeof s->found / sizeof s->found[0])
        return 0;
    if (!strncmp(path, folder, strlen(folder)) || path[0] != '/')
        return 0;
    snprintf(s->found[s->n].path, sizeof s->found[0].path, "%s", path);
    s->found[s->n++].base = info->dlpi_addr;
    return 0;
}

static void look_at_objects(bool constructors_ran)
{
    static struct scan s;
    do {
        s.n = 0;
        dl_iterate_phdr(note_object, &s);
        for (size_t i = 0; i < s.n; i++)
            redirect_runtime(s.found[i].path, s.found[i].base, constructors_ran);
    } while (s.n == sizeof s.found / sizeof s.found[0]);
}

/* ---- dlopen ---- */

/* What stands in for a library, whatever folder is asked for; NULL: nothing. */
static const char *ours_for(const char *name)
{
    static const char *const exact[] = {"libcuda.so.1", "libcudart.so.13", "libcudart.so.12",
                                        "libcudart.so.11.0", "libnvidia-ml.so.1"};
    const char *slash = name ? strrchr(name, '/') : NULL, *base = slash ? slash + 1 : name;
    if (!base)
        return NULL;
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        if (!strcmp(base, exact[i]))
            return exact[i];
    return !strcmp(base, "libcuda.so")        ? "libcuda.so.1"
           : !strcmp(base, "libnvidia-ml.so") ? "libnvidia-ml.so.1"
                                              : NULL;
}

void *dlopen(const char *name, int flags);
__attribute__((visibility("default"))) void *dlopen(const char *name, int flags)
{
    const char *ours = ours_for(name);
    if (!real_dlopen)
        real_dlopen = (open_function *)(uintptr_t)dlsym(RTLD_NEXT, "dlopen");
    if (ours) {
        void *handle = preload_open_ours(ours);
        if (handle)
            return handle;
    }
    /* A bare name is searched in the caller's own paths: the last call of a function leaves the
     * caller visible. */
    if (!name || !strchr(name, '/'))
        return real_dlopen(name, flags);
    void *handle = real_dlopen(name, flags);
    if (handle)
        look_at_objects(true);
    return handle;
}

__attribute__((constructor)) static void start(void)
{
    Dl_info self;
    real_dlopen = (open_function *)(uintptr_t)dlsym(RTLD_NEXT, "dlopen");
    if (!dladdr((void *)(uintptr_t)start, &self) || !realpath(self.dli_fname, folder))
        return;
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    look_at_objects(false);
}
