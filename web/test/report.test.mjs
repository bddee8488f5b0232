// The page in a browser: charts are drawn, filters and downloads work, nothing is fetched, nothing fails.
// STRATA names the tool, CHROMIUM the browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { chromium } from "playwright-core";
import { writeFixture } from "./fixture.mjs";

const strata = process.env.STRATA;
const folder = mkdtempSync(join(tmpdir(), "strata-web-"));
const LAUNCHES = 60;
const MODELS = ["coalesce", "reuse", "interval", "flow", "sim"];
let browser, large, report;
const troubles = new WeakMap(); // of each page: what went wrong in it, and what it asked for

function build(name, args) {
  const out = join(folder, name);
  execFileSync(strata, ["report", "-q", ...args, "-o", out]);
  return out;
}

async function open(path, width = 1280, options = {}) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, ...options });
  const problems = [], requests = [];
  troubles.set(page, { problems, requests });
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && problems.push(m.text()));
  page.on("pageerror", (e) => problems.push(e.message));
  page.on("request", (r) => requests.push(r.url()));
  await page.goto("file://" + path);
  await page.waitForSelector("html[data-ready]");
  return page;
}

async function go(page, view) {
  await page.evaluate((v) => (location.hash = "#/" + v), view);
  await drawn(page);
}

/** A chart is drawn when its place in the page has a width. */
async function drawn(page) {
  await page.waitForTimeout(100);
  await page.waitForFunction(() => [...document.querySelectorAll(".plot")].every((p) => p.firstChild));
}

/** Closes the page; nothing may have gone wrong or been fetched in it. */
async function done(page) {
  await page.close();
  const { problems, requests } = troubles.get(page);
  assert.deepEqual(problems, []);
  assert.deepEqual(requests.filter((u) => !/^(file|data|blob):/.test(u)), []);
}

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  // What a page does shows with fewer launches as well; how fast it opens does not.
  const inputs = (f) => [...f.predictions, f.reuse, f.sweep, f.timeline, "--measured", f.counters, "--repeated", f.again];
  large = build("large.html", inputs(writeFixture(join(folder, "many"), 200, MODELS)));
  report = build("report.html", inputs(writeFixture(join(folder, "in"), LAUNCHES, MODELS)));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("200 launches of 5 models stay under 5 MB and open in under 2 seconds", async () => {
  assert.ok(statSync(large).size < 5e6, `${statSync(large).size} bytes`);
  const times = [];
  for (let i = 0; i < 3; i++) {
    const page = await open(large);
    assert.equal(await page.locator("#overview-table tbody tr").count(), 200);
    times.push(Number(await page.evaluate(() => document.documentElement.dataset.ready)));
    if (!i) {
      await go(page, "silicon");
      assert.equal(await page.locator(`[data-chart="scatter"] svg g[aria-label="dot"] path`).count(), 200 * MODELS.length);
    }
    await done(page);
  }
  console.log(`report: ${(statSync(large).size / 1e6).toFixed(2)} MB, opened in ${times.join(", ")} ms`);
  assert.ok(Math.min(...times) < 2000, `${times}`);
});

