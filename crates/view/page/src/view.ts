// One view of a page: its charts, and what they share.

import { facetSwitches } from "./facets";
import { figure, type Figure } from "./figure";
import type { Range, View } from "./model";
import type { Palette } from "./theme";
import { onNewWidth } from "./width";

/** Starts a view and returns what draws all of its charts. */
export function start(view: View, colours: () => Palette, isPrinting: () => boolean): () => void {
  const parts = new Map<string, Range>();
  const section = document.getElementById(view.anchor);
  const place = section?.querySelector<HTMLElement>(".switches");
  const hasCharts = view.charts.length > 0;
  const draw = (): void => {
    const palette = colours();
    figures.forEach((one) => one.draw(palette));
  };
  const changed = (): void => {
    dimRows(section, shown());
    draw();
  };
  const shown = place && hasCharts ? facetSwitches(place, view, changed) : (): number[] => view.subjects.map((_, at) => at);
  const zoom = (axis: string, part: Range | null): void => {
    if (part) parts.set(axis, part);
    else parts.delete(axis);
    draw();
  };
  let across: string | null = null;
  const choose = (axis: string): void => {
    across = axis;
    draw();
  };
  const shared = {
    view,
    shown: () => shown(),
    across: () => across,
    choose,
    part: (axis: string) => parts.get(axis) ?? null,
    zoom,
    isPrinting,
  };
  const figures = view.charts.map((chart) => figure(chart, shared)).filter((one): one is Figure => one !== null);
  draw();
  for (const one of figures) onNewWidth(one.element, () => isPrinting() || one.draw(colours()));
  return draw;
}

/** Tables keep every row; those of subjects that are not shown are faint. */
function dimRows(section: HTMLElement | null, shown: number[]): void {
  section?.querySelectorAll<HTMLElement>("tr[data-subject]").forEach((row) => {
    row.classList.toggle("not-shown", !shown.includes(Number(row.dataset["subject"])));
  });
}
