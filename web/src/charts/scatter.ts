// Predicted against measured, on log axes for counts, with bands of 10 and 25 % (or points).
import * as Plot from "@observablehq/plot";
import { comparedSeries, isShare, series, type Row, unitOf } from "../data";
import { colour } from "../dom";
import { number, short, signed } from "../format";

/** "cycles" for the unit "cycle"; per cents stay. */
const many = (unit: string) => (/[a-z]$/.test(unit) && !/s$/.test(unit) ? unit + "s" : unit);

const SYMBOLS = ["circle", "diamond", "star"];

export interface Point {
  row: Row;
  predicted: number;
  measured: number;
  error: number | null;
  spread?: [number, number]; // least and most of several runs
}

/** On log axes only what is above zero can stand. */
export const plottable = (metric: string, points: Point[]) =>
  isShare(metric) ? points : points.filter((p) => p.measured > 0 && p.predicted > 0);

function domain(metric: string, points: Point[]): [number, number] {
  const values = points.flatMap((p) => [p.predicted, p.measured, ...(p.spread ?? [])]).filter((v) => isShare(metric) || v > 0);
  if (isShare(metric)) return [Math.min(0, ...values), Math.max(100, ...values)];
  const low = Math.min(...values), high = Math.max(...values);
  return low === high ? [low / 3, high * 3] : [low / 1.5, high * 1.5];
}

function bands(metric: string, [low, high]: [number, number]): Plot.Markish[] {
  const share = isShare(metric);
  return [25, 10].map((w) => {
    const edge = [low, high].map((v) => ({ x: v, y1: share ? v - w : v * (1 - w / 100), y2: share ? v + w : v * (1 + w / 100) }));
    return Plot.areaY(edge, { x: "x", y1: "y1", y2: "y2", fill: "var(--s0)", fillOpacity: 0.11, clip: true });
  });
}

const describe = (p: Point, unit: string) =>
  `${p.row.launch.name}\n${p.row.launch.bare}\n${series[p.row.series]}\npredicted ${number(p.predicted)}\nmeasured ${number(p.measured)}${p.spread ? ` (${number(p.spread[0])} to ${number(p.spread[1])})` : ""}\nerror ${signed(p.error, unit)}`;

export function drawScatter(metric: string, all: Point[], width: number, small: boolean): Element {
  const points = plottable(metric, all);
  const [low, high] = domain(metric, points);
  const size = Math.min(width, small ? 330 : 620);
  const axis = { type: isShare(metric) ? ("linear" as const) : ("log" as const), domain: [low, high], tickFormat: short, ticks: small ? 4 : 6, grid: true };
  return Plot.plot({
    width: size, height: size, marginLeft: 50, marginBottom: 40, marginTop: 24, marginRight: 14, ariaLabel: `Predicted against measured ${metric}`,
    style: { fontSize: "12px", background: "none" },
    x: { ...axis, label: `measured, ${many(unitOf(metric))} →` },
    y: { ...axis, label: `↑ predicted, ${many(unitOf(metric))}` },
    color: { domain: comparedSeries, range: comparedSeries.map((_, i) => colour(i)) },
    symbol: { type: "identity" } as never,
    marks: [
      ...bands(metric, [low, high]),
      Plot.line([[low, low], [high, high]], { stroke: "var(--quiet)", strokeWidth: 1 }),
      Plot.ruleY(points.filter((p) => p.spread), { // the card's own spread (paper 004, figures 7 to 12)
        x1: (p: Point) => Math.max(p.spread![0], low), x2: (p: Point) => p.spread![1], y: "predicted", stroke: "var(--quiet)", strokeWidth: 1.2,
      }),
      Plot.dot(points, {
        x: "measured", y: "predicted", fill: (p: Point) => series[p.row.series], symbol: (p: Point) => SYMBOLS[Math.floor(comparedSeries.indexOf(series[p.row.series]) / 8)] ?? "square", r: small ? 3 : 4.5, fillOpacity: 0.8, stroke: "var(--card)", strokeWidth: 0.6,
        href: (p: Point) => "#/launch/" + p.row.launch.index, channels: {},
        title: (p: Point) => describe(p, isShare(metric) ? "points" : "%"), tip: !small, ariaLabel: (p: Point) => describe(p, "").replace(/\n/g, ", "),
      }),
    ],
  });
}
