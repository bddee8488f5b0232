// small_forms.cu - forms that few programs use: products of single bits, sparse ones of four bits,
// wmma of whole numbers and bits, st.async, red.async, reductions by bulk copies, im2col boxes. Each
// runs with random operands and is compared with a plain loop over the tables of the PTX manual. A
// line a form: how many of its results are wrong.
#include <mma.h>
#include "hopper.h"
using namespace nvcuda;

static uint32_t random_word()
{
    return (uint32_t)rand() * 2654435761u ^ (uint32_t)rand();
}
static void tell(const char *form, int wrong)
{
    printf("%s: %d wrong (%s)\n", form, wrong, cudaGetErrorString(cudaGetLastError()));
}

// ---- products of fragments ------------------------------------------------------------------

struct lanes {
    uint32_t a[32][4], b[32][4], c[32][4], meta[32], d[32][4];
};
#define FRAGMENTS(NAME, TEXT)                                                                      \
    __global__ void NAME(lanes *x)                                                                 \
    {                                                                                              \
        int l = threadIdx.x;                                                                       \
        uint32_t *a = x->a[l], *b = x->b[l], *c = x->c[l];                                         \
        uint32_t d0 = c[0], d1 = c[1], d2 = c[2], d3 = c[3];                                       \
        asm volatile(TEXT                                                                          \
                     : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)                                      \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),           \
                       "r"(b[2]), "r"(b[3]), "r"(x->meta[l]));                                     \
        x->d[l][0] = d0;                                                                           \
        x->d[l][1] = d1;                                                                           \
        x->d[l][2] = d2;                                                                           \
        x->d[l][3] = d3;                                                                           \
    }
#define SUM16 "{%0,%1,%2,%3}"
FRAGMENTS(bits_88_xor, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc "
                       "{%0,%1},{%4},{%8},{%0,%1};")
FRAGMENTS(bits_88_and, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc "
                       "{%0,%1},{%4},{%8},{%0,%1};")
FRAGMENTS(bits_128_xor, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc " SUM16
                        ",{%4,%5},{%8}," SUM16 ";")
FRAGMENTS(bits_128_and, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc " SUM16
                        ",{%4,%5},{%8}," SUM16 ";")
FRAGMENTS(bits_256_xor, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc " SUM16
                        ",{%4,%5,%6,%7},{%8,%9}," SUM16 ";")
FRAGMENTS(bits_256_and, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc " SUM16
                        ",{%4,%5,%6,%7},{%8,%9}," SUM16 ";")
#define SPARSE_64(T, SEL)                                                                          \
    "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col." T " " SUM16 ",{%4,%5},{%8,%9}," SUM16 \
    ",%12," #SEL ";"
#define SPARSE_128(T)                                                                              \
    "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col." T " " SUM16                         \
    ",{%4,%5,%6,%7},{%8,%9,%10,%11}," SUM16 ",%12,0;"
FRAGMENTS(sparse_64_0, SPARSE_64("s32.s4.s4.s32", 0))
FRAGMENTS(sparse_64_1, SPARSE_64("s32.u4.s4.s32", 1))
FRAGMENTS(sparse_128, SPARSE_128("s32.s4.s4.s32"))
FRAGMENTS(sparse_128_u, SPARSE_128("satfinite.s32.s4.u4.s32"))

