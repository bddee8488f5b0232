/* cooperative_groups/reduce.h - stands in for NVIDIA's header of this name; it is all in
 * cooperative_groups.h. */
#include <cooperative_groups.h>
