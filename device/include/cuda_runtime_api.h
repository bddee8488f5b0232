/* cuda_runtime_api.h - stands in for NVIDIA's header of this name; everything is in cuda_runtime.h.
 */
#include <cuda_runtime.h>
