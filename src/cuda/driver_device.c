/* driver_device.c - what programs can ask about the device: the one gpus/h200.yaml describes, put
 * into the library when it is built, unless `strata trace --gpu` names another. */
#include "cuda/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "default_device.h"

#define DRIVER_VERSION 13000
#define PCI_BUS_ID     "00000000:00:00.0"

struct device device;

/* Keys of a GPU file, as `strata trace` hands them on; default_device.py looks for the same. */
static const struct {
    const char *key;
    size_t offset, bytes;
} fields[] = {
#define FIELD(key, name)                                                                           \
    {                                                                                              \
        key, offsetof(struct device, name), sizeof device.name                                     \
    }
    FIELD("sm_version", sm_version),
    FIELD("sm.count", sm_count),
    FIELD("sm.clock", clock_mhz),
    FIELD("sm.max_threads", max_threads_per_sm),
    FIELD("sm.max_blocks", max_blocks_per_sm),
    FIELD("sm.registers", registers_per_sm),
    FIELD("sm.register_alloc_unit", register_alloc_unit),
    FIELD("shared.per_sm", shared_per_sm),
    FIELD("shared.per_block", shared_per_block),
    FIELD("shared.per_block_optin", shared_per_block_optin),
    FIELD("shared.per_block_reserved", shared_reserved),
    FIELD("l2.size", l2_bytes),
    FIELD("l2.persisting_max", persisting_max_bytes),
    FIELD("l2.window_max", window_max_bytes),
    FIELD("dram.capacity", memory_bytes),
    FIELD("dram.channels", channels),
    FIELD("dram.bus", channel_bytes),
    FIELD("dram.clock", memory_clock_mhz),
    FIELD("dram.data_rate", data_rate),
    FIELD("sm.schedulers", timing.sm.schedulers),
    FIELD("sm.min_issue_gap", timing.sm.min_issue_gap_cycles),
    FIELD("sm.latency.int", timing.sm.latency_int_cycles),
    FIELD("sm.latency.imad", timing.sm.latency_imad_cycles),
    FIELD("sm.latency.fp32", timing.sm.latency_fp32_cycles),
    FIELD("sm.latency.fp64", timing.sm.latency_fp64_cycles),
    FIELD("sm.latency.fp16", timing.sm.latency_fp16_cycles),
    FIELD("sm.latency.sfu", timing.sm.latency_sfu_cycles),
    FIELD("sm.latency.conv", timing.sm.latency_conv_cycles),
    FIELD("sm.latency.tensor", timing.sm.latency_tensor_cycles),
    FIELD("sm.latency.uniform", timing.sm.latency_uniform_cycles),
    FIELD("sm.latency.sreg", timing.sm.latency_sreg_cycles),
    FIELD("sm.latency.sreg_uniform", timing.sm.latency_sreg_uniform_cycles),
    FIELD("sm.latency.const", timing.sm.latency_const_cycles),
    FIELD("sm.latency.shuffle", timing.sm.latency_shuffle_cycles),
    FIELD("sm.latency.vote", timing.sm.latency_vote_cycles),
    FIELD("sm.latency.branch", timing.sm.latency_branch_cycles),
    FIELD("sm.latency.return", timing.sm.latency_return_cycles),
    FIELD("sm.latency.break", timing.sm.latency_break_cycles),
    FIELD("sm.latency.converge", timing.sm.latency_converge_cycles),
    FIELD("sm.latency.redux", timing.sm.latency_redux_cycles),
    FIELD("sm.latency.match", timing.sm.latency_match_cycles),
    FIELD("sm.latency.barrier", timing.sm.latency_barrier_cycles),
    FIELD("sm.latency.fence", timing.sm.fence_cycles),
    FIELD("shared.latency", timing.shared.latency_cycles),
    FIELD("l1.hit", timing.l1.hit_cycles),
    FIELD("l2.hit", timing.l2.hit_cycles),
    FIELD("l2.far_extra", timing.l2.far_extra_cycles),
    FIELD("xbar.host_atomic", timing.xbar.host_atomic_cycles),
#undef FIELD
};

static void set_field(const char *key, const char *value)
{
    if (!strcmp(key, "name"))
        snprintf(device.name, sizeof device.name, "%s", value);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(key, fields[i].key))
            continue;
        uint64_t number = strtoull(value, NULL, 10);
        void *at = (char *)&device + fields[i].offset;
        if (fields[i].bytes == 4)
            *(uint32_t *)at = (uint32_t)number;
        else
            *(uint64_t *)at = number;
    }
}

