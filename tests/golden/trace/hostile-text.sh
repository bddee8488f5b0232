# Files that no tracer writes: each ends in a sentence or a warning, soon.
kernel() {
    printf -- '-kernel name = %b\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16\n' "$1"
    printf -- '-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n'
    printf -- '-nvbit version = 1\n-accelsim tracer version = 5\n\n#traces format = x\n\n'
}
block='#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0000 ffffffff 0 EXIT 0 0\n#END_TB\n'

echo "-- a name that a terminal would obey, and one that is not UTF-8"
mkdir escape && kernel 'a\033[31mred\377' >escape/kernel-1.traceg && printf "$block" >>escape/kernel-1.traceg
echo kernel-1.traceg >escape/kernelslist.g
$strata predict escape --gpu h200 -m coalesce -q 2>&1 | grep -c "$(printf '\033')"
$strata predict escape --gpu h200 -m coalesce --format json -q | python3 -c 'import json, sys; print(json.loads(sys.stdin.buffer.read().decode())["launches"][0]["kernel"])'
for command in info "reuse --gpu h200 -q" "hotspots --gpu h200 -q"; do
    for format in text csv json; do $strata $command escape -f $format; done >all.txt 2>&1
    python3 -c 'import sys; sys.stdin.buffer.read().decode()' <all.txt && echo "${command%% *}: UTF-8, $(grep -c "$(printf '\033')" all.txt) escapes"
done
$strata reuse escape --gpu h200 -f json -q -o reuse.json && $strata report reuse.json -q -o page.html && echo "report takes it"

echo "-- a NUL in a name"
mkdir nul && kernel 'a\000b' >nul/kernel-1.traceg && printf "$block" >>nul/kernel-1.traceg
echo kernel-1.traceg >nul/kernelslist.g
$strata info nul 2>&1

echo "-- a pipe in a list"
mkdir fifo && mkfifo fifo/kernel-1.traceg && echo kernel-1.traceg >fifo/kernelslist.g
timeout 10 $strata info fifo 2>&1

echo "-- entries that are no kernel"
mkdir entries && cp escape/kernel-1.traceg entries && printf 'kernel-1.traceg\nother-2.traceg\n' >entries/kernelslist.g
$strata check entries 2>&1

echo "-- empty lines without end"
mkdir blank && echo kernel-1.traceg >blank/kernelslist.g
(kernel a; head -c 40000000 /dev/zero | tr '\000' '\n') | gzip -1 >blank/kernel-1.traceg.gz
timeout 20 $strata info blank 2>&1

echo "-- fewer instructions counted than there are"
mkdir more && kernel a >more/kernel-1.traceg && echo kernel-1.traceg >more/kernelslist.g
printf "$block" | sed 's/^0000.*/0000 ffffffff 0 NOP 0 0\n&/' >>more/kernel-1.traceg
$strata info more 2>&1 | grep -i -e instructions -e insts
