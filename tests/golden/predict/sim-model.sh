"$strata" generate stream elements=4096 -q -o t.strata
"$strata" predict t.strata --gpu h200 --model sim -q -j 1 --format csv -o one.csv
"$strata" predict t.strata --gpu h200 --model sim -q -j 2 --format csv -o two.csv
cmp one.csv two.csv && echo the same for one and two threads
grep -E ',(l1tex__t_(requests|sectors)_pipe_lsu_mem_global_op_(ld|st)|dram__sectors_read|smsp__inst_executed)\.sum,' one.csv | cut -d, -f5-7
