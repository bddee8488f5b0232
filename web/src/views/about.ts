// Where the numbers come from and what they mean.
import { gpuName, raw } from "../data";
import { csvButton, el, scroll, table } from "../dom";
import type { Cell } from "../format";

export function about(): HTMLElement {
  const sources: Cell[][] = [["Result", "GPU", "Model", "Seed", "Launches", "Written by"],
    ...raw.predictions.map((p): Cell[] => ["prediction", gpuName(p), p.model + (p.variant ? ":" + p.variant : ""), String(p.seed), p.launches.length, p.tool]),
    ...raw.documents.map((d): Cell[] => [d.content.schema + " (" + d.file.replace(/^.*\//, "") + ")", String(d.content.gpu ?? ""), String(d.content.model ?? ""), String(d.content.seed ?? ""), Array.isArray(d.content.launches) ? d.content.launches.length : null, String(d.content.tool ?? "")])];
  const metrics = Object.entries(raw.metrics);
  const rows = (): Cell[][] => [["metric", "unit", "definition", "aggregation"], ...metrics.map(([n, m]): Cell[] => [n, m.unit, m.definition, m.aggregation])];
  return el("div", { class: "view" },
    el("h2", null, "About this report"),
    el("p", null, `Written by ${raw.tool}. The page needs no network: all data is inside, as JSON in the element “strata-data” (schema ${raw.schema}).`),
    raw.measured ? el("p", null, `Measured counters: ${raw.measured.file} (${raw.measured.layout}), ${raw.measured.launches.length} launches.`) : null,
    el("p", null, "Errors of percentages are in points, predicted less measured; all others in percent of the measured value. A metric that a model does not know is left out, never zero. Keys: / goes to the filter, n and p to the next and previous launch, 1 and so on to the views."),
    el("div", { class: "cards" },
      el("div", { class: "card wide" }, el("div", { class: "head" }, el("h3", null, "Results in this report")), table(sources, "Results")),
      el("div", { class: "card wide" }, el("div", { class: "head" }, el("h3", null, "Metrics"), csvButton("metric-definitions", rows, "the definitions")),
        scroll("Metrics", el("table", null, el("thead", null, el("tr", null, ...["Metric", "Unit", "Definition"].map((h) => el("th", { scope: "col" }, h)))),
          el("tbody", null, ...metrics.map(([n, m]) => el("tr", null, el("th", { scope: "row", class: "metric" }, n), el("td", null, m.unit), el("td", { class: "words" }, `${m.definition} (${m.aggregation})`)))))))));
}
