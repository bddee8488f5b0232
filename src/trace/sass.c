/* sass.c - what a SASS opcode text says: unit, space, operation, width and cache hints.
 *
 * One table for sm_35 to sm_120. A mnemonic means the same on every generation that has it, except
 * LD and ST, which on Kepler are global and later generic: they are marked generic here, and the
 * reader resolves the space from the address (a global address resolves to global). */
#include <stdlib.h>
#include <string.h>

#include <strata/trace.h>

struct mnemonic {
    const char *name;
    uint8_t opclass, space, memop;
};

#define INT(name)                                                                                  \
    {                                                                                              \
        name, STRATA_OP_INT, 0, 0                                                                  \
    }
#define FP32(name)                                                                                 \
    {                                                                                              \
        name, STRATA_OP_FP32, 0, 0                                                                 \
    }
#define IMAD(name)                                                                                 \
    {                                                                                              \
        name, STRATA_OP_IMAD, 0, 0                                                                 \
    }
#define FP64(name)                                                                                 \
    {                                                                                              \
        name, STRATA_OP_FP64, 0, 0                                                                 \
    }
#define FP16(name)                                                                                 \
    {                                                                                              \
        name, STRATA_OP_FP16, 0, 0                                                                 \
    }
#define SFU(name)                                                                                  \
    {                                                                                              \
        name, STRATA_OP_SFU, 0, 0                                                                  \
    }
#define CONV(name)                                                                                 \
    {                                                                                              \
        name, STRATA_OP_CONV, 0, 0                                                                 \
    }
#define TENSOR(name)                                                                               \
    {                                                                                              \
        name, STRATA_OP_TENSOR, 0, 0                                                               \
    }
#define UNIFORM(name)                                                                              \
    {                                                                                              \
        name, STRATA_OP_UNIFORM, 0, 0                                                              \
    }
#define BRANCH(name)                                                                               \
    {                                                                                              \
        name, STRATA_OP_BRANCH, 0, 0                                                               \
    }
#define SREG(name)                                                                                 \
    {                                                                                              \
        name, STRATA_OP_SREG, 0, 0                                                                 \
    }
#define SHUFFLE(name)                                                                              \
    {                                                                                              \
        name, STRATA_OP_SHUFFLE, 0, 0                                                              \
    }
#define VOTE(name)                                                                                 \
    {                                                                                              \
        name, STRATA_OP_VOTE, 0, 0                                                                 \
    }
#define NOP(name)                                                                                  \
    {                                                                                              \
        name, STRATA_OP_NOP, 0, 0                                                                  \
    }
#define BARRIER(name)                                                                              \
    {                                                                                              \
        name, STRATA_OP_BARRIER, 0, 0                                                              \
    }
#define MEMBAR(name)                                                                               \
    {                                                                                              \
        name, STRATA_OP_MEMBAR, 0, 0                                                               \
    }
#define MEM(name, space, memop)                                                                    \
    {                                                                                              \
        name, STRATA_OP_MEM, STRATA_SPACE_##space, STRATA_MEM_##memop                              \
    }

/* Sorted by name (a test checks it). The texture and surface units take no lane addresses from the
 * register file in the form traces record, so they stand as texture loads and stores. */
