// tlb.cu - address translation: reach and penalty of the TLBs, and the latency spectrum P1 to P6
// (paper 002, sections 4.4 and 5.2), over tens of gigabytes.
#include "probe.h"
#include <algorithm>

static const unsigned kElement = 128; // elements are lines: 32 bits count 512 GB of them

struct Big {
    char *base;
    size_t bytes;
};
static Big big_memory()
{
    static Big big = {nullptr, 0};
    if (big.base)
        return big;
    size_t free_bytes = 0, total = 0;
    CK(cudaMemGetInfo(&free_bytes, &total));
    big.bytes = std::min<size_t>(free_bytes - (free_bytes >> 4), 120ull << 30) >> 30 << 30; // leaves room for more
    big.base = device_memory(big.bytes);
    return big;
}

// A chase over `pages` places `stride` bytes apart, each moved inside its first 2 MB so that the
// lines spread over the L2. One round is not timed: it brings the lines into the L2.
static std::vector<Record> page_chase(probe_path path, size_t stride, unsigned pages, unsigned rounds)
{
    unsigned spread = (unsigned)std::min<size_t>(stride, 2 << 20) / kElement;
    link_spread(big_memory().base, kElement, pages, (unsigned)(stride / kElement), spread);
    Chase c;
    c.path = path;
    c.base = big_memory().base;
    c.element_bytes = kElement;
    c.warm_steps = 2 * pages;
    c.steps = rounds * pages;
    // The ring starts at element 0 moved by the hash of 0, which is 0.
    return chase(c);
}
static void sweep(Report &report, probe_path path, const char *path_name, size_t stride)
{
    FILE *f = report.add(std::string("average-tlb-") + path_name + "-" + std::to_string(stride >> 20) + "M", "average", path == PATH_L1 ? "l1" : "tlb",
                         Parameters().add("stride_bytes", (long long)stride).add("element_bytes", kElement).add("warmup", 2),
                         "array_bytes,stride_bytes,latency,minimum,maximum,p25,p50,p75");
    std::string line;
    for (unsigned pages : {4, 8, 12, 14, 15, 16, 17, 18, 20, 24, 28, 32, 33, 34, 36, 40, 48, 56, 64, 66, 72, 80, 96, 112, 128, 130,
                           144, 160, 192, 224, 256, 288, 320, 384, 448, 512, 544, 576, 640, 768, 896, 1024, 1088, 1152, 1280, 1536,
                           1792, 1920, 1984, 2016, 2032, 2048, 2064, 2080, 2112, 2176, 2240, 2304, 2560, 3072, 3584, 4096, 4608, 5120, 6144, 7168, 8192, 10240, 12288, 14336, 16384,
                           20480, 24576, 28672, 32768, 40960, 49152, 61440}) {
        if (pages * stride > big_memory().bytes || (path == PATH_L1 && pages > 1024))
            break;
        std::vector<unsigned> v;
        double sum = 0;
        for (const Record &r : page_chase(path, stride, pages, pages < 512 ? 4 : 1)) {
            v.push_back(r.cycles);
            sum += r.cycles;
        }
        fprintf(f, "%zu,%zu,%.2f,%.0f,%.0f,%.0f,%.0f,%.0f\n", pages * stride, stride, sum / (double)v.size(), percentile(v, 0),
                percentile(v, 1), percentile(v, 0.25), percentile(v, 0.5), percentile(v, 0.75));
        char text[32];
        snprintf(text, sizeof text, " %u:%.0f", pages, sum / (double)v.size());
        line += text;
    }
    fclose(f);
    report.say("TLB, %s, stride %zu MB, mean by pages:%s", path_name, stride >> 20, line.c_str());
}
void probe_tlb(Report &report)
{
    for (size_t mb : {2, 4, 8, 16, 32, 64, 128, 512})
        sweep(report, PATH_L2, "l2", mb << 20);
    sweep(report, PATH_L1, "l1", 2 << 20);
    sweep(report, PATH_L1, "l1", 32 << 20);
    for (unsigned pages : {16, 17, 32, 33, 64, 66, 128, 144, 512, 1024, 2048, 4096, 8192, 16384})
        for (size_t mb : {2, 32}) {
            if ((mb << 20) * pages > big_memory().bytes || (mb == 32 && pages > 2048))
                continue;
            Parameters p;
            p.add("array_bytes", (long long)((mb << 20) * pages)).add("stride_bytes", (long long)(mb << 20));
            p.add("element_bytes", kElement).add("warmup", 2).add("page_bytes", 2 << 20);
            write_chase(report, "chase-tlb-" + std::to_string(mb) + "M-" + std::to_string(pages), "tlb", "tlb", p,
                        page_chase(PATH_L2, mb << 20, pages, pages <= 256 ? 3 : 1));
        }
}

