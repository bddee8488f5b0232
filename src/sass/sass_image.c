/* sass_image.c - a kernel and the functions it may call, decoded and lowered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/device_calls.h"
#include "sass/lower.h"
#include "sass/module.h"

/* Registers a wide operand may reach beyond the one it names. */
#define WIDEST 16

/* ---- what code belongs to a kernel ---- */

static void add_range(struct sass_module *m, struct sass_image *image,
                      const struct sass_kernel *function)
{
    uint32_t section = function->section;
    uint32_t n = (uint32_t)(m->cubin.section[section].size / SASS_INST_BYTES);
    image->ranges[image->n_ranges++] = (struct sass_range){.base = m->places[section].address,
                                                           .bytes = (uint64_t)n * SASS_INST_BYTES,
                                                           .first = (uint32_t)image->n_code,
                                                           .function = function};
    image->n_code += n + 1; /* behind each lies a trap */
}

/* Compilers put what only one kernel calls into the kernel's own section. */
static bool is_entry_section(const struct sass_module *m, uint32_t section)
{
    for (uint32_t i = 0; i < m->cubin.n_kernels; i++)
        if (m->cubin.kernel[i].is_entry && m->cubin.kernel[i].section == section)
            return true;
    return false;
}

static bool has_section(const struct sass_image *image, uint32_t section)
{
    for (size_t r = 0; r < image->n_ranges; r++)
        if (image->ranges[r].function->section == section)
            return true;
    return false;
}

/* The kernel, and every function with a section of its own: which of them are called is not known
 * before they are. */
static bool find_code(struct sass_module *m, struct sass_image *image)
{
    image->ranges = calloc(m->cubin.n_kernels + 1, sizeof *image->ranges);
    if (!image->ranges)
        return false;
    add_range(m, image, image->kernel);
    for (uint32_t i = 0; i < m->cubin.n_kernels; i++)
        if (!is_entry_section(m, m->cubin.kernel[i].section) &&
            !has_section(image, m->cubin.kernel[i].section))
            add_range(m, image, &m->cubin.kernel[i]);
    image->code = calloc(image->n_code, sizeof *image->code);
    return image->code;
}

void sass_image_decode(const struct sass_module *m, const struct sass_range *r, uint32_t index,
                       struct sass_inst *in)
{
    const uint8_t *at = m->places[r->function->section].bytes + (size_t)index * SASS_INST_BYTES;
    uint64_t low, high;
    memcpy(&low, at, sizeof low);
    memcpy(&high, at + 8, sizeof high);
    sass_decode(low, high, r->base + (uint64_t)index * SASS_INST_BYTES, m->cubin.arch, in);
}

/* ---- what a kernel may call ---- */

/* Marks the sections whose functions the kernel's code names, directly or through others. What is
 * called through a pointer alone is not among them. */
static void mark_called(const struct sass_module *m, bool *called)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < m->cubin.n_relocations; i++) {
            const struct sass_relocation *r = &m->cubin.relocation[i];
            uint32_t to = m->cubin.symbol[r->symbol].section;
            if (!called[r->section] || to == SASS_UNDEFINED || called[to] ||
                m->cubin.section[to].kind != SASS_SECTION_CODE)
                continue;
            called[to] = more = true;
        }
    }
}

/* A function of nobody's that the kernel or what it calls names; NULL: none. */
static const char *foreign_call(const struct sass_module *m, const bool *called)
{
    for (uint32_t i = 0; i < m->cubin.n_relocations; i++) {
        const struct sass_relocation *r = &m->cubin.relocation[i];
        if (called[r->section] && sass_symbol_is_foreign(&m->cubin.symbol[r->symbol]))
            return m->cubin.symbol[r->symbol].name;
    }
    return NULL;
}

/* ---- registers ---- */

