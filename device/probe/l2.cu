// l2.cu - the L2 and what lies behind it: latency by SM and line (near and far partition), size,
// fetch granularity, write policy, DRAM, and the latency spectrum of non-uniform strides.
#include "probe.h"
#include <algorithm>

static char *region() // one page of 2 MB holds what a test of latency touches: no TLB misses
{
    static char *memory = nullptr;
    if (!memory) {
        char *p = device_memory(66 << 20);
        memory = p + ((2 << 20) - (size_t)p % (2 << 20)) % (2 << 20);
    }
    return memory;
}

// ---- near and far partition -------------------------------------------------------------------

// One SM reads every line; then each SM reads lines of its own, three times in a row.
static void measure_first_touch(Report &report, int toucher)
{
    const int n_sms = sm_count(), per_sm = 96;
    flush_l2();
    std::vector<unsigned long long> all;
    for (int i = 0; i < n_sms * per_sm; i++)
        all.push_back(step(STEP_LOAD_L2, (unsigned long long)i * 128));
    run_script(region(), all, toucher);
    FILE *f = report.add("l2-touched-" + std::to_string(toucher), "l2-partition", "l2",
                         Parameters().add("touched_by_sm", toucher).add("line_bytes", 128),
                         "sm,line,first,second,third");
    std::vector<unsigned> first, second, third;
    for (int sm = 0; sm < n_sms; sm++) {
        std::vector<unsigned long long> steps(1, step(STEP_LOAD_L2, (2 << 20) - 128)); // the page
        for (int k = 0; k < per_sm; k++)
            for (int r = 0; r < 3; r++)
                steps.push_back(step(STEP_LOAD_L2, (unsigned long long)(k * n_sms + sm) * 128));
        std::vector<unsigned> c = run_script(region(), steps, sm);
        for (int k = 0; k < per_sm; k++) {
            fprintf(f, "%d,%d,%u,%u,%u\n", sm, k * n_sms + sm, c[1 + 3 * k], c[2 + 3 * k], c[3 + 3 * k]);
            first.push_back(c[1 + 3 * k]);
            second.push_back(c[2 + 3 * k]);
            third.push_back(c[3 + 3 * k]);
        }
    }
    fclose(f);
    const char *names[] = {"first", "second", "third"};
    std::vector<unsigned> *values[] = {&first, &second, &third};
    for (int i = 0; i < 3; i++)
        report.say("L2 lines touched by SM %d, %s read: 5th %.0f, median %.0f, 95th percentile %.0f cycles",
                   toucher, names[i], percentile(*values[i], 0.05), percentile(*values[i], 0.5),
                   percentile(*values[i], 0.95));
}
// The same 256 lines from every SM, the last of three reads.
static void measure_map(Report &report)
{
    const int n_lines = 256;
    FILE *f = report.add("l2-map", "l2-partition", "l2", Parameters().add("line_bytes", 128),
                         "sm,offset,latency");
    std::vector<unsigned> all;
    for (int sm = 0; sm < sm_count(); sm++) {
        std::vector<unsigned long long> steps;
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < n_lines; k++)
                steps.push_back(step(STEP_LOAD_L2, k * 1152ull));
        std::vector<unsigned> c = run_script(region(), steps, sm);
        for (int k = 0; k < n_lines; k++) {
            fprintf(f, "%d,%llu,%u\n", sm, k * 1152ull, c[2 * n_lines + k]);
            all.push_back(c[2 * n_lines + k]);
        }
    }
    fclose(f);
    report.say("L2 hit from all SMs: min %.0f, median %.0f, max %.0f cycles", percentile(all, 0),
               percentile(all, 0.5), percentile(all, 1));
}

// ---- size ---------------------------------------------------------------------------------------

