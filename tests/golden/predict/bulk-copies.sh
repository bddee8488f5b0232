# reuse, flow and sim follow bulk copies, coalesce counts them; interval says that it does not
"$strata" trace -q -o bulk.strata --ptx "$data/ptx/bulk_load.ptx" --kernel copy --grid 4 --block 32 --arg buffer:4096 --arg buffer:4096
for model in coalesce reuse interval flow sim; do
    echo "$model"
    "$strata" predict bulk.strata --gpu h200 --model $model -f csv 2>told | grep -E "l1tex__m_xbar2l1tex_read_sectors.sum|dram__sectors_read.sum" | cut -d, -f5-
    grep "does not follow" told
done
true
