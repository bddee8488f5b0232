# One launch out of six, native to native.
"$strata" convert --kernel-name lud_diagonal --launch-count 1 "$data/rod_lud.strata" one.strata | sed "s/[0-9]* bytes.*/N bytes/" &&
    "$strata" info one.strata
