/* cmd_sass.c - strata sass: the machine code in a file, as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/sass.h>

#include "cmd.h"
#include "memory_limit.h"
#include "options.h"
#include "output.h"
#include "print.h"
#include "source_text.h"

struct sass_arguments {
    const char *kernel, *output;
    enum format format;
};

/* ---- text ---- */

/* "B0-2---:R-:W1:Y:S04": what it waits for, what it frees, yield, stall. */
static void print_control(FILE *f, const struct strata_sass_line *l)
{
    char text[] = "B------:R-:W-:-:S00";
    for (int i = 0; i < 6; i++)
        if (l->wait_mask >> i & 1)
            text[1 + i] = (char)('0' + i);
    if (l->read_barrier != STRATA_SASS_NO_BARRIER)
        text[9] = (char)('0' + l->read_barrier);
    if (l->write_barrier != STRATA_SASS_NO_BARRIER)
        text[12] = (char)('0' + l->write_barrier);
    if (l->yield)
        text[14] = 'Y';
    text[17] = (char)('0' + l->stall / 10);
    text[18] = (char)('0' + l->stall % 10);
    fputs(text, f);
}

static void text_function(FILE *f, const struct strata_sass_function *fn,
                          const struct strata_sass_line *lines)
{
    fprintf(f, "%s  %s  sm_%u", fn->name, fn->is_kernel ? "kernel" : "function", fn->arch);
    if (fn->arch_suffix)
        fputc(fn->arch_suffix, f);
    fprintf(f, "  %u registers, %u bytes shared, %u bytes local, %u bytes of parameters\n",
            fn->registers, fn->shared_static_bytes, fn->local_bytes, fn->param_bytes);
    fprintf(f, "address  control              live  instruction\n");
    for (uint32_t i = 0; i < fn->instructions; i++) {
        const struct strata_sass_line *l = &lines[i];
        fprintf(f, "%7llx  ", (unsigned long long)l->address);
        print_control(f, l);
        if (l->file)
            fprintf(f, "  %4u  %-60s  %s:%u", l->live, l->text, source_text_name(l->file), l->line);
        else
            fprintf(f, "  %4u  %s", l->live, l->text);
        print_inlined(f, l->inlined);
        fputc('\n', f);
    }
    fputc('\n', f);
}

/* ---- JSON ---- */

static void json_barrier(FILE *f, const char *key, uint8_t barrier)
{
    if (barrier == STRATA_SASS_NO_BARRIER)
        fprintf(f, ",\"%s\":null", key);
    else
        fprintf(f, ",\"%s\":%u", key, barrier);
}

static void json_line(FILE *f, const struct strata_sass_line *l)
{
    fprintf(f, "{\"address\":%llu,\"text\":", (unsigned long long)l->address);
    print_json_string(f, l->text);
    fprintf(f, ",\"known\":%s,\"encoding\":[\"%016llx\",\"%016llx\"],\"stall\":%u,\"yield\":%s",
            l->known ? "true" : "false", (unsigned long long)l->encoding[0],
            (unsigned long long)l->encoding[1], l->stall, l->yield ? "true" : "false");
    json_barrier(f, "write_barrier", l->write_barrier);
    json_barrier(f, "read_barrier", l->read_barrier);
    fprintf(f, ",\"wait_mask\":%u,\"reuse\":%u,\"live\":%u", l->wait_mask, l->reuse, l->live);
    if (l->file) {
        fprintf(f, ",\"file\":");
        print_json_string(f, l->file);
        fprintf(f, ",\"line\":%u", l->line);
    }
    if (l->inlined) {
        fputs(",\"inlined\":", f);
        print_json_inlined(f, l->inlined);
    }
    fputc('}', f);
}

