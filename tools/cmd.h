/* cmd.h - what every subcommand shares. One file cmd_<name>.c each, listed in main.c. */
#ifndef STRATA_TOOLS_CMD_H
#define STRATA_TOOLS_CMD_H

#include <stdio.h>
#include <strata/status.h>

enum exit_code {
    EXIT_DONE = 0,
    EXIT_MISMATCH = 1,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_UNSUPPORTED = 4
};

struct command {
    const char *name;
    const char *summary;               /* one line for `strata help` */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name */
};

/* Ends with a name of NULL. */
extern const struct command strata_commands[];

/* Prints "strata: <place>: <sentence>" to stderr and returns the exit code that goes with the
 * status. */
int report_error(const struct strata_error *err);
/* Which of the processes that mpirun started this is; 0 elsewhere. All of them make the same usage
 * errors, so only process 0 tells; of other errors it is told whose they are. */
extern int process_rank;

int cmd_bugreport(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_completion(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_check_regression(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_correlate(int argc, char **argv);
int cmd_dissect(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_gpu(int argc, char **argv);
int cmd_gpu_import(int argc, char **argv);
int cmd_gpu_keys(int argc, char **argv);
int cmd_advise(int argc, char **argv);
int cmd_hotspots(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_learn(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_reuse(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_sass(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_tune(int argc, char **argv);

#endif