// ---- P1 to P6 -----------------------------------------------------------------------------------

// A walk in phases, s1 bytes from page to page. Around the L1: first touches (P5: caches and TLBs
// miss) of so many pages that no TLB holds the first ones; another line of each of the last pages,
// right after its page was used (P4: the TLB hits, the caches miss); the first 64 pages again (P3:
// the cache hits, both TLBs miss), and again (P2: the second TLB hits), each line twice (P1). P1 to P3
// are of the same lines: how far a line is does not show in their differences.
// Through the L1 only as many pages as it holds lines. First of all, pages never touched since they
// were mapped (P6).
class Walk
{
  public:
    Walk(script_step load, size_t s1) : load_(load), s1_(s1) {}
    void go(int pattern, unsigned page, unsigned offset)
    {
        steps.push_back(step(load_, page * s1_ + page * 1152ull % (1 << 20) + offset));
        patterns.push_back(pattern);
    }
    std::vector<unsigned long long> steps;
    std::vector<int> patterns;

  private:
    script_step load_;
    size_t s1_;
};
static Walk spectrum_walk(script_step load, size_t s1, unsigned pages)
{
    Walk walk(load, s1);
    for (unsigned i = 0; i < pages; i++) {
        walk.go(5, i, 0);
        if (i + 64 >= pages)
            walk.go(4, i, 1 << 20);
    }
    for (unsigned i = 0; i < 64; i++)
        walk.go(3, i, 0);
    for (unsigned i = 0; i < 64; i++) {
        walk.go(2, i, 0);
        walk.go(1, i, 4);
    }
    return walk;
}
static void spectrum(Report &report, script_step load, const char *path, size_t s1)
{
    const unsigned fresh_pages = 64;
    const size_t fresh_spacing = 32 << 20;
    size_t most = load == STEP_LOAD_L1 ? 128 : 3800;
    Walk walk = spectrum_walk(load, s1, (unsigned)std::min(big_memory().bytes / s1, most));
    char *big = big_memory().base, *fresh = nullptr;
    CK(cudaMalloc(&fresh, fresh_spacing * fresh_pages));
    char *base = std::min(big, fresh);
    for (unsigned long long &s : walk.steps)
        s += (unsigned long long)(big - base);
    for (unsigned i = 0; i < fresh_pages; i++) {
        walk.steps.insert(walk.steps.begin() + i, step(load, (unsigned long long)(fresh - base) + i * fresh_spacing + i * 1152));
        walk.patterns.insert(walk.patterns.begin() + i, 6);
    }
    flush_l2();
    std::vector<unsigned> c = run_script(base, walk.steps);
    CK(cudaFree(fresh));
    Parameters p;
    p.add("s1_bytes", (long long)s1).add("s3_bytes", 4).add("element_bytes", 4).add("warmup", 0LL);
    FILE *f = report.add(std::string("spectrum-") + path + "-" + std::to_string(s1 >> 20) + "M", "spectrum", path, p,
                         "step,index,latency,pattern");
    std::string line;
    for (int number : {1, 2, 3, 4, 5, 6}) {
        std::vector<unsigned> v;
        for (size_t i = 0; i < c.size(); i++)
            if (walk.patterns[i] == number)
                v.push_back(c[i]);
        char text[64];
        snprintf(text, sizeof text, " P%d %.0f (%.0f to %.0f)", number, percentile(v, 0.5), percentile(v, 0.05), percentile(v, 0.95));
        line += text;
    }
    for (size_t i = 0; i < c.size(); i++)
        fprintf(f, "%zu,%llu,%u,%d\n", i, (walk.steps[i] & ~3ull) / 4, c[i], walk.patterns[i]);
    fclose(f);
    report.say("spectrum through %s, s1 = %zu MB:%s", path, s1 >> 20, line.c_str());
}
void probe_spectrum(Report &report)
{
    for (size_t mb : {32, 512}) {
        spectrum(report, STEP_LOAD_L1, "l1", mb << 20);
        spectrum(report, STEP_LOAD_L2, "l2", mb << 20);
    }
}
