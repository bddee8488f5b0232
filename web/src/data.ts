// The report's data, indexed the way the views need it.
import { bareName, known } from "./format";
import type { Advice, Detail, Gpu, Hotspots, RawReport, ReuseDocument, ReuseLaunch } from "./types";

export const CYCLES = "sm__cycles_elapsed.max";
export const TIME = "gpu__time_duration.sum";
export const L1_RATE = "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct";
export const L2_RATE = "lts__t_sector_srcunit_tex_op_read_hit_rate.pct";
export const DRAM_READ = "dram__bytes_read.sum";
export const DRAM_WRITE = "dram__bytes_write.sum";

export type Metrics = Map<string, number>;

/** One launch as one model on one GPU sees it. */
export interface Row {
  index: number;
  launch: Launch;
  series: number;
  model: string;
  gpu: string;
  metrics: Metrics;
  detail: Detail;
  warnings: string[];
  measured: Metrics | null;
  spread: Record<string, [number, number]>; // of metrics that differed from run to run: least and most
}

/** One launch of a program, with all that is known about it. */
export interface Launch {
  index: number;
  name: string; // program/trace
  program: string;
  trace: string;
  kernel: string;
  bare: string;
  grid: number[];
  block: number[];
  rows: Row[];
  profiles: { document: ReuseDocument; launch: ReuseLaunch }[];
  advice?: Advice;
  hotspots?: Hotspots;
}

export const raw: RawReport = JSON.parse(document.getElementById("strata-data")!.textContent!);

function metricsOf(columns: string[], values: (number | null)[]): Metrics {
  const m: Metrics = new Map();
  values.forEach((v, i) => {
    if (v !== null) m.set(columns[i], v);
  });
  return m;
}

export const launches: Launch[] = [];
export const rows: Row[] = [];
export const series: string[] = []; // model and GPU, one colour each
const byName = new Map<string, Launch>();

function launchOf(l: { program: string; trace: string; kernel?: string; grid?: number[]; block?: number[] }): Launch {
  const key = l.program + "\n" + l.trace;
  const old = byName.get(key);
  if (old) {
    if (!old.grid.some(Boolean) && l.grid) [old.grid, old.block] = [l.grid, l.block!]; // CSV has no shape
    if (!old.kernel && l.kernel) [old.kernel, old.bare] = [l.kernel, bareName(l.kernel)];
    return old;
  }
  const kernel = l.kernel ?? "";
  const made: Launch = {
    index: launches.length, name: l.program + (l.trace ? "/" + l.trace : ""), program: l.program, trace: l.trace,
    kernel, bare: bareName(kernel), grid: l.grid ?? [], block: l.block ?? [], rows: [], profiles: [],
  };
  launches.push(made);
  byName.set(key, made);
  return made;
}

const modelName = (p: { model: string; variant?: string }) => p.model + (p.variant ? ":" + p.variant : "");
export const gpuName = (p: { gpu: string; overrides: string[] }) => [p.gpu, ...p.overrides].join(" ");
const manySeeds = new Set(raw.predictions.map((p) => p.seed)).size > 1;

raw.predictions.forEach((p, i) => {
  const model = modelName(p) + (manySeeds ? " seed " + p.seed : "");
  const label = model + " on " + gpuName(p);
  if (!series.includes(label)) series.push(label);
  p.launches.forEach((l, k) => {
    const at = raw.joined?.[i]?.[k];
    const launch = launchOf(l);
    // two runs of one model stand beside each other under two names
    let name = label;
    for (let run = 2; launch.rows.some((r) => series[r.series] === name); run++) name = `${label}, run ${run}`;
    if (!series.includes(name)) series.push(name);
    const measured = known(at) && raw.measured ? metricsOf(raw.measured.columns, raw.measured.launches[at].values) : null;
    const row: Row = {
      index: rows.length, launch, series: series.indexOf(name), model: model + name.slice(label.length), gpu: gpuName(p),
      metrics: metricsOf(p.columns, l.values), detail: l.detail ?? {}, warnings: l.warnings ?? [], measured, spread: (known(at) && raw.measured?.spread?.[at]) || {},
    };
    rows.push(row);
    launch.rows.push(row);
  });
});

// The models of a launch stand together.
rows.sort((a, b) => a.launch.index - b.launch.index || a.series - b.series).forEach((r, i) => (r.index = i));

export const reuseDocuments: ReuseDocument[] = [];
for (const d of raw.documents) {
  if (d.content.schema !== "strata.reuse/1") continue;
  const document = d.content as unknown as ReuseDocument;
  reuseDocuments.push(document);
  for (const launch of document.launches ?? []) launchOf(launch).profiles.push({ document, launch });
}

for (const d of raw.documents)
  if (d.content.schema === "strata.advise/1") for (const a of (d.content.launches as Advice[] | undefined) ?? []) launchOf(a).advice = a;
  else if (d.content.schema === "strata.hotspots/1") for (const h of (d.content.launches as Hotspots[] | undefined) ?? []) launchOf(h).hotspots = h;

/** What a launch is limited by: by advice, or the busiest unit of a model that tells the time. */
export function limiterOf(launch: Launch): string | undefined {
  if (launch.advice) return launch.advice.limiter;
  for (const r of [...launch.rows].reverse()) if (typeof r.detail["limiter.unit"] === "string") return r.detail["limiter.unit"];
  return undefined;
}

export const gpus: Gpu[] = raw.gpus;
export const models = [...new Set(rows.map((r) => r.model))];
export const gpuNames = [...new Set(rows.map((r) => r.gpu))];
/** What a developer sees first: the model that tells the time best, on the GPU that was measured if there is one. */
export const firstModel = ["flow", "sim", "interval"].find((m) => models.includes(m)) ?? models[0] ?? "";
export const firstGpu = rows.find((r) => r.measured)?.gpu ?? gpuNames[0] ?? "";
export const compared = rows.some((r) => r.measured);
/** The series that were measured too, in the order of their colours. */
export const comparedSeries = [...new Set(rows.filter((r) => r.measured).map((r) => r.series))].sort((a, b) => a - b).map((i) => series[i]);
export const gpuOf = (name: string): Gpu | undefined => gpus.find((g) => gpuName(g) === name) ?? gpus.find((g) => g.gpu === name);

/** A number of a GPU file, by key. */
export function gpuNumber(gpu: Gpu | undefined, key: string): number | null {
  return gpu?.keys.find((k) => k[0] === key)?.[5] ?? null;
}

export const unitOf = (metric: string) => raw.metrics[metric]?.unit ?? "";
export const isShare = (metric: string) => unitOf(metric) === "%" || metric.includes("pct");
export const errorUnit = (metric: string) => (isShare(metric) ? "points" : "%");

/** As `strata correlate` has it: percentages differ by points, all others in percent of the measured value. */
export function errorOf(metric: string, predicted: number | undefined, measured: number | undefined): number | null {
  if (!known(predicted) || !known(measured)) return null;
  if (isShare(metric)) return predicted - measured;
  if (measured === 0) return predicted === 0 ? 0 : null;
  return 100 * (predicted / measured - 1);
}

export function dramBytes(m: Metrics): number | undefined {
  const read = m.get(DRAM_READ);
  const written = m.get(DRAM_WRITE);
  return read === undefined || written === undefined ? undefined : read + written;
}

/** The members of one group of details: "latency.dram_cycles" under "latency". */
export function detailGroup(detail: Detail, group: string): [string, number][] {
  return Object.entries(detail).flatMap(([path, value]): [string, number][] =>
    path.startsWith(group + ".") && typeof value === "number" ? [[path.slice(group.length + 1), value]] : []);
}
