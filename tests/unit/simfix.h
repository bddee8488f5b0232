/* simfix.h - a memory side under test: sends packets, runs windows, collects replies. */
#ifndef TESTS_SIMFIX_H
#define TESTS_SIMFIX_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memparts.h"
#include "sim/memside.h"

struct rig {
    struct sim_memside *m;
    uint64_t now;
    uint32_t sequence, threads;
    struct sim_packet last; /* the last reply */
    uint64_t replies;
    uint32_t *answers; /* by token, where wanted */
    void (*on_reply)(struct rig *r, const struct sim_packet *p);
    void *context;
};

/* A slice with one set: the third line evicts the first. */
static inline struct strata_gpu one_set(const struct strata_gpu *gpu)
{
    struct strata_gpu g = *gpu;
    g.l2.slices = g.dram.channels = 1;
    g.l2.cache.ways = 2;
    g.l2.cache.size_bytes = 256;
    g.l2.cache.index_hash = STRATA_INDEX_LINEAR;
    g.l2.fill_on_memcpy = false;
    return g;
}

static inline void rig_open(struct rig *r, const struct strata_gpu *gpu)
{
    struct strata_error err;
    memset(r, 0, sizeof *r);
    r->threads = 1;
    if (sim_memside_create(gpu, 1, &r->m, &err))
        fail_msg("%s", err.message);
}

static inline void rig_close(struct rig *r)
{
    sim_memside_destroy(r->m);
    r->m = NULL;
}

static inline void rig_send(struct rig *r, struct sim_packet p)
{
    p.sequence = r->sequence++;
    assert_int_equal(sim_memside_send(r->m, &p, 1, NULL), STRATA_OK);
}

static inline void rig_window(struct rig *r)
{
    const struct sim_packet *reply;
    size_t n;
    uint64_t end = r->now + sim_memside_window_cycles(r->m);
    assert_int_equal(sim_memside_run(r->m, end, r->threads, &reply, &n, NULL), STRATA_OK);
    for (size_t i = 0; i < n; i++) {
        assert_true(reply[i].time >= end);
        if (i)
            assert_true(reply[i - 1].time < reply[i].time ||
                        (reply[i - 1].time == reply[i].time && reply[i - 1].sm <= reply[i].sm));
        if (r->answers)
            r->answers[reply[i].token]++;
        if (r->on_reply)
            r->on_reply(r, &reply[i]);
        r->last = reply[i];
    }
    r->replies += n;
    r->now = end;
}

/* Runs until nothing is under way. */
static inline void rig_drain(struct rig *r)
{
    while (sim_memside_next(r->m) != UINT64_MAX)
        rig_window(r);
}

/* Sends one packet and returns the cycles until its reply. */
static inline uint64_t rig_ask(struct rig *r, uint8_t kind, uint64_t line, uint8_t sectors,
                               const uint32_t *bytes)
{
    struct sim_packet p = {
        .time = r->now, .line = line, .kind = kind, .sectors = sectors, .atomics = {1, 0}};
    if (bytes)
        memcpy(p.bytes.sector, bytes, sizeof p.bytes.sector);
    uint64_t sent = r->now, before = r->replies;
    rig_send(r, p);
    rig_drain(r);
    assert_int_equal(r->replies, before + 1);
    r->now = r->last.time > r->now ? r->last.time : r->now;
    sim_memside_run(r->m, r->now, 1, &(const struct sim_packet *){0}, &(size_t){0}, NULL);
    return r->last.time - sent;
}

/* One counter summed over the slices. */
#define RIG_SUM(rig, field) rig_sum((rig)->m, offsetof(struct sim_counters, field))
static inline uint64_t rig_sum(const struct sim_memside *m, size_t offset)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < m->n_slices; s++)
        sum += *(const uint64_t *)((const char *)&m->slice[s].count + offset);
    return sum;
}

#endif