static const struct mnemonic table[] = {
    UNIFORM("ACQBULK"),
    UNIFORM("ACQSHMINIT"),
    MEM("ALD", TEXTURE, LOAD),
    MEM("ARRIVES", SHARED, REDUCTION),
    MEM("AST", TEXTURE, STORE),
    MEM("ATOM", GLOBAL, ATOMIC),
    MEM("ATOMG", GLOBAL, ATOMIC),
    MEM("ATOMS", SHARED, ATOMIC),
    INT("B2R"),
    BARRIER("BAR"),
    INT("BFE"),
    INT("BFI"),
    TENSOR("BGMMA"),
    TENSOR("BMMA"),
    INT("BMOV"),
    INT("BMSK"),
    BRANCH("BPT"),
    BRANCH("BRA"),
    BRANCH("BREAK"),
    SFU("BREV"),
    BRANCH("BRK"),
    BRANCH("BRX"),
    BRANCH("BRXU"),
    NOP("BSSY"),
    BRANCH("BSYNC"),
    BRANCH("CAL"),
    BRANCH("CALL"),
    MEMBAR("CCTL"),
    MEMBAR("CCTLL"),
    MEMBAR("CCTLT"),
    UNIFORM("CGAERRBAR"),
    BRANCH("COLLECTIVE"),
    BRANCH("CONT"),
    VOTE("CREDUX"),
    SREG("CS2R"),
    SREG("CS2UR"),
    INT("CSET"),
    INT("CSETP"),
    FP64("DADD"),
    {"DEPBAR", STRATA_OP_ASYNC_WAIT, 0, 0},
    FP64("DFMA"),
    TENSOR("DMMA"),
    FP64("DMNMX"),
    FP64("DMNMX3"),
    FP64("DMUL"),
    FP64("DSET"),
    FP64("DSETP"),
    VOTE("ELECT"),
    BRANCH("ENDCOLLECTIVE"),
    MEMBAR("ERRBAR"),
    {"EXIT", STRATA_OP_EXIT, 0, 0},
    CONV("F2F"),
    INT("F2FP"),
    CONV("F2I"),
    CONV("F2IP"),
    FP32("FADD"),
    FP32("FADD2"),
    FP32("FADD32I"),
    SFU("FCHK"),
    /* Comparisons, selections and extremes of floats are the ALU's, at half the rate of FADD on an
     * H200 (device/probe/results/h200-pipes.csv: min_f32 2.5 cycles, add_f32 1.3). */
    INT("FCMP"),
    MEMBAR("FENCE"),
    FP32("FFMA"),
    FP32("FFMA2"),
    FP32("FFMA32I"),
    FP32("FHADD"),
    FP32("FHFMA"),
    SFU("FLO"),
    INT("FMNMX"),
    INT("FMNMX3"),
    FP32("FMUL"),
    FP32("FMUL2"),
    FP32("FMUL32I"),
    CONV("FRND"),
    INT("FSEL"),
    INT("FSET"),
    INT("FSETP"),
    FP32("FSWZ"),
    FP32("FSWZADD"),
    INT("GATHER"),
    INT("GENMETADATA"),
    SREG("GETCRSPTR"),
    SREG("GETLMEMBASE"),
    FP16("HADD2"),
    FP16("HADD2_32I"),
    FP16("HFMA2"),
    FP16("HFMA2_32I"),
    FP16("HFMA2_MMA"),
    TENSOR("HGMMA"),
    TENSOR("HMMA"),
    FP16("HMNMX2"),
    FP16("HMNMX3"),
    FP16("HMUL2"),
    FP16("HMUL2_32I"),
    FP16("HSET2"),
    FP16("HSETP2"),
    CONV("I2F"),
    INT("I2FP"),
    CONV("I2I"),
    CONV("I2IP"),
    INT("IABS"),
    INT("IADD"),
    INT("IADD3"),
    INT("IADD32I"),
    INT("ICMP"),
    BRANCH("IDE"),
    IMAD("IDP"),
    IMAD("IDP4A"),
    TENSOR("IGMMA"),
    IMAD("IMAD"),
    IMAD("IMAD32I"),
    IMAD("IMADSP"),
    TENSOR("IMMA"),
    INT("IMNMX"),
    IMAD("IMUL"),
    IMAD("IMUL32I"),
    INT("IPA"),
    INT("ISAD"),
    INT("ISCADD"),
    INT("ISCADD32I"),
    INT("ISET"),
    INT("ISETP"),
    BRANCH("JCAL"),
    BRANCH("JMP"),
    BRANCH("JMX"),
    BRANCH("JMXU"),
    BRANCH("KIL"),
    BRANCH("KILL"),
    MEM("LD", GLOBAL, LOAD),
    {"LDC", STRATA_OP_CONST, STRATA_SPACE_CONST, STRATA_MEM_LOAD},
    {"LDCU", STRATA_OP_UNIFORM, STRATA_SPACE_CONST, STRATA_MEM_LOAD},
    MEM("LDG", GLOBAL, LOAD),
    {"LDGDEPBAR", STRATA_OP_ASYNC_COMMIT, 0, 0},
    MEM("LDGMC", GLOBAL, LOAD),
    MEM("LDGSTS", GLOBAL, ASYNC_COPY),
    MEM("LDL", LOCAL, LOAD),
    MEM("LDS", SHARED, LOAD),
    MEM("LDSLK", SHARED, LOAD),
    MEM("LDSM", SHARED, LOAD),
    TENSOR("LDT"),
    TENSOR("LDTM"),
    INT("LEA"),
    BRANCH("LEPC"),
    BRANCH("LONGJMP"),
    INT("LOP"),
    INT("LOP3"),
    INT("LOP32I"),
    VOTE("MATCH"),
    MEMBAR("MEMBAR"),
    INT("MOV"),
    INT("MOV32I"),
    SHUFFLE("MOVM"),
    SFU("MUFU"),
    BRANCH("NANOSLEEP"),
    NOP("NOP"),
    TENSOR("OMMA"),
    INT("P2R"),
    BRANCH("PBK"),
    BRANCH("PCNT"),
    BRANCH("PEXIT"),
    MEM("PIXLD", TEXTURE, LOAD),
    INT("PLOP3"),
    NOP("PMTRIG"),
    SFU("POPC"),
    BRANCH("PREEXIT"),
    BRANCH("PRET"),
    INT("PRMT"),
    INT("PSET"),
    INT("PSETP"),
    TENSOR("QGMMA"),
    TENSOR("QMMA"),
    SREG("QSPC"), /* which space an address is in; as long as other questions of a thread */
    INT("R2B"),
    INT("R2P"),
    UNIFORM("R2UR"),
    BRANCH("RAM"),
    MEM("RED", GLOBAL, REDUCTION),
    MEM("REDAS", SHARED, REDUCTION),
    MEM("REDG", GLOBAL, REDUCTION),
    VOTE("REDUX"),
    BRANCH("RET"),
    BRANCH("RPCMOV"),
    SFU("RRO"),
    BRANCH("RTT"),
    SREG("S2R"),
    SREG("S2UR"),
    BRANCH("SAM"),
    INT("SCATTER"),
    INT("SEL"),
    BRANCH("SETCTAID"),
    SREG("SETLMEMBASE"),
    UNIFORM("SETMAXREG"),
    INT("SGXT"),
    INT("SHF"),
    SHUFFLE("SHFL"),
    INT("SHL"),
    INT("SHR"),
    INT("SPMETADATA"),
    BRANCH("SSY"),
    MEM("ST", GLOBAL, STORE),
    MEM("STAS", SHARED, STORE),
    MEM("STG", GLOBAL, STORE),
    MEM("STL", LOCAL, STORE),
    BRANCH("STP"),
    MEM("STS", SHARED, STORE),
    MEM("STSCUL", SHARED, STORE),
    MEM("STSM", SHARED, STORE),
    TENSOR("STT"),
    TENSOR("STTM"),
    MEM("SUATOM", TEXTURE, ATOMIC),
    MEM("SULD", TEXTURE, LOAD),
    MEM("SULDGA", TEXTURE, LOAD),
    MEM("SUQUERY", TEXTURE, LOAD),
    MEM("SURED", TEXTURE, REDUCTION),
    MEM("SUST", TEXTURE, STORE),
    MEM("SUSTGA", TEXTURE, STORE),
    BRANCH("SYNC"),
    MEM("SYNCS", SHARED, ATOMIC),
    MEM("TEX", TEXTURE, LOAD),
    NOP("TEXDEPBAR"),
    MEM("TEXS", TEXTURE, LOAD),
    MEM("TLD", TEXTURE, LOAD),
    MEM("TLD4", TEXTURE, LOAD),
    MEM("TLD4S", TEXTURE, LOAD),
    MEM("TLDS", TEXTURE, LOAD),
    MEM("TMML", TEXTURE, LOAD),
    MEM("TXA", TEXTURE, LOAD),
    MEM("TXD", TEXTURE, LOAD),
    MEM("TXQ", TEXTURE, LOAD),
    UNIFORM("UBLKCP"),
    UNIFORM("UBLKPF"),
    UNIFORM("UBLKRED"),
    UNIFORM("UBMSK"),
    UNIFORM("UBREV"),
    UNIFORM("UCGABAR_ARV"),
    UNIFORM("UCGABAR_WAIT"),
    UNIFORM("UCLEA"),
    UNIFORM("UF2F"),
    UNIFORM("UF2FP"),
    UNIFORM("UF2I"),
    UNIFORM("UFADD"),
    UNIFORM("UFFMA"),
    UNIFORM("UFLO"),
    UNIFORM("UFMNMX"),
    UNIFORM("UFMUL"),
    UNIFORM("UFRND"),
    UNIFORM("UFSEL"),
    UNIFORM("UFSET"),
    UNIFORM("UFSETP"),
    UNIFORM("UGETNEXTWORKID"),
    UNIFORM("UI2F"),
    UNIFORM("UI2FP"),
    UNIFORM("UI2I"),
    UNIFORM("UI2IP"),
    UNIFORM("UIABS"),
    UNIFORM("UIADD3"),
    UNIFORM("UIMAD"),
    UNIFORM("UIMNMX"),
    UNIFORM("UISETP"),
    {"ULDC", STRATA_OP_UNIFORM, STRATA_SPACE_CONST, STRATA_MEM_LOAD},
    UNIFORM("ULEA"),
    UNIFORM("ULEPC"),
    UNIFORM("ULOP"),
    UNIFORM("ULOP3"),
    UNIFORM("ULOP32I"),
    UNIFORM("UMEMSETS"),
    UNIFORM("UMOV"),
    UNIFORM("UP2UR"),
    UNIFORM("UPLOP3"),
    UNIFORM("UPOPC"),
    UNIFORM("UPRMT"),
    UNIFORM("UPSETP"),
    UNIFORM("UR2UP"),
    UNIFORM("UREDGR"),
    UNIFORM("USEL"),
    UNIFORM("USETMAXREG"),
    UNIFORM("USETSHMSZ"),
    UNIFORM("USGXT"),
    UNIFORM("USHF"),
    UNIFORM("USHL"),
    UNIFORM("USHR"),
    UNIFORM("USTGR"),
    UNIFORM("UTCATOMSWS"),
    UNIFORM("UTCBAR"),
    UNIFORM("UTCCP"),
    UNIFORM("UTCHMMA"),
    UNIFORM("UTCIMMA"),
    UNIFORM("UTCOMMA"),
    UNIFORM("UTCQMMA"),
    UNIFORM("UTCSHIFT"),
    UNIFORM("UTMACCTL"),
    UNIFORM("UTMACMDFLUSH"),
    UNIFORM("UTMALDG"),
    UNIFORM("UTMAPF"),
    UNIFORM("UTMAREDG"),
    UNIFORM("UTMASTG"),
    UNIFORM("UVIADD"),
    UNIFORM("UVIMNMX"),
    UNIFORM("UVIRTCOUNT"),
    INT("VABSDIFF"),
    INT("VABSDIFF4"),
    INT("VADD"),
    FP16("VHMNMX"),
    INT("VIADD"),
    INT("VIADDMNMX"),
    INT("VIMNMX"),
    INT("VIMNMX3"),
    INT("VMAD"),
    INT("VMNMX"),
    VOTE("VOTE"),
    VOTE("VOTEU"),
    INT("VSET"),
    INT("VSETP"),
    INT("VSHL"),
    INT("VSHR"),
    BRANCH("WARPGROUP"),
    BRANCH("WARPGROUPSET"),
    BRANCH("WARPSYNC"),
    INT("XMAD"),
    BRANCH("YIELD"),
};