/* key=value words separated by ";". */
static void describe(const char *text)
{
    char *copy = text ? strdup(text) : NULL, *rest = copy;
    for (char *word; copy && (word = strsep(&rest, ";"));) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = 0;
        set_field(word, value);
    }
    free(copy);
}

void device_init(void)
{
    describe(DEFAULT_DEVICE);
    describe(getenv("STRATA_TRACE_DEVICE"));
    device.timing.sm.clock_mhz = device.clock_mhz;
    if (!device.shared_per_block_optin) /* none: as much as any block may have */
        device.shared_per_block_optin = device.shared_per_block;
}

/* Numbers of CUdevice_attribute whose values do not depend on the card described. */
static const struct {
    int attribute;
    int value;
} fixed_attributes[] = {
    {1, 1024},    {2, 1024},   {3, 1024},     {4, 64},          {5, 2147483647}, {6, 65535},
    {7, 65535},   {9, 65536},  {10, 32},      {11, 2147483647}, {14, 512},       {15, 1},
    {17, 0},      {18, 0},     {19, 1},       {20, 0},          {21, 131072},    {22, 131072},
    {23, 65536},  {24, 16384}, {25, 16384},   {26, 16384},      {27, 32768},     {28, 32768},
    {29, 2048},   {30, 512},   {31, 1},       {32, 1},          {33, 0},         {34, 0},
    {35, 0},      {40, 3},     {41, 1},       {42, 32768},      {43, 2048},      {45, 32768},
    {46, 32768},  {47, 8192},  {48, 8192},    {49, 32768},      {50, 0},         {51, 32},
    {52, 32768},  {53, 32768}, {54, 2046},    {55, 32768},      {56, 131072},    {57, 65536},
    {58, 16384},  {59, 16384}, {60, 16384},   {61, 32768},      {62, 2048},      {63, 32768},
    {64, 32768},  {65, 2048},  {66, 32768},   {67, 32768},      {68, 2046},      {69, 268435456},
    {70, 131072}, {71, 65000}, {72, 2097120}, {73, 32768},      {74, 32768},     {77, 32768},
    {78, 1},      {79, 1},     {80, 1},       {83, 1},          {84, 0},         {85, 0},
    {86, 0},      {87, 2},     {88, 0},       {89, 1},          {90, 1},         {91, 1},
    {95, 1},      {96, 0},     {98, 0},       {99, 1},          {100, 0},        {101, 0},
    {112, 0},     {113, 0},    {114, 0},      {115, 1},         {116, 0},        {117, 0},
    {118, 0},     {119, 0},    {120, 0},      {121, 0},         {125, 0},        {126, 4},
    {130, 0},     {131, -1},   {133, 0},      {134, -1},
};

/* Those that do. */
static bool card_attribute(CUdevice_attribute which, int *value)
{
    const struct {
        CUdevice_attribute which;
        uint64_t value;
    } table[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, device.shared_per_block},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, device.registers_per_sm},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device.clock_mhz * 1000ull},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device.sm_count},
        /* of which there are two transfers in a clock */
        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
         device.memory_clock_mhz * 1000ull * device.data_rate / 2},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
         8ull * device.channels * device.channel_bytes},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device.l2_bytes},
        {CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, device.persisting_max_bytes},
        {CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, device.window_max_bytes},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device.max_threads_per_sm},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device.sm_version / 10},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device.sm_version % 10},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, device.shared_per_sm},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, device.registers_per_sm},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device.shared_per_block_optin},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, device.max_blocks_per_sm},
        {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, device.shared_reserved},
        {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, device.sm_version >= 90},
        {CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, device.sm_version >= 90},
        {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].which == which) {
            *value = (int)table[i].value;
            return true;
        }
    return false;
}

static bool attribute(CUdevice_attribute which, int *value)
{
    if (card_attribute(which, value))
        return true;
    for (size_t i = 0; i < sizeof fixed_attributes / sizeof fixed_attributes[0]; i++)
        if (fixed_attributes[i].attribute == (int)which) {
            *value = fixed_attributes[i].value;
            return true;
        }
    *value = 0; /* a property of a newer card, or of one we are not */
    return (int)which > 0 && which < CU_DEVICE_ATTRIBUTE_MAX;
}

