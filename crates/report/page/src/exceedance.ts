// Exceedance: the share of I/Os that took at least so long, down to the last one.

import type uPlot from "uplot";
import type { Axes } from "./axes";
import { chart, type Scale } from "./chart";
import { nanos, oneIn, shortNanos, shortOneIn, whole } from "./format";
import {
  countWords,
  empty,
  exposeAxes,
  modeWords,
  named,
  read,
  rest,
  type Place,
  type Reading,
} from "./graph";
import { drawMarks } from "./marks";
import { FEW, type PageCurve, type Run } from "./model";
import type { Palette } from "./theme";

export interface ExceedanceView {
  place: Place;
  runs: Run[];
  axes: Axes;
  height: number;
  palette: Palette;
}

interface Line {
  run: Run;
  curve: PageCurve;
  response: boolean;
}

export function exceedance(view: ExceedanceView): () => void {
  const { place, axes } = view;
  const x: Scale = { range: axes.exceedanceNanos, log: true, text: shortNanos, label: "latency" };
  const y: Scale = { range: axes.exceedanceShare, log: true, text: shortOneIn, label: "" };
  exposeAxes(place, x, y, view.runs);
  const lines = view.runs.flatMap(linesOf).filter((line) => line.curve.ns.length > 0);
  place.state.textContent = words(view.runs, lines);
  if (lines.length === 0) {
    empty(place, "No I/O ended well: there is nothing to draw.");
    return () => undefined;
  }
  rest(place, view.runs);
  const places = [...new Set(lines.flatMap((line) => line.curve.ns))]
    .filter((ns) => ns > 0)
    .sort((a, b) => a - b);
  return chart({
    place: place.plot,
    data: [places, places.map(() => null)],
    x,
    y,
    height: view.height,
    palette: view.palette,
    sync: null,
    draw: (plot) => lines.forEach((line) => draw(plot, line, view.palette)),
    point: (at) => (at === null ? rest(place, view.runs) : read(place, readings(lines, at, view.runs))),
  });
}

function linesOf(run: Run): Line[] {
  const lines: Line[] = [{ run, curve: run.service, response: false }];
  if (run.response) lines.push({ run, curve: run.response, response: true });
  return lines;
}

function words(runs: Run[], lines: Line[]): string {
  const parts = ["share of I/Os that took at least so long", "log scales"];
  parts.push(countWords(runs.map((run) => run.service.count)));
  parts.push(modeWords(runs));
  parts.push("hollow marks: fewer than ten I/Os, no weight");
  if (lines.some((line) => line.response))
    parts.push("solid: service time, dotted: response time from the schedule");
  return parts.join(" · ");
}

function draw(plot: uPlot, line: Line, palette: Palette): void {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const colour = palette.run(line.run.index);
  const at = (index: number): [number, number] => [
    plot.valToPos(Math.max(line.curve.ns[index] ?? 1, 1), "x", true),
    plot.valToPos((line.curve.at_least[index] ?? 1) / line.curve.count, "y", true),
  ];
  const tail = firstOfTail(line.curve);
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.75 * ratio;
  ctx.lineJoin = "round";
  ctx.setLineDash(line.response ? [1.5 * ratio, 3 * ratio] : []);
  stroke(
    ctx,
    line.curve.ns.slice(0, tail + 1).map((_, index) => at(index)),
  );
  ctx.setLineDash([]);
  ctx.globalAlpha = 0.45;
  ctx.lineWidth = ratio;
  stroke(
    ctx,
    line.curve.ns.slice(tail).map((_, index) => at(index + tail)),
  );
  ctx.globalAlpha = 1;
  const hollow = line.curve.ns.slice(tail).map((_, index) => at(index + tail));
  drawMarks(ctx, line.response ? "frame" : "ring", colour, 2.6 * ratio, hollow);
}

/** The first point of fewer than ten I/Os. */
function firstOfTail(curve: PageCurve): number {
  const first = curve.at_least.findIndex((count) => count < FEW);
  return first < 0 ? curve.ns.length : first;
}

function stroke(context: CanvasRenderingContext2D, path: [number, number][]): void {
  context.beginPath();
  path.forEach(([x, y], index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.stroke();
}

function readings(lines: Line[], at: number, among: Run[]): Reading[] {
  const list: Reading[] = [{ text: `${nanos(at)} or longer` }];
  for (const line of lines) {
    const index = line.curve.ns.findIndex((ns) => ns >= at);
    const count = index < 0 ? 0 : (line.curve.at_least[index] ?? 0);
    const share = count === 0 ? "none" : oneIn(count / line.curve.count);
    const few = count > 0 && count < FEW ? `, only ${whole(count)}` : "";
    list.push({
      run: line.run,
      text: `${named(line.run, among)}${line.response ? "response: " : ""}${share}${few}`,
    });
  }
  return list;
}
