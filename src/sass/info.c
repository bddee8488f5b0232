/* info.c - attributes of kernels in .nv.info and .nv.info.<kernel>.
 *
 * A record is one byte of format, one of attribute and two of value; format 4 has that many bytes
 * of payload after it. The attributes of .nv.info name their function by its symbol. */
#include <stdlib.h>
#include <string.h>

#include "emulator/little.h"
#include "sass/cubin_parts.h"

enum format { FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };
enum attribute {
    ATTRIBUTE_MAX_THREADS = 0x05,
    ATTRIBUTE_PARAM_CBANK = 0x0a,
    ATTRIBUTE_REQNTID = 0x10,
    ATTRIBUTE_FRAME_SIZE = 0x11,
    ATTRIBUTE_MIN_STACK_SIZE = 0x12,
    ATTRIBUTE_KPARAM_INFO = 0x17,
    ATTRIBUTE_CBANK_PARAM_SIZE = 0x19,
    ATTRIBUTE_EXIT_OFFSETS = 0x1c,
    ATTRIBUTE_REGCOUNT = 0x2f,
    ATTRIBUTE_CTA_PER_CLUSTER = 0x3d,
    ATTRIBUTE_KPARAM_INFO_LARGE = 0x45, /* of kernels with more than 4 KB of parameters */
    ATTRIBUTE_SYSCALL_OFFSETS = 0x46,
    ATTRIBUTE_NUM_BARRIERS = 0x4c
};
#define COMPAT_ACCELERATOR 0x09 /* of .nv.compat: 1 for sm_90a */

struct record {
    uint32_t format, attribute, value;
    const uint8_t *payload;
    uint32_t bytes;
};

/* The record at *at, which moves behind it; false at the end or where the rest is damaged. */
static bool next_record(const struct sass_section *s, uint64_t *at, struct record *r)
{
    if (!s->bytes || *at > s->size || s->size - *at < 4)
        return false;
    const uint8_t *p = s->bytes + *at;
    *r = (struct record){p[0], p[1], little16(p + 2), p + 4, 0};
    r->bytes = r->format == FORMAT_SIZED ? r->value : 0;
    if (r->bytes > s->size - *at - 4)
        return false;
    *at += 4 + r->bytes;
    return true;
}

static void function_record(struct sass_cubin *c, const struct record *r)
{
    if (r->bytes < 8 || little32(r->payload) >= c->n_symbols)
        return;
    struct sass_kernel *k = sass_find_kernel(c, c->symbol[little32(r->payload)].name);
    if (!k)
        return;
    uint32_t value = little32(r->payload + 4);
    if (r->attribute == ATTRIBUTE_REGCOUNT)
        k->registers = value;
    else if (r->attribute == ATTRIBUTE_FRAME_SIZE)
        k->frame_bytes = value;
    else if (r->attribute == ATTRIBUTE_MIN_STACK_SIZE)
        k->min_stack_bytes = value;
}

/* u32 index, u16 ordinal, u16 offset, u32 flags with the size from bit 18 on; or the size alone. */
static bool add_param(struct sass_kernel *k, const struct record *r)
{
    if (r->bytes < 12)
        return true;
    struct sass_param *more = realloc(k->param, (k->n_params + 1) * sizeof *more);
    if (!more)
        return false;
    k->param = more;
    uint32_t size = little32(r->payload + 8);
    if (r->attribute == ATTRIBUTE_KPARAM_INFO)
        size >>= 18;
    k->param[k->n_params++] =
        (struct sass_param){little16(r->payload + 4), little16(r->payload + 6), size};
    return true;
}

static bool read_offsets(const struct record *r, uint64_t **out, uint32_t *n)
{
    uint32_t count = r->bytes / 4;
    uint64_t *offsets = malloc((count ? count : 1) * sizeof *offsets);
    if (!offsets)
        return false;
    for (uint32_t i = 0; i < count; i++)
        offsets[i] = little32(r->payload + 4 * i);
    free(*out);
    *out = offsets;
    *n = count;
    return true;
}

static void read_three(const struct record *r, uint32_t out[3])
{
    for (uint32_t i = 0; i < 3 && r->bytes >= 4 * (i + 1); i++)
        out[i] = little32(r->payload + 4 * i);
}

static bool kernel_record(struct sass_kernel *k, const struct record *r)
{
    switch (r->attribute) {
    case ATTRIBUTE_PARAM_CBANK: /* u32 symbol, u16 offset, u16 size */
        if (r->bytes >= 8) {
            k->param_base = little16(r->payload + 4);
            k->param_bytes = little16(r->payload + 6);
        }
        return true;
    case ATTRIBUTE_CBANK_PARAM_SIZE:
        k->param_bytes = r->value;
        return true;
    case ATTRIBUTE_KPARAM_INFO:
    case ATTRIBUTE_KPARAM_INFO_LARGE:
        return add_param(k, r);
    case ATTRIBUTE_MAX_THREADS:
        read_three(r, k->max_threads);
        return true;
    case ATTRIBUTE_REQNTID:
        read_three(r, k->required_threads);
        return true;
    case ATTRIBUTE_CTA_PER_CLUSTER:
        read_three(r, k->cluster);
        return true;
    case ATTRIBUTE_NUM_BARRIERS:
        k->barriers = r->value & 0xff;
        return true;
    case ATTRIBUTE_EXIT_OFFSETS:
        return read_offsets(r, &k->exit_offset, &k->n_exits);
    case ATTRIBUTE_SYSCALL_OFFSETS:
        return read_offsets(r, &k->syscall_offset, &k->n_syscalls);
    default:
        return true;
    }
}

static int by_ordinal(const void *a, const void *b)
{
    const struct sass_param *x = a, *y = b;
    return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

static bool read_kernel(struct sass_kernel *k, const struct sass_section *s)
{
    struct record r;
    for (uint64_t at = 0; next_record(s, &at, &r);)
        if (!kernel_record(k, &r))
            return false;
    if (k->n_params)
        qsort(k->param, k->n_params, sizeof *k->param, by_ordinal);
    return true;
}

static void read_compat(struct sass_cubin *c, const struct sass_section *s)
{
    struct record r;
    for (uint64_t at = 0; next_record(s, &at, &r);)
        if (r.attribute == COMPAT_ACCELERATOR && r.format == FORMAT_BYTE && (r.value & 0xff) == 1)
            c->arch_suffix = 'a';
}

bool sass_read_info(struct sass_cubin *c)
{
    static const char prefix[] = ".nv.info.";
    struct record r;
    for (uint32_t i = 0; i < c->n_sections; i++) {
        const struct sass_section *s = &c->section[i];
        if (!strcmp(s->name, ".nv.info")) {
            for (uint64_t at = 0; next_record(s, &at, &r);)
                function_record(c, &r);
        } else if (!strcmp(s->name, ".nv.compat")) {
            read_compat(c, s);
        } else if (!strncmp(s->name, prefix, sizeof prefix - 1)) {
            struct sass_kernel *k = sass_find_kernel(c, s->name + sizeof prefix - 1);
            if (k && !read_kernel(k, s))
                return false;
        }
    }
    return true;
}
