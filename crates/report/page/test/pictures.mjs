// Takes the README's pictures of a page: node test/pictures.mjs PAGE.html FOLDER [NAME]
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { executable } from "./browser.mjs";

const [report, folder, title = "report"] = process.argv.slice(2);
if (!report || !folder || !executable) {
  console.error("usage: node test/pictures.mjs PAGE.html FOLDER [NAME] (needs Chromium)");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-gpu"] });
for (const scheme of ["light", "dark"]) {
  for (const [name, width, height] of [
    ["wide", 1400, 1300],
    ["phone", 400, 1300],
  ]) {
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height } });
    await page.goto(pathToFileURL(resolve(report)).href);
    await page.screenshot({ path: join(folder, `${title}-${scheme}-${name}.png`) });
    await page.close();
  }
}
await browser.close();
