/* builtin.c - functions kernels call that are not PTX: vprintf, malloc, free, __assertfail. */
#include <string.h>

#include "base/bits.h"
#include "ptx/handlers.h"
#include "ptx/module.h"

static const char *const builtins[] = {"vprintf", "malloc", "free", "__assertfail",
                                       "__nvvm_reflect"};

const char *ptx_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (!strcmp(name, builtins[i]))
            return builtins[i];
    return NULL;
}

/* ---- arguments ---- */

static uint64_t argument(struct ptx_warp *w, const struct ptx_call *call, unsigned i, unsigned lane)
{
    uint64_t value = 0;
    if (i >= call->n_args)
        return 0;
    uint32_t bytes = call->args[i].bytes < 8 ? call->args[i].bytes : 8;
    memcpy(&value,
           w->base.local + (size_t)lane * w->base.local_stride + w->frame->local_base +
               call->args[i].from,
           bytes);
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

void ptx_run_builtin(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_call *call = in->extra;
    struct emu_warp *base = &w->base;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        uint64_t first = argument(w, call, 0, lane), second = argument(w, call, 1, lane);
        if (!strcmp(call->builtin, "vprintf")) {
            int printed = 0;
            if (!emu_print(base, lane, first, second, &printed)) {
                emu_fail(base, &in->site, lane, STRATA_ENOMEM, "out of memory for printf");
                return;
            }
            set_result(w, call, lane, (uint64_t)printed);
        } else if (!strcmp(call->builtin, "malloc")) {
            set_result(w, call, lane, emu_device_malloc(base, first));
        } else if (!strcmp(call->builtin, "free")) {
            emu_device_free(base, first);
        } else if (!strcmp(call->builtin, "__assertfail")) {
            emu_assert_failed(base, &in->site, lane, first, second,
                              (uint32_t)argument(w, call, 2, lane), argument(w, call, 3, lane));
            return;
        } else {
            set_result(w, call, lane, 0);
        }
    }
}
