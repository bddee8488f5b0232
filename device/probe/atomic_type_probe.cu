/* atomic_type_probe.cu - what atomics on global memory cost by type, operation and whether their
 * result is asked for: on a whole line, one element, four elements, one in each sector, and over
 * the whole L2. Under Nsight Compute; the launches come in the order of the lines printed. */
#include "launched.h"

#include <cstdint>

enum { ROUNDS = 64, BLOCKS = 528, THREADS = 256 };

struct shape {
    const char *name;
    int same_for_lanes; // so many neighbouring lanes share an element
    int elements_apart; // of the elements of a warp; 0: the next sector
    int warps_apart;    // elements between warps
};
static const shape shapes[] = {{"line", 1, 1, 0},
                               {"one", 32, 1, 0},
                               {"four", 8, 1, 0},
                               {"sectors", 1, 0, 0},
                               {"spread", 1, 1, 32}};

#define OPERATION(NAME, TYPE, CONSTRAINT, CTYPE, RED, ATOM)                                        \
    __global__ void red_##NAME(CTYPE *data, int share, int apart, int warps)                       \
    {                                                                                              \
        unsigned lane = threadIdx.x % 32, warp = blockIdx.x * 8 + threadIdx.x / 32;                \
        CTYPE *at = data + (warp * warps + lane / share * apart) % (4 << 20);                      \
        CTYPE v = (CTYPE)1;                                                                        \
        for (int k = 0; k < ROUNDS; k++)                                                           \
            asm volatile(RED ::"l"(at), CONSTRAINT(v) : "memory");                                 \
    }                                                                                              \
    __global__ void atom_##NAME(CTYPE *data, int share, int apart, int warps)                      \
    {                                                                                              \
        unsigned lane = threadIdx.x % 32, warp = blockIdx.x * 8 + threadIdx.x / 32;                \
        CTYPE *at = data + (warp * warps + lane / share * apart) % (4 << 20);                      \
        CTYPE v = (CTYPE)1, old, all = (CTYPE)0;                                                   \
        for (int k = 0; k < ROUNDS; k++) {                                                         \
            asm volatile(ATOM : "=" CONSTRAINT(old) : "l"(at), CONSTRAINT(v) : "memory");          \
            all += old;                                                                            \
        }                                                                                          \
        if (all == (CTYPE)12345)                                                                   \
            data[0] = all;                                                                         \
    }

OPERATION(add_u32, u32, "r", uint32_t, "red.global.add.u32 [%0], %1;",
          "atom.global.add.u32 %0, [%1], %2;")
OPERATION(max_s32, s32, "r", int32_t, "red.global.max.s32 [%0], %1;",
          "atom.global.max.s32 %0, [%1], %2;")
OPERATION(add_f32, f32, "f", float, "red.global.add.f32 [%0], %1;",
          "atom.global.add.f32 %0, [%1], %2;")
OPERATION(add_u64, u64, "l", uint64_t, "red.global.add.u64 [%0], %1;",
          "atom.global.add.u64 %0, [%1], %2;")
OPERATION(max_u64, u64, "l", uint64_t, "red.global.max.u64 [%0], %1;",
          "atom.global.max.u64 %0, [%1], %2;")
OPERATION(add_f64, f64, "d", double, "red.global.add.f64 [%0], %1;",
          "atom.global.add.f64 %0, [%1], %2;")
OPERATION(add_f16x2, f16x2, "r", uint32_t, "red.global.add.noftz.f16x2 [%0], %1;",
          "atom.global.add.noftz.f16x2 %0, [%1], %2;")
OPERATION(add_bf16x2, bf16x2, "r", uint32_t, "red.global.add.noftz.bf16x2 [%0], %1;",
          "atom.global.add.noftz.bf16x2 %0, [%1], %2;")
OPERATION(add_f16, f16, "h", uint16_t, "red.global.add.noftz.f16 [%0], %1;",
          "atom.global.add.noftz.f16 %0, [%1], %2;")
OPERATION(cas_u32, b32, "r", uint32_t, "{.reg .b32 t; atom.global.cas.b32 t, [%0], %1, %1;}",
          "atom.global.cas.b32 %0, [%1], %2, %2;")
OPERATION(cas_u64, b64, "l", uint64_t, "{.reg .b64 t; atom.global.cas.b64 t, [%0], %1, %1;}",
          "atom.global.cas.b64 %0, [%1], %2, %2;")
OPERATION(exch_u32, b32, "r", uint32_t, "{.reg .b32 t; atom.global.exch.b32 t, [%0], %1;}",
          "atom.global.exch.b32 %0, [%1], %2;")

template <class T>
static void both(const char *name, void (*red)(T *, int, int, int),
                 void (*atom)(T *, int, int, int), void *data)
{
    for (const shape &s : shapes)
        for (int returns = 0; returns < 2; returns++) {
            int apart = s.elements_apart ? s.elements_apart : 32 / (int)sizeof(T);
            (returns ? atom : red)<<<BLOCKS, THREADS>>>((T *)data, s.same_for_lanes, apart,
                                                        s.warps_apart);
            LAUNCHED("%s_%s_%s", returns ? "atom" : "red", name, s.name);
        }
}

int main()
{
    void *data;
    CK(cudaMalloc(&data, 64 << 20));
    CK(cudaMemset(data, 0, 64 << 20));
#define BOTH(x) both(#x, red_##x, atom_##x, data)
    BOTH(add_u32), BOTH(max_s32), BOTH(add_f32), BOTH(add_u64), BOTH(max_u64), BOTH(add_f64),
        BOTH(add_f16x2);
    BOTH(add_bf16x2), BOTH(add_f16), BOTH(cas_u32), BOTH(cas_u64), BOTH(exch_u32);
    return 0;
}
