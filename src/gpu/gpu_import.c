/* gpu_import.c - gpgpusim.config and trace.config, translated into named keys.
 *
 * Most options are one row of a table; the positional strings (caches, clocks, DRAM timing) have a
 * function each. What has no counterpart is handed to the caller with a reason, never dropped
 * silently. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_import.h"
#include "gpu/gpu_internal.h"

struct import {
    struct strata_gpu *gpu;
    struct gpgpusim_options options;
    const char *file;
    struct strata_error *err;
    strata_status status;
};

static struct gpgpusim_option *find(struct import *im, const char *name)
{
    for (size_t i = 0; i < im->options.n; i++)
        if (!strcmp(im->options.item[i].name, name)) {
            im->options.item[i].used = true;
            return &im->options.item[i];
        }
    return NULL;
}

/* A value that cannot be understood; the first one ends the import. */
static void bad_value(struct import *im, const struct gpgpusim_option *o, const char *why)
{
    int length = (int)strlen(why);
    length -= length && why[length - 1] == '.'; /* a sentence of its own */
    if (im->status == STRATA_OK)
        im->status = strata_fail(im->err, STRATA_EFORMAT, im->file, o->line, o->column,
                                 "%.60s %.100s: %.*s.", o->name, o->value, length, why);
}

/* Sets a key and notes the option as its source and place. */
static void set(struct import *im, const struct gpgpusim_option *o, const char *key,
                const char *format, ...) __attribute__((format(printf, 4, 5)));
static void set(struct import *im, const struct gpgpusim_option *o, const char *key,
                const char *format, ...)
{
    char value[512], note[160];
    struct strata_error why;
    va_list args;
    if (im->status != STRATA_OK)
        return;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    if (strata_gpu_set(im->gpu, key, value, &why) != STRATA_OK) {
        bad_value(im, o, why.message);
        return;
    }
    struct strata_gpu_origin *origin = &im->gpu->origin[strata_gpu_key_index(key)];
    int n = snprintf(note, sizeof note, "option %.100s", o->name);
    if (!gpu_note(im->gpu, note, (size_t)n, &origin->source) ||
        !gpu_note(im->gpu, im->file, strlen(im->file), &origin->file))
        im->status =
            strata_fail(im->err, STRATA_ELIMIT, im->file, 0, 0, "the notes of this GPU are full.");
    origin->line = o->line;
    origin->column = (uint16_t)(o->column > UINT16_MAX ? UINT16_MAX : o->column);
}

/* ---- options that are one value ---- */

/* How a value is written over: as it is, or through a list of from:to pairs. */
static const struct {
    const char *option, *key, *map;
} simple[] = {
    {"-gpgpu_shader_cta", "sm.max_blocks", NULL},
    {"-gpgpu_shader_registers", "sm.registers", NULL},
    {"-gpgpu_num_sched_per_core", "sm.schedulers", NULL},
    {"-gpgpu_max_insn_issue_per_warp", "sm.issue_per_scheduler", NULL},
    {"-gpgpu_kernel_launch_latency", "launch.start", NULL},
    {"-gpgpu_TB_launch_latency", "launch.block_interval", NULL},
    {"-gpgpu_shmem_num_banks", "shared.banks", NULL},
    {"-gpgpu_smem_latency", "shared.latency", NULL},
    {"-gpgpu_l1_banks", "l1.banks", NULL},
    {"-gpgpu_l1_latency", "l1.hit", NULL},
    {"-icnt_flit_size", "xbar.flit", NULL},
    {"-gpgpu_l2_rop_latency", "l2.hit", NULL},
    {"-gpgpu_memory_partition_indexing", "l2.channel_hash", "0:none 1:xor 2:ipoly 4:mix"},
    {"-gpgpu_perf_sim_memcpy", "l2.fill_on_memcpy", "0:false 1:true"},
    {"-dram_latency", "dram.access", NULL},
    {"-gpgpu_dram_burst_length", "dram.burst_length", NULL},
    {"-dram_data_command_freq_ratio", "dram.data_rate", NULL},
    {"-gpgpu_n_mem", "dram.channels", NULL},
    {"-gpgpu_dram_scheduler", "dram.scheduler", "0:fcfs 1:frfcfs"},
    {"-gpgpu_frfcfs_dram_sched_queue_size", "dram.read_queue", NULL},
    {"-dram_dual_bus_interface", "dram.dual_command_bus", "0:false 1:true"},
    {"-dram_bnk_indexing_policy", "dram.bank_hash", "0:false 1:true 2:true"},
    {"-dram_seperate_write_queue_enable", "dram.separate_write_queue", "0:false 1:true"},
};

