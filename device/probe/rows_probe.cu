/* rows_probe.cu - what the L1 keeps of rows that belong to one thread each. A thread reads its row,
 * writes it to another array word by word, and reads and changes what it wrote; each of the three
 * can be left out. To be run under Nsight Compute: the sectors fetched are the result. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void rows(float *in, float *out, int rows, int words, int parts, float zero)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float *from = in + row * words, *to = out + row * words;
    float most = zero, sum = 1.0f + zero;
    if (parts & 1) {
        most = from[0];
        for (int i = 1; i < words; i++)
            if (from[i] > most)
                most = from[i];
    }
    if (parts & 2)
        for (int i = 0; i < words; i++) {
            float e = parts & 8 ? most + i : __expf(from[i] - most);
            to[i] = e;
            sum += e;
        }
    if (parts & 16)
        for (long long end = clock64() + 4000; clock64() < end;)
            ;
    if (parts & 4)
        for (int i = 0; i < words; i++)
            to[i] /= sum;
    if (parts & 32) {
        for (int i = 0; i < words; i++)
            sum += to[i];
        if (sum == 12345.0f)
            out[0] = sum;
    }
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 1 << 20);
    cudaMalloc(&out, 1 << 20);
    cudaMemset(in, 0, 1 << 20);
    cudaMemset(out, 0, 1 << 20);
    static const int parts[] = {1, 2, 2 | 8, 4, 1 | 2, 2 | 4, 2 | 8 | 4, 1 | 2 | 4, 2 | 16 | 4, 1 | 2 | 16 | 4, 32, 2 | 32, 2 | 8 | 32, 2 | 16 | 32, 1 | 2 | 32};
    static const int words[] = {8, 10, 16, 5};
    static const int threads[] = {32, 100, 1024};
    for (int w : words)
        for (int t : threads)
            for (int p : parts) {
                printf("%d,%d,%d\n", w, t, p);
                rows<<<1, t>>>(in, out, t, w, p, 0.0f);
            }
    return cudaDeviceSynchronize() != cudaSuccess;
}
