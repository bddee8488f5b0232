// Boxes of pixels, by one block: device/hopper/small_forms.cu has them on a card.
#include "hopper.h"
#define ARGS const __grid_constant__ CUtensorMap map, uint8_t *out, int w, int h, int d, int n, int ow, int oh, int od
#define COPY(RANK, REST) "cp.async.bulk.tensor." RANK "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " REST ";"
#define BOX(NAME, TEXT, ...)                                                                       \
    extern "C" __global__ void NAME(ARGS)                                                          \
    {                                                                                              \
        __shared__ __align__(1024) uint8_t to[32 * 40];                                            \
        __shared__ uint64_t full;                                                                  \
        if (threadIdx.x == 0) {                                                                    \
            barrier_init(&full, 1);                                                                \
            barrier_expect(&full, sizeof to);                                                      \
            barrier_fence();                                                                       \
            asm volatile(TEXT ::"r"(shared_address(to)), "l"(&map), "r"(shared_address(&full)), __VA_ARGS__ : "memory"); \
        }                                                                                          \
        __syncthreads();                                                                           \
        barrier_wait(&full, 0);                                                                    \
        for (int i = threadIdx.x; i < (int)sizeof to; i += 32)                                     \
            out[i] = to[i];                                                                        \
    }
BOX(im2col3, COPY("3", "{%3,%4,%5}], [%2], {%6}"), "r"(0), "r"(w), "r"(n), "h"((uint16_t)ow))
BOX(im2col4, COPY("4", "{%3,%4,%5,%6}], [%2], {%7,%8}"), "r"(0), "r"(w), "r"(h), "r"(n), "h"((uint16_t)ow), "h"((uint16_t)oh))
BOX(im2col5, COPY("5", "{%3,%4,%5,%6,%7}], [%2], {%8,%9,%10}"), "r"(0), "r"(w), "r"(h), "r"(d), "r"(n), "h"((uint16_t)ow), "h"((uint16_t)oh), "h"((uint16_t)od))
