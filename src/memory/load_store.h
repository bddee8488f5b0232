/* load_store.h - the load/store unit of an SM: how long an instruction takes it.
 *
 * Pure rules: whoever has the unit keeps its time. */
#ifndef STRATA_MEMORY_LOAD_STORE_H
#define STRATA_MEMORY_LOAD_STORE_H

#include <strata/coalesce.h>

#include "base/bits.h"

struct load_store_unit {
    uint64_t free;        /* taken until then */
    uint64_t queue;       /* the same without what holds up nobody behind it */
    uint64_t busy;        /* cycles it has worked so far, reading out included */
    uint64_t held;        /* cycles it stood still for what is in front of it */
    uint32_t drain_debt4; /* quarter cycles it still owes to stores that left */
    uint32_t goes_on;     /* when it last went on after standing still, modulo 2^32 */
};

/* When the unit, asked for new work at t, would begin if it had no stores to read out. */
static inline uint64_t load_store_asked(const struct load_store_unit *u, uint64_t t)
{
    return t > u->free ? t : u->free;
}
/* The unit starts new work, t at the earliest; returns when. Reading out a line of stores takes
 * cycles of the unit, which idle ones pay for; those that are not paid for hold up what is new and
 * are work: were they idle, a line that leaves would send others after it (blocked_probe.cu: two
 * warps a scheduler that store records of three and four words meet). So stores that wait for it to
 * be idle go by load_store_asked(). */
static inline uint64_t load_store_begin(struct load_store_unit *u, uint64_t t)
{
    uint64_t asked = load_store_asked(u, t), idle = asked - u->free;
    u->drain_debt4 -= u->drain_debt4 < idle * 4 ? u->drain_debt4 : (uint32_t)(idle * 4);
    uint32_t out = u->drain_debt4 / 4;
    u->busy += out;
    u->drain_debt4 &= 3;
    u->queue = (t > u->queue ? t : u->queue) + out;
    return asked + out;
}
/* Schedulers hand over as much as sm.lsu_queue cycles ahead, and atomics on shared memory besides:
 * 16 instructions of a scheduler wait in order on the card (issue_order_probe.cu), as many as it
 * has warps, so that warps which wait for such atomics come round one after the other, whose block
 * is the oldest or not. */
static inline void load_store_take(struct load_store_unit *u, uint64_t start, uint32_t cycles,
                                   uint32_t queued)
{
    u->free = start + cycles;
    u->queue += queued;
    u->busy += cycles;
}
/* A packet of stores with so many sectors of 32 bytes left. */
static inline void load_store_owe(struct load_store_unit *u, const struct strata_gpu *gpu,
                                  uint32_t sectors)
{
    u->drain_debt4 += gpu->l1.store_drain_cycles * sectors;
}
/* The unit is held up while what is in front of it (until `backlog`) is more than `room` behind. */
static inline void load_store_hold(struct load_store_unit *u, uint64_t backlog, uint32_t room)
{
    if (backlog <= u->free + room)
        return;
    u->held += backlog - room - u->free;
    u->queue += backlog - room - u->free;
    u->free = backlog - room;
    u->goes_on = (uint32_t)u->free;
}

static inline uint32_t load_store_tags(const struct strata_gpu *gpu)
{
    return gpu->l1.tags_per_cycle ? gpu->l1.tags_per_cycle : 1;
}
/* Cycles of the unit for an access of n requests to global or local memory: tags of several lines a
 * cycle, those of one bank of lines one after another (paper 004, section III-C: banked L1;
 * device/probe/lanes_probe.cu: 4, 8, 16 and 32 lines take 1.9 to 2.5, 2 to 3.5, 4 to 7.5 and 8.7 to
 * 11.8 cycles by how they lie), and
 * passes over the data banks as in shared memory (device/probe, hit_rate: 32 lines at a stride of
 * 33 words take 8 cycles, at a stride of 32 words 32). */
uint32_t load_store_cycles(const struct strata_gpu *gpu, const struct strata_coalescer *c,
                           const struct strata_winst *w, const struct strata_request *r,
                           unsigned n_requests);