static void fill(lanes *x)
{
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < 4; i++) {
            x->a[l][i] = random_word();
            x->b[l][i] = random_word();
            x->c[l][i] = random_word() % 9999;
        }
    for (int l = 0; l < 32; l++) {
        x->meta[l] = 0;
        for (int i = 0; i < 8; i++) { // two of four, in their order
            static const int chosen[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
            x->meta[l] |= (uint32_t)chosen[random_word() % 6] << (4 * i);
        }
    }
}
static void run(void (*kernel)(lanes *), lanes *x)
{
    lanes *d;
    CK(cudaMalloc(&d, sizeof *d));
    CK(cudaMemcpy(d, x, sizeof *d, cudaMemcpyHostToDevice));
    kernel<<<1, 32>>>(d);
    CK(cudaMemcpy(x, d, sizeof *d, cudaMemcpyDeviceToHost));
    CK(cudaFree(d));
}
static int wrong_sums(const lanes &x, int rows, const int sum[16][8])
{
    int wrong = 0;
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < rows / 4; i++) {
            int r = l / 4 + 8 * (i / 2), q = 2 * (l % 4) + (i & 1);
            wrong += (int)x.d[l][i] != sum[r][q] + (int)x.c[l][i];
        }
    return wrong;
}
static void test_bits(const char *name, void (*kernel)(lanes *), int rows, int depth, bool exclusive)
{
    lanes x;
    static uint8_t a[16][256], b[256][8];
    int sum[16][8] = {};
    fill(&x);
    run(kernel, &x);
    for (int l = 0; l < 32; l++)
        for (int r = 0; r < rows * depth / 1024; r++)
            for (int e = 0; e < 32; e++) {
                int below = rows == 16 ? r & 1 : 0, step = rows == 16 ? r / 2 : r;
                a[l / 4 + 8 * below][l % 4 * 32 + e + 128 * step] = x.a[l][r] >> e & 1;
            }
    for (int l = 0; l < 32; l++)
        for (int r = 0; r < depth / 128; r++)
            for (int e = 0; e < 32; e++)
                b[l % 4 * 32 + e + 128 * r][l / 4] = x.b[l][r] >> e & 1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < 8; j++)
            for (int k = 0; k < depth; k++)
                sum[i][j] += exclusive ? a[i][k] ^ b[k][j] : a[i][k] & b[k][j];
    tell(name, wrong_sums(x, rows, sum));
}
static int nibble(uint32_t word, int i, bool is_signed)
{
    int v = word >> (4 * i) & 15;
    return is_signed && v > 7 ? v - 16 : v;
}
// Two pairs of four are there; the metadata of pairs lie as those of bytes (sparse.cu).
static void test_sparse(const char *name, void (*kernel)(lanes *), int depth, int selector, bool a_signed, bool b_signed)
{
    lanes x;
    static int a[16][128], b[128][8];
    int sum[16][8] = {};
    fill(&x);
    run(kernel, &x);
    memset(a, 0, sizeof a);
    for (int l = 0; l < 32; l++)
        for (int r = 0; r < depth / 32; r++)
            for (int e = 0; e < 8; e++) {
                int row = l / 4 + 8 * (r & 1), column = l % 4 * 8 + e + 32 * (r / 2), pair = column / 2;
                int lane = row % 8 * 4 + selector * (depth / 32) + 2 * (pair / 16) + row / 8;
                int where = x.meta[lane] >> (pair % 16 * 2) & 3;
                a[row][(pair / 2 * 4 + where) * 2 + column % 2] = nibble(x.a[l][r], e, a_signed);
            }
    for (int l = 0; l < 32; l++)
        for (int r = 0; r < depth / 32; r++)
            for (int e = 0; e < 8; e++)
                b[l % 4 * 8 + e + 32 * r][l / 4] = nibble(x.b[l][r], e, b_signed);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++)
            for (int k = 0; k < depth; k++)
                sum[i][j] += a[i][k] * b[k][j];
    tell(name, wrong_sums(x, 16, sum));
}

// ---- wmma -----------------------------------------------------------------------------------

