/* trace_ptx.c - a launch described on the command line: PTX or a cubin, sizes, arguments. */
#include "trace_ptx.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <strata/ptx.h>
#include <strata/sass.h>
#include <strata/trace.h>

#include "interrupt.h"
#include "ptxas.h"

#define BUFFER_ALIGN 256

/* What the sink needs. */
struct recording {
    struct strata_writer *writer;
    struct strata_launch launch;
    bool begun;
};

static strata_status read_file(const char *path, char **out, size_t *length,
                               struct strata_error *err)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    *out = NULL;
    if (f && !fseek(f, 0, SEEK_END))
        size = ftell(f);
    if (f && size >= 0 && !fseek(f, 0, SEEK_SET))
        *out = malloc((size_t)size + 1);
    bool ok = *out && fread(*out, 1, (size_t)size, f) == (size_t)size;
    int why = errno;
    if (f)
        fclose(f);
    if (!ok) {
        free(*out);
        return strata_fail(err, STRATA_EIO, path, 0, 0, "the file cannot be read: %s.",
                           strerror(why));
    }
    (*out)[size] = 0;
    *length = (size_t)size;
    return STRATA_OK;
}

static strata_status parse_dim3(const char *text, const char *option, struct strata_dim3 *out,
                                struct strata_error *err)
{
    uint32_t *part[] = {&out->x, &out->y, &out->z};
    const char *p = text;
    *out = (struct strata_dim3){1, 1, 1};
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long long n = strtoull(p, &end, 10);
        if (end == p || !n || n > 0x7fffffff)
            break;
        *part[i] = (uint32_t)n;
        if (!*end)
            return STRATA_OK;
        if (*end != ',')
            break;
        p = end + 1;
    }
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "%s takes one to three positive numbers with commas, not \"%s\".", option,
                       text);
}

static strata_status bad_argument(const char *text, struct strata_error *err)
{
    return strata_fail(
        err, STRATA_EUSAGE, NULL, 0, 0,
        "--arg \"%s\" is not understood; use i32:N, u32:N, i64:N, u64:N, f32:X, f64:X or "
        "buffer:SIZE[=zero|index|random|@FILE].",
        text);
}

/* A small generator: the same bytes for a seed on every machine. */
static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

static strata_status fill_buffer(void *buffer, uint64_t bytes, const char *how, uint64_t *seed,
                                 struct strata_error *err)
{
    memset(buffer, 0, bytes);
    if (!strcmp(how, "zero"))
        return STRATA_OK;
    if (how[0] == '@') {
        char *text;
        size_t length;
        strata_status status = read_file(how + 1, &text, &length, err);
        if (status != STRATA_OK)
            return status;
        memcpy(buffer, text, length < bytes ? length : bytes);
        free(text);
        return STRATA_OK;
    }
    bool index = !strcmp(how, "index");
    if (!index && strcmp(how, "random"))
        return bad_argument(how, err);
    for (uint64_t i = 0; i < bytes / 4; i++) {
        float x = (float)(next_random(seed) >> 7) / 16777216.0f;
        uint32_t n = (uint32_t)i;
        memcpy((char *)buffer + i * 4, index ? (void *)&n : (void *)&x, 4);
    }
    return STRATA_OK;
}

static strata_status buffer_argument(const char *text, struct strata_arena *arena, uint64_t *seed,
                                     uint64_t *address, struct strata_error *err)
{
    char size[64];
    const char *number = strchr(text, ':') + 1, *how = strchr(number, '=');
    uint64_t bytes;
    snprintf(size, sizeof size, "%.*s", (int)(how ? how - number : (long)strlen(number)), number);
    if (!parse_size(size, &bytes) || !bytes)
        return bad_argument(text, err);
    void *buffer = strata_arena_allocate(arena, bytes, BUFFER_ALIGN);
    if (!buffer)
        return strata_no_memory(err, NULL, "for a buffer of %s", size);
    *address = (uint64_t)(uintptr_t)buffer;
    return fill_buffer(buffer, bytes, how ? how + 1 : "zero", seed, err);
}

/* The value's bytes into out[8]; *bytes is their number. */
static strata_status parse_argument(const char *text, struct strata_arena *arena, uint64_t *seed,
                                    uint8_t out[8], uint32_t *bytes, struct strata_error *err)
{
    const char *value = strchr(text, ':');
    char *end = NULL;
    if (!value++ || !*value)
        return bad_argument(text, err);
    if (!strncmp(text, "buffer:", 7)) {
        uint64_t address = 0;
        strata_status status = buffer_argument(text, arena, seed, &address, err);
        memcpy(out, &address, 8);
        *bytes = 8;
        return status;
    }
    *bytes = strstr(text, "64:") == text + 1 ? 8 : strstr(text, "32:") == text + 1 ? 4 : 0;
    if (text[0] == 'f') {
        double d = strtod(value, &end);
        float f = (float)d;
        memcpy(out, *bytes == 8 ? (void *)&d : (void *)&f, *bytes);
    } else if (text[0] == 'i') {
        int64_t n = strtoll(value, &end, 0);
        memcpy(out, &n, 8);
    } else if (text[0] == 'u') {
        uint64_t n = strtoull(value, &end, 0);
        memcpy(out, &n, 8);
    }
    return end && !*end && *bytes ? STRATA_OK : bad_argument(text, err);
}

