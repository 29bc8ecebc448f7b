// A page as a person uses it: by pointer, by keyboard, on a desk, on a phone and on paper.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { choose, folder, ink, open, overflowing, skip, stated, unfoldAll } from "./browser.mjs";

if (skip) console.error(`SKIPPED: ${skip}`);

const readout = (page, chart) => page.locator(`#${chart} > .readout`).textContent();
const frames = async (page, chart) => (await stated(page, chart)).frames;

test("every chart of every view is drawn, but the one of nothing", { skip }, async () => {
  const { page, faults } = await open("all");
  const charts = await page.locator("figure.chart").evaluateAll((all) => all.map(({ id }) => id));
  assert.ok(charts.length > 30, `${charts.length} charts`);
  for (const chart of charts.filter((id) => id !== "shapes-empty")) {
    assert.ok((await ink(page, chart)) > 1000, `${chart} is blank`);
  }
  assert.match(await page.locator("#shapes-empty .empty").textContent(), /nothing to draw/);
  assert.equal(await page.locator("nav.contents li").count(), 3);
  assert.deepEqual(faults, []);
});

test("four subjects have a frame each, and share one by a switch, on the same axes", { skip }, async () => {
  const { page, faults } = await open("compared");
  const apart = await stated(page, "consistency-rate");
  assert.equal(apart.frames, "0 1 2 3");
  await choose(page, "consistency-rate-frames", "1");
  const together = await stated(page, "consistency-rate");
  assert.equal(together.frames, "0,1,2,3");
  assert.deepEqual([together.x, together.y], [apart.x, apart.y]);
  assert.equal(await frames(page, "consistency-heat"), "0 1 2 3");
  assert.equal(await frames(page, "consistency-read"), "0,1,2,3");
  assert.deepEqual(faults, []);
});

test("facets show the subjects of one value, or all, and move no scale", { skip }, async () => {
  const { page, faults } = await open("compared");
  const all = await stated(page, "consistency-rate");
  await choose(page, "consistency-facet-0", "1");
  assert.equal(await frames(page, "consistency-rate"), "2,3");
  await choose(page, "consistency-facet-1", "1");
  const one = await stated(page, "consistency-rate");
  assert.equal(one.frames, "3");
  assert.deepEqual([one.x, one.y], [all.x, all.y]);
  assert.equal(await page.locator("tr.not-shown").first().getAttribute("data-subject"), "0");
  await choose(page, "consistency-facet-0", "");
  assert.equal(await frames(page, "consistency-rate"), "1,3");
  await choose(page, "consistency-facet-1", "");
  assert.equal(await frames(page, "consistency-rate"), "0 1 2 3");
  assert.deepEqual(faults, []);
});

test("scale and horizontal axis are switched", { skip }, async () => {
  const { page, faults } = await open("all");
  const log = await stated(page, "consistency-rate");
  await choose(page, "consistency-rate-scale", "1");
  const linear = await stated(page, "consistency-rate");
  assert.deepEqual([log.yScale, linear.yScale], ["log", "linear"]);
  await choose(page, "consistency-rate-across", "1");
  assert.match((await stated(page, "consistency-rate")).xLabel, /Bytes written \(GB\)/);
  await choose(page, "shapes-hours-across", "1");
  assert.equal((await stated(page, "shapes-hours")).xScale, "log");
  await choose(page, "shapes-hours-scale-across", "1");
  assert.equal((await stated(page, "shapes-hours")).xScale, "linear");
  assert.deepEqual(faults, []);
});

test("legend entries switch subjects and names off and on by key", { skip }, async () => {
  const { page, faults } = await open("compared");
  const entry = page.locator('#consistency-rate .entry[data-key="1"]');
  await entry.focus();
  await page.keyboard.press("Enter");
  assert.equal(await frames(page, "consistency-rate"), "0 2 3");
  assert.equal(await entry.getAttribute("aria-pressed"), "false");
  await page.keyboard.press("Space");
  assert.equal(await frames(page, "consistency-rate"), "0 1 2 3", "the entry keeps the focus");
  const both = await ink(page, "consistency-tail");
  await page.locator('#consistency-tail .entry[data-key="Response time"]').click();
  assert.ok((await ink(page, "consistency-tail")) < both);
  for (const one of await page.locator("#consistency-rate .entry").all()) await one.click();
  assert.match(await page.locator("#consistency-rate .empty").textContent(), /switched off/);
  assert.deepEqual(faults, []);
});

