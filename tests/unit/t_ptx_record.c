/* What the emulator records: static instructions, masks and addresses. */
#include "recordfix.h"

/* clang marks inlined code by the header's lines alone. */
static void a_line_of_a_header_is_that_of_the_call(void **state)
{
    (void)state;
    struct record r;
    uint32_t *in = device_memory(256), *out = device_memory(256);
    void *params[2] = {in, out};
    run_recorded(KERNEL(".loc 1 42 7\nld.global.u32 %r2,[%rd4];\n.loc 6 533 10\nst.global.u32 "
                        "[%rd5],%r2;\n.loc 1 0 3\n"),
                 32, params, &r);
    assert_int_equal(r.inst[find(&r, "ld.global.u32")].source_line, 42);
    assert_int_equal(r.inst[find(&r, "st.global.u32")].source_line, 42);
    assert_int_equal(r.inst[find(&r, "ret")].source_line, 0);
    assert_string_equal(r.inlined[find(&r, "ld.global.u32")], "");
    assert_string_equal(r.inlined[find(&r, "st.global.u32")], "?:533"); /* no .file has number 6 */
}

/* nvcc names the call, which may itself be inlined; files are told at the end. */
static void inlined_code_has_the_line_of_its_call_and_the_places_between(void **state)
{
    (void)state;
    struct record r;
    uint32_t *in = device_memory(256), *out = device_memory(256);
    void *params[2] = {in, out};
    run_recorded(
        KERNEL(".loc 1 6 5\nld.global.u32 %r2,[%rd4];\n"
               ".loc 2 9 9, function_name $some, inlined_at 1 6 5\nadd.u32 %r3,%r2,1;\n"
               ".loc 3 84 3, function_name $put, inlined_at 2 9 9\n"
               "st.global.u32 [%rd5],%r3;\n"
               ".loc 3 84 3, function_name $put, inlined_at 1 7 5\n"
               "red.global.add.u32 [%rd5],%r3;\n.loc 1 8 1\n") ".file 1 \"/u/k.cu\"\n.file 2 "
                                                               "\"/u/bins.h\"\n.file 3 "
                                                               "\"/c/atomics.hpp\"\n",
        32, params, &r);
    static const struct {
        const char *opcode, *inlined;
        uint32_t line;
    } rows[] = {{"ld.global.u32", "", 6},
                {"add.u32", "/u/bins.h:9", 6},
                {"st.global.u32", "/u/bins.h:9 > /c/atomics.hpp:84", 6},
                {"red.global.add.u32", "/c/atomics.hpp:84", 7},
                {"ret", "", 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned at = find(&r, rows[i].opcode);
        assert_string_equal(r.inlined[at], rows[i].inlined);
        assert_int_equal(r.inst[at].source_line, rows[i].line);
    }
}

static void what_machine_code_has_is_recorded_in_order(void **state)
{
    (void)state;
    struct record r;
    uint32_t *in = device_memory(256), *out = device_memory(256);
    void *params[2] = {in, out};
    run_recorded(KERNEL(".loc 1 42 7\nld.global.u32 %r2,[%rd4];\n.loc 1 43 1\nmul.lo.u32 "
                        "%r3,%r2,%r2; st.global.u32 "
                        "[%rd5+-0],%r3;"),
                 32, params, &r);
    static const char *const opcodes[] = {
        /* the kernel's stack and the addresses' descriptor, then its own */
        "ld.param.u64", "ld.param.u64",  "ld.param.u64", "ld.param.u64",  "mov.u32", "add.u64",
        "add.u64",      "ld.global.u32", "mul.lo.u32",   "st.global.u32", "ret"};
    static const uint8_t classes[] = {STRATA_OP_CONST, STRATA_OP_UNIFORM, STRATA_OP_CONST,
                                      STRATA_OP_CONST, STRATA_OP_SREG,    STRATA_OP_IMAD,
                                      STRATA_OP_IMAD,  STRATA_OP_MEM,     STRATA_OP_IMAD,
                                      STRATA_OP_MEM,   STRATA_OP_EXIT};
    assert_int_equal(r.n, 11);
    for (unsigned i = 0; i < 11; i++) {
        assert_string_equal(r.opcode[i], opcodes[i]);
        assert_int_equal(r.inst[i].opclass, classes[i]);
        assert_int_equal(r.mask[i], 0xffffffff);
        if (i)
            assert_true(r.inst[i].pc > r.inst[i - 1].pc);
    }
    assert_int_equal(r.inst[2].memop, STRATA_MEM_LOAD);
    assert_int_equal(r.kind[2], STRATA_ADDR_NONE);
    const struct strata_inst *load = &r.inst[7], *store = &r.inst[9];
    assert_int_equal(load->space, STRATA_SPACE_GLOBAL);
    assert_int_equal(load->memop, STRATA_MEM_LOAD);
    assert_int_equal(load->width_bytes, 4);
    assert_int_equal(load->source_line, 42);
    assert_int_equal(store->source_line, 43);
    assert_int_equal(store->memop, STRATA_MEM_STORE);
    assert_int_equal(store->n_dst, 0);
    assert_int_equal(store->n_src, 2);
    /* the load's address comes from the add, its result goes to both sources of the product */
    assert_int_equal(load->reg[load->n_dst], r.inst[5].reg[0]);
    assert_int_equal(r.inst[8].reg[1], load->reg[0]);
    assert_int_equal(r.inst[8].reg[2], load->reg[0]);
    /* the product is part of the addition, which reads the thread's number itself */
    assert_int_equal(r.inst[5].reg[2], r.inst[4].reg[0]);
    assert_int_equal(r.kind[7], STRATA_ADDR_STRIDE);
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(r.address[7][lane], (uintptr_t)(in + lane));
        assert_int_equal(r.address[9][lane], (uintptr_t)(out + lane));
    }
}

