// Where the sectors of a launch go: from its requests through L1 and L2 to DRAM.
import { sankey, sankeyLinkHorizontal, type SankeyNode, type SankeyLink } from "d3-sankey";
import type { Metrics } from "../data";
import { svg } from "../dom";
import { levelOf } from "../levels";
import { known, number, short } from "../format";

const T = "l1tex__t_sectors_pipe_lsu_mem_";
const R = "l1tex__t_requests_pipe_lsu_mem_";
const L2 = "lts__t_sectors_srcunit_tex_op_";

interface Node {
  id: string;
  kind: "load" | "store" | "hit" | "dram" | "other";
  layer: number;
  note?: string;
}
interface Link {
  source: string;
  target: string;
  value: number;
}
export interface Flow {
  nodes: Node[];
  links: Link[];
}

class Builder {
  private nodes = new Map<string, Node>();
  private links: Link[] = [];
  node(id: string, kind: Node["kind"], layer: number, note?: string): string {
    if (!this.nodes.has(id)) this.nodes.set(id, { id, kind, layer, note });
    return id;
  }
  link(source: string, target: string, value: number | undefined): void {
    if (known(value) && value > 0) this.links.push({ source, target, value });
  }
  done(): Flow {
    const used = new Set(this.links.flatMap((l) => [l.source, l.target]));
    return { nodes: [...this.nodes.values()].filter((n) => used.has(n.id)), links: this.links };
  }
}

function sectorsPer(m: Metrics, op: string): string | undefined {
  const requests = m.get(R + op + ".sum");
  const sectors = m.get(T + op + ".sum");
  return known(requests) && requests > 0 && known(sectors) ? `of ${short(requests)} requests, ${number(sectors / requests, 1)} each` : undefined;
}

function loads(b: Builder, m: Metrics): void {
  const all = m.get(T + "global_op_ld.sum");
  if (!known(all)) return;
  const hits = m.get(T + "global_op_ld_lookup_hit.sum");
  const load = b.node("Global loads", "load", 0, sectorsPer(m, "global_op_ld"));
  if (!known(hits)) {
    b.link(load, b.node("L1", "other", 1, "hits unknown"), all);
    return;
  }
  b.link(load, b.node("L1 hits", "hit", 1), hits);
  const misses = Math.max(0, all - hits);
  b.link(load, b.node("L1 misses", "load", 1), misses);
  const read = m.get(L2 + "read.sum");
  const l2Hits = m.get(L2 + "read_lookup_hit.sum");
  if (!known(read) || !known(l2Hits)) return;
  // Several misses of a sector on its way are one read, and other reads of the L1 join.
  const reach = Math.min(misses, read);
  const share = read > 0 ? reach / read : 0;
  b.link("L1 misses", b.node("merged on the way", "hit", 2), misses - reach);
  b.link("L1 misses", b.node("L2 read hits", "hit", 2), l2Hits * share);
  b.link("L1 misses", b.node("L2 read misses", "load", 2), (read - l2Hits) * share);
  const other = b.node("Other reads", "other", 1, "local, texture, atomics, code");
  b.link(other, "L2 read hits", l2Hits * (1 - share));
  b.link(other, "L2 read misses", (read - l2Hits) * (1 - share));
}

function localLoads(b: Builder, m: Metrics): void {
  b.link(b.node("Local loads", "load", 0), b.node("L1, local", "other", 1), m.get(T + "local_op_ld.sum"));
}

function dramReads(b: Builder, m: Metrics): void {
  const dram = m.get("dram__sectors_read.sum");
  const read = m.get(L2 + "read.sum");
  const hits = m.get(L2 + "read_lookup_hit.sum");
  if (!known(dram)) return;
  const to = b.node("DRAM reads", "dram", 3);
  const misses = known(read) && known(hits) ? Math.max(0, read - hits) : 0;
  const direct = Math.min(misses, dram);
  b.link(b.node("L2 read misses", "load", 2), to, direct);
  b.link(b.node("L2 read misses", "load", 2), b.node("already on the way", "hit", 3), misses - direct);
  b.link(b.node("Fetched beside", "other", 2, "partner sectors, other units"), to, dram - direct);
}

function stores(b: Builder, m: Metrics): void {
  const kinds: [string, string][] = [["Global stores", "global_op_st"], ["Local stores", "local_op_st"]];
  const parts = kinds.flatMap(([id, op]) => {
    const v = m.get(T + op + ".sum");
    return known(v) && v > 0 ? [{ id: b.node(id, "store", 0, sectorsPer(m, op)), v }] : [];
  });
  const all = parts.reduce((s, p) => s + p.v, 0);
  const written = m.get(L2 + "write.sum");
  if (!all || !known(written)) {
    for (const p of parts) b.link(p.id, b.node("L1 stores", "store", 1), p.v);
    return;
  }
  const reach = Math.min(all, written);
  for (const p of parts) {
    b.link(p.id, b.node("Written through", "store", 1), (p.v * reach) / all);
    b.link(p.id, b.node("merged in the L1", "hit", 1), p.v - (p.v * reach) / all);
  }
  const dram = m.get("dram__sectors_write.sum");
  const out = known(dram) ? Math.min(dram, reach) : 0;
  b.link("Written through", b.node("L2 writes", "store", 2), reach);
  b.link("L2 writes", b.node("DRAM writes", "dram", 3), out);
  if (known(dram)) b.link("L2 writes", b.node("kept in the L2", "hit", 3), reach - out);
}