static int compare_mnemonic(const void *key, const void *row)
{
    return strcmp(key, ((const struct mnemonic *)row)->name);
}

/* Looks up the part of the opcode before the first dot. */
static const struct mnemonic *find_mnemonic(const char *opcode)
{
    char name[24];
    size_t n = strcspn(opcode, ".");
    if (n >= sizeof name)
        return NULL;
    memcpy(name, opcode, n);
    name[n] = 0;
    return bsearch(name, table, sizeof table / sizeof table[0], sizeof table[0], compare_mnemonic);
}

/* One dotted modifier of an opcode, not terminated. */
struct token {
    const char *text;
    size_t length;
};

static bool next_token(const char **rest, struct token *t)
{
    *rest += strcspn(*rest, ".");
    if (!**rest)
        return false;
    t->text = ++*rest;
    t->length = strcspn(*rest, ".");
    *rest += t->length;
    return true;
}

static bool token_is(const struct token *t, const char *word)
{
    return strlen(word) == t->length && !memcmp(t->text, word, t->length);
}

/* Bits of a token that is digits after `prefix`; 0 if it is not. */
static unsigned digits_after(const struct token *t, const char *prefix)
{
    size_t skip = strlen(prefix);
    if (t->length <= skip || t->length > skip + 4 || memcmp(t->text, prefix, skip))
        return 0;
    unsigned value = 0;
    for (size_t i = skip; i < t->length; i++) {
        if (t->text[i] < '0' || t->text[i] > '9')
            return 0;
        value = value * 10 + (unsigned)(t->text[i] - '0');
    }
    return value;
}

