for model in flow reuse; do
    for setting in "l2.line=256 --set l2.fetch=256" "l2.partitions=16 --set dram.channels=8"; do
        # shellcheck disable=SC2086
        "$strata" predict "$data/rod_lud.strata" --gpu h200 --model $model --set $setting
        echo "exit $?"
    done
done