/* The parts of that: of the tags, which depend on the lines alone; passes over the data banks; and
 * all of it with them. */
uint32_t load_store_tag_cycles(const struct strata_gpu *gpu, const struct strata_request *r,
                               unsigned n_requests);
uint32_t load_store_passes(const struct strata_gpu *gpu, const struct strata_coalescer *c,
                           const struct strata_winst *w, unsigned n_requests);
uint32_t load_store_cycles_with(const struct strata_gpu *gpu, const struct strata_winst *w,
                                uint32_t tag_cycles, uint32_t passes);
/* A warp's read of a texture. */
struct load_store_texture {
    uint32_t cycles; /* of the SM's texture unit; 0: it is none of it */
    uint32_t later;  /* its data comes so much later than a load's, whether it hits or not */
};
/* `passes`: over the banks. Measured on an H200 (device/probe/texture_rate_probe.cu,
 * texture_latency_probe.cu): 8 cycles however many lanes ask and however they lie within a few
 * lines, 16 for texels of 16 bytes, half of that by a whole coordinate, a cycle a pass over the
 * banks where those are more; with a filter 8, 16 and 32 for texels of 4, 8 and 16 bytes, twice as
 * long where it mixes slices. Further passes make the data come later. Not followed: filters over
 * pitched memory take texels of 16 bytes 64 cycles. */
struct load_store_texture load_store_texture_of(const struct strata_gpu *gpu,
                                                const struct strata_inst *i,
                                                const struct strata_launch_texture *t,
                                                uint32_t passes);
/* When the texture unit, busy until *free, begins with a read that reaches it at t. */
static inline uint64_t load_store_texture_begin(uint64_t *free, uint32_t cycles, uint64_t t)
{
    uint64_t start = t > *free ? t : *free;
    *free = start + cycles;
    return start;
}
/* Cycles of the unit for an access to shared memory, and from its start to its data (probe
 * lat_lds). A pass moves a word of each bank, in several cycles where the banks are slower (paper
 * 002, Table 7: half a word a cycle on Fermi). */
static inline uint32_t load_store_shared_cycles(const struct strata_gpu *gpu,
                                                const struct strata_shared_cost *cost)
{
    uint32_t bytes = gpu->shared.banks * 4, rate = gpu->shared.bytes_per_cycle,
             pass = rate && rate < bytes ? (bytes + rate - 1) / rate : 1,
             cycles = (cost->wavefronts ? cost->wavefronts : 1) * pass;
    return cycles > gpu->shared.access_cycles ? cycles : gpu->shared.access_cycles;
}
/* A scheduler hands over one pass every pass_cycles, so that its next access to shared memory
 * begins no earlier than this after `start`; the unit itself takes a pass a cycle and serves the
 * others in between (probe pipes, lds32_passes: 32 passes take one or two schedulers 64 cycles,
 * four 129). */
static inline uint64_t load_store_shared_port(const struct strata_gpu *gpu, uint64_t start,
                                              uint32_t wavefronts)
{
    return start + (uint64_t)gpu->shared.pass_cycles * (wavefronts ? wavefronts : 1);
}
/* From the start of a load with so many passes over the data banks to its data, where all of it is
 * in the L1 (probe pipes: loads of 8 bytes take 2 cycles more than of 4, of 16 bytes 6;
 * strided_hits_probe.cu: lanes of one bank 2, 6, 14, 30, 62 for 2, 4, 8, 16, 32, whatever their
 * width, and the cycles of the tags besides). */
static inline uint32_t load_store_hit_latency(const struct strata_gpu *gpu, uint32_t passes)
{
    return gpu->l1.hit_cycles + gpu->l1.pass_cycles * (passes ? passes - 1 : 0);
}
static inline uint32_t load_store_shared_latency(const struct strata_gpu *gpu, uint32_t wavefronts)
{
    return gpu->shared.latency_cycles + gpu->shared.pass_cycles * (wavefronts ? wavefronts - 1 : 0);
}

#endif