/* LDC of the stack's address; ULDC of what stands behind global addresses, where there are any. */
static void a_kernel_that_names_no_global_address_begins_without_their_constants(void **state)
{
    (void)state;
    struct record r;
    void *params[2] = {device_memory(256), device_memory(256)};
    run_recorded(PTX_HEAD ".visible .entry k()\n{ ret; }\n", 32, params, &r);
    assert_int_equal(r.n, 2);
    assert_int_equal(r.inst[0].opclass, STRATA_OP_CONST);
    assert_int_equal(r.inst[1].opclass, STRATA_OP_EXIT);
}

/* A lane between two columns, two rows, both, or by less than the filter's fraction holds. */
static void a_read_of_a_texture_tells_along_which_axes_it_mixes_texels(void **state)
{
    (void)state;
    static const struct {
        float x, y;
        uint16_t hints;
    } at[] = {{1.5f, 2.5f, 0},
              {1.75f, 2.5f, STRATA_HINT_MIXED_X},
              {1.5f, 2.25f, STRATA_HINT_MIXED_Y},
              {1.75f, 2.25f, STRATA_HINT_MIXED_X | STRATA_HINT_MIXED_Y},
              {1.5f + 1 / 1024.0f, 2.5f, 0},
              {1.5f + 1 / 512.0f, 2.5f, STRATA_HINT_MIXED_X}};
    static struct record r;
    struct strata_texture t = {.data = device_memory(4 * 64 * 8),
                               .width = 64,
                               .height = 8,
                               .pitch_bytes = 256,
                               .channel_bits = {32},
                               .texel_kind = STRATA_TEXEL_FLOAT,
                               .tiled = true,
                               .linear_filter = true};
    const struct strata_texture *table[1] = {&t};
    float *in = device_memory(8);
    void *params[2] = {in, device_memory(64)};
    for (unsigned i = 0; i < sizeof at / sizeof at[0]; i++) {
        struct strata_module *m = load_text(
            KERNEL("ld.global.f32 %f1,[%rd1]; ld.global.f32 %f2,[%rd1+4]; mov.u64 %rd6,1;\n"
                   "tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7},[%rd6,{%f1,%f2}];\n"
                   "st.global.f32 [%rd5],%f4;"));
        struct strata_record_sink sink = {&r, begin, take};
        struct run_setup setup = {.threads = 2, .sink = &sink, .textures = table, .n_textures = 1};
        memset(&r, 0, sizeof r);
        in[0] = at[i].x, in[1] = at[i].y;
        run_ok(m, "k", &setup, params);
        unsigned k = find(&r, "tex.2d.v4.f32.f32");
        assert_int_equal(r.inst[k].hints, at[i].hints);
        assert_int_equal(r.inst[k].space, STRATA_SPACE_TEXTURE);
        assert_int_equal(r.address[k][0] - (uintptr_t)t.data, (at[i].y < 2.5f ? 16 : 32) + 4);
        strata_module_destroy(m);
    }
    struct strata_launch_texture told = strata_texture_describe(&t);
    assert_int_equal(told.texels, STRATA_TEXELS_TILED);
    assert_int_equal(told.slice_bytes, 2048);
    assert_int_equal(told.texel_bytes, 4);
    assert_true(told.filters && told.depth == 1);
}

static void an_op_is_as_many_records_as_the_assembler_makes_of_it(void **state)
{
    (void)state;
    struct record r;
    void *params[2] = {device_memory(256), device_memory(256)};
    run_recorded(
        KERNEL("cvta.to.global.u64 %rd6,%rd4; ld.global.u32 %r2,[%rd6]; add.u32 %r3,%r1,7;\n"
               "div.u32 %r4,%r2,%r3; rem.u32 %r5,%r2,%r3; cvt.u64.u32 %rd7,%r4;\n"
               "add.u64 %rd8,%rd7,%rd3; mul.lo.u32 %r6,%r5,%r4; add.u32 %r7,%r6,%r4;\n"
               "st.global.u64 [%rd2],%rd8; st.global.u32 [%rd2+8],%r7;"),
        32, params, &r);
    assert_int_equal(count(&r, "cvta.to.global.u64"), 0);
    assert_int_equal(count(&r, "div.u32"), 19); /* src/ptx/expansion_table.h */
    assert_int_equal(count(&r, "rem.u32"), 1);  /* of the same numbers */
    assert_int_equal(count(&r, "cvt.u64.u32"), 0);
    assert_int_equal(count(&r, "mul.lo.u32"), 0);
    unsigned k = find(&r, "div.u32");
    for (unsigned i = k; i < k + 19; i++) /* each reads what the one before has left */
        assert_int_equal(r.inst[i].reg[0], r.inst[k].reg[0]);
    assert_int_equal(r.inst[k + 1].reg[1], r.inst[k].reg[0]);
}

