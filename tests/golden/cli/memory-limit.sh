# What does not fit is told, and the command ends.
$strata generate stencil2d nx=96 ny=16 -o t.strata -q
timeout 20 $strata predict t.strata --gpu h200 --set l2.size=20GiB --memory-limit 4GB -q 2>&1; echo $?
timeout 20 $strata predict t.strata --gpu h200 --memory-limit nothing 2>&1; echo $?
