/* bench_ptx.c - thread instructions a second of the emulator, of PTX or of a cubin: matrix product
 * and stencil, without and with recording, on one thread (processor time) and on two (elapsed
 * time). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <strata/ptx.h>
#include <strata/sass.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char *read_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return NULL;
    *length = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*length + 1);
    if (text && fread(text, 1, *length, f) != *length)
        *length = 0;
    fclose(f);
    return text;
}

static uint64_t trace_bytes;
static strata_status begin(void *user, const struct strata_code *code, struct strata_error *err)
{
    (void)user;
    (void)code;
    (void)err;
    return STRATA_OK;
}
static strata_status drop(void *user, struct strata_block *block, struct strata_error *err)
{
    (void)user;
    (void)err;
    trace_bytes += block->warp_offset[block->n_warps];
    strata_block_destroy(block);
    return STRATA_OK;
}

struct bench {
    struct strata_module *m;
    double limit, limit_recorded; /* million thread instructions a second that are wanted */
    struct strata_kernel_launch launch;
};

struct figure {
    double cpu, elapsed; /* million thread instructions a second */
};

static struct figure run(struct bench *b, uint32_t threads, bool record)
{
    struct strata_record_sink sink = {NULL, begin, drop};
    struct strata_run_options opt;
    struct strata_run_stats stats;
    struct strata_error err;
    struct figure best = {0, 0};
    strata_run_options_init(&opt);
    opt.threads = threads;
    opt.sink = record ? &sink : NULL;
    for (unsigned i = 0; i < 3; i++) {
        double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), elapsed = seconds(CLOCK_MONOTONIC);
        if (strata_module_run(b->m, &b->launch, &opt, &stats, &err) != STRATA_OK) {
            fprintf(stderr, "bench_ptx: %s\n", err.message);
            exit(3);
        }
        cpu = (double)stats.thread_instructions / (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e6;
        elapsed = (double)stats.thread_instructions / (seconds(CLOCK_MONOTONIC) - elapsed) / 1e6;
        best.cpu = cpu > best.cpu ? cpu : best.cpu;
        best.elapsed = elapsed > best.elapsed ? elapsed : best.elapsed;
    }
    return best;
}

static int report(const char *name, struct bench *b)
{
    struct figure plain = run(b, 1, false), recorded = run(b, 1, true);
    struct figure two = run(b, 2, false), two_recorded = run(b, 2, true);
    printf("%-8s one core %7.0f M/s (limit %.0f), recording %6.0f M/s (limit %.0f); two cores %.2f "
           "and %.2f times one, processor time %.2f and %.2f times\n",
           name, plain.cpu, b->limit, recorded.cpu, b->limit_recorded, two.elapsed / plain.elapsed,
           two_recorded.elapsed / recorded.elapsed, plain.cpu / two.cpu,
           recorded.cpu / two_recorded.cpu);
    return plain.cpu < b->limit || recorded.cpu < b->limit_recorded;
}

static strata_status load(struct bench *b, const char *text, size_t length, const char *name,
                          const struct strata_device_memory *memory, struct strata_error *err)
{
    struct strata_ptx_source source = {text, length, name};
    bool cubin = length > 4 && !memcmp(text, "\177ELF", 4);
    b->limit = cubin ? 300 : 100;
    b->limit_recorded = cubin ? 150 : 40;
    return cubin ? strata_sass_module_create(text, length, name, memory, &b->m, err)
                 : strata_ptx_module_create(&source, 1, memory, &b->m, err);
}

int main(int argc, char **argv)
{
    size_t length;
    char *text = argc > 1 ? read_file(argv[1], &length) : NULL;
    struct strata_arena *arena;
    struct strata_error err;
    struct bench b = {0};
    if (!text) {
        fprintf(stderr, "usage: bench_ptx matmul.ptx|matmul.cubin\n");
        return 2;
    }
    if (strata_arena_create(0, &arena, &err) != STRATA_OK)
        return 4;
    struct strata_device_memory memory = strata_arena_memory(arena);
    if (load(&b, text, length, argv[1], &memory, &err) != STRATA_OK) {
        fprintf(stderr, "bench_ptx: %s\n", err.message);
        return 3;
    }
    enum { N = 384, M = 2048 };
    float *in = strata_arena_allocate(arena, 4ull * M * M, 256);
    float *other = strata_arena_allocate(arena, 4ull * M * M, 256);
    float *out = strata_arena_allocate(arena, 4ull * M * M, 256);
    for (uint64_t i = 0; i < (uint64_t)M * M; i++)
        in[i] = other[i] = (float)(i % 17);
    struct {
        void *a, *b, *c;
        uint32_t n;
    } product = {in, other, out, N};
    struct {
        void *in, *out;
        uint32_t n;
    } stencil = {in, out, M};
    b.launch = (struct strata_kernel_launch){.entry = strata_module_entry_find(b.m, "matmul"),
                                             .grid = {N / 32, N / 8, 1},
                                             .block = {32, 8, 1},
                                             .params = &product};
    int bad = report("matmul", &b);
    b.launch = (struct strata_kernel_launch){.entry = strata_module_entry_find(b.m, "stencil"),
                                             .grid = {M / 32, M / 8, 1},
                                             .block = {32, 8, 1},
                                             .params = &stencil};
    bad |= report("stencil", &b);
    strata_module_destroy(b.m);
    strata_arena_destroy(arena);
    free(text);
    return bad;
}
