// The best alignment of two words of letters, an anti-diagonal at a time: launches that grow, then shrink, over three arrays in turn.
#include "application.h"

__global__ void diagonal(const char *a, const char *b, const int *last, const int *before, int *now, int *best, int d, int n)
{
    int i = max(0, d - n + 1) + blockIdx.x * blockDim.x + threadIdx.x, j = d - i;
    if (i >= n || j < 0)
        return;
    int score = i && j ? before[i - 1] + (a[i] == b[j] ? 3 : -2) : a[i] == b[j] ? 3 : 0;
    if (i)
        score = max(score, last[i - 1] - 2);
    if (j)
        score = max(score, last[i] - 2);
    now[i] = max(score, 0);
    if (score > 24)
        atomicMax(best, score);
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 2048, 1);
    int n = app.size;
    Numbers numbers;
    std::vector<char> word[2];
    for (std::vector<char> &w : word)
        for (int i = 0; i < n; i++)
            w.push_back("acgt"[numbers.below(4)]);
    char *a = on_device(word[0]), *b = on_device(word[1]);
    int *row[3], *best = on_device<int>(1);
    for (int *&r : row)
        r = on_device<int>(n);
    return run_rounds("diagonals", app, 0, [&] {
        cudaMemsetAsync(best, 0, 4);
        for (int s = 0; s < app.steps; s++)
            for (int d = 0; d < 2 * n - 1; d++)
                diagonal<<<blocks_of(d < n ? d + 1 : 2 * n - 1 - d, 128), 128>>>(a, b, row[(d + 2) % 3], row[(d + 1) % 3], row[d % 3], best, d, n);
    });
}
