// The program of every page: draws every chart of every view from the page's one document.

import { catalogue } from "./catalogue";
import { useMarks } from "./marks";
import { readDocument } from "./model";
import { redrawForPaper } from "./print";
import { palette, themeChoice } from "./theme";
import { start } from "./view";
import { hintAtScrolling } from "./width";

function run(): void {
  const { views, marks } = readDocument();
  useMarks(marks);
  document.documentElement.classList.remove("still");
  let isPrinting = false;
  const printing = (): boolean => isPrinting;
  const draws = views.flatMap((view) => [
    start(view, palette, printing),
    ...view.catalogues.map((one) => catalogue(one, palette, printing)),
  ]);
  const draw = (): void => draws.forEach((one) => one());
  const theme = document.getElementById("theme");
  if (theme) themeChoice(theme, draw);
  redrawForPaper((printing) => {
    isPrinting = printing;
    draw();
  });
  hintAtScrolling();
}

run();
