/* What can be asked and set about a kernel; occupancy. */
#include "check.h"

int main(void)
{
    CUmodule m, origin;
    int value, grid, block;
    size_t bytes, offset;
    const char *name;
    start();
    MUST(cuModuleLoadData(&m, ptx));
    CUfunction f = kernel(m, "axpb"), g = kernel(m, "shared_sum"), h = kernel(m, "nothing");
    SAY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    SHOW(value);
    SAY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, h));
    SHOW(value);
    SAY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, g));
    SHOW(value);
    SAY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, f));
    SHOW(value);
    SAY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
    SHOW(value);
    SAY(cuFuncGetAttribute(&value, (CUfunction_attribute)999, f));
    SAY(cuFuncSetAttribute(g, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    SAY(cuFuncSetAttribute(g, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000000));
    SAY(cuFuncSetAttribute(g, CU_FUNC_ATTRIBUTE_NUM_REGS, 10));
    SAY(cuFuncGetName(&name, f));
    printf("name = %s\n", name);
    SAY(cuFuncGetModule(&origin, f));
    SHOW(origin == m);
    SAY(cuFuncGetParamInfo(f, 3, &offset, &bytes));
    SHOW(offset);
    SAY(cuFuncGetParamInfo(f, 9, &offset, &bytes));
    SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 256, 0));
    SHOW(value);
    SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, g, 32, 100000));
    SHOW(value);
    SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 0, 0));
    SAY(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
    SHOW(block);
    SAY(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1));
    return 0;
}
