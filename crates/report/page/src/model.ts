// The embedded document, `drivelab.page/1`. The report writes it in src/page_document.rs.

export interface PageDocument {
  schema: "drivelab.page/1";
  runs: PageRun[];
}

export interface PageRun {
  label: string;
  drive: string;
  reserve: string;
  seed: number;
  mode: "closed" | "open";
  duration_s: number;
  verdict: string;
  tone: "steady" | "unsteady" | "short" | "asked" | "nothing";
  steady_from_s: number;
  steady_reached: boolean;
  cliff_s: number | null;
  series: PageSeries;
  heat: PageHeat;
  service: PageCurve;
  response: PageCurve | null;
  /** What was read beside the run; absent where nothing was. */
  gauges?: PagePanel[];
}

/** Gauges of one subject and unit over the measured phase, in columns of `column_s` seconds. */
export interface PagePanel {
  subject: string;
  unit: string;
  column_s: number;
  lines: { name: string; values: (number | null)[] }[];
}

/** Columns of bins of `bin_s` seconds. */
export interface PageSeries {
  bin_s: number;
  iops: number[];
  /** The slowest second of each bin, where bins are longer than a second. */
  slowest?: number[];
  /** KiB written in each bin. */
  written_kib: number[];
  /** The longest service time of each bin, in us. */
  service_max_us: number[];
  /** Bins with failed I/Os, and how many. */
  failed: [bin: number, count: number][];
}

/** Counts by time and service time. */
export interface PageHeat {
  column_s: number;
  /** Row r lies between edge r and edge r + 1. */
  edges_ns: number[];
  /** Each column: its lowest row, then a count for every row from there; empty where nothing ended. */
  columns: number[][];
}

/** An exceedance curve: of `count` I/Os, `at_least[i]` took `ns[i]` or longer. */
export interface PageCurve {
  count: number;
  ns: number[];
  at_least: number[];
}

/** A run with what follows from its columns. */
export interface Run extends PageRun {
  index: number;
  gauges: PagePanel[];
  /** The start of every bin in seconds. */
  seconds: number[];
  /** Decimal GB written up to the end of every bin, strictly rising. */
  written_gb: number[];
  failures: Map<number, number>;
}

/** A tail of fewer I/Os than this carries no weight and is marked. */
export const FEW = 10;

/** Bins without a write would share a place on the axis of bytes; they are set apart by a kilobyte. */
const LEAST_STEP_GB = 1e-6;

export function readDocument(): Run[] {
  const element = document.getElementById("page-document");
  const parsed = JSON.parse(element?.textContent ?? "null") as PageDocument | null;
  if (parsed?.schema !== "drivelab.page/1") throw new Error("the page holds no document that it can read");
  return parsed.runs.map(withDerived);
}

function withDerived(run: PageRun, index: number): Run {
  let total = 0;
  const written_gb = run.series.written_kib.map((kib) => {
    total += Math.max((kib * 1024) / 1e9, LEAST_STEP_GB);
    return total;
  });
  return {
    ...run,
    index,
    gauges: run.gauges ?? [],
    seconds: run.series.iops.map((_, bin) => bin * run.series.bin_s),
    written_gb,
    failures: new Map(run.series.failed),
  };
}
