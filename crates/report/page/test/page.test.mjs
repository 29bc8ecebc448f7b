// The page as a person uses it: by pointer, by keyboard, on a desk and on a phone.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { axes, choose, close, ink, open, overflowing, shownRuns, skip } from "./browser.mjs";

if (skip) console.error(`SKIPPED: ${skip}`);
after(close);

const RATES = ["whole", "steady-log", "steady-linear"];
const GRAPHS = [...RATES, "heat", "exceedance"];

async function allAxes(page) {
  return Object.fromEntries(await Promise.all(GRAPHS.map(async (graph) => [graph, await axes(page, graph)])));
}

test("axes are held while drive and reserve are switched", { skip }, async () => {
  const { page, faults } = await open("four");
  const held = await allAxes(page);
  assert.equal(await shownRuns(page, "whole"), "0,1,2,3", "several runs open on one graph");
  await choose(page, "drive", "Sandpiper S240");
  assert.equal(held.whole.scale, "log");
  assert.equal(held["steady-linear"].scale, "linear");
  assert.equal(held["steady-linear"].y[0], "0");
  const seen = new Set([await shownRuns(page, "whole")]);
  for (const drive of ["Granite G400", "Sandpiper S240"]) {
    await choose(page, "drive", drive);
    for (const reserve of ["25 %", "0 %"]) {
      await choose(page, "reserve", reserve);
      assert.deepEqual(await allAxes(page), held);
      for (const graph of GRAPHS) assert.equal(await shownRuns(page, graph), await shownRuns(page, "whole"));
      seen.add(await shownRuns(page, "whole"));
    }
  }
  assert.deepEqual([...seen].sort(), ["0", "1", "2", "3"]);
  await choose(page, "show", "all");
  assert.deepEqual(await allAxes(page), held);
  assert.equal(await shownRuns(page, "whole"), "0,1,2,3");
  assert.equal(await page.locator("#graph-heat canvas").count(), 4);
  assert.deepEqual(faults, []);
});

test("the switches are radio buttons that arrow keys move", { skip }, async () => {
  const { page, faults } = await open("four");
  assert.equal(await page.locator('input[name="drive"]:checked').count(), 0, "none is chosen of all");
  await choose(page, "show", "one");
  await page.locator('input[name="drive"]:checked').focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await shownRuns(page, "whole"), "2");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await shownRuns(page, "whole"), "0");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowRight");
  assert.equal(await shownRuns(page, "whole"), "1");
  const focused = await page.evaluate(() => document.activeElement?.getAttribute("name"));
  assert.equal(focused, "reserve");
  assert.equal(await page.locator("fieldset").count(), await page.locator("fieldset > legend").count());
  assert.deepEqual(faults, []);
});

test("what the machine did lies under the same time", { skip }, async () => {
  const { page, faults } = await open("four");
  const panels = () => page.locator("#graph-machine .u-over").count();
  assert.equal(await panels(), 4, "the processors of each run");
  await choose(page, "show", "one");
  assert.equal(await panels(), 4, "processors, pressure, and two of the device");
  const plot = page.locator("#graph-machine .plot");
  const whole = await axes(page, "whole");
  assert.deepEqual((await axes(page, "machine")).x, whole.x);
  await page.locator("#graph-machine .u-over").first().hover();
  assert.match(await page.locator("#graph-machine .readout").textContent(), /processors: user [\d.]+, system/);
  assert.equal(await plot.getAttribute("data-runs"), await shownRuns(page, "whole"));
  assert.deepEqual(faults, []);
});

test("scale and axis change where they are asked to", { skip }, async () => {
  const { page, faults } = await open("four");
  await choose(page, "whole-scale", "linear");
  assert.equal((await axes(page, "whole")).scale, "linear");
  assert.equal((await axes(page, "whole")).y[0], "0");
  assert.equal((await axes(page, "steady-log")).scale, "log");
  await choose(page, "whole-scale", "log");
  const time = await axes(page, "whole");
  assert.deepEqual(time.x, ["0", "2000"]);
  await choose(page, "across", "bytes");
  const bytes = await axes(page, "whole");
  assert.equal(bytes.label, "bytes written (GB)");
  assert.ok(Number(bytes.x[1]) > 250 && Number(bytes.x[1]) < 350, bytes.x[1]);
  await choose(page, "drive", "Granite G400");
  assert.deepEqual(await axes(page, "whole"), bytes);
  assert.deepEqual(faults, []);
});

