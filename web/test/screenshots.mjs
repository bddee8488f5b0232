// node screenshots.mjs REPORT.html FOLDER CHROMIUM: every view at two widths, light and dark.
import { chromium } from "playwright-core";

const [report, folder, executablePath] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

/** A picture of what is in the window; `chart`: of the page scrolled to that card. */
async function shot(name, view, chart, width, colorScheme) {
  const height = width > 600 ? 860 : 780;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto("file://" + report + "#/" + view);
  await page.waitForSelector("html[data-ready]");
  await page.waitForTimeout(700);
  if (chart) {
    const found = await page.evaluate((c) => {
      const card = document.querySelector(`[data-chart="${c}"]`);
      card?.scrollIntoView({ block: "start" });
      return !!card;
    }, chart);
    if (!found) throw new Error(`${view} has no ${chart}: the report lacks an input`);
    if (chart === "source") await page.locator("#source-table tr.hot").first().click();
    await page.waitForTimeout(500);
  }
  await page.screenshot({ path: `${folder}/${name}-${width}${colorScheme === "dark" ? "-dark" : ""}.png` });
  await page.close();
}

// The launch with the most to see: the naive transpose where there is one.
const page = await browser.newPage();
await page.goto("file://" + report + "#/launch/0");
await page.waitForSelector("#launch-choice");
const launch = await page.evaluate(() => {
  const options = [...document.querySelectorAll("#launch-choice option")];
  return "launch/" + (options.find((o) => /transpose_(naive|column)/.test(o.textContent)) ?? options[0]).value;
});
await page.close();
const views = [["launches", "launches"], ["launch", launch], ["source", launch, "source"], ["charts", launch, "speed-of-light"], ["accesses", launch, "accesses"], ["rooflines", launch, "launch-roofline"],
  ["silicon", "silicon"], ["compare", "compare"], ["sweep", "sweep"], ["timeline", "timeline"], ["gpu", "gpu"], ["about", "about"]];
for (const [name, view, chart] of views)
  for (const width of [1280, 420])
    for (const scheme of ["light", "dark"]) await shot(name, view, chart, width, scheme);
await browser.close();
console.log(`${views.length} views, ${4 * views.length} pictures`);
