// The curves of rows that are compared, in one chart.

import { figure, type Figure } from "./figure";
import type { Catalogue, Range, View } from "./model";
import type { Palette } from "./theme";
import { onNewWidth } from "./width";

/** Returns what draws the curves of some rows, by their places; of none the chart is hidden. */
export function comparedCurves(
  source: Catalogue,
  place: HTMLElement,
  colours: () => Palette,
  isPrinting: () => boolean,
): (rows: number[]) => void {
  const box = place.querySelector<HTMLElement>(".catalogue-curves");
  const { curves } = source;
  if (!box || !curves) return () => undefined;
  const blank = box.innerHTML;
  let drawn = "";
  let shown: Figure | null = null;
  return (rows) => {
    const series = curves.series.filter((one) => rows.includes(one.subject));
    box.hidden = series.length === 0;
    if (box.hidden) return;
    if (drawn !== rows.join()) {
      drawn = rows.join();
      box.innerHTML = blank;
      const subjects = rows.map((row, look) => ({ label: source.rows[row] ?? "", look, facets: [] }));
      const own = series.map((one) => ({ ...one, subject: rows.indexOf(one.subject) }));
      const chart = { ...curves, series: own };
      const view: View = { anchor: source.place, title: curves.title, facets: [], subjects, charts: [chart], catalogues: [] };
      let part: Range | null = null;
      const draw = (): void => shown?.draw(colours());
      const zoom = (_: string, chosen: Range | null): void => {
        part = chosen;
        draw();
      };
      const all = subjects.map((_, at) => at);
      const shared = { view, shown: () => all, across: () => null, choose: () => undefined, part: () => part, zoom, isPrinting };
      shown = figure(chart, shared);
      if (shown) onNewWidth(shown.element, () => isPrinting() || draw());
    }
    shown?.draw(colours());
  };
}
