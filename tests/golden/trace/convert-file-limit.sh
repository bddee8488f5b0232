# The disk (here: the limit on file sizes) is full in the middle: a sentence, and no file is left.
trap "" XFSZ
(ulimit -f 1; "$strata" convert "$data/rod_lud.strata" out.strata)
code=$?; ls; exit $code
