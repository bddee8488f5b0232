/* matrix.cu - products of dense matrices, from one thread an element to tensor cores. */
#include "suite.h"
#include <string.h>

enum { TILE = 16 };

__global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int column = SUITE_THREAD_X, row = SUITE_THREAD_Y;
    if (row >= n || column >= n)
        return;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += a[row * n + k] * b[k * n + column];
    c[row * n + column] = s;
}

/* n is a multiple of TILE. */
__global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = SUITE_THREAD_X, row = SUITE_THREAD_Y;
    float s = 0;
    for (int start = 0; start < n; start += TILE) {
        a_tile[y][x] = a[row * n + start + x];
        b_tile[y][x] = b[(start + y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            s += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }
    c[row * n + column] = s;
}

static void matmul_reference(const float *a, const float *b, double *c, int rows, int columns,
                             int depth)
{
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < depth; k++)
            for (int j = 0; j < columns; j++)
                c[r * columns + j] += (double)a[r * depth + k] * b[k * columns + j];
}

typedef void (*matmul_kernel)(const float *, const float *, float *, int);

static double matmul(matmul_kernel kernel, int n)
{
    size_t count = (size_t)n * n, bytes = count * sizeof(float);
    float *a = suite_floats(count, -1, 1), *b = suite_floats(count, -1, 1);
    float *dc = (float *)suite_device_zeros(bytes);
    dim3 grid(suite_blocks(n, TILE), suite_blocks(n, TILE)), block(TILE, TILE);
    kernel<<<grid, block>>>((float *)suite_upload(a, bytes), (float *)suite_upload(b, bytes), dc,
                            n);
    float *c = (float *)suite_download(dc, bytes);
    double *expected = (double *)suite_host(count * sizeof *expected);
    matmul_reference(a, b, expected, n, n, n);
    return suite_error_floats(c, expected, count);
}

static double run_matmul_naive(void)
{
    return matmul(matmul_naive, suite_pick(50, 200)); /* edge blocks partly idle */
}

static double run_matmul_tiled(void)
{
    return matmul(matmul_tiled, suite_pick(64, 240));
}

/* Sixteen bytes from global to shared memory, past the L1 and the registers
 * where the architecture can. */
static __device__ inline void copy_16_bytes(float *to_shared, const float *from_global)
{
#if __CUDA_ARCH__ >= 800
    uint32_t to;
    asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }"
        : "=r"(to)
        : "l"(to_shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from_global)
                 : "memory");
#else
    *(float4 *)to_shared = *(const float4 *)from_global;
#endif
}

