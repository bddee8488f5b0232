// rates.cu - shared memory: latency against conflicts, throughput against warps and ILP (paper 002,
// section 6); global memory: copy throughput against blocks, block size and ILP (section 5.1), and
// the peaks of every level.
#include "probe.h"
#include <algorithm>
#include <cstring>

// ---- shared memory ------------------------------------------------------------------------------

// Paper 002, listing 4. A word holds its own address, so each load gives the address of the next
// and no arithmetic comes between.
__global__ void conflict_kernel(unsigned stride_words, unsigned *out)
{
    extern __shared__ unsigned words[];
    unsigned at = shared_address(words + threadIdx.x * stride_words), start = 0, end = 0;
    words[threadIdx.x * stride_words] = at;
    __syncthreads();
    for (int round = 0; round < 2; round++) { // the first brings the code
        start = clock_after(at);
#pragma unroll
        for (int i = 0; i < 64; i++)
            asm volatile("ld.shared.u32 %0,[%0];" : "+r"(at)::"memory");
        store_shared(at, at);
        end = clock_after(start);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[0] = end - start;
}
// ILP words copied from one half of the shared memory to the other, over and over.
template <int ILP> __global__ void shared_copy_kernel(unsigned rounds, unsigned *out)
{
    extern __shared__ unsigned words[];
    unsigned half = blockDim.x * ILP * 4, from = shared_address(words + threadIdx.x), v[ILP], start = 0;
    for (int i = 0; i < 2 * ILP; i++)
        words[threadIdx.x + i * blockDim.x] = i;
    for (unsigned r = 0; r <= rounds; r++) {
        if (r == 1) { // the first brings the code
            __syncthreads();
            start = clock_now();
        }
#pragma unroll
        for (int i = 0; i < ILP; i++)
            asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v[i]) : "r"(from + i * blockDim.x * 4) : "memory");
#pragma unroll
        for (int i = 0; i < ILP; i++)
            store_shared(from + half + i * blockDim.x * 4, v[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = clock_now() - start;
}
// Loads of 4 or 16 bytes a lane without anything else; volatile, or equal loads would become one.
template <int WORDS> __global__ void shared_read_kernel(unsigned rounds, unsigned *out)
{
    extern __shared__ unsigned words[];
    unsigned at = shared_address(words + threadIdx.x % 256 * WORDS), s = 0, start = 0;
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        words[i] = 0;
    for (unsigned r = 0; r <= rounds; r++) {
        if (r == 1) {
            __syncthreads();
            start = clock_now();
        }
#pragma unroll
        for (int i = 0; i < 16; i++) {
            unsigned a = 0, b = 0, c = 0, d = 0;
            if (WORDS == 1)
                asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(a) : "r"(at) : "memory");
            else
                asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at) : "memory");
            s += a + b + c + d;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = clock_now() - start;
    if (s == 1)
        out[1] = s;
}
static unsigned read_one(unsigned *p)
{
    unsigned v;
    CK(cudaGetLastError());
    CK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    return v;
}
template <int ILP> static double shared_copy_row(FILE *f, unsigned *out, unsigned warps)
{
    const unsigned rounds = 512;
    unsigned bytes = warps * 32 * ILP * 8;
    CK(cudaFuncSetAttribute(shared_copy_kernel<ILP>, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    shared_copy_kernel<ILP><<<1, warps * 32, bytes>>>(rounds, out);
    unsigned cycles = read_one(out);
    double rate = (double)bytes * rounds / cycles; // as many read as written
    fprintf(f, "%u,%d,%.2f,%u,%llu\n", warps, ILP, rate, cycles, (unsigned long long)bytes * rounds);
    return rate;
}
void probe_shared(Report &report)
{
    unsigned *out = (unsigned *)device_memory(256);
    CK(cudaFuncSetAttribute(conflict_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    FILE *f = report.add("shared-conflict", "shared-conflict", "shared", Parameters().add("element_bytes", 4).add("bank_bytes", 4).add("loads", 64), "stride,latency,threads");
    std::string line;
    for (unsigned threads : {32})
        for (unsigned stride = 0; stride <= 64; stride++) {
            conflict_kernel<<<1, threads, 32 * 64 * 4 + 4>>>(stride, out);
            unsigned cycles = read_one(out);
            fprintf(f, "%u,%.3f,%u\n", stride, cycles / 64.0, threads);
            char text[32];
            snprintf(text, sizeof text, " %u:%.1f", stride, cycles / 64.0);
            if (threads == 32 && (stride & (stride - 1)) == 0)
                line += text;
        }
    fclose(f);
    report.say("shared memory, cycles a load by stride in words:%s", line.c_str());
    f = report.add("shared-throughput", "shared-throughput", "shared", Parameters().add("rounds", 512),
                   "warps,ilp,bytes_per_cycle,cycles,bytes");
    double best = 0;
    for (unsigned warps : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
        best = std::max(best, shared_copy_row<1>(f, out, warps));
        best = std::max(best, shared_copy_row<2>(f, out, warps));
        best = std::max(best, shared_copy_row<4>(f, out, warps));
        best = std::max(best, shared_copy_row<6>(f, out, warps));
        best = std::max(best, shared_copy_row<8>(f, out, warps));
    }
    fclose(f);
    f = report.add("shared-read", "shared-read", "shared", Parameters().add("rounds", 512),
                   "warps,width_bytes,cycles,bytes,bytes_per_cycle");
    double peak[2] = {0, 0};
    for (unsigned warps : {1, 2, 4, 8, 16, 32})
        for (int wide = 0; wide < 2; wide++) {
            if (wide)
                shared_read_kernel<4><<<1, warps * 32, 4096 + 256>>>(512, out);
            else
                shared_read_kernel<1><<<1, warps * 32, 4096 + 256>>>(512, out);
            unsigned cycles = read_one(out);
            double bytes = 512.0 * 16 * warps * 32 * (wide ? 16 : 4);
            fprintf(f, "%u,%d,%u,%.0f,%.2f\n", warps, wide ? 16 : 4, cycles, bytes, bytes / cycles);
            peak[wide] = std::max(peak[wide], bytes / cycles);
        }
    fclose(f);
    report.say("shared memory of one SM: copy at most %.1f, reads of 4 bytes %.1f, of 16 bytes %.1f bytes a cycle",
               best, peak[0], peak[1]);
    CK(cudaFree(out));
}

// ---- global memory ------------------------------------------------------------------------------

// Every thread copies ILP words at a time; the grid walks over the data once.
template <int ILP> __global__ void copy_kernel(const unsigned *from, unsigned *to, size_t words)
{
    size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i + (ILP - 1) * threads < words; i += ILP * threads) {
        unsigned v[ILP];
#pragma unroll
        for (int k = 0; k < ILP; k++)
            v[k] = from[i + k * threads];
#pragma unroll
        for (int k = 0; k < ILP; k++)
            to[i + k * threads] = v[k];
    }
}
enum wide_kind { WIDE_READ_L1, WIDE_READ_L2, WIDE_WRITE, WIDE_COPY };
template <int KIND>
__global__ void wide_kernel(const uint4 *from, uint4 *to, size_t n, unsigned rounds, bool own, unsigned *out)
{
    size_t threads = own ? blockDim.x : (size_t)gridDim.x * blockDim.x;
    size_t first = own ? threadIdx.x : blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    unsigned s = 0;
    if (own)
        from += blockIdx.x * n;
    for (unsigned r = 0; r < rounds; r++)
#pragma unroll 4
        for (size_t i = first; i < n; i += threads) {
            uint4 v = make_uint4(1, 2, 3, 4);
            if (KIND == WIDE_READ_L1 || KIND == WIDE_COPY)
                asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from + i));
            if (KIND == WIDE_READ_L2)
                asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from + i));
            if (KIND == WIDE_WRITE || KIND == WIDE_COPY)
                to[i] = v;
            else
                s += v.x ^ v.y ^ v.z ^ v.w;
        }
    if (s == 1)
        *out = s;
}
struct Timer {
    cudaEvent_t from, to;
    Timer()
    {
        CK(cudaEventCreate(&from));
        CK(cudaEventCreate(&to));
    }
    template <class Work> double nanoseconds(Work work)
    {
        CK(cudaEventRecord(from));
        work();
        CK(cudaEventRecord(to));
        CK(cudaGetLastError());
        CK(cudaEventSynchronize(to));
        float ms = 0;
        CK(cudaEventElapsedTime(&ms, from, to));
        return (double)ms * 1e6;
    }
};
static const size_t kHalf = 4ull << 30; // bytes read; as many written
static void copy_rows(Report &report, char *memory)
{
    typedef void (*copy_t)(const unsigned *, unsigned *, size_t);
    const copy_t kernels[] = {copy_kernel<1>, copy_kernel<2>, copy_kernel<4>, copy_kernel<8>};
    FILE *f = report.add("copy-throughput", "copy-throughput", "dram", Parameters().add("word_bytes", 4),
                         "blocks,threads,ilp,bytes_per_cycle,bytes,ns,gb_per_s");
    Timer timer;
    double best = 0, at = 0, mhz = sm_clock_mhz();
    size_t offset = 0;
    for (unsigned blocks : {1, 2, 4, 8, 16, 33, 66, 132, 264, 528, 1056, 2112})
        for (unsigned threads : {32, 64, 128, 256, 512, 1024})
            for (int k = 0; k < 4; k++) {
                size_t ilp = 1u << k, bytes = (size_t)blocks * threads * ilp * 4 * 256;
                bytes = std::min<size_t>(std::max<size_t>(bytes, 4 << 20), 512 << 20);
                if (offset + bytes > kHalf) // what is copied has not been read for gigabytes
                    offset = 0;
                const unsigned *from = (const unsigned *)(memory + offset);
                unsigned *to = (unsigned *)(memory + kHalf + offset);
                offset += bytes;
                double ns = timer.nanoseconds([&] { kernels[k]<<<blocks, threads>>>(from, to, bytes / 4); });
                double rate = 2.0 * (double)bytes / ns;
                fprintf(f, "%u,%u,%zu,%.1f,%zu,%.0f,%.1f\n", blocks, threads, ilp, rate * 1000 / mhz, bytes, ns, rate);
                if (rate > best) {
                    best = rate;
                    at = blocks * 1e6 + threads * 10.0 + (double)ilp;
                }
            }
    fclose(f);
    report.say("copy of 4-byte words: at most %.0f GB/s (blocks, threads, ILP packed: %.0f)", best, at);
}
// The best of four launches of one kind over one footprint.
struct Peak {
    Report &report;
    FILE *file;
    double mhz;
    Timer timer;
    template <class Launch> void row(const char *name, size_t bytes, unsigned rounds, double factor, Launch launch)
    {
        double best = 1e30;
        for (int repeat = 0; repeat < 4; repeat++)
            best = std::min(best, timer.nanoseconds(launch));
        double rate = factor * (double)bytes * rounds / best;
        fprintf(file, "%zu,%.1f,%u,%.0f,%.1f\n", bytes, rate * 1000 / mhz, rounds, best, rate);
        report.say("peak of %s over %zu KB: %.0f GB/s, %.0f bytes a cycle", name, bytes >> 10, rate, rate * 1000 / mhz);
    }
};
static FILE *peak_series(Report &report, const char *kind, const char *path)
{
    return report.add(kind, strstr(kind, "read") ? "load-throughput" : kind, path, Parameters().add("width_bytes", 16),
                      "array_bytes,bytes_per_cycle,rounds,ns,gb_per_s");
}
static void peak_rows(Report &report, char *memory)
{
    unsigned *out = (unsigned *)device_memory(4);
    uint4 *from = (uint4 *)memory, *to = (uint4 *)(memory + kHalf);
    size_t n = kHalf / 16, sms = (size_t)sm_count();
    Peak peak = {report, peak_series(report, "dram-read", "dram"), sm_clock_mhz(), {}};
    peak.row("DRAM reads", kHalf, 1, 1, [&] { wide_kernel<WIDE_READ_L2><<<1056, 512>>>(from, to, n, 1, false, out); });
    fclose(peak.file);
    peak.file = peak_series(report, "dram-write", "dram");
    peak.row("DRAM writes", kHalf, 1, 1, [&] { wide_kernel<WIDE_WRITE><<<1056, 512>>>(from, to, n, 1, false, out); });
    fclose(peak.file);
    peak.file = peak_series(report, "dram-copy", "dram");
    peak.row("DRAM copies", kHalf, 1, 2, [&] { wide_kernel<WIDE_COPY><<<1056, 512>>>(from, to, n, 1, false, out); });
    fclose(peak.file);
    peak.file = peak_series(report, "l2-read", "l2");
    for (size_t mb : {4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 64, 80, 96, 128})
        peak.row("L2 reads", mb << 20, 64, 1, [&] { wide_kernel<WIDE_READ_L2><<<264, 1024>>>(from, to, mb << 16, 64, false, out); });
    fclose(peak.file);
    peak.file = peak_series(report, "l2-writes", "l2");
    peak.row("L2 writes", 8 << 20, 64, 1, [&] { wide_kernel<WIDE_WRITE><<<264, 1024>>>(from, to, 8 << 16, 64, false, out); });
    fclose(peak.file);
    peak.file = peak_series(report, "l1-read", "l1");
    for (size_t kb : {16, 64, 128, 192})
        peak.row("L1 reads", sms * (kb << 10), 2048, 1, [&] { wide_kernel<WIDE_READ_L1><<<(unsigned)sms, 1024>>>(from, to, kb << 6, 2048, true, out); });
    fclose(peak.file);
    CK(cudaFree(out));
}
void probe_throughput(Report &report)
{
    char *memory = device_memory(2 * kHalf);
    copy_rows(report, memory);
    peak_rows(report, memory);
    CK(cudaFree(memory));
}
