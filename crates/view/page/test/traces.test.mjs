// The page of traces as a person uses it: by pointer, by keyboard, on a desk and on a phone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ink, open, overflowing, skip, stated, unfoldAll } from "./browser.mjs";

if (skip) console.error(`SKIPPED: ${skip}`);

const CHARTS = ["distribution", "tail", "course", "slow", "in-flight", "addresses", "dispersion"].map((id) => `trace-${id}`);
const text = (page, selector) => page.locator(selector).first().textContent();
const words = async (page, selector) => (await page.locator(selector).allTextContents()).join(" ").replaceAll("\u00a0", " ");
const readout = (page, chart) => text(page, `#${chart} > .readout`);
const readsOut = (page, chart, pattern) =>
  page.waitForFunction(
    ([id, source]) => new RegExp(source).test(document.querySelector(`#${id} > .readout`).textContent.replaceAll("\u00a0", " ")),
    [chart, pattern.source],
  );

/** Opens the charts over busy time, which are folded away where a trace is long. */
const unfoldBusyTime = (page) => page.locator("details.fold summary", { hasText: "busy time" }).click();

test("every chart of a trace is drawn and reads out by pointer and by key", { skip }, async () => {
  const { page, faults } = await open("trace");
  for (const chart of CHARTS) assert.ok((await ink(page, chart)) > 1000, `${chart} is blank`);
  assert.equal(await page.locator("#trace-means").count(), 0, "one trace is compared with nothing");
  await page.locator("#trace-distribution .u-over").hover();
  await readsOut(page, "trace-distribution", /Reads: .* %|Writes: .* %/);
  // The pointer is over no chart while keys are pressed: scrolling would take the cursor along.
  await page.mouse.move(0, 0);
  await page.locator("#trace-tail .frame-plot").focus();
  await page.keyboard.press("Home");
  await readsOut(page, "trace-tail", /(Reads|Writes): 100 %/);
  await page.locator("#trace-dispersion .frame-plot").focus();
  await page.keyboard.press("ArrowRight");
  await readsOut(page, "trace-dispersion", /Window .*windows.*, chance: .* to /);
  await page.locator("#trace-course .u-over").hover();
  await readsOut(page, "trace-course", /Clock time \(UTC\+01:00\) 20\d\d-\d\d-\d\d \d\d:\d\d:\d\dReads: .* IOPS, longest /);
  await readsOut(page, "trace-in-flight", /Mean: .*Max: /);
  assert.match(await readout(page, "trace-slow"), /Clock time/, "the cursor is shared along the clock");
  await readsOut(page, "trace-addresses", /requests, .* to .*/);
  await unfoldBusyTime(page);
  await page.locator("#trace-course-busy .u-over").hover();
  await readsOut(page, "trace-in-flight-busy", /Mean: .*Max: /);
  assert.match(await readout(page, "trace-slow-busy"), /Busy time/, "the cursor is shared along busy time");
  assert.deepEqual(faults, []);
});

test("a part of the clock gives the command for its tables", { skip }, async () => {
  const { page, faults } = await open("trace");
  const command = page.locator("#trace-course > .part-command");
  assert.ok(await command.isHidden(), "all of the trace is on the page");
  await page.locator("#trace-course .frame-plot").focus();
  await page.keyboard.press("+");
  const [low, high] = (await stated(page, "trace-course")).x.split(" ").map(Number);
  const line = /^Tables and figures of this part: drivelab trace show \S+ --after (\S+) --before (\S+) --report part.html$/;
  const [, from, until] = (await command.textContent()).match(line);
  const seconds = (Date.parse(`${until}Z`) - Date.parse(`${from}Z`)) / 1000;
  assert.ok(Math.abs(seconds - (high - low)) <= 2, `${from} to ${until} is ${high - low} s`);
  await page.locator("#trace-course .reset").click();
  assert.ok(await command.isHidden());
  assert.deepEqual(faults, []);
});

test("busy time is all time without what was idle", { skip }, async () => {
  const { page } = await open("trace");
  assert.match(await words(page, "#trace-course figcaption"), /Each column holds 1 hour by the clock, idle time included/);
  assert.match(
    await words(page, "#trace-course-busy figcaption"),
    /busy time, from which idle time longer than 10\.0 s is cut out \(20.* days in 8\d places\)/,
  );
  const weeks = (await stated(page, "trace-course")).x.split(" ");
  assert.ok(Number(weeks[1]) > 20 * 86_400, `the clock goes on while the drive is idle: ${weeks[1]} s`);
  await unfoldBusyTime(page);
  const x = (await stated(page, "trace-course-busy")).x.split(" ");
  assert.ok(Number(x[1]) < 3000, `three weeks hold half an hour of work: ${x[1]} s`);
});

