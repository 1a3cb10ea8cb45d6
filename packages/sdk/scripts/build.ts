// Writes `dist` for `npm pack` and `npm publish`, which run this file before they pack (`prepack`), and afterwards with
// `--clean` (`postpack`): the repository itself uses the sources.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compilePackage } from './compile.ts';

const folder = join(import.meta.dirname, '..', 'dist');

rmSync(folder, { recursive: true, force: true });
if (!process.argv.includes('--clean')) {
  for (const [name, content] of await compilePackage()) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
