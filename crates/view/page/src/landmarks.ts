// Upright lines with a name: where something happened.

import type { Canvas } from "./canvas";
import type { DocumentLandmark } from "./document";
import { px } from "./pixels";
import type { Palette } from "./theme";

/** More rows of names than these would hide what is drawn. */
const ROWS = 4;
const ROW = 14;

/** Draws landmarks; their names stand in rows below the upper edge, so that none hides another. */
export function drawLandmarks(
  canvas: Canvas,
  landmarks: { landmark: DocumentLandmark; at: number; colour: string }[],
  palette: Palette,
): void {
  const { context, plot } = canvas;
  const { left, width } = plot.bbox;
  const shown = landmarks.map((one) => ({ ...one, x: Math.round(canvas.x(one.at)) + 0.5 }));
  const inside = shown.filter(({ x }) => x >= left - 1 && x <= left + width + 1).sort((a, b) => a.x - b.x);
  const ends: number[] = Array.from({ length: ROWS }, () => -Infinity);
  context.save();
  context.font = palette.font.replace(/^\d+px/, `${px(11)}px`);
  context.textBaseline = "top";
  context.textAlign = "left";
  for (const { landmark, x, colour } of inside) {
    upright(canvas, x, colour);
    const length = context.measureText(landmark.label).width;
    const isRight = x + length + px(10) > left + width;
    const start = isRight ? x - px(5) - length : x + px(5);
    const row = ends.findIndex((end) => start > end + px(6));
    if (row < 0) continue;
    ends[row] = start + length;
    const top = canvas.top + px(3 + ROW * row);
    // Dots may lie behind the words: an edge in the colour of the ground keeps both readable.
    context.setLineDash([]);
    context.lineWidth = px(4);
    context.lineJoin = "round";
    context.strokeStyle = palette.ground;
    context.strokeText(landmark.label, start, top);
    context.fillStyle = colour;
    context.fillText(landmark.label, start, top);
  }
  context.restore();
}

function upright(canvas: Canvas, x: number, colour: string): void {
  const { context } = canvas;
  context.strokeStyle = colour;
  context.lineWidth = px(1);
  context.setLineDash([px(5), px(4)]);
  context.beginPath();
  context.moveTo(x, canvas.top);
  context.lineTo(x, canvas.floor);
  context.stroke();
}
