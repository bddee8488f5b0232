/* runtime_device.c - the device, as far as the runtime's calls name it. */
#include "cudart/runtime.h"

int device_attribute(int which)
{
    int value = 0;
    cuDeviceGetAttribute(&value, (CUdevice_attribute)which, 0);
    return value;
}

/* Attributes have the driver's numbers. */
API(cudaDeviceGetAttribute, int *value, int which, int index)
{
    PASS(cuDeviceGetAttribute(value, (CUdevice_attribute)which, index));
}

API(cudaGetDeviceCount, int *count)
{
    PASS(cuDeviceGetCount(count));
}

API(cudaSetDevice, int index)
{
    READY();
    RESULT(index == 0 ? OK : INVALID_DEVICE);
}
API_ALIAS(cudaInitDevice, cudaSetDevice);

API(cudaGetDevice, int *index)
{
    READY();
    if (index)
        *index = 0;
    RESULT(index ? OK : INVALID_VALUE);
}
API_ALIAS(cudaChooseDevice, cudaGetDevice);

API(cudaSetValidDevices, const int *list, int count)
{
    (void)list, (void)count;
    PASS(CUDA_SUCCESS);
}

API(cudaSetDeviceFlags, unsigned flags)
{
    PASS(cuDevicePrimaryCtxSetFlags_v2(0, flags & CU_CTX_FLAGS_MASK));
}

API(cudaGetDeviceFlags, unsigned *flags)
{
    int active;
    PASS(cuDevicePrimaryCtxGetState(0, flags, &active));
}

API(cudaDeviceSynchronize, void)
{
    PASS(cuCtxSynchronize());
}
API_ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);

API(cudaProfilerStart, void)
{
    PASS(cuProfilerStart());
}

API(cudaProfilerStop, void)
{
    PASS(cuProfilerStop());
}

API(cudaProfilerInitialize, void)
{
    PASS(CUDA_SUCCESS);
}

API(cudaDeviceReset, void)
{
    PASS(cuDevicePrimaryCtxReset_v2(0));
}
API_ALIAS(cudaThreadExit, cudaDeviceReset);

API(cudaDeviceSetCacheConfig, int value)
{
    PASS(cuCtxSetCacheConfig((CUfunc_cache)value));
}
API_ALIAS(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig);

API(cudaDeviceGetCacheConfig, CUfunc_cache *value)
{
    PASS(cuCtxGetCacheConfig(value));
}
API_ALIAS(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig);

API(cudaDeviceSetSharedMemConfig, int value)
{
    PASS(cuCtxSetSharedMemConfig((CUsharedconfig)value));
}

API(cudaDeviceGetSharedMemConfig, CUsharedconfig *value)
{
    PASS(cuCtxGetSharedMemConfig(value));
}

API(cudaDeviceSetLimit, int limit, size_t value)
{
    PASS(cuCtxSetLimit((CUlimit)limit, value));
}
API_ALIAS(cudaThreadSetLimit, cudaDeviceSetLimit);

API(cudaDeviceGetLimit, size_t *value, int limit)
{
    PASS(cuCtxGetLimit(value, (CUlimit)limit));
}
API_ALIAS(cudaThreadGetLimit, cudaDeviceGetLimit);

API(cudaDeviceCanAccessPeer, int *can, int index, int peer)
{
    (void)peer;
    READY();
    *can = 0;
    RESULT(index == 0 ? OK : INVALID_DEVICE);
}

API(cudaDeviceEnablePeerAccess, int peer, unsigned flags)
{
    (void)flags;
    READY();
    RESULT(peer == 0 ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED : INVALID_DEVICE);
}
API_ALIAS(cudaDeviceDisablePeerAccess, cudaDeviceEnablePeerAccess);

API(cudaDeviceGetPCIBusId, char *text, int length, int index)
{
    PASS(cuDeviceGetPCIBusId(text, length, index));
}

API(cudaDeviceGetByPCIBusId, int *index, const char *text)
{
    PASS(cuDeviceGetByPCIBusId(index, text));
}

/* ---- functions of the driver by name ---- */

API(cudaGetDriverEntryPointByVersion, const char *name, void **out, unsigned version,
    unsigned long long flags, CUdriverProcAddressQueryResult *result)
{
    PASS(cuGetProcAddress_v2(name, out, (int)version, flags, result));
}
API_ALIAS(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion);

API(cudaGetDriverEntryPoint, const char *name, void **out, unsigned long long flags,
    CUdriverProcAddressQueryResult *result)
{
    PASS(cuGetProcAddress_v2(name, out, cudart_major * 1000, flags, result));
}
API_ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);
