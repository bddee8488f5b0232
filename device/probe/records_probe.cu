/* records_probe.cu - which stores to records of several words meet on their way out of an SM.
 *
 * Thread i stores the first K words of record i, which has S words; `update` loads them first with
 * as many words behind them, `add` loads them alone, `store` nothing. Sectors of the records that
 * are written at all are the least that can leave. To be run under Nsight Compute. */
#include "launched.h"

enum { STORE, ADD, UPDATE };
static const char *const NAME[] = {"store", "add", "update"};

template <int WHAT, int S, int K> __global__ void record(float *p, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float *r = p + (size_t)i * S;
    for (int k = 0; k < K; k++)
        r[k] = WHAT == STORE ? by : WHAT == ADD ? r[k] + by : r[k] + r[S - K + k] * by;
}

static float *data;

template <int WHAT, int S, int K> static void run()
{
    for (int threads : {64, 256, 1024})
        for (int blocks : {132, 132 * 8, 132 * 32}) {
            if (threads == 1024 && blocks > 132 * 8)
                continue;
            int n = blocks * threads;
            record<WHAT, S, K><<<blocks, threads>>>(data, n, 0.5f);
            LAUNCHED("%s words=%d stored=%d threads=%d blocks=%d", NAME[WHAT], S, K, threads, blocks);
        }
}

template <int WHAT> static void all()
{
    run<WHAT, 3, 3>(), run<WHAT, 4, 2>(), run<WHAT, 5, 3>(), run<WHAT, 6, 3>(), run<WHAT, 8, 3>(), run<WHAT, 16, 4>();
}

int main()
{
    CK(cudaMalloc(&data, (size_t)512 << 20));
    CK(cudaMemset(data, 0, (size_t)512 << 20));
    all<STORE>(), all<ADD>(), all<UPDATE>();
    return 0;
}
