# launches that ran more instructions than were measured are not scored
"$strata" correlate --measured "$data/correlate/ncu_h200_raw.csv" "$data/correlate/broken-flow.json" --same-code 5 --metric sm__cycles_elapsed.max -f csv | cut -d, -f1-8
