// A catalogue of 500 drives as a reader uses it.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, ink, open, overflowing, skip } from "./browser.mjs";

if (skip) console.error(`SKIPPED: ${skip}`);

const shown = (page) => page.locator("table.catalogued tbody tr:not([hidden])");
const firstHeads = async (page, count) =>
  (await shown(page).locator("th").allTextContents()).slice(0, count).map((text) => text.match(/Model \d+/)[0]);
const sort = (page, column) => page.locator("button.sort", { hasText: column }).click();

test("500 drives take less than 5 MB, and are all there without scripts", { skip }, async () => {
  const { page, faults } = await open("catalogue", { scripts: false });
  assert.equal(await shown(page).count(), 500);
  assert.ok(await page.locator(".catalogue-tools").isHidden());
  assert.ok(statSync(join(folder, "catalogue.html")).size < 5e6);
  assert.match(readFileSync(join(folder, "catalogue.html"), "utf8"), /<polyline points="/);
  assert.deepEqual(faults, []);
});

test("a head sorts by its column, the best on top, then the other way; what has no value is last", { skip }, async () => {
  const { page, faults } = await open("catalogue");
  await sort(page, "Random writes at the end");
  const best = await shown(page).first().locator("td").nth(3).textContent();
  assert.equal(best, "54,800");
  assert.equal(await page.locator('th[aria-sort="descending"]').count(), 1);
  assert.equal(await shown(page).last().locator("td").nth(3).textContent(), "");
  await sort(page, "Random writes at the end");
  assert.equal(await shown(page).first().locator("td").nth(3).textContent(), "5,000");
  assert.equal(await shown(page).last().locator("td").nth(3).textContent(), "");
  await sort(page, "p99.99");
  assert.equal(await shown(page).first().locator("td").nth(4).textContent(), "1.00\u00a0ms");
  await sort(page, "Firmware");
  assert.match(await shown(page).nth(499).textContent(), /1\.11/, "1.11 is behind 1.2");
  assert.deepEqual(faults, []);
});

test("words and columns are chosen", { skip }, async () => {
  const { page, faults } = await open("catalogue");
  await page.locator(".search").fill("model s0012");
  assert.deepEqual(await firstHeads(page, 10), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((last) => `Model 12${last}`));
  assert.match(await page.locator(".count").textContent(), /10 of 500 rows/);
  await page.locator(".columns summary").click();
  await page.locator(".columns-list label", { hasText: "Figure 3" }).click();
  assert.ok(await page.locator("thead th", { hasText: "Figure 3" }).isHidden());
  assert.ok(await shown(page).first().locator("td").nth(8).isHidden());
  await page.locator(".search").fill("no such drive");
  assert.equal(await shown(page).count(), 0);
  assert.deepEqual(faults, []);
});

test("ticked rows are compared: their curves in one chart, the best where all were measured alike", { skip }, async () => {
  const { page, faults } = await open("catalogue");
  const compare = page.locator(".catalogue-tools .action").first();
  const tick = (number) => shown(page).nth(number).locator(".tick").check();
  await tick(0);
  assert.ok(await compare.isDisabled(), "one row is compared with nothing");
  await tick(1);
  await tick(2);
  await compare.click();
  assert.deepEqual(await firstHeads(page, 9), ["Model 000", "Model 001", "Model 002"]);
  assert.match(await page.locator(".command").textContent(), /drivelab report 'results\/0 consistency' .*--report/);
  assert.equal(await page.locator("td .best").count(), 14);
  assert.ok((await ink(page, "index-curves")) > 1000, "the curves are drawn");
  await compare.click();
  assert.equal(await shown(page).count(), 500);
  assert.equal(await page.locator("td .best").count(), 0);
  assert.ok(await page.locator(".catalogue-curves").isHidden());
  await tick(3);
  await compare.click();
  assert.equal(await page.locator("td .best").count(), 0, "one of four was asked for something else");
  assert.equal(await page.locator("#index-curves .frame-plot").count(), 4);
  await compare.click();
  for (let number = 4; number < 9; number++) await tick(number);
  assert.ok(await compare.isDisabled(), "nine rows are too many");
  assert.deepEqual(faults, []);
});

for (const width of [1400, 400])
  for (const scheme of ["light", "dark"])
    test(`nothing reaches out of a window of ${width} pixels, ${scheme}`, { skip }, async () => {
      const { page, faults } = await open("catalogue", { width, scheme });
      for (let number = 0; number < 4; number++) await shown(page).nth(number).locator(".tick").check();
      await page.locator(".catalogue-tools .action").first().click();
      assert.deepEqual(await overflowing(page), []);
      assert.deepEqual(faults, []);
    });
