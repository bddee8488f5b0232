// Ranks of the nodes of a graph with a few well-known ones: shares are gathered along incoming edges.
#include "application.h"

__global__ void share(const float *rank, const int *degree, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = rank[i] / degree[i];
}

__global__ void gather_shares(const int *first, const int *from, const float *share, float *rank, float *change, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float moved = 0;
    if (i < n) {
        float sum = 0;
        for (int k = first[i]; k < first[i + 1]; k++)
            sum += share[from[k]];
        sum = 0.15f / n + 0.85f * sum;
        moved = fabsf(sum - rank[i]);
        rank[i] = sum;
    }
    for (int k = 16; k; k >>= 1)
        moved += __shfl_down_sync(~0u, moved, k);
    if (!(threadIdx.x & 31))
        atomicAdd(change, moved);
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 1 << 15, 10);
    int n = app.size;
    Numbers numbers;
    std::vector<int> first{0}, from, degree(n, 1);
    for (int i = 0; i < n; i++) {
        int edges = 2 + (int)numbers.below(numbers.below(16) ? 8 : 48);
        for (int k = 0; k < edges; k++) {
            int at = (int)(numbers.below(4) ? numbers.below(n) : numbers.below(n / 64));
            from.push_back(at);
            degree[at]++;
        }
        first.push_back((int)from.size());
    }
    int *firsts = on_device(first), *froms = on_device(from), *degrees = on_device(degree);
    float *rank = on_device(std::vector<float>(n, 1.f / n)), *shares = on_device<float>(n), *change = on_device<float>(1);
    cudaMemset(change, 0, 4);
    return run_rounds("rank", app, 0, [&] {
        for (int s = 0; s < app.steps; s++) {
            share<<<blocks_of(n), 256>>>(rank, degrees, shares, n);
            gather_shares<<<blocks_of(n, 128), 128>>>(firsts, froms, shares, rank, change, n);
        }
    });
}
