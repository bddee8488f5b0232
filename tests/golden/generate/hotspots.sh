# every sector of the model belongs to an instruction
"$strata" generate matmul-tiled -q -o m.strata
"$strata" hotspots m.strata --gpu titanv-new
"$strata" hotspots m.strata --gpu titanv-new -f csv >sites.csv
"$strata" predict m.strata --gpu titanv-new -m reuse -f csv -q | awk -F, '
    NR == FNR { if (FNR > 1) { sectors += $10; hits += $12; reads += $13; found += $14 } next }
    $5 ~ /mem_global_op_(ld|st).sum$/ && $5 ~ /sectors/ { sectors -= $7 }
    $5 ~ /op_ld_lookup_hit.sum$/ { hits -= $7 }
    $5 == "lts__t_sectors_srcunit_tex_op_read.sum" { reads -= $7 }
    $5 == "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum" { found -= $7 }
    END { print "not accounted for:", sectors, hits, reads, found }' sites.csv -
"$strata" hotspots m.strata --gpu titanv-new -f json --top 1
