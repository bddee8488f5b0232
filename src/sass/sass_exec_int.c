/* sass_exec_int.c - integer arithmetic, logic, shifts and selection. */
#include <string.h>

#include "sass/handlers.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

const uint32_t *sass_prepare(struct sass_warp *w, uint32_t ref, unsigned prep, unsigned operand)
{
    const uint32_t *s = sass_row(w, ref);
    uint32_t *t = sass_row_at(w, w->temp_row, 4 * operand);
    switch (prep) {
    case SASS_PREP_FNEG:
        EMU_EACH_LANE t[i] = s[i] ^ 0x80000000u;
        break;
    case SASS_PREP_FABS:
        EMU_EACH_LANE t[i] = s[i] & 0x7fffffffu;
        break;
    case SASS_PREP_FNEGABS:
        EMU_EACH_LANE t[i] = s[i] | 0x80000000u;
        break;
    case SASS_PREP_INEG:
        EMU_EACH_LANE t[i] = 0 - s[i];
        break;
    case SASS_PREP_INOT:
        EMU_EACH_LANE t[i] = ~s[i];
        break;
    default: { /* f64: the sign is in the second row */
        const uint32_t *high = s + SASS_ROW_WORDS;
        uint32_t clear = prep == SASS_PREP_DNEG ? 0 : 0x80000000u;
        uint32_t flip = prep == SASS_PREP_DABS ? 0 : 0x80000000u;
        memcpy(t, s, SASS_ROW_BYTES);
        EMU_EACH_LANE t[i + SASS_ROW_WORDS] = (high[i] & ~clear) ^ flip;
    }
    }
    return t;
}

HANDLER(sass_run_nothing)
{
    (void)w, (void)op, (void)mask;
}

/* op->words rows. */
HANDLER(sass_run_mov)
{
    for (unsigned k = 0; k < op->words; k++) {
        uint32_t *d = sass_row_at(w, op->d, k);
        const uint32_t *b = k ? sass_row_at(w, op->b, k) : SASS_B(w, op);
        EMU_STORE_LANES(d, mask, b[i]);
    }
}

/* ---- sums ---- */

HANDLER(sass_run_iadd)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    EMU_STORE_LANES(d, mask, a[i] + b[i] + c[i]);
}

static uint64_t carry_of(const struct sass_warp *w, uint8_t pred, unsigned lane)
{
    return sass_pred(w, pred) >> lane & 1;
}

/* Carries in (ps, ps2) and out (pd, pd2). A negated source is its complement and one: op->imm
 * counts those ones, so that the carry of a difference says "no borrow". */
HANDLER(sass_run_iadd64)
{
    const uint32_t ref[] = {op->a, op->b, op->c};
    uint32_t *low = sass_row(w, op->d), *high = sass_row_at(w, op->d, 1);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t sum = 0;
        for (unsigned k = 0; k < 3; k++) {
            uint64_t x = sass_row(w, ref[k])[lane] | (uint64_t)sass_row_at(w, ref[k], 1)[lane]
                                                         << 32;
            sum += op->prep[k] == SASS_PREP_INEG ? 0 - x : x;
        }
        low[lane] = (uint32_t)sum;
        high[lane] = (uint32_t)(sum >> 32);
    }
}

HANDLER(sass_run_iadd_carry)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    uint32_t once = 0, twice = 0;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint64_t sum = (uint64_t)a[i] + b[i] + c[i] + (uint64_t)op->imm + carry_of(w, op->ps, i) +
                       carry_of(w, op->ps2, i);
        once |= (uint32_t)(sum >> 32 >= 1) << i;
        twice |= (uint32_t)(sum >> 32 >= 2) << i;
        d[i] = mask >> i & 1 ? (uint32_t)sum : d[i];
    }
    sass_set_pred(w, op->pd, mask, once);
    sass_set_pred(w, op->pd2, mask, twice);
}

/* ---- products ---- */

HANDLER(sass_run_imad)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    EMU_STORE_LANES(d, mask, a[i] * b[i] + c[i]);
}

HANDLER(sass_run_imad_x)
{
    uint32_t *d = sass_row(w, op->d), carry = sass_pred(w, op->ps);
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    EMU_STORE_LANES(d, mask, a[i] * b[i] + c[i] + (carry >> i & 1));
}

