// Opens sample pages in headless Chromium, and watches for everything that must not happen.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, afterEach } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const CANDIDATES = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const executable = CANDIDATES.find((path) => path && existsSync(path));
/** For node:test: false, or why the tests are skipped. */
export const skip = executable ? false : "no Chromium found: install it, or name it in CHROMIUM";
// `make page` shows this list at its end; each file of tests runs in a process of its own.
if (skip && process.env.DRIVELAB_SKIPPED) {
  appendFileSync(process.env.DRIVELAB_SKIPPED, `${basename(process.argv[1])} every test in a browser: ${skip}\n`);
}

const crate = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const folder = mkdtempSync(join(tmpdir(), "drivelab-view-page-"));
const made = new Map();
/** What the test that runs has opened. */
const contexts = [];
let browser;

/** Samples of traces, which a program of their own makes. */
const TRACES = ["trace", "traces", "untimed", "rude"];

/** Where `make debug` puts the programs that make samples. */
const programs = join(process.env.CARGO_TARGET_DIR ?? join(crate, "..", "..", "target"), "debug", "examples");

/** A sample page of this kind, as a file. */
function sample(kind) {
  if (!made.has(kind)) {
    const path = join(folder, `${kind}.html`);
    const program = join(programs, TRACES.includes(kind) ? "sample_traces" : "sample");
    if (!existsSync(program)) throw new Error(`${program} is not there: run \`make debug\` first`);
    execFileSync(program, [path, kind], { cwd: crate, stdio: ["ignore", "ignore", "inherit"] });
    made.set(kind, path);
  }
  return made.get(kind);
}

/** Opens a sample and returns the page and what went wrong on it so far. */
export const open = (kind, options) => openFile(sample(kind), options);

/** The same of any page. */
export async function openFile(path, options = {}) {
  browser ??= await chromium.launch({ executablePath: executable, args: FLAGS });
  const { width = 1400, scheme = "light", scripts = true } = options;
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    javaScriptEnabled: scripts,
  });
  contexts.push(context);
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith("blob:") && !url.endsWith(`/${basename(path)}`)) faults.push(`request: ${url}`);
  });
  await page.goto(pathToFileURL(path).href);
  return { page, faults };
}

// Pages that stay open are drawn and kept in memory as long as their browser lives, and all tests that follow are slower.
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens every fold of a page, and waits until what they hold is drawn. */
export async function unfoldAll(page) {
  await page.evaluate(async () => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    // The browser reports folds that have opened in a task of its own, before the next frame.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  });
}

/** What a chart states of itself. */
export async function stated(page, chart) {
  return page.locator(`#${chart} > .plot`).evaluate((plot) => ({ ...plot.dataset }));
}

/** Clicks the words that a reader sees. */
export async function choose(page, name, value) {
  await page.locator(`label:has(input[name="${name}"][value="${value}"])`).click();
}

/** How many pixels of a chart's first frame are not blank. */
export async function ink(page, chart) {
  return page
    .locator(`#${chart} .frame-plot canvas`)
    .first()
    .evaluate((canvas) => {
      // The page's own canvas is not made to be read: a copy is.
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      const pixels = copy.getImageData(0, 0, canvas.width, canvas.height).data;
      let inked = 0;
      for (let at = 3; at < pixels.length; at += 4) if (pixels[at] > 0) inked++;
      return inked;
    });
}

/** Elements that reach out of the window, outside of a part that scrolls by itself. */
export async function overflowing(page) {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const inside = (element) => element.closest(".scroller, .u-over, .u-under, script, style");
    const wide = [...document.querySelectorAll("body *")].filter((element) => {
      const box = element.getBoundingClientRect();
      return box.width > 0 && box.right > width + 0.5 && !inside(element);
    });
    const names = wide.map((element) => `${element.tagName}.${element.className}`);
    if (document.documentElement.scrollWidth > width) names.push("the page itself");
    return names;
  });
}
