// mixed_probe.cu - how fast SMs read and write at once, by the share of each, the shape of both and where the lines are.
//
//   mixed_probe            prints CSV: what,place,order,sms,reads,read_shape,write_shape,cycles,read_per_cycle,write_per_cycle
//   mixed_probe counted    the same launches once each, without a common start, for the profiler and for models
//
// A warp's turn is four accesses: `reads` of them load, the others store. order: wave: the loads first, then stores of what
// they brought; mixed: by turns, stores of constants; apart: SMs of odd rank load alone, the others store alone.
// what    cache: both footprints stay in the L2 and are there; cold: what is read comes from DRAM, what is written stays in
//         the L2; dram: both are far larger than the L2; from_dram, to_dram: one of them is
// place   near: lines whose home is the SM's own L2 partition; far: the others; all: both (counted: all alone)
// shape   line: whole lines, 16 bytes a lane; half, sector: the first 64 or 32 bytes of each line; words: a line, 4 bytes a lane
// Bytes a cycle are of all SMs together; the time is that of the slowest, until what was stored has reached the L2.
#include <algorithm>
#include <cstring>
#include <vector>

#include "check.h"
#include "sides.h"

enum { PIECE_BITS = 12, THREADS = 1024, WARPS = THREADS / 32, TURN = 4 };
enum order { WAVE, MIXED, APART };
enum place { NEAR, FAR, ALL };
enum shape { LINE, HALF, SECTOR, WORDS };
static const char *const order_names[] = {"wave", "mixed", "apart"}, *const place_names[] = {"near", "far", "all"},
                         *const shape_names[] = {"line", "half", "sector", "words"};
static const int bytes_of[] = {512, 512, 512, 128}; // of a warp's access
static const int per_piece_bits[] = {3, 2, 1, 5};   // accesses that a piece of 4 KB takes, as a power of two

struct side {         // what is read, or written
    char *memory;     // an array of `pieces` pieces for each rank, a power of two
    unsigned mask;    // accesses of one rank, less one
    unsigned bits;    // log2 of accesses to a piece
    unsigned step;    // bytes from one access in a piece to the next
    int shape, place;
};

__device__ static unsigned lane_offset(int shape, unsigned lane)
{
    switch (shape) {
    case LINE:
        return lane * 16;
    case HALF:
        return lane / 4 * 128 + lane % 4 * 16;
    case SECTOR:
        return lane / 2 * 128 + lane % 2 * 16;
    default:
        return lane * 4;
    }
}
// Pieces of all ranks lie in turn. Of two that lie side by side, each has its home in another partition.
__device__ static char *place_of(const struct side &s, unsigned access, unsigned rank, unsigned ranks, unsigned near)
{
    unsigned a = access & s.mask;
    unsigned long long piece = (unsigned long long)(a >> s.bits) * ranks + rank;
    char *at = s.memory + (s.place == ALL ? piece << PIECE_BITS : piece << (PIECE_BITS + 1));
    if (s.place != ALL && home_of(at) != (near ^ (s.place == FAR)))
        at += 1 << PIECE_BITS;
    return at + (a & ((1u << s.bits) - 1)) * s.step;
}

template <int WIDE> __device__ static uint4 load(const char *at)
{
    uint4 x = {0, 0, 0, 0};
    if (WIDE)
        asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(at) : "memory");
    else
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x.x) : "l"(at) : "memory");
    return x;
}
template <int WIDE> __device__ static void store(char *at, uint4 x)
{
    if (WIDE)
        asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(at), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w) : "memory");
    else
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(x.x) : "memory");
}

// One turn of a warp: its READS loads and WRITES stores.
template <int WIDE, int READS, int WRITES, int ORDER>
__device__ static void turn(const struct side &from, const struct side &to, unsigned i, unsigned rank, unsigned ranks, unsigned near,
                            unsigned read_lane, unsigned write_lane, unsigned &sum)
{
    uint4 x[READS + 1], v = {i, i, i, i};
#pragma unroll
    for (int j = 0; j < (READS > WRITES ? READS : WRITES); j++) {
        if (j < READS)
            x[j] = load<WIDE>(place_of(from, i * READS + j, rank, ranks, near) + read_lane);
        if (ORDER == MIXED && j < WRITES)
            store<WIDE>(place_of(to, i * WRITES + j, rank, ranks, near) + write_lane, v);
    }
    if (ORDER != MIXED)
#pragma unroll
        for (int j = 0; j < WRITES; j++)
            store<WIDE>(place_of(to, i * WRITES + j, rank, ranks, near) + write_lane, READS ? x[j % (READS ? READS : 1)] : v);
#pragma unroll
    for (int j = 0; j < READS; j++)
        sum += x[j].x + x[j].y + x[j].z + x[j].w;
}

