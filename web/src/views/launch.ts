// One launch, all models side by side.
import * as Plot from "@observablehq/plot";
import { CYCLES, L1_RATE, TIME, detailGroup, errorOf, errorUnit, gpuOf, isShare, launches, raw, series, unitOf, type Launch, type Row } from "../data";
import { absent, card, csvButton, el, responsive, scroll, select } from "../dom";
import { known, number, signed, time, type Cell } from "../format";
import { stackedBars, type Part } from "../charts/bars";
import { drawFlow, flowOf } from "../charts/sankey";
import { launchRoofline } from "../charts/roofline";
import { hopperCard } from "./hopper";
import { occupancyCard } from "./occupancy";
import { adviceCard, limiterBadge, sourceCard, speedOfLight } from "./advice";
import { binsOf, cacheSizes, curveOf, drawCurve, drawHistogram } from "../charts/profile";

const rowName = (r: Row) => series[r.series];
/** Parts of a model's sums by the words that the rest of the page uses. */
const words = (name: string) => name.replace(/_cycles$/, "").replace(/_/g, " ").replace(/\b(l1|l2|dram|mshr)\b/g, (w) => w.toUpperCase()).replace(/\bnoc\b/, "crossbar");
const shape = (d: number[]) => d.join(" × ");

// ---- where its accesses go ----

function accesses(launch: Launch): HTMLElement {
  const title = "Where its accesses go";
  const views = launch.rows.map((r): [string, ReturnType<typeof flowOf>, boolean] => [rowName(r), flowOf(r.metrics), r.measured !== null]);
  const measured = launch.rows.find((r) => r.measured)?.measured;
  if (measured) views.push(["measured", flowOf(measured), false]);
  const good = views.filter(([, f]) => f.links.length);
  if (!good.length) return absent(title, "No model of this report predicts sectors.");
  // first the model that follows accesses furthest, for the GPU that was measured if there is one
  const worth = ([, f, compared]: (typeof good)[number]) => (compared ? 100 : 0) + f.links.length;
  let at = good.reduce((best, v, i) => (worth(v) >= worth(good[best]) ? i : best), 0);
  const holder = el("div");
  const show = () => holder.replaceChildren(responsive((width) => drawFlow(good[at][1], width)));
  show();
  const tool = select("of", "flow-choice", good.map(([n], i): [string, string] => [String(i), n]), String(at), (v) => {
    at = Number(v);
    show();
  });
  return card({ title, name: "accesses", body: holder, tools: [tool], wide: true,
    rows: () => [["of", "from", "to", "sectors"], ...good.flatMap(([n, f]) => f.links.map((l): Cell[] => [n, l.source, l.target, l.value]))],
    note: "Sectors of 32 bytes. A sector that is already on its way is merged; DRAM fetches may bring a partner sector beside the one that was asked for." });
}

// ---- miss kinds (paper 000, figure 10) ----

const KINDS = ["compulsory", "capacity", "conflict", "associativity", "latency", "mshr"];

function missKinds(launch: Launch): HTMLElement | null {
  const parts: Part[] = [];
  for (const r of launch.rows) {
    const kinds = detailGroup(r.detail, "miss_kinds");
    const misses = kinds.reduce((s, [, v]) => s + v, 0);
    const rate = r.detail["miss_rate_pct"];
    const hits = r.metrics.get(L1_RATE);
    if (kinds.length && typeof rate === "number" && misses > 0) for (const [k, v] of kinds) parts.push({ bar: rowName(r), part: k, value: (rate * v) / misses });
    else if (kinds.length && typeof rate === "number") parts.push({ bar: rowName(r), part: KINDS[0], value: 0 });
    else if (known(hits)) parts.push({ bar: rowName(r), part: "misses", value: 100 - hits });
  }
  const measured = launch.rows.find((r) => r.measured)?.measured?.get(L1_RATE);
  if (known(measured)) parts.push({ bar: "measured", part: "measured misses", value: 100 - measured });
  if (!parts.length) return null;
  const others = [...new Set(parts.map((p) => p.part))].filter((p) => !KINDS.includes(p));
  const order = [...KINDS, ...others].filter((k) => parts.some((p) => p.part === k && p.value > 0));
  // shades of the L1's colour; what was measured is grey here as elsewhere
  // kinds are shades of the L1's colour, darkest first; misses that no model tells apart are its palest
  const colours = order.map((k, i) => (k === "measured misses" ? "var(--s7)" : k === "misses" ? "color-mix(in srgb, var(--s0) 45%, var(--card))" : i < 3 ? `color-mix(in srgb, var(--s0) ${70 + 15 * i}%, var(--ink))` : `color-mix(in srgb, var(--s0) ${100 - 12 * (i - 2)}%, var(--card))`));
  return stackedBars({ title: "L1 misses by kind", name: "miss-kinds", unit: "% of accesses", parts, order, colours,
    note: "The reuse-distance model of one L1 tells misses apart; other models give the rate alone. It counts an access to a line on its way as a miss (latency), the profiler as a hit." });
}

