/* large_heap.h - the tool's heap in large pages, where the system has them. */
#ifndef TOOLS_LARGE_HEAP_H
#define TOOLS_LARGE_HEAP_H

/* To be called first. Models walk through tens of megabytes that were taken in small pieces: in
 * pages of 4 KB each step waits for the translation of an address. */
void large_heap_begin(void);

/* Gives back what is not used, which a limit of the process's memory counts. */
void large_heap_shrink(void);

#endif
