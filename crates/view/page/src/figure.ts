// One chart of a page: its switches, its legend, its frames and its readout.

import { canvasOf, type Ink } from "./canvas";
import { clockLabel, momentWord } from "./clock";
import type { DocumentAxis } from "./document";
import { drawSeries } from "./draw";
import { button, element } from "./elements";
import { framesOf, inksOf, offersTogether, type Frame } from "./frames";
import { drawHeat, heatLegend, heatPlaces, heatRange } from "./heat";
import { drawLandmarks } from "./landmarks";
import { entriesOf, type Entry } from "./looks";
import { markElement } from "./marks";
import type { Chart, Range, View } from "./model";
import { frame } from "./plot";
import { radios } from "./radios";
import { readings, showReadings } from "./readout";
import { acrossScale, placesOf, upScale, type Scale } from "./scales";
import type { Palette } from "./theme";
import { valuesPlace } from "./values";
import { within } from "./zoom";

/** What the charts of a view share. */
export interface Shared {
  view: View;
  /** The subjects that the view's switches leave. */
  shown: () => number[];
  /** The horizontal axis that was chosen in one of the charts, by its label. */
  across: () => string | null;
  choose: (axis: string) => void;
  /** The part of the axis of this name that was chosen. */
  part: (axis: string) => Range | null;
  zoom: (axis: string, part: Range | null) => void;
  isPrinting: () => boolean;
}

export interface Figure {
  element: HTMLElement;
  draw: (palette: Palette) => void;
}

interface State {
  logAcross: boolean[];
  logUp: boolean;
  together: boolean;
  /** Subjects and names that the legend switched off. */
  hidden: Set<number | string>;
}

const NARROW = 560;
const HINT = "Point at the chart, or focus it and use the arrow keys. Drag, or press + and -, to look closer.";

/** Charts with the same name of their axis share cursor and zoom. */
function axisKey(shared: Shared, axis: DocumentAxis, log: boolean): string {
  return [shared.view.anchor, axis.label, axis.quantity, log].join("|");
}

export function figure(chart: Chart, shared: Shared): Figure | null {
  const place = document.getElementById(chart.place);
  if (!place) return null;
  const find = (part: string): HTMLElement => place.querySelector<HTMLElement>(`:scope > .${part}`) ?? element("div", part);
  const [plot, part] = [find("plot"), element("p", "part-command fine")];
  const parts = { tools: find("tools"), legend: find("legend"), plot, readout: find("readout"), part };
  parts.readout.after(parts.part, valuesPlace(chart, shared.view));
  const about = parts.plot.getAttribute("aria-label") ?? chart.title;
  parts.plot.removeAttribute("role");
  parts.plot.removeAttribute("aria-label");
  const state: State = {
    logAcross: chart.across.map((axis) => axis.scale !== "linear"),
    logUp: chart.up.scale !== "linear",
    together: chart.small,
    hidden: new Set(),
  };
  let ends: (() => void)[] = [];
  let colours: Palette | null = null;
  const draw = (palette: Palette): void => {
    colours = palette;
    if (parts.plot.clientWidth === 0) return;
    ends.forEach((end) => end());
    ends = frames(chart, shared, state, parts, about, palette);
    tools(chart, shared, state, parts.tools, again);
    legend(chart, shared, state, parts.legend, palette, again);
  };
  const again = (): void => {
    if (colours) draw(colours);
  };
  return { element: parts.plot, draw };
}

interface Parts {
  tools: HTMLElement;
  legend: HTMLElement;
  plot: HTMLElement;
  readout: HTMLElement;
  /** How to get the figures of the part that is shown. */
  part: HTMLElement;
}

/** Puts other elements into a place and keeps the focus where it was. */
function replace(place: HTMLElement, content: HTMLElement[]): void {
  const held = place.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset["key"] : undefined;
  const name = document.activeElement instanceof HTMLInputElement ? document.activeElement.name : undefined;
  place.replaceChildren(...content);
  if (held !== undefined) place.querySelector<HTMLElement>(`[data-key="${CSS.escape(held)}"]`)?.focus();
  else if (name) place.querySelector<HTMLElement>(`input[name="${CSS.escape(name)}"]:checked`)?.focus();
}

/** Which of a chart's horizontal axes is shown: the one that was chosen for the view, where the chart has it. */
function acrossOf(chart: Chart, shared: Shared): number {
  return Math.max(chart.across.findIndex(({ label }) => label === shared.across()), 0);
}

