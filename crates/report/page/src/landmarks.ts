// Lines that say where something happened in a run.

import type uPlot from "uplot";
import { firstSteadyBin, places, type Across } from "./axes";
import { gigabytes, seconds } from "./format";
import type { Run } from "./model";
import type { Palette } from "./theme";

/** Where the rate fell off, and where the steady part begins. */
export function landmarks(plot: uPlot, run: Run, across: Across, palette: Palette): void {
  const along = places(run, across);
  const steady = along[firstSteadyBin(run)];
  if (run.cliff_s !== null) {
    const bin = Math.floor(run.cliff_s / run.series.bin_s);
    const written = bin > 0 ? ` after ${gigabytes(run.written_gb[bin - 1] ?? 0)}` : "";
    landmark(plot, along[bin] ?? 0, `cliff${written}`, palette, 0);
  }
  if (steady !== undefined && run.steady_from_s > 0) {
    landmark(
      plot,
      steady,
      run.steady_reached ? "steady state" : `figures from ${seconds(run.steady_from_s)} on`,
      palette,
      1,
    );
  }
}

function landmark(plot: uPlot, at: number, words: string, palette: Palette, line: number): void {
  const { ctx: context, bbox } = plot;
  const { min = 0, max = 0 } = plot.scales["x"] ?? {};
  if (at < (min ?? 0) || at > (max ?? 0)) return;
  const ratio = devicePixelRatio;
  const x = Math.round(plot.valToPos(at, "x", true)) + 0.5;
  context.save();
  context.strokeStyle = palette.muted;
  context.fillStyle = palette.muted;
  context.lineWidth = ratio;
  context.setLineDash([2 * ratio, 3 * ratio]);
  context.beginPath();
  context.moveTo(x, bbox.top);
  context.lineTo(x, bbox.top + bbox.height);
  context.stroke();
  context.font = palette.font.replace(/^\d+px/, `${11 * ratio}px`);
  context.textBaseline = "top";
  const width = context.measureText(words).width;
  const fits = x + width + 8 * ratio < bbox.left + bbox.width;
  context.textAlign = fits ? "left" : "right";
  const [left, top] = [x + (fits ? 5 : -5) * ratio, bbox.top + (2 + 14 * line) * ratio];
  // Dots may lie behind the words: an edge in the colour of the ground keeps both readable.
  context.setLineDash([]);
  context.lineWidth = 4 * ratio;
  context.lineJoin = "round";
  context.strokeStyle = palette.ground;
  context.strokeText(words, left, top);
  context.fillText(words, left, top);
  context.restore();
}