static inline uint64_t product(uint32_t a, uint32_t b, bool is_signed)
{
    return is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
}

/* The 64-bit addend: rows c and the next; mode3: 1 negated, 2 complemented. */
static inline uint64_t addend(const uint32_t *c, unsigned i, unsigned mode)
{
    uint64_t value = c[i] | (uint64_t)c[i + SASS_ROW_WORDS] << 32;
    return mode == 1 ? 0 - value : mode == 2 ? ~value : value;
}

HANDLER(sass_run_imad_wide)
{
    uint32_t *low = sass_row(w, op->d), *high = sass_row_at(w, op->d, 1), carries = 0;
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = sass_row(w, op->c);
    uint64_t r[EMU_LANES];
    bool is_signed = op->is_signed;
    if (!op->mode2 && !op->mode3) {
        if (is_signed)
            EMU_EACH_LANE r[i] = product(a[i], b[i], true) + addend(c, i, 0);
        else
            EMU_EACH_LANE r[i] = product(a[i], b[i], false) + addend(c, i, 0);
    } else { /* with carries */
        for (unsigned i = 0; i < EMU_LANES; i++) {
            uint64_t x = product(a[i], b[i], is_signed), y = addend(c, i, op->mode3);
            r[i] = x + y + carry_of(w, op->ps, i);
            carries |= (uint32_t)(r[i] < x || (r[i] == x && y)) << i;
        }
        sass_set_pred(w, op->pd, mask, carries);
    }
    EMU_STORE_LANES(low, mask, (uint32_t)r[i]);
    EMU_STORE_LANES(high, mask, (uint32_t)(r[i] >> 32));
}

HANDLER(sass_run_imad_high)
{
    uint32_t *d = sass_row(w, op->d), carries = 0;
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = sass_row(w, op->c);
    uint64_t r[EMU_LANES];
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint64_t x = product(a[i], b[i], op->is_signed), y = addend(c, i, op->mode3);
        r[i] = x + y + carry_of(w, op->ps, i);
        carries |= (uint32_t)(r[i] < x || (r[i] == x && y)) << i;
    }
    EMU_STORE_LANES(d, mask, (uint32_t)(r[i] >> 32));
    sass_set_pred(w, op->pd, mask, carries);
}

/* Bytes (idp4) or a 16-bit and a byte operand (idp2): mode 1 if a is signed, mode2 if b is. */
static int32_t piece(uint32_t x, unsigned at, unsigned bits, bool is_signed)
{
    uint32_t v = x >> at & ((1u << bits) - 1);
    return is_signed && v >> (bits - 1) ? (int32_t)(v | ~((1u << bits) - 1)) : (int32_t)v;
}
HANDLER(sass_run_idp4)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        r[i] = c[i];
        for (unsigned k = 0; k < 32; k += 8)
            r[i] += (uint32_t)(piece(a[i], k, 8, op->mode) * piece(b[i], k, 8, op->mode2));
    }
    EMU_STORE_LANES(d, mask, r[i]);
}
HANDLER(sass_run_idp2)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    unsigned from = op->mode3 ? 16 : 0;
    for (unsigned i = 0; i < EMU_LANES; i++)
        r[i] = c[i] + (uint32_t)(piece(a[i], 0, 16, op->mode) * piece(b[i], from, 8, op->mode2)) +
               (uint32_t)(piece(a[i], 16, 16, op->mode) * piece(b[i], from + 8, 8, op->mode2));
    EMU_STORE_LANES(d, mask, r[i]);
}

/* ---- shift and add ---- */

/* d = (a << imm) + b; mode: a is negated (1) or complemented (2) after the shift; mode3: with carry
 * in ps. */
static inline uint64_t shifted(uint32_t a, unsigned shift, unsigned mode)
{
    uint32_t s = a << shift;
    return mode ? (uint64_t)(uint32_t)~s + (mode == 1) : s;
}
HANDLER(sass_run_lea)
{
    uint32_t *d = sass_row(w, op->d), carries = 0;
    const uint32_t *a = sass_row(w, op->a), *b = SASS_B(w, op);
    unsigned shift = (unsigned)op->imm & 31;
    if (op->pd == SASS_PRED_SINK && !op->mode && !op->mode3) {
        EMU_STORE_LANES(d, mask, (a[i] << shift) + b[i]);
        return;
    }
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint64_t sum = shifted(a[i], shift, op->mode) + b[i] + (op->mode2 == 1) +
                       (op->mode3 ? carry_of(w, op->ps, i) : 0);
        carries |= (uint32_t)(sum >> 32 & 1) << i;
        d[i] = mask >> i & 1 ? (uint32_t)sum : d[i];
    }
    sass_set_pred(w, op->pd, mask, carries);
}

