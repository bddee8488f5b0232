/* runtime_state.c - the context a runtime call runs in, and the last error of each thread. */
#include "cudart/runtime.h"

static _Thread_local int last_error;

int runtime_ready(void)
{
    CUcontext current = NULL;
    CUresult status = cuCtxGetCurrent(&current);
    if (status == CUDA_ERROR_NOT_INITIALIZED) {
        status = cuInit(0);
        if (status == CUDA_SUCCESS)
            status = cuCtxGetCurrent(&current);
    }
    if (status != CUDA_SUCCESS || current)
        return (int)status;
    status = cuDevicePrimaryCtxRetain(&current, 0);
    return (int)(status == CUDA_SUCCESS ? cuCtxSetCurrent(current) : status);
}

int runtime_result(int status)
{
    if (status != OK && status != CUDA_ERROR_NOT_READY)
        last_error = status;
    return status;
}

/* An error of a kernel stays until the device is reset; others are told once. */
static int sticky(void)
{
    CUcontext current = NULL;
    if (cuCtxGetCurrent(&current) != CUDA_SUCCESS || !current)
        return OK;
    return (int)cuCtxSynchronize();
}

API(cudaGetLastError, void)
{
    int failed = sticky(), status = failed ? failed : last_error;
    last_error = OK;
    return status;
}

API(cudaPeekAtLastError, void)
{
    int failed = sticky();
    return failed ? failed : last_error;
}
