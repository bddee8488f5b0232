/* builtin.c - functions kernels call that are not PTX: vprintf, malloc, free, __assertfail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "ptx/handlers.h"
#include "ptx/module.h"

static const char *const builtins[] = {"vprintf", "malloc", "free", "__assertfail",
                                       "__nvvm_reflect"};

const char *ptx_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (!strcmp(name, builtins[i]))
            return builtins[i];
    return NULL;
}

/* ---- arguments ---- */

static uint64_t argument(struct ptx_warp *w, const struct ptx_call *call, unsigned i, unsigned lane)
{
    uint64_t value = 0;
    if (i >= call->n_args)
        return 0;
    uint32_t bytes = call->args[i].bytes < 8 ? call->args[i].bytes : 8;
    memcpy(&value,
           w->local + (size_t)lane * w->local_stride + w->frame->local_base + call->args[i].from,
           bytes);
    return value;
}

static void set_result(struct ptx_warp *w, const struct ptx_call *call, unsigned lane,
                       uint64_t value)
{
    if (!call->n_results)
        return;
    uint32_t bytes = call->results[0].bytes < 8 ? call->results[0].bytes : 8;
    memcpy(w->local + (size_t)lane * w->local_stride + w->frame->local_base + call->results[0].to,
           &value, bytes);
}

/* A NUL-terminated text in kernel memory, as a copy; "" if the pointer is wild. */
static void copy_text(struct ptx_warp *w, unsigned lane, uint64_t address, char *out, size_t size)
{
    uint64_t left = 0;
    const char *text = (const char *)ptx_generic_pointer(w, lane, address, &left);
    size_t n = 0;
    while (text && n + 1 < size && n < left && text[n]) {
        out[n] = text[n];
        n++;
    }
    out[n] = 0;
}

/* ---- printf ---- */

static bool append(struct ptx_text *text, const char *bytes, size_t n)
{
    if (!ARRAY_RESERVE(text->bytes, text->n, text->cap, n))
        return false;
    memcpy(text->bytes + text->n, bytes, n);
    text->n += n;
    return true;
}

/* Arguments lie one after the other at their natural alignment: 4 or 8 bytes. */
struct print_args {
    const uint8_t *bytes;
    uint64_t left, at;
};

static uint64_t next_arg(struct print_args *args, unsigned bytes)
{
    uint64_t value = 0;
    args->at = round_up(args->at, bytes);
    if (args->bytes && args->at + bytes <= args->left)
        memcpy(&value, args->bytes + args->at, bytes);
    args->at += bytes;
    return value;
}

