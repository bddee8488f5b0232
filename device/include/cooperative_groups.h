/* cooperative_groups.h - the part of CUDA's cooperative groups that ordinary programs use: the
 * thread block, tiles of a warp, the lanes that are active together, and the grid. */
#ifndef STRATA_CUDA_COOPERATIVE_GROUPS_H
#define STRATA_CUDA_COOPERATIVE_GROUPS_H

#include <cuda_runtime.h>

namespace cooperative_groups
{

struct thread_block {
    STRATA_DEVICE_MEMBER void sync() const
    {
        __syncthreads();
    }
    STRATA_DEVICE_MEMBER unsigned thread_rank() const
    {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    STRATA_DEVICE_MEMBER unsigned size() const
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    STRATA_DEVICE_MEMBER unsigned num_threads() const
    {
        return size();
    }
    STRATA_DEVICE_MEMBER dim3 group_index() const
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    STRATA_DEVICE_MEMBER dim3 thread_index() const
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    STRATA_DEVICE_MEMBER dim3 group_dim() const
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
};

STRATA_DEVICE thread_block this_thread_block()
{
    return thread_block();
}

/* A power-of-two part of a warp. */
template <unsigned Size, class Parent = thread_block> struct thread_block_tile {
    STRATA_DEVICE_MEMBER unsigned block_rank() const
    {
        return thread_block().thread_rank();
    }
    STRATA_DEVICE_MEMBER unsigned thread_rank() const
    {
        return block_rank() & (Size - 1);
    }
    STRATA_DEVICE_MEMBER unsigned meta_group_rank() const
    {
        return block_rank() / Size;
    }
    STRATA_DEVICE_MEMBER unsigned meta_group_size() const
    {
        return (thread_block().size() + Size - 1) / Size;
    }
    STRATA_DEVICE_MEMBER unsigned size() const
    {
        return Size;
    }
    STRATA_DEVICE_MEMBER unsigned num_threads() const
    {
        return Size;
    }
    STRATA_DEVICE_MEMBER unsigned mask() const
    {
        return Size == 32 ? 0xffffffffu
                          : ((1u << (Size & 31)) - 1) << (block_rank() & 31 & ~(Size - 1));
    }
    STRATA_DEVICE_MEMBER void sync() const
    {
        __syncwarp(mask());
    }
    template <class T> STRATA_DEVICE_MEMBER T shfl(T v, unsigned lane) const
    {
        return __shfl_sync(mask(), v, (int)lane, (int)Size);
    }
    template <class T> STRATA_DEVICE_MEMBER T shfl_down(T v, unsigned by) const
    {
        return __shfl_down_sync(mask(), v, by, (int)Size);
    }
    template <class T> STRATA_DEVICE_MEMBER T shfl_up(T v, unsigned by) const
    {
        return __shfl_up_sync(mask(), v, by, (int)Size);
    }
    template <class T> STRATA_DEVICE_MEMBER T shfl_xor(T v, unsigned lanes) const
    {
        return __shfl_xor_sync(mask(), v, (int)lanes, (int)Size);
    }
    STRATA_DEVICE_MEMBER int any(int p) const
    {
        return (__ballot_sync(mask(), p) & mask()) != 0;
    }
    STRATA_DEVICE_MEMBER int all(int p) const
    {
        return (__ballot_sync(mask(), p) & mask()) == mask();
    }
    STRATA_DEVICE_MEMBER unsigned ballot(int p) const
    {
        return (__ballot_sync(mask(), p) & mask()) >> (block_rank() & 31 & ~(Size - 1));
    }
};

template <unsigned Size, class Parent>
STRATA_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

/* The lanes of a warp that got here together. */
struct coalesced_group {
    unsigned lanes;
    STRATA_DEVICE_MEMBER unsigned lane() const
    {
        unsigned id;
        asm("mov.u32 %0, %%laneid;" : "=r"(id));
        return id;
    }
    STRATA_DEVICE_MEMBER unsigned size() const
    {
        return (unsigned)__popc((int)lanes);
    }
    STRATA_DEVICE_MEMBER unsigned num_threads() const
    {
        return size();
    }
    STRATA_DEVICE_MEMBER unsigned thread_rank() const
    {
        return (unsigned)__popc((int)(lanes & ((1u << lane()) - 1)));
    }
    STRATA_DEVICE_MEMBER void sync() const
    {
        __syncwarp(lanes);
    }
    template <class T> STRATA_DEVICE_MEMBER T shfl(T v, unsigned rank) const
    {
        unsigned rest = lanes;
        for (unsigned i = 0; i < rank; i++)
            rest &= rest - 1;
        return __shfl_sync(lanes, v, __ffs((int)rest) - 1);
    }
};

STRATA_DEVICE coalesced_group coalesced_threads()
{
    return coalesced_group{__activemask()};
}

/* A counter that every block raises and then waits for; the launch must be cooperative. */
static __device__ unsigned strata_grid_arrived, strata_grid_round;

struct grid_group {
    STRATA_DEVICE_MEMBER unsigned long long blocks() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    STRATA_DEVICE_MEMBER unsigned long long size() const
    {
        return blocks() * thread_block().size();
    }
    STRATA_DEVICE_MEMBER unsigned long long num_threads() const
    {
        return size();
    }
    STRATA_DEVICE_MEMBER unsigned long long thread_rank() const
    {
        return (blockIdx.x +
                gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z)) *
                   thread_block().size() +
               thread_block().thread_rank();
    }
    STRATA_DEVICE_MEMBER bool is_valid() const
    {
        return true;
    }
    STRATA_DEVICE_MEMBER void sync() const
    {
        __syncthreads();
        if (thread_block().thread_rank() == 0) {
            __threadfence();
            unsigned round = *(volatile unsigned *)&strata_grid_round;
            if (atomicAdd(&strata_grid_arrived, 1u) == blocks() - 1) {
                strata_grid_arrived = 0;
                __threadfence();
                atomicAdd(&strata_grid_round, 1u);
            } else {
                while (*(volatile unsigned *)&strata_grid_round == round)
                    __nanosleep(100);
            }
            __threadfence();
        }
        __syncthreads();
    }
};

STRATA_DEVICE grid_group this_grid()
{
    return grid_group();
}

template <class Group> STRATA_DEVICE void sync(const Group &g)
{
    g.sync();
}

template <class T> struct plus {
    STRATA_DEVICE_MEMBER T operator()(T a, T b) const
    {
        return a + b;
    }
};
template <class T> struct greater {
    STRATA_DEVICE_MEMBER T operator()(T a, T b) const
    {
        return a > b ? a : b;
    }
};
template <class T> struct less {
    STRATA_DEVICE_MEMBER T operator()(T a, T b) const
    {
        return a < b ? a : b;
    }
};

template <unsigned Size, class Parent, class T, class Operation>
STRATA_DEVICE T reduce(const thread_block_tile<Size, Parent> &tile, T v, Operation operation)
{
    for (unsigned step = Size / 2; step; step /= 2)
        v = operation(v, tile.shfl_xor(v, step));
    return v;
}

} // namespace cooperative_groups

#endif
