/* interrupt.h - what Ctrl-C leaves behind: nothing that is not complete. */
#ifndef STRATA_TOOLS_INTERRUPT_H
#define STRATA_TOOLS_INTERRUPT_H

/* From now on SIGINT, SIGTERM and SIGHUP remove this file or folder before they end the process.
 * NULL does nothing. */
void interrupt_removes(const char *path);
/* Between these two a signal waits: what is created there is known before it can be left behind.
 * NULL: nothing was created. */
void interrupt_hold(void);
void interrupt_release(const char *path);
/* Removes a file, or a folder with all that is in it. Links are not followed. */
void remove_tree(const char *path);
/* It has its final name, or is gone. */
void interrupt_forgets(const char *path);

#endif
