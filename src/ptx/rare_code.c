/* rare_code.c - who calls, and what is executed: read off what ptxas 13.0 makes for sm_90. */
#include "ptx/rare_code.h"

#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "emulator/float.h"
#include "ptx/machine_form.h"

/* Zeros, infinities and NaNs are answered at once, other numbers are scaled. */
enum way { WAY_SPECIAL = 0, WAY_SCALED = 1 };
enum { WAY_PARTS = 10 };

static const struct {
    const char *text;
    struct ptx_form_part way[PTX_RARE_WAYS][WAY_PARTS];
} table[] = {
#include "ptx/rare_table.h"
};
enum { N_CODES = sizeof table / sizeof *table };
_Static_assert((int)N_CODES <= (int)PTX_RARE_CODES, "an image has room for all of them");

unsigned ptx_rare_code(const char *text)
{
    for (unsigned i = 0; i < N_CODES; i++)
        if (!strcmp(table[i].text, text))
            return i;
    return PTX_NO_RARE_CODE;
}

/* ---- who calls ---- */

static uint32_t bits32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint32_t upper_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint32_t)(bits >> 32);
}

static float upper_float(double x)
{
    return emu_f32_bits(upper_bits(x));
}

static bool is_special(double x)
{
    return x == 0 || !isfinite(x);
}

static bool reciprocal_calls(float x)
{
    return ((bits32(x) + 0x1800000u) & 0x7f800000u) <= 0x1ffffffu;
}

static bool root_calls(float x)
{
    return bits32(x) - 0xd000000u > 0x727fffffu;
}

/* FSETP and FFMA look at upper words as if they were floats. */
static bool long_division_calls(double a, double b)
{
    return fabsf(upper_float(a)) < 0x1.cp-121f ||
           !(fabsf(fmaf(0, upper_float(b), upper_float(a / b))) > 0x1p-129f);
}

static bool long_reciprocal_calls(double x)
{
    return !(fabsf(emu_f32_bits(upper_bits(x) + 0x300402u)) >= 0x1p-127f);
}

static bool long_root_calls(double x)
{
    return upper_bits(x) + 0xfcb00000u >= 0x7ca00000u;
}

static bool long_inverse_root_calls(double x)
{
    return upper_bits(x) + 0xfff00000u >= 0x7fe00000u;
}

static bool calls32(unsigned mnemonic, float a, float b)
{
    return mnemonic == PTX_OP_div   ? emu_division_is_delicate(a, b)
           : mnemonic == PTX_OP_rcp ? reciprocal_calls(a)
                                    : root_calls(a);
}

static bool calls64(unsigned mnemonic, double a, double b)
{
    return mnemonic == PTX_OP_div    ? long_division_calls(a, b)
           : mnemonic == PTX_OP_rcp  ? long_reciprocal_calls(a)
           : mnemonic == PTX_OP_sqrt ? long_root_calls(a)
                                     : long_inverse_root_calls(a);
}

static void note(struct ptx_warp *w, unsigned lane, double a, double b)
{
    enum way way = is_special(a) || is_special(b) ? WAY_SPECIAL : WAY_SCALED;
    w->rare[way] |= 1u << lane;
}

void ptx_run_rare(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_rare *rare = in->extra;
    bool divides = rare->mnemonic == PTX_OP_div, wide = rare->wide;
    const void *a = ptx_ref(w, in->a), *b = divides ? ptx_ref(w, in->b) : NULL;
    w->rare[WAY_SPECIAL] = w->rare[WAY_SCALED] = 0;
    for (uint32_t rest = w->base.block->watched ? mask : 0; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        double x = wide ? ((const double *)a)[i] : (double)((const float *)a)[i],
               y = !divides ? 1
                   : wide   ? ((const double *)b)[i]
                            : (double)((const float *)b)[i];
        if (wide ? calls64(rare->mnemonic, x, y) : calls32(rare->mnemonic, (float)x, (float)y))
            note(w, i, x, y);
    }
    rare->quick(w, in, mask);
}

/* ---- what is executed ---- */

/* Cycles from one instruction to the next: the code's mean, of stalls of 1 to 14. */
#define STALL_CYCLES 5

static bool add(struct ptx_image *image, const char *text, unsigned class)
{
    struct strata_inst s = {.pc = (uint64_t)image->n_machine++ * 16,
                            .opcode = text,
                            .opclass = (uint8_t)(class == STRATA_OP_NOP ? STRATA_OP_INT : class),
                            .imm = class == STRATA_OP_BRANCH,
                            .control = {.known = 1,
                                        .stall = STALL_CYCLES,
                                        .write_barrier = STRATA_NO_BARRIER,
                                        .read_barrier = STRATA_NO_BARRIER}};
    if (!ARRAY_RESERVE(image->base.statics, image->base.n_statics, image->base.cap_statics, 1))
        return false;
    image->base.statics[image->base.n_statics++] = s;
    return true;
}

/* The call, two jumps and the return are taken: they part the rest into even pieces. Other branches
 * are not, and take no more than a turn to issue. */
enum { TAKEN = 4 };

static bool add_way(struct ptx_image *image, const char *text, const struct ptx_form_part *parts)
{
    unsigned n = 0, done = 0, at = 0, taken = 0;
    for (const struct ptx_form_part *p = parts; p->n; p++) {
        n += p->n;
        taken += p->opclass == STRATA_OP_BRANCH ? p->n : 0;
    }
    taken = taken < TAKEN ? taken : TAKEN;
    n -= taken;
    for (const struct ptx_form_part *p = parts; p->n; p++) {
        bool branch = p->opclass == STRATA_OP_BRANCH;
        for (unsigned k = branch ? taken : 0; k < p->n; k++) {
            if (!add(image, text, branch ? STRATA_OP_INT : p->opclass))
                return false;
            for (at++; (done + 1) * n <= at * taken; done++)
                if (!add(image, "bra", STRATA_OP_BRANCH))
                    return false;
        }
    }
    return true;
}

bool ptx_rare_describe(struct ptx_image *image)
{
    for (unsigned code = 0; code < N_CODES; code++)
        for (unsigned way = 0; image->rare_used >> code & 1 && way < PTX_RARE_WAYS; way++) {
            image->rare[code][way].first = (uint32_t)image->base.n_statics;
            if (!add_way(image, table[code].text, table[code].way[way]))
                return false;
            image->rare[code][way].n =
                (uint32_t)image->base.n_statics - image->rare[code][way].first;
        }
    return true;
}

void ptx_rare_record(struct ptx_warp *w, const struct ptx_inst *in)
{
    const struct ptx_rare *rare = in->extra;
    for (unsigned way = 0; way < PTX_RARE_WAYS; way++)
        for (uint32_t k = 0; w->rare[way] && k < w->image->rare[rare->code][way].n; k++)
            emu_record_static(&w->base, &in->site, w->image->rare[rare->code][way].first + k,
                              w->rare[way], false);
}