// Reads the buffer `rounds` times with one block; then one thread samples lines in no order. The
// histogram has bins of 8 cycles.
static const unsigned kBins = 256, kBinCycles = 8;
__global__ void size_kernel(const char *base, unsigned lines, unsigned rounds, unsigned samples,
                            unsigned *histogram)
{
    __shared__ unsigned bins[kBins + 1];
    unsigned zero = 0, x = 12345;
    for (unsigned i = threadIdx.x; i < kBins; i += blockDim.x)
        bins[i] = 0;
    for (unsigned r = 0; r < rounds; r++)
        for (unsigned i = threadIdx.x; i < lines; i += blockDim.x)
            zero += load_l2(base + (size_t)i * 128);
    __syncthreads();
    if (threadIdx.x)
        return;
    unsigned sink = shared_address(bins + kBins);
#pragma unroll 1
    for (unsigned i = 0; i < samples; i++) {
        x = x * 1664525u + 1013904223u;
        const char *p = base + (size_t)__umulhi(x, lines) * 128 + zero;
        asm volatile("" : "+l"(p)::"memory");
        unsigned start = clock_after(zero);
        zero = load_l2(p);
        store_shared(sink, zero);
        unsigned end = clock_after(start);
        atomicAdd(&bins[min((end - start) / kBinCycles, kBins - 1)], 1);
    }
    for (unsigned i = 0; i < kBins; i++)
        histogram[i] = bins[i];
}
__global__ void read_lines(const char *base, unsigned lines, unsigned *out)
{
    unsigned s = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x)
        s += load_l2(base + (size_t)i * 128);
    if (s == 1)
        *out = s;
}
static void measure_size(Report &report, bool by_all_sms)
{
    static char *buffer = device_memory(160u << 20);
    static unsigned *histogram = (unsigned *)device_memory(kBins * 4);
    FILE *f = report.add(by_all_sms ? "l2-size-all" : "l2-size-one", "l2-size", "l2",
                         Parameters().add("read_by", by_all_sms ? "all SMs" : "one SM"),
                         "array_bytes,latency,count");
    FILE *g = report.add(by_all_sms ? "average-l2-all" : "average-l2-one", "average", "l2",
                         Parameters().add("read_by", by_all_sms ? "all SMs" : "one SM"),
                         "array_bytes,stride_bytes,latency,percent_from_dram");
    for (unsigned mb : {4, 8, 16, 20, 24, 26, 28, 29, 30, 31, 32, 34, 36, 40, 44, 48, 52, 56, 58, 60, 62, 64, 72, 80, 96, 128, 160}) {
        unsigned lines = mb * 8192, n = 16384, above = 0;
        double sum = 0;
        flush_l2();
        for (int r = 0; r < 2 && by_all_sms; r++)
            read_lines<<<sm_count(), 1024>>>(buffer, lines, histogram);
        size_kernel<<<1, 1024>>>(buffer, lines, by_all_sms ? 0 : 2, n, histogram);
        CK(cudaGetLastError());
        unsigned bins[kBins];
        CK(cudaMemcpy(bins, histogram, sizeof bins, cudaMemcpyDeviceToHost));
        for (unsigned i = 0; i < kBins; i++) {
            if (bins[i])
                fprintf(f, "%llu,%u,%u\n", (unsigned long long)mb << 20, i * kBinCycles, bins[i]);
            above += i * kBinCycles >= 512 ? bins[i] : 0;
            sum += (i + 0.5) * kBinCycles * bins[i];
        }
        fprintf(g, "%llu,128,%.1f,%.3f\n", (unsigned long long)mb << 20, sum / n, 100.0 * above / n);
        report.say("L2 after %s read %u MB: %.1f %% of lines take 512 cycles or more",
                   by_all_sms ? "all SMs" : "one SM", mb, 100.0 * above / n);
    }
    fclose(f);
    fclose(g);
}

// ---- what one miss fetches ----------------------------------------------------------------------

