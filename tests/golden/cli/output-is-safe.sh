# A temporary file cannot be foretold and follows no link; a plain file is replaced wherever it lies.
$strata generate stencil2d nx=96 ny=16 -o t.strata -q
mkdir -p /dev/shm/strata-golden.$$ && cd /dev/shm/strata-golden.$$ || exit 1
echo old >out.json && ln out.json second-name
$strata predict "$OLDPWD/t.strata" --gpu h200 -m coalesce -f json -q -o out.json
cat second-name
ls
cd "$OLDPWD" && rm -r /dev/shm/strata-golden.$$
$strata predict t.strata --gpu h200 -m coalesce -f json -q -o /dev/stdout >redirected && head -c 1 redirected && echo
