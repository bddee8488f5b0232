# Lanes that add and multiply, counted by every model that runs instructions: exact, predicates included.
"$strata" trace -q --ptx "$data/ptx/flops.ptx" --grid 1 --block 64 --arg buffer:256 -o flops.strata
for model in flow sim reuse; do
    "$strata" predict flops.strata --gpu h200 --model $model -q -f csv |
        awk -F, '$5 ~ /sass_thread|strata__flop/ { print $5, $7 }' >$model
    cmp flow $model && echo "$model counts the same"
done
cat flow
