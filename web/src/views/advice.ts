// Why a launch takes as long as it does: limiter, findings, speed of light, and the source with its heat.
import { TIME, gpuNumber, gpuOf, limiterOf, series, type Launch, type Metrics, type Row } from "../data";
import { card, el, scroll, table } from "../dom";
import { levelOf } from "../levels";
import { known, number, percent, time, type Cell } from "../format";
import type { Finding, Gpu, Instruction, Site } from "../types";

export const badge = (limiter: string | undefined) =>
  limiter ? el("span", { class: "badge", style: `--badge: var(--s${levelOf(limiter) ?? 7})` }, limiter) : null;

/** " > bins.h:9 > atomics.hpp:84" behind the line that it was inlined at. */
const inlinedAt = (places: string[] | undefined) => (places ?? []).map((p) => " > " + p.split("/").at(-1)).join("");

function finding(f: Finding, whole: number, file: string | undefined): HTMLElement {
  const place = f.lines.map((l) => el("li", null, el("code", null, l.line ? (file ? `${file.split("/").at(-1)}:${l.line}` : `line ${l.line}`) : `pc 0x${l.pc.toString(16)}`, inlinedAt(l.inlined)), ` ${l.instruction}: ${l.words} (${number(100 * l.share, 0)} %)`));
  const evidence = f.evidence.map((e) => el("li", null, el("span", { class: "quiet" }, e.name), ` ${number(e.value)} ${e.unit}`));
  return el("li", { class: "finding" },
    el("div", { class: "finding-head" }, el("strong", null, f.title), el("span", { class: "gain" }, `up to ${number(f.gain_pct, 0)} % less time`)),
    el("div", { class: "gainbar", role: "img", "aria-label": `${time(whole)} would be ${time(f.time_ns)}` }, el("i", { style: `width: ${Math.max(0, Math.min(100, 100 - f.gain_pct))}%` })),
    el("p", null, `${time(whole)} would be ${time(f.time_ns)} with ${f.ideal}.`), place.length ? el("ul", null, ...place) : null,
    el("p", null, el("b", null, "Remedy: "), f.remedy + "."), el("p", { class: "quiet" }, `Confidence ${f.confidence}: ${f.why}.`),
    evidence.length ? el("details", null, el("summary", null, "Evidence"), el("ul", null, ...evidence)) : null);
}

export function adviceCard(launch: Launch): HTMLElement | null {
  const a = launch.advice;
  if (!a) return null;
  const rows = (): Cell[][] => [["rule", "limiter", "title", "gain (%)", "time (ns)", "confidence", "line", "remedy"], ...a.findings.map((f): Cell[] => [f.rule, f.limiter, f.title, f.gain_pct, f.time_ns, f.confidence, f.lines[0]?.line, f.remedy])];
  const body = a.findings.length ? el("ol", { class: "findings" }, ...a.findings.map((f) => finding(f, a.time_ns, a.file))) : el("p", { class: "note" }, "Nothing that the rules look for would gain much.");
  return card({ title: "Why it takes this long", name: "advice", wide: true, rows, body: el("div", null, body),
    note: "Each gain is a bound: the flow model ran the launch again with that one thing made ideal." });
}

// ---- speed of light ----

const sum = (m: Metrics, ...names: string[]) => {
  const found = names.flatMap((n) => (m.has(n) ? [m.get(n)!] : []));
  return found.length ? found.reduce((a, b) => a + b, 0) : undefined;
};

const PIPES: [string, string[]][] = [["FMA", ["inst_executed_pipe_fma"]], ["ALU", ["inst_executed_pipe_alu"]], ["FP64", ["inst_executed_pipe_fp64"]], ["FP16", ["inst_executed_pipe_fp16", "inst_executed_pipe_fma_type_fp16"]], ["XU", ["inst_executed_pipe_xu"]],
  ["tensor", ["inst_executed_pipe_tensor", "pipe_tensor_cycles_active"]]];

