/* t_sass_decode.c - machine code against the text of NVIDIA's disassembler, and what an executor
 * reads out of decoded instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "base/file.h"
#include "sass/registers.h"

static char *corpus(size_t *length)
{
    const char *source = getenv("STRATA_SOURCE");
    char path[4096], *packed;
    size_t n;
    snprintf(path, sizeof path, "%s/tests/data/sass/corpus.txt.zst", source ? source : ".");
    assert_int_equal(strata_file_read(path, 1 << 24, &packed, &n, NULL), STRATA_OK);
    unsigned long long size = ZSTD_getFrameContentSize(packed, n);
    assert_true(size > 0 && size < 1 << 26);
    char *text = malloc(size + 1);
    assert_non_null(text);
    *length = ZSTD_decompress(text, size, packed, n);
    assert_int_equal(*length, size);
    text[size] = '\0';
    free(packed);
    return text;
}

static void every_text_of_the_corpus_is_reproduced(void **state)
{
    size_t length, n = 0, wrong = 0;
    char *text = corpus(&length);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned arch;
        unsigned long long low, high, address;
        int at = 0;
        char out[256];
        struct sass_inst i;
        if (*line == '#')
            continue;
        assert_int_equal(sscanf(line, "%u %llx %llx %llx %n", &arch, &low, &high, &address, &at),
                         4);
        sass_decode(low, high, address, arch, &i);
        sass_print(&i, out, sizeof out);
        n++;
        if (strcmp(out, line + at)) {
            wrong++;
            print_message("sm_%u %016llx %016llx: \"%s\", not \"%s\"\n", arch, low, high, out,
                          line + at);
        }
    }
    free(text);
    assert_true(n > 9000);
    assert_int_equal(wrong, 0);
}

static struct sass_inst decode(uint64_t low, uint64_t high, uint32_t arch)
{
    struct sass_inst i;
    assert_true(sass_decode(low, high, 0x100, arch, &i));
    return i;
}

static void control_codes_are_read(void **state)
{
    /* S2R R0, SR_CTAID.X with a write barrier; LDG that waits for it */
    struct sass_inst i = decode(0x0000000000007919, 0x000e2e0000002500, 90);
    assert_int_equal(i.op, SASS_S2R);
    assert_int_equal(i.control.stall, 7);
    assert_int_equal(i.control.yield, 0);
    assert_int_equal(i.control.write_barrier, 0);
    assert_int_equal(i.control.read_barrier, SASS_NO_SCOREBOARD);
    assert_int_equal(i.control.wait_mask, 0);
    i = decode(0x0000000404077981, 0x004ea2000c1e1900, 90);
    assert_int_equal(i.control.wait_mask, 4);
    assert_int_equal(i.control.write_barrier, 2);
    /* FMUL R4, R0.reuse, 1.4427 */
    i = decode(0x3fb8aa3b00047820, 0x044fe20000400000, 90);
    assert_int_equal(i.control.reuse, 1);
    assert_true(i.operand[1].flags & SASS_REUSE);
    assert_int_equal(i.operand[2].kind, SASS_IMM_F32);
    assert_int_equal(i.operand[2].value, 0x3fb8aa3b);
}

static void hidden_operands_keep_their_places(void **state)
{
    /* IADD3 R7, RZ, -R15, RZ: the carries go to PT and are not printed */
    struct sass_inst i = decode(0x8000000fff077210, 0x010fe20007ffe0ff, 90);
    assert_int_equal(i.n_operands, 6);
    assert_int_equal(i.operand[1].kind, SASS_PRED);
    assert_int_equal(i.operand[1].reg, SASS_PT);
    assert_true(i.operand[1].flags & SASS_HIDDEN && i.operand[1].flags & SASS_DEST);
    assert_int_equal(i.operand[4].reg, 15);
    assert_true(i.operand[4].flags & SASS_NEG);
    /* IMAD.X R11, R30, 0x1, R9, P1 */
    i = decode(0x000000011e0b7824, 0x000fca00008e0609, 90);
    assert_int_equal(i.mod[SASS_M_CARRY_IN], SASS_W_X);
    assert_int_equal(i.operand[4].kind, SASS_PRED);
    assert_int_equal(i.operand[4].reg, 1);
}

static void usual_modifiers_have_words_though_they_are_not_printed(void **state)
{
    /* LDG.E R0, desc[UR4][R4.64]: 32 bits, weak; LDG.E.128.STRONG.GPU */
    struct sass_inst i = decode(0x0000000404007981, 0x000ea8000c1e1900, 90);
    assert_int_equal(i.mod[SASS_M_SIZE], SASS_W_32);
    assert_int_equal(i.mod[SASS_M_SEM], SASS_W_WEAK);
    assert_int_equal(i.mod[SASS_M_EXTENDED], SASS_W_E);
    const struct sass_operand *m = &i.operand[2];
    assert_int_equal(m->kind, SASS_MEMORY);
    assert_int_equal(m->reg, 4);
    assert_int_equal(m->desc, 4);
    assert_int_equal(m->ureg, SASS_NO_UREG);
    assert_int_equal(sass_operand_registers(&i, 2), 2);
    i = decode(0x000000060e087981, 0x000ea2000c1efd00, 90);
    assert_int_equal(i.mod[SASS_M_SIZE], SASS_W_128);
    assert_int_equal(i.mod[SASS_M_SEM], SASS_W_STRONG);
    assert_int_equal(i.mod[SASS_M_SCOPE], SASS_W_GPU);
    assert_int_equal(sass_operand_registers(&i, 1), 4);
}

