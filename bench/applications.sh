#!/bin/sh
# Whole programs: traces the programs of device/applications and predicts them, for scripts/applications.
#   sh bench/applications.sh BUILD OUT      needs nvcc; some 20 minutes of one core, chain 3584 half of it
# OUT/predicted is for `scripts/applications --predicted`, OUT/chain for `--chain`.
build=${1:?usage: bench/applications.sh BUILD OUT}
out=${2:?usage: bench/applications.sh BUILD OUT}
src=$(cd "$(dirname "$0")/.." && pwd)
strata=$build/tools/strata
mkdir -p "$out/predicted" "$out/chain" "$out/programs"
command -v nvcc >/dev/null || { echo "skipped: nvcc is not installed"; exit 0; }

traced() { # TRACE PROGRAM ARGUMENT...
    [ -s "$out/$1.strata" ] && return
    [ -x "$out/programs/$2" ] || nvcc -O3 -std=c++17 -arch=sm_90 -o "$out/programs/$2" "$src/device/applications/$2.cu" || exit 1
    trace=$1 program=$2
    shift 2
    "$strata" trace -q -o "$out/$trace.strata" -- "$out/programs/$program" "$@" || exit 1
}
timeline() { # FILE TRACE OPTION...
    file=$1 trace=$2
    shift 2
    "$strata" timeline "$out/$trace.strata" --gpu h200 -q -o "$out/$file" "$@" || exit 1
}
many() { # PROGRAM SIZE STEPS [ROUNDS]: hundreds of small launches, all of them and samples
    program=$1
    traced "many_$program" "$@"
    for caches in none all; do
        share=2%
        [ $caches = all ] && share=1%
        timeline "predicted/many_$program-$caches-full.json" "many_$program" -f json --cache-control $caches
        timeline "predicted/many_$program-$caches-sample.json" "many_$program" -f json --cache-control $caches --sample $share
    done
}

for p in bitonic bodies butterfly copies gradient heat layers pairs pyramid radix rank waves; do
    traced $p $p
    timeline predicted/$p.json $p -f perfetto
done
many bodies 256 80
many copies 16384 80
many gradient 64 80
many heat 96 750
many layers 32 75
many pyramid 128 3 120
many radix 8192 160
many rank 4096 80
many volume 32 125
many waves 128 200
many bitonic 16384 4 12
many butterfly 12 24
many pairs 16384 60
many eliminate 160 1
many frontier 8192 24
many tiles 8 40
many diagonals 512
many table 16384 20
many walkers 4096 2
for width in 1024 3584; do
    traced chain$width chain $width 2
    for caches in none all; do
        timeline chain/chain$width-$caches.json chain$width -f perfetto --cache-control $caches
    done
done
