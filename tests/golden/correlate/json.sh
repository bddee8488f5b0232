cd "$data"/correlate
"$strata" correlate --measured counters.csv flow.json --format json --metric sm__cycles_elapsed.max --metric lts__t_sector_srcunit_tex_op_read_hit_rate.pct
