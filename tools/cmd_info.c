/* cmd_info.c - strata info: what is in a trace. */
#include <stdio.h>
#include <stdlib.h>

#include <strata/kernel_name.h>
#include <strata/stats.h>
#include <strata/trace.h>

#include "cmd.h"
#include "memory_limit.h"
#include "launch_option.h"
#include "options.h"
#include "output.h"
#include "print.h"
#include "progress.h"

struct info_arguments {
    struct launch_arguments launches;
    enum format format;
    const char *output;
    bool headers, quiet;
};

struct info {
    FILE *out;
    enum format format;
    bool headers; /* blocks were not read, so stats say nothing */
    const char *trace_format;
    const struct strata_launch *launch;
    struct strata_stats stats;
    size_t n; /* launches printed */
};

static const char *regs_source_name(uint32_t source)
{
    static const char *const names[] = {"trace", "cubin", "estimate", "user"};
    return source < 4 ? names[source] : "unknown";
}

static const char *isa_name(uint32_t isa)
{
    static const char *const names[] = {"sass", "ptx", "synthetic", "threadlist"};
    return isa < 4 ? names[isa] : "unknown";
}

static bool has_clusters(const struct strata_launch *l)
{
    return l->cluster.x > 1 || l->cluster.y > 1 || l->cluster.z > 1;
}

/* ---- text ---- */

static void text_counts(const struct info *i)
{
    const struct strata_stats *s = &i->stats;
    FILE *f = i->out;
    fprintf(f,
            "  read      %llu blocks, %llu warps, %llu warp instructions, %llu thread "
            "instructions, %llu static\n",
            (unsigned long long)s->blocks, (unsigned long long)s->warps,
            (unsigned long long)s->warp_instructions, (unsigned long long)s->thread_instructions,
            (unsigned long long)s->static_instructions);
    if (s->static_with_control)
        fprintf(f, "  control   codes of %llu static instructions\n",
                (unsigned long long)s->static_with_control);
    fprintf(f, "  classes  ");
    for (unsigned c = 0; c < STRATA_N_OPCLASS; c++)
        if (s->by_class[c])
            fprintf(f, " %s %llu", strata_opclass_name(c), (unsigned long long)s->by_class[c]);
    fprintf(f, "\n");
    for (unsigned space = 0; space < STRATA_N_SPACE; space++)
        for (unsigned op = 0; op < STRATA_N_MEMOP; op++) {
            const struct strata_access_stats *a = &s->access[space][op];
            if (a->warp_instructions)
                fprintf(f, "  %-8s  %s: %llu warp instructions, %llu thread accesses, %llu bytes\n",
                        strata_space_name(space), strata_memop_name(op),
                        (unsigned long long)a->warp_instructions,
                        (unsigned long long)a->thread_accesses, (unsigned long long)a->bytes);
        }
    if (s->unknown_static)
        fprintf(f,
                "  unknown   %llu static instructions (for example \"%s\"), executed %llu times\n",
                (unsigned long long)s->unknown_static, s->unknown_example,
                (unsigned long long)s->unknown_warp_instructions);
}

static const char *property_name(uint8_t property)
{
    static const char *const names[STRATA_N_ACCESS_PROPERTIES] = {"normal", "streaming",
                                                                  "persisting"};
    return names[property];
}

static void text_persisting(FILE *f, const struct strata_launch *l)
{
    fprintf(f, "  persist   %llu bytes of the L2 set aside%s",
            (unsigned long long)l->persisting_bytes,
            l->persisting_reset ? ", lines before reset" : "");
    if (l->window.bytes)
        fprintf(f, ", window of %llu bytes at 0x%llx: %g of it %s, the rest %s",
                (unsigned long long)l->window.bytes, (unsigned long long)l->window.base,
                (double)l->window.hit_ratio, property_name(l->window.hit),
                property_name(l->window.miss));
    fprintf(f, "\n");
}

static void json_persisting(FILE *f, const struct strata_launch *l)
{
    fprintf(f, ", \"persisting_bytes\": %llu, \"persisting_reset\": %s",
            (unsigned long long)l->persisting_bytes, l->persisting_reset ? "true" : "false");
    if (l->window.bytes)
        fprintf(f,
                ", \"window\": {\"base\": %llu, \"bytes\": %llu, \"hit_ratio\": %g, \"hit\": "
                "\"%s\", \"miss\": \"%s\"}",
                (unsigned long long)l->window.base, (unsigned long long)l->window.bytes,
                (double)l->window.hit_ratio, property_name(l->window.hit),
                property_name(l->window.miss));
}

