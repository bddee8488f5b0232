/* lower_flow.c - lowering of branches, barriers and of instructions that act across lanes. */
#include "sass/lower.h"

#define O(n)      sass_operand_get(l, n)
#define MOD(kind) sass_mod_get(l, SASS_M_##kind)

/* ---- branches ---- */

static const struct sass_operand *find_operand(const struct sass_lowering *l, unsigned kind)
{
    for (unsigned i = 0; i < l->in->n_operands; i++)
        if (O(i)->kind == kind)
            return O(i);
    return NULL;
}

static bool lower_target(struct sass_lowering *l)
{
    const struct sass_operand *label = find_operand(l, SASS_LABEL);
    if (!label)
        return sass_lower_refuse(l, "its target is missing");
    l->op->target = sass_index_of(l->image, (uint64_t)label->value);
    return l->op->target != EMU_NO_INDEX || sass_lower_refuse(l, "its target is not in the kernel");
}

/* A jump to an address in a register pair, plus the label or offset. */
static bool lower_jump(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    const struct sass_operand *reg = find_operand(l, SASS_REG),
                              *label = find_operand(l, SASS_LABEL);
    const struct sass_operand *offset = find_operand(l, SASS_IMM);
    if (!reg)
        reg = find_operand(l, SASS_UREG);
    op->mode = SASS_DO_JUMP;
    op->mode2 = l->in->op == SASS_CALL;
    op->a = sass_lower_row(l, reg, 2);
    op->words = 2;
    if (label)
        op->imm = label->value;
    else if (offset) /* relative to the next instruction */
        op->imm = offset->value + (l->in->op == SASS_BRX || l->in->op == SASS_BRXU
                                       ? (int64_t)(l->in->address + SASS_INST_BYTES)
                                       : 0);
    return true;
}

static bool lower_branch(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    const struct sass_operand *uniform = find_operand(l, SASS_UREG),
                              *up = find_operand(l, SASS_UPRED);
    op->mode = SASS_DO_BRANCH;
    if (up) /* the uniform predicate decides for all lanes at once */
        op->ps2 = sass_lower_pred(up);
    if (MOD(MODE) == SASS_W_DIV || MOD(MODE) == SASS_W_CONV) {
        op->mode = MOD(MODE) == SASS_W_DIV ? SASS_DO_BRANCH_DIV : SASS_DO_BRANCH_CONV;
        op->a = SASS_NO_ROW;
        op->imm = EMU_FULL;
        if (uniform && uniform->reg != SASS_URZ)
            op->a = sass_lower_row(l, uniform, 1);
    }
    return lower_target(l);
}

static bool lower_warpsync(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    const struct sass_operand *reg = find_operand(l, SASS_REG), *imm = find_operand(l, SASS_IMM);
    /* Where it has no target (before sm_90) nothing ends it but the code itself: all go on from
     * here. */
    bool collective = MOD(MODE) == SASS_W_COLLECTIVE && find_operand(l, SASS_LABEL);
    op->mode = collective ? SASS_DO_COLLECTIVE : SASS_DO_WARPSYNC;
    op->mode2 = MOD(MODE) == SASS_W_EXCLUSIVE || MOD(MODE) == SASS_W_COLLECTIVE;
    op->a = reg ? sass_lower_row(l, reg, 1) : SASS_NO_ROW;
    op->imm = imm ? imm->value : (int64_t)EMU_FULL;
    return !collective || lower_target(l);
}

bool sass_lower_flow(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    const struct sass_operand *barrier = find_operand(l, SASS_BARRIER);
    op->flow = SASS_CONTROL;
    if (l->in->n_operands && O(0)->kind == SASS_PRED)
        op->ps = sass_lower_pred(O(0));
    op->mode2 = barrier ? (uint8_t)barrier->value & 15 : 0;
    switch (l->in->op) {
    case SASS_BRA:
        return lower_branch(l);
    case SASS_CALL:
        if (find_operand(l, SASS_REG))
            return lower_jump(l);
        op->mode = SASS_DO_BRANCH;
        return lower_target(l);
    case SASS_JMP:
        op->mode = SASS_DO_BRANCH;
        return lower_target(l);
    case SASS_BRX:
    case SASS_BRXU:
    case SASS_JMX:
    case SASS_JMXU:
    case SASS_RET:
        return lower_jump(l);
    case SASS_EXIT:
    case SASS_KILL:
        op->mode = SASS_DO_EXIT;
        return true;
    case SASS_BSSY:
        op->mode = SASS_DO_BSSY;
        return true;
    case SASS_BSYNC:
        op->mode = SASS_DO_BSYNC;
        return true;
    case SASS_BREAK:
        op->mode = SASS_DO_BREAK;
        return true;
    case SASS_WARPSYNC:
        return lower_warpsync(l);
    case SASS_ENDCOLLECTIVE:
        op->mode = SASS_DO_END_COLLECTIVE;
        return true;
    case SASS_BPT:
        op->mode =
            MOD(MODE) == SASS_W_TRAP || MOD(MODE) == SASS_W_INT ? SASS_DO_TRAP : SASS_DO_YIELD;
        return true;
    default: /* YIELD, NANOSLEEP */
        op->mode = SASS_DO_YIELD;
        op->mode2 = 0;
        return true;
    }
}

