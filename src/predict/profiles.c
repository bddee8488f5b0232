/* profiles.c - profiles of launches, made once and kept in a file. */
#include "predict/profiles.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <strata/files.h>

#include "base/array.h"
#include "base/file.h"
#include "predict/reader_warnings.h"

#define FORMAT "strata.profiles/1"
enum { LARGEST_FILE_BYTES = 1 << 30 };

/* A launch is known by its names and shape, its profile also by the hash of what it depends on. */
struct entry {
    char *key;
    void *profile;
};

struct strata_profiles {
    const struct strata_model *model;
    const struct strata_profiled_model *profiled;
    pthread_mutex_t lock; /* guards the list */
    struct entry *entry;
    size_t n, cap, n_loaded;
};

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the profiles of launches");
}

void strata_profiles_destroy(struct strata_profiles *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n; i++) {
        free(p->entry[i].key);
        p->profiled->destroy(p->entry[i].profile);
    }
    free(p->entry);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

size_t strata_profiles_added(const struct strata_profiles *p)
{
    return p->n - p->n_loaded;
}

/* Takes over both. */
static strata_status add_entry(struct strata_profiles *p, char *key, void *profile,
                               struct strata_error *err)
{
    if (!key || !ARRAY_RESERVE(p->entry, p->n, p->cap, 1)) {
        free(key);
        p->profiled->destroy(profile);
        return no_memory(err);
    }
    p->entry[p->n++] = (struct entry){key, profile};
    return STRATA_OK;
}

/* ---- the file ---- */

static strata_status read_entry(struct strata_profiles *p, const json_t *o, const char *path,
                                struct strata_error *err)
{
    const char *key = json_string_value(json_object_get(o, "launch"));
    char *text = json_dumps(json_object_get(o, "profile"), JSON_COMPACT | JSON_REAL_PRECISION(17));
    void *profile = NULL;
    strata_status status;
    if (!key || !text)
        status =
            strata_fail(err, STRATA_EFORMAT, path, 0, 0,
                        "profile %zu has no launch or no content; write the file again.", p->n + 1);
    else
        status = p->profiled->from_text(text, strlen(text), path, &profile, err);
    free(text);
    return status == STRATA_OK ? add_entry(p, strdup(key), profile, err) : status;
}

static strata_status read_file(struct strata_profiles *p, const char *path,
                               struct strata_error *err)
{
    char *text;
    size_t length;
    json_error_t at;
    strata_status status = strata_file_read(path, LARGEST_FILE_BYTES, &text, &length, err);
    if (status != STRATA_OK)
        return status;
    json_t *root = json_loadb(text, length, 0, &at);
    free(text);
    if (!root)
        return strata_fail(err, STRATA_EFORMAT, path, at.line > 0 ? (uint32_t)at.line : 0, 0,
                           "this is no JSON: %s; name another file with --profile.", at.text);
    const char *format = json_string_value(json_object_get(root, "format"));
    const char *model = json_string_value(json_object_get(root, "model"));
    const json_t *list = json_object_get(root, "profiles");
    if (!format || strcmp(format, FORMAT) || !model || strcmp(model, p->model->name))
        status = strata_fail(err, STRATA_EFORMAT, path, 0, 0,
                             "this holds no profiles (" FORMAT
                             ") of the model %s; name another file with --profile.",
                             p->model->name);
    for (size_t i = 0; status == STRATA_OK && i < json_array_size(list); i++)
        status = read_entry(p, json_array_get(list, i), path, err);
    json_decref(root);
    p->n_loaded = p->n;
    return status;
}

strata_status strata_profiles_load(const struct strata_model *model, const char *path,
                                   struct strata_profiles **out, struct strata_error *err)
{
    const struct strata_profiled_model *profiled = strata_model_profiled(model);
    *out = NULL;
    if (!profiled)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "the model %s keeps no profiles; leave out --profile.", model->name);
    struct strata_profiles *p = calloc(1, sizeof *p);
    if (!p)
        return no_memory(err);
    p->model = model;
    p->profiled = profiled;
    pthread_mutex_init(&p->lock, NULL);
    strata_status status = access(path, F_OK) ? STRATA_OK : read_file(p, path, err);
    if (status == STRATA_OK)
        *out = p;
    else
        strata_profiles_destroy(p);
    return status;
}