template <class T, int M, int N, class LA, class LB>
__global__ void wmma_bytes(const T *a, const T *b, const int *c, int *d, int lda, int ldb)
{
    wmma::fragment<wmma::matrix_a, M, N, 16, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, 16, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, 16, int> fc;
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, M, wmma::mem_col_major);
}
template <class T, int M, int N, class LA, class LB> static void test_bytes(const char *name)
{
    constexpr bool a_row = std::is_same<LA, wmma::row_major>::value, b_row = std::is_same<LB, wmma::row_major>::value;
    const int lda = 48, ldb = 64;
    uint8_t *m;
    CK(cudaMallocManaged(&m, 16384));
    T *a = (T *)m, *b = a + 4096;
    int *c = (int *)(m + 8192), *d = c + 256, wrong = 0;
    for (int i = 0; i < 8192; i++)
        m[i] = (uint8_t)random_word();
    for (int i = 0; i < 256; i++)
        c[i] = (int)(random_word() % 9999);
    wmma_bytes<T, M, N, LA, LB><<<1, 32>>>(a, b, c, d, lda, ldb);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = c[i * N + j];
            for (int k = 0; k < 16; k++)
                sum += (int)a[a_row ? i * lda + k : k * lda + i] * (int)b[b_row ? k * ldb + j : j * ldb + k];
            wrong += d[j * M + i] != sum;
        }
    tell(name, wrong);
    CK(cudaFree(m));
}
template <class T, int K> __global__ void wmma_small(const void *a, const void *b, const int *c, int *d, int ld, int how)
{
    wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> fc;
    wmma::load_matrix_sync(fa, (const int *)a, ld);
    wmma::load_matrix_sync(fb, (const int *)b, ld);
    wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
    if constexpr (K == 128)
        wmma::bmma_sync(fc, fa, fb, fc, how ? wmma::experimental::bmmaBitOpAND : wmma::experimental::bmmaBitOpXOR);
    else
        wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
// ld counts elements
template <class T, int K> static void test_small(const char *name, bool is_signed, int how)
{
    const int ld = K * 2, bits = K == 128 ? 1 : 4, per = 32 / bits;
    uint32_t *m;
    CK(cudaMallocManaged(&m, 16384));
    uint32_t *a = m, *b = m + 1024;
    int *c = (int *)m + 2048, *d = c + 64, wrong = 0;
    for (int i = 0; i < 2048; i++)
        m[i] = random_word();
    for (int i = 0; i < 64; i++)
        c[i] = (int)(random_word() % 9999);
    wmma_small<T, K><<<1, 32>>>(a, b, c, d, ld, how);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int sum = c[i * 8 + j];
            for (int k = 0; k < K; k++) {
                uint32_t x = a[(i * ld + k) / per], y = b[(j * ld + k) / per];
                int e = k % per;
                if (bits == 4)
                    sum += nibble(x, e, is_signed) * nibble(y, e, is_signed);
                else
                    sum += how ? (x & y) >> e & 1 : (x ^ y) >> e & 1;
            }
            wrong += d[i * 8 + j] != sum;
        }
    tell(name, wrong);
    CK(cudaFree(m));
}

// ---- to shared memory of another block --------------------------------------------------------