test("every series is read out by pointer and by key, along charts of one axis", { skip }, async () => {
  const { page, faults } = await open("all");
  await page.locator("#consistency-rate .u-over").first().hover();
  await page.waitForFunction(() => /IOPS/.test(document.querySelector("#consistency-rate > .readout").textContent));
  const words = (await readout(page, "consistency-rate")).replaceAll("\u00a0", " ");
  assert.match(words, /^Time [\d.,]+ s/);
  assert.equal(words.match(/IOPS/g).length, 4);
  await page.waitForFunction(() => /I\/Os/.test(document.querySelector("#consistency-heat > .readout").textContent));
  await page.mouse.move(0, 0);
  await page.locator("#stalls-longest .frame-plot").focus();
  for (let step = 0; step < 9; step++) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => /from the start/.test(document.querySelector("#stalls-longest > .readout").textContent));
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !/start/.test(document.querySelector("#stalls-longest > .readout").textContent));
  assert.deepEqual(faults, []);
});

test("a part is chosen by drag and by key, held along the axis, and given up", { skip }, async () => {
  const { page, faults } = await open("compared");
  const whole = await stated(page, "consistency-rate");
  const over = page.locator("#consistency-rate .u-over").first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 70, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((x) => document.querySelector("#consistency-rate > .plot").dataset.x !== x, whole.x);
  const part = await stated(page, "consistency-rate");
  assert.equal((await stated(page, "consistency-heat")).x, part.x);
  assert.equal(part.y, whole.y);
  await page.locator("#consistency-rate .reset").click();
  assert.equal((await stated(page, "consistency-rate")).x, whole.x);
  await page.mouse.move(0, 0);
  await page.locator("#consistency-tail .frame-plot").first().focus();
  const tail = await stated(page, "consistency-tail");
  await page.keyboard.press("+");
  assert.notEqual((await stated(page, "consistency-tail")).x, tail.x);
  await page.keyboard.press("0");
  assert.equal((await stated(page, "consistency-tail")).x, tail.x, "the frame keeps the focus");
  assert.deepEqual(faults, []);
});

test("values are shown as a table, and saved as CSV", { skip }, async () => {
  const { page, faults } = await open("compared");
  await page.locator("#consistency-rate .values summary").click();
  const rows = page.locator("#consistency-rate .values tbody tr");
  // The rows are made when the browser reports that the table was opened, which it does after the click has returned.
  await rows.first().waitFor();
  assert.equal(await rows.count(), 500);
  const saving = page.waitForEvent("download");
  await page.locator("#consistency-rate .values button").click();
  const download = await saving;
  assert.equal(download.suggestedFilename(), "consistency-rate.csv");
  const path = join(folder, "rate.csv");
  await download.saveAs(path);
  const lines = readFileSync(path, "utf8").trim().split("\n");
  assert.equal(lines[0], "subject,time_s,bytes_written_bytes,iops");
  assert.equal(lines.length, 4001);
  assert.match(lines[1], /^Granite G400,0\.5,\d+,\d+/);
  assert.deepEqual(faults, []);
});

for (const scheme of ["light", "dark"]) {
  for (const [kind, width] of [
    ["all", 400],
    ["many", 400],
    ["all", 1400],
    ["many", 1400],
  ]) {
    test(`${kind} at ${width} pixels in the ${scheme} overflows nowhere`, { skip }, async () => {
      const { page, faults } = await open(kind, { width, scheme });
      await unfoldAll(page);
      assert.deepEqual(await overflowing(page), []);
      const other = scheme === "light" ? "dark" : "light";
      const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const before = await ground();
      await choose(page, "theme", other);
      assert.notEqual(await ground(), before);
      assert.deepEqual(faults, []);
    });
  }
}

test("on paper charts are as wide as the paper, and come back as they were", { skip }, async () => {
  const { page, faults } = await open("all", { scheme: "dark" });
  const width = () => page.locator("#stalls-times .uplot").evaluate((plot) => plot.getBoundingClientRect().width);
  const before = await width();
  await page.evaluate(() => {
    addEventListener("beforeprint", () => {
      const plot = document.querySelector("#stalls-times .uplot");
      const open = document.querySelectorAll("details.fold[open]").length;
      window.printed = { width: plot.getBoundingClientRect().width, open };
    });
  });
  const pdf = await page.pdf({ format: "A4", preferCSSPageSize: true });
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  const printed = await page.evaluate(() => window.printed);
  assert.ok(printed.width > 600 && printed.width <= 681, `${printed.width} pixels`);
  assert.ok(printed.open >= 1);
  assert.equal(await width(), before);
  assert.equal(await page.locator("details.fold[open]").count(), 0);
  assert.deepEqual(faults, []);
});

test("without scripts there are text and tables, and a sentence for each chart", { skip }, async () => {
  const { page } = await open("all", { scripts: false });
  assert.ok(await page.locator(".verdict .sentence").first().isVisible());
  assert.ok(await page.locator("table.figures").first().isVisible());
  const sentences = await page.locator("figure noscript p").count();
  assert.equal(sentences, await page.locator("figure").count());
  assert.ok(!(await page.locator(".switches").first().isVisible()));
});
