// two_codes.cu - a variable that two kernels change, for tests of which code runs. two_codes.fatbin was made by
//   nvcc -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90 -fatbin --no-compress
// two_codes.cubin by nvcc -arch=sm_90 -lineinfo -cubin in /tmp/sass. In the fatbin, the padding behind the end of the machine code of `odd` (NOPs) was given an opcode that does not exist.
__device__ int counter = 5;

extern "C" __global__ void even(int *out)
{
    out[0] = counter += 1;
}

extern "C" __global__ void odd(int *out)
{
    out[0] = counter += 10;
}