/** Per cent of peak of each unit, as `strata advise` has it (src/predict/speed_of_light.c). */
export function peaks(m: Metrics, gpu: Gpu | undefined): [string, number][] {
  const key = (k: string) => gpuNumber(gpu, k) ?? NaN;
  const cycles = m.get("sm__cycles_elapsed.max") ?? NaN;
  const ns = m.get(TIME) ?? NaN;
  const sms = key("sm.count");
  const T = "l1tex__t_sectors_pipe_lsu_mem_";
  const dram = key("dram.channels") * key("dram.bus") * key("dram.clock") * 1e6 * key("dram.data_rate");
  const crossbar = key("xbar.total_bytes_per_cycle") || sms * key("xbar.response_bytes_per_cycle");
  const part = (v: number | undefined, whole: number) => (v === undefined ? NaN : (100 * v) / whole);
  const list: [string, number][] = [
    ["issue", part(m.get("smsp__inst_executed.sum"), cycles * sms * key("sm.schedulers"))],
    ["load/store", part(sum(m, ...["global_ld", "global_st", "shared_ld", "shared_st"].map((op) => `smsp__inst_executed_op_${op}.sum`)), cycles * sms)],
    ...PIPES.flatMap(([name, metrics]): [string, number][] => {
      const pct = Math.max(...metrics.map((p) => m.get(`sm__${p}.avg.pct_of_peak_sustained_active`) ?? 0)); // of active cycles
      return pct ? [[name + " pipe", (pct * (m.get("sm__cycles_active.avg") ?? NaN)) / cycles]] : [];
    }),
    ["L1", part(sum(m, T + "global_op_ld.sum", T + "global_op_st.sum", T + "global_op_atom.sum", T + "global_op_red.sum", T + "local_op_ld.sum", T + "local_op_st.sum"), (cycles * sms * key("l1.bytes_per_cycle")) / 32)],
    ["crossbar", part(Math.max(m.get("l1tex__m_xbar2l1tex_read_sectors.sum") ?? NaN, m.get("l1tex__m_l1tex2xbar_write_sectors.sum") ?? NaN) * 32, cycles * crossbar)],
    ["L2", part(sum(m, "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"), (cycles * key("l2.slices") * key("l2.bytes_per_cycle_per_slice")) / 32)],
    ["DRAM", part(sum(m, "dram__bytes_read.sum", "dram__bytes_write.sum"), (ns / 1e9) * dram)],
  ];
  return list.filter(([, v]) => known(v));
}

export function speedOfLight(launch: Launch): HTMLElement | null {
  const timed = launch.rows.filter((r) => r.metrics.has(TIME) && peaks(r.metrics, gpuOf(r.gpu)).length > 2);
  if (!timed.length) return null;
  const bars: { of: string; unit: string; pct: number }[] = timed.flatMap((r: Row) => peaks(r.metrics, gpuOf(r.gpu)).map(([unit, pct]) => ({ of: series[r.series], unit, pct })));
  const compared = timed.find((r) => r.measured);
  if (compared) for (const [unit, pct] of peaks(compared.measured!, gpuOf(compared.gpu))) bars.push({ of: "measured", unit, pct });
  const units = [...new Set(bars.map((b) => b.unit))];
  const body = el("div", { class: "peaks" }, ...units.map((u) => el("div", { class: "peak" }, el("b", null, u),
    ...bars.filter((b) => b.unit === u).map((b) => el("div", { class: "peakrow" }, el("span", { class: "quiet" }, b.of),
      el("span", { class: "peakbar" + (b.of === "measured" ? " measured" : "") }, el("i", { style: `width: ${Math.min(100, b.pct)}%; background: var(--s${levelOf(u) ?? 7})` })), el("span", { class: "peakvalue" }, percent(b.pct)))))));
  return card({ title: "Speed of light", name: "speed-of-light", body, rows: () => [["of", "unit", "% of peak"], ...bars.map((b): Cell[] => [b.of, b.unit, b.pct])],
    note: "Per cent of each unit's peak over the whole launch. One that is near 100 limits; if none is, warps wait for latency, for each other, or there are too few." });
}

// ---- source ----

const codeName = (isa: string | undefined) => (isa === "PTX" ? "PTX" : isa === "synthetic" ? "instructions" : "machine code");

const heatOf = (share: number) => Math.round(100 * Math.sqrt(Math.max(0, Math.min(1, share))));

/** Moves only the pane that the row lies in, never the page. */
function reveal(row: HTMLElement | undefined) {
  const pane = row?.closest<HTMLElement>(".scroll");
  if (row && pane) pane.scrollTop = row.offsetTop - pane.clientHeight / 3;
}