/* The upper half of (c:a) << imm, and b. is_signed: c is the sign of a. */
HANDLER(sass_run_lea_high)
{
    uint32_t *d = sass_row(w, op->d), carries = 0, r[EMU_LANES];
    const uint32_t *a = sass_row(w, op->a), *b = SASS_B(w, op), *c = SASS_C(w, op);
    unsigned shift = (unsigned)op->imm & 31;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint64_t pair =
            op->is_signed ? (uint64_t)(int64_t)(int32_t)a[i] : (uint64_t)c[i] << 32 | a[i];
        pair <<= shift;
        pair = op->mode == 1 ? 0 - pair : op->mode == 2 ? ~pair : pair;
        uint64_t sum =
            (pair >> 32) + b[i] + (op->mode2 == 1) + (op->mode3 ? carry_of(w, op->ps, i) : 0);
        carries |= (uint32_t)(sum >> 32 & 1) << i;
        r[i] = (uint32_t)sum;
    }
    EMU_STORE_LANES(d, mask, r[i]);
    sass_set_pred(w, op->pd, mask, carries);
}

/* ---- logic ---- */

/* Any function of three bits, as the sum of its minterms. */
static inline uint32_t table_of_truth(uint32_t a, uint32_t b, uint32_t c, unsigned table)
{
    uint32_t r = 0;
    for (unsigned k = 0; k < 8; k++) {
        uint32_t term = (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
        r |= table >> k & 1 ? term : 0;
    }
    return r;
}

HANDLER(sass_run_lop3)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    switch (op->mode) {
    case 0xc0:
        EMU_STORE_LANES(d, mask, a[i] & b[i]);
        break;
    case 0xfc:
        EMU_STORE_LANES(d, mask, a[i] | b[i]);
        break;
    case 0x3c:
        EMU_STORE_LANES(d, mask, a[i] ^ b[i]);
        break;
    case 0x30:
        EMU_STORE_LANES(d, mask, a[i] & ~b[i]);
        break;
    case 0x33:
        EMU_STORE_LANES(d, mask, ~b[i]);
        break;
    case 0xf8:
        EMU_STORE_LANES(d, mask, a[i] | (b[i] & c[i]));
        break;
    case 0xfe:
        EMU_STORE_LANES(d, mask, a[i] | b[i] | c[i]);
        break;
    case 0x96:
        EMU_STORE_LANES(d, mask, a[i] ^ b[i] ^ c[i]);
        break;
    default:
        memset(r, 0, sizeof r);
        for (unsigned k = 0; k < 8; k++)
            if (op->mode >> k & 1) {
                uint32_t na = k & 4 ? 0 : EMU_FULL, nb = k & 2 ? 0 : EMU_FULL,
                         nc = k & 1 ? 0 : EMU_FULL;
                EMU_EACH_LANE r[i] |= (a[i] ^ na) & (b[i] ^ nb) & (c[i] ^ nc);
            }
        EMU_STORE_LANES(d, mask, r[i]);
    }
}

/* The predicate says whether any bit is set, combined with ps (mode2: by and, else or). */
HANDLER(sass_run_lop3_pred)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES], any = 0;
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        r[i] = table_of_truth(a[i], b[i], c[i], op->mode);
        any |= (uint32_t)(r[i] != 0) << i;
    }
    EMU_STORE_LANES(d, mask, r[i]);
    uint32_t other = sass_pred(w, op->ps);
    sass_set_pred(w, op->pd, mask, op->mode2 ? any & other : any | other);
}

/* Two functions of three predicates: tables mode and mode2. */
HANDLER(sass_run_plop3)
{
    uint32_t a = sass_pred(w, op->ps), b = sass_pred(w, op->ps2), c = sass_pred(w, op->ps3);
    uint32_t first = table_of_truth(a, b, c, op->mode), second = table_of_truth(a, b, c, op->mode2);
    sass_set_pred(w, op->pd, mask, first);
    sass_set_pred(w, op->pd2, mask, second);
}