__device__ __forceinline__ uint32_t in_block(const void *p, uint32_t rank)
{
    uint32_t a;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(shared_address(p)), "r"(rank));
    return a;
}
#define ASYNC_TO(OP, TYPE) OP ".shared::cluster.mbarrier::complete_tx::bytes" TYPE
__global__ __cluster_dims__(2) void stores_async(uint32_t *out)
{
    __shared__ __align__(16) uint32_t data[32 * 16];
    __shared__ uint64_t full;
    uint32_t rank = cluster_rank(), l = threadIdx.x;
    for (int i = 0; i < 16; i++)
        data[l * 16 + i] = 0;
    if (l == 0) {
        barrier_init(&full, 1);
        barrier_expect(&full, 32 * (4 + 8 + 16 + 8 + 16));
    }
    barrier_fence();
    cluster_sync();
    uint32_t to = in_block(&data[l * 16], rank ^ 1), b = in_block(&full, rank ^ 1), v = rank * 1000 + l * 8;
    uint64_t w = (uint64_t)(v + 7) << 32 | v;
    asm volatile(ASYNC_TO("st.async", ".u32") " [%0], %1, [%2];" ::"r"(to), "r"(v), "r"(b) : "memory");
    asm volatile(ASYNC_TO("st.async", ".v2.u32") " [%0+8], {%1,%2}, [%3];" ::"r"(to), "r"(v + 1), "r"(v + 2), "r"(b) : "memory");
    asm volatile(ASYNC_TO("st.async", ".v4.u32") " [%0+16], {%1,%2,%3,%4}, [%5];" ::"r"(to), "r"(v + 3), "r"(v + 4), "r"(v + 5), "r"(v + 6), "r"(b) : "memory");
    asm volatile(ASYNC_TO("st.async", ".u64") " [%0+32], %1, [%2];" ::"r"(to), "l"(w), "r"(b) : "memory");
    asm volatile(ASYNC_TO("st.async", ".v2.u64") " [%0+48], {%1,%2}, [%3];" ::"r"(to), "l"(w + 1), "l"(w + 2), "r"(b) : "memory");
    barrier_wait(&full, 0);
    for (int i = 0; i < 16; i++)
        out[(rank * 32 + l) * 16 + i] = data[l * 16 + i];
    cluster_sync();
}
static void test_stores_async()
{
    uint32_t *out;
    int wrong = 0;
    CK(cudaMallocManaged(&out, 4096));
    stores_async<<<2, 32>>>(out);
    CK(cudaDeviceSynchronize());
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t v = (r ^ 1) * 1000 + l * 8, want[16] = {v, 0, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v, v + 7, 0, 0, v + 1, v + 7, v + 2, v + 7};
            for (int i = 0; i < 16; i++)
                wrong += out[(r * 32 + l) * 16 + i] != want[i];
        }
    tell("st.async", wrong);
    CK(cudaFree(out));
}
#define RED(N, TYPE) asm volatile(ASYNC_TO("red.async.relaxed.cluster", TYPE) " [%0+" #N "], %1, [%2];" ::"r"(to), "r"(v), "r"(b) : "memory")
__global__ __cluster_dims__(2) void reductions_async(uint32_t *out)
{
    __shared__ __align__(16) uint32_t data[16];
    __shared__ uint64_t full;
    uint32_t rank = cluster_rank(), l = threadIdx.x;
    if (l < 16)
        data[l] = l == 0 ? 5 : l == 8 ? 0xffffffffu : 1000 + l;
    if (l == 0) {
        barrier_init(&full, 1);
        barrier_expect(&full, 32 * (11 * 4 + 8));
    }
    barrier_fence();
    cluster_sync();
    uint32_t to = in_block(data, rank ^ 1), b = in_block(&full, rank ^ 1), v = 950 + l * 8 + rank;
    RED(0, ".inc.u32");
    RED(4, ".dec.u32");
    RED(8, ".min.u32");
    RED(12, ".max.u32");
    RED(16, ".add.u32");
    RED(20, ".min.s32");
    RED(24, ".max.s32");
    RED(28, ".add.s32");
    RED(32, ".and.b32");
    RED(36, ".or.b32");
    RED(40, ".xor.b32");
    uint64_t w = (uint64_t)v << 31;
    asm volatile(ASYNC_TO("red.async.relaxed.cluster", ".add.u64") " [%0+48], %1, [%2];" ::"r"(to), "l"(w), "r"(b) : "memory");
    barrier_wait(&full, 0);
    if (l < 16)
        out[rank * 16 + l] = data[l];
    cluster_sync();
}
static void test_reductions_async()
{
    uint32_t *out;
    int wrong = 0;
    CK(cudaMallocManaged(&out, 4096));
    reductions_async<<<2, 32>>>(out);
    CK(cudaDeviceSynchronize());
    for (uint32_t r = 0; r < 2; r++) {
        uint32_t x[16];
        for (uint32_t i = 0; i < 16; i++)
            x[i] = i == 0 ? 5 : i == 8 ? 0xffffffffu : 1000 + i;
        uint64_t wide = x[12] | (uint64_t)x[13] << 32;
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t v = 950 + l * 8 + (r ^ 1);
            x[0] = x[0] >= v ? 0 : x[0] + 1;
            x[1] = x[1] == 0 || x[1] > v ? v : x[1] - 1;
            x[2] = x[2] < v ? x[2] : v;
            x[3] = x[3] > v ? x[3] : v;
            x[4] += v;
            x[5] = x[5] < v ? x[5] : v;
            x[6] = x[6] > v ? x[6] : v;
            x[7] += v;
            x[8] &= v;
            x[9] |= v;
            x[10] ^= v;
            wide += (uint64_t)v << 31;
        }
        x[12] = (uint32_t)wide;
        x[13] = (uint32_t)(wide >> 32);
        for (int i = 0; i < 16; i++)
            wrong += i != 1 && out[r * 16 + i] != x[i]; // dec depends on the order
    }
    tell("red.async", wrong);
    CK(cudaFree(out));
}

