// traffic.cu - how many bytes a cycle SMs store and load by the shape of what they store and load.
//
//   traffic          prints CSV: what,first,second,third,sms,cycles,bytes_per_cycle,requests_per_cycle (of one SM)
//   traffic counted  launches for the profiler alone, one line each in the order of the launches
//   traffic cold     how long one box of lines that only DRAM has takes: lines, pitch, then least, 5, 10, 25, 50, 75, 90, 95, 99 %, most
//
// Sets of SMs: one, a pair, one of each pair of a GPC, a GPC, one of each pair of all, all. GPCs are those whose SMs were
// seen to share clusters. All begin together; the time is that of the slowest, until what was stored has reached the L2.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include "hopper.h"

enum { WARPS = 8, ROOM = 150 << 10, BOX_ROWS = 64 };

__device__ __forceinline__ long long now()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}
__device__ __forceinline__ unsigned sm_id()
{
    unsigned s;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    return s;
}
// Blocks begin together; those whose SM has no rank leave.
__device__ __forceinline__ int begin_together(const int *rank, unsigned *gate)
{
    int r = rank[sm_id()];
    if (threadIdx.x == 0) {
        atomicAdd(gate, 1);
        while (*(volatile unsigned *)gate < gridDim.x)
            ;
    }
    __syncthreads();
    return r;
}

// ---- stores -----------------------------------------------------------------------------------

// A warp's access: `lines` lines, a piece of each. walk 0: the next access takes the next pieces of the same lines, as the
// accumulators of a product are stored; 1: other lines first; 2: as 0, but eight lines further by turns (gemm.cu).
template <int LANE_BYTES>
__global__ void stores(char *memory, const int *rank, unsigned *gate, long long *cycles, int lines, int walk, int pitch, int count)
{
    int r = begin_together(rank, gate), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r < 0)
        return;
    int lanes = 32 / lines, bytes = lanes * LANE_BYTES, pieces = bytes < 128 ? 128 / bytes : 1;
    char *mine = memory + (size_t)(r * WARPS + warp) * 128 * 1024;
    int span = walk == 2 ? 2 * lines : lines, groups = 128 * 1024 / (span * pitch * (bytes > 128 ? 4 : 1));
    groups = groups >= 8 ? 8 : groups >= 4 ? 4 : groups >= 2 ? 2 : 1;
    int pitches = pitch * (bytes > 128 ? 4 : 1), by_piece = __ffs(pieces) - 1, by_group = __ffs(groups) - 1;
    mine += (size_t)(lane / lanes) * pitches + lane % lanes * LANE_BYTES;
    long long t = now();
#pragma unroll 4
    for (int i = 0; i < count; i++) { // all are powers of two: a division would take longer than a store
        int half = walk == 2 ? i & 1 : 0, k = walk == 2 ? i >> 1 : i;
        int piece = (walk == 1 ? k >> by_group : k) & (pieces - 1), group = (walk == 1 ? k : k >> by_piece) & (groups - 1);
        char *at = mine + (group * span + half * lines) * pitches + piece * bytes;
        if (LANE_BYTES == 4)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
        else if (LANE_BYTES == 8)
            asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(at), "r"(i) : "memory");
        else
            asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at), "r"(i) : "memory");
    }
    long long issued = now() - t;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[2 * sm_id()] = now() - t;
        cycles[2 * sm_id() + 1] = issued;
    }
}

// ---- boxes ------------------------------------------------------------------------------------

struct walk_of_boxes {
    int across, down, own, width, box_bytes, ahead, count, lag;
};
__device__ __forceinline__ void place(const walk_of_boxes &w, int r, int i, int *x, int *y)
{
    *x = (i & (w.across - 1)) * w.width; // powers of two, as above
    *y = ((w.own ? r * w.down : 0) + (i >> (__ffs(w.across) - 1) & (w.down - 1))) * BOX_ROWS;
}

__global__ void load_boxes(const __grid_constant__ CUtensorMap map, const int *rank, unsigned *gate, long long *cycles, walk_of_boxes w)
{
    extern __shared__ __align__(1024) uint8_t stage[];
    __shared__ uint64_t full[16];
    int r = begin_together(rank, gate), x, y;
    if (r < 0 || threadIdx.x)
        return;
    for (int i = 0; i < w.ahead; i++)
        barrier_init(&full[i], 1);
    barrier_fence();
    long long t = now();
    int room = (w.box_bytes + 1023) & ~1023, by_ahead = __ffs(w.ahead) - 1;
    while (now() < t + (long long)w.lag * r)
        ;
    for (int i = 0; i < w.count + w.ahead; i++) {
        int at = i & (w.ahead - 1);
        if (i >= w.ahead)
            barrier_wait(&full[at], ((i >> by_ahead) - 1) & 1);
        if (i < w.count) {
            barrier_expect(&full[at], w.box_bytes);
            place(w, r, i, &x, &y);
            tensor_load(stage + at * room, &map, &full[at], x, y);
        }
    }
    cycles[2 * sm_id()] = cycles[2 * sm_id() + 1] = now() - t;
}

