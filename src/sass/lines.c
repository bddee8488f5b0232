/* lines.c - source lines of machine code from .debug_line (DWARF 2 to 4, as nvcc -lineinfo and -G
 * write it; the standard's section 6.2). A sequence begins at an address that a relocation names:
 * the function it belongs to. NVIDIA's opcode 0x90 says by which row of the sequence, counted from
 * 1, what follows was inlined (0: not at all): such code gets the line of the outermost call, as in
 * src/ptx, and a place in the cubin's list of inlined ones. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/little.h"
#include "sass/cubin_parts.h"

enum standard_opcode {
    LNS_COPY = 1,
    LNS_ADVANCE_PC,
    LNS_ADVANCE_LINE,
    LNS_SET_FILE,
    LNS_SET_COLUMN,
    LNS_NEGATE_STMT,
    LNS_SET_BASIC_BLOCK,
    LNS_CONST_ADD_PC,
    LNS_FIXED_ADVANCE_PC
};
enum extended_opcode { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS = 2, LNE_INLINED_CALL = 0x90 };
#define MAX_VERSION 4

struct bytes {
    const uint8_t *at, *end;
    bool bad; /* something was missing: everything read since is 0 */
};

static uint64_t take(struct bytes *b, size_t n)
{
    if ((size_t)(b->end - b->at) < n) {
        b->bad = true;
        b->at = b->end;
        return 0;
    }
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)b->at[i] << 8 * i;
    b->at += n;
    return v;
}

static uint64_t take_uleb(struct bytes *b)
{
    uint64_t v = 0, byte;
    unsigned shift = 0;
    do {
        byte = take(b, 1);
        if (shift < 64)
            v |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !b->bad);
    return v;
}

static int64_t take_sleb(struct bytes *b)
{
    uint64_t v = 0, byte;
    unsigned shift = 0;
    do {
        byte = take(b, 1);
        if (shift < 64)
            v |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !b->bad);
    if (byte & 0x40 && shift < 64)
        v |= ~UINT64_C(0) << shift;
    return (int64_t)v;
}

static const char *take_string(struct bytes *b)
{
    const uint8_t *nul = b->at < b->end ? memchr(b->at, 0, (size_t)(b->end - b->at)) : NULL;
    if (!nul) {
        b->bad = true;
        b->at = b->end;
        return "";
    }
    const char *text = (const char *)b->at;
    b->at = nul + 1;
    return text;
}

/* Where a row's code was written: the outermost call where it was inlined. */
struct place {
    uint32_t file;
    uint64_t line;
    uint32_t inlined; /* number of the place itself then */
};

/* A unit's program: its registers, its tables, and where the lines go. */
struct unit {
    struct sass_cubin *c;
    const uint8_t *section; /* begin of .debug_line */
    uint32_t section_index;
    size_t files_cap, dirs_cap, inlined_cap;
    uint32_t first_file; /* of this unit in c->file */
    uint32_t n_files;
    const char **dir;
    size_t n_dirs;
    uint8_t min_instruction, line_range, opcode_base;
    int8_t line_base;
    const uint8_t *opcode_lengths;
    struct sass_kernel *kernel; /* of the sequence; NULL: not known */
    uint64_t address, line;
    uint32_t file;
    uint64_t call; /* row that called what is inlined here; 0: not inlined */
    struct place *row;
    size_t n_rows, rows_cap;
};

static bool add_file(struct unit *u, const char *dir, const char *name)
{
    struct sass_cubin *c = u->c;
    size_t n = c->n_files;
    if (!ARRAY_RESERVE(c->file, n, u->files_cap, 1))
        return false;
    size_t length = strlen(dir) + strlen(name) + 2;
    char *path = malloc(length);
    if (!path)
        return false;
    bool joined = *dir && *name != '/';
    memcpy(path, dir, joined ? strlen(dir) : 0);
    if (joined)
        path[strlen(dir)] = '/';
    strcpy(path + (joined ? strlen(dir) + 1 : 0), name);
    c->file[c->n_files++] = path;
    u->n_files++;
    return true;
}

