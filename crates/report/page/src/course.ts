// The course of a trace over busy time: its load, its slow I/Os, its queue; and where idle time was cut out.

import type uPlot from "uplot";
import { decades, niceStep, type Range } from "./axes";
import { chart, type Scale } from "./chart";
import { nanos, rate, shortRate, whole } from "./format";
import { empty, exposeAxes, read, rest, swatch, timeScale, type Place, type Reading, type Subject } from "./graph";
import { drawMarks } from "./marks";
import { shapeOf, type Palette } from "./theme";
import { WORDS, type PageCourse, type Trace, type Ways } from "./tracemodel";

export interface CourseView {
  place: Place;
  traces: Trace[];
  ways: Ways;
  longIdle: number;
  x: Range;
  zoom: (part: Range | null) => void;
  palette: Palette;
}

/** A column's value of each line, and how it is drawn. */
interface Panel {
  label: string;
  values: (course: PageCourse, way: 0 | 1) => number[];
  bars: boolean;
  height: number;
}

const RATE: Panel = {
  label: "IOPS",
  values: (course, way) => course.requests[way].map((count) => count / course.column_s),
  bars: false,
  height: 250,
};
const SLOW: Panel = { label: "slow I/Os", values: (course, way) => course.slow[way], bars: true, height: 150 };
/** Instead of reads and writes: the mean, and the greatest. */
const DEPTH: Panel = {
  label: "in flight",
  values: (course, way) => (way === 0 ? course.depth_mean : course.depth_max),
  bars: false,
  height: 170,
};

export function endOf(traces: Trace[]): number {
  return Math.max(1e-3, ...traces.map(({ course }) => (course ? course.began_ms.length * course.column_s : 0)));
}

/** Of one trace all panels; of several the load alone, one under another, each over its own busy time. */
export function course(view: CourseView): () => void {
  const { place, traces } = view;
  const shown = traces.filter(({ course }) => course !== null && course.began_ms.length > 0);
  exposeAxes(place, busyScale(view.x), { range: [0, 1], log: false, text: rate, label: "" }, traces);
  place.state.textContent = words(view, shown);
  if (shown.length === 0) {
    empty(place, "Nothing was asked: there is nothing to draw.");
    return () => undefined;
  }
  const marks: Subject[] = view.ways.map((way) => ({ index: way, label: WORDS[way] }));
  rest(place, marks);
  const panels = panelsOf(shown);
  const ends = shown.flatMap((trace) => {
    if (shown.length > 1) place.plot.append(caption(trace));
    return panels.map((panel) => drawPanel(view, trace, panel, marks, shown));
  });
  return () => ends.forEach((end) => end());
}

function panelsOf(shown: Trace[]): Panel[] {
  const timed = shown.some(({ directions }) => directions.some((way) => way.count > 0));
  return shown.length === 1 && timed ? [RATE, SLOW, DEPTH] : [RATE];
}

/** What is shown of busy time: of one trace the chosen part, of several all of each. */
export function spanOf(trace: Trace, shown: Trace[], part: Range): Range {
  return shown.length > 1 ? [0, endOf([trace])] : part;
}

/** An axis of busy time; short traces are told in milliseconds. */
export function busyScale(range: Range): Scale {
  if (range[1] > 2) return { ...timeScale(range), label: timeScale(range).label.replace("time", "busy time") };
  const text = (value: number): string => (value * 1e3).toLocaleString("en");
  return { range, log: false, unit: 1e-3, text, label: "busy time (ms)" };
}

function words(view: CourseView, shown: Trace[]): string {
  const widths = [...new Set(shown.map(({ course }) => course?.column_s ?? 0))].sort((a, b) => a - b);
  const [least, most] = [widths[0] ?? 0, widths[widths.length - 1] ?? 0].map((width) => nanos(width * 1e9));
  const parts = [least === most ? `bins of ${least}` : `bins of ${least} to ${most}`];
  if (shown.length > 1) parts.push("each trace over its own busy time, rates on one log scale");
  const cuts = shown.flatMap(({ course }) => course?.cuts ?? []);
  const times = cuts.reduce((sum, [, count]) => sum + count, 0);
  const cut = cuts.reduce((sum, [, , ms]) => sum + ms, 0);
  parts.push(
    times === 0
      ? `no idle time longer than ${view.longIdle} s`
      : `idle time longer than ${view.longIdle} s is cut out, ${nanosLong(cut)} in ${whole(times)} places: dashed lines`,
  );
  const first = shown.length === 1 ? shown[0] : undefined;
  if (first) {
    for (const way of view.ways) {
      const { slow, count } = first.directions[way];
      if (count > 0) parts.push(slow ? `slow ${WORDS[way]}: ${slow}` : `too few slow ${WORDS[way]} stand out`);
    }
    if (first.directions.some(({ count }) => count > 0)) parts.push("in flight: mean, and most as a small dot");
  }
  return parts.join(" · ");
}

