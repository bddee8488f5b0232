# To Accel-Sim text and back; the text can be read by xz and has the header.
mkdir text && "$strata" convert -q --launch-count 1 "$data/rod_lud.strata" text/rod_lud && ls text/rod_lud && cat text/rod_lud/kernelslist.g &&
    xz -dc text/rod_lud/kernel-1.traceg.xz | sed -n 1,24p &&
    "$strata" convert -q text/rod_lud back.strata && "$strata" info back.strata