static void measure_fetch(Report &report)
{
    const int n = 64;
    FILE *f = report.add("l2-fetch", "l2-fetch", "l2", Parameters().add("touched_offset", 64),
                         "offset,sample,latency");
    std::string line;
    for (int offset = 0; offset < 512; offset += 32) {
        flush_l2();
        std::vector<unsigned long long> steps(1, step(STEP_LOAD_L2, (2 << 20) - 128));
        for (int i = 0; i < n; i++) {
            steps.push_back(step(STEP_LOAD_L2, i * 4096ull + 64));
            steps.push_back(step(STEP_WAIT, 0));
            steps.push_back(step(STEP_LOAD_L2, i * 4096ull + (unsigned)offset));
        }
        std::vector<unsigned> c = run_script(region(), steps), v;
        for (int i = 0; i < n; i++) {
            fprintf(f, "%d,%d,%u\n", offset, i, c[3 + 3 * i]);
            v.push_back(c[3 + 3 * i]);
        }
        char text[48];
        snprintf(text, sizeof text, " %d:%.0f", offset, percentile(v, 0.5));
        line += text;
    }
    fclose(f);
    report.say("L2 after a miss at offset 64, median by offset:%s", line.c_str());
}

// ---- write policy (paper 004, figure 5) ---------------------------------------------------------

// The cases of docs/probe-format.md and some of our own. Each runs on fresh lines; the loads that
// count have a case of their own, in order.
struct WriteCase {
    const char *what;
    std::vector<unsigned long long> steps; // offsets within a line; a pause comes after each
    std::vector<int> cases;                // of the loads
};
static std::vector<WriteCase> write_cases()
{
    auto read = [](unsigned offset) { return step(STEP_LOAD_L2, offset); };
    auto cached = [](unsigned offset) { return step(STEP_LOAD_L1, offset); };
    auto store = [](unsigned offset) { return step(STEP_STORE, offset); };
    std::vector<unsigned long long> whole;
    for (unsigned w = 0; w < 32; w += 4)
        whole.push_back(store(w));
    std::vector<unsigned long long> whole_same = whole, whole_other = whole;
    whole_same.push_back(read(0));
    whole_other.push_back(read(32));
    whole_other.push_back(read(96));
    return {{"cold, then again", {read(0), read(0)}, {0, 1}},
            {"word written, read, again", {store(0), read(0), read(0)}, {2, 5}},
            {"word written, its neighbour read, then the word", {store(0), read(4), read(0)}, {3, 6}},
            {"sector written whole, read", whole_same, {4}},
            {"sector written whole, two others of the line read", whole_other, {7, 8}},
            {"word written, loaded through the L1, its neighbour too", {store(0), cached(0), cached(4)}, {9, 10}},
            {"word loaded through the L1, written, loaded", {cached(0), store(0), cached(0)}, {11, 12}}};
}
void probe_writes(Report &report)
{
    const int lines = 64;
    FILE *f = report.add("l2-write", "l2-write", "l2", Parameters().add("line_bytes", 128), "case,repeat,latency");
    for (const WriteCase &w : write_cases()) {
        flush_l2();
        std::vector<unsigned long long> steps(1, step(STEP_LOAD_L2, (2 << 20) - 128));
        for (int i = 0; i < lines; i++)
            for (unsigned long long s : w.steps) {
                steps.push_back(s + i * 4224ull);
                steps.push_back(step(STEP_WAIT, 0));
            }
        std::vector<unsigned> c = run_script(region(), steps);
        std::string line;
        size_t which = 0;
        for (size_t k = 0; k < w.steps.size(); k++) {
            if ((w.steps[k] & 3) == STEP_STORE)
                continue;
            std::vector<unsigned> v;
            for (int i = 0; i < lines; i++) {
                v.push_back(c[1 + 2 * ((size_t)i * w.steps.size() + k)]);
                fprintf(f, "%d,%d,%u\n", w.cases[which], i, v.back());
            }
            line += " " + std::to_string((int)percentile(v, 0.5));
            which++;
        }
        report.say("%s: loads take (median)%s", w.what, line.c_str());
    }
    fclose(f);
}

