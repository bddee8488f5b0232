/* fuzz_sass.c - cubins and what is around them, from arbitrary bytes, to the text of their code. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <strata/sass.h>

#include "sass/cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Kept small: the decoder has a fuzzer of its own. */
#define MOST_INSTRUCTIONS 256

static void relocate(const uint8_t *data, size_t size)
{
    struct sass_cubin c;
    struct strata_error err;
    if (sass_cubin_open(&c, data, size, "fuzz", &err) != STRATA_OK)
        return;
    for (uint32_t i = 0; i < c.n_relocations; i++) {
        const struct sass_relocation *r = &c.relocation[i];
        const struct sass_section *s = &c.section[r->section];
        uint8_t place[16] = {0};
        uint64_t space = s->size - r->offset;
        if (s->bytes)
            memcpy(place, s->bytes + r->offset, space < 16 ? space : 16);
        sass_relocation_apply(r, place, space < 16 ? space : 16, r->offset, 0x7f0012345678);
    }
    for (uint32_t i = 0; i < c.n_kernels; i++)
        sass_kernel_line(&c.kernel[i], 0x100);
    sass_cubin_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strata_sass *s;
    struct strata_error err;
    relocate(data, size);
    if (strata_sass_read(data, size, "fuzz", &s, &err) != STRATA_OK)
        return 0;
    for (size_t i = 0; i < strata_sass_count(s) && i < 8; i++) {
        struct strata_sass_line *lines;
        if (strata_sass_get(s, i)->instructions <= MOST_INSTRUCTIONS &&
            strata_sass_listing(s, i, &lines, &err) == STRATA_OK)
            free(lines);
    }
    strata_sass_close(s);
    return 0;
}
