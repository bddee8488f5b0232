// Work a second against work a byte moved at each level, below what that level and the schedulers (or the arithmetic) allow.
import * as Plot from "@observablehq/plot";
import { TIME, dramBytes, firstGpu, firstModel, gpuNames, gpuNumber, gpuOf, models, rows, type Launch, type Metrics, type Row } from "../data";
import { card, el, responsive, select } from "../dom";
import { known, number, short, type Cell } from "../format";
import { levelOf } from "../levels";
import type { Gpu } from "../types";

const SECTOR = 32;
const T = "l1tex__t_sectors_pipe_lsu_mem_";
export const LEVELS = ["L1", "shared", "L2", "DRAM"] as const;
type Level = (typeof LEVELS)[number];
const colourOf = (level: Level) => `var(--s${levelOf(level)})`;

const sum = (m: Metrics, names: string[]) => names.reduce((s, n) => s + (m.get(n) ?? 0), 0);

/** Bytes that a launch moves at a level; 0: none, or not known. */
function bytesAt(level: Level, m: Metrics): number {
  if (level === "L1") return SECTOR * sum(m, ["global_op_ld", "global_op_st", "global_op_atom", "global_op_red", "local_op_ld", "local_op_st"].map((o) => `${T}${o}.sum`));
  if (level === "L2") return SECTOR * sum(m, ["lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum", T + "global_op_atom.sum", T + "global_op_red.sum"]);
  if (level === "DRAM") return dramBytes(m) ?? 0;
  // a pass over the banks moves a word from each
  return 128 * (sum(m, ["smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"]));
}

/** Bytes a second that a level can move. */
function bandwidthOf(level: Level, gpu: Gpu | undefined): number {
  const key = (k: string) => gpuNumber(gpu, k) ?? NaN;
  const clock = 1e6 * key("sm.clock");
  if (level === "L1") return key("sm.count") * key("l1.bytes_per_cycle") * clock;
  if (level === "shared") return key("sm.count") * key("shared.bytes_per_cycle") * clock;
  if (level === "L2") return key("l2.slices") * key("l2.bytes_per_cycle_per_slice") * (1e6 * key("l2.clock") || clock);
  return 1e6 * key("dram.channels") * key("dram.bus") * key("dram.data_rate") * key("dram.clock");
}

interface Roof {
  name: string;
  peak: number; // a second
}

export interface Work {
  name: string; // "warp instructions"
  of: (m: Metrics) => number | undefined;
  roofs: (gpu: Gpu | undefined, used: Metrics[]) => Roof[]; // what limits it where memory does not
}

/** Operations a second of one kind: lanes, or packed pairs, each a multiplication and an addition. */
const lanePeak = (g: Gpu | undefined, kind: string, packed: number) => {
  const key = (k: string) => gpuNumber(g, k) ?? NaN;
  return (2 * packed * 32e6 * key("sm.count") * key("sm.schedulers") * key("sm.clock")) / (key(`sm.interval.${kind}`) || 1);
};
/** 16-bit products of warpgroups where the GPU has them (64 rows of 16, so many columns a cycle), else of m16n8k16 by each scheduler. */
const tensorPeak = (g: Gpu | undefined) => {
  const key = (k: string) => gpuNumber(g, k) ?? NaN;
  const cycle = key("sm.wgmma_columns") > 0 ? 2 * 64 * 16 * key("sm.wgmma_columns") : (key("sm.schedulers") * 2 * 16 * 8 * 16) / (key("sm.interval.tensor") || 1);
  return cycle * 1e6 * key("sm.count") * key("sm.clock");
};
/** Widths of arithmetic: which count is theirs, and what their pipes can do. */
const WIDTHS: { name: string; metric: string; peak: (g: Gpu | undefined) => number }[] = [
  { name: "FP32 pipes", metric: "strata__flop_fp32.sum", peak: (g) => lanePeak(g, "fp32", 1) },
  { name: "FP64 pipes", metric: "strata__flop_fp64.sum", peak: (g) => lanePeak(g, "fp64", 1) },
  { name: "FP16 pipes", metric: "strata__flop_fp16.sum", peak: (g) => lanePeak(g, "fp16", 2) },
  { name: "tensor cores, 16 bits", metric: "strata__flop_tensor.sum", peak: tensorPeak },
];
const issuePeak = (g: Gpu | undefined) => 1e6 * (gpuNumber(g, "sm.count") ?? NaN) * (gpuNumber(g, "sm.schedulers") ?? NaN) * (gpuNumber(g, "sm.issue_per_scheduler") ?? NaN) * (gpuNumber(g, "sm.clock") ?? NaN);
export const WORK: Record<string, Work> = {
  instructions: { name: "warp instructions", of: (m) => m.get("smsp__inst_executed.sum"), roofs: (g) => [{ name: "issue slots", peak: issuePeak(g) }] },
  flop: {
    name: "FLOP", of: (m) => m.get("strata__flop.sum"),
    // of widths that no launch uses there is no roof
    roofs: (g, used) => WIDTHS.filter((w, i) => used.some((m) => (m.get(w.metric) ?? 0) > 0) || (i === 0 && !used.some((m) => WIDTHS.some((o) => (m.get(o.metric) ?? 0) > 0)))).map((w) => ({ name: w.name, peak: w.peak(g) })),
  },
};

