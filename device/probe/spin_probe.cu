/* spin_probe.cu - what the memory of a card does while a launch does nothing with it: one thread, or
 * one of each SM, waits for so many cycles. To be run under Nsight Compute; sectors written to DRAM
 * and all other traffic of the L2 that no SM asks for are the result, by the time of the launch. */
#include "launched.h"

#include <cuda_runtime.h>

__global__ void spin(long long cycles)
{
    long long begin = clock64();
    while (clock64() - begin < cycles)
        ;
}

int main()
{
    static const double millions[] = {0.1, 0.3, 1,  2,  4,  6,  8,  10, 12, 14, 16,  18,  20, 22,
                                      24,  26,  28, 30, 32, 36, 40, 44, 50, 60, 80, 100, 160, 240};
    for (int round = 0; round < 4; round++)
        for (double m : millions) {
            int blocks = round & 1 ? 132 : 1;
            spin<<<blocks, 32>>>((long long)(m * 1e6));
            LAUNCHED("spin blocks=%d millions=%g", blocks, m);
        }
    return 0;
}
