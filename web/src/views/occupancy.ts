// How a launch fills the GPU: its shape, what one block takes, and what keeps more from being resident.
import { gpuNumber, gpuOf, type Launch, type Row } from "../data";
import { card, el } from "../dom";
import { bytes, known, number, percent, type Cell } from "../format";

const LIMITS: [string, string][] = [["registers", "launch__occupancy_limit_registers"], ["shared memory", "launch__occupancy_limit_shared_mem"], ["warps", "launch__occupancy_limit_warps"], ["blocks", "launch__occupancy_limit_blocks"]];
const REACHED = "sm__warps_active.avg.pct_of_peak_sustained_active";

function sentence(waves: number | undefined, blocks: number, sms: number | null, limit: string, resident: number): string {
  if (known(sms) && blocks < sms) return `${number(blocks)} blocks for ${number(sms)} SMs: ${number(sms - blocks)} SMs have nothing to do.`;
  const tail = known(waves) && waves > 1 && waves % 1 > 0 && waves < 6 ? ` The last of ${number(Math.ceil(waves), 0)} waves is ${percent(100 * (waves % 1))} full.` : "";
  return `${number(resident)} blocks fit an SM at a time; ${limit} allow no more.${tail}`;
}

/** A bar from 0 to the limit that is reached first and beyond. */
function limitRows(list: [string, number][], least: number): HTMLElement {
  const most = Math.max(...list.map(([, v]) => v));
  return el("div", { class: "peaks" }, ...list.map(([name, v]) => el("div", { class: "peakrow" }, el("span", { class: v === least ? null : "quiet" }, v === least ? el("b", null, name) : name),
    el("span", { class: "peakbar" }, el("i", { style: `width: ${(100 * v) / most}%; background: var(${v === least ? "--s1" : "--s7"})` })), el("span", { class: "peakvalue" }, number(v)))));
}

export function occupancyCard(launch: Launch): HTMLElement | null {
  const row: Row | undefined = launch.rows.find((r) => r.metrics.has(REACHED) && r.metrics.has(LIMITS[0][1])) ?? launch.rows.find((r) => r.metrics.has(LIMITS[0][1]));
  if (!row) return null;
  const m = row.metrics, gpu = gpuOf(row.gpu);
  const list = LIMITS.flatMap(([name, metric]): [string, number][] => (m.has(metric) ? [[name, m.get(metric)!]] : []));
  const least = Math.min(...list.map(([, v]) => v));
  const threads = launch.block.reduce((a, b) => a * b, 1), blocks = launch.grid.reduce((a, b) => a * b, 1);
  const warps = Math.ceil(threads / 32), most = gpuNumber(gpu, "sm.max_warps");
  const possible = known(most) && most > 0 ? (100 * Math.min(most, least * warps)) / most : undefined;
  const facts: [string, string | null][] = [
    ["Blocks", `${number(blocks)} (${launch.grid.join(" × ")})`], ["Threads a block", `${number(threads)} (${launch.block.join(" × ")}), ${number(warps)} warps`],
    ["Registers a thread", m.has("launch__registers_per_thread") ? number(m.get("launch__registers_per_thread")) : null],
    ["Shared memory of an SM", m.has("launch__shared_mem_config_size") ? bytes(m.get("launch__shared_mem_config_size")) : null],
    ["Waves", m.has("launch__waves_per_multiprocessor") ? number(m.get("launch__waves_per_multiprocessor"), 2) : null],
    ["Occupancy possible", known(possible) ? percent(possible) : null], ["reached", m.has(REACHED) ? percent(m.get(REACHED)) : null],
    ["measured", row.measured?.has(REACHED) ? percent(row.measured.get(REACHED)) : null],
  ];
  const shown = facts.filter((f): f is [string, string] => f[1] !== null);
  const limit = list.filter(([, v]) => v === least).map(([n]) => n).join(" and ");
  return card({ title: "Launch and occupancy", name: "occupancy", rows: () => [["fact", "value"], ...shown.map((f): Cell[] => f), ...list.map(([n, v]): Cell[] => ["blocks an SM by " + n, v])],
    body: el("div", null, el("p", { class: "lead" }, sentence(m.get("launch__waves_per_multiprocessor"), blocks, gpuNumber(gpu, "sm.count"), limit, least)),
      el("dl", { class: "facts" }, ...shown.flatMap(([k, v]) => [el("dt", null, k), el("dd", null, v)])), el("p", { class: "quiet" }, "Blocks of an SM by each resource:"), limitRows(list, least)),
    note: `${row.model} on ${row.gpu}.` });
}
