// Writes dist/: one JavaScript file and one declaration file per source. `npm pack` runs it, nothing else does.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const folder = dirname(import.meta.dirname);
const compiler = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc');
const output = join(folder, 'dist');
rmSync(output, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler, '-p', join(folder, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

// The compiler keeps `.ts` in the imports of declarations, which not every version of it resolves.
for (const name of readdirSync(output, { recursive: true })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = join(output, name);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}