/* ---- barriers ---- */

/* number, threads [, P] */
bool sass_lower_barrier(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    if (l->in->op == SASS_B2R) { /* the result of the reduction, given when the barrier opened */
        op->d = sass_lower_dest(l, O(0));
        op->pd = sass_lower_pred_dest(O(1));
        op->run = sass_run_bar_result;
        return true;
    }
    struct sass_bar *bar = sass_lower_allocate(l, sizeof *bar);
    if (!bar)
        return false;
    *bar = (struct sass_bar){.threads = SASS_NO_ROW};
    op->flow = SASS_CONTROL;
    op->mode = SASS_DO_BAR;
    op->extra = bar;
    bar->arrive = MOD(MODE) == SASS_W_ARV;
    if (MOD(MODE) == SASS_W_RED)
        bar->reduce = MOD(FUNCTION) == SASS_W_POPC  ? SASS_BAR_POPC
                      : MOD(FUNCTION) == SASS_W_AND ? SASS_BAR_AND
                                                    : SASS_BAR_OR;
    else if (MOD(MODE) == SASS_W_SCAN)
        return sass_lower_refuse(l, "BAR.SCAN is not known");
    if (!l->in->n_operands) { /* SYNCALL */
        op->a = l->zero_row;
        return true;
    }
    const struct sass_operand *id = O(0), *threads = O(1);
    op->a = sass_lower_row(l, id, 1);
    if (id->kind == SASS_REG && threads->kind == SASS_REG && threads->reg == id->reg) {
        /* one register holds both: the number in the low bits, the threads from bit 16 on */
        bar->threads = op->a;
        bar->packed = true;
    } else if (threads->kind == SASS_REG ? threads->reg != SASS_RZ : threads->value != 0) {
        bar->threads = sass_lower_row(l, threads, 1);
    }
    if (bar->reduce)
        op->ps = sass_lower_pred(O(2));
    return true;
}

/* Convergence barriers as values. */
bool sass_lower_bmov(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    const struct sass_operand *barrier = find_operand(l, SASS_BARRIER);
    if (!barrier || MOD(SIZE) == SASS_W_64)
        return sass_lower_refuse(l, "this state of the warp is not known");
    op->mode2 = (uint8_t)barrier->value & 15;
    op->mode = MOD(CLEAR) == SASS_W_CLEAR;
    if (O(0)->kind == SASS_REG) {
        op->d = sass_lower_dest(l, O(0));
        op->run = sass_run_bmov_read;
        return true;
    }
    if (O(1)->kind != SASS_REG && O(1)->kind != SASS_IMM)
        return sass_lower_refuse(l, "a move between barriers is not known");
    op->b = sass_lower_row(l, O(1), 1);
    op->run = sass_run_bmov_write;
    return true;
}

/* ---- across lanes ---- */

static uint8_t index_of_word(uint16_t word, const uint16_t *words, unsigned n)
{
    for (uint8_t k = 0; k < n; k++)
        if (words[k] == word)
            return k;
    return 0;
}

static bool lower_shfl(struct sass_lowering *l)
{
    static const uint16_t modes[] = {SASS_W_IDX, SASS_W_UP, SASS_W_DOWN, SASS_W_BFLY};
    struct sass_exec *op = l->op;
    op->pd = sass_lower_pred_dest(O(0));
    op->d = sass_lower_dest(l, O(1));
    op->a = sass_lower_row(l, O(2), 1);
    op->b = sass_lower_row(l, O(3), 1);
    op->c = sass_lower_row(l, O(4), 1);
    op->mode = index_of_word(MOD(MODE), modes, 4);
    op->run = sass_run_shfl;
    return true;
}

static bool lower_redux(struct sass_lowering *l)
{
    static const uint16_t operations[] = {SASS_W_SUM, SASS_W_MIN, SASS_W_MAX,
                                          SASS_W_AND, SASS_W_OR,  SASS_W_XOR};
    struct sass_exec *op = l->op;
    op->d = sass_lower_dest(l, O(0));
    op->a = sass_lower_row(l, O(1), 1);
    op->mode = index_of_word(MOD(FUNCTION), operations, 6);
    op->is_signed = MOD(TYPE) == SASS_W_S32;
    op->run = sass_run_redux;
    return true;
}

