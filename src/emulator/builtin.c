/* builtin.c - functions kernels call that are no code of theirs: vprintf, malloc, free,
 * __assertfail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "emulator/emulator.h"

void emu_copy_text(struct emu_warp *w, unsigned lane, uint64_t address, char *out, size_t size)
{
    uint64_t left = 0;
    const char *text = (const char *)emu_generic_pointer(w, lane, address, &left);
    size_t n = 0;
    while (text && n + 1 < size && n < left && text[n]) {
        out[n] = text[n];
        n++;
    }
    out[n] = 0;
}

/* ---- printf ---- */

static bool append(struct emu_text *text, const char *bytes, size_t n)
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
    struct emu_printed *printed;
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
static int print_one(struct emu_warp *w, unsigned lane, struct print_args *args, const char *spec,
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
        emu_copy_text(w, lane, next_arg(args, 8), text, sizeof text);
        args->printed->strings++;
        args->printed->string_characters += (uint32_t)strlen(text);
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

static bool print_format(struct emu_warp *w, unsigned lane, const char *format,
                         struct print_args *args)
{
    struct emu_text *text = &w->block->text;
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

bool emu_print(struct emu_warp *w, unsigned lane, uint64_t format_address, uint64_t args_address,
               struct emu_printed *printed)
{
    char format[2048];
    struct print_args args = {.printed = printed};
    emu_copy_text(w, lane, format_address, format, sizeof format);
    *printed =
        (struct emu_printed){.format = format_address, .characters = (uint32_t)strlen(format)};
    args.bytes = emu_generic_pointer(w, lane, args_address, &args.left);
    if (!print_format(w, lane, format, &args))
        return false;
    for (const char *p = format; *p; p++)
        printed->arguments += *p == '%' && (p[1] == '%' ? (p++, 0) : 1);
    return true;
}

/* ---- the rest ---- */

void emu_assert_failed(struct emu_warp *w, const struct emu_site *site, unsigned lane,
                       uint64_t message, uint64_t file, uint32_t line, uint64_t function)
{
    char message_text[160], file_text[160], function_text[100];
    emu_copy_text(w, lane, message, message_text, sizeof message_text);
    emu_copy_text(w, lane, file, file_text, sizeof file_text);
    emu_copy_text(w, lane, function, function_text, sizeof function_text);
    emu_fail(w, site, lane, STRATA_EFORMAT, "assertion \"%s\" failed at %s:%u in %s", message_text,
             file_text, line, function_text);
}

uint64_t emu_device_malloc(struct emu_warp *w, uint64_t bytes)
{
    const struct strata_device_memory *memory = &w->block->run->module->memory;
    if (!bytes || bytes >= (uint64_t)1 << 40)
        return 0;
    return (uint64_t)(uintptr_t)memory->allocate(memory->user, bytes, 16);
}

void emu_device_free(struct emu_warp *w, uint64_t address)
{
    const struct strata_device_memory *memory = &w->block->run->module->memory;
    if (address)
        memory->release(memory->user, (void *)(uintptr_t)address);
    memset(w->block->slots, 0, w->block->run->image->n_slots * sizeof *w->block->slots);
}