interface Point {
  row: Row;
  source: string; // "flow" or "measured"
  level: Level;
  intensity: number;
  rate: number;
  time: number;
  metrics: Metrics;
}

function pointsOf(row: Row, source: string, m: Metrics, work: Work, levels: readonly Level[]): Point[] {
  const done = work.of(m), ns = m.get(TIME);
  if (!known(done) || !known(ns) || !(done > 0) || !(ns > 0)) return [];
  return levels.flatMap((level) => {
    const moved = bytesAt(level, m);
    return moved > 0 ? [{ row, source, level, intensity: done / moved, rate: (1e9 * done) / ns, time: ns, metrics: m }] : [];
  });
}

const describe = (p: Point, work: Work) => `${p.row.launch.name}\n${p.row.launch.bare}\n${p.source}, ${p.level}\n${short(p.rate)} ${work.name}/s\n${number(p.intensity)} a byte`;

function draw(points: Point[], gpu: Gpu | undefined, work: Work, levels: readonly Level[], label: (p: Point) => string, width: number): Element {
  const flats = work.roofs(gpu, points.map((p) => p.metrics)).filter((r) => r.peak > 0).sort((a, b) => b.peak - a.peak);
  const peak = flats[0]?.peak ?? NaN;
  // a level that nothing moves through has no roof, and levels as wide as each other share a name
  const wide = levels.filter((l) => points.some((p) => p.level === l)).map((level) => ({ level, bandwidth: bandwidthOf(level, gpu) })).filter((r) => r.bandwidth > 0 && peak > 0);
  const roofs = wide.map((r, i) => ({ ...r, names: wide.filter((o) => o.bandwidth === r.bandwidth).map((o) => o.level), again: wide.findIndex((o) => o.bandwidth === r.bandwidth) < i }));
  const xs = [...points.map((p) => p.intensity), ...roofs.map((r) => peak / r.bandwidth)];
  const low = Math.min(...xs) / 2, high = Math.max(...xs) * 2.5;
  const floor = Math.min(...points.map((p) => p.rate)) / 2, top = Math.max(peak, ...points.map((p) => p.rate));
  const start = (r: { bandwidth: number }) => Math.max(low, floor / r.bandwidth);
  const predicted = points.filter((p) => p.source !== "measured"), measured = points.filter((p) => p.source === "measured");
  const size = Math.min(width, 1240), height = Math.min(480, Math.max(320, size * 0.5));
  const left = 58, right = 24, above = 28, below = 42;
  // names of slopes stand on them: a decade of work a byte is a decade of work a second
  const decade = { x: (size - left - right) / Math.log10(high / low), y: (height - above - below) / Math.log10((top * 1.3) / floor) };
  const slope = (-180 / Math.PI) * Math.atan2(decade.y, decade.x);
  const nameAt = (r: { bandwidth: number }) => Math.max(start(r), (0.93 * peak) / r.bandwidth);
  const described = (p: Point) => describe(p, work);
  return Plot.plot({
    width: size, height, marginLeft: left, marginBottom: below, marginTop: above, marginRight: right, ariaLabel: "Roofline", style: { fontSize: "12px", background: "none" },
    x: { type: "log", domain: [low, high], label: `${work.name} a byte →`, tickFormat: short, ticks: Math.max(3, Math.floor(size / 160)), grid: true },
    y: { type: "log", domain: [floor, top * 1.3], label: `↑ ${work.name} a second`, tickFormat: short, ticks: 5, grid: true },
    marks: [
      ...roofs.map((r) => Plot.line([start(r), peak / r.bandwidth, high].map((x) => ({ x, y: Math.min(peak, r.bandwidth * x) })), { x: "x", y: "y", stroke: colourOf(r.level), strokeWidth: 1.6, strokeDasharray: r.again ? "6 6" : undefined })),
      Plot.text(roofs.filter((r) => !r.again), { x: nameAt, y: (r) => r.bandwidth * nameAt(r), text: (r) => `${r.names.join(", ")} ${short(r.bandwidth).replace(/[kMGT]?$/, " $&")}B/s`, fill: (r) => colourOf(r.level), rotate: slope, lineAnchor: "bottom", dx: -3, dy: -3, textAnchor: "end", stroke: "var(--card)", strokeWidth: 3 }),
      Plot.ruleY(flats.slice(1), { y: "peak", stroke: "var(--quiet)", strokeDasharray: "2 4" }),
      Plot.text(flats, { x: () => high, y: "peak", text: "name", dy: -8, textAnchor: "end", fill: "var(--quiet)", stroke: "var(--card)", strokeWidth: 3 }),
      Plot.dot(measured, { x: "intensity", y: "rate", r: 5.5, stroke: (p: Point) => colourOf(p.level), strokeWidth: 1.6, title: described }),
      Plot.dot(predicted, { x: "intensity", y: "rate", r: 4.5, fill: (p: Point) => colourOf(p.level), fillOpacity: 0.85, stroke: "var(--card)", strokeWidth: 0.6, href: (p: Point) => "#/launch/" + p.row.launch.index,
        title: described, tip: true, ariaLabel: (p: Point) => described(p).replace(/\n/g, ", ") }),
      Plot.text(predicted.filter((p) => label(p)), { x: "intensity", y: "rate", text: label, dy: -10, fill: "var(--ink)", stroke: "var(--card)", strokeWidth: 3, fontSize: 11 }),
    ],
  });
}

