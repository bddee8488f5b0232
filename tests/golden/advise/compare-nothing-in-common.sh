sed 's/_Z22transpose_column_storePKfPfi/_Z5otherv/; s/_Z16histogram_globalPKjPji/_Z4morev/' "$data/correlate/broken-flow.json" >after.json
"$strata" compare "$data/correlate/broken-flow.json" after.json