void probe_l2(Report &report)
{
    measure_first_touch(report, 0);
    measure_first_touch(report, 2);
    measure_map(report);
    measure_fetch(report);
    measure_size(report, false);
    measure_size(report, true);
    for (unsigned stride : {32, 128}) {
        link_stride(region(), 4, 1 << 18, stride / 4);
        Chase c;
        c.path = PATH_L2;
        c.base = region();
        c.warm_steps = (1 << 20) / stride;
        c.steps = 8192;
        Parameters p;
        p.add("array_bytes", 1 << 20).add("stride_bytes", stride).add("element_bytes", 4).add("warmup", 1);
        write_chase(report, "chase-l2-" + std::to_string(stride) + "-1048576", "chase", "l2", p, chase(c));
    }
    CK(cudaMemset(region(), 0, 2 << 20));
}

// ---- DRAM ---------------------------------------------------------------------------------------

// First touches of lines after a flush, pages already translated.
static void cold_lines(Report &report, const char *name, unsigned long long spacing, bool shuffled)
{
    const int n = 4096;
    flush_l2();
    std::vector<unsigned long long> steps;
    size_t span = spacing * n;
    for (size_t page = 0; page < span; page += 2 << 20)
        steps.push_back(step(STEP_LOAD_L2, page + 2048));
    size_t head = steps.size();
    std::vector<unsigned> order(n);
    for (int i = 0; i < n; i++)
        order[i] = (unsigned)i;
    unsigned x = 99;
    for (int i = n - 1; i > 0 && shuffled; i--) {
        x = x * 1664525u + 1013904223u;
        std::swap(order[i], order[(x >> 8) % (unsigned)(i + 1)]);
    }
    for (unsigned o : order)
        steps.push_back(step(STEP_LOAD_L2, o * spacing));
    std::vector<unsigned> c = run_script(region(), steps);
    Parameters p;
    p.add("array_bytes", (long long)span).add("stride_bytes", (long long)spacing).add("element_bytes", 4);
    std::vector<Record> records;
    for (int i = 0; i < n; i++)
        records.push_back({(unsigned)(order[i] * spacing / 4), c[head + i]});
    write_chase(report, name, "chase", "dram", p.add("warmup", 0LL).add("order", shuffled ? "shuffled" : "rising"), records);
    std::vector<unsigned> v(c.begin() + (long)head, c.end());
    report.say("DRAM, %s: 5th %.0f, 25th %.0f, median %.0f, 75th %.0f, 95th percentile %.0f cycles", name,
               percentile(v, 0.05), percentile(v, 0.25), percentile(v, 0.5), percentile(v, 0.75), percentile(v, 0.95));
}
// The same lines from SMs of several clusters: their home is near to some and far from others.
static void cold_by_sm(Report &report)
{
    const int n = 768;
    FILE *f = report.add("dram-by-sm", "dram-by-sm", "dram", Parameters().add("stride_bytes", 1152), "sm,offset,latency");
    for (int sm : {0, 2, 4, 6, 8, 10, 12, 14, 64, 66, 120, 124}) {
        flush_l2();
        std::vector<unsigned long long> steps(1, step(STEP_LOAD_L2, (2 << 20) - 128));
        for (int i = 0; i < n; i++)
            steps.push_back(step(STEP_LOAD_L2, i * 1152ull));
        std::vector<unsigned> c = run_script(region(), steps, std::min(sm, sm_count() - 1)), v(c.begin() + 1, c.end());
        for (int i = 0; i < n; i++)
            fprintf(f, "%d,%llu,%u\n", sm, i * 1152ull, v[i]);
        report.say("DRAM from SM %d: 5th %.0f, median %.0f, 95th percentile %.0f cycles", sm, percentile(v, 0.05),
                   percentile(v, 0.5), percentile(v, 0.95));
    }
    fclose(f);
}
void probe_dram(Report &report)
{
    cold_by_sm(report);
    cold_lines(report, "chase-dram-shuffled", 16384, true);
    cold_lines(report, "chase-dram-rising-128", 128, false);
    cold_lines(report, "chase-dram-rising-32", 32, false);
    cold_lines(report, "chase-dram-rising-4096", 4096, false);
}
