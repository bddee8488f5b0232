// l1.cu - the L1 data cache: its latency on every path, its size at each carve-out, line, sector
// and replacement, and the mapping of addresses to sets.
#include "probe.h"
#include <algorithm>

struct PathName {
    probe_path path;
    const char *name;
};
static const PathName kPaths[] = {{PATH_L1, "l1"}, {PATH_READONLY, "readonly"}, {PATH_TEXTURE, "texture"}};
static const size_t kArray = 64 << 20;
static char *the_array()
{
    static char *array = device_memory(kArray);
    return array;
}

// A chase of `passes` timed rounds over count elements `stride_bytes` apart after `warm` others.
static std::vector<Record> round_chase(probe_path path, unsigned count, unsigned stride_bytes,
                                       unsigned warm, unsigned passes, unsigned carveout_bytes)
{
    link_stride(the_array(), 4, count * (stride_bytes / 4), stride_bytes / 4);
    Chase c;
    c.path = path;
    c.base = the_array();
    c.warm_steps = warm * count;
    c.steps = passes * count;
    c.carveout_bytes = carveout_bytes;
    c.texture_elements = count * (stride_bytes / 4);
    return chase(c);
}
static Parameters chase_parameters(unsigned count, unsigned stride_bytes, unsigned warm, unsigned passes,
                                   unsigned carveout_bytes)
{
    Parameters p;
    p.add("array_bytes", (long long)count * stride_bytes).add("stride_bytes", stride_bytes);
    p.add("element_bytes", 4).add("warmup", warm).add("passes", passes);
    return p.add("carveout_bytes", carveout_bytes);
}
static void full_series(Report &report, const PathName &path, unsigned count, unsigned stride_bytes,
                        unsigned warm, unsigned passes, unsigned carveout_bytes)
{
    std::string name = std::string("chase-") + path.name + "-" + std::to_string(stride_bytes) + "-" +
                       std::to_string(count * stride_bytes) + "-c" + std::to_string(carveout_bytes >> 10);
    name += warm ? "" : "-cold";
    write_chase(report, name, "chase", path.name,
                chase_parameters(count, stride_bytes, warm, passes, carveout_bytes),
                round_chase(path.path, count, stride_bytes, warm, passes, carveout_bytes));
}

static void measure_hits(Report &report)
{
    report.say("cost of the clocks: %u cycles in a chase, %u in a script (taken off)", overhead.chase, overhead.script);
    for (const PathName &path : kPaths) {
        std::vector<unsigned> cycles;
        for (const Record &r : round_chase(path.path, 64, 128, 2, 4, 8 << 10))
            cycles.push_back(r.cycles);
        report.say("L1 hit through %s: median %.0f, 1st to 99th percentile %.0f to %.0f cycles", path.name,
                   percentile(cycles, 0.5), percentile(cycles, 0.01), percentile(cycles, 0.99));
    }
}

// Most elements of a stride that stay from round to round but for four (now and then one group of
// four lines does not stay whatever the number); misses above it are in the table.
static unsigned resident(FILE *f, const PathName &path, unsigned stride_bytes, unsigned carveout_kb,
                         unsigned from, unsigned to, unsigned by)
{
    unsigned most = 0;
    for (unsigned count = from; count <= to; count += by) {
        std::vector<Record> r = round_chase(path.path, count, stride_bytes, 2, 2, carveout_kb << 10);
        double sum = 0;
        for (const Record &one : r)
            sum += one.cycles;
        unsigned misses = count_above(r, kMissThreshold);
        fprintf(f, "%u,%u,%.2f,%.1f\n", count * stride_bytes, stride_bytes, sum / (double)r.size(), misses / 2.0);
        if (misses <= 2 * 4 && (!most || most + by == count))
            most = count;
    }
    return most;
}
static FILE *size_series(Report &report, const PathName &path, unsigned stride_bytes, unsigned carveout_kb)
{
    std::string name = std::string("average-") + path.name + "-" + std::to_string(stride_bytes) + "-c" + std::to_string(carveout_kb);
    return report.add(name, "average", path.name,
                      Parameters().add("warmup", 2).add("stride_bytes", stride_bytes).add("carveout_bytes", carveout_kb << 10),
                      "array_bytes,stride_bytes,latency,misses_a_round");
}
// Bisects the most lines that stay (but for four) at one percentage of carve-out.
static unsigned lines_that_stay(int percent)
{
    unsigned low = 64, high = 2112;
    while (high - low > 4) {
        unsigned count = (low + high) / 8 * 4;
        link_stride(the_array(), 4, count * 32, 32);
        Chase c;
        c.base = the_array();
        c.warm_steps = 2 * count;
        c.steps = count;
        c.carveout_percent = percent;
        (count_above(chase(c), kMissThreshold) <= 4 ? low : high) = count;
    }
    return low;
}
static void measure_carveouts(Report &report)
{
    FILE *f = report.add("l1-carveout", "l1-carveout", "l1", Parameters().add("line_bytes", 128), "percent,lines");
    std::string line;
    for (int percent = 0; percent <= 100; percent += percent < 32 ? 2 : 4) {
        unsigned lines = lines_that_stay(percent);
        fprintf(f, "%d,%u\n", percent, lines);
        line += " " + std::to_string(percent) + ":" + std::to_string(lines);
    }
    fclose(f);
    report.say("lines of the L1 that stay by percentage of carve-out:%s", line.c_str());
}
static void measure_sizes(Report &report)
{
    measure_carveouts(report);
    for (unsigned carveout : {8, 16, 228}) {
        unsigned lines = (256 - carveout) * 8;
        FILE *f = size_series(report, kPaths[0], 128, carveout);
        unsigned most = resident(f, kPaths[0], 128, carveout, lines - 96, lines + 160, 4);
        fclose(f);
        report.say("L1 with a carve-out of %u KB: %u lines of 128 bytes stay (%.1f KB of %u)", carveout,
                   most, most / 8.0, 256 - carveout);
    }
    // Stride against elements that stay: below the line size more elements share a line.
    for (unsigned stride : {32, 64, 160, 192, 256, 512, 1024}) {
        unsigned lines = 28 * 8, per_line = stride < 128 ? 128 / stride : 1, last = lines * per_line + 32;
        FILE *f = size_series(report, kPaths[0], stride, 228);
        unsigned most = resident(f, kPaths[0], stride, 228, last / 2, last, per_line * 4);
        fclose(f);
        report.say("L1 of 28 KB: %u elements stay at a stride of %u bytes", most, stride);
    }
    for (int i : {1, 2}) {
        FILE *f = size_series(report, kPaths[i], 128, 228);
        report.say("%s with a carve-out of 228 KB: %u lines of 128 bytes stay", kPaths[i].name,
                   resident(f, kPaths[i], 128, 228, 80, 256, 4));
        fclose(f);
    }
}