/** Names for the longest launches, as long as they do not lie on one another. */
function labels(points: Point[], most: number): (p: Point) => string {
  const chosen: Point[] = [];
  for (const p of [...points].filter((q) => q.source !== "measured").sort((a, b) => b.time - a.time)) {
    if (chosen.length === most) break;
    const near = (q: Point) => Math.abs(Math.log(q.rate / p.rate)) < 0.35 && Math.abs(Math.log(q.intensity / p.intensity)) < 1.2;
    if (!chosen.some(near)) chosen.push(p);
  }
  return (p) => (chosen.includes(p) ? p.row.launch.bare.split("::").at(-1)!.replace(/<.*/, "").slice(0, 22) : "");
}

const state = { gpu: firstGpu, model: firstModel, level: "DRAM" as Level | "all", work: "instructions" };

function measuredOf(list: Row[], work: Work, levels: readonly Level[]): Point[] {
  const seen = new Set<Metrics>();
  return list.filter((r) => r.measured && !seen.has(r.measured) && seen.add(r.measured)).flatMap((r) => pointsOf(r, "measured", r.measured!, work, levels));
}

const csv = (points: Point[], work: Work): Cell[][] => [["launch", "kernel", "source", "level", `${work.name} a byte`, `${work.name} a second`],
  ...points.map((p): Cell[] => [p.row.launch.name, p.row.launch.kernel, p.source, p.level, p.intensity, p.rate])];

