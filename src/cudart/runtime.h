/* runtime.h - what the files of the stand-in for libcudart share.
 *
 * A thin layer: every call comes down to calls of the driver's public interface, which libcuda.so.1
 * of ours answers. What is the runtime's own is here: kernels and variables by the address of their
 * host stubs, the primary context made current, the last error of a thread, and the runtime's
 * layouts of structs. Numbers and layouts are those of the CUDA runtime's interface, 11 to 13. */
#ifndef STRATA_CUDART_RUNTIME_H
#define STRATA_CUDART_RUNTIME_H

#define STRATA_CUDA_ALL_VERSIONS
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata_cuda/driver_api.h>

/* Declares and defines an exported function in one go. */
#define API(name, ...)                                                                             \
    int name(__VA_ARGS__);                                                                         \
    __attribute__((visibility("default"))) int name(__VA_ARGS__)
/* Another exported name of the same function. */
#define API_ALIAS(alias_name, name)                                                                \
    extern __typeof__(name) alias_name __attribute__((alias(#name), visibility("default")))

/* cudaError_t where it has no number of the driver's */
enum {
    OK = 0,
    INVALID_VALUE = 1,
    MEMORY_ALLOCATION = 2,
    INVALID_CONFIGURATION = 9,
    INVALID_PITCH = 12,
    INVALID_SYMBOL = 13,
    INVALID_MEMCPY_DIRECTION = 21,
    MISSING_CONFIGURATION = 52,
    INVALID_DEVICE_FUNCTION = 98,
    INVALID_DEVICE = 101,
};

/* cudaMemcpyKind */
enum copy_kind { HOST_TO_HOST = 0, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, COPY_DEFAULT };

struct dim3 {
    unsigned x, y, z;
};
struct extent {
    size_t width, height, depth;
};
struct position {
    size_t x, y, z;
};
struct pitched_pointer {
    void *pointer;
    size_t pitch, xsize, ysize;
};
struct channel_format {
    int bits[4];
    int kind; /* 0 signed, 1 unsigned, 2 float */
};
/* cudaMemcpy3DParms */
struct copy3d {
    CUarray src_array;
    struct position src_position;
    struct pitched_pointer src;
    CUarray dst_array;
    struct position dst_position;
    struct pitched_pointer dst;
    struct extent extent;
    int kind;
};

/* ---- state.c ---- */

/* The primary context of the device, current in this thread. Anything but OK ends the call. */
int runtime_ready(void);
/* Remembers an error as the thread's last and hands it on. */
int runtime_result(int status);
#define READY()                                                                                    \
    do {                                                                                           \
        int ready = runtime_ready();                                                               \
        if (ready != OK)                                                                           \
            return runtime_result(ready);                                                          \
    } while (0)
#define RESULT(status) return runtime_result((int)(status))
/* A call that is one call of the driver's. */
#define PASS(call)                                                                                 \
    do {                                                                                           \
        READY();                                                                                   \
        RESULT(call);                                                                              \
    } while (0)

extern const int cudart_major; /* version.c: 11, 12 or 13 */

/* ---- module.c ---- */

/* The kernel behind a host stub or a handle, its module loaded. */
int function_ready(const void *host, CUfunction *out);
/* The host stub of a kernel, or the kernel itself if it has none. */
const void *function_host(CUfunction f);
/* The variable behind a host shadow. */
int symbol_ready(const void *host, CUdeviceptr *address, size_t *bytes);

/* ---- copy.c ---- */

int copy_translate(const struct copy3d *c, CUDA_MEMCPY3D *out);
CUDA_MEMCPY3D copy_rows(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                        size_t height, int kind);

/* ---- array.c ---- */

/* Texel size of an array; 0: not an array. */
size_t array_texel_bytes(CUarray a);
bool format_to_driver(const struct channel_format *f, CUarray_format *format, unsigned *channels);
struct channel_format format_from_driver(CUarray_format format, unsigned channels);

/* ---- device.c ---- */

int device_attribute(int which); /* 0 if unknown */

#endif