/* Whether an address of the parameters is loaded before the instruction called `first`; the class
 * of the load. */
static bool loaded_before(const struct record *r, const char *first, unsigned *class)
{
    unsigned end = find(r, first);
    bool before = false;
    *class = 0;
    for (unsigned i = 0; i < r->n; i++)
        if (!strcmp(r->opcode[i], "ld.param.u64")) {
            before |= i < end;
            *class = r->inst[i].opclass;
        }
    return before;
}

#define ONE_ADDRESS(body)                                                                          \
    PTX_HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b32 %r<16>; .reg .b64 "  \
             "%rd<16>; .reg .pred %p<8>; .reg .f32 %f<8>;\nld.param.u64 %rd1,[in];\n"              \
             "mov.u32 %r1,%tid.x; setp.gt.u32 %p1,%r1,1000; @%p1 bra E;\n" body "\nE: ret; }\n"

static void parameters_are_loaded_where_they_are_first_used(void **state)
{
    (void)state;
    static const struct {
        const char *text, *before;
        bool loaded;
        unsigned class, loads;
    } row[] = {
        /* behind the branch, to registers for a product, to uniform ones for a sum */
        {ONE_ADDRESS("mul.wide.u32 %rd3,%r1,4; add.s64 %rd4,%rd1,%rd3; ld.global.f32 %f1,[%rd4];"),
         "setp.gt.u32", false, STRATA_OP_CONST, 1},
        {ONE_ADDRESS("cvta.to.global.u64 %rd2,%rd1; mul.wide.u32 %rd3,%r1,4;\n"
                     "add.s64 %rd4,%rd2,%rd3; ld.global.f32 %f1,[%rd4];"),
         "setp.gt.u32", false, STRATA_OP_CONST, 1},
        {ONE_ADDRESS("cvt.u64.u32 %rd3,%r1; add.s64 %rd4,%rd1,%rd3; ld.global.u8 %r2,[%rd4];"),
         "setp.gt.u32", false, STRATA_OP_UNIFORM, 1},
        /* before a loop, not in it */
        {ONE_ADDRESS("mov.u32 %r3,0; mul.lo.u32 %r4,%r1,3;\nL: mul.wide.u32 %rd3,%r1,4;\n"
                     "add.s64 %rd4,%rd1,%rd3; ld.global.f32 %f1,[%rd4]; add.u32 %r3,%r3,1;\n"
                     "setp.lt.u32 %p2,%r3,9; @%p2 bra L;"),
         "ld.global.f32", true, STRATA_OP_CONST, 1},
        /* never */
        {ONE_ADDRESS("add.u32 %r2,%r1,7;"), "setp.gt.u32", false, 0, 0},
    };
    void *params[2] = {device_memory(4096), device_memory(256)};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        struct record r;
        unsigned class;
        run_recorded(row[k].text, 32, params, &r);
        assert_int_equal(loaded_before(&r, row[k].before, &class), row[k].loaded);
        assert_int_equal(class, row[k].class);
        assert_int_equal(count(&r, "ld.param.u64"), row[k].loads);
    }
}

#define LOAD "ld.global.f32 %f2,[%rd4]; add.f32 %f1,%f1,%f2;\n"
#define FMA8                                                                                       \
    "fma.rn.f32 %f1,%f1,%f1,%f1; fma.rn.f32 %f1,%f1,%f1,%f1; fma.rn.f32 %f1,%f1,%f1,%f1;\n"        \
    "fma.rn.f32 %f1,%f1,%f1,%f1; fma.rn.f32 %f1,%f1,%f1,%f1; fma.rn.f32 %f1,%f1,%f1,%f1;\n"        \
    "fma.rn.f32 %f1,%f1,%f1,%f1; fma.rn.f32 %f1,%f1,%f1,%f1;\n"
#define LOOP(begin, body, end)                                                                     \
    KERNEL("ld.global.u32 %r7,[%rd1]; mov.u32 %r3,0;\nL: " begin body end "@%p2 bra L;")
#define COUNT(limit) "add.s32 %r3,%r3,1; setp.lt.s32 %p2,%r3," limit ";\n"

/* What ptxas 13.0 did with such loops (src/ptx/unrolled.c). */
static void a_branch_tells_how_often_its_loop_is_unrolled(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t rounds;
    } row[] = {
        {LOOP("", LOAD, COUNT("%r7")), 4},
        {LOOP(".pragma \"nounroll\";", LOAD, COUNT("%r7")), 1},
        {LOOP(".pragma \"used_bytes_mask 15\";", LOAD, COUNT("%r7")), 4},
        {LOOP("", LOAD, "add.s32 %r3,%r3,%r1; setp.lt.s32 %p2,%r3,%r7;"), 1}, /* by no constant */
        {LOOP("", FMA8 FMA8, COUNT("%r7")), 4},
        {LOOP("", FMA8 FMA8 FMA8, COUNT("%r7")), 1}, /* too long without a load */
        {LOOP("", LOAD FMA8 FMA8 FMA8 FMA8 FMA8, COUNT("%r7")), 4},
        {LOOP("", LOAD FMA8 FMA8 FMA8 FMA8 FMA8 FMA8, COUNT("%r7")), 1}, /* and with one */
        {LOOP("", LOAD FMA8 FMA8 FMA8, COUNT("900")), 10}, /* all rounds are too many */
        {LOOP("", LOAD FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8 FMA8, COUNT("900")), 1},
        {KERNEL("ld.global.u32 %r7,[%rd1]; mov.u32 %r3,0;\nL: " LOAD
                "setp.gt.f32 %p3,%f1,0f7f000000; @%p3 bra X;\n" COUNT("%r7") "@%p2 bra L; X:"),
         1}, /* two ways out */
    };
    void *params[2] = {device_memory(4096), device_memory(256)};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        struct record r;
        run_recorded(row[k].text, 32, params, &r);
        unsigned last = r.n;
        while (last-- && r.inst[last].opclass != STRATA_OP_BRANCH)
            ;
        assert_int_equal(r.inst[last].imm % STRATA_BRANCH_ALIVE, row[k].rounds);
    }
}