test("a part of busy time is chosen by drag or key, held by all charts over it, and given up", { skip }, async () => {
  const { page, faults } = await open("trace");
  await unfoldBusyTime(page);
  const all = (await stated(page, "trace-course-busy")).x;
  const over = page.locator("#trace-in-flight-busy .u-over").first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((x) => document.querySelector("#trace-course-busy > .plot").dataset.x !== x, all);
  const part = (await stated(page, "trace-course-busy")).x;
  const [whole, from] = [Number(all.split(" ")[1]), Number(part.split(" ")[0])];
  assert.ok(Math.abs(from - whole / 4) < whole / 50, `${from} of ${whole}`);
  assert.equal((await stated(page, "trace-slow-busy")).x, part);
  await page.locator("#trace-course-busy .reset").click();
  assert.equal((await stated(page, "trace-course-busy")).x, all);
  assert.deepEqual(faults, []);
});

test("reads and writes are switched off, and other devices are unfolded", { skip }, async () => {
  const { page, faults } = await open("trace");
  const both = await ink(page, "trace-tail");
  await page.locator('#trace-tail .entry[data-key="Writes"]').click();
  assert.ok((await ink(page, "trace-tail")) < both);
  await page.locator("details.fold summary", { hasText: "Addresses of 1 device" }).click();
  assert.ok((await ink(page, "trace-addresses-2")) > 1000);
  assert.deepEqual(faults, []);
});

test("several traces share a frame, and means are compared", { skip }, async () => {
  const { page, faults } = await open("traces");
  assert.equal((await stated(page, "trace-tail")).frames, "0,1,2");
  assert.ok((await ink(page, "trace-means")) > 100);
  assert.equal((await stated(page, "trace-course")).frames, "0 1 2", "the load of each");
  const held = await stated(page, "trace-tail");
  await page.locator('#trace-tail .entry[data-key="2"]').click();
  const two = await stated(page, "trace-tail");
  assert.deepEqual([two.frames, two.x, two.y], ["0,1", held.x, held.y]);
  assert.equal((await stated(page, "trace-means")).frames, "0,1,2");
  assert.deepEqual(faults, []);
});

test("verdict, figures and the worst waits show what is known beforehand", { skip }, async () => {
  const { page } = await open("trace");
  const answer = /Of [\d,]+ I\/Os in .*, \d+ took .* or longer, in \d+ episodes with .* slow writes are clustered \(bursty\)/;
  assert.match(await words(page, ".verdict .sentence"), answer);
  const details = await words(page, ".verdict .detail");
  assert.match(details, /Slow writes are clustered \(bursty\): .*come back every 6\d\.\d MB written/);
  assert.match(details, /low reads .* (is not shown|are consistent with chance)/);
  assert.match(details, /clustered as much with p = 0\.00[12]/);
  assert.match(details, /as regularly with p = 0\.002/);
  const episodes = page.locator("table", { has: page.locator("caption", { hasText: "worst episodes" }) });
  assert.equal((await episodes.locator("tbody tr td:first-of-type").count()) >= 10, true);
});

test("without durations there is the course, and nothing that would need them", { skip }, async () => {
  const { page, faults } = await open("untimed");
  assert.match(await words(page, ".verdict .sentence"), /the source knows no durations/);
  const charts = await page.locator("figure.chart").evaluateAll((all) => all.map(({ id }) => id));
  assert.deepEqual(charts, ["trace-course", "trace-course-all", "trace-addresses"]);
  assert.ok((await ink(page, "trace-addresses")) > 1000);
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
      await unfoldAll(page);
      assert.deepEqual(await overflowing(page), []);
      assert.deepEqual(faults, []);
    });
  }
}

test("without scripts there are verdicts and figures", { skip }, async () => {
  const { page } = await open("trace", { scripts: false });
  assert.equal(await page.locator(".verdict .sentence").count(), 1);
  assert.ok(await page.locator("table.list").first().isVisible());
});
