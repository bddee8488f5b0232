// The effective GPU files with their sources.
import { gpuName, gpus } from "../data";
import { csvButton, el, scroll, select } from "../dom";
import { diagram } from "../charts/diagram";
import { bytes, number, type Cell } from "../format";

const state = { words: "", setOnly: false, other: "" };

export function gpuView(index: number): HTMLElement {
  const gpu = gpus[index] ?? gpus[0];
  if (!gpu) return el("div", { class: "view" }, el("p", { class: "note" }, "The GPU files of these results were not found when the report was written."));
  const other = gpus.find((g) => gpuName(g) === state.other && g !== gpu);
  const otherText = new Map(other?.keys.map((k) => [k[0], k[1]]) ?? []);
  const changed = new Set(gpu.overrides.map((o) => o.split("=")[0]));
  const body = el("tbody");
  const shown = el("span", { role: "status" });
  const draw = () => {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    const list = gpu.keys.filter((k) => (!state.setOnly || k[4]) && words.every((w) => (k[0] + " " + k[3] + " " + k[1]).toLowerCase().includes(w)) && (!other || otherText.get(k[0]) !== k[1]));
    shown.textContent = `${list.length} of ${gpu.keys.length} keys`;
    body.replaceChildren(...list.map((k) => el("tr", { class: changed.has(k[0]) ? "changed" : null }, el("th", { scope: "row" }, k[0]), el("td", { class: "value" }, k[1] + (k[2] && !/[A-Za-z]$/.test(k[1]) ? " " + k[2] : "")),
      other ? el("td", { class: "value" }, otherText.get(k[0]) ?? "–") : null, el("td", { class: "words" }, changed.has(k[0]) ? "set for this result" : k[4] ? k[3] || "not given" : "default"))));
  };
  const filter = el("input", { id: "gpu-filter", type: "search", placeholder: "l1, dram, probe …", autocomplete: "off", value: state.words });
  filter.addEventListener("input", () => {
    state.words = filter.value;
    draw();
  });
  const only = el("input", { type: "checkbox", id: "set-only", checked: state.setOnly });
  only.addEventListener("change", () => {
    state.setOnly = only.checked;
    draw();
  });
  draw();
  const rows = (): Cell[][] => [["key", "value", "unit", "given", "source"], ...gpu.keys.map((k): Cell[] => [k[0], k[5] ?? k[1], k[2], k[4] ? "yes" : "default", k[3]])];
  const totals = gpu.totals.map((t) => el("tr", null, el("th", { scope: "row" }, t[0]), el("td", { class: "number" }, t[2] === "bytes" ? bytes(t[1]) : number(t[1]) + " " + t[2]), el("td", { class: "words" }, t[3])));
  return el("div", { class: "view" },
    el("div", { class: "controls" }, select("GPU", "gpu-choice", gpus.map((g, i): [string, string] => [String(i), gpuName(g)]), String(gpus.indexOf(gpu)), (v) => (location.hash = "#/gpu/" + v)),
      gpus.length > 1 ? select("differs from", "gpu-other", [["", "–"], ...gpus.filter((g) => g !== gpu).map((g): [string, string] => [gpuName(g), gpuName(g)])], other ? state.other : "", (v) => {
        state.other = v;
        window.dispatchEvent(new HashChangeEvent("hashchange"));
      }) : null),
    el("h2", null, gpuName(gpu)), el("p", { class: "note" }, gpu.description),
    el("div", { class: "cards" },
      el("div", { class: "card wide" }, el("div", { class: "head" }, el("h3", null, "From the SMs to DRAM")), diagram(gpu)),
      el("div", { class: "card wide" }, el("div", { class: "head" }, el("h3", null, "Values and where they come from"), csvButton("gpu-" + gpu.gpu, rows, "the GPU")),
        el("div", { class: "controls" }, el("label", { class: "field", for: "gpu-filter" }, el("span", null, "Filter"), filter), el("label", { class: "check", for: "set-only" }, only, " only what the file gives"), shown),
        scroll("Keys of the GPU", el("table", { id: "gpu-table" }, el("thead", null, el("tr", null, el("th", { scope: "col" }, "Key"), el("th", { scope: "col" }, "Value"), other ? el("th", { scope: "col" }, gpuName(other)) : null, el("th", { scope: "col" }, "Source"))), body))),
      el("div", { class: "card wide" }, el("div", { class: "head" }, el("h3", null, "What follows from them")),
        scroll("Totals", el("table", null, el("thead", null, el("tr", null, ...["Total", "Value", "How"].map((h) => el("th", { scope: "col" }, h)))), el("tbody", null, ...totals))))));
}