/* One conversion with its value. `spec` is "%-5.2lld" and the like, without '*'. */
static int print_one(struct ptx_warp *w, unsigned lane, struct print_args *args, const char *spec,
                     char *out, size_t size)
{
    size_t n = strlen(spec);
    char kind = spec[n - 1];
    bool wide = strstr(spec, "ll") || strchr(spec, 'l') || strchr(spec, 'z') || strchr(spec, 'j') ||
                strchr(spec, 't');
    char plain[48];
    size_t k = 0; /* the host's length modifier replaces the kernel's */
    for (size_t i = 0; i + 1 < n && k + 4 < sizeof plain; i++)
        if (!strchr("lhzjt", spec[i]))
            plain[k++] = spec[i];
    uint64_t bits;
    double d;
    switch (kind) {
    case 'd':
    case 'i':
        snprintf(plain + k, sizeof plain - k, "lld");
        bits = next_arg(args, wide ? 8 : 4);
        return snprintf(out, size, plain, wide ? (long long)bits : (long long)(int32_t)bits);
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        snprintf(plain + k, sizeof plain - k, "ll%c", kind);
        return snprintf(out, size, plain, (unsigned long long)next_arg(args, wide ? 8 : 4));
    case 'c':
        snprintf(plain + k, sizeof plain - k, "c");
        return snprintf(out, size, plain, (int)(unsigned char)next_arg(args, 4));
    case 'p':
        return snprintf(out, size, "0x%llx", (unsigned long long)next_arg(args, 8));
    case 's': {
        char text[1024];
        copy_text(w, lane, next_arg(args, 8), text, sizeof text);
        snprintf(plain + k, sizeof plain - k, "s");
        return snprintf(out, size, plain, text);
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        snprintf(plain + k, sizeof plain - k, "%c", kind);
        bits = next_arg(args, 8);
        memcpy(&d, &bits, sizeof d);
        return snprintf(out, size, plain, d);
    default:
        return snprintf(out, size, "%s", spec);
    }
}

/* Reads "%-*.3lld" at `format` into spec, with '*' replaced by its value; returns its length. */
static size_t read_spec(struct print_args *args, const char *format, char spec[40])
{
    size_t at = 1, n = 1;
    spec[0] = '%';
    while (format[at] && n < 24) {
        char c = format[at++];
        if (c == '*') {
            n += (size_t)snprintf(spec + n, 40 - n, "%d", (int)(int32_t)next_arg(args, 4));
            continue;
        }
        spec[n++] = c;
        if (!strchr("-+ #0123456789.lhzjt", c))
            break;
    }
    spec[n] = 0;
    return at;
}

static bool print_format(struct ptx_warp *w, unsigned lane, const char *format,
                         struct print_args *args)
{
    struct ptx_text *text = &w->block->text;
    while (*format) {
        size_t plain = strcspn(format, "%");
        if (!append(text, format, plain))
            return false;
        format += plain;
        if (!*format)
            break;
        if (format[1] == '%') {
            if (!append(text, "%", 1))
                return false;
            format += 2;
            continue;
        }
        char spec[40], out[1400];
        format += read_spec(args, format, spec);
        int n = print_one(w, lane, args, spec, out, sizeof out);
        if (n > 0 && !append(text, out, (size_t)n < sizeof out ? (size_t)n : sizeof out - 1))
            return false;
    }
    return true;
}

static bool run_vprintf(struct ptx_warp *w, const struct ptx_call *call, unsigned lane)
{
    char format[2048];
    struct print_args args = {0};
    copy_text(w, lane, argument(w, call, 0, lane), format, sizeof format);
    args.bytes = ptx_generic_pointer(w, lane, argument(w, call, 1, lane), &args.left);
    if (!print_format(w, lane, format, &args))
        return false;
    int n = 0;
    for (const char *p = format; *p; p++)
        n += *p == '%' && (p[1] == '%' ? (p++, 0) : 1);
    set_result(w, call, lane, (uint64_t)n); /* CUDA: the number of arguments */
    return true;
}

/* ---- the rest ---- */

static void run_assert(struct ptx_warp *w, const struct ptx_inst *in, const struct ptx_call *call,
                       unsigned lane)
{
    char message[160], file[160], function[100];
    copy_text(w, lane, argument(w, call, 0, lane), message, sizeof message);
    copy_text(w, lane, argument(w, call, 1, lane), file, sizeof file);
    copy_text(w, lane, argument(w, call, 3, lane), function, sizeof function);
    ptx_fail(w, in, lane, STRATA_EFORMAT, "assertion \"%s\" failed at %s:%u in %s", message, file,
             (unsigned)argument(w, call, 2, lane), function);
}

void ptx_run_builtin(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_call *call = in->extra;
    struct strata_ptx_module *m = w->block->run->module;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        if (!strcmp(call->builtin, "vprintf")) {
            if (!run_vprintf(w, call, lane)) {
                ptx_fail(w, in, lane, STRATA_ENOMEM, "out of memory for printf");
                return;
            }
        } else if (!strcmp(call->builtin, "malloc")) {
            uint64_t bytes = argument(w, call, 0, lane);
            void *memory = bytes && bytes < (uint64_t)1 << 40
                               ? m->memory.allocate(m->memory.user, bytes, 16)
                               : NULL;
            set_result(w, call, lane, (uint64_t)(uintptr_t)memory);
        } else if (!strcmp(call->builtin, "free")) {
            void *memory = (void *)(uintptr_t)argument(w, call, 0, lane);
            if (memory)
                m->memory.release(m->memory.user, memory);
            memset(w->block->ranges, 0, w->image->n_slots * sizeof *w->block->ranges);
        } else if (!strcmp(call->builtin, "__assertfail")) {
            run_assert(w, in, call, lane);
            return;
        } else {
            set_result(w, call, lane, 0);
        }
    }
}
