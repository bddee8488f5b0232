/* What can be asked about a device. */
#include "check.h"

int main(void)
{
    CUdevice d;
    char name[64], id[32];
    size_t bytes;
    int value, minor;
    CUuuid uuid;
    start();
    SAY(cuDeviceGet(&d, 0));
    SAY(cuDeviceGet(&d, 1000));
    SAY(cuDeviceGet(&d, -1));
    SAY(cuDeviceGetName(name, sizeof name, 0));
    SAY(cuDeviceTotalMem(&bytes, 0));
    SHOW(bytes > (1u << 30));
    SAY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    SHOW(value);
    SAY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
    SHOW(value);
    SAY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    SHOW(value);
    SAY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    SHOW(value);
    SAY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
    SHOW(value);
    SAY(cuDeviceGetAttribute(&value, (CUdevice_attribute)0, 0));
    SAY(cuDeviceGetAttribute(&value, (CUdevice_attribute)100000, 0));
    SAY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1000));
    SAY(cuDeviceComputeCapability(&value, &minor, 0));
    SHOW(value * 10 + minor);
    SAY(cuDeviceGetUuid(&uuid, 0));
    SAY(cuDeviceGetPCIBusId(id, sizeof id, 0));
    SAY(cuDeviceGetPCIBusId(id, 3, 0));
    SAY(cuDeviceGetByPCIBusId(&d, "ffff:ff:1f.0"));
    return 0;
}
