// The page of streams as a person uses it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { axes, choose, close, ink, open, overflowing, shownRuns, skip } from "./browser.mjs";

if (skip) console.error(`SKIPPED: ${skip}`);
after(close);

const GRAPHS = ["times", "written", "backlog"];
const text = (page, selector) => page.locator(selector).first().textContent();

test("every graph of a stream is drawn and reads out by pointer and by key", { skip }, async () => {
  const { page, faults } = await open("stream");
  for (const graph of GRAPHS) assert.ok((await ink(page, graph)) > 2000, `${graph} is blank`);
  const readout = (graph) => text(page, `#graph-${graph} .readout`);
  await page.locator("#graph-times .u-over").hover();
  assert.match(await readout("times"), /ms.*writes/);
  await page.mouse.move(0, 0);
  await page.locator("#graph-times .plot").focus();
  await page.keyboard.press("End");
  assert.match(await readout("times"), /\(delays\)/);
  await page.locator("#graph-written .plot").focus();
  await page.keyboard.press("Home");
  assert.match(await readout("written"), /written.*longest 1\d\.\d ms/);
  await page.locator("#graph-backlog .plot").focus();
  await page.keyboard.press("Home");
  assert.match(await readout("backlog"), /MB$/);
  assert.deepEqual(faults, []);
});

test("verdict, delays, faults and buffers say what is known beforehand", { skip }, async () => {
  const { page } = await open("stream");
  const words = (await page.locator(".verdict .words").allTextContents()).join(" ").replaceAll("\u00a0", " ");
  assert.match(words, /4 delays of 800 ms on average, one every 15\.7 GB, among writes of 13\.0 ms/);
  assert.match(words, /2 of them NOT as written: 1 torn, 1 stale/);
  assert.equal(await page.locator("#delays tbody tr").count(), 4);
  assert.match(await text(page, "#delays tbody tr"), /183 Runtime_Bad_Block: 3 to 5/);
  assert.equal(await page.locator("#faults tbody tr").count(), 2);
  const rates = await page.locator("#buffers tbody th").allTextContents();
  assert.ok(rates.includes("60 MB/s") && rates.includes("120 MB/s"), rates.join());
  for (const graph of GRAPHS) {
    await page.locator(`#graph-${graph} summary`).click();
    assert.ok(await page.locator(`#graph-${graph} details td`).first().isVisible(), `${graph} has values`);
  }
});

test("streams are laid over each other, one is shown alone, and the rate is chosen", { skip }, async () => {
  const { page, faults } = await open("streams");
  assert.equal(await shownRuns(page, "times"), "0,1");
  const held = await axes(page, "times");
  const state = () => text(page, "#graph-backlog .state");
  const fastest = await state();
  await choose(page, "level", "0");
  assert.notEqual(await state(), fastest);
  await choose(page, "stream", "1");
  assert.equal(await shownRuns(page, "written"), "1");
  assert.deepEqual(await axes(page, "times"), held, "switching never moves a scale");
  await page.locator("#graph-written .plot").focus();
  await page.keyboard.press("+");
  assert.ok(await page.getByRole("button", { name: "Whole axis" }).isVisible());
  assert.deepEqual(faults, []);
});

test("a stream without delays says so and lists none", { skip }, async () => {
  const { page, faults } = await open("even");
  assert.match(await text(page, ".verdict .words"), /No write stands out/);
  assert.equal(await page.locator("#delays").count(), 0);
  assert.deepEqual(faults, []);
});

for (const scheme of ["light", "dark"]) {
  for (const [kind, width] of [
    ["streams", 400],
    ["rudestream", 400],
    ["rudestream", 1400],
  ]) {
    test(`${kind} at ${width} pixels in the ${scheme} overflows nowhere`, { skip }, async () => {
      const { page, faults } = await open(kind, { width, scheme });
      for (const summary of await page.locator("summary").all()) await summary.click();
      assert.deepEqual(await overflowing(page), []);
      assert.equal(await page.locator("img").count(), 0);
      assert.deepEqual(faults, []);
    });
  }
}

test("without scripts there are verdicts, numbers and values", { skip }, async () => {
  const { page } = await open("stream", { scripts: false });
  assert.ok((await page.locator(".verdict .words").count()) >= 3);
  assert.ok(await page.locator("#numbers").isVisible());
  assert.ok(await page.locator("#graph-times summary").isVisible());
});
