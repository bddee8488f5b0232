for setting in "l2.line=256 --set l2.fetch=256" dram.banks=128 "l2.partitions=16 --set dram.channels=8"; do
    # shellcheck disable=SC2086
    "$strata" predict "$data"/traces/strided --gpu titanv-new --model sim -q --set $setting
    echo "exit $?"
done
