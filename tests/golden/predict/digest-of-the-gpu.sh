# the same values have the same digest, however they came about
printf 'extends: h200\nl1: {hit: 40 cycles}\n' >mine.yaml
digest() { "$strata" predict "$data"/traces/again --model coalesce -f json -q "$@" | sed -n 's/.*"gpu_digest": "\([0-9a-f]*\)".*/\1/p'; }
[ "$(digest --gpu h200 --set l1.hit=40)" = "$(digest --gpu ./mine.yaml)" ] && echo "by file and by --set: equal"
[ "$(digest --gpu h200)" = "$(digest --gpu ./mine.yaml)" ] || echo "another latency: another digest"
