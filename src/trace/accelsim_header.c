/* accelsim_header.c - the lines of a kernel file before its first thread block.
 *
 * Keys are "-name = value" lines. The upstream parser depends on the exact
 * blanks and on a "#traces format" line; here blanks are free and that line
 * may be missing. Unknown keys are left alone: tracers add some. */
#include "trace/accelsim.h"

#include <stdlib.h>

#include "base/array.h"

/* ---- values ---- */

static strata_status expect_end(const struct text *t, const char *p, const char *key,
                                struct strata_error *err)
{
    p = text_skip_blanks(p);
    if (*p != '\n')
        return text_fail(t, p, err, "unexpected text after the value of \"-%s\".", key);
    return STRATA_OK;
}

static strata_status read_number(const struct text *t, const char *p, const char *key, bool hex,
                                 uint64_t most, uint64_t *value, struct strata_error *err)
{
    uint64_t v;
    const char *end = hex ? text_hex(p, &v) : text_decimal(p, &v);
    if (!end || v > most)
        return text_fail(t, p, err, "\"-%s\" needs a %snumber of at most %llu.", key,
                         hex ? "hexadecimal " : "", (unsigned long long)most);
    *value = v;
    return expect_end(t, end, key, err);
}

static strata_status read_number32(const struct text *t, const char *p, const char *key,
                                   uint32_t *value, struct strata_error *err)
{
    uint64_t v;
    strata_status st = read_number(t, p, key, false, INT32_MAX, &v, err);
    if (!st)
        *value = (uint32_t)v;
    return st;
}

/* "(x,y,z)" */
static strata_status read_dim3(const struct text *t, const char *p, const char *key,
                               struct strata_dim3 *dim, struct strata_error *err)
{
    uint32_t v[3];
    for (int i = 0; i < 3; i++) {
        uint64_t x;
        p = text_skip_blanks(p);
        if (*p != (i ? ',' : '('))
            return text_fail(t, p, err, "\"-%s\" needs three numbers like (8,4,1).", key);
        const char *at = text_skip_blanks(p + 1);
        p = text_decimal(at, &x);
        if (!p || x < 1 || x > INT32_MAX)
            return text_fail(t, at, err, "\"-%s\" needs three numbers of 1 to %d.", key, INT32_MAX);
        v[i] = (uint32_t)x;
    }
    p = text_skip_blanks(p);
    if (*p != ')')
        return text_fail(t, p, err, "\"-%s\" needs a closing parenthesis.", key);
    *dim = (struct strata_dim3){v[0], v[1], v[2]};
    return expect_end(t, p + 1, key, err);
}

static strata_status read_kernel_name(const struct text *t, const char *p,
                                      struct accelsim_header *h, struct strata_error *err)
{
    const char *end = text_newline(t, p);
    while (end > p && text_is_blank(end[-1]))
        end--;
    const char *nul = memchr(p, 0, (size_t)(end - p));
    if (nul)
        return text_fail(t, nul, err, "the kernel's name holds a NUL byte; the trace is damaged.");
    char *name = strndup(p, (size_t)(end - p));
    if (!name)
        return strata_no_memory(err, t->name, "to read the header");
    free(h->kernel);
    h->kernel = name;
    return STRATA_OK;
}

/* ---- keys ---- */

enum key {
    KEY_NAME,
    KEY_ID,
    KEY_GRID,
    KEY_BLOCK,
    KEY_SHMEM,
    KEY_NREGS,
    KEY_BINARY,
    KEY_STREAM,
    KEY_SHMEM_BASE,
    KEY_LOCAL_BASE,
    KEY_TRACER,
    KEY_LINEINFO,
    N_KEYS
};
static const char *const keys[N_KEYS] = {
    [KEY_NAME] = "kernel name",
    [KEY_ID] = "kernel id",
    [KEY_GRID] = "grid dim",
    [KEY_BLOCK] = "block dim",
    [KEY_SHMEM] = "shmem",
    [KEY_NREGS] = "nregs",
    [KEY_BINARY] = "binary version",
    [KEY_STREAM] = "cuda stream id",
    [KEY_SHMEM_BASE] = "shmem base_addr",
    [KEY_LOCAL_BASE] = "local mem base_addr",
    [KEY_TRACER] = "accelsim tracer version",
    [KEY_LINEINFO] = "enable lineinfo",
};

/* The tracer version is "3", or "1.2" in old traces: the whole part counts. */
static strata_status read_tracer_version(const struct text *t, const char *p,
                                         struct accelsim_header *h, struct strata_error *err)
{
    uint64_t v;
    if (!text_decimal(p, &v) || v > 1000)
        return text_fail(t, p, err, "\"-%s\" needs a number like 3 or 1.2.", keys[KEY_TRACER]);
    h->tracer_version = (uint32_t)v;
    return STRATA_OK;
}