test(
  "every graph is drawn, states bins, count and mode, and reads out by pointer and by key",
  { skip },
  async () => {
    const { page, faults } = await open("four");
    await choose(page, "show", "one");
    for (const graph of GRAPHS) {
      assert.ok((await ink(page, graph)) > 2000, `${graph} is blank`);
      const state = await page.locator(`#graph-${graph} .state`).textContent();
      assert.match(state, /n = [\d,]+/);
      assert.match(state, /closed loop: stalls are under-reported/);
    }
    const plot = page.locator("#graph-whole .plot");
    await plot.focus();
    await page.keyboard.press("Home");
    const readout = page.locator("#graph-whole .readout");
    assert.match(await readout.textContent(), /0 s.*IOPS.*written.*longest I\/O/);
    const first = await readout.textContent();
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await readout.textContent(), first);
    await page.keyboard.press("End");
    assert.match(await readout.textContent(), /2,000 s/);
    assert.match(
      await page.locator("#graph-steady-log .readout").textContent(),
      /IOPS/,
      "the cursor is shared",
    );
    await page.keyboard.press("Escape");
    assert.doesNotMatch(await readout.textContent(), /IOPS/);
    // The pointer is no guest of any graph while keys are pressed: scrolling would take the cursor along.
    await page.mouse.move(0, 0);
    await page.locator("#graph-heat .plot").focus();
    await page.keyboard.press("Home");
    assert.match(await page.locator("#graph-heat .readout").textContent(), /^0 s.*median/);
    await page.locator("#graph-heat .u-over").first().hover();
    assert.match(await page.locator("#graph-heat .readout").textContent(), /median .* p99 .* longest/);
    await page.locator("#graph-exceedance .u-over").hover();
    assert.match(await page.locator("#graph-exceedance .readout").textContent(), /or longer/);
    assert.deepEqual(faults, []);
  },
);

