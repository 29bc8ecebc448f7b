// Lines that say where something happened in a run.

import type uPlot from "uplot";
import { firstSteadyBin, places, type Across } from "./axes";
import { gigabytes, seconds } from "./format";
import type { Run } from "./model";
import type { Palette } from "./theme";

/** What lines without words mean. */
export const LINES_IN_WORDS = "dashed: cliff, dotted: from where the figures are taken";

const DASHED = [7, 4];
const DOTTED = [2, 3];

/** The same among several runs: lines in the runs' colours, for which there is no room to say what they are. */
export function landmarksAmong(plot: uPlot, runs: Run[], across: Across, palette: Palette): void {
  for (const run of runs) {
    const along = places(run, across);
    const colour = palette.run(run.index);
    const cliff = run.cliff_s === null ? undefined : along[Math.floor(run.cliff_s / run.series.bin_s)];
    if (cliff !== undefined) line(plot, cliff, colour, DASHED);
    const steady = along[firstSteadyBin(run)];
    if (steady !== undefined && run.steady_from_s > 0) line(plot, steady, colour, DOTTED);
  }
}

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

/** An upright line; where it is, or null where it lies outside of the graph. */
function line(plot: uPlot, at: number, colour: string, dashes: number[]): number | null {
  const { ctx: context, bbox } = plot;
  const { min = 0, max = 0 } = plot.scales["x"] ?? {};
  if (at < (min ?? 0) || at > (max ?? 0)) return null;
  const ratio = devicePixelRatio;
  const x = Math.round(plot.valToPos(at, "x", true)) + 0.5;
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = ratio;
  context.setLineDash(dashes.map((dash) => dash * ratio));
  context.beginPath();
  context.moveTo(x, bbox.top);
  context.lineTo(x, bbox.top + bbox.height);
  context.stroke();
  context.restore();
  return x;
}

function landmark(plot: uPlot, at: number, words: string, palette: Palette, row: number): void {
  const x = line(plot, at, palette.muted, DOTTED);
  if (x === null) return;
  const { ctx: context, bbox } = plot;
  const ratio = devicePixelRatio;
  context.save();
  context.fillStyle = palette.muted;
  context.font = palette.font.replace(/^\d+px/, `${11 * ratio}px`);
  context.textBaseline = "top";
  const width = context.measureText(words).width;
  const fits = x + width + 8 * ratio < bbox.left + bbox.width;
  context.textAlign = fits ? "left" : "right";
  const [left, top] = [x + (fits ? 5 : -5) * ratio, bbox.top + (2 + 14 * row) * ratio];
  // Dots may lie behind the words: an edge in the colour of the ground keeps both readable.
  context.lineWidth = 4 * ratio;
  context.lineJoin = "round";
  context.strokeStyle = palette.ground;
  context.strokeText(words, left, top);
  context.fillText(words, left, top);
  context.restore();
}