static strata_status make_params(const struct strata_entry *entry, const struct trace_launch *l,
                                 struct strata_arena *arena, uint8_t *params,
                                 struct strata_error *err)
{
    uint64_t seed = l->seed;
    if (l->args.n != entry->n_params)
        return strata_fail(err, STRATA_EUSAGE, l->ptx, 0, 0,
                           "kernel %s takes %u parameters, but %zu --arg were given.", entry->name,
                           entry->n_params, l->args.n);
    for (uint32_t i = 0; i < entry->n_params; i++) {
        uint8_t value[8] = {0};
        uint32_t bytes = 0;
        strata_status status = parse_argument(l->args.item[i], arena, &seed, value, &bytes, err);
        if (status != STRATA_OK)
            return status;
        if (bytes != entry->params[i].size_bytes)
            return strata_fail(err, STRATA_EUSAGE, l->ptx, 0, 0,
                               "parameter %u of kernel %s has %u bytes, but --arg \"%s\" has %u.",
                               i + 1, entry->name, entry->params[i].size_bytes, l->args.item[i],
                               bytes);
        memcpy(params + entry->params[i].offset_bytes, value, bytes);
    }
    return STRATA_OK;
}

static strata_status find_entry(const struct strata_module *m, const struct trace_launch *l,
                                const struct strata_entry **out, struct strata_error *err)
{
    size_t n = strata_module_entry_count(m);
    char names[400] = "";
    *out = l->kernel ? strata_module_entry_find(m, l->kernel)
           : n == 1  ? strata_module_entry_get(m, 0)
                     : NULL;
    if (*out)
        return STRATA_OK;
    for (size_t i = 0; i < n && strlen(names) < sizeof names - 80; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.70s", i ? ", " : "",
                 strata_module_entry_get(m, i)->name);
    if (!n)
        return strata_fail(err, STRATA_EFORMAT, l->ptx, 0, 0, "there is no kernel (.entry) in it.");
    return strata_fail(err, STRATA_EUSAGE, l->ptx, 0, 0,
                       l->kernel ? "it holds no kernel \"%s\"; it has: %s."
                                 : "it holds several kernels%s; name one with --kernel: %s.",
                       l->kernel ? l->kernel : "", names);
}

static strata_status on_begin(void *user, const struct strata_code *code, struct strata_error *err)
{
    struct recording *r = user;
    r->begun = true;
    return strata_writer_begin_launch(r->writer, &r->launch, code, err);
}

static strata_status on_block(void *user, struct strata_block *block, struct strata_error *err)
{
    struct recording *r = user;
    strata_status status = strata_writer_block(r->writer, block, err);
    strata_block_destroy(block);
    return status;
}

static void on_print(void *user, const char *text, size_t length)
{
    (void)user;
    fwrite(text, 1, length, stdout);
}

static uint32_t device_sm(const struct trace_request *r)
{
    return r->gpu ? r->gpu->sm_version : 90;
}

static void describe(struct strata_launch *out, const struct strata_module *m,
                     const struct strata_kernel_launch *launch, const struct trace_launch *l,
                     const struct trace_request *r)
{
    const char *slash = strrchr(l->ptx, '/');
    uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    const uint32_t *cluster = launch->entry->required_cluster;
    *out = (struct strata_launch){
        .program = slash ? slash + 1 : l->ptx,
        .trace = "kernel-1",
        .kernel = launch->entry->name,
        .source_file = launch->entry->source_file,
        .id = 1,
        .grid = launch->grid,
        .block = launch->block,
        .cluster = {cluster[0], cluster[1], cluster[2]},
        .registers_per_thread = r->registers ? (uint32_t)r->registers : launch->entry->registers,
        .regs_source = r->registers                         ? STRATA_REGS_USER
                       : launch->entry->registers_are_exact ? STRATA_REGS_CUBIN
                                                            : STRATA_REGS_ESTIMATE,
        .shared_static_bytes = launch->entry->shared_static_bytes,
        .shared_dynamic_bytes = launch->shared_dynamic_bytes,
        .sm_version = device_sm(r),
        .isa = strata_module_isa(m),
        .code_arch = strata_module_isa(m) == STRATA_ISA_SASS ? strata_module_sm(m) : 0,
        .shared_base = STRATA_SHARED_WINDOW,
        .local_base = STRATA_LOCAL_WINDOW,
        .sampled_blocks = r->sample_blocks && r->sample_blocks < blocks ? r->sample_blocks : 0,
    };
}