static __device__ inline void commit_copies(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until at most one group of this thread's copies is under way. */
static __device__ inline void wait_for_all_but_one(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}

enum { BLOCK_TILE = 64, DEPTH_TILE = 16 };

/* 64x64 results a block, 4x4 a thread; the next slice of A and B is copied
 * while the current one is used. Sizes are multiples of the tiles. */
__global__ void sgemm_blocked(const float *a, const float *b, float *c, int columns, int depth)
{
    __shared__ __align__(16) float a_tile[2][BLOCK_TILE][DEPTH_TILE];
    __shared__ __align__(16) float b_tile[2][DEPTH_TILE][BLOCK_TILE];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const float *a_from = a + (blockIdx.y * BLOCK_TILE + t / 4) * depth + t % 4 * 4;
    const float *b_from = b + ty * columns + blockIdx.x * BLOCK_TILE + tx * 4;
    float sum[4][4] = {{0}};

    copy_16_bytes(&a_tile[0][t / 4][t % 4 * 4], a_from);
    copy_16_bytes(&b_tile[0][ty][tx * 4], b_from);
    commit_copies();
    for (int start = 0, now = 0; start < depth; start += DEPTH_TILE, now ^= 1) {
        if (start + DEPTH_TILE < depth) {
            copy_16_bytes(&a_tile[now ^ 1][t / 4][t % 4 * 4], a_from + start + DEPTH_TILE);
            copy_16_bytes(&b_tile[now ^ 1][ty][tx * 4], b_from + (start + DEPTH_TILE) * columns);
        }
        commit_copies();
        wait_for_all_but_one();
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH_TILE; k++) {
            float4 bv = *(const float4 *)&b_tile[now][k][tx * 4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float av = a_tile[now][ty * 4 + i][k];
                sum[i][0] += av * bv.x;
                sum[i][1] += av * bv.y;
                sum[i][2] += av * bv.z;
                sum[i][3] += av * bv.w;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int row = blockIdx.y * BLOCK_TILE + ty * 4 + i;
        float4 v = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        *(float4 *)&c[row * columns + blockIdx.x * BLOCK_TILE + tx * 4] = v;
    }
}

static double run_sgemm_blocked(void)
{
    int n = suite_pick(128, 768), depth = suite_pick(48, 64);
    size_t bytes = (size_t)n * n * sizeof(float);
    float *a = suite_floats((size_t)n * depth, -1, 1), *b = suite_floats((size_t)n * depth, -1, 1);
    float *dc = (float *)suite_device_zeros(bytes);
    dim3 grid(n / BLOCK_TILE, n / BLOCK_TILE);
    sgemm_blocked<<<grid, 256>>>((float *)suite_upload(a, (size_t)n * depth * sizeof *a),
                                 (float *)suite_upload(b, (size_t)n * depth * sizeof *b), dc, n,
                                 depth);
    float *c = (float *)suite_download(dc, bytes);
    double *expected = (double *)suite_host(2 * bytes);
    matmul_reference(a, b, expected, n, n, depth);
    return suite_error_floats(c, expected, (size_t)n * n);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
static __device__ inline float from_half(uint32_t bits)
{
    float f;
    asm("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt.f32.f16 %0, h; }" : "=f"(f) : "r"(bits));
    return f;
}
#endif

/* One m16n8k16 step of a warp: d += a b in half precision with float sums. The
 * fallback for older architectures lets each lane find its four sums alone. */
static __device__ inline void mma_step(float d[4], const uint16_t *a, const uint16_t *b, int depth)
{
    int lane = threadIdx.x % 32, group = lane / 4, pair = lane % 4 * 2;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    uint32_t a0 = *(const uint32_t *)&a[group * depth + pair];
    uint32_t a1 = *(const uint32_t *)&a[(group + 8) * depth + pair];
    uint32_t a2 = *(const uint32_t *)&a[group * depth + pair + 8];
    uint32_t a3 = *(const uint32_t *)&a[(group + 8) * depth + pair + 8];
    uint32_t b0 = *(const uint32_t *)&b[group * depth + pair];
    uint32_t b1 = *(const uint32_t *)&b[group * depth + pair + 8];
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 16; k++)
            d[i] += from_half(a[(group + i / 2 * 8) * depth + k]) *
                    from_half(b[(pair + i % 2) * depth + k]);
#endif
}

/* C = A B' for halves, a warp a 16x8 tile; A and B are both stored along k. */
__global__ void matmul_tensor(const uint16_t *a, const uint16_t *b, float *c, int columns,
                              int depth)
{
    int lane = threadIdx.x % 32, row = blockIdx.y * 16;
    int column = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 8;
    float d[4] = {0, 0, 0, 0};
    for (int k = 0; k < depth; k += 16)
        mma_step(d, a + row * depth + k, b + column * depth + k, depth);
    float *to = c + (row + lane / 4) * columns + column + lane % 4 * 2;
    to[0] = d[0];
    to[1] = d[1];
    to[8 * columns] = d[2];
    to[8 * columns + 1] = d[3];
}

/* A whole number of -8..7 as a half: sign, exponent with bias 15, ten bits of fraction. */
static uint16_t half_of_int(int v)
{
    uint16_t sign = v < 0 ? 0x8000 : 0;
    int size = v < 0 ? -v : v, exponent = 0;
    if (size == 0)
        return 0;
    while (size >> (exponent + 1))
        exponent++;
    return (uint16_t)(sign | ((exponent + 15) << 10) | ((size << (10 - exponent)) & 0x3ff));
}

/* The products and sums of small whole numbers are exact. */
static double run_matmul_tensor(void)
{
    int n = suite_pick(64, 512), depth = 64;
    size_t count = (size_t)n * depth;
    uint32_t *values = suite_uints(2 * count, 16);
    uint16_t *halves = (uint16_t *)suite_host(2 * count * sizeof *halves);
    for (size_t i = 0; i < 2 * count; i++)
        halves[i] = half_of_int((int)values[i] - 8);
    uint16_t *da = (uint16_t *)suite_upload(halves, count * sizeof *halves);
    uint16_t *db = (uint16_t *)suite_upload(halves + count, count * sizeof *halves);
    float *dc = (float *)suite_device_zeros((size_t)n * n * sizeof *dc);
    matmul_tensor<<<dim3(n / 32, n / 16), 128>>>(da, db, dc, n, depth);
    float *c = (float *)suite_download(dc, (size_t)n * n * sizeof *c);
    double *expected = (double *)suite_host((size_t)n * n * sizeof *expected);
    for (int r = 0; r < n; r++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < depth; k++)
                expected[r * n + j] += ((double)values[r * depth + k] - 8) *
                                       ((double)values[count + j * depth + k] - 8);
    return suite_error_floats(c, expected, (size_t)n * n);
}

/* C = alpha A A' + beta C on the lower triangle: half of the threads leave at once. */
__global__ void syrk(const float *a, float *c, int n, int depth, float alpha, float beta)
{
    int column = SUITE_THREAD_X, row = SUITE_THREAD_Y;
    if (row >= n || column > row)
        return;
    float s = 0;
    for (int k = 0; k < depth; k++)
        s += a[row * depth + k] * a[column * depth + k];
    c[row * n + column] = alpha * s + beta * c[row * n + column];
}

static double run_syrk(void)
{
    int n = suite_pick(64, 256), depth = suite_pick(24, 64);
    float *a = suite_floats((size_t)n * depth, -1, 1), *c = suite_floats((size_t)n * n, -1, 1);
    float *dc = (float *)suite_upload(c, (size_t)n * n * sizeof *c);
    dim3 grid(suite_blocks(n, 32), suite_blocks(n, 4)), block(32, 4);
    syrk<<<grid, block>>>((float *)suite_upload(a, (size_t)n * depth * sizeof *a), dc, n, depth,
                          1.5f, 0.5f);
    float *got = (float *)suite_download(dc, (size_t)n * n * sizeof *c);
    double *expected = (double *)suite_host((size_t)n * n * sizeof *expected);
    for (int r = 0; r < n; r++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < depth; k++)
                s += (double)a[r * depth + k] * a[j * depth + k];
            expected[r * n + j] = j <= r ? 1.5 * s + 0.5 * c[r * n + j] : c[r * n + j];
        }
    return suite_error_floats(got, expected, (size_t)n * n);
}

static const struct suite_test tests[] = {
    {"matmul_naive", "matmul_naive", "A B, a thread an element", 2e-5, run_matmul_naive},
    {"matmul_tiled", "matmul_tiled", "A B, 16x16 tiles in shared memory", 2e-5, run_matmul_tiled},
    {"sgemm_blocked", "sgemm_blocked", "A B, 4x4 a thread, asynchronous copies", 1e-5,
     run_sgemm_blocked},
    {"matmul_tensor", "matmul_tensor", "A B' in half precision on tensor cores", 0,
     run_matmul_tensor},
    {"syrk", "syrk", "A A' on the lower triangle", 1e-5, run_syrk},
};
SUITE_AREA(suite_matrix, "matrix", tests);
