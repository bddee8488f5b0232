/* parse.c - tokens, errors and the module level of the PTX parser. */
#include "ptx/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- tokens and errors ---- */

bool ptx_error(struct ptx_parser *p, strata_status status, const char *format, ...)
{
    if (p->status != STRATA_OK)
        return false;
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->status = strata_fail(p->err, status, p->file, p->token.line, p->token.column, "%s", text);
    return false;
}

bool ptx_no_memory(struct ptx_parser *p)
{
    return ptx_error(p, STRATA_ENOMEM, "there is no memory left to parse PTX.");
}

void ptx_next(struct ptx_parser *p)
{
    ptx_lexer_next(&p->lexer, &p->token);
    if (p->token.kind == PTX_TOK_BAD)
        ptx_error(p, STRATA_EFORMAT, "this is not PTX: unexpected character or number \"%.*s\"",
                  (int)(p->token.length > 40 ? 40 : p->token.length), p->token.text);
}

bool ptx_at_punct(const struct ptx_parser *p, char c)
{
    return p->token.kind == PTX_TOK_PUNCT && p->token.punct == c;
}

bool ptx_at_word(const struct ptx_parser *p, const char *word)
{
    return p->token.kind == PTX_TOK_WORD && p->token.length == strlen(word) &&
           !memcmp(p->token.text, word, p->token.length);
}

bool ptx_accept(struct ptx_parser *p, char c)
{
    if (p->status != STRATA_OK || !ptx_at_punct(p, c))
        return false;
    ptx_next(p);
    return true;
}

bool ptx_accept_word(struct ptx_parser *p, const char *word)
{
    if (p->status != STRATA_OK || !ptx_at_word(p, word))
        return false;
    ptx_next(p);
    return true;
}

static bool unexpected(struct ptx_parser *p, const char *wanted)
{
    if (p->token.kind == PTX_TOK_END)
        return ptx_error(p, STRATA_EFORMAT, "the PTX text ends where %s is expected", wanted);
    return ptx_error(p, STRATA_EFORMAT, "found \"%.*s\" where %s is expected",
                     (int)(p->token.length > 60 ? 60 : p->token.length), p->token.text, wanted);
}

bool ptx_expect(struct ptx_parser *p, char c)
{
    if (ptx_accept(p, c))
        return true;
    const char wanted[] = {'"', c, '"', 0};
    return unexpected(p, wanted);
}

bool ptx_expect_name(struct ptx_parser *p, uint32_t *out)
{
    if (p->status != STRATA_OK || p->token.kind != PTX_TOK_WORD)
        return unexpected(p, "a name");
    *out = ptx_name(&p->ast->names, p->token.text, p->token.length);
    if (*out == PTX_NO_NAME)
        return ptx_no_memory(p);
    ptx_next(p);
    return true;
}

bool ptx_expect_integer(struct ptx_parser *p, int64_t *out)
{
    bool negative = ptx_accept(p, '-');
    if (p->status != STRATA_OK || p->token.kind != PTX_TOK_INTEGER)
        return unexpected(p, "an integer");
    *out = (int64_t)(negative ? 0 - p->token.value : p->token.value);
    ptx_next(p);
    return true;
}

/* ---- constant expressions ---- */

#define MAX_EXPRESSION 32 /* parentheses and operators inside each other */

