/* carve_probe.cu - how much of an SM's memory the driver gives to shared memory: launches of an
 * empty kernel by threads, registers and bytes of shared memory, in random order, so that the
 * launch before is never the same. Nothing is timed: the profiler tells
 * launch__shared_mem_config_size. ncu --csv --page raw --metrics launch__shared_mem_config_size,...
 * ./carve_probe */
#include <cstdio>
#include <cstdlib>
#include <vector>

/* Keeps N values alive at once, so that the kernel takes a little more than N registers. */
template <int N> __global__ void holds(float *data)
{
    extern __shared__ float room[];
    float kept[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(kept[i]) : "l"(data + i * 32));
    if (data[0] == 12345.f)
        room[threadIdx.x] = kept[0];
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("st.global.f32 [%0], %1;" ::"l"(data + i * 32), "f"(kept[i]));
}

template <int BYTES> __global__ void fixed(float *data)
{
    __shared__ char room[BYTES];
    if (data[0] == 12345.f) {
        room[threadIdx.x % BYTES] = (char)data[1];
        data[2] = room[(threadIdx.x + 1) % BYTES];
    }
}

struct shape {
    int kind, threads, bytes;
};

int main()
{
    float *data;
    cudaMalloc(&data, 1 << 20);
    cudaMemset(data, 0, 1 << 20);
    const int threads[] = {32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024};
    const int bytes[] = {0,     8,     128,   512,   896,   1024,  1088,  1536,  2048,  2560,
                         3072,  4096,  5120,  6144,  7168,  8192,  8448,  9216,  10240, 12288,
                         16384, 20480, 24576, 32768, 49152, 65536, 98304, 131072};
    std::vector<shape> all;
    for (int t : threads)
        for (int b : bytes)
            all.push_back({0, t, b});
    for (int kind = 1; kind <= 4; kind++)
        for (int t : {64, 128, 256, 512})
            for (int b : {512, 2048, 4096, 8192, 12288})
                all.push_back({kind, t, b});
    for (int kind = 5; kind <= 8; kind++)
        for (int t : {64, 128, 256, 512, 1024})
            all.push_back({kind, t, 0});
    size_t n = all.size();
    srand(7);
    for (size_t i = n; i-- > 1;)
        std::swap(all[i], all[rand() % (i + 1)]);
    for (auto f : {holds<4>, holds<28>, holds<44>, holds<76>, holds<108>})
        cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
    for (auto &s : all) {
        switch (s.kind) {
        case 0:
            holds<4><<<1, s.threads, s.bytes>>>(data);
            break;
        case 1:
            holds<28><<<1, s.threads, s.bytes>>>(data);
            break;
        case 2:
            holds<44><<<1, s.threads, s.bytes>>>(data);
            break;
        case 3:
            holds<76><<<1, s.threads, s.bytes>>>(data);
            break;
        case 4:
            holds<108><<<1, s.threads, s.bytes>>>(data);
            break;
        case 5:
            fixed<8><<<1, s.threads>>>(data);
            break;
        case 6:
            fixed<1088><<<1, s.threads>>>(data);
            break;
        case 7:
            fixed<8192><<<1, s.threads>>>(data);
            break;
        case 8:
            fixed<12288><<<1, s.threads>>>(data);
            break;
        }
    }
    printf("%zu launches: %s\n", n, cudaGetErrorString(cudaDeviceSynchronize()));
}