/* The rule of the Accel-Sim parser: the first token of digits, or of U and digits, counts bits;
 * without one an access has 4 bytes. So S8, S16 and F64 are 4 bytes, LDSM.16 is 2. */
static unsigned width_compatible(const char *opcode)
{
    struct token t;
    for (const char *rest = opcode; next_token(&rest, &t);) {
        unsigned bits = digits_after(&t, "");
        if (!bits)
            bits = digits_after(&t, "U");
        if (bits)
            return bits / 8 <= 255 ? bits / 8 : 4;
    }
    return 4;
}

static bool is_access_size(unsigned bits)
{
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128 || bits == 256;
}

/* Bytes a lane moves. Matrix loads and stores (LDSM, STSM) move a row of eight 16-bit elements per
 * address whatever their shape tokens say. */
static unsigned width_correct(const char *opcode)
{
    static const char *const prefixes[] = {"", "U", "S", "F", "BF", "B"};
    static const struct {
        const char *token;
        uint8_t bytes;
    } packed[] = {{"F16x2", 4},  {"BF16x2", 4},  {"F16X2", 4},  {"F32x2", 8},
                  {"F32x4", 16}, {"F16x4", 8},   {"F16x8", 16}, {"BF16_V2", 4},
                  {"BF16x4", 8}, {"BF16x8", 16}, {"F16_V2", 4}};
    if (!strncmp(opcode, "LDSM", 4) || !strncmp(opcode, "STSM", 4))
        return 16;
    struct token t;
    for (const char *rest = opcode; next_token(&rest, &t);) {
        for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++)
            if (token_is(&t, packed[i].token))
                return packed[i].bytes;
        for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
            if (is_access_size(digits_after(&t, prefixes[i])))
                return digits_after(&t, prefixes[i]) / 8;
    }
    return 4;
}

