/* cluster.c - the warp that stands for all, and the paths warps take. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interval/model.h"

/* ---- k-means over distinct points ---- */

struct plane {
    double x, y;
};

static double distance2(struct plane a, struct plane b)
{
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

static void scale(const struct cluster_point *p, size_t n, struct plane *out, double *total)
{
    double ipc = 0, instructions = 0;
    *total = 0;
    for (size_t i = 0; i < n; i++) {
        ipc += p[i].ipc * (double)p[i].count;
        instructions += p[i].instructions * (double)p[i].count;
        *total += (double)p[i].count;
    }
    for (size_t i = 0; i < n; i++) {
        out[i].x = ipc > 0 ? p[i].ipc * *total / ipc : 0;
        out[i].y = instructions > 0 ? p[i].instructions * *total / instructions : 0;
    }
}

/* The point farthest from the first, and the one farthest from that: the two ends of the cloud in
 * linear time. */
static size_t farthest(const struct plane *at, size_t n, struct plane from)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (distance2(at[i], from) > distance2(at[best], from))
            best = i;
    return best;
}

static void lloyd(const struct cluster_point *p, const struct plane *at, size_t n,
                  struct plane centre[2], uint8_t *side, double weight[2])
{
    for (int round = 0; round < 1000; round++) {
        struct plane sum[2] = {{0, 0}, {0, 0}};
        bool moved = round == 0;
        weight[0] = weight[1] = 0;
        for (size_t i = 0; i < n; i++) {
            uint8_t s = distance2(at[i], centre[1]) < distance2(at[i], centre[0]);
            double w = (double)p[i].count;
            moved |= s != side[i];
            side[i] = s;
            weight[s] += w;
            sum[s].x += w * at[i].x;
            sum[s].y += w * at[i].y;
        }
        for (int s = 0; s < 2; s++)
            if (weight[s] > 0)
                centre[s] = (struct plane){sum[s].x / weight[s], sum[s].y / weight[s]};
        if (!moved)
            return;
    }
}

strata_status cluster_representative(const struct cluster_point *p, size_t n,
                                     struct cluster_choice *out, struct strata_error *err)
{
    struct plane *at = calloc(n, sizeof *at);
    uint8_t *side = calloc(n, 1);
    if (!at || !side) {
        free(at);
        free(side);
        return strata_no_memory(err, NULL, "to group %zu kinds of warps", n);
    }
    double total, weight[2];
    scale(p, n, at, &total);
    size_t one = farthest(at, n, at[0]), two = farthest(at, n, at[one]);
    struct plane centre[2] = {at[one], at[two]};
    lloyd(p, at, n, centre, side, weight);
    int larger = weight[1] > weight[0];
    size_t best = n;
    for (size_t i = 0; i < n; i++) {
        if (side[i] != larger)
            continue;
        double d = distance2(at[i], centre[larger]),
               b = best < n ? distance2(at[best], centre[larger]) : 0;
        if (best == n || d < b || (d == b && p[i].first_id < p[best].first_id))
            best = i;
    }
    *out = (struct cluster_choice){best, weight[larger] / total, p[best].first_id};
    free(at);
    free(side);
    return STRATA_OK;
}

/* ---- paths ---- */

static bool grow_slots(struct path_table *t)
{
    size_t n = t->n_slots ? t->n_slots * 2 : 64;
    uint32_t *slot = calloc(n, sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < t->n; i++) {
        size_t h = t->path[i].hash & (n - 1);
        while (slot[h])
            h = (h + 1) & (n - 1);
        slot[h] = (uint32_t)i + 1;
    }
    free(t->slot);
    t->slot = slot;
    t->n_slots = n;
    return true;
}

struct path *path_add(struct path_table *t, uint64_t hash, uint32_t instructions, uint64_t warp,
                      bool *is_new)
{
    *is_new = false;
    if (t->n * 2 >= t->n_slots && !grow_slots(t))
        return NULL;
    size_t h = hash & (t->n_slots - 1);
    for (; t->slot[h]; h = (h + 1) & (t->n_slots - 1)) {
        struct path *p = &t->path[t->slot[h] - 1];
        if (p->hash != hash || p->instructions != instructions)
            continue;
        p->count++;
        p->first_warp = warp < p->first_warp ? warp : p->first_warp;
        return p;
    }
    if (t->n == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 64;
        struct path *path = realloc(t->path, cap * sizeof *path);
        if (!path)
            return NULL;
        t->path = path;
        t->cap = cap;
    }
    t->path[t->n] =
        (struct path){.hash = hash, .count = 1, .first_warp = warp, .instructions = instructions};
    t->slot[h] = (uint32_t)t->n + 1;
    *is_new = true;
    return &t->path[t->n++];
}

void path_table_release(struct path_table *t)
{
    free(t->path);
    free(t->slot);
    memset(t, 0, sizeof *t);
}