// ---- reductions by bulk copies ----------------------------------------------------------------

#define BULK_FORMS(X)                                                                              \
    X(0, "add.u32", uint32_t, x + y) X(1, "add.s32", int32_t, x + y) X(2, "add.u64", uint64_t, x + y) \
    X(3, "inc.u32", uint32_t, x >= y ? 0 : x + 1) X(4, "dec.u32", uint32_t, x == 0 || x > y ? y : x - 1) \
    X(5, "min.u32", uint32_t, x < y ? x : y) X(6, "max.s32", int32_t, x > y ? x : y)               \
    X(7, "min.u64", uint64_t, x < y ? x : y) X(8, "max.s64", int64_t, x > y ? x : y)               \
    X(9, "and.b32", uint32_t, x & y) X(10, "or.b64", uint64_t, x | y) X(11, "xor.b32", uint32_t, x ^ y) \
    X(12, "add.f32", float, x + y) X(13, "add.f64", double, x + y)                                 \
    X(14, "min.s32", int32_t, x < y ? x : y) X(15, "max.u64", uint64_t, x > y ? x : y)             \
    X(16, "min.s64", int64_t, x < y ? x : y) X(17, "xor.b64", uint64_t, x ^ y)
#define HALF_FORMS(X) X(18, "add.noftz.f16") X(19, "min.f16") X(20, "max.f16") X(21, "add.noftz.bf16") X(22, "min.bf16") X(23, "max.bf16")
#define SHARED_FORMS(X)                                                                            \
    X(0, "add.u32", uint32_t, x + y) X(1, "add.s32", int32_t, x + y) X(2, "add.u64", uint64_t, x + y) \
    X(3, "inc.u32", uint32_t, x >= y ? 0 : x + 1) X(4, "dec.u32", uint32_t, x == 0 || x > y ? y : x - 1) \
    X(5, "min.u32", uint32_t, x < y ? x : y) X(6, "max.s32", int32_t, x > y ? x : y)               \
    X(7, "min.s32", int32_t, x < y ? x : y) X(8, "max.u32", uint32_t, x > y ? x : y)               \
    X(9, "and.b32", uint32_t, x & y) X(10, "or.b32", uint32_t, x | y) X(11, "xor.b32", uint32_t, x ^ y)