describe("the page", { concurrency: 2 }, () => {
test("the table filters, sorts and shows all rows", async () => {
  const page = await open(report);
  const rows = () => page.locator("#overview-table tbody tr").count();
  assert.equal(await page.locator("#shown").textContent(), `${LAUNCHES} of ${LAUNCHES * MODELS.length} rows`); // one model at first
  assert.equal(await page.locator("#choose-model").inputValue(), "flow");
  const times = (await page.locator("#overview-table tbody td.timebar").evaluateAll((cells) => cells.map((c) => parseFloat(c.style.getPropertyValue("--share")))));
  assert.deepEqual(times, [...times].sort((a, b) => b - a)); // the longest launch first
  assert.equal(await page.locator("#overview-table td.error:visible").count(), 0);
  await page.check("#show-errors");
  assert.ok((await page.locator("#overview-table td.error:visible").count()) > LAUNCHES);
  await page.selectOption("#choose-model", "");
  await page.click("#show-all");
  assert.equal(await rows(), LAUNCHES * MODELS.length);
  await page.keyboard.press("/");
  await page.keyboard.type("program_07 flow");
  assert.equal(await rows(), 4);
  await page.selectOption("#choose-model", "sim");
  assert.equal(await rows(), 0);
  await page.fill("#filter", "");
  assert.equal(await rows(), LAUNCHES);
  const cycles = page.locator("#overview-table th", { hasText: "Cycles" });
  await cycles.getByRole("button").click();
  assert.equal(await cycles.getAttribute("aria-sort"), "descending");
  const values = (await page.locator("#overview-table tbody tr td:nth-child(4)").allTextContents()).map((t) => Number(t.replace(/,/g, "")));
  assert.deepEqual(values, [...values].sort((a, b) => b - a));
  await done(page);
});

test("the roofline has a point for each launch whose time and traffic are known", async () => {
  const page = await open(report);
  await drawn(page);
  const [csv] = await Promise.all([page.waitForEvent("download"), page.click(`[data-csv="roofline"]`)]);
  const lines = readFileSync(await csv.path(), "utf8").trim().split("\n").slice(1).map((l) => l.split(","));
  const predicted = lines.filter((l) => l[2] !== "measured");
  assert.ok(predicted.length > 20, `${predicted.length} points`);
  assert.equal(await page.locator(`[data-chart="roofline"] svg a`).count(), predicted.length);
  assert.equal(new Set(predicted.map((l) => l[2])).size, 1, "one model at a time");
  await page.selectOption("#roof-level", "all");
  await drawn(page);
  assert.ok((await page.locator(`[data-chart="roofline"] svg a`).count()) > predicted.length, "no points of other levels");
  assert.ok(predicted.every((l) => l[3] === "DRAM" && Number(l[4]) > 0 && Number(l[5]) > 0));
  await done(page);
});

test("a launch shows its flow, miss kinds, stacks, reuse and metrics", async () => {
  const page = await open(report);
  await go(page, "launch/0");
  for (const chart of ["accesses", "cycles", "miss-kinds", "cpi-stack", "latency", "stalls", "reuse-histogram", "miss-ratio-curve"]) {
    const shapes = await page.locator(`[data-chart="${chart}"] svg :is(path, rect, circle)`).count();
    assert.ok(shapes > 2, `${chart} has ${shapes} shapes`);
  }
  assert.ok((await page.locator(`[data-chart="miss-ratio-curve"]`).textContent()).includes("L1 256 KiB"));
  assert.ok((await page.locator("#metric-table tbody tr").count()) > 40);
  const before_ = await page.locator("h2").textContent();
  await page.locator("h2").click();
  await page.keyboard.press("n");
  await page.waitForTimeout(200);
  assert.notEqual(await page.locator("h2").textContent(), before_);
  await done(page);
});

test("advice, the hot line and the speed of light stand on the launch's page, and atomics reach the L2", async () => {
  const launch = { program: "p", trace: "kernel-1", id: 1, kernel: "_Z1kPf", grid: [64, 1, 1], block: [256, 1, 1] };
  const T = "l1tex__t_sectors_pipe_lsu_mem_global_op_";
  const metrics = { "gpu__time_duration.sum": 5000, "sm__cycles_elapsed.max": 9900, "smsp__inst_executed.sum": 40000, "sm__cycles_active.avg": 4950, "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active": 50, "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active": 8, "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active": 0, "strata__flop.sum": 3e6, "strata__flop_fp32.sum": 1e6, "strata__flop_fp64.sum": 2e6, "dram__bytes_read.sum": 1e6, "dram__bytes_write.sum": 1e5,
    [T + "ld.sum"]: 1000, [T + "ld_lookup_hit.sum"]: 0, [T + "st.sum"]: 8000, [T + "red.sum"]: 2048, [T + "atom.sum"]: 0, "lts__t_sectors_srcunit_tex_op_write.sum": 8000,
    "lts__t_sectors_op_read.sum": 1000, "lts__t_sectors_op_write.sum": 8000, "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio": 2 };
  const files = { prediction: { schema: "strata.prediction/1", tool: "t", gpu: "h200", model: "flow", seed: 1, launches: [{ ...launch, metrics }] },
    advise: { schema: "strata.advise/1", model: "flow", gpu: "h200", launches: [{ ...launch, file: "/src/k.cu", time_ns: 5000, limiter: "L2", peak_pct: { l2: 90 }, findings: [{ rule: "uncoalesced-store", limiter: "L2", cause: true, title: "lanes of a warp store far apart",
      remedy: "let them be neighbours", ideal: "bytes side by side", time_ns: 1000, gain_pct: 80, confidence: "high", why: "it was run", evidence: [{ name: "sectors", value: 8000, unit: "sector" }], lines: [{ line: 2, pc: 16, instruction: "STG.E", share: 1, words: "32 sectors", inlined: ["/src/put.h:9"] }] }] }] },
    hotspots: { schema: "strata.hotspots/1", gpu: "h200", launches: [{ ...launch, file: "/src/k.cu", source: "__global__ void k(float *a) {\n  a[32 * threadIdx.x] = 1; // <b>not markup</b>\n}\n",
      sites: [{ line: 2, inlined: ["/src/put.h:9", "/c/put.hpp:84"], pc: 16, access: "global store", instruction: "STG.E", executed: 250, lanes: 8000, l1_sectors: 8000, ideal_sectors: 1000, dram_reads: 0, bank_conflicts: 0, atomics: 0, cost: 8000 }],
      isa: "SASS", code: [{ pc: 0, line: 1, text: "S2R R0" }, { pc: 16, line: 2, inlined: ["/src/put.h:9", "/c/put.hpp:84"], text: "STG.E R2, R4", executed: 250, cost: 8000 }, { pc: 32, text: "EXIT" }] }] } };
  const paths = Object.entries(files).map(([name, content]) => {
    const path = join(folder, name + "-small.json");
    writeFileSync(path, JSON.stringify(content));
    return path;
  });
  const page = await open(build("advice.html", paths));
  assert.equal(await page.locator("#overview-table .badge").textContent(), "L2");
  await go(page, "launch/0");
  assert.ok((await page.locator(`[data-chart="advice"]`).textContent()).includes("up to 80 % less time"));
  assert.match(await page.locator(`[data-chart="advice"] .finding`).textContent(), /k\.cu:2 > put\.h:9 STG\.E/);
  assert.equal(await page.locator("#source-table tr.hot").count(), 1);
  await page.click("#source-table tr.hot");
  assert.ok((await page.locator(".sitewords").textContent()).includes("32.0 sectors each time, 4.0 would do; inlined > put.h:9 > put.hpp:84"));
  assert.equal(await page.locator("#code-table tr").count(), 3);
  assert.equal(await page.locator("#code-table tr.chosen").textContent(), "100.0 %10STG.E R2, R42 > put.h:9 > put.hpp:84");
  await page.click("#code-table tr:first-child");
  assert.match(await page.locator("#source-table tr.chosen").textContent(), /__global__ void k/);
  assert.ok((await page.locator(`[data-chart="speed-of-light"] .peakrow`).count()) >= 3);
  // half of the active cycles, and active half of the time; a pipe without work has no bar
  const peaks = await page.locator(`[data-chart="speed-of-light"]`).textContent();
  assert.ok(peaks.includes("ALU pipeflow on h20025.0 %") && peaks.includes("tensor pipeflow on h2004.0 %") && !peaks.includes("XU"), peaks);
  await page.selectOption("#launch-roof-work", "flop");
  await drawn(page);
  const roofs = await page.locator(`[data-chart="launch-roofline"] svg`).textContent();
  assert.ok(roofs.includes("FP32 pipes") && roofs.includes("FP64 pipes") && !roofs.includes("tensor"), roofs);
  const flow = await page.locator(`[data-chart="accesses"] svg`).textContent();
  assert.ok(flow.includes("L2 atomics") && !/Reductions → merged in the L1/.test(flow));
  await done(page);
});

test("the scatter has a point for each launch and model, and leads to the launch", async () => {
  const page = await open(report);
  await go(page, "silicon");
  assert.equal(await page.locator(`[data-chart="scatter"] svg g[aria-label="dot"] path`).count(), LAUNCHES * MODELS.length);
  assert.equal(await page.locator(".three [data-chart]").count(), 6);
  // bars of the spread from run to run: two launches came to other cycles
  assert.equal(await page.locator(`[data-chart="scatter"] svg g[aria-label="rule"] line`).count(), 2 * MODELS.length);
  await page.selectOption("#metric-choice", "dram__sectors_read.sum");
  await drawn(page);
  assert.ok((await page.locator(`[data-chart="scatter"] svg g[aria-label="dot"] path`).count()) > LAUNCHES * MODELS.length / 2);
  assert.ok((await page.locator(`[data-chart="miss-kinds-all"] svg rect`).count()) > LAUNCHES);
  await page.locator(`[data-chart="scatter"] svg a`).first().dispatchEvent("click");
  await drawn(page);
  assert.match(page.url(), /#\/launch\/\d+/);
  await done(page);
});

test("a timeline has a bar for every launch and copy, and the measured ones beside", async () => {
  const page = await open(report);
  await go(page, "timeline");
  assert.match(await page.locator('[data-fact="time"]').textContent(), /from the first start to the last end/);
  const bars = await page.locator(`[data-chart="timeline-streams"] svg g[aria-label="bar"] rect`).count();
  assert.equal(bars, 2 * LAUNCHES + 1);
  assert.equal(await page.locator(`[data-chart="timeline-use"] svg g[aria-label="area"]`).count() > 0, true);
  await done(page);
});

test("a sweep has a heat map, curves, a front and a ranking", async () => {
  const page = await open(report);
  await go(page, "sweep");
  assert.equal(await page.locator(`[data-chart="sweep-heat-map"] svg g[aria-label="cell"] rect`).count(), 20);
  assert.ok((await page.locator(`[data-chart="sweep-curves"] svg path`).count()) > 3);
  assert.ok((await page.locator(`[data-chart="sweep-pareto"] svg circle`).count()) > 30);
  assert.match(await page.locator("#ranking tbody tr:first-child").textContent(), /^1256KiB16128/);
  await page.getByRole("button", { name: "Show all 40 points" }).click();
  assert.match(await page.locator("#ranking tbody tr:last-child").textContent(), /take fewer/);
  await page.selectOption("#sweep-l1-line", "64");
  assert.equal(await page.locator(`[data-chart="sweep-heat-map"] svg g[aria-label="cell"] rect`).count(), 19);
  await done(page);
});

test("the launches page begins with one row a kernel, the longest first, with shares that add up", async () => {
  const page = await open(report);
  const rows = await page.locator("#kernel-table tbody tr").all();
  const shares = await Promise.all(rows.map(async (r) => Number((await r.locator("td").nth(2).textContent()).replace(" %", ""))));
  assert.ok(shares.length >= 2);
  assert.deepEqual(shares, [...shares].sort((a, b) => b - a));
  assert.ok(Math.abs(shares.reduce((a, b) => a + b, 0) - 100) < 0.1 * shares.length + 1 || shares.length === 25, String(shares));
  await page.locator("#kernel-table tbody a").first().click();
  await drawn(page);
  assert.match(page.url(), /#\/launch\/\d+/);
  assert.ok(await page.locator(`[data-chart="occupancy"]`).count(), "no card of the launch's shape");
  await done(page);
});

test("a launch that uses Hopper's units has a card of tensor cores, copies and barrier waits, others have none", async () => {
  const page = await open(report);
  await page.evaluate(() => (location.hash = "#/launch/1"));
  await drawn(page);
  const text = await page.locator(`[data-chart="hopper"]`).innerText();
  for (const part of ["62.5 %", "1,536", "384 of", "barriers in shared memory", "23.9 %", "the cluster's barrier", "24.6 %"]) assert.ok(text.includes(part), `${part} is not in ${text}`);
  assert.ok(!text.includes("their own copies"), "a wait of nobody");
  await page.evaluate(() => (location.hash = "#/launch/0"));
  await drawn(page);
  assert.equal(await page.locator(`[data-chart="hopper"]`).count(), 0);
  await done(page);
});

test("two series can be compared, either way round, and what explains a launch is told", async () => {
  const page = await open(report);
  await go(page, "compare");
  const change = async () => (await page.locator("#compare-table tbody tr").first().locator("td").nth(2).textContent()).trim();
  const before_ = await change();
  assert.match(before_, /^[+−]?[\d,.]+ %$/);
  assert.ok((await page.locator("#compare-metrics tbody tr").count()) > 3);
  assert.doesNotMatch(await page.locator("#compare-metrics tbody").textContent(), /NaN|Infinity/);
  await page.getByRole("button", { name: "Swap" }).click();
  assert.notEqual(await change(), before_);
  await done(page);
});

test("a sweep tells what matters, and marks the card as it is", async () => {
  const page = await open(report);
  await go(page, "sweep");
  const words = await page.locator("#sweep-verdict").textContent();
  assert.match(words, /best point|No point is better/);
  assert.match(words, /matters most is|None of the keys/);
  await done(page);
});

test("the GPU's blocks have sizes, latencies and bandwidths", async () => {
  const page = await open(report);
  await go(page, "gpu");
  assert.equal(await page.locator(".diagram .block").count(), 5);
  const words = await page.locator(".diagram").textContent();
  for (const part of ["132 × SM", "256 KiB each", "hit 275 cycles", "60 MiB in all", "4.8 TB/s"]) assert.ok(words.includes(part), `${part} in ${words}`);
  await done(page);
});

test("the GPU shows each value with its source", async () => {
  const page = await open(report);
  await go(page, "gpu");
  await page.fill("#gpu-filter", "sm.count");
  const row = await page.locator("#gpu-table tbody tr").first().textContent();
  assert.match(row, /sm\.count132.*device attribute/);
  await done(page);
});

/** What a click on the button would save: its name and text. The saving itself is tried by the roofline's test; a
 * browser holds back downloads that follow one another faster than a person clicks. */
async function saved(page, button) {
  await page.evaluate(() => {
    let text;
    URL.createObjectURL = (blob) => ((text = blob.text()), "blob:kept");
    HTMLAnchorElement.prototype.click = function () {
      window.saving = text.then((t) => ({ name: this.download, text: t }));
    };
  });
  await button.click();
  return page.evaluate(() => window.saving);
}

test("every chart's numbers can be downloaded as CSV", async () => {
  const page = await open(report, 1280, { acceptDownloads: true });
  let n = 0;
  for (const view of ["launches", "launch/0", "timeline", "silicon", "compare", "sweep", "gpu", "about"]) {
    await go(page, view);
    assert.equal(await page.locator("figure[data-chart]").count(), await page.locator("figure[data-chart] button.csv").count());
    for (const button of await page.locator("button.csv").all()) {
      const file = await saved(page, button);
      const lines = file.text.trim().split("\n");
      assert.match(file.name, /^strata-[\w.-]+\.csv$/);
      assert.ok(lines.length > 1 && lines[0].includes(","), `${view}: ${file.name} is empty`);
      n++;
    }
  }
  assert.ok(n >= 25, `${n} downloads`);
  await done(page);
});

test("nothing is wider than a phone, and every view works there", async () => {
  const page = await open(report, 390);
  for (const view of ["launches", "launch/0", "silicon", "compare", "sweep", "gpu", "about"]) {
    await go(page, view);
    const [content, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= screen, `${view} is ${content} wide`);
    const torn = await page.evaluate(() => [...document.querySelectorAll(".gain, .facts .together, .peakvalue")]
      .filter((e) => {
        const range = document.createRange();
        range.selectNodeContents(e);
        return e.offsetParent && new Set([...range.getClientRects()].filter((r) => r.width > 1).map((r) => Math.round(r.top / 8))).size > 1;
      }).map((e) => e.textContent));
    assert.deepEqual(torn, [], `${view} tears a number from its unit`);
  }
  await done(page);
});

test("dark follows the system and the button changes it", async () => {
  const page = await open(report, 1280, { colorScheme: "dark" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.click("#theme");
  assert.notEqual(await paper(), dark);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  await done(page);
});

test("views and the table can be reached by keyboard alone", async () => {
  const page = await open(report);
  await page.keyboard.press("3");
  await page.waitForTimeout(200);
  assert.match(page.url(), /#\/silicon/);
  await page.keyboard.press("1");
  await page.waitForTimeout(200);
  const seen = new Set();
  for (let i = 0; i < 50; i++) {
    await page.keyboard.press("Tab");
    seen.add(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName));
  }
  for (const id of ["theme", "filter", "choose-model", "BUTTON", "DIV", "A"]) assert.ok(seen.has(id), `${id} of ${[...seen]}`);
  await done(page);
});

test("words from outside stay words", async () => {
  const evil = `"><img src=x onerror=alert(1)></script><script>alert(1)</script>`;
  const path = join(folder, "evil.json");
  const { writeFileSync } = await import("node:fs");
  writeFileSync(path, JSON.stringify({ schema: "strata.prediction/1", tool: evil, gpu: evil, model: evil, seed: 1, overrides: [evil], launches: [{ program: evil, trace: evil, id: 1, kernel: evil, grid: [1, 1, 1], block: [1, 1, 1], metrics: { [evil]: 1, "sm__cycles_elapsed.max": 2 }, detail: { [evil]: evil }, warnings: [evil] }] }));
  const page = await open(build("evil.html", [path]));
  for (const view of ["launches", "launch/0", "silicon", "gpu", "about"]) {
    await go(page, view);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
  }
  await done(page);
});

test("a report of a profile alone, or of a sweep alone, opens", async () => {
  for (const [file, chart] of [["profile.json", "miss-ratio-curve"], ["sweep.json", "sweep-heat-map"]]) {
    const page = await open(build(file + ".html", [join(folder, "in", file)]));
    await page.waitForSelector(`[data-chart="${chart}"] svg`);
    await done(page);
  }
});
});
