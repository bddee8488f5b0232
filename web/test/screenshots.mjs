// node screenshots.mjs REPORT.html FOLDER CHROMIUM: each view at two widths, light and dark.
import { chromium } from "playwright-core";

const [report, folder, executablePath] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

async function shot(name, view, width, colorScheme, prepare) {
  const height = width > 600 ? 860 : 780;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto("file://" + report + "#/" + view);
  await page.waitForTimeout(800);
  if (prepare) await prepare(page);
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${folder}/${name}-${width}${colorScheme === "dark" ? "-dark" : ""}.png` });
  await page.close();
}

// The launch with the most to see: the naive transpose where there is one.
const page = await browser.newPage();
await page.goto("file://" + report + "#/launch/0");
await page.waitForTimeout(500);
const launch = await page.evaluate(() => {
  const options = [...document.querySelectorAll("#launch-choice option")];
  return (options.find((o) => /transpose_(naive|column)/.test(o.textContent)) ?? options[0]).value;
});
const sweeps = await page.evaluate(() => [...document.querySelectorAll("#nav a")].some((a) => a.textContent === "Sweeps"));
const timelines = await page.evaluate(() => [...document.querySelectorAll("#nav a")].some((a) => a.textContent === "Timeline"));
await page.close();
for (const width of [1280, 420])
  for (const scheme of ["light", "dark"]) {
    await shot("launches", "launches", width, scheme);
    await shot("launch", "launch/" + launch, width, scheme);
    await shot("charts", "launch/" + launch, width, scheme, (p) => p.evaluate(() => document.querySelector('[data-chart="speed-of-light"], [data-chart="cycles"]').scrollIntoView({ block: "start" })));
    await shot("rooflines", "launch/" + launch, width, scheme, (p) => p.evaluate(() => document.querySelector('[data-chart="launch-roofline"]')?.scrollIntoView({ block: "start" })));
    if (timelines) await shot("timeline", "timeline", width, scheme);
    await shot("silicon", "silicon", width, scheme);
    await shot("compare", "compare", width, scheme);
    if (sweeps) await shot("sweep", "sweep", width, scheme);
    await shot("gpu", "gpu", width, scheme);
    await shot("about", "about", width, scheme);
  }
await browser.close();
