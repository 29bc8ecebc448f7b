// The rate graphs: a dot for every second.

import uPlot from "uplot";
import { firstSteadyBin, places, type Across, type Range } from "./axes";
import { chart, type Scale } from "./chart";
import { gigabytes, rate, seconds, shortRate, nanos } from "./format";
import {
  countWords,
  empty,
  exposeAxes,
  modeWords,
  named,
  read,
  rest,
  timeScale,
  type Place,
  type Reading,
} from "./graph";
import { landmarks, landmarksAmong, LINES_IN_WORDS } from "./landmarks";
import { drawMarks } from "./marks";
import type { Run } from "./model";
import { shapeOf, type Palette } from "./theme";

export interface ScatterView {
  place: Place;
  /** The runs that are shown. */
  runs: Run[];
  across: Across;
  x: Range;
  y: Range;
  log: boolean;
  /** Only the steady part of every run. */
  steady: boolean;
  height: number;
  palette: Palette;
  zoom: (part: Range | null) => void;
}

/** Where a run's dots lie; bins outside the steady part are left out where only that is shown. */
interface Dots {
  run: Run;
  first: number;
  xs: number[];
  ys: number[];
}

const NOTHING = "No whole second was measured: there is nothing to draw.";

export function scatter(view: ScatterView): () => void {
  const dots = view.runs.map((run) => dotsOf(run, view)).filter((part) => part.xs.length > 0);
  const { x, y } = scales(view);
  exposeAxes(view.place, x, y, view.runs);
  view.place.state.textContent = words(view, dots);
  if (dots.length === 0) {
    const measured = view.runs.some((run) => run.series.iops.length > 0);
    empty(view.place, measured ? "No dot lies in this part of the axis." : NOTHING);
    return () => undefined;
  }
  rest(view.place, view.runs);
  return chart({
    place: view.place.plot,
    data: joined(dots, view),
    x,
    y,
    height: view.height,
    palette: view.palette,
    zoom: view.zoom,
    sync: `rate-${view.across}`,
    draw: (plot) => draw(plot, dots, view),
    point: (at) => (at === null ? rest(view.place, view.runs) : read(view.place, readings(dots, view, at))),
  });
}

function dotsOf(run: Run, view: ScatterView): Dots {
  const along = places(run, view.across);
  const from = along.findIndex((place) => place >= view.x[0]);
  const beyond = along.findIndex((place) => place > view.x[1]);
  const first = Math.max(view.steady ? firstSteadyBin(run) : 0, from < 0 ? along.length : from);
  const end = beyond < 0 ? along.length : beyond;
  return { run, first, xs: along.slice(first, end), ys: run.series.iops.slice(first, end) };
}

function scales(view: ScatterView): { x: Scale; y: Scale } {
  const bytes: Scale = {
    range: view.x,
    log: false,
    text: (value) => value.toLocaleString("en"),
    label: "bytes written (GB)",
  };
  return {
    x: view.across === "time" ? timeScale(view.x) : bytes,
    y: { range: view.y, log: view.log, text: shortRate, label: "IOPS" },
  };
}

/** uPlot wants one column of places for all series; on a logarithmic axis zero becomes the floor. */
function joined(dots: Dots[], view: ScatterView): uPlot.AlignedData {
  const shown = (value: number): number => (view.log ? Math.max(value, view.y[0]) : value);
  return uPlot.join(dots.map((part) => [part.xs, part.ys.map(shown)]));
}

function words(view: ScatterView, dots: Dots[]): string {
  const bins = [...new Set(view.runs.map((run) => run.series.bin_s))];
  const mean = bins.some((bin) => bin > 1) ? " (mean, and slowest second as a small dot)" : "";
  const parts = [`IOPS in bins of ${bins.join(" and ")} s${mean}`, view.log ? "log scale" : "linear scale"];
  parts.push(countWords(view.runs.map((run) => dots.find((part) => part.run === run)?.ys.length ?? 0)));
  parts.push(modeWords(view.runs));
  if (!view.steady && dots.length > 1) parts.push(LINES_IN_WORDS);
  if (view.log && dots.some((part) => (part.run.series.slowest ?? part.ys).includes(0)))
    parts.push("▽ on the floor: a second without an I/O");
  if (dots.some((part) => part.run.failures.size > 0)) parts.push("× at the top: I/Os failed");
  return parts.join(" · ");
}