static const char *texels_name(uint8_t texels)
{
    static const char *const names[STRATA_N_TEXELS] = {"tiled", "pitched", "linear"};
    return names[texels];
}

static void text_textures(FILE *f, const struct strata_launch *l)
{
    for (uint32_t i = 0; i < l->n_textures; i++) {
        const struct strata_launch_texture *t = &l->textures[i];
        fprintf(f, "  texture   %u x %u x %u texels of %u bytes at 0x%llx, %s%s%s\n", t->width,
                t->height, t->depth, t->texel_bytes, (unsigned long long)t->base,
                texels_name(t->texels), t->layered ? ", layers" : "",
                t->filters ? ", filtered" : "");
    }
}

static void json_textures(FILE *f, const struct strata_launch *l)
{
    fprintf(f, ",\n   \"textures\": [");
    for (uint32_t i = 0; i < l->n_textures; i++) {
        const struct strata_launch_texture *t = &l->textures[i];
        fprintf(f,
                "%s{\"base\": %llu, \"texels\": \"%s\", \"texel_bytes\": %u, \"size\": [%u, %u, "
                "%u], \"pitch_bytes\": %llu, \"slice_bytes\": %llu, \"layered\": %s, \"filters\": "
                "%s}",
                i ? ",\n     " : "", (unsigned long long)t->base, texels_name(t->texels),
                t->texel_bytes, t->width, t->height, t->depth, (unsigned long long)t->pitch_bytes,
                (unsigned long long)t->slice_bytes, t->layered ? "true" : "false",
                t->filters ? "true" : "false");
    }
    fprintf(f, "]");
}

static void text_launch(const struct info *i)
{
    const struct strata_launch *l = i->launch;
    FILE *f = i->out;
    char name[STRATA_LAUNCH_NAME_SIZE];
    strata_launch_name(l->program, l->trace, l->id, l->kernel, name);
    fprintf(f, "%s  launch %llu\n", name, (unsigned long long)l->id);
    fprintf(f,
            "  shape     grid %u x %u x %u, block %u x %u x %u, %u registers (%s), %u + %u bytes "
            "shared",
            l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z,
            l->registers_per_thread, regs_source_name(l->regs_source), l->shared_static_bytes,
            l->shared_dynamic_bytes);
    if (has_clusters(l))
        fprintf(f, ", clusters of %u x %u x %u blocks", l->cluster.x, l->cluster.y, l->cluster.z);
    fprintf(f, "\n");
    fprintf(f, "  origin    %s, %s, sm_%u, stream %llu", i->trace_format, isa_name(l->isa),
            l->sm_version, (unsigned long long)l->stream);
    if (l->failed)
        fprintf(f, ", FAILED after %llu blocks", (unsigned long long)l->sampled_blocks);
    else if (l->sampled_blocks)
        fprintf(f, ", a sample of %llu blocks", (unsigned long long)l->sampled_blocks);
    if (l->code_arch)
        fprintf(f, ", code for sm_%u%.1s", l->code_arch, &l->code_arch_suffix);
    if (i->headers && l->warp_instructions)
        fprintf(f, ", %llu warp instructions", (unsigned long long)l->warp_instructions);
    fprintf(f, "\n");
    if (strata_launch_tells_of_persisting(l))
        text_persisting(f, l);
    text_textures(f, l);
    if (!i->headers)
        text_counts(i);
}

/* ---- CSV: one row per number, as everywhere ---- */

static void csv_row(const struct info *i, const char *metric, const char *detail, uint64_t value)
{
    print_csv_field(i->out, i->launch->program);
    fputc(',', i->out);
    print_csv_field(i->out, i->launch->trace);
    fprintf(i->out, ",%llu,", (unsigned long long)i->launch->id);
    print_csv_field(i->out, i->launch->kernel);
    fprintf(i->out, ",%s%s%s,%llu\n", metric, detail ? "." : "", detail ? detail : "",
            (unsigned long long)value);
}