/* ---- shifts ---- */

HANDLER(sass_run_shl)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op);
    EMU_STORE_LANES(d, mask, b[i] < 32 ? a[i] << (b[i] & 31) : 0);
}
HANDLER(sass_run_shr_u)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *c = SASS_C(w, op), *b = SASS_B(w, op);
    EMU_STORE_LANES(d, mask, b[i] < 32 ? c[i] >> (b[i] & 31) : 0);
}
HANDLER(sass_run_shr_s)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *c = SASS_C(w, op), *b = SASS_B(w, op);
    EMU_STORE_LANES(d, mask, (uint32_t)((int32_t)c[i] >> (b[i] < 31 ? b[i] : 31)));
}

/* The pair c:a shifted by b. mode: right; mode2: take the upper word; mode3: wrap the distance at
 * op->width, else stop there. */
HANDLER(sass_run_shf)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint64_t pair = (uint64_t)c[i] << 32 | a[i];
        uint32_t n = op->mode3 ? b[i] & (op->width - 1u) : b[i] < op->width ? b[i] : op->width;
        if (!op->mode)
            pair = n < 64 ? pair << n : 0;
        else if (op->is_signed)
            pair = (uint64_t)((int64_t)pair >> (n < 63 ? n : 63));
        else
            pair = n < 64 ? pair >> n : 0;
        r[i] = (uint32_t)(op->mode2 ? pair >> 32 : pair);
    }
    EMU_STORE_LANES(d, mask, r[i]);
}

/* Sign- or zero-extends the lowest b bits. */
HANDLER(sass_run_sgxt)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint32_t n = op->mode3 ? b[i] & 31 : b[i] < 32 ? b[i] : 32;
        uint32_t kept = n >= 32 ? a[i] : a[i] & ((1u << n) - 1);
        bool sign = op->is_signed && n && n < 32 && kept >> (n - 1) & 1;
        r[i] = sign ? kept | ~((1u << n) - 1) : kept;
    }
    EMU_STORE_LANES(d, mask, r[i]);
}

/* b ones from bit a on. */
HANDLER(sass_run_bmsk)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint32_t at = op->mode3 ? a[i] & 31 : a[i], n = op->mode3 ? b[i] & 31 : b[i];
        uint64_t ones = n >= 32 ? 0xffffffffull : (1ull << n) - 1;
        r[i] = at < 32 ? (uint32_t)(ones << at) : 0;
    }
    EMU_STORE_LANES(d, mask, r[i]);
}

static uint32_t permute(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    uint64_t bytes = (uint64_t)c << 32 | a;
    uint32_t r = 0, n = b & 3;
    for (unsigned k = 0; k < 4; k++) {
        unsigned pick;
        switch (mode) {
        case 1: /* F4E */
            pick = n + k;
            break;
        case 2: /* B4E */
            pick = (n - k) & 7;
            break;
        case 3: /* RC8 */
            pick = n;
            break;
        case 4: /* ECL */
            pick = k > n ? k : n;
            break;
        case 5: /* ECR */
            pick = k < n ? k : n;
            break;
        case 6: /* RC16 */
            pick = (n & 1) * 2 + (k & 1);
            break;
        default:
            pick = b >> (4 * k) & 15;
        }
        uint32_t byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 255;
        if (!mode && pick & 8) /* the sign of the byte, eight times */
            byte = byte & 128 ? 255 : 0;
        r |= byte << (8 * k);
    }
    return r;
}
HANDLER(sass_run_prmt)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++)
        r[i] = permute(a[i], b[i], c[i], op->mode);
    EMU_STORE_LANES(d, mask, r[i]);
}

/* ---- bits ---- */

