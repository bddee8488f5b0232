// streams.cu - streams, events, host functions, and graphs captured from streams.
#include "check.h"

__global__ void add(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += value;
}

static int called;
static void host_function(void *data)
{
    called += *(int *)data;
}
static void callback(cudaStream_t, cudaError_t status, void *data)
{
    called += status == cudaSuccess ? *(int *)data : 0;
}

static void streams_and_events(int *d)
{
    cudaStream_t a, b;
    cudaEvent_t start, end;
    OKAY(cudaStreamCreate(&a));
    OKAY(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OKAY(cudaEventCreate(&start));
    OKAY(cudaEventCreateWithFlags(&end, cudaEventDefault));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, end) != cudaSuccess); // never recorded
    cudaGetLastError();
    OKAY(cudaMemsetAsync(d, 0, 400, a));
    OKAY(cudaEventRecord(start, a));
    add<<<1, 128, 0, a>>>(d, 100, 5);
    OKAY(cudaStreamWaitEvent(b, start, 0));
    add<<<1, 128, 0, b>>>(d, 100, 7);
    OKAY(cudaEventRecord(end, b));
    OKAY(cudaEventSynchronize(end));
    OKAY(cudaEventElapsedTime(&ms, start, end));
    CHECK(ms > 0 && ms < 1);
    OKAY(cudaEventQuery(end));
    OKAY(cudaStreamQuery(a));
    int one = 1, ten = 10, back[100];
    OKAY(cudaLaunchHostFunc(a, host_function, &one));
    OKAY(cudaStreamAddCallback(b, callback, &ten, 0));
    CHECK(called == 11);
    OKAY(cudaMemcpyAsync(back, d, 400, cudaMemcpyDeviceToHost, b));
    OKAY(cudaStreamSynchronize(b));
    CHECK(back[0] == 12 && back[99] == 12);
    OKAY(cudaEventDestroy(start));
    OKAY(cudaEventDestroy(end));
    OKAY(cudaStreamDestroy(a));
    OKAY(cudaStreamDestroy(b));
}

static void captured_graph(int *d)
{
    cudaStream_t s, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OKAY(cudaStreamCreate(&s));
    OKAY(cudaStreamCreate(&side));
    OKAY(cudaEventCreate(&fork));
    OKAY(cudaEventCreate(&join));
    OKAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OKAY(cudaMemsetAsync(d, 0, 400, s));
    OKAY(cudaEventRecord(fork, s));
    OKAY(cudaStreamWaitEvent(side, fork, 0));
    add<<<1, 128, 0, s>>>(d, 100, 1);
    add<<<1, 128, 0, side>>>(d, 50, 20);
    OKAY(cudaEventRecord(join, side));
    OKAY(cudaStreamWaitEvent(s, join, 0));
    add<<<1, 128, 0, s>>>(d, 100, 300);
    OKAY(cudaStreamEndCapture(s, &graph));
    int back[100];
    OKAY(cudaMemset(d, 0x7f, 400));
    OKAY(cudaMemcpy(back, d, 400, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 0x7f7f7f7f); // nothing ran while capturing
    OKAY(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int i = 0; i < 2; i++)
        OKAY(cudaGraphLaunch(exec, s));
    OKAY(cudaStreamSynchronize(s));
    OKAY(cudaMemcpy(back, d, 400, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 321 && back[49] == 321 && back[50] == 301);
    OKAY(cudaGraphExecDestroy(exec));
    OKAY(cudaGraphDestroy(graph));
    OKAY(cudaStreamDestroy(s));
    OKAY(cudaStreamDestroy(side));
}

int main()
{
    int *d;
    OKAY(cudaMalloc(&d, 400));
    streams_and_events(d);
    captured_graph(d);
    OKAY(cudaFree(d));
    return finish("streams");
}