function tools(chart: Chart, shared: Shared, state: State, place: HTMLElement, draw: () => void): void {
  const across = acrossOf(chart, shared);
  const content: HTMLElement[] = [];
  const choice = (legend: string, name: string, texts: string[], chosen: number, choose: (index: number) => void): void => {
    const choices = texts.map((text, index) => ({ value: String(index), text }));
    const chose = (value: string): void => {
      choose(Number(value));
      draw();
    };
    content.push(radios(legend, `${chart.place}-${name}`, choices, String(chosen), chose));
  };
  if (offersTogether(chart, shared.shown()))
    choice("Frames", "frames", ["One each", "Together"], Number(state.together), (index) => (state.together = index === 1));
  if (chart.across.length > 1 && chart.heats.length === 0)
    choice("Across", "across", chart.across.map(({ label }) => label), across, (index) => {
      shared.choose(chart.across[index]?.label ?? "");
    });
  if (chart.across[across]?.scale === "log-or-linear")
    choice("Scale across", "scale-across", ["Log", "Linear"], state.logAcross[across] ? 0 : 1, (index) => {
      state.logAcross[across] = index === 0;
    });
  if (chart.up.scale === "log-or-linear")
    choice("Scale", "scale", ["Log", "Linear"], state.logUp ? 0 : 1, (index) => (state.logUp = index === 0));
  const axis = chart.across[across] as DocumentAxis;
  const log = state.logAcross[across] ?? false;
  const key = axisKey(shared, axis, log);
  const full = acrossScale(chart, across, log).range;
  if (within(full, shared.part(key), log) !== full) {
    const reset = button("action reset", () => shared.zoom(key, null), "Whole axis");
    reset.dataset["key"] = "reset";
    content.push(reset);
  }
  replace(place, content);
}

function legend(chart: Chart, shared: Shared, state: State, place: HTMLElement, palette: Palette, draw: () => void): void {
  const entry = ({ key, label, sign }: Entry): HTMLElement => {
    const act = (): void => {
      if (!state.hidden.delete(key)) state.hidden.add(key);
      draw();
    };
    const made = button("entry", act, sign(), label);
    made.dataset["key"] = String(key);
    made.setAttribute("aria-pressed", String(!state.hidden.has(key)));
    return made;
  };
  const content = entriesOf(chart, shared.view, shared.shown()).map(entry);
  if (chart.heats.length > 0) content.push(heatLegend(chart.heats, heatRange(chart.heats), palette));
  replace(place, content);
}

/** Draws all frames and returns what takes them away. */
function frames(chart: Chart, shared: Shared, state: State, parts: Parts, about: string, palette: Palette): (() => void)[] {
  const across = acrossOf(chart, shared);
  const focused = [...parts.plot.querySelectorAll(".frame-plot")].indexOf(document.activeElement as Element);
  const axis = chart.across[across] as DocumentAxis;
  const log = state.logAcross[across] ?? false;
  const x = acrossScale(chart, across, log);
  const y = upScale(chart, state.logUp);
  const key = axisKey(shared, axis, log);
  const part = within(x.range, shared.part(key), log);
  // What the legend switches off leaves the division into frames as it was.
  const isOn = (subject: number): boolean => !state.hidden.has(subject);
  const list = framesOf(chart, shared.shown(), state.together)
    .map((one) => ({ ...one, subjects: one.subjects.filter(isOn) }))
    .filter((one) => one.subjects.length > 0);
  expose(parts.plot, x, y, part, list);
  showCommand(parts.part, axis, part === x.range ? null : part);
  parts.plot.classList.toggle("several", list.length > 1);
  const hint = shared.view.charts[0] === chart && !matchMedia("(hover: none)").matches ? HINT : "";
  const point = reporter(chart, shared, state, parts.readout, part, log, hint);
  parts.readout.replaceChildren(element("span", "hint", hint));
  const made = list.map((one) => frameElements(one, chart, shared.view, `${about}`));
  const grid = element("div", "frames", ...made.map(({ box }) => box));
  const label = axis.clock === null ? x.label : clockLabel(axis, part[0]);
  parts.plot.replaceChildren(element("p", "up-label", y.label), grid, element("p", "across-label", label));
  const nothing =
    chart.series.every((series) => series.ys.length === 0) &&
    chart.heats.every((heat) => heat.columns.length === 0);
  if (nothing || list.length === 0) {
    const words = nothing ? "There is nothing to draw." : "Everything is switched off.";
    parts.plot.replaceChildren(element("p", "empty", words));
    return [];
  }
  const height = heightOf(chart, list, parts.plot.clientWidth);
  const ends = list.map((one, index) => {
    const inks = inksOf(chart, shared.view, one, across, state.hidden, palette);
    const places = one.heat ? heatPlaces(one.heat) : placesOf(inks.map(({ series }) => series), across);
    return frame({
      place: made[index]?.spot ?? parts.plot,
      places,
      x,
      part,
      y,
      height,
      palette,
      sync: key,
      zoom: (chosen) => shared.zoom(key, chosen),
      point,
      draw: (plot) => paint(canvasOf(plot, x.log, y.log), chart, one, inks, across, palette, shared.view),
    });
  });
  if (focused >= 0) made[focused]?.spot.focus();
  speakWhenFocused(parts);
  return ends;
}

