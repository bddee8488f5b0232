// Results of a made-up program, for tests: predictions of several models over many launches, their
// measurement, reuse profiles and a sweep. The same numbers every time.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const L1 = "l1tex__t_sectors_pipe_lsu_mem_";
const L2 = "lts__t_sectors_srcunit_tex_op_";
const STALLS = ["wait", "long_scoreboard", "short_scoreboard", "barrier", "membar", "lg_throttle", "mio_throttle", "math_pipe_throttle", "no_instruction", "branch_resolving", "not_selected", "sleeping"];

/** What a launch does; a model is off by `error` in each number. */
function metricsOf(random, error) {
  const off = (v) => Math.max(0, Math.round(v * (1 + error * (random() - 0.5))));
  const loads = Math.floor(10 ** (3 + 4 * random()));
  const hits = Math.min(loads, off(loads * random()));
  const read = loads - hits;
  const l2Hits = Math.min(read, off(read * random()));
  const stores = off(loads / 4);
  const cycles = off(4000 + loads / 7);
  const m = {
    "gpu__time_duration.sum": cycles / 1.98, "sm__cycles_elapsed.max": cycles, "sm__cycles_active.avg": cycles * 0.8,
    "smsp__inst_executed.sum": loads * 3, "smsp__inst_executed_op_global_ld.sum": Math.ceil(loads / 4), "smsp__inst_executed_op_global_st.sum": Math.ceil(stores / 4),
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": Math.ceil(loads / 4), [L1 + "global_op_ld.sum"]: loads, [L1 + "global_op_ld_lookup_hit.sum"]: hits, [L1 + "global_op_ld_lookup_miss.sum"]: read,
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": Math.ceil(stores / 4), [L1 + "global_op_st.sum"]: stores, [L1 + "global_op_st_lookup_hit.sum"]: Math.floor(stores / 3),
    [L1 + "global_op_atom.sum"]: 0, [L1 + "global_op_red.sum"]: 0, [L1 + "local_op_ld.sum"]: 0, [L1 + "local_op_st.sum"]: 0,
    "l1tex__m_xbar2l1tex_read_sectors.sum": read, "l1tex__m_l1tex2xbar_write_sectors.sum": stores, "lts__t_requests_srcunit_tex.sum": Math.ceil((read + stores) / 3),
    "lts__t_sectors_op_read.sum": read, "lts__t_sectors_op_write.sum": stores, "lts__t_sectors_op_read_lookup_hit.sum": l2Hits, "lts__t_sectors_op_read_lookup_miss.sum": read - l2Hits, "lts__t_sectors_op_write_lookup_hit.sum": stores,
    [L2 + "read.sum"]: read, [L2 + "read_lookup_hit.sum"]: l2Hits, [L2 + "read_lookup_miss.sum"]: read - l2Hits, [L2 + "write.sum"]: stores,
    "lts__t_sectors_srcunit_ltcfabric.sum": Math.floor(read / 2), "dram__sectors_read.sum": read - l2Hits, "dram__sectors_write.sum": Math.floor(stores / 2),
    "launch__grid_size": 128, "launch__block_size": 256, "launch__registers_per_thread": 32, "launch__occupancy_limit_registers": 8, "launch__occupancy_limit_shared_mem": 16, "launch__occupancy_limit_warps": 8, "launch__occupancy_limit_blocks": 32,
  };
  for (const s of STALLS) m[`smsp__average_warps_issue_stalled_${s}_per_issue_active.ratio`] = 3 * random();
  return m;
}

const detailOf = (random, loads) => ({
  latency: { requests: loads, lsu_cycles: 4 * random(), l2_and_crossbar_cycles: 265, l2_queue_cycles: 90 * random(), dram_cycles: 400 * random() },
  cpi_stack: { base: 0.05, other_warps: random(), compute_dependence: random() / 9, l1: random(), l2: random(), dram: random(), dram_queue: random(), total: 4 },
  miss_rate_pct: 40, miss_kinds: { compulsory: 10, capacity: 3, conflict: 2, latency: 4, mshr: 1 },
});

function launchList(n) {
  return Array.from({ length: n }, (_, i) => ({ program: `program_${String(Math.floor(i / 4)).padStart(2, "0")}`, trace: `kernel-${(i % 4) + 1}.traceg.xz`, id: (i % 4) + 1,
    kernel: i % 3 ? `_Z11kernel_${String(i).padStart(4, "0")}PKfPfi` : `_ZN2at6native29vectorized_elementwise_kernelILi${i}EEEvPKfPf`, grid: [128, 1, 1], block: [256, 1, 1] }));
}

