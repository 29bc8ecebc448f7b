// Delays against the data that was written: the longest write of each stretch, and every delay.

import type uPlot from "uplot";
import { decades, type Range } from "./axes";
import { chart, type Scale } from "./chart";
import { gigabytes, nanos, seconds, shortNanos } from "./format";
import { empty, exposeAxes, named, read, rest, type Place, type Reading } from "./graph";
import { drawMarks } from "./marks";
import type { Stream } from "./stallsmodel";
import { shapeOf, type Palette } from "./theme";

export interface WrittenView {
  place: Place;
  streams: Stream[];
  x: Range;
  y: Range;
  height: number;
  palette: Palette;
  zoom: (part: Range | null) => void;
}

const GB = 1e9;

/** All that was written, in GB. */
export function writtenRange(streams: Stream[]): Range {
  const ends = streams.map((stream) => (stream.longest_us.length * stream.column_bytes) / GB);
  return [0, Math.max(1e-3, ...ends)];
}

/** The longest writes of all stretches, in nanoseconds. */
export function longestRange(streams: Stream[]): Range {
  return decades(streams.flatMap((stream) => stream.longest_us.map((us) => us * 1e3)));
}

export function writtenDelays(view: WrittenView): () => void {
  const { place, streams } = view;
  const unit = view.x[1] >= 2000 ? 1000 : 1;
  const x: Scale = {
    range: view.x,
    log: false,
    unit,
    text: (value) => (value / unit).toLocaleString("en"),
    label: unit === 1 ? "written (GB)" : "written (TB)",
  };
  const y: Scale = { range: view.y, log: true, text: shortNanos, label: "" };
  exposeAxes(place, x, y, streams);
  const widest = Math.max(0, ...streams.map((stream) => stream.column_bytes));
  place.state.textContent = `dots: the longest write of every ${gigabytes(widest / GB)} · rings: delays · log scale`;
  if (streams.every((stream) => stream.longest_us.length === 0)) {
    empty(place, "Nothing was written: there is nothing to draw.");
    return () => undefined;
  }
  rest(place, streams);
  const places = [...new Set(streams.flatMap((stream) => stream.longest_us.map((_, i) => middle(stream, i))))];
  places.sort((a, b) => a - b);
  return chart({
    place: place.plot,
    data: [places, places.map(() => null)],
    x,
    y,
    height: view.height,
    palette: view.palette,
    sync: null,
    zoom: view.zoom,
    draw: (plot) => streams.forEach((stream) => draw(plot, stream, view.palette)),
    point: (at) => (at === null ? rest(place, streams) : read(place, readings(streams, at))),
  });
}

const middle = (stream: Stream, column: number): number => ((column + 0.5) * stream.column_bytes) / GB;

function draw(plot: uPlot, stream: Stream, palette: Palette): void {
  const colour = palette.run(stream.index);
  const at = (gb: number, ns: number): [number, number] => [
    plot.valToPos(gb, "x", true),
    plot.valToPos(ns, "y", true),
  ];
  const dots = stream.longest_us.map((us, column) => at(middle(stream, column), us * 1e3));
  drawMarks(plot.ctx, shapeOf(stream.index), colour, 1.4 * devicePixelRatio, dots);
  const rings = stream.delays.map(([before, us]) => at(before / GB, us * 1e3));
  drawMarks(plot.ctx, "ring", colour, 5 * devicePixelRatio, rings);
}

function readings(streams: Stream[], at: number): Reading[] {
  const values = streams.flatMap((stream): Reading[] => {
    const column = Math.floor((at * GB) / stream.column_bytes);
    const longest = stream.longest_us[column];
    if (longest === undefined) return [];
    const delay = stream.delays.find(([before]) => Math.floor(before / stream.column_bytes) === column);
    const met = delay ? `, a delay ${seconds(Math.round(delay[2]))} from the start` : "";
    return [{ run: stream, text: `${named(stream, streams)}longest ${nanos(longest * 1e3)}${met}` }];
  });
  return [{ text: `${gigabytes(at)} written` }, ...values];
}
