// How many writes took how long, as bars; those that stand out are marked.

import type uPlot from "uplot";
import { decades, type Range } from "./axes";
import { chart, type Scale } from "./chart";
import { nanos, shortNanos, shortRate, whole } from "./format";
import { countWords, empty, exposeAxes, named, read, rest, type Place } from "./graph";
import { drawMarks } from "./marks";
import type { Stream } from "./stallsmodel";
import type { Palette } from "./theme";

export interface TimesView {
  place: Place;
  streams: Stream[];
  x: Range;
  y: Range;
  height: number;
  palette: Palette;
}

/** A bar of a single write has to be seen: the axis begins below 1. */
const FLOOR = 0.5;

/** All completion times of all streams. */
export function timesRange(streams: Stream[]): Range {
  return decades(streams.flatMap((stream) => stream.edges_ns));
}

/** From less than one write to the fullest bar. */
export function countRange(streams: Stream[]): Range {
  const most = Math.max(10, ...streams.flatMap((stream) => stream.counts));
  return [FLOOR, 10 ** Math.ceil(Math.log10(most) + 1e-9)];
}

export function writeTimes(view: TimesView): () => void {
  const { place, streams } = view;
  const x: Scale = { range: view.x, log: true, text: shortNanos, label: "completion time" };
  const y: Scale = { range: view.y, log: true, text: shortRate, label: "writes" };
  exposeAxes(place, x, y, streams);
  const counts = streams.map((stream) => stream.counts.reduce((a, b) => a + b, 0));
  place.state.textContent = `writes in bins of an eighth of an octave · log scales · circled: delays · ${countWords(counts)}`;
  if (counts.every((count) => count === 0)) {
    empty(place, "Nothing was written: there is nothing to draw.");
    return () => undefined;
  }
  rest(place, streams);
  const edges = [...new Set(streams.flatMap((stream) => stream.edges_ns))].sort((a, b) => a - b);
  return chart({
    place: place.plot,
    data: [edges, edges.map(() => null)],
    x,
    y,
    height: view.height,
    palette: view.palette,
    sync: null,
    draw: (plot) => streams.forEach((stream) => draw(plot, stream, view.palette)),
    point: (at) => (at === null ? rest(place, streams) : read(place, readings(streams, at))),
  });
}

function draw(plot: uPlot, stream: Stream, palette: Palette): void {
  const { ctx } = plot;
  const colour = palette.run(stream.index);
  const floor = plot.bbox.top + plot.bbox.height;
  const across = (edge: number): number => plot.valToPos(Math.max(edge, 1), "x", true);
  const marks: [number, number][] = [];
  ctx.fillStyle = colour;
  ctx.globalAlpha = 0.55;
  stream.counts.forEach((count, bin) => {
    if (count === 0) return;
    const [from, to] = [stream.edges_ns[bin] ?? 1, stream.edges_ns[bin + 1] ?? 1];
    const [left, right, top] = [across(from), across(to), plot.valToPos(count, "y", true)];
    ctx.fillRect(left, top, Math.max(right - left - devicePixelRatio, devicePixelRatio), floor - top);
    if (stream.threshold_ns !== null && to > stream.threshold_ns) marks.push([(left + right) / 2, top]);
  });
  ctx.globalAlpha = 1;
  drawMarks(ctx, "ring", colour, 7 * devicePixelRatio, marks);
}

function readings(streams: Stream[], at: number): { run?: Stream; text: string }[] {
  const values = streams.map((stream) => {
    const bin = stream.edges_ns.findIndex((edge, index) => edge <= at && at < (stream.edges_ns[index + 1] ?? 0));
    const count = whole(stream.counts[bin] ?? 0);
    const delay = stream.threshold_ns !== null && at >= stream.threshold_ns ? " (delays)" : "";
    return { run: stream, text: `${named(stream, streams)}${count} writes${delay}` };
  });
  return [{ text: nanos(at) }, ...values];
}
