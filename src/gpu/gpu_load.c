/* gpu_load.c - finding GPU files and reading them whole. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/gpu_internal.h"

#define MAX_FOLDERS 16

static char *folders[MAX_FOLDERS + 1];

strata_status strata_gpu_add_path(const char *folder, struct strata_error *err)
{
    for (size_t i = 0; folders[i]; i++)
        if (!strcmp(folders[i], folder))
            return STRATA_OK;
    if (folders[MAX_FOLDERS - 1])
        return strata_fail(err, STRATA_ELIMIT, folder, 0, 0,
                           "more than %d folders of GPU files were given.", MAX_FOLDERS);
    char *copy = strdup(folder);
    if (!copy)
        return strata_no_memory(err, folder, "for the folder's name");
    memmove(folders + 1, folders, (MAX_FOLDERS - 1) * sizeof folders[0]);
    folders[0] = copy;
    return STRATA_OK;
}

const char *strata_gpu_path(size_t i)
{
    return i < MAX_FOLDERS ? folders[i] : NULL;
}

static bool is_path(const char *name)
{
    const char *dot = strrchr(name, '.');
    return strchr(name, '/') || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")));
}

/* Whether there is such a file and it is not `except` under this or another name: a file may extend
 * the one of the same name further down the search list. */
static bool exists(const char *path, const char *except)
{
    struct stat st, own;
    if (stat(path, &st))
        return false;
    return !except || stat(except, &own) || st.st_ino != own.st_ino || st.st_dev != own.st_dev;
}

static strata_status put_path(char *path, size_t size, struct strata_error *err, const char *folder,
                              const char *name, const char *suffix)
{
    int n = snprintf(path, size, "%s%s%s%s", folder, *folder ? "/" : "", name, suffix);
    if (n < 0 || (size_t)n >= size)
        return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                           "the name of the GPU \"%.80s...\" is too long.", name);
    return STRATA_OK;
}

/* The name of the GPU file nearest to a misspelt name; false if none is near. */
static bool suggest_name(const char *name, char *best, size_t size)
{
    size_t least = 3;
    for (size_t i = 0; folders[i]; i++) {
        DIR *dir = opendir(folders[i]);
        struct dirent *entry;
        while (dir && (entry = readdir(dir))) {
            char word[64];
            const char *dot = strrchr(entry->d_name, '.');
            if (!dot || strcmp(dot, ".yaml") || (size_t)(dot - entry->d_name) >= sizeof word)
                continue;
            snprintf(word, sizeof word, "%.*s", (int)(dot - entry->d_name), entry->d_name);
            size_t d = strata_word_distance(name, word, least + 1);
            /* Of two equally near names the first in the alphabet, whatever the folder's order. */
            if (d < least || (d == least && d < 3 && strcmp(word, best) < 0)) {
                least = d;
                snprintf(best, size, "%s", word);
            }
        }
        if (dir)
            closedir(dir);
    }
    return least < 3;
}

/* Says where it looked: a wrong installation and a wrong name are then easy to tell apart. */
static strata_status not_found(const char *name, struct strata_error *err)
{
    char list[400] = "";
    for (size_t i = 0; folders[i]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", folders[i]);
    }
    char near[64];
    if (suggest_name(name, near, sizeof near))
        return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                           "there is no GPU \"%.80s\" in %s (did you mean \"%s\"?).", name, list,
                           near);
    if (exists(name, NULL))
        return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                           "there is no GPU \"%.80s\" in %s; write ./%.80s if that file is meant.",
                           name, list, name);
    return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                       "there is no GPU \"%.80s\" in %s; `strata gpu list` shows those there are.",
                       name, *list ? list : "(no folder given)");
}

static strata_status search(const char *name, const char *except, char *path, size_t size,
                            struct strata_error *err)
{
    for (size_t i = 0; folders[i]; i++) {
        strata_status status = put_path(path, size, err, folders[i], name, ".yaml");
        if (status != STRATA_OK || exists(path, except))
            return status;
    }
    return not_found(name, err);
}

strata_status strata_gpu_locate(const char *name, char *path, size_t size, struct strata_error *err)
{
    char lower[256];
    size_t n = strlen(name);
    if (is_path(name))
        return put_path(path, size, err, "", name, "");
    strata_status status = search(name, NULL, path, size, err);
    if (status == STRATA_OK || n >= sizeof lower)
        return status;
    for (size_t i = 0; i <= n; i++) /* "H200" is h200: our files have small letters */
        lower[i] = (char)tolower((unsigned char)name[i]);
    return strcmp(lower, name) && search(lower, NULL, path, size, NULL) == STRATA_OK ? STRATA_OK
                                                                                     : status;
}

strata_status gpu_locate_base(const char *base, const char *file, char *path, size_t size,
                              struct strata_error *err)
{
    const char *slash = strrchr(file, '/');
    char folder[1024];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
    if (is_path(base))
        return put_path(path, size, err, base[0] == '/' ? "" : folder, base, "");
    strata_status status = put_path(path, size, err, folder, base, ".yaml");
    if (status != STRATA_OK || exists(path, file))
        return status;
    return search(base, file, path, size, err);
}

