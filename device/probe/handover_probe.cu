// handover_probe.cu - what a launch finds of data that another SM, the same SM, or a copy from the host brought, and what a
// persisting window leaves to others.
//
//   handover_probe sms             chunks written, read or changed in place by known SMs
//   handover_probe copied MB HOW   a process that only copies two arrays of MB from the host (pageable, pinned), and reads them
//   handover_probe after MB        copies of MB from the host into an L2 with clean, dirty and few lines
//   handover_probe window          persisting windows: what others have left, windows larger than what is set aside
//
// Each prints a label a launch; handover_probe.sh joins them with the profiler's table.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>

static const size_t MB = 1 << 20;
static char *big;
static float *sink;
static int n_launches;

__device__ unsigned this_sm()
{
    unsigned s;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    return s;
}

enum what { READ, WRITE, CHANGE };

// One block an SM: it works on the chunk of the SM that is `shift` further on.
__global__ void chunk_of(float4 *p, int each, int shift, int sms, what w, float *out)
{
    float4 *mine = p + (size_t)((this_sm() + shift) % sms) * each;
    float sum = 0;
    for (int i = threadIdx.x; i < each; i += blockDim.x) {
        float4 v = make_float4(1, 2, 3, 4);
        if (w != WRITE)
            v = __ldcg(&mine[i]);
        sum += v.x;
        v.x += 1;
        if (w != READ)
            mine[i] = v;
    }
    if (sum == 12345.678f)
        *out = sum;
}

__global__ void read_all(const float4 *p, size_t n, float *out)
{
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        sum += p[i].x;
    if (sum == 12345.678f)
        *out = sum;
}
__global__ void write_all(float4 *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = make_float4(1, 2, 3, 4);
}

static void label(const std::string &experiment, const std::string &what)
{
    printf("%d,%s,%s\n", n_launches++, experiment.c_str(), what.c_str());
}
static void read(const std::string &e, const std::string &what, char *p, size_t bytes, cudaStream_t s = 0)
{
    label(e, what);
    read_all<<<1056, 256, 0, s>>>((const float4 *)p, bytes / 16, sink);
}
static void write(const std::string &e, const std::string &what, char *p, size_t bytes)
{
    label(e, what);
    write_all<<<1056, 256>>>((float4 *)p, bytes / 16);
}
static void flush(const std::string &e) { read(e, "flush", big, 256 * MB); }
static char *room(size_t bytes)
{
    char *p = nullptr;
    if (cudaMalloc((void **)&p, bytes) != cudaSuccess)
        exit(1);
    return p;
}

static void sms()
{
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    int n = prop.multiProcessorCount, each = 65536 / 16;
    char *p = room((size_t)n * 65536);
    auto run = [&](const std::string &e, const std::string &what, int shift, enum what w) {
        label(e, what);
        chunk_of<<<n, 1024, 65536>>>((float4 *)p, each, shift, n, w, sink); // shared memory: one block an SM
    };
    cudaFuncSetAttribute(chunk_of, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
    for (int shift : {0, 1, 2, 6, 16, 18, 33, 66, 99}) {
        std::string s = std::to_string(shift);
        flush("write_read_" + s), run("write_read_" + s, "write", 0, WRITE), run("write_read_" + s, "read", shift, READ);
        run("write_read_" + s, "read_again", shift, READ);
        flush("read_read_" + s), run("read_read_" + s, "read", 0, READ), run("read_read_" + s, "read_other", shift, READ);
        flush("read_write_" + s), run("read_write_" + s, "read", 0, READ), run("read_write_" + s, "write", shift, WRITE);
        run("read_write_" + s, "read_after", 0, READ);
    }
    for (int shift : {0, 1, 33, 66}) {
        std::string e = "change_" + std::to_string(shift);
        flush(e);
        for (int k = 0; k < 4; k++)
            run(e, "change" + std::to_string(k), shift * k, CHANGE);
        run(e, "read", shift * 3, READ);
    }
}

static void copied(size_t mb, bool pinned)
{
    size_t n = mb * MB;
    char *a = room(n), *b = room(n), *host = (char *)malloc(n);
    if (pinned)
        cudaMallocHost((void **)&host, n);
    memset(host, 1, n);
    cudaMemcpy(a, host, n, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, n, cudaMemcpyHostToDevice);
    std::string e = "copied_" + std::to_string(mb) + (pinned ? "_pinned" : "");
    read(e, "read_second", b, n), read(e, "read_first", a, n), read(e, "read_second_again", b, n);
}

static void after(size_t mb)
{
    size_t n = mb * MB;
    char *a = room(64 * MB), *w = room(64 * MB), *host = (char *)malloc(n);
    big = room(256 * MB);
    memset(host, 1, n);
    std::string m = std::to_string(mb);
    flush("clean_" + m), cudaMemcpy(a, host, n, cudaMemcpyHostToDevice), read("clean_" + m, "read", a, n);
    flush("dirty_" + m), write("dirty_" + m, "write", w, 40 * MB), cudaMemcpy(a, host, n, cudaMemcpyHostToDevice), read("dirty_" + m, "read", a, n);
    read("dirty_" + m, "read_written", w, 24 * MB);
    flush("small_" + m), read("small_" + m, "read_before", a, n), cudaMemcpy(a, host, n, cudaMemcpyHostToDevice), read("small_" + m, "read", a, n);
    flush("written_" + m), write("written_" + m, "write", a, n), cudaMemcpy(a, host, n, cudaMemcpyHostToDevice), read("written_" + m, "read", a, n);
}

static void window()
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    fprintf(stderr, "persisting at most %d, window at most %d bytes\n", prop.persistingL2CacheMaxSize, prop.accessPolicyMaxWindowSize);
    char *a = room(64 * MB), *other = room(64 * MB);
    big = room(256 * MB);
    for (size_t aside : {8, 16, 30})
        for (size_t bytes : {8, 16, 32})
            for (int others : {8, 16, 24, 32}) {
                std::string e = "aside_" + std::to_string(aside) + "_window_" + std::to_string(bytes) + "_others_" + std::to_string(others);
                cudaDeviceSynchronize();
                cudaCtxResetPersistingL2Cache();
                cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, aside * MB);
                cudaStreamAttrValue v = {};
                v.accessPolicyWindow.base_ptr = a;
                v.accessPolicyWindow.num_bytes = bytes * MB;
                v.accessPolicyWindow.hitRatio = 1;
                v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
                v.accessPolicyWindow.missProp = others == 16 ? cudaAccessPropertyStreaming : cudaAccessPropertyNormal;
                read(e, "flush", big, 256 * MB, s);
                cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v);
                read(e, "read", a, bytes * MB, s);
                read(e, "others", other, others * MB, s), read(e, "others_again", other, others * MB, s);
                read(e, "read_again", a, bytes * MB, s);
                v.accessPolicyWindow.num_bytes = 0;
                cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v);
            }
}

int main(int argc, char **argv)
{
    std::string how = argc > 1 ? argv[1] : "";
    sink = (float *)room(4);
    printf("launch,experiment,what\n");
    if (how == "sms")
        big = room(256 * MB), sms();
    else if (how == "copied" && argc > 3)
        copied(atoi(argv[2]), !strcmp(argv[3], "pinned"));
    else if (how == "after" && argc > 2)
        after(atoi(argv[2]));
    else if (how == "window")
        window();
    cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
