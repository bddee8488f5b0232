# the coalesce model knows no time and no caches; of the flow model's lines only the form is held fast here
"$strata" predict "$data/rod_lud.strata" --gpu h200 --summary -q -c 2 -m coalesce
"$strata" predict "$data/rod_lud.strata" --gpu h200 --summary -q -c 3 | awk '/kernel-/ { print NF, $NF, ($1 > 0 && $2 > $1 && $3 <= 100 && $4 <= 100) }'
