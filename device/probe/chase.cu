// chase.cu - the two walks everything else is built from: a fine-grained pointer chase (paper 002,
// section 4.2) and a scripted walk of one thread on a chosen SM.
//
// The chase notes index and time in a small ring in shared memory. The asynchronous copy engine
// empties the ring, which does not go through the L1, so that a series may be of any length while
// nearly all of the unified memory is left to the L1.
#include "probe.h"
#include <algorithm>

Overhead overhead = {0, 0};

static const unsigned kRing = 256; // steps; their indices come first, then their times

// Only the reading is waited for: waiting for the writes as well would invalidate the L1.
__device__ static void drain(const unsigned *from, unsigned *to, unsigned words)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(words * 4)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Steps of one ring. The store of the index needs the loaded value, so the second clock is read
// after the load is done; index and time lie apart, or the assembler would make one store of both.
// Not inlined: the first, idle call has to run the very same instructions.
template <int PATH>
__device__ __noinline__ static unsigned ring_of_steps(const char *base, cudaTextureObject_t texture,
                                                      unsigned shift, unsigned at, unsigned n,
                                                      unsigned ring)
{
#pragma unroll 1
    for (unsigned i = 0; i < n; i++, ring += 4) {
        const char *p = base + ((size_t)at << shift);
        asm volatile("" : "+l"(p)::"memory");
        unsigned start = clock_after(at);
        at = load<PATH>(p, texture, at);
        store_shared(ring, at);
        unsigned end = clock_after(start);
        store_shared(ring + kRing * 4, end - start);
    }
    return at;
}

template <int PATH>
__global__ void chase_kernel(const char *base, const char *idle, cudaTextureObject_t texture,
                             cudaTextureObject_t idle_texture, unsigned shift, unsigned start,
                             unsigned warm_steps, unsigned steps, unsigned *first, unsigned *indices,
                             unsigned *cycles)
{
    extern __shared__ __align__(128) unsigned ring[];
    // A few steps on a word that points at itself bring the timed code into the instruction cache.
    unsigned at = start + ring_of_steps<PATH>(idle, idle_texture, 0, 0, 4, shared_address(ring));
#pragma unroll 1
    for (unsigned i = 0; i < warm_steps; i++)
        at = load<PATH>(base + ((size_t)at << shift), texture, at);
    unsigned begin = at;
    for (unsigned done = 0; done < steps; done += kRing) {
        unsigned n = min(kRing, steps - done);
        at = ring_of_steps<PATH>(base, texture, shift, at, n, shared_address(ring));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        drain(ring, indices + done, n);
        drain(ring + kRing, cycles + done, n);
    }
    *first = begin;
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static cudaTextureObject_t linear_texture(char *base, unsigned elements)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = base;
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = (size_t)elements * 4;
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    CK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

template <int PATH>
static void launch_chase(const Chase &c, cudaTextureObject_t texture, unsigned *out)
{
    static char *idle = device_memory(256);
    static cudaTextureObject_t idle_texture = linear_texture(idle, 64);
    unsigned shift = 0;
    while ((1u << shift) < c.element_bytes)
        shift++;
    // The driver takes the next larger carve-out; l1-carveout.csv has what came of each percentage.
    int percent = c.carveout_bytes >= 228 << 10 ? 100 : (int)((c.carveout_bytes / 1024 - 4) * 100 / 256);
    if (c.carveout_percent >= 0)
        percent = c.carveout_percent;
    CK(cudaFuncSetAttribute(chase_kernel<PATH>, cudaFuncAttributePreferredSharedMemoryCarveout,
                            std::min(percent, 100)));
    chase_kernel<PATH><<<1, 1, 2 * kRing * 4>>>(c.base, idle, texture, idle_texture, shift, c.start,
                                                c.warm_steps, c.steps, out, out + 4,
                                                out + 4 + c.steps);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
}

static unsigned *room_for(size_t words)
{
    static unsigned *out = nullptr;
    static size_t room = 0;
    if (room < words) {
        if (out)
            CK(cudaFree(out));
        room = std::max<size_t>(words, 1 << 20);
        CK(cudaMalloc(&out, room * 4));
    }
    return out;
}
std::vector<Record> chase(const Chase &wanted)
{
    Chase c = wanted;
    c.steps = (c.steps + 3) / 4 * 4; // the copy engine moves multiples of 16 bytes
    unsigned *out = room_for(2 * (size_t)c.steps + 4);
    cudaTextureObject_t texture = 0;
    if (c.path == PATH_TEXTURE)
        texture = linear_texture(c.base, c.texture_elements);
    switch (c.path) {
    case PATH_NONE: launch_chase<PATH_NONE>(c, texture, out); break;
    case PATH_L1: launch_chase<PATH_L1>(c, texture, out); break;
    case PATH_L2: launch_chase<PATH_L2>(c, texture, out); break;
    case PATH_READONLY: launch_chase<PATH_READONLY>(c, texture, out); break;
    case PATH_TEXTURE: launch_chase<PATH_TEXTURE>(c, texture, out); break;
    }
    if (texture)
        CK(cudaDestroyTextureObject(texture));
    std::vector<unsigned> got(2 * (size_t)c.steps + 4);
    CK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    // The kernel notes the index it loaded; the series tells the index it visited.
    std::vector<Record> records(wanted.steps);
    unsigned visited = got[0];
    for (size_t i = 0; i < records.size(); i++) {
        unsigned raw = got[4 + c.steps + i];
        records[i] = {visited, raw - std::min(raw, overhead.chase)};
        visited = got[4 + i];
    }
    return records;
}

void write_chase(Report &report, const std::string &name, const char *experiment, const char *path,
                 const Parameters &parameters, const std::vector<Record> &records)
{
    FILE *f = report.add(name, experiment, path, parameters, "step,index,latency");
    for (size_t i = 0; i < records.size(); i++)
        fprintf(f, "%zu,%u,%u\n", i, records[i].index, records[i].cycles);
    fclose(f);
}

// ---- linking ----------------------------------------------------------------------------------

__device__ static unsigned moved(unsigned i, unsigned stride, unsigned spread)
{
    unsigned hash = i * 2654435761u;
    return i * stride + (spread ? (hash >> 8) % spread : 0);
}
__global__ void link_kernel(char *base, unsigned element_bytes, unsigned count, unsigned stride,
                            unsigned spread)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        *(unsigned *)(base + (size_t)moved(i, stride, spread) * element_bytes) =
            moved((i + 1) % count, stride, spread);
}
void link_spread(char *base, unsigned element_bytes, unsigned count, unsigned stride_elements,
                 unsigned spread_elements)
{
    link_kernel<<<(count + 255) / 256, 256>>>(base, element_bytes, count, stride_elements,
                                              spread_elements);
    CK(cudaGetLastError());
}
void link_stride(char *base, unsigned element_bytes, unsigned n_elements, unsigned stride_elements)
{
    unsigned count = (n_elements + stride_elements - 1) / stride_elements;
    link_spread(base, element_bytes, count, stride_elements, 0);
}