/* "0:none 1:xor", "1" -> "xor" */
static bool translate(const char *map, const char *from, char *to, size_t size)
{
    size_t length = strlen(from);
    for (const char *p = map; p; p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL)
        if (!strncmp(p, from, length) && p[length] == ':') {
            snprintf(to, size, "%.*s", (int)strcspn(p + length + 1, " "), p + length + 1);
            return true;
        }
    return false;
}

static void import_simple(struct import *im)
{
    for (size_t i = 0; i < sizeof simple / sizeof simple[0]; i++) {
        char word[64];
        const struct gpgpusim_option *o = find(im, simple[i].option);
        if (!o)
            continue;
        if (!simple[i].map)
            set(im, o, simple[i].key, "%.60s", o->value);
        else if (translate(simple[i].map, o->value, word, sizeof word))
            set(im, o, simple[i].key, "%s", word);
        else
            bad_value(im, o, "this choice is not known here");
    }
}

/* ---- numbers in a row ---- */

/* Up to `most` numbers with one separator between them; the count, or 0 if malformed. */
static size_t numbers(const char *text, char separator, double *out, size_t most)
{
    size_t n = 0;
    while (n < most) {
        char *end;
        out[n] = strtod(text, &end);
        if (end == text || !isfinite(out[n]) || out[n] < 0 || out[n] > 1e9)
            return 0;
        n++;
        if (!*end)
            return n;
        if (*end != separator)
            return 0;
        text = end + 1;
    }
    return 0;
}

/* Whether option `name` is there with at least `least` numbers. */
static struct gpgpusim_option *find_numbers(struct import *im, const char *name, char separator,
                                            size_t least, double *out, size_t most)
{
    struct gpgpusim_option *o = find(im, name);
    if (o && numbers(o->value, separator, out, most) < least) {
        bad_value(im, o, "the numbers in it cannot be read");
        return NULL;
    }
    return o;
}

static double one_number(struct import *im, const char *name, double otherwise)
{
    double value = otherwise;
    return find_numbers(im, name, ':', 1, &value, 1) ? value : otherwise;
}

static void import_sm(struct import *im)
{
    double v[8];
    struct gpgpusim_option *o = find_numbers(im, "-gpgpu_n_clusters", ':', 1, v, 1);
    if (o)
        set(im, o, "sm.count", "%.0f", v[0] * one_number(im, "-gpgpu_n_cores_per_cluster", 1));
    o = find_numbers(im, "-gpgpu_clock_domains", ':', 4, v, 4);
    if (o) {
        set(im, o, "sm.clock", "%.0f", v[0]);
        set(im, o, "xbar.clock", "%.0f", v[1]);
        set(im, o, "l2.clock", "%.0f", v[2]);
        set(im, o, "dram.clock", "%.0f", v[3]);
    }
    o = find_numbers(im, "-gpgpu_shader_core_pipeline", ':', 2, v, 3);
    if (o && v[1] < 1)
        bad_value(im, o, "a warp has no threads");
    else if (o) {
        set(im, o, "sm.max_threads", "%.0f", v[0]);
        set(im, o, "sm.warp_size", "%.0f", v[1]);
        set(im, o, "sm.max_warps", "%.0f", v[0] / v[1]);
    }
    o = find(im, "-gpgpu_scheduler");
    if (o)
        set(im, o, "sm.scheduler_policy", "%s",
            !strncmp(o->value, "gto", 3)   ? "gto"
            : !strncmp(o->value, "old", 3) ? "oldest"
                                           : "lrr");
    o = find_numbers(im, "-gpgpu_coalesce_arch", ':', 1, v, 1);
    if (o) /* 13 and 20 are the rules of Tesla and Fermi */
        set(im, o, "coalesce.rule", "%s", v[0] < 30 ? "fermi" : "sector");
}

