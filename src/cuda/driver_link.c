/* driver_link.c - the linker: PTX texts become one text, which loading understands. */
#include "cuda/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"

#define MAX_FILE_BYTES ((size_t)1 << 30)

struct CUlinkState_st {
    struct object object;
    char *text; /* all PTX so far */
    size_t n, cap;
    void *result;
    char *error_log, *info_log;
    size_t error_bytes, info_bytes;
};

static void destroy(struct object *o)
{
    CUlinkState s = (CUlinkState)o;
    object_remove(o);
    free(s->text);
    free(s->result);
    free(s);
}

CUresult cuLinkCreate_v2(unsigned n, CUjit_option *option, void **value, CUlinkState *out)
{
    ENTER(NEED_CONTEXT);
    if (!out || (n && (!option || !value)))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUlinkState s = calloc(1, sizeof *s);
    if (!s || !object_add(&s->object, OBJECT_LINK, context_current(), destroy)) {
        free(s);
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    for (unsigned i = 0; i < n; i++) {
        if (option[i] == CU_JIT_ERROR_LOG_BUFFER)
            s->error_log = value[i];
        if (option[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            s->error_bytes = (size_t)(uintptr_t)value[i];
        if (option[i] == CU_JIT_INFO_LOG_BUFFER)
            s->info_log = value[i];
        if (option[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
            s->info_bytes = (size_t)(uintptr_t)value[i];
    }
    if (s->error_log && s->error_bytes)
        s->error_log[0] = 0;
    if (s->info_log && s->info_bytes)
        s->info_log[0] = 0;
    *out = s;
    LEAVE(CUDA_SUCCESS);
}
ALIAS(cuLinkCreate, cuLinkCreate_v2);

/* Later texts must not repeat the header of the first. */
static const char *skip_header(const char *text, const char *end)
{
    static const char *const directives[] = {".version", ".target", ".address_size"};
    const char *body = text;
    for (const char *line = text; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *next = newline ? newline + 1 : end, *word = line;
        while (word < next && (*word == ' ' || *word == '\t'))
            word++;
        for (size_t i = 0; i < 3; i++)
            if ((size_t)(next - word) > strlen(directives[i]) &&
                !strncmp(word, directives[i], strlen(directives[i])))
                body = next;
        line = next;
    }
    return body;
}

static CUresult add_text(CUlinkState s, const char *text, size_t bytes)
{
    const char *end = memchr(text, 0, bytes);
    end = end ? end : text + bytes;
    const char *from = s->n ? skip_header(text, end) : text;
    size_t n = (size_t)(end - from);
    if (!ARRAY_RESERVE(s->text, s->n, s->cap, n + 2))
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(s->text + s->n, from, n);
    s->n += n;
    s->text[s->n++] = '\n';
    s->text[s->n] = 0;
    return CUDA_SUCCESS;
}

static CUresult add_fatbin(CUlinkState s, const void *data, size_t bytes)
{
    struct strata_fatbin *f;
    struct strata_error err;
    const struct strata_fatbin_entry *entry;
    char *text;
    size_t length;
    if (strata_fatbin_parse(data, bytes, program_name(), &f, &err) != STRATA_OK)
        return CUDA_ERROR_INVALID_IMAGE;
    CUresult status = CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (strata_fatbin_choose_ptx(f, program_name(), &entry, &err) == STRATA_OK &&
        strata_fatbin_extract(entry, program_name(), &text, &length, &err) == STRATA_OK) {
        status = add_text(s, text, length);
        free(text);
    }
    strata_fatbin_destroy(f);
    return status;
}

static CUresult add(CUlinkState s, CUjitInputType type, const void *data, size_t bytes)
{
    static bool told;
    if (!object_is(s, OBJECT_LINK))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!data || !bytes || s->result)
        return CUDA_ERROR_INVALID_VALUE;
    switch (type) {
    case CU_JIT_INPUT_PTX:
        return add_text(s, data, bytes);
    case CU_JIT_INPUT_FATBINARY:
        return add_fatbin(s, data, bytes);
    case CU_JIT_INPUT_CUBIN:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
        return driver_refuse("the linker with machine code or libraries", &told);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuLinkAddData_v2(CUlinkState s, CUjitInputType type, void *data, size_t bytes,
                          const char *name, unsigned n, CUjit_option *option, void **value)
{
    (void)name, (void)n, (void)option, (void)value;
    ENTER(NEED_CONTEXT);
    LEAVE(add(s, type, data, bytes));
}
ALIAS(cuLinkAddData, cuLinkAddData_v2);

CUresult cuLinkAddFile_v2(CUlinkState s, CUjitInputType type, const char *path, unsigned n,
                          CUjit_option *option, void **value)
{
    (void)n, (void)option, (void)value;
    char *data = NULL;
    size_t bytes;
    struct strata_error err;
    ENTER(NEED_CONTEXT);
    if (!path)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (strata_file_read(path, MAX_FILE_BYTES, &data, &bytes, &err) != STRATA_OK)
        LEAVE(CUDA_ERROR_FILE_NOT_FOUND);
    CUresult status = add(s, type, data, bytes);
    free(data);
    LEAVE(status);
}
ALIAS(cuLinkAddFile, cuLinkAddFile_v2);

/* Errors of the text show here, as the real linker compiles now. */
CUresult cuLinkComplete(CUlinkState s, void **image, size_t *bytes)
{
    ENTER(NEED_CONTEXT);
    if (!object_is(s, OBJECT_LINK))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!image || !s->n)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct CUmod_st *m = NULL;
    CUresult status = module_make(&m, s->text, false, true, NULL);
    if (m && m->log && s->error_log && s->error_bytes) {
        strncpy(s->error_log, m->log, s->error_bytes - 1);
        s->error_log[s->error_bytes - 1] = 0;
    }
    if (m)
        m->object.destroy(&m->object);
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    free(s->result);
    s->result = strdup(s->text);
    *image = s->result;
    if (bytes)
        *bytes = s->n + 1;
    LEAVE(s->result ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuLinkDestroy(CUlinkState s)
{
    ENTER(NEED_CONTEXT);
    if (!object_is(s, OBJECT_LINK))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    destroy(&s->object);
    LEAVE(CUDA_SUCCESS);
}