function draw(plot: uPlot, dots: Dots[], view: ScatterView): void {
  const single = dots.length === 1 ? dots[0] : undefined;
  const ratio = devicePixelRatio;
  for (const part of dots) {
    const radius = dotRadius(plot.bbox.width / ratio, part.xs.length) * (single ? 1 : 0.9) * ratio;
    plot.ctx.globalAlpha = single ? 0.8 : 0.62;
    const colour = view.palette.run(part.run.index);
    drawMarks(plot.ctx, shapeOf(part.run.index), colour, radius, spots(plot, part, part.ys, view));
    // One second in many: smaller, so that it does not pass for a mean.
    const slowest = part.run.series.slowest?.slice(part.first, part.first + part.xs.length);
    if (slowest) drawMarks(plot.ctx, "circle", colour, radius * 0.6, spots(plot, part, slowest, view));
    plot.ctx.globalAlpha = 1;
    if (view.log) zeros(plot, part, slowest ?? part.ys, view, colour);
    failures(plot, part, view);
  }
  if (view.steady) return;
  if (single) landmarks(plot, single.run, view.across, view.palette);
  else landmarksAmong(plot, dots.map((part) => part.run), view.across, view.palette);
}

/** Dots as large as their neighbours leave room for, within what the eye finds and tells apart. */
function dotRadius(width: number, count: number): number {
  const [least, most] = width < 560 ? [1.5, 2.4] : [2.2, 3.4];
  return Math.min(Math.max((width / Math.max(count, 1)) * 0.8, least), most);
}

function* spots(plot: uPlot, part: Dots, ys: number[], view: ScatterView): Iterable<[number, number]> {
  for (let index = 0; index < ys.length; index++) {
    const y = ys[index] ?? 0;
    if (view.log && y < view.y[0]) continue;
    yield [plot.valToPos(part.xs[index] ?? 0, "x", true), plot.valToPos(y, "y", true)];
  }
}

/** A logarithmic axis has no zero: such seconds are hollow marks on the floor. */
function zeros(plot: uPlot, part: Dots, ys: number[], view: ScatterView, colour: string): void {
  const floor = plot.valToPos(view.y[0], "y", true);
  const size = 4 * devicePixelRatio;
  const context = plot.ctx;
  context.beginPath();
  ys.forEach((y, index) => {
    if (y >= view.y[0]) return;
    const x = plot.valToPos(part.xs[index] ?? 0, "x", true);
    context.moveTo(x - size * 0.8, floor - size * 1.6);
    context.lineTo(x + size * 0.8, floor - size * 1.6);
    context.lineTo(x, floor - size * 0.2);
    context.closePath();
  });
  context.lineWidth = devicePixelRatio;
  context.strokeStyle = colour;
  context.stroke();
}

function failures(plot: uPlot, part: Dots, view: ScatterView): void {
  const top = plot.valToPos(view.y[1], "y", true) + 5 * devicePixelRatio;
  const failed = [...part.run.failures.keys()].filter(
    (bin) => bin >= part.first && bin < part.first + part.xs.length,
  );
  const at = failed.map((bin): [number, number] => [
    plot.valToPos(part.xs[bin - part.first] ?? 0, "x", true),
    top,
  ]);
  drawMarks(plot.ctx, "cross", view.palette.alert, 2.5 * devicePixelRatio, at);
}

function readings(dots: Dots[], view: ScatterView, at: number): Reading[] {
  const list: Reading[] = [{ text: view.across === "time" ? seconds(at) : gigabytes(at) }];
  for (const part of dots) {
    const index = nearest(part.xs, at);
    const bin = index + part.first;
    const value = part.ys[index];
    if (value === undefined || outside(part, at)) continue;
    const { run } = part;
    if (view.runs.length > 1) list.push({ run, text: `${named(run, view.runs)}${rate(value)} IOPS` });
    else list.push(...details(run, bin, value, view));
  }
  return list;
}

/** Whether a place lies before a run's first dot or after its last one, by more than a bin. */
function outside(part: Dots, at: number): boolean {
  const [first, last] = [part.xs[0] ?? 0, part.xs[part.xs.length - 1] ?? 0];
  const slack = (last - first) / Math.max(part.xs.length - 1, 1);
  return at < first - slack || at > last + slack;
}

function details(run: Run, bin: number, value: number, view: ScatterView): Reading[] {
  const list: Reading[] = [{ run, text: `${rate(value)} IOPS` }];
  const slowest = run.series.slowest?.[bin];
  if (slowest !== undefined) list.push({ text: `slowest second ${rate(slowest)}` });
  const other =
    view.across === "time"
      ? `${gigabytes(run.written_gb[bin] ?? 0)} written`
      : seconds(run.seconds[bin] ?? 0);
  list.push({ text: other });
  list.push({ text: `longest I/O ${nanos((run.series.service_max_us[bin] ?? 0) * 1e3)}` });
  const failed = run.failures.get(bin);
  if (failed) list.push({ text: `${rate(failed)} failed` });
  return list;
}

/** The index of the value nearest to `at` in a rising column. */
export function nearest(column: number[], at: number): number {
  let [low, high] = [0, column.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((column[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  return Math.abs((column[low] ?? 0) - at) <= Math.abs((column[high] ?? 0) - at) ? low : high;
}
