// Intervals around values: whiskers where they have room, else a shaded band.

import { barPlace, shownPart, type Canvas, type Ink } from "./canvas";
import { px } from "./pixels";

/** Whiskers nearer to each other than this would be a hatching. */
const LEAST_ROOM = 7;

export function drawBand(canvas: Canvas, ink: Ink): void {
  const { context } = canvas;
  const { low, high } = ink.series;
  if (!low || !high) return;
  const [from, until] = shownPart(canvas, ink.xs);
  const edge = (value: number): number => (canvas.logY && value <= 0 ? canvas.floor : canvas.y(value));
  context.globalAlpha = 0.2;
  const back: [number, number][] = [];
  const close = (): void => {
    for (const [x, y] of back.reverse()) context.lineTo(x, y);
    if (back.length > 0) context.fill();
    back.length = 0;
  };
  for (let index = from; index < until; index++) {
    const [x, below, above] = [ink.xs[index] ?? NaN, low[index] ?? NaN, high[index] ?? NaN];
    if (Number.isNaN(x) || Number.isNaN(below) || Number.isNaN(above)) {
      close();
      continue;
    }
    const place = canvas.x(x);
    if (back.length === 0) {
      context.beginPath();
      context.moveTo(place, edge(above));
    } else context.lineTo(place, edge(above));
    back.push([place, edge(below)]);
  }
  close();
  context.globalAlpha = 1;
}

export function drawSpread(canvas: Canvas, ink: Ink): void {
  const { low, high } = ink.series;
  if (!low || !high) return;
  const [from, until] = shownPart(canvas, ink.xs);
  if (canvas.plot.bbox.width < (until - from) * px(LEAST_ROOM)) return drawBand(canvas, ink);
  canvas.context.lineWidth = px(1);
  if (ink.series.shape === "bars") canvas.context.strokeStyle = canvas.context.fillStyle;
  for (let index = from; index < until; index++) {
    const [below, above] = [low[index] ?? NaN, high[index] ?? NaN];
    if (Number.isNaN(below) || Number.isNaN(above)) continue;
    if (canvas.logY && above <= 0) continue;
    whisker(canvas, middleOf(canvas, ink, index), below, above);
  }
  canvas.context.lineWidth = px(1.6);
}

function middleOf(canvas: Canvas, ink: Ink, index: number): number {
  if (ink.series.shape !== "bars") return canvas.x(ink.xs[index] ?? NaN);
  const [left, width] = barPlace(canvas, ink, index);
  return left + width / 2;
}

/** An interval: an end within the axis has a cap, one beyond it an arrow. */
function whisker(canvas: Canvas, x: number, low: number, high: number): void {
  const { context, floor, top } = canvas;
  const place = (value: number): number => (canvas.logY && value <= 0 ? Infinity : canvas.y(value));
  const [from, to] = [place(low), place(high)];
  const [lower, upper] = [Math.min(from, floor), Math.max(to, top)];
  const cap = px(3);
  context.beginPath();
  context.moveTo(x, lower);
  context.lineTo(x, upper);
  if (to >= top) {
    context.moveTo(x - cap, upper);
    context.lineTo(x + cap, upper);
  }
  if (from <= floor) {
    context.moveTo(x - cap, lower);
    context.lineTo(x + cap, lower);
  }
  context.stroke();
  if (to < top) arrow(context, x, top, 1);
  if (from > floor + 0.5) arrow(context, x, floor, -1);
}

function arrow(context: CanvasRenderingContext2D, x: number, y: number, down: 1 | -1): void {
  const size = px(4);
  context.beginPath();
  context.moveTo(x, y - down * px(2));
  context.lineTo(x + size, y + down * size * 1.3);
  context.lineTo(x - size, y + down * size * 1.3);
  context.closePath();
  context.fill();
}
