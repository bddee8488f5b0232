/* dram.h - one channel of GDDR5 or HBM: commands, banks, queues, refresh.
 *
 * A channel works on commands in its own clock. It looks only at clocks in which a
 * command can issue, and not at all while nothing waits for it. Legality of commands
 * is in dram_timing.c, the choice among requests in dram_sched.c, the loop over
 * clocks in dram.c. */
#ifndef STRATA_SIM_DRAM_H
#define STRATA_SIM_DRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>

#include "sim/message.h"

#define DRAM_NONE       UINT32_MAX
#define DRAM_MAX_BANKS  64
#define DRAM_MAX_GROUPS 64

enum dram_command {
    DRAM_ACTIVATE = 0,
    DRAM_PRECHARGE,
    DRAM_READ,
    DRAM_WRITE,
    DRAM_REFRESH,
    DRAM_REFRESH_ALL
};

/* The rules, in clocks, and how addresses and times become the channel's. */
struct dram_timing {
    uint32_t tCCD, tCCDL, tRRD, tRCD, tRAS, tRP, tRC, tCL, tWL, tCDLR, tWR, tRTPL, tFAW, tRFC;
    uint32_t burst; /* clocks the data of one column command takes on the pins */
    uint32_t read_to_write, write_to_read, write_to_precharge; /* command to command */
    uint32_t refresh_interval; /* between two refresh commands; 0: no refresh */
    uint32_t banks, groups;
    bool dual_command_bus, per_bank_refresh, separate_writes, bank_hash, in_order;
    uint32_t read_queue, write_queue, write_high, write_low; /* UINT32_MAX: no limit */
    uint32_t age_limit;                                      /* 0: none */
    uint32_t sm_mhz, dram_mhz;
    uint32_t atom_bytes; /* of one column command */
    uint32_t row_bytes, interleave_bytes;
    uint32_t all_channels;  /* of the GPU: how far apart a channel's blocks are */
    uint32_t before, after; /* SM cycles on the way to the channel and back, fixed */
    uint32_t unloaded;      /* SM cycles of a row hit that waits for nothing, with both ways */
};
strata_status dram_timing_init(struct dram_timing *t, const struct strata_gpu *gpu,
                               struct strata_error *err);
void dram_decode(const struct dram_timing *t, uint64_t line, uint32_t *bank, uint32_t *row);

struct dram_request {
    uint64_t arrive; /* clock */
    uint64_t asked;  /* SM cycle in which the slice asked */
    uint32_t row, next, mshr, order;
    uint16_t from;
    uint8_t bank, bursts, sectors;
    bool write;
};

struct dram_bank {
    uint32_t open_row;         /* DRAM_NONE: precharged */
    uint32_t current[2];       /* request worked on, per queue */
    uint32_t head[2], tail[2]; /* those that wait for it, oldest first */
    uint64_t activate_at, column_at,
        precharge_at; /* clocks: not before, by what happened in this bank */
};

struct dram_list {
    uint32_t head, tail, n;
};

struct dram_counters {
    uint64_t reads, writes;       /* column commands */
    uint64_t activates, row_hits; /* requests that found their row open */
    uint64_t requests, refreshes, turns;
    uint64_t busy_clocks; /* of the data pins */
};

struct dram_logged {
    uint64_t clock;
    uint32_t row;
    uint8_t command, bank;
};

struct dram_channel {
    const struct dram_timing *timing;
    uint64_t clock; /* the next to be looked at */
    struct dram_bank bank[DRAM_MAX_BANKS];
    uint64_t active[2];  /* banks that work on a request, per queue */
    uint64_t refreshing; /* banks that must be refreshed before anything else */
    uint64_t next_refresh;
    uint32_t refresh_bank;
    uint64_t group_at[DRAM_MAX_GROUPS]; /* next column command of the group */
    uint64_t read_at, write_at, any_activate_at;
    uint64_t last_activates[4];
    uint32_t n_activates;
    struct dram_list backlog[2]; /* waits for a place in the queue */
    uint32_t queued[2];          /* in the queue */
    uint32_t mode;               /* queue served: 0 reads (or all), 1 writes */
    struct dram_request *request;
    size_t n_requests, cap_requests;
    uint32_t free_request, next_order;
    struct sim_mailbox mail;
    struct dram_counters count;
    struct dram_logged *log; /* of every command, where wanted */
    size_t n_log, cap_log;
    bool keep_log, failed;
};

/* Data of a read is back at `time` (SM cycles). */
typedef void dram_done(void *context, const struct dram_request *r, uint64_t time);

void dram_channel_init(struct dram_channel *c, const struct dram_timing *timing,
                       uint32_t first_refresh);
void dram_channel_release(struct dram_channel *c);
/* Works on the commands of the SM cycles [begin, end). */
void dram_channel_run(struct dram_channel *c, uint64_t begin, uint64_t end, dram_done *done,
                      void *context);
/* True if a request waits or is worked on: the next window has to be run. */
bool dram_channel_busy(const struct dram_channel *c);
/* Writes that wait for a place in the write queue. */
uint32_t dram_channel_waiting_writes(const struct dram_channel *c);

/* ---- dram_timing.c ---- */
/* First clock at which a command is legal; the caller knows that the bank's state fits it. */
uint64_t dram_earliest(const struct dram_channel *c, enum dram_command command, uint32_t bank);
void dram_issue(struct dram_channel *c, enum dram_command command, uint32_t bank, uint32_t row,
                uint64_t clock);

/* ---- dram_sched.c ---- */
/* Takes a request in; it is admitted to the queue when there is room. */
void dram_queue_put(struct dram_channel *c, const struct dram_request *r);
/* Admits what may be by `clock`. */
void dram_queue_admit(struct dram_channel *c, uint64_t clock);
/* Chooses reads or writes. */
void dram_queue_turn(struct dram_channel *c);
/* The bank's current request of a queue is done. */
void dram_queue_finish(struct dram_channel *c, uint32_t bank, uint32_t queue, uint64_t clock);
/* Arrival of the first request that waits outside the queue for its time; UINT64_MAX: none. */
uint64_t dram_queue_next(const struct dram_channel *c, uint64_t clock);

#endif
