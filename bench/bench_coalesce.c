/* bench_coalesce.c - warp accesses coalesced per second of CPU time, by pattern. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <strata/coalesce.h>

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t listed[1024][STRATA_WARP_SIZE];

static void fill_lists(uint64_t row_bytes)
{
    uint64_t x = 1;
    for (unsigned i = 0; i < 1024; i++)
        for (unsigned l = 0; l < STRATA_WARP_SIZE; l++) {
            x = x * 6364136223846793005ull + 1442695040888963407ull;
            listed[i][l] =
                row_bytes ? i * 4096 + l / 8 * row_bytes + l % 8 * 4 : x >> 24 & ~(uint64_t)3;
        }
}

static void run(const char *name, const struct strata_coalescer *c, struct strata_winst *w,
                bool shared)
{
    struct strata_request out[STRATA_MAX_REQUESTS];
    enum { N = 2000000 };
    uint64_t requests = 0;
    double start = cpu_seconds();
    for (unsigned i = 0; i < N; i++) {
        w->base = 0x100000 + (uint64_t)i * 16;
        w->addr = listed[i & 1023];
        requests += shared ? strata_shared_access(c, w).wavefronts : strata_coalesce(c, w, 0, out);
    }
    double seconds = cpu_seconds() - start;
    printf("  %-34s %7.1f M accesses/s  (%.2f requests or passes each)\n", name, N / seconds / 1e6,
           (double)requests / N);
}

int main(void)
{
    static struct strata_gpu gpu;
    struct strata_coalescer c;
    struct strata_inst inst;
    struct strata_winst w;
    static const struct {
        const char *name;
        int32_t stride;
    } strides[] = {{"coalesced, 4 bytes a lane", 4},
                   {"broadcast", 0},
                   {"every second word", 8},
                   {"a line each", 4096}};
    gpu.sm_version = 90;
    gpu.coalesce.rule = STRATA_COALESCE_SECTOR;
    strata_coalescer_init(&c, &gpu, NULL);
    memset(&inst, 0, sizeof inst);
    memset(&w, 0, sizeof w);
    inst.opcode = "LDG.E";
    inst.opclass = STRATA_OP_MEM;
    inst.space = STRATA_SPACE_GLOBAL;
    inst.memop = STRATA_MEM_LOAD;
    inst.width_bytes = 4;
    w.inst = &inst;
    w.mask = 0xffffffffu;
    w.addr_kind = STRATA_ADDR_STRIDE;
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        w.stride = strides[i].stride;
        run(strides[i].name, &c, &w, false);
    }
    w.addr_kind = STRATA_ADDR_LIST;
    fill_lists(2048);
    run("listed, four rows", &c, &w, false);
    inst.space = STRATA_SPACE_SHARED;
    run("shared memory, listed", &c, &w, true);
    inst.space = STRATA_SPACE_GLOBAL;
    fill_lists(0);
    run("listed, random", &c, &w, false);
    return 0;
}
