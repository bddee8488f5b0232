// Breadth-first levels of a graph from one place after another: the host launches as many blocks as the level has vertices.
#include "application.h"

__global__ void begin(int *level, int *list, int *count, int source, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        level[i] = i == source ? 0 : -1;
    if (!blockIdx.x && !threadIdx.x) {
        list[0] = source;
        *count = 1;
    }
}

__global__ void spread(const int *row, const int *column, int *level, const int *list, int here, int *next, int *count, int depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= here)
        return;
    for (int v = list[i], k = row[v]; k < row[v + 1]; k++)
        if (atomicCAS(&level[column[k]], -1, depth) == -1)
            next[atomicAdd(count, 1)] = column[k];
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 1 << 15, 12);
    int n = app.size, width = 1;
    while (width * width < n)
        width++;
    Numbers numbers;
    std::vector<int> row{0}, column;
    for (int i = 0; i < n; i++) {
        for (int d : {-width, -1, 1, width})
            if (i + d >= 0 && i + d < n)
                column.push_back(i + d);
        if (!numbers.below(64))
            column.push_back(numbers.below(n));
        row.push_back((int)column.size());
    }
    int *rows = on_device(row), *columns = on_device(column), *level = on_device<int>(n), *count = on_device<int>(1);
    int *list[2] = {on_device<int>(n), on_device<int>(n)};
    return run_rounds("frontier", app, 0, [&] {
        for (int s = 0; s < app.steps; s++) {
            begin<<<32, 256>>>(level, list[0], count, numbers.below(n), n);
            for (int depth = 1, here = 1; here; depth++) {
                cudaMemsetAsync(count, 0, 4);
                spread<<<blocks_of(here, 128), 128>>>(rows, columns, level, list[1 - depth % 2], here, list[depth % 2], count, depth);
                cudaMemcpy(&here, count, 4, cudaMemcpyDeviceToHost);
            }
        }
    });
}