static uint32_t highest_register(const struct sass_inst *in)
{
    struct sass_gmma_shape shape;
    uint32_t highest = 0;
    if (sass_gmma_shape(in, &shape) && in->n_operands) /* a row of registers, two a column of 8 */
        highest = in->operand[0].reg + shape.n / 2u;
    for (unsigned i = 0; i < in->n_operands; i++) {
        const struct sass_operand *o = &in->operand[i];
        bool names_one = o->kind == SASS_REG || o->kind == SASS_MEMORY || o->kind == SASS_CONST;
        if (names_one && o->reg != SASS_RZ && o->reg > highest)
            highest = o->reg;
    }
    return highest;
}

static void count_registers(struct sass_module *m, struct sass_image *image)
{
    uint32_t highest = image->kernel->registers;
    for (size_t r = 0; r < image->n_ranges; r++)
        for (uint32_t i = 0; i < image->ranges[r].bytes / SASS_INST_BYTES; i++) {
            struct sass_inst in;
            sass_image_decode(m, &image->ranges[r], i, &in);
            image->has_bulk_groups |= in.op == SASS_UTMACMDFLUSH;
            uint32_t here = highest_register(&in);
            highest = here > highest ? here : highest;
        }
    image->n_registers = highest + WIDEST;
}

/* ---- lowering ---- */

static strata_status refuse(const struct sass_module *m, const struct sass_image *image,
                            const struct sass_inst *in, const char *why, struct strata_error *err)
{
    char text[256];
    if (in->op == SASS_UNKNOWN)
        snprintf(text, sizeof text, "0x%016llx%016llx", (unsigned long long)in->high,
                 (unsigned long long)in->low);
    else
        sass_print(in, text, sizeof text);
    return strata_fail(err, STRATA_EUNSUPPORTED, m->name, 0, 0,
                       "kernel \"%s\", address 0x%llx: \"%s\" cannot be executed: %s",
                       image->base.name, (unsigned long long)(in->address - image->ranges[0].base),
                       text, why ? why : "its encoding is not known");
}

static void trap_behind(struct sass_exec *op)
{
    op->flow = SASS_CONTROL;
    op->mode = SASS_DO_TRAP;
    op->guard = SASS_PRED_TRUE;
    op->ps = SASS_PRED_TRUE;
    op->site.record = EMU_NO_INDEX;
}

/* A wait for bulk copies to be written, not only read, is followed by CCTL.IVALL: nothing else in
 * the code tells the two apart. */
static bool is_followed_by_invalidation(const struct sass_module *m, const struct sass_range *r,
                                        uint32_t i, uint32_t n)
{
    struct sass_inst in;
    for (uint32_t k = i + 1; k < n && k < i + 4; k++) {
        sass_image_decode(m, r, k, &in);
        if (in.op == SASS_CCTL)
            return true;
    }
    return false;
}

static strata_status lower_range(struct sass_module *m, struct sass_image *image,
                                 const struct sass_range *r, struct sass_lowering *l,
                                 const bool *called, struct strata_error *err)
{
    const struct sass_kernel *function = r->function;
    uint32_t n = (uint32_t)(r->bytes / SASS_INST_BYTES);
    for (uint32_t i = 0; i < n; i++) {
        struct sass_inst in;
        l->in = &in;
        l->op = &image->code[r->first + i];
        sass_image_decode(m, r, i, &in);
        bool ok = sass_lower(l);
        if (l->no_memory)
            return strata_no_memory(err, m->name, "for a kernel");
        if (!ok) {
            /* In functions that the kernel does not name there may be anything: it traps there. */
            if (!called[function->section]) {
                trap_behind(l->op);
                continue;
            }
            return refuse(m, image, &in, l->refusal, err);
        }
        if (in.op == SASS_DEPBAR)
            l->op->mode2 = is_followed_by_invalidation(m, r, i, n);
        l->op->site.line = (uint32_t)(i * SASS_INST_BYTES);
        if (!sass_static_add(m, image, &in, function, l->op))
            return strata_no_memory(err, m->name, "for a kernel");
    }
    trap_behind(&image->code[r->first + n]);
    sass_find_regions(image, r);
    if (called[function->section])
        sass_find_waiting(m, image, r);
    return STRATA_OK;
}

