/* Plain and pitched memory, what is free, ranges, and wrong calls. */
#include "check.h"

int main(void)
{
    CUdeviceptr p, q, base;
    size_t bytes, pitch, available, total;
    start();
    SAY(cuMemAlloc(&p, 1000));
    SHOW(p % 256);
    SAY(cuMemAlloc(&q, 0));
    SAY(cuMemAlloc(NULL, 4));
    SAY(cuMemAlloc(&q, (size_t)1 << 50));
    SAY(cuMemGetAddressRange(&base, &bytes, p + 10));
    SHOW(base == p);
    SHOW(bytes);
    SAY(cuMemGetInfo(&available, &total));
    SHOW(available <= total);
    SAY(cuMemFree(p + 4));
    SAY(cuMemFree(p));
    SAY(cuMemFree(0));
    SAY(cuMemAllocPitch(&p, &pitch, 300, 10, 4));
    SHOW(pitch);
    SAY(cuMemAllocPitch(&q, &pitch, 300, 10, 3));
    SAY(cuMemAllocPitch(&q, &pitch, 0, 10, 4));
    SAY(cuMemFree(p));
    /* Small arrays lie one behind the other, none across two pages; large ones begin one. */
    SAY(cuMemAlloc(&p, 4));
    SAY(cuMemAlloc(&q, 513));
    SHOW(q - p);
    SAY(cuMemAlloc(&base, 2000000));
    SHOW(base % (2 << 20) == 0 || base / (2 << 20) == (base + 1999999) / (2 << 20));
    SAY(cuMemAlloc(&base, (2 << 20) + 1));
    SHOW(base % (2 << 20));
    /* What they leave of their last page stays empty. */
    SAY(cuMemAlloc(&q, 1500000));
    SHOW(q % (2 << 20));
    return 0;
}
