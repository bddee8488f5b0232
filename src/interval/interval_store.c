/* interval_store.c - profiles in memory and as JSON. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "interval/interval_profile.h"

#define FORMAT_NAME "strata.interval-profile/2"
enum { LIMIT_BYTES = 1 << 30 };

/* ---- memory ---- */

strata_status strata_interval_create(struct strata_interval_profile **out, struct strata_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? STRATA_OK : strata_no_memory(err, NULL, "for an interval profile");
}

struct interval_launch *profile_add(struct strata_interval_profile *p)
{
    if (p->n == p->cap) {
        size_t cap = p->cap ? p->cap * 2 : 16;
        struct interval_launch *grown = realloc(p->launch, cap * sizeof *grown);
        if (!grown)
            return NULL;
        p->launch = grown;
        p->cap = cap;
    }
    memset(&p->launch[p->n], 0, sizeof *p->launch);
    return &p->launch[p->n++];
}

void launch_release(struct interval_launch *l)
{
    free(l->program);
    free(l->trace);
    free(l->kernel);
    free(l->interval);
    free(l->late_interval);
    memset(l, 0, sizeof *l);
}

void free_launches(struct strata_interval_profile *p)
{
    for (size_t i = 0; i < p->n; i++)
        launch_release(&p->launch[i]);
    free(p->launch);
    memset(p, 0, sizeof *p);
}

void strata_interval_destroy(struct strata_interval_profile *p)
{
    if (!p)
        return;
    free_launches(p);
    free(p);
}

size_t strata_interval_count(const struct strata_interval_profile *p)
{
    return p->n;
}

void strata_interval_follow_scripts(struct strata_interval_profile *p, bool follow)
{
    p->scripts = follow;
}

const char *strata_interval_program(const struct strata_interval_profile *p, size_t i)
{
    return p->launch[i].program;
}

const char *strata_interval_trace(const struct strata_interval_profile *p, size_t i)
{
    return p->launch[i].trace;
}

/* ---- fields: one table for both directions ---- */

#define NUMBER(name)                                                                               \
    {                                                                                              \
#name, offsetof(struct interval_launch, name)                                              \
    }
static const struct field {
    const char *name;
    size_t offset;
} fields[] = {NUMBER(blocks),
              NUMBER(warps_per_block),
              NUMBER(blocks_per_sm),
              NUMBER(instructions),
              NUMBER(warps),
              NUMBER(code_lines),
              NUMBER(l1_cycles),
              NUMBER(l2_cycles),
              NUMBER(dram_cycles),
              NUMBER(l2_miss_ratio),
              NUMBER(paths),
              NUMBER(cluster_share),
              NUMBER(representative),
              NUMBER(lsu_cycles),
              NUMBER(l1_miss_sectors),
              NUMBER(l2_requests),
              NUMBER(l2_sectors),
              NUMBER(l2_write_sectors),
              NUMBER(atomic_sectors),
              NUMBER(dram_read_sectors),
              NUMBER(dram_write_sectors),
              NUMBER(sector_bytes),
              NUMBER(scripts),
              NUMBER(longest_cycles),
              NUMBER(longest_late_cycles),
              NUMBER(longest_l1_waits),
              NUMBER(longest_l2_waits),
              NUMBER(longest_dram_waits),
              NUMBER(longest_late_l1_waits),
              NUMBER(longest_late_l2_waits),
              NUMBER(longest_late_dram_waits)};
#define IFIELD(name) offsetof(struct interval, name)
/* One interval is a list of numbers in this order, then its cause. */
static const size_t columns[] = {IFIELD(count),
                                 IFIELD(n),
                                 IFIELD(stall_cycles),
                                 IFIELD(p1),
                                 IFIELD(p2),
                                 IFIELD(read_misses),
                                 IFIELD(write_requests),
                                 IFIELD(l2_read_misses),
                                 IFIELD(l2_write_misses),
                                 IFIELD(mean_read),
                                 IFIELD(mean_write),
                                 IFIELD(mean_l2_read),
                                 IFIELD(mean_l2_write)};
enum {
    N_FIELDS = sizeof fields / sizeof fields[0],
    N_COLUMNS = sizeof columns / sizeof columns[0]
};

static double *number_at(void *base, size_t offset)
{
    return (double *)(void *)((char *)base + offset);
}

/* ---- writing ---- */

static json_t *interval_to_json(struct interval *i)
{
    json_t *row = json_array();
    for (int c = 0; c < N_COLUMNS; c++)
        json_array_append_new(row, json_real(*number_at(i, columns[c])));
    json_array_append_new(row, json_integer(i->cause));
    return row;
}

static json_t *launch_to_json(struct interval_launch *l)
{
    json_t *o = json_object(), *rows = json_array(), *late = json_array(), *pipes = json_array();
    json_object_set_new(o, "program", json_string(l->program));
    json_object_set_new(o, "trace", json_string(l->trace));
    json_object_set_new(o, "kernel", json_string(l->kernel));
    json_object_set_new(o, "id", json_integer((json_int_t)l->id));
    for (int f = 0; f < N_FIELDS; f++)
        json_object_set_new(o, fields[f].name, json_real(*number_at(l, fields[f].offset)));
    for (int p = 0; p < SM_N_PIPES; p++)
        json_array_append_new(pipes, json_real(l->pipe_cycles[p]));
    for (size_t i = 0; i < l->n_intervals; i++)
        json_array_append_new(rows, interval_to_json(&l->interval[i]));
    json_object_set_new(o, "pipe_cycles", pipes);
    for (size_t i = 0; i < l->n_late_intervals; i++)
        json_array_append_new(late, interval_to_json(&l->late_interval[i]));
    json_object_set_new(o, "intervals", rows);
    json_object_set_new(o, "late_intervals", late);
    return o;
}

