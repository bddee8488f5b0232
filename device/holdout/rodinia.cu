/* rodinia.cu - kernels in the manner of Rodinia's programs, one step of each. */
#include "suite.h"
#include <math.h>
#include <string.h>

static double *zeros(size_t n)
{
    return (double *)suite_host(n * sizeof(double));
}

/* ---- needle: one anti-diagonal of tiles of an alignment, a block of one warp a tile ---- */

enum { NEEDLE = 32 };

__global__ void needle_diagonal(int *score, const int *match, int columns, int first_x, int first_y, int penalty)
{
    __shared__ int tile[NEEDLE + 1][NEEDLE + 1], weight[NEEDLE][NEEDLE];
    int t = threadIdx.x, bx = first_x - (int)blockIdx.x, by = first_y + (int)blockIdx.x;
    int *corner = score + (size_t)by * NEEDLE * columns + bx * NEEDLE;
    const int *source = match + (size_t)(by * NEEDLE + 1) * columns + bx * NEEDLE + 1;
    for (int k = 0; k < NEEDLE; k++)
        weight[k][t] = source[(size_t)k * columns + t];
    tile[0][t + 1] = corner[t + 1];
    tile[t + 1][0] = corner[(size_t)(t + 1) * columns];
    if (t == 0)
        tile[0][0] = corner[0];
    __syncthreads();
    for (int d = 0; d < 2 * NEEDLE - 1; d++) {
        int x = t + 1, y = d - t + 1;
        if (y >= 1 && y <= NEEDLE) {
            int best = tile[y - 1][x - 1] + weight[y - 1][x - 1];
            best = max(best, tile[y][x - 1] - penalty);
            tile[y][x] = max(best, tile[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int k = 1; k <= NEEDLE; k++)
        corner[(size_t)k * columns + t + 1] = tile[k][t + 1];
}

static void needle_reference(int *score, const int *match, int columns, int penalty)
{
    for (int i = 0; i < columns; i++)
        score[i] = score[(size_t)i * columns] = -i * penalty;
    for (int y = 1; y < columns; y++)
        for (int x = 1; x < columns; x++) {
            int *p = score + (size_t)y * columns + x, best = p[-columns - 1] + match[p - score];
            best = best > p[-1] - penalty ? best : p[-1] - penalty;
            *p = best > p[-columns] - penalty ? best : p[-columns] - penalty;
        }
}

static double run_needle(void)
{
    int tiles = suite_pick(3, 48), columns = tiles * NEEDLE + 1;
    size_t n = (size_t)columns * columns;
    int *match = (int *)suite_uints(n, 20), *score = (int *)suite_host(n * sizeof *score);
    for (size_t i = 0; i < n; i++)
        match[i] -= 10;
    needle_reference(score, match, columns, 10);
    /* The longest diagonal is done again on the device from what lies before it. */
    int *start = (int *)suite_host(n * sizeof *start);
    memcpy(start, score, n * sizeof *start);
    for (int y = 1; y < columns; y++)
        for (int x = 1; x < columns; x++)
            if ((x - 1) / NEEDLE + (y - 1) / NEEDLE == tiles - 1)
                start[(size_t)y * columns + x] = 0;
    int *d = (int *)suite_upload(start, n * sizeof *start);
    needle_diagonal<<<tiles, NEEDLE>>>(d, (int *)suite_upload(match, n * sizeof *match), columns, tiles - 1, 0, 10);
    return suite_mismatches((uint32_t *)suite_download(d, n * sizeof *d), (uint32_t *)score, n);
}

/* ---- pathfinder: several rows of a dynamic programme a launch, halos shrink ---- */

enum { PATH = 256 };

__global__ void pathfinder(const int *wall, const int *from, int *to, int columns, int rows)
{
    __shared__ int before[PATH], now[PATH];
    int t = threadIdx.x, inner = PATH - 2 * rows, x = (int)blockIdx.x * inner - rows + t;
    bool inside = x >= 0 && x < columns;
    before[t] = inside ? from[x] : 1 << 28;
    __syncthreads();
    for (int r = 0; r < rows; r++) {
        bool live = inside && t > r && t < PATH - 1 - r;
        if (live)
            now[t] = min(before[t], min(before[t - 1], before[t + 1])) + wall[(size_t)r * columns + x];
        __syncthreads();
        if (live)
            before[t] = now[t];
        __syncthreads();
    }
    if (inside && t >= rows && t < PATH - rows)
        to[x] = before[t];
}

static double run_pathfinder(void)
{
    int columns = suite_pick(1000, 120000), rows = 20;
    size_t n = (size_t)columns * rows;
    int *wall = (int *)suite_uints(n, 10), *from = (int *)suite_uints(columns, 10);
    int *to = (int *)suite_device_zeros(columns * sizeof *to);
    pathfinder<<<suite_blocks(columns, PATH - 2 * rows), PATH>>>((int *)suite_upload(wall, n * sizeof *wall),
                                                                (int *)suite_upload(from, columns * sizeof *from), to,
                                                                columns, rows);
    int *got = (int *)suite_download(to, columns * sizeof *got), *next = (int *)suite_host(columns * sizeof *next);
    for (int r = 0; r < rows; r++) {
        for (int x = 0; x < columns; x++) {
            int best = from[x];
            best = x > 0 && from[x - 1] < best ? from[x - 1] : best;
            best = x < columns - 1 && from[x + 1] < best ? from[x + 1] : best;
            next[x] = best + wall[(size_t)r * columns + x];
        }
        memcpy(from, next, columns * sizeof *next);
    }
    return suite_mismatches((uint32_t *)got, (uint32_t *)from, columns);
}

/* ---- kmeans: records turned into columns, then the nearest centre ---- */

__global__ void invert_mapping(const float *in, float *out, int points, int features)
{
    int p = SUITE_THREAD_X;
    if (p < points)
        for (int f = 0; f < features; f++)
            out[(size_t)points * f + p] = in[(size_t)p * features + f];
}

__global__ void nearest_centre(const float *columns, const float *centres, int *member, int points, int features,
                               int n_centres)
{
    int p = SUITE_THREAD_X, best = 0;
    float least = 3e38f;
    if (p >= points)
        return;
    for (int c = 0; c < n_centres; c++) {
        float sum = 0;
        for (int f = 0; f < features; f++) {
            float d = columns[(size_t)f * points + p] - centres[c * features + f];
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    member[p] = best;
}

static double centre_error(const float *point, const float *centres, int features, int n_centres, int chosen)
{
    double least = HUGE_VAL, mine = 0;
    for (int c = 0; c < n_centres; c++) {
        double sum = 0;
        for (int f = 0; f < features; f++)
            sum += ((double)point[f] - centres[c * features + f]) * (point[f] - centres[c * features + f]);
        least = sum < least ? sum : least;
        if (c == chosen)
            mine = sum;
    }
    return mine - least;
}

static double run_kmeans(void)
{
    int points = suite_pick(700, 51200), features = 34, n_centres = 5;
    size_t n = (size_t)points * features;
    float *in = suite_floats(n, 0, 1), *centres = suite_floats((size_t)n_centres * features, 0, 1);
    float *columns = (float *)suite_device_zeros(n * sizeof *columns);
    int *member = (int *)suite_device_zeros(points * sizeof *member);
    invert_mapping<<<suite_blocks(points, 256), 256>>>((float *)suite_upload(in, n * sizeof *in), columns, points, features);
    nearest_centre<<<suite_blocks(points, 256), 256>>>(
        columns, (float *)suite_upload(centres, (size_t)n_centres * features * sizeof *centres), member, points, features,
        n_centres);
    int *got = (int *)suite_download(member, points * sizeof *got);
    double worst = 0;
    for (int p = 0; p < points; p++)
        worst = fmax(worst, centre_error(in + (size_t)p * features, centres, features, n_centres, got[p]));
    return worst;
}

/* ---- gaussian: multipliers of one column, then the update of the rest ---- */

__global__ void multipliers(const float *a, float *m, int n, int k)
{
    int i = SUITE_THREAD_X;
    if (i < n - 1 - k)
        m[n * (i + k + 1) + k] = a[n * (i + k + 1) + k] / a[n * k + k];
}

__global__ void eliminate(const float *m, float *a, int n, int k)
{
    int i = SUITE_THREAD_X, j = SUITE_THREAD_Y;
    if (i < n - 1 - k && j < n - k)
        a[n * (i + 1 + k) + j + k] -= m[n * (i + 1 + k) + k] * a[n * k + j + k];
}

static double run_gaussian(void)
{
    int n = suite_pick(60, 1024), k = 3;
    size_t count = (size_t)n * n;
    float *a = suite_floats(count, 1, 2);
    float *da = (float *)suite_upload(a, count * sizeof *a), *dm = (float *)suite_device_zeros(count * sizeof *dm);
    multipliers<<<suite_blocks(n, 512), 512>>>(da, dm, n, k);
    /* The threads' x runs along the rows, as in the original: columns of a warp are far apart. */
    eliminate<<<dim3(suite_blocks(n, 4), suite_blocks(n, 4)), dim3(4, 4)>>>(dm, da, n, k);
    float *got = (float *)suite_download(da, count * sizeof *got);
    double *expected = zeros(count);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            expected[(size_t)i * n + j] = a[(size_t)i * n + j];
            if (i > k && j >= k)
                expected[(size_t)i * n + j] -= (double)a[(size_t)i * n + k] / a[(size_t)k * n + k] * a[(size_t)k * n + j];
        }
    return suite_error_floats(got, expected, count);
}

/* ---- nn: distance of places to a target ---- */

struct place {
    float latitude, longitude;
};

__global__ void distances(const struct place *places, float *out, int n, float latitude, float longitude)
{
    int i = (int)(blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x);
    if (i < n) {
        float a = latitude - places[i].latitude, b = longitude - places[i].longitude;
        out[i] = sqrtf(a * a + b * b);
    }
}

static double run_nearest(void)
{
    int n = suite_pick(3000, 342720);
    float *in = suite_floats(2 * (size_t)n, 0, 90), *out = (float *)suite_device_zeros(n * sizeof *out);
    unsigned blocks = suite_blocks(n, 256);
    distances<<<dim3((blocks + 2) / 3, 3), 256>>>((struct place *)suite_upload(in, 2 * (size_t)n * sizeof *in), out, n, 30,
                                                 60);
    float *got = (float *)suite_download(out, n * sizeof *got);
    double *expected = zeros(n);
    for (int i = 0; i < n; i++)
        expected[i] = hypot(30 - (double)in[2 * i], 60 - (double)in[2 * i + 1]);
    return suite_error_floats(got, expected, n);
}

/* ---- lavaMD: particles of a box against those of its neighbours, in double ---- */

enum { BOX = 64 };

struct alignas(16) particle {
    double x, y, z, w;
};

__global__ void box_forces(const struct particle *at, struct particle *force, int side)
{
    __shared__ struct particle other[BOX];
    int home = blockIdx.x, t = threadIdx.x, hx = home % side, hy = home / side % side, hz = home / (side * side);
    struct particle mine = at[home * BOX + t], sum = {0, 0, 0, 0};
    for (int n = 0; n < 27; n++) {
        int x = hx + n % 3 - 1, y = hy + n / 3 % 3 - 1, z = hz + n / 9 - 1;
        if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side)
            continue;
        other[t] = at[((z * side + y) * side + x) * BOX + t];
        __syncthreads();
        for (int k = 0; k < BOX; k++) {
            double dx = mine.x - other[k].x, dy = mine.y - other[k].y, dz = mine.z - other[k].z;
            double pull = other[k].w / (1 + dx * dx + dy * dy + dz * dz);
            sum.x += pull * dx;
            sum.y += pull * dy;
            sum.z += pull * dz;
            sum.w += pull;
        }
        __syncthreads();
    }
    force[home * BOX + t] = sum;
}

static void box_reference(const double *at, double *sum, int particle, int side)
{
    int home = particle / BOX, hx = home % side, hy = home / side % side, hz = home / (side * side);
    const double *me = at + 4 * (size_t)particle;
    for (int b = 0; b < side * side * side; b++) {
        if (abs(b % side - hx) > 1 || abs(b / side % side - hy) > 1 || abs(b / (side * side) - hz) > 1)
            continue;
        for (int k = b * BOX; k < (b + 1) * BOX; k++) {
            double d[3], square = 1;
            for (int c = 0; c < 3; c++)
                square += (d[c] = me[c] - at[4 * k + c]) * d[c];
            for (int c = 0; c < 3; c++)
                sum[c] += at[4 * k + 3] / square * d[c];
            sum[3] += at[4 * k + 3] / square;
        }
    }
}

static double run_boxes(void)
{
    int side = suite_pick(2, 4), n = side * side * side * BOX;
    double *at = suite_doubles(4 * (size_t)n, 0, 1), *expected = zeros(4 * (size_t)n);
    struct particle *force = (struct particle *)suite_device_zeros(n * sizeof *force);
    box_forces<<<side * side * side, BOX>>>((struct particle *)suite_upload(at, n * sizeof(struct particle)), force, side);
    double *got = (double *)suite_download(force, n * sizeof *force);
    for (int i = 0; i < n; i++)
        box_reference(at, expected + 4 * (size_t)i, i, side);
    return suite_error_doubles(got, expected, 4 * (size_t)n);
}

/* ---- streamcluster: what each point would gain from a new centre ---- */

__global__ void centre_gain(const float *coordinates, const float *cost, const int *centre, float *gain, int *moves,
                            int points, int dimensions, int candidate)
{
    int p = SUITE_THREAD_X;
    if (p >= points)
        return;
    float sum = 0;
    for (int d = 0; d < dimensions; d++) {
        float delta = coordinates[(size_t)d * points + p] - coordinates[(size_t)d * points + candidate];
        sum += delta * delta;
    }
    if (sum < cost[p]) {
        moves[p] = 1;
        gain[p] = cost[p] - sum;
    } else {
        atomicAdd(&gain[points + centre[p]], sum - cost[p]);
    }
}

static double run_gain(void)
{
    int points = suite_pick(800, 65536), dimensions = 24, candidate = 77, n_centres = 16;
    size_t n = (size_t)points * dimensions, n_gain = points + n_centres;
    float *x = suite_floats(n, 0, 1), *cost = suite_floats(points, 1, 7);
    int *centre = (int *)suite_uints(points, n_centres), *moves = (int *)suite_device_zeros(points * sizeof *moves);
    float *gain = (float *)suite_device_zeros(n_gain * sizeof *gain);
    centre_gain<<<suite_blocks(points, 512), 512>>>((float *)suite_upload(x, n * sizeof *x),
                                                    (float *)suite_upload(cost, points * sizeof *cost),
                                                    (int *)suite_upload(centre, points * sizeof *centre), gain, moves,
                                                    points, dimensions, candidate);
    float *got = (float *)suite_download(gain, n_gain * sizeof *got);
    double *expected = zeros(n_gain);
    for (int p = 0; p < points; p++) {
        double sum = 0;
        for (int d = 0; d < dimensions; d++)
            sum += pow((double)x[(size_t)d * points + p] - x[(size_t)d * points + candidate], 2);
        if (sum < cost[p])
            expected[p] = cost[p] - sum;
        else
            expected[points + centre[p]] += sum - cost[p];
    }
    return suite_error_floats(got, expected, n_gain);
}

/* ---- cfd: fluxes between an element and its four neighbours, five quantities ---- */

static __host__ __device__ inline float pressure(float density, float mx, float my, float mz, float energy)
{
    return 0.4f * (energy - 0.5f * (mx * mx + my * my + mz * mz) / density);
}

__global__ void fluxes(const int *neighbour, const float *normal, const float *u, float *out, int n)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    float mine[5], sum[5] = {0, 0, 0, 0, 0};
    for (int q = 0; q < 5; q++)
        mine[q] = u[(size_t)q * n + i];
    float p = pressure(mine[0], mine[1], mine[2], mine[3], mine[4]);
    for (int k = 0; k < 4; k++) {
        int other = neighbour[(size_t)k * n + i];
        if (other < 0)
            continue;
        float theirs[5], area = 0;
        for (int q = 0; q < 5; q++)
            theirs[q] = u[(size_t)q * n + other];
        for (int c = 0; c < 3; c++)
            area += normal[(size_t)(k * 3 + c) * n + i] * (mine[1 + c] / mine[0] + theirs[1 + c] / theirs[0]);
        float mean = 0.5f * (p + pressure(theirs[0], theirs[1], theirs[2], theirs[3], theirs[4]));
        for (int q = 0; q < 5; q++)
            sum[q] += area * (mine[q] + theirs[q]) + mean;
    }
    for (int q = 0; q < 5; q++)
        out[(size_t)q * n + i] = sum[q];
}

static void flux_reference(const int *neighbour, const float *normal, const float *u, double *out, int n, int i)
{
    float a[5], b[5];
    for (int q = 0; q < 5; q++)
        a[q] = u[(size_t)q * n + i];
    for (int k = 0; k < 4; k++) {
        int other = neighbour[(size_t)k * n + i];
        if (other < 0)
            continue;
        double area = 0;
        for (int q = 0; q < 5; q++)
            b[q] = u[(size_t)q * n + other];
        for (int c = 0; c < 3; c++)
            area += normal[(size_t)(k * 3 + c) * n + i] * ((double)a[1 + c] / a[0] + (double)b[1 + c] / b[0]);
        double mean = 0.5 * ((double)pressure(a[0], a[1], a[2], a[3], a[4]) + pressure(b[0], b[1], b[2], b[3], b[4]));
        for (int q = 0; q < 5; q++)
            out[(size_t)q * n + i] += area * ((double)a[q] + b[q]) + mean;
    }
}

static double run_fluxes(void)
{
    int n = suite_pick(960, 96768), reach = suite_pick(50, 600);
    int *neighbour = (int *)suite_uints(4 * (size_t)n, 2 * reach);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < n; i++) {
            int other = i + neighbour[(size_t)k * n + i] - reach;
            neighbour[(size_t)k * n + i] = other < 0 || other >= n ? -1 : other;
        }
    float *normal = suite_floats(12 * (size_t)n, -1, 1), *u = suite_floats(5 * (size_t)n, 1, 2);
    float *out = (float *)suite_device_zeros(5 * (size_t)n * sizeof *out);
    fluxes<<<suite_blocks(n, 192), 192>>>((int *)suite_upload(neighbour, 4 * (size_t)n * sizeof *neighbour),
                                          (float *)suite_upload(normal, 12 * (size_t)n * sizeof *normal),
                                          (float *)suite_upload(u, 5 * (size_t)n * sizeof *u), out, n);
    float *got = (float *)suite_download(out, 5 * (size_t)n * sizeof *got);
    double *expected = zeros(5 * (size_t)n);
    for (int i = 0; i < n; i++)
        flux_reference(neighbour, normal, u, expected, n, i);
    return suite_error_floats(got, expected, 5 * (size_t)n);
}

/* ---- particle filter: likelihood of points around each particle, then its place in the sums ---- */

__global__ void likelihood(const unsigned char *frame, const float *x, const float *y, const int *offset, float *out,
                           int n, int around, int width)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < around; k++) {
        int at = ((int)y[i] + offset[2 * k + 1]) * width + (int)x[i] + offset[2 * k];
        float v = (float)frame[at];
        sum += ((v - 100) * (v - 100) - (v - 228) * (v - 228)) / 50.0f;
    }
    out[i] = sum / around;
}

