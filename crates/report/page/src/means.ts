// Several traces by the mean of their reads and of their writes.

import type uPlot from "uplot";
import { decades, type Range } from "./axes";
import { chart, type Scale } from "./chart";
import { nanos, shortNanos } from "./format";
import { empty, exposeAxes, read, rest, type Place } from "./graph";
import { drawMarks } from "./marks";
import { shapeOf, type Palette } from "./theme";
import type { Trace } from "./tracemodel";

export interface MeansView {
  place: Place;
  traces: Trace[];
  height: number;
  palette: Palette;
}

interface Dot {
  trace: Trace;
  read: number;
  write: number;
}

export function means(view: MeansView): () => void {
  const { place, palette } = view;
  const dots = view.traces.flatMap((trace): Dot[] => {
    const [read, write] = trace.directions.map((way) => way.mean_ns);
    return read == null || write == null ? [] : [{ trace, read, write }];
  });
  const range: Range = decades(dots.flatMap((dot) => [dot.read, dot.write]));
  const x: Scale = { range, log: true, text: shortNanos, label: "mean read" };
  const y: Scale = { range, log: true, text: shortNanos, label: "mean write" };
  exposeAxes(place, x, y, view.traces);
  const missing = view.traces.length - dots.length;
  const left = missing > 0 ? ` · ${missing} without reads, writes or durations are left out` : "";
  place.state.textContent = `mean service times of whole traces · log scales · line: reads as slow as writes${left}`;
  if (dots.length === 0) {
    empty(place, "No trace has durations of both reads and writes: there is nothing to draw.");
    return () => undefined;
  }
  rest(place, view.traces);
  const sorted = [...dots].sort((a, b) => a.read - b.read);
  return chart({
    place: place.plot,
    data: [sorted.map((dot) => dot.read), sorted.map(() => null)],
    x,
    y,
    height: view.height,
    palette,
    sync: null,
    draw: (plot) => draw(plot, sorted, range, palette),
    point: (_, bin) => {
      const dot = bin === null ? undefined : sorted[bin];
      if (!dot) rest(place, view.traces);
      else {
        const text = `${dot.trace.label}: mean read ${nanos(dot.read)}, mean write ${nanos(dot.write)}`;
        read(place, [{ run: dot.trace, text }]);
      }
    },
  });
}

function draw(plot: uPlot, dots: Dot[], [low, high]: Range, palette: Palette): void {
  const { ctx } = plot;
  ctx.strokeStyle = palette.line;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(plot.valToPos(low, "x", true), plot.valToPos(low, "y", true));
  ctx.lineTo(plot.valToPos(high, "x", true), plot.valToPos(high, "y", true));
  ctx.stroke();
  for (const { trace, read, write } of dots) {
    const at: [number, number] = [plot.valToPos(read, "x", true), plot.valToPos(write, "y", true)];
    drawMarks(ctx, shapeOf(trace.index), palette.run(trace.index), 6 * devicePixelRatio, [at]);
  }
}