test("a part of the axis is chosen by drag or by key, held while switching, and given up", { skip }, async () => {
  const { page, faults } = await open("four");
  const all = await allAxes(page);
  const box = await page.locator("#graph-whole .u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.75, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelector("#graph-whole .plot").dataset.xMin !== "0");
  const part = await allAxes(page);
  const near = (found, wanted) => assert.ok(Math.abs(Number(found) - wanted) < 20, `${found} for ${wanted}`);
  near(part.whole.x[0], 1500);
  near(part.whole.x[1], 1800);
  assert.deepEqual(part.whole.x, part.heat.x);
  assert.deepEqual(part.whole.x, part["steady-linear"].x);
  assert.deepEqual(part.whole.y, all.whole.y);
  await choose(page, "drive", "Granite G400");
  assert.deepEqual(await allAxes(page), part);
  await page.getByRole("button", { name: "Whole axis" }).click();
  assert.deepEqual(await allAxes(page), all);
  await page.locator("#graph-whole .plot").focus();
  await page.keyboard.press("+");
  assert.deepEqual((await axes(page, "whole")).x, ["500", "1500"]);
  await page.keyboard.press("0");
  assert.deepEqual(await allAxes(page), all);
  assert.deepEqual(faults, []);
});

test("the numbers stand side by side", { skip }, async () => {
  const { page } = await open("four");
  const row = async (name) =>
    page
      .locator("#numbers tr", { has: page.locator("th", { hasText: new RegExp(`^${name}`) }) })
      .first()
      .locator("td")
      .allTextContents();
  const means = (await row("Mean IOPS")).map((text) => Number(text.replace(/[^\d.]/g, "")));
  assert.equal(means.length, 4);
  assert.ok(means[0] < 8_000 && means[2] > 32_000 && means[2] < 34_000, means.join());
  assert.doesNotMatch((await row("Mean IOPS")).join(), /▲/, "not all of them are steady");
  assert.match((await row("Fresh level"))[0], /▲/);
  assert.equal((await row("Written until the cliff"))[0], "17.2 GB");
  assert.equal((await row("Steady state"))[0], "not found");
  assert.match(await page.locator(".verdict .words").first().textContent(), /cliff after 17.2/);
});

test("conditions use the width that there is, and dots can be seen", { skip }, async () => {
  const { page } = await open("four");
  const width = (selector) => page.locator(selector).evaluate((element) => element.getBoundingClientRect().width);
  assert.ok((await width("#conditions")) >= (await width("#graphs")) - 1);
  await choose(page, "drive", "Granite G400");
  // Two thousand dots of at least 4.4 pixels across, in one line and thus over each other.
  assert.ok((await ink(page, "whole")) > 6000);
});

for (const scheme of ["light", "dark"]) {
  for (const [kind, width] of [
    ["one", 400],
    ["four", 400],
    ["eight", 400],
    ["odd", 400],
    ["eight", 1400],
    ["odd", 1400],
    ["four", 900],
  ]) {
    test(`${kind} at ${width} pixels in the ${scheme} overflows nowhere`, { skip }, async () => {
      const { page, faults } = await open(kind, { width, scheme });
      assert.deepEqual(await overflowing(page), []);
      if (kind !== "one") {
        await choose(page, "show", "one");
        assert.deepEqual(await overflowing(page), []);
      }
      assert.deepEqual(faults, []);
    });
  }
}

test("the theme can be chosen against the system", { skip }, async () => {
  const { page, faults } = await open("one", { scheme: "light" });
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await ground();
  await choose(page, "theme", "dark");
  assert.notEqual(await ground(), light);
  await choose(page, "theme", "light");
  assert.equal(await ground(), light);
  assert.deepEqual(faults, []);
});

test("what went wrong in a run is said, and rude names do nothing", { skip }, async () => {
  const { page, faults } = await open("odd");
  const severe = await page.locator(".notices .severe").allTextContents();
  assert.ok(
    severe.some((text) => text.includes("Interrupted")),
    severe.join(),
  );
  await choose(page, "show", "one");
  assert.match(await page.locator("#graph-whole .plot").textContent(), /nothing to draw/);
  assert.equal(await page.locator("img").count(), 0);
  const names = await page
    .locator('input[name="drive"]')
    .evaluateAll((inputs) => inputs.map((input) => input.value));
  for (const name of names) {
    const place = names.indexOf(name);
    await page.locator('label:has(input[name="drive"])').nth(place).click();
    for (const graph of GRAPHS) assert.notEqual(await shownRuns(page, graph), null);
  }
  await choose(page, "drive", "Granite G400");
  assert.match(await page.locator("#graph-whole .state").textContent(), /open loop · ▽ on the floor/);
  assert.match(await page.locator("#graph-exceedance .state").textContent(), /dotted: response time/);
  await choose(page, "drive", "Sandpiper S240");
  await choose(page, "reserve", "6.7 %");
  assert.match(await page.locator("#graph-whole .state").textContent(), /× at the top: I\/Os failed/);
  assert.deepEqual(faults, []);
});

test("two runs of one drive and reserve are told apart", { skip }, async () => {
  const { page } = await open("eight");
  await choose(page, "show", "one");
  assert.equal(await shownRuns(page, "whole"), "0");
  await choose(page, "repeat", "4");
  assert.equal(await shownRuns(page, "whole"), "4");
  await choose(page, "drive", "Granite G400");
  assert.equal(await shownRuns(page, "whole"), "6", "the second repeat stays the second");
});

test("without scripts there are verdicts, numbers, conditions and a still picture", { skip }, async () => {
  const { page } = await open("four", { scripts: false });
  assert.equal(await page.locator(".verdict .words").count(), 4);
  assert.ok(await page.locator("#numbers").isVisible());
  assert.ok(await page.locator("#conditions").isVisible());
  assert.ok((await page.locator("noscript svg").boundingBox()).height > 600);
  assert.ok(await page.locator("#graph-whole summary").isVisible());
  assert.ok(!(await page.locator("#graph-whole .plot").isVisible()));
});
