// Where a series lies on a frame's canvas, for all that is drawn of it.

import type uPlot from "uplot";
import { firstAbove, type Numbers, type Series } from "./model";
import { px } from "./pixels";
import { barEnd } from "./scales";

/** A series with what it looks like in this frame. */
export interface Ink {
  series: Series;
  /** Its places on the axis that is shown. */
  xs: Numbers;
  colour: string;
  /** The number of its mark. */
  look: number;
  /** How many series stand in the frame: bars of several are drawn side by side. */
  slot: number;
  slots: number;
  /** How many series of the same subject and shape come before: their lines differ in their dashes. */
  variant: number;
}

export interface Canvas {
  plot: uPlot;
  context: CanvasRenderingContext2D;
  x: (value: number) => number;
  y: (value: number) => number;
  logX: boolean;
  logY: boolean;
  /** The lower edge. */
  floor: number;
  top: number;
}

export function canvasOf(plot: uPlot, logX: boolean, logY: boolean): Canvas {
  const { top, height } = plot.bbox;
  const x = (value: number): number => plot.valToPos(value, "x", true);
  const y = (value: number): number => plot.valToPos(value, "y", true);
  return { plot, context: plot.ctx, x, y, logX, logY, floor: top + height, top };
}

/** The first and the behind-last place of a series that the frame shows, with one neighbour at each side. */
export function shownPart(canvas: Canvas, xs: Numbers): [from: number, until: number] {
  const { min, max } = canvas.plot.scales["x"] ?? {};
  const from = Math.max(0, firstAbove(xs, min ?? -Infinity) - 2);
  return [from, Math.min(xs.length, firstAbove(xs, max ?? Infinity) + 1)];
}

/** Where a bar stands; bars of several series share the way to the next place. */
export function barPlace(canvas: Canvas, ink: Ink, index: number): [left: number, width: number] {
  const start = canvas.x(ink.xs[index] ?? NaN);
  const all = canvas.x(barEnd(ink.xs, index, canvas.logX)) - start;
  const gap = Math.min(px(ink.slots > 1 ? 3 : 1), all * 0.2);
  const width = (all - gap) / ink.slots;
  return [start + gap / 2 + ink.slot * width, Math.max(width - (ink.slots > 1 ? px(0.5) : 0), px(0.5))];
}
