/* clang's intrinsics header includes this name; strata_cuda/device.h defines what it would. */
