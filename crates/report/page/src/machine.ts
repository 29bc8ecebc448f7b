// What was read beside a run: a panel for each subject and unit, one under another, over the time of the measured phase.

import type uPlot from "uplot";
import { niceStep, type Range } from "./axes";
import { chart, type Scale } from "./chart";
import { rate, seconds, shortRate } from "./format";
import { exposeAxes, read, rest, swatch, timeScale, type Place, type Reading } from "./graph";
import type { PagePanel, Run } from "./model";
import type { Palette } from "./theme";

export interface MachineView {
  place: Place;
  runs: Run[];
  x: Range;
  /** Whether the other graphs lie over time, too: then they share the cursor. */
  shared: boolean;
  palette: Palette;
  zoom: (part: Range | null) => void;
}

/** Of several runs only this much is shown of each: what the processors did, and what was drawn. */
const AMONG_SEVERAL = ["processors", "power"];

/** Of one run all panels; of several the most telling ones, run by run, each under its name. */
export function machine(view: MachineView): () => void {
  const { place } = view;
  const several = view.runs.length > 1;
  const shown = view.runs.filter((run) => run.gauges.length > 0);
  exposeAxes(place, timeScale(view.x), { range: [0, 100], log: false, text: rate, label: "" }, shown);
  place.state.textContent = words(view.runs, shown);
  rest(place, []);
  const ends = shown.flatMap((run) => {
    if (several) place.plot.append(caption(run));
    const panels = run.gauges.filter((panel) => !several || AMONG_SEVERAL.includes(panel.subject));
    return panels.map((panel, at) => drawPanel(view, run, panel, at === panels.length - 1));
  });
  return () => ends.forEach((end) => end());
}

function words(runs: Run[], shown: Run[]): string {
  if (shown.length === 0) return "Nothing was read beside this run: its time is virtual, or it was made before this was kept.";
  const widths = [...new Set(shown.flatMap((run) => run.gauges.map((panel) => panel.column_s)))];
  const parts = [`bins of ${widths.map((width) => seconds(width)).join(", ")}, means`];
  if (shown.length < runs.length) parts.push(`${runs.length - shown.length} runs without readings`);
  return parts.join(" · ");
}

function caption(run: Run): HTMLElement {
  const line = document.createElement("p");
  line.className = "among";
  line.append(swatch(run.index), run.label);
  return line;
}

function drawPanel(view: MachineView, run: Run, panel: PagePanel, isLast: boolean): () => void {
  const spot = document.createElement("div");
  view.place.plot.append(legend(panel), spot);
  const columns = panel.lines.reduce((most, line) => Math.max(most, line.values.length), 0);
  const places = Array.from({ length: columns }, (_, column) => (column + 0.5) * panel.column_s);
  const x = timeScale(view.x);
  return chart({
    place: spot,
    keyboard: isLast && view.runs.length === 1 ? view.place.plot : null,
    data: [places, places.map(() => null)],
    x: isLast ? x : { ...x, label: "" },
    y: { ...valueScale(panel), label: panel.unit },
    height: isLast ? 150 : 125,
    palette: view.palette,
    sync: view.shared ? "time" : null,
    zoom: view.zoom,
    draw: (plot) => panel.lines.forEach((line, at) => drawLine(plot, panel, line.values, view.palette.run(at))),
    point: (at) => {
      if (at === null) rest(view.place, []);
      else read(view.place, readings(run, at));
    },
  });
}

/** Which colour is which: the subject, then its parts. */
function legend(panel: PagePanel): HTMLElement {
  const line = document.createElement("p");
  line.className = "among";
  const subject = document.createElement("b");
  subject.textContent = `${panel.subject[0]?.toUpperCase() ?? ""}${panel.subject.slice(1)}`;
  line.append(subject);
  panel.lines.forEach(({ name }, at) => {
    const part = document.createElement("span");
    part.append(" ", swatch(at), name);
    line.append(part);
  });
  return line;
}

/** Shares have one axis wherever they stand; all else is drawn from zero. */
function valueScale(panel: PagePanel): Omit<Scale, "label"> {
  if (panel.unit === "%") return { range: [0, 100], log: false, text: shortRate };
  const most = panel.lines.flatMap(({ values }) => values).reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  const step = niceStep(Math.max(most, 1e-3), 3);
  return { range: [0, most === 0 ? 1 : Math.ceil((most * 1.02) / step) * step], log: false, text: shortRate };
}

/** Steps, since each value is a mean over its column; a gap where nothing was read. */
function drawLine(plot: uPlot, panel: PagePanel, values: (number | null)[], colour: string): void {
  const { ctx } = plot;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.6 * devicePixelRatio;
  ctx.lineJoin = "round";
  ctx.beginPath();
  let open = false;
  values.forEach((value, column) => {
    if (value !== null) {
      const y = plot.valToPos(value, "y", true);
      const [left, right] = [column, column + 1].map((edge) => plot.valToPos(edge * panel.column_s, "x", true));
      if (open) ctx.lineTo(left ?? 0, y);
      else ctx.moveTo(left ?? 0, y);
      ctx.lineTo(right ?? 0, y);
    }
    open = value !== null;
  });
  ctx.stroke();
}

function readings(run: Run, at: number): Reading[] {
  const told = run.gauges.map((panel) => {
    const column = Math.floor(at / panel.column_s);
    const parts = panel.lines.flatMap(({ name, values }) => {
      const value = values[column];
      return value === null || value === undefined ? [] : [`${name} ${rate(value)}`];
    });
    return parts.length === 0 ? "" : `${panel.subject}: ${parts.join(", ")} ${panel.unit}`;
  });
  return [{ run, text: seconds(Math.floor(at)) }, ...told.filter((text) => text !== "").map((text) => ({ text }))];
}