template <int FORM> __global__ void bulk_global(uint8_t *to, const uint8_t *from)
{
    __shared__ __align__(128) uint8_t data[512];
    for (int i = threadIdx.x; i < 512; i += 32)
        data[i] = from[i];
    __syncthreads();
    async_fence();
    if (threadIdx.x)
        return;
#define X(N, OP, ...)                                                                              \
    if constexpr (FORM == N)                                                                       \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." OP " [%0], [%1], 512;" ::"l"(to), \
                     "r"(shared_address(data))                                                     \
                     : "memory");
    BULK_FORMS(X)
    HALF_FORMS(X)
#undef X
    bulk_commit();
    bulk_wait<0>();
}
template <int FORM> __global__ __cluster_dims__(2) void bulk_shared(uint8_t *to, const uint8_t *from)
{
    __shared__ __align__(128) uint8_t data[512], sum[512];
    __shared__ uint64_t full;
    uint32_t rank = cluster_rank();
    for (int i = threadIdx.x; i < 512; i += 32) {
        data[i] = from[i];
        sum[i] = to[i];
    }
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        barrier_expect(&full, 512);
    }
    barrier_fence();
    async_fence();
    cluster_sync();
    if (threadIdx.x == 0) {
#define X(N, OP, ...)                                                                              \
    if constexpr (FORM == N)                                                                       \
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." OP \
                     " [%0], [%1], 512, [%2];" ::"r"(in_block(sum, rank ^ 1)),                     \
                     "r"(shared_address(data)), "r"(in_block(&full, rank ^ 1))                     \
                     : "memory");
        SHARED_FORMS(X)
#undef X
    }
    barrier_wait(&full, 0);
    __syncthreads();
    cluster_sync();
    if (rank == 0)
        for (int i = threadIdx.x; i < 512; i += 32)
            to[i] = sum[i];
}
template <class T, class F> static void test_bulk(const char *name, void (*kernel)(uint8_t *, const uint8_t *), int blocks, F expected)
{
    uint8_t *m;
    CK(cudaMallocManaged(&m, 1024));
    T *to = (T *)m, *from = (T *)(m + 512), want[512 / sizeof(T)];
    int n = 512 / (int)sizeof(T), wrong = 0;
    for (int i = 0; i < n; i++) {
        to[i] = (T)(random_word() % 2000);
        from[i] = (T)(random_word() % 2000);
        if (std::is_signed<T>::value && i % 3 == 0)
            to[i] = -to[i];
        want[i] = expected(to[i], from[i]);
    }
    kernel<<<blocks, 32>>>(m, m + 512);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        wrong += to[i] != want[i];
    tell(name, wrong);
    CK(cudaFree(m));
}
static void test_bulk_halves(const char *name, void (*kernel)(uint8_t *, const uint8_t *))
{
    uint8_t *m;
    CK(cudaMallocManaged(&m, 1024));
    bool narrow = strstr(name, "bf16");
    int wrong = 0;
    uint16_t *to = (uint16_t *)m, want[256];
    for (int i = 0; i < 512; i++) { // whole numbers to 100, which both types have
        float f = (float)(random_word() % 201) - 100;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        __half h = __float2half(f);
        uint16_t half;
        memcpy(&half, &h, 2);
        to[i] = narrow ? (uint16_t)(bits >> 16) : half;
    }
    auto value = [&](uint16_t v) {
        uint32_t bits = (uint32_t)v << 16;
        float f;
        __half h;
        memcpy(&f, &bits, 4);
        memcpy(&h, &v, 2);
        return narrow ? f : __half2float(h);
    };
    for (int i = 0; i < 256; i++) {
        float x = value(to[i]), y = value(to[256 + i]);
        float f = strstr(name, "add") ? x + y : strstr(name, "min") ? fminf(x, y) : fmaxf(x, y);
        uint32_t bits;
        __half h = __float2half(f);
        memcpy(&bits, &f, 4);
        memcpy(&want[i], &h, 2);
        if (narrow)
            want[i] = (uint16_t)(bits >> 16);
    }
    kernel<<<1, 32>>>(m, m + 512);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < 256; i++)
        wrong += to[i] != want[i];
    tell(name, wrong);
    CK(cudaFree(m));
}

// ---- im2col -------------------------------------------------------------------------------------

enum { CHANNELS = 32, PIXELS = 40 };
template <int RANK, bool SHARE>
__global__ __cluster_dims__(2) void im2col(const __grid_constant__ CUtensorMap map, uint8_t *out, int w, int h, int d, int n, uint16_t ow, uint16_t oh, uint16_t od)
{
    __shared__ __align__(1024) uint8_t to[CHANNELS * PIXELS];
    __shared__ uint64_t full;
    uint32_t rank = cluster_rank();
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        barrier_expect(&full, CHANNELS * PIXELS);
    }
    barrier_fence();
    cluster_sync();
