// The rows of a catalogue as the page's program sorts, filters and compares them.

export interface CatalogueCell {
  element: HTMLTableCellElement;
  /** Its number in the base unit of its column; none of words. */
  value: number | null;
  text: string;
  /** Values of one column are compared where these are equal. */
  comparable: string | null;
  better: "high" | "low" | null;
}

export interface CatalogueRow {
  /** The place that it had when the page was made. */
  place: number;
  element: HTMLTableRowElement;
  /** Everything that it says, in lower case. */
  text: string;
  cells: CatalogueCell[];
  folders: string[];
}

/** Values that differ by no more than this share of the greatest are alike: none of them is the best. */
const ALIKE = 0.01;

export function rowsOf(table: HTMLTableElement): CatalogueRow[] {
  return [...(table.tBodies[0]?.rows ?? [])].map((element, place) => ({
    place,
    element,
    text: (element.textContent ?? "").toLowerCase(),
    cells: [...element.cells].map(cellOf),
    folders: [...element.querySelectorAll<HTMLElement>("[data-folder]")].map((one) => one.dataset["folder"] ?? ""),
  }));
}

function cellOf(element: HTMLTableCellElement): CatalogueCell {
  const { value, comparable, better } = element.dataset;
  return {
    element,
    value: value === undefined ? null : Number(value),
    text: element.textContent ?? "",
    comparable: comparable ?? null,
    better: better === "high" || better === "low" ? better : null,
  };
}

/** Whether a row says every word that is looked for. */
export function says(row: CatalogueRow, words: string[]): boolean {
  return words.every((word) => row.text.includes(word));
}

/** The rows by one column, those without a value last. */
export function sorted(rows: CatalogueRow[], column: number, rising: boolean): CatalogueRow[] {
  const sign = rising ? 1 : -1;
  return [...rows].sort((one, other) => {
    const [a, b] = [one.cells[column], other.cells[column]];
    const lacks = Number(isEmpty(a)) - Number(isEmpty(b));
    if (lacks !== 0 || !a || !b || isEmpty(a)) return lacks || one.place - other.place;
    return sign * compared(a, b) || one.place - other.place;
  });
}

export function isEmpty(cell: CatalogueCell | undefined): boolean {
  return !cell || (cell.value === null && cell.text.trim() === "");
}

function compared(one: CatalogueCell, other: CatalogueCell): number {
  if (one.value !== null && other.value !== null) return one.value - other.value;
  // Words stand after numbers.
  if (one.value !== null || other.value !== null) return one.value === null ? 1 : -1;
  return one.text.localeCompare(other.text, "en", { numeric: true });
}

/** Which way a column is sorted first: the best values on top, and words from A on. */
export function risesFirst(rows: CatalogueRow[], column: number): boolean {
  const cells = rows.map((row) => row.cells[column]);
  if (cells.every((cell) => !cell || cell.value === null)) return true;
  return cells.some((cell) => cell?.better === "low");
}

/** The cells of a column that hold the best value of these rows: none where one of them was measured differently. */
export function best(rows: CatalogueRow[], column: number): CatalogueCell[] {
  const cells = rows.map((row) => row.cells[column]).filter((cell) => cell !== undefined);
  const numbers = cells.map((cell) => cell.value).filter((value) => value !== null);
  const better = cells[0]?.better;
  const isAlike = cells.every((cell) => cell.better === better && cell.comparable === cells[0]?.comparable);
  if (!better || !isAlike || numbers.length < 2 || numbers.length < cells.length) return [];
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  if (most - least <= Math.abs(most) * ALIKE) return [];
  return cells.filter((cell) => cell.value === (better === "high" ? most : least));
}
