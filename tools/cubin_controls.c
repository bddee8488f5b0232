/* cubin_controls.c - control codes of machine code, from cubins, for traces that lack them. An
 * instruction of a trace is found by its kernel and pc; its opcode must be the same there. */
#include "cubin_controls.h"

#include <stdlib.h>
#include <string.h>

#define INSTRUCTION_BYTES 16

strata_status cubin_controls_open(struct cubin_controls *c, const struct option_list *paths,
                                  struct strata_error *err)
{
    *c = (struct cubin_controls){.path = paths};
    c->file = calloc(paths->n ? paths->n : 1, sizeof *c->file);
    if (!c->file)
        return strata_no_memory(err, NULL, "for the cubins");
    strata_status status = STRATA_OK;
    for (size_t i = 0; !status && i < paths->n; i++)
        status = strata_sass_open(paths->item[i], &c->file[i], err);
    return status;
}

void cubin_controls_close(struct cubin_controls *c)
{
    for (size_t i = 0; c->file && i < c->path->n; i++)
        strata_sass_close(c->file[i]);
    free(c->file);
    free(c->lines);
    *c = (struct cubin_controls){0};
}

/* How well code of `arch` fits a launch on `sm`: the same best, else the highest the card runs. */
static uint32_t fitness(uint32_t arch, uint32_t sm)
{
    if (arch == sm)
        return UINT32_MAX;
    return arch / 10 == sm / 10 && arch < sm ? arch : 0;
}

strata_status cubin_controls_launch(struct cubin_controls *c, struct strata_launch *launch,
                                    struct strata_error *err)
{
    const struct strata_sass_function *best = NULL;
    size_t best_file = 0, best_index = 0;
    uint32_t best_fitness = 0;
    free(c->lines);
    c->lines = NULL;
    c->n_lines = 0;
    c->n_launches++;
    if (launch->isa != STRATA_ISA_SASS)
        return STRATA_OK;
    for (size_t f = 0; f < c->path->n; f++)
        for (size_t i = 0; i < strata_sass_count(c->file[f]); i++) {
            const struct strata_sass_function *fn = strata_sass_get(c->file[f], i);
            uint32_t fit = fitness(fn->arch, launch->sm_version);
            if (fit > best_fitness && !strcmp(fn->name, launch->kernel)) {
                best = fn;
                best_fitness = fit;
                best_file = f;
                best_index = i;
            }
        }
    if (!best)
        return STRATA_OK;
    c->n_found++;
    c->n_lines = best->instructions;
    c->where = c->path->item[best_file];
    launch->code_arch = best->arch;
    launch->code_arch_suffix = best->arch_suffix;
    return strata_sass_listing(c->file[best_file], best_index, &c->lines, err);
}

/* Bytes of the mnemonic in a text: guard and modifiers left out. */
static const char *mnemonic(const char *text, size_t *n)
{
    if (*text == '@') {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    *n = strcspn(text, ". ");
    return text;
}

strata_status cubin_controls_of(void *context, const struct strata_launch *launch,
                                const struct strata_inst *inst, struct strata_control *out,
                                struct strata_error *err)
{
    const struct cubin_controls *c = context;
    uint64_t at = inst->pc / INSTRUCTION_BYTES;
    if (!c->lines)
        return STRATA_OK;
    size_t n_there = 0, n_here;
    const char *there = at < c->n_lines ? mnemonic(c->lines[at].text, &n_there) : "";
    const char *here = mnemonic(inst->opcode, &n_here);
    if (inst->pc % INSTRUCTION_BYTES || n_here != n_there || strncmp(here, there, n_here))
        return strata_fail(
            err, STRATA_EMISMATCH, c->where, 0, 0,
            "kernel %s is of another build than the trace: at pc 0x%llx the trace has "
            "\"%s\", the cubin \"%.*s\"; take the cubin of the binary that was traced.",
            launch->kernel, (unsigned long long)inst->pc, inst->opcode, (int)n_there, there);
    const struct strata_sass_line *l = &c->lines[at];
    *out = (struct strata_control){.known = 1,
                                   .stall = l->stall,
                                   .yield = l->yield,
                                   .write_barrier = l->write_barrier,
                                   .read_barrier = l->read_barrier,
                                   .wait_mask = l->wait_mask,
                                   .reuse = l->reuse};
    return STRATA_OK;
}

strata_status cubin_controls_check(const struct cubin_controls *c, struct strata_error *err)
{
    if (c->n_found)
        return STRATA_OK;
    return strata_fail(
        err, STRATA_EMISMATCH, c->path->item[0], 0, 0,
        "none of the trace's %zu launches has its kernel in it, for the architecture "
        "that the trace names; `strata sass` lists what there is.",
        c->n_launches);
}
