/* manual.h - man pages and shell completion, made from the option tables the commands parse with.
 */
#ifndef STRATA_TOOLS_MANUAL_H
#define STRATA_TOOLS_MANUAL_H

#include <stdbool.h>

/* strata(1) if `name` is NULL, else strata-NAME(1), as roff on standard output. */
int print_manual(const char *name);

/* The tables behind a command: its own, or that of each of its subcommands. Calls `visit` with
 * "gpu show" and the like; the table is only valid during the call. */
struct command;
struct command_syntax;
typedef void visit_syntax(const struct command_syntax *syntax);
/* "gpu" has them, "predict" has not. */
bool has_subcommands(const char *command);
void visit_tables(const struct command *command, visit_syntax *visit);

#endif