template <int WIDE, int READS, int ORDER>
__global__ void __launch_bounds__(THREADS) work(struct side from, struct side to, unsigned first, unsigned turns, const int *rank_of, const unsigned *near_of, unsigned ranks,
                     unsigned *gate, long long *cycles, unsigned *sink)
{
    unsigned sm = sm_id(), lane = threadIdx.x % 32, sum = 0;
    int rank = gate ? rank_of[sm] : (int)blockIdx.x;
    unsigned near = gate ? near_of[sm] : 0;
    unsigned read_lane = lane_offset(from.shape, lane), write_lane = lane_offset(to.shape, lane);
    if (rank >= 0) // what shall be there before the clock starts
        for (unsigned i = threadIdx.x / 32; i < first; i += WARPS)
            turn<WIDE, READS, TURN - READS, ORDER == APART ? WAVE : ORDER>(from, to, i, rank, ranks, near, read_lane, write_lane, sum);
    if (gate) {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(gate, 1);
            while (*(volatile unsigned *)gate < gridDim.x)
                ;
        }
        __syncthreads();
    }
    if (rank < 0)
        return;
    long long t = clock64();
    for (unsigned i = threadIdx.x / 32; i < turns; i += WARPS) {
        if (ORDER != APART)
            turn<WIDE, READS, TURN - READS, ORDER>(from, to, i, rank, ranks, near, read_lane, write_lane, sum);
        else if (rank & 1)
            turn<WIDE, TURN, 0, WAVE>(from, to, i, rank, ranks, near, read_lane, write_lane, sum);
        else
            turn<WIDE, 0, TURN, WAVE>(from, to, i, rank, ranks, near, read_lane, write_lane, sum);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[rank] = clock64() - t;
    if (sum == 0x12345678u)
        sink[0] = 1;
}
// The L2 then holds these alone, and none of them is dirty.
__global__ void read_all(const uint4 *memory, size_t n, unsigned *sink)
{
    unsigned sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        sum += memory[i].x;
    if (sum == 0x12345678u)
        sink[0] = 1;
}

static int n_sms, n_launches;
static bool counted;
static std::vector<unsigned> near_of;
static char *sources, *targets, *others;
static unsigned *d_near, *gate, *sink;
static int *d_rank;
static long long *d_cycles;
enum { SMALL_BITS = 3, COLD_BITS = 4, LARGE_BITS = 9, OTHERS = 128 << 20 }; // pieces of a rank: 4.3, 8.6 and 277 MB in all

static struct side side_of(char *memory, int shape, int place, int piece_bits)
{
    int bits = per_piece_bits[shape];
    return {memory, (1u << (piece_bits + bits)) - 1, (unsigned)bits, 4096u >> bits, shape, place};
}

template <int WIDE, int READS, int ORDER>
static double launch(const struct side &from, const struct side &to, unsigned first, unsigned turns, int sms, bool flush, double *of_readers)
{
    double best = 0;
    int blocks = counted ? sms : n_sms;
    CK(cudaFuncSetAttribute(work<WIDE, READS, ORDER>, cudaFuncAttributeMaxDynamicSharedMemorySize, 150 << 10));
    for (int run = 0; run < (counted ? 1 : 3); run++) {
        CK(cudaMemset(gate, 0, 4));
        CK(cudaMemset(d_cycles, 0, n_sms * 8));
        if (flush && !counted)
            read_all<<<4 * n_sms, 256>>>((const uint4 *)others, OTHERS / 16, sink);
        work<WIDE, READS, ORDER><<<blocks, THREADS, 150 << 10>>>(from, to, first, turns, d_rank, d_near, sms, counted ? nullptr : gate,
                                                                  d_cycles, sink);
        CK(cudaDeviceSynchronize());
        std::vector<long long> cycles(n_sms);
        CK(cudaMemcpy(cycles.data(), d_cycles, n_sms * 8, cudaMemcpyDeviceToHost));
        double most = 0, readers = 0;
        for (int r = 0; r < sms; r++) {
            most = std::max(most, (double)cycles[r]);
            readers = r & 1 ? std::max(readers, (double)cycles[r]) : readers;
        }
        if (run == 0 || most < best)
            best = most, *of_readers = readers;
    }
    return best;
}

