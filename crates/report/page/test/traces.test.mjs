// The page of traces as a person uses it: by pointer, by keyboard, on a desk and on a phone.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { axes, choose, close, ink, open, overflowing, shownRuns, skip } from "./browser.mjs";

if (skip) console.error(`SKIPPED: ${skip}`);
after(close);

const GRAPHS = ["distribution", "exceedance", "course", "addresses", "dispersion"];
const text = (page, selector) => page.locator(selector).first().textContent();

test("every graph of a trace is drawn and reads out by pointer and by key", { skip }, async () => {
  const { page, faults } = await open("trace");
  for (const graph of GRAPHS) assert.ok((await ink(page, graph)) > 2000, `${graph} is blank`);
  assert.equal(await page.locator("#graph-course canvas").count(), 3, "load, slow I/Os, queue");
  assert.equal(await page.locator("#graph-means").count(), 0, "one trace is compared with nothing");
  const readout = (graph) => text(page, `#graph-${graph} .readout`);
  await page.locator("#graph-distribution .u-over").hover();
  assert.match(await readout("distribution"), /reads: .* % \([\d,]+\)|none/);
  // The pointer is no guest of any graph while keys are pressed: scrolling would take the cursor along.
  await page.mouse.move(0, 0);
  await page.locator("#graph-exceedance .plot").focus();
  await page.keyboard.press("Home");
  assert.match(await readout("exceedance"), /reads: all or longer/);
  await page.keyboard.press("Escape");
  assert.equal(await readout("exceedance"), "readswrites");
  await page.locator("#graph-dispersion .plot").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await readout("dispersion"), /windows of .*; chance \d.* to \d.*windows/);
  await page.locator("#graph-course .u-over").first().hover();
  assert.match(await readout("course"), /of the trace.*reads a second, longest .*in flight/);
  assert.match(await readout("addresses"), /from .* to .*reads/, "the cursor is shared along busy time");
  await page.mouse.move(0, 0);
  await page.locator("#graph-addresses .plot").focus();
  await page.keyboard.press("Home");
  assert.match(await readout("course"), /at 0\.\d+ s of the trace/);
  assert.deepEqual(faults, []);
});

test("idle time is cut out and said", { skip }, async () => {
  const { page } = await open("trace");
  const state = await text(page, "#graph-course .state");
  assert.match(state, /idle time longer than 10 s is cut out, 20.* days in 8\d places/);
  const { x } = await axes(page, "course");
  assert.ok(Number(x[1]) < 3000, `three weeks hold half an hour of work: ${x[1]} s`);
});

test("a part of busy time is chosen by drag or key, held by both graphs, and given up", { skip }, async () => {
  const { page, faults } = await open("trace");
  const all = await axes(page, "course");
  await page.locator("#graph-addresses .u-over").scrollIntoViewIfNeeded();
  const box = await page.locator("#graph-addresses .u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelector("#graph-course .plot").dataset.xMin !== "0");
  const part = await axes(page, "course");
  assert.ok(Math.abs(Number(part.x[0]) - Number(all.x[1]) / 4) < Number(all.x[1]) / 50);
  assert.deepEqual((await axes(page, "addresses")).x, part.x);
  await choose(page, "ways", "1");
  assert.deepEqual((await axes(page, "course")).x, part.x);
  await page.getByRole("button", { name: "Whole axis" }).click();
  assert.deepEqual((await axes(page, "course")).x, all.x);
  await page.locator("#graph-course .plot").focus();
  await page.keyboard.press("+");
  assert.notDeepEqual((await axes(page, "course")).x, all.x);
  await page.keyboard.press("0");
  assert.deepEqual((await axes(page, "course")).x, all.x);
  assert.deepEqual(faults, []);
});

test("reads, writes and devices are chosen", { skip }, async () => {
  const { page, faults } = await open("trace");
  const both = await ink(page, "exceedance");
  await choose(page, "ways", "0");
  assert.ok((await ink(page, "exceedance")) < both);
  assert.equal(await text(page, "#graph-exceedance .readout"), "reads");
  const counted = () => text(page, "#graph-addresses .state");
  const busiest = await counted();
  await choose(page, "device", "1");
  assert.notEqual(await counted(), busiest);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await counted(), busiest, "the choice keeps the focus");
  assert.deepEqual(faults, []);
});

