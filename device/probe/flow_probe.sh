#!/bin/bash
# Builds and runs the probes on a machine with an H200 and Nsight Compute; results go to $1.
set -u
out=${1:?usage: flow_probe.sh OUTPUT-FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
nvcc -O3 -arch=sm_90 -w "$here/flow_probe.cu" -o /tmp/flow_probe || exit 1
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,ecc.mode.current --format=csv >"$out/card.csv"
metrics=gpu__time_duration.sum,sm__cycles_elapsed.max,sm__cycles_active.avg,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum,l1tex__m_xbar2l1tex_read_sectors.sum,l1tex__m_l1tex2xbar_write_sectors.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum,lts__t_sectors_srcunit_tex_op_write.sum,lts__t_sectors_op_write.sum,lts__t_sectors_srcunit_ltcfabric.sum,lts__t_sectors_srcunit_ltcfabric_op_read.sum,dram__sectors_read.sum,dram__sectors_write.sum,lts__t_requests_srcunit_tex.sum,lts__t_sectors_op_atom.sum,lts__t_sectors_op_red.sum
timeout 100 /tmp/flow_probe l1 l2latency instructions >"$out/timed.txt" 2>&1
echo "timed rc $?"
for g in ${GROUPS_WANTED:-launch store sweep atomics bandwidth l2cap merge instructions}; do
    start=$(date +%s)
    timeout 150 ncu --clock-control none --cache-control all --csv --page raw --print-units base --metrics $metrics /tmp/flow_probe $g >"$out/ncu_$g.txt" 2>&1
    echo "$g rc $? $(($(date +%s) - start)) s $(grep -c '^"' "$out/ncu_$g.txt") rows"
done
cd "$out" && tar cJf probe.tar.xz *.txt card.csv && rm -f *.txt
