# A temporary file cannot be foretold and follows no link; a plain file is replaced wherever it lies.
$strata generate stencil2d nx=96 ny=16 -o t.strata -q
shm=/dev/shm/strata-golden.$$
mkdir -p $shm && echo old >$shm/out.json && ln $shm/out.json $shm/second-name
$strata predict t.strata --gpu h200 -m coalesce -f json -q -o $shm/out.json
cat $shm/second-name
ls $shm
rm -r $shm
$strata predict t.strata --gpu h200 -m coalesce -f json -q -o /dev/stdout >redirected && head -c 1 redirected && echo
echo mine >victim
# the shell's number is that of the command which takes its place
sh -c 'for n in out.json.tmp.$$ out.json.$$.part; do ln -s victim $n; done
    exec $strata predict t.strata --gpu h200 -m coalesce -f json -q -o out.json'
sh -c 'for n in out.strata.tmp.$$ out.strata.$$.part; do ln -s victim $n; done; exec $strata convert t.strata out.strata -q'
cat victim
