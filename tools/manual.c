/* manual.c - man pages from the option tables. */
#include "manual.h"

#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "examples.h"
#include "options.h"

#ifndef STRATA_VERSION
#define STRATA_VERSION "unknown"
#endif

/* Commands whose first argument names a table of its own. */
static const struct {
    const char *command, *subcommand;
} subcommands[] = {
    {"gpu", "list"},      {"gpu", "show"},       {"gpu", "check"},      {"gpu", "diff"},
    {"gpu", "keys"},      {"gpu", "import"},     {"learn", "generate"}, {"learn", "train"},
    {"learn", "profile"}, {"learn", "evaluate"}, {"learn", "rank"},
};

bool has_subcommands(const char *name)
{
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++)
        if (!strcmp(subcommands[i].command, name))
            return true;
    return false;
}

void visit_tables(const struct command *command, visit_syntax *visit)
{
    static char help[] = "--help";
    char name[32], sub[32];
    snprintf(name, sizeof name, "%s", command->name);
    describe_command = visit;
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        if (strcmp(subcommands[i].command, command->name))
            continue;
        snprintf(sub, sizeof sub, "%s", subcommands[i].subcommand);
        command->run(3, (char *[]){name, sub, help, NULL});
    }
    if (!has_subcommands(command->name))
        command->run(2, (char *[]){name, help, NULL});
    describe_command = NULL;
}

/* ---- roff ---- */

static bool line_begins = true;

/* Backslashes, hyphens that mean themselves, and dots and quotes that would begin a request. */
static void put_roff(const char *text)
{
    for (; *text; text++) {
        if (line_begins && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        line_begins = *text == '\n';
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static void put_line(const char *text)
{
    line_begins = true;
    put_roff(text);
    putchar('\n');
}

/* Lines that begin with a blank are tables and examples, and stay as they are. */
static void put_text(const char *text)
{
    bool filled = true;
    while (text && *text) {
        char line[512];
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        bool fixed = line[0] == ' ';
        if (fixed == filled)
            puts(fixed ? ".nf" : ".fi");
        filled = !fixed;
        if (length)
            put_line(line);
        else
            puts(".PP");
        text += length + (text[length] == '\n');
    }
    if (!filled)
        puts(".fi");
}

static void put_title(const char *name)
{
    fputs(".TH ", stdout);
    for (const char *s = name; *s; s++)
        putchar(*s == ' ' ? '-' : *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
    puts(" 1 \"\" \"strata " STRATA_VERSION "\" \"Strata manual\"");
}

static void put_options(const struct command_syntax *s)
{
    for (size_t i = 0; i < s->n_options; i++) {
        const struct option *o = &s->options[i];
        puts(".TP");
        if (o->letter)
            printf("\\fB\\-%c\\fR, ", o->letter);
        fputs("\\fB\\-\\-", stdout);
        put_roff(o->name);
        fputs("\\fR", stdout);
        if (o->argument) {
            fputs(" \\fI", stdout);
            put_roff(o->argument);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        put_line(o->help);
    }
}

static void put_synopsis(const struct command_syntax *s)
{
    fputs(".PP\n\\fBstrata ", stdout);
    put_roff(s->name);
    fputs(s->n_options ? "\\fR [\\fIoptions\\fR] " : "\\fR ", stdout);
    put_line(s->arguments);
}

static void put_exit_codes(void)
{
    puts(".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\na comparison or threshold failed\n.TP\n2\nthe "
         "command line is "
         "wrong\n.TP\n3\nan input is wrong, or output could not be written\n.TP\n4\nnot supported, "
         "or "
         "something is missing on this machine");
}

static void put_description(const struct command_syntax *s)
{
    put_line(s->summary);
    if (s->text) {
        puts(".PP");
        put_text(s->text);
    }
}

/* A table of a command with several: a part of its page. */
static void put_part(const struct command_syntax *s)
{
    fputs(".SS strata ", stdout);
    line_begins = false;
    put_line(s->name);
    put_synopsis(s);
    puts(".PP");
    put_description(s);
    put_options(s);
}

static void put_page(const struct command_syntax *s)
{
    puts(".SH SYNOPSIS");
    put_synopsis(s);
    puts(".SH DESCRIPTION");
    put_description(s);
    if (s->n_options)
        puts(".SH OPTIONS");
    put_options(s);
}

static void put_examples(const char *name)
{
    puts(".SH EXAMPLES");
    for (const struct example *e = strata_examples; e->command; e++) {
        if (strcmp(e->command, name))
            continue;
        puts(".PP");
        put_line(e->what);
        puts(".PP\n.nf\n.RS");
        put_line(e->line);
        puts(".RE\n.fi");
    }
}

static void put_command(const struct command *c)
{
    char title[48];
    snprintf(title, sizeof title, "strata %s", c->name);
    put_title(title);
    printf(".SH NAME\nstrata\\-%s \\- ", c->name);
    line_begins = false;
    put_line(c->summary);
    if (has_subcommands(c->name))
        puts(".SH COMMANDS");
    visit_tables(c, has_subcommands(c->name) ? put_part : put_page);
    put_examples(c->name);
    put_exit_codes();
    puts(".SH SEE ALSO\n.BR strata (1)");
}

static void put_main(void)
{
    put_title("strata");
    puts(
        ".SH NAME\nstrata \\- predicts what a GPU's memory hierarchy does with a program\n"
        ".SH SYNOPSIS\n\\fBstrata\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] ...\n"
        ".SH DESCRIPTION\nA trace of a program goes in; models of rising cost read it; all of them "
        "answer\n"
        "with the metric names of Nsight Compute. Neither a GPU nor CUDA is needed.\n.SH COMMANDS");
    for (const struct command *c = strata_commands; c->name; c++) {
        printf(".TP\n.BR strata\\-%s (1)\n", c->name);
        put_line(c->summary);
    }
    puts(".TP\n.B strata help \\fR[\\fICOMMAND\\fR]\nthis list, or the options of a command\n"
         ".TP\n.B strata \\-\\-version\nname and version");
    put_exit_codes();
    puts(".SH ENVIRONMENT\n.TP\n.B STRATA_GPU_PATH\nfolders with GPU files, separated by colons, "
         "which are "
         "looked in first\n.TP\n.B STRATA_GPU\nthe GPU of every command that takes one, unless "
         "it is told\n.TP\n.B NO_COLOR\nif set, no colours on a terminal either");
    fputs(".SH SEE ALSO\n", stdout);
    for (const struct command *c = strata_commands; c->name; c++)
        printf(".BR strata\\-%s (1)%s\n", c->name, c[1].name ? "," : "");
}

int print_manual(const char *name)
{
    if (!name) {
        put_main();
        return EXIT_DONE;
    }
    for (const struct command *c = strata_commands; c->name; c++)
        if (!strcmp(c->name, name)) {
            put_command(c);
            return EXIT_DONE;
        }
    fprintf(stderr, "strata help: there is no command \"%s\"; `strata help` lists them.\n", name);
    return EXIT_USAGE;
}
