// The page: one view at a time, chosen by the address behind "#".
import "./style.css";
import { launches, raw, rows } from "./data";
import { el } from "./dom";
import { startTheme } from "./theme";
import { about } from "./views/about";
import { canCompare, compareView } from "./views/compare";
import { gpuView } from "./views/gpu";
import { launchView } from "./views/launch";
import { overview } from "./views/overview";
import { silicon } from "./views/silicon";
import { hasSweeps, sweepView } from "./views/sweep";
import { hasTimelines, timelineView } from "./views/timeline";

const views: { name: string; title: string; draw: (rest: string) => HTMLElement }[] = [
  { name: "launches", title: "Launches", draw: overview },
  { name: "launch", title: "One launch", draw: (rest) => launchView(Number(rest) || 0) },
  { name: "silicon", title: "Against silicon", draw: silicon },
  ...(canCompare ? [{ name: "compare", title: "Compare", draw: () => compareView() }] : []),
  ...(hasSweeps ? [{ name: "sweep", title: "Sweeps", draw: (rest: string) => sweepView(Number(rest) || 0) }] : []),
  ...(hasTimelines ? [{ name: "timeline", title: "Timeline", draw: (rest: string) => timelineView(Number(rest) || 0) }] : []),
  { name: "gpu", title: "GPU", draw: (rest) => gpuView(Number(rest) || 0) },
  { name: "about", title: "About", draw: about },
];
const main = document.getElementById("main")!;
const nav = document.getElementById("nav")!;
const links = views.map((v, i) => el("a", { href: "#/" + v.name, title: "key " + (i + 1) }, v.title));
nav.append(...links);

// Where a report opens: the table, or what there is instead.
const first = rows.length ? "launches" : hasTimelines ? "timeline" : hasSweeps ? "sweep" : "launch";

function route(): { at: number; rest: string } {
  const [, name, ...rest] = location.hash.split("/");
  const found = views.findIndex((v) => v.name === name);
  return { at: found < 0 ? views.findIndex((v) => v.name === first) : found, rest: decodeURIComponent(rest.join("/")) };
}

function show(): void {
  if (location.hash === "#main") return; // the link over the header
  const { at, rest } = route();
  links.forEach((a, i) => (i === at ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current")));
  links[at].scrollIntoView({ block: "nearest", inline: "nearest" });
  main.replaceChildren(views[at].draw(rest));
}

function keys(e: KeyboardEvent): void {
  const target = e.target as HTMLElement;
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
  const { at, rest } = route();
  const step = e.key === "n" ? 1 : e.key === "p" ? -1 : 0;
  if (e.key === "/") {
    const box = main.querySelector<HTMLInputElement>("input[type=search]");
    if (box) {
      e.preventDefault();
      box.focus();
    }
  } else if (step && views[at].name === "launch" && launches[(Number(rest) || 0) + step]) {
    location.hash = "#/launch/" + ((Number(rest) || 0) + step);
  } else if (/^[1-9]$/.test(e.key) && views[Number(e.key) - 1]) {
    location.hash = "#/" + views[Number(e.key) - 1].name;
  }
}

document.getElementById("subject")!.textContent = raw.predictions.length
  ? [...new Set(raw.predictions.map((p) => p.model))].join(", ") + " on " + [...new Set(raw.predictions.map((p) => p.gpu))].join(", ")
  : "";
startTheme(document.getElementById("theme") as HTMLButtonElement, show);
addEventListener("hashchange", () => {
  show();
  scrollTo(0, 0);
});
addEventListener("keydown", keys);
show();
document.documentElement.dataset.ready = performance.now().toFixed(0); // ms since the page was asked for
