/* fuzz_sass_inst.c - arbitrary bits as instructions: one byte of architecture, then 16 bytes each.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sass/registers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t archs[] = {75, 80, 86, 89, 90, 100, 103, 120};
    struct sass_inst code[MOST];
    uint16_t live[MOST];
    char text[256];
    if (size < 17)
        return 0;
    uint32_t arch = archs[data[0] % 8];
    size_t n = (size - 1) / 16 < MOST ? (size - 1) / 16 : MOST;
    for (size_t i = 0; i < n; i++) {
        uint64_t half[2];
        memcpy(half, data + 1 + 16 * i, sizeof half);
        bool known = sass_decode(half[0], half[1], 16 * i, arch, &code[i]);
        /* A text that does not fit 256 bytes, a missing row or operands without end are bugs. */
        if (known != (code[i].op != SASS_UNKNOWN) || code[i].n_operands > SASS_MAX_OPERANDS ||
            sass_print(&code[i], text, sizeof text) >= sizeof text - 1)
            abort();
        sass_print(&code[i], text, data[0] % 32);
        for (uint32_t k = 0; k < code[i].n_operands; k++)
            if (sass_operand_registers(&code[i], k) > 16)
                abort();
    }
    if (!sass_live_registers(code, n, live))
        abort();
    return 0;
}