__global__ void store_boxes(const __grid_constant__ CUtensorMap map, const int *rank, unsigned *gate, long long *cycles, walk_of_boxes w)
{
    extern __shared__ __align__(1024) uint8_t stage[];
    int r = begin_together(rank, gate), x, y;
    if (r < 0 || threadIdx.x)
        return;
    long long t = now();
    for (int i = 0; i < w.count; i++) {
        place(w, r, i, &x, &y);
        tensor_store(&map, stage + (i & 3) * 16384, x, y);
        bulk_commit();
    }
    bulk_wait_read<0>();
    long long read = now() - t;
    bulk_wait<0>();
    cycles[2 * sm_id()] = now() - t;
    cycles[2 * sm_id() + 1] = read;
}

// Two blocks of a cluster each load half of every box for both.
__global__ void load_shared(const __grid_constant__ CUtensorMap map, walk_of_boxes w)
{
    extern __shared__ __align__(1024) uint8_t stage[];
    __shared__ uint64_t full;
    uint32_t rank = cluster_rank();
    if (threadIdx.x == 0)
        barrier_init(&full, 1), barrier_fence();
    cluster_sync();
    for (int i = 0; i < w.count; i++) {
        int x, y;
        place(w, 0, i, &x, &y);
        if (threadIdx.x == 0) {
            barrier_expect(&full, w.box_bytes);
            tensor_load_multicast(stage + rank * (w.box_bytes / 2), &map, &full, x, y + (int)rank * BOX_ROWS / 2, 3);
        }
        barrier_wait(&full, i & 1);
        cluster_sync();
    }
}

// One box after the other, each timed; box i is `step` rows further.
__global__ void time_boxes(const __grid_constant__ CUtensorMap map, int *cycles, int bytes, int rows, int count, int pause)
{
    extern __shared__ __align__(1024) uint8_t stage[];
    __shared__ uint64_t full;
    if (threadIdx.x)
        return;
    barrier_init(&full, 1);
    barrier_fence();
    for (int i = 0; i < count; i++) {
        long long t = now();
        barrier_expect(&full, bytes);
        tensor_load(stage, &map, &full, 0, i * rows);
        barrier_wait(&full, i & 1);
        cycles[i] = (int)(now() - t);
        while (now() < t + pause + i % 7 * 111) // not in step with anything
            ;
    }
}

// ---- GPCs -------------------------------------------------------------------------------------

__global__ void tell_clusters(unsigned *sm)
{
    if (threadIdx.x == 0)
        sm[blockIdx.x] = sm_id();
    long long t = now();
    while (now() < t + 2000)
        ;
}

static int n_sms;
static std::vector<int> gpc_of;
static void find_gpcs()
{
    enum { SIZE = 8, CLUSTERS = 128 };
    unsigned *d;
    std::vector<unsigned> sm(SIZE * CLUSTERS);
    gpc_of.resize(n_sms);
    std::iota(gpc_of.begin(), gpc_of.end(), 0);
    std::function<int(int)> root = [&](int s) { return gpc_of[s] == s ? s : gpc_of[s] = root(gpc_of[s]); };
    CK(cudaMalloc(&d, sm.size() * 4));
    CK(cudaFuncSetAttribute(tell_clusters, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
    for (int run = 0; run < 4; run++) {
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(SIZE * CLUSTERS);
        config.blockDim = dim3(128);
        config.dynamicSmemBytes = ROOM;
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = run % 2 ? SIZE : 4;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.attrs = &attribute;
        config.numAttrs = 1;
        CK(cudaLaunchKernelEx(&config, tell_clusters, d));
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(sm.data(), d, sm.size() * 4, cudaMemcpyDeviceToHost));
        int size = run % 2 ? SIZE : 4;
        for (size_t i = 0; i < sm.size(); i++)
            gpc_of[root((int)sm[i])] = root((int)sm[i / size * size]);
    }
    for (int s = 0; s < n_sms; s++)
        gpc_of[s] = root(s);
    CK(cudaFree(d));
}

// ---- measuring --------------------------------------------------------------------------------

struct sm_set {
    const char *name;
    std::vector<int> rank;
    int n;
};
static std::vector<sm_set> sets;
static void add_set(const char *name, std::function<bool(int)> member)
{
    sm_set s = {name, std::vector<int>(n_sms, -1), 0};
    for (int i = 0; i < n_sms; i++)
        if (member(i))
            s.rank[i] = s.n++;
    sets.push_back(s);
}

static char *memory;
static int *d_rank;
static unsigned *gate;
static long long *d_cycles;
template <class F> static void measure(const sm_set &s, F launch, long long *done, long long *issued)
{
    std::vector<long long> cycles(2 * n_sms);
    CK(cudaMemcpy(d_rank, s.rank.data(), n_sms * 4, cudaMemcpyHostToDevice));
    for (int run = 0; run < 3; run++) { // the first warms the L2
        CK(cudaMemset(gate, 0, 4));
        CK(cudaMemset(d_cycles, 0, n_sms * 16));
        launch();
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(cycles.data(), d_cycles, n_sms * 16, cudaMemcpyDeviceToHost));
        long long most = 0, least = 0;
        for (int i = 0; i < n_sms; i++)
            most = std::max(most, cycles[2 * i]), least = std::max(least, cycles[2 * i + 1]);
        if (run < 2 || most < *done)
            *done = most, *issued = least;
    }
}
static void tell(const char *what, int a, int b, int c, const sm_set &s, long long done, long long issued, double bytes, double requests)
{
    printf("%s,%d,%d,%d,%s,%d,%lld,%lld,%.2f,%.3f\n", what, a, b, c, s.name, s.n, done, issued, bytes / done, requests / done);
    fflush(stdout);
}

