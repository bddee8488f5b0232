// Where the time goes: one row a kernel, by one model on one GPU, the longest first.
import { TIME, firstGpu, firstModel, gpuNames, limiterOf, models, rows, type Launch, type Row } from "../data";
import { csvButton, el, scroll, select } from "../dom";
import { number, percent, time, type Cell } from "../format";
import { badge } from "./advice";
import { disagreement } from "./launch";

const state = { model: firstModel, gpu: firstGpu, all: false };
const AT_FIRST = 25;

interface Kernel {
  name: string;
  full: string;
  ns: number;
  launches: Launch[];
  longest: Row;
}

function kernelsOf(model: string, gpu: string): Kernel[] {
  const byName = new Map<string, Kernel>();
  for (const r of rows) {
    const ns = r.metrics.get(TIME);
    if (r.model !== model || r.gpu !== gpu || ns === undefined) continue;
    const name = r.launch.bare || r.launch.name;
    const k = byName.get(r.launch.kernel || name) ?? { name, full: r.launch.kernel, ns: 0, launches: [], longest: r };
    k.ns += ns;
    k.launches.push(r.launch);
    if (ns > (k.longest.metrics.get(TIME) ?? 0)) k.longest = r;
    byName.set(r.launch.kernel || name, k);
  }
  return [...byName.values()].sort((a, b) => b.ns - a.ns);
}

/** The first finding of the kernel's longest launch, in one line. */
function advice(k: Kernel): HTMLElement | string {
  const f = k.longest.launch.advice?.findings[0];
  const doubt = disagreement(k.longest.launch);
  if (!f) return doubt ? el("span", { class: "quiet", title: doubt }, "models disagree") : "";
  return el("span", null, f.title + " ", el("span", { class: "gain" }, `−${number(f.gain_pct, 0)} %`), f.lines[0]?.line ? el("span", null, ` line ${f.lines[0].line}`) : null);
}

/** Nothing where no model tells the time. */
export function kernelsCard(): HTMLElement | null {
  const timed = models.filter((m) => rows.some((r) => r.model === m && r.metrics.has(TIME)));
  if (!timed.length) return null;
  if (!timed.includes(state.model)) state.model = timed[0];
  const body = el("tbody");
  const sentence = el("p", { class: "lead" });
  const more = el("button", { type: "button" });
  const draw = () => {
    const list = kernelsOf(state.model, state.gpu);
    const whole = list.reduce((s, k) => s + k.ns, 0) || 1;
    const some = state.all ? list : list.slice(0, AT_FIRST);
    const most = list[0];
    const limiter = most && limiterOf(most.longest.launch);
    sentence.replaceChildren(...(most ? [`${time(whole)} in ${number(list.reduce((s, k) => s + k.launches.length, 0))} launches of ${number(list.length)} kernels. `, el("b", null, most.name), ` takes ${percent((100 * most.ns) / whole)} of it` + (limiter ? `, limited by ${limiter}.` : ".")] : ["No launch of this model and GPU tells a time."]));
    body.replaceChildren(...some.map((k) => el("tr", null,
      el("th", { scope: "row", title: k.full }, el("a", { href: "#/launch/" + k.longest.launch.index }, k.name), el("div", { class: "words narrow-only" }, advice(k))), el("td", { class: "number" }, number(k.launches.length)),
      el("td", { class: "number timebar", style: `--share: ${(100 * k.ns) / (most.ns || 1)}%` }, time(k.ns)), el("td", { class: "number" }, percent((100 * k.ns) / whole)),
      el("td", null, badge(limiterOf(k.longest.launch)) ?? "–"), el("td", { class: "words" }, advice(k)))));
    more.textContent = `Show all ${list.length} kernels`;
    more.hidden = some.length === list.length;
  };
  more.addEventListener("click", () => {
    state.all = true;
    draw();
  });
  const choice = (what: "model" | "gpu", label: string, names: string[]) => names.length < 2 ? null : select(label, "kernels-" + what, names.map((n): [string, string] => [n, n]), state[what], (v) => {
    state[what] = v;
    draw();
  });
  draw();
  const out = (): Cell[][] => [["kernel", "launches", "time (ns)", "limiter", "first finding", "gain (%)"], ...kernelsOf(state.model, state.gpu).map((k): Cell[] => {
    const f = k.longest.launch.advice?.findings[0];
    return [k.full || k.name, k.launches.length, k.ns, limiterOf(k.longest.launch), f?.rule, f?.gain_pct];
  })];
  const heads: [string, boolean][] = [["Kernel", false], ["Launches", true], ["Time", true], ["Share", true], ["Limited by", false], ["What to do first", false]];
  return el("div", { class: "card", id: "kernels" },
    el("div", { class: "head" }, el("h3", null, "Where the time goes"), ...[choice("model", "by", timed), choice("gpu", "on", gpuNames)].filter((c): c is HTMLElement => c !== null), csvButton("kernels", out, "the kernels")),
    sentence, scroll("Kernels", el("table", { id: "kernel-table" }, el("thead", null, el("tr", null, ...heads.map(([h, n]) => el("th", { scope: "col", class: n ? "number" : null }, h)))), body)), more);
}
