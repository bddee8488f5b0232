/* device.c - what programs can ask about the device: an NVIDIA H200 unless `strata trace --gpu`
 * names another. Numbers of the H200 as its driver reports them. */
#include "cudart/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device device = {
    .name = "NVIDIA H200",
    .sm_version = 90,
    .sm_count = 132,
    .clock_khz = 1980000,
    .memory_clock_khz = 3201000,
    .bus_bits = 6016,
    .max_threads_per_sm = 2048,
    .max_blocks_per_sm = 32,
    .registers_per_sm = 65536,
    .register_alloc_unit = 256,
    .memory_bytes = 150109880320ull,
    .l2_bytes = 62914560,
    .shared_per_sm = 233472,
    .shared_per_block = 49152,
    .shared_per_block_optin = 232448,
    .shared_reserved = 1024,
};
static unsigned device_flags;
static uint64_t limits[16] = {1024, 7340032, 8388608, 2, 2048};

/* STRATA_TRACE_DEVICE: key=value words separated by ";", as `strata trace --gpu` writes them. */
void device_init(void)
{
    static const struct {
        const char *key;
        size_t offset, bytes;
    } fields[] = {
#define FIELD(name) {#name, offsetof(struct device, name), sizeof device.name}
        FIELD(sm_version),
        FIELD(sm_count),
        FIELD(clock_khz),
        FIELD(memory_clock_khz),
        FIELD(bus_bits),
        FIELD(max_threads_per_sm),
        FIELD(max_blocks_per_sm),
        FIELD(registers_per_sm),
        FIELD(register_alloc_unit),
        FIELD(memory_bytes),
        FIELD(l2_bytes),
        FIELD(shared_per_sm),
        FIELD(shared_per_block),
        FIELD(shared_per_block_optin),
        FIELD(shared_reserved),
#undef FIELD
    };
    const char *text = getenv("STRATA_TRACE_DEVICE");
    char *copy = text ? strdup(text) : NULL, *rest = copy;
    for (char *word; copy && (word = strsep(&rest, ";"));) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = 0;
        if (!strcmp(word, "name"))
            snprintf(device.name, sizeof device.name, "%s", value);
        for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
            if (strcmp(word, fields[i].key))
                continue;
            uint64_t number = strtoull(value, NULL, 10);
            void *at = (char *)&device + fields[i].offset;
            if (fields[i].bytes == 4)
                *(uint32_t *)at = (uint32_t)number;
            else
                *(uint64_t *)at = number;
        }
    }
    free(copy);
}

/* cudaDeviceAttr numbers whose values do not depend on the card described. */
static const struct {
    int attribute;
    int value;
} fixed_attributes[] = {
    {1, 1024},        {2, 1024},    {3, 1024},     {4, 64},     {5, 2147483647},
    {6, 65535},       {7, 65535},   {9, 65536},    {10, 32},    {11, 2147483647},
    {14, 512},        {15, 1},      {17, 0},       {18, 0},     {19, 1},
    {20, 0},          {21, 131072}, {22, 131072},  {23, 65536}, {24, 16384},
    {25, 16384},      {26, 16384},  {27, 32768},   {28, 32768}, {29, 2048},
    {30, 512},        {31, 1},      {32, 1},       {33, 0},     {34, 0},
    {35, 0},          {40, 3},      {41, 1},       {42, 32768}, {43, 2048},
    {45, 32768},      {46, 32768},  {47, 8192},    {48, 8192},  {49, 32768},
    {50, 0},          {51, 32},     {52, 32768},   {53, 32768}, {54, 2046},
    {55, 32768},      {56, 131072}, {57, 65536},   {58, 16384}, {59, 16384},
    {60, 16384},      {61, 32768},  {62, 2048},    {63, 32768}, {64, 32768},
    {65, 2048},       {66, 32768},  {67, 32768},   {68, 2046},  {69, 268435456},
    {70, 131072},     {71, 65000},  {72, 2097120}, {73, 32768}, {74, 32768},
    {77, 32768},      {78, 1},      {79, 1},       {80, 1},     {83, 1},
    {84, 0},          {85, 0},      {86, 0},       {87, 2},     {88, 0},
    {89, 1},          {90, 1},      {91, 1},       {95, 1},     {96, 0},
    {98, 0},          {99, 1},      {100, 0},      {101, 0},    {108, 39321600},
    {109, 134217728}, {112, 0},     {113, 0},      {114, 0},    {115, 1},
    {116, 0},         {117, 0},     {118, 0},      {119, 0},    {120, 0},
    {121, 0},         {125, 0},     {126, 4},      {130, 0},    {131, -1},
    {133, 0},         {134, -1},
};