static uint32_t stack_bytes(const struct sass_image *image)
{
    const struct sass_kernel *k = image->kernel;
    uint32_t bytes = k->min_stack_bytes > k->frame_bytes ? k->min_stack_bytes : k->frame_bytes;
    for (size_t r = 1; r < image->n_ranges; r++)
        bytes += image->ranges[r].function->frame_bytes;
    return bytes;
}

/* Does the kernel, or what may be called from it, call printf, malloc or free? Their addresses lie
 * in a constant bank of the module: which kernel calls which of them is not told. */
static bool calls_driver(const struct sass_module *m, const struct sass_image *image)
{
    if (!image->kernel->n_syscalls && image->n_ranges < 2)
        return false;
    for (uint32_t i = 0; i < m->cubin.n_relocations; i++) {
        const struct sass_symbol *s = &m->cubin.symbol[m->cubin.relocation[i].symbol];
        if (s->section == SASS_UNDEFINED &&
            (!strcmp(s->name, "vprintf") || !strcmp(s->name, "malloc") || !strcmp(s->name, "free")))
            return true;
    }
    return false;
}

static strata_status lower_all(struct sass_module *m, struct sass_image *image,
                               struct strata_error *err)
{
    uint32_t at = image->n_registers;
    struct sass_lowering l = {.image = image, .arch = m->cubin.arch, .pool = &m->pool};
    bool *called = calloc(m->cubin.n_sections + 1, sizeof *called);
    if (!called)
        return strata_no_memory(err, m->name, "for a kernel");
    called[image->kernel->section] = true;
    mark_called(m, called);
    const char *foreign = foreign_call(m, called);
    strata_status status = STRATA_OK;
    if (foreign)
        status = strata_fail(err, STRATA_EUNSUPPORTED, m->name, 0, 0,
                             "kernel \"%s\" calls \"%s\", which machine code cannot be given",
                             image->base.name, foreign);
    l.zero_row = at * SASS_ROW_BYTES;
    l.sink_row = (at += SASS_ROWS_ZERO) * SASS_ROW_BYTES;
    l.uniform_row = (at += SASS_ROWS_SINK) * SASS_ROW_BYTES;
    for (size_t r = 0; r < image->n_ranges && status == STRATA_OK; r++)
        status = lower_range(m, image, &image->ranges[r], &l, called, err);
    if (status == STRATA_OK && calls_driver(m, image) &&
        !emu_calls_describe(&image->base, STRATA_ISA_SASS))
        status = strata_no_memory(err, m->name, "for a kernel");
    free(called);
    return status;
}

bool sass_image_build(struct sass_module *m, struct sass_image *image, struct strata_error *err)
{
    if (image->is_lowered) {
        if (image->refusal.status != STRATA_OK)
            *err = image->refusal;
        return image->refusal.status == STRATA_OK;
    }
    image->is_lowered = true;
    strata_status status = STRATA_OK;
    if (!find_code(m, image)) {
        status = strata_no_memory(err, m->name, "for a kernel");
    } else {
        count_registers(m, image);
        status = lower_all(m, image, err);
    }
    image->base.stack_bytes = stack_bytes(image);
    image->base.recursive = image->n_ranges > 1;
    image->refusal.status = status;
    if (status != STRATA_OK)
        image->refusal = *err;
    return status == STRATA_OK;
}

void sass_image_release(struct sass_image *image)
{
    for (size_t i = 0; i < image->base.n_statics; i++)
        free((void *)(uintptr_t)image->base.statics[i].opcode);
    free(image->base.statics);
    emu_image_release_record(&image->base);
    free(image->code);
    free(image->ranges);
    free(image->constants);
}