/* Registers alive where a loop begins: a pointer, a sum, what it counts to and by, and what is read
 * behind it; a parameter where the loop or one around it reads it, and not where others do. */
static void a_branch_tells_what_is_alive_where_its_loop_begins(void **state)
{
    (void)state;
#define INNER  "mov.u32 %r3,0;\nL: ld.global.f32 %f1,[%rd1]; add.f32 %f2,%f2,%f1;\n"
#define BRANCH COUNT("%r7") "@%p2 bra L;\n"
#define BEGIN  "ld.global.u32 %r7,[%rd1]; mov.f32 %f2,0f00000000; add.u32 %r4,%r7,1;\n"
    static const struct {
        const char *text;
        int32_t alive; /* in words */
    } row[] = {
        /* a counter, its end, a sum, the pointer that is computed */
        {KERNEL(BEGIN "add.s64 %rd1,%rd4,8;" INNER BRANCH "st.global.f32 [%rd2],%f2;"), 5},
        {KERNEL(BEGIN "add.s64 %rd1,%rd4,8;" INNER BRANCH
                      "st.global.f32 [%rd2],%f2; st.global.u32 [%rd2+4],%r4;"),
         6},
        {KERNEL(BEGIN INNER "st.global.f32 [%rd2],%f2;" BRANCH), 7},
        {KERNEL(BEGIN "mov.u32 %r5,0;\nO: add.s64 %rd6,%rd4,8;" INNER BRANCH
                      "add.s32 %r5,%r5,1; setp.lt.s32 %p3,%r5,%r7; st.global.f32 [%rd2],%f2;\n"
                      "@%p3 bra O;"),
         8}, /* the parameter that only the outer loop reads is loaded there in each round */
    };
    void *params[2] = {device_memory(4096), device_memory(256)};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        struct record r;
        run_recorded(row[k].text, 32, params, &r);
        unsigned branch = 0;
        while (r.inst[branch].opclass != STRATA_OP_BRANCH ||
               r.inst[branch].imm < STRATA_BRANCH_ALIVE)
            branch++;
        assert_int_equal(r.inst[branch].imm / STRATA_BRANCH_ALIVE - 1, row[k].alive);
    }
}

/* As ptxas 13.0 has them: IMAD, IMAD.WIDE, IMAD (but for numbers) and IADD3 for a product, with
 * what is added to it, two moves where that is a number; half of it where a half of 64 bits is
 * known. */
static void operations_of_64_bits_are_what_their_operands_leave_of_them(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        unsigned records; /* of all of the row */
    } row[] = {
        {"mul.lo.s64 %rd8,%rd6,%rd7;", 4},
        {"mul.lo.s64 %rd8,%rd6,3;", 3},
        {"mul.lo.s64 %rd9,%rd6,%rd7; add.s64 %rd8,%rd9,%rd6;", 4},
        {"mul.lo.s64 %rd9,%rd6,3; add.s64 %rd8,%rd9,%rd6;", 3},
        {"mul.lo.s64 %rd9,%rd6,3; add.s64 %rd8,%rd9,1;", 5},
        {"and.b64 %rd8,%rd6,%rd7;", 2},
        {"and.b64 %rd8,%rd6,60;", 1},
        {"and.b64 %rd8,%rd6,-8;", 1},
        {"or.b64 %rd8,%rd6,1;", 1},
        {"or.b64 %rd8,%rd6,-8;", 2},
        {"and.b64 %rd9,%rd6,%rd7; xor.b64 %rd8,%rd9,%rd6;", 2},
        {"setp.eq.b64 %p1,%rd6,%rd7; selp.b64 %rd8,%rd6,%rd7,%p1;", 4},
    };
    void *params[2] = {device_memory(4096), device_memory(256)};
    unsigned without = 0;
    for (size_t k = 0; k < sizeof row / sizeof row[0] + 1; k++) {
        char text[1024];
        struct record r;
        snprintf(text, sizeof text, "%s%s%s",
                 PTX_HEAD
                 ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b64 %rd<16>; "
                 ".reg .pred %p<8>;\nld.param.u64 %rd1,[in]; ld.global.u64 %rd6,[%rd1];\n"
                 "ld.global.u64 %rd7,[%rd1+8];\n",
                 k ? row[k - 1].op : "mov.u64 %rd8,%rd6;", " st.global.u64 [%rd1],%rd8; ret; }\n");
        run_recorded(text, 32, params, &r);
        without = k ? without : r.n;
        assert_int_equal(r.n - without, k ? row[k - 1].records : 0);
    }
}

