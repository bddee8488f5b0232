/* gpu_parse.c - GPU files in YAML.
 *
 *   extends: h200              # start from another description
 *   sources:                   # short names for sources, used below
 *     attr: device attributes
 *   l1:
 *     source: attr             # of every number of this section that names no other
 *     unified: 256KiB
 *     hit: {value: 34 cycles, source: measured}
 *
 * Aliases (*name) are refused, so that no file can be larger in memory than on disk; nesting is
 * bounded because a section must be one of the table's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libfyaml.h>

#include "base/text.h"
#include "gpu/gpu_internal.h"

#define LONGEST_PATH   96
#define LONGEST_SOURCE 400

struct place {
    uint32_t line, column;
};

struct reader {
    struct strata_gpu *gpu;
    const char *file;
    uint16_t file_note;
    unsigned depth;
    struct fy_node *sources; /* mapping of short names, may be NULL */
    struct strata_error *err;
};

/* A NUL-terminated copy of a scalar; `place` is where it starts. */
struct scalar {
    char *text;
    size_t length;
    struct place place;
};

static strata_status fail_at(struct reader *r, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static strata_status fail_at(struct reader *r, struct place at, const char *format, ...)
{
    char message[600];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return strata_fail(r->err, STRATA_ECONFIG, r->file, at.line, at.column, "%s", message);
}

/* Mappings and lists have no mark of their own: the first key or element stands for them. */
static struct place place_of(struct fy_node *node, struct place otherwise)
{
    void *position = NULL;
    struct fy_node_pair *pair =
        node && fy_node_is_mapping(node) ? fy_node_mapping_iterate(node, &position) : NULL;
    if (pair)
        node = fy_node_pair_key(pair);
    else if (node && fy_node_is_sequence(node))
        node = fy_node_sequence_iterate(node, &position);
    struct fy_token *token =
        node && fy_node_is_scalar(node) ? fy_node_get_scalar_token(node) : NULL;
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    if (!mark)
        return otherwise;
    /* The mark of a quoted scalar is behind the quote. */
    enum fy_node_style style = fy_node_get_style(node);
    bool quoted = (style == FYNS_SINGLE_QUOTED || style == FYNS_DOUBLE_QUOTED) && mark->column > 0;
    return (struct place){(uint32_t)mark->line + 1, (uint32_t)mark->column + !quoted};
}

static void scalar_release(struct scalar *s)
{
    free(s->text);
    s->text = NULL;
}

static bool is_null(struct fy_node *node)
{
    size_t length;
    if (!node)
        return true;
    return fy_node_is_scalar(node) && !fy_node_is_alias(node) &&
           (!fy_node_get_scalar(node, &length) || !length);
}

/* `what` names the scalar in messages. The caller releases *out also after a failure. */
static strata_status read_scalar(struct reader *r, struct fy_node *node, struct place otherwise,
                                 const char *what, struct scalar *out)
{
    memset(out, 0, sizeof *out);
    out->place = place_of(node, otherwise);
    if (node && fy_node_is_alias(node))
        return fail_at(r, out->place,
                       "%s is an alias; GPU files do not use aliases: write the value out.", what);
    if (node && !fy_node_is_scalar(node))
        return fail_at(r, out->place, "%s is a %s where a single value belongs.", what,
                       fy_node_is_sequence(node) ? "list" : "mapping");
    const char *text = node ? fy_node_get_scalar(node, &out->length) : NULL;
    if (!text)
        out->length = 0;
    if (out->length && memchr(text, 0, out->length))
        return fail_at(r, out->place, "%s holds a NUL character.", what);
    out->text = calloc(1, out->length + 1);
    if (!out->text)
        return strata_no_memory(r->err, r->file, "to read the file");
    if (out->length)
        memcpy(out->text, text, out->length);
    return STRATA_OK;
}

/* ---- sources ---- */

/* The text a short name stands for, or NULL. */
static struct fy_node *named_source(struct reader *r, const char *name)
{
    void *position = NULL;
    struct fy_node_pair *pair;
    if (!r->sources || !fy_node_is_mapping(r->sources))
        return NULL;
    while ((pair = fy_node_mapping_iterate(r->sources, &position))) {
        struct fy_node *key = fy_node_pair_key(pair);
        size_t length;
        const char *text = key && fy_node_is_scalar(key) ? fy_node_get_scalar(key, &length) : NULL;
        if (text && length == strlen(name) && !memcmp(text, name, length))
            return fy_node_pair_value(pair);
    }
    return NULL;
}

/* A source is free text or a short name of `sources`; gives the offset of the note. */
static strata_status read_source(struct reader *r, struct fy_node *node, struct place at,
                                 uint16_t *note)
{
    struct scalar s, long_text;
    strata_status status = read_scalar(r, node, at, "the source", &s);
    struct fy_node *named = status == STRATA_OK ? named_source(r, s.text) : NULL;
    if (named) {
        status = read_scalar(r, named, at, "the source", &long_text);
        scalar_release(&s);
        s = long_text;
    }
    if (status == STRATA_OK && s.length > LONGEST_SOURCE)
        status = fail_at(r, s.place, "the source is longer than %d characters.", LONGEST_SOURCE);
    for (size_t i = 0; status == STRATA_OK && i < s.length; i++)
        if ((unsigned char)s.text[i] < ' ')
            status = fail_at(r, s.place, "the source holds a line break or a control character.");
    if (status == STRATA_OK && !gpu_note(r->gpu, s.text, s.length, note))
        status = strata_fail(
            r->err, STRATA_ELIMIT, r->file, s.place.line, s.place.column,
            "the sources of this file are longer than %zu bytes together; shorten them.",
            sizeof r->gpu->notes);
    scalar_release(&s);
    return status;
}

/* ---- values ---- */

static strata_status refused(struct reader *r, struct place at, const struct strata_gpu_key *key,
                             const char *why)
{
    return fail_at(r, at, "%s: %s.", key->path, why);
}

static strata_status read_list(struct reader *r, const struct strata_gpu_key *key,
                               struct fy_node *node, struct place at)
{
    char why[400];
    void *position = NULL;
    struct fy_node *item;
    gpu_list_clear(r->gpu, key);
    while ((item = fy_node_sequence_iterate(node, &position))) {
        struct scalar s;
        strata_status status = read_scalar(r, item, at, key->path, &s);
        if (status == STRATA_OK && !gpu_list_append(r->gpu, key, s.text, why, sizeof why))
            status = refused(r, s.place, key, why);
        scalar_release(&s);
        if (status != STRATA_OK)
            return status;
    }
    return STRATA_OK;
}

static strata_status read_value(struct reader *r, const struct strata_gpu_key *key,
                                struct fy_node *node, struct place at)
{
    char why[400];
    struct scalar s;
    if (gpu_is_list(key) && node && fy_node_is_sequence(node))
        return read_list(r, key, node, at);
    if (gpu_is_list(key) && node && !fy_node_is_alias(node) && !is_null(node) &&
        fy_node_is_scalar(node)) {
        at = place_of(node, at);
        return fail_at(r, at, "%s is a list: write it in brackets, [a, b, c].", key->path);
    }
    strata_status status = read_scalar(r, node, at, key->path, &s);
    if (status == STRATA_OK && !s.length && key->type != STRATA_GPU_STRING)
        status = fail_at(r, at, "%s has no value; give one or remove the key.", key->path);
    if (status == STRATA_OK && !gpu_store_scalar(r->gpu, key, s.text, why, sizeof why))
        status = refused(r, s.place, key, why);
    scalar_release(&s);
    return status;
}

/* {value: V, source: S} */
static strata_status split_value(struct reader *r, const struct strata_gpu_key *key,
                                 struct fy_node *node, struct place at, struct fy_node **value,
                                 struct fy_node **source)
{
    void *position = NULL;
    struct fy_node_pair *pair;
    *value = *source = NULL;
    while ((pair = fy_node_mapping_iterate(node, &position))) {
        struct scalar name;
        strata_status status = read_scalar(r, fy_node_pair_key(pair), at, "a key", &name);
        struct fy_node **slot = status != STRATA_OK            ? NULL
                                : !strcmp(name.text, "value")  ? value
                                : !strcmp(name.text, "source") ? source
                                                               : NULL;
        if (status == STRATA_OK && !slot)
            status = fail_at(r, name.place,
                             "%s is a single value, so only `value` and `source` may stand below "
                             "it, not \"%.60s\".",
                             key->path, name.text);
        if (status == STRATA_OK && *slot)
            status = fail_at(r, name.place, "\"%s\" is given twice for %s.", name.text, key->path);
        scalar_release(&name);
        if (status != STRATA_OK)
            return status;
        *slot = fy_node_pair_value(pair);
    }
    if (!*value)
        return fail_at(r, at, "%s has no `value`; write {value: ..., source: ...}.", key->path);
    return STRATA_OK;
}

static strata_status read_key(struct reader *r, size_t index, struct fy_node *node, struct place at,
                              uint16_t default_source)
{
    const struct strata_gpu_key *key = strata_gpu_key(index);
    struct fy_node *value = node, *source = NULL;
    uint16_t note = default_source;
    strata_status status = STRATA_OK;
    if (node && fy_node_is_mapping(node))
        status = split_value(r, key, node, at, &value, &source);
    if (status == STRATA_OK)
        status = read_value(r, key, value, at);
    if (status == STRATA_OK && source)
        status = read_source(r, source, at, &note);
    if (status != STRATA_OK)
        return status;
    struct place where = value && fy_node_is_scalar(value) ? place_of(value, at) : at;
    r->gpu->origin[index] = (struct strata_gpu_origin){
        .source = note,
        .file = r->file_note,
        .line = where.line,
        .column = (uint16_t)(where.column > UINT16_MAX ? UINT16_MAX : where.column),
    };
    return STRATA_OK;
}

/* ---- sections ---- */

static strata_status read_section(struct reader *r, struct fy_node *node, const char *prefix,
                                  uint16_t source);

static strata_status unknown_key(struct reader *r, struct place at, const char *path)
{
    const char *near = gpu_suggest(path);
    if (near)
        return fail_at(r, at, "unknown key \"%.90s\" (did you mean \"%s\"?).", path, near);
    return fail_at(r, at, "unknown key \"%.90s\"; `strata gpu keys` lists those there are.", path);
}

static strata_status read_pair(struct reader *r, const char *path, struct fy_node *value,
                               struct place at, uint16_t source)
{
    size_t index = strata_gpu_key_index(path);
    if (index != SIZE_MAX)
        return read_key(r, index, value, at, source);
    if (!gpu_is_section(path))
        return unknown_key(r, at, path);
    if (is_null(value))
        return STRATA_OK;
    if (!fy_node_is_mapping(value))
        return fail_at(r, at, "%s is a section: its keys belong below it, indented.", path);
    return read_section(r, value, path, source);
}

static bool is_special(const char *prefix, const char *name)
{
    return !strcmp(name, "source") ||
           (!*prefix && (!strcmp(name, "sources") || !strcmp(name, "extends")));
}

/* Whether a pair before `pair` has the same key; both are scalars. */
static bool given_before(struct fy_node *mapping, const struct fy_node_pair *pair,
                         const struct scalar *name)
{
    void *position = NULL;
    struct fy_node_pair *other;
    while ((other = fy_node_mapping_iterate(mapping, &position)) && other != pair) {
        size_t length;
        const char *text = fy_node_get_scalar(fy_node_pair_key(other), &length);
        if (text && length == name->length && !memcmp(text, name->text, length))
            return true;
    }
    return false;
}

/* The scalar under `name` in a mapping, NULL if there is none; also gives the place of its key. */
static struct fy_node *look_up(struct fy_node *mapping, const char *name, struct place *at)
{
    void *position = NULL;
    struct fy_node_pair *pair;
    while ((pair = fy_node_mapping_iterate(mapping, &position))) {
        struct fy_node *key = fy_node_pair_key(pair);
        size_t length;
        const char *text = key && fy_node_is_scalar(key) ? fy_node_get_scalar(key, &length) : NULL;
        if (text && length == strlen(name) && !memcmp(text, name, length)) {
            *at = place_of(key, *at);
            return fy_node_pair_value(pair);
        }
    }
    return NULL;
}

static strata_status read_section(struct reader *r, struct fy_node *node, const char *prefix,
                                  uint16_t source)
{
    struct place at = {1, 1};
    struct fy_node *default_source = look_up(node, "source", &at);
    strata_status status = STRATA_OK;
    if (default_source)
        status = read_source(r, default_source, at, &source);
    void *position = NULL;
    struct fy_node_pair *pair;
    while (status == STRATA_OK && (pair = fy_node_mapping_iterate(node, &position))) {
        struct scalar name;
        char path[LONGEST_PATH];
        status = read_scalar(r, fy_node_pair_key(pair), at, "a key", &name);
        if (status == STRATA_OK && given_before(node, pair, &name))
            status =
                fail_at(r, name.place, "the key \"%.60s\" is given twice; remove one.", name.text);
        if (status == STRATA_OK && !is_special(prefix, name.text)) {
            at = name.place;
            snprintf(path, sizeof path, "%s%s%.60s", prefix, *prefix ? "." : "", name.text);
            status = read_pair(r, path, fy_node_pair_value(pair), name.place, source);
        }
        scalar_release(&name);
    }
    return status;
}

/* ---- the file ---- */

/* Where byte `offset` stands, in characters. */
static struct place place_of_byte(const char *text, size_t offset)
{
    struct place at = {1, 1};
    for (size_t i = 0; i < offset; i++) {
        at.column += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (text[i] == '\n')
            at = (struct place){at.line + 1, 1};
    }
    return at;
}

static strata_status check_sources(struct reader *r)
{
    void *position = NULL;
    struct fy_node_pair *pair;
    strata_status status = STRATA_OK;
    while (status == STRATA_OK && (pair = fy_node_mapping_iterate(r->sources, &position))) {
        struct scalar name;
        status = read_scalar(r, fy_node_pair_key(pair), (struct place){1, 1}, "a key", &name);
        if (status == STRATA_OK && given_before(r->sources, pair, &name))
            status =
                fail_at(r, name.place, "the key \"%.60s\" is given twice; remove one.", name.text);
        scalar_release(&name);
    }
    return status;
}

static void forget(struct strata_gpu *gpu, const char *path)
{
    char why[64];
    size_t i = strata_gpu_key_index(path);
    gpu_store_scalar(gpu, strata_gpu_key(i), "", why, sizeof why);
    memset(&gpu->origin[i], 0, sizeof gpu->origin[i]);
}

/* Reads the base first; name, description and class belong to one file only. */
static strata_status read_base(struct reader *r, struct fy_node *root)
{
    struct place at = {1, 1};
    struct fy_node *node = look_up(root, "extends", &at);
    char path[1024];
    struct scalar base;
    struct strata_error why;
    if (!node)
        return STRATA_OK;
    strata_status status = read_scalar(r, node, at, "extends", &base);
    if (status == STRATA_OK && !base.length)
        status =
            fail_at(r, at, "extends names no GPU; give a name such as h200 or remove the key.");
    if (status == STRATA_OK && r->depth >= GPU_EXTENDS_LIMIT)
        status =
            fail_at(r, base.place, "files extend one another more than %d deep; is there a circle?",
                    GPU_EXTENDS_LIMIT);
    if (status == STRATA_OK &&
        gpu_locate_base(base.text, r->file, path, sizeof path, &why) != STRATA_OK)
        status = fail_at(r, base.place, "extends: %.500s", why.message);
    if (status == STRATA_OK)
        status = gpu_read_file(path, r->depth + 1, r->gpu, r->err);
    if (status == STRATA_OK) {
        forget(r->gpu, "name");
        forget(r->gpu, "description");
        forget(r->gpu, "class");
    }
    scalar_release(&base);
    return status;
}

static strata_status read_root(struct reader *r, struct fy_node *root)
{
    struct place at = {1, 1};
    if (!root || is_null(root))
        return fail_at(
            r, at,
            "the file is empty; a GPU file holds at least sm_version, sm.count and sm.clock.");
    if (!fy_node_is_mapping(root))
        return fail_at(r, at, "this is not a GPU file: it does not consist of `key: value` lines.");
    r->sources = look_up(root, "sources", &at);
    if (r->sources && !is_null(r->sources) && !fy_node_is_mapping(r->sources))
        return fail_at(r, at, "sources is a mapping of short names to texts.");
    strata_status status =
        r->sources && fy_node_is_mapping(r->sources) ? check_sources(r) : STRATA_OK;
    if (status == STRATA_OK)
        status = read_base(r, root);
    if (status == STRATA_OK && !gpu_note(r->gpu, r->file, strlen(r->file), &r->file_note))
        status = strata_fail(r->err, STRATA_ELIMIT, r->file, 0, 0,
                             "the sources of this file are too long together.");
    return status == STRATA_OK ? read_section(r, root, "", 0) : status;
}

/* The parser's own complaint: the first of those it collected. */
static strata_status yaml_error(struct reader *r, struct fy_diag *diag)
{
    void *position = NULL;
    struct fy_diag_error *e = fy_diag_errors_iterate(diag, &position);
    if (!e)
        return fail_at(r, (struct place){1, 1}, "this is not YAML.");
    struct place at = {e->line > 0 ? (uint32_t)e->line : 1,
                       e->column > 0 ? (uint32_t)e->column : 1};
    return fail_at(r, at, "this is not YAML: %.300s.", e->msg ? e->msg : "it cannot be parsed");
}

static strata_status read_documents(struct reader *r, struct fy_parser *parser,
                                    struct fy_diag *diag)
{
    struct fy_document *first = fy_parse_load_document(parser);
    if (!first)
        return fy_parser_get_stream_error(parser) ? yaml_error(r, diag) : read_root(r, NULL);
    strata_status status = read_root(r, fy_document_root(first));
    struct fy_document *second = status == STRATA_OK ? fy_parse_load_document(parser) : NULL;
    if (second)
        status = fail_at(r, place_of(fy_document_root(second), (struct place){1, 1}),
                         "a second document begins (after ---); a GPU file holds one.");
    else if (status == STRATA_OK && fy_parser_get_stream_error(parser))
        status = yaml_error(r, diag);
    fy_parse_document_destroy(parser, second);
    fy_parse_document_destroy(parser, first);
    return status;
}

strata_status gpu_read_text(const char *text, size_t length, const char *file, unsigned depth,
                            struct strata_gpu *gpu, struct strata_error *err)
{
    struct reader r = {.gpu = gpu, .file = file, .depth = depth, .err = err};
    size_t good = strata_text_utf8_prefix(text, length);
    if (good < length)
        return fail_at(&r, place_of_byte(text, good),
                       "this byte is not UTF-8 text; is this a GPU file?");
    const struct fy_diag_cfg silent = {.level = FYET_ERROR, .module_mask = ~0u};
    struct fy_diag *diag = fy_diag_create(&silent);
    if (!diag)
        return strata_no_memory(err, file, "to read the file");
    fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg cfg = {
        .flags = FYPCF_QUIET | FYPCF_ALLOW_DUPLICATE_KEYS | FYPCF_JSON_NONE, .diag = diag};
    struct fy_parser *parser = fy_parser_create(&cfg);
    strata_status status;
    if (!parser || fy_parser_set_string(parser, text, length))
        status = strata_no_memory(err, file, "to read the file");
    else
        status = read_documents(&r, parser, diag);
    if (parser)
        fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return status;
}