export function sourceCard(launch: Launch): HTMLElement | null {
  const h = launch.hotspots;
  if (!h?.sites.length) return null;
  const all = h.sites.reduce((s, x) => s + x.cost, 0) || 1;
  const byLine = new Map<number, Site[]>();
  for (const s of h.sites) if (s.line) byLine.set(s.line, [...(byLine.get(s.line) ?? []), s]);
  const waited = (s: Site) => (h.warp_cycles ? (100 * (s.waited_cycles ?? 0)) / h.warp_cycles : 0);
  const words = (s: Site) => `${s.access} ${s.instruction}` + (s.executed && s.l1_sectors ? `: ${number(s.l1_sectors / s.executed, 1)} sectors each time, ${number(s.ideal_sectors / s.executed, 1)} would do` : "") + (s.bank_conflicts ? `, ${number(s.bank_conflicts)} bank conflicts` : "") + (s.atomics ? `, ${number(s.atomics)} atomics` : "") + (waited(s) >= 0.1 ? `; warps wait for it ${percent(waited(s))} of their time` : "") + (s.inlined ? `; inlined${inlinedAt(s.inlined)}` : "");
  const rows = (): Cell[][] => [["line", "pc", "access", "instruction", "executed", "sectors", "fewest", "DRAM reads", "bank conflicts", "atomics", "cost (%)", "waited (%)", "inlined"],
    ...h.sites.map((s): Cell[] => [s.line, "0x" + s.pc.toString(16), s.access, s.instruction, s.executed, s.l1_sectors, s.ideal_sectors, s.dram_reads, s.bank_conflicts, s.atomics, (100 * s.cost) / all, h.warp_cycles ? waited(s) : null, s.inlined?.join(" > ") ?? ""])];
  const text = h.source?.split("\n");
  const hot = [...byLine.keys()];
  const from = text ? Math.max(1, Math.min(...hot) - 12) : 0;
  const to = text ? Math.min(text.length, Math.max(...hot) + 8) : -1;
  const detail = el("div", { class: "sitewords", role: "status" }, "Choose a line or an instruction: the other side follows.");
  const sourceRows = new Map<number, HTMLElement>(), codeRows = new Map<number, HTMLElement[]>();
  const show = (n: number, from: "source" | "code") => {
    detail.replaceChildren(el("b", null, `line ${n}`), el("ul", null, ...(byLine.get(n) ?? []).map((s) => el("li", null, `0x${s.pc.toString(16)}  ${words(s)} (${number((100 * s.cost) / all, 1)} %)`))));
    for (const [line, row] of sourceRows) row.classList.toggle("chosen", line === n);
    for (const [line, list] of codeRows) for (const row of list) row.classList.toggle("chosen", line === n);
    reveal(from === "source" ? codeRows.get(n)?.[0] : sourceRows.get(n));
  };
  const choosable = (row: HTMLElement, n: number, from: "source" | "code") => {
    row.setAttribute("tabindex", "0");
    for (const event of ["click", "focus"]) row.addEventListener(event, () => show(n, from));
  };
  const compiled = new Set((h.code ?? []).map((i) => i.line));
  const line = (n: number) => {
    const share = (byLine.get(n) ?? []).reduce((s, x) => s + x.cost, 0) / all;
    const row = el("tr", { class: share ? "hot" : null, style: share ? `--heat: ${heatOf(share)}%` : null }, el("td", { class: "number" }, share ? percent(100 * share) : ""), el("td", { class: "number quiet" }, String(n)), el("td", null, el("code", null, text?.[n - 1] ?? "")));
    if (byLine.has(n) || compiled.has(n)) choosable(row, n, "source");
    sourceRows.set(n, row);
    return row;
  };
  const instruction = (i: Instruction) => {
    const share = (i.cost ?? 0) / all;
    const row = el("tr", { class: share ? "hot" : null, style: share ? `--heat: ${heatOf(share)}%` : null }, el("td", { class: "number" }, share ? percent(100 * share) : ""), el("td", { class: "number quiet" }, i.pc.toString(16)), el("td", null, el("code", null, i.text)), el("td", { class: "quiet" }, (i.line ? String(i.line) : "") + inlinedAt(i.inlined)));
    if (i.line) {
      choosable(row, i.line, "code");
      codeRows.set(i.line, [...(codeRows.get(i.line) ?? []), row]);
    }
    return row;
  };
  const lines = text && hot.length ? Array.from({ length: to - from + 1 }, (_, i) => line(from + i)) : [];
  const side = (label: string, id: string, list: HTMLElement[]) => scroll(label, el("table", { id }, el("tbody", null, ...list)));
  const code = (h.code ?? []).map(instruction);
  const panes = [lines.length ? side("Source", "source-table", lines) : null, code.length ? side(codeName(h.isa), "code-table", code) : null].filter((p) => p !== null);
  const body = panes.length ? el("div", { class: "source" }, el("div", { class: panes.length > 1 ? "panes two" : "panes" }, ...panes), detail)
    : table(rows().slice(0, 40), "Instructions");
  return card({ title: h.file ? `Source: ${h.file.split("/").at(-1)}` : "Its instructions by cost", name: "source", wide: true, rows, body,
    note: (h.code?.length ? `Beside it the ${codeName(h.isa)}, as the trace has it. ` : "") + "Share of the launch's cost by line: sectors to and from the L2 and DRAM, atomics, bank conflicts (see strata hotspots)." });
}

export const limiterBadge = (launch: Launch) => badge(limiterOf(launch));
