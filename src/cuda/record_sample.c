/* record_sample.c - the first launches of each kind are recorded whole, then runs of launches as
 * far as the share of the work reaches. */
#include "cuda/record_sample.h"

#include <string.h>

#include "base/array.h"
#include "base/bits.h"

enum {
    WHOLE_OF_A_KIND = 8, /* the last of them find caches that the program itself has filled */
    MOST_WORKS = 8       /* of launches of one kind that are told apart by their work */
};

/* Launches of a kind whose work differs by more than this are not alike (src/application). */
#define ALIKE 0.03

/* A kernel in one shape. */
struct kind {
    uint64_t key;
    uint32_t whole, wanted; /* launches recorded whole, and how many are to be at least */
    uint32_t n_works;
    uint64_t work[MOST_WORKS]; /* of those recorded whole */
};

static struct {
    struct kind *kind;
    size_t n, cap;
    size_t now;              /* the launch that runs is of this kind; n: nobody's */
    bool whole;              /* and recorded whole */
    bool start_over;         /* a launch has been recorded in part */
    uint64_t start_launches; /* recorded whole until then, */
    uint64_t start_work;     /* and their work */
    uint64_t run_left;       /* launches of a later run that are still to be recorded */
    uint64_t work, recorded; /* so far */
} sample;

static uint64_t key_of(const struct strata_launch *l)
{
    uint64_t key = mix64(l->shared_dynamic_bytes + 1);
    const uint32_t shape[] = {l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z};
    for (const char *c = l->kernel; *c; c++)
        key = mix64(key + (unsigned char)*c);
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++)
        key = mix64(key + shape[i]);
    return key;
}

/* sample.n if there is no memory: such a launch is recorded whole. */
static size_t find_kind(uint64_t key)
{
    for (size_t k = 0; k < sample.n; k++)
        if (sample.kind[k].key == key)
            return k;
    if (!ARRAY_RESERVE(sample.kind, sample.n, sample.cap, 1))
        return sample.n;
    sample.kind[sample.n] = (struct kind){.key = key, .wanted = WHOLE_OF_A_KIND};
    return sample.n++;
}

/* A run of as many launches as at the start, when the share has room for what those took. */
static bool begins_run(uint64_t millionths)
{
    double may = (double)millionths / 1e6 * (double)sample.work;
    if (!sample.start_over || (double)(sample.recorded + sample.start_work) > may)
        return false;
    sample.run_left = sample.start_launches;
    return true;
}

bool record_sample_whole(const struct strata_launch *launch, uint64_t millionths)
{
    sample.now = find_kind(key_of(launch));
    const struct kind *k = sample.now < sample.n ? &sample.kind[sample.now] : NULL;
    sample.whole = !k || k->whole < k->wanted || sample.run_left || begins_run(millionths);
    return sample.whole;
}

static bool is_known_work(const struct kind *k, uint64_t work)
{
    for (uint32_t i = 0; i < k->n_works; i++) {
        double x = (double)k->work[i], y = (double)work, most = x > y ? x : y;
        if ((x > y ? x - y : y - x) <= ALIKE * most)
            return true;
    }
    return false;
}

/* A launch that does more or less than those known of its kind asks for the next one to be whole:
 * what it does itself is known only when it is over. */
static void note_work(struct kind *k, uint64_t work)
{
    k->whole += sample.whole;
    if (k->n_works == MOST_WORKS || is_known_work(k, work))
        return;
    if (sample.whole)
        k->work[k->n_works++] = work;
    else
        k->wanted = k->whole + 1;
}

void record_sample_ran(uint64_t warp_instructions)
{
    sample.work += warp_instructions;
    if (sample.now < sample.n)
        note_work(&sample.kind[sample.now], warp_instructions);
    if (!sample.whole) {
        sample.start_over = true;
        return;
    }
    sample.recorded += warp_instructions;
    sample.run_left -= sample.run_left > 0;
    if (!sample.start_over) {
        sample.start_launches++;
        sample.start_work += warp_instructions;
    }
}