#define COPY "cp.async.bulk.tensor." 
#define COL  ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
    uint32_t s = shared_address(to), b = shared_address(&full);
    if (threadIdx.x == 0) {
        if constexpr (SHARE) {
            if (rank == 0)
                asm volatile(COPY "4d" COL ".multicast::cluster [%0], [%1, {%3,%4,%5,%6}], [%2], {%7,%8}, %9;" ::"r"(s), "l"(&map), "r"(b), "r"(0), "r"(w), "r"(h), "r"(n), "h"(ow), "h"(oh), "h"((uint16_t)3) : "memory");
        } else if constexpr (RANK == 3)
            asm volatile(COPY "3d" COL " [%0], [%1, {%3,%4,%5}], [%2], {%6};" ::"r"(s), "l"(&map), "r"(b), "r"(0), "r"(w), "r"(n), "h"(ow) : "memory");
        else if constexpr (RANK == 4)
            asm volatile(COPY "4d" COL " [%0], [%1, {%3,%4,%5,%6}], [%2], {%7,%8};" ::"r"(s), "l"(&map), "r"(b), "r"(0), "r"(w), "r"(h), "r"(n), "h"(ow), "h"(oh) : "memory");
        else
            asm volatile(COPY "5d" COL " [%0], [%1, {%3,%4,%5,%6,%7}], [%2], {%8,%9,%10};" ::"r"(s), "l"(&map), "r"(b), "r"(0), "r"(w), "r"(h), "r"(d), "r"(n), "h"(ow), "h"(oh), "h"(od) : "memory");
    }
    barrier_wait(&full, 0);
    for (int i = threadIdx.x; i < CHANNELS * PIXELS; i += 32)
        out[rank * CHANNELS * PIXELS + i] = to[i];
    cluster_sync();
}
template <int RANK, bool SHARE> static void test_im2col(const char *name)
{
    typedef CUresult encode_im2col(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const int *, const int *, cuuint32_t, cuuint32_t, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static encode_im2col *encode;
    cudaDriverEntryPointQueryResult found;
    CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", (void **)&encode, 12000, cudaEnableDefault, &found));
    const int W = 9, H = RANK > 3 ? 7 : 1, D = RANK > 4 ? 5 : 1, N = 3, spatial = RANK - 2;
    size_t bytes = (size_t)CHANNELS * W * H * D * N;
    uint8_t *from, *out;
    CK(cudaMallocManaged(&from, bytes));
    CK(cudaMallocManaged(&out, 2 * CHANNELS * PIXELS));
    for (size_t i = 0; i < bytes; i++)
        from[i] = (uint8_t)(random_word() | 1);
    cuuint64_t size[5] = {CHANNELS, (cuuint64_t)W}, stride[4] = {CHANNELS};
    int extent[3] = {W, H, D}, lower[3] = {-1, -1, -1}, upper[3] = {-1, -1, -1};
    for (int i = 0; i < spatial; i++) {
        size[1 + i] = (cuuint64_t)extent[i];
        stride[i + 1] = stride[i] * (cuuint64_t)extent[i];
    }
    size[RANK - 1] = (cuuint64_t)N;
    cuuint32_t step[5] = {1, 1, 1, 1, 1};
    CUtensorMap map;
    CUresult status = encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, RANK, from, size, stride, lower, upper, CHANNELS, PIXELS, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS) {
        printf("%s: the map is refused (%d)\n", name, (int)status);
        return;
    }
    int wrong = 0;
    for (int turn = 0; turn < 8; turn++) {
        int at[3] = {(int)(random_word() % 5) - 1, RANK > 3 ? (int)(random_word() % 4) - 1 : 0, RANK > 4 ? (int)(random_word() % 3) - 1 : 0};
        int n = 1, o[3] = {(int)(random_word() % 3), RANK > 3 ? (int)(random_word() % 3) : 0, RANK > 4 ? (int)(random_word() % 3) : 0};
        im2col<RANK, SHARE><<<2, 32>>>(map, out, at[0], at[1], at[2], n, (uint16_t)o[0], (uint16_t)o[1], (uint16_t)o[2]);
        CK(cudaDeviceSynchronize());
        for (int p = 0; p < PIXELS; p++) {
            int x = at[0] + o[0], y = at[1] + o[1], z = at[2] + o[2];
            bool inside = x >= 0 && x < W && y >= 0 && y < H && z >= 0 && z < D && n < N;
            for (int c = 0; c < CHANNELS; c++) {
                uint8_t want = inside ? from[((((size_t)n * D + z) * H + y) * W + x) * CHANNELS + c] : 0;
                for (int r = 0; r < 2; r++)
                    wrong += out[(r * PIXELS + p) * CHANNELS + c] != want;
            }
            for (int i = 0; i < 3; i++) { // the next pixel of the box's corners
                if (i < spatial && ++at[i] <= extent[i] - 1 + upper[i])
                    break;
                if (i < spatial)
                    at[i] = lower[i];
                if (i == 2)
                    n++;
            }
        }
    }
    tell(name, wrong);
    CK(cudaFree(from));
    CK(cudaFree(out));
}

