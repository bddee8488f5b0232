/* packet.h - what travels between the SMs and the memory side of the clocked model.
 *
 * The model runs in windows of time. A window is no longer than the shortest way
 * between an SM and the memory side, so nothing sent within a window arrives in
 * it: all SMs and the memory side can work on one window side by side, in any
 * order and on any thread, and exchange packets at its end. Packets are then
 * sorted by (time, SM, sequence), which makes the outcome independent of the
 * number of threads, and a part with nothing due in a window is not looked at. */
#ifndef STRATA_SIM_PACKET_H
#define STRATA_SIM_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/l2_rules.h"
#include "memory/line_bytes.h"

#define SIM_SECTOR_BYTES 32u /* of a packet, whatever the caches have */

enum sim_packet_kind {
    SIM_READ = 0,  /* sectors of a line for an L1, or around it */
    SIM_WRITE,     /* sectors of a line, with the bytes written of each */
    SIM_ATOMIC,    /* result wanted */
    SIM_REDUCTION, /* no result: acknowledged like a write */
    SIM_FETCH,     /* instructions; sectors of a line as SIM_READ */
    SIM_N_PACKET_KINDS
};

/* Cycles a request spent in each place, for the latency breakdown (figure 1 of paper 001). */
enum sim_place {
    SIM_AT_MSHR = 0,
    SIM_AT_XBAR,
    SIM_AT_L2,
    SIM_AT_L2_QUEUE,
    SIM_AT_DRAM,
    SIM_AT_DRAM_QUEUE,
    SIM_N_PLACES
};

struct sim_packet {
    uint64_t time;     /* request: leaves the SM; reply: whole at the SM (SM cycles since the launch
                          began) */
    uint64_t line;     /* byte address of the L1's line */
    uint32_t token;    /* the SM's own; a reply carries it back unchanged, exactly once */
    uint32_t sequence; /* per SM, ascending in the order of sending */
    uint16_t sm;
    uint8_t kind;            /* enum sim_packet_kind */
    bool bulk;               /* SIM_READ: of the copy engine, which takes replies at its own rate */
    bool joins;              /* SIM_READ: one request with the read of its line before */
    bool alone;              /* SIM_READ: it shares no answer with requests of other SMs */
    uint8_t sectors;         /* mask, bit k = 32-byte sector k of the line */
    struct line_bytes bytes; /* SIM_WRITE: those written; atomics: those worked on */
    struct l2_atomics atomics;    /* on this line (lanes, less those merged) */
    uint16_t spent[SIM_N_PLACES]; /* filled by the memory side in a reply; saturating */
};

#endif
