// Series on a frame's canvas.

import { barPlace, shownPart, type Canvas, type Ink } from "./canvas";
import { drawMarks } from "./marks";
import { px } from "./pixels";
import { barEnd } from "./scales";
import { drawBand, drawSpread } from "./spread";

/** Dashes of lines that have colour and shape in common with others. */
const DASHES = [[], [2, 3], [9, 3, 2, 3], [12, 4]];

export function drawSeries(canvas: Canvas, ink: Ink): void {
  const { context } = canvas;
  context.save();
  context.strokeStyle = context.fillStyle = ink.colour;
  context.lineWidth = px(1.6);
  context.lineJoin = "round";
  switch (ink.series.shape) {
    case "band":
      drawBand(canvas, ink);
      break;
    case "bars":
      bars(canvas, ink);
      drawSpread(canvas, ink);
      break;
    case "top-crosses":
      crosses(canvas, ink);
      break;
    case "dots":
    case "small-dots":
    case "rings":
      drawSpread(canvas, ink);
      dots(canvas, ink);
      break;
    default:
      drawSpread(canvas, ink);
      line(canvas, ink);
      if (ink.series.shape === "dotted-line") dots(canvas, ink);
  }
  context.restore();
}

/** The more dots, the smaller ones; on a phone all are smaller. */
function radiusOf(ink: Ink, canvas: Canvas, shown: number): number {
  const room = canvas.plot.bbox.width / devicePixelRatio / Math.max(shown, 1);
  const full = Math.min(3.6, Math.max(1.5, room * 0.3));
  if (ink.series.shape === "small-dots") return px(Math.max(1, full * 0.62));
  return px(ink.series.shape === "rings" ? full + 2.6 : full);
}

function dots(canvas: Canvas, ink: Ink): void {
  const [from, until] = shownPart(canvas, ink.xs);
  const places: [number, number][] = [];
  const zeros: [number, number][] = [];
  for (let index = from; index < until; index++) {
    const [x, y] = [ink.xs[index] ?? NaN, ink.series.ys[index] ?? NaN];
    if (Number.isNaN(x) || Number.isNaN(y) || (canvas.logX && x <= 0)) continue;
    if (canvas.logY && y <= 0) zeros.push([canvas.x(x), canvas.floor]);
    else places.push([canvas.x(x), canvas.y(y)]);
  }
  const radius = radiusOf(ink, canvas, until - from);
  canvas.context.globalAlpha = places.length > 300 && ink.series.shape !== "rings" ? 0.75 : 1;
  drawMarks(canvas.context, ink.look, ink.colour, radius, places, ink.series.shape === "rings" ? "ring" : "as-is");
  canvas.context.globalAlpha = 1;
  // A zero has no place on a logarithmic axis: hollow marks on the floor stand for it.
  drawMarks(canvas.context, ink.look, ink.colour, Math.max(radius, px(2.2)), zeros, "hollow");
}

/** From one cross to the next, in halves of its width. */
const CROSS_GAP = 4;

function crosses(canvas: Canvas, ink: Ink): void {
  const [from, until] = shownPart(canvas, ink.xs);
  const [size, y] = [px(3), canvas.top + px(5)];
  let last = -Infinity;
  canvas.context.beginPath();
  for (let index = from; index < until; index++) {
    const count = ink.series.ys[index] ?? NaN;
    if (!(count > 0)) continue;
    const x = canvas.x(ink.xs[index] ?? NaN);
    // Marks that would run together are left out: what was counted there is shown below the pointer.
    if (Math.abs(x - last) < CROSS_GAP * size) continue;
    last = x;
    canvas.context.moveTo(x - size, y - size);
    canvas.context.lineTo(x + size, y + size);
    canvas.context.moveTo(x + size, y - size);
    canvas.context.lineTo(x - size, y + size);
  }
  canvas.context.stroke();
}

function line(canvas: Canvas, ink: Ink): void {
  const { context } = canvas;
  const [from, until] = shownPart(canvas, ink.xs);
  const isStep = ink.series.shape === "steps";
  const dashes = ink.series.shape === "dashed-line" ? [6, 4] : (DASHES[ink.variant % DASHES.length] ?? []);
  context.setLineDash(dashes.map(px));
  const zeros: [number, number][] = [];
  let last: number | null = null;
  context.beginPath();
  for (let index = from; index < until; index++) {
    const [value, at] = [ink.series.ys[index] ?? NaN, ink.xs[index] ?? NaN];
    if (Number.isNaN(value) || Number.isNaN(at) || (canvas.logX && at <= 0)) {
      last = null;
      continue;
    }
    const x = canvas.x(at);
    const isZero = canvas.logY && value <= 0;
    if (isZero) zeros.push([x, canvas.floor]);
    const y = isZero ? canvas.floor : canvas.y(value);
    if (last === null) context.moveTo(x, y);
    else if (isStep) context.lineTo(x, last);
    context.lineTo(x, y);
    last = y;
  }
  if (isStep && last !== null) context.lineTo(canvas.x(barEnd(ink.xs, ink.xs.length - 1, canvas.logX)), last);
  context.stroke();
  context.setLineDash([]);
  if (ink.series.shape !== "dotted-line") drawMarks(context, ink.look, ink.colour, px(2.4), zeros, "hollow");
}

function bars(canvas: Canvas, ink: Ink): void {
  const [from, until] = shownPart(canvas, ink.xs);
  canvas.context.globalAlpha = 0.7;
  for (let index = from; index < until; index++) {
    const value = ink.series.ys[index] ?? NaN;
    if (Number.isNaN(value) || value === 0) continue;
    const [left, width] = barPlace(canvas, ink, index);
    const zero = canvas.logY ? canvas.floor : Math.min(canvas.floor, canvas.y(0));
    const top = canvas.logY && value <= 0 ? canvas.floor : canvas.y(value);
    canvas.context.fillRect(left, Math.min(top, zero), width, Math.abs(zero - top));
  }
  canvas.context.globalAlpha = 1;
}