function has(work: Work, list: Row[]): boolean {
  return list.some((r) => work.of(r.metrics) !== undefined || (r.measured && work.of(r.measured) !== undefined));
}

/** Of all launches, for one GPU and one model at a time. Nothing where no model tells time and traffic. */
export function roofline(): HTMLElement | null {
  const timed = rows.filter((r) => r.metrics.has(TIME));
  const usable = models.filter((m) => timed.some((r) => r.model === m && pointsOf(r, m, r.metrics, WORK.instructions, LEVELS).length));
  if (!usable.length || !gpuNames.some((g) => issuePeak(gpuOf(g)) > 0)) return null;
  if (!usable.includes(state.model)) state.model = usable[0];
  const holder = el("div");
  const now = () => {
    const work = WORK[state.work], levels = state.level === "all" ? LEVELS : [state.level];
    const list = timed.filter((r) => r.gpu === state.gpu && r.model === state.model);
    return { work, levels, points: [...list.flatMap((r) => pointsOf(r, state.model, r.metrics, work, levels)), ...measuredOf(list, work, levels)] };
  };
  const show = () => {
    const { work, levels, points } = now();
    holder.replaceChildren(points.length ? responsive((width) => draw(points, gpuOf(state.gpu), work, levels, labels(points, width > 600 ? 10 : 4), width)) : el("p", { class: "note" }, "No launch has these numbers for this GPU and model."));
  };
  const set = (name: "gpu" | "model" | "level" | "work") => (v: string) => {
    (state as Record<string, string>)[name] = v;
    show();
  };
  show();
  const tools = [
    gpuNames.length > 1 ? select("GPU", "roof-gpu", gpuNames.map((g): [string, string] => [g, g]), state.gpu, set("gpu")) : null,
    usable.length > 1 ? select("model", "roof-model", usable.map((m): [string, string] => [m, m]), state.model, set("model")) : null,
    select("bytes at", "roof-level", [...LEVELS.map((l): [string, string] => [l, l]), ["all", "every level"]], state.level, set("level")),
    has(WORK.flop, timed) ? select("of", "roof-work", Object.entries(WORK).map(([k, w]): [string, string] => [k, w.name]), state.work, set("work")) : null,
  ].filter((t): t is HTMLElement => t !== null);
  return card({ title: "Roofline", name: "roofline", wide: true, tools, body: holder, rows: () => csv(now().points, now().work),
    note: "On a slope the bandwidth of that level limits a launch, on the flat part the issue slots or the pipes of its arithmetic do. Open circles were measured." });
}

/** Of one launch: its work by the bytes of every level. */
export function launchRoofline(launch: Launch): HTMLElement | null {
  const row = launch.rows.find((r) => r.model === firstModel && r.gpu === firstGpu) ?? launch.rows.find((r) => r.metrics.has(TIME));
  if (!row || !(issuePeak(gpuOf(row.gpu)) > 0)) return null;
  let kind = "instructions";
  const pick = () => [...pointsOf(row, row.model, row.metrics, WORK[kind], LEVELS), ...(row.measured ? pointsOf(row, "measured", row.measured, WORK[kind], LEVELS) : [])];
  if (!pick().length) return null;
  const holder = el("div");
  const show = () => {
    const points = pick();
    holder.replaceChildren(points.length ? responsive((width) => draw(points, gpuOf(row.gpu), WORK[kind], LEVELS, (p) => p.level, width)) : el("p", { class: "note" }, "Not known for this launch."));
  };
  show();
  const tools = has(WORK.flop, [row]) ? [select("of", "launch-roof-work", Object.entries(WORK).map(([k, w]): [string, string] => [k, w.name]), kind, (v) => {
    kind = v;
    show();
  })] : [];
  return card({ title: `Roofline by level, ${row.model} on ${row.gpu}`, name: "launch-roofline", tools, body: holder, rows: () => csv(pick(), WORK[kind]),
    note: "One point a level, in the colour of its roof: the level whose point lies nearest below its own roof is the one to relieve." + (row.measured ? " Open circles were measured." : "") });
}
