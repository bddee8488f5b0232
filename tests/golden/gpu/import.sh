$strata gpu import $data/gpgpusim/volta.config -o volta.yaml
echo "exit $?"
$strata gpu check --strict volta.yaml
$strata gpu diff titanv-new volta.yaml | grep -E ' (sm.count|sm.clock|l2.slices|l2.size|dram.channels)'
printf -- '-gpgpu_clock_domains fast\n' >bad.config
$strata gpu import bad.config -o bad.yaml
echo "exit $?"
ls
