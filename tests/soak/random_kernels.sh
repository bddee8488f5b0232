#!/bin/sh
# Random kernels as PTX and as the machine code ptxas makes of them: both must leave the same memory.
#
#   random_kernels.sh [BUILD [FIRST [COUNT [sm_NN ...]]]]        (10000 kernels, sm_80 and sm_90 in turn)
#
# Needs ptxas, which is given BATCH kernels (20) at a time, at LEVEL (3). JOBS run side by side; the kernels that differ are kept in a
# folder that the last line names. A kernel that differs is compiled again without optimisation: where that code leaves what the PTX leaves,
# it is the optimiser that changed the program, and the line says so; those do not make this fail.
build=${1:-build} first=${2:-1} count=${3:-10000}
[ $# -ge 3 ] && shift 3 || shift $#
archs=${*:-sm_80 sm_90}
here=$(cd "$(dirname "$0")" && pwd)
ptxas=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
[ -x "$ptxas" ] || { echo "skipped: there is no ptxas here"; exit 77; }
work=$(mktemp -d)
batch=${BATCH:-20} level=${LEVEL:-3}
export build here ptxas work batch level
one='
seed=$1 arch=$2 name=$work/$1.$2
python3 "$here/random_kernel.py" "$seed" sm_80 "$batch" >"$name.ptx" && "$ptxas" -O"$level" -arch="$arch" "$name.ptx" -o "$name.cubin" ||
    { echo "seeds from $seed, $arch: not compiled"; exit 0; }
# shellcheck disable=SC2046 # a list
"$build/tests/compare_code" "$name.ptx" "$name.cubin" $(seq -f "k%.0f" "$seed" $((seed + batch - 1))) >"$name.txt" 2>&1 && { rm "$name".*; exit 0; }
"$ptxas" -O0 -arch="$arch" "$name.ptx" -o "$name.plain.cubin"
while IFS= read -r line; do
    kernel=${line%%:*} why=
    [ "$level" = 0 ] || ! "$build/tests/compare_code" "$name.ptx" "$name.plain.cubin" "$kernel" >/dev/null || why=" (the optimiser: equal without it)"
    echo "$arch, $line$why"
done <"$name.txt"
'
# shellcheck disable=SC2086 # a list
set -- $archs
i=0
while [ $((i * batch)) -lt "$count" ]; do
    k=$((i % $# + 1))
    eval "arch=\${$k}"
    echo "$((first + i * batch)) $arch"
    i=$((i + 1))
done | xargs -P "${JOBS:-2}" -n 2 sh -c "$one" sh >"$work/differ"
cat "$work/differ"
bad=$(wc -l <"$work/differ") optimised=$(grep -c "(the optimiser: " "$work/differ")
echo "$(((count + batch - 1) / batch * batch)) kernels, $bad differ, $optimised of them only as optimised$([ "$bad" = 0 ] || echo ", kept in $work")"
[ "$bad" = 0 ] && rm -r "$work"
[ "$bad" = "$optimised" ]