static bool read_tables(struct unit *u, struct bytes *b)
{
    for (const char *dir; *(dir = take_string(b)) && !b->bad;) {
        if (!ARRAY_RESERVE(u->dir, u->n_dirs, u->dirs_cap, 1))
            return false;
        u->dir[u->n_dirs++] = dir;
    }
    for (const char *name; *(name = take_string(b)) && !b->bad;) {
        uint64_t dir = take_uleb(b);
        take_uleb(b); /* time */
        take_uleb(b); /* length */
        if (!add_file(u, dir && dir <= u->n_dirs ? u->dir[dir - 1] : "", name))
            return false;
    }
    return true;
}

/* The place of a row that was inlined at another one's. */
static bool add_inlined(struct unit *u, struct place *at)
{
    struct sass_cubin *c = u->c;
    size_t n = c->n_inlined;
    if (!u->file || u->file > u->n_files)
        return true;
    const struct sass_inlined x = {u->first_file + u->file - 1, (uint32_t)u->line, at->inlined};
    at->inlined = n && !memcmp(&c->inlined[n - 1], &x, sizeof x) ? (uint32_t)n : (uint32_t)n + 1;
    if (at->inlined == n)
        return true;
    if (!ARRAY_RESERVE(c->inlined, n, u->inlined_cap, 1))
        return false;
    c->inlined[c->n_inlined++] = x;
    return true;
}

static bool add_row(struct unit *u)
{
    if (!ARRAY_RESERVE(u->row, u->n_rows, u->rows_cap, 1))
        return false;
    bool inlined = u->call && u->call <= u->n_rows;
    struct place at = inlined ? u->row[u->call - 1] : (struct place){u->file, u->line, 0};
    if (inlined && !add_inlined(u, &at))
        return false;
    u->row[u->n_rows++] = at;
    return true;
}

static bool add_line(struct unit *u)
{
    struct sass_kernel *k = u->kernel;
    if (!add_row(u))
        return false;
    const struct place *at = &u->row[u->n_rows - 1];
    if (!k || !at->file || at->file > u->n_files)
        return true;
    uint32_t file = u->first_file + at->file - 1;
    if (k->n_lines && k->line[k->n_lines - 1].address == u->address)
        k->n_lines--; /* the last one given for an address counts */
    /* room for 16, 32, 64, ... : a full array has a power of two of them */
    uint32_t n = k->n_lines;
    if (!n ? !k->line : n >= 16 && !(n & (n - 1))) {
        struct sass_line *more = realloc(k->line, (n ? 2 * (size_t)n : 16) * sizeof *more);
        if (!more)
            return false;
        k->line = more;
    }
    k->line[k->n_lines++] = (struct sass_line){u->address, file, (uint32_t)at->line, at->inlined};
    return true;
}

static void begin_sequence(struct unit *u)
{
    u->kernel = NULL;
    u->address = 0;
    u->file = 1;
    u->line = 1;
    u->call = 0;
    u->n_rows = 0;
}

/* The function whose address the operand at this place of the section is relocated to. */
static void begin_at(struct unit *u, const uint8_t *operand, uint64_t value)
{
    const struct sass_cubin *c = u->c;
    uint64_t place = (uint64_t)(operand - u->section);
    u->kernel = NULL;
    u->address = value;
    for (uint32_t i = 0; i < c->n_relocations; i++) {
        const struct sass_relocation *r = &c->relocation[i];
        if (r->section != u->section_index || r->offset != place)
            continue;
        const struct sass_symbol *s = &c->symbol[r->symbol];
        if (s->section != SASS_UNDEFINED && c->section[s->section].kernel != SASS_NO_KERNEL &&
            c->section[s->section].kind == SASS_SECTION_CODE) {
            u->kernel = &u->c->kernel[c->section[s->section].kernel];
            u->address = s->value + (uint64_t)r->addend;
        }
    }
}

static bool extended(struct unit *u, struct bytes *b)
{
    uint64_t length = take_uleb(b);
    if (length > (uint64_t)(b->end - b->at))
        b->bad = true;
    if (b->bad || !length)
        return true;
    struct bytes inner = {b->at, b->at + length, false};
    b->at += length;
    uint8_t opcode = (uint8_t)take(&inner, 1);
    if (opcode == LNE_SET_ADDRESS) {
        const uint8_t *operand = inner.at;
        begin_at(u, operand, take(&inner, length - 1 < 8 ? length - 1 : 8));
    } else if (opcode == LNE_INLINED_CALL) {
        u->call = take_uleb(&inner);
    } else if (opcode == LNE_END_SEQUENCE) {
        begin_sequence(u);
    }
    return true;
}