static bool attribute(int which, int *value)
{
    switch (which) {
    case 8:
        *value = (int)device.shared_per_block;
        return true;
    case 12:
        *value = (int)device.registers_per_sm;
        return true;
    case 13:
        *value = (int)device.clock_khz;
        return true;
    case 16:
        *value = (int)device.sm_count;
        return true;
    case 36:
        *value = (int)device.memory_clock_khz;
        return true;
    case 37:
        *value = (int)device.bus_bits;
        return true;
    case 38:
        *value = (int)device.l2_bytes;
        return true;
    case 39:
        *value = (int)device.max_threads_per_sm;
        return true;
    case 75:
        *value = (int)device.sm_version / 10;
        return true;
    case 76:
        *value = (int)device.sm_version % 10;
        return true;
    case 81:
        *value = (int)device.shared_per_sm;
        return true;
    case 82:
        *value = (int)device.registers_per_sm;
        return true;
    case 97:
        *value = (int)device.shared_per_block_optin;
        return true;
    case 106:
        *value = (int)device.max_blocks_per_sm;
        return true;
    case 111:
        *value = (int)device.shared_reserved;
        return true;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof fixed_attributes / sizeof fixed_attributes[0]; i++)
        if (fixed_attributes[i].attribute == which) {
            *value = fixed_attributes[i].value;
            return true;
        }
    return false;
}

int device_attribute(int which)
{
    int value = 0;
    attribute(which, &value);
    return value;
}

API(cudaDeviceGetAttribute, int *value, int which, int index)
{
    ENTER();
    if (index != 0)
        LEAVE(INVALID_DEVICE);
    LEAVE(value && attribute(which, value) ? OK : INVALID_VALUE);
}

API(cudaGetDeviceCount, int *count)
{
    ENTER();
    if (count)
        *count = 1;
    LEAVE(count ? OK : INVALID_VALUE);
}

API(cudaSetDevice, int index)
{
    ENTER();
    LEAVE(index == 0 ? OK : INVALID_DEVICE);
}
API_ALIAS(cudaInitDevice, cudaSetDevice, int index);

API(cudaGetDevice, int *index)
{
    ENTER();
    if (index)
        *index = 0;
    LEAVE(index ? OK : INVALID_VALUE);
}
API_ALIAS(cudaChooseDevice, cudaGetDevice, int *index);

API(cudaSetValidDevices, const int *list, int count)
{
    (void)list, (void)count;
    ENTER();
    LEAVE(OK);
}

API(cudaSetDeviceFlags, unsigned flags)
{
    ENTER();
    device_flags = flags;
    LEAVE(OK);
}

API(cudaGetDeviceFlags, unsigned *flags)
{
    ENTER();
    *flags = device_flags;
    LEAVE(OK);
}

/* Nothing is in flight between calls. */
API(cudaDeviceSynchronize, void)
{
    ENTER();
    LEAVE(OK);
}
API_ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize, void);
API_ALIAS(cudaProfilerStart, cudaDeviceSynchronize, void);
API_ALIAS(cudaProfilerStop, cudaDeviceSynchronize, void);
API_ALIAS(cudaProfilerInitialize, cudaDeviceSynchronize, void);

/* Frees nothing: pointers the program still holds stay valid, and the process is about to end. */
API(cudaDeviceReset, void)
{
    ENTER();
    LEAVE(OK);
}
API_ALIAS(cudaThreadExit, cudaDeviceReset, void);

/* Carve-out and bank settings change speed, not results. */
API(cudaDeviceSetCacheConfig, int config_value)
{
    (void)config_value;
    ENTER();
    LEAVE(OK);
}
API_ALIAS(cudaDeviceSetSharedMemConfig, cudaDeviceSetCacheConfig, int config_value);
API_ALIAS(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig, int config_value);

API(cudaDeviceGetCacheConfig, int *value)
{
    ENTER();
    *value = 0;
    LEAVE(OK);
}
API_ALIAS(cudaDeviceGetSharedMemConfig, cudaDeviceGetCacheConfig, int *value);
API_ALIAS(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig, int *value);

API(cudaDeviceSetLimit, int limit, size_t value)
{
    ENTER();
    if (limit < 0 || limit >= (int)(sizeof limits / sizeof limits[0]))
        LEAVE(UNSUPPORTED_LIMIT);
    limits[limit] = value;
    LEAVE(OK);
}
API_ALIAS(cudaThreadSetLimit, cudaDeviceSetLimit, int limit, size_t value);

API(cudaDeviceGetLimit, size_t *value, int limit)
{
    ENTER();
    if (limit < 0 || limit >= (int)(sizeof limits / sizeof limits[0]))
        LEAVE(UNSUPPORTED_LIMIT);
    *value = limits[limit];
    LEAVE(OK);
}
API_ALIAS(cudaThreadGetLimit, cudaDeviceGetLimit, size_t *value, int limit);

API(cudaDeviceCanAccessPeer, int *can, int index, int peer)
{
    (void)peer;
    ENTER();
    *can = 0;
    LEAVE(index == 0 ? OK : INVALID_DEVICE);
}

API(cudaDeviceEnablePeerAccess, int peer, unsigned flags)
{
    (void)flags;
    ENTER();
    LEAVE(peer == 0 ? PEER_ACCESS_UNSUPPORTED : INVALID_DEVICE);
}
API_ALIAS(cudaDeviceDisablePeerAccess, cudaDeviceEnablePeerAccess, int peer, unsigned flags);

API(cudaDeviceGetPCIBusId, char *text, int length, int index)
{
    ENTER();
    if (!text || length < 13)
        LEAVE(INVALID_VALUE);
    snprintf(text, (size_t)length, "0000:00:00.0");
    LEAVE(index == 0 ? OK : INVALID_DEVICE);
}

API(cudaDeviceGetByPCIBusId, int *index, const char *text)
{
    (void)text;
    ENTER();
    *index = 0;
    LEAVE(OK);
}
