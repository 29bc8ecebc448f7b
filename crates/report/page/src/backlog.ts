// What would have waited in the buffer of a stream of a constant rate, over time.

import type uPlot from "uplot";
import { fromZero, type Range } from "./axes";
import { chart, type Scale } from "./chart";
import { gigabytes, rate, seconds } from "./format";
import { empty, exposeAxes, named, read, rest, timeScale, type Place, type Reading } from "./graph";
import type { PageBacklog, Stream } from "./stallsmodel";
import type { Palette } from "./theme";

export interface BacklogView {
  place: Place;
  streams: Stream[];
  /** Which of each stream's rates is shown. */
  level: number;
  height: number;
  palette: Palette;
}

/** With more streams than these the line under the title would be a paragraph. */
const WORDS_MAX = 3;

interface Course {
  stream: Stream;
  backlog: PageBacklog;
}

export function backlog(view: BacklogView): () => void {
  const { place } = view;
  const courses = view.streams.flatMap((stream): Course[] => {
    const found = stream.backlogs[Math.min(view.level, stream.backlogs.length - 1)];
    return found ? [{ stream, backlog: found }] : [];
  });
  const end = Math.max(1, ...courses.map(({ backlog }) => backlog.kb.length * backlog.column_s));
  const time = timeScale([0, end]);
  // As many bytes at another rate: not the time of the run.
  const x: Scale = { ...time, label: `the stream's ${time.label}` };
  const range: Range = fromZero(courses.flatMap(({ backlog }) => backlog.kb.map((kb) => kb / 1e3)));
  const y: Scale = { range, log: false, text: (mb) => gigabytes(mb / 1e3).replace(/\.0+(?= )/, ""), label: "" };
  exposeAxes(place, x, y, view.streams);
  const shown = courses.slice(0, WORDS_MAX).map((course) => words(course, view.streams));
  if (courses.length > WORDS_MAX) shown.push("more in the table of buffers");
  place.state.textContent = shown.join(" · ");
  if (courses.length === 0) {
    empty(place, "Nothing was written: there is nothing to draw.");
    return () => undefined;
  }
  rest(place, view.streams);
  const places = courses[0]?.backlog.kb.map((_, column) => (column + 0.5) * (courses[0]?.backlog.column_s ?? 1)) ?? [];
  return chart({
    place: place.plot,
    data: [places, places.map(() => null)],
    x,
    y,
    height: view.height,
    palette: view.palette,
    sync: null,
    draw: (plot) => courses.forEach((course) => draw(plot, course, view.palette)),
    point: (at) => (at === null ? rest(place, view.streams) : read(place, readings(courses, at, view.streams))),
  });
}

function words({ stream, backlog }: Course, among: Stream[]): string {
  const most = gigabytes(Math.max(0, ...backlog.kb) / 1e6);
  return `${named(stream, among)}${rate(backlog.mb_s)} MB/s needs ${most}${doubt(backlog)}`;
}

function doubt({ sustained, reached }: PageBacklog): string {
  if (!sustained) return " and growing: the drive does not keep up";
  return reached ? "" : " or more: the run itself was slower";
}

function draw(plot: uPlot, { stream, backlog }: Course, palette: Palette): void {
  const { ctx } = plot;
  const floor = plot.bbox.top + plot.bbox.height;
  const across = (column: number): number => plot.valToPos(column * backlog.column_s, "x", true);
  ctx.fillStyle = palette.run(stream.index);
  ctx.globalAlpha = 0.75;
  backlog.kb.forEach((kb, column) => {
    const top = plot.valToPos(kb / 1e3, "y", true);
    const [left, right] = [across(column), across(column + 1)];
    // A column narrower than a pixel is still drawn: it may hold the one delay.
    ctx.fillRect(left, top, Math.max(right - left, 1.5 * devicePixelRatio), Math.max(floor - top, devicePixelRatio));
  });
  ctx.globalAlpha = 1;
}

function readings(courses: Course[], at: number, among: Stream[]): Reading[] {
  const values = courses.flatMap(({ stream, backlog }): Reading[] => {
    const kb = backlog.kb[Math.floor(at / backlog.column_s)];
    return kb === undefined ? [] : [{ run: stream, text: `${named(stream, among)}${gigabytes(kb / 1e6)}` }];
  });
  return [{ text: seconds(Math.round(at)) }, ...values];
}