template <int WIDE, int READS, int ORDER>
static void measure(const char *what, int place, int sms, int read_shape, int write_shape)
{
    bool cold = !strcmp(what, "cold"), large_from = !strcmp(what, "dram") || !strcmp(what, "from_dram"),
         large_to = !strcmp(what, "dram") || !strcmp(what, "to_dram");
    int large_bits = LARGE_BITS; // as much in all, however few SMs there are
    for (int n = sms; 2 * n <= n_sms; n *= 2)
        large_bits++;
    int from_bits = large_from ? large_bits : cold ? COLD_BITS : SMALL_BITS, to_bits = large_to ? large_bits : cold ? COLD_BITS : SMALL_BITS;
    struct side from = side_of(sources, read_shape, place, from_bits), to = side_of(targets, write_shape, place, to_bits);
    // Every SM that works gets every n_sms / sms-th rank.
    std::vector<int> rank(n_sms, -1);
    for (int r = 0; r < sms; r++)
        rank[(size_t)r * n_sms / sms] = r;
    CK(cudaMemcpy(d_rank, rank.data(), n_sms * 4, cudaMemcpyHostToDevice));
    // Turns that take each piece of the larger side once; what stays in the L2 is gone over several times.
    unsigned once_from = READS ? (from.mask + 1) / READS : 0, once_to = READS < TURN ? (to.mask + 1) / (TURN - READS) : 0;
    bool large = large_from || large_to;
    unsigned turns = large ? (large_from && READS ? once_from : once_to) : std::max(once_from, once_to), first = 0;
    if (large_from && large_to && READS && READS < TURN)
        turns = std::min(once_from, once_to);
    if (ORDER == APART)
        turns = std::min(from.mask, to.mask) / TURN + 1;
    if (!large && !cold)
        first = turns, turns *= counted ? 8 : 12;
    if (cold)
        turns = std::max(std::min(once_from ? once_from : ~0u, once_to ? once_to : ~0u), 1u);
    double readers = 0, cycles = launch<WIDE, READS, ORDER>(from, to, first, turns, sms, cold || large, &readers);
    double accesses = (double)turns * sms, read = accesses * READS * bytes_of[read_shape],
           written = accesses * (TURN - READS) * bytes_of[write_shape], read_cycles = cycles;
    if (ORDER == APART) {
        read = accesses / 2 * TURN * bytes_of[read_shape], written = accesses / 2 * TURN * bytes_of[write_shape];
        read_cycles = readers;
    }
    if (counted)
        printf("launch %d ", n_launches++);
    printf("%s,%s,%s,%d,%d,%s,%s,%.0f,%.1f,%.1f\n", what, place_names[place], order_names[ORDER], sms, READS, shape_names[read_shape],
           shape_names[write_shape], cycles, read / read_cycles, written / cycles);
}

template <int WIDE, int ORDER> static void ratios(const char *what, int place, int sms, int read_shape, int write_shape)
{
    if (ORDER == WAVE)
        measure<WIDE, 4, WAVE>(what, place, sms, read_shape, write_shape), measure<WIDE, 0, WAVE>(what, place, sms, read_shape, write_shape);
    measure<WIDE, 3, ORDER>(what, place, sms, read_shape, write_shape);
    measure<WIDE, 2, ORDER>(what, place, sms, read_shape, write_shape);
    measure<WIDE, 1, ORDER>(what, place, sms, read_shape, write_shape);
}

static void all_of(const char *what, int place)
{
    ratios<1, WAVE>(what, place, n_sms, LINE, LINE);
    ratios<1, WAVE>(what, place, n_sms, HALF, HALF);
    ratios<1, WAVE>(what, place, n_sms, SECTOR, SECTOR);
    ratios<0, WAVE>(what, place, n_sms, WORDS, WORDS);
}

