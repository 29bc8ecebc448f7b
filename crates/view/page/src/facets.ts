// The switches of a view: which of its subjects are shown.

import { element } from "./elements";
import type { View } from "./model";
import { radios } from "./radios";

/** More values than these would fill the page: they are chosen from a list. */
const SEGMENTS_MAX = 6;

interface Choice {
  name: string;
  /** The value of each subject. */
  values: string[];
}

/** By what subjects are switched: their facets that differ, or their labels where none does. */
function choicesOf(view: View): Choice[] {
  const facets = view.facets.map((name, place) => ({
    name,
    values: view.subjects.map(({ facets }) => facets[place] ?? ""),
  }));
  const differing = facets.filter(({ values }) => new Set(values).size > 1);
  return differing.length > 0 ? differing : [{ name: "Show", values: view.subjects.map(({ label }) => label) }];
}

/** Puts the switches into their place and returns which subjects are shown. */
export function facetSwitches(place: HTMLElement, view: View, changed: () => void): () => number[] {
  const all = view.subjects.map((_, subject) => subject);
  if (view.subjects.length < 2) return () => all;
  const choices = choicesOf(view);
  const chosen: (string | null)[] = choices.map(() => null);
  const fits = (subject: number): boolean =>
    choices.every(({ values }, index) => chosen[index] === null || values[subject] === chosen[index]);
  const choose = (index: number, value: string | null): void => {
    chosen[index] = value;
    // A value that no subject has together with the other choices ends those.
    if (!all.some(fits)) chosen.forEach((_, other) => other !== index && (chosen[other] = null));
    show();
    changed();
  };
  const show = (): void => {
    const name = (index: number): string => `${view.anchor}-facet-${index}`;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.getAttribute("name") : null;
    const groups = choices.map((choice, index) => {
      const values = [...new Set(choice.values)];
      const pick = (value: string): void => choose(index, value === "" ? null : (values[Number(value)] ?? null));
      const options = [{ value: "", text: "All" }, ...values.map((text, at) => ({ value: String(at), text }))];
      const current = chosen[index] == null ? "" : String(values.indexOf(chosen[index] as string));
      const make = values.length > SEGMENTS_MAX ? list : radios;
      return make(choice.name, name(index), options, current, pick);
    });
    place.replaceChildren(...groups);
    if (focused === null) return;
    const named = `[name="${CSS.escape(focused)}"]`;
    place.querySelector<HTMLElement>(`select${named}, input${named}:checked`)?.focus();
  };
  place.hidden = false;
  show();
  return () => all.filter(fits);
}

function list(
  legend: string,
  name: string,
  options: { value: string; text: string }[],
  chosen: string,
  choose: (value: string) => void,
): HTMLElement {
  const select = element("select", "");
  select.name = name;
  for (const { value, text } of options) select.append(new Option(text, value, false, value === chosen));
  select.addEventListener("change", () => choose(select.value));
  return element("label", "choice", element("span", "legend-text", legend), select);
}