HANDLER(sass_run_popc)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *b = SASS_B(w, op);
    EMU_STORE_LANES(d, mask, (uint32_t)__builtin_popcount(b[i]));
}
HANDLER(sass_run_brev)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES];
    const uint32_t *b = SASS_B(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint32_t x = __builtin_bswap32(b[i]);
        x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
        x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
        r[i] = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    }
    EMU_STORE_LANES(d, mask, r[i]);
}
/* The highest bit that differs from the sign; mode: as the distance from bit 31. */
HANDLER(sass_run_flo)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES], found = 0;
    const uint32_t *b = SASS_B(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint32_t x = op->is_signed && (int32_t)b[i] < 0 ? ~b[i] : b[i];
        uint32_t leading = x ? (uint32_t)__builtin_clz(x) : 0;
        r[i] = !x ? EMU_FULL : op->mode ? leading : 31 - leading;
        found |= (uint32_t)(x != 0) << i;
    }
    EMU_STORE_LANES(d, mask, r[i]);
    sass_set_pred(w, op->pd, mask, found);
}
HANDLER(sass_run_iabs)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *b = SASS_B(w, op);
    EMU_STORE_LANES(d, mask, (int32_t)b[i] < 0 ? 0 - b[i] : b[i]);
}
/* |a - b| + c */
HANDLER(sass_run_vabsdiff)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        bool less = op->is_signed ? (int32_t)a[i] < (int32_t)b[i] : a[i] < b[i];
        r[i] = (less ? b[i] - a[i] : a[i] - b[i]) + c[i];
    }
    EMU_STORE_LANES(d, mask, r[i]);
}
HANDLER(sass_run_vabsdiff4)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        r[i] = op->mode ? c[i] : 0;
        for (unsigned k = 0; k < 32; k += 8) {
            int32_t x = piece(a[i], k, 8, op->is_signed) - piece(b[i], k, 8, op->is_signed);
            uint32_t distance = (uint32_t)(x < 0 ? -x : x);
            r[i] += op->mode ? distance : distance << k;
        }
    }
    EMU_STORE_LANES(d, mask, r[i]);
}

/* ---- comparisons ---- */

void sass_finish_compare(struct sass_warp *w, const struct sass_exec *op, uint32_t mask,
                         uint32_t result)
{
    uint32_t other = sass_pred(w, op->ps), yes, no;
    switch (op->mode2) {
    case SASS_BOOL_AND:
        yes = result & other;
        no = ~result & other;
        break;
    case SASS_BOOL_OR:
        yes = result | other;
        no = ~result | other;
        break;
    default:
        yes = result ^ other;
        no = ~result ^ other;
    }
    sass_set_pred(w, op->pd, mask, yes);
    sass_set_pred(w, op->pd2, mask, no);
}

/* Masks of lanes where a < b and a == b, in loops that become vector code. */
static uint32_t lanes_of(const uint32_t bits[EMU_LANES])
{
    uint32_t r = 0;
    for (unsigned i = 0; i < EMU_LANES; i++)
        r |= bits[i];
    return r;
}

/* mode3: .EX, the upper words of a 64-bit comparison, whose lower words gave ps2. */
HANDLER(sass_run_isetp)
{
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op);
    uint32_t less[EMU_LANES], equal[EMU_LANES];
    if (op->is_signed)
        EMU_EACH_LANE less[i] = (int32_t)a[i] < (int32_t)b[i] ? emu_lane_bit[i] : 0;
    else
        EMU_EACH_LANE less[i] = a[i] < b[i] ? emu_lane_bit[i] : 0;
    EMU_EACH_LANE equal[i] = a[i] == b[i] ? emu_lane_bit[i] : 0;
    uint32_t l = lanes_of(less), e = lanes_of(equal), g = ~(l | e), r = 0;
    if (op->mode3) { /* equal upper words: what the lower ones said counts */
        uint32_t lower = sass_pred(w, op->ps2) & e;
        r |= op->mode & SASS_CMP_LESS ? l : 0;
        r |= op->mode & SASS_CMP_GREATER ? g : 0;
        r |= lower;
    } else {
        r |= op->mode & SASS_CMP_LESS ? l : 0;
        r |= op->mode & SASS_CMP_EQUAL ? e : 0;
        r |= op->mode & SASS_CMP_GREATER ? g : 0;
    }
    sass_finish_compare(w, op, mask, r);
}

static inline uint32_t smaller(uint32_t x, uint32_t y, bool is_signed)
{
    return (is_signed ? (int32_t)x < (int32_t)y : x < y) ? x : y;
}
static inline uint32_t larger(uint32_t x, uint32_t y, bool is_signed)
{
    return (is_signed ? (int32_t)x > (int32_t)y : x > y) ? x : y;
}

