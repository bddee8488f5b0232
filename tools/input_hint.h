/* input_hint.h - what to do with a file of another kind than a command takes. */
#ifndef STRATA_TOOLS_INPUT_HINT_H
#define STRATA_TOOLS_INPUT_HINT_H

#include <strata/status.h>

#include "options.h"

/* If the error is about a file whose kind is known and not the command's, its sentence becomes one
 * that names the kind and the command that leads on: a program, CUDA source, PTX, GPU code, a
 * trace, one of our results, a profiler's report or counters, a GPU file. Anything else stays as it
 * is. */
void add_input_hint(const struct command_syntax *syntax, char *const *words, int n_words,
                    struct strata_error *err);

#endif
