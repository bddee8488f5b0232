#!/bin/sh
# Errors of the interval model's variants, memory-divergent launches apart from the others.
# Arguments: the output of `bench_interval table` and a CSV file with the cycles they should be: the
# profiler's (a column sm__cycles_elapsed.max), that of `strata predict --format csv`, or that of `strata sweep
# --each-launch --format csv`.
# An IPC error is |reference cycles / predicted cycles - 1|, as paper 001 counts it. The factor is GPUMech's
# error by that of the variant.
awk -F, '
function mean_line(name, what, group,   v, sum, n, i) {
    printf "%-16s %-7s", name, what
    for (v = 4; v <= n_columns; v++) {
        sum = n = 0
        for (i = 1; i <= n_rows; i++)
            if (group == "" || divergent[i] == group) { sum += error[i, v, what]; n++ }
        mean[what, group, v] = n ? sum / n : 0
        printf " %10.1f", mean[what, group, v]
    }
    printf "   n = %d\n", n
}
function factor_line(what,   v) {
    printf "%-16s %-7s", "  gpumech by it", what
    for (v = 4; v <= n_columns; v++)
        printf " %10.1f", (mean[what, "1", v] > 0 ? mean[what, "1", first] / mean[what, "1", v] : 0)
    printf "   divergent\n"
}
function abs(x) { return x < 0 ? -x : x }
FNR == 1 { file++; delete column; for (i = 1; i <= NF; i++) column[$i] = i
           if (file == 2) { n_columns = NF; first = ("gpumech" in column) ? column["gpumech"] : 0
                            printf "%-24s", "mean error in %"; for (i = 4; i <= NF; i++) printf " %10s", $i; print "" }
           next }
file == 1 && ("metric" in column) { if ($column["metric"] == "sm__cycles_elapsed.max") cycles[$column["program"], $column["trace"]] = $column["value"]; next }
file == 1 { cycles[$column["program"], $column["trace"]] = $column["sm__cycles_elapsed.max"]; next }
($1, $2) in cycles {
    n_rows++; divergent[n_rows] = $3
    for (v = 4; v <= NF; v++) {
        error[n_rows, v, "cycles"] = 100 * abs($v / cycles[$1, $2] - 1)
        error[n_rows, v, "IPC"] = 100 * abs(cycles[$1, $2] / $v - 1)
    }
}
END {
    mean_line("all", "cycles", ""); mean_line("divergent", "cycles", "1"); mean_line("not divergent", "cycles", "0")
    mean_line("all", "IPC", ""); mean_line("divergent", "IPC", "1"); mean_line("not divergent", "IPC", "0")
    if (first) { factor_line("IPC"); factor_line("cycles") }
}' "$2" "$1"
