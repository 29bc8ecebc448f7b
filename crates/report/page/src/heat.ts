// The latency heat map: how many I/Os took how long, over time.

import type uPlot from "uplot";
import type { Axes, Range } from "./axes";
import { chart, type Scale } from "./chart";
import { nanos, rate, seconds, shortNanos, whole } from "./format";
import {
  countWords,
  empty,
  exposeAxes,
  modeWords,
  read,
  rest,
  swatch,
  timeScale,
  type Place,
  type Reading,
} from "./graph";
import type { PageHeat, Run } from "./model";
import type { Palette } from "./theme";

const HEIGHT_ALONE = 300;
const HEIGHT_AMONG = 190;
const SHADES = 64;

export interface HeatView {
  place: Place;
  runs: Run[];
  axes: Axes;
  palette: Palette;
  /** The part of time that is shown. */
  x: Range;
  zoom: (part: Range | null) => void;
  /** Whether the graphs of the rate lie along time too, so that the cursor can be shared. */
  shared: boolean;
}

/** Heat maps cannot be laid over each other: several stand one under another, on the same axes. */
export function heat(view: HeatView): () => void {
  const { place, axes, palette } = view;
  const x = timeScale(view.x);
  const y: Scale = { range: axes.latency, log: true, text: shortNanos, label: "service time" };
  exposeAxes(place, x, y, view.runs);
  place.state.textContent = words(view);
  const shades = shadesOf(palette.heat);
  const filled = view.runs.filter((run) => run.heat.columns.length > 0);
  place.tools.replaceChildren(legend(shades, axes.heat));
  if (filled.length === 0) {
    empty(place, "No I/O ended well: there is nothing to draw.");
    return () => undefined;
  }
  rest(place, filled);
  const ends = filled.map((run, among) => {
    const spot = document.createElement("div");
    if (filled.length > 1) place.plot.append(caption(run));
    place.plot.append(spot);
    return chart({
      place: spot,
      // The first one hears the keys; the others share its cursor.
      keyboard: among === 0 ? place.plot : null,
      data: [
        run.heat.columns.map((_, column) => column * run.heat.column_s),
        run.heat.columns.map(() => null),
      ],
      x,
      y,
      height: filled.length > 1 ? HEIGHT_AMONG : HEIGHT_ALONE,
      palette,
      ...(view.shared ? { zoom: view.zoom } : {}),
      sync: view.shared ? "rate-time" : "heat",
      draw: (plot) => cells(plot, run.heat, axes.heat, shades),
      point: (at) => (at === null ? rest(place, filled) : read(place, readings(filled, at))),
    });
  });
  return () => ends.forEach((end) => end());
}

function words(view: HeatView): string {
  const widths = [...new Set(view.runs.map((run) => run.heat.column_s))].map((width) => `${width} s`);
  const counts = countWords(view.runs.map((run) => run.service.count));
  return [
    `colour: I/Os a second in a cell of ${widths.join(" or ")} by a quarter of an octave`,
    "log scales",
    counts,
    modeWords(view.runs),
  ].join(" · ");
}

function caption(run: Run): HTMLElement {
  const line = document.createElement("p");
  line.className = "among";
  line.append(swatch(run.index), run.label);
  return line;
}

function cells(plot: uPlot, heat: PageHeat, range: Range, shades: string[]): void {
  const across = (column: number): number => Math.round(plot.valToPos(column * heat.column_s, "x", true));
  const heights = heat.edges_ns.map((edge) => Math.round(plot.valToPos(Math.max(edge, 1), "y", true)));
  // The last column may reach beyond the last whole second, where the axis ends.
  const { left: edge, top: ceiling, width, height } = plot.bbox;
  plot.ctx.beginPath();
  plot.ctx.rect(edge, ceiling, width, height);
  plot.ctx.clip();
  heat.columns.forEach((column, index) => {
    const [left, right] = [across(index), across(index + 1)];
    const lowest = column[0] ?? 0;
    for (let place = 1; place < column.length; place++) {
      const count = column[place] ?? 0;
      if (count === 0) continue;
      const row = lowest + place - 1;
      const [bottom, top] = [heights[row] ?? 0, heights[row + 1] ?? 0];
      plot.ctx.fillStyle = shades[shade(count / heat.column_s, range)] ?? "";
      plot.ctx.fillRect(left, top, Math.max(right - left, 1), Math.max(bottom - top, 1));
    }
  });
}

/** Where a density lies on the logarithmic scale of colours. */
function shade(density: number, [low, high]: Range): number {
  const share = Math.log(density / low) / Math.log(high / low);
  return Math.round(Math.min(Math.max(share, 0), 1) * (SHADES - 1));
}

/** Colours from few to many, mixed from the stops of the style sheet. */
function shadesOf(stops: string[]): string[] {
  const channels = stops.map((stop) => [1, 3, 5].map((at) => parseInt(stop.slice(at, at + 2), 16)));
  return Array.from({ length: SHADES }, (_, index) => {
    const along = (index / (SHADES - 1)) * (channels.length - 1);
    const stop = Math.min(Math.floor(along), channels.length - 2);
    const mixed = [0, 1, 2].map((channel) => {
      const [from, to] = [channels[stop]?.[channel] ?? 0, channels[stop + 1]?.[channel] ?? 0];
      return Math.round(from + (to - from) * (along - stop));
    });
    return `rgb(${mixed.join(" ")})`;
  });
}

function legend(shades: string[], [low, high]: Range): HTMLElement {
  const line = document.createElement("div");
  line.className = "heat-legend";
  const bar = document.createElement("span");
  bar.className = "bar";
  const stops = shades.filter((_, index) => index % 7 === 0);
  bar.style.backgroundImage = `linear-gradient(to right, ${stops.join(", ")})`;
  bar.setAttribute("aria-hidden", "true");
  const fewest = low < 1 ? `1 in ${whole(1 / low)} s` : `${rate(low)} a second`;
  line.append(fewest, bar, `${rate(high)} a second`);
  return line;
}

function readings(runs: Run[], at: number): Reading[] {
  const list: Reading[] = [{ text: seconds(at) }];
  for (const run of runs) {
    const column = run.heat.columns[Math.floor(at / run.heat.column_s)];
    if (!column || column.length === 0) continue;
    const counts = column.slice(1);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const floor = (row: number): string => nanos(run.heat.edges_ns[row + (column[0] ?? 0)] ?? 0);
    const [median, tail] = [0.5, 0.99].map((q) => floor(quantile(counts, total, q)));
    const text = `median ${median}, p99 ${tail}, longest ${floor(counts.length - 1)}`;
    list.push({ run, text: `${text} (${whole(total)} I/Os)` });
  }
  return list;
}

function quantile(counts: number[], total: number, q: number): number {
  let seen = 0;
  return counts.findIndex((count) => (seen += count) >= q * total && count > 0);
}
