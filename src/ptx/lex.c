/* lex.c - PTX text to tokens. */
#include "ptx/lex.h"

#include <stdlib.h>
#include <string.h>

void ptx_lexer_init(struct ptx_lexer *lexer, const char *text, size_t length)
{
    const char *nul = length ? memchr(text, 0, length) : NULL;
    lexer->at = lexer->line_start = text;
    lexer->end = nul ? nul : text + length;
    lexer->line = 1;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' ||
           c == '.';
}

static int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static void new_line(struct ptx_lexer *lexer)
{
    lexer->line++;
    lexer->line_start = lexer->at + 1;
}

static void skip_block_comment(struct ptx_lexer *lexer)
{
    lexer->at += 2;
    while (lexer->at < lexer->end) {
        if (*lexer->at == '*' && lexer->at + 1 < lexer->end && lexer->at[1] == '/') {
            lexer->at += 2;
            return;
        }
        if (*lexer->at == '\n')
            new_line(lexer);
        lexer->at++;
    }
}

static void skip_blanks(struct ptx_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        bool slash = c == '/' && lexer->at + 1 < lexer->end;
        if (slash && lexer->at[1] == '/') {
            while (lexer->at < lexer->end && *lexer->at != '\n')
                lexer->at++;
        } else if (slash && lexer->at[1] == '*') {
            skip_block_comment(lexer);
        } else if (c == '\n') {
            new_line(lexer);
            lexer->at++;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            lexer->at++;
        } else {
            return;
        }
    }
}

/* Dots and "::" belong to the word: %tid.x, ld.global.L1::no_allocate.f32; but ".reg.b32" are two
 * directives. */
static void lex_word(struct ptx_lexer *lexer, struct ptx_token *out)
{
    const char *p = lexer->at + 1;
    bool directive = *lexer->at == '.';
    while (p < lexer->end && !(directive && *p == '.')) {
        if (p + 2 < lexer->end && p[0] == ':' && p[1] == ':' &&
            (is_word_start(p[2]) || is_digit(p[2]))) {
            p += 2;
            continue;
        }
        if (!is_word_start(*p) && !is_digit(*p))
            break;
        p++;
    }
    out->kind = PTX_TOK_WORD;
    out->length = (uint32_t)(p - lexer->at);
    if (out->length == 7 && !memcmp(lexer->at, "WARP_SZ", 7)) {
        out->kind = PTX_TOK_INTEGER; /* the one named number of PTX, behind warpSize */
        out->value = 32;
    }
    lexer->at = p;
}

static bool lex_radix(struct ptx_lexer *lexer, struct ptx_token *out, int radix,
                      unsigned max_digits)
{
    const char *p = lexer->at;
    unsigned digits = 0;
    out->value = 0;
    for (; p < lexer->end && hex_value(*p) >= 0 && hex_value(*p) < radix; p++, digits++)
        out->value = out->value * (unsigned)radix + (unsigned)hex_value(*p);
    lexer->at = p;
    return digits > 0 && digits <= max_digits;
}

/* 1.5, 1e9, 2.: decimal floats, which are doubles. */
static bool lex_decimal_float(struct ptx_lexer *lexer, struct ptx_token *out)
{
    char copy[64];
    const char *p = lexer->at;
    size_t n = 0;
    bool is_float = false;
    while (p < lexer->end && n + 1 < sizeof copy) {
        bool sign = (*p == '+' || *p == '-') && n && (copy[n - 1] == 'e' || copy[n - 1] == 'E');
        if (!is_digit(*p) && *p != '.' && *p != 'e' && *p != 'E' && !sign)
            break;
        is_float |= !is_digit(*p);
        copy[n++] = *p++;
    }
    copy[n] = 0;
    if (!is_float)
        return false;
    char *rest;
    double value = strtod(copy, &rest);
    out->kind = *rest ? PTX_TOK_BAD : PTX_TOK_F64;
    memcpy(&out->value, &value, sizeof value);
    lexer->at = p;
    return true;
}

static void lex_number(struct ptx_lexer *lexer, struct ptx_token *out)
{
    char next = lexer->at + 1 < lexer->end ? lexer->at[1] : 0;
    bool ok;
    out->kind = PTX_TOK_INTEGER;
    if (*lexer->at == '0' && (next == 'x' || next == 'X')) {
        lexer->at += 2;
        ok = lex_radix(lexer, out, 16, 16);
    } else if (*lexer->at == '0' && (next == 'f' || next == 'F')) {
        lexer->at += 2;
        out->kind = PTX_TOK_F32;
        ok = lex_radix(lexer, out, 16, 8);
    } else if (*lexer->at == '0' && (next == 'd' || next == 'D')) {
        lexer->at += 2;
        out->kind = PTX_TOK_F64;
        ok = lex_radix(lexer, out, 16, 16);
    } else if (*lexer->at == '0' && (next == 'b' || next == 'B')) {
        lexer->at += 2;
        ok = lex_radix(lexer, out, 2, 64);
    } else if (lex_decimal_float(lexer, out)) {
        return;
    } else if (*lexer->at == '0' && is_digit(next)) {
        ok = lex_radix(lexer, out, 8, 24);
    } else {
        ok = lex_radix(lexer, out, 10, 20);
    }
    if (out->kind == PTX_TOK_INTEGER && lexer->at < lexer->end && *lexer->at == 'U')
        lexer->at++;
    if (!ok)
        out->kind = PTX_TOK_BAD;
}

static void lex_string(struct ptx_lexer *lexer, struct ptx_token *out)
{
    const char *p = ++lexer->at;
    while (p < lexer->end && *p != '"' && *p != '\n')
        p += *p == '\\' && p + 1 < lexer->end && p[1] != '\n' ? 2 : 1;
    out->text = lexer->at;
    out->length = (uint32_t)(p - lexer->at);
    bool closed = p < lexer->end && *p == '"';
    out->kind = closed ? PTX_TOK_STRING : PTX_TOK_BAD;
    lexer->at = closed ? p + 1 : p;
}

void ptx_lexer_next(struct ptx_lexer *lexer, struct ptx_token *out)
{
    skip_blanks(lexer);
    memset(out, 0, sizeof *out);
    out->text = lexer->at;
    out->line = lexer->line;
    out->column = (uint32_t)(lexer->at - lexer->line_start) + 1;
    if (lexer->at >= lexer->end)
        return;
    char c = *lexer->at;
    if (is_word_start(c)) {
        lex_word(lexer, out);
    } else if (is_digit(c)) {
        lex_number(lexer, out);
        out->length = (uint32_t)(lexer->at - out->text);
    } else if (c == '"') {
        lex_string(lexer, out);
    } else {
        out->kind = c > ' ' && c < 127 ? PTX_TOK_PUNCT : PTX_TOK_BAD;
        out->punct = c;
        out->length = 1;
        lexer->at++;
    }
}
