# paper_rows.sh - what the scripts bench/paper-00N.sh share; read with `.`, not run.
#
# Each of them prints rows of bench/results/papers.csv, from which scripts/papers writes docs/papers.md:
#   paper,item,what,unit,published,ours,value,low,high,command,reason
# low and high bound the value (that of $value if it is set, else ours) and may be empty; a low of =WORD asks for that word. The reason tells a difference, or what a row without a figure rests on.
# usage: paper-00N.sh [--small] BUILD      --small: only what takes seconds (make check)
small=
[ "$1" = --small ] && { small=1; shift; }
build=${1:-build}
src=$(cd "$(dirname "$0")/.." && pwd)
case $build in /*) ;; *) build=$PWD/$build ;; esac
strata=$build/tools/strata
export STRATA_SOURCE="$src"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

quoted() { # WORD: as a field of a CSV file
    printf '"%s"' "$(printf '%s' "$1" | sed 's/"/""/g')"
}
row() { # ITEM WHAT UNIT PUBLISHED OURS LOW HIGH COMMAND REASON
    printf '%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n' "$paper" "$(quoted "$1")" "$(quoted "$2")" "$(quoted "$3")" "$(quoted "$4")" \
        "$(quoted "$5")" "$(quoted "${value:-$5}")" "$(quoted "$6")" "$7" "$(quoted "$8")" "$(quoted "$9")"
}
predict() { # OUT ARGUMENTS...: long form, program,trace,id,kernel,metric,unit,value,model,gpu
    to=$1
    shift
    "$strata" predict "$@" -q --format csv -o "$to" || exit 1
}
metric() { # FILE METRIC: of the first launch
    awk -F, -v m="$2" '$5 == m { print $7; exit }' "$1"
}
errors() { # PREDICTION MEASURED: metric, mean error, Pearson's correlation, a line each
    "$strata" correlate --measured "$2" "$1" -q --format csv |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print $at["metric"], ($at["error_unit"] == "points" ? $at["mean_absolute"] : $at["mean_relative_pct"]), $at["pearson"] }'
}
digits() { # VALUE DIGITS
    awk -v x="$1" -v d="$2" 'BEGIN { if (x == "") exit; printf "%.*f", d, x }'
}
divide() { # A B DIGITS
    awk -v a="$1" -v b="$2" -v d="$3" 'BEGIN { if (a == "" || b == "") exit; if (b + 0 == 0) { print "inf"; exit } printf "%.*f", d, a / b }'
}
fact() { # FILE NAME: an answer of `strata dissect --format csv`
    python3 -c 'import csv, sys
print(next((r["value"] for r in csv.DictReader(open(sys.argv[1])) if r["what"] == sys.argv[2] and r["known"] == "1"), ""))' "$1" "$2"
}
