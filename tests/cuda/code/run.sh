#!/bin/sh
# Which code of a program runs: by the driver's rules, as --code says, kernel by kernel where machine code cannot be
# executed, and compiled where --compile is given; and which device it runs on. tests/data/fatbin/two_codes.cu says what is in the image.
#   run.sh STRATA
. "$(dirname "$0")/../scratch.sh"
data=$src/tests/data/fatbin
failed=0
fail() { echo "FAILED $1"; cat out.txt err.txt; failed=$((failed + 1)); }
cc -std=gnu17 -O1 -I"$src/device/include" -o app "$here/load.c" "$libraries/libcuda.so.1" || exit 1
# try "OPTIONS" IMAGE OUTPUT "WORDS OF THE LAST LINE": the last line of standard error says which code ran and why
try() {
    # shellcheck disable=SC2086
    "$strata" trace $1 -o a.strata -- ./app "$2" >out.txt 2>err.txt || { fail "$1: exit $?"; return; }
    [ "$(cat out.txt)" = "$3" ] || fail "$1 prints other numbers than $3"
    tail -n 1 err.txt | grep -q "^strata trace: $4" || fail "$1 does not say: $4"
}
isa() { "$strata" info --format json a.strata | tr ',{' '\n\n' | sed -n 's/.*"isa": *"\([a-z]*\)".*/\1/p' | tr '\n' ' '; }

# machine code first; the kernel that cannot be executed runs as PTX, on the same variable
try "" "$data/two_codes.fatbin" "6 16 17" "machine code ran for some kernels and PTX for others"
[ "$(isa)" = "sass ptx sass " ] || fail "launches are $(isa)"
grep -q 'kernel "odd", address 0x[0-9a-f]*: .* cannot be executed: .*; the kernel.s PTX runs instead' err.txt ||
    fail "the warning does not name the kernel"
try "--code auto" "$data/two_codes.fatbin" "6 16 17" "machine code ran for some kernels"
try "--code ptx" "$data/two_codes.fatbin" "6 16 17" "PTX ran: as --code says"
[ "$(isa)" = "ptx ptx ptx " ] || fail "launches are $(isa)"
# machine code for another architecture does not run
try "--gpu a100" "$data/two_codes.fatbin" "6 16 17" "PTX ran: the program holds no machine code for this device"
# forced, the kernel fails
"$strata" trace --code sass -o a.strata -- ./app "$data/two_codes.fatbin" >out.txt 2>err.txt && fail "--code sass falls back"
grep -q 'kernel "odd".*cannot be executed' err.txt || fail "--code sass does not say why"

# --compile: a compiler that hands out what ptxas made, one that refuses, and none
cat >"$work/even_odd.ptx" <<'END'
.version 7.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter = 5;
.visible .entry even(.param .u64 out) { .reg .b32 %r<3>; .reg .b64 %d<2>;
ld.param.u64 %d1,[out]; ld.global.u32 %r1,[counter]; add.u32 %r1,%r1,1; st.global.u32 [counter],%r1; st.global.u32 [%d1],%r1; ret; }
.visible .entry odd(.param .u64 out) { .reg .b32 %r<3>; .reg .b64 %d<2>;
ld.param.u64 %d1,[out]; ld.global.u32 %r1,[counter]; add.u32 %r1,%r1,10; st.global.u32 [counter],%r1; st.global.u32 [%d1],%r1; ret; }
END
mkdir good bad
printf '#!/bin/sh\n[ "$1 $2 $3" = "-arch sm_90a -o" ] && [ -s "$5" ] && exec /bin/cp %s "$4"\nexit 1\n' "$data/two_codes.cubin" >good/ptxas
printf '#!/bin/sh\necho "ptxas code.ptx, line 7; error : nothing suits me"\nexit 255\n' >bad/ptxas
chmod +x good/ptxas bad/ptxas
PATH=$work/good:$PATH
try "--compile" even_odd.ptx "6 16 17" "machine code ran: compiled for sm_90a by ptxas"
[ "$(isa)" = "sass sass sass " ] || fail "launches are $(isa)"
# lines of machine code belong to a file
"$strata" hotspots a.strata --gpu h200 >hot.txt 2>&1
grep -q "two_codes.cu:1[0-9] .*STG" hot.txt || { fail "no source file"; cat hot.txt; }
try "--compile --code sass" even_odd.ptx "6 16 17" "machine code ran: compiled for sm_90a by ptxas"
PATH=$work/bad:$PATH
try "--compile" even_odd.ptx "6 16 17" "PTX ran: it could not be compiled"
grep -q "ptxas does not compile it for sm_90a: ptxas code.ptx, line 7; error : nothing suits me" err.txt || fail "its reason"
ls /tmp/strata-?????? >left.txt 2>/dev/null && [ -n "$(find /tmp/strata-?????? -name code.ptx -newer app 2>/dev/null)" ] && fail "left in /tmp"
(PATH=$work CUDA_HOME=$work "$strata" trace --compile -o a.strata -- ./app even_odd.ptx >out.txt 2>err.txt)
grep -q "^strata trace: --compile finds no ptxas" err.txt || fail "no ptxas: nothing is said"
tail -n 1 err.txt | grep -q "PTX ran: the program holds no machine code" || fail "no ptxas: PTX does not run"

# the device that is there without --gpu is the one gpus/h200.yaml describes
cc -std=gnu17 -O1 -I"$src/device/include" -o attributes "$here/attributes.c" "$libraries/libcuda.so.1" || exit 1
"$strata" trace -q -o a.strata -- ./attributes >out.txt 2>err.txt || fail "attributes"
"$strata" trace -q --gpu h200 -o a.strata -- ./attributes >described.txt 2>err.txt || fail "attributes --gpu h200"
[ "$(wc -l <out.txt)" -gt 50 ] && cmp out.txt described.txt || fail "the default device is not gpus/h200.yaml"
# another card answers with its own numbers: memory, registers, SMs, bus, L2, threads of an SM, capability
"$strata" trace -q --gpu rtx3080 -o a.strata -- ./attributes >other.txt 2>err.txt || fail "attributes --gpu rtx3080"
for row in "memory 10737418240" "13 1710000" "16 68" "36 9504000" "37 320" "38 5242880" "39 1536" "75 8" "76 6" "97 101376" "106 16"; do
    grep -qx "$row" other.txt || fail "rtx3080: no \"$row\" among the attributes"
    grep -qx "$row" out.txt && fail "the H200 says \"$row\" too"
done
echo "$failed failed"
[ $failed = 0 ]