static strata_status read_value(const struct text *t, enum key key, const char *p,
                                struct accelsim_header *h, struct strata_error *err)
{
    const char *name = keys[key];
    uint64_t flag = 0;
    strata_status st;
    switch (key) {
    case KEY_NAME:
        return read_kernel_name(t, p, h, err);
    case KEY_ID:
        return read_number(t, p, name, false, INT64_MAX, &h->id, err);
    case KEY_GRID:
        h->has_grid = true;
        return read_dim3(t, p, name, &h->grid, err);
    case KEY_BLOCK:
        h->has_block = true;
        return read_dim3(t, p, name, &h->block, err);
    case KEY_SHMEM:
        h->has_shared = true;
        return read_number32(t, p, name, &h->shared_bytes, err);
    case KEY_NREGS:
        h->has_registers = true;
        return read_number32(t, p, name, &h->registers, err);
    case KEY_BINARY:
        h->has_sm_version = true;
        return read_number32(t, p, name, &h->sm_version, err);
    case KEY_STREAM:
        return read_number(t, p, name, false, UINT64_MAX, &h->stream, err);
    case KEY_SHMEM_BASE:
        return read_number(t, p, name, true, UINT64_MAX, &h->shared_base, err);
    case KEY_LOCAL_BASE:
        return read_number(t, p, name, true, UINT64_MAX, &h->local_base, err);
    case KEY_TRACER:
        return read_tracer_version(t, p, h, err);
    case KEY_LINEINFO:
        st = read_number(t, p, name, false, 1, &flag, err);
        h->lineinfo = flag;
        return st;
    default:
        return STRATA_OK;
    }
}

/* `p` stands behind the '-'. Finds the key before the '=', with blanks as they may be. */
static enum key find_key(const char *p, const char **value)
{
    for (int k = 0; k < N_KEYS; k++) {
        size_t n = strlen(keys[k]);
        if (strncmp(p, keys[k], n))
            continue;
        const char *q = text_skip_blanks(p + n);
        if (*q != '=')
            continue;
        *value = text_skip_blanks(q + 1);
        return (enum key)k;
    }
    return N_KEYS;
}

/* ---- the header as a whole ---- */

static strata_status check_header(const struct text *t, const struct accelsim_header *h,
                                  struct strata_error *err)
{
    if (!h->has_grid || !h->has_block)
        return strata_fail(err, STRATA_EFORMAT, t->name, 0, 0,
                           "the header has no \"-%s = (x,y,z)\" line, so this is not a complete "
                           "Accel-Sim kernel trace.",
                           keys[h->has_grid ? KEY_BLOCK : KEY_GRID]);
    uint64_t threads = (uint64_t)h->block.x * h->block.y;
    if (threads > ACCELSIM_MAX_BLOCK_THREADS || threads * h->block.z > ACCELSIM_MAX_BLOCK_THREADS)
        return strata_fail(
            err, STRATA_ELIMIT, t->name, 0, 0,
            "a thread block of (%u,%u,%u) has more than %u threads; the header is damaged.",
            h->block.x, h->block.y, h->block.z, ACCELSIM_MAX_BLOCK_THREADS);
    uint64_t blocks = (uint64_t)h->grid.x * h->grid.y;
    if (blocks > INT64_MAX / h->grid.z)
        return strata_fail(
            err, STRATA_ELIMIT, t->name, 0, 0,
            "a grid of (%u,%u,%u) has more blocks than 63 bits count; the header is damaged.",
            h->grid.x, h->grid.y, h->grid.z);
    return STRATA_OK;
}

strata_status accelsim_read_header(struct text *t, struct accelsim_header *h,
                                   struct strata_error *err)
{
    *h = (struct accelsim_header){0};
    const char *p;
    strata_status st;
    while (!(st = text_begin_line(t, &p, err))) {
        const char *value;
        enum key key = *p == '-' ? find_key(p + 1, &value) : N_KEYS;
        if (key < N_KEYS && (st = read_value(t, key, value, h, err)))
            break;
        if (*p == '#') {
            if (!strncmp(p, "#BEGIN_TB", 9))
                text_unread_line(t);
            else
                text_skip_line(t);
            break;
        }
        text_skip_line(t);
    }
    if (st == STRATA_END && !t->line)
        st = strata_fail(err, STRATA_EFORMAT, t->name, 0, 0,
                         "the file is empty, so it is not a trace.");
    else if (st == STRATA_END || !st)
        st = check_header(t, h, err);
    if (st)
        accelsim_header_release(h);
    return st;
}

void accelsim_header_release(struct accelsim_header *h)
{
    free(h->kernel);
    h->kernel = NULL;
}

bool accelsim_known_sm(uint32_t sm_version)
{
    static const uint8_t known[] = {30, 32, 35, 37, 50, 52, 53,  60,  61,  62,  70,  72, 75,
                                    80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
    for (size_t i = 0; i < sizeof known; i++)
        if (known[i] == sm_version)
            return true;
    return false;
}