template <int LANE_BYTES> static void measure_stores(int lines, int walk, int pitch)
{
    int count = lines >= 16 ? 256 : 512, bytes = 32 / lines * LANE_BYTES;
    CK(cudaFuncSetAttribute(stores<LANE_BYTES>, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
    for (const sm_set &s : sets) {
        long long done, issued;
        measure(s, [&] {
            stores<LANE_BYTES><<<n_sms, WARPS * 32, ROOM>>>(memory, d_rank, gate, d_cycles, lines, walk, pitch, count);
        }, &done, &issued);
        char what[40];
        snprintf(what, sizeof what, "store_%d_walk%d", LANE_BYTES, walk);
        tell(what, lines, bytes, pitch, s, done, issued, (double)WARPS * count * 32 * LANE_BYTES,
             (double)WARPS * count * lines * (bytes > 128 ? bytes / 128 : 1));
    }
}

static walk_of_boxes boxes_of(int pitch, int width_bytes, int own, int ahead, int count)
{
    walk_of_boxes w = {};
    w.across = pitch / width_bytes;
    w.down = own ? std::max(1, 16 / w.across) : 4 * 1024 * 1024 / (pitch * BOX_ROWS);
    w.own = own;
    w.width = width_bytes / 2;
    w.box_bytes = BOX_ROWS * width_bytes;
    w.ahead = ahead;
    w.count = count;
    return w;
}
static CUtensorMap map_of(int pitch, int width_bytes, int swizzle)
{
    return make_map(memory, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (256u << 20) / pitch, pitch / 2, BOX_ROWS, width_bytes / 2,
                    (CUtensorMapSwizzle)swizzle);
}

static void measure_boxes(bool load, int pitch, int width, int swizzle, int ahead)
{
    CUtensorMap map = map_of(pitch, width, swizzle);
    walk_of_boxes w = boxes_of(pitch, width, 1, ahead, 256);
    for (const sm_set &s : sets) {
        long long done, issued;
        measure(s, [&] {
            if (load)
                load_boxes<<<n_sms, 32, ROOM>>>(map, d_rank, gate, d_cycles, w);
            else
                store_boxes<<<n_sms, 32, ROOM>>>(map, d_rank, gate, d_cycles, w);
        }, &done, &issued);
        char what[40];
        snprintf(what, sizeof what, "%s_boxes_swizzle%d_ahead%d", load ? "load" : "store", swizzle, ahead);
        tell(what, width, BOX_ROWS, pitch, s, done, issued, (double)w.count * w.box_bytes, (double)w.count * BOX_ROWS);
    }
}

// ---- for the profiler -------------------------------------------------------------------------

static int n_counted;
static void counted(const char *what, int pitch, int width, int swizzle, walk_of_boxes w)
{
    CUtensorMap map = map_of(pitch, width, swizzle);
    CK(cudaMemset(gate, 0, 4));
    load_boxes<<<n_sms, 32, ROOM>>>(map, d_rank, gate, d_cycles, w);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    printf("counted %d,%s,%d,%d,%d,%d,%d,%d\n", n_counted++, what, pitch, width, swizzle, w.ahead, w.lag, w.own);
}
static void all_counted()
{
    CK(cudaMemcpy(d_rank, sets.back().rank.data(), n_sms * 4, cudaMemcpyHostToDevice));
    for (int width : {16, 32, 64, 128, 256}) // own boxes: sectors by width
        counted("own", 1024, width, width == 128 ? 3 : 0, boxes_of(1024, width, 1, 2, 16));
    for (int pitch : {1024, 4096}) // the same boxes for all: what merges
        for (int ahead : {1, 2, 4, 8})
            for (int lag : {0, 4, 16, 64}) {
                walk_of_boxes w = boxes_of(pitch, 128, 0, ahead, 512);
                w.lag = lag;
                counted("same", pitch, 128, 3, w);
            }
    walk_of_boxes w = boxes_of(1024, 128, 0, 1, 256);
    CUtensorMap map = make_map(memory, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (256u << 20) / 1024, 512, BOX_ROWS / 2, 64,
                               CU_TENSOR_MAP_SWIZZLE_128B);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(n_sms);
    config.blockDim = dim3(32);
    config.dynamicSmemBytes = ROOM;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CK(cudaLaunchKernelEx(&config, load_shared, map, w));
    CK(cudaDeviceSynchronize());
    printf("counted %d,multicast2,1024,128,3,1,0,0\n", n_counted++);
}

// ---- what only DRAM has -----------------------------------------------------------------------

static void cold(int rows, int pitch, int count)
{
    int *d;
    std::vector<int> t(count);
    CK(cudaMalloc(&d, count * 4));
    CK(cudaMemset(memory + (128u << 20), 1, 128u << 20)); // the L2 has the other half
    CUtensorMap map = make_map(memory, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (128u << 20) / pitch, pitch / 2, rows, 64,
                               CU_TENSOR_MAP_SWIZZLE_128B);
    time_boxes<<<1, 32, ROOM>>>(map, d, rows * 128, rows, count, 4000);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(t.data(), d, count * 4, cudaMemcpyDeviceToHost));
    t.erase(t.begin(), t.begin() + 2); // the map and the code come first
    std::sort(t.begin(), t.end());
    printf("cold,%d,%d", rows, pitch);
    for (int p : {0, 5, 10, 25, 50, 75, 90, 95, 99, 100})
        printf(",%d", t[std::min(t.size() - 1, t.size() * p / 100)]);
    printf("\n");
    CK(cudaFree(d));
}
static void all_cold()
{
    CK(cudaFuncSetAttribute(time_boxes, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
    for (int pitch : {128, 512, 1024, 4096})
        for (int rows : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
            int most = (int)((128ll << 20) / pitch / rows);
            cold(rows, pitch, std::min(most, 1000));
        }
}

int main(int argc, char **argv)
{
    cudaDeviceProp p;
    CK(cudaGetDeviceProperties(&p, 0));
    n_sms = p.multiProcessorCount;
    CK(cudaMalloc(&memory, 256u << 20));
    CK(cudaMemset(memory, 0, 256u << 20));
    CK(cudaMalloc(&d_rank, n_sms * 4));
    CK(cudaMalloc(&gate, 256));
    CK(cudaMalloc(&d_cycles, n_sms * 16));
    CK(cudaFuncSetAttribute(load_boxes, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
    CK(cudaFuncSetAttribute(store_boxes, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
    CK(cudaFuncSetAttribute(load_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
    find_gpcs();
    std::map<int, int> sizes;
    for (int g : gpc_of)
        sizes[g]++;
    for (auto &g : sizes)
        fprintf(stderr, "GPC of SM %d: %d SMs\n", g.first, g.second);
    int gpc = gpc_of[20];
    add_set("one", [&](int s) { return s == 20; });
    add_set("pair", [&](int s) { return s / 2 == 10; });
    add_set("gpc_half", [&](int s) { return gpc_of[s] == gpc && s % 2 == 0; });
    add_set("gpc", [&](int s) { return gpc_of[s] == gpc; });
    add_set("half", [&](int s) { return s % 2 == 0; });
    add_set("all", [&](int) { return true; });
    if (argc > 1 && !strcmp(argv[1], "cold")) {
        all_cold();
        return 0;
    }
    if (argc > 1) {
        CK(cudaProfilerStart());
        all_counted();
        CK(cudaProfilerStop());
        return 0;
    }
    printf("what,first,second,third,sms,n,cycles,issued,bytes_per_cycle,requests_per_cycle\n");
    for (int walk = 0; walk < 2; walk++) {
        for (int lines : {1, 2, 4, 8, 16, 32})
            measure_stores<4>(lines, walk, 128);
        for (int lines : {1, 8, 16, 32})
            measure_stores<16>(lines, walk, 128);
    }
    measure_stores<8>(8, 0, 128);
    for (int pitch : {128, 1536, 6144})
        measure_stores<4>(8, 2, pitch);
    for (int pitch : {128, 1024, 4096})
        for (int width : {16, 32, 64, 128})
            if (pitch == 1024 || width == 128) {
                measure_boxes(true, pitch, width, width == 128 ? 3 : 0, 1);
                measure_boxes(true, pitch, width, width == 128 ? 3 : 0, 8);
                measure_boxes(false, pitch, width, width == 128 ? 3 : 0, 1);
            }
    return 0;
}
