#!/bin/sh
# Our header of the driver's interface against NVIDIA's, where that is installed: sizes of all types and
# values of all constants must agree.
here=$(cd "$(dirname "$0")" && pwd)
src=$(cd "$here/../.." && pwd)
theirs=${CUDA_INCLUDE:-/usr/local/cuda/include}
[ -f "$theirs/cuda.h" ] || { echo "skipped: there is no $theirs/cuda.h"; exit 77; }
grep -q "CUDA_VERSION 130" "$theirs/cuda.h" || { echo "skipped: NVIDIA's header is of another version"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
header=$src/device/include/strata_cuda/driver_types.h
{
    echo '#include <cuda.h>'
    echo '#include <stdio.h>'
    echo 'int main(void) {'
    tr '\n' ' ' <"$header" | grep -o '} *[A-Za-z0-9_]*;' | tr -d '}; ' | grep '^CU' | sort -u |
        sed 's/.*/printf("& %zu\\n", sizeof(&));/'
    tr '\n' ' ' <"$header" | grep -o 'enum [A-Za-z_]* {[^}]*}' | grep -o 'CU[A-Z0-9_a-z]* *\(=\|,\|}\)' |
        grep -o '^CU[A-Z0-9_a-z]*' | grep -v CU_LAUNCH_ATTRIBUTE_MAX | sort -u | sed 's/.*/printf("& %lld\\n", (long long)&);/'
    echo 'return 0; }'
} >"$work/a.c"
cc -w -I"$src/device/include" -o "$work/ours" "$work/a.c" && cc -w -I"$theirs" -o "$work/theirs" "$work/a.c" || exit 1
"$work/ours" >"$work/ours.txt"
"$work/theirs" >"$work/theirs.txt"
diff "$work/ours.txt" "$work/theirs.txt" && echo "$(wc -l <"$work/ours.txt") sizes and values agree"
