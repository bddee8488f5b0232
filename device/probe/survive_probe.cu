// survive_probe.cu - what a launch finds of the ones before, and what lies between two launches.
//
//   survive_probe counters   launches in order, to be run under a profiler that leaves caches alone; prints a label
//                            for each launch
//   survive_probe times      gaps between launches, copies and fills, TLBs, two kernels at once: CSV
//
// Used by survive_probe.sh, which joins the labels with the profiler's table.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

#include <cuda_runtime.h>

static const size_t MB = 1 << 20;

__global__ void read_all(const float4 *p, size_t n, float *out)
{
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float4 v = p[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345.678f)
        *out = sum;
}

__global__ void write_all(float4 *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = make_float4(1, 2, 3, 4);
}

// Every SM reads the same 64 KB once.
__global__ void read_each(const float *p, int n, float *out)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += p[i];
    if (sum == 12345.678f)
        *out = sum;
}

static char *arena, *big;
static float *sink;
static int n_launches;

static void label(const char *experiment, const char *what)
{
    printf("%d,%s,%s\n", n_launches++, experiment, what);
}
static void read(const char *e, const char *what, char *p, size_t bytes, cudaStream_t s = 0)
{
    label(e, what);
    read_all<<<1056, 256, 0, s>>>((const float4 *)p, bytes / 16, sink);
}
static void write(const char *e, const char *what, char *p, size_t bytes, cudaStream_t s = 0)
{
    label(e, what);
    write_all<<<1056, 256, 0, s>>>((float4 *)p, bytes / 16);
}
static void flush(const char *e) { read(e, "flush", big, 256 * MB); }

static void copies(char *host, char *pageable)
{
    char *a = arena, *b = arena + 64 * MB;
    const size_t n = 8 * MB;
    flush("memset"), cudaMemset(a, 0, n), read("memset", "read", a, n);
    flush("memset_dirty"), cudaMemset(a, 0, n), cudaDeviceSynchronize(), flush("memset_dirty_after");
    flush("h2d"), cudaMemcpy(a, host, n, cudaMemcpyHostToDevice), read("h2d", "read", a, n);
    flush("h2d_dirty"), cudaMemcpy(a, host, n, cudaMemcpyHostToDevice), flush("h2d_dirty_after");
    flush("h2d_pageable"), cudaMemcpy(a, pageable, n, cudaMemcpyHostToDevice), read("h2d_pageable", "read", a, n);
    flush("h2d_small"), cudaMemcpy(a, pageable, 32768, cudaMemcpyHostToDevice), read("h2d_small", "read", a, 32768);
    flush("h2d_over"), read("h2d_over", "read", a, n), cudaMemcpy(a, host, n, cudaMemcpyHostToDevice);
    read("h2d_over", "read_after", a, n);
    flush("d2d"), cudaMemcpy(b, a, n, cudaMemcpyDeviceToDevice), read("d2d", "read_source", a, n), read("d2d", "read_target", b, n);
    flush("d2d_dirty"), cudaMemcpy(b, a, n, cudaMemcpyDeviceToDevice), flush("d2d_dirty_after");
    flush("d2h"), read("d2h", "read", a, n), cudaMemcpy(host, a, n, cudaMemcpyDeviceToHost), read("d2h", "read_after", a, n);
    flush("d2h_cold"), cudaMemcpy(host, a, n, cudaMemcpyDeviceToHost), read("d2h_cold", "read_after", a, n);
    flush("d2h_dirty"), write("d2h_dirty", "write", a, n), cudaMemcpy(host, a, n, cudaMemcpyDeviceToHost), flush("d2h_dirty_after");
    flush("memset_big"), cudaMemset(a, 0, 40 * MB), read("memset_big", "read", a, 40 * MB);
    flush("d2d_big"), cudaMemcpy(b, a, 30 * MB, cudaMemcpyDeviceToDevice), read("d2d_big", "read_target", b, 30 * MB);
}

