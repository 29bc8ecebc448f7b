// What all graphs share: how a uPlot is set up, its axes, its cursor by pointer and by key.

import uPlot from "uplot";
import type { Range } from "./axes";
import { niceStep } from "./axes";
import type { Palette } from "./theme";
import { byKey } from "./zoom";

export interface Scale {
  range: Range;
  log: boolean;
  text: (value: number) => string;
  /** What a linear axis is marked in: 3600 for hours on an axis of seconds. */
  unit?: number;
  /** What is measured, with its unit. */
  label: string;
}

export interface Drawing {
  place: HTMLElement;
  /** What has the focus while keys are pressed, where that is not the place itself; null for nothing. */
  keyboard?: HTMLElement | null;
  data: uPlot.AlignedData;
  x: Scale;
  y: Scale;
  height: number;
  palette: Palette;
  /** Graphs with the same key share their cursor. */
  sync: string | null;
  draw: (plot: uPlot) => void;
  /** Called with the part of the horizontal axis that a drag or a key chose; null for all of it. */
  zoom?: (part: Range | null) => void;
  /** Called when the cursor moves, with its place on the horizontal axis, or null where it left. */
  point: (x: number | null, bin: number | null) => void;
}

/** uPlot's types leave out the last argument: whether graphs that share the cursor are told. */
type SetCursor = (at: { left: number; top: number }, fire: boolean, publish: boolean) => void;

const LABEL = 18;
/** Pixels: less is a click with an unsteady hand. */
const LEAST_DRAG = 8;
const NARROW = 560;

/** Draws a graph into its place and returns what takes it away again. */
export function chart(drawing: Drawing): () => void {
  const { place, palette } = drawing;
  const width = Math.max(200, Math.floor(place.clientWidth));
  const narrow = width < NARROW;
  const series = drawing.data
    .slice(1)
    .map(() => ({ paths: () => null, points: { show: false }, stroke: palette.muted }));
  const options: uPlot.Options = {
    width,
    height: drawing.height,
    padding: [10, 24, 0, 0],
    legend: { show: false },
    scales: { x: scaleOf(drawing.x), y: scaleOf(drawing.y) },
    axes: [
      axisOf(drawing.x, palette, narrow, width),
      axisOf(drawing.y, palette, narrow, drawing.height, true),
    ],
    series: [{}, ...series],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: drawing.zoom !== undefined, y: false, setScale: false },
      ...(drawing.sync === null ? {} : { sync: shared(drawing.sync) }),
    },
    hooks: {
      draw: [(plot) => clipped(plot, () => drawing.draw(plot))],
      setCursor: [(plot) => report(plot, drawing)],
      setSelect: [(plot) => dragged(plot, drawing)],
    },
  };
  const plot = new uPlot(options, drawing.data, place);
  const release = keys(plot, drawing);
  return () => {
    release();
    plot.destroy();
  };
}

/** Graphs share where the cursor is; a drag is the business of one alone. */
function shared(key: string): uPlot.Cursor.Sync {
  const isMove = (type: string): boolean => type === "mousemove" || type === "mouseleave";
  return { key, setSeries: false, scales: ["x", null], filters: { pub: isMove } };
}

/** All graphs are drawn anew for another part, so that has to wait until this one has done with its event. */
function dragged(plot: uPlot, drawing: Drawing): void {
  const { left, width } = plot.select;
  if (width < LEAST_DRAG || !drawing.zoom) return;
  const part: Range = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
  requestAnimationFrame(() => drawing.zoom?.(part));
}

function scaleOf(scale: Scale): uPlot.Scale {
  return { time: false, auto: false, range: () => scale.range, ...(scale.log ? { distr: 3, log: 10 } : {}) };
}

function axisOf(scale: Scale, palette: Palette, narrow: boolean, length: number, side = false): uPlot.Axis {
  const marks = Math.max(2, Math.floor(length / (side ? 40 : narrow ? 84 : 110)));
  const splits = scale.log ? logMarks(scale.range) : linearMarks(scale.range, marks, scale.unit ?? 1);
  return {
    scale: side ? "y" : "x",
    side: side ? 3 : 2,
    size: side ? sideSize(scale, narrow) : 26,
    gap: 6,
    stroke: palette.muted,
    font: palette.font,
    ...(scale.label === "" ? {} : { label: scale.label }),
    labelFont: palette.font,
    labelSize: LABEL,
    labelGap: 0,
    grid: { stroke: palette.line, width: 1 },
    ticks: { show: false },
    border: { show: !side, stroke: palette.muted, width: 1 },
    splits: () => splits,
    values: () => splits.map((value) => (isLabelled(scale, value, splits.length) ? scale.text(value) : "")),
  };
}

