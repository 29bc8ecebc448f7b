// The embedded document, `drivelab.stallspage/1`. The report writes it in src/stalls_page/document.rs.

export interface PageDocument {
  schema: "drivelab.stallspage/1";
  streams: PageStream[];
}

export interface PageStream {
  label: string;
  /** `counts[i]` writes took from `edges_ns[i]` to less than `edges_ns[i + 1]`. */
  edges_ns: number[];
  counts: number[];
  /** From when on a write stands out. */
  threshold_ns: number | null;
  /** Bytes of a column of `longest_us`. */
  column_bytes: number;
  longest_us: number[];
  delays: [bytesBefore: number, us: number, at_s: number][];
  backlogs: PageBacklog[];
}

export interface PageBacklog {
  mb_s: number;
  /** Whether somebody asked for this rate. */
  asked: boolean;
  /** Whether the drive keeps up with the stream. */
  sustained: boolean;
  /** Whether the run itself was as fast. */
  reached: boolean;
  column_s: number;
  /** The largest backlog in each column. */
  kb: number[];
}

export interface Stream extends PageStream {
  index: number;
}

export function readStreams(): Stream[] {
  const element = document.getElementById("page-document");
  const parsed = JSON.parse(element?.textContent ?? "null") as PageDocument | null;
  if (parsed?.schema !== "drivelab.stallspage/1")
    throw new Error("the page holds no document that it can read");
  return parsed.streams.map((stream, index) => ({ ...stream, index }));
}