static void persisting(float ratio, const char *name)
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, prop.persistingL2CacheMaxSize);
    cudaStreamAttrValue v = {};
    v.accessPolicyWindow.base_ptr = arena;
    v.accessPolicyWindow.num_bytes = 16 * MB;
    v.accessPolicyWindow.hitRatio = ratio;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    flush(name);
    cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v);
    read(name, "read", arena, 16 * MB, s);
    read(name, "stream", big, 256 * MB, s);
    read(name, "read_after", arena, 16 * MB, s);
    v.accessPolicyWindow.num_bytes = 0;
    cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v);
    read(name, "stream_no_window", big, 256 * MB, s);
    read(name, "read_no_window", arena, 16 * MB, s);
    cudaDeviceSynchronize();
    cudaCtxResetPersistingL2Cache();
    read(name, "stream_reset", big, 256 * MB, s);
    read(name, "read_reset", arena, 16 * MB, s);
    cudaDeviceSynchronize();
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
    cudaStreamDestroy(s);
}

static void counters()
{
    char *host, *pageable = (char *)calloc(8, MB), *a = arena;
    cudaMallocHost((void **)&host, 8 * MB);
    memset(host, 1, 8 * MB);
    printf("launch,experiment,what\n");
    for (size_t n : {4, 16, 24, 32, 40, 48, 64}) {
        char name[32];
        snprintf(name, sizeof name, "again_%zu", n);
        flush(name), read(name, "read", a, n * MB), read(name, "read_after", a, n * MB);
        snprintf(name, sizeof name, "written_%zu", n);
        flush(name), write(name, "write", a, n * MB), read(name, "read_after", a, n * MB);
    }
    for (size_t n : {8, 24, 48}) {
        char name[32];
        snprintf(name, sizeof name, "dirty_%zu", n);
        flush(name), write(name, "write", a, n * MB), cudaDeviceSynchronize(), usleep(20000), flush(name);
        snprintf(name, sizeof name, "dirty_write_%zu", n);
        flush(name), write(name, "write", a, n * MB), write(name, "write_after", a, n * MB);
        write(name, "write_other", a + 64 * MB, n * MB);
    }
    copies(host, pageable);
    flush("l1");
    for (const char *what : {"first", "second"})
        label("l1", what), read_each<<<132, 256>>>((const float *)a, 16384, sink);
    persisting(1.0f, "persist_1");
    persisting(0.5f, "persist_half");
    cudaDeviceSynchronize();
}

// ---- times ----

__device__ unsigned long long nanoseconds()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__global__ void spin(long long cycles, unsigned long long *stamp)
{
    unsigned long long begin = nanoseconds();
    long long start = clock64();
    while (clock64() - start < cycles)
        ;
    if (stamp && !threadIdx.x) {
        atomicMin(&stamp[0], begin);
        atomicMax(&stamp[1], nanoseconds());
    }
}

__global__ void spin_dependent(long long cycles, unsigned long long *stamp)
{
    unsigned long long begin = nanoseconds();
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    unsigned long long waited = nanoseconds();
    long long start = clock64();
    while (clock64() - start < cycles)
        ;
    if (!threadIdx.x) {
        atomicMin(&stamp[0], waited);
        atomicMax(&stamp[1], nanoseconds());
        atomicMin(&stamp[2], begin);
    }
}

__global__ void empty() {}

__global__ void chase(const unsigned long long *p, unsigned long long from, int n, long long *out)
{
    unsigned long long at = from;
    for (int pass = 0; pass < 2; pass++) {
        long long start = clock64();
        for (int i = 0; i < n; i++)
            asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(at) : "l"(p + at) : "memory");
        out[pass] = clock64() - start;
    }
    out[2] = (long long)at;
}

static float between(cudaEvent_t a, cudaEvent_t b)
{
    float ms;
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b);
    return ms * 1000;
}

