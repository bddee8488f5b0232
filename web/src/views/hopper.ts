// Hopper's asynchronous units: how busy the tensor cores are, what bulk copies move, and how long warps stand at barriers for them.
import { detailGroup, series, type Launch, type Row } from "../data";
import { card, el } from "../dom";
import { bytes, known, number, percent, type Cell } from "../format";

const TENSOR = "sm__inst_executed_pipe_tensor.sum", COPIES = "sm__inst_executed_pipe_tma.sum";
const BUSY = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
/** Shares of the time that warps are resident, by what they wait for. */
const WAITS: [string, string][] = [["mbarrier_pct", "barriers in shared memory"], ["products_pct", "products"], ["copies_pct", "their own copies"], ["cluster_pct", "the cluster's barrier"]];

const asyncOf = (r: Row) => new Map(detailGroup(r.detail, "async"));

function bars(list: [string, number][]): HTMLElement {
  return el("div", { class: "peaks" }, ...list.map(([name, v]) => el("div", { class: "peakrow" }, el("span", null, name),
    el("span", { class: "peakbar" }, el("i", { style: `width: ${Math.min(100, v)}%; background: var(--s1)` })), el("span", { class: "peakvalue" }, percent(v)))));
}

function factsOf(r: Row, async: Map<string, number>): [string, string][] {
  const moved = (n: string, b: string) => `${number(async.get(n))} of ${bytes(async.get(b))} together`;
  const list: [string, string | null][] = [["Tensor instructions", r.metrics.has(TENSOR) ? number(r.metrics.get(TENSOR)) : null],
    ["measured", r.measured?.has(TENSOR) ? number(r.measured.get(TENSOR)) : null],
    ["Instructions of the copy engine", r.metrics.has(COPIES) ? number(r.metrics.get(COPIES)) : null],
    ["Copies to shared memory", async.get("loads") ? moved("loads", "load_bytes") : null], ["Copies out of it", async.get("stores") ? moved("stores", "store_bytes") : null]];
  return list.filter((f): f is [string, string] => f[1] !== null);
}

/** NULL where no model says that the launch uses these units. */
export function hopperCard(launch: Launch): HTMLElement | null {
  const row = launch.rows.find((r) => asyncOf(r).size && r.model === "flow") ?? launch.rows.find((r) => asyncOf(r).size);
  if (!row) return null;
  const async = asyncOf(row), busy = row.metrics.get(BUSY);
  const waits = WAITS.flatMap(([key, name]): [string, number][] => (known(async.get(key)) && async.get(key)! > 0 ? [[name, async.get(key)!]] : []));
  const facts = factsOf(row, async);
  const measured = row.measured?.get(BUSY);
  const lead = known(busy) ? `Tensor cores multiply ${percent(busy)} of the time${known(measured) ? `, measured ${percent(measured)}` : ""}.` : "No products: the copy engine alone is used.";
  return card({ title: "Tensor cores, copies and barriers", name: "hopper",
    rows: () => [["fact", "value"], ...(known(busy) ? [["tensor cores busy (%)", busy] as Cell[]] : []), ...facts.map((f): Cell[] => f), ...waits.map(([n, v]): Cell[] => [`warps wait for ${n} (%)`, v])],
    body: el("div", null, el("p", { class: "lead" }, lead), known(busy) ? bars([["tensor cores", busy]]) : null, el("dl", { class: "facts" }, ...facts.flatMap(([k, v]) => [el("dt", null, k), el("dd", null, v)])),
      waits.length ? el("p", { class: "quiet" }, "Share of the time of its warps that they wait for:") : null, waits.length ? bars(waits) : null),
    note: `${series[row.series]}.` });
}
