#!/bin/sh
# Makes the trace fixtures of this folder from the H200 set (../shared/truth/h200), again if a
# format changes:   tests/data/make.sh build/tools/strata
#
#   h200.strata     45 of the 49 launches (without the four largest files), counters.csv their counters
#   rod_lud, rod_bfs, poly_GRAMSCHM, ml_sgemm   small ones of their own, for tests that want few launches
#   accelsim/rod_lud                            one launch as Accel-Sim text
set -eu
strata=$1
here=$(cd "$(dirname "$0")" && pwd)
truth=$(cd "$here/../../../shared/truth/h200" && pwd) || { echo "skipped: the H200 set is not here"; exit 77; }
left_out="l2_gather_16/kernel-1 l2_hist_4/kernel-1 rod_srad2/kernel-1 rod_bfs/kernel-9"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for folder in "$truth"/*/; do
    name=$(basename "$folder")
    mkdir "$scratch/$name"
    ln -s "$folder"/*.xz "$scratch/$name"
    cp "$folder/kernelslist.g" "$scratch/$name"
done
for f in $left_out; do
    rm "$scratch/$f.traceg.xz"
    sed -i "/^${f##*/}.traceg/d" "$scratch/${f%/*}/kernelslist.g"
    grep -q ^kernel "$scratch/${f%/*}/kernelslist.g" || rm -r "$scratch/${f%/*}"
done
"$strata" convert -q --level 19 "$scratch" "$here/h200.strata"
for name in rod_lud poly_GRAMSCHM ml_sgemm; do
    "$strata" convert -q --level 19 "$truth/$name" "$here/$name.strata"
done
"$strata" convert -q --level 19 --launch-count 2 "$truth/rod_bfs" "$here/rod_bfs.strata"
# Rows of the counters whose trace is in h200.strata. The grid column has quoted commas, so the trace
# name is looked for as a field of its own.
head -1 "$truth/counters.csv" >"$here/counters.csv"
tail -n +2 "$truth/counters.csv" | while IFS= read -r row; do
    keep=1
    for f in $left_out; do
        case $row in "${f%/*},"*",${f##*/}.traceg.xz,"*) keep=0 ;; esac
    done
    [ $keep = 0 ] || printf '%s\n' "$row"
done >>"$here/counters.csv"
mkdir -p "$here/accelsim/rod_lud"
cp "$truth/rod_lud/kernel-1.traceg.xz" "$here/accelsim/rod_lud"
sed '/^kernel-[2-9]/d' "$truth/rod_lud/kernelslist.g" >"$here/accelsim/rod_lud/kernelslist.g"
ls -l "$here"/*.strata "$here/counters.csv"