/** With its label, an axis is as wide as without one: the graphs of a page stand in line. */
function sideSize(scale: Scale, narrow: boolean): number {
  const all = narrow ? 64 : 72;
  return scale.label === "" ? all : all - LABEL;
}

/** On a long logarithmic axis only decades are labelled; on a short one 2 and 5 as well. */
function isLabelled(scale: Scale, value: number, marks: number): boolean {
  if (!scale.log) return true;
  const exponent = Math.log10(value);
  return marks < 8 || Math.abs(exponent - Math.round(exponent)) < 1e-6;
}

function logMarks([low, high]: Range): number[] {
  const marks: number[] = [];
  const span = Math.log10(high / low);
  const factors = span <= 2.05 ? [1, 2, 5] : [1];
  for (let exponent = Math.floor(Math.log10(low) + 1e-9); exponent <= Math.log10(high) + 1e-9; exponent++) {
    for (const factor of factors) {
      const mark = factor * 10 ** exponent;
      if (mark >= low * 0.999999 && mark <= high * 1.000001) marks.push(mark);
    }
  }
  return marks;
}

function linearMarks([low, high]: Range, count: number, unit: number): number[] {
  const step = niceStep((high - low) / unit, count) * unit;
  const marks: number[] = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high * 1.000001; index++) {
    marks.push(Number((index * step).toPrecision(12)));
  }
  return marks;
}

/** Dots on the edge stay whole: the clip is a little wider than the plot. */
function clipped(plot: uPlot, draw: () => void): void {
  const { left, top, width, height } = plot.bbox;
  const slack = 6 * devicePixelRatio;
  plot.ctx.save();
  plot.ctx.beginPath();
  plot.ctx.rect(left - slack, top - slack, width + 2 * slack, height + 2 * slack);
  plot.ctx.clip();
  draw();
  plot.ctx.restore();
}

function report(plot: uPlot, drawing: Drawing): void {
  const left = plot.cursor.left ?? -1;
  const outside = left < 0 || left > plot.over.clientWidth;
  drawing.point(outside ? null : plot.posToVal(left, "x"), outside ? null : (plot.cursor.idx ?? null));
}

/** Arrow keys move the cursor from bin to bin, with Shift farther; Escape takes it away. */
function keys(plot: uPlot, drawing: Drawing): () => void {
  const { place, keyboard = place } = drawing;
  const move = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const width = plot.over.clientWidth;
    const at = (plot.cursor.left ?? -1) >= 0 ? plot.posToVal(plot.cursor.left ?? 0, "x") : null;
    const part = drawing.zoom ? byKey(event.key, drawing.x.range, at) : undefined;
    if (part !== undefined) drawing.zoom?.(part);
    const target = targetOf(event, plot, width);
    if (target === null) return;
    event.preventDefault();
    const top = target < 0 ? -10 : plot.over.clientHeight / 2;
    (plot.setCursor as SetCursor)({ left: target, top }, true, true);
  };
  const whole = (): void => drawing.zoom?.(null);
  keyboard?.addEventListener("keydown", move);
  place.addEventListener("dblclick", whole);
  return () => {
    keyboard?.removeEventListener("keydown", move);
    place.removeEventListener("dblclick", whole);
  };
}

function targetOf(event: KeyboardEvent, plot: uPlot, width: number): number | null {
  const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === "Escape") return -10;
  if (event.key === "Home") return 0;
  if (event.key === "End") return width;
  if (direction === undefined) return null;
  const left = plot.cursor.left ?? -1;
  if (left < 0) return direction > 0 ? 0 : width;
  if (event.shiftKey) return clamp(left + (direction * width) / 20, width);
  const places = plot.data[0];
  let index = (plot.cursor.idx ?? 0) + direction;
  while (places[index] !== undefined) {
    const target = plot.valToPos(places[index] as number, "x");
    if (Math.abs(target - left) >= 0.5 && target >= 0 && target <= width) return target;
    if (target < 0 || target > width) break;
    index += direction;
  }
  return clamp(left + direction, width);
}

const clamp = (value: number, high: number): number => Math.min(Math.max(value, 0), high);
