# No room for the kernel file: one sentence, and nothing is left behind.
trap '' XFSZ
(ulimit -f 4; "$strata" convert -q --to accelsim "$data/rod_lud.strata" out); echo "exit $?"; ls
