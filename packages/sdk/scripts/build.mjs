// Writes dist/: one JavaScript file and one declaration file per source. `npm pack` runs it, nothing else does.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const folder = dirname(import.meta.dirname);
const output = join(folder, 'dist');
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

const filesIn = (path) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));

/** The compiler keeps `.ts` in the imports of declarations, which not every version of it resolves. */
function nameDeclarations(path) {
  for (const file of filesIn(path).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(path, file), 'utf8');
    writeFileSync(join(path, file), text.replaceAll(/((?:from|import) '\.[^']*)\.ts'/g, "$1.js'"));
  }
}

/** Replaces each file at once, so that another `npm pack` at the same time finds every file. */
function publish(built) {
  mkdirSync(output, { recursive: true });
  const files = filesIn(built);
  for (const file of files) {
    mkdirSync(dirname(join(output, file)), { recursive: true });
    renameSync(join(built, file), join(output, file));
  }
  for (const file of filesIn(output)) if (!files.includes(file)) rmSync(join(output, file), { force: true });
}

const built = mkdtempSync(join(folder, '.dist-'));
const options = ['-p', join(folder, 'tsconfig.build.json'), '--outDir', built];
const { status } = spawnSync(process.execPath, [compiler, ...options], { stdio: 'inherit' });
if (status === 0) {
  nameDeclarations(built);
  publish(built);
}
rmSync(built, { recursive: true, force: true });
process.exitCode = status ?? 1;
