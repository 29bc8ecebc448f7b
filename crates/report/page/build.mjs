// Bundles the page into one script and one style sheet, and writes the hashes by which the page's own
// security policy admits them. Usage: node build.mjs OUTPUT_FOLDER
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const major = Number(process.versions.node.split(".")[0]);
if (major < 18) {
  console.error(`Node.js ${process.versions.node} is too old: install Node.js 18 or newer.`);
  process.exit(1);
}

const folder = process.argv[2] ?? "dist";
await mkdir(folder, { recursive: true });
await build({
  entryPoints: { page: "src/main.ts", style: "src/page.css" },
  outdir: folder,
  bundle: true,
  minify: true,
  target: ["es2020", "chrome100", "firefox100", "safari15"],
  format: "iife",
  legalComments: "none",
  banner: { js: "/* Holds uPlot, copyright Leon Sorokin, MIT licence. */" },
  logLevel: "warning",
});

// Inside an element, the sequence that would end it must not occur.
for (const [name, end] of [
  ["page.js", /<\/script/i],
  ["style.css", /<\/style/i],
]) {
  const text = (await readFile(join(folder, name), "utf8")).trim();
  if (end.test(text)) throw new Error(`${name} holds a closing tag`);
  await writeFile(join(folder, name), text);
  const hash = createHash("sha256").update(text).digest("base64");
  await writeFile(join(folder, `${name}.sha256`), `sha256-${hash}`);
}