// ---- stacks ----

function stack(launch: Launch, title: string, name: string, unit: string, get: (r: Row) => [string, number][], note: string, measured?: (r: Row) => [string, number][], fixed?: string[]): HTMLElement | null {
  const parts: Part[] = [];
  const add = (bar: string, list: [string, number][]) => list.forEach(([part, value]) => parts.push({ bar, part: words(part), value }));
  launch.rows.forEach((r) => add(rowName(r), get(r)));
  const with_ = launch.rows.find((r) => r.measured);
  if (parts.length && measured && with_) add("measured", measured(with_));
  if (!parts.some((p) => p.value > 0)) return null;
  const sums = new Map<string, number>();
  for (const p of parts) sums.set(p.part, Math.max(sums.get(p.part) ?? 0, p.value));
  const named = fixed ?? [...sums].sort((x, y) => y[1] - x[1]).slice(0, sums.size <= 8 ? 8 : 7).map(([n]) => n);
  const order = fixed ?? [...sums.keys()].filter((n) => named.includes(n));
  // eight colours: all other parts share the last
  const merged = [...sums.keys()].every((n) => named.includes(n)) ? parts : mergeSmall(parts, named);
  return stackedBars({ title, name, unit, parts: merged, order: [...order, "all others"], note });
}

function mergeSmall(parts: Part[], large: string[]): Part[] {
  const rest = new Map<string, number>();
  const kept = parts.filter((p) => {
    if (large.includes(p.part)) return true;
    rest.set(p.bar, (rest.get(p.bar) ?? 0) + p.value);
    return false;
  });
  return [...kept, ...[...rest].map(([bar, value]) => ({ bar, part: "all others", value }))];
}

const STALL = /^smsp__average_warps_issue_stalled_(.+)_per_issue_active\.ratio$/;
const stalls = (m: Map<string, number>) => [...m].flatMap(([name, v]): [string, number][] => {
  const found = STALL.exec(name);
  return found ? [[found[1], v]] : [];
});

function latency(launch: Launch): HTMLElement | null {
  return stack(launch, "Where a load's time goes", "latency", "cycles", (r) => detailGroup(r.detail, "latency").filter(([k]) => k.endsWith("_cycles") && !k.startsWith("total")),
    "Average over the loads that leave the L1.");
}

function cpi(launch: Launch): HTMLElement | null {
  return stack(launch, "CPI stack", "cpi-stack", "cycles per instruction", (r) => detailGroup(r.detail, "cpi_stack").filter(([k]) => k !== "total"),
    "Cycles of an SM for each instruction of a warp, by what they are spent on.");
}

/** The same categories in the same order for every launch and model. */
const REASONS = ["long scoreboard", "short scoreboard", "lg throttle", "mio throttle", "barrier", "wait", "math pipe throttle"];

function stallReasons(launch: Launch): HTMLElement | null {
  return stack(launch, "What its warps wait for", "stalls", "warps per issue", (r) => stalls(r.metrics),
    "Warps that wait for each reason, for each issued instruction.", (r) => {
      // a page without most of the reasons would be drawn as if the rest were all there is
      const list = stalls(r.measured!);
      return 2 * list.length >= stalls(r.metrics).length ? list : [];
    }, REASONS);
}

/** Models that differ by half or more are told, not averaged. */
export function disagreement(launch: Launch): string | null {
  const list = launch.rows.filter((r) => r.gpu === launch.rows[0].gpu && r.metrics.has(TIME)).map((r) => ({ r, t: r.metrics.get(TIME)! })).sort((a, b) => a.t - b.t);
  const [least, most] = [list[0], list.at(-1)];
  return least && most && least.t > 0 && most.t > 1.5 * least.t ? `Models disagree on ${launch.rows[0].gpu}: ${least.r.model} ${time(least.t)}, ${most.r.model} ${time(most.t)}.` : null;
}

function compareTime(launch: Launch): HTMLElement | null {
  const parts: Part[] = launch.rows.flatMap((r) => {
    const v = r.metrics.get(CYCLES);
    return known(v) ? [{ bar: rowName(r), part: "predicted", value: v }] : [];
  });
  const measured = launch.rows.find((r) => r.measured)?.measured?.get(CYCLES);
  if (known(measured)) parts.push({ bar: "measured", part: "measured", value: measured });
  if (parts.length < 2) return null; // the facts above have it
  return stackedBars({ title: "Cycles", name: "cycles", unit: "cycles", parts, order: ["predicted", "measured"], colours: ["var(--s0)", "var(--s7)"], note: disagreement(launch) });
}

