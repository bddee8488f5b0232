/* names.h - opcodes, modifier words and kinds of modifiers of the machine code, each list once.
 * All spellings are those of NVIDIA's disassembler. */
#ifndef STRATA_SASS_NAMES_H
#define STRATA_SASS_NAMES_H

/* clang-format off */
#define SASS_OPS(X) \
    X(ACQBULK) X(ACQSHMINIT) X(AL2P) X(ALD) X(ARRIVES) X(AST) X(ATOM) X(ATOMG) X(ATOMS) X(B2R) \
    X(BAR) X(BGMMA) X(BMMA) X(BMOV) X(BMSK) X(BPT) X(BRA) X(BREAK) X(BREV) X(BRX) X(BRXU) X(BSSY) \
    X(BSYNC) X(CALL) X(CCTL) X(CCTLL) X(CCTLT) X(CGAERRBAR) X(CLMAD) X(CREDUX) X(CS2R) X(CS2UR) \
    X(DADD) X(DEPBAR) X(DFMA) X(DMMA) X(DMUL) X(DSETP) X(ELECT) X(ENDCOLLECTIVE) X(ERRBAR) X(EXIT) \
    X(F2F) X(F2FP) X(F2I) X(F2IP) X(FADD) X(FADD2) X(FCHK) X(FENCE) X(FFMA) X(FFMA2) X(FHADD) \
    X(FHFMA) X(FLO) X(FMNMX) X(FMNMX3) X(FMUL) X(FMUL2) X(FRND) X(FSEL) X(FSET) X(FSETP) \
    X(FSWZADD) X(GATHER) X(GENMETADATA) X(GETLMEMBASE) X(HADD2) X(HADD2_32I) X(HFMA2) X(HGMMA) \
    X(HMMA) X(HMNMX2) X(HMUL2) X(HSET2) X(HSETP2) X(I2F) X(I2FP) X(I2I) X(I2IP) X(IABS) X(IADD) \
    X(IADD3) X(IDE) X(IDP) X(IDP4A) X(IGMMA) X(IMAD) X(IMMA) X(IMNMX) X(IMUL) X(IPA) X(ISBERD) \
    X(ISBEWR) X(ISCADD) X(ISETP) X(JMP) X(JMX) X(JMXU) X(KILL) X(LD) X(LDC) X(LDCU) X(LDG) \
    X(LDGDEPBAR) X(LDGMC) X(LDGSTS) X(LDL) X(LDS) X(LDSM) X(LDT) X(LDTM) X(LDTRAM) X(LEA) X(LEPC) \
    X(LOP3) X(MATCH) X(MEMBAR) X(MEMSET) X(MOV) X(MOV32I) X(MOV64IUR) X(MOVM) X(MUFU) X(NANOSLEEP) \
    X(NANOTRAP) X(NOP) X(OMMA) X(OUT) X(P2R) X(PIXLD) X(PLOP3) X(PMTRIG) X(POPC) X(PREEXIT) \
    X(PRMT) X(PSETP) X(QGMMA) X(QMMA) X(QSPC) X(R2B) X(R2P) X(R2UR) X(RED) X(REDAS) X(REDG) X(REDUX) \
    X(RET) X(RPCMOV) X(RTT) X(S2R) X(S2UR) X(SCATTER) X(SEL) X(SETCTAID) X(SETLMEMBASE) \
    X(SETMAXREG) X(SGXT) X(SHF) X(SHFL) X(SHL) X(SHR) X(SPMETADATA) X(ST) X(STAS) X(STG) X(STL) \
    X(STS) X(STSM) X(STT) X(STTM) X(SUATOM) X(SULD) X(SUQUERY) X(SURED) X(SUST) X(SYNCS) \
    X(SYNCSU) X(TEX) X(TLD) X(TLD4) X(TMML) X(TTUCCTL) X(TXD) X(TXQ) X(UBLKCP) X(UBLKPF) \
    X(UBLKRED) X(UBMSK) X(UBREV) X(UCCTL) X(UCGABAR_ARV) X(UCGABAR_GET) X(UCGABAR_SET) \
    X(UCGABAR_WAIT) X(UCLEA) X(UF2F) X(UF2FP) X(UF2I) X(UF2IP) X(UFADD) X(UFFMA) X(UFLO) \
    X(UFMNMX) X(UFMUL) X(UFRND) X(UFSEL) X(UFSET) X(UFSETP) X(UGETNEXTWORKID) X(UI2F) X(UI2FP) \
    X(UI2I) X(UI2IP) X(UIABS) X(UIADD3) X(UIMAD) X(UIMNMX) X(UISETP) X(ULDC) X(ULEA) X(ULEPC) \
    X(ULOP) X(ULOP3) X(ULOP32I) X(UMEMSETS) X(UMOV) X(UP2UR) X(UPLOP3) X(UPOPC) X(UPRMT) \
    X(UPSETP) X(UR2UP) X(UREDGR) X(URGET) X(USEL) X(USETMAXREG) X(USETSHMSZ) X(USGXT) X(USHF) \
    X(USHL) X(USHR) X(USTGR) X(UTCATOMSWS) X(UTCBAR) X(UTCCP) X(UTCHMMA) X(UTCIMMA) X(UTCOMMA) \
    X(UTCQMMA) X(UTCSHIFT) X(UTMACCTL) X(UTMACMDFLUSH) X(UTMALDG) X(UTMALST) X(UTMAPF) \
    X(UTMAREDG) X(UTMASTG) X(UVIADD) X(UVIMNMX) X(UVIRTCOUNT) X(VABSDIFF) X(VABSDIFF4) X(VHMNMX) \
    X(VIADD) X(VIADDMNMX) X(VIMNMX) X(VIMNMX3) X(VOTE) X(VOTEU) X(WARPGROUP) X(WARPGROUPSET) \
    X(WARPSYNC) X(YIELD)

