// Builds the application into `dist`: `node packages/dashboard/scripts/build.ts`. `scripts/dashboard.mjs` (root) runs it
// if a source has changed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { compressFiles } from '../../../scripts/compress-files.ts';
import { replaceFolder } from '../../../scripts/replace-folder.ts';

const folder = resolve(import.meta.dirname, '..');
const unfinished = join(folder, '.dist');

/**
 * Returns the paths of the application's URL tree, with parameters as the service writes them: `/licenses/:id`. The router's
 * plugin has just written the file that lists them.
 */
function routes(): string[] {
  const tree = readFileSync(join(folder, 'src', 'routeTree.gen.ts'), 'utf8');
  const list = /^\s+to:((?:\s+\| '[^']*')+|\s+'[^']*')/m.exec(tree)?.[1] ?? '';
  const paths = [...list.matchAll(/'([^']*)'/g)].map(([, path = '']) => path);
  if (!paths.includes('/'))
    throw new Error('src/routeTree.gen.ts has no list of paths: adapt this script to its format.');
  // A path that ends in `$` shows that there is no such page.
  return paths.filter((path) => !path.endsWith('/$')).map((path) => path.replaceAll('$', ':'));
}

// A caller such as a test sets another mode, in which React is larger and slower.
process.env['NODE_ENV'] = 'production';
await build({
  root: folder,
  logLevel: 'warn',
  build: { outDir: unfinished, emptyOutDir: true, license: { fileName: 'third-party-notices.md' }, manifest: true },
});
writeFileSync(join(unfinished, 'routes.json'), JSON.stringify(routes()));
const page = readFileSync(join(unfinished, 'index.html'), 'utf8');
await compressFiles(unfinished, (name) => page.includes(`/${name.replaceAll('\\', '/')}"`));
replaceFolder(join(folder, 'dist'), unfinished);
