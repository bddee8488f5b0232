/* patterns.c - sequences with the order that real kernels have: lines that are used again do so in
 * the same company. Profiles of independent draws (Algorithm 2) have no such order. */
#include "learn/sequence.h"

enum { REGION = 1 << 24 }; /* lines between the arrays of one sequence */

const char *learn_pattern_name(uint32_t pattern)
{
    static const char *const names[] = {"profile", "stream", "loop",  "neighbours",
                                        "warps",   "gather", "phases"};
    return pattern < LEARN_N_PATTERNS ? names[pattern] : "unknown";
}

/* Blocks of `block` lines are walked `rounds` times and left; some accesses go to a few hot lines.
 */
static void make_stream(uint64_t *out, size_t length, struct learn_random *r)
{
    uint64_t block = learn_random_log(r, 1, 512), rounds = learn_random_log(r, 1, 64),
             hot = learn_random_log(r, 1, 64);
    double hot_share = learn_random_below(r, 2) ? 0 : learn_random_unit(r) * 0.5;
    uint64_t base = learn_random_below(r, REGION), at = 0;
    for (size_t i = 0; i < length; i++) {
        if (hot_share > 0 && learn_random_unit(r) < hot_share)
            out[i] = REGION + learn_random_below(r, hot);
        else
            out[i] = base + at / (block * rounds) * block + at % block, at++;
    }
}

/* Up to three working sets, walked round and round side by side; a line may be used several times
 * before the walk goes on. */
static void make_loop(uint64_t *out, size_t length, struct learn_random *r)
{
    uint64_t sets = 1 + learn_random_below(r, 3), size[3], at[3] = {0}, again[3], base[3];
    double share[3], sum = 0;
    for (uint64_t k = 0; k < sets; k++) {
        size[k] = learn_random_log(r, 4, 16384);
        again[k] = learn_random_log(r, 1, 16);
        base[k] = (k + 1) * REGION + learn_random_below(r, REGION / 2);
        share[k] = learn_random_unit(r) + 0.05;
        sum += share[k];
    }
    for (size_t i = 0; i < length; i++) {
        double x = learn_random_unit(r) * sum;
        uint64_t k = 0;
        while (k + 1 < sets && x >= share[k])
            x -= share[k++];
        out[i] = base[k] + at[k]++ / again[k] % size[k];
    }
}

/* Readers of one array, some lines apart, that advance together. */
static void make_neighbours(uint64_t *out, size_t length, struct learn_random *r)
{
    uint64_t readers = 2 + learn_random_below(r, 8), lag[9], step = learn_random_log(r, 1, 16),
             arrays = 1 + learn_random_below(r, 3);
    uint64_t row = learn_random_log(r, 2, 8192), base = learn_random_below(r, REGION);
    for (uint64_t k = 0; k < readers; k++)
        lag[k] = learn_random_below(r, 2)
                     ? learn_random_below(r, 3)
                     : learn_random_below(r, 4) * row + learn_random_below(r, 2);
    for (size_t i = 0; i < length; i++) {
        uint64_t k = i % readers, at = i / readers;
        out[i] = base + k % arrays * REGION + at / step + lag[k];
    }
}

/* Warps in turn. An instruction of a warp touches `width` lines of its own, `depth` times before it
 * goes on to the next ones, and may touch a line that all warps walk through together. */
static void make_warps(uint64_t *out, size_t length, struct learn_random *r)
{
    uint64_t warps = learn_random_log(r, 2, 64), width = learn_random_log(r, 1, 32),
             depth = learn_random_log(r, 1, 64);
    uint64_t shared_each = learn_random_below(r, 3), shared_step = learn_random_log(r, 1, 64),
             shared_size = learn_random_log(r, 1, 4096);
    uint64_t back = learn_random_below(r, 3)
                        ? 0
                        : learn_random_log(r, 2, 512); /* a warp's own walk starts again */
    uint64_t overlap = learn_random_below(r, 2) ? learn_random_log(r, 1, 16)
                                                : 1; /* warps that read the same lines */
    uint64_t base = learn_random_below(r, REGION);
    size_t i = 0;
    for (uint64_t turn = 0; i < length; turn++)
        for (uint64_t w = 0; w < warps && i < length; w++) {
            uint64_t step = back ? turn / depth % back : turn / depth;
            for (uint64_t k = 0; k < width && i < length; k++)
                out[i++] = base + (w / overlap * REGION / 16) + step * width + k;
            for (uint64_t k = 0; k < shared_each && i < length; k++)
                out[i++] = 1024ull * REGION + k * REGION + turn / shared_step % shared_size;
        }
}

/* Uniform choice among many lines, beside a walk. */
static void make_gather(uint64_t *out, size_t length, struct learn_random *r)
{
    uint64_t lines = learn_random_log(r, 16, 131072), again = learn_random_log(r, 1, 32),
             hot = learn_random_log(r, 1, 256);
    double gathered = learn_random_unit(r),
           skew = learn_random_below(r, 2) ? learn_random_unit(r) : 0;
    uint64_t base = learn_random_below(r, REGION), at = 0;
    for (size_t i = 0; i < length; i++) {
        if (learn_random_unit(r) < gathered)
            out[i] = REGION * 2 + (learn_random_unit(r) < skew ? learn_random_below(r, hot)
                                                               : learn_random_below(r, lines));
        else
            out[i] = base + at++ / again;
    }
}

void learn_pattern_make(uint32_t pattern, uint64_t *out, size_t length, struct learn_random *r)
{
    size_t half;
    switch (pattern) {
    case LEARN_STREAM:
        make_stream(out, length, r);
        break;
    case LEARN_LOOP:
        make_loop(out, length, r);
        break;
    case LEARN_NEIGHBOURS:
        make_neighbours(out, length, r);
        break;
    case LEARN_GATHER:
        make_gather(out, length, r);
        break;
    case LEARN_PHASES:
        half = length / 4 + (size_t)learn_random_below(r, length / 2 + 1);
        learn_pattern_make(LEARN_STREAM +
                               (uint32_t)learn_random_below(r, LEARN_PHASES - LEARN_STREAM),
                           out, half, r);
        learn_pattern_make(LEARN_STREAM +
                               (uint32_t)learn_random_below(r, LEARN_PHASES - LEARN_STREAM),
                           out + half, length - half, r);
        break;
    default:
        make_warps(out, length, r);
    }
}
