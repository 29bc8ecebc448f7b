// How service times are distributed: how many took how long, and how many took longer.

import type uPlot from "uplot";
import { decades, type Range } from "./axes";
import { chart, type Scale } from "./chart";
import { nanos, oneIn, rate, shortNanos, shortOneIn, whole } from "./format";
import { countWords, empty, exposeAxes, read, rest, type Place, type Reading } from "./graph";
import { linesOf, strokePath, subjects, type Line } from "./lines";
import { drawMarks } from "./marks";
import { FEW } from "./model";
import type { Palette } from "./theme";
import type { Trace, Ways } from "./tracemodel";

export interface CurveView {
  place: Place;
  traces: Trace[];
  ways: Ways;
  /** Of all traces, so that switching never moves a scale. */
  nanos: Range;
  share: Range;
  height: number;
  palette: Palette;
}

const NOTHING = "No duration is known: there is nothing to draw.";
const MIXED = "dotted: writes";

/** The range of all service times. */
export function nanosRange(traces: Trace[]): Range {
  return decades(traces.flatMap((trace) => trace.directions.flatMap((way) => way.ns)));
}

/** From one I/O in all to all. */
export function exceedanceRange(traces: Trace[]): Range {
  const most = Math.max(10, ...traces.flatMap((trace) => trace.directions.map((way) => way.count)));
  return [10 ** -Math.ceil(Math.log10(most) - 1e-9), 1];
}

/** From nothing to the fullest bin. */
export function distributionRange(traces: Trace[]): Range {
  const shares = traces.flatMap((trace) =>
    trace.directions.flatMap((way) => way.counts.map((count) => count / Math.max(way.count, 1))),
  );
  return [0, Math.min(1, Math.max(0.01, ...shares) * 1.05)];
}

export function distribution(view: CurveView): () => void {
  const y: Scale = {
    range: view.share,
    log: false,
    text: (share) => `${rate(Number((share * 100).toPrecision(6)))} %`,
    label: "",
  };
  const state = ["share of I/Os in a bin of an eighth of an octave", "log bins"];
  return curve(view, y, state, drawSteps, (line, at) => {
    const bin = line.data.edges_ns.findIndex((edge, index) => {
      return edge <= at && at < (line.data.edges_ns[index + 1] ?? 0);
    });
    const count = line.data.counts[bin] ?? 0;
    return `${share(count / line.data.count)} (${whole(count)})`;
  });
}

export function exceedance(view: CurveView): () => void {
  const y: Scale = { range: view.share, log: true, text: shortOneIn, label: "" };
  const state = ["share of I/Os that took at least so long", "log scales", "hollow marks: fewer than ten I/Os"];
  return curve(view, y, state, drawExceedance, (line, at) => {
    const index = line.data.ns.findIndex((ns) => ns >= at);
    const count = index < 0 ? 0 : (line.data.at_least[index] ?? 0);
    const few = count > 0 && count < FEW ? `, only ${whole(count)}` : "";
    return `${count === 0 ? "none" : oneIn(count / line.data.count)} or longer${few}`;
  });
}

function share(value: number): string {
  return value === 0 ? "none" : `${Number((value * 100).toPrecision(2))} %`;
}

function curve(
  view: CurveView,
  y: Scale,
  state: string[],
  draw: (plot: uPlot, line: Line, floor: number) => void,
  words: (line: Line, at: number) => string,
): () => void {
  const { place } = view;
  const x: Scale = { range: view.nanos, log: true, text: shortNanos, label: "service time" };
  const marks = subjects(view.traces, view.ways);
  const lines = linesOf(view.traces, view.ways, view.palette);
  exposeAxes(place, x, y, view.traces);
  if (lines.length === 0) {
    place.state.textContent = state.join(" · ");
    empty(place, NOTHING);
    return () => undefined;
  }
  const parts = [...state, countWords(lines.map((line) => line.data.count))];
  if (lines.some((line) => line.dotted)) parts.push(MIXED);
  place.state.textContent = parts.join(" · ");
  rest(place, marks);
  const places = [...new Set(lines.flatMap((line) => line.data.ns))].filter((ns) => ns > 0).sort((a, b) => a - b);
  return chart({
    place: place.plot,
    data: [places, places.map(() => null)],
    x,
    y,
    height: view.height,
    palette: view.palette,
    sync: null,
    draw: (plot) => lines.forEach((line) => draw(plot, line, plot.bbox.top + plot.bbox.height)),
    point: (at) => (at === null ? rest(place, marks) : read(place, readings(lines, at, words))),
  });
}

function readings(lines: Line[], at: number, words: (line: Line, at: number) => string): Reading[] {
  const values = lines.map((line): Reading => {
    return { run: line.subject, text: `${line.subject.label}: ${words(line, at)}` };
  });
  return [{ text: nanos(at) }, ...values];
}

function drawSteps(plot: uPlot, line: Line, floor: number): void {
  const { edges_ns: edges, counts, count } = line.data;
  const across = (edge: number): number => plot.valToPos(Math.max(edge, 1), "x", true);
  const path: [number, number][] = [[across(edges[0] ?? 1), floor]];
  counts.forEach((found, bin) => {
    const y = plot.valToPos(found / count, "y", true);
    path.push([across(edges[bin] ?? 1), y], [across(edges[bin + 1] ?? 1), y]);
  });
  path.push([across(edges[edges.length - 1] ?? 1), floor]);
  strokePath(plot.ctx, line, path, 1.75);
  plot.ctx.globalAlpha = 0.09;
  plot.ctx.fillStyle = line.colour;
  plot.ctx.fill();
  plot.ctx.globalAlpha = 1;
}

function drawExceedance(plot: uPlot, line: Line): void {
  const { ns, at_least: atLeast, count } = line.data;
  const path = ns.map((at, index): [number, number] => [
    plot.valToPos(Math.max(at, 1), "x", true),
    plot.valToPos((atLeast[index] ?? 1) / count, "y", true),
  ]);
  const first = atLeast.findIndex((found) => found < FEW);
  const tail = first < 0 ? path.length : first;
  strokePath(plot.ctx, line, path.slice(0, tail + 1), 1.75);
  plot.ctx.globalAlpha = 0.45;
  strokePath(plot.ctx, line, path.slice(tail), 1);
  plot.ctx.globalAlpha = 1;
  drawMarks(plot.ctx, line.dotted ? "frame" : "ring", line.colour, 2.6 * devicePixelRatio, path.slice(tail));
}
