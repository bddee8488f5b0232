/* version.c - what differs between the three versions of the library: the version numbers, and the
 * layout of cudaDeviceProp and cudaFuncAttributes. Compiled once for each (CUDART_MAJOR). */
#include "cudart/runtime.h"

#include <string.h>

#if CUDART_MAJOR == 11
#define VERSION_NUMBER 11080
#elif CUDART_MAJOR == 12
#define VERSION_NUMBER 12080
#else
#define VERSION_NUMBER 13000
#endif

const int cudart_major = CUDART_MAJOR;

/* CUDA 12; CUDA 11's ends before host_register_supported. */
struct properties_12 {
    char name[256];
    char uuid[16], luid[8];
    unsigned luid_mask;
    size_t total_memory, shared_per_block;
    int regs_per_block, warp_size;
    size_t mem_pitch;
    int max_threads, max_dim[3], max_grid[3], clock_rate;
    size_t total_const;
    int major, minor;
    size_t texture_align, texture_pitch_align;
    int overlap, sm_count, exec_timeout, integrated, can_map_host, compute_mode, tex1d,
        tex1d_mipmap, tex1d_linear, tex2d[2], tex2d_mipmap[2], tex2d_linear[3], tex2d_gather[2],
        tex3d[3], tex3d_alt[3], tex_cube, tex1d_layered[2], tex2d_layered[3], tex_cube_layered[2],
        surf1d, surf2d[2], surf3d[3], surf1d_layered[2], surf2d_layered[3], surf_cube,
        surf_cube_layered[2];
    size_t surface_align;
    int concurrent, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified, memory_clock,
        bus_width, l2_bytes, persisting_l2, threads_per_sm, priorities, global_l1, local_l1;
    size_t shared_per_sm;
    int regs_per_sm, managed, multi_board, board_group, native_atomic, single_double_ratio,
        pageable, concurrent_managed, preemption, registered_pointer, cooperative,
        cooperative_multi;
    size_t shared_optin;
    int pageable_tables, direct_managed, blocks_per_sm, access_window;
    size_t reserved_shared;
    int host_register_supported, sparse, register_read_only, timeline, pools, rdma;
    unsigned rdma_flush;
    int rdma_order;
    unsigned pool_handles;
    int deferred, ipc_event, cluster, unified_functions, reserved[63];
};

struct properties_13 {
    char name[256];
    char uuid[16], luid[8];
    unsigned luid_mask;
    size_t total_memory, shared_per_block;
    int regs_per_block, warp_size;
    size_t mem_pitch;
    int max_threads, max_dim[3], max_grid[3];
    size_t total_const;
    int major, minor;
    size_t texture_align, texture_pitch_align;
    int sm_count, integrated, can_map_host, tex1d, tex1d_mipmap, tex2d[2], tex2d_mipmap[2],
        tex2d_linear[3], tex2d_gather[2], tex3d[3], tex3d_alt[3], tex_cube, tex1d_layered[2],
        tex2d_layered[3], tex_cube_layered[2], surf1d, surf2d[2], surf3d[3], surf1d_layered[2],
        surf2d_layered[3], surf_cube, surf_cube_layered[2];
    size_t surface_align;
    int concurrent, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified, bus_width,
        l2_bytes, persisting_l2, threads_per_sm, priorities, global_l1, local_l1;
    size_t shared_per_sm;
    int regs_per_sm, managed, multi_board, board_group, native_atomic, pageable, concurrent_managed,
        preemption, registered_pointer, cooperative;
    size_t shared_optin;
    int pageable_tables, direct_managed, blocks_per_sm, access_window;
    size_t reserved_shared;
    int host_register_supported, sparse, register_read_only, timeline, pools, rdma;
    unsigned rdma_flush;
    int rdma_order;
    unsigned pool_handles;
    int deferred, ipc_event, cluster, unified_functions, numa_config, numa_id, mps, host_numa;
    unsigned pci_id, pci_subsystem;
    int numa_ipc, reserved[56];
};

_Static_assert(sizeof(struct properties_12) == 1032, "cudaDeviceProp of CUDA 12");
_Static_assert(offsetof(struct properties_12, host_register_supported) == 728,
               "cudaDeviceProp of CUDA 11");
_Static_assert(sizeof(struct properties_13) == 1008, "cudaDeviceProp of CUDA 13");