static strata_status run(struct strata_module *m, const struct strata_kernel_launch *launch,
                         const struct trace_launch *l, const struct trace_request *r,
                         struct strata_error *err)
{
    char path[4096];
    struct recording rec = {0};
    struct strata_record_sink sink = {&rec, on_begin, on_block};
    struct strata_run_options opt;
    struct strata_run_stats stats = {0};
    struct strata_writer_options format = {.format = "strata"};
    strata_run_options_init(&opt);
    opt.threads = (uint32_t)r->jobs;
    opt.sink = r->no_record ? NULL : &sink;
    opt.sample_blocks = r->sample_blocks;
    opt.instruction_limit = r->instruction_limit;
    opt.interleave = (uint32_t)r->interleave;
    opt.print = on_print;
    describe(&rec.launch, m, launch, l, r);
    snprintf(path, sizeof path, "%s%s", r->output ? r->output : rec.launch.program,
             r->output ? "" : ".strata");
    strata_status status =
        r->no_record ? STRATA_OK : strata_writer_create(path, &format, &rec.writer, err);
    if (status == STRATA_OK && rec.writer)
        interrupt_removes(strata_writer_temporary(rec.writer));
    if (status == STRATA_OK)
        status = strata_module_run(m, launch, &opt, &stats, err);
    if (status == STRATA_OK && rec.begun)
        status = strata_writer_end_launch(rec.writer, err);
    struct stat info = {0};
    if (status == STRATA_OK && rec.writer)
        status = strata_writer_finish(rec.writer, err);
    else
        strata_writer_abort(rec.writer);
    if (status == STRATA_OK && !r->no_record && stat(path, &info))
        info.st_size = 0;
    if (status == STRATA_OK && !r->quiet)
        fprintf(stderr, "strata trace: %s: %llu blocks, %llu warp instructions, %llu bytes%s%s\n",
                launch->entry->name, (unsigned long long)stats.blocks,
                (unsigned long long)stats.warp_instructions, (unsigned long long)info.st_size,
                r->no_record ? "" : " in ", r->no_record ? "" : path);
    return status;
}

static strata_status make_module(const struct strata_ptx_source *source,
                                 const struct strata_device_memory *memory,
                                 const struct trace_request *r, struct strata_module **module,
                                 struct strata_error *err)
{
    char ptxas[PATH_MAX], *cubin = NULL;
    size_t length;
    if (source->length > SELFMAG && !memcmp(source->text, ELFMAG, SELFMAG))
        return strata_sass_module_create(source->text, source->length, source->name, memory, module,
                                         err);
    if (!r->compile || !find_ptxas(ptxas, r->quiet))
        return strata_ptx_module_create(source, 1, memory, module, err);
    strata_status status = strata_ptx_compile(source, ptxas, device_sm(r), &cubin, &length, err);
    if (status == STRATA_OK)
        status = strata_sass_module_create(cubin, length, source->name, memory, module, err);
    free(cubin);
    return status;
}

strata_status trace_ptx(const struct trace_launch *l, const struct trace_request *r,
                        struct strata_error *err)
{
    char *text = NULL;
    uint8_t *params = NULL;
    struct strata_arena *arena = NULL;
    struct strata_module *module = NULL;
    struct strata_kernel_launch launch = {.shared_dynamic_bytes = (uint32_t)l->shared_bytes};
    size_t length;
    /* As much as any GPU file may give to a block (shared.per_sm). */
    if (l->shared_bytes > 1 << 24)
        return strata_fail(err, STRATA_EUSAGE, "--shared", 0, 0,
                           "%llu bytes are more than a block can have, 16 MiB.",
                           (unsigned long long)l->shared_bytes);
    strata_status status = read_file(l->ptx, &text, &length, err);
    if (status == STRATA_OK)
        status = parse_dim3(l->grid, "--grid", &launch.grid, err);
    if (status == STRATA_OK)
        status = parse_dim3(l->block, "--block", &launch.block, err);
    if (status == STRATA_OK)
        status = strata_arena_create(0, &arena, err);
    if (status == STRATA_OK) {
        struct strata_device_memory memory = strata_arena_memory(arena);
        struct strata_ptx_source source = {text, length, l->ptx};
        status = make_module(&source, &memory, r, &module, err);
    }
    if (status == STRATA_OK)
        status = find_entry(module, l, &launch.entry, err);
    if (status == STRATA_OK && !(params = calloc(1, launch.entry->param_bytes + 8)))
        status = strata_no_memory(err, l->ptx, "for the parameters");
    if (status == STRATA_OK)
        status = make_params(launch.entry, l, arena, params, err);
    if (status == STRATA_OK) {
        launch.params = params;
        status = run(module, &launch, l, r, err);
    }
    strata_module_destroy(module);
    strata_arena_destroy(arena);
    free(params);
    free(text);
    return status;
}
