# A crossbar with less of a limit is not slower, where misses reserve no lines of the L1. Where they do the order in which
# loads come back decides which miss holds up the rest, and less of a limit can cost time (docs/flow-open.md).
$strata generate stencil2d nx=512 ny=128 -q -o stencil.strata
$strata generate gather elements=16384 table=65536 -q -o gather.strata
cycles() {
    $strata predict "$1.strata" --gpu gtx470 --set xbar.response_bytes_per_cycle="$2" --set "l1.mshrs=$3" -q -f csv |
        awk -F, '$5 == "sm__cycles_elapsed.max" { print $7 }'
}
for kernel in stencil gather; do
    last=0 order="each at least the one before"
    for bytes in 0 128 64 32 16; do
        now=$(cycles $kernel $bytes 0)
        [ "$now" -ge "$last" ] || order="$now after $last at $bytes bytes a cycle"
        last=$now
    done
    echo "$kernel: $order; $([ "$last" -gt "$(cycles $kernel 0 0)" ] && echo "the limit is felt")"
done
