// A table of many things: sorted by a click, filtered by words, with columns that can be hidden, and rows that are compared.

import { comparedCurves } from "./compared-curves";
import { button, element } from "./elements";
import type { Catalogue } from "./model";
import { best, isEmpty, risesFirst, rowsOf, says, sorted, type CatalogueRow } from "./rows";
import type { Palette } from "./theme";

/** How many rows are compared at once. */
const LEAST = 2;
const MOST = 8;

interface State {
  words: string[];
  /** The column by which rows are sorted; none while they are as the page was made. */
  column: number | null;
  rising: boolean;
  hidden: Set<number>;
  ticked: Set<CatalogueRow>;
  comparing: boolean;
}

/** Starts a catalogue and returns what draws its chart anew. */
export function catalogue(source: Catalogue, colours: () => Palette, isPrinting: () => boolean): () => void {
  const place = document.getElementById(source.place);
  const table = place?.querySelector<HTMLTableElement>("table.catalogued");
  const tools = place?.querySelector<HTMLElement>(".catalogue-tools");
  if (!place || !table || !tools) return () => undefined;
  const state: State = { words: [], column: null, rising: true, hidden: new Set(), ticked: new Set(), comparing: false };
  const rows = rowsOf(table);
  const curves = comparedCurves(source, place, colours, isPrinting);
  const draw = (): void => curves(state.comparing ? comparedOf(rows, state).map((row) => row.place) : []);
  const show = (): void => {
    arrange(table, rows, state);
    controls.show();
    draw();
  };
  const controls = controlsOf(table, rows, state, show);
  tools.append(...controls.elements);
  tools.hidden = false;
  sortButtons(table, rows, state, show);
  for (const row of rows) row.element.cells[0]?.prepend(tickOf(row, state, show));
  show();
  return draw;
}

/** The rows that are compared, in the order in which they were made. */
function comparedOf(rows: CatalogueRow[], state: State): CatalogueRow[] {
  return rows.filter((row) => state.ticked.has(row));
}

/** Shows the rows and columns that are asked for, in their order. */
function arrange(table: HTMLTableElement, rows: CatalogueRow[], state: State): void {
  const ordered = state.column === null ? rows : sorted(rows, state.column, state.rising);
  table.tBodies[0]?.append(...ordered.map((row) => row.element));
  const shown = rows.filter((row) => (state.comparing ? state.ticked.has(row) : says(row, state.words)));
  rows.forEach((row) => (row.element.hidden = !shown.includes(row)));
  table.querySelectorAll(".star, .best").forEach((one) => (one.matches(".star") ? one.remove() : one.classList.remove("best")));
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  heads.forEach((head, column) => {
    const isNeeded = !state.comparing || shown.some((row) => column === 0 || hasContent(row, column));
    const hidden = state.hidden.has(column) || !isNeeded;
    head.hidden = hidden;
    rows.forEach((row) => row.cells[column] && (row.cells[column].element.hidden = hidden));
    if (column === state.column) head.setAttribute("aria-sort", state.rising ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
    if (state.comparing) best(shown, column).forEach(({ element: cell }) => mark(cell));
  });
}

function hasContent(row: CatalogueRow, column: number): boolean {
  return !isEmpty(row.cells[column]) || (row.cells[column]?.element.childElementCount ?? 0) > 0;
}

function mark(cell: HTMLElement): void {
  const number = cell.querySelector(".number");
  number?.classList.add("best");
  const star = element("span", "star", "★");
  star.title = "the best value";
  number?.before(star);
}

/** Makes the head of each column a button that sorts by it. */
function sortButtons(table: HTMLTableElement, rows: CatalogueRow[], state: State, show: () => void): void {
  [...(table.tHead?.rows[0]?.cells ?? [])].forEach((head, column) => {
    if (head.matches(".curve")) return;
    const sort = button("sort", () => {
      const isSame = state.column === column;
      state.rising = isSame ? !state.rising : risesFirst(rows, column);
      state.column = column;
      show();
    });
    sort.append(...head.childNodes);
    head.replaceChildren(sort);
  });
}

function tickOf(row: CatalogueRow, state: State, show: () => void): HTMLElement {
  const box = element("input", "tick");
  box.type = "checkbox";
  box.setAttribute("aria-label", `Compare ${row.element.cells[0]?.textContent ?? ""}`);
  box.addEventListener("change", () => {
    if (box.checked) state.ticked.add(row);
    else state.ticked.delete(row);
    // The last two that are compared are not taken apart.
    if (state.ticked.size < LEAST) state.comparing = false;
    show();
  });
  return box;
}

interface Controls {
  elements: HTMLElement[];
  show: () => void;
}

function controlsOf(table: HTMLTableElement, rows: CatalogueRow[], state: State, show: () => void): Controls {
  const search = element("input", "search");
  search.type = "search";
  search.placeholder = "words that the row has";
  search.addEventListener("input", () => {
    state.words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    show();
  });
  const label = element("label", "choice", element("span", "legend-text", "Filter"), search);
  const count = element("p", "count");
  count.setAttribute("role", "status");
  const compare = button("action", () => {
    state.comparing = !state.comparing;
    show();
  });
  const command = element("p", "command fine");
  const showControls = (): void => {
    const number = state.ticked.size;
    const shown = rows.filter((row) => !row.element.hidden).length;
    count.textContent = shown === rows.length ? `${rows.length} rows` : `${shown} of ${rows.length} rows`;
    search.disabled = state.comparing;
    compare.disabled = !state.comparing && (number < LEAST || number > MOST);
    compare.textContent = state.comparing ? "Show all rows" : wordsOf(number);
    command.hidden = !state.comparing;
    const folders = comparedOf(rows, state).flatMap((row) => row.folders).map(shellWord);
    const line = `drivelab report ${folders.join(" ")} --report compared.html`;
    command.replaceChildren("Whole comparison: ", element("code", "", line));
  };
  return { elements: [label, columnsOf(table, state, show), compare, count, command], show: showControls };
}

function wordsOf(ticked: number): string {
  if (ticked > MOST) return `Compare at most ${MOST} rows`;
  return ticked < LEAST ? "Tick two to eight rows to compare them" : `Compare ${ticked} rows`;
}

function columnsOf(table: HTMLTableElement, state: State, show: () => void): HTMLElement {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const boxes = heads.slice(1).map((head, place) => {
    const box = element("input", "");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => {
      if (box.checked) state.hidden.delete(place + 1);
      else state.hidden.add(place + 1);
      show();
    });
    return element("label", "", box, head.textContent ?? "");
  });
  return element("details", "columns", element("summary", "", "Columns"), element("div", "columns-list", ...boxes));
}

/** A word as a shell takes it. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}
