// Elements, cards with a chart, tables, downloads.
import { csvText, number, type Cell } from "./format";

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined>;

// Words from the data become text nodes and attribute values only, never markup.
function fill<T extends Element>(node: T, attributes: Attributes | null, children: Child[]): T {
  for (const [key, value] of Object.entries(attributes ?? {}))
    if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value === true ? "" : String(value));
  node.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return node;
}

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes?: Attributes | null, ...children: Child[]): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes ?? null, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes?: Attributes | null, ...children: Child[]): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes ?? null, children);
}

export function download(name: string, rows: Cell[][]): void {
  const url = URL.createObjectURL(new Blob([csvText(rows)], { type: "text/csv" }));
  const link = el("a", { href: url, download: "strata-" + name + ".csv" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 120000); // a busy machine may take its time to save it
}

export function csvButton(name: string, rows: () => Cell[][], what: string): HTMLButtonElement {
  const button = el("button", { type: "button", class: "csv", "data-csv": name, "aria-label": "Download " + what + " as CSV" }, "CSV");
  button.addEventListener("click", () => download(name, rows()));
  return button;
}

export function table(rows: Cell[][], label: string): HTMLElement {
  const numbers = rows[0].map((_, i) => rows.slice(1).some((r) => typeof r[i] === "number"));
  const cell = (tag: "th" | "td") => (v: Cell, i: number) =>
    el(tag, { class: numbers[i] && (tag === "th" || typeof v === "number") ? "number" : null, scope: tag === "th" ? "col" : null }, typeof v === "number" ? number(v) : v === null || v === undefined ? "–" : String(v));
  return scroll(label, el("table", null,
    el("thead", null, el("tr", null, ...rows[0].map(cell("th")))),
    el("tbody", null, ...rows.slice(1).map((r) => el("tr", null, ...r.map(cell("td")))))));
}

/** A name whose line may break behind its underscores. */
export const breakable = (name: string): (string | HTMLElement)[] => name.split(/(?<=_|\.)(?=[a-z0-9])/).flatMap((p, i) => (i ? [el("wbr"), p] : [p]));

/** A part that scrolls by itself, also with the keyboard. */
export const scroll = (label: string, child: HTMLElement) => el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, child);

const drawers = new WeakMap<Element, (width: number) => void>();
const widths = new WeakMap<Element, number>();
const observer = new ResizeObserver((entries) => {
  for (const e of entries) {
    const width = Math.floor(e.contentRect.width);
    if (width > 0 && widths.get(e.target) !== width) {
      widths.set(e.target, width);
      drawers.get(e.target)?.(width);
    }
  }
});

/** Draws again whenever there is another width to draw for. */
export function responsive(draw: (width: number) => Element, klass = "plot"): HTMLElement {
  const holder = el("div", { class: klass });
  drawers.set(holder, (width) => {
    holder.replaceChildren(draw(width));
  });
  observer.observe(holder);
  return holder;
}

export interface CardOptions {
  title: string;
  name: string; // of the CSV file
  body: HTMLElement;
  rows: () => Cell[][];
  note?: string | null;
  wide?: boolean;
  tools?: HTMLElement[];
}

/** A chart with its title, a note, and its numbers as a table and as CSV. */
export function card(o: CardOptions): HTMLElement {
  const details = el("details", null, el("summary", null, "Numbers"));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(table(o.rows(), o.title + ", numbers"));
  });
  return el("figure", { class: "card" + (o.wide ? " wide" : ""), "data-chart": o.name },
    el("div", { class: "head" }, el("h3", null, o.title), ...(o.tools ?? []), csvButton(o.name, o.rows, o.title)),
    o.body, o.note ? el("figcaption", null, o.note) : null, details);
}

export const absent = (title: string, words: string) =>
  el("figure", { class: "card empty" }, el("div", { class: "head" }, el("h3", null, title)), el("p", { class: "note" }, words));

export function select(label: string, id: string, options: [string, string][], value: string, change: (value: string) => void): HTMLElement {
  const box = el("select", { id }, ...options.map(([v, text]) => el("option", { value: v, selected: v === value }, text)));
  box.addEventListener("change", () => change(box.value));
  return el("label", { class: "field", for: id }, el("span", null, label), box);
}

export const colour = (i: number) => `var(--s${i % 8})`;
