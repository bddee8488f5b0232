/* ptx_builtin.c - functions kernels call that are not PTX: vprintf, malloc, free, __assertfail,
 * launches of kernels. */
#include <string.h>

#include "base/bits.h"
#include "emulator/device_calls.h"
#include "ptx/handlers.h"
#include "ptx/module.h"

/* Launches inside kernels have two generations of names; what they do is the same, as nothing waits
 * for a launched kernel here. */
static const char *const builtins[] = {
    "vprintf",
    "malloc",
    "free",
    "__assertfail",
    "__nvvm_reflect",
    "cudaGetParameterBufferV2",
    "cudaLaunchDeviceV2",
    "cudaStreamCreateWithFlags",
    "cudaStreamDestroy",
    "cudaGetLastError",
    "cudaPeekAtLastError",
};
#define SECOND_GENERATION "__cudaCDP2"

const char *ptx_builtin(const char *name)
{
    size_t prefix = strlen(SECOND_GENERATION);
    bool second = !strncmp(name, SECOND_GENERATION, prefix);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (second ? !strncmp(builtins[i], "cuda", 4) && !strcmp(name + prefix, builtins[i] + 4)
                   : !strcmp(name, builtins[i]))
            return builtins[i];
    return NULL;
}

bool ptx_builtin_allocates(const char *builtin)
{
    return !strcmp(builtin, "malloc") || !strcmp(builtin, "free") ||
           !strcmp(builtin, "cudaGetParameterBufferV2") || !strcmp(builtin, "cudaLaunchDeviceV2");
}

bool ptx_builtin_is_driver(const char *builtin)
{
    return !strcmp(builtin, "vprintf") || !strcmp(builtin, "malloc") || !strcmp(builtin, "free");
}

/* ---- arguments ---- */

/* The bytes of an argument of one lane. */
static void *argument_bytes(struct ptx_warp *w, const struct ptx_call *call, unsigned i,
                            unsigned lane)
{
    return w->base.local + (size_t)lane * w->base.local_stride + w->frame->local_base +
           call->args[i].from;
}

static uint64_t argument(struct ptx_warp *w, const struct ptx_call *call, unsigned i, unsigned lane)
{
    uint64_t value = 0;
    if (i >= call->n_args)
        return 0;
    uint32_t bytes = call->args[i].bytes < 8 ? call->args[i].bytes : 8;
    memcpy(&value, argument_bytes(w, call, i, lane), bytes);
    return value;
}

static struct strata_dim3 dim3_argument(struct ptx_warp *w, const struct ptx_call *call, unsigned i,
                                        unsigned lane)
{
    struct strata_dim3 value = {1, 1, 1};
    if (i < call->n_args && call->args[i].bytes == sizeof value)
        memcpy(&value, argument_bytes(w, call, i, lane), sizeof value);
    return value;
}

static void set_result(struct ptx_warp *w, const struct ptx_call *call, unsigned lane,
                       uint64_t value)
{
    if (!call->n_results)
        return;
    uint32_t bytes = call->results[0].bytes < 8 ? call->results[0].bytes : 8;
    memcpy(w->base.local + (size_t)lane * w->base.local_stride + w->frame->local_base +
               call->results[0].to,
           &value, bytes);
}

/* ---- launches ---- */

/* The entry behind a code address; NULL if it is none. */
static const struct strata_entry *entry_at(struct ptx_warp *w, uint64_t address)
{
    const struct ptx_module *m = (const struct ptx_module *)w->base.block->run->module;
    uint64_t id = (address - STRATA_CODE_WINDOW) / 16;
    if (address < STRATA_CODE_WINDOW || id >= m->n_functions || !m->functions[id]->is_entry)
        return NULL;
    return strata_module_entry_find(&m->base, m->ast.names.text[m->functions[id]->name]);
}

static bool prepare_launch(struct ptx_warp *w, const struct ptx_inst *in, unsigned lane)
{
    const struct ptx_call *call = in->extra;
    uint64_t address = argument(w, call, 0, lane);
    const struct strata_entry *entry = entry_at(w, address);
    if (!entry) {
        emu_fail(&w->base, &in->site, lane, STRATA_EFORMAT,
                 "it launches 0x%llx, which is no kernel", (unsigned long long)address);
        return false;
    }
    set_result(w, call, lane,
               emu_child_prepare(&w->base, entry, dim3_argument(w, call, 1, lane),
                                 dim3_argument(w, call, 2, lane),
                                 (uint32_t)argument(w, call, 3, lane)));
    return true;
}

/* Streams order nothing here: children run in the order they were launched. */
static void create_stream(struct ptx_warp *w, const struct ptx_call *call, unsigned lane)
{
    uint64_t left = 0, stream = 1;
    uint8_t *at = emu_generic_pointer(&w->base, lane, argument(w, call, 0, lane), &left);
    if (at && left >= sizeof stream)
        memcpy(at, &stream, sizeof stream);
    set_result(w, call, lane, 0);
}

static bool run_launch_builtin(struct ptx_warp *w, const struct ptx_inst *in, unsigned lane)
{
    const struct ptx_call *call = in->extra;
    if (!strcmp(call->builtin, "cudaGetParameterBufferV2"))
        return prepare_launch(w, in, lane);
    set_result(w, call, lane, 0);
    if (!strcmp(call->builtin, "cudaLaunchDeviceV2"))
        return emu_child_launch(&w->base, &in->site, lane, argument(w, call, 0, lane));
    if (!strcmp(call->builtin, "cudaStreamCreateWithFlags"))
        create_stream(w, call, lane);
    return true;
}

void ptx_run_builtin(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_call *call = in->extra;
    struct emu_warp *base = &w->base;
    struct emu_printed printed = {0};
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t first = argument(w, call, 0, lane), second = argument(w, call, 1, lane);
        if (!strcmp(call->builtin, "vprintf")) {
            if (!emu_print(base, lane, first, second, &printed)) {
                emu_no_memory(base, &in->site, lane, "for printf");
                return;
            }
            set_result(w, call, lane, printed.arguments);
        } else if (!strcmp(call->builtin, "malloc")) {
            set_result(w, call, lane, emu_device_malloc(base, first));
        } else if (!strcmp(call->builtin, "free")) {
            emu_device_free(base, first);
        } else if (!strcmp(call->builtin, "__assertfail")) {
            emu_assert_failed(base, &in->site, lane, first, second,
                              (uint32_t)argument(w, call, 2, lane), argument(w, call, 3, lane));
            return;
        } else if (!run_launch_builtin(w, in, lane)) {
            return;
        }
    }
    if (!strcmp(call->builtin, "vprintf"))
        emu_call_print(base, &in->site, mask, &printed);
    else if (!strcmp(call->builtin, "malloc"))
        emu_call_malloc(base, &in->site, mask);
    else if (!strcmp(call->builtin, "free"))
        emu_call_free(base, &in->site, mask);
}
