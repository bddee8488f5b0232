/* completion.c - what the Tab key offers, from the option tables. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "manual.h"
#include "options.h"

/* What can stand behind an option is told by the word its table has for the argument. */
enum offer { OFFER_FILES, OFFER_GPUS, OFFER_MODELS, OFFER_FORMATS, OFFER_NOTHING };

static enum offer offer_of(const struct option *o)
{
    static const struct {
        const char *word;
        enum offer offer;
    } table[] = {{"FILE", OFFER_FILES}, {"DIR", OFFER_FILES},    {"FOLDER", OFFER_FILES},
                 {"GPU", OFFER_GPUS},   {"MODEL", OFFER_MODELS}, {"FORMAT", OFFER_FORMATS}};
    for (size_t i = 0; o->argument && i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(o->argument, table[i].word))
            return table[i].offer;
    return !strcmp(o->name, "format") ? OFFER_FORMATS : OFFER_NOTHING;
}

/* Both are asked of the tool itself when the key is pressed, so they are always those there are. */
#define LIST_GPUS "strata gpu list --format csv 2>/dev/null | tail -n +2 | cut -d, -f1"
#define LIST_MODELS                                                                                \
    "strata predict --help 2>/dev/null | sed -n '/^models:/,/^$/s/^  \\([a-z]*\\) .*/\\1/p'"

/* ---- bash ---- */

static void bash_options(const struct command_syntax *s)
{
    printf("    \"%s\") options=\"", s->name);
    for (size_t i = 0; i < s->n_options; i++) {
        if (s->options[i].letter)
            printf("-%c ", s->options[i].letter);
        printf("--%s ", s->options[i].name);
    }
    puts("--help\" ;;");
}

static void bash_values(const struct command_syntax *s)
{
    static const char *const how[] = {"files", "gpus", "models", "formats", "nothing"};
    for (size_t i = 0; i < s->n_options; i++) {
        const struct option *o = &s->options[i];
        if (o->kind == OPTION_FLAG)
            continue;
        printf("    \"%s --%s\"", s->name, o->name);
        if (o->letter)
            printf("|\"%s -%c\"", s->name, o->letter);
        printf(") offer=%s ;;\n", how[offer_of(o)]);
    }
}

static void print_names(void)
{
    for (const struct command *c = strata_commands; c->name; c++)
        printf("%s ", c->name);
}

static void visit_all(visit_syntax *visit)
{
    for (const struct command *c = strata_commands; c->name; c++)
        visit_tables(c, visit);
}

static void print_part(const struct command_syntax *s)
{
    const char *blank = strchr(s->name, ' ');
    if (blank)
        printf("%s ", blank + 1);
}

/* Commands with subcommands get lines of their own: `before`, the subcommands, `after`, with the
 * command's name in place of each @. */
static void print_subcommands(const char *before, const char *after)
{
    for (const struct command *c = strata_commands; c->name; c++) {
        if (!has_subcommands(c->name))
            continue;
        for (const char *s = before; *s; s++)
            if (*s == '@')
                fputs(c->name, stdout);
            else
                putchar(*s);
        visit_tables(c, print_part);
        for (const char *s = after; *s; s++)
            if (*s == '@')
                fputs(c->name, stdout);
            else
                putchar(*s);
    }
}

static void bash(void)
{
    puts("# bash completion for strata; made by `strata completion bash`\n_strata() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
         "command=${COMP_WORDS[1]} options= offer=files\n"
         "  COMPREPLY=()");
    fputs("  if [ \"$COMP_CWORD\" = 1 ]; then COMPREPLY=($(compgen -W \"", stdout);
    print_names();
    puts("help --version\" -- \"$word\")); return; fi");
    print_subcommands("  if [ \"$command\" = @ ]; then\n    if [ \"$COMP_CWORD\" = 2 ]; then "
                      "COMPREPLY=($(compgen -W \"",
                      "\" -- \"$word\")); return; fi\n    command=\"@ ${COMP_WORDS[2]}\"\n  fi\n");
    puts("  case \"$command $before\" in");
    visit_all(bash_values);
    puts("    \"gpu show \"*|\"gpu diff \"*) offer=gpus ;;\n  esac\n  case $command in");
    visit_all(bash_options);
    puts("    help) options=; offer=commands ;;\n  esac\n"
         "  case $word in -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")); return ;; esac\n"
         "  case $offer in");
    puts("    gpus) COMPREPLY=($(compgen -W \"$(" LIST_GPUS ")\" -f -- \"$word\")) ;;");
    puts("    models) COMPREPLY=($(compgen -W \"$(" LIST_MODELS ")\" -- \"$word\")) ;;");
    fputs("    formats) COMPREPLY=($(compgen -W \"text csv json\" -- \"$word\")) ;;\n"
          "    commands) COMPREPLY=($(compgen -W \"",
          stdout);
    print_names();
    puts("\" -- \"$word\")) ;;\n    nothing) ;;\n    *) COMPREPLY=($(compgen -f -- \"$word\")); "
         "compopt -o filenames 2>/dev/null ;;\n  esac\n}\n"
         "complete -F _strata strata");
}

/* ---- zsh ---- */