__global__ void find_index(const double *sums, const double *wanted, int *found, int n)
{
    int i = SUITE_THREAD_X, k;
    if (i >= n)
        return;
    for (k = 0; k < n; k++)
        if (sums[k] >= wanted[i])
            break;
    found[i] = k < n ? k : n - 1;
}

static double likelihood_error(void)
{
    int n = suite_pick(300, 8192), around = 69, width = 512;
    uint32_t *pixels = suite_uints((size_t)width * width, 256);
    unsigned char *frame = (unsigned char *)suite_host((size_t)width * width);
    for (int i = 0; i < width * width; i++)
        frame[i] = (unsigned char)pixels[i];
    float *x = suite_floats(n, 100, 400), *y = suite_floats(n, 200, 240);
    int *offset = (int *)suite_uints(2 * around, 11);
    float *out = (float *)suite_device_zeros(n * sizeof *out);
    likelihood<<<suite_blocks(n, 128), 128>>>((unsigned char *)suite_upload(frame, (size_t)width * width),
                                              (float *)suite_upload(x, n * sizeof *x), (float *)suite_upload(y, n * sizeof *y),
                                              (int *)suite_upload(offset, 2 * around * sizeof *offset), out, n, around,
                                              width);
    float *got = (float *)suite_download(out, n * sizeof *got);
    double *expected = zeros(n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < around; k++) {
            double v = frame[((int)y[i] + offset[2 * k + 1]) * width + (int)x[i] + offset[2 * k]];
            expected[i] += ((v - 100) * (v - 100) - (v - 228) * (v - 228)) / 50 / around;
        }
    return suite_error_floats(got, expected, n);
}

