# A fence that other blocks can tell waits for the copy that its SM has under way, one within the block does not.
sed "s/mbarrier.try_wait.parity.*/FENCE/; /AGAIN/d; s/FENCE/fence.acq_rel.SCOPE;/" "$data/ptx/bulk_load.ptx" >fence.ptx
for scope in cta cluster gpu; do
    sed "s/SCOPE/$scope/" fence.ptx >$scope.ptx
    sed "/cp.async.bulk/d" $scope.ptx >$scope-alone.ptx
    for kind in $scope $scope-alone; do
        "$strata" trace -q -o $kind.strata --ptx $kind.ptx --kernel copy --grid 1 --block 32 --arg buffer:512 --arg buffer:512
        "$strata" predict -q $kind.strata --gpu h200 -f csv | sed -n "s/.*sm__cycles_elapsed.max,cycle,/$kind /p" | cut -d, -f1
    done
done