/* Inside '...' and inside [...]. */
static void put_zsh(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\`$", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_command(const struct command_syntax *s)
{
    static const char *const how[] = {"_files", "_strata_gpus", "_strata_models", "(text csv json)",
                                      " "};
    printf("    '%s') _arguments", s->name);
    for (size_t i = 0; i < s->n_options; i++) {
        const struct option *o = &s->options[i];
        const char *repeat = o->kind == OPTION_LIST ? "*" : "";
        for (int form = 0; form < (o->letter ? 2 : 1); form++) {
            if (form)
                printf(" '%s-%c[", repeat, o->letter);
            else
                printf(" '%s--%s[", repeat, o->name);
            put_zsh(o->help);
            putchar(']');
            if (o->kind != OPTION_FLAG) {
                putchar(':');
                put_zsh(o->argument ? o->argument : "value");
                printf(":%s", how[offer_of(o)]);
            }
            putchar('\'');
        }
    }
    puts(" '--help[tell the options]' '*:file:_files' ;;");
}

static void zsh(void)
{
    puts("#compdef strata\n# zsh completion for strata; made by `strata completion zsh`");
    puts("_strata_gpus() { compadd -- $(" LIST_GPUS "); _files }");
    puts("_strata_models() { compadd -- $(" LIST_MODELS ") }");
    puts("_strata() {\n  local command=$words[2]\n  if (( CURRENT == 2 )); then\n    local -a "
         "names=(");
    for (const struct command *c = strata_commands; c->name; c++) {
        printf("      '%s:", c->name);
        put_zsh(c->summary);
        puts("'");
    }
    puts("    )\n    _describe command names\n    return\n  fi");
    print_subcommands(
        "  if [[ $command == @ ]]; then\n    if (( CURRENT == 3 )); then compadd -- ",
        "; return; fi\n    command=\"@ $words[3]\"\n    shift words; (( CURRENT-- ))\n  fi\n");
    puts("  shift words; (( CURRENT-- ))\n  case $command in");
    visit_all(zsh_command);
    puts("  esac\n}\n_strata \"$@\"");
}

/* ---- fish ---- */

static void put_fish(const char *text)
{
    for (; *text; text++)
        if (*text == '\'' || *text == '\\')
            printf("\\%c", *text);
        else
            putchar(*text);
}

static void fish_command(const struct command_syntax *s)
{
    const char *blank = strchr(s->name, ' ');
    for (size_t i = 0; i < s->n_options; i++) {
        const struct option *o = &s->options[i];
        if (blank)
            printf("complete -c strata -n '__fish_seen_subcommand_from %.*s; and "
                   "__fish_seen_subcommand_from %s'",
                   (int)(blank - s->name), s->name, blank + 1);
        else
            printf("complete -c strata -n '__fish_seen_subcommand_from %s'", s->name);
        if (o->letter)
            printf(" -s %c", o->letter);
        printf(" -l %s", o->name);
        if (o->kind != OPTION_FLAG)
            fputs(offer_of(o) == OFFER_FILES ? " -r -F" : " -x", stdout);
        if (offer_of(o) == OFFER_GPUS)
            fputs(" -a '(__strata_gpus)'", stdout);
        if (offer_of(o) == OFFER_MODELS)
            fputs(" -a '(__strata_models)'", stdout);
        if (offer_of(o) == OFFER_FORMATS)
            fputs(" -a 'text csv json'", stdout);
        fputs(" -d '", stdout);
        put_fish(o->help);
        puts("'");
    }
}

static void fish(void)
{
    puts("# fish completion for strata; made by `strata completion fish`");
    puts("function __strata_gpus; " LIST_GPUS "; end");
    puts("function __strata_models; " LIST_MODELS "; end");
    for (const struct command *c = strata_commands; c->name; c++) {
        printf("complete -c strata -n __fish_use_subcommand -f -a %s -d '", c->name);
        put_fish(c->summary);
        puts("'");
    }
    print_subcommands("complete -c strata -n '__fish_seen_subcommand_from @' -f -a '", "'\n");
    visit_all(fish_command);
}

static strata_status print_completion(void *context, char **words, int n_words,
                                      struct strata_error *err)
{
    int *code = context;
    const char *shell = words[0];
    (void)n_words, (void)err;
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (!strcmp(shells[i].name, shell)) {
            shells[i].print();
            return STRATA_OK;
        }
    fprintf(stderr, "strata completion: there is none for \"%s\"; say bash, zsh or fish.\n", shell);
    *code = EXIT_USAGE;
    return STRATA_OK;
}

int cmd_completion(int argc, char **argv)
{
    int told = EXIT_DONE;
    const struct command_syntax syntax = {
        .name = "completion",
        .arguments = "bash|zsh|fish",
        .summary = "Prints a script that teaches a shell the commands and options of strata.",
        .text = "`make install` puts all three where the shells look for them. For one session:\n"
                "  source <(strata completion bash)",
        .least_words = 1,
        .most_words = 1,
        .asks = "name one shell: bash, zsh or fish.",
        .run = print_completion,
        .context = &told,
    };
    int code = run_command(&syntax, argc, argv);
    return code ? code : told;
}
