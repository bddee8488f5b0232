// The memory hierarchy of a GPU as blocks: what there is of each, how large, how far and how wide.
import { gpuNumber } from "../data";
import { el } from "../dom";
import { bytes, known, number } from "../format";
import { levelOf } from "../levels";
import type { Gpu } from "../types";

const rate = (perSecond: number | null) => (known(perSecond) && perSecond > 0 ? (perSecond >= 1e12 ? number(perSecond / 1e12, 1) + " TB/s" : number(perSecond / 1e9, 0) + " GB/s") : "");

interface Block {
  level: string;
  title: string;
  count: number | null;
  facts: (string | false | null)[];
  wire?: string; // to the next block
}

function blocks(gpu: Gpu): Block[] {
  const key = (k: string) => gpuNumber(gpu, k);
  const of = (k: string) => key(k) ?? NaN;
  const total = (name: string) => gpu.totals.find((t) => t[0] === name)?.[1] ?? null;
  const clock = 1e6 * of("sm.clock"), sms = of("sm.count");
  const l2 = of("l2.slices") * of("l2.bytes_per_cycle_per_slice") * (1e6 * of("l2.clock") || clock);
  const dram = 1e6 * of("dram.channels") * of("dram.bus") * of("dram.data_rate") * of("dram.clock");
  const way = of("xbar.total_bytes_per_cycle") || sms * of("xbar.response_bytes_per_cycle");
  const fact = (value: number | null, words: (v: number) => string) => known(value) && value > 0 && words(value);
  return [
    { level: "issue", title: "SM", count: key("sm.count"), facts: [fact(key("sm.clock"), (v) => `${number(v)} MHz`), fact(key("sm.schedulers"), (v) => `${v} schedulers`), fact(key("sm.max_warps"), (v) => `${v} warps`), fact(key("sm.registers"), (v) => `${bytes(4 * v)} registers`)],
      wire: rate(sms * of("l1.bytes_per_cycle") * clock) },
    { level: "L1", title: "L1 and shared memory", count: key("sm.count"), facts: [fact(key("l1.unified") || key("l1.size"), (v) => `${bytes(v)} each`), fact(key("shared.per_sm"), (v) => `shared up to ${bytes(v)}`), fact(key("l1.line"), (v) => `lines of ${v} B`), fact(key("l1.hit"), (v) => `hit ${number(v)} cycles`), fact(key("shared.latency"), (v) => `shared ${number(v)} cycles`)],
      wire: rate(way * clock) },
    { level: "crossbar", title: "Crossbar", count: null, facts: [fact(key("xbar.request_bytes_per_cycle"), (v) => `${number(v)} B a cycle from an SM`), fact(key("xbar.response_bytes_per_cycle"), (v) => `${number(v)} B to it`)], wire: rate(l2) },
    { level: "L2", title: "L2 slices", count: key("l2.slices"), facts: [fact(total("L2 in all") ?? key("l2.size"), (v) => `${bytes(v)} in all`), fact(key("l2.partitions"), (v) => `${v} partition${v === 1 ? "" : "s"}`), fact(key("l2.ways"), (v) => `${v} ways`), fact(key("l2.hit"), (v) => `hit ${number(v)} cycles`)], wire: rate(dram) },
    { level: "DRAM", title: "DRAM channels", count: key("dram.channels"), facts: [fact(key("dram.clock"), (v) => `${number(v)} MHz`), fact(key("dram.bus"), (v) => `${number(8 * v)} bits each`), fact(total("load to use from DRAM"), (v) => `load ${number(v, 0)} cycles`)] },
  ];
}

/** Small squares for as many as there are, up to as many as can be told apart. */
const squares = (count: number) => el("span", { class: "squares", "aria-hidden": "true" }, ...Array.from({ length: Math.min(count, 144) }, () => el("i")));

export function diagram(gpu: Gpu): HTMLElement {
  return el("div", { class: "diagram", role: "group", "aria-label": "Memory hierarchy of " + gpu.gpu }, ...blocks(gpu).flatMap((b) => [
    el("div", { class: "block", style: `--level: var(--s${levelOf(b.level)})` },
      el("strong", null, b.count ? `${number(b.count)} × ${b.title}` : b.title), b.count ? squares(b.count) : null,
      el("ul", null, ...b.facts.filter((f): f is string => Boolean(f)).map((f) => el("li", null, f)))),
    b.wire !== undefined ? el("div", { class: "wire" }, b.wire) : null,
  ].filter((n): n is HTMLDivElement => n !== null)));
}
