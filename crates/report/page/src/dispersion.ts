// Whether slow I/Os are clustered: the index of dispersion by window, beside what chance allows.

import type uPlot from "uplot";
import { decades, type Range } from "./axes";
import { chart, type Scale } from "./chart";
import { nanos, rate, shortNanos, whole } from "./format";
import { empty, exposeAxes, read, rest, type Place, type Reading } from "./graph";
import { linesOf, strokePath, subjects, type Line } from "./lines";
import { drawMarks } from "./marks";
import type { Palette } from "./theme";
import { WORDS, type Trace, type Ways } from "./tracemodel";

export interface DispersionView {
  place: Place;
  traces: Trace[];
  ways: Ways;
  y: Range;
  height: number;
  palette: Palette;
}

/** 95 of 100 normal variates lie within so many deviations. */
const REACH = 1.96;
/** With fewer windows an index carries no weight. */
const MANY = 20;
/** A little beyond 10 ms and 100 s, so that the marks at the ends have room. */
const WINDOWS: Range = [6e6, 1.6e11];
const FLOOR = 0.1;

/** Decades around the indices of all traces, and chance. */
export function dispersionRange(traces: Trace[]): Range {
  const found = traces.flatMap((trace) => trace.directions.flatMap((way) => way.dispersion));
  const values = found.map((each) => Math.max(each.index, FLOOR));
  const [low, high] = decades([...values, 0.5, 2]);
  return [low, high];
}

export function dispersion(view: DispersionView): () => void {
  const { place } = view;
  const x: Scale = { range: WINDOWS, log: true, text: shortNanos, label: "window" };
  const y: Scale = { range: view.y, log: true, text: rate, label: "index" };
  exposeAxes(place, x, y, view.traces);
  const lines = linesOf(view.traces, view.ways, view.palette).filter((line) => line.data.dispersion.length > 0);
  place.state.textContent = words(lines, view.traces.length > 1);
  if (lines.length === 0) {
    empty(place, "Too few slow I/Os stand out: there is nothing to draw.");
    return () => undefined;
  }
  const marks = subjects(view.traces, view.ways);
  rest(place, marks);
  const windows = [...new Set(lines.flatMap((line) => line.data.dispersion.map((each) => each.window_s * 1e9)))];
  windows.sort((a, b) => a - b);
  return chart({
    place: place.plot,
    data: [windows, windows.map(() => null)],
    x,
    y,
    height: view.height,
    palette: view.palette,
    sync: null,
    draw: (plot) => {
      chance(plot, view.palette);
      lines.forEach((line, place) => band(plot, line, (place - (lines.length - 1) / 2) * 11));
      lines.forEach((line, place) => draw(plot, line, (place - (lines.length - 1) / 2) * 11));
    },
    point: (_, bin) => {
      const window = bin === null ? undefined : windows[bin];
      if (window === undefined) rest(place, marks);
      else read(place, readings(lines, window));
    },
  });
}

function words(lines: Line[], several: boolean): string {
  const parts = ["1 is chance, whatever the load does", "bars: where chance stays in 95 of 100 cases", "log scales"];
  parts.push("hollow marks: fewer than twenty windows, no weight");
  for (const { data, way } of several ? [] : lines) {
    const p = data.p === null ? "" : `, p\u00a0=\u00a0${data.p < 0.0995 ? data.p.toFixed(3) : data.p.toFixed(2)}`;
    parts.push(`slow ${WORDS[way]}: ${data.slow}${p}`);
  }
  if (several) parts.push("dotted: writes");
  return parts.join(" · ");
}

function chance(plot: uPlot, palette: Palette): void {
  const y = Math.round(plot.valToPos(1, "y", true)) + 0.5;
  plot.ctx.strokeStyle = palette.muted;
  plot.ctx.lineWidth = devicePixelRatio;
  plot.ctx.beginPath();
  plot.ctx.moveTo(plot.bbox.left, y);
  plot.ctx.lineTo(plot.bbox.left + plot.bbox.width, y);
  plot.ctx.stroke();
}

/** Lines lie a little beside each other, so that their bars can be told apart. */
function across(plot: uPlot, window: number, aside: number): number {
  return plot.valToPos(window * 1e9, "x", true) + aside * devicePixelRatio;
}

function band(plot: uPlot, line: Line, aside: number): void {
  const { ctx } = plot;
  const floor = plot.scales["y"]?.min ?? FLOOR;
  ctx.fillStyle = line.colour;
  ctx.globalAlpha = 0.22;
  for (const { window_s, deviation } of line.data.dispersion) {
    const [low, high] = [1 - REACH * deviation, 1 + REACH * deviation];
    const top = plot.valToPos(high, "y", true);
    const bottom = plot.valToPos(Math.max(low, floor), "y", true);
    const half = 4 * devicePixelRatio;
    ctx.fillRect(across(plot, window_s, aside) - half, top, 2 * half, Math.max(bottom - top, devicePixelRatio));
  }
  ctx.globalAlpha = 1;
}

function draw(plot: uPlot, line: Line, aside: number): void {
  const at = (each: { window_s: number; index: number }): [number, number] => [
    across(plot, each.window_s, aside),
    plot.valToPos(Math.max(each.index, plot.scales["y"]?.min ?? FLOOR), "y", true),
  ];
  const found = line.data.dispersion;
  strokePath(plot.ctx, line, found.map(at), 1.25);
  const radius = 4 * devicePixelRatio;
  drawMarks(plot.ctx, line.shape, line.colour, radius, found.filter((each) => each.windows >= MANY).map(at));
  drawMarks(plot.ctx, "ring", line.colour, radius * 0.9, found.filter((each) => each.windows < MANY).map(at));
}

function readings(lines: Line[], window: number): Reading[] {
  const list: Reading[] = [{ text: `windows of ${nanos(window)}` }];
  for (const line of lines) {
    const found = line.data.dispersion.find((each) => Math.abs(each.window_s * 1e9 - window) < 1);
    if (!found) continue;
    const [low, high] = [Math.max(1 - REACH * found.deviation, 0), 1 + REACH * found.deviation];
    const text = `${rate(found.index)}; chance ${low.toFixed(2)} to ${high.toFixed(2)}, ${whole(found.windows)} windows`;
    list.push({ run: line.subject, text: `${line.subject.label}: ${text}` });
  }
  return list;
}
