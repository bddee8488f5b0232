// All launches and models in one table.
import { CYCLES, DRAM_READ, L1_RATE, L2_RATE, TIME, compared, dramBytes, errorOf, errorUnit, firstGpu, firstModel, gpuNames, isShare, launches, limiterOf, models, raw, rows, series, type Metrics, type Row } from "../data";
import { roofline } from "../charts/roofline";
import { badge } from "./advice";
import { kernelsCard } from "./kernels";
import { csvButton, el, scroll, select } from "../dom";
import { bytes, known, number, percent, signed, time, type Cell } from "../format";

interface Column {
  title: string;
  csv: string;
  label?: string;
  number?: boolean;
  magnitude?: boolean; // sorted by size, whatever the sign
  kind?: string;
  value: (r: Row) => string | number | null | undefined;
  show?: (r: Row) => string;
}

const ROWS_AT_FIRST = 200;

function valueColumns(title: string, metric: string, get: (m: Metrics) => number | undefined, show: (v: number | undefined) => string, csv: string): Column[] {
  if (!rows.some((r) => get(r.metrics) !== undefined)) return [];
  const columns: Column[] = [{ title, csv, number: true, value: (r) => get(r.metrics), show: (r) => show(get(r.metrics)) }];
  if (!compared) return columns;
  const error = (r: Row) => (r.measured ? errorOf(metric, get(r.metrics), get(r.measured)) : null);
  return [...columns, { title: "error", label: title + " error", csv: csv + " error (" + errorUnit(metric) + ")", number: true, magnitude: true, kind: "error",
    value: error, show: (r) => signed(error(r), isShare(metric) ? "pt" : "%") }];
}

const of = (metric: string) => (m: Metrics) => m.get(metric);
const columns: Column[] = [
  { title: "Launch", csv: "launch", kind: "name", value: (r) => r.launch.name, show: (r) => r.launch.name.replace(/\.traceg(\.\w+)?$/, "") },
  { title: "Kernel", csv: "kernel", kind: "kernel", value: (r) => r.launch.kernel, show: (r) => r.launch.bare },
  { title: "Model", csv: "model", kind: "model", value: (r) => r.model },
  ...(gpuNames.length > 1 ? [{ title: "GPU", csv: "gpu", kind: "gpu", value: (r: Row) => r.gpu }] : []),
  ...(launches.some((l) => limiterOf(l)) ? [{ title: "Limited by", csv: "limiter", kind: "limiter", value: (r: Row) => limiterOf(r.launch) }] : []),
  ...valueColumns("Cycles", CYCLES, of(CYCLES), (v) => number(v, 0), CYCLES),
  ...valueColumns("Time", TIME, of(TIME), time, TIME + " (ns)").map((c, i) => (i ? c : { ...c, kind: "time" })),
  ...valueColumns("L1 hits", L1_RATE, of(L1_RATE), percent, L1_RATE),
  ...valueColumns("L2 hits", L2_RATE, of(L2_RATE), percent, L2_RATE),
  ...valueColumns("DRAM", DRAM_READ, dramBytes, bytes, "dram bytes read and written"),
];

// Kept while the page is open, so that coming back from a launch finds the table as it was.
// A developer wants one answer a kernel, the longest first; other models and errors are one click away.
const atFirst = models.length > 1 && ["flow", "sim", "interval"].includes(firstModel) ? firstModel : "";
const state = { words: "", model: atFirst, gpu: gpuNames.length > 1 && atFirst ? firstGpu : "", sort: columns.findIndex((c) => c.kind === "time"), descending: true, all: false, errors: models.length < 2 };

const searchText = new Map(rows.map((r) => [r, (r.launch.name + " " + r.launch.kernel + " " + series[r.series]).toLowerCase()]));

function shownRows(): Row[] {
  const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
  const list = rows.filter((r) => (!state.model || r.model === state.model) && (!state.gpu || r.gpu === state.gpu) && words.every((w) => searchText.get(r)!.includes(w)));
  if (state.sort < 0) return list;
  const column = columns[state.sort];
  const key = (r: Row) => {
    const v = column.value(r);
    return column.magnitude && typeof v === "number" ? Math.abs(v) : v;
  };
  const missing = (v: unknown) => v === undefined || v === null || v === "";
  return list.sort((a, b) => {
    const x = key(a), y = key(b);
    if (missing(x) || missing(y)) return Number(missing(x)) - Number(missing(y)) || a.index - b.index; // unknown stands last either way
    const order = typeof x === "string" ? x.localeCompare(String(y), "en", { numeric: true }) : Number(x) - Number(y);
    return (state.descending ? -order : order) || a.index - b.index;
  });
}

/** Of the longest launch of the same model, for the bar behind the time. */
const longest = new Map<number, number>();
for (const r of rows) longest.set(r.series, Math.max(longest.get(r.series) ?? 0, r.metrics.get(TIME) ?? 0));
const shareOf = (r: Row) => (100 * (r.metrics.get(TIME) ?? 0)) / (longest.get(r.series) || 1);