static void json_function(FILE *f, const struct strata_sass_function *fn,
                          const struct strata_sass_line *lines)
{
    fprintf(f, "{\"name\":");
    print_json_string(f, fn->name);
    fprintf(f, ",\"kernel\":%s,\"arch\":\"sm_%u", fn->is_kernel ? "true" : "false", fn->arch);
    if (fn->arch_suffix)
        fputc(fn->arch_suffix, f);
    fprintf(f,
            "\",\"registers\":%u,\"shared_static_bytes\":%u,\"local_bytes\":%u,"
            "\"param_bytes\":%u,\"code\":[",
            fn->registers, fn->shared_static_bytes, fn->local_bytes, fn->param_bytes);
    for (uint32_t i = 0; i < fn->instructions; i++) {
        fputs(i ? ",\n" : "\n", f);
        json_line(f, &lines[i]);
    }
    fputs("]}", f);
}

/* ---- the command ---- */

static strata_status no_such_kernel(const struct strata_sass *s, const char *path,
                                    const char *kernel, struct strata_error *err)
{
    const char *example = strata_sass_get(s, 0)->name;
    return strata_fail(
        err, STRATA_EUSAGE, path, 0, 0,
        "there is no function \"%s\" in it; it has %zu, for example \"%s\" (names are "
        "as in the symbol table).",
        kernel, strata_sass_count(s), example);
}

static strata_status print_functions(FILE *f, const struct strata_sass *s, const char *path,
                                     const char *kernel, enum format format,
                                     struct strata_error *err)
{
    size_t printed = 0;
    if (format == FORMAT_JSON)
        fprintf(f, "{\"schema\":\"strata.sass/1\",\"functions\":[");
    for (size_t i = 0; i < strata_sass_count(s); i++) {
        const struct strata_sass_function *fn = strata_sass_get(s, i);
        struct strata_sass_line *lines;
        if (kernel && strcmp(kernel, fn->name))
            continue;
        strata_status st = strata_sass_listing(s, i, &lines, err);
        if (st != STRATA_OK)
            return st;
        if (format == FORMAT_JSON) {
            fputs(printed ? ",\n" : "\n", f);
            json_function(f, fn, lines);
        } else {
            text_function(f, fn, lines);
        }
        free(lines);
        printed++;
    }
    if (format == FORMAT_JSON)
        fputs("\n]}\n", f);
    return printed ? STRATA_OK : no_such_kernel(s, path, kernel, err);
}

static strata_status sass(void *context, char **words, int n_words, struct strata_error *err)
{
    const struct sass_arguments *a = context;
    struct strata_sass *s;
    struct output out;
    if (a->format == FORMAT_CSV)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "sass writes text or json; csv is not among them.");
    strata_status st = strata_sass_open(words[0], &s, err);
    if (st != STRATA_OK)
        return st;
    st = output_open(&out, a->output, err);
    if (st == STRATA_OK) {
        st = print_functions(out.stream, s, words[0], a->kernel, a->format, err);
        if (st == STRATA_OK)
            st = output_commit(&out, err);
        else
            output_discard(&out);
    }
    strata_sass_close(s);
    return st;
}

int cmd_sass(int argc, char **argv)
{
    struct sass_arguments a = {0};
    const struct option options[] = {
        {'k', "kernel", OPTION_STRING, &a.kernel, "NAME",
         "only this function, by its name in the symbol table (default: all)"},
        {'f', "format", OPTION_FORMAT, &a.format, "FORMAT", "text (default) or json"},
        MEMORY_LIMIT_OPTION,
        OUTPUT_OPTION(a.output),
    };
    const struct command_syntax syntax = {
        .name = "sass",
        .arguments = "FILE",
        .summary = "Disassembles the machine code in a file.",
        .text = "FILE is a cubin, a fatbin, or an executable, object or library with fatbins "
                "inside. Each\n"
                "instruction is printed as NVIDIA's disassembler prints it, with its address, its "
                "control\n"
                "codes, the registers in use and, where the code was compiled with -lineinfo, its "
                "source\n"
                "line. Control codes: B, the barriers it waits for; R and W, the barriers it frees "
                "when its\n"
                "operands are read and its results written; Y, the scheduler may prefer another "
                "warp; S,\n"
                "cycles before the warp's next instruction.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .takes_programs = true,
        .least_words = 1,
        .most_words = 1,
        .needs = "a file with machine code",
        .run = sass,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