static unsigned count_branches(const char *text)
{
    struct record r;
    void *params[2] = {device_memory(4096), device_memory(256)};
    unsigned n = 0;
    run_recorded(text, 32, params, &r);
    for (unsigned i = 0; i < r.n; i++)
        n += r.inst[i].opclass == STRATA_OP_BRANCH;
    return n;
}

/* The loops go around once. */
static void around_an_unrolled_loop_machine_code_asks_for_the_rounds_left(void **state)
{
    (void)state;
    assert_int_equal(count_branches(LOOP("", LOAD, COUNT("%r7"))), 4);
    assert_int_equal(count_branches(LOOP(".pragma \"nounroll\";", LOAD, COUNT("%r7"))), 1);
    assert_int_equal(count_branches(LOOP("", FMA8 FMA8 FMA8, COUNT("%r7"))), 1);
}

/* A tile of 32 rows of 128 bytes, of which a thread reads its own row. */
#define TILE(shift, body)                                                                          \
    ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 tile[4096];\n"            \
    ".visible .entry k(.param .u64 a) {\n.reg .b32 %r<20>; .reg .f32 %f<20>;\n"                    \
    "mov.u32 %r1,%tid.x; shl.b32 %r2,%r1," shift "; mov.u32 %r3,tile; add.s32 %r4,%r3,%r2;\n" body \
    "\nret; }\n"

static void neighbouring_words_of_shared_memory_are_one_load(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned loads, widest;
    } row[] = {
        {TILE("7", "ld.shared.f32 %f1,[%r4]; ld.shared.f32 %f2,[%r4+4]; add.f32 %f5,%f1,%f2;\n"
                   "ld.shared.f32 %f3,[%r4+8]; ld.shared.f32 %f4,[%r4+12]; add.f32 %f6,%f3,%f4;"),
         1, 16},
        /* 8 bytes are known to be one, 16 are not */
        {TILE("3",
              "ld.shared.f32 %f1,[%r4]; ld.shared.f32 %f2,[%r4+4]; ld.shared.f32 %f3,[%r4+8];\n"
              "ld.shared.f32 %f4,[%r4+12];"),
         2, 8},
        {TILE("2", "ld.shared.f32 %f1,[%r4]; ld.shared.f32 %f2,[%r4+4];"), 2, 4},
        {TILE("7", "ld.shared.f32 %f1,[%r4+4]; ld.shared.f32 %f2,[%r4+8];"), 2, 4},
        /* something may have been stored there */
        {TILE("7",
              "ld.shared.f32 %f1,[%r4]; st.shared.f32 [%r3+64],%f1; ld.shared.f32 %f2,[%r4+4];"),
         2, 4},
        {TILE("7", "ld.shared.f32 %f1,[%r4]; bar.sync 0; ld.shared.f32 %f2,[%r4+4];"), 2, 4},
        {TILE("7", "ld.volatile.shared.f32 %f1,[%r4]; ld.volatile.shared.f32 %f2,[%r4+4];"), 2, 4},
        /* another base */
        {TILE("7", "ld.shared.f32 %f1,[%r4]; add.s32 %r4,%r4,64; ld.shared.f32 %f2,[%r4+4];"), 2,
         4},
    };
    void *params[1] = {device_memory(256)};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        struct record r;
        unsigned loads = 0, widest = 0;
        run_recorded(row[k].text, 32, params, &r);
        for (unsigned i = 0; i < r.n; i++)
            if (r.inst[i].memop == STRATA_MEM_LOAD && r.inst[i].space == STRATA_SPACE_SHARED) {
                loads++;
                widest = r.inst[i].width_bytes > widest ? r.inst[i].width_bytes : widest;
                assert_int_equal(r.address[i][1] - r.address[i][0], k == 1 ? 8 : k == 2 ? 4 : 128);
            }
        assert_int_equal(loads, row[k].loads);
        assert_int_equal(widest, row[k].widest);
    }
}

/* The value of a word that was taken along comes with the load. */
static void who_reads_a_merged_word_waits_for_the_load(void **state)
{
    (void)state;
    struct record r;
    void *params[1] = {device_memory(256)};
    run_recorded(
        TILE("7", "ld.shared.f32 %f1,[%r4]; ld.shared.f32 %f2,[%r4+4]; sqrt.approx.f32 %f3,%f2;"),
        32, params, &r);
    unsigned load = find(&r, "ld.shared.f32"), user = find(&r, "sqrt.approx.f32");
    assert_int_equal(r.inst[user].reg[r.inst[user].n_dst], r.inst[load].reg[0]);
}

/* Of a matrix of 16 x 16 halves that lies the other way four words, each with the registers that it
 * and wmma's copies fill; from shared memory all in one. */
