/* More than 4 KB of parameters: their places are told in records of another kind. */
struct large {
    int x[1100];
};
extern "C" __global__ void k(const __grid_constant__ large a, int *out)
{
    out[0] = a.x[0] + a.x[1099];
}
