// Stacked horizontal bars, all to one scale.
import * as Plot from "@observablehq/plot";
import { card, colour, el, responsive } from "../dom";
import { coloursOf } from "../levels";
import { number, short, type Cell } from "../format";

export interface Part {
  bar: string;
  part: string;
  value: number;
}

export interface StackOptions {
  title: string;
  name: string;
  unit: string;
  parts: Part[];
  order: string[]; // parts in the order of their colours
  note?: string | null;
  wide?: boolean;
  colours?: string[]; // of `order`, where parts are no levels
}

/** Beyond the eight colours another shape tells them apart. */
export const SHAPES = ["", "diamond", "ring"];

export function legend(names: string[], colours?: string[]): HTMLElement {
  return el("ul", { class: "legend" }, ...names.map((n, i) => el("li", null, el("i", { class: (!colours && SHAPES[Math.floor(i / 8)]) || null, style: `color:${colours?.[i] ?? colour(i)}` }), n)));
}

/** Labels of bars need room, but not more than a third of a phone's width. */
export const labelMargin = (labels: string[], width: number) =>
  Math.min(Math.max(60, Math.max(0, ...labels.map((l) => l.length)) * 6.6 + 14), Math.max(84, width * 0.34));

export function shorten(label: string, margin: number): string {
  const room = Math.floor((margin - 12) / 6.4);
  return label.length <= room ? label : label.slice(0, Math.max(3, room - 1)) + "…";
}

/** A single bar says nothing beside others: its parts are the bars then, and one part alone is a number. */
function spread(o: StackOptions): StackOptions {
  const whole = o.parts.reduce((s, p) => s + p.value, 0);
  const parts = o.parts.filter((p) => p.value > 0).map((p) => ({ bar: p.part, part: p.part, value: p.value }));
  return { ...o, parts, note: [`${o.parts[0].bar}: ${number(whole)} ${o.unit} in all.`, o.note].filter(Boolean).join(" ") };
}

export function stackedBars(options: StackOptions): HTMLElement {
  const single = new Set(options.parts.map((p) => p.bar)).size === 1;
  const o = single ? spread(options) : options;
  const bars = [...new Set(o.parts.map((p) => p.bar))];
  const used = o.order.filter((n) => o.parts.some((p) => p.part === n && p.value > 0));
  const colours = o.colours ?? coloursOf(used);
  const draw = (width: number) => {
    const left = labelMargin(bars, width);
    return Plot.plot({
      width, height: bars.length * 32 + 52, marginLeft: left, marginRight: 20, marginBottom: 44, marginTop: 4,
      style: { fontSize: "12px", background: "none" }, ariaLabel: o.title,
      x: { label: o.unit, tickFormat: short, ticks: Math.max(2, Math.floor(width / 110)), grid: true },
      y: { label: null, domain: bars, padding: 0.25, tickFormat: (d: string) => shorten(d, left), tickSize: 0 },
      color: { domain: used, range: colours },
      marks: [
        Plot.barX(o.parts.filter((p) => p.value > 0), {
          y: "bar", x: "value", fill: "part", order: used, insetRight: 1, rx: 1.5,
          title: (p: Part) => `${p.bar}\n${p.part}: ${number(p.value)} ${o.unit}`, tip: true,
        }),
        Plot.ruleX([0]),
      ],
    });
  };
  const rows = (): Cell[][] => [["bar", "part", o.unit], ...o.parts.map((p) => [p.bar, p.part, p.value])];
  return card({ title: o.title, name: o.name, rows, note: o.note, wide: o.wide, body: bars.length === 1
    ? el("p", { class: "one" }, el("strong", null, number(o.parts[0].value)), ` ${o.unit} (${bars[0]})`)
    : el("div", null, single ? null : legend(used, colours), responsive(draw)) });
}
