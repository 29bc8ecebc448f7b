// Light and dark, and the colours that charts take from the style sheet.

import { radios } from "./radios";

export interface Palette {
  ink: string;
  muted: string;
  line: string;
  ground: string;
  font: string;
  heat: string[];
  /** The colour of a look. */
  colour: (look: number) => string;
}

/** How many colours the style sheet has. */
export const COLOURS = 10;

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const named = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: named("ink"),
    muted: named("muted"),
    line: named("line"),
    ground: named("ground"),
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
    heat: [0, 1, 2, 3, 4].map((stop) => named(`heat-${stop}`)),
    colour: (look) => named(`c${look % COLOURS}`),
  };
}

/** The choice of a theme; `changed` runs whenever colours may be others. */
export function themeChoice(place: HTMLElement, changed: () => void): void {
  const choose = (theme: string): void => {
    document.documentElement.dataset["theme"] = theme;
    changed();
  };
  const choices = [
    { value: "auto", text: "Auto" },
    { value: "light", text: "Light" },
    { value: "dark", text: "Dark" },
  ];
  place.append(radios("Theme", "theme", choices, "auto", choose));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}
