/* examples.h - one or more lines to type for each command, for the man pages. */
#ifndef STRATA_TOOLS_EXAMPLES_H
#define STRATA_TOOLS_EXAMPLES_H

struct example {
    const char *command; /* "predict" */
    const char *what;    /* what the line does */
    const char *line;    /* "strata predict ..." */
};

/* Ends with a command of NULL. */
extern const struct example strata_examples[];

#endif