// ---- scripts ----------------------------------------------------------------------------------

// Every kind of step has its own timed code; the first steps, on an idle word, bring it into the
// instruction cache.
__global__ void script_kernel(char *base, char *idle, const unsigned long long *steps, unsigned n,
                              int target_sm, unsigned mask, unsigned *claim,
                              unsigned *out)
{
    extern __shared__ __align__(16) unsigned long long list[];
    unsigned *cycles = (unsigned *)(list + n);
    if (target_sm >= 0 && (int)sm_number() != target_sm)
        return;
    if (atomicAdd(claim, 1)) // an SM whose first block has ended may be given another
        return;
    for (unsigned i = 0; i < n; i++)
        list[i] = steps[i];
    unsigned zero = 0, sink = shared_address(cycles + n);
#pragma unroll 1
    for (int i = -8; i < (int)n; i++) {
        unsigned long long entry = i < 0 ? (unsigned)(-i & 3) : list[i];
        char *p = (i < 0 ? idle : base) + (entry & ~3ull) + zero;
        unsigned kind = (unsigned)entry & 3, start = 0, end = 0, value = 0;
        asm volatile("" : "+l"(p), "+r"(kind)::"memory");
        if (kind == STEP_LOAD_L2) {
            start = clock_now();
            value = load_l2(p);
            store_shared(sink, value);
            end = clock_now();
        } else if (kind == STEP_LOAD_L1) {
            start = clock_now();
            value = load_l1(p);
            store_shared(sink, value);
            end = clock_now();
        } else if (kind == STEP_STORE) {
            start = clock_now();
            asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(0) : "memory");
            end = clock_now();
        } else {
            start = clock_now();
            do
                end = clock_now();
            while (end - start < 6000);
        }
        zero = value & mask; // 0, but the next address has to wait for it
        if (i >= 0)
            cycles[i] = end - start;
    }
    for (unsigned i = 0; i < n; i++)
        out[i] = cycles[i];
}

