// Lines of reads and writes: alone, colour tells them apart; among several traces the colour is the trace's, and writes
// are dotted.

import type { Subject } from "./graph";
import type { Shape } from "./theme";
import { shapeOf, type Palette } from "./theme";
import { WORDS, type PageDirection, type Trace, type Ways } from "./tracemodel";

export interface Line {
  trace: Trace;
  way: 0 | 1;
  data: PageDirection;
  colour: string;
  dotted: boolean;
  shape: Shape;
  /** The mark before its value in a readout. */
  subject: Subject;
}

/** The lines of what is shown and has I/Os whose duration is known. */
export function linesOf(traces: Trace[], ways: Ways, palette: Palette): Line[] {
  const several = traces.length > 1;
  return traces.flatMap((trace) =>
    ways
      .filter((way) => trace.directions[way].count > 0)
      .map((way) => {
        const index = several ? trace.index : way;
        const label = several ? `${trace.label}, ${WORDS[way]}` : WORDS[way];
        return {
          trace,
          way,
          data: trace.directions[way],
          colour: palette.run(index),
          dotted: several && way === 1,
          shape: shapeOf(index),
          subject: { index, label },
        };
      }),
  );
}

/** The marks of what is shown, for the readout at rest. */
export function subjects(traces: Trace[], ways: Ways): Subject[] {
  if (traces.length > 1) return traces.map(({ index, label }) => ({ index, label }));
  return ways.map((way) => ({ index: way, label: WORDS[way] }));
}

export function strokePath(
  context: CanvasRenderingContext2D,
  line: Line,
  path: [x: number, y: number][],
  width: number,
): void {
  const ratio = devicePixelRatio;
  context.strokeStyle = line.colour;
  context.lineWidth = width * ratio;
  context.lineJoin = "round";
  context.setLineDash(line.dotted ? [1.5 * ratio, 3 * ratio] : []);
  context.beginPath();
  path.forEach(([x, y], index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.stroke();
  context.setLineDash([]);
}
