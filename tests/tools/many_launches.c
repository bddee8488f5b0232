/* many_launches.c - a trace of many small launches: what a program's length alone costs.
 *   many_launches OUT.strata LAUNCHES
 * Three kernels in turn, on arrays that come again, with a copy now and then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/trace.h>

enum { BLOCKS = 2, WARPS = 2, N_KERNELS = 3, LAUNCHES_A_COPY = 50, BYTES = 4096 };
#define ARRAYS 0x7f0000000000ull

static const struct {
    const char *name, *opcode;
} kernels[N_KERNELS] = {
    {"_Z4readPKfi", "LDG.E"}, {"_Z5writePfi", "STG.E"}, {"_Z10read_widerPK6float4i", "LDG.E.128"}};

static void check(strata_status status, const struct strata_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "many_launches: %s\n", err->message);
    exit(1);
}

static void write_blocks(struct strata_writer *w, struct strata_code *code, uint32_t width,
                         uint64_t array)
{
    struct strata_error err;
    struct strata_builder *b;
    struct strata_block *block;
    check(strata_builder_create(code, &b, &err), &err);
    for (uint32_t k = 0; k < BLOCKS; k++) {
        check(strata_builder_begin_block(b, k, WARPS, &err), &err);
        for (uint32_t i = 0; i < WARPS; i++) {
            uint64_t first = array + (uint64_t)(k * WARPS + i) * 32 * width;
            check(strata_builder_begin_warp(b, i, &err), &err);
            check(strata_builder_add_strided(b, 0, ~0u, first, (int32_t)width, &err), &err);
            check(strata_builder_add(b, 1, ~0u, NULL, &err), &err);
        }
        check(strata_builder_end_block(b, &block, &err), &err);
        check(strata_writer_block(w, block, &err), &err);
        strata_block_destroy(block);
    }
    strata_builder_destroy(b);
}

static void write_launch(struct strata_writer *w, unsigned long number)
{
    unsigned kind = number % N_KERNELS;
    struct strata_error err;
    struct strata_code *code;
    char trace[40];
    snprintf(trace, sizeof trace, "kernel-%lu", number + 1);
    struct strata_launch launch = {.program = "many",
                                   .trace = trace,
                                   .kernel = kernels[kind].name,
                                   .id = number + 1,
                                   .grid = {BLOCKS, 1, 1},
                                   .block = {WARPS * 32, 1, 1},
                                   .registers_per_thread = 32,
                                   .sm_version = 90};
    struct strata_inst inst[2] = {
        {.opcode = kernels[kind].opcode, .n_dst = kind != 1, .n_src = 1, .reg = {2, 4}},
        {.pc = 16, .opcode = "EXIT"}};
    uint32_t index;
    check(strata_code_create(&code, &err), &err);
    for (int i = 0; i < 2; i++) {
        strata_inst_decode_sass(&inst[i], !i, false);
        check(strata_code_add(code, &inst[i], &index, &err), &err);
    }
    check(strata_writer_begin_launch(w, &launch, code, &err), &err);
    write_blocks(w, code, inst[0].width_bytes, ARRAYS + number % 7 * BYTES);
    check(strata_writer_end_launch(w, &err), &err);
    strata_code_destroy(code);
}

int main(int argc, char **argv)
{
    struct strata_writer *w;
    struct strata_error err;
    if (argc != 3) {
        fprintf(stderr, "usage: many_launches OUT.strata LAUNCHES\n");
        return 2;
    }
    unsigned long n = strtoul(argv[2], NULL, 10);
    check(strata_writer_create(argv[1], NULL, &w, &err), &err);
    for (unsigned long i = 0; i < n; i++) {
        if (i % LAUNCHES_A_COPY == 0)
            check(strata_writer_memcpy(w, STRATA_EVENT_MEMCPY_HTOD, ARRAYS, BYTES, &err), &err);
        write_launch(w, i);
    }
    check(strata_writer_finish(w, &err), &err);
    return 0;
}
