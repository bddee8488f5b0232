/* ast.h - a parsed PTX module, before decoding. All memory is the module's pool. */
#ifndef STRATA_PTX_AST_H
#define STRATA_PTX_AST_H

#include <strata/ptx.h>

#include "ptx/opcode.h"
#include "ptx/pool.h"

#define PTX_MAX_MODIFIERS 16
#define PTX_NO_REG        UINT32_MAX

struct ptx_function;
struct ptx_unit;

/* One value of an initialiser: a number, or the address of a symbol (plus an offset, of which one
 * byte may be picked by a mask). */
struct ptx_init_value {
    uint64_t offset_bytes; /* place in the variable */
    uint64_t value;        /* number, or offset added to the symbol */
    uint32_t symbol;       /* name, PTX_NO_NAME: a number */
    uint8_t bytes;
    bool picks_bytes; /* value of the symbol is shifted right by `shift` bits first */
    uint8_t shift;
    uint32_t line;
    struct ptx_init_value *next;
};

struct ptx_var {
    uint32_t name;
    uint8_t space; /* PTX_M_GLOBAL, PTX_M_CONST, PTX_M_SHARED, PTX_M_LOCAL, PTX_M_PARAM */
    uint8_t type;
    bool is_extern, is_visible, is_managed, unsized, is_kernel_param;
    bool is_borrowed; /* another module's, initialised there */
    bool is_register; /* a parameter that the function has in a register, while it is parsed */
    uint32_t reg;
    uint32_t align;
    uint64_t bytes;
    uint32_t line;
    struct ptx_unit *unit;
    struct ptx_init_value *init;
    struct ptx_var *next;
    uint64_t offset;      /* in its space: set by the linker (global, const: host address) */
    struct ptx_var *same; /* the definition behind an extern declaration, else itself */
    const struct ptx_function *owner; /* function it is declared in, NULL at module level */
};

enum ptx_operand_kind {
    PTX_OPERAND_NONE = 0,
    PTX_OPERAND_SINK,    /* _ */
    PTX_OPERAND_REG,     /* reg; negated for !p */
    PTX_OPERAND_INT,     /* value */
    PTX_OPERAND_F32,     /* value: bits */
    PTX_OPERAND_F64,     /* value: bits */
    PTX_OPERAND_SREG,    /* name of a special register */
    PTX_OPERAND_VAR,     /* var + value */
    PTX_OPERAND_NAME,    /* name (variable, function, label, prototype) + value, not yet resolved */
    PTX_OPERAND_FUNC,    /* func */
    PTX_OPERAND_LABEL,   /* label: instruction index */
    PTX_OPERAND_VECTOR,  /* {…}: children */
    PTX_OPERAND_LIST,    /* (…): children */
    PTX_OPERAND_ADDRESS, /* […]: children: base, then the coordinates of a texture; value = offset
                          */
    PTX_OPERAND_PAIR,    /* d|p: children */
    PTX_OPERAND_PROTO,   /* proto */
    PTX_OPERAND_TARGETS  /* a list of labels (.branchtargets) */
};

struct ptx_proto;
struct ptx_operand {
    uint8_t kind;
    bool negated;
    uint16_t n_children;
    uint32_t line, column;
    uint64_t value;
    union {
        uint32_t reg, name, label;
        const struct ptx_var *var;
        struct ptx_function *func;
        const struct ptx_proto *proto;
        struct ptx_operand *children;
    } u;
};

/* A place of inlined code, and that of the call it came by; NULL: by a line of the kernel. */
struct ptx_call_place {
    uint32_t file, line;
    const struct ptx_call_place *outer;
};

struct ptx_op {
    uint8_t mnemonic;
    uint8_t n_modifiers;
    uint8_t n_operands;
    bool guard_negated;
    bool rolled;       /* a loop that begins here is not to be unrolled */
    bool was_computed; /* a move of what another op would have computed of numbers */
    struct {
        uint8_t ops, loads;
    } left; /* of the branch of a loop: what was in it and has been moved before it, 255 at most */
    uint16_t modifier[PTX_MAX_MODIFIERS];
    uint32_t guard; /* register or PTX_NO_REG */
    uint32_t line, column;
    uint32_t source_line; /* of .loc, of the outermost call where inlined; 0 = unknown */
    uint32_t source_file; /* its number */
    const char *text;     /* opcode with modifiers */
    const struct ptx_call_place *inlined; /* where inlined code stands; NULL: at the source line */
    struct ptx_operand *operands;
};

static inline bool ptx_op_has(const struct ptx_op *op, unsigned modifier)
{
    for (unsigned i = 0; i < op->n_modifiers; i++)
        if (op->modifier[i] == modifier)
            return true;
    return false;
}
/* The first type it names, PTX_NONE if none. */
static inline unsigned ptx_op_type(const struct ptx_op *op)
{
    for (unsigned i = 0; i < op->n_modifiers; i++)
        if (ptx_is_type(op->modifier[i]))
            return op->modifier[i];
    return PTX_NONE;
}

/* Sizes of the parameters of an indirect call. */
struct ptx_proto {
    uint32_t name;
    struct ptx_var *returns, *params;
};

/* A .branchtargets list. */
struct ptx_targets {
    uint32_t name;
    uint32_t n;
    struct ptx_operand *labels;
};

struct ptx_function {
    uint32_t name;
    struct ptx_unit *unit;
    uint32_t line;
    bool is_entry, has_body, is_visible, is_extern, address_taken;
    struct ptx_var *params, *returns; /* in order */
    struct ptx_var *vars, **vars_end; /* all other variables declared inside, any scope */
    uint32_t n_regs, cap_regs;
    uint8_t *reg_type;
    struct ptx_op *ops;
    size_t n_ops, cap_ops;
    uint32_t max_threads, required_threads[3], min_blocks;
    uint32_t required_cluster[3]; /* 0: any */
    struct ptx_function *next;
    struct ptx_function *same; /* the body behind a declaration, else itself */
    uint32_t id;               /* its number as a code address */
    uint32_t local_bytes;      /* per thread: local variables and parameters, set by the linker */
    uint32_t param_bytes;      /* of an entry */
};

/* One PTX text. */
/* A .file directive. */
struct ptx_source_file {
    uint32_t number;
    const char *path;
    struct ptx_source_file *next;
};

struct ptx_unit {
    const char *name;
    struct ptx_source_file *files;
    uint32_t sm;
    struct ptx_var *vars, **vars_end; /* module level */
    struct ptx_function *functions, **functions_end;
    struct ptx_unit *next;
};

struct ptx_ast {
    struct ptx_pool pool;
    struct ptx_names names;
    struct ptx_unit *units;
};

/* Parses one text and appends it to the module. */
strata_status ptx_parse(struct ptx_ast *ast, const struct strata_ptx_source *source,
                        struct strata_error *err);
void ptx_ast_release(struct ptx_ast *ast);

#endif
