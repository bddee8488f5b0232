/* driver_record.c - writes what runs into a trace, and tells `strata trace` how far it is. */
#include "cuda/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <strata/filter.h>
#include <strata/trace.h>

#include "base/array.h"
#include "cuda/descriptor.h"
#include "cuda/record_sample.h"
#include "trace/texel_layout.h"

#define BUFFER_BYTES (1u << 18)
/* What is recorded goes to the file at once; of many launches in a row that the host waits for none
 * of, no more often than this: a write and a line to `strata trace` for each took longer than they
 * did.
 */
#define SETTLE_NS       1000000
#define SETTLED_AT_ONCE 16

/* The file is ours alone, in a program that is not: see descriptor.h. Nothing of it is in buffers
 * of the C library, which a forked child would write out once more. */
static struct {
    struct descriptor descriptor;
    uint64_t offset; /* of the buffer's first byte */
    size_t n;
    char *buffer;
    uint64_t settled_ns; /* when it was last written */
    uint32_t unwaited;   /* launches since the host last waited */
    bool waits;          /* launches have ended since it was written */
} file = {.descriptor = {.fd = -1}};

static bool flush_file(void)
{
    bool good = descriptor_write_at(&file.descriptor, file.buffer, file.n, file.offset);
    file.offset += file.n;
    file.n = 0;
    return good;
}

static bool write_file(void *user, const void *bytes, size_t n)
{
    (void)user;
    const char *from = bytes;
    while (n) {
        size_t part = BUFFER_BYTES - file.n < n ? BUFFER_BYTES - file.n : n;
        memcpy(file.buffer + file.n, from, part);
        file.n += part;
        from += part;
        n -= part;
        if (file.n == BUFFER_BYTES && !flush_file())
            return false;
    }
    return true;
}

static struct {
    struct strata_writer *writer; /* NULL: not recording */
    struct strata_filter *filter;
    struct strata_record_sink sink;
    struct strata_launch launch; /* the one being recorded */
    uint64_t blocks_written;     /* of it */
    bool in_launch, limit_reached, failed, recording;
    bool persisting_reset; /* since the last launch that was recorded */
    uint64_t seen, traced, cut;
    uint64_t instructions_seen, instructions_traced;
    struct strata_launch_texture *textures; /* of it */
    size_t n_textures, cap_textures;
    char name[64];
    char path[PATH_MAX];
} state;

static void write_failed(const struct strata_error *err)
{
    char text[1400];
    if (state.failed)
        return;
    state.failed = true;
    strata_error_text(err, text, sizeof text);
    driver_complain("%s The program goes on without recording.", text);
    driver_report("write-failed");
}

/* A program may start others that use CUDA too, or become another: each writes its own file. */
static bool open_file(struct strata_error *err)
{
    file.buffer = malloc(BUFFER_BYTES);
    bool open = false;
    for (unsigned again = 0; file.buffer && !open && again < 1000; again++) {
        int n = again ? snprintf(state.path, sizeof state.path, "%s.%ld.%u", config.output,
                                 (long)getpid(), again)
                      : snprintf(state.path, sizeof state.path, "%s.%ld", config.output,
                                 (long)getpid());
        open = n < (int)sizeof state.path &&
               descriptor_open(&file.descriptor, state.path,
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
        if (!open && errno != EEXIST)
            break;
    }
    if (!open)
        strata_fail(err, STRATA_EIO, state.path, 0, 0, "the trace cannot be written: %s.",
                    strerror(errno));
    return open;
}

void record_init(void)
{
    struct strata_error err;
    if (!config.record)
        return;
    if (!open_file(&err) ||
        strata_filter_create(config.kernel_filter, config.launch_skip, config.launch_count,
                             &state.filter, &err) != STRATA_OK)
        driver_die(&err);
    struct strata_writer_options options = {
        .format = "strata", .compression_level = 3, .write = write_file};
    if (strata_writer_create(state.path, &options, &state.writer, &err) != STRATA_OK)
        driver_die(&err);
    driver_report("recording %s", state.path);
}

/* A forked child leaves everything as it is: memory is its own copy, the file its parent's. */
void record_forget(void)
{
    config.record = false;
    file.waits = false;
    state.writer = NULL;
    state.recording = state.in_launch = false;
    descriptor_forget(&file.descriptor);
}

void record_persisting_reset(void)
{
    state.persisting_reset = true;
}

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, state.path, "to record the order of launches");
}

/* A copy or launch is about to be written: what it waits for, unless the stream's order tells. */
static strata_status write_order(uint32_t flags, bool is_launch, struct strata_error *err)
{
    struct strata_order o;
    if (!order_next(&o))
        return no_memory(err);
    o.flags |= flags;
    if (!o.flags && !o.n_edges && (is_launch || !o.stream))
        return STRATA_OK;
    return strata_writer_order(state.writer, &o, err);
}

