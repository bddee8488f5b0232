// exits.cu - lanes leave early where two conditions hold: compilers make one instruction of it, @P0 EXIT P1.
extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x + blockIdx.x * blockDim.x;
    const unsigned *mine = in + t * 16;
    unsigned *to = out + t * 64;
    to[0] = mine[0];
    unsigned uniform = in[1], other = in[18];
    if (uniform != 0 && (t & 1) != 0)
        return;
    to[1] = mine[1] + 1;
    if (other != 5 && (mine[2] & 4) != 0)
        return;
    to[2] = mine[2] * 3;
    if (in[3] == 0 && (t & 8) != 0)
        return;
    to[3] = mine[3] ^ t;
}
