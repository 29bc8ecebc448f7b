// Every kind of result as a person uses its page: every switch, every legend entry and every fold is clicked.
//
// The pages compare two drives each. `make page` has them made by the test that walks the program's own list of kinds, so a new
// kind is here as well.
import assert from "node:assert/strict";
import { appendFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { ink, openFile, overflowing, skip as noBrowser, unfoldAll } from "./browser.mjs";

const folder = process.env.DRIVELAB_KIND_PAGES;
const skip = noBrowser || (folder ? false : "DRIVELAB_KIND_PAGES does not name the pages: use make page");
const pages = folder ? readdirSync(folder).filter((name) => name.endsWith(".html")) : [];
if (skip) console.error(`SKIPPED: ${skip}`);
if (!folder && process.env.DRIVELAB_SKIPPED) {
  appendFileSync(process.env.DRIVELAB_SKIPPED, `${basename(process.argv[1])} the pages of all kinds: ${skip}\n`);
}

/** Charts that show something, by their names. */
async function drawn(page) {
  const charts = await page.locator("figure.chart").evaluateAll((all) => all.map(({ id }) => id));
  const inked = [];
  for (const chart of charts) {
    if ((await page.locator(`#${chart} .frame-plot canvas`).count()) > 0 && (await ink(page, chart)) > 200) inked.push(chart);
  }
  return inked;
}

/** What every chart states of itself, in one text. */
const state = (page) =>
  page.locator("figure.chart > .plot").evaluateAll((all) => JSON.stringify(all.map((plot) => ({ ...plot.dataset }))));

test("there is a page of each kind", { skip }, () => assert.ok(pages.length >= 10, pages.join(" ")));

for (const name of pages) {
  test(`every switch of ${name} does something and harms nothing`, { skip }, async () => {
    const { page, faults } = await openFile(join(folder, name));
    await unfoldAll(page);
    const before = await drawn(page);
    assert.ok(before.length > 0, "a page of a comparison has a chart");
    const groups = await page.locator("input[type=radio]").evaluateAll((all) => [...new Set(all.map((one) => one.name))]);
    for (const group of groups.filter((one) => one !== "theme")) {
      const radios = page.locator(`input[name="${group}"]`);
      const first = await radios.evaluateAll((all) => all.findIndex((one) => one.checked));
      const states = new Set([await state(page)]);
      for (let at = (await radios.count()) - 1; at >= 0; at--) {
        await page.locator(`label:has(input[name="${group}"])`).nth(at).click();
        assert.ok((await drawn(page)).length > 0, `${group}: everything is gone`);
        states.add(await state(page));
      }
      assert.ok(states.size > 1, `${group} changes nothing`);
      await page.locator(`label:has(input[name="${group}"])`).nth(first).click();
    }
    for (const entry of await page.locator("figure.chart .entry").all()) {
      if (!(await entry.isVisible())) continue;
      await entry.click();
      assert.equal(await entry.getAttribute("aria-pressed"), "false", "a legend entry switches its series off");
      await entry.click();
    }
    assert.deepEqual(await drawn(page), before, "the page comes back as it was");
    assert.deepEqual(faults, []);
  });

  for (const scheme of ["light", "dark"]) {
    test(`${name} fits a phone and paper in the ${scheme}`, { skip }, async () => {
      const { page, faults } = await openFile(join(folder, name), { width: 400, scheme });
      await unfoldAll(page);
      assert.deepEqual(await overflowing(page), []);
      const pdf = await page.pdf({ format: "A4", preferCSSPageSize: true });
      assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
      assert.deepEqual(faults, []);
    });
  }
}