/* Fields that exist in all versions; numbers are those of cudaDeviceAttr. */
#define FILL_COMMON(p)                                                                             \
    do {                                                                                           \
        cuDeviceGetName((p)->name, sizeof(p)->name, 0);                                            \
        cuDeviceGetUuid_v2((CUuuid *)(p)->uuid, 0);                                                \
        cuDeviceTotalMem_v2(&(p)->total_memory, 0);                                                \
        (p)->shared_per_block = (size_t)device_attribute(8);                                       \
        (p)->regs_per_block = device_attribute(12);                                                \
        (p)->warp_size = 32;                                                                       \
        (p)->mem_pitch = 2147483647;                                                               \
        (p)->max_threads = device_attribute(1);                                                    \
        for (int i = 0; i < 3; i++) {                                                              \
            (p)->max_dim[i] = device_attribute(2 + i);                                             \
            (p)->max_grid[i] = device_attribute(5 + i);                                            \
            (p)->tex3d[i] = device_attribute(24 + i);                                              \
            (p)->tex3d_alt[i] = device_attribute(47 + i);                                          \
            (p)->surf3d[i] = device_attribute(58 + i);                                             \
            (p)->tex2d_linear[i] = device_attribute(70 + i);                                       \
            (p)->tex2d_layered[i] = device_attribute(27 + i);                                      \
            (p)->surf2d_layered[i] = device_attribute(63 + i);                                     \
        }                                                                                          \
        for (int i = 0; i < 2; i++) {                                                              \
            (p)->tex2d[i] = device_attribute(22 + i);                                              \
            (p)->tex2d_mipmap[i] = device_attribute(73 + i);                                       \
            (p)->tex2d_gather[i] = device_attribute(45 + i);                                       \
            (p)->tex1d_layered[i] = device_attribute(42 + i);                                      \
            (p)->tex_cube_layered[i] = device_attribute(53 + i);                                   \
            (p)->surf2d[i] = device_attribute(56 + i);                                             \
            (p)->surf1d_layered[i] = device_attribute(61 + i);                                     \
            (p)->surf_cube_layered[i] = device_attribute(67 + i);                                  \
        }                                                                                          \
        (p)->tex1d = device_attribute(21);                                                         \
        (p)->tex1d_mipmap = device_attribute(77);                                                  \
        (p)->tex_cube = device_attribute(52);                                                      \
        (p)->surf1d = device_attribute(55);                                                        \
        (p)->surf_cube = device_attribute(66);                                                     \
        (p)->total_const = 65536;                                                                  \
        (p)->major = device_attribute(75);                                                         \
        (p)->minor = device_attribute(76);                                                         \
        (p)->texture_align = 512;                                                                  \
        (p)->texture_pitch_align = 32;                                                             \
        (p)->surface_align = 512;                                                                  \
        (p)->sm_count = device_attribute(16);                                                      \
        (p)->can_map_host = 1;                                                                     \
        (p)->concurrent = 1;                                                                       \
        (p)->ecc = 1;                                                                              \
        (p)->async_engines = device_attribute(40);                                                 \
        (p)->unified = 1;                                                                          \
        (p)->bus_width = device_attribute(37);                                                     \
        (p)->l2_bytes = device_attribute(38);                                                      \
        (p)->persisting_l2 = device_attribute(108);                                                \
        (p)->threads_per_sm = device_attribute(39);                                                \
        (p)->priorities = (p)->global_l1 = (p)->local_l1 = 1;                                      \
        (p)->shared_per_sm = (size_t)device_attribute(81);                                         \
        (p)->regs_per_sm = device_attribute(82);                                                   \
        (p)->managed = (p)->concurrent_managed = (p)->preemption = (p)->cooperative = 1;           \
        (p)->registered_pointer = 1;                                                               \
        (p)->shared_optin = (size_t)device_attribute(97);                                          \
        (p)->blocks_per_sm = device_attribute(106);                                                \
        (p)->access_window = device_attribute(109);                                                \
        (p)->reserved_shared = (size_t)device_attribute(111);                                      \
    } while (0)

static void fill_12(struct properties_12 *p, size_t bytes)
{
    struct properties_12 all;
    memset(&all, 0, sizeof all);
    FILL_COMMON(&all);
    all.clock_rate = device_attribute(13);
    all.memory_clock = device_attribute(36);
    all.overlap = 1;
    all.tex1d_linear = device_attribute(69);
    all.single_double_ratio = device_attribute(87);
    all.host_register_supported = all.pools = 1;
    memcpy(p, &all, bytes);
}

static int valid_request(const void *p, int index)
{
    return !p ? INVALID_VALUE : index != 0 ? INVALID_DEVICE : OK;
}

#if CUDART_MAJOR >= 13
API(cudaGetDeviceProperties, struct properties_13 *p, int index)
{
    READY();
    int status = valid_request(p, index);
    if (status == OK) {
        memset(p, 0, sizeof *p);
        FILL_COMMON(p);
        p->host_register_supported = p->pools = 1;
        p->numa_id = p->host_numa = -1;
    }
    RESULT(status);
}
#else
API(cudaGetDeviceProperties, struct properties_12 *p, int index)
{
    READY();
    int status = valid_request(p, index);
    if (status == OK)
        fill_12(p, offsetof(struct properties_12, host_register_supported));
    RESULT(status);
}
#endif

/* The name that programs built with CUDA 12 use. */
API(cudaGetDeviceProperties_v2, struct properties_12 *p, int index)
{
    READY();
    int status = valid_request(p, index);
    if (status == OK)
        fill_12(p, sizeof *p);
    RESULT(status);
}

API(cudaRuntimeGetVersion, int *version)
{
    if (version)
        *version = VERSION_NUMBER;
    RESULT(version ? OK : INVALID_VALUE);
}
API_ALIAS(cudaDriverGetVersion, cudaRuntimeGetVersion);

/* cudaFuncAttributes: the first 52 bytes are those of CUDA 11; 12 added clusters and reserve. */
struct function_attributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared,
        carveout;
#if CUDART_MAJOR >= 12
    int cluster[6], reserved[16];
#endif
};

static int ask(CUfunction f, CUfunction_attribute which)
{
    int value = 0;
    cuFuncGetAttribute(&value, which, f);
    return value;
}

API(cudaFuncGetAttributes, struct function_attributes *out, const void *host)
{
    CUfunction f;
    READY();
    int status = out ? function_ready(host, &f) : INVALID_VALUE;
    if (status != OK)
        RESULT(status);
    memset(out, 0, sizeof *out);
    out->shared_bytes = (size_t)ask(f, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    out->const_bytes = (size_t)ask(f, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
    out->local_bytes = (size_t)ask(f, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    out->max_threads = ask(f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    out->registers = ask(f, CU_FUNC_ATTRIBUTE_NUM_REGS);
    out->ptx_version = ask(f, CU_FUNC_ATTRIBUTE_PTX_VERSION);
    out->binary_version = ask(f, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    out->max_dynamic_shared = ask(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    out->carveout = ask(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    return OK;
}