static void labels_are_addresses(void **state)
{
    /* @P0 BRA, forward by 0x6c0 on Hopper; before, other bits */
    struct sass_inst i = decode(0x0000000400b00947, 0x000fea0003800000, 90);
    assert_int_equal(i.operand[1].kind, SASS_LABEL);
    assert_int_equal(i.operand[1].value, 0x100 + 16 + 0x6c0);
    assert_int_equal(i.guard, 0);
    i = decode(0xfffff77000000947, 0x000fea000383ffff, 89);
    assert_true(i.operand[1].value == 0x100 + 16 - 0x890);
}

static void unknown_code_is_said_to_be_unknown(void **state)
{
    struct sass_inst i;
    char text[64];
    assert_false(sass_decode(0x0000000000000fff, 0, 0, 90, &i));
    assert_int_equal(i.op, SASS_UNKNOWN);
    sass_print(&i, text, sizeof text);
    assert_string_equal(text, "@P0 ???");
}

static void text_is_cut_where_the_room_ends(void **state)
{
    struct sass_inst i = decode(0x0000000404007981, 0x000ea8000c1e1900, 90);
    char text[8];
    memset(text, 'x', sizeof text);
    assert_int_equal(sass_print(&i, text, sizeof text), 7);
    assert_string_equal(text, "LDG.E R");
}

/* Words that ptxas wrote, texts of nvdisasm. */
static void products_of_eight_bit_floats_are_printed(void **state)
{
    (void)state;
    static const struct {
        uint64_t low, high;
        uint32_t arch;
        const char *text;
    } rows[] = {
        {0x000000060c08727a, 0x004ff60000002c08, 89,
         "QMMA.16832.F32.E4M3.E4M3 R8, R12.ROW, R6.COL, R8"},
        {0x000000060c08727a, 0x004ff60000006c08, 89,
         "QMMA.16832.F32.E5M2.E4M3 R8, R12.ROW, R6.COL, R8"},
        {0x000000060c08727a, 0x004ff6000000ac08, 89,
         "QMMA.16832.F32.E4M3.E5M2 R8, R12.ROW, R6.COL, R8"},
        {0x0000000c0806727a, 0x004ff60000008c06, 89,
         "QMMA.16832.F16.E4M3.E5M2 R6, R8.ROW, R12.COL, R6"},
        {0x000000000608727a, 0x004fde000000a408, 89,
         "QMMA.16816.F32.E4M3.E5M2 R8, R6.ROW, R0.COL, R8"},
        {0x0000000fff06723e, 0x004fc400020004ff, 90, "F2FP.F16.E5M2.UNPACK_B R6, R15"},
        {0x0000000cff08723e, 0x001fe400030006ff, 90, "F2FP.F16.E4M3.UNPACK_B R8, R12.H1"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char text[128];
        struct sass_inst i = decode(rows[k].low, rows[k].high, rows[k].arch);
        sass_print(&i, text, sizeof text);
        assert_string_equal(text, rows[k].text);
    }
}

static void live_registers_follow_branches(void **state)
{
    /* MOV R2, 1; (back:) IADD3 R3, R2, R3; @P0 BRA back; MOV R4, R3; EXIT */
    static const uint64_t words[][2] = {{0x0000000100027802, 0x000fe40000000f00},
                                        {0x0000000302037210, 0x000fe40007ffe0ff},
                                        {0xfffffffc00f80947, 0x000fea000383ffff},
                                        {0x0000000300047202, 0x000fe40000000f00},
                                        {0x000000000000794d, 0x000fea0003800000}};
    struct sass_inst code[5];
    uint16_t live[5];
    for (size_t k = 0; k < 5; k++)
        assert_true(sass_decode(words[k][0], words[k][1], k * 16, 90, &code[k]));
    assert_int_equal(code[2].operand[1].value, 0x10);
    assert_true(sass_live_registers(code, 5, live));
    assert_int_equal(live[0], 2); /* R2 and R3, which the loop reads first */
    assert_int_equal(live[1], 2);
    assert_int_equal(live[2], 2); /* R2 is needed again */
    assert_int_equal(live[3], 2); /* R3 and the result */
    assert_int_equal(live[4], 0);
}

static void pairs_and_quads_are_counted(void **state)
{
    /* IMAD.WIDE R2, R0, 0x4, R2 */
    struct sass_inst i = decode(0x0000000400027825, 0x000fc600078e0202, 90);
    assert_int_equal(sass_operand_registers(&i, 0), 2);
    assert_int_equal(sass_operand_registers(&i, 2), 1);
    assert_int_equal(sass_operand_registers(&i, 4), 2);
    /* HMMA.16816.F32 R8, R20, R4, R8 */
    i = decode(0x000000041408723c, 0x004fde0000001808, 90);
    assert_int_equal(sass_operand_registers(&i, 0), 4);
    assert_int_equal(sass_operand_registers(&i, 1), 4);
    assert_int_equal(sass_operand_registers(&i, 2), 2);
    assert_int_equal(sass_operand_registers(&i, 3), 4);
    /* DADD R28, -R48, R28; RZ is no register */
    i = decode(0x00000000301c7229, 0x000fc6000000011c, 90);
    assert_int_equal(sass_operand_registers(&i, 1), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_of_the_corpus_is_reproduced),
        cmocka_unit_test(control_codes_are_read),
        cmocka_unit_test(hidden_operands_keep_their_places),
        cmocka_unit_test(usual_modifiers_have_words_though_they_are_not_printed),
        cmocka_unit_test(labels_are_addresses),
        cmocka_unit_test(unknown_code_is_said_to_be_unknown),
        cmocka_unit_test(text_is_cut_where_the_room_ends),
        cmocka_unit_test(products_of_eight_bit_floats_are_printed),
        cmocka_unit_test(live_registers_follow_branches),
        cmocka_unit_test(pairs_and_quads_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
