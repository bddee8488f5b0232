// Warp instructions a second against warp instructions a byte of DRAM traffic, below what DRAM and the schedulers allow.
import * as Plot from "@observablehq/plot";
import { TIME, dramBytes, gpuNames, gpuNumber, gpuOf, rows, series, type Metrics, type Row } from "../data";
import { card, colour, responsive } from "../dom";
import { known, number, short, type Cell } from "../format";

const INSTRUCTIONS = "smsp__inst_executed.sum";

interface Point {
  row: Row;
  source: string; // model and GPU, or "measured"
  intensity: number;
  rate: number;
}

interface Roof {
  gpu: string;
  issue: number; // warp instructions a second
  bandwidth: number; // bytes a second
}

function pointOf(row: Row, source: string, m: Metrics): Point | null {
  const instructions = m.get(INSTRUCTIONS), ns = m.get(TIME), traffic = dramBytes(m);
  return known(instructions) && known(ns) && known(traffic) && instructions > 0 && ns > 0 && traffic > 0
    ? { row, source, intensity: instructions / traffic, rate: (1e9 * instructions) / ns } : null;
}

function roofOf(name: string): Roof | null {
  const gpu = gpuOf(name);
  const product = (...keys: string[]) => keys.reduce((value, key) => value * (gpuNumber(gpu, key) ?? NaN), 1);
  const issue = 1e6 * product("sm.count", "sm.schedulers", "sm.issue_per_scheduler", "sm.clock");
  const bandwidth = 1e6 * product("dram.channels", "dram.bus", "dram.data_rate", "dram.clock");
  return issue > 0 && bandwidth > 0 ? { gpu: name, issue, bandwidth } : null;
}

const edge = (r: Roof, intensity: number) => Math.min(r.issue, r.bandwidth * intensity);
const describe = (p: Point) =>
  `${p.row.launch.name}\n${p.row.launch.bare}\n${p.source}\n${short(p.rate)} warp instructions/s\n${number(p.intensity)} a byte of DRAM traffic`;

function draw(points: Point[], roofs: Roof[], width: number): Element {
  const knees = roofs.map((r) => r.issue / r.bandwidth);
  const xs = [...points.map((p) => p.intensity), ...knees];
  const low = Math.min(...xs) / 2, high = Math.max(...xs) * 2;
  const predicted = points.filter((p) => p.source !== "measured"), measured = points.filter((p) => p.source === "measured");
  const shown = series.filter((s) => predicted.some((p) => p.source === s));
  const size = Math.min(width, 900);
  return Plot.plot({
    width: size, height: Math.min(460, Math.max(300, size * 0.55)), marginLeft: 58, marginBottom: 42, marginTop: 24, marginRight: 20, ariaLabel: "Roofline of warp instructions",
    style: { fontSize: "12px", background: "none" },
    x: { type: "log", domain: [low, high], label: "warp instructions a byte of DRAM traffic →", tickFormat: short, ticks: 5, grid: true },
    y: { type: "log", label: "↑ warp instructions a second", tickFormat: short, ticks: 5, grid: true },
    color: { domain: shown, range: shown.map((s) => colour(series.indexOf(s))), legend: shown.length > 1 },
    marks: [
      ...roofs.map((r) => Plot.line([low, r.issue / r.bandwidth, high].map((x) => ({ x, y: edge(r, x) })), { x: "x", y: "y", stroke: "var(--quiet)", strokeWidth: 1.5 })),
      Plot.text(roofs, { x: () => high, y: "issue", text: (r: Roof) => (roofs.length > 1 ? r.gpu : "issue slots"), dy: -8, textAnchor: "end", fill: "var(--quiet)" }),
      Plot.dot(measured, { x: "intensity", y: "rate", r: 5, stroke: "var(--quiet)", title: describe }),
      Plot.dot(predicted, {
        x: "intensity", y: "rate", r: 4, fill: "source", fillOpacity: 0.8, stroke: "var(--card)", strokeWidth: 0.6, href: (p: Point) => "#/launch/" + p.row.launch.index,
        title: describe, tip: true, ariaLabel: (p: Point) => describe(p).replace(/\n/g, ", "),
      }),
    ],
  });
}

/** Nothing where no model tells time and traffic, or no GPU file is known. */
export function roofline(): HTMLElement | null {
  const roofs = gpuNames.map(roofOf).filter((r): r is Roof => r !== null);
  const seen = new Set<Metrics>();
  const measured = rows.filter((r) => r.measured && !seen.has(r.measured) && seen.add(r.measured)).map((r) => pointOf(r, "measured", r.measured!));
  const points = [...rows.map((r) => pointOf(r, series[r.series], r.metrics)), ...measured].filter((p): p is Point => p !== null);
  if (!roofs.length || !points.some((p) => p.source !== "measured")) return null;
  return card({
    title: "Roofline", name: "roofline", wide: true, body: responsive((width) => draw(points, roofs, width)),
    note: "Below the slope DRAM's peak limits a launch, below the flat part the issue slots of all schedulers." + (measured.length ? " Open circles were measured." : ""),
    rows: () => [["launch", "kernel", "source", "warp instructions a byte", "warp instructions a second"], ...points.map((p): Cell[] => [p.row.launch.name, p.row.launch.kernel, p.source, p.intensity, p.rate])],
  });
}
