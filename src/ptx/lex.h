/* lex.h - PTX text to tokens.
 *
 * Written by hand: a PTX token is a word, a number, a string or one character,
 * and the two awkward ones (opcodes with dotted suffixes, 0f... float bits)
 * take a line each; a generator would add a build step and save nothing. */
#ifndef STRATA_PTX_LEX_H
#define STRATA_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
    PTX_TOK_END = 0,
    PTX_TOK_WORD,    /* names, opcodes and directives with all their dots: ld.global.u32, .reg */
    PTX_TOK_INTEGER, /* value */
    PTX_TOK_F32,     /* value: bits of 0fXXXXXXXX */
    PTX_TOK_F64,     /* value: bits of 0dX... or of a decimal number */
    PTX_TOK_STRING,  /* text between the quotes */
    PTX_TOK_PUNCT,   /* punct */
    PTX_TOK_BAD      /* a character or number that is not PTX */
};

struct ptx_token {
    uint8_t kind;
    char punct;
    uint32_t length;
    const char *text;
    uint32_t line, column; /* 1-based */
    uint64_t value;
};

struct ptx_lexer {
    const char *at, *end;
    const char *line_start;
    uint32_t line;
};

void ptx_lexer_init(struct ptx_lexer *lexer, const char *text, size_t length);
/* The next token; PTX_TOK_END for ever after the last. */
void ptx_lexer_next(struct ptx_lexer *lexer, struct ptx_token *out);

#endif
