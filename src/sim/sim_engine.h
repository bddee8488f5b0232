/* sim_engine.h - the clocked model's windows of time: SMs and memory side work, then exchange
 * packets.
 */
#ifndef STRATA_SIM_ENGINE_H
#define STRATA_SIM_ENGINE_H

#include <pthread.h>
#include <strata/result.h>

#include "sim/memside.h"
#include "sim/sm.h"

struct sim_engine {
    const struct strata_gpu *gpu;
    struct strata_reader *reader;
    struct strata_dispatcher *dispatcher;
    struct sim_shared shared;
    struct sim_sm *sm;
    struct cache_pool l1_pool;
    uint32_t n_sms;
    struct sim_memside *memside;
    struct sim_tlb2 tlb;
    struct phase_barriers clusters; /* barriers of clusters, in warps */
    struct sim_note *note;          /* to blocks that have not started */
    size_t n_notes, cap_notes;
    uint64_t blocks_started;    /* index of the last + 1 */
    struct sim_state *state;    /* NULL: the launch begins cold */
    struct sim_packet *request; /* of one window, sorted */
    size_t n_requests, cap_requests;
    uint32_t *bucket; /* requests of each cycle of a window */
    uint32_t *busy;   /* SMs with something due in the window */
    uint32_t n_busy;
    uint64_t window;     /* the longest */
    uint64_t begin, end; /* of the current one */
    uint64_t dispatch_free64;
    uint32_t resident_blocks;
    bool blocks_over;
    uint64_t windows;
    uint64_t watched_progress, watched_since; /* the watchdog's last look that saw some */
    /* threads */
    uint32_t threads, memside_threads;
    struct sm_scheduler
        *order; /* one a thread: the same orders, made by whoever needs them first */
    uint32_t n_orders;
    pthread_t *helper;
    uint32_t n_helpers, n_started;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    uint64_t round; /* of work; helpers wait for a new one */
    uint32_t next_task, running;
    bool quit;
    strata_status memside_status;
    struct strata_error memside_error;
    const struct sim_packet *reply;
    size_t n_replies;
    uint64_t end_time;
};

strata_status sim_engine_init(struct sim_engine *e, const struct strata_gpu *gpu,
                              struct strata_reader *reader, const struct strata_model_options *opt,
                              struct strata_error *err);
void sim_engine_release(struct sim_engine *e);
strata_status sim_engine_run(struct sim_engine *e, struct strata_error *err);
/* sim_notes.c: passes on what SMs told one another in the window; false: memory is short. */
bool sim_notes_exchange(struct sim_engine *e);
void sim_notes_release(struct sim_engine *e);
void sim_report(const struct sim_engine *e, struct strata_result *out);
extern const struct strata_model strata_model_sim;

#endif
