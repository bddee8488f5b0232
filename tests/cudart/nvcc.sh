# nvcc.sh - read by run.sh: what only nvcc can build, and its many ways of building.

# options NAME FILE FLAGS...: the same program built differently
options() {
    name=$1 file=$2
    shift 2
    build "$name" "$here/$file" "$@" 2>"$name.nvcc" && run "$name" || { fail "$name ($*)"; cat "$name.nvcc"; }
}
options launch_ptx launch.cu -gencode arch=compute_75,code=compute_75
options launch_90 launch.cu -arch=sm_90
options launch_lines launch.cu -lineinfo -O3
options memory_lz4 memory.cu -compress-mode=speed
options streams_ptsz streams.cu --default-stream per-thread
options warp_debug warp.cu -G
options launch_legacy launch.cu -D__NV_LEGACY_LAUNCH -Xcompiler -D__NV_LEGACY_LAUNCH
options managed managed.cu

build separate -rdc=true "$here/separate_a.cu" "$here/separate_b.cu" && run separate || fail "separate"
build units_rdc -rdc=true "$here/memory.cu" && run units_rdc || fail "memory with -rdc=true"

build nested -rdc=true "$here/nested.cu" -lcudadevrt && expect nested 4 "dynamic parallelism" -- ./nested
nvcc -o static_cudart "$here/launch.cu" && expect static_cudart 4 "nvcc -cudart shared" -- ./static_cudart
build cubin_only -gencode arch=compute_80,code=sm_80 "$here/launch.cu" &&
    expect cubin_only 4 "code=compute_80" -- ./cubin_only
cc -o no_cuda "$here/no_cuda.c" && expect no_cuda 4 "not a CUDA program" -- ./no_cuda

# registers from the cubin, unless --regs says otherwise
"$strata" info launch_90.1.strata >regs.out 2>&1
has regs.out "registers (cubin)"
"$strata" trace -q --regs 40 -o regs.strata -- ./launch_90 >/dev/null
"$strata" info regs.strata >regs.out 2>&1
has regs.out "40 registers (user)"
