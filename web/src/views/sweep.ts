// A model at many points of a design space: heat maps, curves, the ranking and the Pareto front.
import * as Plot from "@observablehq/plot";
import { CYCLES, gpus, isShare, raw, unitOf } from "../data";
import { card, colour, csvButton, el, responsive, scroll, select } from "../dom";
import { bareName, bytes, known, number, short, signed, type Cell } from "../format";
import type { Sweep, SweepPoint } from "../types";

const sweeps: { file: string; sweep: Sweep }[] = raw.documents.filter((d) => d.content.schema === "strata.sweep/1")
  .map((d) => ({ file: d.file.replace(/^.*\//, ""), sweep: d.content as unknown as Sweep })).filter((s) => Array.isArray(s.sweep.points) && Array.isArray(s.sweep.keys));
export const hasSweeps = sweeps.length > 0;

const state = { metric: "", launch: "", x: "", y: "", rest: new Map<string, string>(), all: false };

// ---- values of keys: "16KiB", "4", "lru" ----

const UNITS: Record<string, number> = { B: 1, k: 1e3, K: 1e3, kB: 1e3, KB: 1e3, M: 1e6, MB: 1e6, G: 1e9, GB: 1e9, Ki: 1024, KiB: 1024, Mi: 2 ** 20, MiB: 2 ** 20, Gi: 2 ** 30, GiB: 2 ** 30 };

function asNumber(text: string): number | null {
  const found = /^(-?[\d.]+(?:e[-+]?\d+)?)\s*([A-Za-z]*)$/i.exec(text);
  if (!found) return null;
  const factor = found[2] ? UNITS[found[2]] : 1;
  return factor === undefined ? null : Number(found[1]) * factor;
}

function valuesOf(sweep: Sweep, key: string): string[] {
  const values = [...new Set(sweep.points.map((p) => p.settings[key]).filter((v): v is string => v !== undefined))];
  return values.every((v) => asNumber(v) !== null) ? values.sort((a, b) => asNumber(a)! - asNumber(b)!) : values;
}

const isSize = (values: string[]) => values.length > 0 && values.every((v) => /i?B$|[KMG]i$/.test(v));

// ---- metrics of points ----

function metricOf(p: SweepPoint): number | null {
  const from = state.launch === "" ? p.metrics : p.launches?.[Number(state.launch)];
  const v = from?.[state.metric];
  return known(v) ? v : null;
}

const metricNames = (s: Sweep) => [...new Set(s.points.flatMap((p) => Object.keys(p.metrics ?? {})))];
const better = (s: Sweep) => (s.rank?.metric === state.metric ? s.rank.goal : isShare(state.metric) ? "max" : "min");

/** Points that agree with the choice for the keys that are on no axis. */
function chosenPoints(s: Sweep, rest: string[]): SweepPoint[] {
  return s.points.filter((p) => p.status === "done" && rest.every((k) => !state.rest.get(k) || p.settings[k] === state.rest.get(k)));
}

/** The best of the points that share a place. */
function bestOf(s: Sweep, points: SweepPoint[], keys: string[]): { p: SweepPoint; v: number }[] {
  const best = new Map<string, { p: SweepPoint; v: number }>();
  const up = better(s) === "max";
  for (const p of points) {
    const v = metricOf(p);
    const place = keys.map((k) => p.settings[k] ?? "").join("\n");
    const old = best.get(place);
    if (v !== null && (!old || (up ? v > old.v : v < old.v))) best.set(place, { p, v });
  }
  return [...best.values()];
}

const settingsText = (p: SweepPoint) => Object.entries(p.settings).map(([k, v]) => `${k}=${v}`).join(" ") || "the GPU as it is";
const axisLabel = (metric: string) => metric + (unitOf(metric) ? ` (${unitOf(metric)})` : "");

// ---- the card as it is ----

/** What the GPU's file says of a key, if the sweep has a value that means the same. */
function ownValue(s: Sweep, key: string): string | undefined {
  const found = gpus.find((g) => g.gpu === s.gpu && !g.overrides.length)?.keys.find((k) => k[0] === key);
  return found && valuesOf(s, key).find((v) => v === found[1] || (known(found[5]) && asNumber(v) === found[5]));
}

/** The point that changes nothing: every varied key at the card's own value. */
function cardPoint(s: Sweep): SweepPoint | undefined {
  const own = new Map(s.keys.map((k) => [k, ownValue(s, k)]));
  return s.points.find((p) => p.status === "done" && s.keys.every((k) => p.settings[k] === undefined || p.settings[k] === own.get(k)));
}

/** Per cent (or points) against the card as it is. */
const against = (v: number, base: number) => (isShare(state.metric) ? v - base : base ? 100 * (v / base - 1) : NaN);
const againstText = (v: number, base: number | null) => (known(base) ? signed(against(v, base), isShare(state.metric) ? "points" : "%") : "");

/** How far the metric moves over the values of one key, the others as they are at one point. */
function reach(s: Sweep, key: string, from: SweepPoint): number {
  const points = s.points.filter((p) => p.status === "done" && s.keys.every((k) => k === key || p.settings[k] === from.settings[k]));
  const values = points.map(metricOf).filter(known);
  const low = Math.min(...values), high = Math.max(...values);
  return values.length < 2 || (!isShare(state.metric) && low <= 0) ? 0 : isShare(state.metric) ? high - low : 100 * (high / low - 1);
}

function verdict(s: Sweep): HTMLElement {
  const card = cardPoint(s);
  const base = card ? metricOf(card) : null;
  const done = s.points.filter((p) => p.status === "done" && known(metricOf(p)));
  const up = better(s) === "max";
  const best = done.reduce<SweepPoint | undefined>((b, p) => (!b || (up ? metricOf(p)! > metricOf(b)! : metricOf(p)! < metricOf(b)!) ? p : b), undefined);
  const reaches = s.keys.filter((k) => valuesOf(s, k).length > 1).map((k) => ({ k, r: (card ?? best) ? reach(s, k, (card ?? best)!) : 0 })).sort((a, b) => b.r - a.r);
  const unit = isShare(state.metric) ? " points" : " %";
  const words: string[] = [];
  if (best && known(base) && card !== best) words.push(`The best point, ${settingsText(best)}, has ${number(metricOf(best))}: ${againstText(metricOf(best)!, base)} against the card as it is (${number(base)}).`);
  else if (best && known(base)) words.push(`No point is better than the card as it is (${number(base)}).`);
  else if (best) words.push(`The best point is ${settingsText(best)} with ${number(metricOf(best))}; the card as it is is not among the points.`);
  if (reaches.length) words.push(reaches[0].r < 0.5 ? "None of the keys moves it by half a per cent." : `What matters most is ${reaches.map(({ k, r }) => `${k} (${number(r, 1)}${unit} from end to end)`).join(", then ")}.`);
  return el("p", { class: "lead", id: "sweep-verdict" }, words.join(" "));
}

function heatMap(s: Sweep, points: SweepPoint[], note: string | null): HTMLElement {
  const cells = bestOf(s, points, [state.x, state.y]);
  const xs = valuesOf(s, state.x), ys = valuesOf(s, state.y).reverse();
  const values = cells.map((c) => c.v);
  const low = Math.min(...values), high = Math.max(...values);
  const card_ = cardPoint(s);
  const base = card_ ? metricOf(card_) : null;
  const own = cells.filter((c) => c.p.settings[state.x] === card_?.settings[state.x] && c.p.settings[state.y] === card_?.settings[state.y]);
  const dark = (v: number) => (high > low ? (v - low) / (high - low) : 0) > 0.55;
  const draw = (width: number) => {
    const left = Math.min(150, Math.max(50, ...ys.map((y) => y.length * 7 + 30)));
    const wide = (width - left) / xs.length > 46;
    return Plot.plot({
      width, height: Math.max(160, ys.length * 38 + 60), marginLeft: left, marginBottom: 50, style: { fontSize: "12px", background: "none" }, ariaLabel: `${state.metric} by ${state.x} and ${state.y}`,
      x: { domain: xs, label: state.x + " →", tickSize: 0, tickRotate: wide ? 0 : -45 }, y: { domain: ys, label: null, tickSize: 0 },
      color: { type: "linear", domain: [low, high], range: ["#dcebfb", "#123f7c"], interpolate: "hcl", legend: true, label: axisLabel(state.metric), tickFormat: short },
      marks: [
        Plot.cell(cells, { x: (c) => c.p.settings[state.x], y: (c) => c.p.settings[state.y], fill: "v", inset: 1, rx: 3, title: (c) => `${settingsText(c.p)}\n${number(c.v)} ${unitOf(state.metric)}\n${againstText(c.v, base)}${c.p.rank ? "\nrank " + c.p.rank : ""}`, tip: true }),
        Plot.cell(own, { x: (c) => c.p.settings[state.x], y: (c) => c.p.settings[state.y], fill: "none", stroke: "var(--s1)", strokeWidth: 3, inset: 1, rx: 3 }),
        wide ? Plot.text(cells, { x: (c) => c.p.settings[state.x], y: (c) => c.p.settings[state.y], text: (c) => (known(base) && !own.includes(c) ? againstText(c.v, base).replace(" points", "") : short(c.v)), fontSize: (width - left) / xs.length > 58 ? 12 : 10, fill: (c) => (dark(c.v) ? "#fff" : "#1d1d1b"), pointerEvents: "none" }) : null,
      ],
    });
  };
  return card({ title: "Heat map", name: "sweep-heat-map", body: responsive(draw), note: [`Rows: ${state.y}.`, known(base) ? "Framed: the card as it is; the others as change against it." : null, note].filter(Boolean).join(" ") || null,
    rows: () => [[state.x, state.y, state.metric, "settings"], ...cells.map((c): Cell[] => [c.p.settings[state.x], c.p.settings[state.y], c.v, settingsText(c.p)])] });
}

/** The card's own value of the key across, and its own point. */
function cardMarks(s: Sweep, cells: { p: SweepPoint; v: number }[], numeric: boolean): Plot.Markish[] {
  const card_ = cardPoint(s), text = ownValue(s, state.x);
  if (!card_ || text === undefined) return [];
  const at = numeric ? asNumber(text)! : text;
  const own = cells.filter((c) => c.p === card_ || (c.p.settings[state.x] === text && (!state.y || c.p.settings[state.y] === card_.settings[state.y])));
  return [Plot.ruleX([at], { stroke: "var(--s1)", strokeDasharray: "4 3" }), Plot.dot(own, { x: () => at, y: "v", r: 7, stroke: "var(--s1)", strokeWidth: 2 }),
    Plot.text([at], { x: (d) => d, frameAnchor: "top", text: () => "the card", dy: -8, fill: "var(--ink)" })];
}

function curves(s: Sweep, points: SweepPoint[], note: string | null): HTMLElement {
  const xs = valuesOf(s, state.x);
  const groups = state.y ? valuesOf(s, state.y) : [""];
  const cells = bestOf(s, points, state.y ? [state.x, state.y] : [state.x]);
  const numeric = xs.every((v) => asNumber(v) !== null && asNumber(v)! > 0) && xs.length > 2;
  const x = (c: { p: SweepPoint }) => (numeric ? asNumber(c.p.settings[state.x])! : c.p.settings[state.x]);
  cells.sort((a, b) => xs.indexOf(a.p.settings[state.x]) - xs.indexOf(b.p.settings[state.x]));
  const draw = (width: number) => Plot.plot({
    width, height: 330, marginLeft: 60, marginTop: 30, marginBottom: 50, marginRight: 34, style: { fontSize: "12px", background: "none" }, ariaLabel: `${state.metric} by ${state.x}`,
    x: numeric ? { type: "log", base: 2, label: state.x + " →", tickFormat: isSize(xs) ? bytes : short, ticks: xs.length <= 8 ? xs.map((v) => asNumber(v)!) : 6 } : { type: "point", domain: xs, label: state.x + " →" },
    y: { label: "↑ " + axisLabel(state.metric), grid: true, tickFormat: short },
    color: { domain: groups, range: groups.map((_, i) => colour(i)), legend: Boolean(state.y), label: state.y },
    marks: [...cardMarks(s, cells, numeric), Plot.line(cells, { x, y: "v", stroke: (c) => (state.y ? c.p.settings[state.y] : ""), strokeWidth: 2, marker: "dot" }),
      Plot.tip(cells, Plot.pointer({ x, y: "v", title: (c) => `${settingsText(c.p)}\n${number(c.v)} ${unitOf(state.metric)}` }))],
  });
  return card({ title: "Curves", name: "sweep-curves", body: responsive(draw), note: [state.y ? `One line a value of ${state.y}.` : null, cardPoint(s) ? "Dashed: the card as it is." : null, note].filter(Boolean).join(" ") || null,
    rows: () => [[state.x, state.y || "", state.metric, "settings"], ...cells.map((c): Cell[] => [c.p.settings[state.x], state.y ? c.p.settings[state.y] : "", c.v, settingsText(c.p)])] });
}

function pareto(s: Sweep): HTMLElement | null {
  const goals = s.pareto;
  if (!goals || goals.length < 2) return null;
  const [a, b] = goals;
  const points = s.points.filter((p) => p.status === "done" && known(p.metrics[a.metric]) && known(p.metrics[b.metric]));
  const front = points.filter((p) => p.front).sort((p, q) => p.metrics[a.metric]! - q.metrics[a.metric]!);
  const at = (m: string) => (p: SweepPoint) => p.metrics[m];
  const draw = (width: number) => Plot.plot({
    width, height: 320, marginLeft: 60, marginBottom: 50, marginRight: 34, grid: true, style: { fontSize: "12px", background: "none" }, ariaLabel: "Pareto front",
    x: { label: axisLabel(a.metric) + " →", tickFormat: short }, y: { label: "↑ " + axisLabel(b.metric), tickFormat: short },
    marks: [Plot.line(front, { x: at(a.metric), y: at(b.metric), stroke: "var(--s1)", curve: goals.length === 2 ? "step-after" : "linear", strokeOpacity: 0.6 }),
      Plot.dot(points, { x: at(a.metric), y: at(b.metric), fill: (p: SweepPoint) => (p.front ? "var(--s1)" : "var(--s7)"), r: (p: SweepPoint) => (p.front ? 5 : 3.5), title: (p: SweepPoint) => `${settingsText(p)}\n${number(p.metrics[a.metric])}\n${number(p.metrics[b.metric])}`, tip: true })],
  });
  return card({ title: "Pareto front", name: "sweep-pareto", wide: s.keys.filter((k) => valuesOf(s, k).length > 1).length > 1, body: responsive(draw), note: `No other point is as good in ${goals.map((g) => g.metric + " (" + g.goal + ")").join(" and ")} and better in one.`,
    rows: () => [["settings", "front", ...goals.map((g) => g.metric)], ...points.map((p): Cell[] => [settingsText(p), p.front ? "yes" : "no", ...goals.map((g) => p.metrics[g.metric])])] });
}

function ranking(s: Sweep, redraw: () => void): HTMLElement {
  const columns = [...new Set([s.rank?.metric, state.metric, ...(s.pareto ?? []).map((g) => g.metric), CYCLES].filter((m): m is string => Boolean(m) && metricNames(s).includes(m!)))].slice(0, 5);
  const up = better(s) === "max";
  const place = (p: SweepPoint) => (s.rank?.metric === state.metric && state.launch === "" && p.rank ? p.rank : null);
  const list = [...s.points].sort((p, q) => {
    if (place(p) && place(q)) return place(p)! - place(q)!;
    const x = metricOf(p), y = metricOf(q);
    return x === null || y === null ? Number(x === null) - Number(y === null) : up ? y - x : x - y;
  });
  const some = state.all ? list : list.slice(0, 25);
  const head = ["#", ...s.keys, ...columns, ...(s.pareto ? ["front"] : [])];
  const value = (p: SweepPoint, m: string) => (m === state.metric ? metricOf(p) : (p.metrics?.[m] ?? null));
  const body = some.map((p, i) => el("tr", null, el("td", { class: "number" }, p.status === "done" ? String(place(p) ?? i + 1) : "–"), ...s.keys.map((k) => el("td", null, p.settings[k] ?? "–")),
    ...(p.status === "done" ? columns.map((m) => el("td", { class: "number" }, number(value(p, m)))) : [el("td", { colspan: columns.length, class: "bad words" }, p.error ?? "failed")]), s.pareto ? el("td", null, p.front ? "yes" : "") : null));
  const more = el("button", { type: "button", hidden: some.length === list.length }, `Show all ${list.length} points`);
  more.addEventListener("click", () => {
    state.all = true;
    redraw();
  });
  return el("div", { class: "card wide", id: "ranking" }, el("div", { class: "head" }, el("h3", null, `Ranking by ${state.metric}, ${up ? "most" : "least"} first`),
    csvButton("sweep-ranking", () => [["place", ...s.keys, ...columns, "status", "front", "config_hash"], ...list.map((p, i): Cell[] => [place(p) ?? i + 1, ...s.keys.map((k) => p.settings[k]), ...columns.map((m) => value(p, m)), p.status, p.front === undefined ? "" : p.front ? "yes" : "no", p.config_hash])], "the ranking")),
  scroll("Ranking", el("table", null, el("thead", null, el("tr", null, ...head.map((h, i) => el("th", { scope: "col", class: i === 0 || columns.includes(h) ? "number" : null }, h)))), el("tbody", null, ...body))), more);
}

function settle(s: Sweep): void {
  const varied = s.keys.filter((k) => valuesOf(s, k).length > 1);
  const metrics = metricNames(s);
  if (!metrics.includes(state.metric)) state.metric = s.rank?.metric ?? (metrics.includes(CYCLES) ? CYCLES : metrics[0] ?? "");
  if (!varied.includes(state.x)) state.x = varied[0] ?? s.keys[0] ?? "";
  if (!varied.includes(state.y) || state.y === state.x) state.y = varied.find((k) => k !== state.x) ?? "";
  if (state.launch !== "" && !s.points.some((p) => p.launches?.[Number(state.launch)])) state.launch = "";
}

export function sweepView(index: number): HTMLElement {
  const { file, sweep: s } = sweeps[index] ?? sweeps[0];
  const view = el("div", { class: "view" });
  const draw = () => {
    settle(s);
    const varied = s.keys.filter((k) => valuesOf(s, k).length > 1);
    const rest = varied.filter((k) => k !== state.x && k !== state.y);
    const points = chosenPoints(s, rest);
    const open = rest.filter((k) => !state.rest.get(k));
    const note = open.length ? `At each place the best over ${open.join(", ")}.` : null;
    const set = (name: "metric" | "x" | "y" | "launch") => (v: string) => {
      state[name] = v;
      draw();
    };
    const keyOptions = varied.map((k): [string, string] => [k, k]);
    const each = s.points.some((p) => p.launches?.length);
    view.replaceChildren(
      el("h2", null, `${s.model}${s.variant ? ":" + s.variant : ""} on ${s.gpu}`),
      el("p", { class: "note" }, `${file}: ${s.points.length} of ${s.n_points} points, ${s.n_failed} failed; ${s.launches?.length ?? 0} launches, ${each ? "each and" : ""} all together (counts are sums, rates are means).`),
      el("div", { class: "controls" },
        sweeps.length > 1 ? select("Sweep", "sweep-choice", sweeps.map((x, i): [string, string] => [String(i), x.file]), String(sweeps.findIndex((x) => x.sweep === s)), (v) => (location.hash = "#/sweep/" + v)) : null,
        select("Metric", "sweep-metric", metricNames(s).map((m): [string, string] => [m, m]), state.metric, set("metric")),
        each ? select("Launch", "sweep-launch", [["", "all together"], ...s.launches.map((l, i): [string, string] => [String(i), `${l.program}/${l.trace} ${bareName(l.kernel ?? "")}`])], state.launch, set("launch")) : null,
        varied.length > 1 ? select("across", "sweep-x", keyOptions, state.x, set("x")) : null, varied.length > 1 ? select("by", "sweep-y", keyOptions.filter(([k]) => k !== state.x), state.y, set("y")) : null,
        ...rest.map((k) => select(k, "sweep-" + k.replace(/\W/g, "-"), [["", "best"], ...valuesOf(s, k).map((v): [string, string] => [v, v])], state.rest.get(k) ?? "", (v) => {
          state.rest.set(k, v);
          draw();
        }))),
      verdict(s),
      points.length && state.x ? el("div", { class: "cards" }, state.y ? heatMap(s, points, note) : null, curves(s, points, note), pareto(s)) : el("p", { class: "note" }, "No point of this sweep has a result."),
      ranking(s, draw));
  };
  draw();
  return view;
}