/** Milliseconds as seconds, hours or days. */
function nanosLong(ms: number): string {
  const seconds = ms / 1e3;
  if (seconds < 300) return `${rate(Number(seconds.toPrecision(3)))} s`;
  if (seconds < 3 * 3600) return `${rate(Number((seconds / 60).toPrecision(3)))} min`;
  if (seconds < 3 * 86400) return `${rate(Number((seconds / 3600).toPrecision(3)))} h`;
  return `${rate(Number((seconds / 86400).toPrecision(3)))} days`;
}

export function caption(trace: Trace): HTMLElement {
  const line = document.createElement("p");
  line.className = "among";
  line.append(swatch(trace.index), trace.label);
  return line;
}

function drawPanel(view: CourseView, trace: Trace, panel: Panel, marks: Subject[], shown: Trace[]): () => void {
  const found = trace.course as PageCourse;
  const spot = document.createElement("div");
  view.place.plot.append(spot);
  const alone = shown.length === 1;
  const ways: Ways = panel === DEPTH ? [0, 1] : view.ways;
  const columns = ways.map((way) => panel.values(found, way));
  const x = busyScale(spanOf(trace, shown, view.x));
  const y: Scale = { ...valueScale(panel, ways, shown), label: panel.label };
  const isFirst = panel === RATE && trace === shown[0];
  return chart({
    place: spot,
    // The first one hears the keys; those below share its cursor where they share its axis.
    keyboard: isFirst ? view.place.plot : null,
    data: [found.began_ms.map((_, column) => (column + 0.5) * found.column_s), found.began_ms.map(() => null)],
    x: panel !== panelsOf(shown).slice(-1)[0] ? { ...x, label: "" } : x,
    y,
    height: alone ? panel.height : 180,
    palette: view.palette,
    sync: alone ? "busy-time" : null,
    ...(alone ? { zoom: view.zoom } : {}),
    draw: (plot) => {
      cuts(plot, found, view.palette, panel === RATE);
      columns.forEach((values, place) => {
        const way = ways[place] ?? 0;
        if (panel === DEPTH) dots(plot, found, values, view.palette.ink, way === 0 ? "circle" : "ring", way === 0 ? 2 : 1.2);
        else if (panel.bars) bars(plot, found, values, view.palette.run(way), place, ways.length);
        else dots(plot, found, values, view.palette.run(way), shapeOf(way), 2.2);
      });
    },
    point: (at) => (at === null ? rest(view.place, marks) : read(view.place, readings(view, trace, shown, at))),
  });
}

/** From zero for one trace; decades for several, which may have little in common. */
function valueScale(panel: Panel, ways: Ways, shown: Trace[]): Omit<Scale, "label"> {
  const values = shown.flatMap(({ course }) => (course ? ways.flatMap((way) => panel.values(course, way)) : []));
  if (shown.length > 1) return { range: decades(values), log: true, text: shortRate };
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const step = niceStep(Math.max(most, 1e-9), 4);
  return { range: [0, most === 0 ? 1 : Math.ceil((most * 1.02) / step) * step], log: false, text: shortRate };
}

function dots(
  plot: uPlot,
  found: PageCourse,
  values: number[],
  colour: string,
  shape: Parameters<typeof drawMarks>[1],
  radius: number,
): void {
  const places = values.flatMap((value, column): [number, number][] => {
    if (found.began_ms[column] === null || value === 0) return [];
    return [[plot.valToPos((column + 0.5) * found.column_s, "x", true), plot.valToPos(value, "y", true)]];
  });
  plot.ctx.globalAlpha = 0.8;
  drawMarks(plot.ctx, shape, colour, radius * devicePixelRatio, places);
  plot.ctx.globalAlpha = 1;
}

