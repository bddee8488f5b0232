/* nvml.c - a small stand-in for libnvidia-ml.so.1, for programs that ask how many GPUs there are and
 * what they are. The answers are those of Strata's libcuda; a GPU that does not exist has no
 * temperature, power or neighbours, and says so (not supported). Layouts and numbers are those of
 * NVML's interface. */
#define STRATA_CUDA_ALL_VERSIONS
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <strata_cuda/driver_api.h>

enum {
    OK = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    UNKNOWN = 999
};

#define DRIVER_VERSION "580.00"
#define UUID           "GPU-73747261-7461-2065-6d75-6c6174656400"
#define BUS_ID         "00000000:00:00.0"

/* Declares and defines an exported function in one go. */
#define API(name, ...)                                                                             \
    int name(__VA_ARGS__);                                                                         \
    __attribute__((visibility("default"))) int name(__VA_ARGS__)
#define API_ALIAS(alias_name, name)                                                                \
    extern __typeof__(name) alias_name __attribute__((alias(#name), visibility("default")))

static int users;
static int the_device; /* its address is the handle */

static int check(const void *handle, const void *out)
{
    if (!users)
        return UNINITIALIZED;
    return handle == &the_device && out ? OK : INVALID_ARGUMENT;
}

static int give_text(const char *text, char *out, unsigned length)
{
    if (strlen(text) >= length)
        return INSUFFICIENT_SIZE;
    strcpy(out, text);
    return OK;
}

API(nvmlInitWithFlags, unsigned flags)
{
    (void)flags;
    if (cuInit(0) != CUDA_SUCCESS)
        return UNKNOWN;
    users++;
    return OK;
}

API(nvmlInit_v2, void)
{
    return nvmlInitWithFlags(0);
}
API_ALIAS(nvmlInit, nvmlInit_v2);

API(nvmlShutdown, void)
{
    if (!users)
        return UNINITIALIZED;
    users--;
    return OK;
}

const char *nvmlErrorString(int code);
__attribute__((visibility("default"))) const char *nvmlErrorString(int code)
{
    switch (code) {
    case OK:
        return "no error";
    case UNINITIALIZED:
        return "not initialised";
    case INVALID_ARGUMENT:
        return "invalid argument";
    case NOT_SUPPORTED:
        return "not supported by Strata's stand-in";
    case NOT_FOUND:
        return "not found";
    case INSUFFICIENT_SIZE:
        return "the buffer is too small";
    default:
        return "unknown error";
    }
}

/* ---- the system ---- */

API(nvmlSystemGetDriverVersion, char *out, unsigned length)
{
    return !users ? UNINITIALIZED : out ? give_text(DRIVER_VERSION, out, length) : INVALID_ARGUMENT;
}

API(nvmlSystemGetNVMLVersion, char *out, unsigned length)
{
    return !users ? UNINITIALIZED
                  : out ? give_text("13." DRIVER_VERSION, out, length) : INVALID_ARGUMENT;
}

API(nvmlSystemGetCudaDriverVersion_v2, int *version)
{
    return version && cuDriverGetVersion(version) == CUDA_SUCCESS ? OK : INVALID_ARGUMENT;
}
API_ALIAS(nvmlSystemGetCudaDriverVersion, nvmlSystemGetCudaDriverVersion_v2);

/* ---- finding the device ---- */

API(nvmlDeviceGetCount_v2, unsigned *count)
{
    if (!users || !count)
        return users ? INVALID_ARGUMENT : UNINITIALIZED;
    *count = 1;
    return OK;
}
API_ALIAS(nvmlDeviceGetCount, nvmlDeviceGetCount_v2);

API(nvmlDeviceGetHandleByIndex_v2, unsigned index, void **out)
{
    if (!users || !out || index)
        return users ? INVALID_ARGUMENT : UNINITIALIZED;
    *out = &the_device;
    return OK;
}
API_ALIAS(nvmlDeviceGetHandleByIndex, nvmlDeviceGetHandleByIndex_v2);

static int by_text(const char *text, const char *ours, void **out)
{
    if (!users || !text || !out)
        return users ? INVALID_ARGUMENT : UNINITIALIZED;
    if (strcmp(text, ours))
        return NOT_FOUND;
    *out = &the_device;
    return OK;
}

API(nvmlDeviceGetHandleByUUID, const char *uuid, void **out)
{
    return by_text(uuid, UUID, out);
}

API(nvmlDeviceGetHandleByPciBusId_v2, const char *id, void **out)
{
    return by_text(id, BUS_ID, out);
}
API_ALIAS(nvmlDeviceGetHandleByPciBusId, nvmlDeviceGetHandleByPciBusId_v2);

/* ---- what it is ---- */

API(nvmlDeviceGetName, void *handle, char *out, unsigned length)
{
    char name[256];
    int status = check(handle, out);
    if (status != OK)
        return status;
    return cuDeviceGetName(name, sizeof name, 0) == CUDA_SUCCESS ? give_text(name, out, length)
                                                                : UNKNOWN;
}

API(nvmlDeviceGetUUID, void *handle, char *out, unsigned length)
{
    int status = check(handle, out);
    return status == OK ? give_text(UUID, out, length) : status;
}

API(nvmlDeviceGetIndex, void *handle, unsigned *index)
{
    int status = check(handle, index);
    if (status == OK)
        *index = 0;
    return status;
}
API_ALIAS(nvmlDeviceGetMinorNumber, nvmlDeviceGetIndex);
API_ALIAS(nvmlDeviceGetMultiGpuBoard, nvmlDeviceGetIndex);

API(nvmlDeviceGetCudaComputeCapability, void *handle, int *major, int *minor)
{
    int status = check(handle, major && minor ? major : NULL);
    if (status == OK && cuDeviceComputeCapability(major, minor, 0) != CUDA_SUCCESS)
        status = UNKNOWN;
    return status;
}

static int attribute(void *handle, CUdevice_attribute which, unsigned divisor, unsigned *out)
{
    int value, status = check(handle, out);
    if (status == OK && cuDeviceGetAttribute(&value, which, 0) != CUDA_SUCCESS)
        status = UNKNOWN;
    if (status == OK)
        *out = (unsigned)value / divisor;
    return status;
}

/* Types of clocks: 0 graphics, 1 SM, 2 memory, 3 video. In MHz. */
API(nvmlDeviceGetMaxClockInfo, void *handle, int type, unsigned *mhz)
{
    return attribute(handle,
                     type == 2 ? CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE
                               : CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
                     1000, mhz);
}
API_ALIAS(nvmlDeviceGetClockInfo, nvmlDeviceGetMaxClockInfo);

API(nvmlDeviceGetMemoryBusWidth, void *handle, unsigned *bits)
{
    return attribute(handle, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 1, bits);
}

/* nvmlMemory_t, and nvmlMemory_v2_t with a version and what is reserved before the rest */
struct memory {
    unsigned long long total, free, used;
};
struct memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};

API(nvmlDeviceGetMemoryInfo, void *handle, struct memory *out)
{
    size_t total = 0, available = 0;
    int status = check(handle, out);
    if (status != OK)
        return status;
    cuDeviceTotalMem_v2(&total, 0);
    if (cuMemGetInfo_v2(&available, &total) != CUDA_SUCCESS) /* no context yet: all is free */
        available = total;
    *out = (struct memory){total, available, total - available};
    return OK;
}

API(nvmlDeviceGetMemoryInfo_v2, void *handle, struct memory_v2 *out)
{
    struct memory m;
    int status = out ? nvmlDeviceGetMemoryInfo(handle, &m) : INVALID_ARGUMENT;
    if (status == OK)
        *out = (struct memory_v2){out->version, m.total, 0, m.free, m.used};
    return status;
}

struct utilization {
    unsigned gpu, memory;
};

/* Nothing runs between two calls. */
API(nvmlDeviceGetUtilizationRates, void *handle, struct utilization *out)
{
    int status = check(handle, out);
    if (status == OK)
        *out = (struct utilization){0, 0};
    return status;
}

/* nvmlPciInfo_t */
struct pci {
    char short_id[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char id[32];
};

API(nvmlDeviceGetPciInfo_v3, void *handle, struct pci *out)
{
    int status = check(handle, out);
    if (status != OK)
        return status;
    memset(out, 0, sizeof *out);
    strcpy(out->short_id, "0000:00:00.0");
    strcpy(out->id, BUS_ID);
    return OK;
}
API_ALIAS(nvmlDeviceGetPciInfo, nvmlDeviceGetPciInfo_v3);
API_ALIAS(nvmlDeviceGetPciInfo_v2, nvmlDeviceGetPciInfo_v3);

/* Only this process could be there, and it is not told apart. */
API(nvmlDeviceGetComputeRunningProcesses_v3, void *handle, unsigned *count, void *out)
{
    (void)out;
    int status = check(handle, count);
    if (status == OK)
        *count = 0;
    return status;
}
API_ALIAS(nvmlDeviceGetComputeRunningProcesses, nvmlDeviceGetComputeRunningProcesses_v3);
API_ALIAS(nvmlDeviceGetComputeRunningProcesses_v2, nvmlDeviceGetComputeRunningProcesses_v3);
API_ALIAS(nvmlDeviceGetGraphicsRunningProcesses, nvmlDeviceGetComputeRunningProcesses_v3);
API_ALIAS(nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlDeviceGetComputeRunningProcesses_v3);

/* ---- what only a real card has ---- */

#define REFUSED(name)                                                                              \
    API(name, void *handle)                                                                        \
    {                                                                                              \
        int status = check(handle, handle);                                                        \
        return status == OK ? NOT_SUPPORTED : status;                                              \
    }
REFUSED(nvmlDeviceGetTemperature)
REFUSED(nvmlDeviceGetPowerUsage)
REFUSED(nvmlDeviceGetEnforcedPowerLimit)
REFUSED(nvmlDeviceGetTotalEnergyConsumption)
REFUSED(nvmlDeviceGetFanSpeed)
REFUSED(nvmlDeviceGetNvLinkState)
REFUSED(nvmlDeviceGetNvLinkRemotePciInfo_v2)
REFUSED(nvmlDeviceGetTopologyCommonAncestor)
REFUSED(nvmlDeviceGetP2PStatus)
REFUSED(nvmlDeviceGetMigMode)
REFUSED(nvmlDeviceGetEccMode)
REFUSED(nvmlDeviceGetPersistenceMode)
REFUSED(nvmlDeviceGetSerial)
