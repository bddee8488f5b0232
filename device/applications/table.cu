// A hash table that fills up: batches of keys of all sizes are put in and looked for; the fuller it is, the longer a search.
#include "application.h"

__device__ unsigned place_of(unsigned key, unsigned slots)
{
    key ^= key >> 16;
    key *= 0x7feb352du;
    key ^= key >> 15;
    key *= 0x846ca68bu;
    return (key ^ key >> 16) & (slots - 1);
}

__global__ void put(unsigned *table, const unsigned *key, int n, unsigned slots)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (unsigned at = place_of(key[i], slots);; at = (at + 1) & (slots - 1)) {
        unsigned found = atomicCAS(&table[at], 0, key[i]);
        if (!found || found == key[i])
            return;
    }
}

__global__ void find(const unsigned *table, const unsigned *key, int *out, int n, unsigned slots)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned at = place_of(key[i], slots);
    while (table[at] && table[at] != key[i])
        at = (at + 1) & (slots - 1);
    out[i] = table[at] ? (int)at : -1;
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 1 << 16, 8);
    unsigned slots = app.size;
    Numbers numbers;
    std::vector<unsigned> keys(slots);
    for (unsigned i = 0; i < slots; i++)
        keys[i] = i * 2654435761u | 1;
    unsigned *key = on_device(keys), *table = on_device<unsigned>(slots);
    int *where = on_device<int>(slots);
    return run_rounds("table", app, 0, [&] {
        for (int s = 0; s < app.steps; s++) {
            cudaMemsetAsync(table, 0, slots * 4);
            for (unsigned full = 0; full < slots * 7 / 16;) {
                unsigned batch = 32 + numbers.below(slots / 16);
                put<<<blocks_of(batch), 256>>>(table, key + full, batch, slots);
                find<<<blocks_of(batch), 256>>>(table, key + numbers.below(full + 1), where, batch, slots);
                full += batch;
            }
        }
    });
}
