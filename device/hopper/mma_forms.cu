// mma_forms.cu - where mma has the elements of doubles in 16 rows and of four bits: products of
// random operands by the card against sums over the tables of the PTX manual. A line a form: how
// many of its results are wrong.
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>
template <int K> __global__ void f64(const double *a, const double *b, const double *c, double *d)
{
    int l = threadIdx.x;
    double o[4];
    const double *A = a + l * (K / 2), *B = b + l * (K / 4), *C = c + l * 4;
    if constexpr (K == 4)
        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
                     "{%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"
                     : "=d"(o[0]), "=d"(o[1]), "=d"(o[2]), "=d"(o[3])
                     : "d"(A[0]), "d"(A[1]), "d"(B[0]), "d"(C[0]), "d"(C[1]), "d"(C[2]), "d"(C[3]));
    if constexpr (K == 8)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                     "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
                     : "=d"(o[0]), "=d"(o[1]), "=d"(o[2]), "=d"(o[3])
                     : "d"(A[0]), "d"(A[1]), "d"(A[2]), "d"(A[3]), "d"(B[0]), "d"(B[1]), "d"(C[0]),
                       "d"(C[1]), "d"(C[2]), "d"(C[3]));
    if constexpr (K == 16)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "
            "{%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%16,%17,%18,%19};"
            : "=d"(o[0]), "=d"(o[1]), "=d"(o[2]), "=d"(o[3])
            : "d"(A[0]), "d"(A[1]), "d"(A[2]), "d"(A[3]), "d"(A[4]), "d"(A[5]), "d"(A[6]),
              "d"(A[7]), "d"(B[0]), "d"(B[1]), "d"(B[2]), "d"(B[3]), "d"(C[0]), "d"(C[1]),
              "d"(C[2]), "d"(C[3]));
    for (int i = 0; i < 4; i++)
        d[l * 4 + i] = o[i];
}
__global__ void s4(const uint32_t *a, const uint32_t *b, const int *c, int *d, int u)
{
    int l = threadIdx.x;
    int o[4];
    const uint32_t *A = a + l * 4, *B = b + l * 2;
    const int *C = c + l * 4;
    if (u == 0)
        asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 "
                     "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
                     : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3])
                     : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(C[0]),
                       "r"(C[1]), "r"(C[2]), "r"(C[3]));
    if (u == 1)
        asm volatile("mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32 "
                     "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
                     : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3])
                     : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(C[0]),
                       "r"(C[1]), "r"(C[2]), "r"(C[3]));
    if (u == 2)
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32 "
                     "{%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"
                     : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3])
                     : "r"(A[0]), "r"(A[1]), "r"(B[0]), "r"(C[0]), "r"(C[1]), "r"(C[2]), "r"(C[3]));
    if (u == 3) {
        o[2] = o[3] = 0;
        asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%0,%1},{%2},{%3},{%4,%5};"
                     : "=r"(o[0]), "=r"(o[1])
                     : "r"(A[0]), "r"(B[0]), "r"(C[0]), "r"(C[1]));
    }
    for (int i = 0; i < 4; i++)
        d[l * 4 + i] = o[i];
}
static int nib(uint32_t w, int i, bool s)
{
    int v = w >> (4 * i) & 15;
    return s && v > 7 ? v - 16 : v;
}
template <int K> void test64()
{
    std::vector<double> a(32 * K / 2), b(32 * K / 4), c(128), d(128);
    for (auto &x : a)
        x = rand() % 17 - 8;
    for (auto &x : b)
        x = rand() % 17 - 8;
    for (auto &x : c)
        x = rand() % 99;
    double *p;
    cudaMalloc(&p, 65536);
    cudaMemcpy(p, a.data(), a.size() * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(p + 1024, b.data(), b.size() * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(p + 2048, c.data(), 1024, cudaMemcpyHostToDevice);
    f64<K><<<1, 32>>>(p, p + 1024, p + 2048, p + 4096);
    cudaMemcpy(d.data(), p + 4096, 1024, cudaMemcpyDeviceToHost);
    double A[16][16], A2[16][16], B[16][8], C[16][8];
    for (int l = 0; l < 32; l++) {
        int g = l / 4, t = l % 4;
        for (int i = 0; i < K / 2; i++) {
            A[g + 8 * (i & 1)][t + 4 * (i / 2)] = a[l * (K / 2) + i];
            A2[g + 8 * (i / (K / 4))][t + 4 * (i % (K / 4))] = a[l * (K / 2) + i];
        }
        for (int i = 0; i < K / 4; i++)
            B[t + 4 * i][g] = b[l * (K / 4) + i];
        for (int i = 0; i < 4; i++)
            C[g + 8 * (i / 2)][2 * t + (i & 1)] = c[l * 4 + i];
    }
    int bad = 0, bad2 = 0;
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < 4; i++) {
            int r = l / 4 + 8 * (i / 2), q = 2 * (l % 4) + (i & 1);
            double s = C[r][q], s2 = s;
            for (int k = 0; k < K; k++)
                s += A[r][k] * B[k][q], s2 += A2[r][k] * B[k][q];
            bad += s != d[l * 4 + i];
            bad2 += s2 != d[l * 4 + i];
        }
    printf("f64 k%d: wrong with rows by turns %d, with rows one after the other %d (%s)\n", K, bad,
           bad2, cudaGetErrorString(cudaGetLastError()));
    cudaFree(p);
}
void testi(int u)
{
    std::vector<uint32_t> a(128), b(64);
    std::vector<int> c(128), d(128);
    for (auto &x : a)
        x = rand() * 2654435761u ^ rand();
    for (auto &x : b)
        x = rand() * 2654435761u ^ rand();
    for (auto &x : c)
        x = rand() % 9999;
    uint32_t *p;
    cudaMalloc(&p, 65536);
    cudaMemcpy(p, a.data(), 512, cudaMemcpyHostToDevice);
    cudaMemcpy(p + 1024, b.data(), 256, cudaMemcpyHostToDevice);
    cudaMemcpy(p + 2048, c.data(), 512, cudaMemcpyHostToDevice);
    s4<<<1, 32>>>(p, p + 1024, (int *)p + 2048, (int *)p + 4096, u);
    cudaMemcpy(d.data(), p + 4096, 512, cudaMemcpyDeviceToHost);
    int K = u < 2 ? 64 : 32, M = u == 3 ? 8 : 16;
    bool sa = u != 1, sb = u != 2;
    static int A[16][64], B[64][8], C[16][8];
    for (int l = 0; l < 32; l++) {
        int g = l / 4, t = l % 4;
        int na = M * K / 32 / 8, nb = K / 32;
        for (int r = 0; r < na; r++)
            for (int e = 0; e < 8; e++) {
                int row = M == 8 ? g : g + 8 * (r & 1), col = t * 8 + e + 32 * (M == 8 ? r : r / 2);
                A[row][col] = nib(a[l * 4 + r], e, sa);
            }
        for (int r = 0; r < nb; r++)
            for (int e = 0; e < 8; e++)
                B[t * 8 + e + 32 * r][g] = nib(b[l * 2 + r], e, sb);
        for (int i = 0; i < M / 4; i++)
            C[g + 8 * (i / 2)][2 * t + (i & 1)] = c[l * 4 + i];
    }
    int bad = 0;
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < M / 4; i++) {
            int r = l / 4 + 8 * (i / 2), q = 2 * (l % 4) + (i & 1);
            int s = C[r][q];
            for (int k = 0; k < K; k++)
                s += A[r][k] * B[k][q];
            bad += s != d[l * 4 + i];
        }
    printf("4 bits, form %d: %d wrong (%s)\n", u, bad, cudaGetErrorString(cudaGetLastError()));
    cudaFree(p);
}
int main()
{
    test64<4>();
    test64<8>();
    test64<16>();
    for (int u = 0; u < 4; u++)
        testi(u);
}