static double index_error(void)
{
    int n = suite_pick(200, 1024);
    double *sums = suite_doubles(n, 0, 1), *wanted = zeros(n);
    for (int i = 1; i < n; i++)
        sums[i] += sums[i - 1];
    for (int i = 0; i < n; i++)
        wanted[i] = sums[n - 1] * (i + 0.5) / n;
    int *found = (int *)suite_device_zeros(n * sizeof *found);
    find_index<<<suite_blocks(n, 128), 128>>>((double *)suite_upload(sums, n * sizeof *sums),
                                              (double *)suite_upload(wanted, n * sizeof *wanted), found, n);
    int *got = (int *)suite_download(found, n * sizeof *got);
    double wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += sums[got[i]] < wanted[i] || (got[i] > 0 && sums[got[i] - 1] >= wanted[i]);
    return wrong;
}

static double run_particles(void)
{
    double error = likelihood_error();
    return error + index_error();
}

/* ---- hotspot3D: heat in layers, values of three planes in registers ---- */

__global__ void heat_layers(const float *power, const float *in, float *out, int nx, int ny, int nz)
{
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y, c = y * nx + x, layer = nx * ny;
    if (x >= nx || y >= ny)
        return;
    int west = x == 0 ? c : c - 1, east = x == nx - 1 ? c : c + 1;
    int north = y == 0 ? c : c - nx, south = y == ny - 1 ? c : c + nx;
    float below = in[c], here = in[c], above = in[c + layer];
    for (int z = 0; z < nz; z++) {
        int o = z * layer;
        out[o + c] = 0.4f * here + 0.1f * (in[o + west] + in[o + east] + in[o + north] + in[o + south] + below + above) +
                     0.05f * power[o + c];
        below = here;
        here = above;
        above = z + 2 < nz ? in[o + c + 2 * layer] : here;
    }
}