// ---- reuse ----

function profiles(launch: Launch): HTMLElement[] {
  return launch.profiles.flatMap(({ document: d, launch: l }) => {
    const what = `${d.scope} scope, ${d.unit}s, ${d.gpu}`;
    const cards: HTMLElement[] = [];
    const bins = binsOf(l);
    if (bins.length) cards.push(card({ title: "Reuse distances", name: "reuse-histogram", body: responsive((w) => drawHistogram(bins, d.unit, w)),
      rows: () => [["distance (" + d.unit + "s)", "accesses"], ...bins.map((b): Cell[] => [b.label, b.count])],
      note: `${what}: ${number(l.accesses)} accesses of ${number(l.streams)} streams; “first” touches a ${d.unit} for the first time.` }));
    const curve = curveOf(d, l);
    const marks = cacheSizes(gpuOf(d.gpu), d.scope);
    if (curve.length) cards.push(card({ title: "Misses by cache size", name: "miss-ratio-curve", body: responsive((w) => drawCurve(curve, marks, w)),
      rows: () => [["bytes", "misses (%)", "lower bound (%)", "upper bound (%)"], ...curve.map((p): Cell[] => [p.bytes, p.ratio, p.low, p.high])],
      note: `${what}: fully associative LRU caches of any size; dashed: the caches of ${d.gpu}.` }));
    if (l.sweep?.length) cards.push(l1Sweep(l.sweep, d.gpu));
    return cards;
  });
}

/** Misses of the L1 with one parameter at a time changed (paper 000, figure 12). */
function l1Sweep(points: NonNullable<Launch["profiles"][number]["launch"]["sweep"]>, gpu: string): HTMLElement {
  const base = points.find((p) => p.factor === 1);
  const names = [...new Set(points.filter((p) => p.factor !== 1).map((p) => p.parameter))];
  const ratio = (p: (typeof points)[number]) => p.timed_miss_ratio ?? p.miss_ratio;
  const lines = names.flatMap((parameter) => [...points.filter((p) => p.parameter === parameter && p.possible), ...(base ? [{ ...base, parameter }] : [])]
    .filter((p) => known(ratio(p))).map((p) => ({ parameter, factor: p.factor, value: p.value, misses: 100 * ratio(p)! })).sort((a, b) => a.factor - b.factor));
  const draw = (width: number) => Plot.plot({ width, height: 290, marginLeft: 48, marginBottom: 44, marginRight: 24, style: { fontSize: "12px", background: "none" }, ariaLabel: "Misses by parameter of the L1",
    x: { type: "log", base: 2, label: "times the value of the GPU →", ticks: [0.25, 0.5, 1, 2, 4], tickFormat: (d: number) => "× " + d }, y: { label: "↑ misses (%)", grid: true, zero: true },
    color: { domain: names, range: names.map((_, i) => `var(--s${i})`), legend: true },
    marks: [Plot.line(lines, { x: "factor", y: "misses", stroke: "parameter", strokeWidth: 2, marker: "dot" }), Plot.tip(lines, Plot.pointer({ x: "factor", y: "misses", title: (p) => `${p.parameter} ${p.value} (× ${p.factor})\n${number(p.misses, 2)} %` }))] });
  return card({ title: "The L1 with other parameters", name: "l1-sweep", body: responsive(draw), rows: () => [["parameter", "factor", "value", "misses (%)"], ...lines.map((l): Cell[] => [l.parameter, l.factor, l.value, l.misses])],
    note: `Loads only; ways, size, line and MSHRs of the L1 of ${gpu}, one at a time.` });
}

// ---- all its metrics ----

