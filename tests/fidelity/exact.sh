#!/bin/sh
# What the model `coalesce` counts has to equal the profiler's counters on every measured launch, save
# the differences that exact.expected lists with their reasons. Needs ../shared/truth/h200.
strata=$1
case $strata in /*) ;; *) strata=$PWD/$strata ;; esac
src=${STRATA_SOURCE:-.}
truth=$src/../shared/truth/h200
[ -f "$truth/counters.csv" ] || { echo "skipped: there is no $truth"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$strata" predict "$truth" --gpu h200 --model coalesce -j 2 -q --format csv -o "$scratch/prediction.csv" || exit 1
# Counters that are counts; the waves are rounded to two digits in the table, so they are rounded here.
awk -F, '
    FNR == 1 { file++ }
    file == 1 && FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
    file == 1 { for (i = 8; i <= NF; i++) measured[$1 "/" $3 " " name[i]] = $i; next }
    FNR == 1 { next }
    {
        key = $1 "/" $2 " " $5
        if (!(key in measured) || measured[key] == "" || measured[key] == "n/a") next
        value = $5 == "launch__waves_per_multiprocessor" ? sprintf("%.2f", $7) : $7
        n++
        if (value + 0 != measured[key] + 0) print key, value, measured[key]
    }
    END { print n " values compared" }
' "$truth/counters.csv" "$scratch/prediction.csv" | sort >"$scratch/found"
grep -v '^#' "$src/tests/fidelity/exact.expected" >"$scratch/expected"
diff -u "$scratch/expected" "$scratch/found"