function row(r: Row): HTMLElement {
  return el("tr", null, ...columns.map((c) => {
    const text = c.show ? c.show(r) : String(c.value(r) ?? "–");
    if (c.kind === "name") return el("th", { scope: "row" }, el("a", { href: `#/launch/${r.launch.index}` }, text), el("div", { class: "narrow-only" }, r.launch.bare));
    if (c.kind === "limiter") return el("td", null, badge(limiterOf(r.launch)) ?? "–");
    if (c.kind === "time") return el("td", { class: "number timebar", style: `--share: ${shareOf(r)}%` }, text);
    const bad = c.kind === "error" && Math.abs(Number(c.value(r) ?? 0)) > 25 ? " bad" : "";
    return el("td", { class: ((c.number ? "number " : "") + (c.kind ?? "") + bad).trim() || null, title: c.kind === "kernel" ? String(c.value(r)) : null }, text);
  }));
}

/** How far each model is, in one number a metric. */
function summary(): HTMLElement | null {
  if (!compared) return null;
  const heads: [string, string][] = [["cycles", CYCLES], ["L1 hit rate", L1_RATE], ["L2 hit rate", L2_RATE], ["L2 reads", "lts__t_sectors_srcunit_tex_op_read.sum"], ["DRAM reads", "dram__sectors_read.sum"]];
  const mean = (label: string, metric: string) => {
    const m = raw.correlation?.models?.find((x) => (x.label ?? x.model) === label)?.metrics.find((e) => e.metric === metric);
    const v = m ? (isShare(metric) ? m.mean_absolute : m.mean_relative_pct) : null;
    return known(v) ? number(v, 1) + (isShare(metric) ? " pt" : " %") : "–";
  };
  const labels = (raw.correlation?.models ?? []).map((m) => m.label ?? m.model ?? "");
  return el("div", { class: "card" }, el("div", { class: "head" }, el("h3", null, "Mean error against the measurement"), el("a", { href: "#/silicon" }, "more")),
    scroll("Mean errors", el("table", { class: "plain" },
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "Model"), ...heads.map(([t]) => el("th", { scope: "col", class: "number" }, t)))),
      el("tbody", null, ...labels.map((l) => el("tr", null, el("th", { scope: "row" }, l), ...heads.map(([, m]) => el("td", { class: "number" }, mean(l, m)))))))));
}

const tile = (value: string, words: string) => el("div", { class: "tile" }, el("strong", null, value), el("span", null, words));

export function overview(): HTMLElement {
  const body = el("tbody");
  const more = el("button", { type: "button", id: "show-all" }, "Show all rows");
  const shown = el("span", { id: "shown", role: "status" });
  const heads = columns.map((c, i) => {
    const button = el("button", { type: "button", "aria-label": "Sort by " + (c.label ?? c.title) }, c.title);
    button.addEventListener("click", () => {
      state.descending = state.sort === i ? !state.descending : Boolean(c.number);
      state.sort = i;
      draw();
    });
    return el("th", { scope: "col", class: ((c.number ? "number " : "") + (["error", "kernel", "model", "gpu"].includes(c.kind ?? "") ? c.kind : "")).trim() || null, title: c.csv }, button);
  });
  const draw = () => {
    const list = shownRows();
    const some = state.all ? list : list.slice(0, ROWS_AT_FIRST);
    heads.forEach((th, i) => (i === state.sort ? th.setAttribute("aria-sort", state.descending ? "descending" : "ascending") : th.removeAttribute("aria-sort")));
    body.replaceChildren(...some.map(row));
    more.hidden = some.length === list.length;
    shown.textContent = `${some.length} of ${rows.length} rows`;
  };
  const filter = el("input", { id: "filter", type: "search", placeholder: "program, kernel, model or GPU", autocomplete: "off", value: state.words });
  filter.addEventListener("input", () => {
    state.words = filter.value;
    draw();
  });
  more.addEventListener("click", () => {
    state.all = true;
    draw();
  });
  const choice = (what: "model" | "gpu", label: string, names: string[]) =>
    names.length < 2 ? null : select(label, "choose-" + what, [["", "all"], ...names.map((n): [string, string] => [n, n])], state[what], (v) => {
      state[what] = v;
      draw();
    });
  const list = el("table", { id: "overview-table", class: state.errors ? null : "no-errors" }, el("thead", null, el("tr", null, ...heads)), body);
  const errors = el("input", { type: "checkbox", id: "show-errors", checked: state.errors });
  errors.addEventListener("change", () => {
    state.errors = errors.checked;
    list.classList.toggle("no-errors", !state.errors);
  });
  const rowsOut = (): Cell[][] => [columns.map((c) => c.csv), ...shownRows().map((r) => columns.map((c) => c.value(r)))];
  draw();
  const programs = new Set(launches.map((l) => l.program)).size;
  return el("div", { class: "view" },
    kernelsCard(),
    el("div", { class: "tiles" }, tile(String(launches.length), launches.length === 1 ? "launch" : "launches"), tile(String(programs), programs === 1 ? "program" : "programs"),
      tile(String(models.length), models.length === 1 ? "model" : "models"), tile(String(gpuNames.length), gpuNames.length === 1 ? "GPU" : "GPUs"),
      raw.measured ? tile(String(raw.measured.launches.length), "measured launches") : null),
    rows.length ? el("div", { class: "card" },
      el("div", { class: "head" }, el("h3", null, "Every launch"), csvButton("launches", rowsOut, "the table")),
      el("div", { class: "controls" }, el("label", { class: "field", for: "filter" }, el("span", null, "Filter"), filter), choice("model", "Model", models), choice("gpu", "GPU", gpuNames),
        compared ? el("label", { class: "check", for: "show-errors" }, errors, "errors against the measurement") : null, shown),
      scroll("Table of launches", list), more)
      : el("p", { class: "note" }, "This report holds no predictions."),
    summary(), roofline());
}
