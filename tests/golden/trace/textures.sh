# what a trace tells of a launch's textures, also after a conversion, and that models ask for pitched ones sector by sector:
# on an H200 1280 sectors and 640 hits (device/probe/results/h200-texture-filter.csv)
"$strata" convert -q "$data/textures.strata" again.strata
"$strata" info --headers again.strata
"$strata" info --headers --format json again.strata
"$strata" info --headers --format csv again.strata | grep textures
"$strata" check -q again.strata || exit 9
"$strata" predict --gpu h200 --format csv -o flow.csv again.strata # no warning
for model in flow sim; do
    "$strata" predict -q --model $model --gpu h200 --format csv again.strata | grep -E 'srcunit_tex_op_read(_lookup_hit)?.sum,' | cut -d, -f5-8
done