/* Only regular files: a device or a pipe under that name could keep us for ever. */
static int open_regular(const char *path, size_t *size, struct strata_error *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) {
        strata_fail(err, STRATA_EIO, path, 0, 0, "the GPU file cannot be read: %s.",
                    strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        strata_fail(err, STRATA_EIO, path, 0, 0, "this is not a file; name a GPU file (.yaml).");
    } else if (st.st_size > GPU_FILE_LIMIT) {
        strata_fail(err, STRATA_ELIMIT, path, 0, 0,
                    "the file is larger than %u KiB, which no GPU file is.", GPU_FILE_LIMIT / 1024);
    } else {
        *size = (size_t)st.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

strata_status gpu_read_file(const char *path, unsigned depth, struct strata_gpu *gpu,
                            struct strata_error *err)
{
    size_t size, used = 0;
    struct strata_error why;
    int fd = open_regular(path, &size, &why);
    if (fd < 0)
        return strata_fail(err, why.status, why.file, 0, 0, "%s", why.message);
    char *text = malloc(size + 1);
    ssize_t n = 0;
    while (text && used < size && (n = read(fd, text + used, size - used)) > 0)
        used += (size_t)n;
    strata_status status;
    if (!text)
        status = strata_no_memory(err, path, "to read the file");
    else if (n < 0)
        status = strata_fail(err, STRATA_EIO, path, 0, 0, "the GPU file cannot be read: %s.",
                             strerror(errno));
    else
        status = gpu_read_text(text, used, path, depth, gpu, err);
    close(fd);
    free(text);
    return status;
}

/* "gpus/h200.yaml" -> "h200" */
static void name_after_file(struct strata_gpu *gpu, const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file,
               *dot = strrchr(base, '.');
    if (!gpu->name[0])
        snprintf(gpu->name, sizeof gpu->name, "%.*s", dot ? (int)(dot - base) : (int)strlen(base),
                 base);
}

static strata_status check_required(const struct strata_gpu *gpu, const char *file,
                                    struct strata_error *err)
{
    for (size_t i = 0; i < strata_gpu_n_keys(); i++)
        if (strata_gpu_key(i)->required && !gpu->origin[i].file)
            return strata_fail(err, STRATA_ECONFIG, file, 0, 0, "the key %s is missing (%s).",
                               strata_gpu_key(i)->path, strata_gpu_key(i)->help);
    return STRATA_OK;
}

static bool is_given(const struct strata_gpu *gpu, const char *path)
{
    return gpu->origin[strata_gpu_key_index(path)].file != 0;
}

/* A cache without sectors has sectors of a line, and a TLB has lines of a page. */
void gpu_follow(struct strata_gpu *gpu)
{
    if (!is_given(gpu, "l1.sector"))
        gpu->l1.cache.sector_bytes = gpu->l1.cache.line_bytes;
    if (!is_given(gpu, "l1.size") && gpu->l1.unified_bytes)
        gpu->l1.cache.size_bytes =
            gpu->l1.unified_bytes - (gpu->l1.n_carveout ? gpu->l1.carveout_bytes[0] : 0);
    if (!is_given(gpu, "l2.sector"))
        gpu->l2.cache.sector_bytes = gpu->l2.cache.line_bytes;
    if (!is_given(gpu, "texture.sector"))
        gpu->texture.cache.sector_bytes = gpu->texture.cache.line_bytes;
    if (!is_given(gpu, "readonly.sector"))
        gpu->readonly.cache.sector_bytes = gpu->readonly.cache.line_bytes;
    if (!is_given(gpu, "l2.fetch"))
        gpu->l2.fetch_bytes = gpu->l2.cache.sector_bytes;
    if (!is_given(gpu, "tlb.l1.line"))
        gpu->tlb.l1.line_bytes = (uint32_t)gpu->tlb.page_bytes;
    if (!is_given(gpu, "tlb.l1.sector"))
        gpu->tlb.l1.sector_bytes = gpu->tlb.l1.line_bytes;
    if (!is_given(gpu, "tlb.l2.line"))
        gpu->tlb.l2.line_bytes = (uint32_t)gpu->tlb.page_bytes;
    if (!is_given(gpu, "tlb.l2.sector"))
        gpu->tlb.l2.sector_bytes = gpu->tlb.l2.line_bytes;
}

static strata_status finish(struct strata_gpu *gpu, const char *file, struct strata_error *err)
{
    name_after_file(gpu, file);
    gpu_follow(gpu);
    strata_status status = check_required(gpu, file, err);
    return status == STRATA_OK ? strata_gpu_validate(gpu, file, err) : status;
}

strata_status strata_gpu_parse(const char *text, size_t length, const char *file,
                               struct strata_gpu *out, struct strata_error *err)
{
    strata_gpu_init(out);
    strata_status status = gpu_read_text(text, length, file, 0, out, err);
    return status == STRATA_OK ? finish(out, file, err) : status;
}

strata_status strata_gpu_load(const char *name_or_path, struct strata_gpu *out,
                              struct strata_error *err)
{
    char path[1024];
    strata_gpu_init(out);
    strata_status status = strata_gpu_locate(name_or_path, path, sizeof path, err);
    if (status == STRATA_OK)
        status = gpu_read_file(path, 0, out, err);
    return status == STRATA_OK ? finish(out, path, err) : status;
}