static double run_heat(void)
{
    int nx = suite_pick(70, 512), ny = suite_pick(21, 256), nz = 8, layer = nx * ny;
    size_t n = (size_t)layer * nz;
    float *power = suite_floats(n, 0, 1), *in = suite_floats(n, 0, 1), *out = (float *)suite_device_zeros(n * sizeof *out);
    heat_layers<<<dim3(suite_blocks(nx, 64), suite_blocks(ny, 4)), dim3(64, 4)>>>(
        (float *)suite_upload(power, n * sizeof *power), (float *)suite_upload(in, n * sizeof *in), out, nx, ny, nz);
    float *got = (float *)suite_download(out, n * sizeof *got);
    double *expected = zeros(n);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                int c = z * layer + y * nx + x;
                double around = (double)in[x ? c - 1 : c] + in[x < nx - 1 ? c + 1 : c] + in[y ? c - nx : c] +
                                in[y < ny - 1 ? c + nx : c] + in[z ? c - layer : c] + in[z < nz - 1 ? c + layer : c];
                expected[c] = 0.4 * in[c] + 0.1 * around + 0.05 * power[c];
            }
    return suite_error_floats(got, expected, n);
}

/* ---- b+tree: a block a query, all keys of a node compared at once ---- */

enum { FAN = 128 };

