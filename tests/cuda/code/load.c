/* load.c - loads GPU code from a file and runs two of its kernels, which change one variable.
 *   load FILE */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *bytes = calloc(1, 1 << 20);
    if (!f || !bytes || !fread(bytes, 1, (1 << 20) - 1, f)) {
        perror(path);
        exit(1);
    }
    fclose(f);
    return bytes;
}

static void check(CUresult status, const char *what)
{
    const char *name = "?";
    if (status == CUDA_SUCCESS)
        return;
    cuGetErrorName(status, &name);
    printf("%s: %s\n", what, name);
    exit(1);
}

static int run(CUmodule module, const char *kernel, CUdeviceptr out)
{
    CUfunction f;
    void *params[] = {&out};
    int answer = -1;
    check(cuModuleGetFunction(&f, module, kernel), kernel);
    check(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), "cuLaunchKernel");
    check(cuMemcpyDtoH(&answer, out, sizeof answer), "cuMemcpyDtoH");
    return answer;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUdeviceptr out;
    if (argc != 2)
        return 2;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuModuleLoadData(&module, read_file(argv[1])), "cuModuleLoadData");
    check(cuMemAlloc(&out, 4), "cuMemAlloc");
    int first = run(module, "even", out), second = run(module, "odd", out);
    printf("%d %d %d\n", first, second, run(module, "even", out));
    return 0;
}
