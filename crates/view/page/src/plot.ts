// What all frames share: how a uPlot is set up, its axes, its cursor by pointer and by key.

import uPlot from "uplot";
import { keys } from "./keys";
import type { Range } from "./model";
import { sharpnessOf } from "./pixels";
import type { Scale } from "./scales";
import type { Palette } from "./theme";

export interface Drawing {
  place: HTMLElement;
  /** Where the cursor stops, in ascending order. */
  places: number[];
  x: Scale;
  /** The part of the horizontal axis that is shown. */
  part: Range;
  y: Scale;
  height: number;
  palette: Palette;
  /** Frames with the same key share their cursor. */
  sync: string;
  draw: (plot: uPlot) => void;
  /** Called with the part of the horizontal axis that a drag or a key chose; null for all of it. */
  zoom: (part: Range | null) => void;
  /** Called when the cursor moves, with its place on the horizontal axis, or null where it left. */
  point: (x: number | null) => void;
}

/** Pixels: less is a click with an unsteady hand. */
const LEAST_DRAG = 8;
const NARROW = 420;

/** Draws a frame into its place and returns what takes it away again. */
export function frame(drawing: Drawing): () => void {
  const { place, palette } = drawing;
  const factor = sharpnessOf();
  const inside = Math.max(180, Math.floor(place.clientWidth));
  const unseen = { paths: () => null, points: { show: false }, stroke: palette.muted };
  const options: uPlot.Options = {
    width: inside * factor,
    height: drawing.height * factor,
    padding: [8 * factor, endRoom(drawing) * factor, 0, 0],
    legend: { show: false },
    scales: { x: scaleOf(drawing.x, drawing.part), y: scaleOf(drawing.y, drawing.y.range) },
    axes: axesOf(drawing, inside),
    series: [{}, unseen],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
      sync: shared(drawing.sync),
    },
    hooks: {
      draw: [(plot) => clipped(plot, () => drawing.draw(plot))],
      setCursor: [(plot) => report(plot, drawing)],
      setSelect: [(plot) => dragged(plot, drawing)],
    },
  };
  const data: uPlot.AlignedData = [drawing.places, drawing.places.map(() => null)];
  const plot = new uPlot(options, data, place);
  if (factor !== 1) plot.root.style.setProperty("zoom", String(1 / factor));
  const release = keys(plot, place, { part: drawing.part, log: drawing.x.log }, drawing.zoom);
  return () => {
    release();
    plot.destroy();
  };
}

/** Frames share where the cursor is; a drag is the business of one alone. */
function shared(key: string): uPlot.Cursor.Sync {
  const isMove = (type: string): boolean => type === "mousemove" || type === "mouseleave";
  return { key, setSeries: false, scales: ["x", null], filters: { pub: isMove } };
}

/** All frames are drawn anew for another part, so that has to wait until this one has done with its event. */
function dragged(plot: uPlot, drawing: Drawing): void {
  const { left, width } = plot.select;
  if (width < LEAST_DRAG) return;
  const part: Range = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
  requestAnimationFrame(() => drawing.zoom(part));
}

function scaleOf(scale: Scale, range: Range): uPlot.Scale {
  return { time: false, auto: false, range: () => range, ...(scale.log ? { distr: 3, log: 10 } : {}) };
}

/** How wide the words at the vertical axis are; frames of one chart have the same ones. */
function sideOf({ y, height }: Drawing, width: number): number {
  const longest = Math.max(0, ...y.marks(y.range, marksUp(height)).map(({ text }) => text.length));
  return Math.max(width < NARROW ? 48 : 60, longest * 6.7 + 12);
}

const marksUp = (height: number): number => Math.max(2, Math.floor(height / 38));

/** Room for the second half of a name at the end of the horizontal axis. */
function endRoom({ x, part }: Drawing): number {
  const last = x.marks(part, 10).filter(({ at }) => at <= part[1] * 1.000001).pop();
  const isNear = last !== undefined && last.at >= part[0] + (part[1] - part[0]) * 0.95;
  return Math.max(18, isNear ? last.text.length * 3.4 + 2 : 0);
}

function axesOf(drawing: Drawing, width: number): uPlot.Axis[] {
  const { palette, height } = drawing;
  const factor = sharpnessOf();
  const font = palette.font.replace(/^(\d+)px/, (_, size) => `${Number(size) * factor}px`);
  const side = sideOf(drawing, width);
  const along = Math.max(2, Math.floor((width - side) / (width < NARROW ? 64 : 84)));
  const common = { stroke: palette.muted, font, gap: 6 * factor, ticks: { show: false } };
  const grid = { stroke: palette.line, width: factor };
  const marked = (scale: Scale, range: Range, most: number, length: number, size: number): Partial<uPlot.Axis> => {
    const marks = scale.marks(range, most).filter(({ at }) => at >= range[0] * 0.999999 && at <= range[1] * 1.000001);
    const texts = apart(marks, scale, range, length, size);
    return { splits: () => marks.map(({ at }) => at), values: () => texts };
  };
  const x = marked(drawing.x, drawing.part, along, width - side - 18, -1);
  const y = marked(drawing.y, drawing.y.range, marksUp(height), height - 34, 15);
  const border = { show: true, stroke: palette.muted, width: factor };
  return [
    { ...common, scale: "x", side: 2, size: 24 * factor, grid, border, ...x },
    { ...common, scale: "y", side: 3, size: side * factor, grid, ...y },
  ];
}

/** The words at marks that have room: a mark too near to the last one with words keeps only its line. */
function apart(
  marks: { at: number; text: string }[],
  scale: Scale,
  range: Range,
  length: number,
  size: number,
): string[] {
  const position = (value: number): number => {
    const [low, high] = range;
    const along = scale.log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return along * length;
  };
  const half = (text: string): number => (size > 0 ? size / 2 : text.length * 3.4 + 5);
  let end = -Infinity;
  return marks.map(({ at, text }) => {
    const middle = position(at);
    if (middle - half(text) < end) return "";
    end = middle + half(text);
    return text;
  });
}

/** Dots on the edge stay whole: the clip is a little wider than the plot. */
function clipped(plot: uPlot, draw: () => void): void {
  const { left, top, width, height } = plot.bbox;
  const slack = 8 * devicePixelRatio * sharpnessOf();
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
  drawing.point(outside ? null : plot.posToVal(left, "x"));
}
