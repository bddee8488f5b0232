// Two models, GPUs, runs or launches beside each other: what changed, and what explains the time.
import { TIME, errorUnit, isShare, launches, raw, rows, series, unitOf, type Launch, type Row } from "../data";
import { breakable, csvButton, el, scroll, select } from "../dom";
import { known, number, short, signed, time, type Cell } from "../format";

const timed = series.filter((s, i) => s && rows.some((r) => r.series === i && r.metrics.has(TIME)));
export const canCompare = timed.length > 1 || launches.filter((l) => l.rows.some((r) => r.metrics.has(TIME))).length > 1;
const state = { before: timed[0] ?? "", after: timed[1] ?? timed[0] ?? "", launch: "", other: "" };

const rowOf = (launch: Launch | undefined, name: string): Row | undefined => launch?.rows.find((r) => series[r.series] === name);

interface Change {
  metric: string;
  before: number;
  after: number;
  ratio: number;
}

// What a metric can stand for of a launch's time, as `strata compare` has it (src/advise/compare.c).
const WEIGHTS: [string, number][] = [["dram__bytes.", 40], ["dram__", 20], ["l1tex__data_bank_conflicts", 30], ["lts__t_sectors_srcunit_tex", 25], ["lts__", 10], ["l1tex__t_sectors", 20],
  ["smsp__inst_executed.sum", 20], ["smsp__average_warps_issue_stalled", 5], ["sm__warps_active", 10]];
const weightOf = (metric: string) => WEIGHTS.find(([start]) => metric.startsWith(start))?.[1] ?? 1;
const isGood = (metric: string) => /hit|^sm__warps_active/.test(metric);

/** Metrics that changed, first what explains most of the time; those that are time themselves explain nothing. */
function changes(a: Row, b: Row): Change[] {
  const list = [...a.metrics].flatMap(([metric, before]): Change[] => {
    const after = b.metrics.get(metric);
    if (!known(after) || after === before || /^(gpu__time|sm__cycles|gpc__cycles|launch__)|per_second$/.test(metric)) return [];
    return [{ metric, before, after, ratio: before > 0 && after > 0 ? after / before : NaN }];
  });
  const largest = new Map<string, number>();
  for (const c of list) largest.set(unitOf(c.metric), Math.max(largest.get(unitOf(c.metric)) ?? 0, c.before, c.after));
  const slower = (percentOf(a, b) ?? 0) > 0;
  const explains = (c: Change) => weightOf(c.metric) * (Number.isFinite(c.ratio) ? Math.min(Math.abs(Math.log(c.ratio)), 3) : 3) * (Math.max(c.before, c.after) / (largest.get(unitOf(c.metric)) || 1)) *
    ((c.after > c.before !== isGood(c.metric)) !== slower ? 0.25 : 1);
  return list.map((c) => ({ c, at: explains(c) })).sort((x, y) => y.at - x.at).map(({ c }) => c);
}

const times = (ratio: number) => (ratio < 0.095 ? "÷ " + (ratio < 1e-3 ? short(1 / ratio) : number(1 / ratio, 1)) : "× " + (ratio >= 1e3 ? short(ratio) : number(ratio, 2)));
const inWords = (c: Change) => (Number.isFinite(c.ratio) ? times(c.ratio) : c.after === 0 ? "gone" : c.before === 0 ? "new" : "–");

const percentOf = (a: Row, b: Row) => {
  const before = a.metrics.get(TIME), after = b.metrics.get(TIME);
  return known(before) && known(after) && before > 0 ? 100 * (after / before - 1) : null;
};
const verdict = (change: number | null) => (change === null || Math.abs(change) < 0.05 ? "" : change > 0 ? " slower" : " faster");

function explain(a: Row, b: Row): HTMLElement {
  const list = changes(a, b).slice(0, 16);
  const change = percentOf(a, b);
  const out = (): Cell[][] => [["metric", "unit", "before", "after", "ratio"], ...changes(a, b).map((c): Cell[] => [c.metric, unitOf(c.metric), c.before, c.after, Number.isFinite(c.ratio) ? c.ratio : null])];
  const cells = (c: Change) => el("tr", null, el("th", { scope: "row", class: "metric" }, ...breakable(c.metric), raw.metrics[c.metric] ? el("div", { class: "quiet" }, raw.metrics[c.metric].definition) : null),
    el("td", { class: "number" }, number(c.before)), el("td", { class: "number" }, number(c.after)),
    el("td", { class: "number" }, isShare(c.metric) ? signed(c.after - c.before, errorUnit(c.metric)) : inWords(c)));
  return el("div", { class: "card" }, el("div", { class: "head" }, el("h3", null, "What explains it"), csvButton("compare-metrics", out, "the changes")),
    el("p", null, el("b", null, a.launch.bare), `: ${time(a.metrics.get(TIME))} to ${time(b.metrics.get(TIME))} `, el("strong", { class: "change" + verdict(change) }, signed(change, "%"))),
    list.length ? scroll("Changed metrics", el("table", { id: "compare-metrics" }, el("thead", null, el("tr", null, ...["Metric", "before", "after", "change"].map((h, i) => el("th", { scope: "col", class: i ? "number" : null }, h)))), el("tbody", null, ...list.map(cells))))
      : el("p", { class: "note" }, "No metric differs."));
}

