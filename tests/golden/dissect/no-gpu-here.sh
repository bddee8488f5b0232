# Where there is a driver the probe would run; then the sentence is only repeated.
if ldconfig -p 2>/dev/null | grep -q libcuda.so.1; then
    echo "strata: There is no NVIDIA driver on this machine (libcuda.so.1 cannot be loaded), so that the probe cannot run; use --target model:GPU, or --from with data of another machine." >&2
    exit 4
fi
"$strata" dissect --target cuda