/* The smaller where ps is true, else the larger. */
HANDLER(sass_run_imnmx)
{
    uint32_t *d = sass_row(w, op->d), least = sass_pred(w, op->ps), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++)
        r[i] =
            least >> i & 1 ? smaller(a[i], b[i], op->is_signed) : larger(a[i], b[i], op->is_signed);
    if (op->mode) /* relu */
        EMU_EACH_LANE r[i] = (int32_t)r[i] < 0 ? 0 : r[i];
    EMU_STORE_LANES(d, mask, r[i]);
}

static uint32_t halves_min_max(uint32_t a, uint32_t b, bool least, bool is_signed)
{
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k += 16) {
        uint32_t x = (uint32_t)piece(a, k, 16, is_signed), y = (uint32_t)piece(b, k, 16, is_signed);
        r |= ((least ? smaller(x, y, is_signed) : larger(x, y, is_signed)) & 0xffff) << k;
    }
    return r;
}
HANDLER(sass_run_imnmx16)
{
    uint32_t *d = sass_row(w, op->d), least = sass_pred(w, op->ps), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++)
        r[i] = halves_min_max(a[i], b[i], least >> i & 1, op->is_signed);
    EMU_STORE_LANES(d, mask, r[i]);
}

/* min or max of a + b and c. */
HANDLER(sass_run_iaddmnmx)
{
    uint32_t *d = sass_row(w, op->d), least = sass_pred(w, op->ps), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint32_t sum = a[i] + b[i];
        r[i] =
            least >> i & 1 ? smaller(sum, c[i], op->is_signed) : larger(sum, c[i], op->is_signed);
        if (op->mode && (int32_t)r[i] < 0)
            r[i] = 0;
    }
    EMU_STORE_LANES(d, mask, r[i]);
}
HANDLER(sass_run_imnmx3)
{
    uint32_t *d = sass_row(w, op->d), least = sass_pred(w, op->ps), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op), *c = SASS_C(w, op);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        bool s = op->is_signed;
        r[i] = least >> i & 1 ? smaller(smaller(a[i], b[i], s), c[i], s)
                              : larger(larger(a[i], b[i], s), c[i], s);
        if (op->mode && (int32_t)r[i] < 0)
            r[i] = 0;
    }
    EMU_STORE_LANES(d, mask, r[i]);
}

/* ---- selection ---- */

/* op->words rows. */
HANDLER(sass_run_sel)
{
    uint32_t first = sass_pred(w, op->ps);
    for (unsigned k = 0; k < op->words; k++) {
        uint32_t *d = sass_row_at(w, op->d, k);
        const uint32_t *a = k ? sass_row_at(w, op->a, k) : SASS_A(w, op);
        const uint32_t *b = k ? sass_row_at(w, op->b, k) : SASS_B(w, op);
        EMU_STORE_LANES(d, mask, first & emu_lane_bit[i] ? a[i] : b[i]);
    }
}

/* Predicates as bits of a register, those of the mask in b; mode: byte to put them in. */
HANDLER(sass_run_p2r)
{
    uint32_t *d = sass_row(w, op->d), r[EMU_LANES];
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op);
    const uint32_t *pred = w->pred + (op->mode2 ? SASS_PRED_UNIFORM : 0);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        uint32_t bits = 0;
        for (unsigned p = 0; p < 7; p++)
            bits |= (pred[p] >> i & 1) << p;
        uint32_t wanted = (b[i] & 0x7f) << (8 * op->mode);
        r[i] = (a[i] & ~wanted) | (bits << (8 * op->mode) & wanted);
    }
    EMU_STORE_LANES(d, mask, r[i]);
}
HANDLER(sass_run_r2p)
{
    const uint32_t *a = SASS_A(w, op), *b = SASS_B(w, op);
    uint32_t first = op->mode2 ? SASS_PRED_UNIFORM : 0;
    for (unsigned p = 0; p < 7; p++) {
        uint32_t value = 0, written = 0;
        for (unsigned i = 0; i < EMU_LANES; i++) {
            value |= (a[i] >> (8 * op->mode + p) & 1) << i;
            written |= (b[i] >> p & 1) << i;
        }
        sass_set_pred(w, (uint8_t)(first + p), mask & written, value);
    }
}
