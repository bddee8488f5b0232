/* memory.cu - patterns of access: transposes, gathers, partial writes, bytes, hints. */
#include "suite.h"
#include <string.h>

enum { SIDE = 32, STRIPE = 8 };

__global__ void transpose_naive(const float *in, float *out, int n)
{
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    for (int k = 0; k < SIDE; k += STRIPE)
        out[(size_t)x * n + y + k] = in[(size_t)(y + k) * n + x];
}

/* Through a square tile: its columns all fall into one bank ... */
__global__ void transpose_tiled(const float *in, float *out, int n)
{
    __shared__ float tile[SIDE][SIDE];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    for (int k = 0; k < SIDE; k += STRIPE)
        tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * SIDE + threadIdx.x;
    y = blockIdx.x * SIDE + threadIdx.y;
    for (int k = 0; k < SIDE; k += STRIPE)
        out[(size_t)(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

/* ... unless each row is one word longer. */
__global__ void transpose_padded(const float *in, float *out, int n)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    for (int k = 0; k < SIDE; k += STRIPE)
        tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * SIDE + threadIdx.x;
    y = blockIdx.x * SIDE + threadIdx.y;
    for (int k = 0; k < SIDE; k += STRIPE)
        out[(size_t)(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

typedef void (*transpose_kernel)(const float *, float *, int);

static double transpose(transpose_kernel kernel)
{
    int n = suite_pick(128, 768);
    size_t count = (size_t)n * n;
    float *in = suite_floats(count, -1, 1);
    float *dout = (float *)suite_device_zeros(count * sizeof *dout);
    kernel<<<dim3(n / SIDE, n / SIDE), dim3(SIDE, STRIPE)>>>(
        (float *)suite_upload(in, count * sizeof *in), dout, n);
    float *got = (float *)suite_download(dout, count * sizeof *got);
    double wrong = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            wrong += got[(size_t)x * n + y] != in[(size_t)y * n + x];
    return wrong;
}

static double run_transpose_naive(void)
{
    return transpose(transpose_naive);
}

static double run_transpose_tiled(void)
{
    return transpose(transpose_tiled);
}

static double run_transpose_padded(void)
{
    return transpose(transpose_padded);
}

/* A stride between lanes of 1, 2, 4 ... words: ever fewer lanes share a sector. */
__global__ void strided_read(const float *in, float *out, int n)
{
    int i = SUITE_THREAD_X;
    float s = 0;
    for (unsigned stride = 1; stride <= 64; stride *= 4)
        s += in[(i * stride) & (n - 1)];
    out[i] = s;
}

static double run_strided_read(void)
{
    int n = suite_pick(1 << 15, 1 << 20), threads = suite_pick(2048, 132 * 512);
    float *in = suite_floats(n, 0, 1);
    float *dout = (float *)suite_device_zeros(threads * sizeof *dout);
    strided_read<<<threads / 256, 256>>>((float *)suite_upload(in, n * sizeof *in), dout, n);
    float *got = (float *)suite_download(dout, threads * sizeof *got);
    double *expected = (double *)suite_host(threads * sizeof *expected);
    for (int i = 0; i < threads; i++)
        for (unsigned stride = 1; stride <= 64; stride *= 4)
            expected[i] += in[(i * stride) & (n - 1)];
    return suite_error_floats(got, expected, threads);
}

/* Dependent loads by a single thread. */
__global__ void pointer_chase(const uint32_t *next, uint32_t *end, int steps)
{
    uint32_t at = 0;
    for (int i = 0; i < steps; i++)
        at = next[at];
    *end = at;
}

static double run_pointer_chase(void)
{
    int n = suite_pick(1 << 12, 1 << 18), steps = suite_pick(500, 4000);
    uint32_t *next = (uint32_t *)suite_host(n * sizeof *next), at = 0;
    for (int i = 0; i < n; i++) /* n is a power of two: one cycle through all words */
        next[i] = (i * 5u + 12345u) & (n - 1);
    uint32_t *dend = (uint32_t *)suite_device_zeros(sizeof *dend);
    pointer_chase<<<1, 1>>>((uint32_t *)suite_upload(next, n * sizeof *next), dend, steps);
    uint32_t *got = (uint32_t *)suite_download(dend, sizeof *got);
    for (int i = 0; i < steps; i++)
        at = next[at];
    return suite_mismatches(got, &at, 1);
}

__global__ void random_gather(const uint32_t *table, const uint32_t *index, uint32_t *out, int n)
{
    int i = SUITE_THREAD_X;
    if (i < n)
        out[i] = table[index[i]] + table[index[i + n]];
}

static double run_random_gather(void)
{
    int n = suite_pick(5000, 200000), words = suite_pick(1 << 14, 1 << 21);
    uint32_t *table = suite_uints(words, 1u << 30), *index = suite_uints(2 * n, words);
    uint32_t *dout = (uint32_t *)suite_device_zeros(n * 4);
    random_gather<<<suite_blocks(n, 256), 256>>>((uint32_t *)suite_upload(table, words * 4),
                                                 (uint32_t *)suite_upload(index, 2 * n * 4), dout,
                                                 n);
    uint32_t *got = (uint32_t *)suite_download(dout, n * 4);
    uint32_t *expected = (uint32_t *)suite_host(n * 4);
    for (int i = 0; i < n; i++)
        expected[i] = table[index[i]] + table[index[i + n]];
    return suite_mismatches(got, expected, n);
}

/* Eight bytes a lane to random places: partial sectors. */
__global__ void random_scatter(const uint32_t *to, uint2 *out, int n)
{
    int i = SUITE_THREAD_X;
    if (i < n)
        out[to[i]] = make_uint2(i, ~i);
}

static double run_random_scatter(void)
{
    int n = suite_pick(1 << 12, 1 << 17); /* an odd factor permutes 0 .. 2^k - 1 */
    uint32_t *to = (uint32_t *)suite_host(n * 4);
    uint32_t *expected = (uint32_t *)suite_host(n * 8);
    for (int i = 0; i < n; i++) {
        to[i] = ((uint32_t)i * 2654435761u) & (n - 1);
        expected[2 * to[i]] = i;
        expected[2 * to[i] + 1] = ~i;
    }
    uint2 *dout = (uint2 *)suite_device_zeros(n * sizeof *dout);
    random_scatter<<<suite_blocks(n, 256), 256>>>((uint32_t *)suite_upload(to, n * 4), dout, n);
    return suite_mismatches((uint32_t *)suite_download(dout, n * 8), expected, 2 * n);
}

/* Writes only, 16 bytes a lane in a grid-stride loop. */
__global__ void fill(uint4 *out, uint32_t seed, int n)
{
    for (int i = SUITE_THREAD_X; i < n; i += gridDim.x * blockDim.x)
        out[i] = make_uint4(seed + i, seed ^ i, seed - i, i);
}

static double run_fill(void)
{
    int n = suite_pick(5000, 500000);
    uint32_t seed = 77, *expected = (uint32_t *)suite_host((size_t)n * 16);
    uint4 *dout = (uint4 *)suite_device_zeros((size_t)n * 16);
    fill<<<264, 256>>>(dout, seed, n);
    for (int i = 0; i < n; i++) {
        expected[4 * i] = seed + i;
        expected[4 * i + 1] = seed ^ i;
        expected[4 * i + 2] = seed - i;
        expected[4 * i + 3] = i;
    }
    return suite_mismatches((uint32_t *)suite_download(dout, (size_t)n * 16), expected, 4 * n);
}

/* One word of every sector is written; then another of it is read. */
__global__ void partial_write(uint32_t *data, uint32_t *out, int sectors)
{
    int i = SUITE_THREAD_X;
    if (i >= sectors)
        return;
    data[8 * i + 1] = i;
    out[i] = data[8 * i + 5];
}

static double run_partial_write(void)
{
    int sectors = suite_pick(3000, 150000);
    size_t words = 8 * (size_t)sectors;
    uint32_t *data = suite_uints(words, 1u << 30);
    uint32_t *ddata = (uint32_t *)suite_upload(data, words * 4);
    uint32_t *dout = (uint32_t *)suite_device_zeros(sectors * 4);
    partial_write<<<suite_blocks(sectors, 256), 256>>>(ddata, dout, sectors);
    uint32_t *got = (uint32_t *)suite_download(dout, sectors * 4);
    uint32_t *got_data = (uint32_t *)suite_download(ddata, words * 4);
    double wrong = 0;
    for (int i = 0; i < sectors; i++) {
        wrong += got[i] != data[8 * i + 5];
        data[8 * i + 1] = i;
    }
    return wrong + suite_mismatches(got_data, data, words);
}

/* A byte a lane: a whole warp in one sector. */
__global__ void invert_bytes(const unsigned char *in, unsigned char *out, int n)
{
    int i = SUITE_THREAD_X;
    if (i < n)
        out[i] = (unsigned char)(255 - in[i]);
}

static double run_invert_bytes(void)
{
    int n = suite_pick(20000, 600001);
    uint32_t *words = suite_uints(n / 4 + 1, 0xffffffffu);
    unsigned char *in = (unsigned char *)words, *expected = (unsigned char *)suite_host(n);
    unsigned char *dout = (unsigned char *)suite_device_zeros(n);
    invert_bytes<<<suite_blocks(n, 256), 256>>>((unsigned char *)suite_upload(in, n), dout, n);
    for (int i = 0; i < n; i++)
        expected[i] = (unsigned char)(255 - in[i]);
    return suite_byte_mismatches((unsigned char *)suite_download(dout, n), expected, n);
}

/* Red, green, blue and opacity to one byte of grey. */
__global__ void grey(const uchar4 *in, unsigned char *out, int n)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    uchar4 c = in[i];
    out[i] = (unsigned char)((77 * c.x + 151 * c.y + 28 * c.z) >> 8);
}

static double run_grey(void)
{
    int n = suite_pick(10000, 400000);
    uint32_t *words = suite_uints(n, 0xffffffffu);
    unsigned char *in = (unsigned char *)words, *expected = (unsigned char *)suite_host(n);
    unsigned char *dout = (unsigned char *)suite_device_zeros(n);
    grey<<<suite_blocks(n, 128), 128>>>((uchar4 *)suite_upload(in, 4 * n), dout, n);
    for (int i = 0; i < n; i++)
        expected[i] =
            (unsigned char)((77 * in[4 * i] + 151 * in[4 * i + 1] + 28 * in[4 * i + 2]) >> 8);
    return suite_byte_mismatches((unsigned char *)suite_download(dout, n), expected, n);
}

/* Records of 24 bytes, a lane a record: fields far apart, reused from the L1. */
struct record {
    float x, y, z;
    uint32_t tag;
    double weight;
};

__global__ void record_fields(const struct record *in, float *out, int n)
{
    int i = SUITE_THREAD_X;
    if (i < n)
        out[i] = (in[i].x + in[i].y + in[i].z) * (float)in[i].weight;
}

static double run_record_fields(void)
{
    int n = suite_pick(5000, 150000);
    struct record *in = (struct record *)suite_host(n * sizeof *in);
    float *v = suite_floats(4 * (size_t)n, -1, 1);
    double *expected = (double *)suite_host(n * sizeof *expected);
    for (int i = 0; i < n; i++) {
        in[i].x = v[4 * i];
        in[i].y = v[4 * i + 1];
        in[i].z = v[4 * i + 2];
        in[i].weight = v[4 * i + 3];
        expected[i] = ((double)in[i].x + in[i].y + in[i].z) * in[i].weight;
    }
    float *dout = (float *)suite_device_zeros(n * sizeof *dout);
    record_fields<<<suite_blocks(n, 192), 192>>>((struct record *)suite_upload(in, n * sizeof *in),
                                                 dout, n);
    return suite_error_floats((float *)suite_download(dout, n * sizeof *dout), expected, n);
}

static __device__ inline uint32_t load_past_l1(const uint32_t *p)
{
    uint32_t v;
    asm("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}

static __device__ inline uint32_t load_streaming(const uint32_t *p)
{
    uint32_t v;
    asm("ld.global.cs.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}

/* The same words three times: past the L1, as a stream, through the read-only path. */
__global__ void load_hints(const uint32_t *in, uint32_t *out, int n)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    int turned = i ^ 32; /* a word that another warp of the block loads too */
    uint32_t v = load_past_l1(in + turned) + load_streaming(in + i) + __ldg(in + turned);
    asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(out + i), "r"(v) : "memory");
}

static double run_load_hints(void)
{
    int n = suite_pick(1 << 13, 1 << 18);
    uint32_t *in = suite_uints(n, 1u << 30), *expected = (uint32_t *)suite_host(n * 4);
    uint32_t *dout = (uint32_t *)suite_device_zeros(n * 4);
    load_hints<<<n / 256, 256>>>((uint32_t *)suite_upload(in, n * 4), dout, n);
    for (int i = 0; i < n; i++)
        expected[i] = 2 * in[i ^ 32] + in[i];
    return suite_mismatches((uint32_t *)suite_download(dout, n * 4), expected, n);
}

/* The nearest pixel of a turned and scaled image, through a texture object. */
__global__ void texture_turn(cudaTextureObject_t image, float *out, int n)
{
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y;
    if (x < n && y < n)
        out[y * n + x] = tex2D<float>(image, (float)y + 0.5f, (float)(x / 2) + 0.5f);
}

static double run_texture_turn(void)
{
    int n = suite_pick(64, 384);
    size_t bytes = (size_t)n * n * sizeof(float);
    float *in = suite_floats((size_t)n * n, -1, 1);
    struct cudaResourceDesc resource;
    struct cudaTextureDesc how;
    memset(&resource, 0, sizeof resource);
    memset(&how, 0, sizeof how);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = suite_upload(in, bytes);
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = n;
    resource.res.pitch2D.height = n;
    resource.res.pitch2D.pitchInBytes = n * sizeof(float);
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t image = 0;
    suite_require(cudaCreateTextureObject(&image, &resource, &how, NULL),
                  "cudaCreateTextureObject");
    float *dout = (float *)suite_device_zeros(bytes);
    texture_turn<<<dim3(suite_blocks(n, 32), suite_blocks(n, 8)), dim3(32, 8)>>>(image, dout, n);
    float *got = (float *)suite_download(dout, bytes);
    suite_require(cudaDestroyTextureObject(image), "cudaDestroyTextureObject");
    double wrong = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            wrong += got[y * n + x] != in[x / 2 * n + y];
    return wrong;
}

static const struct suite_test tests[] = {
    {"transpose_naive", "transpose_naive", "columns written a word at a time", 0,
     run_transpose_naive},
    {"transpose_tiled", "transpose_tiled", "through shared memory, 32-way bank conflicts", 0,
     run_transpose_tiled},
    {"transpose_padded", "transpose_padded", "through shared memory without conflicts", 0,
     run_transpose_padded},
    {"strided_read", "strided_read", "strides of 1, 4, 16 and 64 words", 1e-6, run_strided_read},
    {"pointer_chase", "pointer_chase", "dependent loads of one thread", 0, run_pointer_chase},
    {"random_gather", "random_gather", "two random words a thread", 0, run_random_gather},
    {"random_scatter", "random_scatter", "eight bytes a thread to random places", 0,
     run_random_scatter},
    {"fill", "fill", "16 bytes a lane, writes only", 0, run_fill},
    {"partial_write", "partial_write", "one word of each sector, then a neighbour read", 0,
     run_partial_write},
    {"invert_bytes", "invert_bytes", "a byte a lane", 0, run_invert_bytes},
    {"grey", "grey", "four bytes in, one out", 0, run_grey},
    {"record_fields", "record_fields", "fields of 24-byte records", 1e-6, run_record_fields},
    {"load_hints", "load_hints", "loads past the L1, streaming and read-only", 0, run_load_hints},
    {"texture_turn", "texture_turn", "nearest pixels of a 2D texture", 0, run_texture_turn},
};
SUITE_AREA(suite_memory, "memory", tests);