static json_t *entry_to_json(const struct strata_profiles *p, const struct entry *e)
{
    char *text;
    size_t length;
    if (p->profiled->to_text(e->profile, &text, &length, NULL) != STRATA_OK)
        return NULL;
    json_t *o = json_object(), *profile = json_loadb(text, length, 0, NULL);
    free(text);
    json_object_set_new(o, "launch", json_string(e->key));
    json_object_set_new(o, "profile", profile);
    return o;
}

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return strcmp(x->key, y->key);
}

static bool write_json(const json_t *root, const char *temporary)
{
    FILE *f = strata_temporary_open(temporary);
    if (!f)
        return false;
    bool good = !json_dumpf(root, f, JSON_COMPACT | JSON_REAL_PRECISION(17));
    return fclose(f) == 0 && good;
}

strata_status strata_profiles_save(struct strata_profiles *p, const char *path,
                                   struct strata_error *err)
{
    char *temporary = strata_temporary_name(path);
    json_t *root = json_object(), *list = json_array();
    if (p->n) /* the same bytes for any number of threads */
        qsort(p->entry, p->n, sizeof *p->entry, by_key);
    for (size_t i = 0; i < p->n; i++)
        json_array_append_new(list, entry_to_json(p, &p->entry[i]));
    json_object_set_new(root, "format", json_string(FORMAT));
    json_object_set_new(root, "model", json_string(p->model->name));
    json_object_set_new(root, "profiles", list);
    bool whole = temporary && json_array_size(list) == p->n;
    bool written = whole && write_json(root, temporary) && !rename(temporary, path);
    int why = errno;
    json_decref(root);
    if (whole && !written)
        unlink(temporary);
    free(temporary);
    if (written)
        return STRATA_OK;
    return whole ? strata_fail(err, STRATA_EIO, path, 0, 0, "the profiles cannot be written: %s.",
                               strerror(why))
                 : no_memory(err);
}

/* ---- use ---- */

static char *make_key(const struct strata_profiles *p, const struct strata_launch *l,
                      const struct strata_gpu *gpu, const struct strata_model_options *opt)
{
    char *key;
    uint64_t hash = strata_profile_hash(p->model, gpu, opt);
    if (asprintf(&key, "%s/%s %llu %s %ux%ux%u %ux%ux%u %016llx", l->program, l->trace,
                 (unsigned long long)l->id, l->kernel, l->grid.x, l->grid.y, l->grid.z, l->block.x,
                 l->block.y, l->block.z, (unsigned long long)hash) < 0)
        return NULL;
    return key;
}

static void *find(struct strata_profiles *p, const char *key)
{
    void *found = NULL;
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->n && !found; i++)
        found = strcmp(p->entry[i].key, key) ? NULL : p->entry[i].profile;
    pthread_mutex_unlock(&p->lock);
    return found;
}

strata_status profiles_run(struct strata_profiles *p, const struct strata_launch *launch,
                           const struct strata_gpu *gpu, const struct strata_model_options *opt,
                           strata_status (*open)(void *context, struct strata_reader **out,
                                                 struct strata_error *err),
                           void *context, struct strata_result *result, struct strata_error *err)
{
    char *key = make_key(p, launch, gpu, opt);
    struct strata_reader *reader;
    strata_status status = key ? STRATA_OK : no_memory(err);
    void *profile = key ? find(p, key) : NULL;
    if (status == STRATA_OK && !profile) {
        status = open(context, &reader, err);
        if (status == STRATA_OK) {
            status = p->profiled->create(gpu, reader, opt, &profile, err);
            reader_warnings(reader, p->model, result);
            strata_reader_close(reader);
        }
        if (status == STRATA_OK) {
            pthread_mutex_lock(&p->lock);
            status = add_entry(p, key, profile, err);
            pthread_mutex_unlock(&p->lock);
            key = NULL;
        }
    }
    free(key);
    return status == STRATA_OK ? p->profiled->evaluate(profile, gpu, opt, result, err) : status;
}