static void csv_counts(const struct info *i)
{
    const struct strata_stats *s = &i->stats;
    char name[64];
    csv_row(i, "blocks", NULL, s->blocks);
    csv_row(i, "warps", NULL, s->warps);
    csv_row(i, "warp_instructions", NULL, s->warp_instructions);
    csv_row(i, "thread_instructions", NULL, s->thread_instructions);
    csv_row(i, "static_instructions", NULL, s->static_instructions);
    csv_row(i, "unknown_warp_instructions", NULL, s->unknown_warp_instructions);
    for (unsigned c = 0; c < STRATA_N_OPCLASS; c++)
        if (s->by_class[c])
            csv_row(i, "warp_instructions", strata_opclass_name(c), s->by_class[c]);
    for (unsigned space = 0; space < STRATA_N_SPACE; space++)
        for (unsigned op = 0; op < STRATA_N_MEMOP; op++) {
            const struct strata_access_stats *a = &s->access[space][op];
            if (!a->warp_instructions)
                continue;
            snprintf(name, sizeof name, "%s.%s", strata_space_name(space), strata_memop_name(op));
            csv_row(i, "accessing_warp_instructions", name, a->warp_instructions);
            csv_row(i, "thread_accesses", name, a->thread_accesses);
            csv_row(i, "bytes", name, a->bytes);
        }
}

static void csv_launch(const struct info *i)
{
    const struct strata_launch *l = i->launch;
    if (!i->n)
        fprintf(i->out, "program,trace,id,kernel,metric,value\n");
    csv_row(i, "grid_x", NULL, l->grid.x);
    csv_row(i, "grid_y", NULL, l->grid.y);
    csv_row(i, "grid_z", NULL, l->grid.z);
    csv_row(i, "block_x", NULL, l->block.x);
    csv_row(i, "block_y", NULL, l->block.y);
    csv_row(i, "block_z", NULL, l->block.z);
    if (has_clusters(l)) {
        csv_row(i, "cluster_x", NULL, l->cluster.x);
        csv_row(i, "cluster_y", NULL, l->cluster.y);
        csv_row(i, "cluster_z", NULL, l->cluster.z);
    }
    if (strata_launch_tells_of_persisting(l)) {
        csv_row(i, "persisting_bytes", NULL, l->persisting_bytes);
        csv_row(i, "persisting_reset", NULL, l->persisting_reset);
        csv_row(i, "window_base", NULL, l->window.base);
        csv_row(i, "window_bytes", NULL, l->window.bytes);
    }
    if (l->n_textures)
        csv_row(i, "textures", NULL, l->n_textures);
    csv_row(i, "registers_per_thread", NULL, l->registers_per_thread);
    csv_row(i, "shared_static_bytes", NULL, l->shared_static_bytes);
    csv_row(i, "shared_dynamic_bytes", NULL, l->shared_dynamic_bytes);
    csv_row(i, "sm_version", NULL, l->sm_version);
    if (!i->headers)
        csv_counts(i);
}

/* ---- JSON ---- */

static void json_counts(const struct info *i)
{
    const struct strata_stats *s = &i->stats;
    FILE *f = i->out;
    const char *comma = "";
    fprintf(
        f,
        ",\n   \"blocks\": %llu, \"warps\": %llu, \"warp_instructions\": %llu, "
        "\"thread_instructions\": %llu, "
        "\"static_instructions\": %llu, \"unknown_warp_instructions\": %llu,\n   \"classes\": {",
        (unsigned long long)s->blocks, (unsigned long long)s->warps,
        (unsigned long long)s->warp_instructions, (unsigned long long)s->thread_instructions,
        (unsigned long long)s->static_instructions,
        (unsigned long long)s->unknown_warp_instructions);
    for (unsigned c = 0; c < STRATA_N_OPCLASS; c++)
        if (s->by_class[c]) {
            fprintf(f, "%s\"%s\": %llu", comma, strata_opclass_name(c),
                    (unsigned long long)s->by_class[c]);
            comma = ", ";
        }
    fprintf(f, "},\n   \"accesses\": [");
    comma = "";
    for (unsigned space = 0; space < STRATA_N_SPACE; space++)
        for (unsigned op = 0; op < STRATA_N_MEMOP; op++) {
            const struct strata_access_stats *a = &s->access[space][op];
            if (!a->warp_instructions)
                continue;
            fprintf(f,
                    "%s{\"space\": \"%s\", \"operation\": \"%s\", \"warp_instructions\": %llu, "
                    "\"thread_accesses\": %llu, \"bytes\": %llu}",
                    comma, strata_space_name(space), strata_memop_name(op),
                    (unsigned long long)a->warp_instructions,
                    (unsigned long long)a->thread_accesses, (unsigned long long)a->bytes);
            comma = ",\n     ";
        }
    fprintf(f, "]");
}