/* What `strata trace` shows: launches seen and traced, warp instructions of both, bytes. */
static void report_progress(const char *word)
{
    driver_report("%s %llu %llu %llu %llu %llu %llu", word, (unsigned long long)state.seen,
                  (unsigned long long)state.traced, (unsigned long long)state.instructions_seen,
                  (unsigned long long)state.instructions_traced,
                  state.writer ? (unsigned long long)strata_writer_bytes(state.writer) : 0ull,
                  (unsigned long long)state.cut);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* On disk before the program goes on, which may replace itself, leave by _exit or be killed:
 * `strata trace` finishes the file then. */
static void settle(uint64_t now)
{
    struct strata_error err;
    if (state.writer && !state.failed && !flush_file()) {
        strata_fail(&err, STRATA_EIO, state.path, 0, 0, "the trace could not be written: %s.",
                    strerror(errno));
        write_failed(&err);
    }
    file.settled_ns = now;
    file.waits = false;
    report_progress("progress");
}

static void settle_waiting(void)
{
    file.unwaited = 0;
    if (file.waits)
        settle(now_ns());
}

void record_host_waited(const struct op_set *set)
{
    settle_waiting();
    order_host_waited(set);
}

void record_copy(uint32_t event_kind, uint32_t flags, const void *address, uint64_t bytes)
{
    struct strata_error err;
    if (!state.writer || state.failed || state.limit_reached)
        return;
    settle_waiting(); /* the host may look at what launches left */
    strata_status status = write_order(flags, false, &err);
    if (status == STRATA_OK)
        status = strata_writer_memcpy(state.writer, event_kind, (uint64_t)(uintptr_t)address, bytes,
                                      &err);
    if (status == STRATA_OK && !order_done())
        status = no_memory(&err);
    if (status != STRATA_OK)
        write_failed(&err);
}

static bool reads_textures(const struct strata_code *code)
{
    for (uint32_t i = 0; i < strata_code_count(code); i++)
        if (strata_code_get(code, i)->space == STRATA_SPACE_TEXTURE)
            return true;
    return false;
}

/* The textures there are, if the code reads any. False: no memory. */
static bool describe_textures(const struct strata_code *code)
{
    size_t n;
    const struct strata_texture *const *all = texture_table(&n);
    state.n_textures = 0;
    if (!n || !reads_textures(code))
        return true;
    if (!ARRAY_RESERVE(state.textures, 0, state.cap_textures, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct strata_launch_texture t = {0};
        if (all[i])
            t = strata_texture_describe(all[i]);
        if (launch_texture_is_sound(&t))
            state.textures[state.n_textures++] = t;
    }
    state.launch.textures = state.textures;
    state.launch.n_textures = (uint32_t)state.n_textures;
    return true;
}

static strata_status sink_begin(void *user, const struct strata_code *code,
                                struct strata_error *err)
{
    (void)user;
    struct strata_error why;
    (void)err;
    strata_status status = write_order(0, true, &why);
    if (status == STRATA_OK && !describe_textures(code))
        status = no_memory(&why);
    if (status == STRATA_OK)
        status = strata_writer_begin_launch(state.writer, &state.launch, code, &why);
    if (status == STRATA_OK && !order_done())
        status = no_memory(&why);
    state.in_launch = status == STRATA_OK;
    if (status != STRATA_OK)
        write_failed(&why);
    return STRATA_OK;
}

/* Never an error for the emulator: the program runs on whatever happens to its record. */
static strata_status sink_block(void *user, struct strata_block *block, struct strata_error *err)
{
    (void)user, (void)err;
    struct strata_error why;
    if (state.in_launch && !state.failed && !state.limit_reached) {
        if (strata_writer_block(state.writer, block, &why) != STRATA_OK)
            write_failed(&why);
        state.blocks_written++;
        state.limit_reached =
            config.limit_bytes && strata_writer_bytes(state.writer) >= config.limit_bytes;
    }
    strata_block_destroy(block);
    driver_check_interrupt();
    return STRATA_OK;
}

static void describe(const struct kernel_call *call)
{
    const struct CUfunc_st *f = call->function;
    snprintf(state.name, sizeof state.name, "kernel-%llu", (unsigned long long)state.seen);
    state.launch = (struct strata_launch){
        .program = program_name(),
        .trace = state.name,
        .kernel = f->name,
        .source_file = f->entry->source_file,
        .id = state.seen,
        .grid = call->grid,
        .block = call->block,
        .registers_per_thread = f->registers,
        .regs_source = f->regs_source,
        .shared_static_bytes = f->shared_static_bytes,
        .shared_dynamic_bytes = call->shared_dynamic_bytes,
        .cluster = {call->cluster[0], call->cluster[1], call->cluster[2]},
        .sm_version = device.sm_version,
        .isa = strata_module_isa(function_module(f)),
        .code_arch = strata_module_isa(function_module(f)) == STRATA_ISA_SASS
                         ? strata_module_sm(function_module(f))
                         : 0,
        .stream = call->stream,
        .shared_base = STRATA_SHARED_WINDOW,
        .local_base = STRATA_LOCAL_WINDOW,
        .window = call->window.bytes ? call->window : (struct strata_access_window){0},
        .persisting_bytes = context_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE),
        .persisting_reset = state.persisting_reset,
    };
    state.persisting_reset = false;
}

/* How many blocks of the launch described are recorded, 0 for all. */
static uint64_t blocks_to_record(void)
{
    uint64_t blocks = config.sample_blocks;
    if (config.sample_millionths && !record_sample_whole(&state.launch, config.sample_millionths))
        blocks = STRATA_PROFILE_BLOCKS;
    return blocks < strata_launch_blocks(&state.launch) ? blocks : 0;
}

const struct strata_record_sink *record_begin(const struct kernel_call *call,
                                              uint64_t *sample_blocks)
{
    state.seen++;
    *sample_blocks = 0;
    if (state.writer && config.limit_bytes &&
        strata_writer_bytes(state.writer) >= config.limit_bytes)
        state.limit_reached = true;
    state.recording = state.writer && !state.failed && !state.limit_reached &&
                      (!config.in_nvtx_range || nvtx_inside()) &&
                      strata_filter_take(state.filter, call->function->name);
    if (!state.recording)
        return NULL;
    describe(call);
    state.launch.sampled_blocks = *sample_blocks = blocks_to_record();
    state.blocks_written = 0;
    state.sink = (struct strata_record_sink){NULL, sink_begin, sink_block};
    return &state.sink;
}

static void end_launch(bool whole, bool failed)
{
    struct strata_error err;
    if (!state.in_launch || state.failed)
        return;
    strata_status status = failed ? strata_writer_fail_launch(state.writer, &err)
                           : whole || !state.blocks_written
                               ? strata_writer_end_launch(state.writer, &err)
                               : strata_writer_cut_launch(state.writer, &err);
    if (status != STRATA_OK)
        write_failed(&err);
}

void record_end(const struct strata_run_stats *stats, bool ok)
{
    bool whole = ok && state.blocks_written == stats->recorded_blocks;
    state.instructions_seen += stats->warp_instructions;
    end_launch(whole, !ok);
    if (state.recording && config.sample_millionths)
        record_sample_ran(stats->warp_instructions);
    if (state.recording && !state.failed) {
        state.traced++;
        state.cut += !whole;
        if (stats->recorded_blocks)
            state.instructions_traced += stats->warp_instructions * state.blocks_written /
                                         (stats->blocks ? stats->blocks : 1);
    }
    state.in_launch = state.recording = false;
    file.waits = true;
    uint64_t now = now_ns();
    if (file.unwaited++ < SETTLED_AT_ONCE || now - file.settled_ns >= SETTLE_NS || !ok)
        settle(now);
    /* All that was asked for is recorded: what the program would still do has no reader. */
    if (config.kill && (state.limit_reached || state.traced >= config.launch_count))
        driver_end_program("killed", 0);
}

void record_finish(void)
{
    struct strata_error err;
    if (state.in_launch) { /* interrupted in a launch: what there is of it counts */
        state.traced++;
        state.cut++;
        end_launch(false, false);
    }
    state.in_launch = false;
    settle(now_ns());
    if (state.limit_reached)
        driver_report("limit");
    if (state.writer && !state.traced) { /* nothing worth a file */
        strata_writer_abort(state.writer);
        state.writer = NULL;
        unlink(state.path);
        driver_report("finished 0");
    } else if (state.writer && !state.failed) {
        struct strata_writer *w = state.writer;
        state.writer = NULL;
        strata_status status = strata_writer_finish(w, &err);
        if (status == STRATA_OK && (!flush_file() || !descriptor_close(&file.descriptor)))
            status = strata_fail(&err, STRATA_EIO, state.path, 0, 0,
                                 "the trace could not be written: %s.", strerror(errno));
        if (status == STRATA_OK)
            driver_report("finished %llu %s", (unsigned long long)file.offset, state.path);
        else
            write_failed(&err);
    } else if (state.writer) {
        strata_writer_abort(state.writer);
        state.writer = NULL;
    } else {
        driver_report("finished 0");
    }
    driver_report("bye");
}