enum way { STREAM, GRAPH, DEPENDENT, GRAPH_DEPENDENT, TWO_STREAMS, N_WAYS };
static const char *way_name[] = {"stream", "graph", "dependent", "graph_dependent", "two_streams"};

static void launch_row(way w, cudaStream_t s, cudaStream_t other, int n, unsigned grid, unsigned block, long long cycles, unsigned long long *stamp,
                       cudaEvent_t e)
{
    for (int k = 0; k < n; k++) {
        if (w == DEPENDENT || w == GRAPH_DEPENDENT) {
            cudaLaunchConfig_t c = {dim3(grid), dim3(block), 0, s, nullptr, 0};
            cudaLaunchAttribute a[1];
            a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
            a[0].val.programmaticStreamSerializationAllowed = 1;
            c.attrs = a, c.numAttrs = 1;
            cudaLaunchKernelEx(&c, spin_dependent, cycles, stamp + 3 * k);
        } else {
            cudaStream_t on = w == TWO_STREAMS && k % 2 ? other : s;
            if (w == TWO_STREAMS && k)
                cudaStreamWaitEvent(on, e, 0);
            spin<<<grid, block, 0, on>>>(cycles, stamp + 3 * k);
            if (w == TWO_STREAMS)
                cudaEventRecord(e, on);
        }
    }
}

static void gaps()
{
    const int n = 100;
    unsigned long long *stamp, *host = (unsigned long long *)malloc(n * 24);
    cudaMalloc((void **)&stamp, n * 24);
    cudaStream_t s, other;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEvent_t a, b, e;
    cudaEventCreate(&a), cudaEventCreate(&b), cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    for (int w = 0; w < N_WAYS; w++)
        for (unsigned grid : {1u, 132u, 1056u})
            for (long long cycles : {2000ll, 20000ll}) {
                float us = 0;
                cudaGraph_t g = nullptr;
                cudaGraphExec_t x = nullptr;
                for (int again = 0; again < 2; again++) {
                    for (int k = 0; k < n; k++)
                        host[3 * k] = host[3 * k + 2] = ~0ull, host[3 * k + 1] = 0;
                    cudaMemcpy(stamp, host, n * 24, cudaMemcpyHostToDevice);
                    if (w == GRAPH || w == GRAPH_DEPENDENT) {
                        if (!x) {
                            cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
                            launch_row((way)w, s, other, n, grid, 256, cycles, stamp, e);
                            cudaStreamEndCapture(s, &g);
                            if (cudaGraphInstantiate(&x, g, 0) != cudaSuccess)
                                break;
                            cudaGraphLaunch(x, s);
                            cudaStreamSynchronize(s);
                            cudaMemcpy(stamp, host, n * 24, cudaMemcpyHostToDevice);
                        }
                        cudaEventRecord(a, s);
                        cudaGraphLaunch(x, s);
                    } else {
                        cudaEventRecord(a, s);
                        // The host is ahead of the device from here on.
                        spin<<<1, 32, 0, s>>>(2000000, nullptr);
                        cudaEventRecord(a, s);
                        launch_row((way)w, s, other, n, grid, 256, cycles, stamp, e);
                        if (w == TWO_STREAMS)
                            cudaStreamWaitEvent(s, e, 0);
                    }
                    cudaEventRecord(b, s);
                    us = between(a, b);
                }
                cudaMemcpy(host, stamp, n * 24, cudaMemcpyDeviceToHost);
                std::vector<double> gap, run, early;
                for (int k = 1; k < n; k++) {
                    gap.push_back((double)host[3 * k] - (double)host[3 * (k - 1) + 1]);
                    run.push_back((double)host[3 * k + 1] - (double)host[3 * k]);
                    early.push_back((double)host[3 * k] - (double)host[3 * k + 2]);
                }
                std::sort(gap.begin(), gap.end()), std::sort(run.begin(), run.end()), std::sort(early.begin(), early.end());
                printf("gap,%s_blocks_%u_cycles_%lld,each_us,%.4f\n", way_name[w], grid, cycles, us / n);
                printf("gap,%s_blocks_%u_cycles_%lld,gap_ns,%.1f\n", way_name[w], grid, cycles, gap[gap.size() / 2]);
                printf("gap,%s_blocks_%u_cycles_%lld,run_ns,%.1f\n", way_name[w], grid, cycles, run[run.size() / 2]);
                if (w == DEPENDENT || w == GRAPH_DEPENDENT)
                    printf("gap,%s_blocks_%u_cycles_%lld,waited_ns,%.1f\n", way_name[w], grid, cycles, early[early.size() / 2]);
            }
    for (int k = 0; k < 2; k++) {
        const int m = 2000;
        cudaGraph_t g;
        cudaGraphExec_t x;
        cudaEventRecord(a, s);
        for (int i = 0; i < m; i++)
            empty<<<1, 32, 0, s>>>();
        cudaEventRecord(b, s);
        float us = between(a, b);
        cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
        for (int i = 0; i < m; i++)
            empty<<<1, 32, 0, s>>>();
        cudaStreamEndCapture(s, &g);
        cudaGraphInstantiate(&x, g, 0);
        cudaGraphLaunch(x, s);
        cudaEventRecord(a, s);
        cudaGraphLaunch(x, s);
        cudaEventRecord(b, s);
        float in_graph = between(a, b);
        // One graph of one kernel, many times: what a graph launch itself takes.
        cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
        empty<<<1, 32, 0, s>>>();
        cudaStreamEndCapture(s, &g);
        cudaGraphInstantiate(&x, g, 0);
        cudaGraphLaunch(x, s);
        cudaEventRecord(a, s);
        for (int i = 0; i < 200; i++)
            cudaGraphLaunch(x, s);
        cudaEventRecord(b, s);
        float graphs = between(a, b);
        cudaEventRecord(a, s);
        cudaEventRecord(b, s);
        float nothing = between(a, b);
        cudaEventRecord(a, s);
        empty<<<1, 32, 0, s>>>();
        cudaEventRecord(b, s);
        if (k)
            printf("empty,stream,each_us,%.4f\nempty,graph,each_us,%.4f\nempty,graph_launch,each_us,%.4f\nempty,events,us,%.4f\nempty,one,us,%.4f\n",
                   us / m, in_graph / m, graphs / 200, nothing, between(a, b));
    }
}

