#!/bin/sh
# Accel-Sim text -> native -> Accel-Sim text -> native: is every record the same at each step?
# usage: roundtrip.sh STRATA TRACE_COMPARE FOLDER...   (each folder has a kernelslist.g)
strata=$1 compare=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
for folder in "$@"; do
    name=$(basename "$folder")
    mkdir -p "$scratch/text"
    "$strata" convert -q "$folder" "$scratch/1.strata" &&
        "$strata" convert -q --level 1 "$scratch/1.strata" "$scratch/text/$name" &&
        "$strata" convert -q "$scratch/text/$name" "$scratch/2.strata" &&
        printf '%s: ' "$name" &&
        "$compare" "$folder" "$scratch/1.strata" >/dev/null &&
        "$compare" "$folder" "$scratch/text/$name" >/dev/null &&
        "$compare" "$folder" "$scratch/2.strata" &&
        cmp "$scratch/1.strata" "$scratch/2.strata" || { echo "FAILED $name"; failed=1; }
    rm -rf "$scratch/text" "$scratch"/*.strata
done
exit $failed