static unsigned hints_of(const char *opcode, unsigned memop)
{
    static const struct {
        const char *token;
        unsigned hint;
    } hints[] = {
        {"BYPASS", STRATA_HINT_BYPASS_L1},      {"CG", STRATA_HINT_BYPASS_L1},
        {"EF", STRATA_HINT_EVICT_FIRST},        {"CS", STRATA_HINT_EVICT_FIRST},
        {"LU", STRATA_HINT_EVICT_FIRST},        {"EL", STRATA_HINT_EVICT_LAST},
        {"NA", STRATA_HINT_NO_ALLOCATE},        {"CONSTANT", STRATA_HINT_READ_ONLY},
        {"CI", STRATA_HINT_READ_ONLY},          {"NC", STRATA_HINT_READ_ONLY},
        {"CV", STRATA_HINT_VOLATILE},           {"WT", STRATA_HINT_WRITE_THROUGH},
        {"LTC64B", STRATA_HINT_PREFETCH_64B},   {"LTC128B", STRATA_HINT_PREFETCH_128B},
        {"LTC256B", STRATA_HINT_PREFETCH_256B},
    };
    unsigned found = 0;
    bool strong = false, gpu = false, sys = false;
    struct token t;
    for (const char *rest = opcode; next_token(&rest, &t);) {
        for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
            if (token_is(&t, hints[i].token))
                found |= hints[i].hint;
        strong |= token_is(&t, "STRONG");
        gpu |= token_is(&t, "GPU");
        sys |= token_is(&t, "SYS");
    }
    if (strong && gpu && memop == STRATA_MEM_LOAD)
        found |= STRATA_HINT_BYPASS_L1;
    if (strong && sys)
        found |= STRATA_HINT_VOLATILE;
    return found;
}

static bool has_token(const char *opcode, const char *word)
{
    struct token t;
    for (const char *rest = opcode; next_token(&rest, &t);)
        if (token_is(&t, word))
            return true;
    return false;
}

bool strata_inst_decode_sass(struct strata_inst *inst, bool has_addresses, bool accelsim_compat)
{
    const struct mnemonic *m = find_mnemonic(inst->opcode);
    inst->opclass = m ? m->opclass : has_addresses ? STRATA_OP_MEM : STRATA_OP_OTHER;
    inst->space = m ? m->space : STRATA_SPACE_NONE;
    inst->memop = m ? m->memop : STRATA_MEM_NONE;
    inst->hints = 0;
    inst->width_bytes = 0;
    if (m && !strcmp(m->name, "CCTL") &&
        (has_token(inst->opcode, "PF1") || has_token(inst->opcode, "PF2"))) {
        inst->opclass = STRATA_OP_MEM; /* prefetch.global.L1 and .L2 are cache-control operations */
        inst->space = STRATA_SPACE_GLOBAL;
        inst->memop = STRATA_MEM_PREFETCH;
    }
    if (inst->memop == STRATA_MEM_NONE && inst->opclass != STRATA_OP_MEM)
        return m != NULL;
    inst->hints = (uint16_t)hints_of(inst->opcode, inst->memop);
    if (m && (!strcmp(m->name, "LD") || !strcmp(m->name, "ST") || !strcmp(m->name, "ATOM")))
        inst->hints |= STRATA_HINT_GENERIC;
    inst->width_bytes =
        (uint8_t)(accelsim_compat ? width_compatible(inst->opcode) : width_correct(inst->opcode));
    return m != NULL;
}