/* The version is given in one of three ways; the most exact one counts. */
static void import_version(struct import *im)
{
    double major = one_number(im, "-gpgpu_compute_capability_major", 0);
    double minor = one_number(im, "-gpgpu_compute_capability_minor", 0);
    struct gpgpusim_option *exact = find(im, "-gpgpu_compute_capability_major");
    struct gpgpusim_option *force = find(im, "-gpgpu_ptx_force_max_capability");
    struct gpgpusim_option *occupancy = find(im, "-gpgpu_occupancy_sm_number");
    if (exact)
        set(im, exact, "sm_version", "%.0f", 10 * major + minor);
    else if (occupancy)
        set(im, occupancy, "sm_version", "%.20s", occupancy->value);
    else if (force)
        set(im, force, "sm_version", "%.20s", force->value);
}

/* Latency and interval lists are "ADD,MAX,MUL,MAD,DIV[,SHFL]". */
static void import_latencies(struct import *im)
{
    static const struct {
        const char *option, *add, *mad, *shuffle;
    } lists[] = {
        {"-ptx_opcode_latency_int", "sm.latency.int", "sm.latency.imad", "sm.latency.shuffle"},
        {"-ptx_opcode_initiation_int", "sm.interval.int", "sm.interval.imad", NULL},
        {"-ptx_opcode_latency_fp", "sm.latency.fp32", NULL, NULL},
        {"-ptx_opcode_initiation_fp", "sm.interval.fp32", NULL, NULL},
        {"-ptx_opcode_latency_dp", "sm.latency.fp64", NULL, NULL},
        {"-ptx_opcode_initiation_dp", "sm.interval.fp64", NULL, NULL},
        {"-ptx_opcode_latency_sfu", "sm.latency.sfu", NULL, NULL},
        {"-ptx_opcode_initiation_sfu", "sm.interval.sfu", NULL, NULL},
        {"-ptx_opcode_latency_tesnor", "sm.latency.tensor", NULL, NULL},
        {"-ptx_opcode_initiation_tensor", "sm.interval.tensor", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        double v[8] = {0};
        struct gpgpusim_option *o = find_numbers(im, lists[i].option, ',', 1, v, 8);
        if (!o)
            continue;
        set(im, o, lists[i].add, "%.0f", v[0]);
        if (lists[i].mad && v[3] > 0)
            set(im, o, lists[i].mad, "%.0f", v[3]);
        if (lists[i].shuffle && v[5] > 0)
            set(im, o, lists[i].shuffle, "%.0f", v[5]);
    }
}

/* trace.config: "latency,initiation" for each unit. */
static void import_trace_latencies(struct import *im)
{
    static const char *const units[][3] = {
        {"-trace_opcode_latency_initiation_int", "sm.latency.int", "sm.interval.int"},
        {"-trace_opcode_latency_initiation_sp", "sm.latency.fp32", "sm.interval.fp32"},
        {"-trace_opcode_latency_initiation_dp", "sm.latency.fp64", "sm.interval.fp64"},
        {"-trace_opcode_latency_initiation_sfu", "sm.latency.sfu", "sm.interval.sfu"},
        {"-trace_opcode_latency_initiation_tensor", "sm.latency.tensor", "sm.interval.tensor"},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double v[2];
        struct gpgpusim_option *o = find_numbers(im, units[i][0], ',', 2, v, 2);
        if (!o)
            continue;
        set(im, o, units[i][1], "%.0f", v[0]);
        set(im, o, units[i][2], "%.0f", v[1]);
    }
}

/* ---- caches ---- */

/* T:nsets:line:assoc,R:W:A:WA:IDX,M:entries:merge,... */
struct cache_string {
    char kind, replacement, write, allocate, write_allocate, index, mshr_kind;
    unsigned sets, line, ways, mshrs, merges;
};

static bool parse_cache(const char *text, struct cache_string *c)
{
    memset(c, 0, sizeof *c);
    c->kind = 'N';
    /* Before version 4 the string had no leading letter. */
    const char *rest = text[0] == 'N' || text[0] == 'S' ? text + 2 : text;
    if (rest != text && text[1] != ':')
        return false;
    if (rest != text)
        c->kind = text[0];
    int n = sscanf(rest, "%9u:%9u:%9u,%c:%c:%c:%c:%c,%c:%9u:%9u", &c->sets, &c->line, &c->ways,
                   &c->replacement, &c->write, &c->allocate, &c->write_allocate, &c->index,
                   &c->mshr_kind, &c->mshrs, &c->merges);
    return n >= 8 && c->sets && c->line && c->ways;
}

static void set_mapped(struct import *im, const struct gpgpusim_option *o, const char *section,
                       const char *name, char letter, const char *map)
{
    char from[2] = {letter, 0}, word[64], key[64], why[80];
    snprintf(key, sizeof key, "%s.%s", section, name);
    snprintf(why, sizeof why, "the letter %c is not known here as %s", letter, name);
    if (translate(map, from, word, sizeof word))
        set(im, o, key, "%s", word);
    else
        bad_value(im, o, why);
}

/* What the L1, the L2 and the texture cache have in common. `copies`: the string describes one of
 * so many. */
static void set_cache(struct import *im, const struct gpgpusim_option *o, const char *section,
                      const struct cache_string *c, double copies)
{
    char key[64];
    snprintf(key, sizeof key, "%s.size", section);
    set(im, o, key, "%.0f", (double)c->sets * c->line * c->ways * copies);
    snprintf(key, sizeof key, "%s.line", section);
    set(im, o, key, "%u", c->line);
    snprintf(key, sizeof key, "%s.sector", section);
    set(im, o, key, "%u", c->kind == 'S' && c->line > 32 ? 32 : c->line);
    snprintf(key, sizeof key, "%s.ways", section);
    set(im, o, key, "%u", c->ways);
    set_mapped(im, o, section, "index", c->index, "L:linear X:xor H:fermi P:ipoly");
    set_mapped(im, o, section, "replacement", c->replacement, "L:lru F:fifo");
}

static void set_mshrs(struct import *im, const struct gpgpusim_option *o, const char *section,
                      const struct cache_string *c)
{
    char key[64];
    snprintf(key, sizeof key, "%s.mshrs", section);
    set(im, o, key, "%u", c->mshrs);
    snprintf(key, sizeof key, "%s.mshr_merges", section);
    set(im, o, key, "%u", c->merges);
    if (c->write_allocate != 'N')
        set_mapped(im, o, section, "write_miss", c->write_allocate,
                   "W:write-validate F:fetch-on-write L:lazy-fetch-on-read");
}

/* Reads the string of a cache; false if the option is missing, malformed or "none". */
static struct gpgpusim_option *find_cache(struct import *im, const char *name,
                                          struct cache_string *c)
{
    struct gpgpusim_option *o = find(im, name);
    if (!o || !strcmp(o->value, "none"))
        return NULL;
    if (parse_cache(o->value, c))
        return o;
    bad_value(im, o, "this is not a cache such as S:4:128:64,L:T:m:L:L,A:512:8,16:0,32");
    return NULL;
}

/* With the adaptive configuration the ways follow from what shared memory leaves; the string gives
 * the sets. */
static void import_unified(struct import *im, const struct cache_string *c)
{
    struct gpgpusim_option *o = find(im, "-gpgpu_unified_l1d_size");
    struct gpgpusim_option *shared = find(im, "-gpgpu_shmem_option");
    double kilobytes = one_number(im, "-gpgpu_unified_l1d_size", 0), v[STRATA_MAX_CARVEOUTS];
    bool adaptive = one_number(im, "-gpgpu_adaptive_cache_config", 0) != 0;
    char list[400] = "";
    if (!adaptive || !o || kilobytes <= 0)
        return;
    set(im, o, "l1.unified", "%.0fKiB", kilobytes);
    set(im, o, "l1.size", "%.0fKiB", kilobytes);
    set(im, o, "l1.ways", "%.0f", floor(kilobytes * 1024 / ((double)c->sets * c->line)));
    size_t n = shared ? numbers(shared->value, ',', v, STRATA_MAX_CARVEOUTS) : 0;
    if (shared && !n)
        bad_value(im, shared, "the sizes in it cannot be read");
    for (size_t i = 0; i < n; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%.0fKiB", i ? "," : "", v[i]);
    }
    if (n)
        set(im, shared, "l1.carveouts", "%s", list);
}

static void import_l1(struct import *im)
{
    struct cache_string c;
    struct gpgpusim_option *o = find_cache(im, "-gpgpu_cache:dl1", &c);
    struct gpgpusim_option *none = find(im, "-gpgpu_cache:dl1"),
                           *skip = find(im, "-gpgpu_gmem_skip_L1D");
    if (o) {
        set_cache(im, o, "l1", &c, 1);
        set_mshrs(im, o, "l1", &c);
        set_mapped(im, o, "l1", "allocate", c.allocate, "m:on-miss f:on-fill s:streaming");
        bool allocates = c.write_allocate != 'N';
        set_mapped(
            im, o, "l1", "write_policy", c.write,
            allocates ? "R:through-no-allocate B:back T:through-allocate E:evict L:through-allocate"
                      : "R:through-no-allocate B:back T:through-no-allocate E:evict "
                        "L:through-no-allocate");
        import_unified(im, &c);
    } else if (none && !strcmp(none->value, "none")) {
        set(im, none, "l1.enabled", "false");
    }
    if (skip && strcmp(skip->value, "0"))
        set(im, skip, "l1.enabled", "false");
    o = find_cache(im, "-gpgpu_tex_cache:l1", &c);
    if (o)
        set_cache(im, o, "texture", &c, 1);
}

static void import_l2(struct import *im)
{
    struct cache_string c;
    double slices = one_number(im, "-gpgpu_n_mem", 1) *
                    one_number(im, "-gpgpu_n_sub_partition_per_mchannel", 1);
    struct gpgpusim_option *o = find_cache(im, "-gpgpu_cache:dl2", &c),
                           *n = find(im, "-gpgpu_n_mem");
    if (n)
        set(im, n, "l2.slices", "%.0f", slices);
    if (!o)
        return;
    set_cache(im, o, "l2", &c, slices);
    set_mshrs(im, o, "l2", &c);
    set(im, o, "l2.fetch", "%u", c.kind == 'S' && c.line > 32 ? 32 : c.line);
}

/* ---- shared memory and DRAM ---- */

static void import_shared(struct import *im)
{
    struct gpgpusim_option *o = find(im, "-gpgpu_shmem_size"),
                           *block = find(im, "-gpgpu_shmem_per_block");
    if (o)
        set(im, o, "shared.per_sm", "%.40s", o->value);
    if (!block)
        block = o;
    if (!block)
        return;
    set(im, block, "shared.per_block", "%.40s", block->value);
    set(im, block, "shared.per_block_optin", "%.40s", block->value);
}

/* "name=number:..." or fourteen numbers in a fixed order. */
static void import_timing(struct import *im)
{
    static const struct {
        const char *name, *key;
    } fields[] = {
        {"nbk", "dram.banks"},  {"CCD", "dram.tCCD"},   {"RRD", "dram.tRRD"},
        {"RCD", "dram.tRCD"},   {"RAS", "dram.tRAS"},   {"RP", "dram.tRP"},
        {"RC", "dram.tRC"},     {"CL", "dram.tCL"},     {"WL", "dram.tWL"},
        {"CDLR", "dram.tCDLR"}, {"WR", "dram.tWR"},     {"nbkgrp", "dram.bank_groups"},
        {"CCDL", "dram.tCCDL"}, {"RTPL", "dram.tRTPL"},
    };
    struct gpgpusim_option *o = find(im, "-gpgpu_dram_timing_opt");
    const size_t n_fields = sizeof fields / sizeof fields[0];
    size_t position = 0;
    for (const char *p = o ? o->value : ""; *p && im->status == STRATA_OK; position++) {
        size_t length = strcspn(p, ":"), name = strcspn(p, "=:");
        size_t field = position;
        bool named = name < length;
        for (field = named ? 0 : position; named && field < n_fields; field++)
            if (strlen(fields[field].name) == name && !strncmp(fields[field].name, p, name))
                break;
        if (field >= n_fields)
            bad_value(im, o, "it has a field that is not known here");
        else
            set(im, o, fields[field].key, "%.*s", (int)(length - (named ? name + 1 : 0)),
                p + (named ? name + 1 : 0));
        p += length + (p[length] == ':');
    }
}

static void import_dram(struct import *im)
{
    double v[3];
    struct gpgpusim_option *o = find_numbers(im, "-gpgpu_dram_buswidth", ':', 1, v, 1);
    if (o)
        set(im, o, "dram.bus", "%.0f", v[0] * one_number(im, "-gpgpu_n_mem_per_ctrlr", 1));
    o = find_numbers(im, "-dram_write_queue_size", ':', 3, v, 3);
    if (o) {
        set(im, o, "dram.write_queue", "%.0f", v[0]);
        set(im, o, "dram.write_high", "%.0f", v[1]);
        set(im, o, "dram.write_low", "%.0f", v[2]);
    }
    import_timing(im);
}

/* ---- what is left ---- */

/* Options that mean something here but have no key, with the reason; the others are not known. */
static const char *const reasons[][2] = {
    {"-gpgpu_const_cache", "constant loads have a fixed latency"},
    {"-gpgpu_cache:il1", "instruction caches are not modelled"},
    {"-gpgpu_mem_addr_mapping", "addresses are spread by l2.channel_hash and dram.row"},
    {"-gpgpu_mem_address_mask", "addresses are spread by l2.channel_hash and dram.row"},
    {"-gpgpu_dram_partition_queues", "queues between L2 and DRAM are not limited"},
    {"-gpgpu_operand_collector", "operand collectors are not modelled"},
    {"-gpgpu_num_reg_banks", "register banks are not modelled"},
    {"-gpgpu_pipeline_widths", "pipelines are described by sm.latency and sm.interval"},
    {"-gpgpu_flush", "caches start as the command says"},
    {"-power", "power is not modelled"},
    {"-gpuwattch", "power is not modelled"},
    {"-accelwattch", "power is not modelled"},
    {"-inter_config_file", "the crossbar is described by xbar"},
    {"-network_mode", "the crossbar is described by xbar"},
    {"-icnt", "buffers of the crossbar are not limited"},
    {"-trace_opcode_latency_initiation_spec_op", "special units have no keys of their own"},
    {"-specialized_unit", "special units have no keys of their own"},
    {"-visualizer", "concerns the simulator, not the GPU"},
    {"-trace", "concerns the simulator, not the GPU"},
    {"-gpgpu_ptx", "concerns the simulator, not the GPU"},
    {"-gpgpu_runtime", "concerns the simulator, not the GPU"},
    {"-gpgpu_memlatency_stat", "concerns the simulator, not the GPU"},
    {"-enable_ptx_file_line_stats", "concerns the simulator, not the GPU"},
};

static const char *reason_of(const char *option)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (!strncmp(option, reasons[i][0], strlen(reasons[i][0])))
            return reasons[i][1];
    return "not known here";
}

strata_status strata_gpu_import(const char *text, size_t length, const char *file,
                                struct strata_gpu *gpu, strata_gpu_ignored *ignored, void *context,
                                struct strata_error *err)
{
    struct import im = {.gpu = gpu, .file = file, .err = err};
    im.status = gpgpusim_options_read(text, length, file, &im.options, err);
    if (im.status == STRATA_OK) {
        import_version(&im);
        import_sm(&im);
        import_latencies(&im);
        import_trace_latencies(&im);
        import_shared(&im);
        import_l1(&im);
        import_l2(&im);
        import_dram(&im);
        import_simple(&im);
    }
    for (size_t i = 0; im.status == STRATA_OK && ignored && i < im.options.n; i++)
        if (!im.options.item[i].used)
            ignored(context, im.options.item[i].name, im.options.item[i].value,
                    reason_of(im.options.item[i].name));
    gpgpusim_options_release(&im.options);
    return im.status;
}