static bool lower_match(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    unsigned d = O(0)->kind == SASS_PRED ? 1 : 0;
    if (d)
        op->pd = sass_lower_pred_dest(O(0));
    op->d = sass_lower_dest(l, O(d));
    op->words = MOD(SIZE) == SASS_W_U64 ? 2 : 1;
    op->a = sass_lower_row(l, O(d + 1), op->words);
    op->mode = MOD(MODE) == SASS_W_ALL;
    op->run = sass_run_match;
    return true;
}

bool sass_lower_warp(struct sass_lowering *l)
{
    static const uint16_t votes[] = {SASS_W_ALL, SASS_W_ANY, SASS_W_EQ};
    struct sass_exec *op = l->op;
    op->flow = SASS_CHECKED; /* not at all where no lane is active */
    switch (l->in->op) {
    case SASS_SHFL:
        return lower_shfl(l);
    case SASS_REDUX:
        return lower_redux(l);
    case SASS_MATCH:
        return lower_match(l);
    case SASS_VOTE:
    case SASS_VOTEU:
        op->d = sass_lower_dest(l, O(0));
        op->pd = sass_lower_pred_dest(O(1));
        op->ps = sass_lower_pred(O(2));
        op->mode = index_of_word(MOD(MODE), votes, 3);
        op->mode2 = l->in->op == SASS_VOTEU;
        op->run = sass_run_vote;
        return true;
    case SASS_MOVM:
        if (MOD(SIZE) != SASS_W_16 || MOD(MODE) != SASS_W_MT88)
            return sass_lower_refuse(l, "this shape is not known");
        op->d = sass_lower_dest(l, O(0));
        op->a = sass_lower_row(l, O(1), 1);
        op->run = sass_run_movm;
        return true;
    default: /* R2UR: PD, URD, R */
        op->pd = sass_lower_pred_dest(O(0));
        op->d = sass_lower_dest(l, O(1));
        op->a = sass_lower_row(l, O(2), 1);
        op->run = sass_run_r2ur;
        return true;
    }
}

/* ---- special registers ---- */

/* By the number that the encoding gives them. 55, SR_LMEMHIOFF, is the end of the stack: code
 * without optimisation traps where R1 has gone below it; our local memory begins at 0. */
static const struct {
    uint8_t number, special;
} specials[] = {
    {0, SASS_SR_LANEID},       {3, SASS_SR_VIRTID},         {32, SASS_SR_TID},
    {33, SASS_SR_TID_X},       {34, SASS_SR_TID_Y},         {35, SASS_SR_TID_Z},
    {37, SASS_SR_CTAID_X},     {38, SASS_SR_CTAID_Y},       {39, SASS_SR_CTAID_Z},
    {40, SASS_SR_NTID},        {46, SASS_SR_LOCAL_WINDOW},  {47, SASS_SR_SHARED_WINDOW},
    {48, SASS_SR_ZERO},        {50, SASS_SR_SMEM_SIZE},     {52, SASS_SR_ZERO},
    {55, SASS_SR_ZERO},        {56, SASS_SR_LANEMASK_EQ},   {57, SASS_SR_LANEMASK_LT},
    {58, SASS_SR_LANEMASK_LE}, {59, SASS_SR_LANEMASK_GT},   {60, SASS_SR_LANEMASK_GE},
    {64, SASS_SR_ZERO},        {65, SASS_SR_ZERO},          {66, SASS_SR_ZERO},
    {67, SASS_SR_VIRTSMID},    {136, SASS_SR_CLUSTER_RANK}, {137, SASS_SR_ZERO},
    {138, SASS_SR_ZERO},       {255, SASS_SR_ZERO},
};

/* RD, SR */
bool sass_lower_special(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->d = sass_lower_dest(l, O(0));
    if (l->in->op == SASS_LEPC) {
        const struct sass_operand *label = find_operand(l, SASS_LABEL);
        op->run = sass_run_lepc;
        op->imm = label ? label->value - (int64_t)l->in->address : SASS_INST_BYTES;
        return true;
    }
    op->words = l->in->op == SASS_CS2R && MOD(SIZE) != SASS_W_32 ? 2 : 1;
    int64_t number = O(1)->value;
    if (number == 1 || (number >= 80 && number <= 83)) {
        op->mode = number == 81 || number == 83;
        op->mode2 = number >= 82;
        op->run = sass_run_clock;
        l->image->base.reads_clock = true;
        return true;
    }
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (specials[i].number == number) {
            op->mode = specials[i].special;
            op->run = sass_run_special;
            return true;
        }
    return sass_lower_refuse(l, "this special register is not known");
}
