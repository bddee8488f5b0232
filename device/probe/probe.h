// probe.h - what the parts of the probe share: loads that can be timed, chases, tables on disk.
//
// A part is one function that measures and adds series to the report; probe.cu has their list. A
// time is in SM cycles unless its name says otherwise. What taking a time costs is taken off it:
// calibrate() finds that cost for both kinds of walk. docs/probe-format.md says what a series
// holds.
#ifndef STRATA_PROBE_H
#define STRATA_PROBE_H
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define CK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s; the series written so far are not complete.\n", __FILE__,  \
                    __LINE__, cudaGetErrorString(error_));                                         \
            exit(4);                                                                               \
        }                                                                                          \
    } while (0)

// ---- device side ----------------------------------------------------------------------------

// How a load reaches memory. `none` loads nothing: it gives the cost of taking a time.
enum probe_path { PATH_NONE, PATH_L1, PATH_L2, PATH_READONLY, PATH_TEXTURE };

__device__ __forceinline__ unsigned clock_now()
{
    unsigned t;
    asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
    return t;
}
// The clock, read no earlier than `value` is there. The predicate, which differs between threads
// for all the assembler knows, also keeps it from reading the clock through the uniform datapath,
// which takes a time of its own.
__device__ __forceinline__ unsigned clock_after(unsigned value)
{
    unsigned t = 0;
    asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.u32 q,%1,0xffffffff;\n\t@q mov.u32 %0,%%clock;\n\t}"
                 : "+r"(t)
                 : "r"(value)
                 : "memory");
    return t;
}
__device__ __forceinline__ unsigned sm_number()
{
    unsigned r;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(r));
    return r;
}
__device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void store_shared(unsigned address, unsigned value)
{
    asm volatile("st.shared.u32 [%0],%1;" ::"r"(address), "r"(value) : "memory");
}
// The plain load, which is cached in the L1; `ld.global.ca` says the same but is assembled into a
// strong load (chain.csv has both).
__device__ __forceinline__ unsigned load_l1(const void *p)
{
    unsigned v;
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ __forceinline__ unsigned load_l2(const void *p)
{
    unsigned v;
    asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
template <int PATH>
__device__ __forceinline__ unsigned load(const char *p, cudaTextureObject_t texture, unsigned index)
{
    unsigned v = index;
    if (PATH == PATH_L1)
        v = load_l1(p);
    if (PATH == PATH_L2)
        v = load_l2(p);
    if (PATH == PATH_READONLY)
        asm volatile("ld.global.nc.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    if (PATH == PATH_TEXTURE) {
        unsigned y, z, w;
        asm volatile("tex.1d.v4.u32.s32 {%0,%1,%2,%3},[%4,{%5}];"
                     : "=r"(v), "=r"(y), "=r"(z), "=r"(w)
                     : "l"(texture), "r"((int)index)
                     : "memory");
    }
    return v;
}

// ---- host side ------------------------------------------------------------------------------

// The parameters of a series, as the inside of a JSON object.
class Parameters
{
  public:
    Parameters &add(const char *name, long long value);
    Parameters &add(const char *name, const char *value);
    std::string text;
};

// The folder of results: CSV files and, at the end, manifest.json.
class Report
{
  public:
    Report(std::string folder, std::string driver);
    // Opens the file of a new series and writes its header; the caller closes the file.
    FILE *add(const std::string &name, const char *experiment, const char *path,
              const Parameters &parameters, const char *header);
    // A line of the summary printed at the end.
    void say(const char *format, ...) __attribute__((format(printf, 2, 3)));
    void finish();
    bool wanted(const char *group) const;
    std::vector<std::string> groups; // empty: all that are on by default

  private:
    std::string folder_, driver_, series_;
    std::vector<std::string> summary_;
};

struct Record {
    unsigned index, cycles;
};

// One pointer chase. The array has `elements` elements of element_bytes; an element's first word
// is the index of the next one.
struct Chase {
    probe_path path = PATH_L1;
    char *base = nullptr; // whose elements are linked already
    unsigned element_bytes = 4;
    unsigned start = 0;
    unsigned warm_steps = 0; // not timed
    unsigned steps = 0;      // timed; rounded up to an even number
    unsigned carveout_bytes = 8 << 10;
    int carveout_percent = -1;     // what the driver is told; -1: what gives carveout_bytes
    unsigned texture_elements = 0; // of the texture path
};
std::vector<Record> chase(const Chase &c);
// What the clocks cost in a chase and in a script: the time of a load that hits the L1 less the
// cycles that such loads take one after the other, without clocks. Run first.
struct Overhead {
    unsigned chase, script;
};
extern Overhead overhead;
void calibrate();
double l1_chain_cycles();
void write_chase(Report &report, const std::string &name, const char *experiment, const char *path,
                 const Parameters &parameters, const std::vector<Record> &records);

// Links elements 0, stride, 2 stride ... below n_elements into a ring.
void link_stride(char *base, unsigned element_bytes, unsigned n_elements, unsigned stride_elements);
// Links count elements, `stride` apart, each moved by a hash of its number below spread elements.
void link_spread(char *base, unsigned element_bytes, unsigned count, unsigned stride_elements,
                 unsigned spread_elements);

// A scripted walk: what a single thread of a chosen SM does, one timed step after another; each
// step waits for the one before. Offsets are in bytes, multiples of 4.
enum script_step { STEP_LOAD_L2 = 0, STEP_LOAD_L1 = 1, STEP_STORE = 2, STEP_WAIT = 3 };
std::vector<unsigned> run_script(char *base, const std::vector<unsigned long long> &steps,
                                 int target_sm = -1);
inline unsigned long long step(script_step kind, unsigned long long offset)
{
    return offset | (unsigned)kind;
}

// Reads a buffer of several times the L2 with all SMs, so that nothing else is left in it.
void flush_l2();
char *device_memory(size_t bytes); // zeroed
int sm_count();
double sm_clock_mhz(); // measured against the global timer
double percentile(std::vector<unsigned> values, double fraction);
unsigned count_above(const std::vector<Record> &records, unsigned threshold);

// Between a load that hits the L1 and one that comes from the L2.
const unsigned kMissThreshold = 150;

// The parts; each adds its series to the report.
void probe_latency(Report &report);
void probe_l1(Report &report);
void probe_sets(Report &report);
void probe_mshr(Report &report);
void probe_coalesce(Report &report);
void probe_counters(Report &report);
void probe_writes(Report &report);
void probe_l2(Report &report);
void probe_dram(Report &report);
void probe_tlb(Report &report);
void probe_spectrum(Report &report);
void probe_shared(Report &report);
void probe_throughput(Report &report);
void probe_plan(Report &report, const char *plan_file);
#endif
