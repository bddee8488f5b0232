// application.h - a program of many launches, run several times over.
//
// Usage of each: PROGRAM [SIZE [STEPS [ROUNDS]]]. A round is the whole sequence of launches; what
// each took from before its first launch to after its last is printed in microseconds. The last
// round is the one that counts: code is loaded, caches are as the round before left them.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

struct Application {
    int size, steps, rounds;
};

inline Application arguments(int argc, char **argv, int size, int steps)
{
    return {argc > 1 ? atoi(argv[1]) : size, argc > 2 ? atoi(argv[2]) : steps,
            argc > 3 ? atoi(argv[3]) : 2};
}

inline unsigned blocks_of(size_t n, unsigned threads = 256)
{
    return (unsigned)((n + threads - 1) / threads);
}

template <class T> T *on_device(size_t n)
{
    T *p = nullptr;
    if (cudaMalloc((void **)&p, n * sizeof(T)) != cudaSuccess) {
        fprintf(stderr, "no device memory for %zu bytes\n", n * sizeof(T));
        exit(1);
    }
    return p;
}

template <class T> T *on_device(const std::vector<T> &from)
{
    T *p = on_device<T>(from.size());
    cudaMemcpy(p, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

// Numbers that look random and are the same everywhere.
struct Numbers {
    unsigned state = 1;
    unsigned below(unsigned n)
    {
        state = state * 1664525u + 1013904223u;
        return (unsigned)((unsigned long long)state * n >> 32);
    }
    float unit()
    {
        return (float)below(1u << 20) / (1u << 20);
    }
};

template <class Body>
int run_rounds(const char *name, const Application &a, cudaStream_t stream, Body body)
{
    std::vector<float> took;
    cudaEvent_t before, after;
    cudaEventCreate(&before);
    cudaEventCreate(&after);
    for (int k = 0; k < a.rounds; k++) {
        float ms;
        cudaDeviceSynchronize();
        cudaEventRecord(before, stream);
        body();
        cudaEventRecord(after, stream);
        cudaEventSynchronize(after);
        cudaEventElapsedTime(&ms, before, after);
        took.push_back(ms * 1000);
    }
    printf("%s size %d steps %d us", name, a.size, a.steps);
    for (float us : took)
        printf(" %.3f", us);
    printf(" %s\n", cudaGetErrorString(cudaGetLastError()));
    return cudaGetLastError() != cudaSuccess;
}
