# A warp that lost its EXIT, with one record that a dead lane executes.
mkdir bad && xz -dc "$data/accelsim/rod_lud/kernel-1.traceg.xz" |
    sed -e "/ EXIT /d" -e "s/^insts = 2500/insts = 2499/" -e "s/^0010 0000ffff/0010 ffffffff/" >bad/kernel-1.traceg &&
    echo kernel-1.traceg >bad/kernelslist.g
"$strata" check -f csv bad