/* What all questions about a device begin with. */
static CUresult check(const void *out, CUdevice which)
{
    return !out ? CUDA_ERROR_INVALID_VALUE : which != 0 ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = DRIVER_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    ENTER(NEED_INIT);
    if (count)
        *count = 1;
    LEAVE(count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuDeviceGet(CUdevice *out, int ordinal)
{
    ENTER(NEED_INIT);
    CUresult status = check(out, ordinal);
    if (status == CUDA_SUCCESS)
        *out = 0;
    LEAVE(status);
}

CUresult cuDeviceGetName(char *name, int length, CUdevice which)
{
    ENTER(NEED_INIT);
    CUresult status = check(name, which);
    if (status == CUDA_SUCCESS && length <= 0)
        status = CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        snprintf(name, (size_t)length, "%s", device.name);
    LEAVE(status);
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice which)
{
    ENTER(NEED_INIT);
    CUresult status = check(uuid, which);
    if (status == CUDA_SUCCESS)
        memcpy(uuid->bytes, "strata emulated", 16);
    LEAVE(status);
}
ALIAS(cuDeviceGetUuid, cuDeviceGetUuid_v2);

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice which)
{
    ENTER(NEED_INIT);
    CUresult status = check(bytes, which);
    if (status == CUDA_SUCCESS)
        *bytes = device.memory_bytes;
    LEAVE(status);
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice dev)
{
    ENTER(NEED_INIT);
    CUresult status = check(value, dev);
    if (status == CUDA_SUCCESS && !attribute(which, value))
        status = CUDA_ERROR_INVALID_VALUE;
    LEAVE(status);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice which)
{
    ENTER(NEED_INIT);
    CUresult status = major && minor ? check(major, which) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS) {
        *major = (int)device.sm_version / 10;
        *minor = (int)device.sm_version % 10;
    }
    LEAVE(status);
}

static int value_of(CUdevice_attribute which)
{
    int value = 0;
    attribute(which, &value);
    return value;
}

CUresult cuDeviceGetProperties(CUdevprop *out, CUdevice which)
{
    ENTER(NEED_INIT);
    CUresult status = check(out, which);
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    *out = (CUdevprop){
        .maxThreadsPerBlock = value_of(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .sharedMemPerBlock = (int)device.shared_per_block,
        .totalConstantMemory = value_of(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        .SIMDWidth = value_of(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        .memPitch = value_of(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
        .regsPerBlock = (int)device.registers_per_sm,
        .clockRate = (int)(device.clock_mhz * 1000),
        .textureAlign = value_of(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
    };
    for (int i = 0; i < 3; i++) {
        out->maxThreadsDim[i] = value_of(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
        out->maxGridSize[i] = value_of(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i);
    }
    LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice which)
{
    ENTER(NEED_INIT);
    CUresult status = check(text, which);
    if (status == CUDA_SUCCESS && length < 13)
        status = CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS) /* short form if the long one does not fit, as the real one */
        snprintf(text, (size_t)length, "%s", PCI_BUS_ID + (length < 17 ? 4 : 0));
    LEAVE(status);
}

CUresult cuDeviceGetByPCIBusId(CUdevice *out, const char *text)
{
    unsigned domain, bus, slot;
    ENTER(NEED_INIT);
    if (!out || !text)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    bool read = sscanf(text, "%x:%x:%x", &domain, &bus, &slot) == 3 ||
                (domain = 0, sscanf(text, "%x:%x", &bus, &slot) == 2);
    if (!read || domain || bus || slot)
        LEAVE(CUDA_ERROR_INVALID_DEVICE);
    *out = 0;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice which, CUdevice peer)
{
    ENTER(NEED_INIT);
    CUresult status = check(can, which);
    if (status == CUDA_SUCCESS)
        *can = 0;
    LEAVE(status == CUDA_SUCCESS && peer != 0 ? CUDA_ERROR_INVALID_DEVICE : status);
}

CUresult cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice which)
{
    ENTER(NEED_INIT);
    CUresult status = check(supported, which);
    if (status == CUDA_SUCCESS)
        *supported = type == CU_EXEC_AFFINITY_TYPE_SM_COUNT;
    LEAVE(status);
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned channels,
                                            CUdevice which)
{
    uint8_t bits, kind;
    ENTER(NEED_INIT);
    CUresult status = check(width, which);
    if (status == CUDA_SUCCESS && (!format_describe(format, &bits, &kind) || !channels))
        status = CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        *width = (size_t)value_of(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    LEAVE(status);
}