function bars(
  plot: uPlot,
  found: PageCourse,
  values: number[],
  colour: string,
  place: number,
  among: number,
): void {
  const floor = plot.valToPos(0, "y", true);
  plot.ctx.fillStyle = colour;
  values.forEach((value, column) => {
    if (value === 0) return;
    const [left, right] = [column, column + 1].map((edge) => plot.valToPos(edge * found.column_s, "x", true));
    const width = Math.max(((right ?? 0) - (left ?? 0)) / among, devicePixelRatio);
    const top = plot.valToPos(value, "y", true);
    plot.ctx.fillRect((left ?? 0) + place * width, top, width, Math.max(floor - top, devicePixelRatio));
  });
}

/** Where idle time was cut out; the longest are told, as far as there is room. */
function cuts(plot: uPlot, found: PageCourse, palette: Palette, told: boolean): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const { min = 0, max = 0 } = plot.scales["x"] ?? {};
  const inside = found.cuts.filter(([column]) => {
    return column * found.column_s >= (min ?? 0) && column * found.column_s <= (max ?? 0);
  });
  ctx.save();
  ctx.strokeStyle = palette.muted;
  ctx.globalAlpha = inside.length > 60 ? 0.25 : 0.6;
  ctx.lineWidth = ratio;
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  ctx.beginPath();
  for (const [column] of inside) {
    const x = Math.round(plot.valToPos(column * found.column_s, "x", true)) + 0.5;
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
  if (told) names(plot, found, inside, palette);
}

function names(plot: uPlot, found: PageCourse, cuts: PageCourse["cuts"], palette: Palette): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = palette.font.replace(/^\d+px/, `${11 * ratio}px`);
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  ctx.lineJoin = "round";
  ctx.lineWidth = 4 * ratio;
  ctx.strokeStyle = palette.ground;
  ctx.fillStyle = palette.muted;
  const taken: Range[] = [];
  for (const [column, times, ms] of [...cuts].sort((a, b) => b[2] - a[2])) {
    const text = times > 1 ? `${nanosLong(ms)} idle (${times})` : `${nanosLong(ms)} idle`;
    const left = plot.valToPos(column * found.column_s, "x", true) + 4 * ratio;
    const right = left + ctx.measureText(text).width + 6 * ratio;
    const free = taken.every(([from, until]) => right < from || left > until);
    if (!free || right > bbox.left + bbox.width || taken.length >= 6) continue;
    taken.push([left, right]);
    ctx.strokeText(text, left, bbox.top + 2 * ratio);
    ctx.fillText(text, left, bbox.top + 2 * ratio);
  }
  ctx.restore();
}

function readings(view: CourseView, trace: Trace, shown: Trace[], at: number): Reading[] {
  const found = trace.course as PageCourse;
  const column = Math.min(Math.floor(at / found.column_s), found.began_ms.length - 1);
  const began = found.began_ms[column] ?? null;
  const list: Reading[] = shown.length > 1 ? [{ run: trace, text: trace.label }] : [];
  list.push({ text: began === null ? "nothing began" : `at ${moment(began)} of the trace` });
  for (const way of view.ways) {
    const count = found.requests[way][column] ?? 0;
    if (count === 0) continue;
    const worst = found.worst_us[way][column] ?? 0;
    const slow = found.slow[way][column] ?? 0;
    const parts = [`${rate(count / found.column_s)} ${WORDS[way]} a second`];
    if (worst > 0) parts.push(`longest ${nanos(worst * 1e3)}`);
    if (slow > 0) parts.push(`${whole(slow)} slow`);
    list.push({ run: { index: way, label: WORDS[way] }, text: parts.join(", ") });
  }
  const depth = found.depth_max[column] ?? 0;
  if (depth > 0) list.push({ text: `${rate(found.depth_mean[column] ?? 0)} in flight, ${whole(depth)} at most` });
  return list;
}

/** Milliseconds on the trace's own clock. */
function moment(ms: number): string {
  const seconds = ms / 1e3;
  if (seconds < 60) return `${seconds.toFixed(3)} s`;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const days = Math.floor(seconds / 86400);
  const clock = `${Math.floor(seconds / 3600) % 24}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
  return days > 0 ? `${days} d ${clock}` : clock;
}