static void copy_times()
{
    char *host;
    cudaMallocHost((void **)&host, 64 * MB);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEvent_t a, b;
    cudaEventCreate(&a), cudaEventCreate(&b);
    const char *name[] = {"h2d", "d2h", "d2d", "memset"};
    for (int kind = 0; kind < 4; kind++)
        for (size_t n : {(size_t)4, (size_t)4096, (size_t)65536, MB, 4 * MB, 16 * MB, 64 * MB})
            for (int how = 0; how < 2; how++) {
                float us = 0;
                const int m = 20;
                for (int again = 0; again < 2; again++) {
                    spin<<<1, 32, 0, s>>>(1000000, nullptr);
                    cudaEventRecord(a, s);
                    for (int i = 0; i < m; i++) {
                        if (kind == 0)
                            cudaMemcpyAsync(arena, host, n, cudaMemcpyHostToDevice, s);
                        else if (kind == 1)
                            cudaMemcpyAsync(host, arena, n, cudaMemcpyDeviceToHost, s);
                        else if (kind == 2)
                            cudaMemcpyAsync(arena + 64 * MB, arena, n, cudaMemcpyDeviceToDevice, s);
                        else
                            cudaMemsetAsync(arena, 0, n, s);
                        if (how)
                            spin<<<132, 256, 0, s>>>(5000, nullptr);
                    }
                    cudaEventRecord(b, s);
                    us = between(a, b);
                }
                printf("copy,%s_%zu,%s,%.4f\n", name[kind], n, how ? "with_kernel_5000_cycles_us" : "each_us", us / m);
            }
}

