/* atomic_probe.cu - how reductions on global memory become packets, which slice of the L2 does them, and
 * how long each takes it.
 *
 * A case is a list of rows; a row says which word each lane of a warp adds to (none: the lane is idle).
 * Every warp goes through the rows again and again. A profiler tells packets, requests, passes through the
 * L1, the busiest slice and the cycles:
 *
 *     nvcc -arch=sm_90 -o atomic_probe atomic_probe.cu
 *     ncu --clock-control none --csv --page raw --metrics "$(atomic_probe --metrics)" atomic_probe
 *
 * The launches come in the order of the lines that the program prints: name, blocks, warps a block, rounds;
 * cases of one row print its words too. */
#include <cstring>
#include <functional>
#include <vector>

#include "check.h"

enum { IDLE = 0xffffffffu, MOST_ROWS = 64 };

static const char metrics[] =
    "sm__cycles_elapsed.max,sm__cycles_active.max,lts__cycles_elapsed.max,gpu__time_duration.sum,"
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum,"
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_red.sum,lts__t_requests_srcunit_tex_op_red.sum,"
    "lts__t_sectors_srcunit_tex_op_red.sum,lts__t_sectors_srcunit_tex_op_red.max,lts__t_sectors_srcunit_tex_op_red.min,"
    "lts__t_sectors_op_red.max,lts__t_sectors_op_red.sum,lts__t_requests.max";

__global__ void add(unsigned *data, const unsigned *rows, int n_rows, int rounds)
{
    __shared__ unsigned table[MOST_ROWS * 32];
    for (int i = threadIdx.x; i < n_rows * 32; i += blockDim.x)
        table[i] = rows[i];
    __syncthreads();
    unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int k = 0; k < rounds; k++) {
        unsigned word = table[(warp * 7 + k) % n_rows * 32 + lane];
        if (word != IDLE)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(data + word), "r"(lane + 1) : "memory");
    }
}

static unsigned *data, *device_rows;
static unsigned state = 12345;
static unsigned random_below(unsigned n)
{
    state = state * 1664525u + 1013904223u;
    return (unsigned)((unsigned long long)state * n >> 32);
}

