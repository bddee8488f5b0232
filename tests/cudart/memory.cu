// memory.cu - allocation, copies of every shape, fills, variables, and what the runtime refuses.
#include "check.h"

__constant__ int constants[4];
__device__ int counter = 5;
__device__ float table[3] = {1.5f, 2.5f, 3.5f};

__global__ void add_constants(int *out)
{
    int i = threadIdx.x;
    out[i] += constants[i & 3];
    if (i == 0)
        counter += 37;
}

__global__ void twice(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

static void linear_copies()
{
    int host[100], back[100];
    for (int i = 0; i < 100; i++)
        host[i] = i * i;
    int *a, *b;
    OKAY(cudaMalloc(&a, sizeof host));
    OKAY(cudaMalloc(&b, sizeof host));
    CHECK(((size_t)a & 255) == 0 && ((size_t)b & 255) == 0 && a != b);
    OKAY(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    OKAY(cudaMemcpy(b, a, sizeof host, cudaMemcpyDeviceToDevice));
    OKAY(cudaMemcpy(back, b, sizeof host, cudaMemcpyDefault));
    CHECK(!memcmp(host, back, sizeof host));
    OKAY(cudaMemset(b, 0x11, 40));
    OKAY(cudaMemcpy(back, b, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(back[9] == 0x11111111 && back[10] == 100);
    OKAY(cudaFree(a));
    OKAY(cudaFree(b));
    OKAY(cudaFree(0));
    int *again;
    OKAY(cudaMalloc(&again, sizeof host));
    CHECK(again == a); // first fit: programs that repeat themselves get the same addresses
    OKAY(cudaFree(again));
}

static void rectangles()
{
    float host[6][10], back[6][10] = {};
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 10; x++)
            host[y][x] = (float)(10 * y + x);
    float *d;
    size_t pitch;
    OKAY(cudaMallocPitch(&d, &pitch, sizeof host[0], 6));
    CHECK(pitch >= sizeof host[0] && pitch % 32 == 0);
    OKAY(cudaMemcpy2D(d, pitch, host, sizeof host[0], sizeof host[0], 6, cudaMemcpyHostToDevice));
    OKAY(cudaMemset2D(d, pitch, 0, 8, 3));
    OKAY(cudaMemcpy2D(back, sizeof back[0], d, pitch, sizeof host[0], 6, cudaMemcpyDeviceToHost));
    CHECK(back[0][0] == 0 && back[0][1] == 0 && back[2][1] == 0);
    CHECK(back[0][2] == 2 && back[3][0] == 30 && back[5][9] == 59);
    CHECK(cudaMemcpy2D(d, 4, host, sizeof host[0], sizeof host[0], 6, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidPitchValue);
    cudaGetLastError();
    OKAY(cudaFree(d));
    cudaPitchedPtr box;
    OKAY(cudaMalloc3D(&box, make_cudaExtent(16, 3, 2)));
    char bytes[2][3][16];
    memset(bytes, 7, sizeof bytes);
    cudaMemcpy3DParms parms = {};
    parms.srcPtr = make_cudaPitchedPtr(bytes, 16, 16, 3);
    parms.dstPtr = box;
    parms.extent = make_cudaExtent(16, 3, 2);
    parms.kind = cudaMemcpyHostToDevice;
    OKAY(cudaMemcpy3D(&parms));
    char last;
    OKAY(cudaMemcpy(&last, (char *)box.ptr + box.pitch * 5 + 15, 1, cudaMemcpyDeviceToHost));
    CHECK(last == 7);
    OKAY(cudaFree(box.ptr));
}

static void variables()
{
    int values[4] = {100, 200, 300, 400}, out[4] = {1, 2, 3, 4}, seen = 0;
    float read[3];
    int *d;
    OKAY(cudaMemcpyToSymbol(constants, values, sizeof values));
    OKAY(cudaMemcpyFromSymbol(&seen, counter, sizeof seen));
    CHECK(seen == 5); // the initialiser in the PTX
    OKAY(cudaMemcpyFromSymbol(read, table, sizeof read));
    CHECK(read[0] == 1.5f && read[2] == 3.5f);
    OKAY(cudaMalloc(&d, sizeof out));
    OKAY(cudaMemcpy(d, out, sizeof out, cudaMemcpyHostToDevice));
    add_constants<<<1, 4>>>(d);
    OKAY(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(out[0] == 101 && out[3] == 404);
    OKAY(cudaMemcpyFromSymbol(&seen, counter, sizeof seen));
    CHECK(seen == 42);
    void *address;
    size_t bytes;
    OKAY(cudaGetSymbolAddress(&address, counter));
    OKAY(cudaGetSymbolSize(&bytes, table));
    CHECK(bytes == sizeof table);
    OKAY(cudaMemset(address, 0, sizeof(int)));
    OKAY(cudaMemcpyFromSymbol(&seen, counter, sizeof seen));
    CHECK(seen == 0);
    CHECK(cudaMemcpyToSymbol(constants, values, sizeof values, 4) == cudaErrorInvalidValue);
    cudaGetLastError();
    OKAY(cudaFree(d));
}

static void host_memory()
{
    int *pinned, *managed, *mapped;
    OKAY(cudaMallocHost(&pinned, 400));
    OKAY(cudaMallocManaged(&managed, 400));
    for (int i = 0; i < 100; i++)
        pinned[i] = managed[i] = i;
    twice<<<1, 128>>>(managed, 100);
    OKAY(cudaHostGetDevicePointer((void **)&mapped, pinned, 0));
    twice<<<1, 128>>>(mapped, 100);
    OKAY(cudaDeviceSynchronize());
    CHECK(managed[99] == 198 && pinned[99] == 198);
    static int own[64];
    for (int i = 0; i < 64; i++)
        own[i] = i;
    OKAY(cudaHostRegister(own, sizeof own, cudaHostRegisterDefault));
    twice<<<2, 32>>>(own, 64);
    OKAY(cudaDeviceSynchronize());
    CHECK(own[63] == 126);
    OKAY(cudaHostUnregister(own));
    cudaPointerAttributes attributes;
    OKAY(cudaPointerGetAttributes(&attributes, managed));
    CHECK(attributes.type == 3);
    OKAY(cudaPointerGetAttributes(&attributes, own));
    CHECK(attributes.type == 0);
    size_t free_bytes, total_bytes;
    OKAY(cudaMemGetInfo(&free_bytes, &total_bytes));
    CHECK(free_bytes < total_bytes && total_bytes > (size_t)100 << 30);
    OKAY(cudaFreeHost(pinned));
    OKAY(cudaFree(managed));
}

static void refusals()
{
    int *d, host[4];
    OKAY(cudaMalloc(&d, 16));
    CHECK(cudaMalloc((void **)0, 16) == cudaErrorInvalidValue);
    void *huge;
    CHECK(cudaMalloc(&huge, (size_t)1 << 50) == cudaErrorMemoryAllocation);
    size_t pitch, free_bytes, total_bytes;
    cudaPitchedPtr box;
    CHECK(cudaMallocPitch(&huge, &pitch, (size_t)-1, 3) == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc3D(&box, make_cudaExtent((size_t)-1, 3, 5)) == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc3D(&box, make_cudaExtent((size_t)1 << 33, (size_t)1 << 33, 5)) == cudaErrorMemoryAllocation);
    OKAY(cudaMemGetInfo(&free_bytes, &total_bytes)); // what is promised can be had
    OKAY(cudaMalloc(&huge, free_bytes - ((size_t)64 << 20)));
    OKAY(cudaFree(huge));
    CHECK(cudaMalloc(&huge, (size_t)1 << 50) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
    CHECK(cudaMemcpy(d, host, 4, (cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
    cudaGetLastError();
    OKAY(cudaFree(d));
}

int main()
{
    linear_copies();
    rectangles();
    variables();
    host_memory();
    refusals();
    return finish("memory");
}