/* One word may serve several kinds of modifiers: .U32 is a type here and an address width there. */
#define SASS_WORDS(W) \
    W(E) W(U8) W(S8) W(U16) W(S16) W(32) W(64) W(128) W(256) W(U32) W(S32) W(U64) W(S64) W(U) W(S)

#define SASS_MODS(M) \
    M(MODE)      /* the opcode's main variant: SHFL.IDX, VOTE.ANY, BAR.SYNC, MUFU.RCP, IMAD.WIDE */ \
    M(FUNCTION)  /* a second one: BAR.RED.POPC, ATOM's operation */ \
    M(EXTENDED)  /* .E: the address register is a pair */ \
    M(SIZE)      /* of a memory access, or of registers */ \
    M(SEM)       /* .CONSTANT .WEAK .STRONG .MMIO .SC .ALL */ \
    M(SCOPE)     /* .CTA .SM .GPU .SYS .VC */ \
    M(PRIVATE) \
    M(CACHE)     /* eviction policy: .EF .EL .LU .EU .NA */ \
    M(PREFETCH)  /* .LTC64B .LTC128B .LTC256B */ \
    M(BYPASS)    /* .BYPASS of LDGSTS */ \
    M(ZFILL) \
    M(TYPE)      /* of operation or result */ \
    M(SRC_TYPE) \
    M(SRC_TYPE2) /* of the second matrix */ \
    M(ACC_TYPE)  /* of the accumulator */ \
    M(CMP) \
    M(BOOL) \
    M(BOOL2) \
    M(CARRY_IN)  /* .X, .EX */ \
    M(HIGH)      /* .HI */ \
    M(SIGN)      /* .U32 where signed is usual */ \
    M(SIGN2) \
    M(DIRECTION) /* .L .R */ \
    M(WRAP)      /* .W */ \
    M(CLAMP) \
    M(ROUND) \
    M(FTZ) \
    M(SAT) \
    M(DNZ)       /* .FMZ .DNZ */ \
    M(SCALE)     /* .D2 .M4 ... */ \
    M(NAN) \
    M(RELU) \
    M(XORSIGN) \
    M(SHAPE)     /* matrices, textures */ \
    M(SPARSE) \
    M(STEP) \
    M(COUNT_OF)  /* .2 .4: number of matrices */ \
    M(TRANSPOSE) \
    M(TEX_LOD)   /* .LZ .LB .LL */ \
    M(TEX_OFFSET)/* .AOFFI .PTP */ \
    M(TEX_NDV) \
    M(TEX_DC) \
    M(TEX_FLAGS) \
    M(BINDLESS)  /* .B */ \
    M(OUT_OF_RANGE) /* .IGN .TRAP ... */ \
    M(CLEAR) \
    M(QUAD) \
    M(NOINC)     /* .NOINC .NODEC */ \
    M(LUT)       /* .LUT of LOP3 */ \
    M(MULTICAST) M(IM2COL) M(TWO_CTA) M(OPTION1) M(OPTION2) M(OPTION3) M(OPTION4) M(OPTION5)
/* clang-format on */

enum sass_op {
    SASS_UNKNOWN,
#define X(name) SASS_##name,
    SASS_OPS(X)
#undef X
        SASS_OP_COUNT
};

enum sass_word {
    SASS_W_NONE,
#define X(name) SASS_W_##name,
    SASS_WORDS(X)
#undef X
        SASS_W_COUNT
};

enum sass_mod {
#define X(name) SASS_M_##name,
    SASS_MODS(X)
#undef X
        SASS_M_COUNT
};

#endif