/** Atomics are worked off in the L2: none of their sectors ends before it. */
function atomics(b: Builder, m: Metrics): void {
  for (const [id, op] of [["Atomics", "global_op_atom"], ["Reductions", "global_op_red"]]) {
    const v = m.get(T + op + ".sum");
    if (!known(v) || !(v > 0)) continue;
    b.link(b.node(id, "store", 0, sectorsPer(m, op)), b.node("passed on", "store", 1), v);
    b.link("passed on", b.node("L2 atomics", "store", 2), v);
  }
}

export function flowOf(m: Metrics): Flow {
  const b = new Builder();
  loads(b, m);
  localLoads(b, m);
  dramReads(b, m);
  stores(b, m);
  atomics(b, m);
  return b.done();
}

/** The colour of the level where sectors end; what only passes through is grey. */
function colourOf(n: Node): string {
  if (n.kind === "dram") return `var(--s${levelOf("DRAM")})`;
  if (n.layer === 0) return `var(--s${levelOf("load/store")})`;
  if (n.kind === "hit") return `var(--s${levelOf(n.layer === 1 ? "L1" : "L2")})`;
  return /L2 (writes|atomics)/.test(n.id) ? `var(--s${levelOf("L2")})` : "var(--s7)";
}
// What a phone has room for.
const SHORT: Record<string, string> = { "Global loads": "Loads", "Global stores": "Stores", "merged on the way": "merged", "L2 read hits": "L2 hits", "L2 read misses": "L2 misses", "already on the way": "on the way",
  "Written through": "written", "merged in the L1": "merged", "Fetched beside": "beside", "kept in the L2": "kept in L2" };
type N = SankeyNode<Node, Link>;
type L = SankeyLink<Node, Link>;

function label(n: N, width: number, narrow: boolean): SVGElement {
  const left = (n.x0 ?? 0) < width * 0.62;
  // on a phone two labels share the room between the L1 and the L2: those of the L2 stand lower
  const y = ((n.y0 ?? 0) + (n.y1 ?? 0)) / 2 + (narrow && n.layer === 2 ? 26 : 0);
  const x = left ? (n.x1 ?? 0) + 6 : (n.x0 ?? 0) - 6;
  const anchor = left ? "start" : "end";
  const value = narrow ? short(n.value ?? 0) : number(Math.round(n.value ?? 0)) + (n.layer === 0 ? " sectors" : "");
  return svg("text", { x, y: y - (narrow || !n.note ? 2 : 8), "text-anchor": anchor, class: "flow-label" }, narrow ? (SHORT[n.id] ?? n.id) : n.id,
    svg("tspan", { x, dy: "1.15em", class: "quiet" }, value), !narrow && n.note ? svg("tspan", { x, dy: "1.15em", class: "quiet" }, n.note) : null);
}

export function drawFlow(flow: Flow, width: number): SVGSVGElement {
  const narrow = width < 560;
  const height = narrow ? 420 : 380;
  const layout = sankey<Node, Link>().nodeId((n) => n.id).nodeAlign((n) => n.layer ?? 0).nodeWidth(12)
    .nodePadding(narrow ? 30 : 28).nodeSort(null as never).extent([[1, 26], [width - 1, height - 26]]);
  const graph = layout({ nodes: flow.nodes.map((n) => ({ ...n })), links: flow.links.map((l) => ({ ...l })) });
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "Flow of sectors from requests to DRAM" });
  for (const [layer, title] of ["requests", "L1", "L2", "DRAM"].entries()) {
    const at = graph.nodes.find((n) => n.layer === layer && n.id !== "Fetched beside") as N | undefined;
    const right = (at?.x0 ?? 0) > width * 0.62;
    if (at) root.append(svg("text", { x: right ? at.x1 : at.x0, y: 11, class: "quiet", "text-anchor": right ? "end" : "start" }, title));
  }
  const path = sankeyLinkHorizontal();
  for (const l of graph.links as L[]) {
    const target = l.target as N;
    const words = `${(l.source as N).id} → ${target.id}: ${number(Math.round(l.value))} sectors`;
    root.append(svg("path", { d: path(l as never), fill: "none", stroke: colourOf(target), "stroke-opacity": 0.35, "stroke-width": Math.max(1, l.width ?? 1), class: "flow-link" }, svg("title", null, words)));
  }
  for (const n of graph.nodes as N[]) {
    const words = `${n.id}: ${number(Math.round(n.value ?? 0))} sectors${n.note ? " (" + n.note + ")" : ""}`;
    root.append(svg("rect", { x: n.x0, y: n.y0, width: (n.x1 ?? 0) - (n.x0 ?? 0), height: Math.max(1, (n.y1 ?? 0) - (n.y0 ?? 0)), fill: colourOf(n), rx: 2 }, svg("title", null, words)));
  }
  for (const n of graph.nodes as N[]) root.append(label(n, width, narrow));
  return root;
}