function metricTable(launch: Launch): HTMLElement {
  const measured = launch.rows.find((r) => r.measured)?.measured ?? null;
  const has = new Set(launch.rows.flatMap((r) => [...r.metrics.keys()]).concat(measured ? [...measured.keys()] : []));
  const names = [...Object.keys(raw.metrics).filter((n) => has.has(n)), ...[...has].filter((n) => !raw.metrics[n])];
  const error = (n: string, r: Row) => (r.measured ? errorOf(n, r.metrics.get(n), r.measured.get(n)) : null);
  const head = ["Metric", "Unit", ...(measured ? ["Measured"] : []), ...launch.rows.map(rowName)];
  const body = names.map((n) => el("tr", null, el("th", { scope: "row", class: "metric" }, n, raw.metrics[n] ? el("div", { class: "quiet" }, raw.metrics[n].definition) : null), el("td", null, unitOf(n)),
    measured ? el("td", { class: "number" }, number(measured.get(n))) : null,
    ...launch.rows.map((r) => {
      const e = error(n, r);
      return el("td", { class: "number" }, number(r.metrics.get(n)), known(e) ? el("div", { class: "quiet" + (Math.abs(e) > 25 ? " bad" : "") }, signed(e, isShare(n) ? "pt" : "%")) : null);
    })));
  const rows = (): Cell[][] => [["metric", "unit", "model", "predicted", "measured", "error", "error unit", "definition"],
    ...names.flatMap((n) => launch.rows.map((r): Cell[] => [n, unitOf(n), rowName(r), r.metrics.get(n), r.measured?.get(n), error(n, r), known(error(n, r)) ? errorUnit(n) : "", raw.metrics[n]?.definition]))];
  return el("div", { class: "card wide" }, el("div", { class: "head" }, el("h3", null, "All its metrics"), csvButton("metrics", rows, "all metrics")),
    scroll("Metrics of the launch", el("table", { id: "metric-table" }, el("thead", null, el("tr", null, ...head.map((h, i) => el("th", { scope: "col", class: i > 1 ? "number" : null }, h)))), el("tbody", null, ...body))));
}

function facts(launch: Launch): HTMLElement {
  const pairs: [string, string][] = [["Kernel", launch.kernel || "unknown"],
    ["Shape", launch.grid.some(Boolean) ? `${shape(launch.grid)} blocks of ${shape(launch.block)} threads` : "unknown (predictions as CSV hold none)"],
    ...launch.rows.flatMap((r): [string, string][] => (r.metrics.has(TIME) ? [[rowName(r), `${number(r.metrics.get(CYCLES), 0)} cycles, ${time(r.metrics.get(TIME))}`]] : []))];
  const measured = launch.rows.find((r) => r.measured)?.measured;
  if (measured?.has(TIME)) pairs.push(["measured", `${number(measured.get(CYCLES), 0)} cycles, ${time(measured.get(TIME))}`]);
  return el("dl", { class: "facts across" }, ...pairs.map(([k, v]) => el("div", null, el("dt", null, k), el("dd", { class: / (cycles|threads)\b/.test(v) ? "together" : null, title: v }, v))));
}

/** Details of a model that no chart shows. */
function moreDetails(launch: Launch): HTMLElement | null {
  const shown = /^(latency|cpi_stack|miss_kinds|async)\./;
  const rows = launch.rows.flatMap((r) => Object.entries(r.detail).filter(([k]) => !shown.test(k)).map(([k, v]): Cell[] => [rowName(r), k, v]));
  if (!rows.length) return null;
  const all: Cell[][] = [["model", "detail", "value"], ...rows];
  return card({ title: "More the models say", name: "details", rows: () => all, body: scroll("Details", el("table", null, el("thead", null, el("tr", null, ...all[0].map((h) => el("th", { scope: "col" }, String(h))))),
    el("tbody", null, ...rows.map((r) => el("tr", null, el("td", null, String(r[0])), el("td", null, String(r[1])), el("td", { class: typeof r[2] === "number" ? "number" : "words" }, typeof r[2] === "number" ? number(r[2]) : String(r[2]))))))) });
}

export function launchView(index: number): HTMLElement {
  const launch = launches[index] ?? launches[0];
  if (!launch) return el("div", { class: "view" }, el("p", { class: "note" }, "This report holds no launch."));
  const go = (i: number) => (location.hash = "#/launch/" + i);
  const step = (by: number, text: string, key: string) => {
    const b = el("button", { type: "button", title: "key " + key, disabled: !launches[launch.index + by] }, text);
    b.addEventListener("click", () => go(launch.index + by));
    return b;
  };
  const warnings = [...new Set(launch.rows.flatMap((r) => r.warnings))];
  const cards = [speedOfLight(launch), hopperCard(launch), occupancyCard(launch), launchRoofline(launch), compareTime(launch), missKinds(launch), cpi(launch), latency(launch), stallReasons(launch), ...profiles(launch)].filter((c): c is HTMLElement => c !== null);
  return el("div", { class: "view" },
    el("div", { class: "controls" }, select("Launch", "launch-choice", launches.map((l): [string, string] => [String(l.index), `${l.name}  ${l.bare}`]), String(launch.index), (v) => go(Number(v))), step(-1, "Previous", "p"), step(1, "Next", "n")),
    el("h2", null, launch.bare || launch.name, " ", limiterBadge(launch)), facts(launch), ...warnings.map((w) => el("p", { class: "note" }, "Note: " + w)),
    el("div", { class: "cards flowing" }, adviceCard(launch), sourceCard(launch), launch.rows.length ? accesses(launch) : null, ...cards),
    launch.rows.length ? metricTable(launch) : null, moreDetails(launch));
}