export function compareView(): HTMLElement {
  const view = el("div", { class: "view" });
  const draw = () => {
    const pairs = launches.flatMap((l): [Row, Row][] => {
      const a = rowOf(l, state.before), b = rowOf(l, state.after);
      return a && b && a !== b && percentOf(a, b) !== null ? [[a, b]] : [];
    }).sort((x, y) => Math.abs(y[1].metrics.get(TIME)! - y[0].metrics.get(TIME)!) - Math.abs(x[1].metrics.get(TIME)! - x[0].metrics.get(TIME)!));
    const total = (i: 0 | 1) => pairs.reduce((s, p) => s + p[i].metrics.get(TIME)!, 0);
    const first = launches[Number(state.launch)] && state.launch !== "" ? launches[Number(state.launch)] : pairs[0]?.[0].launch ?? launches.find((l) => rowOf(l, state.before));
    const second = state.other !== "" ? launches[Number(state.other)] : first;
    const a = rowOf(first, state.before), b = rowOf(second, state.after);
    const pick = (label: string, id: string, key: "before" | "after") => select(label, id, timed.map((s): [string, string] => [s, s]), state[key], (v) => {
      state[key] = v;
      draw();
    });
    const names = launches.map((l): [string, string] => [String(l.index), `${l.name}  ${l.bare}`]);
    const choose = (launch: Launch) => {
      state.launch = String(launch.index);
      state.other = "";
      draw();
    };
    const line = ([x, y]: [Row, Row]) => {
      const change = percentOf(x, y);
      const link = el("button", { type: "button", class: "link" }, x.launch.bare || x.launch.name);
      link.addEventListener("click", () => choose(x.launch));
      return el("tr", { class: x.launch === first ? "changed" : null }, el("th", { scope: "row" }, link, el("div", { class: "quiet" }, x.launch.name)), el("td", { class: "number" }, time(x.metrics.get(TIME))), el("td", { class: "number" }, time(y.metrics.get(TIME))),
        el("td", { class: "number" }, el("span", { class: "change" + verdict(change) }, signed(change, "%"))));
    };
    const out = (): Cell[][] => [["launch", "kernel", "before (ns)", "after (ns)", "change (%)"], ...pairs.map(([x, y]): Cell[] => [x.launch.name, x.launch.kernel, x.metrics.get(TIME), y.metrics.get(TIME), percentOf(x, y)])];
    const swap = el("button", { type: "button" }, "Swap");
    swap.addEventListener("click", () => {
      [state.before, state.after] = [state.after, state.before];
      draw();
    });
    view.replaceChildren(
      el("div", { class: "controls" }, pick("Baseline", "compare-before", "before"), pick("Compared with it", "compare-after", "after"), swap,
        select("Launch", "compare-launch", [["", "the one that changed most"], ...names], state.launch, (v) => {
          state.launch = v;
          draw();
        }), select("with launch", "compare-other", [["", "the same"], ...names], state.other, (v) => {
          state.other = v;
          draw();
        })),
      ...(pairs.length ? [el("p", null, `${pairs.length} launches: ${time(total(0))} to ${time(total(1))} in all, `, el("strong", { class: "change" + verdict(total(1) - total(0)) }, signed(100 * (total(1) / total(0) - 1), "%")), ".")] : []),
      el("div", { class: "cards" },
        pairs.length ? el("div", { class: "card" }, el("div", { class: "head" }, el("h3", null, "Launches, the largest change first"), csvButton("compare", out, "the comparison")),
          scroll("Compared launches", el("table", { id: "compare-table" }, el("thead", null, el("tr", null, ...["Launch", "before", "after", "change"].map((h, i) => el("th", { scope: "col", class: i ? "number" : null }, h)))), el("tbody", null, ...pairs.slice(0, 200).map(line))))) : null,
        a && b && a !== b ? explain(a, b) : el("p", { class: "note" }, "Choose two different models, GPUs, runs or launches.")));
  };
  draw();
  return view;
}
