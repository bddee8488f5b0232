# Every launch has an answer: its own, or that of the one that stands for it.
"$strata" predict "$data/poly_GRAMSCHM.strata" --gpu h200 --sample 5% --format json -o some.json 2>words
sed -e 's/[0-9.]* %/N %/g' -e 's/[0-9.]* us/N us/g' words
"$strata" predict "$data/poly_GRAMSCHM.strata" --gpu h200 -q --format json -o all.json
"$strata" info "$data/poly_GRAMSCHM.strata" | grep -c 'kernel-'
grep -c '"kernel":' all.json some.json
grep -o '"sample=5%"' some.json