test("several traces are laid over each other, one is shown alone, and means are compared", { skip }, async () => {
  const { page, faults } = await open("traces");
  assert.equal(await shownRuns(page, "exceedance"), "0,1,2");
  assert.ok((await ink(page, "means")) > 1000);
  assert.equal(await page.locator("#graph-course canvas").count(), 3, "the load of each");
  const held = await axes(page, "exceedance");
  await choose(page, "trace", "2");
  assert.equal(await shownRuns(page, "exceedance"), "2");
  assert.equal(await shownRuns(page, "means"), "0,1,2");
  assert.deepEqual(await axes(page, "exceedance"), held);
  assert.equal((await axes(page, "course")).label, "busy time (ms)");
  const means = await page.locator("#graph-means tbody tr").allTextContents();
  assert.equal(means.length, 3);
  assert.deepEqual(faults, []);
});

test("the numbers, the worst waits and the verdicts say what is known beforehand", { skip }, async () => {
  const { page } = await open("trace");
  const words = (await page.locator(".verdict .words").allTextContents()).join(" ").replaceAll("\u00a0", " ");
  assert.match(words, /Slow writes are clustered \(bursty\): .*come back every 6\d\.\d MB written/);
  assert.match(words, /low reads .* (is not shown|are consistent with chance)/);
  const cell = (row) => page.locator("#numbers tr", { hasText: row }).last().locator("td").first().textContent();
  assert.match(await cell("Chance of clustering"), /^p = 0\.00[12]$/);
  assert.equal(await cell("Chance of the period"), "p = 0.001");
  assert.ok((await page.locator("#episodes tbody tr").count()) >= 20);
  assert.equal(await page.locator("#devices tbody tr").count(), 4);
  for (const graph of GRAPHS) {
    await page.locator(`#graph-${graph} summary`).click();
    assert.ok(await page.locator(`#graph-${graph} details td`).first().isVisible(), `${graph} has values`);
  }
});

test("without durations there is the course, and nothing that would need them", { skip }, async () => {
  const { page, faults } = await open("untimed");
  assert.match(await text(page, ".verdict .fine"), /the source knows no durations/);
  assert.equal(await page.locator(".graph").count(), 2);
  assert.equal(await page.locator("#graph-course canvas").count(), 1);
  assert.ok((await ink(page, "addresses")) > 2000);
  assert.deepEqual(faults, []);
});

for (const scheme of ["light", "dark"]) {
  for (const [kind, width] of [
    ["trace", 400],
    ["traces", 400],
    ["untimed", 400],
    ["rude", 400],
    ["rude", 1400],
    ["traces", 900],
  ]) {
    test(`${kind} at ${width} pixels in the ${scheme} overflows nowhere`, { skip }, async () => {
      const { page, faults } = await open(kind, { width, scheme });
      assert.deepEqual(await overflowing(page), []);
      assert.equal(await page.locator("img").count(), 0);
      if (kind === "traces") {
        await choose(page, "trace", "0");
        assert.deepEqual(await overflowing(page), []);
      }
      for (const summary of await page.locator("summary").all()) await summary.click();
      assert.deepEqual(await overflowing(page), []);
      assert.deepEqual(faults, []);
    });
  }
}

test("without scripts there are verdicts, numbers and values", { skip }, async () => {
  const { page } = await open("trace", { scripts: false });
  assert.equal(await page.locator(".verdict .words").count(), 2);
  assert.ok(await page.locator("#numbers").isVisible());
  assert.ok(await page.locator("#graph-course summary").isVisible());
  assert.ok(!(await page.locator("#graph-course .plot").isVisible()));
});
