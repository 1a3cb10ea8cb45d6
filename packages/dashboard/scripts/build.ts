// Builds the application into `dist`: `node packages/dashboard/scripts/build.ts`. `scripts/dashboard.mjs` (root) runs it
// if a source has changed.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { compressFiles } from '../../../scripts/compress-files.ts';
import { replaceFolder } from '../../../scripts/replace-folder.ts';
import { filesOfRoutes } from './route-files.ts';

const folder = resolve(import.meta.dirname, '..');
const unfinished = join(folder, '.dist');

// A caller such as a test sets another mode, in which React is larger and slower.
process.env['NODE_ENV'] = 'production';
await build({
  root: folder,
  // Node reads TypeScript, so the configuration need not be bundled.
  configLoader: 'native',
  logLevel: 'warn',
  build: { outDir: unfinished, emptyOutDir: true, license: { fileName: 'third-party-notices.md' }, manifest: true },
});
// The icons are no package that Vite finds.
const icons = readFileSync(join(folder, 'src', 'icons', 'LICENSE'), 'utf8');
appendFileSync(join(unfinished, 'third-party-notices.md'), `\n## Lucide (ISC)\n\n${icons}`);
const sourceOf = (name: string) => readFileSync(join(folder, 'src', name), 'utf8');
const manifest = JSON.parse(readFileSync(join(unfinished, '.vite', 'manifest.json'), 'utf8'));
const page = readFileSync(join(unfinished, 'index.html'), 'utf8');
const files = filesOfRoutes(sourceOf('routes.ts'), sourceOf('tenant-screens.ts'), manifest, page);
writeFileSync(join(unfinished, 'routes.json'), JSON.stringify(files));
await compressFiles(unfinished, (name) => page.includes(`/${name.replaceAll('\\', '/')}"`));
replaceFolder(join(folder, 'dist'), unfinished);
