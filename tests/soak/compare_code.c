/* compare_code.c - runs kernels of a PTX file and of a cubin on the same data and compares the
 * memory they leave: compare_code PTX CUBIN KERNEL... A kernel reads 16 words a thread from its
 * first buffer and writes 64 to its second. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/ptx.h>
#include <strata/sass.h>

#define THREADS   64
#define BLOCKS    2
#define IN_BYTES  (THREADS * BLOCKS * 64)
#define OUT_BYTES (THREADS * BLOCKS * 256)

static void stop(const struct strata_error *err)
{
    char text[1300];
    strata_error_text(err, text, sizeof text);
    printf("%s\n", text);
    exit(2);
}

static char *read_whole(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *bytes = f && !fseek(f, 0, SEEK_END) ? malloc((size_t)ftell(f) + 1) : NULL;
    if (!bytes) {
        printf("%s cannot be read\n", path);
        exit(2);
    }
    size_t n = (size_t)ftell(f);
    rewind(f);
    *length = fread(bytes, 1, n, f);
    bytes[*length] = 0;
    fclose(f);
    return bytes;
}

static void run(struct strata_module *m, const char *kernel, uint32_t *in, uint32_t *out)
{
    struct strata_error err;
    struct strata_run_options opt;
    void *params[] = {in, out};
    struct strata_kernel_launch launch = {.entry = strata_module_entry_find(m, kernel),
                                          .grid = {BLOCKS, 1, 1},
                                          .block = {THREADS, 1, 1},
                                          .params = params};
    uint64_t seed = 7;
    if (!launch.entry) {
        printf("there is no kernel \"%s\"\n", kernel);
        exit(2);
    }
    for (size_t i = 0; i < IN_BYTES / 4; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        in[i] = (uint32_t)(seed >> 33) ^ (uint32_t)(seed >> 20);
    }
    memset(out, 0, OUT_BYTES);
    strata_run_options_init(&opt);
    opt.threads = 1;
    opt.instruction_limit = 50000000;
    if (strata_module_run(m, &launch, &opt, NULL, &err) != STRATA_OK)
        stop(&err);
}

/* Whether both leave the same; says where not. */
static bool same(struct strata_module *ptx, struct strata_module *sass, const char *kernel,
                 uint32_t *in, uint32_t *out, uint32_t *expected)
{
    run(ptx, kernel, in, out);
    memcpy(expected, out, OUT_BYTES);
    run(sass, kernel, in, out);
    for (size_t i = 0; i < OUT_BYTES / 4; i++)
        if (out[i] != expected[i]) {
            printf("%s: word %zu of thread %zu: PTX leaves 0x%08x, machine code 0x%08x\n", kernel,
                   i % 64, i / 64, expected[i], out[i]);
            return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    struct strata_arena *arena;
    struct strata_module *ptx, *sass;
    struct strata_error err;
    size_t length;
    bool all_same = true;
    if (argc < 4) {
        printf("usage: compare_code PTX CUBIN KERNEL...\n");
        return 2;
    }
    if (strata_arena_create(1u << 28, &arena, &err) != STRATA_OK)
        stop(&err);
    struct strata_device_memory memory = strata_arena_memory(arena);
    uint32_t *in = strata_arena_allocate(arena, IN_BYTES, 256);
    uint32_t *out = strata_arena_allocate(arena, OUT_BYTES, 256), *expected = malloc(OUT_BYTES);
    char *text = read_whole(argv[1], &length);
    struct strata_ptx_source source = {text, length, argv[1]};
    if (!in || !out || !expected ||
        strata_ptx_module_create(&source, 1, &memory, &ptx, &err) != STRATA_OK)
        stop(&err);
    char *cubin = read_whole(argv[2], &length);
    if (strata_sass_module_create(cubin, length, argv[2], &memory, &sass, &err) != STRATA_OK)
        stop(&err);
    for (int i = 3; i < argc; i++)
        all_same = same(ptx, sass, argv[i], in, out, expected) && all_same;
    strata_module_destroy(ptx);
    strata_module_destroy(sass);
    free(text);
    free(cubin);
    free(expected);
    strata_arena_destroy(arena);
    return all_same ? 0 : 1;
}