static void who_reads_a_matrix_waits_for_all_of_its_loads(void **state)
{
    (void)state;
    struct record r;
    void *params[2] = {device_memory(1024), device_memory(256)};
    for (unsigned shared = 0; shared < 2; shared++) {
        char text[1024];
        snprintf(text, sizeof text,
                 PTX_HEAD ".visible .entry k(.param .u64 in)\n{ .reg .b32 %%r<9>; .reg .b64 "
                          "%%rd<2>; .shared .align 32 .b8 box[512];\n"
                          "ld.param.u64 %%rd1,[in]; mov.u32 %%r0,box;\n"
                          "wmma.load.b.sync.aligned.row.m16n16k16.%s.f16 "
                          "{%%r1,%%r2,%%r3,%%r4,%%r5,%%r6,%%r7,%%r8},[%s];\nret; }\n",
                 shared ? "shared" : "global", shared ? "%r0" : "%rd1");
        run_recorded(text, 32, params, &r);
        bool written[65536] = {false};
        unsigned loads = 0, registers = 0;
        for (unsigned i = 0; i < r.n; i++) {
            if (strncmp(r.opcode[i], "wmma", 4))
                continue;
            loads++;
            assert_int_equal(r.inst[i].width_bytes, shared ? 16 : 4);
            assert_int_equal(r.inst[i].n_dst, shared ? 8 : 2);
            for (unsigned k = 0; k < r.inst[i].n_dst; k++)
                registers += !written[r.inst[i].reg[k]];
            for (unsigned k = 0; k < r.inst[i].n_dst; k++)
                written[r.inst[i].reg[k]] = true;
        }
        assert_int_equal(loads, shared ? 1 : 4);
        assert_int_equal(registers, 8);
    }
}

static void a_short_branch_becomes_a_predicate(void **state)
{
    (void)state;
    struct record r;
    void *params[2] = {device_memory(256), device_memory(256)};
    run_recorded(KERNEL("setp.lt.u32 %p1,%r1,1000; @%p1 bra OVER; st.global.u32 [%rd5],%r1;\n"
                        "OVER: setp.gt.u32 %p2,%r1,1000; @%p2 bra ON; st.global.u8 [%rd5],%r1;\n"
                        "ON: st.global.u16 [%rd5],%r1;"),
                 32, params, &r);
    assert_int_equal(count(&r, "bra"), 0);
    unsigned skipped = find(&r, "st.global.u32"), done = find(&r, "st.global.u8");
    assert_int_equal(r.mask[skipped], 0);
    assert_int_equal(r.kind[skipped], STRATA_ADDR_NONE);
    assert_int_equal(r.mask[done], 0xffffffff);
}

static void guards_and_partial_warps_narrow_the_mask(void **state)
{
    (void)state;
    struct record r;
    void *params[2] = {device_memory(256), device_memory(256)};
    run_recorded(
        KERNEL("setp.lt.u32 %p1,%r1,4; setp.gt.u32 %p2,%r1,1000; @%p1 ld.global.u32 %r2,[%rd4];\n"
               "@%p2 ld.global.u64 %rd6,[%rd4]; @%p2 st.global.u8 [%rd5],%r2; @!%p1 bra END; "
               "st.global.u32 [%rd5],%r2;\n"
               "END:"),
        20, params, &r);
    assert_int_equal(r.mask[0], 0xfffff);
    assert_int_equal(r.mask[find(&r, "ld.global.u32")], 0xf);
    unsigned none = find(&r, "ld.global.u64");
    assert_int_equal(r.mask[none],
                     0); /* nobody: recorded without addresses, as machine code would be */
    assert_int_equal(r.kind[none], STRATA_ADDR_NONE);
    assert_int_equal(r.mask[find(&r, "st.global.u8")], 0);

    assert_int_equal(r.mask[find(&r, "st.global.u32")], 0xf);
    assert_int_equal(r.mask[find(&r, "ret")], 0xfffff);
}

static void hints_follow_the_modifiers(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        unsigned hints;
    } cases[] = {
        {"ld.global.cg.u32", STRATA_HINT_BYPASS_L1},
        {"ld.global.nc.u32", STRATA_HINT_READ_ONLY},
        {"ld.global.cs.u32", STRATA_HINT_EVICT_FIRST},
        {"ld.volatile.global.u32", STRATA_HINT_VOLATILE},
        {"ld.global.cv.u32", STRATA_HINT_VOLATILE},
        {"ld.relaxed.gpu.global.u32", STRATA_HINT_BYPASS_L1},
        {"ld.acquire.sys.global.u32", STRATA_HINT_VOLATILE},
        {"ld.global.L1::no_allocate.u32", STRATA_HINT_NO_ALLOCATE},
        {"ld.global.L1::evict_last.u32", STRATA_HINT_EVICT_LAST},
        {"ld.global.L2::256B.u32", STRATA_HINT_PREFETCH_256B},
        {"ld.global.nc.L1::evict_first.L2::64B.u32",
         STRATA_HINT_READ_ONLY | STRATA_HINT_EVICT_FIRST | STRATA_HINT_PREFETCH_64B},
        {"ld.u32", STRATA_HINT_GENERIC},
        {"ld.global.ca.u32", 0},
    };
    void *params[2] = {device_memory(256), device_memory(256)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        struct record r;
        snprintf(text, sizeof text,
                 PTX_HEAD ".visible .entry k(.param .u64 in, .param .u64 out) { .reg .b64 %%rd<3>; "
                          ".reg .b32 %%r<3>;\n"
                          "ld.param.u64 %%rd1,[in]; %s %%r1,[%%rd1]; ret; }\n",
                 cases[i].op);
        run_recorded(text, 32, params, &r);
        unsigned k = find(&r, cases[i].op);
        if (r.inst[k].hints != cases[i].hints)
            fail_msg("%s has hints 0x%x instead of 0x%x", cases[i].op, r.inst[k].hints,
                     cases[i].hints);
        assert_int_equal(r.kind[k], STRATA_ADDR_STRIDE);
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(r.address[k][lane], (uintptr_t)params[0]);
    }
    struct record r;
    run_recorded(KERNEL("st.global.wt.u32 [%rd5],%r1;"), 32, params, &r);
    assert_int_equal(r.inst[find(&r, "st.global.wt.u32")].hints, STRATA_HINT_WRITE_THROUGH);
}