void probe_l1(Report &report)
{
    measure_hits(report);
    measure_sizes(report);
    // Series around the size with the smallest L1 (28 KB) and with the largest (248 KB).
    for (unsigned count = 128; count <= 264; count += 4)
        full_series(report, kPaths[0], count, 128, 1, 8, 228 << 10);
    for (unsigned count : {160, 176, 184, 192, 208, 224, 240, 256})
        for (int i : {1, 2})
            full_series(report, kPaths[i], count, 128, 1, 4, 228 << 10);
    for (unsigned count = 1472; count <= 2112; count += 64)
        full_series(report, kPaths[0], count, 128, 1, 4, 8 << 10);
    for (unsigned count : {1908, 1912, 1916, 1924, 1928, 1932, 1936, 1940}) // where the largest L1 ends
        full_series(report, kPaths[0], count, 128, 2, 4, 8 << 10);
    for (unsigned count : {4096, 5632, 5664, 6144, 7168, 7200})
        full_series(report, kPaths[0], count, 4, 1, 1, 228 << 10);
    for (unsigned count : {640, 704, 736, 768, 832, 896})
        full_series(report, kPaths[0], count, 32, 1, 3, 228 << 10);
    // Long ones for the replacement, and cold ones, whose misses show the sector.
    for (unsigned count : {177, 178, 181, 185, 193, 201})
        full_series(report, kPaths[0], count, 128, 1, 48, 228 << 10);
    for (const PathName &path : kPaths)
        full_series(report, path, 1024, 4, 0, 1, 228 << 10);
}

// ---- addresses to sets (paper 000, figure 5) ----------------------------------------------------

// Stage 1 fills the cache with count lines (twice), stage 2 loads one other, stage 3 times the
// lines of stage 1 again.
__global__ void sets_kernel(const char *base, unsigned count, unsigned long long other, unsigned *out)
{
    __shared__ unsigned cycles[2048];
    unsigned zero = 0, sink = shared_address(cycles + 2047);
    for (unsigned i = 0; i < 2 * count; i++)
        zero = load_l1(base + (size_t)(i % count) * 128 + zero);
    if (other)
        zero = load_l1(base + other + zero);
#pragma unroll 1
    for (unsigned i = 0; i < count; i++) {
        const char *p = base + (size_t)i * 128 + zero;
        asm volatile("" : "+l"(p)::"memory");
        unsigned start = clock_after(zero);
        zero = load_l1(p);
        store_shared(sink, zero);
        unsigned end = clock_after(start);
        cycles[i] = end - start;
    }
    for (unsigned i = 0; i < count; i++)
        out[i] = cycles[i];
}
void probe_sets(Report &report)
{
    static unsigned *out = (unsigned *)device_memory(2048 * 4);
    CK(cudaMemset(the_array(), 0, kArray));
    CK(cudaFuncSetAttribute(sets_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    std::vector<unsigned long long> others = {0};
    for (unsigned k = 256; k < 512; k++)
        others.push_back(k * 128ull);
    for (unsigned bit = 16; bit < 26; bit++)
        others.push_back(1ull << bit);
    for (unsigned count : {64, 96, 128, 160}) {
        FILE *f = report.add("sets-l1-" + std::to_string(count), "sets", "l1",
                             Parameters().add("array_bytes", count * 128).add("line_bytes", 128).add("carveout_bytes", 228 << 10),
                             "probe,index,latency");
        size_t misses = 0, most = 0;
        for (unsigned long long other : others) {
            sets_kernel<<<1, 1>>>(the_array(), count, other, out);
            CK(cudaGetLastError());
            std::vector<unsigned> got(count);
            CK(cudaMemcpy(got.data(), out, count * 4, cudaMemcpyDeviceToHost));
            size_t here = 0;
            for (unsigned i = 0; i < count; i++) {
                here += got[i] > kMissThreshold;
                fprintf(f, "%llu,%u,%u\n", other / 128, i, got[i] - std::min(got[i], overhead.chase));
            }
            misses += here;
            most = std::max(most, here);
        }
        fclose(f);
        report.say("three stages with %u lines: %.2f misses after one load (at most %zu)", count,
                   (double)misses / (double)others.size(), most);
    }
}
