// Reuse distances and what they mean for caches of any size.
import * as Plot from "@observablehq/plot";
import { gpuNumber, gpuOf } from "../data";
import { bytes, known, number, short } from "../format";
import type { Gpu, ReuseDocument, ReuseLaunch } from "../types";

export interface Mark {
  name: string;
  bytes: number;
}

/** Bytes of what a distance counts. */
export function unitBytes(document: ReuseDocument): number {
  const gpu = gpuOf(document.gpu);
  return gpuNumber(gpu, document.unit === "sector" ? "l1.sector" : "l1.line") ?? (document.unit === "sector" ? 32 : 128);
}

export function cacheSizes(gpu: Gpu | undefined, scope: string): Mark[] {
  const l2 = gpu?.totals.find((t) => /^l2.*(size|bytes|capacity)/i.test(t[0]) && /byte/i.test(t[2]))?.[1] ?? gpuNumber(gpu, "l2.size");
  const l1 = gpuNumber(gpu, "l1.size") ?? gpuNumber(gpu, "l1.unified");
  const marks: Mark[] = [];
  if (scope !== "gpu" && known(l1) && l1 > 0) marks.push({ name: "L1", bytes: l1 });
  if (known(l2) && l2 > 0) marks.push({ name: "L2", bytes: l2 });
  return marks;
}

export interface Bin {
  label: string;
  count: number;
}

export function binsOf(launch: ReuseLaunch): Bin[] {
  const bins = (launch.distances ?? []).map((d) => ({ label: d.from === d.to ? short(d.from) : `${short(d.from)}–${short(d.to)}`, count: d.count }));
  return known(launch.first) ? [...bins, { label: "first", count: launch.first }] : bins;
}

export function drawHistogram(bins: Bin[], unit: string, width: number): Element {
  const all = bins.reduce((s, b) => s + b.count, 0) || 1;
  const tilt = width / bins.length < 52;
  return Plot.plot({
    width, height: 280, marginLeft: 48, marginBottom: tilt ? 78 : 44, ariaLabel: "Reuse distances", style: { fontSize: "12px", background: "none" },
    x: { label: `distance in ${unit}s`, domain: bins.map((b) => b.label), tickRotate: tilt ? -45 : 0, tickSize: 0, labelAnchor: "right" },
    y: { label: "↑ share of accesses (%)", grid: true },
    marks: [
      Plot.barY(bins, { x: "label", y: (b: Bin) => (100 * b.count) / all, fill: (b: Bin) => (b.label === "first" ? "var(--s7)" : "var(--s0)"), rx: 2, insetLeft: 1, insetRight: 1,
        title: (b: Bin) => `${b.label}: ${number(b.count)} accesses, ${number((100 * b.count) / all, 2)} %`, tip: true }),
      Plot.ruleY([0]),
    ],
  });
}

export interface CurvePoint {
  bytes: number;
  ratio: number;
  low: number;
  high: number;
}

export function curveOf(document: ReuseDocument, launch: ReuseLaunch): CurvePoint[] {
  const unit = unitBytes(document);
  return (launch.miss_ratios ?? []).map((m) => ({ bytes: m.size * unit, ratio: 100 * m.miss_ratio,
    low: 100 * Math.max(0, m.miss_ratio - (m.bound ?? 0)), high: 100 * Math.min(1, m.miss_ratio + (m.bound ?? 0)) }));
}

export function drawCurve(points: CurvePoint[], marks: Mark[], width: number): Element {
  const sizes = [...points.map((p) => p.bytes), ...marks.map((m) => m.bytes)];
  const last = points[points.length - 1];
  const end = Math.max(...sizes) * 1.6;
  // beyond its last point the curve is flat: only first accesses miss
  const line = [...points, { ...last, bytes: end }];
  return Plot.plot({
    width, height: 290, marginLeft: 48, marginTop: 26, marginRight: 24, marginBottom: 44, ariaLabel: "Miss-ratio curve", style: { fontSize: "12px", background: "none" },
    x: { type: "log", base: 2, label: "cache size →", tickFormat: bytes, ticks: Math.max(3, Math.floor(width / 110)), domain: [Math.min(...sizes), end] },
    y: { label: "↑ misses (%)", grid: true, domain: [0, Math.max(...points.map((p) => p.high), 1)], nice: true },
    marks: [
      Plot.areaY(line, { x: "bytes", y1: "low", y2: "high", fill: "var(--s0)", fillOpacity: 0.2, curve: "step-after" }),
      Plot.line(line, { x: "bytes", y: "ratio", stroke: "var(--s0)", strokeWidth: 2, curve: "step-after" }),
      Plot.dot(points, { x: "bytes", y: "ratio", fill: "var(--s0)", r: 3, title: (p: CurvePoint) => `${bytes(p.bytes)}: ${number(p.ratio, 2)} % miss`, tip: true }),
      Plot.ruleX(marks, { x: "bytes", stroke: "var(--s1)", strokeDasharray: "4 3" }),
      Plot.text(marks, { x: "bytes", frameAnchor: "top", text: (m: Mark) => `${m.name} ${bytes(m.bytes)}`, dy: -12, fill: "var(--ink)", textAnchor: "end", dx: 4 }),
    ],
  });
}
