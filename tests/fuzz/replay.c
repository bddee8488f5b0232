/* replay.c - runs every input of a fuzz target's corpus through it once: the named files of a
 * folder, and those of the archive FOLDER.tar.xz (scripts/corpus) beside it. */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>

#define TAR_BLOCK 512u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give_up(const char *what, const char *path)
{
    fprintf(stderr, "%s %s\n", path, what);
    exit(1);
}

/* Every input has an allocation of its own, so that a sanitizer sees a read past its end. */
static void run_input(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        give_up("needs more memory than there is", "an input");
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    long length = -1;
    if (f && !fseek(f, 0, SEEK_END) && (length = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET))
        data = malloc((size_t)length + 1);
    if (!data || fread(data, 1, (size_t)length, f) != (size_t)length)
        give_up("cannot be read", path);
    fclose(f);
    *size = (size_t)length;
    return data;
}

static int run_folder(const char *folder)
{
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        char path[4096];
        size_t size;
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        uint8_t *data = read_whole(path, &size);
        run_input(data, size);
        free(data);
        n++;
    }
    if (d)
        closedir(d);
    return n;
}

/* The bytes of an .xz file; the caller frees them. */
static uint8_t *decompress(const char *path, size_t *size)
{
    size_t packed_size, room = 1 << 20;
    uint8_t *packed = read_whole(path, &packed_size), *data = NULL;
    for (lzma_ret ret = LZMA_BUF_ERROR; ret == LZMA_BUF_ERROR; room *= 2) {
        uint64_t memory = UINT64_MAX;
        size_t at = 0;
        *size = 0;
        free(data);
        data = malloc(room);
        ret = data ? lzma_stream_buffer_decode(&memory, 0, NULL, packed, &at, packed_size, data,
                                               size, room)
                   : LZMA_MEM_ERROR;
        if (ret != LZMA_OK && ret != LZMA_BUF_ERROR)
            give_up("is no whole .xz file", path);
    }
    free(packed);
    return data;
}

static int run_archive(const char *path)
{
    size_t size;
    int n = 0;
    uint8_t *tar = decompress(path, &size);
    for (size_t at = 0; at + TAR_BLOCK <= size && tar[at];) {
        char octal[13] = "";
        memcpy(octal, tar + at + 124, 12);
        size_t length = strtoul(octal, NULL, 8);
        at += TAR_BLOCK;
        if (length > size - at)
            give_up("is cut short", path);
        run_input(tar + at, length);
        n++;
        at += (length + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    free(tar);
    return n;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        give_up("takes the folder of a corpus", argv[0]);
    char archive[4096];
    snprintf(archive, sizeof archive, "%s.tar.xz", argv[1]);
    FILE *packed = fopen(archive, "rb");
    int n = run_folder(argv[1]);
    if (packed) {
        fclose(packed);
        n += run_archive(archive);
    }
    printf("corpus: %d passed, 0 failed\n", n);
    return n ? 0 : 1;
}
