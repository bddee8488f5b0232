# What the reader of a trace warns of stands once in a launch's JSON, whatever the model.
mkdir prog; head -c 900 "$data"/traces/strided/kernel-1.traceg >prog/cut.traceg
for model in coalesce reuse interval flow sim; do
    printf '%s ' $model
    "$strata" predict prog/cut.traceg --gpu h200 --model $model -f json | grep -o "the trace has 1 of the grid's 2 thread blocks" | wc -l
done
