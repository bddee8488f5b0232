/* truth_text.c - the Accel-Sim reader and writer against the H200 truth set.
 *
 * usage: truth_text count TRUTH             every trace has the counted warp instructions
 *        truth_text roundtrip TRUTH [PROGRAM...]   text -> native -> text -> native keeps every record
 *
 * Without the truth set the test is skipped (exit code 77). */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <strata/trace.h>

static int n_bad, n_good;

static void give_up(const struct strata_error *err)
{
    char text[1400];
    strata_error_text(err, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static void bad(const char *program, const char *trace, const char *what)
{
    printf("%s/%s: %s\n", program, trace, what);
    n_bad++;
}

/* ---- counts ---- */

/* Warp instructions of a launch; *warnings counts what the reader had to say. */
static uint64_t count_launch(struct strata_trace *t, size_t launch, size_t *warnings)
{
    struct strata_reader *r;
    struct strata_block *b;
    struct strata_error err;
    uint64_t n = 0;
    strata_status st;
    if (strata_reader_open(t, launch, &r, &err))
        give_up(&err);
    while (!(st = strata_reader_next(r, &b, &err))) {
        for (uint32_t w = 0; w < b->n_warps; w++)
            n += b->warp_instructions[w];
        strata_block_destroy(b);
    }
    if (st != STRATA_END)
        give_up(&err);
    *warnings = strata_reader_warning_count(r);
    for (size_t i = 0; i < *warnings; i++)
        printf("  %s\n", strata_reader_warning(r, i));
    strata_reader_close(r);
    return n;
}

/* Field `column` of a line without quotes, or NULL. */
static char *field(char *line, int column, char *out, size_t size)
{
    for (; column; column--)
        if (!(line = strchr(line, ',')))
            return NULL;
        else
            line++;
    snprintf(out, size, "%.*s", (int)strcspn(line, ",\n"), line);
    return out;
}

static int find_column(char *header, const char *name)
{
    char text[256];
    for (int i = 0; field(header, i, text, sizeof text); i++)
        if (!strcmp(text, name))
            return i;
    return -1;
}

/* The README of the set names two traces that lost their last records: 0.06 % and 0.015 %. */
static bool lost_records(const char *program, const char *trace, uint64_t counted, uint64_t read)
{
    bool known = (!strcmp(program, "ml_softmax") && !strcmp(trace, "kernel-2.traceg.xz")) ||
                 (!strcmp(program, "poly_GEMM") && !strcmp(trace, "kernel-1.traceg.xz"));
    return known && read < counted && (double)(counted - read) < 0.0007 * (double)counted;
}

static void count_row(const char *truth, char *line, int column)
{
    char program[256], trace[256], value[64], path[1024];
    struct strata_trace *t;
    struct strata_error err;
    size_t warnings;
    if (!field(line, 0, program, sizeof program) || !field(line, 2, trace, sizeof trace) ||
        !field(line, column, value, sizeof value))
        return;
    snprintf(path, sizeof path, "%s/%s/%s", truth, program, trace);
    if (strata_trace_open(path, NULL, &t, &err))
        give_up(&err);
    uint64_t counted = strtoull(value, NULL, 10), read = count_launch(t, 0, &warnings);
    if (strcmp(strata_trace_launch(t, 0)->program, program) || strcmp(strata_trace_launch(t, 0)->trace, trace))
        bad(program, trace, "has another name in the trace than in the counters");
    if (warnings)
        bad(program, trace, "gives warnings");
    if (read != counted && !lost_records(program, trace, counted, read)) {
        printf("%s/%s: %llu warp instructions, but %llu were counted\n", program, trace, (unsigned long long)read,
               (unsigned long long)counted);
        n_bad++;
    } else {
        n_good++;
    }
    strata_trace_close(t);
}

static void count_all(const char *truth)
{
    static char line[65536];
    char path[1024];
    snprintf(path, sizeof path, "%s/counters.csv", truth);
    FILE *f = fopen(path, "r");
    if (!f || !fgets(line, sizeof line, f))
        exit(77);
    int column = find_column(line, "smsp__inst_executed.sum");
    while (fgets(line, sizeof line, f))
        count_row(truth, line, column);
    fclose(f);
}

/* ---- round trips ---- */

static void copy(const char *from, const char *to, const char *format)
{
    struct strata_trace *t;
    struct strata_writer *w;
    struct strata_reader *r;
    struct strata_block *b;
    struct strata_error err;
    struct strata_writer_options opt = {.format = format, .compression_level = 1};
    strata_status st = strata_trace_open(from, NULL, &t, &err);
    if (!st)
        st = strata_writer_create(to, &opt, &w, &err);
    for (size_t i = 0; !st && i < strata_trace_event_count(t); i++) {
        const struct strata_event *e = strata_trace_event(t, i);
        if (e->kind != STRATA_EVENT_LAUNCH) {
            st = strata_writer_memcpy(w, e->kind, e->address, e->bytes, &err);
            continue;
        }
        st = strata_reader_open(t, e->launch, &r, &err);
        if (!st)
            st = strata_writer_begin_launch(w, strata_reader_launch(r), strata_reader_code(r), &err);
        while (!st && !(st = strata_reader_next(r, &b, &err))) {
            st = strata_writer_block(w, b, &err);
            strata_block_destroy(b);
        }
        if (st == STRATA_END)
            st = strata_writer_end_launch(w, &err);
        strata_reader_close(r);
    }
    if (!st)
        st = strata_writer_finish(w, &err);
    if (st)
        give_up(&err);
    strata_trace_close(t);
}

static bool same_inst(const struct strata_inst *a, const struct strata_inst *b)
{
    return a->pc == b->pc && !strcmp(a->opcode, b->opcode) && a->source_line == b->source_line && a->imm == b->imm &&
           a->hints == b->hints && a->opclass == b->opclass && a->space == b->space && a->memop == b->memop &&
           a->width_bytes == b->width_bytes && a->trace_width == b->trace_width && a->n_dst == b->n_dst &&
           a->n_src == b->n_src && !memcmp(a->reg, b->reg, sizeof a->reg[0] * (a->n_dst + a->n_src));
}

static bool same_record(const struct strata_winst *a, const struct strata_winst *b)
{
    uint64_t x[STRATA_WARP_SIZE], y[STRATA_WARP_SIZE];
    if (!same_inst(a->inst, b->inst) || a->mask != b->mask || a->addr_kind != b->addr_kind)
        return false;
    strata_winst_addresses(a, x);
    strata_winst_addresses(b, y);
    return !memcmp(x, y, sizeof x);
}

static bool same_block(const struct strata_block *a, const struct strata_block *b)
{
    static struct strata_cursor ca, cb;
    struct strata_winst x, y;
    if (a->index != b->index || a->n_warps != b->n_warps)
        return false;
    for (uint32_t w = 0; w < a->n_warps; w++) {
        if (a->warp_instructions[w] != b->warp_instructions[w])
            return false;
        if (strata_cursor_init(&ca, a, w, NULL) || strata_cursor_init(&cb, b, w, NULL))
            exit(1);
        while (strata_cursor_next(&ca, &x))
            if (!strata_cursor_next(&cb, &y) || !same_record(&x, &y))
                return false;
    }
    return true;
}

static bool same_launch(const struct strata_launch *a, const struct strata_launch *b)
{
    return !strcmp(a->trace, b->trace) && !strcmp(a->kernel, b->kernel) && a->id == b->id &&
           !memcmp(&a->grid, &b->grid, sizeof a->grid) && !memcmp(&a->block, &b->block, sizeof a->block) &&
           a->registers_per_thread == b->registers_per_thread &&
           a->shared_static_bytes + a->shared_dynamic_bytes == b->shared_static_bytes + b->shared_dynamic_bytes &&
           a->sm_version == b->sm_version && a->isa == b->isa && a->stream == b->stream &&
           a->shared_base == b->shared_base && a->local_base == b->local_base;
}

static bool same_blocks(struct strata_trace *ta, struct strata_trace *tb, size_t launch)
{
    struct strata_reader *ra, *rb;
    struct strata_block *a, *b;
    struct strata_error err;
    if (strata_reader_open(ta, launch, &ra, &err) || strata_reader_open(tb, launch, &rb, &err))
        give_up(&err);
    bool same = true;
    strata_status sa, sb;
    do {
        sa = strata_reader_next(ra, &a, &err);
        sb = strata_reader_next(rb, &b, &err);
        same = same && sa == sb && (sa || same_block(a, b));
        strata_block_destroy(a);
        strata_block_destroy(b);
    } while (same && !sa);
    strata_reader_close(ra);
    strata_reader_close(rb);
    return same && sa == STRATA_END;
}

static void compare(const char *program, const char *one, const char *two)
{
    struct strata_trace *a, *b;
    struct strata_error err;
    if (strata_trace_open(one, NULL, &a, &err) || strata_trace_open(two, NULL, &b, &err))
        give_up(&err);
    if (strata_trace_launch_count(a) != strata_trace_launch_count(b) ||
        strata_trace_event_count(a) != strata_trace_event_count(b))
        bad(program, "", "has another number of launches or copies after the round trip");
    for (size_t i = 0; i < strata_trace_event_count(a) && i < strata_trace_event_count(b); i++)
        if (memcmp(strata_trace_event(a, i), strata_trace_event(b, i), sizeof(struct strata_event)))
            bad(program, "", "has another copy or order after the round trip");
    for (size_t i = 0; i < strata_trace_launch_count(a) && i < strata_trace_launch_count(b); i++) {
        const struct strata_launch *launch = strata_trace_launch(a, i);
        if (!same_launch(launch, strata_trace_launch(b, i)))
            bad(program, launch->trace, "has another header after the round trip");
        else if (!same_blocks(a, b, i))
            bad(program, launch->trace, "has other records after the round trip");
        else
            n_good++;
    }
    strata_trace_close(a);
    strata_trace_close(b);
}

static void round_trip(const char *truth, const char *program, const char *scratch)
{
    char from[1024], one[256], text[256], two[256], command[1024];
    snprintf(from, sizeof from, "%s/%s", truth, program);
    snprintf(one, sizeof one, "%s/one.strata", scratch);
    snprintf(text, sizeof text, "%s/text", scratch);
    snprintf(two, sizeof two, "%s/two.strata", scratch);
    copy(from, one, "strata");
    copy(one, text, "accelsim");
    copy(text, two, "strata");
    compare(program, one, two);
    compare(program, from, two); /* and the first conversion lost nothing */
    snprintf(command, sizeof command, "rm -rf '%s' '%s' '%s'", one, text, two);
    if (system(command))
        exit(1);
}

static void round_trip_all(const char *truth, const char *scratch)
{
    struct dirent **entry;
    int n = scandir(truth, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char list[1024];
        snprintf(list, sizeof list, "%s/%s/kernelslist.g", truth, entry[i]->d_name);
        if (!access(list, F_OK))
            round_trip(truth, entry[i]->d_name, scratch);
        free(entry[i]);
    }
    free(entry);
}

int main(int argc, char **argv)
{
    char scratch[] = "/tmp/strata-truth-XXXXXX", command[64];
    if (argc < 3)
        return 2;
    if (access(argv[2], R_OK)) {
        printf("skipped: there is no truth set at %s\n", argv[2]);
        return 77;
    }
    if (!strcmp(argv[1], "count")) {
        count_all(argv[2]);
    } else {
        if (!mkdtemp(scratch))
            return 1;
        for (int i = 3; i < argc; i++)
            round_trip(argv[2], argv[i], scratch);
        if (argc == 3)
            round_trip_all(argv[2], scratch);
        snprintf(command, sizeof command, "rm -rf %s", scratch);
        if (system(command))
            return 1;
    }
    printf("%d good, %d bad\n", n_good, n_bad);
    return n_bad || !n_good;
}
