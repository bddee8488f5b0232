// Launches within NVTX ranges. Where NVTX's header is not at hand the program loads the library that
// NVTX_INJECTION64_PATH names itself, as that header does.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
static void load() {}
#else
#include <dlfcn.h>
typedef void function();
static int (*push_call)(const char *);
static int (*pop_call)();
static uint64_t (*start_call)(const char *);
static void (*end_call)(uint64_t);
static function **core[17];
struct callbacks {
    size_t struct_bytes;
    int (*functions_of)(int, function ****, unsigned *);
};
static int functions_of(int module, function ****table, unsigned *n)
{
    *table = core;
    *n = 17;
    return module == 1;
}
static const callbacks exported = {sizeof exported, functions_of};
static const void *table_of(uint32_t id) { return id == 1 ? &exported : nullptr; }
static void load()
{
    core[5] = (function **)&start_call, core[7] = (function **)&end_call;
    core[9] = (function **)&push_call, core[11] = (function **)&pop_call;
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : nullptr;
    auto init = library ? (int (*)(const void *(*)(uint32_t)))dlsym(library, "InitializeInjectionNvtx2") : nullptr;
    if (init)
        init(table_of);
}
static int nvtxRangePushA(const char *name) { return push_call ? push_call(name) : -2; }
static int nvtxRangePop() { return pop_call ? pop_call() : -2; }
static uint64_t nvtxRangeStartA(const char *name) { return start_call ? start_call(name) : 0; }
static void nvtxRangeEnd(uint64_t id)
{
    if (end_call)
        end_call(id);
}
#endif

__global__ void outside(int *x) { x[threadIdx.x] = 1; }
__global__ void nested(int *x) { x[threadIdx.x] += 2; }
__global__ void pushed(int *x) { x[threadIdx.x] += 3; }
__global__ void started(int *x) { x[threadIdx.x] += 4; }

int main()
{
    int *x, first = 0;
    load();
    cudaMalloc(&x, 32 * sizeof *x);
    outside<<<1, 32>>>(x);
    nvtxRangePushA("step");
    nvtxRangePushA("inner");
    nested<<<1, 32>>>(x);
    nvtxRangePop();
    pushed<<<1, 32>>>(x);
    nvtxRangePop();
    auto range = nvtxRangeStartA("phase");
    started<<<1, 32>>>(x);
    nvtxRangeEnd(range);
    started<<<2, 32>>>(x);
    cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
    printf("%d\n", first);
    return first >= 14 ? 0 : 1;
}
