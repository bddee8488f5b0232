// managed.cu - __managed__ variables and graphs built node by node (nvcc only).
#include "check.h"

__managed__ int shared_with_host = 11;
__managed__ float series[4] = {1, 2, 3, 4};

__global__ void advance(int by)
{
    shared_with_host += by;
    series[threadIdx.x] *= 2.0f;
}
__global__ void add(int *x, int value)
{
    x[threadIdx.x] += value;
}

static int host_calls;
static void on_host(void *data)
{
    host_calls += *(int *)data;
}

static void managed_variables()
{
    CHECK(shared_with_host == 11);
    advance<<<1, 1>>>(5);
    OKAY(cudaDeviceSynchronize());
    CHECK(shared_with_host == 16 && series[0] == 2.0f && series[1] == 2.0f);
    shared_with_host = 100;
    advance<<<1, 1>>>(5);
    OKAY(cudaDeviceSynchronize());
    CHECK(shared_with_host == 105);
}

static void graph_by_hand()
{
    int *d, host[32], one = 1, value = 5;
    OKAY(cudaMalloc(&d, sizeof host));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t clear, kernel, copy, call;
    OKAY(cudaGraphCreate(&graph, 0));
    cudaMemsetParams fill = {};
    fill.dst = d;
    fill.value = 3;
    fill.elementSize = 4;
    fill.width = 32;
    fill.height = 1;
    OKAY(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill));
    void *args[] = {&d, &value};
    cudaKernelNodeParams launch = {};
    launch.func = (void *)add;
    launch.gridDim = dim3(1);
    launch.blockDim = dim3(32);
    launch.kernelParams = args;
    OKAY(cudaGraphAddKernelNode(&kernel, graph, &clear, 1, &launch));
    OKAY(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, d, sizeof host, cudaMemcpyDeviceToHost));
    cudaHostNodeParams function = {};
    function.fn = on_host;
    function.userData = &one;
    OKAY(cudaGraphAddHostNode(&call, graph, &copy, 1, &function));
    OKAY(cudaGraphInstantiate(&exec, graph, 0));
    OKAY(cudaGraphLaunch(exec, 0));
    OKAY(cudaDeviceSynchronize());
    CHECK(host[0] == 8 && host[31] == 8 && host_calls == 1);
    value = 7;
    OKAY(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
    OKAY(cudaGraphLaunch(exec, 0));
    CHECK(host[0] == 10 && host_calls == 2);
    OKAY(cudaGraphExecDestroy(exec));
    OKAY(cudaGraphDestroy(graph));
    OKAY(cudaFree(d));
}

int main()
{
    managed_variables();
    graph_by_hand();
    return finish("managed");
}
