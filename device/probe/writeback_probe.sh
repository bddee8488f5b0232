#!/bin/bash
# Builds writeback_probe.cu and runs it under Nsight Compute; the table goes to $1/writeback.csv.
set -u
out=${1:?usage: writeback_probe.sh OUTPUT-FOLDER [parts]}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
nvcc -O3 -arch=sm_90 -w "$here/writeback_probe.cu" -o /tmp/writeback_probe || exit 1
metrics=sm__cycles_elapsed.max,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,l1tex__m_xbar2l1tex_read_sectors.sum,l1tex__m_l1tex2xbar_write_sectors.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum,lts__t_sectors_srcunit_tex_op_write.sum,lts__t_sectors_op_write.sum,lts__t_sectors_srcunit_ltcfabric.sum,dram__sectors_read.sum,dram__sectors_write.sum
timeout 250 ncu --clock-control none --cache-control all --csv --page raw --print-units base --metrics $metrics /tmp/writeback_probe ${2:-} >"$out/writeback.csv" 2>&1
echo "writeback rc $? $(grep -c '^"' "$out/writeback.csv") rows"