static void tlb_times()
{
    unsigned long long *p;
    const size_t pages = 4096, words = 2 * MB / 8;
    if (cudaMalloc((void **)&p, pages * 2 * MB) != cudaSuccess)
        return;
    long long *out, host[3];
    cudaMalloc((void **)&out, 24);
    for (size_t n : {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}) {
        // A round through the pages, another line in each so that the lines lie in different sets.
        for (size_t i = 0; i < n; i++) {
            unsigned long long next = (i + 1) % n * words + (i + 1) % n % 8192 * 16;
            cudaMemcpy(p + i * words + i % 8192 * 16, &next, 8, cudaMemcpyHostToDevice);
        }
        read_all<<<1056, 256>>>((const float4 *)big, 256 * MB / 16, sink);
        for (int launch = 0; launch < 3; launch++) {
            chase<<<1, 1>>>(p, 0, (int)n, out);
            cudaMemcpy(host, out, 24, cudaMemcpyDeviceToHost);
            printf("tlb,pages_%zu_launch_%d,first_pass_cycles,%.2f\ntlb,pages_%zu_launch_%d,second_pass_cycles,%.2f\n", n, launch,
                   (double)host[0] / n, n, launch, (double)host[1] / n);
        }
    }
    cudaFree(p);
}

static void together()
{
    cudaStream_t s[2];
    cudaEvent_t a, b, e;
    cudaEventCreate(&a), cudaEventCreate(&b), cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    for (cudaStream_t &x : s)
        cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
    struct shape {
        const char *name;
        unsigned grid, block;
        bool memory;
        size_t bytes;
    } shapes[] = {{"spin_66x256", 66, 256, false, 0}, {"spin_132x1024", 132, 1024, false, 0}, {"spin_264x1024", 264, 1024, false, 0},
                  {"spin_1056x256", 1056, 256, false, 0}, {"spin_400x1024", 400, 1024, false, 0}, {"read_66x1024", 66, 1024, true, 64 * MB},
                  {"read_132x1024", 132, 1024, true, 64 * MB}, {"read_l2_132x1024", 132, 1024, true, 8 * MB}, {"read_l2_66x512", 66, 512, true, 8 * MB}};
    for (const shape &k : shapes)
        for (int both = 0; both < 2; both++) {
            float us = 0;
            for (int again = 0; again < 3; again++) {
                spin<<<1, 32, 0, s[0]>>>(1000000, nullptr);
                cudaEventRecord(a, s[0]);
                cudaStreamWaitEvent(s[1], a, 0);
                for (int i = 0; i <= both; i++)
                    if (k.memory)
                        read_all<<<k.grid, k.block, 0, s[i]>>>((const float4 *)(i ? arena : big), k.bytes / 16, sink);
                    else
                        spin<<<k.grid, k.block, 0, s[i]>>>(40000, nullptr);
                cudaEventRecord(e, s[1]);
                cudaStreamWaitEvent(s[0], e, 0);
                cudaEventRecord(b, s[0]);
                us = between(a, b);
            }
            printf("together,%s,%s_us,%.3f\n", k.name, both ? "two" : "one", us);
        }
}

int main(int argc, char **argv)
{
    cudaMalloc((void **)&arena, 192 * MB);
    cudaMalloc((void **)&big, 256 * MB);
    cudaMalloc((void **)&sink, 4);
    cudaMemset(arena, 0, 192 * MB);
    cudaMemset(big, 0, 256 * MB);
    cudaDeviceSynchronize();
    if (argc > 1 && !strcmp(argv[1], "times")) {
        printf("group,what,unit,value\n");
        gaps(), copy_times(), tlb_times(), together();
    } else {
        counters();
    }
    cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