export function writeFixture(folder, nLaunches, models) {
  mkdirSync(folder, { recursive: true });
  const launches = launchList(nLaunches);
  const files = [];
  models.forEach((model, k) => {
    const body = launches.map((l, i) => {
      const metrics = metricsOf(generator(i + 1), k * 0.2);
      const detail = detailOf(generator(1000 * k + i), metrics[L1 + "global_op_ld.sum"]);
      if (i === 1) { // the second launch uses Hopper's units
        Object.assign(metrics, { "sm__inst_executed_pipe_tensor.sum": 1536, "sm__inst_executed_pipe_tma.sum": 40, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active": 62.5 });
        detail.async = { mbarrier_pct: 23.9, products_pct: 2.2, copies_pct: 0, cluster_pct: 24.6, loads: 384, load_bytes: 4718592, stores: 0, store_bytes: 0 };
      }
      return { ...l, metrics, detail };
    });
    files.push(join(folder, model + ".json"));
    writeFileSync(files.at(-1), JSON.stringify({ schema: "strata.prediction/1", tool: "fixture", gpu: "h200", model, seed: 1, launches: body }));
  });
  const measured = launches.map((_, i) => metricsOf(generator(i + 1), 0.1));
  const names = Object.keys(measured[0]);
  const counters = join(folder, "counters.csv");
  writeFileSync(counters, ["program,trace," + names.join(","), ...measured.map((m, i) => [launches[i].program, launches[i].trace, ...names.map((n) => m[n])].join(","))].join("\n") + "\n");
  // measured once more: the cycles of the first two launches were others
  const again = join(folder, "again.csv");
  writeFileSync(again, ["program,trace,sm__cycles_elapsed.max", ...measured.map((m, i) => [launches[i].program, launches[i].trace, m["sm__cycles_elapsed.max"] * (i < 2 ? 1.25 : 1)].join(","))].join("\n") + "\n");
  const reuse = join(folder, "profile.json");
  writeFileSync(reuse, JSON.stringify({ schema: "strata.reuse/1", gpu: "h200", scope: "sm", unit: "line", engine: "exact", launches: launches.slice(0, 8).map((l) => ({ ...l, streams: 132, accesses: 5000, first: 1200,
    distances: [0, 1, 2, 4, 8, 16, 32, 64, 128].map((from, i) => ({ from, to: i < 2 ? from : 2 * from - 1, count: 900 - 100 * i })),
    miss_ratios: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((size, i) => ({ size, miss_ratio: 0.9 * 0.75 ** i + 0.1, bound: 0.01 })) })) }));
  const sweep = join(folder, "sweep.json");
  writeFileSync(sweep, JSON.stringify(sweepOf(launches.slice(0, 2))));
  const timeline = join(folder, "timeline.json");
  writeFileSync(timeline, JSON.stringify(timelineOf(launches)));
  return { predictions: files, counters, again, reuse, sweep, timeline };
}

/** A copy, then launches on two streams, each beside the next for a while. */
function timelineOf(launches) {
  const spans = launches.map((l, i) => ({ event: i + 1, kind: "launch", launch: i, name: l.kernel, stream: i % 2, start_us: 10 + 4 * i, end_us: 15 + 4 * i, alone_us: 5, gap_us: 1, overlap_us: 1, sm_share: 0.5, l2_use: 0.2, dram_use: 0.1, limiter: i % 2 ? "dram" : "latency" }));
  spans.unshift({ event: 0, kind: "copy_to_device", bytes: 4096, name: "copy", stream: 0, start_us: 0, end_us: 8, alone_us: 8, gap_us: 0, overlap_us: 0 });
  const time = spans.at(-1).end_us;
  return { schema: "strata.timeline/1", tool: "fixture", gpu: "h200", model: "flow", overrides: [], time_us: time, launches_us: time - 10, copies_us: 8, idle_us: 2, spans };
}

function sweepOf(launches) {
  const points = [];
  for (const size of ["16KiB", "32KiB", "64KiB", "128KiB", "256KiB"])
    for (const ways of ["2", "4", "8", "16"])
      for (const line of ["64", "128"]) {
        const misses = 1e6 / Math.sqrt(parseInt(size)) + 3e4 / ways + (line === "64" ? 2e4 : 0);
        const failed = size === "16KiB" && ways === "16" && line === "64";
        const metrics = failed ? {} : { "sm__cycles_elapsed.max": Math.round(misses / 3), "dram__sectors_read.sum": Math.round(misses) };
        points.push({ point: points.length + 1, config_hash: points.length.toString(16).padStart(16, "0"), settings: { "l1.size": size, "l1.ways": ways, "l1.line": line },
          status: failed ? "failed" : "done", ...(failed ? { error: "l1.ways: 16 ways of 64 bytes need more than 16KiB; take fewer." } : { front: ways === "16" }), metrics, launches: launches.map(() => metrics) });
      }
  const done = points.filter((p) => p.status === "done").sort((a, b) => a.metrics["sm__cycles_elapsed.max"] - b.metrics["sm__cycles_elapsed.max"]);
  done.forEach((p, i) => (p.rank = i + 1));
  return { schema: "strata.sweep/1", tool: "fixture", gpu: "h200", model: "reuse", seed: 1, trace_hash: "0", n_points: points.length, n_failed: 1, keys: ["l1.size", "l1.ways", "l1.line"],
    rank: { metric: "sm__cycles_elapsed.max", goal: "min" }, pareto: [{ metric: "sm__cycles_elapsed.max", goal: "min" }, { metric: "dram__sectors_read.sum", goal: "min" }],
    launches, points: [...done, ...points.filter((p) => p.status !== "done")] };
}