static void generic_accesses_name_the_space_they_reached(void **state)
{
    (void)state;
    struct record r;
    void *params[2] = {device_memory(256), device_memory(256)};
    run_recorded(KERNEL(".shared .align 4 .b8 s[256]; .local .align 4 .b8 l[8]; mov.u64 %rd6,s; "
                        "cvta.shared.u64 %rd6,%rd6;\n"
                        "add.u64 %rd7,%rd6,%rd3; mov.u64 %rd8,l; cvta.local.u64 %rd8,%rd8; "
                        "setp.lt.u32 %p1,%r1,8;\n"
                        "setp.lt.u32 %p2,%r1,24; selp.u64 %rd9,%rd7,%rd8,%p2; selp.u64 "
                        "%rd9,%rd4,%rd9,%p1; st.u32 [%rd9],%r1;\n"
                        "ld.shared.u32 %r2,[s+16]; st.local.u32 [l+4],%r2;"),
                 32, params, &r);
    unsigned k = find(&r, "st.u32");
    static const uint8_t spaces[] = {STRATA_SPACE_GLOBAL, STRATA_SPACE_SHARED, STRATA_SPACE_LOCAL};
    static const uint32_t masks[] = {0xff, 0xffff00, 0xff000000};
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(r.opcode[k + i], "st.u32");
        assert_int_equal(r.inst[k + i].space, spaces[i]);
        assert_int_equal(r.mask[k + i], masks[i]);
    }
    assert_int_equal(r.address[k + 1][9],
                     36); /* shared addresses are offsets in the block's memory */
    assert_int_equal(r.address[k + 2][30], 0); /* local ones in the thread's */
    assert_int_equal(r.address[find(&r, "ld.shared.u32")][5], 16);
    assert_int_equal(r.inst[find(&r, "st.local.u32")].space, STRATA_SPACE_LOCAL);
    assert_int_equal(r.address[find(&r, "st.local.u32")][5], 4);
}

static void asynchronous_copies_have_groups(void **state)
{
    (void)state;
    struct record r;
    void *params[2] = {device_memory(1024), device_memory(256)};
    run_recorded(
        KERNEL(
            ".shared .align 16 .b8 s[512]; mov.u32 %r2,s; shl.b32 %r3,%r1,4; add.u32 %r2,%r2,%r3;\n"
            "mul.wide.u32 %rd6,%r1,16; add.u64 %rd6,%rd1,%rd6; cp.async.cg.shared.global "
            "[%r2],[%rd6],16;\n"
            "cp.async.commit_group; cp.async.wait_group 3; cp.async.wait_all;"),
        32, params, &r);
    unsigned k = find(&r, "cp.async.cg.shared.global");
    assert_int_equal(r.inst[k].memop, STRATA_MEM_ASYNC_COPY);
    assert_int_equal(r.inst[k].width_bytes, 16);
    assert_int_equal(r.inst[k].hints, STRATA_HINT_BYPASS_L1);
    assert_int_equal(r.address[k][3], (uintptr_t)params[0] + 48);
    assert_int_equal(r.inst[find(&r, "cp.async.commit_group")].opclass, STRATA_OP_ASYNC_COMMIT);
    assert_int_equal(r.inst[find(&r, "cp.async.wait_group")].opclass, STRATA_OP_ASYNC_WAIT);
    assert_int_equal(r.inst[find(&r, "cp.async.wait_group")].imm, 3);
    assert_int_equal(r.inst[find(&r, "cp.async.wait_all")].imm, 0);
}

