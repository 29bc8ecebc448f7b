// The embedded document, `drivelab.tracepage/1`. The report writes it in src/trace_page/document.rs.

export interface PageDocument {
  schema: "drivelab.tracepage/1";
  /** Idle time longer than this is cut out. */
  long_idle_s: number;
  traces: PageTrace[];
}

export interface PageTrace {
  label: string;
  /** What the durations span. */
  measured: "D2C" | "Q2C" | "mixed" | "nothing";
  /** Reads, then writes. */
  directions: [PageDirection, PageDirection];
  course: PageCourse | null;
  /** By device, the busiest first. */
  maps: PageMap[];
  /** Reads and writes of devices that have no map. */
  unmapped: number;
}

export interface PageDirection {
  requests: number;
  /** Those whose duration is known. */
  count: number;
  mean_ns: number | null;
  /** `counts[i]` took from `edges_ns[i]` to less than `edges_ns[i + 1]`. */
  edges_ns: number[];
  counts: number[];
  /** `at_least[i]` took `ns[i]` or longer. */
  ns: number[];
  at_least: number[];
  /** From when on an I/O is slow, in words; null where too few stand out. */
  slow: string | null;
  dispersion: { window_s: number; index: number; deviation: number; windows: number }[];
  /** How likely chance alone clusters the slow ones as much. */
  p: number | null;
}

/** Columns of busy time; in pairs reads come first, then writes. */
export interface PageCourse {
  column_s: number;
  began_ms: (number | null)[];
  requests: [number[], number[]];
  slow: [number[], number[]];
  worst_us: [number[], number[]];
  depth_mean: number[];
  depth_max: number[];
  /** Column, how often idle time was cut out before or in it, and milliseconds of it. */
  cuts: [column: number, times: number, ms: number][];
}

/** Counts by time and address. */
export interface PageMap {
  device: string;
  requests: number;
  row_bytes: number;
  /** A row begins at its number times `row_bytes`. */
  first_row: number;
  rows: number;
  /** Reads, then writes; each column: its lowest row, then a count for every row from there. */
  columns: [number[][], number[][]];
}

export interface Trace extends PageTrace {
  index: number;
}

/** Which of reads and writes are shown. */
export type Ways = (0 | 1)[];

export const WORDS = ["reads", "writes"] as const;

export function readTraces(): { traces: Trace[]; longIdle: number } {
  const element = document.getElementById("page-document");
  const parsed = JSON.parse(element?.textContent ?? "null") as PageDocument | null;
  if (parsed?.schema !== "drivelab.tracepage/1")
    throw new Error("the page holds no document that it can read");
  return {
    traces: parsed.traces.map((trace, index) => ({ ...trace, index })),
    longIdle: parsed.long_idle_s,
  };
}