/* How tightly a binary operator binds, 0 if the token is none. Shifts are two tokens. */
static unsigned operator_level(const struct ptx_parser *p)
{
    static const struct {
        char punct;
        unsigned level;
    } levels[] = {{'|', 1}, {'^', 2}, {'&', 3}, {'<', 4}, {'>', 4},
                  {'+', 5}, {'-', 5}, {'*', 6}, {'/', 6}, {'%', 6}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (ptx_at_punct(p, levels[i].punct))
            return levels[i].level;
    return 0;
}

static bool parse_unary(struct ptx_parser *p, unsigned depth, uint64_t *out)
{
    if (depth > MAX_EXPRESSION)
        return ptx_error(p, STRATA_ELIMIT, "an expression is nested too deeply");
    if (ptx_accept(p, '(')) {
        return ptx_parse_constant(p, 1, depth + 1, out) && ptx_expect(p, ')');
    }
    bool negative = ptx_accept(p, '-'), inverted = !negative && ptx_accept(p, '~');
    if (negative || inverted) {
        if (!parse_unary(p, depth + 1, out))
            return false;
        *out = negative ? 0 - *out : ~*out;
        return true;
    }
    if (p->status != STRATA_OK || p->token.kind != PTX_TOK_INTEGER)
        return unexpected(p, "an integer");
    *out = p->token.value;
    ptx_next(p);
    return true;
}

static bool apply_operator(struct ptx_parser *p, char op, uint64_t right, uint64_t *value)
{
    if ((op == '/' || op == '%') && !right)
        return ptx_error(p, STRATA_EFORMAT, "an expression divides by zero");
    bool least = (int64_t)*value == INT64_MIN && (int64_t)right == -1;
    switch (op) {
    case '|':
        *value |= right;
        break;
    case '^':
        *value ^= right;
        break;
    case '&':
        *value &= right;
        break;
    case '<':
        *value = right < 64 ? *value << right : 0;
        break;
    case '>':
        *value = right < 64 ? (uint64_t)((int64_t)*value >> right) : 0;
        break;
    case '+':
        *value += right;
        break;
    case '-':
        *value -= right;
        break;
    case '*':
        *value *= right;
        break;
    case '/':
        *value = least ? *value : (uint64_t)((int64_t)*value / (int64_t)right);
        break;
    default:
        *value = least ? 0 : (uint64_t)((int64_t)*value % (int64_t)right);
    }
    return true;
}

bool ptx_continue_constant(struct ptx_parser *p, unsigned level, unsigned depth, uint64_t *value)
{
    unsigned found;
    while ((found = operator_level(p)) >= level && found) {
        char op = p->token.punct;
        uint64_t right;
        ptx_next(p);
        if ((op == '<' || op == '>') && !ptx_expect(p, op))
            return false;
        if (!ptx_parse_constant(p, found + 1, depth + 1, &right) ||
            !apply_operator(p, op, right, value))
            return false;
    }
    return p->status == STRATA_OK;
}

bool ptx_parse_constant(struct ptx_parser *p, unsigned level, unsigned depth, uint64_t *out)
{
    return parse_unary(p, depth, out) && ptx_continue_constant(p, level, depth, out);
}

/* ---- directives without meaning here ---- */

static void skip_braces(struct ptx_parser *p)
{
    unsigned depth = 0;
    do {
        if (ptx_at_punct(p, '{'))
            depth++;
        else if (ptx_at_punct(p, '}'))
            depth--;
        ptx_next(p);
    } while (depth && p->token.kind != PTX_TOK_END && p->status == STRATA_OK);
}

static void skip_line(struct ptx_parser *p, uint32_t line)
{
    while (p->token.kind != PTX_TOK_END && p->token.line == line && p->status == STRATA_OK)
        ptx_next(p);
}

/* Three numbers of a .loc; false if they do not stand in this line. */
static bool loc_numbers(struct ptx_parser *p, uint32_t line, uint32_t out[3])
{
    for (int i = 0; i < 3; i++, ptx_next(p)) {
        if (p->token.kind != PTX_TOK_INTEGER || p->token.line != line)
            return false;
        out[i] = (uint32_t)p->token.value;
    }
    return true;
}

static const struct ptx_inlined *find_inlined(const struct ptx_parser *p, const uint32_t at[3])
{
    for (size_t i = p->n_inlined; i-- > 0;)
        if (p->inlined[i].file == at[0] && p->inlined[i].line == at[1] &&
            p->inlined[i].column == at[2])
            return &p->inlined[i];
    return NULL;
}

/* Out of memory only loses the place. */
static const struct ptx_call_place *new_place(struct ptx_parser *p, const uint32_t at[3],
                                              const struct ptx_call_place *outer)
{
    struct ptx_call_place *place = ptx_pool_allocate(&p->ast->pool, sizeof *place);
    if (place)
        *place = (struct ptx_call_place){at[0], at[1], outer};
    return place;
}

/* A call that is itself inlined was told of before; what counts for people is the line of the
 * kernel they wrote, not the header's. Out of memory only loses the line. */
static void note_inlined(struct ptx_parser *p, const uint32_t at[3], const uint32_t call[3])
{
    const struct ptx_inlined *known = find_inlined(p, at), *outer = find_inlined(p, call);
    struct ptx_inlined made = {.file = at[0],
                               .line = at[1],
                               .column = at[2],
                               .outer_file = outer ? outer->outer_file : call[0],
                               .outer_line = outer ? outer->outer_line : call[1]};
    p->source_file = made.outer_file;
    p->source_line = made.outer_line;
    const struct ptx_call_place *call_place = outer ? outer->place : NULL;
    if (known && known->outer_file == made.outer_file && known->outer_line == made.outer_line &&
        known->place && known->place->outer == call_place) {
        p->place = known->place;
        return;
    }
    p->place = made.place = new_place(p, at, call_place);
    if (ARRAY_RESERVE(p->inlined, p->n_inlined, p->cap_inlined, 1))
        p->inlined[p->n_inlined++] = made;
}

/* clang does not tell what is inlined where: a line of another file than the function's stands
 * behind the line of its own that leads there. */
static void note_line(struct ptx_parser *p, const uint32_t at[3])
{
    p->own_file = p->own_file ? p->own_file : at[0];
    bool own = at[0] == p->own_file;
    if (own && at[1])
        p->own_line = at[1];
    p->source_file = own || p->own_line ? p->own_file : at[0];
    p->source_line = own ? at[1] : p->own_line ? p->own_line : at[1];
    p->place = own || !p->own_line ? NULL : new_place(p, at, NULL);
}

/* .loc FILE LINE COLUMN [, function_name NAME [+ OFFSET], inlined_at FILE LINE COLUMN] */
static void parse_loc(struct ptx_parser *p)
{
    uint32_t line = p->token.line, at[3], call[3];
    ptx_next(p);
    if (loc_numbers(p, line, at)) {
        while (p->token.kind != PTX_TOK_END && p->token.line == line &&
               !ptx_at_word(p, "inlined_at") && p->status == STRATA_OK)
            ptx_next(p);
        if (p->token.line == line && ptx_accept_word(p, "inlined_at") && loc_numbers(p, line, call))
            note_inlined(p, at, call);
        else
            note_line(p, at);
    }
    skip_line(p, line);
}

/* .file NUMBER "PATH" [, TIME, SIZE] */
static void parse_file(struct ptx_parser *p)
{
    uint32_t line = p->token.line;
    ptx_next(p);
    uint32_t number = p->token.kind == PTX_TOK_INTEGER ? (uint32_t)p->token.value : 0;
    ptx_next(p);
    struct ptx_source_file *f = ptx_pool_allocate(&p->ast->pool, sizeof *f);
    if (f && p->token.kind == PTX_TOK_STRING && p->token.line == line) {
        *f = (struct ptx_source_file){
            number, ptx_pool_text(&p->ast->pool, p->token.text, p->token.length), p->unit->files};
        p->unit->files = f->path ? f : p->unit->files;
    }
    skip_line(p, line);
}

static void parse_pragma(struct ptx_parser *p)
{
    static const char nounroll[] = "nounroll";
    while (!ptx_at_punct(p, ';') && p->token.kind != PTX_TOK_END && p->status == STRATA_OK) {
        p->rolled |= p->token.kind == PTX_TOK_STRING && p->token.length == sizeof nounroll - 1 &&
                     !memcmp(p->token.text, nounroll, sizeof nounroll - 1);
        ptx_next(p);
    }
    ptx_expect(p, ';');
}

bool ptx_skip_directive(struct ptx_parser *p)
{
    if (ptx_at_word(p, ".loc")) {
        parse_loc(p);
    } else if (ptx_at_word(p, ".file")) {
        parse_file(p);
    } else if (ptx_at_word(p, ".section")) {
        ptx_next(p);
        while (!ptx_at_punct(p, '{') && p->token.kind != PTX_TOK_END && p->status == STRATA_OK)
            ptx_next(p);
        skip_braces(p);
    } else if (ptx_at_word(p, ".pragma")) {
        parse_pragma(p);
    } else {
        return false;
    }
    return true;
}

/* ---- functions ---- */

static bool parse_thread_counts(struct ptx_parser *p, uint32_t out[3])
{
    for (unsigned i = 0; i < 3; i++)
        out[i] = 1;
    for (unsigned i = 0; i < 3; i++) {
        int64_t n;
        if (!ptx_expect_integer(p, &n))
            return false;
        out[i] = (uint32_t)n;
        if (!ptx_accept(p, ','))
            break;
    }
    return p->status == STRATA_OK;
}

/* .maxntid and kin, between the parameters and the body. */
static bool parse_performance(struct ptx_parser *p, struct ptx_function *f)
{
    static const char *const with_number[] = {".maxnreg", ".maxnctapersm", ".maxclusterrank",
                                              ".abi_preserve", ".abi_preserve_control"};
    static const char *const bare[] = {".noreturn", ".explicitcluster", ".blocksareclusters",
                                       ".unique"};
    uint32_t counts[3];
    int64_t n;
    if (ptx_accept_word(p, ".maxntid")) {
        if (!parse_thread_counts(p, counts))
            return false;
        f->max_threads = counts[0] * counts[1] * counts[2];
        return true;
    }
    if (ptx_accept_word(p, ".reqntid")) {
        if (!parse_thread_counts(p, f->required_threads))
            return false;
        f->max_threads = f->required_threads[0] * f->required_threads[1] * f->required_threads[2];
        return true;
    }
    if (ptx_accept_word(p, ".reqnctapercluster"))
        return parse_thread_counts(p, f->required_cluster);
    if (ptx_accept_word(p, ".minnctapersm")) {
        if (!ptx_expect_integer(p, &n))
            return false;
        f->min_blocks = (uint32_t)n;
        return true;
    }
    for (size_t i = 0; i < sizeof with_number / sizeof *with_number; i++)
        if (ptx_accept_word(p, with_number[i]))
            return ptx_expect_integer(p, &n);
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        if (ptx_accept_word(p, bare[i]))
            return true;
    if (ptx_skip_directive(p))
        return p->status == STRATA_OK;
    return unexpected(p, "a function body or \";\"");
}

struct linking {
    bool is_extern, is_visible;
};

static bool parse_function(struct ptx_parser *p, struct linking linking, bool is_entry)
{
    struct ptx_function *f = ptx_pool_allocate(&p->ast->pool, sizeof *f);
    if (!f)
        return ptx_no_memory(p);
    f->unit = p->unit;
    f->is_entry = is_entry;
    f->is_extern = linking.is_extern;
    f->is_visible = linking.is_visible;
    f->same = f;
    f->line = p->token.line;
    *p->unit->functions_end = f;
    p->unit->functions_end = &f->next;
    p->function = f;
    ptx_scope_open(p);
    bool ok = true;
    while (ok && ptx_accept_word(p, ".attribute"))
        while (ok && !ptx_accept(p, ')') && p->token.kind != PTX_TOK_END)
            ptx_next(p);
    if (ptx_at_punct(p, '('))
        ok = ptx_parse_params(p, &f->returns);
    ok = ok && ptx_expect_name(p, &f->name);
    if (ok && ptx_at_punct(p, '('))
        ok = ptx_parse_params(p, &f->params);
    while (ok && !ptx_at_punct(p, '{') && !ptx_at_punct(p, ';'))
        ok = parse_performance(p, f);
    if (ok && ptx_at_punct(p, '{')) {
        f->has_body = true;
        ok = ptx_parse_body(p);
    } else {
        ok = ok && ptx_expect(p, ';');
    }
    ok = ok && ptx_scope_close(p);
    p->function = NULL;
    return ok;
}

/* ---- module level ---- */

static bool parse_target(struct ptx_parser *p)
{
    do {
        if (p->token.kind != PTX_TOK_WORD)
            return unexpected(p, "a target such as sm_75");
        if (p->token.length > 3 && !memcmp(p->token.text, "sm_", 3))
            p->unit->sm = (uint32_t)strtoul(p->token.text + 3, NULL, 10);
        ptx_next(p);
    } while (ptx_accept(p, ','));
    return p->status == STRATA_OK;
}

static unsigned variable_space(const struct ptx_parser *p)
{
    static const struct {
        const char *word;
        unsigned space;
    } spaces[] = {{".global", PTX_M_GLOBAL},
                  {".const", PTX_M_CONST},
                  {".shared", PTX_M_SHARED},
                  {".local", PTX_M_LOCAL},
                  {".param", PTX_M_PARAM}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (ptx_at_word(p, spaces[i].word))
            return spaces[i].space;
    return PTX_NONE;
}

static bool parse_module_variable(struct ptx_parser *p, struct linking linking, unsigned space)
{
    struct ptx_var model = {.space = (uint8_t)space,
                            .is_extern = linking.is_extern,
                            .is_visible = linking.is_visible,
                            .unit = p->unit};
    ptx_next(p);
    return ptx_parse_vars(p, &p->unit->vars_end, &model, true) && ptx_expect(p, ';');
}

static bool parse_top(struct ptx_parser *p)
{
    struct linking linking = {false, false};
    for (;;) {
        if (ptx_accept_word(p, ".extern"))
            linking.is_extern = true;
        else if (ptx_accept_word(p, ".visible") || ptx_accept_word(p, ".weak") ||
                 ptx_accept_word(p, ".common"))
            linking.is_visible = true;
        else
            break;
    }
    if (ptx_skip_directive(p))
        return p->status == STRATA_OK;
    if (ptx_accept_word(p, ".version") || ptx_accept_word(p, ".address_size")) {
        if (p->token.kind != PTX_TOK_F64 && p->token.kind != PTX_TOK_INTEGER)
            return unexpected(p, "a number");
        if (p->token.kind == PTX_TOK_INTEGER && p->token.value == 32)
            return ptx_error(p, STRATA_EUNSUPPORTED,
                             "32-bit PTX is not supported; compile with -m64");
        ptx_next(p);
        return p->status == STRATA_OK;
    }
    if (ptx_accept_word(p, ".target"))
        return parse_target(p);
    if (ptx_accept_word(p, ".entry"))
        return parse_function(p, linking, true);
    if (ptx_accept_word(p, ".func"))
        return parse_function(p, linking, false);
    unsigned space = variable_space(p);
    if (space)
        return parse_module_variable(p, linking, space);
    if (p->token.kind == PTX_TOK_WORD && p->token.text[0] == '.')
        return ptx_error(p, STRATA_EUNSUPPORTED, "directive \"%.*s\" is not supported",
                         (int)(p->token.length > 60 ? 60 : p->token.length), p->token.text);
    return unexpected(p, "a directive such as .visible or .entry");
}

static bool starts_like_ptx(const struct ptx_parser *p)
{
    return ptx_at_word(p, ".version") || ptx_at_word(p, ".target") || ptx_at_word(p, ".file");
}

strata_status ptx_parse(struct ptx_ast *ast, const struct strata_ptx_source *source,
                        struct strata_error *err)
{
    struct ptx_parser p = {.ast = ast, .err = err, .file = source->name ? source->name : "PTX"};
    ast->names.pool = &ast->pool;
    p.unit = ptx_pool_allocate(&ast->pool, sizeof *p.unit);
    if (p.unit)
        p.unit->name = ptx_pool_text(&ast->pool, p.file, strlen(p.file));
    if (!p.unit || !p.unit->name)
        return strata_no_memory(err, p.file, "to parse PTX");
    p.unit->vars_end = &p.unit->vars;
    p.unit->functions_end = &p.unit->functions;
    struct ptx_unit **end = &ast->units;
    while (*end)
        end = &(*end)->next;
    *end = p.unit;
    ptx_lexer_init(&p.lexer, source->text, source->length);
    ptx_next(&p);
    if (p.status == STRATA_OK && !starts_like_ptx(&p))
        ptx_error(&p, STRATA_EFORMAT, "this is not PTX: it does not begin with .version");
    while (p.status == STRATA_OK && p.token.kind != PTX_TOK_END)
        parse_top(&p);
    free(p.decls);
    free(p.inlined);
    free(p.visible);
    free(p.pending);
    return p.status;
}

void ptx_ast_release(struct ptx_ast *ast)
{
    for (struct ptx_unit *u = ast->units; u; u = u->next)
        for (struct ptx_function *f = u->functions; f; f = f->next) {
            free(f->ops);
            free(f->reg_type);
        }
    ptx_names_release(&ast->names);
    ptx_pool_release(&ast->pool);
    ast->units = NULL;
}