static void classes_tell_the_units_apart(void **state)
{
    (void)state;
    struct record r;
    void *params[2] = {device_memory(256), device_memory(256)};
    run_recorded(KERNEL("cvt.rn.f32.u32 %f1,%r1; fma.rn.f32 %f2,%f1,%f1,%f1; rcp.approx.ftz.f32 "
                        "%f3,%f2; add.u32 %r2,%r1,1;\n"
                        "bar.sync 0; shfl.sync.bfly.b32 %r3,%r2,1,31,-1; setp.eq.u32 %p1,%r3,3; "
                        "vote.sync.any.pred %p2,%p1,-1;\n"
                        "membar.gl; popc.b32 %r4,%r3; bra.uni NEXT;\nNEXT: nanosleep.u32 5;"),
                 32, params, &r);
    static const struct {
        const char *opcode;
        uint8_t class;
    } cases[] = {
        {"cvt.rn.f32.u32", STRATA_OP_INT},     {"fma.rn.f32", STRATA_OP_FP32},
        {"rcp.approx.ftz.f32", STRATA_OP_SFU}, {"add.u32", STRATA_OP_INT},
        {"bar.sync", STRATA_OP_BARRIER},       {"shfl.sync.bfly.b32", STRATA_OP_SHUFFLE},
        {"setp.eq.u32", STRATA_OP_INT},        {"vote.sync.any.pred", STRATA_OP_VOTE},
        {"membar.gl", STRATA_OP_MEMBAR},       {"bra.uni", STRATA_OP_BRANCH},
        {"nanosleep.u32", STRATA_OP_BRANCH},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(r.inst[find(&r, cases[i].opcode)].opclass, cases[i].class);
}

/* How long a warp sleeps is told where the code tells it, also through a register. */
static void sleep_tells_its_time(void **state)
{
    (void)state;
    struct record r;
    void *params[2] = {device_memory(256), device_memory(256)};
    run_recorded(KERNEL("mov.u32 %r2,700; nanosleep.u32 %r2;"), 32, params, &r);
    assert_int_equal(r.inst[find(&r, "nanosleep.u32")].imm, 700);
    run_recorded(KERNEL("nanosleep.u32 5;"), 32, params, &r);
    assert_int_equal(r.inst[find(&r, "nanosleep.u32")].imm, 5);
    run_recorded(KERNEL("nanosleep.u32 %r1;"), 32, params, &r);
    assert_int_equal(r.inst[find(&r, "nanosleep.u32")].imm, 0);
}

static void scattered_and_vector_accesses_keep_their_addresses(void **state)
{
    (void)state;
    struct record r;
    uint32_t *in = device_memory(4 * 32), *out = device_memory(16 * 1024);
    void *params[2] = {in, out};
    for (unsigned i = 0; i < 32; i++)
        in[i] = i * 37 % 101;
    run_recorded(
        KERNEL("ld.global.u32 %r2,[%rd4]; mul.wide.u32 %rd6,%r2,16; add.u64 %rd7,%rd2,%rd6;\n"
               "st.global.v4.u32 [%rd7],{%r1,%r1,%r1,%r1};"),
        32, params, &r);
    unsigned k = find(&r, "st.global.v4.u32");
    assert_int_equal(r.inst[k].width_bytes, 16);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(r.address[k][i], (uintptr_t)out + 16 * in[i]);
}

/* A constant by its name is an operand in machine code; one that lanes name is loaded for each of
 * the addresses they give. */
static void constants_that_lanes_name_keep_their_addresses(void **state)
{
    (void)state;
    struct record r;
    uint32_t *in = device_memory(4 * 32), *out = device_memory(4 * 32);
    void *params[2] = {in, out};
    run_recorded(PTX_HEAD ".const .align 4 .u32 table[64] = {1, 2, 3};\n"
                          ".visible .entry k(.param .u64 in, .param .u64 out)\n"
                          "{ .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                          "ld.param.u64 %rd1,[out]; mov.u32 %r1,%tid.x; mul.wide.u32 %rd2,%r1,8;\n"
                          "mov.u64 %rd3,table; add.u64 %rd4,%rd3,%rd2;\n"
                          "ld.const.u32 %r2,[%rd4]; ld.const.u16 %r3,[table+4];\n"
                          "add.u32 %r4,%r2,%r3; st.global.u32 [%rd1],%r4; ret; }\n",
                 32, params, &r);
    unsigned by_lanes = find(&r, "ld.const.u32"), by_name = find(&r, "ld.const.u16");
    assert_int_equal(r.kind[by_name], STRATA_ADDR_NONE);
    assert_int_not_equal(r.kind[by_lanes], STRATA_ADDR_NONE);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(r.address[by_lanes][i], r.address[by_lanes][0] + 8 * i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_a_header_is_that_of_the_call),
        cmocka_unit_test(inlined_code_has_the_line_of_its_call_and_the_places_between),
        cmocka_unit_test(what_machine_code_has_is_recorded_in_order),
        cmocka_unit_test(a_kernel_that_names_no_global_address_begins_without_their_constants),
        cmocka_unit_test(a_read_of_a_texture_tells_along_which_axes_it_mixes_texels),
        cmocka_unit_test(an_op_is_as_many_records_as_the_assembler_makes_of_it),
        cmocka_unit_test(parameters_are_loaded_where_they_are_first_used),
        cmocka_unit_test(a_branch_tells_how_often_its_loop_is_unrolled),
        cmocka_unit_test(a_branch_tells_what_is_alive_where_its_loop_begins),
        cmocka_unit_test(operations_of_64_bits_are_what_their_operands_leave_of_them),
        cmocka_unit_test(around_an_unrolled_loop_machine_code_asks_for_the_rounds_left),
        cmocka_unit_test(neighbouring_words_of_shared_memory_are_one_load),
        cmocka_unit_test(who_reads_a_merged_word_waits_for_the_load),
        cmocka_unit_test(a_short_branch_becomes_a_predicate),
        cmocka_unit_test(guards_and_partial_warps_narrow_the_mask),
        cmocka_unit_test(hints_follow_the_modifiers),
        cmocka_unit_test(generic_accesses_name_the_space_they_reached),
        cmocka_unit_test(asynchronous_copies_have_groups),
        cmocka_unit_test(classes_tell_the_units_apart),
        cmocka_unit_test(who_reads_a_matrix_waits_for_all_of_its_loads),
        cmocka_unit_test(sleep_tells_its_time),
        cmocka_unit_test(scattered_and_vector_accesses_keep_their_addresses),
        cmocka_unit_test(constants_that_lanes_name_keep_their_addresses),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