static void json_launch(const struct info *i)
{
    const struct strata_launch *l = i->launch;
    FILE *f = i->out;
    fprintf(f, "%s  {\"program\": ",
            i->n ? ",\n" : "{\"schema\": \"strata.info/1\", \"launches\": [\n");
    print_json_string(f, l->program);
    fprintf(f, ", \"trace\": ");
    print_json_string(f, l->trace);
    fprintf(f, ", \"id\": %llu, \"kernel\": ", (unsigned long long)l->id);
    print_json_string(f, l->kernel);
    fprintf(f,
            ",\n   \"format\": \"%s\", \"isa\": \"%s\", \"sm_version\": %u, \"grid\": [%u, %u, "
            "%u], \"block\": [%u, %u, "
            "%u], \"registers_per_thread\": %u, \"registers_source\": \"%s\", "
            "\"shared_static_bytes\": %u, "
            "\"shared_dynamic_bytes\": %u",
            i->trace_format, isa_name(l->isa), l->sm_version, l->grid.x, l->grid.y, l->grid.z,
            l->block.x, l->block.y, l->block.z, l->registers_per_thread,
            regs_source_name(l->regs_source), l->shared_static_bytes, l->shared_dynamic_bytes);
    if (has_clusters(l))
        fprintf(f, ", \"cluster\": [%u, %u, %u]", l->cluster.x, l->cluster.y, l->cluster.z);
    if (strata_launch_tells_of_persisting(l))
        json_persisting(f, l);
    if (l->n_textures)
        json_textures(f, l);
    if (l->failed)
        fprintf(f, ", \"failed\": true");
    if (l->sampled_blocks)
        fprintf(f, ", \"sampled_blocks\": %llu", (unsigned long long)l->sampled_blocks);
    if (l->code_arch)
        fprintf(f, ", \"code_arch\": \"sm_%u%.1s\"", l->code_arch, &l->code_arch_suffix);
    if (!i->headers && i->stats.static_with_control)
        fprintf(f, ", \"static_with_control\": %llu",
                (unsigned long long)i->stats.static_with_control);
    if (!i->headers)
        json_counts(i);
    fprintf(f, "}");
}

/* ---- the command ---- */

static strata_status info_launch(struct info *i, const struct strata_launch_ref *ref, bool quiet,
                                 struct strata_error *err)
{
    struct strata_reader *reader;
    strata_status status = strata_reader_open(ref->trace, ref->index, &reader, err);
    if (status)
        return status;
    i->launch = strata_reader_launch(reader);
    i->trace_format = strata_trace_format_name(ref->trace);
    if (!i->headers)
        status = strata_stats_collect(reader, &i->stats, err);
    if (!status && i->format == FORMAT_TEXT)
        text_launch(i);
    else if (!status && i->format == FORMAT_CSV)
        csv_launch(i);
    else if (!status)
        json_launch(i);
    if (!status && !quiet)
        show_reader_warnings(reader);
    i->n++;
    strata_reader_close(reader);
    return status;
}

static strata_status info(void *context, char **paths, int n_paths, struct strata_error *err)
{
    const struct info_arguments *a = context;
    struct strata_launch_set set = {0};
    struct output out;
    struct progress progress;
    struct info i = {.format = a->format, .headers = a->headers};
    uint64_t n_instructions = 0;
    strata_status status = load_launches(&a->launches, paths, n_paths, &set, err);
    if (!status)
        status = output_open(&out, a->output, err);
    if (status) {
        strata_launch_set_release(&set);
        return status;
    }
    i.out = out.stream;
    progress_start(&progress, "launches", a->quiet || !a->output);
    for (size_t k = 0; !status && k < set.n_launches; k++) {
        status = info_launch(&i, &set.launch[k], a->quiet, err);
        n_instructions += i.stats.warp_instructions;
        progress_show(&progress, k + 1, set.n_launches, n_instructions);
    }
    progress_end(&progress);
    if (!status && a->format == FORMAT_JSON)
        fprintf(i.out, "\n]}\n");
    if (status)
        output_discard(&out);
    else
        status = output_commit(&out, err);
    strata_launch_set_release(&set);
    return status;
}

int cmd_info(int argc, char **argv)
{
    struct info_arguments a = {0};
    const struct option options[] = {
        {0, "headers", OPTION_FLAG, &a.headers, NULL,
         "only what the headers say, without reading the blocks"},
        LAUNCH_OPTIONS(a.launches),
        {'f', "format", OPTION_FORMAT, &a.format, "FORMAT", "text (default), csv or json"},
        OUTPUT_OPTION(a.output),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress, no warnings"},
    };
    const struct command_syntax syntax = {
        .name = "info",
        .arguments = "TRACE...",
        .summary = "Tells what is in a trace: launches, instructions by class, accesses and bytes "
                   "by memory space.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .needs = "a trace",
        .run = info,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
