/* parse.h - what the files of the parser share.
 *
 * Recursive descent by hand: the grammar is a list of directives and of
 * instructions that end in ';', with one token of look-ahead; operands differ
 * by their first token. A generated parser would need the same semantic
 * actions, a second language in the build, and would give poorer messages. */
#ifndef STRATA_PTX_PARSE_H
#define STRATA_PTX_PARSE_H

#include "ptx/ast.h"
#include "ptx/lex.h"

/* What a name means in the scope it was declared in. */
enum ptx_decl_kind {
    PTX_DECL_REG,
    PTX_DECL_FAMILY,
    PTX_DECL_VAR,
    PTX_DECL_LABEL,
    PTX_DECL_PROTO,
    PTX_DECL_TARGETS
};
struct ptx_decl {
    uint8_t kind;
    uint32_t name;
    uint32_t depth;    /* of the scope */
    uint32_t first, n; /* registers, or the label's instruction */
    const void *what;  /* var, proto, targets */
    int64_t outer;     /* declaration it hides, -1 if none */
};

struct ptx_parser {
    struct ptx_ast *ast;
    struct ptx_unit *unit;
    struct ptx_lexer lexer;
    struct ptx_token token; /* look-ahead */
    const char *file;
    struct strata_error *err;
    strata_status status; /* of the first failure */

    struct ptx_function *function; /* being parsed */
    uint32_t depth, nesting, source_line, source_file;
    uint32_t own_line, own_file; /* of the function itself: where its last line of its own was */
    const struct ptx_call_place *place; /* of inlined code */
    struct ptx_inlined { /* a place whose code was inlined, and the outermost call it came by */
        uint32_t file, line, column, outer_file, outer_line;
        const struct ptx_call_place *place;
    } * inlined;
    size_t n_inlined, cap_inlined;
    struct ptx_decl *decls;
    size_t n_decls, cap_decls;
    int64_t *visible; /* by name: innermost declaration, -1 if none */
    size_t cap_visible;
    struct ptx_operand **pending; /* names that may be labels not yet seen */
    size_t n_pending, cap_pending;
    bool rolled;  /* .pragma "nounroll" stands before the next instruction */
    bool in_call; /* operands of a call: parentheses hold lists */
};

/* ---- tokens ---- */
void ptx_next(struct ptx_parser *p);
bool ptx_at_punct(const struct ptx_parser *p, char c);
bool ptx_at_word(const struct ptx_parser *p, const char *word);
bool ptx_accept(struct ptx_parser *p, char c);
bool ptx_accept_word(struct ptx_parser *p, const char *word);
bool ptx_expect(struct ptx_parser *p, char c);
/* A word as a name; false and an error if the token is something else. */
bool ptx_expect_name(struct ptx_parser *p, uint32_t *out);
/* An integer with an optional sign. */
bool ptx_expect_integer(struct ptx_parser *p, int64_t *out);
/* A constant expression of operators that bind at least as tightly as `level` (1: all, 6:
 * products); `depth` is how deep it lies in others. The second goes on behind a first value. */
bool ptx_parse_constant(struct ptx_parser *p, unsigned level, unsigned depth, uint64_t *out);
bool ptx_continue_constant(struct ptx_parser *p, unsigned level, unsigned depth, uint64_t *value);
/* Sets the error (the first one counts) and returns false. */
bool ptx_error(struct ptx_parser *p, strata_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool ptx_no_memory(struct ptx_parser *p);

/* ---- declarations ---- */
struct ptx_decl *ptx_declare(struct ptx_parser *p, unsigned kind, uint32_t name);
struct ptx_decl *ptx_lookup(struct ptx_parser *p, uint32_t name);
void ptx_scope_open(struct ptx_parser *p);
bool ptx_scope_close(struct ptx_parser *p);

/* ---- pieces of grammar, each in its own file ---- */
/* `.align 4 .b8 name[16] = {…}, …` after the state space; appends to *list. */
bool ptx_parse_vars(struct ptx_parser *p, struct ptx_var ***list, struct ptx_var *model, bool many);
/* `(.param .u32 a, …)` */
bool ptx_parse_params(struct ptx_parser *p, struct ptx_var **list);
bool ptx_parse_initialiser(struct ptx_parser *p, struct ptx_var *var);
/* `{ … }` of a function. */
bool ptx_parse_body(struct ptx_parser *p);
bool ptx_parse_operand(struct ptx_parser *p, struct ptx_operand *out);
bool ptx_parse_operands(struct ptx_parser *p, struct ptx_op *op);
/* New registers of the function being parsed. */
bool ptx_add_registers(struct ptx_parser *p, unsigned type, uint32_t n, uint32_t *first);

/* ---- registers as parameters (parse_register_params.c) ---- */
/* The parameter is a register of the function. */
bool ptx_register_param(struct ptx_parser *p, struct ptx_var *var);
/* At its beginning: they come out of their variables. */
bool ptx_take_register_params(struct ptx_parser *p);
/* Before a return, and at the end of a body without one: results go into theirs. */
bool ptx_give_register_results(struct ptx_parser *p, const struct ptx_op *ret);
bool ptx_end_register_results(struct ptx_parser *p);
/* Appends a call, with what it passes in registers moved to variables and back. */
bool ptx_add_call(struct ptx_parser *p, const struct ptx_op *op);
/* Directives that are no statements: .file, .section, .pragma, … True if it was one. */
bool ptx_skip_directive(struct ptx_parser *p);

#endif
