// A graph's place on the page: its plot, the words under its title and its readout.

import type { Range } from "./axes";
import type { Scale } from "./chart";
import { whole } from "./format";
import type { Run } from "./model";

/** What a mark on a graph stands for: a run, or a trace. */
export interface Subject {
  index: number;
  label: string;
}

export interface Place {
  figure: HTMLElement;
  plot: HTMLElement;
  state: HTMLElement;
  tools: HTMLElement;
  readout: HTMLElement;
}

export function placeOf(id: string): Place {
  const figure = document.getElementById(`graph-${id}`);
  if (!figure) throw new Error(`the page has no place for the graph ${id}`);
  const part = (name: string): HTMLElement => {
    const element = figure.querySelector<HTMLElement>(`.${name}`);
    if (!element) throw new Error(`the graph ${id} has no ${name}`);
    return element;
  };
  return { figure, plot: part("plot"), state: part("state"), tools: part("tools"), readout: part("readout") };
}

/** The axes as attributes: a test, or a curious reader, can see that they are held. */
export function exposeAxes(place: Place, x: Scale, y: Scale, runs: Subject[]): void {
  const attributes = place.plot.dataset;
  [attributes["xMin"], attributes["xMax"]] = [String(x.range[0]), String(x.range[1])];
  [attributes["yMin"], attributes["yMax"]] = [String(y.range[0]), String(y.range[1])];
  [attributes["xScale"], attributes["yScale"]] = [x.log ? "log" : "linear", y.log ? "log" : "linear"];
  attributes["xLabel"] = x.label;
  attributes["runs"] = runs.map((run) => run.index).join(",");
}

/** Runs longer than this are measured in hours. */
const LONG_S = 4 * 3600;

/** An axis of seconds, or of hours for long runs. */
export function timeScale(range: Range): Scale {
  const unit = range[1] > LONG_S ? 3600 : 1;
  const text = (value: number): string => (value / unit).toLocaleString("en");
  return { range, log: false, unit, text, label: unit === 1 ? "time (s)" : "time (h)" };
}

/** How the requests of the runs were timed, and what that means. */
export function modeWords(runs: Run[]): string {
  const closed = runs.filter((run) => run.mode === "closed").length;
  if (closed === 0) return "open loop";
  const warning = "stalls are under-reported";
  return closed === runs.length
    ? `closed loop: ${warning}`
    : `${closed} of ${runs.length} closed loops: ${warning} there`;
}

/** `n = 2,000`, or the range of several. */
export function countWords(counts: number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? `n = ${whole(most)}` : `n = ${whole(least)} to ${whole(most)}`;
}

export interface Reading {
  run?: Subject;
  text: string;
}

const HINT = "Point at the graph, or focus it and use the arrow keys. Drag, or + and -, to look closer.";

/** Shows what lies under the cursor, each value with its run's mark. */
export function read(place: Place, readings: Reading[]): void {
  const parts = readings.map(({ run, text }) => {
    const part = document.createElement("span");
    if (run) part.append(swatch(run.index));
    part.append(text);
    return part;
  });
  place.readout.replaceChildren(...parts);
}

/** Without a cursor: whose mark is which, and under the first graph how to get a reading. */
export function rest(place: Place, runs: Subject[]): void {
  const marks: Reading[] = runs.map((run) => ({ run, text: run.label }));
  read(place, place.figure.id === "graph-whole" ? marks.concat({ text: HINT }) : marks);
}

/** Before the value of one run among several. */
export function named(run: Subject, among: Subject[]): string {
  return among.length > 1 ? `${run.label}: ` : "";
}

/** Only the graph that has the focus speaks up; the others follow its cursor in silence. */
export function speakWhenFocused(place: Place): void {
  place.plot.addEventListener("focus", () => place.readout.setAttribute("aria-live", "polite"));
  place.plot.addEventListener("blur", () => place.readout.setAttribute("aria-live", "off"));
}

export function swatch(run: number): HTMLElement {
  const mark = document.createElement("span");
  mark.className = "swatch";
  mark.dataset["run"] = String(run % 8);
  mark.setAttribute("aria-hidden", "true");
  return mark;
}

/** Instead of a graph that would have no dot. */
export function empty(place: Place, words: string): void {
  const note = document.createElement("p");
  note.className = "empty";
  note.textContent = words;
  place.plot.append(note);
  place.readout.textContent = "";
}
