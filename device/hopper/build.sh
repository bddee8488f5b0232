#!/bin/sh
# Builds the programs of this folder for an H200 with nvcc: build.sh OUT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?name a folder for the programs}
mkdir -p "$out"
python3 "$here/wgmma.py" >"$out/wgmma.h"
for name in gemm attention copy rates cluster traffic turns clock merge drift small_forms ends pieces; do
    "${NVCC:-nvcc}" -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -gencode arch=compute_90a,code=compute_90a \
        -cudart shared -I"$out" -o "$out/$name" "$here/$name.cu" 2>"$out/$name.log" &
done
wait
for name in gemm attention copy rates cluster traffic turns clock merge drift small_forms ends pieces; do
    [ -x "$out/$name" ] || { cat "$out/$name.log"; exit 1; }
done
