cd "$data"/correlate
"$strata" correlate -s --measured counters.csv flow.json --max-error sm__cycles_elapsed.max=5 --max-error lts__t_sector_srcunit_tex_op_read_hit_rate.pct=1
