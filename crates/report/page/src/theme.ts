// Light and dark, and the colours that graphs take from the style sheet.

import { radios } from "./radios";

export type Shape = "circle" | "square" | "triangle" | "diamond" | "ring" | "frame" | "wedge" | "cross";

/** A run's mark: colours alone would not tell eight runs apart for everyone. The style sheet mirrors it. */
const SHAPES: Shape[] = ["circle", "square", "triangle", "diamond", "ring", "frame", "wedge", "cross"];

export interface Palette {
  ink: string;
  muted: string;
  line: string;
  ground: string;
  alert: string;
  font: string;
  heat: string[];
  run: (index: number) => string;
}

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const named = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: named("ink"),
    muted: named("muted"),
    line: named("line"),
    ground: named("ground"),
    alert: named("alert"),
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
    heat: [0, 1, 2, 3, 4].map((stop) => named(`heat-${stop}`)),
    run: (index) => named(`run-${index % SHAPES.length}`),
  };
}

export function shapeOf(run: number): Shape {
  return SHAPES[run % SHAPES.length] ?? "circle";
}

/** The choice of a theme; `changed` runs whenever colours may be others. */
export function themeChoice(place: HTMLElement, changed: () => void): void {
  const choose = (theme: string): void => {
    document.documentElement.dataset["theme"] = theme;
    changed();
  };
  place.append(
    radios(
      "Theme",
      "theme",
      [
        { value: "auto", text: "Auto" },
        { value: "light", text: "Light" },
        { value: "dark", text: "Dark" },
      ],
      "auto",
      choose,
    ),
  );
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}