static json_t *profile_to_json(const struct strata_interval_profile *p)
{
    json_t *root = json_object(), *list = json_array();
    for (size_t i = 0; i < p->n; i++)
        json_array_append_new(list, launch_to_json(&p->launch[i]));
    json_object_set_new(root, "format", json_string(FORMAT_NAME));
    json_object_set_new(root, "launches", list);
    return root;
}

strata_status strata_interval_save(const struct strata_interval_profile *p, const char *path,
                                   struct strata_error *err)
{
    char temporary[4096];
    json_t *root = profile_to_json(p);
    snprintf(temporary, sizeof temporary, "%s.part", path);
    bool written = json_dump_file(root, temporary, JSON_COMPACT | JSON_REAL_PRECISION(17)) == 0 &&
                   rename(temporary, path) == 0;
    json_decref(root);
    if (written)
        return STRATA_OK;
    unlink(temporary);
    return strata_fail(err, STRATA_EIO, path, 0, 0, "the interval profile cannot be written: %s.",
                       strerror(errno));
}

strata_status interval_to_text(const struct strata_interval_profile *p, char **text, size_t *length,
                               struct strata_error *err)
{
    json_t *root = profile_to_json(p);
    *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(root);
    if (!*text)
        return strata_no_memory(err, NULL, "to write an interval profile");
    *length = strlen(*text);
    return STRATA_OK;
}

/* ---- reading ---- */

static bool read_number(const json_t *v, double *out)
{
    if (!json_is_number(v))
        return false;
    *out = json_number_value(v);
    return true;
}

static bool read_text(const json_t *o, const char *key, char **out)
{
    const char *text = json_string_value(json_object_get(o, key));
    *out = text ? strdup(text) : NULL;
    return *out != NULL;
}

static bool read_intervals(const json_t *rows, struct interval **out, size_t *count)
{
    size_t n = json_array_size(rows);
    struct interval *list = *out = calloc(n + 1, sizeof *list);
    bool good = list && n > 0;
    for (size_t i = 0; good && i < n; i++) {
        const json_t *row = json_array_get(rows, i), *cause = json_array_get(row, N_COLUMNS);
        for (int c = 0; good && c < N_COLUMNS; c++)
            good = read_number(json_array_get(row, (size_t)c), number_at(&list[i], columns[c]));
        good = good && json_is_integer(cause);
        list[i].cause = (uint32_t)json_integer_value(cause);
    }
    *count = good ? n : 0;
    return good;
}

static bool read_launch(const json_t *o, struct interval_launch *l)
{
    const json_t *pipes = json_object_get(o, "pipe_cycles");
    bool good = read_text(o, "program", &l->program) && read_text(o, "trace", &l->trace) &&
                read_text(o, "kernel", &l->kernel);
    l->id = (uint64_t)json_integer_value(json_object_get(o, "id"));
    for (int f = 0; good && f < N_FIELDS; f++)
        good = read_number(json_object_get(o, fields[f].name), number_at(l, fields[f].offset));
    for (int p = 0; good && p < SM_N_PIPES; p++)
        good = read_number(json_array_get(pipes, (size_t)p), &l->pipe_cycles[p]);
    /* What evaluations divide by. */
    good = good && l->blocks >= 1 && l->blocks_per_sm >= 1 && l->warps_per_block >= 1 &&
           l->instructions >= 1;
    return good && read_intervals(json_object_get(o, "intervals"), &l->interval, &l->n_intervals) &&
           read_intervals(json_object_get(o, "late_intervals"), &l->late_interval,
                          &l->n_late_intervals);
}

static strata_status read_profile(const json_t *root, const char *path,
                                  struct strata_interval_profile *p, struct strata_error *err)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *list = json_object_get(root, "launches");
    if (!format || strcmp(format, FORMAT_NAME))
        return strata_fail(err, STRATA_EFORMAT, path, 0, 0,
                           "this is no interval profile: its \"format\" is not \"" FORMAT_NAME
                           "\".");
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct interval_launch *l = profile_add(p);
        if (!l)
            return strata_no_memory(err, path, "for an interval profile");
        if (!read_launch(json_array_get(list, i), l))
            return strata_fail(err, STRATA_EFORMAT, path, 0, 0,
                               "launch %zu of the interval profile lacks a number or has one that "
                               "cannot be; write the profile again.",
                               i);
    }
    return STRATA_OK;
}

strata_status interval_from_text(const char *text, size_t length, const char *path,
                                 struct strata_interval_profile **out, struct strata_error *err)
{
    json_error_t at;
    json_t *root = json_loadb(text, length, 0, &at);
    if (!root)
        return strata_fail(err, STRATA_EFORMAT, path, at.line > 0 ? (uint32_t)at.line : 0, 0,
                           "this is no JSON: %s.", at.text);
    strata_status st = strata_interval_create(out, err);
    if (st == STRATA_OK) {
        st = read_profile(root, path, *out, err);
        if (st != STRATA_OK) {
            strata_interval_destroy(*out);
            *out = NULL;
        }
    }
    json_decref(root);
    return st;
}

strata_status strata_interval_load(const char *path, struct strata_interval_profile **out,
                                   struct strata_error *err)
{
    char *text;
    size_t length;
    strata_status st = strata_file_read(path, LIMIT_BYTES, &text, &length, err);
    if (st != STRATA_OK)
        return st;
    st = interval_from_text(text, length, path, out, err);
    free(text);
    return st;
}
