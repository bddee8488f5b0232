// A program in time: its launches, copies and fills by stream, what of the GPU is in use, and the kernels that take longest.
import * as Plot from "@observablehq/plot";
import { raw } from "../data";
import { card, el, responsive, select, table } from "../dom";
import { bareName, bytes, known, number, percent, type Cell } from "../format";
import { coloursOf } from "../levels";
import type { Span, Timeline } from "../types";

const timelines: { file: string; timeline: Timeline }[] = raw.documents.filter((d) => d.content.schema === "strata.timeline/1")
  .map((d) => ({ file: d.file.replace(/^.*\//, ""), timeline: d.content as unknown as Timeline })).filter((t) => Array.isArray(t.timeline.spans));
export const hasTimelines = timelines.length > 0;

const state = { part: 0, parts: 1 };
const MOST_BARS = 3000; // a window shows no more: narrower ones do

const us = (v: number) => number(v, v < 100 ? 2 : 1) + " µs";
const isLaunch = (s: Span) => s.kind === "launch";
const what = (s: Span) => (isLaunch(s) ? bareName(s.name) : s.kind.replace(/_/g, " ") + (s.bytes ? " of " + bytes(s.bytes) : ""));
const limiter = (s: Span) => (isLaunch(s) ? s.limiter || "not told" : "copies and fills");

// ---- measured times ----

/** The measured duration of each launch, in microseconds, if as many were measured as the program has. */
function measuredTimes(t: Timeline): (number | null)[] {
  const rows = raw.measured?.launches ?? [];
  const at = raw.measured?.columns.indexOf("gpu__time_duration.sum") ?? -1;
  if (at < 0 || rows.length !== t.spans.filter(isLaunch).length) return [];
  return rows.map((r) => {
    const ns = r.values[at];
    return known(ns) ? ns / 1000 : null;
  });
}

// ---- lanes ----

interface Bar {
  lane: string;
  from: number;
  to: number;
  what: string;
  colour: string;
  title: string;
}

const lane = (s: Span) => (isLaunch(s) ? "stream " + s.stream : "copies");

function windowOf(t: Timeline): [number, number] {
  const length = t.time_us / state.parts;
  return [length * state.part, length * (state.part + 1)];
}

function bars(t: Timeline, from: number, to: number): Bar[] {
  const measured = measuredTimes(t);
  const inside = t.spans.filter((s) => s.end_us >= from && s.start_us <= to).slice(0, MOST_BARS);
  const words = (s: Span) => `${what(s)}\n${us(s.start_us)} to ${us(s.end_us)}` + (isLaunch(s) ? `\nlimited by ${limiter(s)}; beside others for ${us(s.overlap_us)}` : "");
  return inside.flatMap((s): Bar[] => {
    const own = { lane: lane(s), from: Math.max(s.start_us, from), to: Math.min(s.end_us, to), what: what(s), colour: limiter(s), title: words(s) };
    const took = s.launch === undefined ? null : measured[s.launch];
    if (!known(took) || s.start_us < from) return [own];
    return [own, { ...own, lane: lane(s) + ", measured", to: Math.min(s.start_us + took, to), title: `${what(s)}\nmeasured: ${us(took)}` }];
  });
}

function lanesCard(t: Timeline, again: () => void): HTMLElement {
  const [from, to] = windowOf(t);
  const all = bars(t, from, to);
  const lanes = [...new Set(all.map((b) => b.lane))].sort((a, b) => Number(a === "copies") - Number(b === "copies") || a.localeCompare(b, undefined, { numeric: true }));
  const kinds = [...new Set(all.map((b) => b.colour))];
  const draw = (width: number) => Plot.plot({
    width, height: 60 + 34 * lanes.length, style: { fontSize: "12px", background: "none" }, marginLeft: width < 500 ? 84 : 132, marginRight: 16,
    x: { label: "µs", domain: [from, to], grid: true }, y: { domain: lanes, label: null, padding: 0.25 },
    color: { domain: kinds, range: coloursOf(kinds), legend: true },
    marks: [Plot.barX(all, { x1: "from", x2: "to", y: "lane", fill: "colour", title: "title", insetLeft: 0.2, insetRight: 0.2 }), Plot.ruleX([from])],
    ariaLabel: "Launches, copies and fills by stream over time",
  });
  const parts: [string, string][] = [1, 4, 16, 64].filter((n) => n === 1 || t.spans.length > 4 * n)
    .flatMap((n) => (n === 1 ? [["1/0", "the whole program"] as [string, string]] : [0, n / 2].map((k) => [`${n}/${k}`, `1/${n} of it, from ${us((t.time_us / n) * k)}`] as [string, string])));
  const tool = select("Show", "timeline-window", parts, `${state.parts}/${state.part}`, (v) => {
    [state.parts, state.part] = v.split("/").map(Number);
    again();
  });
  const rows = (): Cell[][] => [["stream", "what", "start us", "end us", "limiter"], ...all.map((b): Cell[] => [b.lane, b.what, b.from, b.to, b.colour])];
  return card({ title: "Streams", name: "timeline-streams", wide: true, tools: [tool], body: responsive(draw), rows,
    note: "Coloured by what limits each launch." + (measuredTimes(t).length ? " Measured durations begin where the prediction has the launch begin." : "") });
}

// ---- what is in use ----

interface Use {
  at: number;
  of: string;
  share: number;
}

/** What the launches that run ask for, added up and not above all there is. */
function uses(t: Timeline, from: number, to: number): Use[] {
  const launches = t.spans.filter((s) => isLaunch(s) && s.end_us >= from && s.start_us <= to).slice(0, MOST_BARS);
  const times = [...new Set(launches.flatMap((s) => [Math.max(s.start_us, from), Math.min(s.end_us, to)]))].sort((a, b) => a - b);
  const running: Span[] = [];
  let next = 0;
  const order = [...launches].sort((a, b) => a.start_us - b.start_us);
  return times.flatMap((at) => {
    while (next < order.length && order[next].start_us <= at) running.push(order[next++]);
    for (let i = running.length; i--; ) if (running[i].end_us <= at) running.splice(i, 1);
    const sum = (f: (s: Span) => number | undefined) => Math.min(100, 100 * running.reduce((n, s) => n + (f(s) ?? 0), 0));
    return [{ at, of: "SMs", share: sum((s) => s.sm_share) }, { at, of: "L2", share: sum((s) => s.l2_use) }, { at, of: "DRAM", share: sum((s) => s.dram_use) }];
  });
}

function useCard(t: Timeline): HTMLElement {
  const [from, to] = windowOf(t);
  const all = uses(t, from, to);
  const parts = ["SMs", "L2", "DRAM"];
  const draw = (width: number) => Plot.plot({
    width, height: 290, marginLeft: 48, marginRight: 56, style: { fontSize: "12px", background: "none" },
    x: { label: "µs", domain: [from, to] }, y: { label: "↑ % of the GPU", domain: [0, 100], ticks: [0, 50, 100], grid: true, labelArrow: "none" }, fy: { label: null, domain: parts, padding: 0.22 },
    color: { domain: parts, range: coloursOf(parts), legend: true },
    marks: [Plot.areaY(all, { x: "at", y: "share", fy: "of", fill: "of", fillOpacity: 0.8, curve: "step-after" }), Plot.ruleY([0])],
    ariaLabel: "SMs, L2 and DRAM in use over time",
  });
  return card({ title: "In use", name: "timeline-use", wide: true, body: responsive(draw),
    note: "SMs that have blocks; L2 and DRAM by what each launch uses when it runs alone.", rows: () => [["us", "of", "%"], ...all.map((u): Cell[] => [u.at, u.of, u.share])] });
}

// ---- by kernel ----

function kernelRows(t: Timeline): Cell[][] {
  const measured = measuredTimes(t);
  const by = new Map<string, { n: number; us: number; gap: number; measured: number }>();
  for (const s of t.spans) {
    const k = by.get(what(s)) ?? { n: 0, us: 0, gap: 0, measured: 0 };
    by.set(what(s), { n: k.n + 1, us: k.us + s.end_us - s.start_us, gap: k.gap + s.gap_us, measured: k.measured + (s.launch === undefined ? 0 : measured[s.launch] ?? 0) });
  }
  const rows = [...by].sort((a, b) => b[1].us - a[1].us).slice(0, 40);
  return [["what", "times", "us in all", "% of the time", "us a time", "gaps before, us", ...(measured.length ? ["measured, us in all"] : [])],
    ...rows.map(([name, k]): Cell[] => [name, k.n, k.us, (100 * k.us) / t.time_us, k.us / k.n, k.gap, ...(measured.length ? [k.measured] : [])])];
}

function facts(t: Timeline): HTMLElement {
  const sampled = t.sample ? [el("p", { class: "note" }, `${percent((100 * t.sample.modelled) / t.sample.warp_instructions)} of the warp instructions were modelled; the launches' time is within ${us(t.sample.half_width_us)} of that from all of them, 19 times of 20.`)] : [];
  return el("div", null, el("p", { "data-fact": "time" }, el("strong", null, us(t.time_us)), ` from the first start to the last end: launches run in ${us(t.launches_us)} of it, copies and fills in ${us(t.copies_us)}, nothing in ${us(t.idle_us)}.`), ...sampled);
}

export function timelineView(at: number): HTMLElement {
  const { file, timeline: t } = timelines[at] ?? timelines[0];
  const page = el("div", { class: "view" });
  const draw = () => {
    const choice = timelines.length > 1 ? select("Program", "timeline-program", timelines.map((x, i) => [String(i), x.file]), String(at), (v) => (location.hash = "#/timeline/" + v)) : null;
    page.replaceChildren(el("h2", null, "Timeline of " + file.replace(/\.json$/, "")), ...(choice ? [choice] : []), facts(t),
      el("div", { class: "cards" }, lanesCard(t, draw), useCard(t)),
      el("h3", null, "By kernel"), table(kernelRows(t), "Time by kernel"));
  };
  draw();
  return page;
}
