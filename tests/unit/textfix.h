/* textfix.h - fixtures for tests of text traces: files in a scratch folder, records as text. */
#ifndef STRATA_TESTS_TEXTFIX_H
#define STRATA_TESTS_TEXTFIX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <strata/trace.h>

static char scratch[64];

static inline int make_scratch(void **state)
{
    (void)state;
    strcpy(scratch, "/tmp/strata-test-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static inline int remove_scratch(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return system(command);
}

/* The path of a file in the scratch folder; a few may be in use at once. */
static inline const char *in_scratch(const char *name)
{
    static char path[4][512];
    static unsigned turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", scratch, name);
    return p;
}

static inline const char *write_file_n(const char *name, const void *bytes, size_t n)
{
    const char *path = in_scratch(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}

static inline const char *write_file(const char *name, const char *text)
{
    return write_file_n(name, text, strlen(text));
}

/* A growing text. */
struct dump {
    char *text;
    size_t n;
};

__attribute__((format(printf, 2, 3))) static inline void dump_add(struct dump *d,
                                                                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *piece;
    int n = vasprintf(&piece, format, args);
    va_end(args);
    assert_true(n >= 0);
    d->text = realloc(d->text, d->n + (size_t)n + 1);
    memcpy(d->text + d->n, piece, (size_t)n + 1);
    d->n += (size_t)n;
    free(piece);
}

static inline void dump_record(struct dump *d, const struct strata_winst *w)
{
    static const char *const spaces[] = {"-", "global", "local", "shared", "const", "texture"};
    const struct strata_inst *i = w->inst;
    uint64_t addr[STRATA_WARP_SIZE];
    dump_add(d, "%llx %08x %s", (unsigned long long)i->pc, w->mask, i->opcode);
    for (unsigned k = 0; k < i->n_dst + i->n_src; k++)
        dump_add(d, "%s%u", k == i->n_dst ? " <R" : " R", i->reg[k]);
    if (i->memop)
        dump_add(d, " %s %u bytes", spaces[i->space], i->width_bytes);
    if (i->imm)
        dump_add(d, " imm %d", i->imm);
    if (i->source_line)
        dump_add(d, " line %u", i->source_line);
    if (w->addr_kind != STRATA_ADDR_NONE) {
        strata_winst_addresses(w, addr);
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
            if (w->mask >> lane & 1)
                dump_add(d, " %u:%llx", lane, (unsigned long long)addr[lane]);
    }
    dump_add(d, "\n");
}

static inline void dump_block(struct dump *d, const struct strata_block *b)
{
    struct strata_cursor c = {0};
    struct strata_winst w;
    dump_add(d, "block %llu\n", (unsigned long long)b->index);
    for (uint32_t warp = 0; warp < b->n_warps; warp++) {
        if (!b->warp_instructions[warp])
            continue;
        dump_add(d, "warp %u\n", warp);
        assert_int_equal(strata_cursor_init(&c, b, warp, NULL), STRATA_OK);
        while (strata_cursor_next(&c, &w))
            dump_record(d, &w);
    }
    strata_cursor_release(&c);
}

/* All records of a launch as text, and after them its warnings ("! ...") or its error ("? ..."). */
static inline void dump_launch(struct dump *d, struct strata_trace *t, size_t launch)
{
    struct strata_reader *r;
    struct strata_block *b;
    struct strata_error err;
    strata_status st = strata_reader_open(t, launch, &r, &err);
    while (!st && !(st = strata_reader_next(r, &b, &err))) {
        dump_block(d, b);
        strata_block_destroy(b);
    }
    for (size_t i = 0; r && i < strata_reader_warning_count(r); i++)
        dump_add(d, "! %s\n", strata_reader_warning(r, i));
    if (st != STRATA_END) {
        char text[1400];
        strata_error_text(&err, text, sizeof text);
        dump_add(d, "? %s\n", text);
    }
    strata_reader_close(r);
}

static inline struct dump dump_trace(const char *path, const struct strata_trace_options *opt)
{
    struct dump d = {strdup(""), 0};
    struct strata_trace *t;
    struct strata_error err;
    if (strata_trace_open(path, opt, &t, &err)) {
        char text[1400];
        strata_error_text(&err, text, sizeof text);
        dump_add(&d, "? %s\n", text);
        return d;
    }
    for (size_t i = 0; i < strata_trace_launch_count(t); i++)
        dump_launch(&d, t, i);
    strata_trace_close(t);
    return d;
}

/* The dump without the scratch folder's name. */
static inline void expect_dump(const char *path, const struct strata_trace_options *opt,
                               const char *expected)
{
    struct dump d = dump_trace(path, opt);
    char prefix[80];
    size_t n = (size_t)snprintf(prefix, sizeof prefix, "%s/", scratch);
    for (char *p; (p = strstr(d.text, prefix));)
        memmove(p, p + n, strlen(p + n) + 1);
    assert_string_equal(d.text, expected);
    free(d.text);
}

#endif