int main()
{
    test_bits("mma m8n8k128 xor", bits_88_xor, 8, 128, true);
    test_bits("mma m8n8k128 and", bits_88_and, 8, 128, false);
    test_bits("mma m16n8k128 xor", bits_128_xor, 16, 128, true);
    test_bits("mma m16n8k128 and", bits_128_and, 16, 128, false);
    test_bits("mma m16n8k256 xor", bits_256_xor, 16, 256, true);
    test_bits("mma m16n8k256 and", bits_256_and, 16, 256, false);
    test_sparse("mma.sp m16n8k64 s4 s4, 0", sparse_64_0, 64, 0, true, true);
    test_sparse("mma.sp m16n8k64 u4 s4, 1", sparse_64_1, 64, 1, false, true);
    test_sparse("mma.sp m16n8k128 s4 s4", sparse_128, 128, 0, true, true);
    test_sparse("mma.sp m16n8k128 s4 u4", sparse_128_u, 128, 0, true, false);
    test_bytes<signed char, 16, 16, wmma::row_major, wmma::col_major>("wmma m16n16k16 s8 row col");
    test_bytes<unsigned char, 16, 16, wmma::col_major, wmma::row_major>("wmma m16n16k16 u8 col row");
    test_bytes<signed char, 32, 8, wmma::row_major, wmma::row_major>("wmma m32n8k16 s8 row row");
    test_bytes<unsigned char, 8, 32, wmma::col_major, wmma::col_major>("wmma m8n32k16 u8 col col");
    test_small<wmma::experimental::precision::s4, 32>("wmma m8n8k32 s4", true, 0);
    test_small<wmma::experimental::precision::u4, 32>("wmma m8n8k32 u4", false, 0);
    test_small<wmma::experimental::precision::b1, 128>("wmma m8n8k128 xor", false, 0);
    test_small<wmma::experimental::precision::b1, 128>("wmma m8n8k128 and", false, 1);
    test_stores_async();
    test_reductions_async();
#define X(N, OP, T, EXPR) test_bulk<T>("cp.reduce.async.bulk to global " OP, bulk_global<N>, 1, [](T x, T y) -> T { return EXPR; });
    BULK_FORMS(X)
#undef X
#define X(N, OP) test_bulk_halves("cp.reduce.async.bulk to global " OP, bulk_global<N>);
    HALF_FORMS(X)
#undef X
#define X(N, OP, T, EXPR) test_bulk<T>("cp.reduce.async.bulk to shared " OP, bulk_shared<N>, 2, [](T x, T y) -> T { return EXPR; });
    SHARED_FORMS(X)
#undef X
    test_im2col<3, false>("im2col 3d");
    test_im2col<4, false>("im2col 4d");
    test_im2col<5, false>("im2col 5d");
    test_im2col<4, true>("im2col 4d to two blocks");
    return 0;
}