int main(int argc, char **argv)
{
    counted = argc > 1 && !strcmp(argv[1], "counted");
    cudaDeviceProp p;
    CK(cudaGetDeviceProperties(&p, 0));
    n_sms = p.multiProcessorCount;
    size_t large = (size_t)n_sms << (LARGE_BITS + PIECE_BITS), small = (size_t)n_sms << (COLD_BITS + PIECE_BITS + 1);
    size_t room = std::max(large, small);
    CK(cudaMalloc(&sources, room));
    CK(cudaMalloc(&targets, room));
    CK(cudaMalloc(&others, OTHERS));
    if (!counted) {
        CK(cudaMemset(sources, 0, room));
        CK(cudaMemset(targets, 0, room));
        CK(cudaMemset(others, 0, OTHERS));
    }
    CK(cudaMalloc(&gate, 256));
    CK(cudaMalloc(&sink, 256));
    CK(cudaMalloc(&d_cycles, n_sms * 8));
    CK(cudaMalloc(&d_rank, n_sms * 4));
    CK(cudaMalloc(&d_near, n_sms * 8));
    near_of.assign(n_sms, 0);
    if (!counted) {
        CK(cudaFuncSetAttribute(find_sides, cudaFuncAttributeMaxDynamicSharedMemorySize, 150 << 10));
        find_sides<<<n_sms, THREADS, 150 << 10>>>(sources, d_near);
        CK(cudaDeviceSynchronize());
        std::vector<unsigned> cycles(n_sms * 2);
        CK(cudaMemcpy(cycles.data(), d_near, n_sms * 8, cudaMemcpyDeviceToHost));
        for (int s = 0; s < n_sms; s++)
            near_of[s] = cycles[2 * s] > cycles[2 * s + 1];
        CK(cudaMemcpy(d_near, near_of.data(), n_sms * 4, cudaMemcpyHostToDevice));
        printf("what,place,order,sms,reads,read_shape,write_shape,cycles,read_per_cycle,write_per_cycle\n");
    }
    for (int place = counted ? ALL : NEAR; place <= ALL; place++)
        all_of("cache", place);
    ratios<1, WAVE>("cache", ALL, n_sms, LINE, SECTOR);
    ratios<1, WAVE>("cache", ALL, n_sms, SECTOR, LINE);
    ratios<1, MIXED>("cache", ALL, n_sms, LINE, LINE);
    ratios<1, MIXED>("cache", ALL, n_sms, SECTOR, SECTOR);
    measure<1, 2, APART>("cache", ALL, n_sms, LINE, LINE);
    measure<1, 2, APART>("cache", ALL, n_sms, SECTOR, SECTOR);
    for (int sms : {1, 2, 8, 16, 33, 66}) {
        measure<1, 4, WAVE>("cache", ALL, sms, LINE, LINE);
        measure<1, 2, WAVE>("cache", ALL, sms, LINE, LINE);
        measure<1, 2, MIXED>("cache", ALL, sms, LINE, LINE);
        measure<1, 0, WAVE>("cache", ALL, sms, LINE, LINE);
    }
    all_of("cold", ALL);
    ratios<1, MIXED>("cold", ALL, n_sms, LINE, LINE);
    all_of("dram", ALL);
    ratios<1, MIXED>("dram", ALL, n_sms, LINE, LINE);
    measure<1, 2, APART>("dram", ALL, n_sms, LINE, LINE);
    for (int sms : {16, 33, 66}) {
        measure<1, 4, WAVE>("dram", ALL, sms, LINE, LINE);
        measure<1, 2, WAVE>("dram", ALL, sms, LINE, LINE);
        measure<1, 0, WAVE>("dram", ALL, sms, LINE, LINE);
    }
    measure<1, 3, WAVE>("from_dram", ALL, n_sms, LINE, LINE);
    measure<1, 2, WAVE>("from_dram", ALL, n_sms, LINE, LINE);
    measure<1, 1, WAVE>("from_dram", ALL, n_sms, LINE, LINE);
    measure<1, 3, WAVE>("to_dram", ALL, n_sms, LINE, LINE);
    measure<1, 2, WAVE>("to_dram", ALL, n_sms, LINE, LINE);
    measure<1, 1, WAVE>("to_dram", ALL, n_sms, LINE, LINE);
    return 0;
}
