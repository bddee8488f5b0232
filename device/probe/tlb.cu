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
    big.bytes = std::min<size_t>(free_bytes - (free_bytes >> 4), 120ull << 30) >> 30 << 30;
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
    FILE *f = report.add(std::string("tlb-") + path_name + "-" + std::to_string(stride >> 20) + "M", "tlb", path_name,
                         Parameters().add("stride_bytes", (long long)stride).add("element_bytes", kElement).add("warmup", 2),
                         "pages,mean,p5,p25,p50,p75,p95");
    std::string line;
    for (unsigned pages : {4, 8, 12, 14, 15, 16, 17, 18, 20, 24, 28, 32, 33, 34, 36, 40, 48, 56, 64, 66, 72, 80, 96, 112, 128, 130,
                           144, 160, 192, 224, 256, 288, 320, 384, 448, 512, 544, 576, 640, 768, 896, 1024, 1088, 1152, 1280, 1536,
                           1792, 2048, 2304, 2560, 3072, 3584, 4096, 4608, 5120, 6144, 7168, 8192, 10240, 12288, 14336, 16384,
                           20480, 24576, 28672, 32768, 40960, 49152, 61440}) {
        if (pages * stride > big_memory().bytes || (path == PATH_L1 && pages > 1024))
            break;
        std::vector<unsigned> v;
        double sum = 0;
        for (const Record &r : page_chase(path, stride, pages, pages < 512 ? 4 : 1)) {
            v.push_back(r.cycles);
            sum += r.cycles;
        }
        fprintf(f, "%u,%.2f,%.0f,%.0f,%.0f,%.0f,%.0f\n", pages, sum / (double)v.size(), percentile(v, 0.05),
                percentile(v, 0.25), percentile(v, 0.5), percentile(v, 0.75), percentile(v, 0.95));
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
            p.add("element_bytes", kElement).add("warmup", 2);
            write_chase(report, "chase-tlb-" + std::to_string(mb) + "M-" + std::to_string(pages), "chase", "tlb", p,
                        page_chase(PATH_L2, mb << 20, pages, pages <= 256 ? 3 : 1));
        }
}

// ---- P1 to P6 -----------------------------------------------------------------------------------

// Phases of one walk: 65 first touches s1 apart (nothing cached: P5, P6); first touches 1 MB apart
// in pages just used (P4: a cache miss with a TLB hit); the first 65 again, twice (P2 and P3: a
// cache hit with TLB misses, where there are any); one line again and again (P1).
static void spectrum(Report &report, script_step load, const char *path, size_t s1)
{
    flush_l2();
    std::vector<unsigned long long> steps;
    std::vector<int> phase;
    auto go = [&](int number, unsigned long long offset) {
        steps.push_back(step(load, offset));
        phase.push_back(number);
    };
    for (unsigned long long i = 0; i <= 64; i++)
        go(5, i * s1 + i * 1152);
    for (unsigned long long i = 0; i < 64; i++) // 0: opens the page, 4: the page is there
        go(i % 2 ? 4 : 0, (i / 2) * (2ull << 20) + (i % 2) * (1ull << 20) + 512 + i * 1152);
    for (int round = 0; round < 2; round++)
        for (unsigned long long i = 0; i <= 64; i++)
            go(round ? 2 : 3, i * s1 + i * 1152);
    for (unsigned long long i = 0; i < 64; i++)
        go(1, (i % 8) * 4);
    std::vector<unsigned> c = run_script(big_memory().base, steps);
    Parameters p;
    p.add("s1_bytes", (long long)s1).add("s2_bytes", 1 << 20).add("s3_bytes", 4).add("element_bytes", 4);
    FILE *f = report.add(std::string("spectrum-") + path + "-" + std::to_string(s1 >> 20) + "M", "spectrum", path, p,
                         "step,phase,index,latency");
    std::string line;
    for (int number : {1, 2, 3, 4, 5}) {
        std::vector<unsigned> v;
        for (size_t i = 0; i < steps.size(); i++)
            if (phase[i] == number)
                v.push_back(c[i]);
        char text[64];
        snprintf(text, sizeof text, " P%d %.0f (%.0f to %.0f)", number, percentile(v, 0.5), percentile(v, 0.05), percentile(v, 0.95));
        line += text;
    }
    for (size_t i = 0; i < steps.size(); i++)
        fprintf(f, "%zu,%d,%llu,%u\n", i, phase[i], (steps[i] & ~3ull) / 4, c[i]);
    fclose(f);
    report.say("spectrum through %s, s1 = %zu MB:%s", path, s1 >> 20, line.c_str());
}
void probe_spectrum(Report &report)
{
    CK(cudaMemset(big_memory().base, 0, big_memory().bytes)); // a script wants zeros, not links
    for (size_t mb : {32, 512}) {
        spectrum(report, STEP_LOAD_L1, "l1", mb << 20);
        spectrum(report, STEP_LOAD_L2, "l2", mb << 20);
    }
}
