/* attributes.c - prints every attribute of the device, but its name. */
#include <cuda.h>
#include <stdio.h>

int main(void)
{
    int value;
    size_t bytes;
    if (cuInit(0) || cuDeviceTotalMem(&bytes, 0))
        return 1;
    printf("memory %zu\n", bytes);
    for (int i = 1; i < CU_DEVICE_ATTRIBUTE_MAX; i++)
        if (cuDeviceGetAttribute(&value, (CUdevice_attribute)i, 0) == CUDA_SUCCESS)
            printf("%d %d\n", i, value);
    return 0;
}