std::vector<unsigned> run_script(char *base, const std::vector<unsigned long long> &steps,
                                 int target_sm)
{
    const size_t most = 16384;
    static char *idle = device_memory(256);
    static unsigned long long *list = (unsigned long long *)device_memory(most * 8);
    static unsigned *out = (unsigned *)device_memory(most * 4);
    static unsigned *claim = (unsigned *)device_memory(4);
    // More than half of the shared memory: no SM gets a second block, so every SM gets one.
    size_t bytes = std::max<size_t>(steps.size() * 12 + 16, 120000);
    CK(cudaFuncSetAttribute(script_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    CK(cudaMemcpy(list, steps.data(), steps.size() * 8, cudaMemcpyHostToDevice));
    unsigned claimed = 0;
    for (int attempt = 0; !claimed; attempt++) {
        if (attempt == 20) {
            fprintf(stderr, "SM %d was given no block in 20 launches.\n", target_sm);
            exit(4);
        }
        CK(cudaMemset(claim, 0, 4));
        script_kernel<<<target_sm < 0 ? 1 : sm_count(), 1, bytes>>>(
            base, idle, list, (unsigned)steps.size(), target_sm, 0, claim, out);
        CK(cudaGetLastError());
        CK(cudaMemcpy(&claimed, claim, 4, cudaMemcpyDeviceToHost));
    }
    std::vector<unsigned> got(steps.size());
    CK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < got.size(); i++)
        if ((steps[i] & 3) == STEP_LOAD_L1 || (steps[i] & 3) == STEP_LOAD_L2)
            got[i] -= std::min(got[i], overhead.script);
    return got;
}

void calibrate()
{
    char *line = device_memory(256);
    unsigned chain = (unsigned)(l1_chain_cycles() + 0.5);
    Chase c;
    c.base = line;
    c.steps = 256;
    c.warm_steps = 16;
    std::vector<unsigned> cycles;
    for (const Record &r : chase(c))
        cycles.push_back(r.cycles);
    overhead.chase = (unsigned)percentile(cycles, 0.5) - chain;
    overhead.script = (unsigned)percentile(run_script(line, std::vector<unsigned long long>(256, step(STEP_LOAD_L1, 0))), 0.5) - chain;
    CK(cudaFree(line));
}

// ---- small things -----------------------------------------------------------------------------

__global__ void flush_kernel(const uint4 *p, size_t n, unsigned *out)
{
    unsigned s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint4 v = p[i];
        s += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (s == 1)
        *out = s;
}
void flush_l2()
{
    const size_t bytes = 512u << 20;
    static uint4 *other = (uint4 *)device_memory(bytes);
    static unsigned *out = (unsigned *)device_memory(4);
    flush_kernel<<<1056, 512>>>(other, bytes / 16, out);
    CK(cudaGetLastError());
}
char *device_memory(size_t bytes)
{
    void *p;
    CK(cudaMalloc(&p, bytes));
    CK(cudaMemset(p, 0, bytes));
    return (char *)p;
}
int sm_count()
{
    int n = 0;
    CK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0));
    return n;
}
__global__ void clock_kernel(unsigned long long *out)
{
    unsigned long long ns0, ns1;
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(ns0)::"memory");
    long long c0 = clock64();
    while (clock64() - c0 < 40000000)
        ;
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(ns1)::"memory");
    out[0] = (unsigned long long)(clock64() - c0);
    out[1] = ns1 - ns0;
}
double sm_clock_mhz()
{
    static unsigned long long *out = (unsigned long long *)device_memory(16);
    unsigned long long got[2];
    clock_kernel<<<1, 1>>>(out);
    CK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    return got[1] ? 1000.0 * (double)got[0] / (double)got[1] : 0;
}
double percentile(std::vector<unsigned> values, double fraction)
{
    if (values.empty())
        return 0;
    size_t k = (size_t)(fraction * (double)(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + (long)k, values.end());
    return values[k];
}
unsigned count_above(const std::vector<Record> &records, unsigned threshold)
{
    unsigned n = 0;
    for (const Record &r : records)
        n += r.cycles > threshold;
    return n;
}