static void run(const char *name, int n_rows, int blocks, int warps, int rounds, const std::function<unsigned(int, int)> &word_of)
{
    std::vector<unsigned> rows(n_rows * 32);
    for (int r = 0; r < n_rows; r++)
        for (int l = 0; l < 32; l++)
            rows[r * 32 + l] = word_of(r, l);
    CK(cudaMemcpy(device_rows, rows.data(), rows.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    printf("launch %s,%d,%d,%d,", name, blocks, warps, rounds);
    for (int l = 0; l < 32 && n_rows == 1; l++)
        printf("%s%d", l ? " " : "", (int)rows[l]);
    printf("\n");
    add<<<blocks, warps * 32>>>(data, device_rows, n_rows, rounds);
    CK(cudaDeviceSynchronize());
}

/* Random words without repetition; apart: also no two in the same place of their lines. */
static std::vector<unsigned> distinct_words(unsigned words, bool apart)
{
    std::vector<unsigned> out;
    while (out.size() < 32) {
        unsigned w = random_below(words);
        bool taken = false;
        for (unsigned o : out)
            taken |= o == w || (apart && o % 32 == w % 32);
        if (!taken)
            out.push_back(w);
    }
    return out;
}

static void packets_of_a_warp()
{
    for (int i = 0; i < 40; i++)
        run("random_256", 1, 1, 1, 1, [](int, int) { return random_below(256); });
    for (int i = 0; i < 6; i++) {
        auto w = distinct_words(256, false);
        run("distinct_256", 1, 1, 1, 1, [&](int, int l) { return w[l]; });
    }
    for (int i = 0; i < 6; i++) {
        auto w = distinct_words(256, true);
        run("apart_256", 1, 1, 1, 1, [&](int, int l) { return w[l]; });
    }
    for (unsigned lines : {1u, 2u, 4u, 8u, 16u, 32u}) {
        run("lines_in_turn", 1, 1, 1, 1, [=](int, int l) { return l % lines * 32 + l; });
        run("lines_in_blocks", 1, 1, 1, 1, [=](int, int l) { return l * lines / 32 * 32 + l; });
        run("lines_same_place", 1, 1, 1, 1, [=](int, int l) { return l % lines * 32 + l / lines; });
        run("lines_ends_meet", 1, 1, 1, 1, [=](int, int l) { return l == 31 ? 0 : l % lines * 32 + l; });
    }
}

static void rates()
{
    const int blocks = 528, warps = 8, rounds = 64;
    auto all = [&](const char *name, int n_rows, const std::function<unsigned(int, int)> &f) { run(name, n_rows, blocks, warps, rounds, f); };
    all("one_lane_one_word", 1, [](int, int l) { return l ? IDLE : 0u; });
    all("all_lanes_one_word", 1, [](int, int) { return 0u; });
    all("two_lanes_one_word", 1, [](int, int l) { return l < 2 ? 0u : IDLE; });
    all("one_lane_words_of_sector", 64, [](int, int l) { return l ? IDLE : random_below(8); });
    all("one_lane_sectors_of_line", 64, [](int, int l) { return l ? IDLE : random_below(4) * 8; });
    all("one_lane_sectors_of_line_in_turn", 4, [](int r, int l) { return l ? IDLE : r * 8u; });
    all("one_lane_512_bytes", 64, [](int, int l) { return l ? IDLE : random_below(128); });
    all("one_lane_lines_of_512_bytes", 64, [](int, int l) { return l ? IDLE : random_below(4) * 32; });
    all("whole_sector", 1, [](int, int l) { return l < 8 ? (unsigned)l : IDLE; });
    all("whole_sectors_of_line", 64, [](int r, int l) { return l < 8 ? (unsigned)(r % 4 * 8 + l) : IDLE; });
    all("whole_line", 1, [](int, int l) { return (unsigned)l; });
    all("whole_lines_in_turn", 4, [](int r, int l) { return (unsigned)(r * 32 + l); });
    all("four_sectors_one_lane_each", 1, [](int, int l) { return l < 4 ? l * 8u : IDLE; });
    all("two_sectors_one_lane_each", 1, [](int, int l) { return l < 2 ? l * 8u : IDLE; });
    all("four_words_eight_lanes_each", 1, [](int, int l) { return l % 4 * 8u; });
    all("eight_words_of_sector_four_lanes_each", 1, [](int, int l) { return l % 8u; });
    all("sixteen_words_two_lanes_each", 1, [](int, int l) { return l % 16u; });
    for (unsigned words : {32u, 64u, 128u, 256u, 512u, 1024u, 4096u, 16384u})
        all("random_words", 64, [=](int, int) { return random_below(words); });
    for (unsigned words : {128u, 256u, 512u})
        all("random_words_four_lanes", 64, [=](int, int l) { return l < 4 ? random_below(words) : IDLE; });
}

/* Which addresses share a slice: one SM, so that all packets go through the slices of one partition. */
static void slices()
{
    auto lines = [&](const char *name, int n, unsigned stride_words, unsigned first) {
        char text[64];
        snprintf(text, sizeof text, "%s_%d_by_%u_from_%u", name, n, stride_words * 4, first * 4);
        int n_rows = (n + 31) / 32;
        run(text, n_rows, 1, 8, 8 * n_rows, [=](int r, int l) { return r * 32 + l < n ? first + (r * 32 + l) * stride_words : IDLE; });
    };
    for (unsigned bytes : {32u, 128u, 256u, 384u, 512u, 640u, 1024u, 1536u, 2048u, 2560u, 3072u, 3584u, 4096u, 8192u, 8704u, 12288u,
                           16384u, 20480u, 24576u, 32768u, 65536u})
        lines("pair", 2, bytes / 4, 0);
    for (unsigned first : {128u, 256u, 384u})
        lines("pair", 2, 32, first / 4);
    for (int n : {4, 8, 16, 32, 64, 128, 256, 512, 1024})
        lines("row", n, 32, 0);
    for (int n : {4, 8, 16, 32, 47, 48, 64, 94, 96, 128, 256, 512, 1024})
        lines("row", n, 128, 0);
    for (unsigned bytes : {1024u, 2048u, 4096u, 8192u, 16384u, 24064u, 48128u, 24576u, 49152u})
        for (int n : {32, 256})
            lines("row", n, bytes / 4, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--metrics")) {
        printf("%s\n", metrics);
        return 0;
    }
    CK(cudaMalloc(&data, 64 << 20));
    CK(cudaMemset(data, 0, 64 << 20));
    CK(cudaMalloc(&device_rows, MOST_ROWS * 32 * sizeof(unsigned)));
    packets_of_a_warp();
    rates();
    slices();
    return 0;
}
