#!/bin/bash
# Builds writeback_probe.cu (PROBE: another that prints its launches so, dirty_probe) and runs it under Nsight Compute;
# the table goes to $1/PROBE.csv.
set -u
out=${1:?usage: [PROBE=dirty_probe] writeback_probe.sh OUTPUT-FOLDER [parts]}
here=$(cd "$(dirname "$0")" && pwd)
probe=${PROBE:-writeback_probe}
mkdir -p "$out"
nvcc -O3 -arch=sm_90 -w "$here/$probe.cu" -o "/tmp/$probe" || exit 1
metrics=sm__cycles_elapsed.max,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,l1tex__m_xbar2l1tex_read_sectors.sum,l1tex__m_l1tex2xbar_write_sectors.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum,lts__t_sectors_srcunit_tex_op_write.sum,lts__t_sectors_op_write.sum,lts__t_sectors_srcunit_ltcfabric.sum,dram__sectors_read.sum,dram__sectors_write.sum
timeout 250 ncu --clock-control none --cache-control all --csv --page raw --print-units base --metrics $metrics "/tmp/$probe" ${2:-} >"$out/$probe.csv" 2>&1
echo "$probe rc $? $(grep -c '^"' "$out/$probe.csv") rows"
