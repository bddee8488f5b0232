/* gpu_internal.h - what the files of src/gpu share. */
#ifndef STRATA_GPU_INTERNAL_H
#define STRATA_GPU_INTERNAL_H

#include <strata/gpu.h>

/* Whether some key lies below this path ("l1", "sm.latency"). */
bool gpu_is_section(const char *path);

/* The key or section name nearest to a misspelt path, or NULL if none is near. The result holds
 * until the next call in the same thread. */
const char *gpu_suggest(const char *path);

/* Text -> value. Each writes into the field of `key`, or returns false with the cause in `why`
 * (a clause such as `"x" is not a number`). */
bool gpu_store_scalar(struct strata_gpu *gpu, const struct strata_gpu_key *key, const char *text,
                      char *why, size_t why_size);
bool gpu_is_list(const struct strata_gpu_key *key);
void gpu_list_clear(struct strata_gpu *gpu, const struct strata_gpu_key *key);
/* One item of a list: a number, a range "a-b" or "a-b/step", or "value*times". */
bool gpu_list_append(struct strata_gpu *gpu, const struct strata_gpu_key *key, const char *text,
                     char *why, size_t why_size);
/* Whether the field holds what its key allows; if not, `why` says so. */
bool gpu_in_bounds(const struct strata_gpu *gpu, const struct strata_gpu_key *key, char *why,
                   size_t why_size);

/* Offset of a copy of `text` in gpu->notes (equal texts share one); false if there is no room. */
bool gpu_note(struct strata_gpu *gpu, const char *text, size_t length, uint16_t *offset);

/* Reads `text` over what `gpu` already holds; `depth` counts the files that led here by `extends`.
 * Does not check values against one another. */
strata_status gpu_read_text(const char *text, size_t length, const char *file, unsigned depth,
                            struct strata_gpu *gpu, struct strata_error *err);
/* The same for a file, which must be a regular one of at most GPU_FILE_LIMIT bytes. */
strata_status gpu_read_file(const char *path, unsigned depth, struct strata_gpu *gpu,
                            struct strata_error *err);
/* Where the base named by `extends` in `file` lies: beside that file, or in the search list. */
strata_status gpu_locate_base(const char *base, const char *file, char *path, size_t size,
                              struct strata_error *err);

/* Sets the defaults that follow from other keys, where no value was given. */
void gpu_follow(struct strata_gpu *gpu);

#define GPU_FILE_LIMIT    (1u << 20)
#define GPU_EXTENDS_LIMIT 8

#endif