static bool special(struct unit *u, uint8_t opcode)
{
    unsigned adjusted = (unsigned)opcode - u->opcode_base;
    u->address += (uint64_t)(adjusted / u->line_range) * u->min_instruction;
    u->line += (uint64_t)(int64_t)(u->line_base + (int)(adjusted % u->line_range));
    return add_line(u);
}

static bool step(struct unit *u, struct bytes *b)
{
    uint8_t opcode = (uint8_t)take(b, 1);
    if (opcode >= u->opcode_base)
        return special(u, opcode);
    switch (opcode) {
    case 0:
        return extended(u, b);
    case LNS_COPY:
        return add_line(u);
    case LNS_ADVANCE_PC:
        u->address += take_uleb(b) * u->min_instruction;
        return true;
    case LNS_ADVANCE_LINE:
        u->line += (uint64_t)take_sleb(b);
        return true;
    case LNS_SET_FILE:
        u->file = (uint32_t)take_uleb(b);
        return true;
    case LNS_CONST_ADD_PC:
        u->address += (uint64_t)((255u - u->opcode_base) / u->line_range) * u->min_instruction;
        return true;
    case LNS_FIXED_ADVANCE_PC:
        u->address += take(b, 2);
        return true;
    default:
        for (uint8_t i = 0; i < u->opcode_lengths[opcode - 1]; i++)
            take_uleb(b);
        return true;
    }
}

/* Header and program of one unit, whose bytes after the length are b. */
static bool read_unit(struct unit *u, struct bytes b)
{
    uint64_t version = take(&b, 2), header = take(&b, 4);
    if (b.bad || version < 2 || version > MAX_VERSION || header > (uint64_t)(b.end - b.at))
        return true;
    struct bytes program = {b.at + header, b.end, false};
    struct bytes h = {b.at, b.at + header, false};
    u->min_instruction = (uint8_t)take(&h, 1);
    if (version >= 4)
        take(&h, 1); /* operations per instruction */
    take(&h, 1);     /* default is_stmt */
    u->line_base = (int8_t)take(&h, 1);
    u->line_range = (uint8_t)take(&h, 1);
    u->opcode_base = (uint8_t)take(&h, 1);
    u->opcode_lengths = h.at;
    for (unsigned i = 1; i < u->opcode_base; i++)
        take(&h, 1);
    if (h.bad || !u->line_range || !u->opcode_base)
        return true;
    u->first_file = u->c->n_files;
    u->n_files = 0;
    u->n_dirs = 0;
    if (!read_tables(u, &h))
        return false;
    begin_sequence(u);
    while (program.at < program.end && !program.bad)
        if (!step(u, &program))
            return false;
    return true;
}

static bool read_section(struct sass_cubin *c, uint32_t index)
{
    const struct sass_section *s = &c->section[index];
    struct unit u = {.c = c, .section = s->bytes, .section_index = index};
    struct bytes b = {s->bytes, s->bytes + s->size, false};
    bool ok = true;
    while (ok && b.end - b.at >= 4) {
        uint64_t length = take(&b, 4);
        if (length > (uint64_t)(b.end - b.at))
            break;
        ok = read_unit(&u, (struct bytes){b.at, b.at + length, false});
        b.at += length;
    }
    free(u.dir);
    free(u.row);
    return ok;
}

static int by_address(const void *a, const void *b)
{
    const struct sass_line *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

bool sass_read_lines(struct sass_cubin *c)
{
    for (uint32_t i = 0; i < c->n_sections; i++)
        if (c->section[i].bytes && !strcmp(c->section[i].name, ".debug_line") &&
            !read_section(c, i))
            return false;
    for (uint32_t i = 0; i < c->n_kernels; i++)
        if (c->kernel[i].n_lines)
            qsort(c->kernel[i].line, c->kernel[i].n_lines, sizeof *c->kernel[i].line, by_address);
    return true;
}
