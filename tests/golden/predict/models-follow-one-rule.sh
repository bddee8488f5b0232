# Where the models once gave different answers for the same access: each row is one of them, by model.
head_of() {
    printf '%s\n' '-kernel name = k' '-kernel id = 1' '-grid dim = (1,1,1)' '-block dim = (32,1,1)' '-shmem = 4096' \
        '-nregs = 24' '-binary version = 90' '-cuda stream id = 0' '-shmem base_addr = 0x00007f0000000000' \
        '-local mem base_addr = 0x00007e0000000000' '-nvbit version = 1.7.7.1' '-accelsim tracer version = 3' \
        '#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]' \
        '#BEGIN_TB' 'thread block = 0,0,0' 'warp = 0'
}
trace() { # NAME INSTRUCTION...
    mkdir "$1"
    echo kernel-1.traceg >"$1/kernelslist.g"
    {
        head_of
        echo "insts = $#"
        shift
        pc=0
        for i; do
            printf '%04x ffffffff %s\n' $pc "$i"
            pc=$((pc + 16))
        done
        printf '%04x ffffffff 0 EXIT 0 0\n#END_TB\n' $pc
    } >"$name/kernel-1.traceg"
}
row() { # WORDS METRIC MODELS [OPTION...]
    words=$1 metric=$2 models=$3
    shift 3
    printf '%s:' "$words"
    for model in $models; do
        printf ' %s' "$model"
        "$strata" predict "$name" --gpu h200 --model "$model" -f csv "$@" >out 2>told &&
            awk -F, -v m="$metric" '$5 == m {printf " %s", $7}' out || printf ' refused'
    done
    echo
}
name=copies
trace $name '0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 0x7f1000000000 16' '0 LDGDEPBAR 0 0' '0 DEPBAR.LE 0 0'
row 'asynchronous copy past the L1, sectors' l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum 'coalesce reuse flow sim'
name=word
trace $name '0 STG.E 2 R6 R0 4 1 0x7f2000000000 0' '1 R0 LDG.E 1 R6 4 1 0x7f2000000004 0'
row 'neighbour of a word that 32 lanes wrote, bytes fetched' l1tex__m_xbar2l1tex_read_bytes.sum 'reuse flow sim'
name=walk
set --
for i in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do set -- "$@" "1 R$((0x$i + 10)) LDG.E 1 R2 4 1 0x7f10${i}0000000 4096"; done
trace $name "$@"
for n in 2 4 8; do row "$n partitions, sectors between them" lts__t_sectors_srcunit_ltcfabric.sum 'reuse flow' --set l2.partitions=$n; done
row 'partitions that the slices do not allow' lts__t_sectors_op_read.sum 'reuse flow' --set l2.partitions=7
name=fence
trace $name '0 STG.E 2 R6 R0 4 1 0x7f2000000000 4' '0 MEMBAR.SC.GPU 0 0' '0 STG.E 2 R6 R0 4 1 0x7f2000000000 4'
row 'a fence between two stores of a line, sectors written' lts__t_sectors_op_write.sum 'flow sim'
cat >red.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %a;
    ld.param.u64 %a, [p];
    red.global.add.u32 [%a], 1;
    ret;
}
END
name=red.strata
"$strata" trace -q -o $name --ptx red.ptx --kernel k --grid 1 --block 32 --arg buffer:4096
row 'reductions of all lanes to one word, bytes sent' l1tex__m_l1tex2xbar_write_bytes.sum 'reuse flow sim'
name=$data/rod_lud.strata
for hash in none xor ipoly; do row "channels by $hash, cycles" sm__cycles_elapsed.max flow --launch-count 1 --set l2.channel_hash=$hash; done
