// Predicted against measured.
import * as Plot from "@observablehq/plot";
import { CYCLES, L1_RATE, L2_RATE, comparedSeries, detailGroup, errorOf, errorUnit, isShare, launches, raw, rows, series, unitOf } from "../data";
import { card, colour, csvButton, el, responsive, scroll, select, table } from "../dom";
import { known, number, type Cell } from "../format";
import { legend } from "../charts/bars";
import { drawScatter, plottable, type Point } from "../charts/scatter";

// Figures 7 to 12 of paper 004: cycles, L1 accesses and hits, L2 reads and hits, DRAM reads.
const HEADLINES: [string, string][] = [
  ["Cycles", CYCLES],
  ["L1 load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
  ["L1 hit rate", L1_RATE],
  ["L2 read sectors", "lts__t_sectors_srcunit_tex_op_read.sum"],
  ["L2 hit rate", L2_RATE],
  ["DRAM read sectors", "dram__sectors_read.sum"],
];

const cache = new Map<string, Point[]>();
function pointsOf(metric: string): Point[] {
  let points = cache.get(metric);
  if (!points) {
    points = rows.flatMap((row): Point[] => {
      const predicted = row.metrics.get(metric), measured = row.measured?.get(metric);
      return known(predicted) && known(measured) ? [{ row, predicted, measured, error: errorOf(metric, predicted, measured), spread: row.spread[metric] }] : [];
    });
    cache.set(metric, points);
  }
  return points;
}

const pointRows = (metric: string): Cell[][] => [["launch", "kernel", "model", "metric", "predicted", "measured", "least measured", "most measured", "error (" + errorUnit(metric) + ")"],
  ...pointsOf(metric).map((p): Cell[] => [p.row.launch.name, p.row.launch.kernel, series[p.row.series], metric, p.predicted, p.measured, p.spread?.[0] ?? p.measured, p.spread?.[1] ?? p.measured, p.error])];

function errorRow(metric: string) {
  return (raw.correlation?.models ?? []).flatMap((m) => m.metrics.filter((e) => e.metric === metric).map((e) => ({ label: m.label ?? m.model ?? "", e })));
}

function statistics(metric: string): HTMLElement {
  const share = isShare(metric);
  const body: Cell[][] = errorRow(metric).map(({ label, e }) => [label, e.n, e.n_exact, share ? e.mean_absolute : e.mean_relative_pct, share ? e.median_absolute : e.median_relative_pct, e.bias, share ? e.pearson : e.log_pearson]);
  const cut = errorRow(metric).find(({ e }) => (e.n_below ?? 0) > 0)?.e;
  return el("div", null,
    table([["Model", "Launches", "Exact", `Mean error (${errorUnit(metric)})`, "Median error", "Bias", share ? "Correlation" : "Correlation of logs"], ...body], "Errors of " + metric),
    cut ? el("p", { class: "note" }, `The statistics leave out launches measured at ${number(cut.above)} ${unitOf(metric)} or less, which tell about the launch itself rather than the program.`) : null);
}

function worst(metric: string): HTMLElement {
  const list = pointsOf(metric).filter((p) => known(p.error)).sort((a, b) => Math.abs(b.error!) - Math.abs(a.error!)).slice(0, 10);
  return scroll("Worst launches", el("table", null, el("thead", null, el("tr", null, ...["Worst launches", "Model", "Predicted", "Measured", `Error (${errorUnit(metric)})`].map((h, i) => el("th", { scope: "col", class: i > 1 ? "number" : null }, h)))),
    el("tbody", null, ...list.map((p) => el("tr", null, el("th", { scope: "row" }, el("a", { href: "#/launch/" + p.row.launch.index }, p.row.launch.name.replace(/\.traceg(\.\w+)?$/, ""))), el("td", null, series[p.row.series]),
      ...[p.predicted, p.measured, p.error].map((v) => el("td", { class: "number" }, number(v))))))));
}

function big(metric: string): HTMLElement {
  const points = pointsOf(metric);
  const lost = points.length - plottable(metric, points).length;
  return el("div", { class: "cards" },
    card({ title: "Predicted against measured", name: "scatter", body: responsive((w) => drawScatter(metric, points, w, false), "plot scatter"), rows: () => pointRows(metric),
      note: `Bands: 10 and 25 ${isShare(metric) ? "points" : "%"}. A point leads to its launch.` + (raw.measured?.runs ? ` Bars: least and most of ${raw.measured.runs} runs of the card.` : "") + (lost ? ` ${lost} points at zero do not stand on log axes.` : "") }),
    el("div", { class: "card" }, el("div", { class: "head" }, el("h3", null, "Errors"), csvButton("errors", () => errorRows(metric), "the errors")), statistics(metric), worst(metric)));
}

const errorRows = (metric: string): Cell[][] => [["metric", "model", "n", "exact", "mean absolute", "mean relative (%)", "median absolute", "median relative (%)", "bias", "correlation", "correlation of logs"],
  ...errorRow(metric).map(({ label, e }): Cell[] => [metric, label, e.n, e.n_exact, e.mean_absolute, e.mean_relative_pct, e.median_absolute, e.median_relative_pct, e.bias, e.pearson, e.log_pearson])];

// ---- miss kinds of all launches beside the measured rate (paper 000, figure 10) ----

interface KindBar {
  launch: string;
  side: string;
  part: string;
  value: number;
}

function kindBars(): KindBar[] {
  // kernels say more than numbers of launches, where no two have the same name
  const distinct = new Set(launches.map((l) => l.bare)).size === launches.length;
  return rows.flatMap((r) => {
    const kinds = detailGroup(r.detail, "miss_kinds"), rate = r.detail["miss_rate_pct"], hits = r.measured?.get(L1_RATE);
    const all = kinds.reduce((s, [, v]) => s + v, 0);
    if (!kinds.length || typeof rate !== "number") return [];
    const name = distinct ? r.launch.bare : r.launch.name.replace(/\.traceg(\.\w+)?$/, "");
    const bars: KindBar[] = kinds.map(([part, v]) => ({ launch: name, side: "model", part, value: all ? (rate * v) / all : 0 }));
    return known(hits) ? [...bars, { launch: name, side: "measured", part: "measured", value: 100 - hits }] : bars;
  });
}

function kindChart(): HTMLElement | null {
  const bars = kindBars();
  if (!bars.length) return null;
  const parts = [...new Set(bars.filter((b) => b.value > 0).map((b) => b.part))].sort((a, b) => Number(a === "measured") - Number(b === "measured"));
  const names = [...new Set(bars.map((b) => b.launch))];
  const draw = (width: number) => {
    const full = Math.max(width, names.length * 26 + 60);
    return el("div", { class: "sideways" }, Plot.plot({
      width: full, height: 330, marginBottom: 120, marginLeft: 44, style: { fontSize: "12px", background: "none" }, ariaLabel: "Miss kinds of all launches",
      fx: { domain: names, label: null, tickRotate: -50, padding: 0.2 }, x: { axis: null, domain: ["model", "measured"], padding: 0.05 },
      y: { label: "↑ misses (% of accesses)", grid: true }, color: { domain: parts, range: parts.map((_, i) => colour(i)) },
      marks: [Plot.barY(bars, { fx: "launch", x: "side", y: "value", fill: "part", order: parts, title: (b: KindBar) => `${b.launch}, ${b.side}\n${b.part}: ${number(b.value, 1)} %` }), Plot.ruleY([0])],
    }));
  };
  return card({ title: "L1 misses by kind beside the measured rate", name: "miss-kinds-all", wide: true, body: el("div", null, legend(parts), responsive(draw)),
    rows: () => [["launch", "bar", "part", "% of accesses"], ...bars.map((b): Cell[] => [b.launch, b.side, b.part, b.value])],
    note: "Left: the reuse-distance model, stacked by kind. Right: 100 % less the measured hit rate, which counts an access to a line on its way as a hit." });
}

export function silicon(metric: string): HTMLElement {
  const measured = [...new Set(rows.flatMap((r) => (r.measured ? [...r.metrics.keys()].filter((m) => r.measured!.has(m)) : [])))];
  if (!measured.length) return el("div", { class: "view" }, el("p", { class: "note" }, "Nothing was measured: `strata report --measured FILE` adds a comparison."), kindChart());
  const order = [...HEADLINES.map(([, m]) => m).filter((m) => measured.includes(m)), ...measured.filter((m) => !HEADLINES.some(([, h]) => h === m)).sort()];
  const chosen = order.includes(metric) ? metric : order[0];
  const small = HEADLINES.filter(([, m]) => plottable(m, pointsOf(m)).length).map(([title, m]) =>
    card({ title, name: "scatter-" + title.toLowerCase().replace(/ /g, "-"), rows: () => pointRows(m), body: responsive((w) => drawScatter(m, pointsOf(m), w, true), "plot scatter"),
      tools: [el("a", { href: "#/silicon/" + m, "aria-label": "Enlarge " + title }, "enlarge")] }));
  return el("div", { class: "view" }, legend(comparedSeries),
    el("div", { class: "cards three" }, ...small),
    el("div", { class: "controls" }, select("Metric", "metric-choice", order.map((m): [string, string] => [m, m]), chosen, (m) => (location.hash = "#/silicon/" + m))),
    raw.metrics[chosen] ? el("p", { class: "note" }, raw.metrics[chosen].definition) : null,
    big(chosen), kindChart());
}