/** The command that gives the tables and figures of a part of an axis, where there is one. */
function showCommand(place: HTMLElement, axis: DocumentAxis, part: Range | null): void {
  place.hidden = part === null || axis.command === null;
  if (part === null || axis.command === null) return;
  const [after, before] = [momentWord(axis, part[0], Math.floor), momentWord(axis, part[1], Math.ceil)];
  const line = `${axis.command} --after ${after} --before ${before} --report part.html`;
  place.replaceChildren("Tables and figures of this part: ", element("code", "", line));
}

/** What is drawn is stated for tests and for other programs, which cannot see it. */
function expose(plot: HTMLElement, x: Scale, y: Scale, part: Range, list: Frame[]): void {
  Object.assign(plot.dataset, {
    x: part.join(" "),
    y: y.range.join(" "),
    xScale: x.log ? "log" : "linear",
    yScale: y.log ? "log" : "linear",
    xLabel: x.label,
    frames: list.map(({ subjects }) => subjects.join(",")).join(" "),
  });
}

function heightOf(chart: Chart, list: Frame[], width: number): number {
  if (list.length > 1) return chart.heats.length > 0 ? 220 : 190;
  if (chart.small) return 220;
  return width < NARROW ? 260 : 320;
}

function frameElements(one: Frame, chart: Chart, view: View, about: string): { box: HTMLElement; spot: HTMLElement } {
  const spot = element("div", "frame-plot");
  const subject = one.owner === null ? undefined : view.subjects[one.owner];
  const label = [subject?.label, one.name].filter(Boolean).join(" · ");
  spot.tabIndex = 0;
  spot.setAttribute("role", "img");
  spot.setAttribute("aria-label", label === "" ? about : `${about} ${label}.`);
  const caption = element("p", "frame-caption", ...(subject ? [markElement(subject.look, !chart.byName)] : []), label);
  return { box: element("div", "frame", ...(label === "" ? [] : [caption]), spot), spot };
}

function paint(
  canvas: ReturnType<typeof canvasOf>,
  chart: Chart,
  one: Frame,
  inks: Ink[],
  across: number,
  palette: Palette,
  view: View,
): void {
  if (one.heat) drawHeat(canvas, one.heat, heatRange(chart.heats), palette);
  inks.forEach((ink) => drawSeries(canvas, ink));
  const landmarks = chart.landmarks.flatMap((landmark) => {
    const at = landmark.at[across];
    const isHere = landmark.subject === null || one.subjects.includes(landmark.subject);
    if (at === null || at === undefined || !isHere) return [];
    const isOfSubject = landmark.subject !== null && one.subjects.length > 1;
    const colour = isOfSubject ? palette.colour(view.subjects[landmark.subject ?? 0]?.look ?? 0) : palette.muted;
    return [{ landmark, at, colour }];
  });
  drawLandmarks(canvas, landmarks, palette);
}

/** Shows what lies under the cursor, once for all frames that follow it. */
function reporter(
  chart: Chart,
  shared: Shared,
  state: State,
  place: HTMLElement,
  part: Range,
  log: boolean,
  hint: string,
): (x: number | null) => void {
  const across = acrossOf(chart, shared);
  let waiting = 0;
  return (x) => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      if (x === null) return place.replaceChildren(element("span", "hint", hint));
      const reach = log ? x * 0.05 : (part[1] - part[0]) * 0.02;
      showReadings(place, readings(chart, shared.view, shared.shown(), state.hidden, across, x, reach));
    });
  };
}

/** Only the chart that has the focus speaks up; the others follow its cursor in silence. */
function speakWhenFocused({ plot, readout }: Parts): void {
  plot.addEventListener("focusin", () => readout.setAttribute("aria-live", "polite"));
  plot.addEventListener("focusout", () => readout.setAttribute("aria-live", "off"));
}
