// Axes that hold every run, so that switching from run to run never moves a scale.

import type { PageCurve, Run } from "./model";

export type Range = [low: number, high: number];

/** What lies along the horizontal axis of the rate graphs. */
export type Across = "time" | "bytes";

export interface Axes {
  /** Seconds, or GB written. */
  whole: Record<Across, Range>;
  steady: Record<Across, Range>;
  rateLog: Range;
  rateLinear: Range;
  steadyLog: Range;
  steadyLinear: Range;
  latency: Range;
  /** I/Os a second in one cell of a heat map. */
  heat: Range;
  exceedanceNanos: Range;
  exceedanceShare: Range;
}

export function axesOf(runs: Run[]): Axes {
  const rates = runs.flatMap((run) => run.series.iops.concat(run.series.slowest ?? []));
  const steady = runs.flatMap((run) => {
    const from = firstSteadyBin(run);
    return run.series.iops.slice(from).concat(run.series.slowest?.slice(from) ?? []);
  });
  const curves = runs.flatMap((run) => (run.response ? [run.service, run.response] : [run.service]));
  return {
    whole: { time: [0, greatest(runs, endSecond)], bytes: [0, greatest(runs, endGigabytes)] },
    steady: { time: steadySpan(runs, "time"), bytes: steadySpan(runs, "bytes") },
    rateLog: decades(rates),
    rateLinear: fromZero(rates),
    steadyLog: decades(steady),
    steadyLinear: fromZero(steady),
    latency: latencyRange(runs),
    heat: heatRange(runs),
    exceedanceNanos: decades(curves.flatMap((curve) => curve.ns)),
    exceedanceShare: [leastShare(curves), 1],
  };
}

/** The first bin of a run's steady part. */
export function firstSteadyBin(run: Run): number {
  return Math.ceil(run.steady_from_s / run.series.bin_s);
}

/** Where a run's bins lie on the chosen axis. */
export function places(run: Run, across: Across): number[] {
  return across === "time" ? run.seconds : run.written_gb;
}

const endSecond = (run: Run): number => run.series.iops.length * run.series.bin_s;
const endGigabytes = (run: Run): number => run.written_gb[run.written_gb.length - 1] ?? 0;

/** The greatest of the runs' values; 1 where there is none, since an axis has to have a length. */
function greatest(runs: Run[], of: (run: Run) => number): number {
  return runs.reduce((most, run) => Math.max(most, of(run)), 0) || 1;
}

/**
 * From where the first run is judged to where the last one ends: every second that a figure is taken from is seen. The
 * dots of each run begin where its own figures do.
 */
function steadySpan(runs: Run[], across: Across): Range {
  const starts = runs.flatMap((run) => places(run, across)[firstSteadyBin(run)] ?? []);
  const end = greatest(runs, across === "time" ? endSecond : endGigabytes);
  const start = Math.min(...starts);
  return start < end ? [start, end] : [0, end];
}

/** Whole decades around every positive value. */
export function decades(values: number[]): Range {
  let least = Infinity;
  let most = 0;
  for (const value of values) {
    if (value > 0 && value < least) least = value;
    if (value > most) most = value;
  }
  if (most === 0) return [1, 10];
  const low = Math.floor(Math.log10(least) + 1e-9);
  return [10 ** low, 10 ** Math.max(Math.ceil(Math.log10(most) - 1e-9), low + 1)];
}

/** From nothing to a little above the greatest. */
function fromZero(values: number[]): Range {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  if (most === 0) return [0, 1];
  const step = niceStep(most, 5);
  return [0, Math.ceil((most * 1.02) / step) * step];
}

/** A step of 1, 2 or 5 times a power of ten that makes at most about so many steps. */
export function niceStep(span: number, marks: number): number {
  const rough = span / marks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough * 0.999999) ?? 10;
  return factor * power;
}

function latencyRange(runs: Run[]): Range {
  const used = runs.filter((run) => run.heat.columns.some((column) => column.length > 0));
  if (used.length === 0) return [1e3, 1e6];
  const low = Math.min(...used.map((run) => run.heat.edges_ns[0] ?? 1));
  const high = Math.max(...used.map((run) => run.heat.edges_ns[run.heat.edges_ns.length - 1] ?? 10));
  return [Math.max(1, low), high];
}

function heatRange(runs: Run[]): Range {
  let least = Infinity;
  let most = 0;
  for (const run of runs) {
    for (const column of run.heat.columns) {
      for (let row = 1; row < column.length; row++) {
        const density = (column[row] ?? 0) / run.heat.column_s;
        if (density > 0 && density < least) least = density;
        if (density > most) most = density;
      }
    }
  }
  return most === 0 ? [1, 10] : [least, Math.max(most, least * 10)];
}

/** One I/O in all, rounded down to a decade. */
function leastShare(curves: PageCurve[]): number {
  const count = Math.max(10, ...curves.map((curve) => curve.count));
  return 10 ** -Math.ceil(Math.log10(count) - 1e-9);
}
