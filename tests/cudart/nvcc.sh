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

build volume "$here/volume.cu" && run volume || fail "volume"
build nested -rdc=true "$here/nested.cu" -lcudadevrt && run nested || fail "nested"
# nvcc's default, the runtime inside the program: the same trace as with the shared one. A kernel of `memory`
# works on the program's own heap (cudaHostRegister), which lies elsewhere in a larger program.
for program in memory launch streams texture warp modern; do
    mkdir -p static && nvcc -Wno-deprecated-gpu-targets -o static/$program "$here/$program.cu" &&
        "$strata" trace -q -j 1 -o $program.s.strata -- static/$program >$program.s.out 2>$program.s.err ||
        { fail "static $program"; cat $program.s.out $program.s.err; }
    [ $program = memory ] || cmp -s $program.1.strata $program.s.strata && pass || fail "static $program: another trace"
done
strip -o stripped static/launch && expect stripped 4 "symbols were stripped" -- ./stripped
nvcc -shared -Xcompiler -fPIC -Wno-deprecated-gpu-targets -o libplugin.so "$here/plugin.cu" &&
    cc -o host "$here/plugin_host.c" -ldl && run host "$PWD/libplugin.so" || fail "a library with the runtime inside"
build cubin_only -gencode arch=compute_80,code=sm_80 "$here/launch.cu" &&
    expect cubin_only 4 "code=compute_80" -- ./cubin_only
cc -o no_cuda "$here/no_cuda.c" && expect no_cuda 0 "did not use CUDA, so nothing was traced" -- ./no_cuda

# registers from the cubin, unless --regs says otherwise
"$strata" info launch_90.1.strata >regs.out 2>&1
has regs.out "registers (cubin)"
"$strata" trace -q --regs 40 -o regs.strata -- ./launch_90 >/dev/null
"$strata" info regs.strata >regs.out 2>&1
has regs.out "40 registers (user)"
