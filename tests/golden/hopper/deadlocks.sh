# A wait that can never end is told with kernel, line, block, thread, barrier and what is missing; in loops of tests, clusters and machine code too.
. "$src/tests/golden/hopper/kernels.inc"
wait='W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
@!%p1 bra W;'
printf 'mbarrier.init.shared.b64 [bar], 2;\nmbarrier.arrive.shared.b64 _, [bar];\n%s\n' "$wait" | fails missing-arrival
printf 'mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], 512;\n%s\n' "$wait" | fails missing-bytes
printf 'mbarrier.init.shared.b64 [bar], 2;\nT: mbarrier.test_wait.parity.shared.b64 %%p1, [bar], 0;\n@!%%p1 bra T;\n' | fails tests
grid=4 block=64
printf 'mov.u32 %%r2, %%ctaid.x; setp.ne.u32 %%p2, %%r2, 3; @%%p2 bra END;\nmbarrier.init.shared.b64 [bar], 100;\nbar.sync 0;\n%s\nEND:\n' "$wait" | fails one-block-of-four
cluster='.reqnctapercluster 2, 1, 1' block=1
printf 'mov.u32 %%r2, %%cluster_ctarank; setp.eq.u32 %%p2, %%r2, 0;\nmbarrier.init.shared.b64 [bar], 1;\n@%%p2 bra END;\n%s\nEND: barrier.cluster.arrive;\nbarrier.cluster.wait;\n' "$wait" | fails other-block-arrives-elsewhere
printf 'mbarrier.init.shared.b64 [bar], 1;\nT: mbarrier.test_wait.parity.shared.b64 %%p1, [bar], 0;\n@!%%p1 bra T;\n' | fails tests-of-a-cluster
printf 'mov.u32 %%r2, %%cluster_ctarank; setp.eq.u32 %%p2, %%r2, 0;\n@%%p2 bra END;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nEND: mbarrier.init.shared.b64 [bar], 1;\n@!%%p2 bra OVER;\n%s\nOVER:\n' "$wait" | fails cluster-barrier
true
