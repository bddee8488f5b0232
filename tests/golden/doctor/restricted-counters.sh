# Looked at below another root: a driver whose counters are for root only.
mkdir -p root/proc/driver/nvidia root/usr/bin
echo 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.1' >root/proc/driver/nvidia/version
printf 'ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n' >root/proc/driver/nvidia/params
for name in nvcc clang ncu mpirun; do printf '#!/bin/sh\n' >root/usr/bin/$name; chmod +x root/usr/bin/$name; done
PATH=/usr/bin $strata doctor --root root | sed "s#$src#SRC#g" | grep -A2 -e driver -e counters -e nvcc
echo 'RmProfilingAdminOnly: 0' >root/proc/driver/nvidia/params
PATH=/usr/bin $strata doctor --root root --format csv | grep -e ^name -e counters