__global__ void find_keys(const int *keys, const int *children, const int *queries, int *found, int height)
{
    __shared__ int node, hit;
    int t = threadIdx.x, wanted = queries[blockIdx.x];
    if (t == 0) {
        node = 0;
        hit = -1;
    }
    __syncthreads();
    for (int level = 0; level < height; level++) {
        int at = node;
        int low = keys[(size_t)at * FAN + t], high = t + 1 < FAN ? keys[(size_t)at * FAN + t + 1] : 1 << 30;
        __syncthreads();
        if (low <= wanted && wanted < high)
            node = children[(size_t)at * FAN + t];
        __syncthreads();
    }
    if (keys[(size_t)node * FAN + t] == wanted)
        hit = children[(size_t)node * FAN + t];
    __syncthreads();
    if (t == 0)
        found[blockIdx.x] = hit;
}

/* A tree of two inner levels over leaves of even keys; odd keys are not in it. */
static double run_tree(void)
{
    int fan = suite_pick(4, 24), n_queries = suite_pick(50, 6000), leaves = fan * fan, n_nodes = 1 + fan + leaves;
    int *keys = (int *)suite_host((size_t)n_nodes * FAN * sizeof *keys);
    int *children = (int *)suite_host((size_t)n_nodes * FAN * sizeof *children);
    for (int i = 0; i < n_nodes * FAN; i++)
        keys[i] = 1 << 30;
    for (int l = 0; l < leaves; l++) {
        int leaf = 1 + fan + l, inner = 1 + l / fan;
        for (int k = 0; k < FAN; k++) {
            keys[leaf * FAN + k] = 2 * (l * FAN + k);
            children[leaf * FAN + k] = l * FAN + k + 1000;
        }
        keys[inner * FAN + l % fan] = keys[leaf * FAN];
        children[inner * FAN + l % fan] = leaf;
        keys[l / fan] = keys[(1 + l / fan) * FAN];
        children[l / fan] = inner;
    }
    int *queries = (int *)suite_uints(n_queries, 2 * leaves * FAN);
    int *found = (int *)suite_device_zeros(n_queries * sizeof *found);
    find_keys<<<n_queries, FAN>>>((int *)suite_upload(keys, (size_t)n_nodes * FAN * sizeof *keys),
                                  (int *)suite_upload(children, (size_t)n_nodes * FAN * sizeof *children),
                                  (int *)suite_upload(queries, n_queries * sizeof *queries), found, 2);
    int *got = (int *)suite_download(found, n_queries * sizeof *got);
    double wrong = 0;
    for (int i = 0; i < n_queries; i++)
        wrong += got[i] != (queries[i] % 2 ? -1 : queries[i] / 2 + 1000);
    return wrong;
}

static const struct suite_test tests[] = {
    {"needle", "needle_diagonal", "a diagonal of tiles of an alignment", 0, run_needle},
    {"pathfinder", "pathfinder", "20 rows of a dynamic programme", 0, run_pathfinder},
    {"kmeans", "invert_mapping nearest_centre", "records to columns, nearest of 5 centres", 1e-4, run_kmeans},
    {"gaussian", "multipliers eliminate", "one column eliminated, blocks of 4x4", 1e-5, run_gaussian},
    {"nearest", "distances", "distances to a place", 1e-5, run_nearest},
    {"boxes", "box_forces", "particles of neighbouring boxes, in double", 1e-9, run_boxes},
    {"gain", "centre_gain", "gain of a new centre, atomics on 16 words", 1e-3, run_gain},
    {"fluxes", "fluxes", "fluxes over an unstructured mesh", 1e-4, run_fluxes},
    {"particles", "likelihood find_index", "likelihoods around particles, search in sums", 1e-4, run_particles},
    {"heat", "heat_layers", "heat in eight layers", 1e-5, run_heat},
    {"tree", "find_keys", "queries of a tree, a block each", 0, run_tree},
};
SUITE_AREA(holdout_rodinia, "rodinia", tests);
