# What an mbarrier cannot count, and one that is not there.
. "$src/tests/golden/hopper/kernels.inc"
printf 'mbarrier.arrive.shared.b64 _, [bar];\n' | fails never-initialised
printf 'mbarrier.try_wait.parity.shared.b64 %%p1, [bar], 0;\n' | fails wait-at-none
printf 'mbarrier.init.shared.b64 [bar], 1;\nmbarrier.inval.shared.b64 [bar];\nmbarrier.arrive.shared.b64 _, [bar];\n' | fails after-inval
printf 'mbarrier.init.shared.b64 [bar], 0;\n' | fails no-arrivals
printf 'mbarrier.init.shared.b64 [bar], 1048576;\n' | fails too-many-arrivals
printf 'mbarrier.init.shared.b64 [bar], 2;\nmbarrier.arrive.shared.b64 _, [bar], 3;\n' | fails more-than-expected
printf 'mbarrier.init.shared.b64 [bar], 1;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 1048576;\n' | fails too-many-bytes
printf 'mbarrier.init.shared.b64 [bar+4], 1;\n' | fails odd-address
printf 'mbarrier.init.shared.b64 [bar+8192], 1;\n' | fails beyond-shared-memory
printf 'mbarrier.init.b64 [%%rd1], 1;\n' | fails in-global-memory
printf 'mapa.shared::cluster.u32 %%r2, %%r1, 1;\n' | fails block-outside-the-cluster
